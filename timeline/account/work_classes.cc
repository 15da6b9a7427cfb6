#include "timeline/account/work_classes.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "util/text/ascii.h"
#include "views/library_file.h"

namespace tfprof::timeline {
namespace {

// The words of a name in lower case: "aten::_softmax" has aten and softmax,
// "BiasAddGrad" has bias, add and grad. Digits end a word.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    if (!upper && !lower) {
      finish();
      continue;
    }
    const bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (upper && after_lower) finish();
    word += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  finish();
  return words;
}

// A rule about names in lower case: `parts` may be anywhere in the name,
// `words` must be whole words of it.
struct Rule {
  KernelClass is;
  std::span<const std::string_view> parts;
  std::span<const std::string_view> words;
};

constexpr std::string_view kAttentionParts[] = {
    "attention", "attn", "flash", "fmha", "sdpa", "paged_", "::mha"};
constexpr std::string_view kConvolutionParts[] = {
    "convolution", "conv1d",        "conv2d",    "conv3d",       "cudnn_conv",
    "winograd",    "implicit_gemm", "fprop",     "implicitgemm", "convolve",
    "depthwise",   "igemm_fwd",     "igemm_bwd", "igemm_wrw"};
constexpr std::string_view kConvolutionWords[] = {"conv", "dgrad", "wgrad"};
constexpr std::string_view kMatrixParts[] = {
    "gemm",   "matmul", "addmm", "baddbmm", "cublas", "cutlass",    "xmma",
    "einsum", "nvjet",  "cijk_", "splitk",  "gemv",   "dot_general"};
constexpr std::string_view kMatrixWords[] = {"mm", "bmm", "dot", "linear",
                                             "mv"};
constexpr std::string_view kNormParts[] = {
    "batchnorm",     "batch_norm", "layernorm", "layer_norm",
    "rmsnorm",       "rms_norm",   "groupnorm", "group_norm",
    "instance_norm", "bn_fw",      "bn_bw",     "normalize"};
constexpr std::string_view kNormWords[] = {"norm", "rms", "bn", "lrn"};
constexpr std::string_view kCopyParts[] = {
    "contiguous", "transpose",  "permute",  "concat",     "memcpy",    "memset",
    "nchwtonhwc", "nhwctonchw", "catarray", "fillbuffer", "copybuffer"};
constexpr std::string_view kCopyWords[] = {"copy", "cat",   "stack", "clone",
                                           "fill", "pack",  "zero",  "pad",
                                           "tile", "split", "slice"};
constexpr std::string_view kReductionParts[] = {
    "reduce",        "softmax",  "cumsum",    "argmax", "argmin",
    "cross_entropy", "nll_loss", "logsumexp", "topk"};
constexpr std::string_view kReductionWords[] = {
    "sum", "mean", "max", "min", "sort", "scan", "loss", "any", "all"};
constexpr std::string_view kElementwiseParts[] = {
    "elementwise", "vectorized", "foreach",         "multi_tensor",
    "multitensor", "adam",       "dropout",         "sigmoid",
    "fusion",      "triton_poi", "gradientdescent", "momentum",
    "adagrad",     "rmsprop"};
constexpr std::string_view kElementwiseWords[] = {
    "add",     "sub",     "mul",    "div",       "exp",     "pow",    "sqrt",
    "rsqrt",   "relu",    "gelu",   "silu",      "tanh",    "where",  "bias",
    "cast",    "neg",     "abs",    "sgd",       "lerp",    "square", "log",
    "sin",     "cos",     "clamp",  "rope",      "rotary",  "select", "convert",
    "addcmul", "addcdiv", "masked", "threshold", "maximum", "minimum"};

constexpr Rule kKernelRules[] = {
    {KernelClass::kAttention, kAttentionParts, {}},
    {KernelClass::kConvolution, kConvolutionParts, kConvolutionWords},
    {KernelClass::kMatrixProduct, kMatrixParts, kMatrixWords},
    {KernelClass::kNormalization, kNormParts, kNormWords},
    {KernelClass::kDeviceCopy, kCopyParts, kCopyWords},
    {KernelClass::kReduction, kReductionParts, kReductionWords},
    {KernelClass::kElementwise, kElementwiseParts, kElementwiseWords},
};

constexpr std::string_view kLogarithm = "log";
constexpr std::string_view kRandomParts[] = {"philox", "randomuniform",
                                             "random_uniform", "randomnormal",
                                             "random_normal"};

// Inductor names a kernel by its kind and all operations that it fuses:
// "triton_red_fused_addmm_transpose_0". A pointwise kernel and a reduction
// contain no product, even if they read the result of one.
constexpr std::string_view kTritonPointwise = "triton_poi_";
constexpr std::string_view kTritonReductions[] = {"triton_red_", "triton_per_"};

// Functions that Python has built in: "builtins.sum" is no reduction.
constexpr std::string_view kPythonBuiltins[] = {
    "builtins.", "str.", "bytes.", "list.", "dict.", "set.", "tuple."};

bool HasPart(std::string_view lower, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [lower](std::string_view part) {
    return lower.find(part) != lower.npos;
  });
}

bool HasPrefix(std::string_view name,
               std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [name](std::string_view prefix) {
    return name.starts_with(prefix);
  });
}

// ---- Calls of the host. Prefixes are of the name as it is written, parts are
// of the name in lower case.

constexpr std::string_view kProfilerParts[] = {
    "start_trace",     "stop_trace",       "start_profiler",  "stop_profiler",
    "prepare_trace",   "pytorch profiler", "activity buffer", "buffer flush",
    "instrumentation", "cuptiactivity",    "cupti_activity",  "profilersession",
    "profiler.start",  "profiler::start"};

// Loading a module of kernels, contexts, handles of libraries, communicators.
constexpr std::string_view kFirstUsePrefixes[] = {
    "cuInit",
    "cuCtxCreate",
    "cuDevicePrimaryCtxRetain",
    "cuModuleLoad",
    "cuLibraryLoad",
    "cudaModuleLoad",
    "cudaLibraryLoad",
    "cudaStreamCreate",
    "cudaGetDeviceProperties",
    "cublasCreate",
    "cublasLtCreate",
    "cudnnCreate",
    "cusolverDnCreate",
    "cusparseCreate",
    "hipInit",
    "hipModuleLoad",
    "hipStreamCreate",
    "hipGetDeviceProperties",
    "hipblasCreate",
    "rocblas_create_handle",
    "miopenCreate",
    "ncclCommInit",
    "rcclCommInit",
    "INIT_NCCL",
    "INIT_FUSION_BUFFER",
    "zeModuleCreate",
    "zeContextCreate",
    "Runtime Triggered Module Loading",
    "Lazy Function Loading"};
constexpr std::string_view kFirstUseParts[] = {
    "_lazy_init", "init_process_group", "warmup", "warm_up", "warm-up"};
// Python imports a module: it finds the file, compiles its text or loads its
// shared library, and runs it.
constexpr std::string_view kImportParts[] = {
    "_find_and_load",   "_find_spec",         "_load_unlocked",
    "_gcd_import",      "_handle_fromlist",   "fileloader.",
    "pathfinder.",      "_compile_bytecode",  "filefinder.",
    "builtinimporter.", "builtins.__import__"};
constexpr std::string_view kImportPrefix = "_imp.";
constexpr std::string_view kImportFiles[] = {"<frozen importlib", "importlib/"};

constexpr std::string_view kCompilationParts[] = {
    "compile_fx",      "backendcompile",   "jit_compile",    "xlacompile",
    "compilemodule",   "compile_module",   "autotun",        "nvrtccompile",
    "hlopasses",       "hlo_passes",       "runbackend",     "trace_to_jaxpr",
    "lower_jaxpr",     "lower_mesh",       "lower_sharding", "mlirlower",
    "buildexecutable", "build_executable", "cudnnfind",      "miopenfind",
    "backend_compile", "compile_and_load", "compileandload", " (tracing)",
    "func_graph_from"};
// Files of libraries whose functions only compile.
constexpr std::string_view kCompilationFiles[] = {
    "_dynamo/convert_frame", "_dynamo/symbolic_convert",
    "_dynamo/output_graph",  "_inductor/compile_fx",
    "_inductor/codecache",   "_inductor/graph.py",
    "_inductor/scheduler",   "_functorch/_aot_autograd",
    "triton/compiler",       "torch/utils/cpp_extension"};
// What is launched from the first to the second is recorded into a graph, and
// the third makes the graph a program.
constexpr std::string_view kCapturePrefixes[] = {
    "cudaStreamBeginCapture", "cuStreamBeginCapture", "hipStreamBeginCapture",
    "cudaStreamEndCapture",   "cuStreamEndCapture",   "hipStreamEndCapture",
    "cudaGraphInstantiate",   "cuGraphInstantiate",   "hipGraphInstantiate"};
// "compiled" runs what was compiled before, and so does this file.
constexpr std::string_view kCompiledFiles[] = {"_dynamo/eval_frame"};
// Python compiles a regular expression, or text.
constexpr std::string_view kTextFiles[] = {"re/", "re.py:", "sre_", "ast.py:"};
constexpr std::string_view kTextPrefixes[] = {"re.", "sre_", "ast.",
                                              "builtins.compile"};
constexpr std::string_view kCompilationWords[] = {
    "compile",   "compiles",      "compiler", "compilation",
    "recompile", "recompilation", "compiling"};

constexpr std::string_view kAllocationPrefixes[] = {
    "cudaMalloc",   "cudaFree",          "cudaHostAlloc",  "cudaHostRegister",
    "cuMemAlloc",   "cuMemFree",         "cuMemCreate",    "cuMemMap",
    "cuMemUnmap",   "cuMemRelease",      "cuMemSetAccess", "cuMemHostAlloc",
    "hipMalloc",    "hipFree",           "hipHostMalloc",  "hipHostFree",
    "hipMemCreate", "hipMemMap",         "hipMemUnmap",    "zeMemAlloc",
    "zeMemFree",    "cudaHostUnregister"};

constexpr std::string_view kLaunchPrefixes[] = {
    "cudaLaunch",      "cuLaunch",           "cudaGraphLaunch",
    "cuGraphLaunch",   "hipLaunch",          "hipExtLaunch",
    "hipModuleLaunch", "hipExtModuleLaunch", "hipGraphLaunch",
    "cudaMemcpyAsync", "cudaMemsetAsync",    "hipMemcpyAsync",
    "hipMemsetAsync",  "cuMemcpy",           "cuMemset",
    "zeCommandList",   "urEnqueue",          "clEnqueueNDRange"};

constexpr std::string_view kProfilerFiles[] = {"profiler/profiler.py",
                                               "profiler.py:"};
// PyTorch's name of a step.
constexpr std::string_view kStepMarker = "ProfilerStep";

constexpr std::string_view kWaitFiles[] = {"threading.py", "selectors.py",
                                           "queue.py"};

// A call that waits begins with one of these, or has one of the parts.
constexpr std::string_view kWaitPrefixes[] = {
    "cudaMemcpy",  // without Async, which is a launch
    "hipMemcpy",
    "cudaMemset",
    "hipMemset",
    "clFinish",
    "clWaitForEvents",
    "zeEventHostSynchronize",
    "zeFenceHostSynchronize",
    "zeCommandQueueSynchronize",
    "NEGOTIATE_",
    "WAIT_FOR_"};
constexpr std::string_view kWaitParts[] = {
    "synchronize", "acquire semaphore", "semaphore wait", "blockuntilready",
    "block_until_ready", "try_to_block", "blockhostuntildone", "_thread.lock",
    "lock.acquire", "threading.py", "thread.wait", "event.wait", "select.poll",
    "_engine_run_backward", "_enginebase.run_backward", "select.epoll",
    "epoll_wait", "futex", "await", "waitforall", "copy-done", "send-done",
    "recv-done", "_local_scalar_dense", "aten::item", "waitfor",
    // XLA waits until a buffer is defined.
    "buffersequencingevent"};
// Calls of the C library that wait for another thread, for a process, for a
// file or for a time.
constexpr std::string_view kSystemWaits[] = {"poll",
                                             "futex",
                                             "ppoll",
                                             "select",
                                             "pselect",
                                             "epoll_wait",
                                             "epoll_pwait",
                                             "sem_wait",
                                             "sem_timedwait",
                                             "sem_clockwait",
                                             "pthread_cond_wait",
                                             "pthread_cond_timedwait",
                                             "pthread_cond_clockwait",
                                             "pthread_mutex_lock",
                                             "pthread_mutex_timedlock",
                                             "pthread_rwlock_rdlock",
                                             "pthread_rwlock_wrlock",
                                             "pthread_barrier_wait",
                                             "pthread_join",
                                             "pthread_timedjoin_np",
                                             "sigwait",
                                             "sigwaitinfo",
                                             "sigtimedwait",
                                             "wait",
                                             "wait3",
                                             "wait4",
                                             "waitid",
                                             "waitpid",
                                             "pause",
                                             "sleep",
                                             "usleep",
                                             "nanosleep",
                                             "clock_nanosleep"};

// MTIA's streams and threads wait for events.
constexpr std::string_view kEventWaitParts[] = {"::waitevent", "event_wait",
                                                "wait_event"};
// TensorFlow 2 runs the operations of a function on other threads.
constexpr std::string_view kRunOfFunction = "KernelAndDeviceFunc::Run";
// The first or the last word of a wait: "wait_barrier", "vsync_wait".
constexpr std::string_view kWait = "wait";
// The verb, as in "sync_loss"; "SyncBatchNorm" is an operation.
constexpr std::string_view kWaitWords[] = {"sync"};

// Functions, operations and ranges that read or prepare input. A batch or
// data alone is no input: training has them, too.
constexpr std::string_view kInputParts[] = {
    "data_load",      "dataload",        "dataset",        "dequeue",
    "get_next",       "getnext",         "iterator",       "__next__",
    "prefetch",       "barriertakemany", "readerread",     "data_pipeline",
    "input_pipeline", "inputpipeline",   "input pipeline", "load_data",
    "infeed",         "__getitem__",     "collate",        "preprocess",
    "readfile",       "read_file",       "parseexample",   "parse_example"};
constexpr std::string_view kInputOps[] = {"Unstage", "Iterator::Next",
                                          "_next_data", "infeed"};
constexpr std::string_view kInputRanges[] = {
    "data", "dataloader", "batch", "next", "input", "inputs", "fetch"};
constexpr std::string_view kInputVerbs[] = {
    "load",   "read",    "get",     "next",     "fetch",   "make",
    "decode", "prepare", "augment", "tokenize", "generate"};
constexpr std::string_view kInputNouns[] = {
    "batch",    "batches", "data",    "input", "inputs", "example",
    "examples", "sample",  "samples", "image", "images", "minibatch",
    "jpeg",     "png",     "csv",     "video", "audio"};
constexpr std::string_view kInputFiles[] = {"torch/utils/data/",
                                            "data/_utils/",
                                            "tf/data/",
                                            "grain/",
                                            "webdataset/",
                                            "torchvision/datasets/",
                                            "torchvision/io/",
                                            "torchvision/transforms/",
                                            "torchaudio/datasets/"};
// A name with one of these is about something, and does not do it:
// "batch_stats" reads no batch, "compile_report" compiles nothing.
constexpr std::string_view kAboutWords[] = {
    "stats",   "statistics", "metric", "metrics", "report", "reports",
    "summary", "size",       "shape",  "name",    "config", "info"};
// A library has batches, data and items of its own: only these words in its
// functions mean input.
constexpr std::string_view kLoaderParts[] = {
    "data_load",      "dataload", "dataset",   "infeed",        "data_pipeline",
    "input_pipeline", "collate",  "load_data", "parse_example", "parseexample"};

bool HasWord(const std::vector<std::string>& words,
             std::span<const std::string_view> of) {
  return std::ranges::any_of(words, [of](const std::string& word) {
    return std::ranges::find(of, word) != of.end();
  });
}

// A call of CUDA or HIP, such as cudaMemPrefetchAsync.
bool IsRuntimeCall(std::string_view name) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"cuda", "cu", "hip"},
      [name](std::string_view prefix) {
        return name.starts_with(prefix) && name.size() > prefix.size() &&
               name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z';
      });
}

bool IsInput(std::string_view name, std::string_view lower) {
  if (IsRuntimeCall(name)) return false;
  if (std::ranges::find(kInputOps, name) != std::end(kInputOps)) return true;
  for (const std::string_view part :
       {"norm", "matmul", "gather", "conv", "fsdp", "gradient", "embed",
        "data_parallel", "latent"}) {
    if (lower.find(part) != lower.npos) return false;
  }
  if (lower.starts_with("aten::") || lower.starts_with("autograd::")) {
    return false;
  }
  const std::vector<std::string> words = WordsOf(name);
  if (HasWord(words, kAboutWords)) return false;
  if (HasPart(lower, kInputParts)) return true;
  return HasWord(words, kInputNouns) && HasWord(words, kInputVerbs);
}

bool IsSync(std::string_view name, std::string_view lower) {
  return lower.find("sync") != lower.npos && !HasPart(lower, kNormParts) &&
         HasWord(WordsOf(name), kWaitWords);
}

bool WaitsByItsWords(std::string_view name, std::string_view lower) {
  if (lower.find(kWait) == lower.npos) return false;
  const std::vector<std::string> words = WordsOf(name);
  return words.front() == kWait || words.back() == kWait;
}

bool IsImport(std::string_view lower) {
  return lower.starts_with(kImportPrefix) || HasPart(lower, kImportParts);
}

bool IsCompilation(std::string_view name, std::string_view lower) {
  if (HasPrefix(name, kTextPrefixes)) return false;
  if (HasPart(lower, kCompilationParts)) {
    // Dynamo looks up the compiled program in each call.
    return lower.find("cache lookup") == lower.npos;
  }
  const std::vector<std::string> words = WordsOf(name);
  return HasWord(words, kCompilationWords) && !HasWord(words, kAboutWords);
}

// The function in "FILE:LINE:FUNCTION" or "FILE:LINE FUNCTION".
std::string_view FunctionIn(std::string_view name) {
  const size_t end = name.find_last_of(": ");
  return end == name.npos ? name : name.substr(end + 1);
}

}  // namespace

KernelClass KernelClassOf(std::string_view name) {
  if (HasPrefix(name, kPythonBuiltins)) return KernelClass::kOther;
  if (name.starts_with(kTritonPointwise)) return KernelClass::kElementwise;
  const std::string lower = util::LowerCase(name);
  if (HasPrefix(name, kTritonReductions)) {
    return HasPart(lower, kNormParts) ? KernelClass::kNormalization
                                      : KernelClass::kReduction;
  }
  // "FillPhiloxRandomKernel" computes what it fills in.
  if (HasPart(lower, kRandomParts)) return KernelClass::kOther;
  const std::vector<std::string> words = WordsOf(name);
  for (const Rule& rule : kKernelRules) {
    if (HasPart(lower, rule.parts)) return rule.is;
    for (const std::string& word : words) {
      // "log_metrics" writes a log.
      if (word == kLogarithm && word != words.back()) continue;
      if (std::ranges::find(rule.words, word) != rule.words.end()) {
        return rule.is;
      }
    }
  }
  return KernelClass::kOther;
}

bool IsPythonFunction(std::string_view name) {
  const size_t function = name.rfind(':');
  if (function == name.npos || function == 0) return false;
  size_t line = function;
  while (line > 0 && util::IsDigit(name[line - 1])) --line;
  return line < function && line > 1 && name[line - 1] == ':';
}

bool IsModuleImport(std::string_view name) {
  return HasPart(name, kImportFiles) || IsImport(util::LowerCase(name));
}

HostCall HostCallOf(std::string_view name) {
  if (IsPythonFunction(name)) return HostCallOfFunction(name);
  const std::string lower = util::LowerCase(name);
  if (HasPart(lower, kProfilerParts)) return HostCall::kProfiler;
  if (HasPrefix(name, kFirstUsePrefixes) || HasPart(lower, kFirstUseParts) ||
      IsImport(lower)) {
    return HostCall::kFirstUse;
  }
  if (HasPrefix(name, kAllocationPrefixes)) return HostCall::kAllocation;
  if (IsGraphCapture(name)) return HostCall::kCompilation;
  if (HasPrefix(name, kLaunchPrefixes)) return HostCall::kLaunch;
  if (HasPrefix(name, kWaitPrefixes) || HasPart(lower, kWaitParts) ||
      HasPart(lower, kEventWaitParts) || IsSync(name, lower) ||
      WaitsByItsWords(name, lower) || name == kRunOfFunction ||
      IsSystemWait(name)) {
    return HostCall::kWait;
  }
  if (IsInput(name, lower)) return HostCall::kInput;
  if (IsCompilation(name, lower)) return HostCall::kCompilation;
  return HostCall::kOther;
}

HostCall HostCallOfFunction(std::string_view name) {
  const std::string_view function = FunctionIn(name);
  const std::string lower = util::LowerCase(function);
  const bool is_profiler = HasPart(name, kProfilerFiles);
  if (HasPart(lower, kProfilerParts) ||
      (is_profiler && (lower == "start" || lower == "stop"))) {
    return HostCall::kProfiler;
  }
  if (HasPart(lower, kFirstUseParts) || IsImport(lower) ||
      HasPart(name, kImportFiles)) {
    return HostCall::kFirstUse;
  }
  if (HasPart(name, kInputFiles) ||
      (views::IsLibraryFile(name) ? HasPart(lower, kLoaderParts)
                                  : IsInput(function, lower))) {
    return HostCall::kInput;
  }
  if (HasPart(name, kCompilationFiles) ||
      (!HasPart(name, kCompiledFiles) && !HasPrefix(name, kTextFiles) &&
       IsCompilation(function, lower))) {
    return HostCall::kCompilation;
  }
  // A function of the program itself does something, whatever it is called; if
  // it waits, a call inside it says so.
  const bool is_program = IsPythonFunction(name) && !views::IsLibraryFile(name);
  if (!is_program &&
      (HasPart(name, kWaitFiles) || HasPart(lower, kWaitParts))) {
    return HostCall::kWait;
  }
  return HostCall::kOther;
}

bool IsGraphCapture(std::string_view name) {
  return HasPrefix(name, kCapturePrefixes);
}

bool IsSystemWait(std::string_view name) {
  return std::ranges::find(kSystemWaits, name) != std::end(kSystemWaits);
}

bool NamesInput(std::string_view name) {
  const size_t last = name.find_last_not_of(" *#_0123456789");
  name = name.substr(0, last == name.npos ? 0 : last + 1);
  return std::ranges::find(kInputRanges, util::LowerCase(name)) !=
         std::end(kInputRanges);
}

bool IsSystemCall(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || util::IsDigit(c) || c == '_';
  });
}

std::string_view TypeInName(std::string_view name) {
  std::string_view last = name.substr(name.rfind('/') + 1);
  size_t end = last.size();
  while (end > 0 && util::IsDigit(last[end - 1])) --end;
  if (end < last.size() && end > 1 && last[end - 1] == '_') {
    last = last.substr(0, end - 1);
  }
  return last;
}

bool TakesToken(std::string_view name, std::string_view type) {
  constexpr std::string_view kTokens[] = {"sync", "token", "barrier"};
  if (name.find("equeue") == name.npos && type.find("equeue") == type.npos) {
    return false;
  }
  const std::vector<std::string> words = WordsOf(name);
  // A queue of input gives many elements at once.
  const bool takes_one = type == "QueueDequeue" || type == "QueueDequeueV2" ||
                         (!words.empty() && words.back() == "dequeue");
  return takes_one && HasWord(words, kTokens);
}

bool ReceivesTensor(std::string_view type) {
  return type == "_Recv" || type == "_HostRecv" || type == "HostRecv";
}

std::string_view RoleOf(std::string_view op) {
  if (op.starts_with(kStepMarker)) return "frame";
  return IsWait(op) || WaitsForCopy(op) || ReceivesTensor(TypeInName(op))
             ? "waits"
             : "";
}

bool WaitsForProgram(std::string_view name) {
  // The first is the wait for the thread of the gradients.
  constexpr std::string_view kParts[] = {
      "_engine_run_backward", "_EngineBase.run_backward",
      "_thread.lock",         "lock.acquire",
      "select.poll",          "select.epoll",
      "subprocess.py:"};
  if (name == kRunOfFunction) return true;
  return IsPythonFunction(name) &&
         (HasPart(name, kWaitFiles) || HasPart(name, kParts));
}

bool WaitsForInput(std::string_view wait, std::string_view function) {
  constexpr std::string_view kQueues[] = {"queue.py", "queues.py"};
  constexpr std::string_view kLoaders[] = {"prefetch", "loader", "dataset"};
  if (!HasPart(wait, kQueues) || FunctionIn(wait) != "get" ||
      !IsPythonFunction(function)) {
    return false;
  }
  const std::string lower = util::LowerCase(FunctionIn(function));
  const std::vector<std::string> words = WordsOf(lower);
  return lower == "next" || HasPart(lower, kInputParts) ||
         HasWord(words, kInputNouns) ||
         HasPart(util::LowerCase(function), kLoaders);
}

bool WaitsForEvent(std::string_view op) {
  return op.find("ait") != op.npos &&
         HasPart(util::LowerCase(op), kEventWaitParts);
}

bool WaitsForCopy(std::string_view op) {
  return op.starts_with("copy-done") || op.starts_with("copy_done") ||
         op.starts_with("dynamic-slice-done") ||
         op.starts_with("dynamic-update-slice-done");
}

}  // namespace tfprof::timeline
