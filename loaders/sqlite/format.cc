#include "loaders/sqlite/format.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/self_time_rules.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/nodes/skipped_damage.h"
#include "loaders/nsys/nsys.h"
#include "loaders/rocprof/rocpd.h"
#include "loaders/sqlite/database.h"
#include "profile/steps/time_column.h"
#include "util/text/safe_text.h"

namespace tfprof::sqlite {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = bytes.starts_with(kMagic) ? loaders::Fit::kMagic : 0};
}

// A log beside the file may have rows that the file does not have yet.
void NoteLog(const std::string& path, loaders::ImportLog& log) {
  struct stat info = {};
  const std::string wal = path + "-wal";
  if (stat(wal.c_str(), &info) != 0 || info.st_size == 0) return;
  log.Add(loaders::ImportLog::kDamage, "changes beside an SQLite file",
          fmt::format("{}: the {} bytes of changes in {} are not read; run "
                      "`sqlite3 {} 'PRAGMA wal_checkpoint(TRUNCATE)'` first",
                      path, info.st_size, wal, path));
}

absl::StatusOr<gpu_trace::GpuTrace> ReadTables(
    const std::shared_ptr<const loaders::InputFile>& file, Database& database,
    loaders::LoadContext& context) {
  if (nsys::IsNsys(database)) return nsys::ReadNsys(file, database, context);
  if (rocprof::IsRocpd(database)) {
    return rocprof::ReadRocpd(file, database, context);
  }
  if (rocprof::IsRpd(database)) {
    return rocprof::ReadRpd(file, database, context);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: an SQLite file with {} tables, none of which a profiler writes; "
      "expected an export of Nsight Systems, or a .db or .rpd file of rocprof",
      file->path(), database.tables().size()));
}

// Counts damage in pages that were not read. As for other formats, only small
// files are checked: the pages of a large one would be read twice.
void CheckPages(const std::string& path, size_t bytes, Database& database,
                loaders::ImportLog& log) {
  if (bytes > loaders::kCheckedBytes || log.damaged()) return;
  const std::string damage = database.FindDamage();
  if (damage.empty()) return;
  log.Add(loaders::ImportLog::kDamage, "damaged pages",
          fmt::format("{}: SQLite finds damage: {}; rows may be missing or "
                      "wrong; copy or export the file again",
                      path, util::SafeText(damage)));
}

absl::StatusOr<gpu_trace::GpuTrace> ReadTrace(
    const std::shared_ptr<const loaders::InputFile>& file,
    loaders::LoadContext& context) {
  absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(*file, context.work.cancellation);
  if (!database.ok()) return database.status();
  NoteLog(file->path(), context.log);
  auto trace = ReadTables(file, **database, context);
  if (trace.ok()) {
    CheckPages(file->path(), file->bytes().size(), **database, context.log);
  }
  return trace;
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<gpu_trace::GpuTrace> traces;
  for (const loaders::FormatFile& file : files) {
    absl::StatusOr<gpu_trace::GpuTrace> trace = ReadTrace(file.file, context);
    if (!trace.ok()) return trace.status();
    traces.push_back(*std::move(trace));
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
  }
  gpu_trace::AddGpuTraces(std::move(traces), context);
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  loaders::ByteAccount lost;
  lost.damaged = static_cast<int64_t>(file.bytes().size());
  const absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(file, cancellation);
  if (!database.ok()) return lost;
  loaders::LoadContext context;
  context.work.cancellation = cancellation;
  // The caller keeps the file.
  const std::shared_ptr<const loaders::InputFile> shared(
      std::shared_ptr<const loaders::InputFile>(), &file);
  if (!ReadTables(shared, **database, context).ok()) return lost;
  return (*database)->Account();
}

}  // namespace

const loaders::Format kSqliteFormat = {
    .name = "SQLite profile",
    .flag = "sqlite_path",
    .value_name = "FILE,…",
    .help = "SQLite files of Nsight Systems and rocprof.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 17,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = profile::kNanosPerMicro,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::sqlite
