// Classes of work, from names: which kind of kernel ran on a device, and what a
// call of the host does while a device is idle.
//
//   KernelClassOf("aten::addmm")             // kMatrixProduct
//   HostCallOf("cudaStreamSynchronize")      // kWait
//   HostCallOf("enumerate(DataLoader)#...")  // kInput
//
// A file has only names, so these are rules about names: of the operations of
// TensorFlow, PyTorch and XLA, of the kernels of vendors' libraries, of runtime
// calls, and of functions. All commands and checkers use these rules. A name
// that no rule knows is kOther. Functions take time linear in the name; callers
// cache results by the id of the name.

#ifndef TFPROF_TIMELINE_ACCOUNT_WORK_CLASSES_H_
#define TFPROF_TIMELINE_ACCOUNT_WORK_CLASSES_H_

#include <cstdint>
#include <string_view>

namespace tfprof::timeline {

enum class KernelClass : uint8_t {
  kMatrixProduct,
  kAttention,
  kConvolution,
  kNormalization,
  kReduction,    // sums, maxima, softmax, losses, sorting
  kElementwise,  // also fusions of XLA and updates by an optimizer
  kDeviceCopy,   // within the memory of the device: layouts, concatenation
  kOther,
};

// `name` is the type of an operation or the name of a kernel.
KernelClass KernelClassOf(std::string_view name);

enum class HostCall : uint8_t {
  kOther,        // an operation or a named range
  kInput,        // reads or prepares input
  kCompilation,  // compiles, traces or tunes a program
  kFirstUse,     // sets up a device, a library or a communicator, or imports
  kProfiler,     // the recorder itself
  kAllocation,   // allocates or frees memory with the driver
  kLaunch,       // gives work to a device
  kWait,         // waits for a device, a thread or another process
};

// `name` is the name of an operation, a range, a runtime call or a function.
HostCall HostCallOf(std::string_view name);

// True for a call with which Python imports a module.
bool IsModuleImport(std::string_view name);

// True for "FILE:LINE:FUNCTION", a Python function with its file.
bool IsPythonFunction(std::string_view name);

// True for a call that captures a CUDA or HIP graph, or makes it a program.
bool IsGraphCapture(std::string_view name);

// `name` is a Python function with its file: "data.py:12:load_batch" or
// "data.py:12 load_batch". The words in the path of a file mean little, so only
// the function and some files of libraries decide.
HostCall HostCallOfFunction(std::string_view name);

// True if an operation or call waits for something else and does no work of its
// own. It is never the cause of lost time: what it waits for is. The name
// "select" does not say: it is a call of the system, and an instruction of XLA.
inline bool IsWait(std::string_view name) {
  return name != "select" && HostCallOf(name) == HostCall::kWait;
}

// True for a function that waits for another thread (such as that of the
// gradients), a queue or a process, and not for a device.
bool WaitsForProgram(std::string_view name);

// True if `wait` takes something from a queue of another thread or process, and
// `function`, which calls it, gives it on as input: "prefetcher.py:30:next".
bool WaitsForInput(std::string_view wait, std::string_view function);

// True for a call of the C library that waits for a thread, a process, a file
// or a time. Inside of a call of a device it waits for the device.
bool IsSystemWait(std::string_view name);

// True for the name of a range that says only what it is about, such as "data",
// "batch" or "next". A range that launches nothing then gets input.
bool NamesInput(std::string_view name);

// True for what looks like a function of the C library, such as ioctl or
// sem_wait: small letters, digits and _. Calls of devices and operations have
// other characters, too.
bool IsSystemCall(std::string_view name);

// Returns what is most often the type of an operation of TensorFlow that a file
// gives only the name of: "MatMul" for "layer/MatMul_1".
std::string_view TypeInName(std::string_view name);

// True for an operation of TensorFlow that takes a token from a queue with
// which tasks wait for each other, such as that of SyncReplicasOptimizer.
bool TakesToken(std::string_view name, std::string_view type);

// True for an operation that waits for a tensor of another task.
bool ReceivesTensor(std::string_view type);

// What an operation is, if it is no work: "waits" for IsWait() and a receive,
// "frame" for the marker of a step, which contains other work. Otherwise "".
std::string_view RoleOf(std::string_view op);

// True for an operation of a device that waits until an asynchronous copy of
// XLA is done, such as the offload of a tensor to the host.
bool WaitsForCopy(std::string_view op);

// True for an operation that a stream of a device runs to wait for an event of
// another stream, as in MTIA's traces.
bool WaitsForEvent(std::string_view op);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_WORK_CLASSES_H_
