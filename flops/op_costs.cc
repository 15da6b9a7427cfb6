#include "flops/op_costs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "flops/hlo_cost.h"
#include "flops/torch_cost.h"
#include "util/arithmetic.h"

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
  Collector(const profile::Profile& profile, const util::TaskOptions& work)
      : profile_(profile),
        work_(work),
        on_accelerator_(HasAccelerators(profile)) {}

  void Add(const profile::Step& step) {
    for (size_t g = 0; g < step.num_groups(); ++g) AddGroup(step, g);
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
  Collector collector(profile, work);
  for (const profile::Step* step : steps) collector.Add(*step);
  return std::move(collector).Take();
}

}  // namespace tfprof::flops
