// What the runs of devices are called: their ops, their own names, their nodes
// and their devices.

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "timeline/account/work_classes.h"
#include "timeline/activity.h"
#include "util/run/threads.h"

namespace tfprof::timeline {
namespace {

// Compares an op and a name by where they are in memory (by_address.h).
struct SameAddresses {
  using Pair = std::pair<std::string_view, std::string_view>;
  bool operator()(const Pair& a, const Pair& b) const {
    return a.first.data() == b.first.data() &&
           a.second.data() == b.second.data() &&
           a.first.size() == b.first.size() &&
           a.second.size() == b.second.size();
  }
};
struct HashOfAddresses {
  size_t operator()(const SameAddresses::Pair& of) const {
    return absl::HashOf(of.first.data(), of.second.data(), of.second.size());
  }
};

}  // namespace

// If a node is only in run metadata, its op is its name.
bool Activities::OpMayBeInLabel(profile::NodeId node) const {
  const profile::NodeTable& nodes = profile_.nodes();
  return nodes.record[node] == profile::kNoRecord &&
         nodes.op[node] == nodes.name[node];
}

bool Activities::HasOpOfLabel(profile::NodeId node) {
  const std::lock_guard lock(op_of_label_mutex_);
  return op_of_label_.contains(node);
}

std::string_view Activities::OpOf(profile::NodeId node,
                                  profile::RecordRef record, bool has_label) {
  const std::string_view op = profile_.strings().Get(profile_.nodes().op[node]);
  if (!has_label || !OpMayBeInLabel(node)) return op;
  const std::lock_guard lock(op_of_label_mutex_);
  const auto it = op_of_label_.find(node);
  if (it != op_of_label_.end()) return it->second;
  // If TensorFlow 1.15 writes several records of a node, only one has a label
  // with the op.
  const std::string_view of_label = profile_.Text(record).op;
  if (of_label.empty()) return op;
  op_of_label_.emplace(node, of_label);
  return of_label;
}

profile::RecordRef Activities::RecordOf(const DeviceRun& run) const {
  return static_cast<profile::RecordRef>(
      profile_.steps()[run.step]->exec_record[run.record]);
}

profile::NodeId Activities::NodeOfOutside(const profile::Step& step,
                                          size_t record,
                                          profile::LaneId lane) const {
  const profile::Lane& of = profile_.lanes()[lane];
  if (record < step.num_executions() || of.calls_nest ||
      (of.kind != profile::LaneKind::kCompute &&
       of.kind != profile::LaneKind::kLaunches)) {
    return profile::kNone;
  }
  return profile_.nodes().Find(step.OutsideName(record));
}

profile::NodeId Activities::NodeOf(const DeviceRun& run) const {
  return run.node != profile::kNone
             ? run.node
             : NodeOfOutside(*profile_.steps()[run.step], run.record, run.lane);
}

std::string_view Activities::Op(const DeviceRun& run) {
  const profile::NodeId node = NodeOf(run);
  if (node == profile::kNone) return Name(run);
  // Few ops need the record, and reading it takes longer than the rest.
  const bool has_label = !profile_.lanes()[run.lane].calls_nest;
  return has_label && OpMayBeInLabel(node)
             ? OpOf(node, RecordOf(run), has_label)
             : profile_.strings().Get(profile_.nodes().op[node]);
}

std::string_view Activities::TypeFrom(profile::NodeId node,
                                      std::string_view op) const {
  return profile_.graph().self_times || !OpMayBeInLabel(node) ||
                 op != profile_.node_name(node)
             ? op
             : TypeInName(op);
}

std::string_view Activities::TypeOf(const DeviceRun& run) {
  const std::string_view op = Op(run);
  if (profile_.lanes()[run.lane].calls_nest) return op;
  const profile::NodeId node = NodeOf(run);
  return node == profile::kNone ? op : TypeFrom(node, op);
}

std::string_view Activities::TypeOfNode(profile::NodeId node) const {
  const std::string_view op = profile_.strings().Get(profile_.nodes().op[node]);
  if (!OpMayBeInLabel(node)) return op;
  {
    const std::lock_guard lock(op_of_label_mutex_);
    const auto it = op_of_label_.find(node);
    if (it != op_of_label_.end()) return it->second;
  }
  return TypeFrom(node, op);
}

std::string_view Activities::TypeOfNamed(profile::StringId name) const {
  const profile::NodeId node = profile_.nodes().Find(name);
  return node == profile::kNone || !OpMayBeInLabel(node)
             ? profile_.strings().Get(name)
             : TypeOfNode(node);
}

std::string_view Activities::Title(const DeviceRun& run) {
  if (run.kind != RunKind::kCommunication) return Op(run);
  std::string_view op = TypeOf(run);
  if (op == "record_param_comms") op = Name(run);
  return op.substr(0, op.find('('));
}

std::string_view Activities::Name(const DeviceRun& run) const {
  const std::string_view name = profile_.Text(RecordOf(run)).name;
  return name.empty() ? NodeName(run) : name;
}

RunNames Activities::NamesOf(std::span<const DeviceRun> runs) {
  RunNames names;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, uint32_t,
                      HashOfAddresses, SameAddresses>
      numbers;
  names.of_run.reserve(runs.size());
  // Most nodes have one name, which is read once. A table for a few runs would
  // cost more than it saves.
  const profile::NodeTable& nodes = profile_.nodes();
  std::vector<uint32_t> of_node(
      runs.size() < nodes.same_texts.size() ? 0 : nodes.same_texts.size(),
      profile::kNone);
  for (const DeviceRun& run : runs) {
    // Only an op in a label depends on the lane.
    uint32_t* known = run.node < of_node.size() &&
                              nodes.HasSameTexts(run.node) &&
                              (!OpMayBeInLabel(run.node) ||
                               !profile_.lanes()[run.lane].calls_nest)
                          ? &of_node[run.node]
                          : nullptr;
    if (known != nullptr && *known != profile::kNone) {
      names.of_run.push_back(*known);
      continue;
    }
    const std::pair of(Op(run), Name(run));
    const auto [number, is_new] =
        numbers.try_emplace(of, static_cast<uint32_t>(names.names.size()));
    if (is_new) names.names.push_back({of.first, of.second});
    names.of_run.push_back(number->second);
    if (known != nullptr) *known = number->second;
  }
  return names;
}

std::shared_ptr<const std::vector<RunNames>> Activities::NamesOfRuns() {
  if (names_of_runs_ != nullptr) return names_of_runs_;
  const std::vector<DeviceActivity>& devices = Everything()->devices;
  auto all = std::make_shared<std::vector<RunNames>>(devices.size());
  util::ParallelFor(work_, devices.size(),
                    [&](size_t d) { (*all)[d] = NamesOf(devices[d].runs); });
  return names_of_runs_ = std::move(all);
}

std::string_view Activities::NodeName(const DeviceRun& run) const {
  if (run.node != profile::kNone) return profile_.node_name(run.node);
  return profile_.strings().Get(
      profile_.steps()[run.step]->OutsideName(run.record));
}

profile::Transfer Activities::TransferOf(const DeviceRun& run) const {
  profile::Transfer transfer = profile_.TransferOf(RecordOf(run));
  const profile::CopyKind of_lane = profile_.lanes()[run.lane].copies;
  if (of_lane != profile::CopyKind::kUnknown) transfer.kind = of_lane;
  return transfer;
}

std::string_view Activities::DeviceName(const DeviceRun& run) const {
  const profile::DeviceId device = profile_.device_of(run.lane);
  return device != profile::kNone
             ? profile_.devices().name(device)
             : std::string_view(units()[unit_of(run.lane)].name);
}

}  // namespace tfprof::timeline
