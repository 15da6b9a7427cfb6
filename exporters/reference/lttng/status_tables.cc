#include "exporters/reference/lttng/status_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "exporters/reference/lttng/detail_tables.h"
#include "exporters/reference/lttng/status_table.h"
#include "fmt/format.h"

namespace tfprof::exporters {
namespace {

using Parts = std::vector<tables::DataDocument::Part>;
using Sum = ctf::CallSum;
using SumsById = absl::flat_hash_map<profile::StringId, Sum>;

class Reporter {
 public:
  explicit Reporter(const ctf::TraceContents& trace)
      : files_(trace.files),
        facts_(trace.facts),
        attribution_(trace.attribution),
        hosts_(trace.hosts) {}

  Parts Run() {
    Totals();
    Events();
    Sessions();
    Sums("trace_ops", "Ops of the trace", facts_.ops);
    Unpaired();
    if (!facts_.async_ops.empty()) {
      Sums("trace_async_ops", "Asynchronous ops of the trace",
           facts_.async_ops);
    }
    Threads();
    Calls();
    Kernels();
    Clocks();
    AddTransferTables(facts_, parts_);
    Memory();
    KernelCounters();
    AddDetailTables(facts_, parts_);
    return std::move(parts_);
  }

 private:
  std::string Name(profile::StringId id) const {
    return id == profile::kNone ? std::string()
                                : std::string(facts_.names.Get(id));
  }
  // A missing name and an empty name are treated the same.
  std::map<std::string, Sum> Named(const SumsById& by_id) const {
    std::map<std::string, Sum> named;
    for (const auto& [id, sum] : by_id) named[Name(id)].Add(sum);
    return named;
  }
  static int64_t Int(uint64_t n) { return static_cast<int64_t>(n); }
  std::string ThreadName(ctf::ThreadId t) const {
    const ctf::ThreadFacts& thread = facts_.threads[t];
    return fmt::format("{}/{}", thread.process, thread.thread);
  }

  void Totals() {
    StatusTable table("trace", "Trace", {{"what", true}, {"value"}});
    const auto add = [&](std::string_view what, int64_t value) {
      table.AddRow({std::string(what), value});
    };
    add("events", Int(facts_.num_events));
    add("first_ns", facts_.first);
    add("last_ns", facts_.last);
    add("traces", Int(files_.traces.size()));
    add("streams", Int(files_.streams.size()));
    add("packets", Int(files_.num_packets));
    add("duplicate_packets", Int(files_.duplicate_packets));
    add("discarded_events", Int(files_.discarded_events));
    add("discarded_packets", Int(files_.discarded_packets));
    add("sessions_without_end", Int(facts_.open_sessions.size()));
    add("session_ends_without_start", Int(facts_.session_ends_without_start));
    add("async_unfinished", Int(facts_.unfinished_async));
    add("async_ends_without_start", Int(facts_.async_ends_without_start));
    add("activity_events_without_partner",
        Int(facts_.unpaired_activity_events));
    add("callbacks", Int(facts_.callbacks.size()));
    add("log_lines", Int(facts_.logs.size()));
    add("kernels_before_launch", Int(attribution_.kernels_before_launch));
    add("requests_before_cause",
        std::count_if(
            facts_.transfers.requests.begin(), facts_.transfers.requests.end(),
            [](const ctf::Request& r) { return r.violates_causality(); }));
    std::vector<std::pair<int64_t, int64_t>> all;
    for (const ctf::Interval& op : facts_.ops)
      all.emplace_back(op.begin, op.end);
    add("all_threads_busy_ns", UnionOf(std::move(all)));
    std::move(table).AddTo(parts_);
  }

  void Events() {
    StatusTable table("trace_events", "Events of the trace",
                      {{"event", true}, {"count"}, {"known"}});
    for (const auto& [name, count] : facts_.events) {
      table.AddRow(
          {name, Int(count), Int(facts_.unknown.contains(name) ? 0 : 1)});
    }
    std::move(table).AddTo(parts_);
  }

  // A session has the ops that ran between its begin and its end.
  void Sessions() {
    StatusTable table(
        "trace_sessions", "Sessions",
        {{"count"}, {"begin_ns"}, {"end_ns"}, {"ops"}, {"op_ns"}});
    const std::vector<Sum> ops = SumBySession(facts_);
    for (size_t s = 0; s < facts_.sessions.size(); ++s) {
      const ctf::SessionRun& session = facts_.sessions[s];
      table.AddRow({session.count, session.begin, session.end, ops[s].count,
                    ops[s].total});
    }
    std::move(table).AddTo(parts_);
  }

  void Sums(std::string name, std::string title,
            const std::vector<ctf::Interval>& intervals) {
    SumsById by_id;
    for (const ctf::Interval& one : intervals) {
      by_id[one.name].Add(one.end - one.begin);
    }
    AddSums(std::move(name), std::move(title), "name", Named(by_id));
  }
  void AddSums(std::string name, std::string title, std::string_view what,
               const std::map<std::string, Sum>& sums) {
    StatusTable table(
        std::move(name), std::move(title),
        {{what, true}, {"count"}, {"total_ns"}, {"min_ns"}, {"max_ns"}});
    for (const auto& [key, sum] : sums) {
      table.AddRow({key, sum.count, sum.total, sum.least, sum.most});
    }
    std::move(table).AddTo(parts_);
  }

  void Unpaired() {
    StatusTable table("trace_unpaired", "Ops without a partner",
                      {{"name", true}, {"unfinished"}, {"ends_without_start"}});
    std::map<profile::StringId, std::pair<uint64_t, uint64_t>> both;
    for (const auto& [name, n] : facts_.unfinished_ops) both[name].first = n;
    for (const auto& [name, n] : facts_.op_ends_without_start) {
      both[name].second = n;
    }
    for (const auto& [name, n] : both) {
      table.AddRow({Name(name), Int(n.first), Int(n.second)});
    }
    std::move(table).AddTo(parts_);
  }

  void Threads() {
    StatusTable table(
        "trace_threads", "Threads",
        {{"host", true}, {"thread", true}, {"program", true}, {"op_busy_ns"}});
    std::vector<std::vector<std::pair<int64_t, int64_t>>> busy(
        facts_.threads.size());
    for (const ctf::Interval& op : facts_.ops) {
      busy[op.thread].emplace_back(op.begin, op.end);
    }
    for (ctf::ThreadId t = 0; t < facts_.threads.size(); ++t) {
      table.AddRow({Name(facts_.threads[t].host), ThreadName(t),
                    Name(facts_.threads[t].program),
                    UnionOf(std::move(busy[t]))});
    }
    std::move(table).AddTo(parts_);
  }

  void Calls() {
    std::map<std::string, ctf::CallSum> sums;
    for (const auto& [call, sum] : facts_.call_sums) {
      sums[fmt::format("{}:{}", Name(call.first), Name(call.second))].Add(sum);
    }
    AddSums("trace_calls", "Calls of APIs", "call", sums);
  }

  void Kernels() {
    if (facts_.activities.empty()) return;
    using Sums = std::pair<Sum, std::vector<std::pair<int64_t, int64_t>>>;
    absl::flat_hash_map<
        std::tuple<profile::StringId, ctf::DeviceWork, profile::StringId>, Sums>
        by_id;
    for (const ctf::Activity& a : facts_.activities) {
      auto& [sum, busy] = by_id[{a.provider, a.work, a.name}];
      sum.Add(a.end - a.begin);
      busy.emplace_back(a.begin, a.end);
    }
    std::map<std::pair<std::string, std::string>, Sums> sums;
    for (auto& [key, value] : by_id) {
      const auto& [provider, work, name] = key;
      auto& [sum, busy] = sums[{
          fmt::format("{}:{}", Name(provider), WorkName(work)), Name(name)}];
      sum.Add(value.first);
      busy.insert(busy.end(), value.second.begin(), value.second.end());
    }
    StatusTable table("trace_activities", "Work of devices",
                      {{"work", true},
                       {"name", true},
                       {"count"},
                       {"total_ns"},
                       {"min_ns"},
                       {"max_ns"},
                       {"busy_ns"}});
    for (auto& [key, value] : sums) {
      const Sum& sum = value.first;
      table.AddRow({key.first, key.second, sum.count, sum.total, sum.least,
                    sum.most, UnionOf(std::move(value.second))});
    }
    std::move(table).AddTo(parts_);

    StatusTable rules("trace_links", "Which op launched a kernel",
                      {{"rule", true}, {"kernels"}});
    for (int r = 0; r < ctf::kNumLinkRules; ++r) {
      const uint64_t n = attribution_.kernels_by_rule[static_cast<size_t>(r)];
      if (n > 0) {
        rules.AddRow({std::string(ctf::RuleName(static_cast<ctf::LinkRule>(r))),
                      Int(n)});
      }
    }
    std::move(rules).AddTo(parts_);
    SumsById of_op;
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const ctf::Activity& a = facts_.activities[i];
      if (a.work != ctf::DeviceWork::kKernel) continue;
      of_op[attribution_.links[i].name].Add(a.end - a.begin);
    }
    AddSums("trace_kernels_of_ops", "Kernels by op", "op", Named(of_op));
  }

  void Clocks() {
    StatusTable table("trace_clocks", "Clocks",
                      {{"clock", true},
                       {"against", true},
                       {"rule", true},
                       {"low_ns"},
                       {"high_ns"},
                       {"width_ns"},
                       {"samples"},
                       {"violations"},
                       {"drift_ppm", true},
                       {"drift_low_ppm", true},
                       {"drift_high_ppm", true},
                       {"at_ns"}});
    const auto add = [&](std::string clock, profile::StringId against,
                         const ctf::ClockBounds& bounds, uint64_t samples,
                         uint64_t violations) {
      const auto ppm = [&](bool known, double drift) {
        return known ? fmt::format("{:.4f}", drift * 1e6) : std::string();
      };
      table.AddRow({std::move(clock), Name(against),
                    std::string(ctf::RuleName(bounds.rule)), bounds.low,
                    bounds.high, ctf::ShiftBetween(bounds.low, bounds.high),
                    Int(samples), Int(violations),
                    ppm(bounds.drifts, bounds.drift),
                    ppm(bounds.knows_drift, bounds.drift_low),
                    ppm(bounds.knows_drift, bounds.drift_high), bounds.origin});
    };
    for (const ctf::DeviceClockOf& clock : attribution_.clocks) {
      const ctf::ProcessFacts& process = facts_.processes[clock.process];
      add(fmt::format(
              "{} of process {}",
              clock.device == profile::kNone ? "device" : Name(clock.device),
              process.process),
          process.host, clock.bounds, clock.commands, 0);
    }
    for (const ctf::HostClock& clock : hosts_) {
      add(Name(clock.host), clock.reference, clock.bounds, clock.requests,
          clock.violations);
    }
    std::move(table).AddTo(parts_);
  }

  // The samples themselves are in the counters of the profile.
  void Memory() {
    if (facts_.series.empty()) return;
    StatusTable table(
        "trace_counters", "Counters",
        {{"name", true}, {"samples"}, {"peak"}, {"last"}, {"releases"}});
    for (const ctf::Series& series : facts_.series) {
      double level = 0, peak = 0;
      for (const ctf::Sample& sample : series.samples) {
        level = series.is_change ? level + sample.value : sample.value;
        peak = std::max(peak, level);
      }
      const auto whole = [](double v) {
        return v > -9e18 && v < 9e18 ? static_cast<int64_t>(v) : 0;
      };
      table.AddRow({Name(series.name), Int(series.samples.size()), whole(peak),
                    whole(level), Int(series.releases)});
    }
    std::move(table).AddTo(parts_);
  }

  // Sums the counters of the trace itself, not of separate counter files.
  void KernelCounters() {
    if (facts_.counter_sets.empty()) return;
    std::map<std::string, std::pair<int64_t, double>> sums;
    for (const ctf::CounterSet& set : facts_.counter_sets) {
      for (const ctf::CounterSet::Count& count : set.counts) {
        auto& [kernels, sum] = sums[Name(count.counter)];
        ++kernels;
        sum += count.value;
      }
    }
    StatusTable table("trace_kernel_counters", "Counters of kernels",
                      {{"name", true}, {"kernels"}, {"sum", true}});
    for (const auto& [name, of_name] : sums) {
      table.AddRow({name, of_name.first, fmt::format("{}", of_name.second)});
    }
    std::move(table).AddTo(parts_);
  }

  const ctf::TraceFiles& files_;
  const ctf::TraceFacts& facts_;
  const ctf::Attribution& attribution_;
  const std::vector<ctf::HostClock>& hosts_;
  Parts parts_;
};

}  // namespace

std::vector<tables::DataDocument::Part> TraceTables(
    const ctf::TraceContents& trace) {
  return Reporter(trace).Run();
}

}  // namespace tfprof::exporters
