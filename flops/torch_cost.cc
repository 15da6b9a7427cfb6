#include "flops/torch_cost.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "flops/argument_list.h"
#include "flops/formulas.h"
#include "util/arithmetic.h"

namespace tfprof::flops {
namespace {

using Outcome = OpCost::Outcome;
using Shape = std::vector<int64_t>;

int64_t NumElements(const Shape& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product = util::SaturatingMul(product, dim);
  return product;
}

// The arguments of one run of an operation.
struct Arguments {
  ArgumentShapes shapes;
  std::vector<std::string> types;
  std::vector<std::string> values;  // of arguments that are not tensors

  // Returns nullptr if there is no such tensor. A tensor without dimensions
  // counts as a number.
  const Shape* Tensor(size_t i) const {
    if (i >= shapes.size() || shapes[i].empty() || shapes[i][0].empty()) {
      return nullptr;
    }
    const Shape& shape = shapes[i][0];
    return IsKnown(Dims(shape)) ? &shape : nullptr;
  }
  int64_t ElementBytes(size_t i) const {
    return i < types.size() ? TorchElementBytes(types[i]) : 0;
  }
  std::vector<int64_t> Ints(size_t i) const {
    return i < values.size() ? ParseInts(values[i]) : std::vector<int64_t>();
  }
  bool IsTrue(size_t i) const {
    return i < values.size() && (values[i] == "True" || values[i] == "true");
  }
  // Returns the bytes of all tensor arguments.
  int64_t Bytes() const {
    int64_t bytes = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      for (const Shape& shape : shapes[i]) {
        if (shape.empty() || !IsKnown(Dims(shape))) continue;
        bytes = util::SaturatingAdd(
            bytes, util::SaturatingMul(NumElements(shape), ElementBytes(i)));
      }
    }
    return bytes;
  }
};

OpCost Missing(Outcome outcome) {
  OpCost cost;
  cost.outcome = outcome;
  return cost;
}

OpCost NoShapes() { return Missing(Outcome::kNoShapes); }
OpCost NotSupported() { return Missing(Outcome::kNotSupported); }

// Makes a cost whose output has `outputs` elements of the type of argument
// `like`.
OpCost KnownCost(const Arguments& a, int64_t flops, int64_t outputs,
                 size_t like) {
  OpCost cost;
  cost.outcome = Outcome::kKnown;
  cost.flops = flops;
  cost.element_bytes = a.ElementBytes(like);
  cost.bytes = util::SaturatingAdd(
      a.Bytes(), util::SaturatingMul(outputs, cost.element_bytes));
  return cost;
}

// Counts the product (…, m, k) x (…, k, n) of argument `x` and the next one.
// The leading dimensions of the first argument are batch dimensions.
template <size_t x>
OpCost TorchProduct(const Arguments& a) {
  const Shape* left = a.Tensor(x);
  const Shape* right = a.Tensor(x + 1);
  if (left == nullptr || right == nullptr) return NoShapes();
  if (left->size() < 2 || right->size() < 2) return NotSupported();
  if (left->back() != (*right)[right->size() - 2]) return NotSupported();
  const int64_t outputs = util::SaturatingMul(
      NumElements(Shape(left->begin(), left->end() - 1)), right->back());
  return KnownCost(
      a, util::SaturatingMul(util::SaturatingMul(2, left->back()), outputs),
      outputs, x);
}

// Counts the product of a matrix and a vector, or of two vectors.
template <size_t x>
OpCost VectorProduct(const Arguments& a) {
  const Shape* left = a.Tensor(x);
  if (left == nullptr || a.Tensor(x + 1) == nullptr) return NoShapes();
  const int64_t outputs = NumElements(Shape(left->begin(), left->end() - 1));
  return KnownCost(a, util::SaturatingMul(2, NumElements(*left)), outputs, x);
}

// Counts the product (…, in) x (out, in).
OpCost Linear(const Arguments& a) {
  const Shape* input = a.Tensor(0);
  const Shape* weight = a.Tensor(1);
  if (input == nullptr || weight == nullptr) return NoShapes();
  if (weight->size() != 2 || weight->back() != input->back()) {
    return NotSupported();
  }
  const int64_t outputs = util::SaturatingMul(
      NumElements(Shape(input->begin(), input->end() - 1)), weight->front());
  return KnownCost(
      a, util::SaturatingMul(util::SaturatingMul(2, input->back()), outputs),
      outputs, 0);
}

// The positions of a convolution's arguments.
struct ConvolutionArguments {
  size_t stride, padding, dilation;
  size_t transposed;  // 0: never transposed
};

template <ConvolutionArguments where>
OpCost TorchConvolution(const Arguments& a) {
  const Shape* input = a.Tensor(0);
  const Shape* weight = a.Tensor(1);
  if (input == nullptr || weight == nullptr) return NoShapes();
  if (weight->size() < 3 || input->size() != weight->size()) {
    return NotSupported();
  }
  const size_t spatial = weight->size() - 2;
  int64_t pixels = 1;
  const bool transposed = where.transposed != 0 && a.IsTrue(where.transposed);
  if (transposed) {
    // Each input element is multiplied with the whole filter.
    const int64_t taps = util::SaturatingMul(
        2, NumElements(Shape(weight->begin() + 1, weight->end())));
    // The operations do not depend on the output's size. It is about the
    // input's size times the stride in each dimension.
    const std::vector<int64_t> strides = a.Ints(where.stride);
    for (size_t d = 0; d < spatial; ++d) {
      const int64_t stride =
          strides.empty() ? 1 : strides[std::min(d, strides.size() - 1)];
      pixels = util::SaturatingMul(
          pixels, util::SaturatingMul((*input)[2 + d], stride));
    }
    const int64_t outputs = util::SaturatingMul(
        util::SaturatingMul((*input)[0], (*weight)[1]), pixels);
    return KnownCost(a, util::SaturatingMul(taps, NumElements(*input)), outputs,
                     0);
  }
  const std::vector<int64_t> strides = a.Ints(where.stride);
  const std::vector<int64_t> paddings = a.Ints(where.padding);
  const std::vector<int64_t> dilations = a.Ints(where.dilation);
  if (strides.empty() || paddings.empty()) return NotSupported();
  for (size_t d = 0; d < spatial; ++d) {
    const auto of = [d](const std::vector<int64_t>& values) {
      return values[std::min(d, values.size() - 1)];
    };
    const int64_t stride = of(strides);
    const int64_t dilation = dilations.empty() ? 1 : of(dilations);
    if (stride <= 0 || dilation <= 0) return NotSupported();
    const int64_t reach = util::SaturatingMul(dilation, (*weight)[2 + d] - 1);
    const int64_t room = util::WrapSub(
        util::WrapAdd((*input)[2 + d], util::SaturatingMul(2, of(paddings))),
        reach);
    if (room <= 0) return NotSupported();
    pixels = util::SaturatingMul(pixels, (room - 1) / stride + 1);
  }
  const int64_t outputs = util::SaturatingMul(
      util::SaturatingMul((*input)[0], (*weight)[0]), pixels);
  const int64_t taps = NumElements(Shape(weight->begin() + 1, weight->end()));
  return KnownCost(a,
                   util::SaturatingMul(util::SaturatingMul(2, taps), outputs),
                   outputs, 0);
}

// The arguments are (grad_output, input, weight, …, transposed, …,
// output_mask). The gradients of the input and of the weight are one
// convolution each.
OpCost ConvolutionBackward(const Arguments& a) {
  constexpr size_t kTransposed = 7, kMask = 10;
  const Shape* gradient = a.Tensor(0);
  const Shape* input = a.Tensor(1);
  const Shape* weight = a.Tensor(2);
  if (gradient == nullptr || input == nullptr || weight == nullptr) {
    return NoShapes();
  }
  if (weight->size() < 3) return NotSupported();
  const Shape& large = a.IsTrue(kTransposed) ? *input : *gradient;
  const int64_t taps = NumElements(Shape(weight->begin() + 1, weight->end()));
  const int64_t each =
      util::SaturatingMul(util::SaturatingMul(2, taps), NumElements(large));
  int64_t products = 2;
  int64_t outputs =
      util::SaturatingAdd(NumElements(*input), NumElements(*weight));
  if (kMask < a.values.size() && !a.values[kMask].empty()) {
    const std::string& mask = a.values[kMask];
    const bool of_input = mask.compare(0, 5, "[True") == 0;
    const size_t second = mask.find(',');
    const bool of_weight =
        second != mask.npos &&
        mask.find("True", second) < mask.find(',', second + 1);
    products = of_input + of_weight;
    outputs = (of_input ? NumElements(*input) : 0) +
              (of_weight ? NumElements(*weight) : 0);
  }
  return KnownCost(a, util::SaturatingMul(products, each), outputs, 0);
}

// The arguments are query (…, q, d), key (…, k, d) and value (…, k, v). The
// heads are before or after the positions.
template <size_t query, bool heads_last, int64_t twice_products>
OpCost Attention(const Arguments& a) {
  const Shape* q = a.Tensor(query);
  const Shape* k = a.Tensor(query + 1);
  const Shape* v = a.Tensor(query + 2);
  if (q == nullptr || k == nullptr || v == nullptr) return NoShapes();
  if (q->size() != 4 || k->size() != 4 || v->size() != 4) {
    return NotSupported();
  }
  const size_t position = heads_last ? 1 : 2;
  const size_t head = heads_last ? 2 : 1;
  const int64_t pairs =
      util::SaturatingMul(util::SaturatingMul((*q)[0], (*q)[head]),
                          util::SaturatingMul((*q)[position], (*k)[position]));
  // The forward pass has two products: q x k and weights x v. The backward pass
  // has five such products.
  const int64_t depth = util::SaturatingAdd((*q)[3], (*v)[3]);
  const int64_t forward =
      util::SaturatingMul(util::SaturatingMul(2, pairs), depth);
  const int64_t outputs =
      util::SaturatingMul(util::SaturatingMul((*q)[0], (*q)[head]),
                          util::SaturatingMul((*q)[position], (*v)[3]));
  OpCost cost = KnownCost(a, util::SaturatingMul(forward, twice_products) / 2,
                          outputs, query);
  return cost;
}

// Makes a cost whose output has the broadcast shape of all tensors.
OpCost Elementwise(const Arguments& a) {
  Shape output;  // reversed: the last dimension comes first
  bool found = false;
  size_t like = 0;
  for (size_t i = 0; i < a.shapes.size(); ++i) {
    for (const Shape& shape : a.shapes[i]) {
      if (shape.empty() || !IsKnown(Dims(shape))) continue;
      if (!found) like = i;
      found = true;
      if (shape.size() > output.size()) output.resize(shape.size(), 1);
      for (size_t d = 0; d < shape.size(); ++d) {
        const int64_t dim = shape[shape.size() - 1 - d];
        if (dim != 1) output[d] = dim;
      }
    }
  }
  if (!found) return NoShapes();
  return KnownCost(a, 0, NumElements(output), like);
}

// Makes a cost whose output has the shape of the first argument.
OpCost LikeFirst(const Arguments& a) {
  const Shape* first = a.Tensor(0);
  if (first == nullptr) return NoShapes();
  return KnownCost(a, 0, NumElements(*first), 0);
}

struct TorchFormula {
  TorchFormulaText text;
  OpCost (*compute)(const Arguments& arguments);
  bool is_wrapper = false;
};

constexpr TorchFormula kTorchFormulas[] = {
    {{"aten::mm aten::bmm aten::_int_mm aten::_scaled_mm", "2 x k x out"},
     TorchProduct<0>},
    {{"aten::addmm aten::baddbmm aten::_addmm_activation", "2 x k x out"},
     TorchProduct<1>},
    {{"aten::mv aten::dot aten::vdot", "2 x matrix"}, VectorProduct<0>},
    {{"aten::addmv", "2 x matrix"}, VectorProduct<1>},
    {{"aten::mkldnn_linear mkldnn::_linear_pointwise", "2 x in x out"}, Linear},
    {{"aten::linear", "2 x in x out"}, Linear, true},
    {{"aten::matmul", "2 x k x out"}, TorchProduct<0>, true},
    {{"aten::cudnn_convolution", "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{3, 2, 4, 0}>},
    {{"aten::miopen_convolution aten::mkldnn_convolution "
      "aten::miopen_depthwise_convolution",
      "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{4, 3, 5, 0}>},
    {{"aten::_slow_conv2d_forward aten::thnn_conv2d", "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{4, 5, 6, 0}>},
    {{"aten::_conv_depthwise2d aten::conv_depthwise3d "
      "aten::slow_conv_dilated2d aten::slow_conv_dilated3d",
      "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{4, 5, 6, 0}>},
    {{"aten::convolution_overrideable", "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{3, 4, 5, 6}>},
    {{"aten::convolution aten::_convolution", "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{3, 4, 5, 6}>,
     true},
    {{"aten::conv1d aten::conv2d aten::conv3d", "2 x filter[1:] x out"},
     TorchConvolution<ConvolutionArguments{3, 4, 5, 0}>,
     true},
    {{"aten::convolution_backward aten::convolution_backward_overrideable",
      "2 x filter[1:] x out for each gradient"},
     ConvolutionBackward},
    {{"aten::_flash_attention_forward aten::_efficient_attention_forward",
      "4 x heads x q x k x depth"},
     Attention<0, true, 2>},
    {{"aten::_scaled_dot_product_flash_attention "
      "aten::_scaled_dot_product_efficient_attention "
      "aten::_scaled_dot_product_cudnn_attention "
      "aten::_scaled_dot_product_attention_math",
      "4 x heads x q x k x depth"},
     Attention<0, false, 2>,
     true},
    {{"aten::_cudnn_attention_forward "
      "aten::_scaled_dot_product_flash_attention_for_cpu",
      "4 x heads x q x k x depth"},
     Attention<0, false, 2>},
    {{"aten::_cudnn_attention_backward "
      "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
      "10 x heads x q x k x depth"},
     Attention<1, false, 5>},
    {{"aten::scaled_dot_product_attention", "4 x heads x q x k x depth"},
     Attention<0, false, 2>,
     true},
    {{"aten::_flash_attention_backward aten::_efficient_attention_backward",
      "10 x heads x q x k x depth"},
     Attention<1, true, 5>},
    {{"aten::_scaled_dot_product_flash_attention_backward "
      "aten::_scaled_dot_product_efficient_attention_backward "
      "aten::_scaled_dot_product_cudnn_attention_backward",
      "10 x heads x q x k x depth"},
     Attention<1, false, 5>,
     true},
    {{"aten::add aten::add_ aten::sub aten::sub_ aten::mul aten::mul_ "
      "aten::div aten::div_ aten::pow aten::neg aten::exp aten::log aten::sqrt "
      "aten::rsqrt aten::sigmoid aten::tanh aten::relu aten::relu_ "
      "aten::clamp_min aten::clamp_min_ aten::gelu aten::silu aten::where "
      "aten::eq aten::ne aten::lt aten::le aten::gt aten::ge aten::maximum "
      "aten::minimum aten::gelu_backward aten::silu_backward "
      "aten::threshold_backward aten::sigmoid_backward aten::tanh_backward",
      "0; bytes only"},
     Elementwise},
    {{"aten::_softmax aten::_log_softmax aten::native_layer_norm "
      "aten::native_batch_norm aten::cudnn_batch_norm aten::native_dropout "
      "aten::_softmax_backward_data aten::_log_softmax_backward_data "
      "aten::cumsum",
      "0; bytes only"},
     LikeFirst},
};

const TorchFormula* FindTorchFormula(std::string_view op) {
  using Table = absl::flat_hash_map<absl::string_view, const TorchFormula*>;
  static const Table* const kTable = [] {
    auto* table = new Table;
    for (const TorchFormula& formula : kTorchFormulas) {
      std::string_view ops = formula.text.ops;
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

}  // namespace

int64_t TorchElementBytes(std::string_view type) {
  struct Type {
    std::string_view name;
    int64_t bytes;
  };
  constexpr Type kTypes[] = {
      {"float", 4},
      {"double", 8},
      {"c10::BFloat16", 2},
      {"c10::Half", 2},
      {"c10::Float8_e4m3fn", 1},
      {"c10::Float8_e5m2", 1},
      {"c10::Float8_e4m3fnuz", 1},
      {"c10::Float8_e5m2fnuz", 1},
      {"long", 8},
      {"long int", 8},
      {"int", 4},
      {"short", 2},
      {"short int", 2},
      {"signed char", 1},
      {"unsigned char", 1},
      {"char", 1},
      {"bool", 1},
      {"c10::complex<float>", 8},
      {"c10::complex<double>", 16},
  };
  for (const Type& t : kTypes) {
    if (t.name == type) return t.bytes;
  }
  return 0;
}

bool HasTorchCost(std::string_view op) {
  return FindTorchFormula(op) != nullptr;
}

bool IsTorchWrapper(std::string_view op) {
  const TorchFormula* formula = FindTorchFormula(op);
  return formula != nullptr && formula->is_wrapper;
}

OpCost TorchCost(std::string_view op, const profile::ArgumentList& list) {
  const TorchFormula* formula = FindTorchFormula(op);
  if (formula == nullptr) return Missing(Outcome::kNoFormula);
  Arguments arguments;
  for (const auto& [key, value] : list) {
    if (key == "Input Dims" || key == "Input dims") {
      arguments.shapes = ParseShapes(value);
    } else if (key == "Input type") {
      arguments.types = ParseStrings(value);
    } else if (key == "Concrete Inputs") {
      arguments.values = ParseStrings(value);
    }
  }
  if (arguments.shapes.empty()) return NoShapes();
  return formula->compute(arguments);
}

std::span<const TorchFormulaText> TorchFormulas() {
  static constexpr auto kTexts = [] {
    std::array<TorchFormulaText, std::size(kTorchFormulas)> texts = {};
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = kTorchFormulas[i].text;
    return texts;
  }();
  return kTexts;
}

}  // namespace tfprof::flops
