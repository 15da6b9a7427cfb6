#include "loaders/onnx/onnx_flops.h"

#include <algorithm>
#include <iterator>

#include "util/arithmetic.h"

namespace tfprof::onnx {
namespace {

constexpr std::string_view kMatrixProducts[] = {"FusedMatMul",
                                                "FusedMatMulActivation",
                                                "Gemm",
                                                "FusedGemm",
                                                "MatMul",
                                                "MatMulInteger",
                                                "QLinearMatMul",
                                                "TransposeMatMul",
                                                "DynamicQuantizeMatMul",
                                                "MatMulNBits",
                                                "MatMulIntegerToFloat",
                                                "QGemm"};
constexpr std::string_view kConvolutions[] = {"Conv",        "FusedConv",
                                              "NhwcConv",    "NhwcFusedConv",
                                              "QLinearConv", "ConvInteger"};
constexpr std::string_view kElementwise[] = {
    "Abs",     "Add",  "Div", "Equal", "Exp",  "Less",       "Greater",
    "Log",     "Max",  "Min", "Mul",   "Neg",  "Pow",        "Relu",
    "Sigmoid", "Sqrt", "Sub", "Sum",   "Tanh", "Reciprocal", "Erf"};

template <size_t N>
bool IsIn(std::string_view op, const std::string_view (&ops)[N]) {
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

int64_t Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product = util::SaturatingMul(product, dim);
  return product;
}

// The output [… M, N] has M·N elements for each product, and each is a sum over
// K. K is the size of the first input divided by its batches and M.
int64_t MatrixProduct(std::span<const int64_t> a,
                      std::span<const int64_t> output) {
  if (a.size() < 2 || output.size() < 2) return 0;
  const int64_t rows = output[output.size() - 2];
  const int64_t batches = Product(a.first(a.size() - 2));
  const int64_t left = util::SaturatingMul(rows, batches);
  if (left <= 0) return 0;
  return util::SaturatingMul(
      2, util::SaturatingMul(Product(output), Product(a) / left));
}

}  // namespace

int64_t OnnxFloatOps(std::string_view op, std::span<const OnnxShape> inputs,
                     std::span<const OnnxShape> outputs,
                     std::span<const int64_t> weight) {
  if (outputs.empty() || outputs[0].empty()) return 0;
  const OnnxShape& output = outputs[0];
  if (IsIn(op, kElementwise)) return Product(output);
  if (op == "Softmax") return util::SaturatingMul(5, Product(output));
  if (inputs.empty()) return 0;
  if (IsIn(op, kMatrixProducts)) return MatrixProduct(inputs[0], output);
  const bool transposed = op == "ConvTranspose";
  if (!transposed && !IsIn(op, kConvolutions)) return 0;
  // QLinearConv has scales and zero points between the data and the weights.
  const size_t place = op == "QLinearConv" ? 3 : 1;
  if (place < inputs.size() && inputs[place].size() > 2) {
    weight = inputs[place];
  }
  if (weight.size() < 3) return 0;
  // Each output is a sum over the channels and the kernel sizes. In the
  // transposed form, each input contributes to as many outputs.
  return util::SaturatingMul(
      2, util::SaturatingMul(Product(transposed ? inputs[0] : output),
                             Product(weight.subspan(1))));
}

}  // namespace tfprof::onnx
