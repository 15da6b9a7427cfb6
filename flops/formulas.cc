#include "flops/formulas.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "flops/einsum.h"
#include "profile/attr_value.h"
#include "util/arithmetic.h"

namespace tfprof::flops {

bool IsKnown(Dims dims) {
  return !dims.empty() && std::all_of(dims.begin(), dims.end(),
                                      [](int64_t dim) { return dim >= 0; });
}

namespace {

constexpr Flops kNoShapes = {Flops::Outcome::kNoShapes, 0};
constexpr Flops kNotSupported = {Flops::Outcome::kNotSupported, 0};

Flops Known(int64_t value) {
  return {Flops::Outcome::kKnown, std::max<int64_t>(value, 0)};
}

// Returns the number of elements of a known shape.
int64_t Elements(Dims dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product = util::SaturatingMul(product, dim);
  return product;
}

// Returns the product of the first `count` dimensions of a known shape.
int64_t Leading(Dims dims, size_t count) { return Elements(dims.first(count)); }

// ---- Elementwise operations and reductions

template <int factor>
Flops PerInput(const Operation& operation) {
  const Dims in = operation.inputs[0];
  if (!IsKnown(in)) return kNoShapes;
  return Known(util::SaturatingMul(factor, Elements(in)));
}

template <int factor>
Flops PerOutput(const Operation& operation) {
  if (!IsKnown(operation.output)) return kNoShapes;
  return Known(util::SaturatingMul(factor, Elements(operation.output)));
}

Flops L2Loss(const Operation& operation) {
  const Flops flops = PerInput<3>(operation);
  if (flops.outcome != Flops::Outcome::kKnown) return flops;
  return Known(flops.value == kMaxFlops ? kMaxFlops : flops.value - 1);
}

Flops Mean(const Operation& operation) {
  if (!IsKnown(operation.output)) return kNoShapes;
  return PerInput<1>(operation);
}

Flops Reduction(const Operation& operation) {
  const Dims in = operation.inputs[0];
  if (!IsKnown(in) || !IsKnown(operation.output)) return kNoShapes;
  const int64_t elements = Elements(in);
  if (elements == kMaxFlops) return Known(kMaxFlops);
  return Known(elements - Elements(operation.output));
}

Flops AddN(const Operation& operation) {
  if (operation.num_inputs == 0) return Known(0);
  const Dims in = operation.inputs[0];
  if (!IsKnown(in)) return kNoShapes;
  return Known(util::SaturatingMul(
      Elements(in), static_cast<int64_t>(operation.num_inputs - 1)));
}

// ---- Matrix products

Flops Product(const Operation& operation, std::string_view transpose_key,
              bool batched) {
  const Dims a = operation.inputs[0];
  if (!IsKnown(a) || !IsKnown(operation.output)) return kNoShapes;
  if (a.size() < 2 || (!batched && a.size() > 2)) return kNotSupported;
  const bool transposed = profile::AttrBool(
      profile::FindAttribute(operation.attributes, transpose_key));
  const int64_t k = a[a.size() - (transposed ? 2 : 1)];
  return Known(util::SaturatingMul(util::SaturatingMul(2, k),
                                   Elements(operation.output)));
}

Flops MatMul(const Operation& operation) {
  return Product(operation, "transpose_a", /*batched=*/false);
}

Flops BatchMatMul(const Operation& operation) {
  return Product(operation, "adj_x", /*batched=*/true);
}

Flops Einsum(const Operation& operation) {
  const auto equation = profile::AttrString(
      profile::FindAttribute(operation.attributes, "equation"));
  if (!equation || operation.num_inputs > operation.inputs.size()) {
    return kNotSupported;
  }
  // Control inputs come last; the equation gives the number of operands.
  const size_t operands =
      std::count(equation->begin(), equation->end(), ',') + 1u;
  if (operands > operation.inputs.size()) return kNotSupported;
  return EinsumFlops(*equation, std::span(operation.inputs).first(operands));
}

// ---- Convolutions and pooling

enum class Layout { kChannelsLast, kChannelsFirst };

// Channels last is the default.
std::optional<Layout> LayoutOf(const Operation& operation) {
  const std::string_view value =
      profile::FindAttribute(operation.attributes, "data_format");
  if (value.empty()) return Layout::kChannelsLast;
  const std::string_view format = profile::AttrString(value).value_or("");
  if (format == "NHWC") return Layout::kChannelsLast;
  if (format == "NCHW") return Layout::kChannelsFirst;
  return std::nullopt;
}

// Counts a multiplication and an addition for each element of `outputs` and
// each element of the first `count` dimensions of a filter.
Flops PerFilterTap(Dims outputs, Dims filter, size_t count) {
  if (!IsKnown(outputs) || !IsKnown(filter)) return kNoShapes;
  if (filter.size() < count) return kNotSupported;
  return Known(util::SaturatingMul(util::SaturatingMul(2, Elements(outputs)),
                                   Leading(filter, count)));
}

template <int filter_dims>
Flops Convolution(const Operation& operation) {
  return PerFilterTap(operation.output, operation.inputs[1], filter_dims);
}

template <int filter_dims>
Flops InputGradient(const Operation& operation) {
  return PerFilterTap(operation.inputs[2], operation.inputs[1], filter_dims);
}

template <int filter_dims>
Flops FilterGradient(const Operation& operation) {
  return PerFilterTap(operation.inputs[2], operation.output, filter_dims);
}

// The registered formula for both gradients of Conv2D. It ignores the padding;
// it is exact for SAME if the strides divide the image size.
Flops Conv2DGradient(const Operation& operation, Dims image, Dims filter) {
  if (!IsKnown(image) || !IsKnown(filter)) return kNoShapes;
  const std::optional<Layout> layout = LayoutOf(operation);
  const std::vector<int64_t> strides = profile::AttrInts(
      profile::FindAttribute(operation.attributes, "strides"));
  if (!layout || image.size() != 4 || strides.size() != 4) {
    return kNotSupported;
  }
  const bool last = *layout == Layout::kChannelsLast;
  const int64_t vertical = strides[last ? 1 : 2];
  const int64_t horizontal = strides[last ? 2 : 3];
  if (vertical <= 0 || horizontal <= 0) return kNotSupported;
  const int64_t depth = image[last ? 3 : 1];
  if (depth == 0) return Known(0);
  const int64_t elements = Elements(image);
  if (elements == kMaxFlops) return Known(kMaxFlops);
  // Each factor is below 2^63, so the product is below 2^126.
  const unsigned __int128 products =
      static_cast<unsigned __int128>(elements / depth) *
      static_cast<unsigned __int128>(Elements(filter));
  const auto taps =
      static_cast<unsigned __int128>(util::SaturatingMul(vertical, horizontal));
  const unsigned __int128 flops = 2 * products / taps;
  return Known(flops > static_cast<unsigned __int128>(kMaxFlops)
                   ? kMaxFlops
                   : static_cast<int64_t>(flops));
}

Flops Conv2DBackpropInput(const Operation& operation) {
  return Conv2DGradient(operation, operation.output, operation.inputs[1]);
}

Flops Conv2DBackpropFilter(const Operation& operation) {
  return Conv2DGradient(operation, operation.inputs[0], operation.output);
}

// Returns the elements of a pooling window, or kNotSupported.
Flops Window(const Operation& operation) {
  const std::vector<int64_t> ksize =
      profile::AttrInts(profile::FindAttribute(operation.attributes, "ksize"));
  if (ksize.empty() || !LayoutOf(operation) || !IsKnown(ksize)) {
    return kNotSupported;
  }
  return Known(Elements(ksize));
}

Flops PerWindow(const Operation& operation, Dims outputs, int64_t factor,
                int64_t extra) {
  if (!IsKnown(outputs)) return kNoShapes;
  const Flops window = Window(operation);
  if (window.outcome != Flops::Outcome::kKnown) return window;
  const int64_t each =
      util::SaturatingAdd(util::SaturatingMul(factor, window.value), extra);
  return Known(util::SaturatingMul(each, Elements(outputs)));
}

Flops Pool(const Operation& operation) {
  return PerWindow(operation, operation.output, 1, 0);
}
Flops AvgPoolGrad(const Operation& operation) {
  return PerWindow(operation, operation.inputs[1], 2, 0);
}
Flops MaxPoolGrad(const Operation& operation) {
  return PerWindow(operation, operation.inputs[1], 1, 1);
}

constexpr Formula kFormulas[] = {
    {"Add AddV2 Sub Mul RealDiv Maximum Minimum Pow", "out", PerOutput<1>},
    {"Equal NotEqual Less LessEqual Greater GreaterEqual", "out", PerOutput<1>},
    {"SquaredDifference", "2 x out", PerOutput<2>},
    {"RsqrtGrad", "4 x out", PerOutput<4>},
    {"Reciprocal Square Log Neg AssignAdd AssignSub BiasAdd", "in",
     PerInput<1>},
    {"Rsqrt", "2 x in", PerInput<2>},
    {"Softmax", "5 x in", PerInput<5>},
    {"L2Loss", "3 x in - 1", L2Loss},
    {"Mean", "in", Mean},
    {"Sum ArgMax ArgMin BiasAddGrad", "in - out", Reduction},
    {"AddN", "in x (number of inputs - 1)", AddN},
    {"MatMul", "2 x k x out", MatMul, true},
    {"BatchMatMul BatchMatMulV2 BatchMatMulV3", "2 x k x out", BatchMatMul,
     true},
    {"Einsum", "2 x all labels, and sums before it", Einsum, true},
    {"Conv2D", "2 x filter[0:3] x out", Convolution<3>},
    {"Conv2DBackpropInput", "2 x filter x out / (depth x strides)",
     Conv2DBackpropInput, true},
    {"Conv2DBackpropFilter", "2 x filter x image / (depth x strides)",
     Conv2DBackpropFilter, true},
    {"Conv3D", "2 x filter[0:4] x out", Convolution<4>},
    {"Conv3DBackpropInput Conv3DBackpropInputV2",
     "2 x filter[0:4] x out_backprop", InputGradient<4>},
    {"Conv3DBackpropFilter Conv3DBackpropFilterV2",
     "2 x filter[0:4] x out_backprop", FilterGradient<4>},
    {"DepthwiseConv2dNative Dilation2D", "2 x filter[0:2] x out",
     Convolution<2>},
    {"DepthwiseConv2dNativeBackpropInput", "2 x filter[0:2] x out_backprop",
     InputGradient<2>},
    {"DepthwiseConv2dNativeBackpropFilter", "2 x filter[0:2] x out_backprop",
     FilterGradient<2>},
    {"AvgPool MaxPool", "window x out", Pool, true},
    {"AvgPoolGrad", "2 x window x pooled", AvgPoolGrad, true},
    {"MaxPoolGrad", "(window + 1) x pooled", MaxPoolGrad, true},
};

}  // namespace

std::span<const Formula> Formulas() { return kFormulas; }

const Formula* FindFormula(std::string_view op) {
  using Table = absl::flat_hash_map<absl::string_view, const Formula*>;
  static const Table* const kTable = [] {
    auto* table = new Table;
    for (const Formula& formula : kFormulas) {
      std::string_view ops = formula.ops;
      while (!ops.empty()) {
        const size_t end = std::min(ops.find(' '), ops.size());
        table->emplace(absl::string_view(ops.data(), end), &formula);
        ops.remove_prefix(std::min(end + 1, ops.size()));
      }
    }
    return table;
  }();
  const auto it = kTable->find(absl::string_view(op.data(), op.size()));
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace tfprof::flops
