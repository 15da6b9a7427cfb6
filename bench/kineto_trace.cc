#include "bench/kineto_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tfprof {
namespace {
namespace kineto_trace {

// ---- the events of one layer, in nanoseconds since the begin of its slot

struct HostSpan {
  const char* name;
  int depth;
  int64_t start, duration;
  const char* category = "cpu_op";
  const char* args = "";
  int kernel = -1;  // in kKernels: this call launches it
  // The duration differs a little between layers.
  bool varies = false;
};

constexpr char kNoShape[] = "\"Input Dims\": []";
constexpr char kWeightShape[] =
    "\"Input Dims\": [[512, 512], [], []], \"Input type\": [\"float\", "
    "\"Scalar\", \"Scalar\"], \"Input Strides\": [[512, 1], [], []]";
constexpr char kLinearShape[] =
    "\"Input Dims\": [[512], [64, 512], [512, 512], [], []], \"Input type\": "
    "[\"float\", \"float\", \"float\", \"Scalar\", \"Scalar\"]";
constexpr char kActivationShape[] =
    "\"Input Dims\": [[64, 512]], \"Input type\": [\"float\"], \"Input "
    "Strides\": [[512, 1]]";

constexpr HostSpan kCopy[] = {
    {"aten::copy_", 0, 1000, 12000, "cpu_op", kActivationShape},
    {"cudaMemcpyAsync", 1, 2000, 9000, "cuda_runtime", "", 0},
};
constexpr HostSpan kForward[] = {
    {"aten::linear", 0, 600, 25000, "cpu_op", kLinearShape, -1, true},
    {"aten::t", 1, 900, 3000, "cpu_op", kWeightShape},
    {"aten::transpose", 2, 1200, 2200, "cpu_op", kWeightShape},
    {"aten::as_strided", 3, 1700, 800, "cpu_op", kWeightShape},
    {"aten::addmm", 1, 4500, 20000, "cpu_op", kLinearShape},
    {"aten::empty", 2, 5000, 1500, "cpu_op", kNoShape},
    {"cudaLaunchKernel", 2, 8000, 6000, "cuda_runtime", "", 1},
    {"aten::relu", 0, 30600, 20000, "cpu_op", kActivationShape, -1, true},
    {"aten::clamp_min", 1, 31000, 19000, "cpu_op", kActivationShape},
    {"cudaLaunchKernel", 2, 35000, 5500, "cuda_runtime", "", 2},
};
constexpr size_t kAddmm = 4;  // in kForward
constexpr int64_t kMemoryTime = 5600;
constexpr HostSpan kBackward[] = {
    {"autograd::engine::evaluate_function: AddmmBackward0", 0, 300, 35000,
     "cpu_op", kActivationShape, -1, true},
    {"AddmmBackward0", 1, 1000, 32000, "cpu_op", kActivationShape},
    {"aten::mm", 2, 3000, 25000, "cpu_op", kLinearShape},
    {"cudaLaunchKernel", 3, 9000, 5800, "cuda_runtime", "", 3},
};
constexpr size_t kGradient = 1;  // in kBackward
constexpr HostSpan kReduce[] = {
    {"c10d::allreduce_", 0, 36500, 3000, "cpu_op", kWeightShape},
    {"cudaLaunchKernelExC", 1, 37000, 1500, "cuda_runtime", "", 4},
};
constexpr int64_t kLayersPerReduce = 8;

struct PythonSpan {
  const char* name;  // {}: the layer
  int parent;        // in this table; -1: the call around the layer
  int64_t start, duration;
};
constexpr PythonSpan kPython[] = {
    {"nn.Module: Linear_{}", -1, 0, 29000},
    {"torch/nn/modules/linear.py(130): forward", 0, 200, 28600},
    {"<built-in function linear>", 1, 400, 28200},
    {"nn.Module: ReLU_{}", -1, 30000, 28500},
    {"torch/nn/modules/activation.py(133): forward", 3, 30200, 28100},
    {"torch/nn/functional.py(1693): relu", 4, 30400, 27700},
};

struct Kernel {
  const char* name;
  const char* category;
  const char* op;  // that launches it
  int stream;
  int64_t start, duration;
  const char* args;
};
constexpr char kGrid[] =
    "\"registers per thread\": 122, \"shared memory\": 99328, \"blocks per "
    "SM\": 0.484848, \"warps per SM\": 3.878788, \"grid\": [8, 8, 1], "
    "\"block\": [256, 1, 1], \"est. achieved occupancy %\": 6";
constexpr Kernel kKernels[] = {
    {"Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", "aten::copy_", 11, 14000,
     9000, "\"bytes\": 131072, \"memory bandwidth (GB/s)\": 14.563"},
    {"ampere_sgemm_64x64_tn", "kernel", "aten::addmm", 7, 18000, 20000, kGrid},
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::clamp_min_impl>(int, float*)",
     "kernel", "aten::clamp_min", 7, 45000, 5000, kGrid},
    {"ampere_sgemm_128x64_nn", "kernel", "aten::mm", 7, 17000, 22000, kGrid},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>"
     ")",
     "kernel", "c10d::allreduce_", 20, 40000, 130000,
     "\"Collective name\": \"allreduce\", \"In msg nelems\": 2097152, \"Out "
     "msg nelems\": 2097152, \"Group size\": 2, \"dtype\": \"Float\""},
};

constexpr int kPid = 4242, kMainThread = 4242, kAutogradThread = 4310;
constexpr int64_t kForwardSlot = 60000, kBackwardSlot = 40000;
constexpr int64_t kBeforeLayers = 25000, kAfterLayers = 250000;
constexpr int64_t kFirstStep = 4375870513570478;
// The number of ids (external ids and correlations) that is reserved for each
// layer.
constexpr int64_t kIds = 24;
constexpr int64_t kVariation = 1000;

std::vector<int64_t> SelfTimes(std::span<const HostSpan> spans) {
  std::vector<int64_t> self;
  for (size_t i = 0; i < spans.size(); ++i) {
    self.push_back(spans[i].duration);
    if (spans[i].depth == 0) continue;
    size_t parent = i;
    while (spans[parent].depth >= spans[i].depth) --parent;
    self[parent] -= spans[i].duration;
  }
  return self;
}

int64_t Variation(int64_t step, int64_t layer, int64_t salt) {
  const uint64_t x = static_cast<uint64_t>((step * 1000003 + layer) * 7 + salt);
  return static_cast<int64_t>((x * 0x9e3779b97f4a7c15) >> 40) % kVariation;
}

// ---- the writer

class Writer {
 public:
  Writer(const TraceShape& shape, util::Sink& sink)
      : shape_(shape), sink_(sink) {
    totals_.steps = shape.steps;
    totals_.ticks_per_micro = 1000;
  }

  TraceTotals Write() {
    Begin();
    for (int64_t step = 0; step < shape_.steps; ++step) {
      WriteHost(step);
      WriteDevice(step);
    }
    text_ +=
        "\n  ],\n  \"traceName\": \"trace.json\"\n"
        "}\n";
    sink_.Write(text_);
    return std::move(totals_);
  }

 private:
  // A sequence of spans in one time slot of a thread.
  struct Slot {
    std::span<const HostSpan> spans;
    const std::vector<int64_t>& self;
    int thread;
    int64_t begin;
    int64_t first_id;   // external id of its first span
    int64_t variation;  // of its varying spans and its kernels
  };

  int64_t StepLength() const {
    return kBeforeLayers + shape_.layers * (kForwardSlot + kBackwardSlot) +
           kAfterLayers;
  }
  int64_t StepBegin(int64_t step) const {
    return kFirstStep + step * StepLength();
  }
  // Layer -1 is the part of a step before its layers.
  int64_t FirstId(int64_t step, int64_t layer) const {
    return 1 + (step * (shape_.layers + 1) + layer + 1) * kIds;
  }

  // Calls `visit` with each slot of a step.
  template <typename Visit>
  void ForSlots(int64_t step, Visit visit) const {
    const int64_t begin = StepBegin(step);
    visit(Slot{kCopy, copy_self_, kMainThread, begin, FirstId(step, -1),
               Variation(step, -1, 0)});
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      visit(Slot{kForward, forward_self_, kMainThread,
                 begin + kBeforeLayers + layer * kForwardSlot,
                 FirstId(step, layer), Variation(step, layer, 1)});
    }
    const int64_t backward =
        begin + kBeforeLayers + shape_.layers * kForwardSlot;
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      const int64_t at = backward + layer * kBackwardSlot;
      int64_t id = FirstId(step, layer) + std::ssize(kForward);
      visit(Slot{kBackward, backward_self_, kAutogradThread, at, id,
                 Variation(step, layer, 2)});
      if (layer % kLayersPerReduce != kLayersPerReduce - 1) continue;
      id += std::ssize(kBackward);
      visit(Slot{kReduce, reduce_self_, kAutogradThread, at, id,
                 Variation(step, layer, 3)});
    }
  }

  void Begin() {
    text_ =
        "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n"
        "      \"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", "
        "\"totalGlobalMem\": 84929347584,\n"
        "      \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132\n"
        "    }\n  ],\n"
        "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, "
        "\"world_size\": 2},\n"
        "  \"displayTimeUnit\": \"ms\",\n"
        "  \"baseTimeNanoseconds\": 1790857026000000000,\n"
        "  \"traceEvents\": [";
    Metadata("process_name", kPid, 0, "python");
    Metadata("thread_name", kPid, kMainThread, "thread 4242 (python)");
    Metadata("thread_name", kPid, kAutogradThread,
             "thread 4310 (pt_autograd_0)");
    Metadata("process_name", 0, 0, "python");
    Metadata("thread_name", 0, 7, "stream 7");
  }

  template <typename... Args>
  void Append(fmt::format_string<Args...> format, const Args&... args) {
    fmt::vformat_to(std::back_inserter(text_), format,
                    fmt::make_format_args(args...));
  }

  void BeginRecord() {
    text_ += totals_.events++ == 0 ? "\n  {\n" : ",\n  {\n";
    if (text_.size() >= kFlushBytes) {
      sink_.Write(text_);
      text_.clear();
    }
  }

  void Metadata(std::string_view what, int pid, int tid,
                std::string_view value) {
    BeginRecord();
    Append(
        "    \"name\": \"{}\", \"ph\": \"M\", \"ts\": 4375870513570.478, "
        "\"pid\": {}, \"tid\": {},\n"
        "    \"args\": {{\n      \"name\": \"{}\"\n    }}\n  }}",
        what, pid, tid, value);
  }

  // Writes the beginning of a complete event, up to its arguments.
  void BeginEvent(std::string_view category, std::string_view name, int pid,
                  int tid, int64_t start, int64_t duration) {
    BeginRecord();
    Append(
        "    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, "
        "\"tid\": {},\n"
        "    \"ts\": {}.{:03}, \"dur\": {}.{:03},\n    \"args\": {{\n      ",
        category, name, pid, tid, start / 1000, start % 1000, duration / 1000,
        duration % 1000);
  }
  void EndEvent() { text_ += "\n    }\n  }"; }

  void Flow(char phase, std::string_view category, int64_t id, int pid, int tid,
            int64_t time) {
    BeginRecord();
    Append(
        "    \"ph\": \"{}\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": "
        "{}.{:03},\n    \"cat\": \"{}\", \"name\": \"{}\"{}\n  }}",
        phase, id, pid, tid, time / 1000, time % 1000, category, category,
        phase == 'f' ? ", \"bp\": \"e\"" : "");
  }

  void WriteHost(int64_t step) {
    const int64_t begin = StepBegin(step);
    OpTotal& annotation = totals_.ops["ProfilerStep*"];
    ++annotation.runs;
    annotation.host_ticks += StepLength() - 5000;
    BeginEvent("user_annotation", fmt::format("ProfilerStep#{}", step), kPid,
               kMainThread, begin, StepLength() - 5000);
    Append("\"External id\": {}", FirstId(step, -1) + kIds - 1);
    EndEvent();
    ForSlots(step, [&](const Slot& slot) { WriteSpans(slot, annotation); });
    WritePython(step);
    WriteArrowsAndMemory(step);
  }

  void WriteSpans(const Slot& slot, OpTotal& annotation) {
    for (size_t i = 0; i < slot.spans.size(); ++i) {
      const HostSpan& span = slot.spans[i];
      const int64_t more = span.varies ? slot.variation : 0;
      const int64_t id = slot.first_id + static_cast<int64_t>(i);
      BeginEvent(span.category, span.name, kPid, slot.thread,
                 slot.begin + span.start, span.duration + more);
      if (span.kernel >= 0) {
        Append("\"cbid\": 211, \"correlation\": {}, \"External id\": {}", id,
               id - 1);
      } else {
        Append("\"External id\": {}, \"Ev Idx\": {}, {}", id, id, span.args);
      }
      EndEvent();
      OpTotal& total = totals_.ops[span.name];
      ++total.runs;
      total.host_ticks += slot.self[i] + more;
      if (span.depth == 0 && slot.thread == kMainThread) {
        annotation.host_ticks -= span.duration + more;
      }
    }
  }

  void WritePython(int64_t step) {
    const int64_t begin = StepBegin(step);
    const int64_t call = ++python_id_;
    BeginEvent("python_function", "train.py(40): train_step", kPid, kMainThread,
               begin + 500, StepLength() - 10000);
    Append("\"Python id\": {}", call);
    EndEvent();
    const int64_t model = ++python_id_;
    BeginEvent("python_function", "nn.Module: Net_0", kPid, kMainThread,
               begin + 20000, 5000 + shape_.layers * kForwardSlot);
    Append(
        "\"Python id\": {}, \"Python parent id\": {}, \"Python module id\": 0",
        model, call);
    EndEvent();
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      const int64_t at = begin + kBeforeLayers + layer * kForwardSlot;
      const int64_t first = python_id_ + 1;
      python_id_ += std::ssize(kPython);
      for (size_t i = 0; i < std::size(kPython); ++i) {
        const PythonSpan& span = kPython[i];
        BeginEvent("python_function",
                   fmt::format(fmt::runtime(span.name), layer), kPid,
                   kMainThread, at + span.start, span.duration);
        Append("\"Python id\": {}, \"Python parent id\": {}",
               first + static_cast<int64_t>(i),
               span.parent < 0 ? model : first + span.parent);
        if (span.parent < 0) {
          Append(", \"Python module id\": {}", layer % 16);
        }
        EndEvent();
      }
    }
  }

  void WriteArrowsAndMemory(int64_t step) {
    const int64_t begin = StepBegin(step) + kBeforeLayers;
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      const int64_t id = FirstId(step, layer);
      const int64_t forward = begin + layer * kForwardSlot;
      const int64_t backward =
          begin + shape_.layers * kForwardSlot + layer * kBackwardSlot;
      Flow('s', "fwdbwd", id, kPid, kMainThread,
           forward + kForward[kAddmm].start);
      Flow('f', "fwdbwd", id, kPid, kAutogradThread,
           backward + kBackward[kGradient].start);
      const int64_t time = forward + kMemoryTime;
      BeginRecord();
      Append(
          "    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", "
          "\"name\": \"[memory]\", \"pid\": {}, \"tid\": {}, \"ts\": "
          "{}.{:03},\n    \"args\": {{\n      \"Total Reserved\": 0, \"Total "
          "Allocated\": {}, \"Bytes\": 131072, \"Addr\": {}, \"Device Id\": 0, "
          "\"Device Type\": 1, \"Ev Idx\": {}\n    }}\n  }}",
          kPid, kMainThread, time / 1000, time % 1000, (layer + 1) * 131072,
          140000000000000 + layer * 131072, id);
    }
  }

  void WriteDevice(int64_t step) {
    int64_t first = 0, last = 0;
    ForSlots(step, [&](const Slot& slot) {
      for (size_t i = 0; i < slot.spans.size(); ++i) {
        if (slot.spans[i].kernel < 0) continue;
        const Kernel& kernel = kKernels[slot.spans[i].kernel];
        const int64_t id = slot.first_id + static_cast<int64_t>(i);
        const int64_t start = slot.begin + kernel.start;
        const int64_t duration = kernel.duration + slot.variation;
        BeginEvent(kernel.category, kernel.name, 0, kernel.stream, start,
                   duration);
        Append(
            "\"External id\": {}, \"queued\": 0, \"device\": 0, \"context\": "
            "1, \"stream\": {}, \"correlation\": {}, {}",
            id - 1, kernel.stream, id, kernel.args);
        EndEvent();
        Flow('s', "ac2g", id, kPid, slot.thread,
             slot.begin + slot.spans[i].start);
        Flow('f', "ac2g", id, 0, kernel.stream, start);
        ++totals_.kernels;
        totals_.ops[kernel.op].accelerator_ticks += duration;
        if (first == 0) first = start;
        last = std::max(last, start + duration);
      }
    });
    BeginEvent("gpu_user_annotation", fmt::format("ProfilerStep#{}", step), 0,
               7, first, last - first);
    Append("\"External id\": {}", FirstId(step, -1) + kIds - 1);
    EndEvent();
  }

  static constexpr size_t kFlushBytes = 1 << 20;

  const TraceShape shape_;
  util::Sink& sink_;
  TraceTotals totals_;
  std::string text_;
  int64_t python_id_ = 0;
  const std::vector<int64_t> copy_self_ = SelfTimes(kCopy);
  const std::vector<int64_t> forward_self_ = SelfTimes(kForward);
  const std::vector<int64_t> backward_self_ = SelfTimes(kBackward);
  const std::vector<int64_t> reduce_self_ = SelfTimes(kReduce);
};

}  // namespace kineto_trace
}  // namespace

TraceTotals WriteKinetoTrace(const TraceShape& shape, util::Sink& sink) {
  return kineto_trace::Writer(shape, sink).Write();
}

}  // namespace tfprof
