#include "loaders/nsys/cpu_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "loaders/nsys/global_id.h"

namespace tfprof::nsys {
namespace {

using loaders::ImportLog;
using sqlite::Row;

constexpr std::string_view kSamples = "COMPOSITE_EVENTS";
constexpr std::string_view kStacks = "SAMPLING_CALLCHAINS";
// Values of COMPOSITE_EVENTS.threadState. A file that does not know the state
// has samples of running threads, because only these are interrupted.
constexpr int64_t kUnknownState = 0, kRunning = 1;
constexpr std::string_view kNoFrames = "(no call stack)";

}  // namespace

void CpuSamples::Read(sqlite::Tables& tables, sqlite::StringIds& names) {
  constexpr std::string_view kColumns[] = {"id", "start", "globalTid",
                                           "threadState"};
  tables.Read(kSamples, kColumns, [&](const Row& row) {
    const std::optional<int64_t> id = row.Int(0), time = row.Int(1);
    if (!id || !time) {
      row.Drop();
      ++dropped_;
      return;
    }
    const int64_t state = row.Int(3).value_or(kUnknownState);
    if (state != kUnknownState && state != kRunning) {
      ++not_running_;
      return;
    }
    samples_.push_back({*id, *time, row.Int(2).value_or(0)});
  });
  if (samples_.empty()) return;
  constexpr std::string_view kCallColumns[] = {"id", "symbol", "module",
                                               "stackDepth"};
  tables.Read(kStacks, kCallColumns, [&](const Row& row) {
    if (!row.Int(0)) return;
    calls_.push_back({.sample = *row.Int(0),
                      .depth = row.Int(3).value_or(0),
                      .function = names.Want(row.Int(1)),
                      .module = names.Want(row.Int(2))});
  });
}

int64_t CpuSamples::Period() const {
  // The samples are in the order of their threads and times.
  std::vector<int64_t> between;
  for (size_t i = 1; i < samples_.size(); ++i) {
    const Sample &before = samples_[i - 1], &after = samples_[i];
    int64_t time = 0;
    if (before.thread == after.thread &&
        !__builtin_sub_overflow(after.time, before.time, &time) && time > 0) {
      between.push_back(time);
    }
  }
  if (between.empty()) return 0;
  const auto quartile =
      between.begin() + static_cast<ptrdiff_t>(between.size() / 4);
  std::ranges::nth_element(between, quartile);
  return *quartile;
}

void CpuSamples::Finish(const sqlite::Tables& tables,
                        const sqlite::StringIds& names,
                        profile::GraphTables& graph, gpu_trace::GpuTrace& trace,
                        ImportLog& log) {
  if (dropped_ > 0) {
    log.Add(ImportLog::kDamage, "CPU sample without its time",
            fmt::format("{}: {} rows of {} have no id or no time; skipped",
                        tables.path(), dropped_, kSamples),
            dropped_);
  }
  log.Count(ImportLog::kNotice, "CPU sample of a thread that was not running",
            not_running_);
  if (samples_.empty()) return;
  std::ranges::stable_sort(samples_, {}, [](const Sample& s) {
    return std::tuple(s.thread, s.time);
  });
  // Outermost first.
  std::ranges::stable_sort(calls_, [](const CallRow& a, const CallRow& b) {
    return std::tuple(a.sample, b.depth) < std::tuple(b.sample, a.depth);
  });
  const profile::StringId no_name = graph.strings.Intern("(no name)");
  const profile::StringId no_frames = graph.strings.Intern(kNoFrames);
  graph.has_code_traces = true;
  trace.sample_period = Period();
  int64_t without_stack = 0;
  for (const Sample& sample : samples_) {
    gpu_trace::CpuSample added = {
        .time = sample.time,
        .op = no_frames,
        .thread =
            trace.Thread(ProcessOf(sample.thread), ThreadOf(sample.thread))};
    auto call =
        std::ranges::lower_bound(calls_, sample.id, {}, &CallRow::sample);
    without_stack += call == calls_.end() || call->sample != sample.id;
    for (; call != calls_.end() && call->sample == sample.id; ++call) {
      added.op = names.Get(call->function);
      if (added.op == profile::kNone) added.op = no_name;
      added.stack = graph.stacks.Push(
          added.stack, profile::Frame{.file = names.Get(call->module),
                                      .function = added.op});
    }
    if (added.stack == profile::kNoStack) {
      added.stack =
          graph.stacks.Push(added.stack, profile::Frame{.function = no_frames});
    }
    trace.samples.push_back(added);
  }
  log.Add(
      ImportLog::kNotice, "CPU sample",
      trace.sample_period > 0
          ? fmt::format("{}: {} samples of the CPU; each counts as {} us of "
                        "CPU time, the lower quartile of the times between "
                        "two samples of a thread",
                        tables.path(), samples_.size(),
                        static_cast<double>(trace.sample_period) / 1000)
          : fmt::format("{}: {} samples of the CPU, too few to say how much "
                        "time lies between two of them; they count as runs "
                        "without time",
                        tables.path(), samples_.size()),
      static_cast<int64_t>(samples_.size()));
  log.Count(ImportLog::kNotice, "CPU sample without a call stack",
            without_stack);
}

}  // namespace tfprof::nsys
