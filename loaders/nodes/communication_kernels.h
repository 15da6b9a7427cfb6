// The names of kernels that communicate, the same for all formats.

#ifndef TFPROF_LOADERS_NODES_COMMUNICATION_KERNELS_H_
#define TFPROF_LOADERS_NODES_COMMUNICATION_KERNELS_H_

#include <string_view>

namespace tfprof::loaders {

// Returns whether a kernel of this name communicates with other processes: the
// kernels of NCCL and RCCL, and the collectives of PyTorch, vLLM, SGLang,
// FlashInfer, MSCCL++ and DeepEP.
bool IsCommunicationKernel(std::string_view name);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_COMMUNICATION_KERNELS_H_
