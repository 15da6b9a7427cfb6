// Reads the device names of TensorFlow 1. No other code does.
//
// Names are lower case ("/job:w/replica:0/task:0/device:gpu:0"). A run metadata
// file spreads one GPU over many names, of which some are pseudo devices:
//
//   /job:w/replica:0/task:0/device:gpu:0   the host's launches of its ops
//   /device:gpu:0/stream:all               its kernels
//   /device:gpu:0/stream:14                one stream's share of the same;
//                                          copies are in it too
//   /device:gpu:0/stream:14<memcpyh2d>     one stream's copies
//   /device:gpu:0/memcpy                   its copies, all of them
//   /device:gpu:0/sync, …/stream:15<…>     neither
//   /host:cpu                              the ops of the CPU, a second time
//
// A pseudo device follows '/' or ':'. Each name is a lane of a profile; its
// transfers, which only the names of their records show, are another lane.

#ifndef TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_
#define TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "profile/profile.h"
#include "profile/tables/device_table.h"
#include "profile/tables/lanes.h"

namespace tfprof::tensorflow {

// The parts of a name: "/job:w/task:0" "gpu:0" "stream:all".
struct DeviceNameParts {
  std::string_view base;   // without the pseudo device
  std::string_view task;   // the part of `base` before the last '/'
  std::string_view local;  // the part after it, without "device:"
  std::string_view pseudo;
};

// Splits a lower-case name; the parts are views into it.
DeviceNameParts SplitDeviceName(std::string_view name);

// Returns the attributes of a device from its name, in any case. The rules are
// the reference's: the name of a canonical device ends in
// [device:]{cpu,gpu}:<n>; "stream:all", "gpu" and "cpu" anywhere in the name
// set the other attributes.
profile::Device ClassifyDevice(std::string_view name);

// Returns the CPU that feeds a device: every "gpu:<n>" becomes "cpu:0".
std::string HostDevice(std::string_view name);

// Returns the lane of the device with this name, in any case. Adds the device,
// its lane and its process if they are new.
profile::LaneId DeviceLane(std::string_view name, profile::GraphTables& graph);
// Does the same for a file that `process` recorded. The process gets its own
// lanes for devices that any process could have: devices without a job, and of
// the job "localhost". kNone: like DeviceLane().
profile::LaneId DeviceLaneOf(profile::ProcessId process, std::string_view name,
                             profile::GraphTables& graph);

// Returns the lane beside `lane` for a record with this name if the record is a
// transfer that no graph has ("RecvTensor", "MEMCPYHtoD"), else `lane`.
profile::LaneId LaneOfOutside(std::string_view record, profile::LaneId lane,
                              profile::GraphTables& graph);
// Returns the lane for transfers of this kind beside `lane`; adds a new one.
profile::LaneId TransferLane(profile::LaneId lane, profile::LaneKind kind,
                             profile::GraphTables& graph);

// Call this after all files of a load were read. It does three things:
//
// * Names such as "/device:gpu:0/stream:all" have no task. Their lanes move to
//   the task that has such a device, or to the only task. If several tasks have
//   one, the lanes stay in a process without a name.
// * If a GPU has both a lane of all its kernels (or copies) and lanes of single
//   streams, one side repeats the other (Lane::repeats): the lane of all, if
//   the streams have as many records in each step; else the streams.
// * "/host:CPU" repeats the CPU of its task, if the profile has one.
//
// `steps` are all steps of the profile.
void FinishDeviceLanes(
    std::span<const std::shared_ptr<const profile::Step>> steps,
    profile::GraphTables& graph);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_
