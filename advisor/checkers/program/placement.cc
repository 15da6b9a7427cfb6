// Finds ops on a CPU between ops on a GPU, which are detours.
//
// A node that ran on the CPU, reads the output of a GPU op and feeds a GPU op
// (both perhaps through other CPU nodes) makes the GPU wait for a copy out, the
// op, and a copy in. Input that comes from the CPU and results that go there
// are no detours, and neither are nodes that do nothing. Only the last step is
// judged, each task by itself.

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accounting/counted_memory.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"

namespace tfprof::advisor {
namespace {
namespace placement {

constexpr std::string_view kName = "PlacementChecker";

constexpr Rule kRules[] = {
    {"cpu_detour_time",
     "CPU ops between GPU ops take this share of the step or more.",
     "share of the step", "detour_time"},
    {"cpu_detour_copies",
     "Tensors cross between a GPU and CPU ops between GPU ops this many times "
     "in a step, or more.",
     "count", "detour_copies"},
};
constexpr CheckerOption kOptions[] = {
    {"detour_time", 0.05, "share",
     "Less time of CPU ops between GPU ops is not reported."},
    {"detour_copies", 50, "count",
     "Fewer copies for CPU ops between GPU ops are not reported."},
    kMinStep,
};

constexpr size_t kListed = 3;

// These ops need no kernel, or no input: a detour through them has another
// cause.
constexpr std::string_view kNoDetour[] = {
    "Const", "ControlTrigger", "NoOp", "Placeholder", "_Arg", "_Retval"};

class Detours {
 public:
  Detours(const timeline::Activities& activities, const profile::Step& step)
      : profile_(activities.profile()),
        nodes_(profile_.nodes()),
        activities_(activities),
        step_(step),
        place_(nodes_.size(), kElsewhere) {
    std::set<profile::StringId> no_detour;
    for (const std::string_view op : kNoDetour) {
      no_detour.insert(profile_.strings().Find(op));
    }
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const auto n = static_cast<profile::NodeId>(step.node[g]);
      const profile::DeviceId canonical = nodes_.device[n];
      if (canonical == profile::kNone || !step.HasSpan(g)) continue;
      const profile::Device& device = profile_.devices()[canonical];
      if (device.on_gpu) {
        place_[n] = kOnGpu;
        any_gpu_ = true;
      } else if (device.on_cpu && !no_detour.contains(nodes_.op[n])) {
        place_[n] = kOnCpu;
      }
    }
    if (any_gpu_) Find();
  }

  // Ascending.
  const std::vector<profile::NodeId>& nodes() const { return found_; }
  bool Has(profile::NodeId n) const { return is_detour_[n]; }

  struct Copies {
    int64_t count = 0;
    int64_t bytes = 0;  // of the recorded sizes
  };

  // An output is copied once to another device, for all its readers there.
  Copies CountCopies() const {
    Copies copies;
    std::set<std::pair<profile::NodeId, int32_t>> counted;
    const auto count = [&](uint32_t edge, profile::NodeId source) {
      const int32_t output =
          nodes_.edge_output.empty() ? 0 : nodes_.edge_output[edge];
      if (counted.insert({source, output}).second) Add(source, output, copies);
    };
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      const bool from_gpu = is_detour_[n];
      if (!from_gpu && place_[n] != kOnGpu) continue;
      for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1];
           ++e) {
        const profile::NodeId source = nodes_.Source(n, e);
        if (source == profile::kNone) continue;
        const bool crosses =
            from_gpu ? place_[source] == kOnGpu : is_detour_[source];
        if (crosses && SameTask(source, n)) count(e, source);
      }
    }
    return copies;
  }

 private:
  enum Place : uint8_t { kElsewhere, kOnCpu, kOnGpu };

  bool SameTask(profile::NodeId a, profile::NodeId b) const {
    return TaskOf(a) == TaskOf(b);
  }

  profile::ProcessId TaskOf(profile::NodeId n) const {
    const uint32_t unit = activities_.unit_of_device(nodes_.device[n]);
    return unit == profile::kNone ? profile::kNone
                                  : activities_.units()[unit].process;
  }

  // Finds the CPU nodes on paths between two GPU nodes that otherwise contain
  // only CPU nodes.
  void Find() {
    const std::vector<bool> after = Reach(/*forward=*/true);
    const std::vector<bool> before = Reach(/*forward=*/false);
    is_detour_.assign(nodes_.size(), false);
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      if (!after[n] || !before[n]) continue;
      is_detour_[n] = true;
      found_.push_back(n);
    }
  }

  std::vector<bool> Reach(bool forward) const {
    // Edges between nodes that ran on a CPU or GPU of one task, in compressed
    // rows by the node that the search comes from.
    std::vector<uint32_t> begin(nodes_.size() + 1, 0);
    const auto for_edges = [&](auto visit) {
      for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
        if (place_[n] == kElsewhere) continue;
        for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1];
             ++e) {
          const profile::NodeId source = nodes_.Source(n, e);
          if (source == profile::kNone || place_[source] == kElsewhere ||
              !SameTask(source, n)) {
            continue;
          }
          const profile::NodeId from = forward ? source : n;
          const profile::NodeId to = forward ? n : source;
          if (place_[to] == kOnCpu) visit(from, to);
        }
      }
    };
    for_edges(
        [&](profile::NodeId from, profile::NodeId) { ++begin[from + 1]; });
    for (size_t i = 0; i < nodes_.size(); ++i) begin[i + 1] += begin[i];
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    std::vector<profile::NodeId> to(begin.back());
    for_edges([&](profile::NodeId from, profile::NodeId node) {
      to[next[from]++] = node;
    });

    std::vector<bool> reached(nodes_.size(), false);
    std::vector<profile::NodeId> open;
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      if (place_[n] == kOnGpu) open.push_back(n);
    }
    while (!open.empty()) {
      const profile::NodeId n = open.back();
      open.pop_back();
      for (uint32_t i = begin[n]; i < begin[n + 1]; ++i) {
        if (reached[to[i]]) continue;
        reached[to[i]] = true;
        open.push_back(to[i]);
      }
    }
    return reached;
  }

  void Add(profile::NodeId source, int32_t output, Copies& copies) const {
    const uint32_t group = step_.FindGroup(source);
    copies.count = util::WrapAdd(copies.count, step_.sums.run_count[group]);
    for (const profile::MemoryDetail& m :
         accounting::CountedMemory(profile_, step_, group).memory) {
      int64_t bytes = 0;
      for (const profile::MemoryDetail::Output& o : m.outputs) {
        if (o.slot == output) bytes = o.bytes;
      }
      copies.bytes = util::WrapAdd(copies.bytes, bytes);
    }
  }

  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  const timeline::Activities& activities_;
  const profile::Step& step_;
  std::vector<Place> place_;  // of nodes that ran in the step
  bool any_gpu_ = false;
  std::vector<bool> is_detour_;
  std::vector<profile::NodeId> found_;
};

const profile::Step* LastStep(const profile::Profile& profile) {
  const auto& steps = profile.steps();
  const auto last = std::find_if(
      steps.rbegin(), steps.rend(),
      [](const auto& step) { return step->listed && step->num_groups() > 0; });
  return last == steps.rend() ? nullptr : last->get();
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  const profile::Profile& profile = views.profile();
  const profile::Step* step = LastStep(profile);
  if (step == nullptr) return result;
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const Detours detours(activities, *step);
  if (detours.nodes().empty()) return result;
  NoteMissing(views, kName, /*needs_kernels=*/false, result.notes);
  int64_t micros = 0, span = 0;
  const auto activity = activities.Of(*step);
  // A process has one clock and one span, however many devices it has.
  std::map<uint32_t, timeline::Intervals> busy;  // by clock
  for (const timeline::DeviceActivity& device : activity->devices) {
    timeline::Intervals& of = busy[activities.units()[device.unit].clock];
    timeline::Intervals of_device;
    for (const timeline::DeviceRun& run : device.runs) {
      if (run.node == profile::kNone || !detours.Has(run.node) ||
          run.length() <= 0 || run.kind != timeline::RunKind::kCompute) {
        continue;
      }
      timeline::AddInterval(of_device, run.start, run.end);
    }
    of = timeline::Union(of, of_device);
  }
  for (const auto& [clock, of] : busy) {
    if (of.empty()) continue;
    micros = util::WrapAdd(micros, profile.Micros(timeline::Length(of)));
    span =
        util::WrapAdd(span, profile.Micros(activity->OfClock(clock)->length));
  }
  if (static_cast<double>(span) < settings.Get("min_step")) return result;
  const double share = static_cast<double>(micros) / static_cast<double>(span);
  const Detours::Copies copies = detours.CountCopies();
  const double time_threshold = settings.Get("detour_time");
  const double copy_threshold = settings.Get("detour_copies");
  const bool by_time = micros > 0 && share >= time_threshold;
  if (!by_time && static_cast<double>(copies.count) < copy_threshold) {
    return result;
  }
  std::map<std::string_view, int64_t> by_op;
  for (const profile::NodeId n : detours.nodes()) {
    int64_t& sum = by_op[profile.strings().Get(profile.nodes().op[n])];
    sum = util::WrapAdd(
        sum, profile.Micros(step->sums.cpu_time[step->FindGroup(n)]));
  }
  std::vector<std::pair<int64_t, std::string_view>> ops;
  for (const auto& [op, sum] : by_op) ops.push_back({sum, op});
  std::stable_sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) {
    return a.first > b.first;
  });
  std::string names, patterns;
  for (size_t i = 0; i < std::min(kListed, ops.size()); ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    fmt::format_to(std::back_inserter(names), "{}{} {}", i == 0 ? "" : ", ",
                   ops[i].second, tables::FormatMicros(ops[i].first));
    fmt::format_to(std::back_inserter(patterns), "{}{}", comma,
                   NamePattern(ops[i].second));
  }
  if (ops.size() > kListed) names += ", …";
  result.findings.push_back(
      {.rule = kRules[by_time ? 0 : 1].id,
       .severity = Finding::Severity::kWarning,
       .subject = std::string(ops[0].second),
       .value = by_time ? share : static_cast<double>(copies.count),
       .threshold = by_time ? time_threshold : copy_threshold,
       .evidence = fmt::format(
           "op -step {} -show_name_regexes {} -account_type_regexes .*cpu.* "
           "-select micros,device,occurrence -order_by micros",
           step->id, patterns),
       .advice = "Replace these ops by ones with a GPU kernel, or move them "
                 "to where the data comes from or goes to.",
       .text = fmt::format(
           "{} node{} on the CPU between GPU ops: {} of step {} ({:.1f}%), {} "
           "copies{}; {}",
           detours.nodes().size(), detours.nodes().size() == 1 ? "" : "s",
           tables::FormatMicros(micros), step->id, 100 * share, copies.count,
           copies.bytes > 0
               ? fmt::format(" of {}", tables::BytesText(copies.bytes))
               : "",
           names)});
  return result;
}

}  // namespace placement
}  // namespace

const Checker kPlacementChecker = {
    "PlacementChecker",         "Ops on a CPU between ops on a GPU.",
    Checker::Kind::kAdvice,     placement::kRules,
    placement::kOptions,        placement::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor
