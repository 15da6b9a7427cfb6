// The names of devices and of their work in a CTF trace.

#ifndef TFPROF_LOADERS_CTF_MODEL_DEVICE_NAMES_H_
#define TFPROF_LOADERS_CTF_MODEL_DEVICE_NAMES_H_

#include <string>
#include <string_view>

#include "loaders/ctf/events/trace_facts.h"
#include "profile/transfer.h"

namespace tfprof::ctf {

// Returns the name of the device that did `activity`, in lower case: "cuda:0".
// Without one, the provider of the event stands for its device: "opencl:0".
std::string DeviceName(const TraceFacts& facts, const Activity& activity);

// Returns the name of a physical device in the words of TensorFlow, whose ops
// are on "gpu:0". The library of a vendor has another name for it.
std::string DeviceLabel(std::string_view device);

// Returns the direction of a copy from its name: "Memcpy HtoD".
profile::CopyKind KindOfCopy(std::string_view name);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_DEVICE_NAMES_H_
