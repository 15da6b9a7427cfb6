// Reads .rpd files, see rocpd.h.

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "loaders/rocprof/rocpd.h"
#include "loaders/rocprof/texts.h"
#include "loaders/rocprof/trace_events.h"
#include "loaders/sqlite/tables.h"

namespace tfprof::rocprof {
namespace {

using gpu_trace::HostKind;
using sqlite::Row;

// The call that stands for a range of the program; its arguments are the name.
constexpr std::string_view kMarker = "UserMarker";

}  // namespace

bool IsRpd(const sqlite::Database& database) {
  return database.HasTable("rocpd_op") && database.HasTable("rocpd_api");
}

absl::StatusOr<gpu_trace::GpuTrace> ReadRpd(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context) {
  sqlite::Tables tables(database, file->path(), context.log);
  TraceEvents events(std::move(file), context);
  const Texts strings = ReadTexts(tables, "rocpd_string", "id", "string");
  // The names of ranges whose text is empty, by call.
  absl::flat_hash_map<int64_t, int64_t> operators;
  constexpr std::string_view kOperators[] = {"api_ptr_id", "autogradName_id"};
  tables.Read("ext_autogradapi", kOperators, [&](const Row& row) {
    if (row.Int(0) && row.Int(1)) {
      operators.insert_or_assign(*row.Int(0), *row.Int(1));
    }
  });
  absl::flat_hash_map<int64_t, int64_t> sizes;  // of copies, by call
  constexpr std::string_view kSizes[] = {"api_ptr_id", "size"};
  tables.Read("rocpd_copyapi", kSizes, [&](const Row& row) {
    if (row.Int(0) && row.Int(1))
      sizes.insert_or_assign(*row.Int(0), *row.Int(1));
  });
  absl::flat_hash_map<int64_t, uint32_t> calls;
  constexpr std::string_view kCalls[] = {"id",  "start",      "end",    "tid",
                                         "pid", "apiName_id", "args_id"};
  tables.Read("rocpd_api", kCalls, [&](const Row& row) {
    const std::string_view name = TextOf(strings, row.Int(5), "");
    const bool is_range = name == kMarker;
    std::string_view text = is_range ? TextOf(strings, row.Int(6), "") : name;
    const auto of_torch = operators.find(row.Int(0).value_or(0));
    if (text.empty() && of_torch != operators.end()) {
      text = TextOf(strings, of_torch->second, "");
    }
    const std::optional<uint32_t> host = events.AddHost(
        {row.Int(1), row.Int(2)},
        events.trace().Thread(row.Int(4).value_or(-1), row.Int(3).value_or(-1)),
        text, is_range ? HostKind::kRange : HostKind::kCall);
    if (!host) row.Drop();
    if (host && row.Int(0)) calls.insert_or_assign(*row.Int(0), *host);
  });
  absl::flat_hash_map<int64_t, int64_t> launches;  // call, by operation
  constexpr std::string_view kLaunches[] = {"api_id", "op_id"};
  tables.Read("rocpd_api_ops", kLaunches, [&](const Row& row) {
    if (row.Int(0) && row.Int(1)) {
      launches.insert_or_assign(*row.Int(1), *row.Int(0));
    }
  });
  int64_t others = 0;
  constexpr std::string_view kWork[] = {
      "id", "start", "end", "gpuId", "queueId", "description_id", "opType_id"};
  tables.Read("rocpd_op", kWork, [&](const Row& row) {
    const std::string_view type = TextOf(strings, row.Int(6), "");
    const bool is_copy = type.starts_with("Copy") || type.starts_with("Fill");
    if (!is_copy && type != "KernelExecution" && type != "Task") {
      ++others;
      return;
    }
    const std::string_view description = TextOf(strings, row.Int(5), "");
    const auto launch = launches.find(row.Int(0).value_or(0));
    const bool launched = row.Int(0) && launch != launches.end();
    const auto size =
        launched && is_copy ? sizes.find(launch->second) : sizes.end();
    const std::optional<uint32_t> work = events.AddWork(
        {row.Int(1), row.Int(2)}, description.empty() ? type : description,
        {row.Int(3).value_or(0), -1, row.Int(4).value_or(-1),
         is_copy ? profile::LaneKind::kCopies : profile::LaneKind::kKernels},
        size == sizes.end() ? -1 : size->second);
    if (!work) {
      row.Drop();
      return;
    }
    if (is_copy) events.SetCopy(type, {});
    if (!launched) return;
    const auto call = calls.find(launch->second);
    if (call != calls.end()) events.trace().work[*work].launch = call->second;
  });
  context.log.Count(loaders::ImportLog::kNotice,
                    "operation of rpd that is no work, such as a barrier",
                    others);
  absl::Status failure = tables.Failure(!events.empty());
  if (!failure.ok()) return failure;
  return events.Take();
}

}  // namespace tfprof::rocprof
