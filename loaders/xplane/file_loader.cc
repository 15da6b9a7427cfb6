#include "loaders/xplane/file_loader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/nodes/device_steps.h"
#include "loaders/xplane/device_steps.h"
#include "loaders/xplane/file_steps.h"
#include "loaders/xplane/lines/file_line.h"
#include "loaders/xplane/lines/kernel_runs.h"
#include "loaders/xplane/lines/launch_table.h"
#include "loaders/xplane/lines/line_targets.h"
#include "loaders/xplane/lines/memory_events.h"
#include "loaders/xplane/load.h"
#include "loaders/xplane/planes/details.h"
#include "loaders/xplane/planes/event_names.h"
#include "loaders/xplane/steps.h"
#include "profile/steps/lane_events.h"
#include "profile/steps/step.h"
#include "profile/steps/time_column.h"
#include "util/run/huge_pages.h"
#include "util/run/self_profile.h"
#include "util/run/threads.h"

namespace tfprof::xplane {
namespace {

// How many events are handled between two checks for a cancellation.
constexpr uint32_t kRecordsBetweenChecks = 1 << 16;

class FileLoader {
 public:
  FileLoader(const XPlaneFile& file, XPlaneLoad& load,
             loaders::LoadContext& context)
      : file_(file),
        space_(*file.space),
        load_(load),
        context_(context),
        builder_(context.builder),
        log_(context.log) {}

  void Run() {
    ReportRecorder();
    auto details = std::make_shared<XPlaneDetails>(file_.file, file_.space);
    input_ = builder_.AddInput(details);
    AddProcess();
    AddPrograms(*details);
    details->Finish();
    int64_t derived = 0;
    lines_ = CollectLines(space_, derived);
    log_.Count(loaders::ImportLog::kNotice,
               "line that the recorder derived from others left out", derived);
    ReadLines();
    if (context_.work.cancelled()) return;
    FindSteps();
    LineTargets targets(builder_, load_.hlo, load_.ops, load_.texts);
    // Kernels belong to ops that ran on hosts, so hosts come first.
    SetTargets(targets, /*host=*/true);
    SetTargets(targets, /*host=*/false);
    if (context_.work.cancelled()) return;
    AddMemory();
    size_t num_flows = 0, num_launches = 0, num_kernels = 0;
    for (const FileLine& line : lines_) {
      num_flows += line.events.flows.size();
      (line.is_host() ? num_launches : num_kernels) +=
          line.events.correlations.size();
    }
    launches_.Reserve(num_launches);
    load_.links.Reserve(num_kernels);
    flow_ends_.reserve(num_flows);
    util::AdviseHugePages(flow_ends_.data(), num_flows * sizeof(FlowEnd));
    for (FileLine& line : lines_) {
      if (context_.work.cancelled()) return;
      AddLane(line);
      AddEvents(line);
    }
    AddFlows();
    if (load_.hlo.num_programs() > 0 && targets.num_hlo_groups() == 0) {
      log_.Add(loaders::ImportLog::kNotice, "no times of HLO instructions",
               fmt::format("{}: has compiled programs, but no events of "
                           "their instructions: the graph view shows them "
                           "without times",
                           file_.path));
    }
  }

 private:
  void ReportRecorder() {
    for (const auto* texts : {&space_.errors, &space_.warnings}) {
      for (const std::string_view text : *texts) {
        log_.Add(loaders::ImportLog::kNotice, "message of the recorder",
                 fmt::format("{}: the recorder reports: {}", file_.path, text));
      }
    }
  }

  void AddProcess() {
    profile::Process process;
    if (!space_.hostnames.empty()) process.host = space_.hostnames[0];
    for (const XPlane& plane : space_.planes) {
      plane.VisitStats(plane.stats,
                       [&](std::string_view name, const PlaneStat& stat) {
                         if (name == "process_id" && stat.is_integer()) {
                           process.process_id = stat.integer();
                         }
                       });
    }
    process.label = process.host;
    if (load_.several) {
      const std::string_view path = file_.path;
      process.label = path.substr(path.rfind('/') + 1);
      process.label.resize(
          std::min(process.label.size(), process.label.find(".xplane.pb")));
    }
    process.name = process.label;
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    process_ = lanes.AddProcess(std::move(process));
    // Devices without events are listed too.
    for (const XPlane& plane : space_.planes) {
      const PlaneKind kind = KindOfPlane(plane.name);
      if (kind == PlaneKind::kGpu || kind == PlaneKind::kTpu) {
        host_is_device_ = false;
        Device(DeviceLabel(plane.name), plane);
      }
    }
  }

  profile::PhysicalId Device(const std::string& label, const XPlane& plane) {
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    std::string name;
    if (load_.several) {
      name = lanes.process(process_).label;
      name += ' ';
    }
    name += label;
    const profile::PhysicalId id = lanes.InternPhysical(process_, label, name);
    ReadCapabilities(plane, lanes.mutable_physical(id));
    return id;
  }

  void AddPrograms(XPlaneDetails& details) {
    load_.hlo.BeginFile();
    for (const XPlane& plane : space_.planes) {
      for (const EventMetadata& metadata : plane.events) {
        std::string_view proto;
        int64_t id = 0;
        bool has_id = false;
        plane.VisitStats(metadata.stats,
                         [&](std::string_view name, const PlaneStat& stat) {
                           if (IsProgram(name, stat)) {
                             proto = stat.text;
                           } else if (name == "program_id") {
                             id = stat.integer();
                             has_id = stat.is_integer();
                           }
                         });
        if (proto.empty()) continue;
        if (!has_id && !ProgramIdOf(metadata.name, id)) id = metadata.id;
        details.AddProgram(proto);
        load_.hlo.AddProgram(ReadHloProto(proto), metadata.name, id, input_,
                             file_.file->OffsetOf(proto), file_.path);
        if (context_.work.cancelled()) return;
      }
    }
  }

  void ReadLines() {
    const util::ScopedPhase phase("events", file_.path);
    util::ParallelFor(context_.work, lines_.size(), [&](size_t i) {
      ReadFileLine(file_.file->bytes().data(), file_.origin_ns,
                   context_.work.cancellation, lines_[i]);
      for (const XLine* part : lines_[i].parts) {
        context_.progress->done += static_cast<int64_t>(part->bytes.size());
      }
    });
    for (const FileLine& line : lines_) {
      LogLine(line, file_.path, space_.cut, log_);
    }
  }

  void FindSteps() {
    steps_ = FileSteps(lines_, log_);
    for (FileLine& line : lines_) {
      if (line.is_host()) line.launch_rows = steps_.RowsOfLaunches(line);
    }
    const std::vector<loaders::StepTime> of_host = TimesOf(steps_);
    const std::vector<loaders::StepTime> of_devices =
        FindDeviceSteps(lines_, steps_);
    load_.ahead.Add(file_.path, of_host, of_devices);
    steps_.SetDeviceTimes(of_devices);
    profile::StringPool& strings = builder_.mutable_graph().strings;
    for (size_t row = 0; row < of_host.size(); ++row) {
      const StepSpan& span = steps_.spans()[row];
      const loaders::StepTime& time =
          steps_.devices_behind() ? of_devices[row] : of_host[row];
      load_.steps.insert(span.step);
      builder_.AddStepInterval(
          {.step = span.step,
           .process = process_,
           .start = profile::TicksToNanos(time.start, kXPlaneTicksPerMicro),
           .end = profile::TicksToNanos(time.end, kXPlaneTicksPerMicro),
           .name = strings.Intern(span.name)});
    }
  }

  void SetTargets(LineTargets& targets, bool host) {
    for (FileLine& line : lines_) {
      if (context_.work.cancelled()) return;
      if (line.is_host() == host) targets.Note(line);
    }
    load_.ops.MakeNodes();
    for (FileLine& line : lines_) {
      if (context_.work.cancelled()) return;
      if (line.is_host() == host) targets.Resolve(line);
    }
  }

  void AddMemory() {
    MemorySeries series;
    for (FileLine& line : lines_) {
      if (!line.is_host()) continue;
      for (const UnplacedBytes& bytes : series.Add(line)) {
        const profile::NodeId n = load_.ops.Find(bytes.tf_op);
        if (n == profile::kNone) {
          log_.Count(loaders::ImportLog::kNotice,
                     "allocation of an op that is not in the profile", 1);
          continue;
        }
        profile::LaneExecutions executions = {.lane = profile::kNone,
                                              .records = {}};
        executions.ticks_per_micro = kXPlaneTicksPerMicro;
        profile::ExecutionRecord& record = executions.records.emplace_back();
        record.node = n;
        record.requested_bytes = bytes.bytes;
        AddBatch(steps_.At(bytes.time), std::move(executions));
      }
    }
    series.AddCounters(process_, builder_);
  }

  void AddLane(FileLine& line) {
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::Lane lane;
    lane.process = process_;
    lane.name = graph.strings.Intern(line.parts[0]->name);
    lane.clock = file_.clock;
    if (line.is_host()) {
      lane.kind = line.use == LineUse::kLaunch ? profile::LaneKind::kLaunches
                                               : profile::LaneKind::kCompute;
      lane.thread = ThreadNumber(line.parts[0]->name, line.parts[0]->id);
      lane.physical = Device("cpu:0", *line.plane);
    } else {
      lane.physical = Device(DeviceLabel(line.plane->name), *line.plane);
      lane.kind = profile::LaneKind::kAnnotation;
      if (line.use == LineUse::kAsync) lane.kind = profile::LaneKind::kOther;
      if (line.use == LineUse::kStream || line.use == LineUse::kXlaOps) {
        lane.kind = profile::LaneKind::kKernels;
        lane.stream = StreamNumber(line.parts[0]->name);
      }
    }
    const bool copies =
        std::any_of(line.targets.begin(), line.targets.end(),
                    [](const EventTarget& target) { return target.is_copy; });
    const bool others =
        std::any_of(line.targets.begin(), line.targets.end(),
                    [](const EventTarget& target) { return !target.is_copy; });
    if (others) line.lane = graph.lanes.Add(lane);
    if (host_is_device_) AddDeviceLanes(lane, line);
    // The steps are those of the devices; the ranges of the host are no work.
    if (steps_.devices_behind() &&
        std::ranges::any_of(line.targets, &EventTarget::is_step)) {
      profile::Lane of_steps = lane;
      of_steps.kind = profile::LaneKind::kAnnotation;
      of_steps.calls_nest = false;
      line.steps_lane = graph.lanes.Add(of_steps);
    }
    if (!copies) return;
    lane.kind = profile::LaneKind::kCopies;
    lane.copies = OneDirection(line);
    line.copies_lane = graph.lanes.Add(lane);
  }

  // JAX can split a CPU into devices, which share its plane and its threads.
  void AddDeviceLanes(const profile::Lane& lane, FileLine& line) {
    for (const auto& [event, ordinal] : line.events.ordinals) {
      const auto [it, is_new] =
          line.device_lanes.try_emplace(ordinal, profile::kNone);
      if (!is_new) continue;
      profile::Lane of_device = lane;
      of_device.physical = Device(fmt::format("cpu:{}", ordinal), *line.plane);
      it->second = builder_.mutable_graph().lanes.Add(of_device);
    }
  }

  // Returns the direction of all copies on the line; kUnknown: they differ.
  static profile::CopyKind OneDirection(const FileLine& line) {
    profile::CopyKind direction = profile::CopyKind::kUnknown;
    bool first = true;
    for (size_t i = 0; i < line.targets.size(); ++i) {
      if (!line.targets[i].is_copy) continue;
      const profile::CopyKind kind =
          CopyKindOf(line.MetadataOf(line.events.keys[i]).name);
      if (!first && kind != direction) return profile::CopyKind::kUnknown;
      direction = kind;
      first = false;
    }
    return direction;
  }

  void AddBatch(int64_t step, profile::LaneExecutions executions) {
    if (executions.records.empty()) return;
    load_.steps.insert(step);
    std::vector<profile::LaneExecutions> batch;
    batch.push_back(std::move(executions));
    builder_.AddExecutions(step, std::move(batch), {});
  }

  // Consecutive events of a line in the same step.
  class Ranges {
   public:
    void Add(uint32_t event, int64_t step, bool has_node) {
      if (ranges_.empty() || ranges_.back().step != step) {
        ranges_.push_back({.step = step, .begin = event});
      }
      ranges_.back().end = event + 1;
      ranges_.back().has_nodes |= has_node;
    }
    const std::vector<profile::EventRange>& ranges() const { return ranges_; }

   private:
    std::vector<profile::EventRange> ranges_;
  };

  // Groups for events that differ from the others in their group: they ran on
  // another device, or are parts of a run that an earlier event counts.
  class GroupVariants {
   public:
    // Returns the variant of `group`, and adds it to `groups` if it is new. A
    // lane of kNone means the lane of the group.
    uint32_t Of(uint32_t group, profile::LaneId lane, bool is_part,
                std::vector<profile::LaneEventGroup>& groups) {
      const auto [it, is_new] = variants_.try_emplace(
          {group, lane, is_part}, static_cast<uint32_t>(groups.size()));
      if (is_new) {
        profile::LaneEventGroup variant = groups[group];
        if (lane != profile::kNone) variant.lane = lane;
        if (is_part) {
          variant.are_runs = false;
          variant.output_bytes = 0;
        }
        groups.push_back(variant);
      }
      return it->second;
    }

   private:
    std::map<std::tuple<uint32_t, profile::LaneId, bool>, uint32_t> variants_;
  };

  std::vector<profile::LaneEventGroup> GroupsOf(const FileLine& line) const {
    std::vector<profile::LaneEventGroup> groups;
    groups.reserve(line.targets.size());
    for (const EventTarget& target : line.targets) {
      profile::LaneEventGroup& group = groups.emplace_back();
      if (target.kind == EventTarget::Kind::kHidden) continue;
      group.lane = target.is_copy ? line.copies_lane : line.lane;
      if (target.is_step && line.steps_lane != profile::kNone) {
        group.lane = line.steps_lane;
      }
      if (target.kind == EventTarget::Kind::kOutside) {
        group.name = target.name;
        continue;
      }
      group.node = target.node;
      group.are_runs = target.are_runs;
      group.output_bytes = target.output_bytes;
    }
    return groups;
  }

  void AddEvents(FileLine& line) {
    profile::LaneEvents lane;
    lane.input = input_;
    lane.groups = GroupsOf(line);
    const uint32_t number = load_.links.AddLane();
    const auto end_of = [&](uint32_t event) {
      if (lane.linked.empty() || lane.linked.back() != event) {
        lane.linked.push_back(event);
      }
      return LinkEnd{number, static_cast<uint32_t>(lane.linked.size() - 1)};
    };
    Ranges ranges;
    GroupVariants variants;
    int64_t hidden = 0;
    size_t hint = 0;
    const LineEvents& events = line.events;
    auto correlation = events.correlations.begin();
    auto group = events.groups.begin();
    auto ordinal = events.ordinals.begin();
    const std::vector<uint32_t> later_kernels = LaterKernels(line);
    auto later = later_kernels.begin();
    auto flow = events.flows.begin();
    // Most lines only have events without extra data.
    const bool plain = events.groups.empty() && events.correlations.empty() &&
                       events.flows.empty() && later_kernels.empty() &&
                       (events.ordinals.empty() || line.device_lanes.empty());
    if (plain && !AddPlainEvents(line, lane.groups, ranges, hidden)) {
      return;
    }
    const size_t rest = plain ? 0 : events.events.size();
    for (uint32_t i = 0; i < rest; ++i) {
      if (i % kRecordsBetweenChecks == 0 && context_.work.cancelled()) return;
      const Event& event = events.events[i];
      int64_t step = profile::kOutsideSteps;
      bool has_step = false;
      for (; group != events.groups.end() && group->first <= i; ++group) {
        has_step |= steps_.OfGroup(group->second, step);
      }
      for (;
           correlation != events.correlations.end() && correlation->first <= i;
           ++correlation) {
        if (line.is_host()) {
          step = steps_.StepOfLaunch(
              line,
              static_cast<size_t>(correlation - events.correlations.begin()));
          has_step = true;
          launches_.Add(correlation->second, {end_of(i), step});
          continue;
        }
        const Launch* launch = launches_.Find(correlation->second);
        if (launch == nullptr) {
          ++without_launch_;
          continue;
        }
        load_.links.Add(launch->end, end_of(i), profile::LinkKind::kLaunch);
        step = launch->step;
        has_step = step != profile::kOutsideSteps;
      }
      const bool has_node = lane.groups[event.group].node != profile::kNone;
      if (lane.groups[event.group].is_left_out()) {
        ++hidden;
        continue;
      }
      for (; flow != events.flows.end() && flow->event <= i; ++flow) {
        if (flow->event != i) continue;  // belongs to a skipped event
        flow_ends_.push_back(
            {.type = flow->type,
             .id = flow->id,
             .produces = flow->produces,
             .time = event.start,
             .record = profile::MakeRecordRef(input_, event.offset),
             .end = end_of(i)});
      }
      profile::LaneId device_lane = profile::kNone;
      for (; ordinal != events.ordinals.end() && ordinal->first <= i;
           ++ordinal) {
        if (ordinal->first != i || line.device_lanes.empty()) continue;
        device_lane = line.device_lanes[ordinal->second];
      }
      while (later != later_kernels.end() && *later < i) ++later;
      const bool is_part = later != later_kernels.end() && *later == i;
      if (has_node && (is_part || device_lane != profile::kNone)) {
        line.events.events[i].group =
            variants.Of(event.group, device_lane, is_part, lane.groups);
      }
      if (!has_step) step = StepAt(line, event.start, hint);
      ranges.Add(i, step, has_node);
    }
    log_.Count(loaders::ImportLog::kNotice, "mark of the tracer hidden",
               hidden);
    HandOver(line, std::move(lane), number, ranges);
  }

  // The step of an event that neither its group nor its launch tells.
  int64_t StepAt(const FileLine& line, int64_t time, size_t& hint) const {
    return line.is_host() ? steps_.At(time, hint) : steps_.AtDevice(time, hint);
  }

  // Adds the events of a line without extra data. Returns false if cancelled.
  bool AddPlainEvents(const FileLine& line,
                      const std::vector<profile::LaneEventGroup>& groups,
                      Ranges& ranges, int64_t& hidden) {
    const std::vector<Event>& events = line.events.events;
    size_t hint = 0;
    for (uint32_t i = 0; i < events.size(); ++i) {
      if (i % kRecordsBetweenChecks == 0 && context_.work.cancelled())
        return false;
      const profile::LaneEventGroup& group = groups[events[i].group];
      if (group.is_left_out()) {
        ++hidden;
      } else {
        ranges.Add(i, StepAt(line, events[i].start, hint),
                   group.node != profile::kNone);
      }
    }
    return true;
  }

  // Moves the events to the builder.
  void HandOver(FileLine& line, profile::LaneEvents lane, uint32_t number,
                const Ranges& ranges) {
    lane.events = std::move(line.events.events);
    lane.inside = std::move(line.inside);
    lane.self = std::move(line.self);
    lane.requested = std::move(line.requested);
    line.events = {};
    line.thread = {};
    load_.links.SetPlaces(number, lane);
    for (const profile::EventRange& range : ranges.ranges()) {
      load_.steps.insert(range.step);
    }
    builder_.AddEvents(std::move(lane), ranges.ranges());
  }

  void AddFlows() {
    log_.Count(loaders::ImportLog::kNotice, "flow without a producer",
               load_.links.AddFlows(flow_ends_, context_.work.cancellation));
    flow_ends_ = {};
    log_.Count(loaders::ImportLog::kNotice,
               "kernel without a launch in the file", without_launch_);
  }

  const XPlaneFile& file_;
  const XSpace& space_;
  XPlaneLoad& load_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  loaders::ImportLog& log_;
  uint32_t input_ = 0;
  profile::ProcessId process_ = 0;
  bool host_is_device_ = true;  // there is no accelerator
  std::vector<FileLine> lines_;
  FileSteps steps_;
  LaunchTable launches_;
  int64_t without_launch_ = 0;
  std::vector<FlowEnd> flow_ends_;
};

}  // namespace

XPlaneFile OpenXPlane(const std::string& path,
                      std::shared_ptr<const loaders::InputFile> file,
                      loaders::ImportLog& log) {
  XPlaneFile opened;
  opened.path = path;
  opened.space = std::make_shared<const XSpace>(ReadXSpace(*file, log));
  opened.file = std::move(file);
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const XPlane& plane : opened.space->planes) {
    for (const XLine& line : plane.lines) {
      if (line.num_events > 0) first = std::min(first, line.timestamp_ns);
    }
    if (KindOfPlane(plane.name) != PlaneKind::kEnvironment) continue;
    plane.VisitStats(plane.stats,
                     [&](std::string_view name, const PlaneStat& stat) {
                       if (name == "profile_start_time" && stat.is_integer()) {
                         opened.began_ns = stat.integer();
                       }
                     });
  }
  if (first != std::numeric_limits<int64_t>::max()) opened.first_ns = first;
  return opened;
}

void LoadXPlaneFile(const XPlaneFile& file, XPlaneLoad& load,
                    loaders::LoadContext& context) {
  FileLoader(file, load, context).Run();
}

}  // namespace tfprof::xplane
