// What the runs of devices are called: their ops, their own names, their nodes
// and their devices.

#include <mutex>
#include <string_view>

#include "timeline/activity.h"

namespace tfprof::timeline {

std::string_view Activities::OpOf(profile::NodeId node,
                                  profile::RecordRef record, bool has_label) {
  const profile::NodeTable& nodes = profile_.nodes();
  const std::string_view op = profile_.strings().Get(nodes.op[node]);
  // If a node is only in run metadata, its op is its name.
  if (!has_label || nodes.record[node] != profile::kNoRecord ||
      nodes.op[node] != nodes.name[node]) {
    return op;
  }
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

std::string_view Activities::Op(const DeviceRun& run) {
  return run.node == profile::kNone
             ? Name(run)
             : OpOf(run.node, RecordOf(run),
                    !profile_.lanes()[run.lane].calls_nest);
}

std::string_view Activities::Name(const DeviceRun& run) const {
  const std::string_view name = profile_.Text(RecordOf(run)).name;
  return name.empty() ? NodeName(run) : name;
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
