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
  for (const std::string_view package :
       {"torch/", "torchvision/", "transformers/", "accelerate/", "diffusers/",
        "deepspeed/", "lightning/", "pytorch_lightning/", "megatron/", "vllm/",
        "sglang/", "flashinfer/", "triton/", "numpy/", "scipy/", "pandas/",
        "PIL/", "jax/", "flax/", "optax/", "tensorflow/", "keras/", "ray/",
        "tqdm/", "importlib/", "sklearn/", "skimage/", "matplotlib/", "cv2/",
        "pyarrow/", "h5py/", "fsspec/", "s3fs/", "boto3/", "botocore/",
        "wandb/", "mlflow/", "tensorboard/", "tensorboardX/", "torchmetrics/",
        "tokenizers/", "sentencepiece/", "timm/", "peft/", "bitsandbytes/",
        "xformers/", "flash_attn/", "apex/", "transformer_engine/", "einops/",
        "requests/", "urllib3/", "rich/", "zmq/", "grpc/", "psutil/", "yaml/",
        // The standard library.
        "asyncio/", "multiprocessing/", "concurrent/", "collections/", "http/",
        "urllib/", "encodings/", "copy.py", "codecs.py", "contextlib.py",
        "csv.py", "functools.py", "glob.py", "gzip.py", "os.py", "pathlib.py",
        "pickle.py", "queue.py", "random.py", "runpy.py", "selectors.py",
        "shutil.py", "socket.py", "ssl.py", "subprocess.py", "tempfile.py",
        "threading.py", "traceback.py", "zipfile.py", "<frozen", "json/",
        "logging/", "uvicorn/", "pytest/"}) {
    if (path.starts_with(package)) return true;
  }
  return false;
}

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_LIBRARY_FILE_H_
