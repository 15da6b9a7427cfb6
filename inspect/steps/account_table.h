// The account of a step as a table: the parts of the wall time of each device,
// which add up to it (timeline/account/account.h), and the sentence that says
// where most of the avoidable time goes.
//
// Times are microseconds.

#ifndef TFPROF_INSPECT_STEPS_ACCOUNT_TABLE_H_
#define TFPROF_INSPECT_STEPS_ACCOUNT_TABLE_H_

#include <optional>
#include <string>

#include "tables/data_table.h"
#include "timeline/account/account.h"
#include "views/views.h"

namespace tfprof::inspect {

// The rows of each device by descending time, or, with `usual`, by the time
// that each part takes more than in `usual`. `usual` may be nullptr.
tables::DataTable AccountTable(views::Views& views,
                               const timeline::StepAccount& account,
                               const timeline::StepAccount* usual);

// "aten::mm 1.20ms, aten::add 3us": the largest details of a part, without
// those that are small beside the first.
std::string DetailText(const timeline::PartTime& part, int64_t ticks_per_micro);

// What costs most and could be avoided.
struct Avoidable {
  timeline::Part part = timeline::Part::kNotRecorded;
  uint32_t unit = 0;
  int64_t ticks = 0;
  int64_t more = 0;  // than in the usual step
};

// The largest part that is not computation, on the device where it is largest,
// or the part that grew most if `usual` is given. nullopt: nothing takes at
// least a hundredth of the wall time.
std::optional<Avoidable> LargestAvoidable(const timeline::StepAccount& account,
                                          const timeline::StepAccount* usual);

// The same without `usual`; nullopt if the file does not say what the part is:
// nobody can avoid what nobody knows.
std::optional<Avoidable> LargestKnown(const timeline::StepAccount& account);

// "gpu:0: waiting for input takes 46.3% of its wall time (…); most of it …".
std::string CauseSentence(views::Views& views,
                          const timeline::StepAccount& account,
                          const Avoidable& cause);

// For a step in which no part that can be avoided matters: "gpu:0 computes for
// 91.9% of its wall time (…): elementwise 35.5%, …", about the accelerator that
// computes most. Returns "" if such a part takes a tenth of the wall time of an
// accelerator.
std::string WorksSentence(views::Views& views,
                          const timeline::StepAccount& account);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_ACCOUNT_TABLE_H_
