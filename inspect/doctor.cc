#include "inspect/doctor.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"

namespace tfprof {
namespace {

using Verdict = Check::Verdict;

// Of the graph's nodes; a training graph also has those that save, restore and
// initialize, so that even half is usual.
constexpr double kLowCoverage = 0.1;
// A step this many times as long as the median one is no usual one.
constexpr double kLongStep = 2;
// What writing a record costs is about a microsecond; where half of all
// executions are not much longer, a good part of the time is that.
constexpr int64_t kTinyMicros = 3;

double Share(size_t part, size_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// When the records of a step on one device, or task, began and ended.
struct Span {
  int64_t start = 0;
  int64_t end = 0;
};

class Examination {
 public:
  Examination(Views& views, const ImportLog& log)
      : views_(views), profile_(views.profile()), log_(log) {}

  std::vector<Check> Run() {
    CheckImport();
    CheckGraph();
    CheckSteps();
    CheckCoverage();
    CheckAccelerators();
    CheckStarts();
    CheckOverlap();
    CheckClocks();
    CheckOverhead();
    CheckMemory();
    CheckShapes();
    CheckCode();
    CheckFloatOps();
    return std::move(checks_);
  }

 private:
  void Add(std::string_view name, Verdict verdict, std::string found,
           std::string advice = "") {
    checks_.push_back({name, verdict, std::move(found), std::move(advice)});
  }

  void CheckImport() {
    int64_t damaged = 0, dropped = 0;
    for (const ImportLog::Entry& entry : log_.entries()) {
      (entry.severity == ImportLog::kDamage ? damaged : dropped) += entry.count;
    }
    size_t aggregated = 0;
    for (const auto& step : profile_.steps()) aggregated += step->aggregated;
    if (damaged > 0) {
      Add("import", Verdict::kBad,
          fmt::format("{} records could not be read", damaged),
          "copy the files anew, or see with status what is missing");
    } else if (aggregated > 0) {
      Add("import", Verdict::kWarn,
          fmt::format("{} of {} steps are kept as sums only", aggregated,
                      profile_.steps().size()),
          "load with a larger --max_memory to see single executions");
    } else if (dropped > 0) {
      Add("import", Verdict::kOk,
          fmt::format("all was read; remarks in status: {}", dropped));
    } else {
      Add("import", Verdict::kOk, "all was read");
    }
  }

  void CheckGraph() {
    const NodeTable& nodes = profile_.nodes();
    if (nodes.size() == 0) {
      Add("graph", Verdict::kBad, "there is no node",
          "name a graph, run metadata or a saved profile");
      return;
    }
    size_t made = 0;
    for (NodeId n = 0; n < nodes.size(); ++n) {
      made += nodes.record[n] == kNoRecord && nodes.op[n] == nodes.name[n];
    }
    if (made == nodes.size()) {
      Add("graph", Verdict::kWarn, "there are run metadata, but no graph",
          "name the graph as well: types, shapes and inputs come from it");
    } else if (made * 2 > nodes.size()) {
      Add("graph", Verdict::kBad,
          fmt::format("{} of {} nodes are in run metadata and not in the graph",
                      made, nodes.size()),
          "name the graph that ran: this one is of another program, or from "
          "before it was optimized");
    } else {
      Add("graph", Verdict::kOk,
          fmt::format("{} nodes, {} of them only in run metadata", nodes.size(),
                      made));
    }
  }

  // Spans of the steps, 0 where none is known.
  std::vector<int64_t> StepSpans() {
    std::vector<int64_t> spans;
    for (const auto& step : profile_.steps()) {
      int64_t span = 0;
      for (const TaskActivity& task : Activity(*step)->tasks) {
        span = std::max(span, task.span);
      }
      spans.push_back(span);
    }
    return spans;
  }

  std::shared_ptr<const StepActivity> Activity(const Step& step) {
    return views_.Kept<Activities>().Of(step);
  }

  void CheckSteps() {
    const size_t steps = profile_.steps().size();
    if (steps == 0) {
      Add("steps", Verdict::kBad, "no step was recorded: there are no times",
          "name run metadata, of a step run with RunOptions.FULL_TRACE");
      return;
    }
    if (steps == 1) {
      Add("steps", Verdict::kWarn, "one step, which may be the warm-up",
          "record some more steps, after the first ten, and compare them");
      return;
    }
    const std::vector<int64_t> spans = StepSpans();
    std::vector<int64_t> sorted = spans;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2,
                     sorted.end());
    const int64_t median = sorted[sorted.size() / 2];
    size_t longer = 0, longest = 0;
    for (size_t i = 0; i < spans.size(); ++i) {
      longer += static_cast<double>(spans[i]) >
                kLongStep * static_cast<double>(median);
      if (spans[i] > spans[longest]) longest = i;
    }
    if (longer == 0 || median == 0) {
      Add("steps", Verdict::kOk,
          fmt::format("{} steps, the median takes {}", steps,
                      FormatMicros(median)));
      return;
    }
    Add("steps", Verdict::kWarn,
        fmt::format("{} of {} steps take more than twice the median of {}; "
                    "step {} takes {}",
                    longer, steps, FormatMicros(median),
                    profile_.steps()[longest]->id,
                    FormatMicros(spans[longest])),
        "averages hold them: look at a usual step with -step, see steps");
  }

  void CheckCoverage() {
    const size_t nodes = profile_.nodes().size();
    if (nodes == 0 || profile_.steps().empty()) return;
    std::vector<uint8_t> ran(nodes, 0);
    for (const auto& step : profile_.steps()) {
      for (size_t g = 0; g < step->num_groups(); ++g) ran[step->node[g]] = 1;
    }
    const auto count =
        static_cast<size_t>(std::count(ran.begin(), ran.end(), uint8_t{1}));
    const std::string found =
        fmt::format("{} of {} nodes ran ({:.0f} %)", count, nodes,
                    100 * Share(count, nodes));
    if (count == 0) {
      Add("coverage", Verdict::kBad, found,
          "the run metadata are of another graph, or of an untraced step");
    } else if (Share(count, nodes) < kLowCoverage) {
      Add("coverage", Verdict::kWarn, found,
          "see that graph and run metadata belong together");
    } else {
      Add("coverage", Verdict::kOk, found);
    }
  }

  void CheckAccelerators() {
    size_t on_gpu = 0;
    for (const DeviceId home : profile_.nodes().device) {
      on_gpu += home != kNone && profile_.devices()[home].on_gpu;
    }
    if (profile_.steps().empty()) return;
    size_t streams = 0;
    for (DeviceId d = 0; d < profile_.devices().size(); ++d) {
      streams += profile_.devices()[d].accelerator_stream;
    }
    if (on_gpu > 0 && streams == 0) {
      Add("accelerators", Verdict::kBad,
          fmt::format("no kernel was recorded, of {} nodes on GPUs", on_gpu),
          "accelerator times are missing: profile with CUPTI "
          "(libcupti on LD_LIBRARY_PATH, the right to use its counters)");
    } else if (on_gpu == 0) {
      Add("accelerators", Verdict::kOk, "no node is on a GPU");
    } else {
      Add("accelerators", Verdict::kOk,
          fmt::format("kernels of {1} recorded, {0} nodes on GPUs", on_gpu,
                      streams == 1 ? "one GPU was"
                                   : fmt::format("{} GPUs were", streams)));
    }
  }

  void CheckStarts() {
    size_t records = 0, without = 0;
    for (const auto& step : profile_.steps()) {
      records += step->num_executions();
      for (size_t e = 0; e < step->num_executions(); ++e) {
        without += !step->HasStart(e);
      }
    }
    if (records == 0) return;
    if (without == 0) {
      Add("start_times", Verdict::kOk,
          fmt::format("all {} executions have one", records));
      return;
    }
    Add("start_times", without * 2 > records ? Verdict::kBad : Verdict::kWarn,
        fmt::format("{} of {} executions have none", without, records),
        "they count as seen and not as time: sums are too small by them");
  }

  void CheckOverlap() {
    // By task: the spans of steps.
    std::map<uint32_t, std::vector<std::pair<Span, int64_t>>> spans;
    for (const auto& step : profile_.steps()) {
      for (const TaskActivity& task : Activity(*step)->tasks) {
        if (task.runs.empty()) continue;
        spans[task.task].push_back(
            {{task.runs.front().start, task.runs.back().end}, step->id});
      }
    }
    size_t overlapping = 0;
    int64_t first = 0, second = 0;
    for (auto& [task, of_task] : spans) {
      std::sort(of_task.begin(), of_task.end(),
                [](const auto& a, const auto& b) {
                  return a.first.start < b.first.start;
                });
      for (size_t i = 1; i < of_task.size(); ++i) {
        if (of_task[i].first.start >= of_task[i - 1].first.end) continue;
        if (overlapping++ > 0) continue;
        first = of_task[i - 1].second;
        second = of_task[i].second;
      }
    }
    if (profile_.steps().size() < 2) return;
    if (overlapping == 0) {
      Add("step_order", Verdict::kOk, "no two steps overlap");
      return;
    }
    Add("step_order", Verdict::kWarn,
        fmt::format("steps overlap, {} times, first {} and {}", overlapping,
                    first, second),
        "they ran at the same time and slow each other, or files of several "
        "runs are mixed");
  }

  // Devices whose records of one step lie apart by more than they last have
  // clocks of their own.
  void CheckClocks() {
    int64_t most = 0, of_step = 0;
    size_t apart = 0, several = 0;
    for (const auto& step : profile_.steps()) {
      std::vector<Span> spans;
      for (const TaskActivity& task : Activity(*step)->tasks) {
        for (const DeviceActivity& device : task.devices) {
          const Intervals busy = Union(device.Busy(), device.launches.busy);
          if (busy.empty()) continue;
          spans.push_back({busy.front().start, busy.back().end});
        }
      }
      if (spans.size() < 2) continue;
      ++several;
      std::sort(spans.begin(), spans.end(),
                [](const Span& a, const Span& b) { return a.start < b.start; });
      int64_t end = spans[0].end, longest = spans[0].end - spans[0].start;
      bool is_apart = false;
      for (size_t i = 1; i < spans.size(); ++i) {
        const int64_t length = spans[i].end - spans[i].start;
        longest = std::max(longest, length);
        const int64_t gap = spans[i].start - end;
        if (gap > longest) {
          is_apart = true;
          if (gap > most) {
            most = gap;
            of_step = step->id;
          }
        }
        end = std::max(end, spans[i].end);
      }
      apart += is_apart;
    }
    if (several == 0) return;
    if (apart == 0) {
      Add("device_clocks", Verdict::kOk,
          fmt::format("devices overlap in {0} of {0} steps with several",
                      several));
      return;
    }
    Add("device_clocks", Verdict::kWarn,
        fmt::format("in {} of {} steps, devices are further apart than they "
                    "work: by {} in step {}",
                    apart, several, FormatMicros(most), of_step),
        "their clocks differ: compare times of one device only, and do not "
        "read order or idleness across devices");
  }

  void CheckOverhead() {
    // How many executions took 0, 1, … microseconds; more is the last.
    std::array<size_t, kTinyMicros + 2> count = {};
    size_t all = 0;
    for (const auto& step : profile_.steps()) {
      for (size_t e = 0; e < step->num_executions(); ++e) {
        if (!step->HasStart(e)) continue;
        const int64_t micros = step->exec_duration.Micros(e);
        ++count[static_cast<size_t>(
            std::clamp<int64_t>(micros, 0, kTinyMicros + 1))];
        ++all;
      }
    }
    if (all == 0) return;
    const size_t tiny = all - count.back();
    const std::string found =
        fmt::format("{:.0f} % of {} executions take {} us or less",
                    100 * Share(tiny, all), all, kTinyMicros);
    if (tiny * 2 > all) {
      Add("tracing_overhead", Verdict::kWarn, found,
          "tracing may cost as much as they do: compare the step's time "
          "with that of an untraced one");
    } else {
      Add("tracing_overhead", Verdict::kOk, found);
    }
  }

  void CheckMemory() {
    if (profile_.steps().empty()) return;
    size_t with = 0, groups = 0;
    for (const auto& step : profile_.steps()) {
      groups += step->num_groups();
      for (size_t g = 0; g < step->num_groups(); ++g) {
        with += step->sums.requested_bytes[g] != 0 ||
                step->sums.output_bytes[g] != 0;
      }
    }
    const std::string found = fmt::format(
        "{} of {} records of a node in a step have bytes", with, groups);
    if (with == 0) {
      Add("memory", Verdict::kWarn, found,
          "-select bytes and peak_bytes have nothing to show");
    } else {
      Add("memory", Verdict::kOk, found);
    }
  }

  void CheckShapes() {
    const NodeTable& nodes = profile_.nodes();
    if (nodes.size() == 0) return;
    size_t with = 0;
    for (NodeId n = 0; n < nodes.size(); ++n) {
      with += nodes.shape_begin[n + 1] > nodes.shape_begin[n];
    }
    const std::string found =
        fmt::format("{} of {} nodes have output shapes", with, nodes.size());
    if (with == 0) {
      Add("shapes", Verdict::kWarn, found,
          "write the graph with add_shapes=True; input_shapes need it");
    } else {
      Add("shapes", Verdict::kOk, found);
    }
  }

  void CheckCode() {
    size_t with = 0;
    for (const StackId stack : profile_.nodes().stack)
      with += stack != kNoStack;
    const std::string found = fmt::format("{} of {} nodes have a call stack",
                                          with, profile_.nodes().size());
    if (with == 0) {
      Add("code", Verdict::kWarn, found,
          "add the op log (write_op_log with add_trace=True) for code, list "
          "and cd code:");
    } else {
      Add("code", Verdict::kOk, found);
    }
  }

  void CheckFloatOps() {
    size_t with = 0;
    const NodeTable& nodes = profile_.nodes();
    for (NodeId n = 0; n < nodes.size(); ++n) with += nodes.FloatOps(n) != 0;
    const std::string found =
        fmt::format("{} of {} nodes have float operations", with, nodes.size());
    if (with == 0) {
      Add("float_ops", Verdict::kWarn, found,
          "add an op log, or let -flops auto compute them");
    } else {
      Add("float_ops", Verdict::kOk, found);
    }
  }

  Views& views_;
  const Profile& profile_;
  const ImportLog& log_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> Examine(Views& views, const ImportLog& log) {
  return Examination(views, log).Run();
}

std::string_view VerdictName(Verdict verdict) {
  return verdict == Verdict::kOk     ? "ok"
         : verdict == Verdict::kWarn ? "warn"
                                     : "bad";
}

DataTable DoctorTable(const std::vector<Check>& checks) {
  TableBuilder table(
      "doctor", {{"verdict", "", Unit::kText},
                 {"check", "check", Unit::kText},
                 {.name = "found", .title = "found", .prose = true},
                 {.name = "advice", .title = "what to do", .prose = true}});
  for (const Verdict verdict : {Verdict::kBad, Verdict::kWarn, Verdict::kOk}) {
    const std::string name(VerdictName(verdict));
    table.AddFact({name, name, Unit::kCount},
                  static_cast<int64_t>(std::count_if(
                      checks.begin(), checks.end(),
                      [&](const Check& c) { return c.verdict == verdict; })));
  }
  for (const Check& check : checks) {
    table.AddRow({TextCell(VerdictName(check.verdict)), TextCell(check.name),
                  TextCell(check.found), TextCell(check.advice)});
  }
  return std::move(table).Build();
}

}  // namespace tfprof
