// Decides whether a source file belongs to a library rather than to the user's
// program. It uses only the path, because the file may not exist on this
// machine.

#ifndef TFPROF_VIEWS_LIBRARY_FILE_H_
#define TFPROF_VIEWS_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof::views {

inline bool IsLibraryFile(std::string_view path) {
  for (const std::string_view part :
       {"site-packages/", "dist-packages/", "/tensorflow/", "/torch/",
        "<frozen", "/lib/python"}) {
    if (path.find(part) != path.npos) return true;
  }
  // Traces of PyTorch write the files of packages like this.
  for (const std::string_view package : {"torch/",
                                         "torchvision/",
                                         "transformers/",
                                         "accelerate/",
                                         "diffusers/",
                                         "deepspeed/",
                                         "lightning/",
                                         "pytorch_lightning/",
                                         "megatron/",
                                         "vllm/",
                                         "sglang/",
                                         "flashinfer/",
                                         "triton/",
                                         "numpy/",
                                         "scipy/",
                                         "pandas/",
                                         "PIL/",
                                         "jax/",
                                         "flax/",
                                         "optax/",
                                         "tensorflow/",
                                         "keras/",
                                         "ray/",
                                         "tqdm/",
                                         "importlib/",
                                         "asyncio/",
                                         "multiprocessing/",
                                         "concurrent/",
                                         "contextlib.py",
                                         "threading.py",
                                         "functools.py",
                                         "runpy.py",
                                         "queue.py",
                                         "selectors.py",
                                         "<frozen",
                                         "json/",
                                         "logging/",
                                         "uvicorn/",
                                         "pytest/"}) {
    if (path.starts_with(package)) return true;
  }
  return false;
}

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_LIBRARY_FILE_H_
