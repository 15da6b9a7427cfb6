// Device memory: the peak of the last step and the nodes that hold it, one node
// that holds most of it, and memory that grows from step to step.
//
// The peak is the largest number of bytes in use that the GPU allocator
// reported at the end of an op, as `graph -output timeline` prints it. The
// bytes that a node holds are its allocation records up to then and its
// persistent bytes. CPU allocators report neither, so CPUs have no findings
// except for bytes that ops leave allocated.
//
// Only the last step is decoded in full, which takes 20 ms for 120,000
// executions, and one record of each other step: decoding a hundred steps would
// take a hundred times as long for about the same result.

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
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
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace memory_peak {

constexpr std::string_view kName = "MemoryPeakChecker";

constexpr Rule kRules[] = {
    {"memory_peak", "The peak of a device's memory in the last step.", "bytes"},
    {"memory_owner",
     "At a large peak, one node holds this share of a device's memory or more.",
     "share of the peak", "owner"},
    {"growing_memory",
     "The bytes in use when a step begins grow with every step.",
     "growth from the second step to the last", "growth"},
    {"growing_residual",
     "The bytes that the same nodes leave allocated grow with every step.",
     "growth from the second step to the last", "growth"},
};
constexpr CheckerOption kOptions[] = {
    {"owner", 0.5, "share",
     "A node's smaller share of the peak is not reported."},
    {"min_peak_bytes", 64e6, "bytes",
     "Shares of a smaller peak are not reported."},
    {"growth", 0.1, "share",
     "Less growth from the second step to the last is not reported."},
    {"min_growth_bytes", 1e6, "bytes", "Smaller growth is not reported."},
    {"min_steps", 4, "count", "Fewer steps are not checked for growth."},
};

constexpr size_t kListed = 3;

struct Holder {
  int64_t bytes = 0;
  profile::NodeId node = profile::kNone;
};

struct Peak {
  int64_t bytes = 0;
  int64_t micros = 0;                     // since the epoch
  profile::NodeId node = profile::kNone;  // the node that ended then
};

// One device in one step.
struct DeviceMemory {
  Peak peak;
  // The first op whose end reported bytes in use.
  Peak first;
  // Everything that nodes allocated: (when, node, bytes).
  struct Change {
    int64_t micros;
    int64_t bytes;
    profile::NodeId node;
  };
  std::vector<Change> changes;
};

// The start of a step that has a span.
int64_t StartMicros(const profile::Step& step) {
  int64_t start = std::numeric_limits<int64_t>::max();
  for (size_t g = 0; g < step.num_groups(); ++g) {
    if (step.HasSpan(g)) start = std::min(start, step.sums.start.Micros(g));
  }
  return start;
}

class MemoryCheck {
 public:
  MemoryCheck(views::Views& views, const CheckerSettings& settings,
              CheckResult& result)
      : profile_(views.profile()), settings_(settings), result_(result) {
    for (const auto& step : profile_.steps()) {
      if (step->listed && step->num_groups() > 0) steps_.push_back(step.get());
    }
  }

  void Run(views::Views& views) {
    if (steps_.empty()) return;
    CheckPeaks(*steps_.back());
    // The sums, which are never dropped, include the bytes that ops leave
    // allocated.
    if (!devices_.empty()) {
      NoteMissing(views, kName, /*needs_kernels=*/false, result_.notes);
    }
    if (static_cast<double>(steps_.size()) < settings_.Get("min_steps")) return;
    CheckGrowth();
    CheckResidual();
  }

 private:
  const profile::Device* CanonicalDevice(const profile::Step& step,
                                         size_t group) const {
    const profile::DeviceId device = profile_.nodes().device[step.node[group]];
    return device == profile::kNone ? nullptr : &profile_.devices()[device];
  }

  void CheckPeaks(const profile::Step& step) {
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const profile::Device* device = CanonicalDevice(step, g);
      if (device == nullptr || device->on_cpu || !step.HasSpan(g)) continue;
      const auto n = static_cast<profile::NodeId>(step.node[g]);
      Read(step, g,
           devices_[profile_.devices().name(profile_.nodes().device[n])]);
    }
    for (const auto& [device, memory] : devices_) {
      if (memory.peak.bytes > 0) AddPeak(step, device, memory);
    }
  }

  void Read(const profile::Step& step, size_t group,
            DeviceMemory& memory) const {
    const auto n = static_cast<profile::NodeId>(step.node[group]);
    const profile::ExecutionDetail detail =
        accounting::CountedMemory(profile_, step, group);
    int64_t persistent = 0;
    for (const profile::MemoryDetail& m : detail.memory) {
      persistent = util::WrapAdd(persistent, m.accelerator_persistent_bytes);
      if (m.micros <= 0 || m.allocator_bytes_in_use <= 0) continue;
      const Peak here = {m.allocator_bytes_in_use, m.micros, n};
      if (here.bytes > memory.peak.bytes) memory.peak = here;
      if (memory.first.node == profile::kNone ||
          here.micros < memory.first.micros) {
        memory.first = here;
      }
    }
    // Sorts first: a node holds its persistent bytes from the beginning.
    if (persistent > 0) memory.changes.push_back({0, persistent, n});
    for (const profile::Allocation& a : detail.allocations) {
      memory.changes.push_back({a.micros, a.bytes, n});
    }
  }

  // The bytes that nodes hold at the peak, largest first. The records lack
  // memory that was freed after its op ended, so a node that seems to hold more
  // than all bytes in use is skipped, and so is a node that does not fit next
  // to larger ones.
  std::vector<Holder> Holders(const DeviceMemory& memory) const {
    std::map<profile::NodeId, int64_t> held;
    for (const auto& change : memory.changes) {
      if (change.micros > memory.peak.micros) continue;
      int64_t& bytes = held[change.node];
      bytes = util::WrapAdd(bytes, change.bytes);
    }
    std::vector<Holder> holders;
    for (const auto& [node, bytes] : held) {
      if (bytes > 0) holders.push_back({bytes, node});
    }
    std::sort(
        holders.begin(), holders.end(), [&](const Holder& a, const Holder& b) {
          return a.bytes != b.bytes
                     ? a.bytes > b.bytes
                     : profile_.node_name(a.node) < profile_.node_name(b.node);
        });
    int64_t remaining = memory.peak.bytes;
    std::erase_if(holders, [&](const Holder& h) {
      if (h.bytes > remaining) return true;
      remaining -= h.bytes;
      return false;
    });
    return holders;
  }

  void AddPeak(const profile::Step& step, std::string_view device,
               const DeviceMemory& memory) {
    const Peak& peak = memory.peak;
    const std::vector<Holder> holders = Holders(memory);
    std::string text = fmt::format(
        "{}: peak memory {} in step {}, {} after its start, when {} ended",
        device, tables::BytesText(peak.bytes), step.id,
        tables::FormatMicros(util::WrapSub(peak.micros, StartMicros(step))),
        profile_.node_name(peak.node));
    for (size_t i = 0; i < std::min(kListed, holders.size()); ++i) {
      fmt::format_to(std::back_inserter(text), "{} {} {} ({})",
                     i == 0 ? "; held by" : ",",
                     profile_.node_name(holders[i].node),
                     tables::BytesText(holders[i].bytes),
                     util::Percent(holders[i].bytes, peak.bytes));
    }
    result_.findings.push_back({.rule = kRules[0].id,
                                .subject = std::string(device),
                                .value = static_cast<double>(peak.bytes),
                                .evidence = TimelineCommand(step.id),
                                .text = std::move(text)});
    if (holders.empty()) return;
    const Holder& owner = holders[0];
    const double share =
        static_cast<double>(owner.bytes) / static_cast<double>(peak.bytes);
    const double threshold = settings_.Get("owner");
    if (share < threshold ||
        static_cast<double>(peak.bytes) < settings_.Get("min_peak_bytes")) {
      return;
    }
    const std::string_view name = profile_.node_name(owner.node);
    result_.findings.push_back(
        {.rule = kRules[1].id,
         .severity = Finding::Severity::kWarning,
         .subject = std::string(name),
         .value = share,
         .threshold = threshold,
         .evidence = fmt::format(
             "scope -step {} -max_depth 100000 -show_name_regexes {} -select "
             "bytes,peak_bytes,residual_bytes,output_bytes",
             step.id, NamePattern(name)),
         .advice =
             "If memory is short, split or shard what this node holds, or "
             "keep it in a smaller type.",
         .text =
             fmt::format("{} holds {} of the {} at the peak of {} ({:.1f}%)",
                         name, tables::BytesText(owner.bytes),
                         tables::BytesText(peak.bytes), device, 100 * share)});
  }

  // True if the values grow from each step to the next.
  static bool Grows(const std::vector<int64_t>& values) {
    return std::adjacent_find(values.begin(), values.end(),
                              [](int64_t a, int64_t b) { return a >= b; }) ==
           values.end();
  }

  // True if the values grow enough. `share` is the growth from the second step
  // to the last, because the first step often sets things up.
  bool IsGrowth(const std::vector<int64_t>& values, double& share) const {
    if (values.size() < 2 || !Grows(values) || values[1] <= 0) return false;
    const auto from = static_cast<double>(values[1]);
    const double growth = static_cast<double>(values.back()) - from;
    share = growth / from;
    return share >= settings_.Get("growth") &&
           growth >= settings_.Get("min_growth_bytes");
  }

  void AddGrowth(const Rule& rule, std::string_view device,
                 std::string_view what, const std::vector<int64_t>& values,
                 std::string select) {
    double share = 0;
    if (!IsGrowth(values, share)) return;
    result_.findings.push_back(
        {.rule = rule.id,
         .severity = Finding::Severity::kWarning,
         .subject = std::string(device),
         .value = share,
         .threshold = settings_.Get("growth"),
         .evidence = std::move(select),
         .advice = "Look for state that each step adds to: a list, a queue, a "
                   "variable that is concatenated, ops added in a loop.",
         .text = fmt::format(
             "{}: {} grow with each of {} steps, from {} to {} ({:.1f}%)",
             device, what, values.size(), tables::BytesText(values[1]),
             tables::BytesText(values.back()), 100 * share)});
  }

  // Compares a device's bytes in use after the first op of each step. It is the
  // same op in every step, so its own allocations are alike.
  void CheckGrowth() {
    for (const auto& [device, memory] : devices_) {
      const profile::NodeId n = memory.first.node;
      if (n == profile::kNone) continue;
      std::vector<int64_t> values;
      for (const profile::Step* step : steps_)
        values.push_back(InUse(*step, n));
      if (std::find(values.begin(), values.end(), 0) != values.end()) continue;
      AddGrowth(kRules[2], device, "the bytes in use when a step begins",
                values, TimelineCommand(steps_.back()->id));
    }
  }

  // Returns 0 if the node did not run in the step or has no record.
  int64_t InUse(const profile::Step& step, profile::NodeId n) const {
    const uint32_t group = step.FindGroup(n);
    if (group == profile::kNone) return 0;
    for (const profile::MemoryDetail& m :
         accounting::CountedMemory(profile_, step, group).memory) {
      if (m.allocator_bytes_in_use > 0) return m.allocator_bytes_in_use;
    }
    return 0;
  }

  void CheckResidual() {
    // Only nodes that ran in every step count, because steps may fetch
    // different things.
    const size_t num_nodes = profile_.nodes().size();
    std::vector<uint32_t> ran(num_nodes, 0);
    for (const profile::Step* step : steps_) {
      for (size_t g = 0; g < step->num_groups(); ++g) ++ran[step->node[g]];
    }
    std::map<std::string_view, std::vector<int64_t>> devices;
    for (size_t s = 0; s < steps_.size(); ++s) {
      for (size_t g = 0; g < steps_[s]->num_groups(); ++g) {
        const auto n = static_cast<profile::NodeId>(steps_[s]->node[g]);
        const profile::DeviceId device = profile_.nodes().device[n];
        if (ran[n] != steps_.size() || device == profile::kNone) continue;
        std::vector<int64_t>& sums = devices[profile_.devices().name(device)];
        sums.resize(steps_.size(), 0);
        sums[s] = util::WrapAdd(sums[s], steps_[s]->sums.residual_bytes[g]);
      }
    }
    for (const auto& [device, sums] : devices) {
      AddGrowth(kRules[3], device, "the bytes that ops leave allocated", sums,
                fmt::format("op -step {} -select residual_bytes,occurrence "
                            "-order_by residual_bytes",
                            steps_.back()->id));
    }
  }

  const profile::Profile& profile_;
  const CheckerSettings& settings_;
  CheckResult& result_;
  std::vector<const profile::Step*> steps_;           // with executions
  std::map<std::string_view, DeviceMemory> devices_;  // in the last step
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  MemoryCheck(views, settings, result).Run(views);
  return result;
}

}  // namespace memory_peak
}  // namespace

const Checker kMemoryPeakChecker = {
    memory_peak::kName,
    "The peak of each accelerator's memory, who holds it, and what grows.",
    Checker::Kind::kAdvice,
    memory_peak::kRules,
    memory_peak::kOptions,
    memory_peak::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor
