#include "exporters/reference/client_timeline.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "google/protobuf/text_format.h"
#include "profile/string_pool.h"
#include "proto/run_metadata.pb.h"
#include "timeline/first_fit.h"
#include "util/arithmetic.h"
#include "util/json_string.h"
#include "util/wire.h"

namespace tfprof {
namespace {

constexpr size_t kFlushBytes = 1 << 16;
constexpr uint32_t kAllocatorsPid = 0;
constexpr std::string_view kUnknown = "unknown";

// One NodeExecStats.
struct Op {
  std::string_view name;
  std::string_view label;
  std::string_view message;
  int64_t start = 0;
  int64_t length = 0;
  uint32_t lane = 0;

  int64_t end() const { return WrapAdd(start, length); }
};

struct Device {
  std::string_view name;
  std::vector<Op> ops;
  uint32_t compute_pid = 0;
  uint32_t tensors_pid = 0;
  // Its ops are kernels and copies.
  bool is_gpu_tracer = false;
};

struct Tensor {
  std::string_view allocator;
  int64_t bytes = 0;
  int64_t created = 0;
  int64_t last_unref = 0;
  uint32_t object_id = 0;
  uint32_t tensors_pid = 0;
  // Where an arrow to a reader begins.
  int64_t made = 0;
  uint32_t made_pid = 0;
  uint32_t made_lane = 0;
};

// Events as text, in the layout of Python's json.dumps(…, indent=4).
class TraceText {
 public:
  explicit TraceText(Sink& sink) : sink_(sink) {
    Open('{');
    Key("traceEvents");
    Open('[');
  }
  void End() {
    Close(']');
    Close('}');
    sink_.Write(text_);
  }

  void Process(uint32_t pid, std::string_view name) {
    BeginElement();
    Member("name", "process_name");
    Member("ph", "M");
    Member("pid", pid);
    Key("args");
    Open('{');
    Member("name", name);
    Close('}');
    Close('}');
  }

  // Begins an event; the caller adds its members and calls EndEvent().
  void Event(std::string_view phase, std::string_view category,
             std::string_view name, uint32_t pid, uint32_t lane, int64_t time) {
    BeginElement();
    Member("ph", phase);
    Member("cat", category);
    Member("name", name);
    Member("pid", pid);
    Member("tid", lane);
    Member("ts", time);
  }
  void EndEvent() { Close('}'); }

  void Key(std::string_view key) {
    Separate();
    AppendJsonString(key, &text_);
    text_ += ": ";
  }
  void Member(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(value, &text_);
  }
  template <typename Int>
  requires std::is_integral_v<Int>
  void Member(std::string_view key, Int value) {
    Key(key);
    char digits[24];
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    text_.append(digits, end);
  }
  void Open(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void Close(char bracket) {
    --depth_;
    if (!first_) Break();
    text_ += bracket;
    first_ = false;
  }

 private:
  void BeginElement() {
    if (text_.size() > kFlushBytes) {
      sink_.Write(text_);
      text_.clear();
    }
    Separate();
    Open('{');
  }
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
    Break();
  }
  void Break() {
    text_ += '\n';
    text_.append(4 * static_cast<size_t>(depth_), ' ');
  }

  Sink& sink_;
  std::string text_;
  int depth_ = 0;
  bool first_ = true;  // nothing is in the innermost brackets
};

Op ReadOp(std::string_view message) {
  Op op;
  op.message = message;
  WireReader r(message);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(1):
        op.name = r.view();
        break;
      case VarintTag(2):
        op.start = r.int64();
        break;
      case VarintTag(5):
        op.length = r.int64();
        break;
      case LengthTag(8):
        op.label = r.view();
        break;
    }
  }
  return op;
}

Device ReadDevice(std::string_view message) {
  Device device;
  WireReader r(message);
  while (r.Next()) {
    if (r.tag() == LengthTag(1)) device.name = r.view();
    if (r.tag() == LengthTag(2)) device.ops.push_back(ReadOp(r.view()));
  }
  device.is_gpu_tracer =
      device.name.find("/stream:") != std::string_view::npos ||
      device.name.find("/memcpy") != std::string_view::npos;
  return device;
}

struct NameAndOp {
  std::string_view name;
  std::string_view op;
};

// "… @@conv1:Conv2D#…", or a node name "conv1:Conv2D".
NameAndOp ParseKernel(const Op& kernel) {
  std::string_view name = kernel.name;
  const size_t begin = kernel.label.find("@@");
  const size_t end = kernel.label.find('#');
  if (begin != std::string_view::npos && end != std::string_view::npos &&
      begin + 2 < end) {
    name = kernel.label.substr(begin + 2, end - begin - 2);
  }
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {name, kUnknown};
  const std::string_view rest = name.substr(colon + 1);
  return {name.substr(0, colon), rest.substr(0, rest.find(':'))};
}

struct OpLabel {
  std::string_view op = kUnknown;
  std::vector<std::string_view> inputs;
};

// "[cpu 4.5MB 6.0MB] a = MatMul(x, y)", as the class reads it: the regular
// expression (.*) = (.*)\((.*)\) at the start of the first line.
OpLabel ParseLabel(std::string_view label) {
  constexpr std::string_view kEquals = " = ";
  label = label.substr(0, label.find('\n'));
  OpLabel parsed;
  const size_t close = label.rfind(')');
  if (close == std::string_view::npos) return parsed;
  const size_t open = label.rfind('(', close);
  if (open == std::string_view::npos || open < kEquals.size()) return parsed;
  const size_t equals = label.rfind(kEquals, open - kEquals.size());
  if (equals == std::string_view::npos) return parsed;
  const size_t op = equals + kEquals.size();
  parsed.op = label.substr(op, open - op);
  std::string_view rest = label.substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    parsed.inputs.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 2);
    if (rest.empty()) parsed.inputs.push_back(rest);  // as str.split does
  }
  return parsed;
}

class Writer {
 public:
  Writer(std::span<const std::string_view> step_stats,
         const ClientTimelineOptions& options, Sink& sink)
      : options_(options), text_(sink), sink_(sink) {
    for (const std::string_view message : step_stats) {
      WireReader r(message);
      while (r.Next()) {
        if (r.tag() == LengthTag(1)) devices_.push_back(ReadDevice(r.view()));
      }
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
  // Stretches ops over the kernels that they started.
  void CoverKernels() {
    struct Span {
      int64_t start, end;
    };
    StringPool names;
    std::vector<Span> spans;  // by name
    for (const Device& device : devices_) {
      if (device.name.find("/stream:all") == std::string_view::npos) continue;
      for (const Op& kernel : device.ops) {
        const StringId id = names.Intern(ParseKernel(kernel).name);
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
        const StringId id = names.Find(op.name);
        if (id == kNone) continue;
        const int64_t end = std::max(spans[id].end, op.end());
        if (options_.op_time == OpTime::kGpu) op.start = spans[id].start;
        op.length = WrapSub(end, op.start);
      }
    }
  }

  // Of devices with one name, the last processes have the events of all.
  void NameProcesses() {
    text_.Process(kAllocatorsPid, "Allocators");
    StringPool names;
    std::vector<uint32_t> compute;  // by name
    std::vector<StringId> name_of;
    uint32_t next = kAllocatorsPid + 1;
    for (const Device& device : devices_) {
      const StringId id = names.Intern(device.name);
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
      FirstFit lanes(FirstFit::Fit::kApart, 0);
      for (Op& op : device.ops) op.lane = lanes.Place(op.start, op.end());
    }
  }

  void WriteTensors(const Device& device) {
    for (const Op& op : device.ops) {
      int64_t index = 0;
      WireReader r(op.message);
      while (r.Next()) {
        if (r.tag() == LengthTag(7)) {
          WriteTensor(device, op, index++, r.view());
        }
      }
    }
  }

  void WriteTensor(const Device& device, const Op& op, int64_t index,
                   std::string_view output) {
    std::string_view description, allocation;
    Tensor tensor;
    for (WireReader r(output); r.Next();) {
      if (r.tag() == LengthTag(3)) description = r.view();
    }
    for (WireReader r(description); r.Next();) {
      if (r.tag() == LengthTag(4)) allocation = r.view();
    }
    for (WireReader r(allocation); r.Next();) {
      if (r.tag() == VarintTag(1)) tensor.bytes = r.int64();
      if (r.tag() == LengthTag(3)) tensor.allocator = r.view();
    }
    tensor.created = op.start;
    tensor.last_unref = op.end();
    tensor.tensors_pid = device.tensors_pid;
    tensor.made = op.end();
    tensor.made_pid = device.compute_pid;
    tensor.made_lane = op.lane;
    // A name that comes again takes the number of the next new name: that is
    // how the class counts.
    tensor.object_id = static_cast<uint32_t>(names_.size());
    const std::string name = index == 0 ? std::string(op.name)
                                        : fmt::format("{}:{}", op.name, index);
    const StringId id = names_.Intern(name);
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
                WrapSub(op.end(), 1));
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

  // The text form without quotes.
  static std::string DescriptionText(std::string_view description) {
    TensorDescription message;
    // What is damaged stays out; what was before it is there.
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

  // What made this input; kNone: nothing in the step did.
  StringId FindTensor(std::string_view& input) const {
    StringId id = names_.Find(input);
    if (id != kNone) return id;
    // Send and Recv have the name of the tensor with a number behind it.
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
        const NameAndOp kernel = ParseKernel(op);
        name = kernel.name;
        label.op = kernel.op;
      } else if (is_receive) {
        label.op = op.name;
      } else {
        label = ParseLabel(op.label);
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
    const StringId id = FindTensor(input);
    if (id == kNone) return;
    Tensor& tensor = tensors_[id];
    tensor.last_unref = std::max(tensor.last_unref, WrapSub(op.end(), 1));
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
    StringPool allocators;
    std::vector<std::vector<StringId>> tensors_of;
    for (StringId id = 0; id < tensors_.size(); ++id) {
      const Tensor& tensor = tensors_[id];
      text_.Event("D", "Tensor", names_.Get(id), tensor.tensors_pid, 0,
                  tensor.last_unref);
      text_.Member("id", tensor.object_id);
      text_.EndEvent();
      const StringId allocator = allocators.Intern(tensor.allocator);
      if (allocator == tensors_of.size()) tensors_of.emplace_back();
      tensors_of[allocator].push_back(id);
    }
    std::vector<AllocatorMaximum> maxima;
    for (StringId a = 0; a < allocators.size(); ++a) {
      maxima.push_back(WriteAllocator(allocators.Get(a), tensors_of[a]));
    }
    return maxima;
  }

  AllocatorMaximum WriteAllocator(std::string_view allocator,
                                  const std::vector<StringId>& ids) {
    struct Change {
      int64_t time;
      int64_t bytes;
      StringId tensor;
    };
    std::vector<Change> changes;
    for (const StringId id : ids) {
      const Tensor& tensor = tensors_[id];
      changes.push_back({tensor.created, tensor.bytes, id});
      changes.push_back({tensor.last_unref, WrapSub(0, tensor.bytes), id});
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
      total = WrapAdd(total, changes[i].bytes);
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
  TraceText text_;
  Sink& sink_;
  std::vector<Device> devices_;
  StringPool names_;             // of outputs
  std::vector<Tensor> tensors_;  // by their ids
  int64_t flows_ = 0;
};

}  // namespace

std::vector<AllocatorMaximum> WriteClientTimeline(
    std::span<const std::string_view> step_stats,
    const ClientTimelineOptions& options, Sink& sink) {
  return Writer(step_stats, options, sink).Write();
}

}  // namespace tfprof
