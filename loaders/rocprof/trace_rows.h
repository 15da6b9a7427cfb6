// TraceRows: adds rows of databases of AMD's profilers to a GpuTrace, and
// counts what cannot be added. The database, the log and the pool must outlive
// it.

#ifndef TFPROF_LOADERS_ROCPROF_TRACE_ROWS_H_
#define TFPROF_LOADERS_ROCPROF_TRACE_ROWS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/sqlite/database.h"

namespace tfprof::rocprof {

// The texts of a table, by id.
using Texts = absl::flat_hash_map<int64_t, std::string>;

// The start and the end of a row.
struct Times {
  std::optional<int64_t> start;
  std::optional<int64_t> end;
};

class TraceRows {
 public:
  TraceRows(std::shared_ptr<const loaders::InputFile> file,
            sqlite::Database& database, loaders::LoadContext& context);

  // Calls `visit` for each row of a table, if the file has it.
  void Read(std::string_view table, std::span<const std::string_view> columns,
            const std::function<void(const sqlite::Row&)>& visit);
  Texts ReadTexts(std::string_view table, std::string_view id,
                  std::string_view text);

  // Add an event and return its number; nullopt: its times are wrong.
  std::optional<uint32_t> AddHost(const Times& times, uint32_t thread,
                                  std::string_view name,
                                  gpu_trace::HostKind kind);
  std::optional<uint32_t> AddWork(const Times& times, std::string_view name,
                                  gpu_trace::WorkLane lane, int64_t bytes);

  gpu_trace::GpuTrace& trace() { return trace_; }
  // Returns the trace, or the error of a file without anything usable.
  absl::StatusOr<gpu_trace::GpuTrace> Finish();

 private:
  bool Fits(const Times& times);

  sqlite::Database& database_;
  loaders::ImportLog& log_;
  profile::StringPool& strings_;
  gpu_trace::GpuTrace trace_;
  absl::Status status_;
  int64_t dropped_ = 0;
};

// Returns the text of an id; `otherwise` if the file lacks it.
std::string_view TextOf(const Texts& texts, std::optional<int64_t> id,
                        std::string_view otherwise);

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_TRACE_ROWS_H_
