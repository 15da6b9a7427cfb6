// The device that a person means: "gpu:0", "GPU:0", "gpu0", "gpu 0", "0", or
// all of a kind: "gpu".

#ifndef TFPROF_INSPECT_DEVICES_DEVICE_WORDS_H_
#define TFPROF_INSPECT_DEVICES_DEVICE_WORDS_H_

#include <string_view>

namespace tfprof::inspect {

// Whether `words` mean the device `name`, or a device or an allocator whose
// name ends with them ("gpu:0" of "rank 1 gpu:0"). "0" is "gpu:0", but "1" is
// not "gpu:11".
bool IsDeviceMeant(std::string_view name, std::string_view words);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_DEVICE_WORDS_H_
