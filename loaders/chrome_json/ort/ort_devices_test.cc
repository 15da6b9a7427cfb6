#include "loaders/chrome_json/ort/ort_devices.h"

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

TEST(OrtDevicesTest, Providers) {
  EXPECT_TRUE(DeviceOfProvider("CPUExecutionProvider").is_cpu());
  EXPECT_TRUE(DeviceOfProvider("").is_cpu());
  EXPECT_EQ(DeviceOfProvider("DnnlExecutionProvider").label, "cpu:0");
  EXPECT_EQ(DeviceOfProvider("CUDAExecutionProvider").label, "gpu:0");
  EXPECT_EQ(DeviceOfProvider("ROCMExecutionProvider").kind, "gpu");
  EXPECT_EQ(DeviceOfProvider("QNNExecutionProvider").label, "qnn:0");
}

}  // namespace
}  // namespace tfprof::chrome_json
