#include "exporters/reference/lttng/scripts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "exporters/reference/lttng/script_names.h"
#include "fmt/format.h"
#include "profile/tables/string_pool.h"

namespace tfprof::exporters {
namespace {

// The number of sessions in which a program starts and warms up.
constexpr int64_t kSkippedSessions = 2;

// Numbers the sessions by their ends.
class SessionNumbers {
 public:
  explicit SessionNumbers(const ctf::TraceFacts& facts) {
    for (const ctf::SessionRun& session : facts.sessions)
      ends_.push_back(session.end);
    std::sort(ends_.begin(), ends_.end());
  }
  // The session in which something ended at `time`.
  int64_t At(int64_t time) const {
    return std::lower_bound(ends_.begin(), ends_.end(), time) - ends_.begin() +
           1;
  }

 private:
  std::vector<int64_t> ends_;
};

std::string Quoted(std::string_view text) {
  if (text.find_first_of(";\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

// The number as Python wrote it: "946982", or "946982.0" for a float.
std::string NumberText(double value, bool is_float) {
  std::string text = fmt::format("{}", value);
  if (is_float && text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

struct Row {
  int64_t begin, end;
  std::string_view name;
  int64_t session;

  int64_t duration() const { return end - begin; }
};

// One of the three parts of the file.
void WriteModule(std::string_view module, std::vector<Row> rows,
                 std::string& out) {
  std::erase_if(rows,
                [](const Row& row) { return row.session <= kSkippedSessions; });
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.duration() > b.duration();
  });
  auto to = std::back_inserter(out);
  fmt::format_to(to, "MODULE;{}\n\n\n", module);
  struct Mean {
    std::string_view name;
    int64_t total = 0, count = 0;
    double mean() const {
      return static_cast<double>(total) / static_cast<double>(count);
    }
  };
  std::vector<Mean> means;
  absl::flat_hash_map<std::string_view, size_t> places;
  for (const Row& row : rows) {
    fmt::format_to(to, "{};{};{};{};{}\n", row.begin, row.end, Quoted(row.name),
                   row.duration(), row.session);
    const auto [it, is_new] = places.try_emplace(row.name, means.size());
    if (is_new) means.push_back({row.name});
    means[it->second].total += row.duration();
    ++means[it->second].count;
  }
  std::stable_sort(
      means.begin(), means.end(),
      [](const Mean& a, const Mean& b) { return a.mean() > b.mean(); });
  out += '\n';
  for (const Mean& mean : means) {
    fmt::format_to(to, ";;{};{};{}\n", Quoted(mean.name),
                   NumberText(mean.mean(), mean.count > 1), mean.count);
  }
  out += "\n\n\n";
}

// The ends of the executions of each op in a session, ascending.
using EndsOfOps = absl::flat_hash_map<profile::StringId, std::vector<int64_t>>;

// The time when the last input of an op that begins at `begin` was available.
// nullopt: no input ran in the session. In a loop, an op uses the inputs of its
// iteration: the last ones that ended before it.
std::optional<int64_t> InputsReady(const ctf::TraceFacts& facts,
                                   const profile::Profile& profile,
                                   profile::NodeId node, int64_t begin,
                                   const EndsOfOps& ends) {
  const profile::NodeTable& nodes = profile.nodes();
  std::optional<int64_t> ready;
  for (uint32_t e = nodes.edge_begin[node]; e < nodes.edge_begin[node + 1];
       ++e) {
    if (nodes.edge_source[e] == profile::kNone) continue;
    const auto it = ends.find(
        facts.names.Find(profile.strings().Get(nodes.edge_source[e])));
    if (it == ends.end()) continue;
    const auto after =
        std::upper_bound(it->second.begin(), it->second.end(), begin);
    // The op did not wait for an input that ended later.
    const int64_t there = after == it->second.begin() ? begin : *(after - 1);
    ready = std::max(ready.value_or(there), there);
  }
  return ready;
}

// "2026-11-21 22:26:40.000009700", in UTC.
std::string DateText(int64_t nanos) {
  constexpr int64_t kNanosPerSecond = 1000000000;
  const absl::Time time = absl::FromUnixNanos(nanos);
  const int64_t rest =
      ((nanos % kNanosPerSecond) + kNanosPerSecond) % kNanosPerSecond;
  return fmt::format(
      "{}.{:09}",
      absl::FormatTime("%Y-%m-%d %H:%M:%S", time, absl::UTCTimeZone()), rest);
}

// "[64, 1, 1]", as Python writes a list.
std::string ListText(const std::array<int64_t, 3>& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

// Finds the index of the session of each time; times must ascend.
class SessionPlaces {
 public:
  explicit SessionPlaces(const ctf::TraceFacts& facts)
      : sessions_(facts.sessions) {
    std::sort(sessions_.begin(), sessions_.end(),
              [](const ctf::SessionRun& a, const ctf::SessionRun& b) {
                return a.begin < b.begin;
              });
  }
  struct Place {
    int64_t session = -1, in_session = -1, in_all = -1;
  };
  Place Next(int64_t time) {
    while (at_ < sessions_.size() && sessions_[at_].end < time) {
      ++at_;
      in_session_ = 0;
    }
    if (at_ == sessions_.size() || time < sessions_[at_].begin) return {};
    return {static_cast<int64_t>(at_), in_session_++, in_all_++};
  }

 private:
  std::vector<ctf::SessionRun> sessions_;
  size_t at_ = 0;
  int64_t in_session_ = 0, in_all_ = 0;
};

}  // namespace

std::string TraceAnalysis(const ctf::TraceFacts& facts) {
  const SessionNumbers numbers(facts);
  const auto row_of = [&](int64_t begin, int64_t end, std::string_view name) {
    return Row{begin, end, name, numbers.At(end)};
  };
  std::vector<Row> sessions, ops, kernels;
  for (const ctf::SessionRun& session : facts.sessions) {
    sessions.push_back(row_of(
        session.begin, session.end,
        session.name == profile::kNone ? "" : facts.names.Get(session.name)));
  }
  for (const ctf::Interval& op : facts.ops) {
    ops.push_back(row_of(op.begin, op.end, facts.names.Get(op.name)));
  }
  for (const ctf::Activity& activity : facts.activities) {
    if (activity.work == ctf::DeviceWork::kKernel &&
        facts.names.Get(activity.provider) == "cudaTracer") {
      kernels.push_back(
          row_of(activity.begin, activity.end, facts.names.Get(activity.name)));
    }
  }
  std::string out = "begin_timestamp;end_timestamp;name;duration;session\n";
  WriteModule("sessions", std::move(sessions), out);
  WriteModule("operations", std::move(ops), out);
  WriteModule("cuda_kernels", std::move(kernels), out);
  return out;
}

std::string OperationsLatency(const ctf::TraceFacts& facts,
                              const profile::Profile& profile) {
  const SessionNumbers numbers(facts);
  const auto sessions = static_cast<int64_t>(facts.sessions.size());
  std::map<int64_t, std::vector<const ctf::Interval*>> ops_of;
  for (const std::vector<ctf::Interval>* ops : {&facts.ops, &facts.async_ops}) {
    for (const ctf::Interval& op : *ops) {
      const int64_t session = numbers.At(op.end);
      if (session > kSkippedSessions && session <= sessions) {
        ops_of[session].push_back(&op);
      }
    }
  }
  struct Latency {
    std::string_view name;
    int64_t latency;
    uint32_t inputs;
  };
  std::string out = "session id;operation;latency;nb inputs\n";
  for (const auto& [session, ops] : ops_of) {
    EndsOfOps ends;
    for (const ctf::Interval* op : ops) ends[op->name].push_back(op->end);
    for (auto& [name, of_op] : ends) std::sort(of_op.begin(), of_op.end());
    std::vector<Latency> latencies;
    for (const ctf::Interval* op : ops) {
      const std::string_view name = facts.names.Get(op->name);
      const profile::NodeId node =
          profile.nodes().Find(profile.strings().Find(name));
      if (node == profile::kNone) continue;
      const std::optional<int64_t> ready =
          InputsReady(facts, profile, node, op->begin, ends);
      if (!ready.has_value()) continue;
      latencies.push_back({name, std::max<int64_t>(0, op->begin - *ready),
                           profile.nodes().num_inputs(node)});
    }
    std::stable_sort(latencies.begin(), latencies.end(),
                     [](const Latency& a, const Latency& b) {
                       return a.latency > b.latency;
                     });
    for (const Latency& latency : latencies) {
      fmt::format_to(std::back_inserter(out), "{};{};{};{}\n", session,
                     Quoted(latency.name), latency.latency, latency.inputs);
    }
    out += '\n';
  }
  return out;
}

std::string PerfCounters(const ctf::TraceFacts& facts,
                         const ctf::CountedKernels& counted,
                         const std::vector<loaders::CounterFile>& files) {
  SessionPlaces places(facts);
  std::string out;
  for (const ctf::CountedKernel& kernel : counted.kernels) {
    if (kernel.file == profile::kNone || kernel.activity == profile::kNone)
      continue;
    const loaders::CounterFile::Kernel& row =
        files[kernel.file].kernels[kernel.row];
    const int64_t begin = facts.activities[kernel.activity].begin;
    const SessionPlaces::Place place = places.Next(begin);
    fmt::format_to(std::back_inserter(out), "{}|{}|{}|{}|{}", place.session,
                   place.in_session, place.in_all, begin, DateText(begin));
    if (row.cells.empty()) {
      fmt::format_to(std::back_inserter(out), " | {} | {}", row.name,
                     fmt::join(row.values, " | "));
    } else {
      fmt::format_to(std::back_inserter(out), " | {}",
                     fmt::join(row.cells, " | "));
    }
    out += '\n';
  }
  return out;
}

std::string InterceptedCounters(const ctf::TraceFacts& facts,
                                const ctf::CountedKernels& counted) {
  std::string out =
      "index;timestamp;kernel name;session;index in session;workgroup_size;"
      "grid_size;static_group_segment_size;private_segment_size";
  std::vector<profile::StringId> counters;
  for (const ctf::CounterSet& set : facts.counter_sets) {
    for (const ctf::CounterSet::Count& count : set.counts) {
      if (std::find(counters.begin(), counters.end(), count.counter) ==
          counters.end()) {
        counters.push_back(count.counter);
        fmt::format_to(std::back_inserter(out), ";{}",
                       Quoted(facts.names.Get(count.counter)));
      }
    }
  }
  out += '\n';
  const SessionNumbers numbers(facts);
  int64_t index = 0, last_session = 0, in_session = 0;
  for (const ctf::CountedKernel& kernel : counted.kernels) {
    if (kernel.set == profile::kNone || kernel.activity == profile::kNone)
      continue;
    const ctf::CounterSet& set = facts.counter_sets[kernel.set];
    const int64_t begin = facts.activities[kernel.activity].begin;
    const int64_t session = numbers.At(begin);
    in_session = session == last_session ? in_session + 1 : 0;
    last_session = session;
    fmt::format_to(std::back_inserter(out), "{};{};{};{};{};{};{};{};{}",
                   index++, begin, Quoted(kernel.name), session, in_session,
                   ListText(set.workgroup), ListText(set.grid),
                   set.group_segment, set.private_segment);
    for (const profile::StringId counter : counters) {
      out += ';';
      for (const ctf::CounterSet::Count& count : set.counts) {
        if (count.counter != counter) continue;
        out += NumberText(count.value, count.is_real);
        break;
      }
    }
    out += '\n';
  }
  return out;
}

absl::StatusOr<std::string> ScriptAnswer(
    std::string_view name, const ctf::TraceReader& reader,
    const profile::Profile& profile, const util::Cancellation* cancellation) {
  if (name == kOperationsLatency && profile.nodes().edge_source.empty()) {
    return absl::FailedPreconditionError(
        "there is no graph, so the inputs of ops are unknown; name the file of "
        "the GraphDef before the trace");
  }
  if (name == kPerfCounters && reader.counter_files().empty()) {
    return absl::FailedPreconditionError(
        "there is no counter file; name the CSV of RCP or rocprof after the "
        "trace");
  }
  const auto trace = reader.Read(cancellation);
  if (!trace.ok()) return trace.status();
  if (name == kTraceAnalysis) return TraceAnalysis(trace->facts);
  if (name == kOperationsLatency) {
    return OperationsLatency(trace->facts, profile);
  }
  if (name == kPerfCounters) {
    return PerfCounters(trace->facts, trace->counted, reader.counter_files());
  }
  if (trace->facts.counter_sets.empty()) {
    return absl::FailedPreconditionError(
        "the trace has no counters of kernels "
        "(interceptionTracer:perf_counter_…)");
  }
  return InterceptedCounters(trace->facts, trace->counted);
}

}  // namespace tfprof::exporters
