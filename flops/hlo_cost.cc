#include "flops/hlo_cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "profile/attr_value.h"
#include "util/arithmetic.h"
#include "util/text/ascii.h"

namespace tfprof::flops {
namespace {

// A typical fusion has some hundred instructions. The cost of a larger
// computation is unknown.
constexpr size_t kMaxFused = 100'000;

int64_t HloElements(const HloShape& shape) {
  int64_t product = 1;
  for (const int64_t dim : shape.dims)
    product = util::SaturatingMul(product, dim);
  return product;
}

int64_t Bytes(const std::vector<HloShape>& shapes) {
  int64_t bytes = 0;
  for (const HloShape& shape : shapes) {
    bytes = util::SaturatingAdd(
        bytes, util::SaturatingMul(HloElements(shape), shape.element_bytes));
  }
  return bytes;
}

// Returns 4 for "f32", 0 if the type is unknown. Types smaller than a byte
// count as one byte.
int64_t ElementBytes(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "c64") return 8;
  if (type == "c128") return 16;
  size_t digit = 0;
  while (digit < type.size() && !util::IsDigit(type[digit])) ++digit;
  int64_t bits = 0;
  std::from_chars(type.data() + digit, type.data() + type.size(), bits);
  constexpr int64_t kMaxBits = 128;
  if (bits <= 0 || bits > kMaxBits) return 0;
  constexpr int64_t kBitsPerByte = 8;
  return (bits + kBitsPerByte - 1) / kBitsPerByte;
}

// Returns the square root of `n` if it is an integer.
std::optional<int64_t> SquareRoot(int64_t n) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  for (int64_t r = std::max<int64_t>(root - 1, 0); r <= root + 1; ++r) {
    if (util::SaturatingMul(r, r) == n) return r;
  }
  return std::nullopt;
}

class Instruction {
 public:
  Instruction(const profile::Profile& profile, profile::NodeId n)
      : profile_(profile), n_(n) {}

  std::string_view opcode() const {
    return profile_.strings().Get(profile_.nodes().op[n_]);
  }
  // Returns no shapes if the node is not an HLO instruction.
  std::vector<HloShape> Shapes() const {
    const auto text = profile::AttrString(
        profile::FindAttribute(profile_.Attributes(n_), "shape"));
    return text ? ParseHloShapes(*text) : std::vector<HloShape>();
  }
  std::string CallTarget() const {
    const auto text = profile::AttrString(
        profile::FindAttribute(profile_.Attributes(n_), "custom_call_target"));
    return std::string(text.value_or(""));
  }
  // Returns kNone if there is no such operand.
  profile::NodeId Operand(uint32_t i) const {
    return i < profile_.nodes().num_inputs(n_)
               ? profile_.nodes().Source(n_,
                                         profile_.nodes().edge_begin[n_] + i)
               : profile::kNone;
  }
  uint32_t num_edges() const { return profile_.nodes().num_inputs(n_); }

 private:
  const profile::Profile& profile_;
  const profile::NodeId n_;
};

bool IsProduct(std::string_view opcode, std::string_view target) {
  return opcode == "dot" || target.find("gemm") != target.npos ||
         target.find("matmul") != target.npos;
}

bool IsConvolution(std::string_view opcode, std::string_view target) {
  return opcode == "convolution" || target.find("convForward") != target.npos ||
         target == "__cudnn$convBiasActivationForward";
}

// These instructions compute nothing.
bool IsBookkeeping(std::string_view opcode) {
  for (const std::string_view name :
       {"parameter", "constant", "tuple", "get-tuple-element", "bitcast",
        "while", "call", "conditional", "after-all", "iota", "opt-barrier"}) {
    if (opcode == name) return true;
  }
  return false;
}

// Returns the operations of the instruction itself, or nullopt if its shapes do
// not match.
std::optional<int64_t> OwnFlops(const profile::Profile& profile,
                                profile::NodeId n) {
  const Instruction instruction(profile, n);
  const std::string_view opcode = instruction.opcode();
  const std::string target =
      opcode == "custom-call" ? instruction.CallTarget() : std::string();
  const bool is_product = IsProduct(opcode, target);
  if (!is_product && !IsConvolution(opcode, target)) return 0;
  const profile::NodeId left = instruction.Operand(0),
                        right = instruction.Operand(1);
  if (left == profile::kNone || right == profile::kNone) return std::nullopt;
  const auto a = Instruction(profile, left).Shapes();
  const auto b = Instruction(profile, right).Shapes();
  const auto result = instruction.Shapes();
  if (a.empty() || b.empty() || result.empty()) return std::nullopt;
  return is_product ? HloDotFlops(a[0], b[0], result[0])
                    : HloConvolutionFlops(a[0], b[0], result[0]);
}

// Adds up all instructions that the root of the fused computation (the last
// edge) depends on. The computation's parameters have no inputs.
std::optional<int64_t> FusedFlops(const profile::Profile& profile,
                                  profile::NodeId fusion) {
  const profile::NodeTable& nodes = profile.nodes();
  const Instruction instruction(profile, fusion);
  if (instruction.num_edges() == 0) return std::nullopt;
  std::vector<profile::NodeId> open;
  absl::flat_hash_set<profile::NodeId> seen = {fusion};
  const auto visit = [&](profile::NodeId n) {
    if (n != profile::kNone && seen.insert(n).second) open.push_back(n);
  };
  visit(instruction.Operand(instruction.num_edges() - 1));
  int64_t flops = 0;
  while (!open.empty()) {
    if (seen.size() > kMaxFused) return std::nullopt;
    const profile::NodeId n = open.back();
    open.pop_back();
    const std::optional<int64_t> own = OwnFlops(profile, n);
    if (!own) return std::nullopt;
    flops = util::SaturatingAdd(flops, *own);
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      visit(nodes.Source(n, e));
    }
  }
  return flops;
}

}  // namespace

std::vector<HloShape> ParseHloShapes(std::string_view text) {
  std::vector<HloShape> shapes;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('[', at);
    if (open == text.npos) break;
    size_t begin = open;
    while (begin > at && text[begin - 1] != '(' && text[begin - 1] != ',' &&
           text[begin - 1] != ' ') {
      --begin;
    }
    HloShape& shape = shapes.emplace_back();
    shape.element_bytes = ElementBytes(text.substr(begin, open - begin));
    const size_t close = text.find(']', open);
    if (close == text.npos) return {};
    for (size_t i = open + 1; i < close;) {
      // Skip the "<=" of a bounded dynamic dimension ("<=8").
      while (i < close && !util::IsDigit(text[i])) ++i;
      if (i == close) break;
      int64_t dim = 0;
      const auto [next, error] =
          std::from_chars(text.data() + i, text.data() + close, dim);
      if (error != std::errc()) return {};
      shape.dims.push_back(dim);
      i = static_cast<size_t>(next - text.data());
    }
    at = close + 1;
    // Skip the layout: "{1,0:T(8,128)}".
    if (at < text.size() && text[at] == '{') {
      at = std::min(text.find('}', at), text.size());
    }
  }
  return shapes;
}

std::optional<int64_t> HloDotFlops(const HloShape& left, const HloShape& right,
                                   const HloShape& result) {
  const int64_t out = HloElements(result);
  if (out == 0) return 0;
  const __int128 inputs = static_cast<__int128>(HloElements(left)) *
                          static_cast<__int128>(HloElements(right));
  const size_t all = left.dims.size() + right.dims.size();
  if (all < result.dims.size()) return std::nullopt;
  // Contracted dimensions are in both operands; batch dimensions are in both
  // operands and the result.
  const size_t missing = all - result.dims.size();
  for (size_t contracted = 1; 2 * contracted <= missing; ++contracted) {
    const size_t batches = missing - 2 * contracted;
    if (batches > result.dims.size()) continue;
    HloShape batch;
    batch.dims.assign(result.dims.begin(),
                      result.dims.begin() + static_cast<ptrdiff_t>(batches));
    // |left| x |right| / |result| = batches x contracted².
    const __int128 whole =
        static_cast<__int128>(out) * static_cast<__int128>(HloElements(batch));
    if (whole == 0 || inputs % whole != 0) continue;
    const __int128 square = inputs / whole;
    if (square > INT64_MAX) continue;
    const auto k = SquareRoot(static_cast<int64_t>(square));
    if (k) return util::SaturatingMul(util::SaturatingMul(2, out), *k);
  }
  return std::nullopt;
}

std::optional<int64_t> HloConvolutionFlops(const HloShape& image,
                                           const HloShape& filter,
                                           const HloShape& result) {
  const size_t rank = filter.dims.size();
  if (rank < 3 || image.dims.size() != rank || result.dims.size() != rank) {
    return std::nullopt;
  }
  int64_t features = 0;
  if (filter.dims.back() == result.dims.back()) {
    features = filter.dims.back();
  } else if (filter.dims.front() == result.dims[1]) {
    features = filter.dims.front();
  }
  if (features <= 0) return std::nullopt;
  return util::SaturatingMul(util::SaturatingMul(2, HloElements(result)),
                             HloElements(filter) / features);
}

OpCost HloCost(const profile::Profile& profile, profile::NodeId n) {
  OpCost cost;
  const Instruction instruction(profile, n);
  const std::vector<HloShape> result = instruction.Shapes();
  const std::string_view opcode = instruction.opcode();
  if (result.empty() || IsBookkeeping(opcode)) return cost;
  const bool is_fusion = opcode == "fusion";
  const std::optional<int64_t> flops =
      is_fusion ? FusedFlops(profile, n) : OwnFlops(profile, n);
  if (!flops) {
    cost.outcome = OpCost::Outcome::kNotSupported;
    return cost;
  }
  cost.outcome = OpCost::Outcome::kKnown;
  cost.flops = *flops;
  cost.bytes = Bytes(result);
  // The last edge of a fusion is its computation, not an operand.
  const uint32_t operands =
      instruction.num_edges() - (is_fusion && instruction.num_edges() > 0);
  for (uint32_t i = 0; i < operands; ++i) {
    const profile::NodeId operand = instruction.Operand(i);
    if (operand == profile::kNone) continue;
    const auto shapes = Instruction(profile, operand).Shapes();
    cost.bytes = util::SaturatingAdd(cost.bytes, Bytes(shapes));
    if (cost.element_bytes == 0 && !shapes.empty()) {
      cost.element_bytes = shapes[0].element_bytes;
    }
  }
  return cost;
}

}  // namespace tfprof::flops
