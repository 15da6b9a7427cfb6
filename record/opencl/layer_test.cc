// The layer between a program and a driver that a test gives.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "record/opencl/commands.h"
#include "record/recording_testing.h"
#include "record/sink.h"

namespace tfprof::record::opencl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

template <typename T>
T Handle(uintptr_t number) {
  return reinterpret_cast<T>(number);
}

const auto kQueue = Handle<cl_command_queue>(0x20);
const auto kBuffer = Handle<cl_mem>(0x30);
const auto kKernel = Handle<cl_kernel>(0x40);
const auto kDevice = Handle<cl_device_id>(0x50);
const auto kContext = Handle<cl_context>(0x60);
const auto kEvent = Handle<cl_event>(0x70);

using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);

// The results of the fake driver, and the arguments that it got.
struct Driver {
  cl_int result = CL_SUCCESS;  // of an enqueue
  cl_int callback_result = CL_SUCCESS;
  bool takes_profiling = true;
  Callback callback = nullptr;
  void* data = nullptr;
  int retained = 0, released = 0;
  std::vector<cl_queue_properties> properties;  // of the last queue
  std::string kernel = "gemm";

  // The last command ends.
  void Complete(cl_int status = CL_COMPLETE) { callback(kEvent, status, data); }
};
Driver driver;

cl_int CL_API_CALL Write(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
                         const void*, cl_uint, const cl_event*,
                         cl_event* event) {
  if (driver.result == CL_SUCCESS && event != nullptr) *event = kEvent;
  return driver.result;
}
cl_int CL_API_CALL RunKernel(cl_command_queue, cl_kernel, cl_uint,
                             const size_t*, const size_t*, const size_t*,
                             cl_uint, const cl_event*, cl_event* event) {
  if (event != nullptr) *event = kEvent;
  return driver.result;
}
void* CL_API_CALL MapIt(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t,
                        size_t, cl_uint, const cl_event*, cl_event* event,
                        cl_int* error) {
  if (error != nullptr) *error = driver.result;
  if (event != nullptr) *event = kEvent;
  return driver.result == CL_SUCCESS ? Handle<void*>(0x99) : nullptr;
}
cl_int CL_API_CALL Finish(cl_command_queue) { return -99; }

cl_int CL_API_CALL QueueInfo(cl_command_queue, cl_command_queue_info what,
                             size_t, void* value, size_t*) {
  // NOLINTBEGIN(bugprone-sizeof-expression): the size of a handle.
  if (what == CL_QUEUE_DEVICE) memcpy(value, &kDevice, sizeof(kDevice));
  if (what == CL_QUEUE_CONTEXT) memcpy(value, &kContext, sizeof(kContext));
  // NOLINTEND(bugprone-sizeof-expression)
  return CL_SUCCESS;
}
cl_int CL_API_CALL KernelInfo(cl_kernel, cl_kernel_info, size_t size,
                              void* value, size_t* used) {
  *used = driver.kernel.size() + 1;
  if (size < *used) return CL_INVALID_VALUE;
  memcpy(value, driver.kernel.c_str(), *used);
  return CL_SUCCESS;
}
cl_int CL_API_CALL DeviceInfo(cl_device_id, cl_device_info, size_t, void* value,
                              size_t* used) {
  memcpy(value, "Fast", 5);
  *used = 5;
  return CL_SUCCESS;
}
cl_int CL_API_CALL ProfilingInfo(cl_event, cl_profiling_info what, size_t,
                                 void* value, size_t*) {
  const cl_ulong time = what - CL_PROFILING_COMMAND_QUEUED + 100;
  memcpy(value, &time, sizeof(time));
  return CL_SUCCESS;
}
cl_int CL_API_CALL SetCallback(cl_event, cl_int, Callback callback,
                               void* data) {
  driver.callback = callback;
  driver.data = data;
  return driver.callback_result;
}
cl_int CL_API_CALL Retain(cl_event) { return ++driver.retained, CL_SUCCESS; }
cl_int CL_API_CALL Release(cl_event) { return ++driver.released, CL_SUCCESS; }

cl_command_queue CL_API_CALL MakeQueue(cl_context, cl_device_id,
                                       const cl_queue_properties* properties,
                                       cl_int*) {
  driver.properties.clear();
  for (; properties != nullptr && *properties != 0; ++properties) {
    driver.properties.push_back(*properties);
  }
  const bool profiles = !driver.properties.empty() &&
                        (driver.properties.back() & CL_QUEUE_PROFILING_ENABLE);
  return profiles && !driver.takes_profiling ? nullptr : kQueue;
}

class LayerTest : public testing::Test {
 protected:
  LayerTest() {
    driver = {};
    cl_icd_dispatch target = {};
    target.clEnqueueWriteBuffer = Write;
    target.clEnqueueNDRangeKernel = RunKernel;
    target.clEnqueueMapBuffer = MapIt;
    target.clFinish = Finish;
    target.clGetCommandQueueInfo = QueueInfo;
    target.clGetKernelInfo = KernelInfo;
    target.clGetDeviceInfo = DeviceInfo;
    target.clGetEventProfilingInfo = ProfilingInfo;
    target.clSetEventCallback = SetCallback;
    target.clRetainEvent = Retain;
    target.clReleaseEvent = Release;
    target.clCreateCommandQueueWithProperties = MakeQueue;
    cl_uint entries = 0;
    EXPECT_EQ(
        clInitLayer(sizeof(target) / sizeof(void*), &target, &entries, &layer_),
        CL_SUCCESS);
    EXPECT_EQ(entries, sizeof(target) / sizeof(void*));
  }

  cl_int WriteBytes(size_t bytes, cl_event* event = nullptr) {
    return layer_->clEnqueueWriteBuffer(kQueue, kBuffer, CL_FALSE, 0, bytes,
                                        nullptr, 0, nullptr, event);
  }
  // The events, without the fields that each run has others of.
  std::vector<std::string> Events() const {
    static const std::set<std::string> kOthers = {
        "launch_tid", "correlation", "entry", "exit", "context", "queue"};
    std::vector<std::string> events;
    for (const std::string& event : recording_.Events()) {
      std::string& kept = events.emplace_back();
      for (size_t at = 0; at < event.size();) {
        const size_t end = std::min(event.find(' ', at), event.size());
        const std::string word = event.substr(at, end - at);
        if (!kOthers.contains(word.substr(0, word.find('=')))) {
          kept += (kept.empty() ? "" : " ") + word;
        }
        at = end + 1;
      }
    }
    return events;
  }

  const Recording recording_;
  const cl_icd_dispatch* layer_ = nullptr;
};

constexpr char kWritten[] =
    "work work=1 clock=1 profiled=1 status=0 bytes=64 queued=100 submit=101 "
    "start=102 end=103 kind=write name=write device=opencl:0";

TEST_F(LayerTest, ACommandIsRecordedWhenItHasCompleted) {
  EXPECT_EQ(WriteBytes(64), CL_SUCCESS);
  const char* const call =
      "call_begin depth=0 domain=opencl "
      "name=clEnqueueWriteBuffer";
  EXPECT_THAT(Events(), ElementsAre(call, "call_end depth=0"));
  driver.Complete();
  EXPECT_THAT(Events(), ElementsAre(call, "call_end depth=0", kWritten));
  EXPECT_EQ(driver.retained, 0) << "the event is ours alone";
  EXPECT_EQ(driver.released, 1);
}

TEST_F(LayerTest, TheEventOfTheProgramIsShared) {
  cl_event event = nullptr;
  EXPECT_EQ(WriteBytes(64, &event), CL_SUCCESS);
  EXPECT_EQ(event, kEvent);
  EXPECT_EQ(driver.retained, 1);
  driver.Complete();
  EXPECT_EQ(driver.released, 1);
  EXPECT_THAT(Events(), Contains(kWritten));
}

TEST_F(LayerTest, ACommandThatTheDriverRefusesIsNoWork) {
  driver.result = CL_OUT_OF_RESOURCES;
  EXPECT_EQ(WriteBytes(64), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.callback, nullptr);
  EXPECT_THAT(Events(), Not(Contains(StartsWith("work"))));
}

TEST_F(LayerTest, ACommandThatFailsHasItsStatusAndNoTimes) {
  EXPECT_EQ(WriteBytes(64), CL_SUCCESS);
  driver.Complete(-5);
  EXPECT_THAT(Events(),
              Contains("work work=1 clock=1 profiled=0 status=-5 bytes=64 "
                       "queued=0 submit=0 start=0 end=0 kind=write name=write "
                       "device=opencl:0"));
}

TEST_F(LayerTest, WithoutACallbackItIsToldAtOnce) {
  driver.callback_result = CL_INVALID_EVENT;
  EXPECT_EQ(WriteBytes(64), CL_SUCCESS);
  EXPECT_THAT(Events(), Contains(StartsWith("work work=1 clock=1 profiled=0 "
                                            "status=3 bytes=64")));
  EXPECT_EQ(driver.released, 1);
}

TEST_F(LayerTest, AKernelHasItsName) {
  const auto run = [&] {
    EXPECT_EQ(
        layer_->clEnqueueNDRangeKernel(kQueue, kKernel, 1, nullptr, nullptr,
                                       nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    driver.Complete();
    return Events().back();
  };
  EXPECT_THAT(run(), EndsWith("kind=ndrange name=gemm device=opencl:0"));
  driver.kernel = std::string(5000, 'x');  // longer than any text
  EXPECT_THAT(run(), EndsWith("kind=ndrange name=ndrange device=opencl:0"));
}

TEST_F(LayerTest, AMappingReturnsItsAddressAndItsError) {
  const auto map = [&](cl_int* error) {
    return layer_->clEnqueueMapBuffer(kQueue, kBuffer, CL_TRUE, 0, 0, 32, 0,
                                      nullptr, nullptr, error);
  };
  cl_int error = -1;
  EXPECT_EQ(map(&error), Handle<void*>(0x99));
  EXPECT_EQ(error, CL_SUCCESS);
  driver.Complete();
  EXPECT_THAT(Events().back(), HasSubstr("bytes=32"));
  driver.result = CL_MAP_FAILURE;
  EXPECT_EQ(map(&error), nullptr);
  EXPECT_EQ(error, CL_MAP_FAILURE);
  EXPECT_EQ(map(nullptr), nullptr);
  driver.result = CL_SUCCESS;
  EXPECT_EQ(map(nullptr), Handle<void*>(0x99));
  driver.Complete();
}

TEST_F(LayerTest, OtherCallsKeepTheirResult) {
  EXPECT_EQ(layer_->clFinish(kQueue), -99);
  EXPECT_THAT(Events(), ElementsAre("call_begin depth=0 domain=opencl "
                                    "name=clFinish",
                                    "call_end depth=0"));
  EXPECT_EQ(layer_->clFlush, nullptr) << "the driver has none";
}

TEST_F(LayerTest, DuringAPauseCommandsArePassedOn) {
  Pause();
  EXPECT_EQ(WriteBytes(64), CL_SUCCESS);
  EXPECT_EQ(driver.callback, nullptr);
  Resume();
  EXPECT_THAT(recording_.Processes(), IsEmpty());
}

TEST_F(LayerTest, AQueueGetsProfilingBesideItsOtherProperties) {
  const cl_queue_properties properties[] = {
      CL_QUEUE_SIZE, 7, CL_QUEUE_PROPERTIES,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  const auto make = [&](const cl_queue_properties* given) {
    return layer_->clCreateCommandQueueWithProperties(kContext, kDevice, given,
                                                      nullptr);
  };
  EXPECT_EQ(make(properties), kQueue);
  EXPECT_THAT(driver.properties,
              ElementsAre(CL_QUEUE_SIZE, 7, CL_QUEUE_PROPERTIES,
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                              CL_QUEUE_PROFILING_ENABLE));
  EXPECT_THAT(Events(), Contains("queue_name device=opencl:0 name=Fast, out "
                                 "of order"));
  EXPECT_EQ(make(nullptr), kQueue);
  EXPECT_THAT(driver.properties,
              ElementsAre(CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE));
  // A driver that has none still makes the queue of the program.
  driver.takes_profiling = false;
  EXPECT_EQ(make(nullptr), kQueue);
  EXPECT_THAT(driver.properties, IsEmpty());
  driver.takes_profiling = true;
  const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_ON_DEVICE, 0};
  EXPECT_EQ(make(on_device), kQueue);
  EXPECT_THAT(driver.properties,
              ElementsAre(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE))
      << "kernels fill it";
  std::vector<cl_queue_properties> many(100, 1);
  many.push_back(0);
  EXPECT_EQ(make(many.data()), kQueue);
  EXPECT_EQ(driver.properties.size(), 100u) << "as they are";
}

TEST(LayerInfoTest, HasAVersionAndAName) {
  char name[16] = {};
  size_t size = 0;
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, sizeof(name), name, &size),
            CL_SUCCESS);
  EXPECT_STREQ(name, "tfprof");
  EXPECT_EQ(size, 7u);
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, 6, name, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_API_VERSION, 0, nullptr, &size),
            CL_SUCCESS);
  EXPECT_EQ(size, sizeof(cl_layer_api_version));
  EXPECT_EQ(clGetLayerInfo(9999, sizeof(name), name, &size), CL_INVALID_VALUE);
}

TEST(LayerInfoTest, WithoutADriverThereIsNoLayer) {
  const cl_icd_dispatch target = {};
  const cl_icd_dispatch* layer = nullptr;
  cl_uint entries = 0;
  EXPECT_EQ(clInitLayer(1, nullptr, &entries, &layer), CL_INVALID_VALUE);
  EXPECT_EQ(clInitLayer(1, &target, nullptr, &layer), CL_INVALID_VALUE);
  EXPECT_EQ(clInitLayer(1, &target, &entries, nullptr), CL_INVALID_VALUE);
}

TEST(KeepTextTest, EqualTextsAreOneCopyAndLongOnesAreCut) {
  const std::string text = "a kernel";
  const std::string_view kept = KeepText(text);
  EXPECT_EQ(kept, text);
  EXPECT_NE(kept.data(), text.data());
  const std::string copy(text.begin(), text.end());
  EXPECT_EQ(KeepText(copy).data(), kept.data());
  EXPECT_EQ(KeepText("").size(), 0u);
  EXPECT_EQ(KeepText(std::string(kMaxText + 5, 'x')),
            std::string(kMaxText, 'x'));
}

TEST(DeviceNumberTest, DevicesAreCountedAsTheyAreMet) {
  const uint32_t first = DeviceNumber(Handle<cl_device_id>(0x1000));
  EXPECT_EQ(DeviceNumber(Handle<cl_device_id>(0x2000)), first + 1);
  EXPECT_EQ(DeviceNumber(Handle<cl_device_id>(0x1000)), first);
  EXPECT_EQ(DeviceName(7), "opencl:7");
  // Too many share a number.
  uint32_t last = 0;
  for (uintptr_t i = 0; i < 100; ++i) {
    last = DeviceNumber(Handle<cl_device_id>(0x3000 + i));
  }
  EXPECT_EQ(last, 64u);
  EXPECT_EQ(DeviceNumber(Handle<cl_device_id>(0x1000)), first);
}

// The last one: the store is full afterwards.
TEST(FullKeepTextTest, AFullStoreKeepsWhatItHas) {
  const std::string_view before = KeepText("kept before");
  int kept = 0;
  for (int i = 0; i < 10'000; ++i) {
    kept += !KeepText("text number " + std::to_string(i)).empty();
  }
  EXPECT_GT(kept, 1000);
  EXPECT_LT(kept, 4096);
  EXPECT_EQ(KeepText("one more").size(), 0u);
  EXPECT_EQ(KeepText("kept before").data(), before.data());
}

}  // namespace
}  // namespace tfprof::record::opencl
