#include "timeline/activity.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "util/arithmetic.h"

namespace tfprof {
namespace {

using Role = DeviceRoles::Role;

constexpr size_t kMaxKeptBytes = 64 << 20;

// Collects the records of a step by device, and makes a StepActivity of them.
class Collector {
 public:
  Collector(const Profile& profile, const Step& step, const DeviceRoles& roles)
      : step_(step), roles_(roles), unit_at_(roles.units().size(), kNone) {
    // The records of single streams count only where no lane has those of all.
    const auto see = [&](DeviceId device) {
      if (device == kNone) return;
      const Role role = roles_.role(device);
      if (role == Role::kKernels) At(device).has_kernels = true;
      if (role == Role::kCopies) At(device).has_copies = true;
    };
    for (size_t e = 0; e < step.num_executions(); ++e) {
      if (step.HasStart(e)) see(profile.device_of(step.LaneOf(e)));
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      see(profile.device_of(step.LaneOf(e)));
    }
  }

  void AddSource(DeviceId device, int64_t start) {
    At(device).sources.push_back(start);
  }

  void Add(DeviceId device, const Run& run, bool is_communication) {
    Unit& unit = At(device);
    DeviceActivity& activity = unit.activity;
    switch (roles_.role(device)) {
      case Role::kLaunches:
        Put(run, is_communication ? activity.communication : activity.launches,
            activity);
        break;
      case Role::kStreamKernels:
        if (unit.has_kernels) break;
        [[fallthrough]];
      case Role::kHostOps:
      case Role::kKernels:
      case Role::kOther:
        Put(run, is_communication ? activity.communication : activity.compute,
            activity);
        break;
      case Role::kStreamCopies:
        if (unit.has_copies) break;
        [[fallthrough]];
      case Role::kCopies:
        Put(run, activity.copies, activity);
        break;
      case Role::kNothing:
        break;
    }
  }

  // A record whose name says that it is a copy, on any device name of a GPU.
  void AddCopy(DeviceId device, const Run& run) {
    Unit& unit = At(device);
    if (roles_.role(device) == Role::kCopies || !unit.has_copies) {
      Put(run, unit.activity.copies, unit.activity);
    }
  }

  std::shared_ptr<StepActivity> Finish() && {
    auto all = std::make_shared<StepActivity>();
    all->step = &step_;
    std::vector<uint32_t> task_at(roles_.tasks().size(), kNone);
    std::vector<std::vector<std::vector<int64_t>>> sources;  // by task, unit
    for (Unit& unit : units_) {
      DeviceActivity& device = unit.activity;
      bool ran = false;
      for (Track* track : {&device.compute, &device.communication,
                           &device.copies, &device.launches}) {
        FinishTrack(*track);
        ran |= !track->runs.empty();
      }
      if (!ran) continue;
      uint32_t& task = task_at[roles_.units()[device.unit].task];
      if (task == kNone) {
        task = static_cast<uint32_t>(all->tasks.size());
        all->tasks.emplace_back().task = roles_.units()[device.unit].task;
        sources.emplace_back();
      }
      all->tasks[task].devices.push_back(std::move(device));
      sources[task].push_back(std::move(unit.sources));
    }
    for (size_t t = 0; t < all->tasks.size(); ++t) {
      FinishTask(all->tasks[t], sources[t]);
    }
    return all;
  }

 private:
  struct Unit {
    DeviceActivity activity;
    bool has_kernels = false;
    bool has_copies = false;
    std::vector<int64_t> sources;  // starts of _SOURCE
  };

  Unit& At(DeviceId device) {
    const uint32_t unit = roles_.unit(device);
    if (unit_at_[unit] == kNone) {
      unit_at_[unit] = static_cast<uint32_t>(units_.size());
      DeviceActivity& activity = units_.emplace_back().activity;
      activity.unit = unit;
      activity.accelerator = roles_.units()[unit].accelerator;
    }
    return units_[unit_at_[unit]];
  }

  static void Put(const Run& run, Track& track, DeviceActivity& activity) {
    if (run.end > run.start) {
      track.runs.push_back(run);
    } else if (run.end == run.start) {
      ++activity.instants;
    }
  }

  static void FinishTrack(Track& track) {
    std::sort(
        track.runs.begin(), track.runs.end(), [](const Run& a, const Run& b) {
          return a.start != b.start ? a.start < b.start : a.record < b.record;
        });
    track.runs.shrink_to_fit();
    for (const Run& run : track.runs) {
      AddInterval(track.busy, run.start, run.end);
    }
    track.busy.shrink_to_fit();
  }

  // Cuts the task's time between two runs: before a _SOURCE that is not the
  // first of its device, if no device was busy just before it.
  static void FinishTask(TaskActivity& task,
                         std::vector<std::vector<int64_t>>& sources) {
    UnionOfMany all;
    for (const DeviceActivity& device : task.devices) {
      for (const Track* track : {&device.compute, &device.communication,
                                 &device.copies, &device.launches}) {
        all.Add(track->busy);
      }
    }
    const Intervals busy = std::move(all).Take();
    int64_t start = busy.front().start;
    std::vector<int64_t> cuts;
    for (std::vector<int64_t>& of_device : sources) {
      if (of_device.empty()) continue;
      std::sort(of_device.begin(), of_device.end());
      start = std::min(start, of_device.front());
      cuts.insert(cuts.end(), of_device.begin() + 1, of_device.end());
    }
    std::sort(cuts.begin(), cuts.end());
    auto cut = cuts.begin();
    for (size_t i = 0; i + 1 < busy.size(); ++i) {
      cut = std::lower_bound(cut, cuts.end(), busy[i].end);
      if (cut == cuts.end()) break;
      if (*cut > busy[i + 1].start) continue;
      AddInterval(task.runs, start, busy[i].end);
      start = *cut;
    }
    AddInterval(task.runs, start, busy.back().end);
    task.span = Micros(task.runs);
  }

  const Step& step_;
  const DeviceRoles& roles_;
  std::vector<uint32_t> unit_at_;
  std::vector<Unit> units_;
};

}  // namespace

Intervals DeviceActivity::Busy() const {
  return Union(compute.busy, Union(communication.busy, copies.busy));
}

size_t StepActivity::bytes() const {
  size_t bytes = sizeof(*this);
  for (const TaskActivity& task : tasks) {
    bytes += sizeof(task) + task.runs.capacity() * sizeof(Interval);
    for (const DeviceActivity& device : task.devices) {
      bytes += sizeof(device) + device.compute.bytes() +
               device.communication.bytes() + device.copies.bytes() +
               device.launches.bytes();
    }
  }
  return bytes;
}

Activities::Activities(const Profile& profile)
    : profile_(profile),
      roles_(profile.graph()),
      kind_(profile.nodes().size(), 0) {}

void Activities::UseRules(std::shared_ptr<const CommunicationRules> rules) {
  rules_ = std::move(rules);
  kind_.assign(kind_.size(), 0);
  kept_.clear();
  kept_bytes_ = 0;
}

std::string_view Activities::OpOf(NodeId node, RecordRef record) {
  const NodeTable& nodes = profile_.nodes();
  const std::string_view op = profile_.strings().Get(nodes.op[node]);
  // A node that is in run metadata only has its name as its op.
  if (nodes.record[node] != kNoRecord || nodes.op[node] != nodes.name[node]) {
    return op;
  }
  const auto it = op_of_label_.find(node);
  if (it != op_of_label_.end()) return it->second;
  // Of several records of a node in TensorFlow 1.15, only one has a label with
  // the op.
  const std::string_view of_label = profile_.Text(record).op;
  if (of_label.empty()) return op;
  op_of_label_.emplace(node, of_label);
  return of_label;
}

bool Activities::HasOp(NodeId node) const {
  const NodeTable& nodes = profile_.nodes();
  return nodes.record[node] != kNoRecord ||
         nodes.op[node] != nodes.name[node] || op_of_label_.contains(node);
}

bool Activities::IsCommunication(NodeId node, RecordRef record) {
  uint8_t& kind = kind_[node];
  if (kind != 0) return kind == 2;
  const bool is_communication = rules_->IsCommunication(OpOf(node, record));
  // Another record may say what the node is.
  if (is_communication || HasOp(node)) kind = is_communication ? 2 : 1;
  return is_communication;
}

std::string_view Activities::Name(const Step& step, const Run& run) const {
  if (run.node != kNone) return profile_.node_name(run.node);
  return profile_.strings().Get(step.OutsideName(run.record));
}

std::string_view Activities::Op(const Step& step, const Run& run) {
  return run.node == kNone
             ? Name(step, run)
             : OpOf(run.node,
                    static_cast<RecordRef>(step.exec_record[run.record]));
}

std::string_view Activities::Device(const Step& step, const Run& run) const {
  return profile_.devices().name(profile_.device_of(step.LaneOf(run.record)));
}

Transfer Activities::TransferOf(const Step& step, const Run& run) const {
  Transfer transfer =
      profile_.TransferOf(static_cast<RecordRef>(step.exec_record[run.record]));
  const CopyKind of_lane =
      profile_.graph().lanes[step.LaneOf(run.record)].copies;
  if (of_lane != CopyKind::kUnknown) transfer.kind = of_lane;
  return transfer;
}

std::shared_ptr<const StepActivity> Activities::Compute(const Step& step) {
  Collector collector(profile_, step, roles_);
  const auto run_of = [&](size_t e, NodeId node) {
    const int64_t start = step.exec_start.Micros(e);
    return Run{start, WrapAdd(start, step.exec_duration.Micros(e)), node,
               static_cast<uint32_t>(e)};
  };
  if (step.num_executions() > 0) {
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const auto node = static_cast<NodeId>(step.node[g]);
      const size_t end = step.exec_end(g);
      for (size_t e = step.exec_begin(g); e < end; ++e) {
        const DeviceId device = profile_.device_of(step.LaneOf(e));
        if (device == kNone || !step.HasStart(e)) continue;
        const Run run = run_of(e, node);
        collector.Add(
            device, run,
            IsCommunication(node, static_cast<RecordRef>(step.exec_record[e])));
      }
    }
  }
  for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
    const DeviceId device = profile_.device_of(step.LaneOf(e));
    if (device == kNone || !step.HasStart(e)) continue;
    const StringId name_id = step.OutsideName(e);
    const std::string_view name = profile_.strings().Get(name_id);
    const Run run = run_of(e, profile_.nodes().Find(name_id));
    if (name == "_SOURCE") {
      collector.AddSource(device, run.start);
      continue;
    }
    if (run.node == kNone && name.find("MEMCPY") != name.npos) {
      collector.AddCopy(device, run);
    } else {
      collector.Add(device, run,
                    run.node == kNone
                        ? rules_->IsCommunication(name)
                        : IsCommunication(run.node, static_cast<RecordRef>(
                                                        step.exec_record[e])));
    }
  }
  return std::move(collector).Finish();
}

std::shared_ptr<const StepActivity> Activities::Of(const Step& step) {
  if (const auto it = kept_.find(&step); it != kept_.end()) return it->second;
  std::shared_ptr<const StepActivity> activity = Compute(step);
  const size_t bytes = activity->bytes();
  if (kept_bytes_ + bytes <= kMaxKeptBytes) {
    kept_bytes_ += bytes;
    kept_.emplace(&step, activity);
  }
  return activity;
}

}  // namespace tfprof
