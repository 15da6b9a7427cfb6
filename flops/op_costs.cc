#include "flops/op_costs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "flops/hlo_cost.h"
#include "flops/torch_cost.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"

namespace tfprof::flops {
namespace {

bool HasAccelerators(const profile::Profile& profile) {
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    const profile::LaneKind kind = lanes[id].kind;
    if (kind == profile::LaneKind::kKernels ||
        kind == profile::LaneKind::kCopies ||
        kind == profile::LaneKind::kCommunication) {
      return true;
    }
  }
  return false;
}

std::optional<int64_t> BytesAccessed(const profile::ArgumentList& arguments) {
  for (const auto& [key, value] : arguments) {
    if (key != "bytes_accessed") continue;
    int64_t bytes = 0;
    if (absl::SimpleAtoi(absl::string_view(value), &bytes) && bytes >= 0) {
      return bytes;
    }
  }
  return std::nullopt;
}

class Collector {
 public:
  Collector(const profile::Profile& profile, const util::TaskOptions& work,
            bool on_accelerator, size_t num_steps)
      : profile_(profile), work_(work), on_accelerator_(on_accelerator) {
    all_.flops_of_step.resize(num_steps);
  }

  // Adds the nodes begin … end - 1 of a step. `place` is that of the step.
  void Add(size_t place, const profile::Step& step, int64_t begin,
           int64_t end) {
    const auto groups = std::views::iota(size_t{0}, step.num_groups());
    const auto first = std::ranges::partition_point(
        groups, [&](size_t g) { return step.node[g] < begin; });
    const int64_t before = std::exchange(all_.flops, 0);
    for (auto g = first; g != groups.end() && step.node[*g] < end; ++g) {
      AddGroup(step, *g);
    }
    all_.flops_of_step[place] = all_.flops;
    all_.flops = util::SaturatingAdd(before, all_.flops);
  }

  // Adds the sums of another collector, of the same steps and of other nodes.
  void Add(const Collector& other) {
    for (const OpCostSum& op : other.all_.ops) {
      OpCostSum& sum = SumOf(op.op);
      sum.time = util::WrapAdd(sum.time, op.time);
      AddAmounts(op, sum);
      sum.runs = util::WrapAdd(sum.runs, op.runs);
      sum.known_runs += op.known_runs;
      sum.unknown_runs += op.unknown_runs;
      sum.has_bytes |= op.has_bytes;
      sum.rated.time = util::WrapAdd(sum.rated.time, op.rated.time);
      AddAmounts(op.rated, sum.rated);
    }
    all_.time = util::WrapAdd(all_.time, other.all_.time);
    all_.flops = util::SaturatingAdd(all_.flops, other.all_.flops);
    for (size_t s = 0; s < all_.flops_of_step.size(); ++s) {
      all_.flops_of_step[s] = util::SaturatingAdd(all_.flops_of_step[s],
                                                  other.all_.flops_of_step[s]);
    }
  }

  OpCosts Take() && {
    std::erase_if(all_.ops, [](const OpCostSum& op) {
      return op.time == 0 && op.known_runs == 0;
    });
    std::sort(all_.ops.begin(), all_.ops.end(),
              [&](const OpCostSum& a, const OpCostSum& b) {
                if (a.time != b.time) return a.time > b.time;
                return profile_.strings().Get(a.op) <
                       profile_.strings().Get(b.op);
              });
    return std::move(all_);
  }

 private:
  void AddGroup(const profile::Step& step, size_t g) {
    if (work_.cancelled()) return;
    const auto node = static_cast<profile::NodeId>(step.node[g]);
    OpCostSum& sum = SumOf(profile_.nodes().op[node]);
    const int64_t time =
        on_accelerator_ ? step.sums.accelerator_time[g] : step.sums.cpu_time[g];
    const int64_t runs = step.sums.run_count[g];
    sum.time = util::WrapAdd(sum.time, time);
    sum.runs = util::WrapAdd(sum.runs, runs);
    all_.time = util::WrapAdd(all_.time, time);
    const std::string_view op = profile_.strings().Get(sum.op);
    Cost cost = {.time = time};
    bool rated = false;
    if (!HasTorchCost(op)) {
      rated = AddNode(step, g, node, runs, sum, cost);
    } else if (!IsTorchWrapper(op) && time > 0) {
      // Operations that only run on the host do not use the accelerator.
      rated = AddTorch(step, g, op, sum, cost);
    }
    all_.flops = util::SaturatingAdd(all_.flops, cost.flops);
    AddAmounts(cost, sum);
    if (!rated) return;
    AddAmounts(cost, sum.rated);
    sum.rated.time = util::WrapAdd(sum.rated.time, time);
  }

  // Adds all but the time.
  static void AddAmounts(const Cost& cost, Cost& sum) {
    sum.flops = util::SaturatingAdd(sum.flops, cost.flops);
    sum.bytes = util::SaturatingAdd(sum.bytes, cost.bytes);
    sum.fp32_flops = util::SaturatingAdd(sum.fp32_flops, cost.fp32_flops);
  }

  // Adds a node with numbers from the file, or else an HLO instruction. Like
  // AddTorch(), returns whether every run has a cost.
  bool AddNode(const profile::Step& step, size_t g, profile::NodeId node,
               int64_t runs, OpCostSum& sum, Cost& cost) {
    int64_t flops = profile_.nodes().FloatOps(node);
    std::optional<int64_t> bytes;
    if (step.num_executions() > 0) {
      const auto [it, is_new] = bytes_.try_emplace(node);
      if (is_new) {
        it->second =
            BytesAccessed(profile_.Arguments(static_cast<profile::RecordRef>(
                step.exec_record[step.exec_begin(g)])));
      }
      bytes = it->second;
    }
    int64_t element_bytes = 0;
    if (flops == 0 && !bytes) {
      const auto [it, is_new] = hlo_.try_emplace(node);
      if (is_new) it->second = HloCost(profile_, node);
      const OpCost& of_run = it->second;
      if (of_run.outcome == OpCost::Outcome::kNoFormula) return false;
      if (of_run.outcome != OpCost::Outcome::kKnown) {
        sum.unknown_runs += runs;
        return false;
      }
      flops = of_run.flops;
      bytes = of_run.bytes;
      element_bytes = of_run.element_bytes;
    }
    sum.known_runs += runs;
    AddFlops(util::SaturatingMul(flops, runs), element_bytes, cost);
    if (bytes) {
      sum.has_bytes = true;
      cost.bytes = util::SaturatingMul(*bytes, runs);
    }
    return true;
  }

  bool AddTorch(const profile::Step& step, size_t g, std::string_view op,
                OpCostSum& sum, Cost& cost) {
    if (step.num_executions() == 0) return false;
    int64_t known = 0;
    const size_t end = step.exec_end(g);
    for (size_t e = step.exec_begin(g); e < end; ++e) {
      if (work_.cancelled()) return false;
      const profile::LaneId lane = step.LaneOf(e);
      if (lane == profile::kNone ||
          profile_.lanes()[lane].kind != profile::LaneKind::kCompute) {
        continue;
      }
      const OpCost of_run = TorchCost(
          op, profile_.Arguments(
                  static_cast<profile::RecordRef>(step.exec_record[e])));
      if (of_run.outcome != OpCost::Outcome::kKnown) continue;
      ++known;
      AddFlops(of_run.flops, of_run.element_bytes, cost);
      if (of_run.bytes > 0) {
        sum.has_bytes = true;
        cost.bytes = util::SaturatingAdd(cost.bytes, of_run.bytes);
      }
    }
    // Runs in a replayed graph are not among the calls of the host.
    const int64_t unknown =
        std::max<int64_t>(0, step.sums.run_count[g] - known);
    sum.known_runs += known;
    sum.unknown_runs += unknown;
    return unknown == 0 && known > 0;
  }

  static void AddFlops(int64_t flops, int64_t element_bytes, Cost& cost) {
    constexpr int64_t kFloatBytes = 4;
    cost.flops = util::SaturatingAdd(cost.flops, flops);
    if (element_bytes == kFloatBytes) {
      cost.fp32_flops = util::SaturatingAdd(cost.fp32_flops, flops);
    }
  }

  OpCostSum& SumOf(profile::StringId op) {
    const auto [it, is_new] = ids_.try_emplace(op, all_.ops.size());
    if (is_new) all_.ops.emplace_back().op = op;
    return all_.ops[it->second];
  }

  const profile::Profile& profile_;
  const util::TaskOptions& work_;
  const bool on_accelerator_;
  OpCosts all_;
  absl::flat_hash_map<profile::StringId, size_t> ids_;
  absl::flat_hash_map<profile::NodeId, OpCost> hlo_;
  // An instruction accesses the same number of bytes in each run.
  absl::flat_hash_map<profile::NodeId, std::optional<int64_t>> bytes_;
};

}  // namespace

OpCosts ComputeOpCosts(const profile::Profile& profile,
                       std::span<const profile::Step* const> steps,
                       const util::TaskOptions& work) {
  size_t records = 0;
  for (const profile::Step* step : steps) records += step->num_records();
  // Nodes differ in what they cost here, so there are more parts than threads.
  constexpr size_t kPartsOfAThread = 8;
  size_t parts = util::NumRanges(work, records);
  if (parts > 1) parts *= kPartsOfAThread;
  const auto begin_of = [&](size_t part) {
    return static_cast<int64_t>(profile.nodes().size() * part / parts);
  };
  std::vector<Collector> collectors(
      parts, Collector(profile, work, HasAccelerators(profile), steps.size()));
  util::ParallelFor(work, parts, [&](size_t part) {
    for (size_t s = 0; s < steps.size(); ++s) {
      collectors[part].Add(s, *steps[s], begin_of(part), begin_of(part + 1));
    }
  });
  for (size_t part = 1; part < parts; ++part) {
    collectors.front().Add(collectors[part]);
  }
  return std::move(collectors.front()).Take();
}

}  // namespace tfprof::flops
