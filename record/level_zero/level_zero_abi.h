// The binary interface of oneAPI Level Zero, 1.2 and later: handles are
// pointers, and structures begin with their type, followed by these fields.

#ifndef TFPROF_RECORD_LEVEL_ZERO_LEVEL_ZERO_ABI_H_
#define TFPROF_RECORD_LEVEL_ZERO_LEVEL_ZERO_ABI_H_

#include <cstddef>
#include <cstdint>

// Part of the name of the library file, libze_loader.so.1.
#define TFPROF_LEVEL_ZERO "ze_loader"

namespace tfprof::record::level_zero {

using Handle = void*;
using Result = uint32_t;
inline constexpr Result kSuccess = 0;

inline constexpr uint32_t kEventPoolType = 0x10;
inline constexpr uint32_t kEventType = 0x11;
// This version of the structure gives the timer resolution as a frequency.
inline constexpr uint32_t kDeviceType = 0x00020006;

inline constexpr uint32_t kHostVisible = 1;
inline constexpr uint32_t kKernelTimestamp = 4;

struct EventPoolDescription {
  uint32_t type = kEventPoolType;
  const void* next = nullptr;
  uint32_t flags = 0;
  uint32_t count = 0;
};

struct EventDescription {
  uint32_t type = kEventType;
  const void* next = nullptr;
  uint32_t index = 0;
  uint32_t signal = 0;
  uint32_t wait = 0;
};

struct KernelDescription {
  uint32_t type;
  const void* next;
  uint32_t flags;
  const char* name;
};

struct DeviceProperties {
  uint32_t type = kDeviceType;
  void* next = nullptr;
  uint32_t before[6] = {};
  uint64_t max_memory = 0;
  uint32_t between[7] = {};
  uint64_t timer_hertz = 0;
  uint32_t timestamp_bits = 0;
  uint32_t kernel_timestamp_bits = 0;
  uint8_t uuid[16] = {};
  char name[256] = {};
  // Space for fields of later versions.
  uint8_t more[256] = {};
};
static_assert(offsetof(DeviceProperties, max_memory) == 40);
static_assert(offsetof(DeviceProperties, timer_hertz) == 80);
static_assert(offsetof(DeviceProperties, name) == 112);

// Ticks of the device. The `context` ticks count only while the context runs.
struct KernelTimestamp {
  uint64_t global_start, global_end;
  uint64_t context_start, context_end;
};

using GetDeviceProperties = Result (*)(Handle device, DeviceProperties*);
using GetGlobalTimestamps = Result (*)(Handle device, uint64_t* host,
                                       uint64_t* device_ticks);
using EventPoolCreate = Result (*)(Handle context, const EventPoolDescription*,
                                   uint32_t, Handle* devices, Handle* pool);
using EventCreate = Result (*)(Handle pool, const EventDescription*,
                               Handle* event);
using OfEvent = Result (*)(Handle event);
using QueryKernelTimestamp = Result (*)(Handle event, KernelTimestamp*);

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_LEVEL_ZERO_ABI_H_
