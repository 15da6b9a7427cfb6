#include "inspect/pictures/overview.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "accounting/allocator_levels.h"
#include "accounting/counter_levels.h"
#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/devices/device_labels.h"
#include "inspect/steps/account_table.h"
#include "inspect/steps/step_memory.h"
#include "tables/numbers.h"
#include "timeline/account/op_roles.h"
#include "timeline/activity.h"
#include "timeline/ranks/divergence.h"
#include "timeline/replay_time.h"
#include "util/arithmetic.h"
#include "views/allocation_line.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kOps = 5;
// A smaller share of unnamed replays does not change what the operations say.
constexpr double kNotableReplays = 0.05;

// The framework that wrote the inputs, from the first input whose format names
// one.
std::string FrameworkOf(const std::vector<OverviewInput>& inputs) {
  struct Writer {
    std::string_view format;
    std::string_view framework;
  };
  constexpr Writer kWriters[] = {
      {"ProfileProto", "TensorFlow 1"},
      {"GraphDef", "TensorFlow 1"},
      {"RunMetadata", "TensorFlow 1"},
      {"OpLogProto", "TensorFlow 1"},
      {"Kineto trace", "PyTorch"},
      {"XPlane", "JAX or TensorFlow 2"},
      {"ONNX Runtime profile", "ONNX Runtime"},
      {"log of torch.compile", "PyTorch"},
      {"flight recorder dump", "PyTorch"},
      {"PyTorch memory snapshot", "PyTorch"},
  };
  for (const OverviewInput& input : inputs) {
    for (const Writer& writer : kWriters) {
      if (input.format == writer.format) return std::string(writer.framework);
    }
  }
  return "";
}

// Adds the account of the typical step, if its executions were kept.
void AddAccount(views::Views& views, const profile::Step& step, Overview& o) {
  if (step.aggregated) return;
  o.accounts = timeline::AccountOf(views, step);
  o.account_table = AccountTable(views, o.accounts, /*usual=*/nullptr);
  o.account = timeline::SumOf(o.accounts);
}

void AddSteps(views::Views& views, Overview& o) {
  o.walls = timeline::StepWalls(views);
  o.median = timeline::MedianWall(o.walls);
  if (const timeline::StepWall* odd = timeline::OddStep(o.walls)) {
    o.odd = *odd;
    for (const timeline::StepWall& wall : o.walls) {
      o.num_odd +=
          wall.known && static_cast<double>(wall.ticks) >=
                            timeline::kOddStep * static_cast<double>(o.median);
    }
  }
  if (const timeline::StepWall* typical = timeline::TypicalStep(o.walls)) {
    o.typical = *typical;
    o.split = SplitStep(views, *typical->step);
    AddAccount(views, *typical->step, o);
  }
}

views::Report OpsBy(views::Views& views, int64_t step, accounting::Stat stat) {
  views::ViewOptions options;
  options.max_depth = std::numeric_limits<int32_t>::max();
  options.step = step;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = stat;
  return views.Show(views::View::kOp, options);
}

constexpr int64_t Overview::Op::*kTimes[] = {
    &Overview::Op::ticks, &Overview::Op::accelerator, &Overview::Op::cpu};

Overview::Op OpOf(std::string_view name, const accounting::Stats& stats,
                  accounting::Stat stat) {
  return {.name = std::string(name),
          .ticks = stats[stat],
          .accelerator = stats[accounting::kAcceleratorMicros],
          .cpu = stats[accounting::kCpuMicros]};
}

// Adds the operations with the most of a statistic.
void AddOps(const views::Report& report, accounting::Stat stat, Overview& o) {
  const timeline::OpRoles roles(*report.profile);
  o.all_ops = OpOf("", report.root_total, stat);
  for (const views::Report::Row& row : report.rows) {
    if (row.self[stat] <= 0) break;
    ++o.num_ops;
    const std::string_view role =
        stat == accounting::kMicros ? roles.Of(row.name) : "";
    const Overview::Op op = OpOf(row.name, row.self, stat);
    if (role.empty()) {
      if (o.ops.size() < kOps) o.ops.push_back(op);
      continue;
    }
    Overview::NoWork& none = role == "waits" ? o.waits : o.frames;
    if (none.types++ == 0) none.sum.name = op.name;
    for (const auto time : kTimes) {
      none.sum.*time = util::WrapAdd(none.sum.*time, op.*time);
    }
  }
}

// Adds the sum of op times of a step.
void AddTimeIn(const profile::Step& step, Overview::Op& sum) {
  for (size_t g = 0; g < step.num_groups(); ++g) {
    sum.ticks = util::WrapAdd(sum.ticks, step.sums.Time(g));
    sum.accelerator =
        util::WrapAdd(sum.accelerator, step.sums.accelerator_time[g]);
    sum.cpu = util::WrapAdd(sum.cpu, step.sums.cpu_time[g]);
  }
}

// Adds the operations of a profile of memory, which has no times.
void AddBytes(views::Views& views, Overview& o) {
  for (const accounting::Stat stat :
       {accounting::kRequestedBytes, accounting::kResidualBytes,
        accounting::kPeakBytes}) {
    const views::Report report = OpsBy(
        views, o.average ? accounting::kAverageOfSteps : accounting::kAllSteps,
        stat);
    if (report.root_total[stat] <= 0) continue;
    o.measure = Overview::Measure::kBytes;
    AddOps(report, stat, o);
    return;
  }
}

void AddTimes(views::Views& views, Overview& o) {
  const profile::Profile& profile = views.profile();
  const std::vector<const profile::Step*> steps = profile.AveragedSteps();
  o.measure = Overview::Measure::kTime;
  o.average = profile.graph().self_times && !steps.empty();
  AddOps(OpsBy(views,
               o.average ? accounting::kAverageOfSteps : accounting::kAllSteps,
               accounting::kMicros),
         accounting::kMicros, o);
  int64_t wall = 0;
  size_t known = 0;
  // Uses the wall times of `steps`: work outside of steps has none.
  for (const timeline::StepWall& of_step : o.walls) {
    if (!of_step.known) continue;
    ++known;
    wall = util::SaturatingAdd(wall, of_step.done);
  }
  if (known == o.walls.size() && known > 0) {
    o.ops_wall = o.average ? wall / static_cast<int64_t>(known) : wall;
  }
  if (!o.average) {
    for (const profile::Step* step : steps) {
      if (!step->listed) AddTimeIn(*step, o.outside);
    }
  }
  if (o.average) {
    const auto stats = views.context().NodeStats(accounting::kAllSteps,
                                                 flops::FlopsSource::kOpLog);
    for (const accounting::Stats& of_node : *stats) {
      const Overview::Op of = OpOf("", of_node, accounting::kMicros);
      for (const auto time : kTimes) {
        o.outside.*time = util::WrapAdd(o.outside.*time, of.*time);
      }
    }
    Overview::Op inside;
    for (const profile::Step* step : steps) AddTimeIn(*step, inside);
    for (const auto time : kTimes) {
      o.outside.*time =
          std::max<int64_t>(0, util::WrapSub(o.outside.*time, inside.*time));
    }
  }
  if (o.all_ops.ticks == 0) AddBytes(views, o);
}

// Adds the facts of the graph, for a profile without executions.
void AddGraph(views::Views& views, Overview& o) {
  const views::Report by_parameters =
      OpsBy(views, accounting::kAverageOfSteps, accounting::kParameters);
  const views::Report by_flops =
      OpsBy(views, accounting::kAverageOfSteps, accounting::kFloatOps);
  o.parameters = by_parameters.root_total[accounting::kParameters];
  o.float_ops = by_flops.root_total[accounting::kFloatOps];
  if (o.float_ops > 0) {
    o.measure = Overview::Measure::kFloatOps;
    AddOps(by_flops, accounting::kFloatOps, o);
  } else if (o.parameters > 0) {
    o.measure = Overview::Measure::kParameters;
    AddOps(by_parameters, accounting::kParameters, o);
  } else {
    o.measure = Overview::Measure::kNodes;
    const views::Report by_nodes =
        OpsBy(views, accounting::kAverageOfSteps, accounting::kRunCount);
    o.all_ops.ticks = static_cast<int64_t>(o.nodes);
    o.num_ops = by_nodes.rows.size();
    for (const views::Report::Row& row : by_nodes.rows) {
      if (o.ops.size() == kOps) break;
      o.ops.push_back({std::string(row.name), row.definitions});
    }
  }
}

// Adds the largest peak of the counters of bytes, of reserved memory only where
// no counter says what was in use.
void AddCounterPeak(const profile::Profile& profile, Overview& o) {
  using Allocator = std::pair<profile::ProcessId, std::string_view>;
  std::map<Allocator, int64_t> reserved;
  std::pair<bool, int64_t> most = {o.peak.has_value(),
                                   o.peak ? o.peak->bytes : 0};
  const profile::Counter* largest = nullptr;
  for (const profile::Counter& counter : profile.counters()) {
    const std::optional<accounting::CounterPeak> peak =
        accounting::PeakOf(profile, counter);
    if (!peak) continue;
    const std::string_view name = profile.strings().Get(counter.name);
    const bool in_use = !accounting::IsReserved(name);
    if (!in_use)
      reserved[{counter.process, accounting::AllocatorOf(name)}] = peak->bytes;
    if (std::pair(in_use, peak->bytes) <= most) continue;
    most = {in_use, peak->bytes};
    largest = &counter;
  }
  if (largest == nullptr) return;
  const std::string_view name = profile.strings().Get(largest->name);
  o.peak = {.bytes = most.second, .holder = std::string(name)};
  const auto found =
      reserved.find({largest->process, accounting::AllocatorOf(name)});
  if (found != reserved.end()) o.peak_reserved = found->second;
}

// Adds the peaks of allocators, and the operation with the largest peak in one
// run.
void AddMemory(views::Views& views, Overview& o) {
  const profile::Profile& profile = views.profile();
  std::vector<const profile::Step*> steps;
  for (const auto& step : profile.steps()) {
    if (step->listed) steps.push_back(step.get());
  }
  profile::NodeId holder = profile::kNone;
  int64_t bytes = 0;
  for (const profile::Step* step : steps) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const int64_t peak = PeakOfRun(*step, g);
      if (peak <= bytes) continue;
      bytes = peak;
      holder = static_cast<profile::NodeId>(step->node[g]);
    }
  }
  // The operations of a snapshot are lines, whose runs held memory at several
  // times: its allocators say what was held at the peak.
  if (holder != profile::kNone && profile.allocators().empty()) {
    o.largest = {.bytes = bytes,
                 .holder = std::string(profile.node_name(holder))};
  }
  profile::DeviceId device = profile::kNone;
  int64_t most = 0;
  for (const auto& of_step : MemoryPeaks(profile, steps, views.work())) {
    for (profile::DeviceId d = 0; d < of_step.size(); ++d) {
      if (of_step[d].allocator_bytes <= most) continue;
      most = of_step[d].allocator_bytes;
      device = d;
    }
  }
  if (device != profile::kNone) {
    const timeline::Activities& activities = views.Kept<timeline::Activities>();
    const uint32_t units[] = {activities.unit_of_device(device)};
    o.peak = {.bytes = most,
              .holder = units[0] == profile::kNone
                            ? std::string(profile.devices().name(device))
                            : DeviceLabels(activities, units)[0]};
  }
  AddCounterPeak(profile, o);
}

// ---- Records beside executions.

std::string Counted(size_t count, std::string_view one) {
  return fmt::format("{} {}{}",
                     tables::FormatCount(static_cast<int64_t>(count)), one,
                     count == 1 ? "" : "s");
}

std::string CompileText(const profile::CompileLogs& logs) {
  int64_t nanos = 0;
  size_t count = 0, again = 0;
  const profile::CompileLogs::Compilation* longest = nullptr;
  for (const profile::CompileLogs::Compilation& row : logs.compilations) {
    // After torch._dynamo.reset(), an id is compiled more than once.
    count += static_cast<size_t>(std::max<int64_t>(row.finished, 1));
    again += row.is_recompilation;
    nanos = util::SaturatingAdd(nanos, std::max<int64_t>(row.duration, 0));
    if (row.longest > (longest == nullptr ? 0 : longest->longest)) {
      longest = &row;
    }
  }
  std::string text = fmt::format(
      "{}, {} in all: {} again, {}, {}", Counted(count, "compilation"),
      tables::FormatMicros(nanos / 1000), again,
      Counted(logs.graph_breaks.size(), "graph break"),
      Counted(logs.failures.size(), "failure"));
  if (longest != nullptr && !longest->function.empty()) {
    text += fmt::format("; longest: {} ({}:{}), {}", longest->function,
                        longest->file, longest->line,
                        tables::FormatMicros(longest->longest / 1000));
  }
  return text;
}

std::string CollectiveText(const profile::CollectiveRecords& records) {
  const timeline::Divergences found = timeline::FindDivergences(records);
  std::string text = fmt::format("{} of {} in {}",
                                 Counted(records.calls.size(), "recorded call"),
                                 Counted(records.dumps.size(), "rank"),
                                 Counted(found.groups.size(), "group"));
  if (found.compared == 0) {
    return text +
           "; nothing was compared, no collective has calls of two "
           "ranks";
  }
  std::set<size_t> stopped;
  for (const timeline::Divergence& row : found.first) {
    stopped.insert(row.group);
  }
  text +=
      fmt::format("; {} compared",
                  Counted(static_cast<size_t>(found.compared), "collective"));
  const size_t absent = timeline::AbsentRanks(records, found).size();
  if (absent > 0) {
    text += fmt::format("; {} without a whole dump", Counted(absent, "rank"));
  }
  return text +
         (stopped.empty()
              ? ", all ranks with a dump called the same"
              : fmt::format("; {} stopped", Counted(stopped.size(), "group")));
}

std::string AllocatorText(const profile::Profile& profile,
                          const profile::AllocatorHistory& history) {
  const accounting::AllocatorLevels levels = accounting::LevelsOf(history);
  const accounting::SegmentSums sums = accounting::SumsOf(history);
  std::string text = fmt::format(
      "{}: {} allocated and {} reserved at the end", history.name,
      tables::BytesText(sums.allocated), tables::BytesText(sums.reserved));
  if (!history.events.empty()) {
    text += fmt::format("; peak {} allocated, {} reserved then",
                        tables::BytesText(levels.allocated.peak),
                        tables::BytesText(levels.reserved_at_peak));
  }
  if (const auto line = views::LargestLine(
          profile.graph(), accounting::HeldAtPeak(history, levels))) {
    text += fmt::format("; {} of it in {}", tables::BytesText(line->bytes),
                        line->line);
  }
  return text;
}

void AddRecords(const profile::Profile& profile, Overview& o) {
  if (!profile.compile_logs().logs.empty()) {
    o.records.push_back({"Compiler", CompileText(profile.compile_logs())});
  }
  if (!profile.collective_records().dumps.empty()) {
    o.records.push_back(
        {"Calls", CollectiveText(profile.collective_records())});
  }
  constexpr size_t kAllocators = 3;
  const profile::Allocators& allocators = profile.allocators();
  for (size_t i = 0; i < std::min(allocators.size(), kAllocators); ++i) {
    o.records.push_back(
        {i == 0 ? "Allocator" : "", AllocatorText(profile, allocators[i])});
  }
  if (allocators.size() > kAllocators) {
    o.records.push_back({"", fmt::format("+ {} more allocators (memory)",
                                         allocators.size() - kAllocators)});
  }
}

// ---- Commands that fit the contents of the profile.

class NextCommands {
 public:
  explicit NextCommands(Overview& overview) : o_(overview) {}

  void Choose(views::Views& views) {
    const bool has_times = o_.executions > 0;
    AddForRecords(views.profile());
    if (o_.odd) {
      Add(fmt::format("explain step {}", o_.odd->step->id),
          "why this step is slow");
    }
    if (o_.advice.problems > 0) {
      Add("advise all", o_.advice.problems == 1
                            ? "the problem in full, and what to do"
                            : fmt::format("all {} problems, and what to do",
                                          o_.advice.problems));
    }
    if (!has_times) {
      if (o_.measure == Overview::Measure::kParameters || o_.parameters > 0) {
        Add("scope -select params -order_by params", "the most parameters");
      }
      if (o_.float_ops > 0) {
        Add("op -select float_ops -order_by float_ops", "by float operations");
      }
      if (o_.nodes > 0) Add("ls", "the parts of the model");
      Add("status", "what was loaded");
      Add("help", "the commands");
      return;
    }
    if (o_.measure == Overview::Measure::kBytes) {
      Add("code", "the lines of code with the most bytes");
      Add("op", "all functions or types of operation");
      Add("flame", "where the bytes are, at one look");
      return;
    }
    if (!o_.odd && o_.walls.size() > 0 && o_.typical) {
      Add(fmt::format("explain step {}", o_.typical->step->id),
          "where the time of this step goes");
    }
    Add("top", "the most expensive operations");
    const bool has_accelerators =
        std::any_of(o_.split.begin(), o_.split.end(),
                    [](const DeviceSplit& d) { return d.accelerator; });
    if (has_accelerators) Add("devices", "how busy each device is");
    if (views.profile().graph().has_code_traces) {
      Add("code -order_by micros", "the lines of code with the most time");
    }
    if (o_.walls.size() > 1) Add("steps", "all steps");
    Add("op -order_by micros", "all types of operation");
    Add("advise all", "what the checkers looked for");
  }

 private:
  void AddForRecords(const profile::Profile& profile) {
    if (!profile.collective_records().dumps.empty()) {
      Add("collectives", "who does not call what the others wait for");
    }
    if (!profile.compile_logs().logs.empty()) {
      Add("compiles", "what was compiled, why again, where it broke");
    }
    if (!profile.allocators().empty()) {
      Add("memory", "owners at the peak, leaks, free pieces");
    }
  }

  void Add(std::string command, std::string why) {
    constexpr size_t kNext = 3;
    if (o_.next.size() < kNext) {
      o_.next.push_back({std::move(command), std::move(why)});
    }
  }
  Overview& o_;
};

}  // namespace

Overview MakeOverview(views::Views& views, std::vector<OverviewInput> inputs,
                      OverviewAdvice advice) {
  const profile::Profile& profile = views.profile();
  Overview o;
  o.framework = FrameworkOf(inputs);
  o.inputs = std::move(inputs);
  o.advice = std::move(advice);
  o.ticks_per_micro = profile.ticks_per_micro();
  o.nodes = profile.nodes().size();
  o.devices = views.Kept<timeline::Activities>().units().size();
  for (const auto& step : profile.steps()) {
    o.executions +=
        step->aggregated ? step->num_groups() : step->num_executions();
  }
  AddRecords(profile, o);
  AddSteps(views, o);
  if (o.executions > 0) {
    AddTimes(views, o);
    AddMemory(views, o);
    const double replays = timeline::UnnamedReplays(profile).share();
    if (replays >= kNotableReplays) o.unnamed_replays = replays;
  } else if (o.nodes > 0) {
    AddGraph(views, o);
  }
  NextCommands(o).Choose(views);
  return o;
}

}  // namespace tfprof::inspect
