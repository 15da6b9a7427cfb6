#include "loaders/ctf/detail_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/report.h"

namespace tfprof::ctf {
namespace {

using Table = TraceReport::Table;
using Tables = std::vector<Table>;
using Value = TraceReport::Value;

constexpr std::string_view kAllWork = "all";

std::string Name(const TraceFacts& facts, StringId id) {
  return id == kNone ? std::string() : std::string(facts.names.Get(id));
}

// A time that may be unknown.
Value TimeOrNothing(int64_t time) {
  if (time == Request::kNoTime) return std::string();
  return time;
}

void AddRequests(const TraceFacts& facts, Tables& tables) {
  const Transfers& transfers = facts.transfers;
  if (transfers.requests.empty()) return;
  int64_t answered = 0, round_trip = 0, prepare = 0, asked = 0;
  Table each = {"trace_request_times",
                "Each request for a tensor",
                {{"key", true},
                 {"number"},
                 {"client_begin_ns"},
                 {"client_end_ns"},
                 {"server_seen_ns"},
                 {"prepare_begin_ns"},
                 {"prepare_end_ns"},
                 {"step", true}},
                {}};
  for (const Request& r : transfers.requests) {
    asked += r.client_begin != Request::kNoTime;
    if (r.answered()) {
      ++answered;
      round_trip += r.client_end - r.client_begin;
    }
    if (r.prepare_begin != Request::kNoTime &&
        r.prepare_end != Request::kNoTime) {
      prepare += r.prepare_end - r.prepare_begin;
    }
    each.rows.push_back(
        {Name(facts, r.key), int64_t{r.number}, TimeOrNothing(r.client_begin),
         TimeOrNothing(r.client_end), TimeOrNothing(r.server_seen),
         TimeOrNothing(r.prepare_begin), TimeOrNothing(r.prepare_end),
         r.step == Request::kNoStep ? std::string()
                                    : fmt::format("{}", r.step)});
  }
  tables.push_back({"trace_requests",
                    "Requests for tensors",
                    {{"requests"},
                     {"answered"},
                     {"round_trip_total_ns"},
                     {"prepare_total_ns"},
                     {"encodes"},
                     {"encoded_bytes"}},
                    {{asked, answered, round_trip, prepare, transfers.encodes,
                      transfers.encoded_bytes}}});
  tables.push_back(std::move(each));
}

void AddLocal(const TraceFacts& facts, Tables& tables) {
  const LocalTransfers& local = facts.transfers.local;
  if (local.sends + local.receives == 0) return;
  tables.push_back(
      {"trace_rendezvous",
       "Tensors sent inside a process",
       {{"sends"},
        {"receives"},
        {"matched"},
        {"receive_first"},
        {"receive_wait_ns"},
        {"send_wait_ns"}},
       {{local.sends, local.receives, local.matched, local.receive_first,
         local.receive_wait_ns, local.send_wait_ns}}});
}

void AddCalls(const TraceFacts& facts, Tables& tables) {
  Table table = {"trace_remote_calls",
                 "Calls between processes",
                 {{"name", true}, {"sent"}, {"seen"}},
                 {}};
  for (const auto& [name, calls] : facts.transfers.calls) {
    table.rows.push_back({Name(facts, name), calls.sent, calls.seen});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

void AddPlaces(const TraceFacts& facts, Tables& tables) {
  std::map<std::string, CallSum> sums;
  std::map<StringId, CallSum> by_id;
  for (const Interval& op : facts.ops) by_id[op.place].Add(op.end - op.begin);
  for (const auto& [place, sum] : by_id) sums[Name(facts, place)].Add(sum);
  Table table = {"trace_places",
                 "Ops by device",
                 {{"device", true}, {"count"}, {"total_ns"}},
                 {}};
  for (const auto& [place, sum] : sums) {
    table.rows.push_back({place, sum.count, sum.total});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

void AddRanges(const TraceFacts& facts, Tables& tables) {
  Table table = {"trace_ranges",
                 "Ranges of threads",
                 {{"range", true}, {"count"}, {"total_ns"}, {"bytes"}},
                 {}};
  for (const RangeSum& range : facts.range_sums) {
    table.rows.push_back({Name(facts, range.kind), range.sum.count,
                          range.sum.total, range.bytes});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

void AddAllocators(const TraceFacts& facts, Tables& tables) {
  Table table = {"trace_allocators",
                 "What allocators told of themselves",
                 {{"event", true},
                  {"allocator", true},
                  {"number", true},
                  {"samples"},
                  {"last"},
                  {"most"}},
                 {}};
  for (const AllocatorState& state : facts.allocator_states) {
    for (const AllocatorState::Field& field : state.fields) {
      table.rows.push_back(
          {Name(facts, state.event), Name(facts, state.allocator),
           Name(facts, field.name), state.samples, field.last, field.most});
    }
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

// All names together, and by queue where queues are known; then the work of
// all kinds.
void AddWork(const TraceFacts& facts, Tables& tables) {
  struct All {
    CallSum sum;
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
  using Key = std::tuple<StringId, StringId, Work>;
  std::map<Key, All> by_id;
  All* all = nullptr;
  Key last_key;
  for (const Activity& a : facts.activities) {
    // Most follow one of the same queue.
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
  Table table = {"trace_work",
                 "Work of devices by queue",
                 {{"provider", true},
                  {"queue", true},
                  {"work", true},
                  {"count"},
                  {"total_ns"},
                  {"busy_ns"},
                  {"first_ns"},
                  {"last_ns"},
                  {"bytes"}},
                 {}};
  for (auto& [queue, kinds] : works) {
    All together;
    for (const auto& [kind, of_kind] : kinds) together.Add(of_kind);
    kinds[kAllWork] = std::move(together);
    for (auto& [kind, sums] : kinds) {
      table.rows.push_back({queue.first, queue.second, std::string(kind),
                            sums.sum.count, sums.sum.total,
                            UnionOf(std::move(sums.busy)), sums.first,
                            sums.last, sums.bytes});
    }
  }
  tables.push_back(std::move(table));
}

void AddLogs(const TraceFacts& facts, Tables& tables) {
  std::map<std::pair<std::string, int64_t>, int64_t> lines;
  for (const LogLine& line : facts.logs) {
    ++lines[{Name(facts, line.logger), line.level}];
  }
  Table table = {"trace_logs",
                 "Lines of logs",
                 {{"logger", true}, {"level"}, {"count"}},
                 {}};
  for (const auto& [key, count] : lines) {
    table.rows.push_back({key.first, key.second, count});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

}  // namespace

void AddTransferTables(const TraceFacts& facts, Tables& tables) {
  AddRequests(facts, tables);
  AddLocal(facts, tables);
  AddCalls(facts, tables);
}

void AddDetailTables(const TraceFacts& facts, Tables& tables) {
  AddPlaces(facts, tables);
  AddWork(facts, tables);
  AddRanges(facts, tables);
  AddAllocators(facts, tables);
  AddLogs(facts, tables);
}

std::vector<CallSum> SumBySession(const TraceFacts& facts) {
  std::vector<CallSum> sums(facts.sessions.size());
  // Ops by process and begin.
  std::vector<std::vector<const Interval*>> ops(facts.processes.size());
  for (const Interval& op : facts.ops) {
    ops[facts.threads[op.thread].process_index].push_back(&op);
  }
  for (auto& of_process : ops) {
    std::sort(of_process.begin(), of_process.end(),
              [](const Interval* a, const Interval* b) {
                return a->begin < b->begin;
              });
  }
  for (size_t s = 0; s < sums.size(); ++s) {
    const Session& session = facts.sessions[s];
    const auto& of_process = ops[session.process];
    for (auto it = std::partition_point(
             of_process.begin(), of_process.end(),
             [&](const Interval* op) { return op->begin < session.begin; });
         it != of_process.end() && (*it)->begin <= session.end; ++it) {
      if ((*it)->end <= session.end) sums[s].Add((*it)->end - (*it)->begin);
    }
  }
  return sums;
}

}  // namespace tfprof::ctf
