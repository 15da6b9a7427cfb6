// The parts of an account: their names, and what to do about each.

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/account/account.h"
#include "timeline/account/framework.h"
#include "timeline/account/graph_holes.h"
#include "timeline/account/queued_waits.h"
#include "timeline/account/work_classes.h"
#include "timeline/ranks/communication.h"

namespace tfprof::timeline {
namespace {

constexpr std::string_view kLaunchRemedy =
    "Launch work in fewer calls: CUDA graphs or torch.compile, larger batches, "
    "fused operations.";

constexpr std::string_view kOutsideOfPythonRemedy =
    "Python calls are recorded, and none explains this time: look at other "
    "processes and at the system during it (py-spy dump, perf, strace -f).";
constexpr std::string_view kOperationsOnlyRemedy =
    "This recording has operations and not the program around them: sample the "
    "program while it runs (py-spy, perf).";

// Python calls have their own lanes, or are nodes among the calls of a thread.
bool RecordsPython(const profile::Profile& profile) {
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].kind == profile::LaneKind::kPython) return true;
  }
  const std::vector<profile::StringId>& ops = profile.graph().nodes.op;
  return std::any_of(ops.begin(), ops.end(), [&](profile::StringId op) {
    return profile.strings().Get(op) == "python";
  });
}

constexpr std::string_view kImportRemedy =
    "Python imports modules, which happens once: import them before the steps, "
    "and record after some warm-up steps.";
constexpr std::string_view kLateLoadingRemedy =
    "This happens once: record after some warm-up steps, or load kernels ahead "
    "(CUDA_MODULE_LOADING=EAGER).";

constexpr std::string_view kGraphHoleRemedy =
    "Several graphs have holes between their kernels, so the recorder missed "
    "kernels of graphs, and this time need not be lost: record without graphs, "
    "or with another recorder, to see it.";
constexpr std::string_view kNoKernelsRemedy =
    "The program launched kernels, but the file has none: record and export "
    "the kernels, too, to see when the device works.";
constexpr std::string_view kCountersRemedy =
    "The recorder stops at each launch to read hardware counters: judge times "
    "in a recording without them.";

// What differs from the remedy of the part, which has the words of all.
struct FrameworkRemedy {
  Part part;
  Framework framework;
  std::string_view remedy;
};
constexpr FrameworkRemedy kFrameworkRemedies[] = {
    {Part::kInput, Framework::kTorch,
     "Prepare input ahead of the step, in other processes: num_workers and "
     "prefetch_factor of the DataLoader; read and decode less."},
    {Part::kInput, Framework::kJax,
     "Prepare input ahead of the step: prefetch() of tf.data or Grain, workers "
     "of the loader; read and decode less."},
    {Part::kInput, Framework::kTensorFlow,
     "Prepare input ahead of the step: prefetch(), parallel map and interleave "
     "of tf.data, a cache; read and decode less."},
    {Part::kLaunches, Framework::kJax,
     "Launch work in fewer calls: put more of the step into one jax.jit, "
     "larger "
     "batches, several steps in a lax.scan."},
    {Part::kLaunches, Framework::kTensorFlow,
     "Launch work in fewer calls: tf.function with jit_compile=True, larger "
     "batches, fused operations."},
    {Part::kCompilation, Framework::kTensorFlow,
     "Trace and compile before the steps that count: pass tensors instead of "
     "Python numbers to a tf.function, give it an input_signature or "
     "reduce_retracing=True, and keep shapes the same."},
    {Part::kSynchronization, Framework::kJax,
     "Remove what waits in the step: block_until_ready(), float() and printing "
     "of arrays. Read results a step later."},
    {Part::kSynchronization, Framework::kTensorFlow,
     "Remove what waits in the step: numpy(), printing and fetching of "
     "tensors. Read results a step later."},
};

// CUDA loads kernels when they are first used; only these calls show it. A
// context, a library or memory is not set up earlier by loading kernels.
bool LoadsKernelsLate(const PartTime& time) {
  return std::ranges::any_of(time.details, [](const PartDetail& detail) {
    return detail.name.find("Lazy Function Loading") != std::string::npos ||
           detail.name.find("Triggered Module Loading") != std::string::npos ||
           detail.name.starts_with("cuLibraryLoad");
  });
}

constexpr std::string_view kLaunchesOnlyRemedy =
    "Record the host, too: its operations (PyTorch: ProfilerActivity.CPU) and "
    "Python calls say what it does between launches.";
constexpr std::string_view kTorchSilenceRemedy =
    "Record more to see the cause: Python calls (with_stack=True), or system "
    "calls.";
constexpr std::string_view kJaxSilenceRemedy =
    "Record more to see the cause: Python calls (python_tracer_level=1), or "
    "system calls.";
constexpr std::string_view kOtherProgramRemedy =
    "Nothing was recorded in this time: the program may wait for requests, or "
    "run what the trace leaves out.";
// gc.collect() of Python, as PyTorch's recorder has it.
constexpr std::string_view kCollect = "gc:0:collect";
constexpr std::string_view kGarbageRemedy =
    "Collect garbage less often, and on all ranks in the same step: "
    "gc.freeze() "
    "after the first steps, gc.disable(), and gc.collect() every N steps.";
constexpr std::string_view kRemoteRemedy =
    "The host waits for tensors of another task: look at what that task does "
    "before it sends them (its own profile), send less, or keep what is read "
    "in each step on this task.";
constexpr std::string_view kMpiRemedy =
    "The process waits in MPI for the others: look at what the last of them "
    "does before this call, or communicate beside the work of the device "
    "(MPI_Iallreduce).";
constexpr std::string_view kPyFuncRemedy =
    "This is Python inside of the graph, which runs alone: do it in the input "
    "pipeline (tf.data with a parallel map() and prefetch()), or with "
    "operations of TensorFlow.";
constexpr std::string_view kCheckpointRemedy =
    "This saves a checkpoint: save less often, or beside the steps (another "
    "thread or process writes a copy).";
constexpr std::string_view kSummaryRemedy =
    "This writes summaries: write them less often, fewer of them, or beside "
    "the steps.";
constexpr std::string_view kHostPythonRemedy =
    "Move this function out of the step, make it faster, or run it less often.";

constexpr std::string_view kCaptureRemedy =
    "Capture graphs before the steps that count, one for each batch size and "
    "shape (warm-up), and pad inputs to these sizes.";
constexpr std::string_view kHostFunctionRemedy =
    "The stream waits for a function of the host: take it out of the stream "
    "(cudaLaunchHostFunc), make it shorter, or put it into a stream of its own "
    "that nothing waits for.";
constexpr std::string_view kTurnsRemedy =
    "Devices of one process work in turns: split batches into micro-batches "
    "(a pipeline) or layers over devices (tensor parallelism), or replace "
    "DataParallel by DistributedDataParallel.";

constexpr PartInfo kParts[] = {
    {Part::kMatrixProducts, PartKind::kCompute, "matrix_products",
     "matrix products", ""},
    {Part::kAttention, PartKind::kCompute, "attention", "attention", ""},
    {Part::kConvolutions, PartKind::kCompute, "convolutions", "convolutions",
     ""},
    {Part::kNormalization, PartKind::kCompute, "normalization", "normalization",
     ""},
    {Part::kReductions, PartKind::kCompute, "reductions", "reductions", ""},
    {Part::kElementwise, PartKind::kCompute, "elementwise", "elementwise", ""},
    {Part::kDeviceCopies, PartKind::kCompute, "device_copies",
     "copies in the device", ""},
    {Part::kOtherCompute, PartKind::kCompute, "other_compute",
     "other computation", ""},
    {Part::kCommunication, PartKind::kCommunication, "communication",
     "communication alone",
     "Start communication earlier and in parts (gradient buckets, prefetching "
     "of shards), so that it runs beside computation."},
    {Part::kLateRank, PartKind::kCommunication, "late_rank",
     "waiting for a late rank",
     "Find what the late rank does before it joins the collective: input, more "
     "work than the others, or a slower machine."},
    {Part::kCopies, PartKind::kCopies, "copies", "copies alone",
     "Copy beside computation: pinned memory, non_blocking=True, a stream of "
     "its own; copy less."},
    {Part::kOffload, PartKind::kCopies, "offload", "waiting for offload",
     "Computation waits for tensors that are offloaded to the host: offload "
     "less, rematerialize more, or start the copies earlier."},
    {Part::kInput, PartKind::kIdle, "input", "waiting for input",
     "Prepare input ahead of the step, in other processes: num_workers and "
     "prefetch_factor of the DataLoader, prefetch() of tf.data and Grain; read "
     "and decode less."},
    {Part::kPython, PartKind::kIdle, "python", "Python functions",
     "Move this function out of the step, make it faster, or run it less "
     "often; the device has nothing to do meanwhile."},
    {Part::kHostWork, PartKind::kIdle, "host_work", "work of the host",
     "Run these operations on the device, or beside its work."},
    {Part::kLaunches, PartKind::kIdle, "launches", "slow launches",
     kLaunchRemedy},
    {Part::kKernelStarts, PartKind::kIdle, "kernel_starts", "starts of kernels",
     "Run fewer and larger kernels: fused operations (torch.compile, foreach "
     "or "
     "fused optimizers), larger batches. CUDA graphs make the gaps shorter."},
    {Part::kSynchronization, PartKind::kIdle, "synchronization",
     "synchronization",
     "Remove what waits in the step: .item(), .cpu(), printing of tensors, "
     "torch.cuda.synchronize(). Copy without blocking and read results a step "
     "later."},
    {Part::kAllocation, PartKind::kIdle, "allocation", "allocation",
     "Keep memory instead of returning it to the driver: no empty_cache() in "
     "the step, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, buffers that "
     "are allocated once."},
    {Part::kCompilation, PartKind::kIdle, "compilation", "compilation",
     "Compile before the steps that count: keep shapes and types the same, and "
     "cache compiled programs."},
    {Part::kFirstUse, PartKind::kIdle, "first_use", "first use and warm-up",
     "This happens once: record after some warm-up steps."},
    {Part::kQueue, PartKind::kIdle, "queue", "waiting for other work",
     "Launched work waits for another stream, an event or another device: "
     "look for what it depends on in the timeline."},
    {Part::kProfiler, PartKind::kIdle, "profiler", "the profiler itself",
     "Start the profiler before the first step that counts, and skip its first "
     "step (schedule with warmup)."},
    {Part::kNotRecorded, PartKind::kIdle, "not_recorded", "not recorded",
     "Record more to see the cause: Python calls, ranges of the program, or "
     "system calls."},
};
static_assert(std::size(kParts) == kNumParts);

}  // namespace

const PartInfo& InfoOf(Part part) { return kParts[static_cast<size_t>(part)]; }

std::span<const PartInfo> AllParts() { return kParts; }

std::string_view PartKindName(PartKind kind) {
  constexpr std::string_view kNames[] = {"compute", "communication", "copies",
                                         "idle"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view RemedyOfOp(std::string_view name) {
  constexpr std::string_view kCheckpoints[] = {
      "Save", "SaveSlices", "SaveV2", "MergeV2Checkpoints", "ShardedFilename"};
  const std::string_view type = TypeInName(name);
  if (type.ends_with("PyFunc") || type == "PyFuncStateless") {
    return kPyFuncRemedy;
  }
  if (std::ranges::find(kCheckpoints, type) != std::end(kCheckpoints)) {
    return kCheckpointRemedy;
  }
  return type.ends_with("Summary") || type.ends_with("SummaryV2")
             ? kSummaryRemedy
             : "";
}

std::string_view RemedyOf(Part part, const DeviceAccount& account,
                          const profile::Profile& profile) {
  if (part == Part::kFirstUse) {
    const PartTime& time = account[part];
    if (!time.details.empty() && IsModuleImport(time.details.front().name)) {
      return kImportRemedy;
    }
    if (LoadsKernelsLate(time)) return kLateLoadingRemedy;
  }
  if (part == Part::kProfiler && !account[part].details.empty() &&
      HostCallOf(account[part].details.front().name) == HostCall::kLaunch) {
    return kCountersRemedy;
  }
  if (part == Part::kPython && !account[part].details.empty() &&
      account[part].details.front().name.starts_with(kCollect)) {
    return kGarbageRemedy;
  }
  if (part == Part::kCompilation && !account[part].details.empty() &&
      IsGraphCapture(account[part].details.front().name)) {
    return kCaptureRemedy;
  }
  if (part == Part::kQueue && !account[part].details.empty()) {
    const std::string_view name = account[part].details.front().name;
    if (IsHostFunction(name)) return kHostFunctionRemedy;
    if (name.ends_with(kOfSameProcess)) return kTurnsRemedy;
  }
  if (part == Part::kPython && !account.accelerator) return kHostPythonRemedy;
  if (part == Part::kHostWork && !account[part].details.empty()) {
    const std::string_view name = account[part].details.front().name;
    if (name.starts_with("MPI_")) return kMpiRemedy;
    if (IsCommunicationOp(TypeInName(name))) return kRemoteRemedy;
  }
  if ((part == Part::kHostWork || part == Part::kOtherCompute) &&
      !account[part].details.empty()) {
    const std::string_view remedy =
        RemedyOfOp(account[part].details.front().name);
    if (!remedy.empty()) return remedy;
  }
  for (const FrameworkRemedy& of : kFrameworkRemedies) {
    if (of.part == part && of.framework == FrameworkOf(profile)) {
      return of.remedy;
    }
  }
  if (part != Part::kNotRecorded) return InfoOf(part).remedy;
  if (!account[part].details.empty() &&
      account[part].details.front().name == kGraphHole) {
    return kGraphHoleRemedy;
  }
  if (!account[part].details.empty() &&
      account[part].details.front().name == kNoKernels) {
    return kNoKernelsRemedy;
  }
  if (RecordsPython(profile)) return kOutsideOfPythonRemedy;
  const profile::LaneTable& lanes = profile.lanes();
  bool has_ops = false, has_launches = false;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (!lanes[id].calls_nest) continue;
    has_ops |= lanes[id].kind == profile::LaneKind::kCompute;
    has_launches |= lanes[id].kind == profile::LaneKind::kLaunches;
  }
  if (has_launches && !has_ops) return kLaunchesOnlyRemedy;
  if (!has_ops) return kOperationsOnlyRemedy;
  switch (FrameworkOf(profile)) {
    case Framework::kTorch:
      return kTorchSilenceRemedy;
    case Framework::kJax:
      return kJaxSilenceRemedy;
    case Framework::kUnknown:
      if (!account.accelerator) return kOtherProgramRemedy;
      break;
    case Framework::kTensorFlow:
      break;
  }
  return InfoOf(part).remedy;
}

}  // namespace tfprof::timeline
