// Which map of an ExecProfile the times of a device belong in:
// accelerator_execs, cpu_execs or none of them.
//
// Of a run, TensorFlow counts the kernels (stream:all) and the ops of canonical
// devices, and leaves out streams and copies. A ProfileProto can have times of
// any device in either map, and all of them count: a TPU, an XLA_CPU, a name
// of the user's. Its sums say which map that was. Pure functions.

#ifndef TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_
#define TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace tfprof {

enum class ExecMap {
  kNone,
  kCpu,
  kAccelerator,
  kOfProfile,  // not chosen yet: one that MapsOfProfile() gives
};

// A device on which a node has executions with a start.
struct TimedDevice {
  bool stream = false;     // Device::accelerator_stream
  bool canonical = false;  // Device::canonical
  int64_t time = 0;        // the sum of their durations
};

// Of the executions of a run.
ExecMap MapOfRun(const TimedDevice& device);

// Of the devices of an ExecProfile whose accelerator_execs came to
// `accelerator_time`. Each device has a map; of the choices that give this sum,
// the one in which most devices are where TensorFlow puts them.
std::vector<ExecMap> MapsOfProfile(std::span<const TimedDevice> devices,
                                   int64_t accelerator_time);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_
