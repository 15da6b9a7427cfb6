// Joins another recording of the same run: the operations are those of a Kineto
// file, the calls of the device's interface and the work of devices are those
// of the other recording (gpu_trace.h), which another tool made.
//
// Each process of a recording belongs to the file with its number; where more
// have it, to that with the same events. One without a number belongs to the
// file that has its threads, or to the only file.
// Its times are moved to the clock of the file: by events that both have
// (same_events.h), else because both count from 1970. Where both have an
// operation, the ranges of the other recording say which calls are inside of
// it, whatever the clocks. What it recorded before the first and after the last
// operation of the file is left out, and so are the launches and the work that
// the file has itself. The log says how much was joined.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_JOINED_WORK_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_JOINED_WORK_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/chrome_json/kineto/host/host_tree.h"
#include "loaders/chrome_json/kineto/scan.h"
#include "loaders/core/load_context.h"
#include "profile/details.h"

namespace tfprof::kineto {

// Takes LoadContext::joined. Errors: no file has the process of a recording,
// several have it and nothing tells them apart, or nothing relates its clock to
// that of the file.
absl::Status JoinRecordings(std::span<KinetoFile> files,
                            loaders::LoadContext& context);

// Returns a reader for the records of the file and of what was joined to it.
std::shared_ptr<const profile::DetailReader> DetailsOf(
    const KinetoEvents& events);

// Logs how much of the joined work is inside of operations. Call it when the
// tree is built.
void LogJoined(const KinetoEvents& events, const HostTree& tree,
               loaders::ImportLog& log);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_JOINED_WORK_H_
