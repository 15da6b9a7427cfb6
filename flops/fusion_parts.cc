#include "flops/fusion_parts.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "flops/hlo_cost.h"

namespace tfprof::flops {
namespace {

constexpr size_t kMaxParts = 100'000;

std::string_view Opcode(const profile::Profile& profile, profile::NodeId n) {
  return profile.strings().Get(profile.nodes().op[n]);
}

// Returns true if the last edge of an instruction is a computation that is part
// of it.
bool HoldsComputation(std::string_view opcode) {
  for (const std::string_view name :
       {"fusion", "reduce", "reduce-window", "map", "scatter", "sort",
        "select-and-scatter"}) {
    if (opcode == name) return true;
  }
  return false;
}

using Wide = __int128;

Wide CostOf(const FusionPart& part) {
  return static_cast<Wide>(part.flops) + part.bytes;
}

}  // namespace

std::vector<FusionPart> FusionParts(const profile::Profile& profile,
                                    profile::NodeId fusion) {
  const profile::NodeTable& nodes = profile.nodes();
  std::vector<FusionPart> parts;
  const uint32_t last = nodes.edge_begin[fusion + 1];
  if (Opcode(profile, fusion) != "fusion" || last == nodes.edge_begin[fusion]) {
    return parts;
  }
  std::vector<profile::NodeId> open;
  absl::flat_hash_set<profile::NodeId> seen = {fusion};
  const auto visit = [&](profile::NodeId n) {
    if (n != profile::kNone && seen.insert(n).second) open.push_back(n);
  };
  // The last edge leads to the root of the fused computation.
  visit(nodes.Source(fusion, last - 1));
  while (!open.empty()) {
    if (seen.size() > kMaxParts) return {};
    const profile::NodeId n = open.back();
    open.pop_back();
    const std::string_view opcode = Opcode(profile, n);
    if (opcode == "parameter") continue;
    const OpCost cost = HloCost(profile, n);
    parts.push_back({.node = n, .flops = cost.flops, .bytes = cost.bytes});
    uint32_t end = nodes.edge_begin[n + 1];
    if (HoldsComputation(opcode) && end > nodes.edge_begin[n]) --end;
    for (uint32_t e = nodes.edge_begin[n]; e < end; ++e) {
      visit(nodes.Source(n, e));
    }
  }
  std::sort(
      parts.begin(), parts.end(),
      [](const FusionPart& a, const FusionPart& b) { return a.node < b.node; });
  return parts;
}

std::vector<int64_t> DivideTime(int64_t time,
                                std::span<const FusionPart> parts) {
  std::vector<int64_t> times(parts.size(), 0);
  if (parts.empty()) return times;
  if (time < 0) {
    times[0] = time;
    return times;
  }
  Wide all = 0;
  for (const FusionPart& part : parts) all += CostOf(part);
  const bool equal = all == 0;
  if (equal) all = static_cast<Wide>(parts.size());
  // A cost has 64 bits and a time 63, so no product overflows.
  std::vector<Wide> remainders;
  int64_t rest = time;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Wide product = time * (equal ? 1 : CostOf(parts[i]));
    times[i] = static_cast<int64_t>(product / all);
    remainders.push_back(product % all);
    rest -= times[i];
  }
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return remainders[a] > remainders[b];
  });
  // The remaining ticks are fewer than the parts.
  for (size_t i = 0; i < static_cast<size_t>(rest); ++i) ++times[order[i]];
  return times;
}

}  // namespace tfprof::flops
