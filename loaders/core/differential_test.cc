// Compares the fast readers with libprotobuf.
//
// The same bytes go two ways: through the loaders into a Profile, and through
// libprotobuf into messages, from which a model of the profile is made as
// naively as possible: maps, strings, one record at a time. Both results are
// written as lines of text, which must be equal for any number of threads.
//
// Inputs: the bundled profiles, a generated one that is cut into many pieces,
// random messages, and mutations of all small inputs. If libprotobuf rejects
// mutated bytes (also because a string is not UTF-8, which the loaders accept),
// the loaders must only survive them.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bench/generate.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "gtest/gtest.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/op_log/op_log.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "profile/profile.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"
#include "util/run/task_options.h"
#include "util/text/ascii.h"

namespace tfprof::loaders {
namespace {

namespace fs = std::filesystem;

int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

// ---- The model.

struct ModelFrame {
  // "-": the table has no such string.
  std::string file, function, line;
  int32_t lineno = 0, func_start_line = 0;

  std::string Text() const {
    return fmt::format("{}:{}:{}:{}:{}", file, lineno, function,
                       func_start_line, line);
  }
};

struct ModelEdge {
  int32_t position = 0;
  std::string source;  // "?": no such node
  int32_t seen_output = 0, output = 0;
};

struct ModelNode {
  std::string op;
  std::set<std::string> types;
  std::vector<int64_t> parameter_shape;
  std::string device;  // "": none
  int64_t float_ops = 0;
  bool has_stack = false;
  std::vector<ModelFrame> stack;
  std::vector<ModelEdge> edges;
  std::vector<std::pair<int32_t, std::vector<int64_t>>> output_shapes;
  std::map<std::string, std::string> attributes;
};

struct ModelGroup {
  int64_t run_count = 0, accelerator = 0, cpu = 0, requested = 0, peak = 0,
          residual = 0, output = 0, start = 0, end = 0;
  // (device, start, duration), in order.
  std::vector<std::string> executions;
};

struct ModelStep {
  bool listed = false;
  std::map<std::string, ModelGroup> groups;
  std::vector<std::string> unaccounted;
};

// Serializes deterministically: the order of map entries is fixed.
std::string Serialized(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::vector<int64_t> Dims(const proto::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return {};
  std::vector<int64_t> dims;
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  if (dims.empty()) dims.push_back(1);
  return dims;
}

class Model {
 public:
  void Add(const proto::GraphDef& graph) {
    for (const proto::NodeDef& def : graph.node()) {
      if (!nodes.try_emplace(def.name()).second) continue;
      ModelNode& node = nodes[def.name()];
      order.push_back(def.name());
      node.op = def.op();
      node.types = {def.op()};
      for (const std::string& input : def.input()) AddInput(node, input);
      for (const auto& [key, value] : def.attr()) {
        node.attributes[key] = Serialized(value);
      }
      const auto shape = def.attr().find("shape");
      if (shape != def.attr().end() && shape->second.has_shape()) {
        node.parameter_shape = Dims(shape->second.shape());
      }
      const auto outputs = def.attr().find("_output_shapes");
      if (outputs != def.attr().end() && outputs->second.has_list()) {
        for (const auto& output : outputs->second.list().shape()) {
          node.output_shapes.push_back(
              {static_cast<int32_t>(node.output_shapes.size()), Dims(output)});
        }
      }
    }
  }

  void Add(const proto::RunMetadata& metadata, int64_t id) {
    if (!metadata.has_step_stats()) return;
    ModelStep& step = steps[id];
    step.listed = true;
    bool gpu = false, gpu_stream = false;
    for (const proto::DeviceStepStats& stats :
         metadata.step_stats().dev_stats()) {
      const std::string device = util::LowerCase(stats.device());
      const profile::Device kind = tensorflow::ClassifyDevice(device);
      gpu |= kind.on_gpu;
      gpu_stream |= kind.on_gpu && kind.accelerator_stream;
      for (const proto::NodeExecStats& node : stats.node_stats()) {
        AddExecution(node, device, kind, step);
      }
    }
    misses_stream |= gpu && !gpu_stream;
  }

  void Add(const proto::OpLogProto& log) {
    for (const auto& [id, text] : log.id_to_string()) strings[id] = text;
    for (const proto::OpLogEntry& entry : log.log_entries()) {
      const auto found = nodes.find(entry.name());
      if (found == nodes.end()) continue;
      ModelNode& node = found->second;
      node.types.insert(entry.types().begin(), entry.types().end());
      if (entry.float_ops() != 0) node.float_ops = entry.float_ops();
      if (!entry.has_code_def()) continue;
      has_code = true;
      if (node.has_stack) continue;
      node.has_stack = true;
      node.stack = Frames(entry.code_def());
    }
  }

  // Returns false if names are not distinct. Which one is kept then depends on
  // the order in the file, which a map of libprotobuf does not know.
  bool Add(const proto::ProfileProto& profile) {
    for (const auto& [id, text] : profile.id_to_string()) strings[id] = text;
    has_code |= profile.has_trace();
    for (const int64_t step : profile.steps()) steps[step].listed = true;
    for (const auto& [id, from] : profile.nodes()) {
      if (!nodes.try_emplace(from.name()).second) return false;
      ModelNode& node = nodes[from.name()];
      node.op = from.op();
      node.types = {from.op_types().begin(), from.op_types().end()};
      node.parameter_shape = {from.shape().begin(), from.shape().end()};
      node.device = util::LowerCase(from.canonical_device());
      node.float_ops = from.float_ops();
      node.stack = Frames(from.trace());
      for (const auto& [key, value] : from.attrs()) {
        node.attributes[key] = Serialized(value);
      }
      AddEdges(profile, from, node);
      const std::map<int32_t, proto::Tuple> shapes(from.output_shapes().begin(),
                                                   from.output_shapes().end());
      for (const auto& [index, tuple] : shapes) {
        node.output_shapes.push_back(
            {index,
             {tuple.int64_values().begin(), tuple.int64_values().end()}});
      }
      for (const auto& [step, exec] : from.execs()) {
        Add(exec, steps[step].groups[from.name()]);
      }
    }
    return true;
  }

  std::map<std::string, ModelNode> nodes;
  std::vector<std::string> order;  // of the nodes; empty: any order
  std::map<int64_t, ModelStep> steps;
  std::map<int64_t, std::string> strings;
  bool has_code = false;
  bool misses_stream = false;

 private:
  static void AddInput(ModelNode& node, const std::string& input) {
    ModelEdge edge;
    edge.position = static_cast<int32_t>(node.edges.size());
    edge.source = input.substr(0, input.find(':'));
    if (edge.source.size() < input.size()) {
      const std::string number = input.substr(edge.source.size() + 1);
      const size_t sign = number.substr(0, 1) == "-" ? 1 : 0;
      const size_t digits =
          std::min(number.find_first_not_of("0123456789", sign), number.size());
      if (digits > sign) {
        const long long value =
            std::strtoll(number.substr(0, digits).c_str(), nullptr, 10);
        const bool fits = value >= INT32_MIN && value <= INT32_MAX;
        edge.output = fits ? static_cast<int32_t>(value) : 0;
      }
    }
    if (edge.source.substr(0, 1) == "^") edge.source.erase(0, 1);
    node.edges.push_back(edge);
  }

  void AddExecution(const proto::NodeExecStats& stats,
                    const std::string& device, const profile::Device& kind,
                    ModelStep& step) {
    const std::string name =
        stats.node_name().substr(0, stats.node_name().find(':'));
    const int64_t start = stats.all_start_micros();
    const int64_t duration =
        stats.op_end_rel_micros() == 0 ? 1 : stats.op_end_rel_micros();
    const std::string unaccounted =
        fmt::format("{} on {} at {} for {}", name, device,
                    start > 0 ? start : 0, start > 0 ? duration : 0);
    if (nodes.count(name) == 0) {
      if (name == "RecvTensor" || name == "_SOURCE" ||
          name.find("MEMCPY") != name.npos) {
        step.unaccounted.push_back(unaccounted);
        return;
      }
      nodes[name].op = name;
      nodes[name].types = {name};
      order.push_back(name);
    }
    ModelNode& node = nodes[name];
    if (kind.canonical) {
      if (node.device.empty()) {
        node.device = device;
        node.types.insert(device);
      } else if (node.device != device) {
        step.unaccounted.push_back(unaccounted);
        return;
      }
    }
    const bool counts = start > 0;
    ModelGroup& group = step.groups[name];
    group.executions.push_back(fmt::format(
        "{} at {} for {}", device, counts ? start : 0, counts ? duration : 0));
    if (!counts) return;
    if (group.start == 0 || start < group.start) group.start = start;
    group.end = std::max(group.end, Sum(start, duration));
    if (kind.accelerator_stream) {
      group.accelerator = Sum(group.accelerator, duration);
    } else if (kind.canonical) {
      group.cpu = Sum(group.cpu, duration);
      ++group.run_count;
    }
    if (node.device != device) return;
    for (const proto::AllocatorMemoryUsed& memory : stats.memory()) {
      group.requested = Sum(group.requested, memory.total_bytes());
      group.peak = Sum(group.peak, memory.peak_bytes());
      group.residual = Sum(group.residual, memory.live_bytes());
    }
    const int64_t temp = stats.memory_stats().temp_memory_size();
    const int64_t persistent = stats.memory_stats().persistent_memory_size();
    group.requested = Sum(group.requested, Sum(temp, persistent));
    group.peak = Sum(group.peak, Sum(temp, persistent));
    group.residual = Sum(group.residual, persistent);
    for (const proto::NodeOutput& output : stats.output()) {
      if (!output.tensor_description().has_allocation_description()) continue;
      const auto& allocation =
          output.tensor_description().allocation_description();
      group.output = Sum(group.output, std::max(allocation.requested_bytes(),
                                                allocation.allocated_bytes()));
    }
  }

  std::string String(const std::string& text, int64_t id) const {
    if (!text.empty()) return text;
    const auto found = strings.find(id);
    return found == strings.end() ? "-" : found->second;
  }

  std::vector<ModelFrame> Frames(const proto::CodeDef& code) const {
    std::vector<ModelFrame> frames;
    for (const auto& trace : code.traces()) {
      frames.push_back({String(trace.file(), trace.file_id()),
                        String(trace.function(), trace.function_id()),
                        String(trace.line(), trace.line_id()), trace.lineno(),
                        trace.func_start_line()});
    }
    return frames;
  }

  static void AddEdges(const proto::ProfileProto& profile,
                       const proto::ProfileNode& from, ModelNode& node) {
    const std::map<int32_t, int64_t> inputs(from.inputs().begin(),
                                            from.inputs().end());
    const std::map<int32_t, std::string> dangling(
        from.dangling_inputs().begin(), from.dangling_inputs().end());
    const auto output = [&](int32_t position) {
      const auto found = from.input_output_index().find(position);
      return found == from.input_output_index().end() ? 0 : found->second;
    };
    for (const auto& [position, id] : inputs) {
      const auto source = profile.nodes().find(id);
      const auto seen = from.src_output_index().find(id);
      node.edges.push_back(
          {position,
           source == profile.nodes().end() ? "?" : source->second.name(),
           seen == from.src_output_index().end() ? 0 : seen->second,
           output(position)});
    }
    for (const auto& [position, name] : dangling) {
      node.edges.push_back({position, name, 0, output(position)});
    }
    std::stable_sort(node.edges.begin(), node.edges.end(),
                     [](const ModelEdge& a, const ModelEdge& b) {
                       return a.position < b.position;
                     });
  }

  static void Add(const proto::ExecProfile& exec, ModelGroup& group) {
    group.run_count = exec.run_count();
    group.start = exec.all_start_micros();
    group.end =
        group.start == 0 ? 0 : std::max<int64_t>(0, exec.latest_end_micros());
    std::set<std::string> timed;
    const auto add = [&](const auto& execs, int64_t& micros) {
      for (const auto& [name, times] : execs) {
        const std::string device = util::LowerCase(name);
        for (const proto::Tuple& tuple : times.times()) {
          // The loader treats this as damage and loses the later times.
          if (tuple.int64_values_size() < 2) break;
          const int64_t start = tuple.int64_values(0);
          micros = Sum(micros, tuple.int64_values(1));
          timed.insert(device);
          group.executions.push_back(
              fmt::format("{} at {} for {}", device, start > 0 ? start : 0,
                          start > 0 ? tuple.int64_values(1) : 0));
        }
      }
    };
    add(exec.accelerator_execs(), group.accelerator);
    add(exec.cpu_execs(), group.cpu);
    for (const std::string& name : exec.devices()) {
      const std::string device = util::LowerCase(name);
      if (timed.count(device) == 0) {
        group.executions.push_back(fmt::format("{} at 0 for 0", device));
      }
    }
    if (group.executions.empty()) group.executions.push_back("- at 0 for 0");
    for (const proto::ExecMemory& memory : exec.memory_execs()) {
      group.requested = Sum(group.requested, memory.requested_bytes());
      group.peak = Sum(group.peak, memory.peak_bytes());
      group.residual = Sum(group.residual, memory.residual_bytes());
      group.output = Sum(group.output, memory.output_bytes());
    }
  }
};

// ---- Both results as lines.

using Lines = std::vector<std::string>;

std::string GroupLine(const std::string& name, ModelGroup group, bool sorted) {
  // A map of libprotobuf has no order.
  if (sorted) std::sort(group.executions.begin(), group.executions.end());
  return fmt::format(
      "  {}: runs {} accelerator {} cpu {} requested {} peak {} residual {} "
      "output {} start {} end {}: {}",
      name, group.run_count, group.accelerator, group.cpu, group.requested,
      group.peak, group.residual, group.output, group.start, group.end,
      fmt::join(group.executions, "; "));
}

Lines Describe(const Model& model, bool sorted) {
  Lines lines;
  lines.push_back(fmt::format("code {} misses_stream {}", model.has_code,
                              model.misses_stream));
  if (!sorted) {
    lines.push_back(fmt::format("order {}", fmt::join(model.order, ", ")));
  }
  for (const auto& [name, node] : model.nodes) {
    lines.push_back(fmt::format(
        "node {}: {} types {} shape {} device {} flops {}", name, node.op,
        fmt::join(node.types, ", "), fmt::join(node.parameter_shape, "x"),
        node.device, node.float_ops));
    for (const ModelEdge& edge : node.edges) {
      lines.push_back(fmt::format("  input {}: {} seen {} output {}",
                                  edge.position, edge.source, edge.seen_output,
                                  edge.output));
    }
    for (const auto& [index, dims] : node.output_shapes) {
      lines.push_back(
          fmt::format("  output {}: {}", index, fmt::join(dims, "x")));
    }
    for (const ModelFrame& frame : node.stack) {
      lines.push_back("  frame " + frame.Text());
    }
    for (const auto& [key, value] : node.attributes) {
      lines.push_back(fmt::format("  attr {} = {}", key, value));
    }
  }
  for (const auto& [id, step] : model.steps) {
    lines.push_back(fmt::format("step {} listed {}", id, step.listed));
    for (const auto& [name, group] : step.groups) {
      lines.push_back(GroupLine(name, group, sorted));
    }
    Lines unaccounted = step.unaccounted;
    std::sort(unaccounted.begin(), unaccounted.end());
    for (const std::string& text : unaccounted) {
      lines.push_back("  unaccounted " + text);
    }
  }
  return lines;
}

std::string Text(const profile::StringPool& strings, profile::StringId id,
                 const std::string& otherwise) {
  return id == profile::kNone ? otherwise : std::string(strings.Get(id));
}

// Describes what the loaders made, with the same structs.
Lines Describe(const profile::Profile& profile, bool sorted) {
  const profile::GraphTables& graph = profile.graph();
  const profile::NodeTable& nodes = graph.nodes;
  const auto dims_of = [&](profile::ShapeId shape) {
    const auto dims = graph.shapes[shape];
    return std::vector<int64_t>(dims.begin(), dims.end());
  };
  const auto device_of = [&](profile::DeviceId id,
                             const std::string& otherwise) {
    return id == profile::kNone ? otherwise
                                : std::string(graph.devices.name(id));
  };
  Model model;
  model.has_code = graph.has_code_traces;
  model.misses_stream = graph.misses_accelerator_stream;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    const std::string name(profile.node_name(n));
    EXPECT_EQ(nodes.Find(nodes.name[n]), n);
    model.order.push_back(name);
    ModelNode& node = model.nodes[name];
    node.op = Text(graph.strings, nodes.op[n], "-");
    for (const profile::StringId type : graph.type_sets[nodes.types[n]]) {
      node.types.insert(Text(graph.strings, type, "-"));
    }
    EXPECT_EQ(node.types.size(), graph.type_sets[nodes.types[n]].size());
    node.parameter_shape = dims_of(nodes.parameter_shape[n]);
    node.device = device_of(nodes.device[n], "");
    node.float_ops = nodes.FloatOps(n);
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      node.edges.push_back(
          {nodes.Position(n, e), Text(graph.strings, nodes.edge_source[e], "?"),
           nodes.edge_seen_output.empty() ? 0 : nodes.edge_seen_output[e],
           nodes.edge_output.empty() ? 0 : nodes.edge_output[e]});
    }
    for (uint32_t i = nodes.shape_begin[n]; i < nodes.shape_begin[n + 1]; ++i) {
      node.output_shapes.push_back(
          {nodes.output_shape[i].index, dims_of(nodes.output_shape[i].shape)});
    }
    for (const profile::FrameId id : graph.stacks.Frames(nodes.stack[n])) {
      const profile::Frame& frame = graph.stacks.frame(id);
      node.stack.push_back({Text(graph.strings, frame.file, "-"),
                            Text(graph.strings, frame.function, "-"),
                            Text(graph.strings, frame.line, "-"), frame.lineno,
                            frame.func_start_line});
    }
    for (const auto& [key, value] : profile.Attributes(n)) {
      proto::AttrValue parsed;
      EXPECT_TRUE(
          parsed.ParseFromArray(value.data(), static_cast<int>(value.size())));
      node.attributes[std::string(key)] = Serialized(parsed);
    }
  }
  for (const auto& step : profile.steps()) {
    ModelStep& to = model.steps[step->id];
    to.listed = step->listed;
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto n = static_cast<profile::NodeId>(step->node[g]);
      EXPECT_EQ(step->FindGroup(n), g);
      ModelGroup& group = to.groups[std::string(profile.node_name(n))];
      const profile::GroupSums sums = step->sums.Of(g);
      group = {sums.run_count,
               sums.accelerator_time,
               sums.cpu_time,
               sums.requested_bytes,
               sums.peak_bytes,
               sums.residual_bytes,
               sums.output_bytes,
               sums.has_span ? sums.start : 0,
               sums.has_span ? sums.end : 0,
               {}};
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        group.executions.push_back(
            fmt::format("{} at {} for {}",
                        device_of(profile.device_of(step->LaneOf(e)), "-"),
                        step->HasStart(e) ? step->exec_start.Micros(e) : 0,
                        step->exec_duration.Micros(e)));
      }
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      to.unaccounted.push_back(
          fmt::format("{} on {} at {} for {}",
                      Text(graph.strings, step->OutsideName(e), "-"),
                      device_of(profile.device_of(step->LaneOf(e)), "-"),
                      step->HasStart(e) ? step->exec_start.Micros(e) : 0,
                      step->exec_duration.Micros(e)));
    }
  }
  return Describe(model, sorted);
}

std::string Excerpt(const std::string& line) {
  return line.size() < 600 ? line : line.substr(0, 600) + "…";
}

// Returns "" if the lines are equal, else the first difference.
std::string Difference(const Lines& loaded, const Lines& model) {
  size_t i = 0;
  while (i < loaded.size() && i < model.size() && loaded[i] == model[i]) ++i;
  if (i == loaded.size() && i == model.size()) return "";
  const auto line = [&](const Lines& lines) {
    return i < lines.size() ? Excerpt(lines[i]) : "(the end)";
  };
  return fmt::format("line {}:\n  loaded: {}\n  libprotobuf: {}\n  after: {}",
                     i, line(loaded), line(model),
                     i == 0 ? "" : Excerpt(model[i - 1]));
}

// ---- Inputs.

enum class Kind { kGraph, kRunMetadata, kOpLog, kProfile };

struct Input {
  Kind kind;
  std::string bytes;
  int64_t step = 0;
};

// ---- The wire format.

std::string Varint(uint64_t v) {
  std::string bytes;
  for (; v >= 0x80; v >>= 7) bytes += static_cast<char>(v | 0x80);
  return bytes + static_cast<char>(v);
}

// A field: where it begins, where its content (after tag and length) begins,
// and where it ends.
struct Span {
  size_t field = 0, begin = 0, end = 0;
  int number = 0;
  uint32_t wire_type = 0;
};

// The fields of a message. Empty: it is not a message, or it has groups.
std::vector<Span> Fields(const std::string& bytes) {
  std::vector<Span> fields;
  size_t at = 0;
  const auto varint = [&](uint64_t& v) {
    v = 0;
    for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
      const auto b = static_cast<unsigned char>(bytes[at++]);
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return true;
    }
    return false;
  };
  while (at < bytes.size()) {
    Span span;
    span.field = at;
    uint64_t tag = 0, size = 0;
    if (!varint(tag) || tag < 8) return {};
    span.number = tag > UINT32_MAX ? -1 : static_cast<int>(tag >> 3);
    span.wire_type = tag & 7;
    span.begin = at;
    if (span.wire_type == 0) {
      if (!varint(size)) return {};
    } else if (span.wire_type == 2) {
      if (!varint(size) || size > bytes.size() - at) return {};
      span.begin = at;
      at += size;
    } else if (span.wire_type == 1 || span.wire_type == 5) {
      const size_t width = span.wire_type == 1 ? 8 : 4;
      if (width > bytes.size() - at) return {};
      at += width;
    } else {
      return {};
    }
    span.end = at;
    fields.push_back(span);
  }
  return fields;
}

// Returns whether libprotobuf merges something in a message of `type`: a nested
// message that occurs twice where only one is allowed, or two map entries with
// one key. No writer makes such files. The loaders keep the last one (for
// strings by id the first), libprotobuf merges the fields of both.
bool Merges(const std::string& bytes, const google::protobuf::Descriptor& type,
            int depth = 0) {
  std::set<int> messages;
  std::set<std::pair<int, std::string>> keys;
  for (const Span& span : Fields(bytes)) {
    // The tag has more than 32 bits; libprotobuf ignores the upper ones.
    if (span.number < 0) return true;
    const auto* field = type.FindFieldByNumber(span.number);
    if (field == nullptr) continue;
    const bool member = field->containing_oneof() != nullptr;
    // A oneof member whose content has another type is unknown.
    if (member &&
        (span.wire_type == 2) != (field->cpp_type() >= field->CPPTYPE_STRING)) {
      return true;
    }
    if (span.wire_type != 2 || field->message_type() == nullptr) continue;
    const std::string content = bytes.substr(span.begin, span.end - span.begin);
    if (field->is_map()) {
      std::string key;
      std::set<int> seen;
      for (const Span& part : Fields(content)) {
        if (!seen.insert(part.number).second) return true;
        if (part.number == 1) {
          key = content.substr(part.begin, part.end - part.begin);
        }
      }
      // Writers may omit the values 0 and "".
      if (key == std::string(1, '\0')) key.clear();
      if (!keys.insert({span.number, key}).second) return true;
    } else if (!field->is_repeated() && !messages.insert(span.number).second) {
      return true;
    }
    if (depth < 20 && Merges(content, *field->message_type(), depth + 1)) {
      return true;
    }
  }
  return false;
}

// ---- The comparison.

struct Compared {
  // libprotobuf accepts the input, and merges nothing.
  bool accepted = false;
  std::string difference;
};

// Loads `inputs` both ways, in the given order.
Compared Compare(const std::vector<Input>& inputs, int threads, bool mutated) {
  // libprotobuf would log what is wrong with each string.
  const google::protobuf::LogSilencer silencer;
  LoadContext context(util::TaskOptions{.threads = threads});
  tensorflow::OpLogLoader op_logs(context);
  bool loaded = true;
  std::vector<tensorflow::RunMetadataFile> files;
  bool sorted = false;
  for (const Input& input : inputs) {
    auto file = InputFile::FromBytes("input", input.bytes);
    absl::Status status;
    switch (input.kind) {
      case Kind::kGraph:
        status = tensorflow::LoadGraphDef(file, context);
        break;
      case Kind::kRunMetadata:
        files.push_back({file, input.step});
        break;
      case Kind::kOpLog:
        status = op_logs.Load(*file);
        break;
      case Kind::kProfile:
        status = tensorflow::LoadProfileProto(file, context);
        sorted = true;
        break;
    }
    loaded &= status.ok();
  }
  if (!files.empty()) {
    loaded &= tensorflow::LoadRunMetadata(files, context).ok();
  }
  const profile::Profile profile = std::move(context.builder).Build();

  Model model;
  bool empty = false;
  const auto parse = [mutated](auto& message, const std::string& bytes) {
    return message.ParseFromArray(bytes.data(),
                                  static_cast<int>(bytes.size())) &&
           (!mutated || !Merges(bytes, *message.GetDescriptor()));
  };
  for (const Input& input : inputs) {
    switch (input.kind) {
      case Kind::kGraph: {
        proto::GraphDef graph;
        if (!parse(graph, input.bytes)) return {};
        empty |= graph.node().empty();
        model.Add(graph);
        break;
      }
      case Kind::kRunMetadata: {
        proto::RunMetadata metadata;
        if (!parse(metadata, input.bytes)) return {};
        model.Add(metadata, input.step);
        break;
      }
      case Kind::kOpLog: {
        proto::OpLogProto log;
        if (!parse(log, input.bytes)) return {};
        empty |= log.log_entries().empty() && log.id_to_string().empty();
        model.Add(log);
        break;
      }
      case Kind::kProfile: {
        proto::ProfileProto proto;
        if (!parse(proto, input.bytes)) return {};
        empty |= proto.nodes().empty() && proto.steps().empty() &&
                 proto.id_to_string().empty() && !proto.has_trace();
        if (!model.Add(proto)) return {};
        break;
      }
    }
  }
  // If no byte belongs to a message, the loaders report that the file is not
  // one.
  if (!loaded && empty) return {true, ""};
  if (!loaded) return {true, "the loader refuses it"};
  std::string difference =
      Difference(Describe(profile, sorted), Describe(model, sorted));
  if (!difference.empty()) {
    for (const ImportLog::Entry& entry : context.log.entries()) {
      difference += fmt::format("\n  said: {}: {}", entry.kind,
                                fmt::join(entry.texts, "; "));
    }
  }
  return {true, std::move(difference)};
}

void ExpectEqual(const std::vector<Input>& inputs, const std::string& what) {
  for (const int threads : {1, 2, 8}) {
    const Compared compared = Compare(inputs, threads, /*mutated=*/false);
    EXPECT_TRUE(compared.accepted) << what;
    EXPECT_EQ(compared.difference, "") << what << ", threads " << threads;
  }
}

std::string Bytes(const fs::path& path) {
  const auto file = InputFile::Open(path.string());
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? std::string((*file)->bytes()) : "";
}

// The binary files of a bundled profile: its sources, and the saved profile.
struct Bundled {
  std::vector<Input> sources;
  std::vector<Input> saved;
};

Bundled ReadBundled(const fs::path& folder) {
  Bundled bundled;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> run_metas;
  for (const fs::path& path : paths) {
    const std::string name = path.filename().string();
    const auto is = [&](const std::string& other) {
      return name == other || name == other + ".gz";
    };
    if (is("graph.pb")) {
      bundled.sources.insert(bundled.sources.begin(),
                             {Kind::kGraph, Bytes(path)});
    } else if (is("op_log")) {
      bundled.sources.push_back({Kind::kOpLog, Bytes(path)});
    } else if (is("profile.pb")) {
      bundled.saved.push_back({Kind::kProfile, Bytes(path)});
    } else if (name.rfind("run_meta_", 0) == 0) {
      // "run_meta_50.1" is another file of step 50.
      run_metas.push_back({Kind::kRunMetadata, Bytes(path),
                           std::strtoll(name.c_str() + 9, nullptr, 10)});
    }
  }
  bundled.sources.insert(bundled.sources.end(), run_metas.begin(),
                         run_metas.end());
  return bundled;
}

const fs::path& Profiles() {
  static const fs::path path = "tests/golden/profiles";
  return path;
}

using Random = std::mt19937_64;

uint64_t Below(Random& random, uint64_t n) { return random() % n; }

// A number that is typical for a file, or an edge case.
int64_t Number(Random& random) {
  static constexpr int64_t kEdges[] = {
      0, 1, -1, 127, 128, INT32_MAX, INT64_MAX, INT64_MIN, int64_t{1} << 60};
  if (Below(random, 8) == 0) return kEdges[Below(random, std::size(kEdges))];
  return static_cast<int64_t>(Below(random, uint64_t{1} << Below(random, 50)));
}

std::string NodeName(Random& random, uint64_t names) {
  static constexpr const char* kOdd[] = {
      "", "RecvTensor", "_SOURCE", "a/MEMCPYHtoD", "x:0", ":"};
  if (Below(random, 50) == 0) return kOdd[Below(random, std::size(kOdd))];
  return fmt::format("tower_{}/layer/node_{}", Below(random, 3),
                     Below(random, names));
}

std::string DeviceName(Random& random) {
  static constexpr const char* kDevices[] = {
      "/job:localhost/replica:0/task:0/device:CPU:0",
      "/job:localhost/replica:0/task:0/device:GPU:0",
      "/job:localhost/replica:0/task:0/device:GPU:0/stream:all",
      "/job:localhost/replica:0/task:0/device:GPU:0/stream:16",
      "/job:worker/replica:0/task:1/cpu:0",
      "/gpu:0/memcpy",
      "TPU",
      ""};
  return kDevices[Below(random, std::size(kDevices))];
}

void Fill(proto::TensorShapeProto& shape, Random& random) {
  if (Below(random, 8) == 0) shape.set_unknown_rank(true);
  for (uint64_t n = Below(random, 4); n > 0; --n) {
    shape.add_dim()->set_size(static_cast<int64_t>(Below(random, 100)) - 1);
  }
}

proto::GraphDef RandomGraph(Random& random, int nodes) {
  proto::GraphDef graph;
  for (int i = 0; i < nodes; ++i) {
    proto::NodeDef& node = *graph.add_node();
    node.set_name(NodeName(random, static_cast<uint64_t>(nodes)));
    node.set_op(fmt::format("Op{}", Below(random, 9)));
    for (uint64_t n = Below(random, 4); n > 0; --n) {
      static constexpr const char* kEnds[] = {"",   ":0",  ":1",
                                              ":x", ":-2", ":99999999999"};
      node.add_input((Below(random, 5) == 0 ? "^" : "") +
                     NodeName(random, static_cast<uint64_t>(nodes)) +
                     kEnds[Below(random, std::size(kEnds))]);
    }
    auto& attributes = *node.mutable_attr();
    if (Below(random, 2) == 0)
      Fill(*attributes["shape"].mutable_shape(), random);
    if (Below(random, 9) == 0) attributes["shape"].set_i(Number(random));
    if (Below(random, 2) == 0) attributes["T"].set_type(proto::DT_FLOAT);
    if (Below(random, 9) == 0) attributes["value"].set_s(std::string(200, 'v'));
    for (uint64_t n = Below(random, 3); n > 0; --n) {
      Fill(*attributes["_output_shapes"].mutable_list()->add_shape(), random);
    }
  }
  return graph;
}

proto::RunMetadata RandomRunMetadata(Random& random, int records,
                                     uint64_t names) {
  proto::RunMetadata metadata;
  proto::StepStats& step = *metadata.mutable_step_stats();
  for (int i = 0; i < records; ++i) {
    if (i == 0 || Below(random, 1 + static_cast<uint64_t>(records) / 6) == 0) {
      step.add_dev_stats()->set_device(DeviceName(random));
    }
    auto& device = *step.mutable_dev_stats(step.dev_stats_size() - 1);
    proto::NodeExecStats& node = *device.add_node_stats();
    node.set_node_name(NodeName(random, names));
    if (Below(random, 9) == 0) {
      node.set_node_name(node.node_name() + ":MatMul");
    }
    node.set_all_start_micros(Number(random));
    node.set_op_start_rel_micros(1);
    node.set_op_end_rel_micros(Number(random));
    node.set_timeline_label("label of some length, as a file has them");
    for (uint64_t n = Below(random, 3); n > 0; --n) {
      proto::AllocatorMemoryUsed& memory = *node.add_memory();
      memory.set_allocator_name(Below(random, 2) == 0 ? "GPU_0_bfc" : "cpu");
      memory.set_total_bytes(Number(random));
      memory.set_peak_bytes(Number(random));
      memory.set_live_bytes(Number(random));
      memory.add_allocation_records()->set_alloc_bytes(Number(random));
    }
    for (uint64_t n = Below(random, 3); n > 0; --n) {
      proto::NodeOutput& output = *node.add_output();
      output.set_slot(static_cast<int32_t>(n));
      auto& tensor = *output.mutable_tensor_description();
      Fill(*tensor.mutable_shape(), random);
      if (Below(random, 3) == 0) continue;
      auto& allocation = *tensor.mutable_allocation_description();
      allocation.set_requested_bytes(Number(random));
      allocation.set_allocated_bytes(Number(random));
    }
    if (Below(random, 3) == 0) {
      node.mutable_memory_stats()->set_temp_memory_size(Number(random));
      node.mutable_memory_stats()->set_persistent_memory_size(Number(random));
    }
  }
  return metadata;
}

proto::OpLogProto RandomOpLog(Random& random, int entries, uint64_t names) {
  proto::OpLogProto log;
  for (int64_t id = 0; id < 20; ++id) {
    (*log.mutable_id_to_string())[id] = fmt::format("string {}", id);
  }
  for (int i = 0; i < entries; ++i) {
    proto::OpLogEntry& entry = *log.add_log_entries();
    entry.set_name(NodeName(random, names));
    if (Below(random, 2) == 0) entry.set_float_ops(Number(random));
    for (uint64_t n = Below(random, 3); n > 0; --n) {
      entry.add_types(fmt::format("_type_{}", Below(random, 4)));
    }
    if (Below(random, 4) == 0) continue;
    proto::CodeDef& code = *entry.mutable_code_def();
    for (uint64_t n = Below(random, 6); n > 0; --n) {
      auto& trace = *code.add_traces();
      trace.set_file_id(static_cast<int64_t>(Below(random, 22)));
      trace.set_function_id(static_cast<int64_t>(Below(random, 4)));
      if (Below(random, 5) == 0) trace.set_line("inline");
      trace.set_lineno(static_cast<int32_t>(n));
      trace.set_func_start_line(static_cast<int32_t>(Below(random, 3)));
    }
  }
  return log;
}

std::vector<Input> RandomInputs(Random& random, int size) {
  const auto names = static_cast<uint64_t>(size);
  return {{Kind::kGraph, Serialized(RandomGraph(random, size))},
          {Kind::kOpLog, Serialized(RandomOpLog(random, size, names))},
          {Kind::kRunMetadata,
           Serialized(RandomRunMetadata(random, size, names)), 3},
          {Kind::kRunMetadata,
           Serialized(RandomRunMetadata(random, 2 * size, names)), 1},
          {Kind::kRunMetadata,
           Serialized(RandomRunMetadata(random, size / 2 + 1, names)), 3}};
}

// ---- Mutations.

// Returns another message of the same structure: one field in it is repeated,
// removed, moved or changed. The lengths around it stay correct.
std::string MutateFields(const std::string& bytes, Random& random, int depth) {
  const std::vector<Span> fields = Fields(bytes);
  if (fields.empty()) {
    std::string other = bytes;
    if (!other.empty()) {
      other[Below(random, other.size())] =
          static_cast<char>('a' + Below(random, 26));
    }
    return other;
  }
  const Span& f = fields[Below(random, fields.size())];
  const std::string before = bytes.substr(0, f.field);
  const std::string field = bytes.substr(f.field, f.end - f.field);
  const std::string after = bytes.substr(f.end);
  if (f.wire_type == 2 && Below(random, 8) != 0 && depth < 8) {
    const std::string content =
        MutateFields(bytes.substr(f.begin, f.end - f.begin), random, depth + 1);
    // The tag has one or two bytes; the rest of the head is the length.
    size_t tag = 1;
    while (static_cast<signed char>(field[tag - 1]) < 0) ++tag;
    return before + field.substr(0, tag) + Varint(content.size()) + content +
           after;
  }
  switch (Below(random, 5)) {
    case 0:
      return before + after;
    case 1:
      return before + field + field + after;
    case 2:
      return before + after + field;
    case 3: {
      if (f.wire_type != 0) return field + before + after;
      return before + bytes.substr(f.field, f.begin - f.field) +
             Varint(static_cast<uint64_t>(Number(random))) + after;
    }
    default: {
      const Span& g = fields[Below(random, fields.size())];
      return before + field + bytes.substr(g.field, g.end - g.field) + after;
    }
  }
}

// Changes arbitrary bytes.
std::string MutateBytes(std::string bytes, Random& random) {
  for (uint64_t n = 1 + Below(random, 3); n > 0 && !bytes.empty(); --n) {
    const size_t at = Below(random, bytes.size());
    switch (Below(random, 5)) {
      case 0:
        bytes[at] = static_cast<char>(Below(random, 256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(random, 8)));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(Below(random, 256)));
        break;
      case 3:
        bytes.erase(at, 1 + Below(random, 3));
        break;
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

// Mutates each of `inputs` `rounds` times. `accepted` counts the mutations that
// libprotobuf accepted.
void MutateAndCompare(const std::vector<Input>& inputs, int rounds,
                      Random& random, const std::string& what, int& accepted) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<Input> mutated = inputs;
      mutated[i].bytes = round % 3 == 0
                             ? MutateBytes(inputs[i].bytes, random)
                             : MutateFields(inputs[i].bytes, random, 0);
      const Compared compared =
          Compare(mutated, /*threads=*/1, /*mutated=*/true);
      accepted += compared.accepted;
      if (compared.difference.empty()) continue;
      ADD_FAILURE() << what << ", input " << i << ", round " << round << "\n"
                    << compared.difference;
      break;
    }
  }
}

// ---- Tests.

TEST(DifferentialTest, BundledProfiles) {
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(Profiles())) {
    const Bundled bundled = ReadBundled(entry.path());
    ++folders;
    ExpectEqual(bundled.sources, entry.path().string());
    ExpectEqual(bundled.saved, entry.path().string() + ", saved");
  }
  EXPECT_GE(folders, 10);
}

// Large enough to be cut into pieces that threads share.
TEST(DifferentialTest, GeneratedProfile) {
  const char* scratch = std::getenv("TEST_TMPDIR");
  ASSERT_NE(scratch, nullptr);
  const GeneratedSize size = {"small", 14000, 2, 1};
  const auto status =
      Generate((Profiles() / "conv_resnet").string(), scratch, size);
  ASSERT_TRUE(status.ok()) << status;
  const GeneratedInputs paths = GeneratedPaths(scratch, size);
  std::vector<Input> inputs = {{Kind::kGraph, Bytes(paths.graph)},
                               {Kind::kOpLog, Bytes(paths.op_log)}};
  EXPECT_GT(inputs[0].bytes.size(), size_t{6} << 20);
  for (const std::string& path : paths.run_metas) {
    inputs.push_back(
        {Kind::kRunMetadata, Bytes(path), static_cast<int64_t>(inputs.size())});
  }
  ExpectEqual(inputs, "generated");
}

TEST(DifferentialTest, RandomMessages) {
  Random random(1);
  for (int i = 0; i < 30; ++i) {
    ExpectEqual(RandomInputs(random, 1 + i * i / 3),
                fmt::format("seed 1.{}", i));
  }
}

// Unknown nodes, nodes on several devices and odd numbers across the pieces of
// one device.
TEST(DifferentialTest, LargeRandomMessages) {
  Random random(2);
  const std::vector<Input> inputs = {
      {Kind::kGraph, Serialized(RandomGraph(random, 40000))},
      {Kind::kRunMetadata, Serialized(RandomRunMetadata(random, 95000, 60000)),
       0}};
  EXPECT_GT(inputs[0].bytes.size(), size_t{4} << 20);
  EXPECT_GT(inputs[1].bytes.size(), size_t{12} << 20);
  ExpectEqual(inputs, "large");
}

TEST(DifferentialTest, MutatedMessages) {
  Random random(3);
  int accepted = 0;
  for (int i = 0; i < 6; ++i) {
    MutateAndCompare(RandomInputs(random, 3 + 2 * i), 400, random,
                     fmt::format("random {}", i), accepted);
  }
  EXPECT_GT(accepted, 4000);
}

TEST(DifferentialTest, MutatedProfiles) {
  Random random(4);
  int accepted = 0;
  for (const std::string name : {"tiny_const", "synth_advice", "synth_edge"}) {
    const Bundled bundled = ReadBundled(Profiles() / name);
    MutateAndCompare(bundled.sources, 600, random, name, accepted);
    MutateAndCompare(bundled.saved, 3000, random, name + ", saved", accepted);
  }
  EXPECT_GT(accepted, 3000);
}

}  // namespace
}  // namespace tfprof::loaders
