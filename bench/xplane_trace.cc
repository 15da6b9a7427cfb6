#include "bench/xplane_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/hlo_program.h"
#include "bench/plane_writer.h"
#include "fmt/format.h"
#include "util/files/wire_writer.h"

namespace tfprof {
namespace {
namespace xplane_trace {

using xspace::PlaneWriter;

// ---- durations in picoseconds

// The loop's own time, before its first and after its last instruction.
constexpr int64_t kLoopOverhead = 500000;
constexpr int64_t kVariation = 1 << 20;
constexpr int64_t kLayerTime = 180000000;
constexpr int64_t kStepGap = 50000000;
constexpr int64_t kLaunchTime = 2000000;
constexpr int64_t kLaunchDelay = 6000000;

int64_t Variation(int64_t device, int64_t step, int64_t index) {
  const uint64_t x =
      static_cast<uint64_t>((step * 64 + device) * 1000003 + index);
  return static_cast<int64_t>((x * 0x9e3779b97f4a7c15) >> 40) % kVariation;
}

int64_t Duration(int64_t device, int64_t step, int64_t index) {
  return kHloLayer[index % kHloPerLayer].duration +
         Variation(device, step, index);
}

class Writer {
 public:
  Writer(const TraceShape& shape, util::Sink& sink)
      : shape_(shape),
        sink_(sink),
        instructions_(shape.layers * kHloPerLayer),
        step_length_(shape.layers * kLayerTime + kStepGap) {
    totals_.steps = shape.steps;
    totals_.ticks_per_micro = 1000000;
  }

  TraceTotals Write() {
    WriteMetadata();
    for (int64_t device = 0; device < shape_.devices; ++device) {
      if (shape_.kind == TraceKind::kXPlaneTpu) {
        WriteTpu(device);
      } else {
        WriteGpu(device);
      }
    }
    WriteHost();
    util::WireWriter tail;
    tail.Bytes(xspace::kHostName, "host0");
    sink_.Write(tail.bytes());
    return std::move(totals_);
  }

 private:
  // The size of a GPU event; all other events are smaller.
  static constexpr size_t kEventBytes = 64;
  static constexpr int64_t kStartNanos = 5000;

  size_t PlaneBytes() const {
    return (static_cast<size_t>(shape_.steps) + 1) *
           static_cast<size_t>(instructions_ + 8) * kEventBytes;
  }

  void WriteMetadata() {
    const std::string hlo = HloProto(instructions_);
    PlaneWriter plane(0, "/host:metadata", 2 * hlo.size());
    util::WireWriter stat;
    {
      const util::WireMessage message(stat, xspace::kMetadataStat);
      stat.Int64(xspace::kStatId, plane.StatId("Hlo Proto"));
      stat.Bytes(xspace::kBytes, hlo);
    }
    plane.EventId(fmt::format("{}({})", kHloModule, kHloProgram), "",
                  std::string(stat.bytes()));
    plane.Finish(sink_);
  }

  static void BeginLine(util::WireWriter& w, int64_t id,
                        std::string_view name) {
    w.Int64(xspace::kLineId, id);
    w.Bytes(xspace::kLineName, name);
    w.Int64(xspace::kTimestampNanos, kStartNanos);
  }
  void BeginEvent(util::WireWriter& w, int64_t id, int64_t offset,
                  int64_t duration) {
    ++totals_.events;
    w.Int64(xspace::kMetadataId, id);
    w.Int64IfSet(xspace::kOffset, offset);
    w.Int64IfSet(xspace::kDuration, duration);
  }

  // Calls `visit` with each instruction of a step on a device: its index, its
  // start in the step, its duration, and its self time.
  template <typename Visit>
  void ForInstructions(int64_t device, int64_t step, Visit visit) const {
    for (int64_t first = 0; first < instructions_; first += kHloPerLayer) {
      int64_t start = first / kHloPerLayer * kLayerTime;
      int64_t inside = 0;
      for (int64_t i = first + 1; i < first + kHloPerLayer; ++i) {
        inside += Duration(device, step, i);
      }
      visit(first, start, inside + kLoopOverhead, kLoopOverhead);
      start += kLoopOverhead / 2;
      for (int64_t i = first + 1; i < first + kHloPerLayer; ++i) {
        const int64_t duration = Duration(device, step, i);
        visit(i, start, duration, duration);
        start += duration;
      }
    }
  }

  // The id of an instruction's metadata, which has everything that is the same
  // in each execution.
  static int64_t OpId(int64_t i, PlaneWriter& plane) {
    const MadeInstruction& instruction = kHloLayer[i % kHloPerLayer];
    const std::string name = HloName(i);
    util::WireWriter stats;
    const auto begin = [&](const std::string& stat) {
      stats.Int64(xspace::kStatId, plane.StatId(stat));
    };
    const auto text = [&](const std::string& stat, std::string_view value) {
      const util::WireMessage message(stats, xspace::kMetadataStat);
      begin(stat);
      stats.Bytes(xspace::kString, value);
    };
    const auto number = [&](const std::string& stat, int64_t value) {
      const util::WireMessage message(stats, xspace::kMetadataStat);
      begin(stat);
      stats.Int64(xspace::kInt64, value);
    };
    text("hlo_category", instruction.opcode);
    number("program_id", kHloProgram);
    number("symbol_id", i + 1);
    number("flops", 2 * instruction.duration);
    number("bytes_accessed", 3 << 20);
    text("tf_op", HloScope(i) + ":");
    return plane.EventId(fmt::format("%{} = f32[512,512]{{1,0}} {}(f32[512,512]"
                                     "{{1,0}} %p)",
                                     name, instruction.opcode),
                         name, std::string(stats.bytes()));
  }

  void WriteTpu(int64_t device) {
    PlaneWriter plane(2 + 8 * device, fmt::format("/device:TPU:{}", device),
                      PlaneBytes());
    util::WireWriter& w = plane.wire();
    plane.Text(xspace::kPlaneStat, "device_type_string", "TPU v6 Lite");
    WriteModules(plane);
    const int64_t device_offset = plane.StatId("device_offset_ps");
    const int64_t device_duration = plane.StatId("device_duration_ps");
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < instructions_; ++i) ids.push_back(OpId(i, plane));
    {
      const util::WireMessage line(w, xspace::kLine);
      BeginLine(w, 3, "XLA Ops");
      for (int64_t step = 0; step < shape_.steps; ++step) {
        ForInstructions(
            device, step,
            [&](int64_t i, int64_t start, int64_t duration, int64_t self) {
              start += step * step_length_;
              const util::WireMessage event(w, xspace::kEvent);
              BeginEvent(w, ids[static_cast<size_t>(i)], start, duration);
              plane.Number(xspace::kEventStat, device_offset, xspace::kUint64,
                           start);
              plane.Number(xspace::kEventStat, device_duration, xspace::kUint64,
                           duration);
              Count(i, self);
            });
      }
    }
    plane.Finish(sink_);
  }

  void WriteModules(PlaneWriter& plane) {
    util::WireWriter& w = plane.wire();
    const int64_t run_id = plane.StatId("run_id");
    const int64_t queue_id = plane.StatId("queue_id");
    const int64_t module =
        plane.EventId(fmt::format("{}({})", kHloModule, kHloProgram));
    const util::WireMessage line(w, xspace::kLine);
    BeginLine(w, 2, "XLA Modules");
    for (int64_t step = 0; step < shape_.steps; ++step) {
      const util::WireMessage event(w, xspace::kEvent);
      BeginEvent(w, module, step * step_length_, step_length_ - kStepGap);
      plane.Number(xspace::kEventStat, run_id, xspace::kUint64, step + 1);
      plane.Number(xspace::kEventStat, queue_id, xspace::kInt64, 0);
    }
  }

  void WriteGpu(int64_t device) {
    PlaneWriter plane(device, fmt::format("/device:GPU:{}", device),
                      PlaneBytes());
    util::WireWriter& w = plane.wire();
    plane.Text(xspace::kPlaneStat, "device_vendor", "AMD");
    const int64_t correlation = plane.StatId("correlation_id");
    const int64_t hlo_op = plane.StatId("hlo_op");
    const int64_t hlo_module = plane.StatId("hlo_module");
    const int64_t module = plane.StatId(kHloModule);
    const int64_t program = plane.StatId("program_id");
    std::vector<int64_t> kernels, names;
    for (int64_t i = 0; i < instructions_; ++i) {
      std::string kernel = HloName(i);
      std::replace(kernel.begin(), kernel.end(), '.', '_');
      kernels.push_back(plane.EventId(kernel + ".kd"));
      names.push_back(plane.StatId(HloName(i)));
    }
    for (const bool reduces : {false, true}) {
      const util::WireMessage line(w, xspace::kLine);
      BeginLine(w, reduces ? 14 : 13,
                reduces ? "Stream #14(Kernel)" : "Stream #13(Kernel)");
      for (int64_t step = 0; step < shape_.steps; ++step) {
        ForKernels(
            device, step, [&](int64_t i, int64_t start, int64_t duration) {
              if (reduces != IsReduction(i)) return;
              const util::WireMessage event(w, xspace::kEvent);
              BeginEvent(w, kernels[static_cast<size_t>(i)],
                         start + kLaunchDelay, duration);
              plane.Number(xspace::kEventStat, correlation, xspace::kUint64,
                           CorrelationOf(device, step, i));
              plane.Number(xspace::kEventStat, hlo_op, xspace::kRef,
                           names[static_cast<size_t>(i)]);
              plane.Number(xspace::kEventStat, hlo_module, xspace::kRef,
                           module);
              plane.Number(xspace::kEventStat, program, xspace::kInt64,
                           kHloProgram);
              Count(i, duration);
            });
      }
    }
    plane.Finish(sink_);
  }

  // Like ForInstructions(), but only for instructions with a kernel on a GPU.
  // `start` is the time of the launch since the begin of the trace.
  template <typename Visit>
  void ForKernels(int64_t device, int64_t step, Visit visit) const {
    ForInstructions(device, step,
                    [&](int64_t i, int64_t start, int64_t duration, int64_t) {
                      if (i % kHloPerLayer == 0) return;
                      visit(i, step * step_length_ + start, duration);
                    });
  }

  static bool IsReduction(int64_t i) {
    return i % kHloPerLayer == kHloPerLayer - 1;
  }

  int64_t CorrelationOf(int64_t device, int64_t step, int64_t i) const {
    return 1 + (step * shape_.devices + device) * instructions_ + i;
  }

  void Count(int64_t i, int64_t self) {
    OpTotal& total = totals_.ops[kHloLayer[i % kHloPerLayer].opcode];
    ++total.runs;
    total.accelerator_ticks += self;
    ++totals_.kernels;
  }

  void WriteHost() {
    const size_t bytes =
        shape_.kind == TraceKind::kXPlaneGpu
            ? static_cast<size_t>(shape_.devices) * PlaneBytes()
            : PlaneBytes();
    PlaneWriter plane(0, "/host:CPU", bytes / 2);
    WritePython(plane);
    WriteExecutor(plane);
    if (shape_.kind == TraceKind::kXPlaneGpu) {
      for (int64_t device = 0; device < shape_.devices; ++device) {
        WriteLaunches(device, plane);
      }
    }
    plane.Finish(sink_);
  }

  // Writes the steps, and a call for each layer.
  void WritePython(PlaneWriter& plane) {
    util::WireWriter& w = plane.wire();
    const int64_t train = plane.EventId("train");
    const int64_t step_num = plane.StatId("step_num");
    const int64_t root = plane.StatId("_r");
    OpTotal& steps = totals_.ops["train"];
    OpTotal& calls = totals_.ops["python"];
    const util::WireMessage line(w, xspace::kLine);
    BeginLine(w, 1001, "python");
    for (int64_t step = 0; step < shape_.steps; ++step) {
      const int64_t begin = step * step_length_;
      {
        const util::WireMessage event(w, xspace::kEvent);
        BeginEvent(w, train, begin, step_length_ - kStepGap / 2);
        plane.Number(xspace::kEventStat, step_num, xspace::kInt64, step);
        plane.Number(xspace::kEventStat, root, xspace::kInt64, 1);
        ++steps.runs;
        steps.host_ticks += step_length_ - kStepGap / 2;
      }
      for (int64_t layer = 0; layer < shape_.layers; ++layer) {
        const int64_t call =
            plane.EventId(fmt::format("$layers.py:{} call", 10 + layer % 50));
        const util::WireMessage event(w, xspace::kEvent);
        BeginEvent(w, call, begin + layer * kLayerTime, kLayerTime / 2);
        ++calls.runs;
        calls.host_ticks += kLayerTime / 2;
        steps.host_ticks -= kLayerTime / 2;
      }
    }
  }

  void WriteExecutor(PlaneWriter& plane) {
    util::WireWriter& w = plane.wire();
    const int64_t process = plane.EventId("ExecutorState::Process");
    const int64_t id = plane.StatId("id");
    const int64_t parent = plane.StatId("parent_id");
    const util::WireMessage line(w, xspace::kLine);
    BeginLine(w, 1002, "tf_Compute/1002");
    const auto write = [&](int64_t metadata, int64_t start, int64_t duration,
                           const char* op, int64_t self, int64_t number) {
      const util::WireMessage event(w, xspace::kEvent);
      BeginEvent(w, metadata, start, duration);
      plane.Number(xspace::kEventStat, id, xspace::kUint64, number);
      plane.Number(xspace::kEventStat, parent, xspace::kInt64, number / 2);
      OpTotal& total = totals_.ops[op];
      ++total.runs;
      total.host_ticks += self;
    };
    for (int64_t step = 0; step < shape_.steps; ++step) {
      for (int64_t layer = 0; layer < shape_.layers; ++layer) {
        const int64_t start = step * step_length_ + layer * kLayerTime;
        const int64_t more = Variation(shape_.devices, step, layer);
        const auto op = [&](const char* name) {
          return plane.EventId(
              fmt::format("layer{}/dense/{}:{}", layer, name, name), name);
        };
        write(process, start, 40000000 + more, "ExecutorState::Process",
              8000000 + more, 2 * layer + 1);
        write(op("MatMul"), start + 2000000, 25000000, "MatMul", 25000000,
              2 * layer);
        write(op("BiasAdd"), start + 28000000, 7000000, "BiasAdd", 7000000,
              2 * layer);
      }
    }
  }

  void WriteLaunches(int64_t device, PlaneWriter& plane) {
    util::WireWriter& w = plane.wire();
    const int64_t launch = plane.EventId("hipModuleLaunchKernel");
    const int64_t correlation = plane.StatId("correlation_id");
    const int64_t ordinal = plane.StatId("device_id");
    OpTotal& total = totals_.ops["hipModuleLaunchKernel"];
    const util::WireMessage line(w, xspace::kLine);
    BeginLine(w, 2000 + device, fmt::format("Host Threads/{}", 2000 + device));
    for (int64_t step = 0; step < shape_.steps; ++step) {
      ForKernels(device, step, [&](int64_t i, int64_t start, int64_t) {
        const util::WireMessage event(w, xspace::kEvent);
        BeginEvent(w, launch, start, kLaunchTime);
        plane.Number(xspace::kEventStat, correlation, xspace::kUint64,
                     CorrelationOf(device, step, i));
        plane.Number(xspace::kEventStat, ordinal, xspace::kInt64, device);
        ++total.runs;
        total.host_ticks += kLaunchTime;
      });
    }
  }

  const TraceShape shape_;
  util::Sink& sink_;
  const int64_t instructions_;
  const int64_t step_length_;
  TraceTotals totals_;
};

}  // namespace xplane_trace
}  // namespace

TraceTotals WriteXPlaneTrace(const TraceShape& shape, util::Sink& sink) {
  return xplane_trace::Writer(shape, sink).Write();
}

}  // namespace tfprof
