// Chooses the map of an ExecProfile for the times of a device:
// accelerator_execs, cpu_execs or our own other_execs.
//
// For a run, TensorFlow counts the kernels (stream:all) and the ops of
// canonical devices, and leaves out streams and copies: those are in
// other_execs. A ProfileProto can have times of any device in either map, and
// all of them count: a TPU, an XLA_CPU, a name chosen by the user. The sums of
// the profile show which map it was. Pure functions.

#ifndef TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_
#define TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace tfprof::exporters {

enum class ExecMap {
  kOther,
  kCpu,
  kAccelerator,
  kOfProfile,  // not chosen yet; MapsOfProfile() does
};

// A device on which a node has executions with a start.
struct TimedDevice {
  bool stream = false;     // Device::accelerator_stream
  bool canonical = false;  // Device::canonical
  int64_t time = 0;        // the sum of their durations
};

// The map for an execution of a run.
ExecMap MapOfRun(const TimedDevice& device);

// The maps for the devices of an ExecProfile whose accelerator_execs and
// cpu_execs add up to these times. Of the choices with these sums, it returns
// the one in which most devices are where TensorFlow puts them.
std::vector<ExecMap> MapsOfProfile(std::span<const TimedDevice> devices,
                                   int64_t accelerator_time, int64_t cpu_time);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_EXEC_MAPS_H_
