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
//
// A pseudo device follows '/' or ':'. Each name is a lane of a profile, and its
// transfers, which only the names of their records tell, are another one.

#ifndef TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_
#define TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "profile/device_table.h"
#include "profile/lanes.h"
#include "profile/profile.h"

namespace tfprof {

// A name in its parts: "/job:w/task:0" "gpu:0" "stream:all".
struct DeviceNameParts {
  std::string_view base;   // without the pseudo device
  std::string_view task;   // before the last '/' of it
  std::string_view local;  // after that, without "device:"
  std::string_view pseudo;
};

// `name` is in lower case; the parts point into it.
DeviceNameParts SplitDeviceName(std::string_view name);

// The attributes of a device, by a name in any case. The rules are the
// reference's: the name of a canonical device ends in [device:]{cpu,gpu}:<n>;
// the other attributes are set by "stream:all", "gpu" and "cpu" anywhere in the
// name.
Device ClassifyDevice(std::string_view name);

// The CPU that feeds a device: every "gpu:<n>" replaced by "cpu:0".
std::string HostDevice(std::string_view name);

// The lane of the device of this name, in any case. Adds the device, its lane
// and its process if they are new.
LaneId DeviceLane(std::string_view name, GraphTables& graph);
// The same for a file that was recorded by `process`, which has lanes of its
// own for devices that any process could have: those of no job, and those of
// "localhost". kNone: DeviceLane().
LaneId DeviceLaneOf(ProcessId process, std::string_view name,
                    GraphTables& graph);

// The lane beside `lane` for the record of this name if the record is a
// transfer that no graph has ("RecvTensor", "MEMCPYHtoD"), else `lane`.
LaneId LaneOfOutside(std::string_view record, LaneId lane, GraphTables& graph);
// The lane for transfers of this kind beside `lane`; added if it is new.
LaneId TransferLane(LaneId lane, LaneKind kind, GraphTables& graph);

// To be called when all files of a load were read:
//
// * Names such as "/device:gpu:0/stream:all" say no task. Their lanes go to the
//   task that has such a device, or to the only task. Where several tasks have
//   one, the lanes stay in a process without a name.
// * Where a GPU has both a lane of all its kernels (copies) and lanes of single
//   streams, one side repeats the other (Lane::repeats): the lane of all, if
//   the streams have as many records in each step; else the streams.
//
// `steps` are all steps of the profile.
void FinishDeviceLanes(std::span<const std::shared_ptr<const Step>> steps,
                       GraphTables& graph);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_DEVICE_NAMES_H_
