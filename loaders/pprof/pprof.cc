#include "loaders/pprof/pprof.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/nodes/trace_nodes.h"
#include "loaders/pprof/function_scope.h"
#include "loaders/pprof/pprof_profile.h"
#include "loaders/pprof/sample_values.h"
#include "util/arithmetic.h"
#include "util/files/wire.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

// The name of the node of samples without locations.
constexpr std::string_view kNoFrames = "<no call stack>";

class PprofDetails : public DetailReader {
 public:
  PprofDetails(std::shared_ptr<const InputFile> file,
               const PprofProfile& profile)
      : file_(std::move(file)),
        strings_(profile.strings),
        types_(profile.types) {}

  AttributeList Attributes(uint64_t) const override { return {}; }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  // `offset` is the offset of a sample.
  ArgumentList Arguments(uint64_t offset) const override {
    PprofSample sample;
    if (!ReadPprofSample(PprofField(*file_, offset), sample)) return {};
    ArgumentList arguments;
    for (size_t i = 0; i < std::min(types_.size(), sample.values.size()); ++i) {
      arguments.push_back({std::string(types_[i].type),
                           WithUnit(sample.values[i], types_[i].unit)});
    }
    for (const PprofSample::Label& label : sample.labels) {
      arguments.push_back({std::string(String(label.key)),
                           label.text != 0
                               ? std::string(String(label.text))
                               : WithUnit(label.number, String(label.unit))});
    }
    return arguments;
  }
  bool record_is_group() const override { return false; }

 private:
  static std::string WithUnit(int64_t value, std::string_view unit) {
    return unit.empty() ? fmt::format("{}", value)
                        : fmt::format("{} {}", value, unit);
  }
  std::string_view String(int64_t index) const {
    return index > 0 && static_cast<uint64_t>(index) < strings_.size()
               ? strings_[static_cast<size_t>(index)]
               : std::string_view();
  }

  const std::shared_ptr<const InputFile> file_;
  const std::vector<std::string_view> strings_;
  const std::vector<PprofProfile::ValueType> types_;
};

// State that the files of a load share.
struct Shared {
  explicit Shared(ProfileBuilder& builder) : nodes(builder) {}

  TraceNodes nodes;
  std::vector<NodeId> node_of_stack;  // kNone: none yet
  LaneId lane = kNone;
};

class Loader {
 public:
  Loader(const PprofFile& file, Shared& shared, LoadContext& context)
      : file_(*file.file),
        step_(file.step),
        shared_(shared),
        context_(context),
        builder_(context.builder) {}

  absl::Status Load(std::shared_ptr<const InputFile> file) {
    const absl::Status status = ReadPprof(file_, profile_, context_.log);
    if (!status.ok()) return status;
    const SampleValues values(profile_);
    input_ = builder_.AddInput(
        std::make_shared<PprofDetails>(std::move(file), profile_));
    MakeFrames();
    AddSamples(values);
    Note(values);
    context_.progress->done += static_cast<int64_t>(file_.bytes().size());
    return absl::OkStatus();
  }

 private:
  StringId Intern(std::string_view s) {
    return s.empty() ? kNone : builder_.mutable_graph().strings.Intern(s);
  }

  static int32_t Line(int64_t line) {
    return line > 0 && line <= std::numeric_limits<int32_t>::max()
               ? static_cast<int32_t>(line)
               : -1;
  }

  // Makes the frames of all locations, innermost first.
  void MakeFrames() {
    CallStacks& stacks = builder_.mutable_graph().stacks;
    for (const PprofProfile::Location& location : profile_.locations) {
      first_frame_.push_back(frames_.size());
      for (const PprofProfile::Line& line : profile_.LinesOf(location)) {
        Frame frame;
        frame.lineno = Line(line.line);
        if (line.function != kNone) {
          const PprofProfile::Function& f = profile_.functions[line.function];
          frame.file = Intern(f.file);
          frame.function = Intern(f.name);
          frame.func_start_line = Line(f.start_line);
        }
        frames_.push_back(stacks.InternFrame(frame));
      }
      if (location.num_lines == 0) {
        // Code without symbols gets its address as function and the binary as
        // file.
        Frame frame;
        frame.function = Intern(fmt::format("{:#x}", location.address));
        if (location.mapping != kNone) {
          frame.file = Intern(profile_.mappings[location.mapping]);
        }
        frames_.push_back(stacks.InternFrame(frame));
      }
    }
    first_frame_.push_back(frames_.size());
  }

  StackId StackOf(const PprofSample& sample) {
    CallStacks& stacks = builder_.mutable_graph().stacks;
    StackId stack = kNoStack;
    for (size_t i = sample.location_ids.size(); i-- > 0;) {
      const uint32_t location = profile_.location_ids.Find(
          static_cast<uint64_t>(sample.location_ids[i]));
      if (location == kNone) {
        ++lost_locations_;
        continue;
      }
      for (size_t f = first_frame_[location + 1];
           f-- > first_frame_[location];) {
        stack = stacks.Push(stack, frames_[f]);
      }
    }
    if (stack == kNoStack) {
      stack = stacks.Push(kNoStack, Frame{.function = Intern(kNoFrames)});
    }
    return stack;
  }

  NodeId NodeOf(StackId stack) {
    std::vector<NodeId>& nodes = shared_.node_of_stack;
    if (stack >= nodes.size()) {
      nodes.resize(builder_.graph().stacks.size(), kNone);
    }
    if (nodes[stack] == kNone) nodes[stack] = MakeNode(stack);
    return nodes[stack];
  }

  NodeId MakeNode(StackId stack) {
    const GraphTables& graph = builder_.graph();
    const Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
    const auto text = [&](StringId id) {
      return id == kNone ? std::string_view() : graph.strings.Get(id);
    };
    const std::string_view function =
        frame.function == kNone ? "<unknown>" : text(frame.function);
    ScopeId scope = kRootScope;
    for (const std::string_view part :
         ScopeOfFunction(function, text(frame.file))) {
      scope = shared_.nodes.Scope(scope, part);
    }
    return shared_.nodes.Node(scope, function, stack);
  }

  void AddSamples(const SampleValues& values) {
    // The index in `sums` of each node; kNone: the node has no sample yet.
    std::vector<uint32_t> sum_of_node;
    std::vector<GroupSums> sums;
    std::vector<ExecutionRecord> records;
    PprofSample sample;
    for (const uint64_t offset : profile_.samples) {
      if (context_.work.cancelled()) return;
      const std::string_view bytes = PprofField(file_, offset);
      if (!ReadPprofSample(bytes, sample)) {
        const WireReader r(bytes);
        LogDamage(file_, r, bytes, "pprof sample", /*kept=*/false,
                  context_.log);
        continue;
      }
      if (sample.values.size() != profile_.types.size()) ++odd_samples_;
      const NodeId node = NodeOf(StackOf(sample));
      if (node >= sum_of_node.size()) sum_of_node.resize(node + 1, kNone);
      if (sum_of_node[node] == kNone) {
        sum_of_node[node] = static_cast<uint32_t>(sums.size());
        sums.push_back({.node = node});
      }
      const GroupSums one = values.Of(sample.values);
      sums[sum_of_node[node]].Add(one);
      records.push_back(
          {.node = node,
           .lane = shared_.lane,
           .duration = WrapAdd(one.cpu_time, one.accelerator_time),
           .record = MakeRecordRef(input_, offset),
           .requested_bytes = one.requested_bytes,
           .peak_bytes = one.peak_bytes,
           .residual_bytes = one.residual_bytes,
           .output_bytes = one.output_bytes});
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const ExecutionRecord& a, const ExecutionRecord& b) {
                       return a.node < b.node;
                     });
    builder_.AddStep(step_);
    builder_.AddGroups(step_, std::move(sums), std::move(records),
                       kPprofTicksPerMicro);
    builder_.FinishStep(step_);
  }

  void Note(const SampleValues& values) {
    if (!values.has_time()) {
      context_.log.Add(ImportLog::kNotice, "pprof file without times",
                       fmt::format("{}: its samples have no time; times are 0",
                                   file_.path()));
    }
    if (!values.odd_time().empty()) {
      context_.log.Add(ImportLog::kNotice, "value used as time of a pprof file",
                       fmt::format("{}: cpu time is the value {}", file_.path(),
                                   values.odd_time()));
    }
    if (!values.unused().empty()) {
      context_.log.Add(
          ImportLog::kNotice, "pprof values in no sum",
          fmt::format("{}: in no sum: {}; `show` lists them for each sample",
                      file_.path(), values.unused()));
    }
    if (lost_locations_ > 0) {
      context_.log.Add(ImportLog::kDamage, "location of a sample missing",
                       fmt::format("{}: samples refer {} times to locations "
                                   "that the file does not have",
                                   file_.path(), lost_locations_));
    }
    if (odd_samples_ > 0) {
      context_.log.Add(
          ImportLog::kDamage, "values of a sample missing",
          fmt::format("{}: {} samples do not have {} values, one for each type",
                      file_.path(), odd_samples_, profile_.types.size()));
    }
  }

  const InputFile& file_;
  const int64_t step_;
  Shared& shared_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  PprofProfile profile_;
  uint32_t input_ = 0;
  std::vector<FrameId> frames_;
  std::vector<size_t> first_frame_;  // by location, plus an end
  int64_t lost_locations_ = 0;
  int64_t odd_samples_ = 0;
};

}  // namespace

absl::Status LoadPprof(std::span<const PprofFile> files, LoadContext& context) {
  GraphTables& graph = context.builder.mutable_graph();
  graph.has_code_traces = true;
  Shared shared(context.builder);
  const ProcessId process = graph.lanes.InternProcess("");
  shared.lane = graph.lanes.Add(
      {.process = process,
       .name = graph.strings.Intern("samples"),
       .kind = LaneKind::kCompute,
       .physical = graph.lanes.InternPhysical(process, "cpu:0", "cpu:0")});
  for (const PprofFile& file : files) {
    const ScopedPhase phase("pprof", file.file->path());
    const absl::Status status = Loader(file, shared, context).Load(file.file);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tfprof
