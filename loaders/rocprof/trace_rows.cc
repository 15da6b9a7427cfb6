#include "loaders/rocprof/trace_rows.h"

#include <fmt/format.h>

#include <utility>

namespace tfprof::rocprof {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

TraceRows::TraceRows(std::shared_ptr<const loaders::InputFile> file,
                     sqlite::Database& database, loaders::LoadContext& context)
    : database_(database),
      log_(context.log),
      strings_(context.builder.mutable_graph().strings) {
  trace_.file = std::move(file);
}

void TraceRows::Read(std::string_view table,
                     std::span<const std::string_view> columns,
                     const std::function<void(const sqlite::Row&)>& visit) {
  if (!database_.HasTable(table)) return;
  const absl::Status status = database_.Read(table, columns, visit);
  if (status.ok()) return;
  if (status_.ok()) status_ = status;
  log_.Add(loaders::ImportLog::kDamage, "table of SQLite that is damaged",
           std::string(status.message()));
}

Texts TraceRows::ReadTexts(std::string_view table, std::string_view id,
                           std::string_view text) {
  Texts texts;
  const std::string_view columns[] = {id, text};
  Read(table, columns, [&](const sqlite::Row& row) {
    const std::optional<int64_t> number = row.Int(0);
    const std::optional<std::string_view> value = row.Text(1);
    if (number && value) texts.insert_or_assign(*number, *value);
  });
  return texts;
}

bool TraceRows::Fits(const Times& times) {
  int64_t duration = 0;
  const bool fits =
      times.start && times.end && *times.start <= *times.end &&
      !__builtin_sub_overflow(*times.end, *times.start, &duration);
  dropped_ += fits ? 0 : 1;
  return fits;
}

std::optional<uint32_t> TraceRows::AddHost(const Times& times, uint32_t thread,
                                           std::string_view name,
                                           gpu_trace::HostKind kind) {
  if (!Fits(times)) return {};
  const profile::StringId text =
      strings_.Intern(name.empty() ? "(no name)" : name);
  trace_.host.push_back({.start = *times.start,
                         .end = *times.end,
                         .op = text,
                         .text = text,
                         .thread = thread,
                         .kind = kind});
  return static_cast<uint32_t>(trace_.host.size() - 1);
}

std::optional<uint32_t> TraceRows::AddWork(const Times& times,
                                           std::string_view name,
                                           gpu_trace::WorkLane lane,
                                           int64_t bytes) {
  if (!Fits(times)) return {};
  // Kernels of collectives have the name of the library anywhere.
  if (lane.kind == profile::LaneKind::kKernels &&
      (Contains(name, "nccl") || Contains(name, "rccl"))) {
    lane.kind = profile::LaneKind::kCommunication;
  }
  trace_.work.push_back(
      {.start = *times.start,
       .end = *times.end,
       .name = strings_.Intern(name.empty() ? "(no name)" : name),
       .lane = trace_.Lane(lane),
       .bytes = bytes});
  return static_cast<uint32_t>(trace_.work.size() - 1);
}

absl::StatusOr<gpu_trace::GpuTrace> TraceRows::Finish() {
  if (status_.code() == absl::StatusCode::kCancelled) return status_;
  if (trace_.host.empty() && trace_.work.empty() && !status_.ok()) {
    return status_;
  }
  if (dropped_ > 0) {
    log_.Add(loaders::ImportLog::kDamage, "event without its times",
             fmt::format("{}: {} rows have no start or end that is a number, "
                         "or end before they begin; skipped",
                         trace_.file->path(), dropped_),
             dropped_);
  }
  return std::move(trace_);
}

std::string_view TextOf(const Texts& texts, std::optional<int64_t> id,
                        std::string_view otherwise) {
  if (!id) return otherwise;
  const auto text = texts.find(*id);
  return text == texts.end() ? otherwise : std::string_view(text->second);
}

}  // namespace tfprof::rocprof
