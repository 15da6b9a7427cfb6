// Maps the execution providers of ONNX Runtime to devices.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_ORT_DEVICES_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_ORT_DEVICES_H_

#include <string>
#include <string_view>

namespace tfprof::chrome_json {

struct OrtDevice {
  std::string kind;   // "cpu", "gpu", or the provider: "qnn"
  std::string label;  // "gpu:0"
  bool is_cpu() const { return kind == "cpu"; }
};

// Takes a name like "CUDAExecutionProvider"; "" is the CPU.
OrtDevice DeviceOfProvider(std::string_view provider);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_ORT_DEVICES_H_
