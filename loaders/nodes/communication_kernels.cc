#include "loaders/nodes/communication_kernels.h"

#include <cstddef>

namespace tfprof::loaders {
namespace {

// Parts of the names of other kernels that communicate.
constexpr std::string_view kCollectives[] = {
    "mscclpp",
    // torch.distributed with symmetric memory. "multimem_" is the hardware's
    // multicast, of which only collectives have a use.
    "multimem_", "one_shot_all_reduce", "two_shot_all_reduce", "symm_mem",
    "symmetric_memory",
    // vLLM and SGLang, also AITER's: the custom and the quick all-reduce.
    "cross_device_reduce", "quickreduce", "quick_reduce", "allreduce_prototype",
    // TensorRT-LLM's in FlashInfer.
    "trtllm_allreduce", "trtllm_mnnvl_allreduce", "allreduce_fusion_kernel",
    // DeepEP between GPUs of one machine, and of several.
    "deep_ep::intranode", "deep_ep::internode"};

bool IsPartOfIdentifier(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// Whether an identifier begins with "nccl" or "rccl": "my_nccl" does not.
bool NamesNccl(std::string_view name) {
  for (const std::string_view end : {"ccl", "CCL"}) {
    for (size_t at = name.find(end); at != name.npos;
         at = name.find(end, at + 1)) {
      if (at == 0) continue;
      const char first = name[at - 1];
      if ((first == 'n' || first == 'N' || first == 'r' || first == 'R') &&
          (at == 1 || !IsPartOfIdentifier(name[at - 2]))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool IsCommunicationKernel(std::string_view name) {
  if (NamesNccl(name)) return true;
  for (const std::string_view part : kCollectives) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

}  // namespace tfprof::loaders
