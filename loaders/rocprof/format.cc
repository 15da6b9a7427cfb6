#include "loaders/rocprof/format.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/self_time_rules.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/rocprof/csv_run.h"
#include "loaders/rocprof/tool_json.h"
#include "profile/steps/time_column.h"
#include "util/json/json_reader.h"
#include "util/run/cancellation.h"

namespace tfprof::rocprof {
namespace {

using loaders::ImportLog;

loaders::Fit Sniff(std::string_view bytes) {
  const bool fits = LooksLikeToolJson(bytes) || LooksLikeRocprofCsv(bytes);
  return {.score = fits ? loaders::Fit::kMagic : 0};
}

bool IsJson(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != bytes.npos && bytes[first] == '{';
}

// "DIR/908" of "DIR/908_results.json", as CsvRun::path.
std::string RunOfJson(std::string_view path) {
  for (const std::string_view end : {".gz", ".json", "_results"}) {
    if (path.ends_with(end)) path.remove_suffix(end.size());
  }
  return std::string(path);
}

void NoteIfEmpty(const gpu_trace::GpuTrace& trace, ImportLog& log) {
  if (!trace.host.empty() || !trace.work.empty()) return;
  log.Add(ImportLog::kNotice, "rocprof file without events",
          fmt::format("{}: no kernel, copy, call or range; record with "
                      "--sys-trace",
                      trace.file->path()));
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<gpu_trace::GpuTrace> traces;
  const auto add = [&](absl::StatusOr<gpu_trace::GpuTrace> trace) {
    if (!trace.ok()) return trace.status();
    NoteIfEmpty(*trace, context.log);
    traces.push_back(*std::move(trace));
    return absl::OkStatus();
  };
  std::vector<std::shared_ptr<const loaders::InputFile>> tables;
  std::set<std::string> in_json;
  for (const loaders::FormatFile& file : files) {
    if (!IsJson(file.file->bytes())) {
      tables.push_back(file.file);
      continue;
    }
    absl::Status status = add(ReadToolJson(file.file, context));
    if (!status.ok()) return status;
    in_json.insert(RunOfJson(file.path));
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
  }
  for (const CsvRun& run : GroupCsvFiles(tables)) {
    if (in_json.contains(run.path)) {
      // The same events would count twice.
      context.log.Add(
          ImportLog::kNotice, "CSV of a run that is read from JSON",
          fmt::format("{}: skipped: {}_results.json is the same run",
                      run.files.front()->path(), run.path),
          static_cast<int64_t>(run.files.size()));
      for (const auto& file : run.files) {
        context.left_out[file->path()] = loaders::ByteNotes::kUnused;
      }
      continue;
    }
    absl::Status status = add(ReadCsvRun(run, context));
    if (!status.ok()) return status;
    for (const auto& file : run.files) {
      context.progress->done += static_cast<int64_t>(file->bytes().size());
    }
  }
  gpu_trace::AddGpuTraces(std::move(traces), context);
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  loaders::LoadContext context;
  context.work.cancellation = cancellation;
  loaders::ByteNotes notes;
  // The caller keeps the file.
  const std::shared_ptr<const loaders::InputFile> shared(
      std::shared_ptr<const loaders::InputFile>(), &file);
  const bool is_json = IsJson(file.bytes());
  const bool is_read =
      is_json ? ReadToolJson(shared, context, &notes).ok()
              : ReadCsvRun({.path = file.path(), .files = {shared}}, context,
                           &notes)
                    .ok();
  if (!is_read) {
    notes.Note(loaders::ByteNotes::kDamaged, 0, file.bytes().size());
  }
  return notes.Account(file.bytes(), is_json ? util::CountJsonSpaces : nullptr);
}

}  // namespace

const loaders::Format kRocprofFormat = {
    .name = "rocprofv3 trace",
    .flag = "rocprof_path",
    .value_name = "FILE,…",
    .help = "JSON and CSV files of rocprofv3.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 18,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = profile::kNanosPerMicro,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::rocprof
