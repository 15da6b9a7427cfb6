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

namespace tfprof::pprof {
namespace {

// The name of the node of samples without locations.
constexpr std::string_view kNoFrames = "<no call stack>";

class PprofDetails : public profile::DetailReader {
 public:
  PprofDetails(std::shared_ptr<const loaders::InputFile> file,
               const PprofProfile& profile)
      : file_(std::move(file)),
        strings_(profile.strings),
        types_(profile.types) {}

  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  // `offset` is the offset of a sample.
  profile::ArgumentList Arguments(uint64_t offset) const override {
    PprofSample sample;
    if (!ReadPprofSample(PprofField(*file_, offset), sample)) return {};
    profile::ArgumentList arguments;
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

  const std::shared_ptr<const loaders::InputFile> file_;
  const std::vector<std::string_view> strings_;
  const std::vector<PprofProfile::ValueType> types_;
};

// State that the files of a load share.
struct Shared {
  explicit Shared(profile::ProfileBuilder& builder) : nodes(builder) {}

  loaders::TraceNodes nodes;
  std::vector<profile::NodeId> node_of_stack;  // kNone: none yet
  profile::LaneId lane = profile::kNone;
};

class Loader {
 public:
  Loader(const PprofFile& file, Shared& shared, loaders::LoadContext& context)
      : file_(*file.file),
        step_(file.step),
        shared_(shared),
        context_(context),
        builder_(context.builder) {}

  absl::Status Load(std::shared_ptr<const loaders::InputFile> file) {
    absl::Status status = ReadPprof(file_, profile_, context_.log);
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
  profile::StringId Intern(std::string_view s) {
    return s.empty() ? profile::kNone
                     : builder_.mutable_graph().strings.Intern(s);
  }

  static int32_t Line(int64_t line) {
    return line > 0 && line <= std::numeric_limits<int32_t>::max()
               ? static_cast<int32_t>(line)
               : -1;
  }

  // Makes the frames of all locations, innermost first.
  void MakeFrames() {
    profile::CallStacks& stacks = builder_.mutable_graph().stacks;
    for (const PprofProfile::Location& location : profile_.locations) {
      first_frame_.push_back(frames_.size());
      for (const PprofProfile::Line& line : profile_.LinesOf(location)) {
        profile::Frame frame;
        frame.lineno = Line(line.line);
        if (line.function != profile::kNone) {
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
        profile::Frame frame;
        frame.function = Intern(fmt::format("{:#x}", location.address));
        if (location.mapping != profile::kNone) {
          frame.file = Intern(profile_.mappings[location.mapping]);
        }
        frames_.push_back(stacks.InternFrame(frame));
      }
    }
    first_frame_.push_back(frames_.size());
  }

  profile::StackId StackOf(const PprofSample& sample) {
    profile::CallStacks& stacks = builder_.mutable_graph().stacks;
    profile::StackId stack = profile::kNoStack;
    for (size_t i = sample.location_ids.size(); i-- > 0;) {
      const uint32_t location = profile_.location_ids.Find(
          static_cast<uint64_t>(sample.location_ids[i]));
      if (location == profile::kNone) {
        ++lost_locations_;
        continue;
      }
      for (size_t f = first_frame_[location + 1];
           f-- > first_frame_[location];) {
        stack = stacks.Push(stack, frames_[f]);
      }
    }
    if (stack == profile::kNoStack) {
      stack = stacks.Push(profile::kNoStack,
                          profile::Frame{.function = Intern(kNoFrames)});
    }
    return stack;
  }

  profile::NodeId NodeOf(profile::StackId stack) {
    std::vector<profile::NodeId>& nodes = shared_.node_of_stack;
    if (stack >= nodes.size()) {
      nodes.resize(builder_.graph().stacks.size(), profile::kNone);
    }
    if (nodes[stack] == profile::kNone) nodes[stack] = MakeNode(stack);
    return nodes[stack];
  }

  profile::NodeId MakeNode(profile::StackId stack) {
    const profile::GraphTables& graph = builder_.graph();
    const profile::Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
    const auto text = [&](profile::StringId id) {
      return id == profile::kNone ? std::string_view() : graph.strings.Get(id);
    };
    const std::string_view function =
        frame.function == profile::kNone ? "<unknown>" : text(frame.function);
    profile::ScopeId scope = profile::kRootScope;
    for (const std::string_view part :
         ScopeOfFunction(function, text(frame.file))) {
      scope = shared_.nodes.Scope(scope, part);
    }
    return shared_.nodes.Node(scope, function, stack);
  }

  void AddSamples(const SampleValues& values) {
    // The index in `sums` of each node; kNone: the node has no sample yet.
    std::vector<uint32_t> sum_of_node;
    std::vector<profile::GroupSums> sums;
    std::vector<profile::ExecutionRecord> records;
    PprofSample sample;
    for (const uint64_t offset : profile_.samples) {
      if (context_.work.cancelled()) return;
      const std::string_view bytes = PprofField(file_, offset);
      if (!ReadPprofSample(bytes, sample)) {
        const util::WireReader r(bytes);
        loaders::LogDamage(file_, r, bytes, "pprof sample", /*kept=*/false,
                           context_.log);
        continue;
      }
      if (sample.values.size() != profile_.types.size()) ++odd_samples_;
      const profile::NodeId node = NodeOf(StackOf(sample));
      if (node >= sum_of_node.size())
        sum_of_node.resize(node + 1, profile::kNone);
      if (sum_of_node[node] == profile::kNone) {
        sum_of_node[node] = static_cast<uint32_t>(sums.size());
        sums.push_back({.node = node});
      }
      const profile::GroupSums one = values.Of(sample.values);
      sums[sum_of_node[node]].Add(one);
      records.push_back(
          {.node = node,
           .lane = shared_.lane,
           .duration = util::WrapAdd(one.cpu_time, one.accelerator_time),
           .record = profile::MakeRecordRef(input_, offset),
           .requested_bytes = one.requested_bytes,
           .peak_bytes = one.peak_bytes,
           .residual_bytes = one.residual_bytes,
           .output_bytes = one.output_bytes});
    }
    std::stable_sort(
        records.begin(), records.end(),
        [](const profile::ExecutionRecord& a,
           const profile::ExecutionRecord& b) { return a.node < b.node; });
    builder_.AddStep(step_);
    builder_.AddGroups(step_, std::move(sums), std::move(records),
                       kPprofTicksPerMicro);
    builder_.FinishStep(step_);
  }

  void Note(const SampleValues& values) {
    if (!values.has_time()) {
      context_.log.Add(loaders::ImportLog::kNotice, "pprof file without times",
                       fmt::format("{}: its samples have no time; times are 0",
                                   file_.path()));
    }
    if (!values.odd_time().empty()) {
      context_.log.Add(loaders::ImportLog::kNotice,
                       "value used as time of a pprof file",
                       fmt::format("{}: cpu time is the value {}", file_.path(),
                                   values.odd_time()));
    }
    if (!values.unused().empty()) {
      context_.log.Add(
          loaders::ImportLog::kNotice, "pprof values in no sum",
          fmt::format("{}: in no sum: {}; `show` lists them for each sample",
                      file_.path(), values.unused()));
    }
    if (lost_locations_ > 0) {
      context_.log.Add(loaders::ImportLog::kDamage,
                       "location of a sample missing",
                       fmt::format("{}: samples refer {} times to locations "
                                   "that the file does not have",
                                   file_.path(), lost_locations_));
    }
    if (odd_samples_ > 0) {
      context_.log.Add(
          loaders::ImportLog::kDamage, "values of a sample missing",
          fmt::format("{}: {} samples do not have {} values, one for each type",
                      file_.path(), odd_samples_, profile_.types.size()));
    }
  }

  const loaders::InputFile& file_;
  const int64_t step_;
  Shared& shared_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  PprofProfile profile_;
  uint32_t input_ = 0;
  std::vector<profile::FrameId> frames_;
  std::vector<size_t> first_frame_;  // by location, plus an end
  int64_t lost_locations_ = 0;
  int64_t odd_samples_ = 0;
};

}  // namespace

absl::Status LoadPprof(std::span<const PprofFile> files,
                       loaders::LoadContext& context) {
  profile::GraphTables& graph = context.builder.mutable_graph();
  graph.has_code_traces = true;
  Shared shared(context.builder);
  const profile::ProcessId process = graph.lanes.InternProcess("");
  shared.lane = graph.lanes.Add(
      {.process = process,
       .name = graph.strings.Intern("samples"),
       .kind = profile::LaneKind::kCompute,
       .physical = graph.lanes.InternPhysical(process, "cpu:0", "cpu:0")});
  for (const PprofFile& file : files) {
    const util::ScopedPhase phase("pprof", file.file->path());
    absl::Status status = Loader(file, shared, context).Load(file.file);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tfprof::pprof
