// Reads dumps of PyTorch's flight recorder, which a job writes for each rank
// when a collective does not end (TORCH_NCCL_DUMP_ON_TIMEOUT), or on request.
//
// A dump is a JSON object, or a pickle with the same content: entries (calls of
// collectives, the oldest first), pg_config (the groups), pg_status (how far
// each group came). Sequence numbers count the collectives of a group; dumps of
// torch 2.2 and 2.3 call them seq_id, and do not say which calls are
// point-to-point: their names do ("nccl:send 2->3"). The rank is the number
// after "rank" in the file's name ("nccl_trace_rank_3", "rank3_host0"), else
// the number at its end ("host7_3.json"), because the content does not have it.
//
// Entries without an operation, group or sequence number are dropped and
// counted in the log of the import. A dump that is cut off or damaged is kept
// without what is lost: of a job that hangs it may be the one that matters.
//
// Source: torch/csrc/distributed/c10d/FlightRecorder.hpp, dumps of torch 2.2 to
// 2.15, and torch/distributed/flight_recorder.

#ifndef TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_H_
#define TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "profile/tables/collective_records.h"
#include "util/json/json_tree.h"
#include "util/run/task_options.h"

namespace tfprof::flight_recorder {

// Returns whether the file is a dump, in one of its forms.
bool IsJsonDump(std::string_view bytes);
bool IsPickledDump(std::string_view bytes);

// Returns the rank in the name of a dump; -1: it has none.
int64_t RankInName(std::string_view path);

// Reads the dumps of one job.
class DumpReader {
 public:
  explicit DumpReader(loaders::ImportLog& log) : log_(log) {}

  // A second dump of a rank is skipped and counted. Of a damaged pickle, the
  // complete entries before the damage are read. `notes`: for an account.
  // InvalidArgument: nothing in the file is readable. Cancelled.
  absl::Status Add(const loaders::InputFile& file,
                   const util::TaskOptions& work,
                   loaders::ByteNotes* notes = nullptr);
  // Adds a dump of which nothing is readable, and the error of Add().
  void AddDamaged(const std::string& path, const absl::Status& error);
  // Whether the last file was skipped.
  bool skipped() const { return skipped_; }

  profile::CollectiveRecords Take() && { return std::move(records_); }

 private:
  using Text = profile::CollectiveRecords::Text;

  // Returns false if there already is a dump of this rank.
  bool AddDump(const std::string& path);
  // Notes in the last dump that it is damaged.
  void NoteDamage(std::string_view error);
  Text Intern(std::string text);
  Text TextOf(const util::JsonValue& value);
  // Returns false if the ranks of the group are damaged.
  bool AddGroup(const std::string& name, const util::JsonValue& group,
                const std::string& path);
  // Returns false if the entry lacks what a call needs.
  bool AddCall(const util::JsonValue& entry);
  void AddProgress(const util::JsonValue& status,
                   const std::map<std::string, Text>& group_of_id);

  loaders::ImportLog& log_;
  bool skipped_ = false;
  profile::CollectiveRecords records_;
  std::map<std::string, Text, std::less<>> texts_;
  std::set<int64_t> ranks_;
  std::set<Text> described_;  // the names of records_.groups
  // Each dump repeats the groups: by name, and the ranks as the dump has them.
  std::set<std::pair<std::string, std::string>> seen_groups_;
};

}  // namespace tfprof::flight_recorder

#endif  // TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_H_
