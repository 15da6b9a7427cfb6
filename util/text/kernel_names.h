// Short names of kernels, for people. A compiler gives a kernel of a template
// its whole signature, which may have thousands of characters:
//
//   void at::native::vectorized_elementwise_kernel<4, at::native::
//   BinaryFunctor<float, float, float, at::native::binary_internal::
//   MulFunctor<float> >, std::array<char*, 3ul> >(int, ...)
//     is   vectorized_elementwise_kernel<MulFunctor>
//   void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>(…)
//     is   cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4
//   _ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256E…
//     is   add_rmsnorm_quant_kernel
//
// The rule: the return type, namespaces, parameters, numbers, types of data and
// how the work is laid out are left out. What a general kernel computes stays:
// the functor, or the function that defined a lambda. Names of BLAS libraries
// end after the size of a tile, and a line of HLO is the name of its
// instruction.
//
// Texts that are no names of kernels, such as "aten::mm", "jit(step)" or a
// Python function, are returned as they are. Programs always get whole names.

#ifndef TFPROF_UTIL_TEXT_KERNEL_NAMES_H_
#define TFPROF_UTIL_TEXT_KERNEL_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof::util {

std::string ShortKernelName(std::string_view name);

// The short names of a list of different names, by index. Names that would look
// the same show where they differ: "softmax_warp_forward [BFloat16]".
std::vector<std::string> ShortKernelNames(
    const std::vector<std::string_view>& names);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_KERNEL_NAMES_H_
