#include "exporters/reference/client_timeline.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "exporters/reference/chrome_json_text.h"
#include "exporters/reference/step_stats.h"
#include "fmt/format.h"
#include "google/protobuf/text_format.h"
#include "profile/tables/string_pool.h"
#include "proto/run_metadata.pb.h"
#include "timeline/first_fit.h"
#include "util/arithmetic.h"
#include "util/files/wire.h"

namespace tfprof::exporters {
namespace {

constexpr uint32_t kAllocatorsPid = 0;
constexpr std::string_view kUnknown = "unknown";

using Op = StepStatsOp;

struct Device {
  std::string_view name;
  std::vector<Op> ops;
  bool is_gpu_tracer = false;
  uint32_t compute_pid = 0;
  uint32_t tensors_pid = 0;
};

struct Tensor {
  std::string_view allocator;
  int64_t bytes = 0;
  int64_t created = 0;
  int64_t last_unref = 0;
  uint32_t object_id = 0;
  uint32_t tensors_pid = 0;
  // The start of an arrow to a reader.
  int64_t made = 0;
  uint32_t made_pid = 0;
  uint32_t made_lane = 0;
};

class Writer {
 public:
  Writer(std::span<const std::string_view> step_stats,
         const ClientTimelineOptions& options, util::Sink& sink)
      : options_(options), text_(sink), sink_(sink) {
    for (StepStatsDevice& device : ReadStepStats(step_stats)) {
      devices_.push_back({.name = device.name,
                          .ops = std::move(device.ops),
                          .is_gpu_tracer = device.is_gpu_tracer});
    }
  }

  std::vector<AllocatorMaximum> Write() {
    if (options_.op_time != OpTime::kSchedule) CoverKernels();
    NameProcesses();
    AssignLanes();
    for (const Device& device : devices_) WriteTensors(device);
    size_t done = 0;
    for (const Device& device : devices_) {
      WriteOps(device);
      ++done;
      sink_.Reached(static_cast<double>(done) /
                    static_cast<double>(devices_.size()));
    }
    std::vector<AllocatorMaximum> maxima;
    if (options_.show_memory) maxima = WriteMemory();
    text_.End();
    return maxima;
  }

 private:
  // Extends ops over the kernels that they started.
  void CoverKernels() {
    struct Span {
      int64_t start, end;
    };
    profile::StringPool names;
    std::vector<Span> spans;  // by name
    for (const Device& device : devices_) {
      if (device.name.find("/stream:all") == std::string_view::npos) continue;
      for (const Op& kernel : device.ops) {
        const profile::StringId id = names.Intern(ParseKernel(kernel).name);
        if (id == spans.size()) {
          spans.push_back({kernel.start, kernel.end()});
        } else {
          spans[id].start = std::min(spans[id].start, kernel.start);
          spans[id].end = std::max(spans[id].end, kernel.end());
        }
      }
    }
    for (Device& device : devices_) {
      if (device.name.find("/stream:all") != std::string_view::npos ||
          device.name.find("/job") == std::string_view::npos) {
        continue;
      }
      for (Op& op : device.ops) {
        const profile::StringId id = names.Find(op.name);
        if (id == profile::kNone) continue;
        const int64_t end = std::max(spans[id].end, op.end());
        if (options_.op_time == OpTime::kGpu) op.start = spans[id].start;
        op.length = util::WrapSub(end, op.start);
      }
    }
  }

  // Names processes. If several devices share a name, all events go to the
  // processes of the last one.
  void NameProcesses() {
    text_.Process(kAllocatorsPid, "Allocators");
    profile::StringPool names;
    std::vector<uint32_t> compute;  // by name
    std::vector<profile::StringId> name_of;
    uint32_t next = kAllocatorsPid + 1;
    for (const Device& device : devices_) {
      const profile::StringId id = names.Intern(device.name);
      if (id == compute.size()) compute.push_back(0);
      compute[id] = next;
      name_of.push_back(id);
      text_.Process(next++, fmt::format("{} Compute", device.name));
      text_.Process(next++, fmt::format("{} Tensors", device.name));
    }
    for (size_t d = 0; d < devices_.size(); ++d) {
      devices_[d].compute_pid = compute[name_of[d]];
      devices_[d].tensors_pid = devices_[d].compute_pid + 1;
    }
  }

  void AssignLanes() {
    for (Device& device : devices_) {
      timeline::FirstFit lanes(timeline::FirstFit::Fit::kApart, 0);
      for (Op& op : device.ops) op.lane = lanes.Place(op.start, op.end());
    }
  }

  void WriteTensors(const Device& device) {
    for (const Op& op : device.ops) {
      int64_t index = 0;
      util::WireReader r(op.message);
      while (r.Next()) {
        if (r.tag() == util::LengthTag(7)) {
          WriteTensor(device, op, index++, r.view());
        }
      }
    }
  }

  void WriteTensor(const Device& device, const Op& op, int64_t index,
                   std::string_view output) {
    std::string_view description, allocation;
    Tensor tensor;
    for (util::WireReader r(output); r.Next();) {
      if (r.tag() == util::LengthTag(3)) description = r.view();
    }
    for (util::WireReader r(description); r.Next();) {
      if (r.tag() == util::LengthTag(4)) allocation = r.view();
    }
    for (util::WireReader r(allocation); r.Next();) {
      if (r.tag() == util::VarintTag(1)) tensor.bytes = r.int64();
      if (r.tag() == util::LengthTag(3)) tensor.allocator = r.view();
    }
    tensor.created = op.start;
    tensor.last_unref = op.end();
    tensor.tensors_pid = device.tensors_pid;
    tensor.made = op.end();
    tensor.made_pid = device.compute_pid;
    tensor.made_lane = op.lane;
    // A repeated name takes the number of the next new name, as in the Python
    // class.
    tensor.object_id = static_cast<uint32_t>(names_.size());
    const std::string name = index == 0 ? std::string(op.name)
                                        : fmt::format("{}:{}", op.name, index);
    const profile::StringId id = names_.Intern(name);
    if (id == tensors_.size()) {
      tensors_.push_back(tensor);
    } else {
      tensors_[id] = tensor;
    }
    if (!options_.show_memory) return;
    text_.Event("N", "Tensor", name, device.tensors_pid, op.lane, op.start);
    text_.Member("id", tensor.object_id);
    text_.EndEvent();
    text_.Event("O", "Tensor", name, device.tensors_pid, op.lane,
                util::WrapSub(op.end(), 1));
    text_.Member("id", tensor.object_id);
    text_.Key("args");
    text_.Open('{');
    text_.Key("snapshot");
    text_.Open('{');
    text_.Member("tensor_description", DescriptionText(description));
    text_.Close('}');
    text_.Close('}');
    text_.EndEvent();
  }

  // The text format of the protobuf message without quotes.
  static std::string DescriptionText(std::string_view description) {
    proto::TensorDescription message;
    // A damaged field is left out; the fields before it are kept.
    (void)message.ParsePartialFromArray(description.data(),
                                        static_cast<int>(description.size()));
    google::protobuf::TextFormat::Printer printer;
    printer.SetHideUnknownFields(true);
    printer.SetUseUtf8StringEscaping(true);
    std::string text;
    printer.PrintToString(message, &text);
    std::erase(text, '"');
    return text;
  }

  // The op that made this input; kNone if it is not in the step.
  profile::StringId FindTensor(std::string_view& input) const {
    profile::StringId id = names_.Find(input);
    if (id != profile::kNone) return id;
    // Send and Recv use the name of the tensor followed by a number.
    const size_t cut = input.rfind("/_");
    if (cut != std::string_view::npos && cut > 0) input = input.substr(0, cut);
    return names_.Find(input);
  }

  void WriteOps(const Device& device) {
    for (const Op& op : device.ops) {
      std::string_view name = op.name;
      OpLabel label;
      const bool is_receive = op.name == "RecvTensor";
      if (device.is_gpu_tracer) {
        const KernelName kernel = ParseKernel(op);
        name = kernel.name;
        label.op = kernel.op.value_or(kUnknown);
      } else if (is_receive) {
        label.op = op.name;
      } else {
        label = ParseLabel(op.label).value_or(OpLabel{.op = kUnknown});
      }
      text_.Event("X", "Op", label.op, device.compute_pid, op.lane, op.start);
      text_.Member("dur", op.length);
      text_.Key("args");
      text_.Open('{');
      text_.Member("name", name);
      text_.Member("op", label.op);
      for (size_t i = 0; i < label.inputs.size(); ++i) {
        text_.Member(fmt::format("input{}", i), label.inputs[i]);
      }
      text_.Close('}');
      text_.EndEvent();
      for (std::string_view input : label.inputs) {
        ReadTensor(device, op, input);
      }
    }
  }

  void ReadTensor(const Device& device, const Op& op, std::string_view input) {
    const profile::StringId id = FindTensor(input);
    if (id == profile::kNone) return;
    Tensor& tensor = tensors_[id];
    tensor.last_unref = std::max(tensor.last_unref, util::WrapSub(op.end(), 1));
    if (!options_.show_dataflow || (tensor.made_pid == device.compute_pid &&
                                    tensor.made_lane == op.lane)) {
      return;
    }
    text_.Event("s", "DataFlow", input, tensor.made_pid, tensor.made_lane,
                tensor.made);
    text_.Member("id", flows_);
    text_.EndEvent();
    text_.Event("t", "DataFlow", input, device.compute_pid, op.lane, op.start);
    text_.Member("id", flows_);
    text_.EndEvent();
    ++flows_;
  }

  std::vector<AllocatorMaximum> WriteMemory() {
    profile::StringPool allocators;
    std::vector<std::vector<profile::StringId>> tensors_of;
    for (profile::StringId id = 0; id < tensors_.size(); ++id) {
      const Tensor& tensor = tensors_[id];
      text_.Event("D", "Tensor", names_.Get(id), tensor.tensors_pid, 0,
                  tensor.last_unref);
      text_.Member("id", tensor.object_id);
      text_.EndEvent();
      const profile::StringId allocator = allocators.Intern(tensor.allocator);
      if (allocator == tensors_of.size()) tensors_of.emplace_back();
      tensors_of[allocator].push_back(id);
    }
    std::vector<AllocatorMaximum> maxima;
    for (profile::StringId a = 0; a < allocators.size(); ++a) {
      maxima.push_back(WriteAllocator(allocators.Get(a), tensors_of[a]));
    }
    return maxima;
  }

  AllocatorMaximum WriteAllocator(std::string_view allocator,
                                  const std::vector<profile::StringId>& ids) {
    struct Change {
      int64_t time;
      int64_t bytes;
      profile::StringId tensor;
    };
    std::vector<Change> changes;
    for (const profile::StringId id : ids) {
      const Tensor& tensor = tensors_[id];
      changes.push_back({tensor.created, tensor.bytes, id});
      changes.push_back(
          {tensor.last_unref, util::WrapSub(0, tensor.bytes), id});
    }
    std::sort(changes.begin(), changes.end(),
              [&](const Change& a, const Change& b) {
                return std::make_tuple(a.time, a.bytes, names_.Get(a.tensor)) <
                       std::make_tuple(b.time, b.bytes, names_.Get(b.tensor));
              });
    AllocatorMaximum maximum;
    maximum.allocator = allocator;
    int64_t total = 0;
    std::optional<size_t> highest;  // of changes
    for (size_t i = 0; i < changes.size(); ++i) {
      total = util::WrapAdd(total, changes[i].bytes);
      if (total > maximum.bytes) {
        maximum.bytes = total;
        maximum.micros = changes[i].time;
        highest = i;
      }
      text_.Event("C", "Memory", allocator, kAllocatorsPid, 0, changes[i].time);
      text_.Key("args");
      text_.Open('{');
      text_.Member(allocator, total);
      text_.Close('}');
      text_.EndEvent();
    }
    if (highest) {
      std::set<std::string_view> live;
      for (size_t i = 0; i <= *highest; ++i) {
        const std::string_view name = names_.Get(changes[i].tensor);
        if (changes[i].bytes < 0) {
          live.erase(name);
        } else {
          live.insert(name);  // empty tensors are never removed
        }
      }
      maximum.tensors.assign(live.begin(), live.end());
    }
    return maximum;
  }

  const ClientTimelineOptions options_;
  ChromeJsonText text_;
  util::Sink& sink_;
  std::vector<Device> devices_;
  profile::StringPool names_;    // of outputs
  std::vector<Tensor> tensors_;  // by their ids
  int64_t flows_ = 0;
};

}  // namespace

std::vector<AllocatorMaximum> WriteClientTimeline(
    std::span<const std::string_view> step_stats,
    const ClientTimelineOptions& options, util::Sink& sink) {
  return Writer(step_stats, options, sink).Write();
}

}  // namespace tfprof::exporters
