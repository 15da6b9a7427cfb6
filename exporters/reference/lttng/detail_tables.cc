#include "exporters/reference/lttng/detail_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporters/reference/lttng/status_table.h"
#include "fmt/format.h"

namespace tfprof::exporters {
namespace {

using Tables = std::vector<tables::DataDocument::Part>;

constexpr std::string_view kAllWork = "all";

std::string Name(const ctf::TraceFacts& facts, profile::StringId id) {
  return id == profile::kNone ? std::string()
                              : std::string(facts.names.Get(id));
}

// The cell of a time that may be unknown.
tables::DataCell TimeOrNothing(int64_t time) {
  if (time == ctf::Request::kNoTime) return std::string();
  return time;
}

void AddRequests(const ctf::TraceFacts& facts, Tables& tables) {
  const ctf::Transfers& transfers = facts.transfers;
  if (transfers.requests.empty()) return;
  int64_t answered = 0, round_trip = 0, prepare = 0, asked = 0;
  StatusTable each("trace_request_times", "Each request for a tensor",
                   {{"key", true},
                    {"number"},
                    {"client_begin_ns"},
                    {"client_end_ns"},
                    {"server_seen_ns"},
                    {"prepare_begin_ns"},
                    {"prepare_end_ns"},
                    {"step", true}});
  for (const ctf::Request& r : transfers.requests) {
    asked += r.client_begin != ctf::Request::kNoTime;
    if (r.answered()) {
      ++answered;
      round_trip += r.client_end - r.client_begin;
    }
    if (r.prepare_begin != ctf::Request::kNoTime &&
        r.prepare_end != ctf::Request::kNoTime) {
      prepare += r.prepare_end - r.prepare_begin;
    }
    each.AddRow({Name(facts, r.key), int64_t{r.number},
                 TimeOrNothing(r.client_begin), TimeOrNothing(r.client_end),
                 TimeOrNothing(r.server_seen), TimeOrNothing(r.prepare_begin),
                 TimeOrNothing(r.prepare_end),
                 r.step == ctf::Request::kNoStep ? std::string()
                                                 : fmt::format("{}", r.step)});
  }
  StatusTable sums("trace_requests", "Requests for tensors",
                   {{"requests"},
                    {"answered"},
                    {"round_trip_total_ns"},
                    {"prepare_total_ns"},
                    {"encodes"},
                    {"encoded_bytes"}});
  sums.AddRow({asked, answered, round_trip, prepare, transfers.encodes,
               transfers.encoded_bytes});
  std::move(sums).AddTo(tables);
  std::move(each).AddTo(tables);
}

void AddLocal(const ctf::TraceFacts& facts, Tables& tables) {
  const ctf::LocalTransfers& local = facts.transfers.local;
  if (local.sends + local.receives == 0) return;
  StatusTable table("trace_rendezvous", "Tensors sent inside a process",
                    {{"sends"},
                     {"receives"},
                     {"matched"},
                     {"receive_first"},
                     {"receive_wait_ns"},
                     {"send_wait_ns"}});
  table.AddRow({local.sends, local.receives, local.matched, local.receive_first,
                local.receive_wait_ns, local.send_wait_ns});
  std::move(table).AddTo(tables);
}

void AddCalls(const ctf::TraceFacts& facts, Tables& tables) {
  StatusTable table("trace_remote_calls", "Calls between processes",
                    {{"name", true}, {"sent"}, {"seen"}});
  for (const auto& [name, calls] : facts.transfers.calls) {
    table.AddRow({Name(facts, name), calls.sent, calls.seen});
  }
  std::move(table).AddTo(tables);
}

void AddPlaces(const ctf::TraceFacts& facts, Tables& tables) {
  std::map<std::string, ctf::CallSum> sums;
  std::map<profile::StringId, ctf::CallSum> by_id;
  for (const ctf::Interval& op : facts.ops)
    by_id[op.place].Add(op.end - op.begin);
  for (const auto& [place, sum] : by_id) sums[Name(facts, place)].Add(sum);
  StatusTable table("trace_places", "Ops by device",
                    {{"device", true}, {"count"}, {"total_ns"}});
  for (const auto& [place, sum] : sums) {
    table.AddRow({place, sum.count, sum.total});
  }
  std::move(table).AddTo(tables);
}

void AddRanges(const ctf::TraceFacts& facts, Tables& tables) {
  StatusTable table("trace_ranges", "Ranges of threads",
                    {{"range", true}, {"count"}, {"total_ns"}, {"bytes"}});
  for (const ctf::RangeSum& range : facts.range_sums) {
    table.AddRow({Name(facts, range.kind), range.sum.count, range.sum.total,
                  range.bytes});
  }
  std::move(table).AddTo(tables);
}

void AddAllocators(const ctf::TraceFacts& facts, Tables& tables) {
  StatusTable table("trace_allocators", "Statistics of allocators",
                    {{"event", true},
                     {"allocator", true},
                     {"number", true},
                     {"samples"},
                     {"last"},
                     {"most"}});
  for (const ctf::AllocatorState& state : facts.allocator_states) {
    for (const ctf::AllocatorState::Field& field : state.fields) {
      table.AddRow({Name(facts, state.event), Name(facts, state.allocator),
                    Name(facts, field.name), state.samples, field.last,
                    field.most});
    }
  }
  std::move(table).AddTo(tables);
}

// Adds the work of each queue: each kind of work, then all kinds together.
void AddWork(const ctf::TraceFacts& facts, Tables& tables) {
  struct All {
    ctf::CallSum sum;
    int64_t bytes = 0, first = INT64_MAX, last = INT64_MIN;
    std::vector<std::pair<int64_t, int64_t>> busy;

    void Add(const All& other) {
      sum.Add(other.sum);
      bytes += other.bytes;
      first = std::min(first, other.first);
      last = std::max(last, other.last);
      busy.insert(busy.end(), other.busy.begin(), other.busy.end());
    }
  };
  if (facts.activities.empty()) return;
  using Key = std::tuple<profile::StringId, profile::StringId, ctf::DeviceWork>;
  std::map<Key, All> by_id;
  All* all = nullptr;
  Key last_key;
  for (const ctf::Activity& a : facts.activities) {
    // Most activities follow one with the same key.
    const Key key(a.provider, a.queue, a.work);
    if (all == nullptr || key != last_key) all = &by_id[last_key = key];
    all->sum.Add(a.end - a.begin);
    all->bytes += a.bytes;
    all->first = std::min(all->first, a.begin);
    all->last = std::max(all->last, a.end);
    all->busy.emplace_back(a.begin, a.end);
  }
  // By provider and queue.
  std::map<std::pair<std::string, std::string>, std::map<std::string_view, All>>
      works;
  for (auto& [key, of_key] : by_id) {
    const auto& [provider, queue, work] = key;
    works[{Name(facts, provider), Name(facts, queue)}][WorkName(work)].Add(
        of_key);
  }
  StatusTable table("trace_work", "Work of devices by queue",
                    {{"provider", true},
                     {"queue", true},
                     {"work", true},
                     {"count"},
                     {"total_ns"},
                     {"busy_ns"},
                     {"first_ns"},
                     {"last_ns"},
                     {"bytes"}});
  for (auto& [queue, kinds] : works) {
    All together;
    for (const auto& [kind, of_kind] : kinds) together.Add(of_kind);
    kinds[kAllWork] = std::move(together);
    for (auto& [kind, sums] : kinds) {
      table.AddRow({queue.first, queue.second, std::string(kind),
                    sums.sum.count, sums.sum.total,
                    UnionOf(std::move(sums.busy)), sums.first, sums.last,
                    sums.bytes});
    }
  }
  std::move(table).AddTo(tables);
}

void AddLogs(const ctf::TraceFacts& facts, Tables& tables) {
  std::map<std::pair<std::string, int64_t>, int64_t> lines;
  for (const ctf::LogLine& line : facts.logs) {
    ++lines[{Name(facts, line.logger), line.level}];
  }
  StatusTable table("trace_logs", "Lines of logs",
                    {{"logger", true}, {"level"}, {"count"}});
  for (const auto& [key, count] : lines) {
    table.AddRow({key.first, key.second, count});
  }
  std::move(table).AddTo(tables);
}

}  // namespace

void AddTransferTables(const ctf::TraceFacts& facts, Tables& tables) {
  AddRequests(facts, tables);
  AddLocal(facts, tables);
  AddCalls(facts, tables);
}

void AddDetailTables(const ctf::TraceFacts& facts, Tables& tables) {
  AddPlaces(facts, tables);
  AddWork(facts, tables);
  AddRanges(facts, tables);
  AddAllocators(facts, tables);
  AddLogs(facts, tables);
}

std::string_view WorkName(ctf::DeviceWork work) {
  return work == ctf::DeviceWork::kKernel ? "kernel"
         : work == ctf::DeviceWork::kCopy ? "copy"
                                          : "other";
}

int64_t UnionOf(std::vector<std::pair<int64_t, int64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  int64_t busy = 0, end = INT64_MIN;
  for (const auto& [from, to] : intervals) {
    const int64_t begin = std::max(from, end);
    if (to <= begin) continue;
    busy += to - begin;
    end = to;
  }
  return busy;
}

std::vector<ctf::CallSum> SumBySession(const ctf::TraceFacts& facts) {
  std::vector<ctf::CallSum> sums(facts.sessions.size());
  // Ops by process, sorted by begin.
  std::vector<std::vector<const ctf::Interval*>> ops(facts.processes.size());
  for (const ctf::Interval& op : facts.ops) {
    ops[facts.threads[op.thread].process_index].push_back(&op);
  }
  for (auto& of_process : ops) {
    std::sort(of_process.begin(), of_process.end(),
              [](const ctf::Interval* a, const ctf::Interval* b) {
                return a->begin < b->begin;
              });
  }
  for (size_t s = 0; s < sums.size(); ++s) {
    const ctf::SessionRun& session = facts.sessions[s];
    const auto& of_process = ops[session.process];
    for (auto it = std::partition_point(of_process.begin(), of_process.end(),
                                        [&](const ctf::Interval* op) {
                                          return op->begin < session.begin;
                                        });
         it != of_process.end() && (*it)->begin <= session.end; ++it) {
      if ((*it)->end <= session.end) sums[s].Add((*it)->end - (*it)->begin);
    }
  }
  return sums;
}

}  // namespace tfprof::exporters
