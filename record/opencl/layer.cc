// The OpenCL layer: the loader of OpenCL (ocl-icd, Khronos) puts it between a
// program and the drivers, because OPENCL_LAYERS names the library. This also
// works if the program loads OpenCL late.
//
// Queues are created with profiling, and each command gets an event of ours if
// the program wants none. When a command completes, its times are recorded with
// the thread, the call and the queue that launched it. Otherwise every call
// goes to the driver with the same arguments, and its result is returned
// unchanged.

#include <CL/cl.h>
#include <CL/cl_layer.h>

#include <cstring>
#include <type_traits>

#include "record/export.h"
#include "record/opencl/commands.h"
#include "record/sink.h"
#include "record/text_buffer.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): a name of the C++ ABI.
extern "C" __attribute__((weak)) int __cxa_atexit(void (*)(void*), void*,
                                                  void*) noexcept;

namespace tfprof::record::opencl {
namespace {

using Dispatch = cl_icd_dispatch;

constexpr char kDomain[] = "opencl";
constexpr char kLayerName[] = "tfprof";
// The maximum number of properties that a program may pass for a new queue.
constexpr uint32_t kMaxProperties = 32;

cl_icd_dispatch g_target;
cl_icd_dispatch g_layer;

// ---- Calls

class Recorded {
 public:
  Recorded(const char* name, uint64_t correlation) {
    CallBegin(kDomain, name, correlation);
  }
  ~Recorded() { CallEnd(); }
};

// A call that enqueues nothing.
template <auto kMember, const Api& kApi, typename F>
struct Timed;
template <auto kMember, const Api& kApi, typename R, typename... A>
struct Timed<kMember, kApi, R(CL_API_CALL*)(A...)> {
  static R CL_API_CALL Call(A... arguments) {
    const Recorded recorded(kApi.name, 0);
    return (g_target.*kMember)(arguments...);
  }
};

// ---- Commands

std::string_view KernelName(cl_kernel kernel) {
  char name[kMaxText + 1];
  size_t size = 0;
  if (g_target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name),
                               name, &size) != CL_SUCCESS ||
      size == 0) {
    return {};
  }
  return KeepText({name, size - 1});
}

uint64_t Product(const size_t* region) {
  return region == nullptr ? 0 : uint64_t{region[0]} * region[1] * region[2];
}
uint64_t ImageBytes(cl_mem image, const size_t* region) {
  size_t element = 0;
  if (g_target.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(element),
                              &element, nullptr) != CL_SUCCESS) {
    return 0;
  }
  return Product(region) * element;
}

// Begins to record a command of `queue`. Null: the call is passed on
// unrecorded.
Command* Begin(const Api& api, cl_command_queue queue) {
  if (!IsRecording()) return nullptr;
  cl_device_id device = nullptr;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the size of the handle.
  if (g_target.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device),
                                     &device, nullptr) != CL_SUCCESS) {
    return nullptr;
  }
  Command* const command = BeginCommand();
  if (command == nullptr) return nullptr;
  command->api = &api;
  command->device = DeviceNumber(device);
  command->queue = reinterpret_cast<uint64_t>(queue);
  cl_context context = nullptr;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the size of the handle.
  g_target.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context),
                                 &context, nullptr);
  command->context = reinterpret_cast<uint64_t>(context);
  command->correlation = NewId();
  command->thread = ThreadId();
  return command;
}

// The driver has accepted the command. The program holds a reference to the
// event if `is_shared`, and otherwise does not know it.
void Enqueued(Command* command, cl_event event, bool is_shared) {
  if (is_shared) g_target.clRetainEvent(event);
  __atomic_store_n(&command->event, event, __ATOMIC_RELEASE);
  AwaitCommand(command);
}

// The event that the driver fills: the program's, or ours.
template <typename T>
T WithEvent(T argument, cl_event*) {
  return argument;
}
template <>
cl_event* WithEvent(cl_event* argument, cl_event* own) {
  return argument != nullptr ? argument : own;
}
// The program's event, which is the last argument.
inline cl_event* LastEvent(cl_event* event) { return event; }
template <typename T, typename... A>
cl_event* LastEvent(T, A... rest) {
  return LastEvent(rest...);
}

// `kDescribe` finds the name and the bytes in the arguments.
template <auto kMember, const Api& kApi, auto kDescribe, typename F>
struct Enqueue;
template <auto kMember, const Api& kApi, auto kDescribe, typename... A>
struct Enqueue<kMember, kApi, kDescribe,
               cl_int(CL_API_CALL*)(cl_command_queue, A...)> {
  static cl_int CL_API_CALL Call(cl_command_queue queue, A... arguments) {
    Command* const command = Begin(kApi, queue);
    if (command == nullptr) return (g_target.*kMember)(queue, arguments...);
    kDescribe(*command, arguments...);
    cl_event own = nullptr;
    cl_int result = CL_SUCCESS;
    {
      const Recorded recorded(kApi.name, command->correlation);
      command->entry = Now();
      result = (g_target.*kMember)(queue, WithEvent(arguments, &own)...);
      command->exit = Now();
    }
    if (result != CL_SUCCESS) {
      EndCommand(command);
      return result;
    }
    cl_event* const shared = LastEvent(arguments...);
    Enqueued(command, shared != nullptr ? *shared : own, shared != nullptr);
    return result;
  }
};

// Mapping functions return an address, and their error through an argument.
template <auto kMember, const Api& kApi, auto kDescribe, typename... A>
void* Map(cl_command_queue queue, cl_event* event, cl_int* error,
          A... arguments) {
  Command* const command = Begin(kApi, queue);
  if (command == nullptr) {
    return (g_target.*kMember)(queue, arguments..., event, error);
  }
  kDescribe(*command, arguments...);
  cl_event own = nullptr;
  cl_int result = CL_SUCCESS;
  void* mapped = nullptr;
  {
    const Recorded recorded(kApi.name, command->correlation);
    command->entry = Now();
    mapped = (g_target.*kMember)(queue, arguments...,
                                 event != nullptr ? event : &own, &result);
    command->exit = Now();
  }
  if (error != nullptr) *error = result;
  if (result != CL_SUCCESS) {
    EndCommand(command);
  } else {
    Enqueued(command, event != nullptr ? *event : own, event != nullptr);
  }
  return mapped;
}

constexpr Api kMapBuffer = {"clEnqueueMapBuffer", "map", TFPROF_WORK_COPY};
constexpr Api kMapImage = {"clEnqueueMapImage", "map", TFPROF_WORK_COPY};

void* CL_API_CALL MapBuffer(cl_command_queue queue, cl_mem buffer,
                            cl_bool blocking, cl_map_flags flags, size_t offset,
                            size_t size, cl_uint num_events,
                            const cl_event* events, cl_event* event,
                            cl_int* error) {
  constexpr auto kDescribe = [](Command& command, cl_mem, cl_bool, cl_map_flags,
                                size_t, size_t bytes,
                                auto...) { command.bytes = bytes; };
  return Map<&Dispatch::clEnqueueMapBuffer, kMapBuffer, kDescribe>(
      queue, event, error, buffer, blocking, flags, offset, size, num_events,
      events);
}

void* CL_API_CALL MapImage(cl_command_queue queue, cl_mem image,
                           cl_bool blocking, cl_map_flags flags,
                           const size_t* origin, const size_t* region,
                           size_t* row_pitch, size_t* slice_pitch,
                           cl_uint num_events, const cl_event* events,
                           cl_event* event, cl_int* error) {
  constexpr auto kDescribe = [](Command& command, cl_mem image, cl_bool,
                                cl_map_flags, const size_t*,
                                const size_t* region, auto...) {
    command.bytes = ImageBytes(image, region);
  };
  return Map<&Dispatch::clEnqueueMapImage, kMapImage, kDescribe>(
      queue, event, error, image, blocking, flags, origin, region, row_pitch,
      slice_pitch, num_events, events);
}

// ---- Queues

void AtExit(void*) { TellUnfinished(); }

// Names a new queue and its device in the trace.
void Created(cl_command_queue queue, cl_device_id device, bool out_of_order) {
  // Exit handlers run in reverse order, so this one, registered after the
  // driver's, runs before them.
  static uint32_t is_registered;
  if (__atomic_exchange_n(&is_registered, 1, __ATOMIC_RELAXED) == 0 &&
      __cxa_atexit != nullptr) {
    __cxa_atexit(AtExit, nullptr, nullptr);
  }
  if (!IsRecording()) return;
  const std::string_view name = DeviceName(DeviceNumber(device));
  char driver_name[kMaxText + 1];
  size_t size = 0;
  if (g_target.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(driver_name),
                               driver_name, &size) != CL_SUCCESS ||
      size == 0) {
    size = 1;
  }
  TextBuffer<kMaxText> text;
  text << std::string_view(driver_name, size - 1)
       << (out_of_order ? ", out of order" : ", in order");
  NameQueue(name, reinterpret_cast<uint64_t>(queue), text.view());
  if (g_target.clGetDeviceAndHostTimer != nullptr) {
    cl_ulong device_time = 0, host_time = 0;
    const uint64_t before = Now();
    if (g_target.clGetDeviceAndHostTimer(device, &device_time, &host_time) ==
            CL_SUCCESS &&
        device_time != 0) {
      ClockPair(name, before, device_time, Now());
    }
  }
}

cl_command_queue CL_API_CALL CreateQueue(cl_context context,
                                         cl_device_id device,
                                         cl_command_queue_properties properties,
                                         cl_int* error) {
  cl_command_queue queue = nullptr;
  if (IsRecorded()) {
    queue = g_target.clCreateCommandQueue(
        context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
  }
  if (queue == nullptr) {
    queue = g_target.clCreateCommandQueue(context, device, properties, error);
  }
  if (queue != nullptr) {
    Created(queue, device,
            (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0);
  }
  return queue;
}

cl_command_queue CL_API_CALL CreateQueueWithProperties(
    cl_context context, cl_device_id device,
    const cl_queue_properties* properties, cl_int* error) {
  cl_queue_properties changed[kMaxProperties + 3];
  cl_queue_properties flags = 0;
  uint32_t n = 0;
  bool fits = true;
  for (const cl_queue_properties* p = properties; p != nullptr && *p != 0;
       p += 2) {
    if (*p == CL_QUEUE_PROPERTIES) {
      flags = p[1];
    } else if (n + 2 <= kMaxProperties) {
      changed[n++] = p[0];
      changed[n++] = p[1];
    } else {
      fits = false;
    }
  }
  changed[n++] = CL_QUEUE_PROPERTIES;
  changed[n++] = flags | CL_QUEUE_PROFILING_ENABLE;
  changed[n] = 0;
  cl_command_queue queue = nullptr;
  // Queues on the device itself are left as they are: kernels fill them.
  if (IsRecorded() && fits && (flags & CL_QUEUE_ON_DEVICE) == 0) {
    queue = g_target.clCreateCommandQueueWithProperties(context, device,
                                                        changed, error);
  }
  if (queue == nullptr) {
    queue = g_target.clCreateCommandQueueWithProperties(context, device,
                                                        properties, error);
  }
  if (queue != nullptr) {
    Created(queue, device,
            (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0);
  }
  return queue;
}

// ---- The table

template <auto kMember>
using TypeOf = std::remove_reference_t<decltype(g_target.*kMember)>;

// Functions that the layer below lacks stay missing here.
template <auto kMember, typename F>
void Replace(F function) {
  if (g_target.*kMember != nullptr) g_layer.*kMember = function;
}

#define TFPROF_ENQUEUE(FUNCTION, KIND, WORK, ...)                              \
  do {                                                                         \
    static constexpr Api kApi = {#FUNCTION, KIND, WORK};                       \
    constexpr auto kDescribe = __VA_ARGS__;                                    \
    Replace<&Dispatch::FUNCTION>(Enqueue<&Dispatch::FUNCTION, kApi, kDescribe, \
                                         TypeOf<&Dispatch::FUNCTION>>::Call);  \
  } while (0)

#define TFPROF_TIMED(FUNCTION)                                                \
  do {                                                                        \
    static constexpr Api kApi = {#FUNCTION, "", TFPROF_WORK_OTHER};           \
    Replace<&Dispatch::FUNCTION>(                                             \
        Timed<&Dispatch::FUNCTION, kApi, TypeOf<&Dispatch::FUNCTION>>::Call); \
  } while (0)

void ReplaceCommands() {
  constexpr auto kNothing = [](Command&, auto...) {};
  TFPROF_ENQUEUE(clEnqueueNDRangeKernel, "ndrange", TFPROF_WORK_KERNEL,
                 [](Command& c, cl_kernel kernel, auto...) {
                   c.name = KernelName(kernel);
                 });
  TFPROF_ENQUEUE(clEnqueueTask, "ndrange", TFPROF_WORK_KERNEL,
                 [](Command& c, cl_kernel kernel, auto...) {
                   c.name = KernelName(kernel);
                 });
  TFPROF_ENQUEUE(clEnqueueNativeKernel, "native", TFPROF_WORK_KERNEL, kNothing);
  constexpr auto kTransfer = [](Command& c, cl_mem, cl_bool, size_t,
                                size_t bytes, auto...) { c.bytes = bytes; };
  TFPROF_ENQUEUE(clEnqueueReadBuffer, "read", TFPROF_WORK_COPY, kTransfer);
  TFPROF_ENQUEUE(clEnqueueWriteBuffer, "write", TFPROF_WORK_COPY, kTransfer);
  constexpr auto kRect = [](Command& c, cl_mem, cl_bool, const size_t*,
                            const size_t*, const size_t* region,
                            auto...) { c.bytes = Product(region); };
  TFPROF_ENQUEUE(clEnqueueReadBufferRect, "read", TFPROF_WORK_COPY, kRect);
  TFPROF_ENQUEUE(clEnqueueWriteBufferRect, "write", TFPROF_WORK_COPY, kRect);
  TFPROF_ENQUEUE(clEnqueueCopyBuffer, "copy", TFPROF_WORK_COPY,
                 [](Command& c, cl_mem, cl_mem, size_t, size_t, size_t bytes,
                    auto...) { c.bytes = bytes; });
  TFPROF_ENQUEUE(
      clEnqueueCopyBufferRect, "copy", TFPROF_WORK_COPY,
      [](Command& c, cl_mem, cl_mem, const size_t*, const size_t*,
         const size_t* region, auto...) { c.bytes = Product(region); });
  constexpr auto kImage = [](Command& c, cl_mem image, cl_bool, const size_t*,
                             const size_t* region,
                             auto...) { c.bytes = ImageBytes(image, region); };
  TFPROF_ENQUEUE(clEnqueueReadImage, "read", TFPROF_WORK_COPY, kImage);
  TFPROF_ENQUEUE(clEnqueueWriteImage, "write", TFPROF_WORK_COPY, kImage);
  TFPROF_ENQUEUE(clEnqueueCopyImage, "copy", TFPROF_WORK_COPY,
                 [](Command& c, cl_mem image, cl_mem, const size_t*,
                    const size_t*, const size_t* region,
                    auto...) { c.bytes = ImageBytes(image, region); });
  TFPROF_ENQUEUE(
      clEnqueueCopyImageToBuffer, "copy", TFPROF_WORK_COPY,
      [](Command& c, cl_mem image, cl_mem, const size_t*, const size_t* region,
         auto...) { c.bytes = ImageBytes(image, region); });
  TFPROF_ENQUEUE(clEnqueueCopyBufferToImage, "copy", TFPROF_WORK_COPY,
                 [](Command& c, cl_mem, cl_mem image, size_t, const size_t*,
                    const size_t* region,
                    auto...) { c.bytes = ImageBytes(image, region); });
  TFPROF_ENQUEUE(clEnqueueFillBuffer, "fill", TFPROF_WORK_FILL,
                 [](Command& c, cl_mem, const void*, size_t, size_t,
                    size_t bytes, auto...) { c.bytes = bytes; });
  TFPROF_ENQUEUE(clEnqueueFillImage, "fill", TFPROF_WORK_FILL,
                 [](Command& c, cl_mem image, const void*, const size_t*,
                    const size_t* region,
                    auto...) { c.bytes = ImageBytes(image, region); });
  TFPROF_ENQUEUE(clEnqueueUnmapMemObject, "unmap", TFPROF_WORK_COPY, kNothing);
  TFPROF_ENQUEUE(clEnqueueMigrateMemObjects, "migrate", TFPROF_WORK_COPY,
                 kNothing);
  TFPROF_ENQUEUE(clEnqueueSVMMemcpy, "copy", TFPROF_WORK_COPY,
                 [](Command& c, cl_bool, void*, const void*, size_t bytes,
                    auto...) { c.bytes = bytes; });
  TFPROF_ENQUEUE(clEnqueueSVMMemFill, "fill", TFPROF_WORK_FILL,
                 [](Command& c, void*, const void*, size_t, size_t bytes,
                    auto...) { c.bytes = bytes; });
  TFPROF_ENQUEUE(clEnqueueSVMMap, "map", TFPROF_WORK_COPY,
                 [](Command& c, cl_bool, cl_map_flags, void*, size_t bytes,
                    auto...) { c.bytes = bytes; });
  TFPROF_ENQUEUE(clEnqueueSVMUnmap, "unmap", TFPROF_WORK_COPY, kNothing);
  TFPROF_ENQUEUE(clEnqueueSVMFree, "free", TFPROF_WORK_OTHER, kNothing);
  TFPROF_ENQUEUE(clEnqueueSVMMigrateMem, "migrate", TFPROF_WORK_COPY, kNothing);
  TFPROF_ENQUEUE(clEnqueueMarkerWithWaitList, "marker", TFPROF_WORK_OTHER,
                 kNothing);
  TFPROF_ENQUEUE(clEnqueueBarrierWithWaitList, "barrier", TFPROF_WORK_OTHER,
                 kNothing);
  TFPROF_ENQUEUE(clEnqueueMarker, "marker", TFPROF_WORK_OTHER, kNothing);
  Replace<&Dispatch::clEnqueueMapBuffer>(MapBuffer);
  Replace<&Dispatch::clEnqueueMapImage>(MapImage);
  Replace<&Dispatch::clCreateCommandQueue>(CreateQueue);
  Replace<&Dispatch::clCreateCommandQueueWithProperties>(
      CreateQueueWithProperties);
}

// Replaces the calls in which a thread may wait.
void ReplaceCalls() {
  TFPROF_TIMED(clFinish);
  TFPROF_TIMED(clFlush);
  TFPROF_TIMED(clWaitForEvents);
  TFPROF_TIMED(clBuildProgram);
  TFPROF_TIMED(clCompileProgram);
  TFPROF_TIMED(clLinkProgram);
  TFPROF_TIMED(clEnqueueBarrier);
  TFPROF_TIMED(clEnqueueWaitForEvents);
  TFPROF_TIMED(clReleaseCommandQueue);
  TFPROF_TIMED(clReleaseContext);
}

}  // namespace

const cl_icd_dispatch& Target() { return g_target; }

}  // namespace tfprof::record::opencl

extern "C" TFPROF_EXPORT cl_int CL_API_CALL clGetLayerInfo(
    cl_layer_info name, size_t size, void* value, size_t* size_returned) {
  using tfprof::record::opencl::kLayerName;
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  const void* from = nullptr;
  size_t bytes = 0;
  switch (name) {
    case CL_LAYER_API_VERSION:
      from = &kVersion;
      bytes = sizeof(kVersion);
      break;
    case CL_LAYER_NAME:
      from = kLayerName;
      bytes = sizeof(kLayerName);
      break;
    default:
      return CL_INVALID_VALUE;
  }
  if (value != nullptr) {
    if (size < bytes) return CL_INVALID_VALUE;
    memcpy(value, from, bytes);
  }
  if (size_returned != nullptr) *size_returned = bytes;
  return CL_SUCCESS;
}

extern "C" TFPROF_EXPORT cl_int CL_API_CALL
clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target,
            cl_uint* num_returned, const cl_icd_dispatch** layer) {
  using namespace tfprof::record::opencl;
  if (target == nullptr || num_returned == nullptr || layer == nullptr) {
    return CL_INVALID_VALUE;
  }
  constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  const size_t bytes =
      sizeof(void*) * (num_entries < kEntries ? num_entries : kEntries);
  memcpy(&g_target, target, bytes);
  memcpy(&g_layer, target, bytes);
  if (tfprof::record::IsRecorded()) {
    ReplaceCommands();
    ReplaceCalls();
  }
  *num_returned = kEntries;
  *layer = &g_layer;
  return CL_SUCCESS;
}
