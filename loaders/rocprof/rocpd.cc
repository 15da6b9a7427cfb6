#include "loaders/rocprof/rocpd.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "loaders/rocprof/texts.h"
#include "loaders/rocprof/trace_events.h"
#include "loaders/sqlite/tables.h"

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
  // `number`: of the run in the file.
  Run(std::string suffix, int64_t number, sqlite::Tables& tables,
      TraceEvents& events)
      : suffix_(std::move(suffix)),
        number_(number),
        tables_(tables),
        trace_events_(events) {}

  // `taken` has the processes of the runs so far.
  void Read(absl::flat_hash_set<int64_t>& taken) {
    strings_ = ReadTexts(tables_, "rocpd_string" + suffix_, "id", "string");
    ReadProcesses(taken);
    ReadThreads();
    ReadEvents();
    ReadAgents();
    ReadSymbols();
    ReadRegions();
    ReadKernels();
    ReadCopies();
  }

 private:
  // The numbers that the system gave to the processes. Those of two machines
  // may be equal: the later one then counts as unknown, so that its threads
  // are not mixed with the others.
  void ReadProcesses(absl::flat_hash_set<int64_t>& taken) {
    constexpr std::string_view kColumns[] = {"id", "pid"};
    absl::flat_hash_set<int64_t> own;
    tables_.Read("rocpd_info_process" + suffix_, kColumns, [&](const Row& row) {
      if (!row.Int(0) || row.Int(1).value_or(-1) < 0) return;
      if (taken.contains(*row.Int(1))) return;
      processes_.insert_or_assign(*row.Int(0), *row.Int(1));
      own.insert(*row.Int(1));
    });
    taken.insert(own.begin(), own.end());
  }

  void ReadThreads() {
    constexpr std::string_view kColumns[] = {"id", "tid"};
    tables_.Read("rocpd_info_thread" + suffix_, kColumns, [&](const Row& row) {
      if (row.Int(0) && row.Int(1)) {
        threads_.insert_or_assign(*row.Int(0), *row.Int(1));
      }
    });
  }

  // An unknown process is a negative number of its own in each run.
  int64_t ProcessOf(std::optional<int64_t> id) const {
    const auto known = processes_.find(id.value_or(0));
    return !id || known == processes_.end() ? -1 - number_ : known->second;
  }

  int64_t ThreadOf(std::optional<int64_t> id) const {
    const auto known = threads_.find(id.value_or(0));
    return !id || known == threads_.end() ? id.value_or(-1) : known->second;
  }

  void ReadEvents() {
    constexpr std::string_view kColumns[] = {"id", "stack_id", "category_id"};
    tables_.Read("rocpd_event" + suffix_, kColumns, [&](const Row& row) {
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
    tables_.Read("rocpd_info_agent" + suffix_, kColumns, [&](const Row& row) {
      if (!row.Int(0)) return;
      const Agent agent = {.is_gpu = row.Text(1).value_or("") == "GPU",
                           .number = row.Int(2).value_or(*row.Int(0))};
      agents_.insert_or_assign(*row.Int(0), agent);
      const std::string_view model = row.Text(3).value_or("");
      if (agent.is_gpu && !model.empty()) {
        trace_events_.trace().models.try_emplace(agent.number, model);
      }
    });
  }

  void ReadSymbols() {
    constexpr std::string_view kColumns[] = {"id", "display_name",
                                             "kernel_name"};
    tables_.Read("rocpd_info_kernel_symbol" + suffix_, kColumns,
                 [&](const Row& row) {
                   const auto name = row.Text(1) ? row.Text(1) : row.Text(2);
                   if (row.Int(0) && name) {
                     symbols_.insert_or_assign(*row.Int(0), *name);
                   }
                 });
  }

  void ReadRegions() {
    constexpr std::string_view kColumns[] = {"start", "end",      "name_id",
                                             "tid",   "event_id", "pid"};
    tables_.Read("rocpd_region" + suffix_, kColumns, [&](const Row& row) {
      const auto event = events_.find(row.Int(4).value_or(0));
      const bool has_event = row.Int(4) && event != events_.end();
      const bool is_range = has_event && event->second.second;
      const std::optional<uint32_t> host = trace_events_.AddHost(
          {row.Int(0), row.Int(1)},
          trace_events_.trace().Thread(ProcessOf(row.Int(5)),
                                       ThreadOf(row.Int(3))),
          TextOf(strings_, row.Int(2), ""),
          is_range ? HostKind::kRange : HostKind::kCall);
      if (!host) row.Drop();
      if (host && has_event && !is_range && event->second.first) {
        launches_.insert_or_assign(*event->second.first, *host);
      }
    });
  }

  void ReadKernels() {
    constexpr std::string_view kColumns[] = {
        "start",     "end",      "agent_id", "kernel_id",
        "stream_id", "event_id", "pid"};
    tables_.Read(
        std::string(kDispatches) + suffix_, kColumns, [&](const Row& row) {
          const auto agent = agents_.find(row.Int(2).value_or(0));
          AddWork(row, agent == agents_.end() ? 0 : agent->second.number,
                  TextOf(symbols_, row.Int(3), ""),
                  {row.Int(4), row.Int(5), row.Int(6)},
                  profile::LaneKind::kKernels, -1);
        });
  }

  void ReadCopies() {
    constexpr std::string_view kColumns[] = {
        "start",    "end",          "dst_agent_id", "name_id", "stream_id",
        "event_id", "src_agent_id", "size",         "pid"};
    tables_.Read("rocpd_memory_copy" + suffix_, kColumns, [&](const Row& row) {
      int64_t device = 0;
      for (const int side : {6, 2}) {
        const auto agent = agents_.find(row.Int(side).value_or(0));
        if (agent != agents_.end() && agent->second.is_gpu) {
          device = agent->second.number;
        }
      }
      const std::string_view name = TextOf(strings_, row.Int(3), "");
      if (AddWork(row, device, name, {row.Int(4), row.Int(5), row.Int(8)},
                  profile::LaneKind::kCopies, row.Int(7).value_or(-1))) {
        trace_events_.SetCopy(name, row.Int(2) == row.Int(6));
      }
    });
  }

  // Where work ran, and its event.
  struct Place {
    std::optional<int64_t> stream, event, process;
  };

  // Returns false if the times of the row are wrong.
  bool AddWork(const Row& row, int64_t device, std::string_view name,
               const Place& place, profile::LaneKind kind, int64_t bytes) {
    const std::optional<uint32_t> work = trace_events_.AddWork(
        {row.Int(0), row.Int(1)}, name,
        {device, ProcessOf(place.process), place.stream.value_or(-1), kind},
        bytes);
    if (!work) {
      row.Drop();
      return false;
    }
    const auto known = events_.find(place.event.value_or(0));
    if (place.event && known != events_.end() && known->second.first) {
      const auto launch = launches_.find(*known->second.first);
      if (launch != launches_.end()) {
        trace_events_.trace().work[*work].launch = launch->second;
      }
    }
    return true;
  }

  const std::string suffix_;
  const int64_t number_;
  sqlite::Tables& tables_;
  TraceEvents& trace_events_;
  Texts strings_, symbols_;
  absl::flat_hash_map<int64_t, int64_t> processes_, threads_;  // by id
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
  sqlite::Tables tables(database, file->path(), context.log);
  TraceEvents events(std::move(file), context);
  absl::flat_hash_set<int64_t> processes;
  int64_t number = 0;
  for (std::string& run : RunsOf(database)) {
    Run(std::move(run), number++, tables, events).Read(processes);
  }
  absl::Status failure = tables.Failure(!events.empty());
  if (!failure.ok()) return failure;
  return events.Take();
}

}  // namespace tfprof::rocprof
