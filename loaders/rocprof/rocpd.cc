#include "loaders/rocprof/rocpd.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/rocprof/trace_rows.h"

namespace tfprof::rocprof {
namespace {

using gpu_trace::HostKind;
using sqlite::Row;

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";

// What follows kDispatches in the name of a run's table: "_0123…".
std::vector<std::string> RunsOf(const sqlite::Database& database) {
  std::vector<std::string> runs;
  for (const std::string& table : database.tables()) {
    if (table.starts_with(kDispatches) && table.size() > kDispatches.size() &&
        table[kDispatches.size()] == '_') {
      runs.push_back(table.substr(kDispatches.size()));
    }
  }
  return runs;
}

struct Agent {
  bool is_gpu = false;
  int64_t number = 0;
};

// Reads the tables of one run.
class Run {
 public:
  Run(std::string suffix, int64_t number, TraceRows& rows)
      : suffix_(std::move(suffix)), number_(number), rows_(rows) {}

  void Read() {
    strings_ = rows_.ReadTexts("rocpd_string" + suffix_, "id", "string");
    ReadEvents();
    ReadAgents();
    ReadSymbols();
    ReadRegions();
    ReadKernels();
    ReadCopies();
  }

 private:
  void ReadEvents() {
    constexpr std::string_view kColumns[] = {"id", "stack_id", "category_id"};
    rows_.Read("rocpd_event" + suffix_, kColumns, [&](const Row& row) {
      if (!row.Int(0)) return;
      events_.insert_or_assign(
          *row.Int(0),
          std::pair(row.Int(1),
                    TextOf(strings_, row.Int(2), "").find("MARKER") !=
                        std::string::npos));
    });
  }

  void ReadAgents() {
    constexpr std::string_view kColumns[] = {"id", "type", "absolute_index",
                                             "product_name"};
    rows_.Read("rocpd_info_agent" + suffix_, kColumns, [&](const Row& row) {
      if (!row.Int(0)) return;
      const Agent agent = {.is_gpu = row.Text(1).value_or("") == "GPU",
                           .number = row.Int(2).value_or(*row.Int(0))};
      agents_.insert_or_assign(*row.Int(0), agent);
      const std::string_view model = row.Text(3).value_or("");
      if (agent.is_gpu && !model.empty()) {
        rows_.trace().models.try_emplace(agent.number, model);
      }
    });
  }

  void ReadSymbols() {
    constexpr std::string_view kColumns[] = {"id", "display_name",
                                             "kernel_name"};
    rows_.Read("rocpd_info_kernel_symbol" + suffix_, kColumns,
               [&](const Row& row) {
                 const auto name = row.Text(1) ? row.Text(1) : row.Text(2);
                 if (row.Int(0) && name) {
                   symbols_.insert_or_assign(*row.Int(0), *name);
                 }
               });
  }

  void ReadRegions() {
    constexpr std::string_view kColumns[] = {"start", "end", "name_id", "tid",
                                             "event_id"};
    rows_.Read("rocpd_region" + suffix_, kColumns, [&](const Row& row) {
      const auto event = events_.find(row.Int(4).value_or(0));
      const bool has_event = row.Int(4) && event != events_.end();
      const bool is_range = has_event && event->second.second;
      const std::optional<uint32_t> host =
          rows_.AddHost({row.Int(0), row.Int(1)},
                        rows_.trace().Thread(number_, row.Int(3).value_or(-1)),
                        TextOf(strings_, row.Int(2), ""),
                        is_range ? HostKind::kRange : HostKind::kCall);
      if (host && has_event && !is_range && event->second.first) {
        launches_.insert_or_assign(*event->second.first, *host);
      }
    });
  }

  void ReadKernels() {
    constexpr std::string_view kColumns[] = {
        "start", "end", "agent_id", "kernel_id", "stream_id", "event_id"};
    rows_.Read(std::string(kDispatches) + suffix_, kColumns,
               [&](const Row& row) {
                 const auto agent = agents_.find(row.Int(2).value_or(0));
                 AddWork(row, agent == agents_.end() ? 0 : agent->second.number,
                         TextOf(symbols_, row.Int(3), ""), row.Int(4),
                         row.Int(5), profile::LaneKind::kKernels, -1);
               });
  }

  void ReadCopies() {
    constexpr std::string_view kColumns[] = {
        "start",     "end",      "dst_agent_id", "name_id",
        "stream_id", "event_id", "src_agent_id", "size"};
    rows_.Read("rocpd_memory_copy" + suffix_, kColumns, [&](const Row& row) {
      int64_t device = 0;
      for (const int side : {6, 2}) {
        const auto agent = agents_.find(row.Int(side).value_or(0));
        if (agent != agents_.end() && agent->second.is_gpu) {
          device = agent->second.number;
        }
      }
      AddWork(row, device, TextOf(strings_, row.Int(3), ""), row.Int(4),
              row.Int(5), profile::LaneKind::kCopies, row.Int(7).value_or(-1));
    });
  }

  void AddWork(const Row& row, int64_t device, std::string_view name,
               std::optional<int64_t> stream, std::optional<int64_t> event,
               profile::LaneKind kind, int64_t bytes) {
    const std::optional<uint32_t> work =
        rows_.AddWork({row.Int(0), row.Int(1)}, name,
                      {device, number_, stream.value_or(-1), kind}, bytes);
    const auto known = events_.find(event.value_or(0));
    if (!work || !event || known == events_.end() || !known->second.first) {
      return;
    }
    const auto launch = launches_.find(*known->second.first);
    if (launch == launches_.end()) return;
    rows_.trace().work[*work].launch = launch->second;
  }

  const std::string suffix_;
  const int64_t number_;
  TraceRows& rows_;
  Texts strings_, symbols_;
  // The stack of an event, and whether it is a range of the program.
  absl::flat_hash_map<int64_t, std::pair<std::optional<int64_t>, bool>> events_;
  absl::flat_hash_map<int64_t, Agent> agents_;
  absl::flat_hash_map<int64_t, uint32_t> launches_;  // by stack
};

}  // namespace

bool IsRocpd(const sqlite::Database& database) {
  return !RunsOf(database).empty();
}

absl::StatusOr<gpu_trace::GpuTrace> ReadRocpd(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context) {
  TraceRows rows(std::move(file), database, context);
  int64_t number = 0;
  for (std::string& run : RunsOf(database)) {
    Run(std::move(run), number++, rows).Read();
  }
  return rows.Finish();
}

}  // namespace tfprof::rocprof
