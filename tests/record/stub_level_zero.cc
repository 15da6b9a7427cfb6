// A libze_loader.so.1 without a device: command lists, events, and a device
// whose clock runs at 12.5 MHz, is 7 s ahead of CLOCK_MONOTONIC, and wraps
// around after 2^36 ticks. Time stamps of kernels wrap around after 2^24 ticks.
//
// A kernel takes as many ticks as it has groups, a copy takes a tick for 64
// bytes. The commands of a list run one after the other.

#include "tests/record/stub_level_zero.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr uint64_t kHertz = 12'500'000;
constexpr uint64_t kNanosOfTick = 1'000'000'000 / kHertz;
constexpr uint64_t kAhead = 7'000'000'000;
constexpr uint64_t kDelayTicks = 250;
constexpr uint32_t kTimestampBits = 36;
constexpr uint32_t kKernelTimestampBits = 24;
constexpr uint32_t kTimestampFlag = 4;
constexpr uint32_t kNotReady = 1;
constexpr uint32_t kInvalid = 0x78000004;

uint64_t Ticks() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
          static_cast<uint64_t>(now.tv_nsec) + kAhead) /
         kNanosOfTick;
}

struct Pool {
  bool has_timestamps;
};
struct Event {
  Pool* pool;
  bool is_signaled = false;
  uint64_t start = 0, end = 0;
};
struct Command {
  uint64_t ticks;
  Event* event;
};
struct List {
  bool is_immediate;
  uint64_t end = 0;  // of its last command
  std::vector<Command> commands = {};
};

void RunOn(List& list, const Command& command) {
  const uint64_t start = std::max(Ticks(), list.end) + kDelayTicks;
  list.end = start + command.ticks;
  if (command.event == nullptr) return;
  *command.event = {command.event->pool, true, start, list.end};
}

uint32_t Append(void* list, uint64_t ticks, void* event) {
  List& to = *static_cast<List*>(list);
  const Command command = {ticks, static_cast<Event*>(event)};
  if (to.is_immediate) {
    RunOn(to, command);
  } else {
    to.commands.push_back(command);
  }
  return 0;
}

uint32_t WaitUntil(uint64_t ticks) {
  while (Ticks() < ticks) {
  }
  return 0;
}

// A queue is represented by the end time of its last command.
uint64_t& EndOf(void* queue) { return *static_cast<uint64_t*>(queue); }

}  // namespace

extern "C" {

uint32_t zeDeviceGetProperties(void*, void* properties) {
  auto* const bytes = static_cast<char*>(properties);
  uint32_t type;
  memcpy(&type, bytes, sizeof(type));
  // Older types of the structure have the resolution in nanoseconds.
  const uint64_t resolution = type == 0x00020006 ? kHertz : kNanosOfTick;
  memcpy(bytes + 80, &resolution, sizeof(resolution));
  memcpy(bytes + 88, &kTimestampBits, sizeof(kTimestampBits));
  memcpy(bytes + 92, &kKernelTimestampBits, sizeof(kKernelTimestampBits));
  return 0;
}

uint32_t zeDeviceGetGlobalTimestamps(void*, uint64_t* host, uint64_t* device) {
  *host = 0;
  *device = Ticks() & ((uint64_t{1} << kTimestampBits) - 1);
  return 0;
}

uint32_t zeEventPoolCreate(void*, const StubPoolDescription* description,
                           uint32_t, void**, void** pool) {
  *pool = new Pool{(description->flags & kTimestampFlag) != 0};
  return 0;
}

uint32_t zeEventCreate(void* pool, const void*, void** event) {
  *event = new Event{static_cast<Pool*>(pool)};
  return 0;
}

uint32_t zeEventDestroy(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}

uint32_t zeEventHostReset(void* event) {
  auto& reset = *static_cast<Event*>(event);
  reset = {reset.pool};
  return 0;
}

uint32_t zeEventQueryStatus(void* event) {
  const auto& asked = *static_cast<Event*>(event);
  return asked.is_signaled && Ticks() >= asked.end ? 0 : kNotReady;
}

uint32_t zeEventHostSynchronize(void* event, uint64_t) {
  return WaitUntil(static_cast<Event*>(event)->end);
}

uint32_t zeEventQueryKernelTimestamp(void* event, uint64_t* times) {
  const auto& asked = *static_cast<Event*>(event);
  if (!asked.pool->has_timestamps) return kInvalid;
  constexpr uint64_t kMask = (uint64_t{1} << kKernelTimestampBits) - 1;
  times[0] = asked.start & kMask;
  times[1] = asked.end & kMask;
  times[2] = 0;
  times[3] = asked.end - asked.start;
  return 0;
}

uint32_t zeKernelCreate(void*, const StubKernelDescription* description,
                        void** kernel) {
  *kernel = const_cast<char*>(description->name);
  return 0;
}

uint32_t zeCommandListCreate(void*, void*, const void*, void** list) {
  *list = new List{false};
  return 0;
}

uint32_t zeCommandListCreateImmediate(void*, void*, const void*, void** list) {
  *list = new List{true};
  return 0;
}

uint32_t zeCommandListReset(void* list) {
  static_cast<List*>(list)->commands.clear();
  return 0;
}

uint32_t zeCommandListDestroy(void* list) {
  delete static_cast<List*>(list);
  return 0;
}

uint32_t zeCommandListAppendLaunchKernel(void* list, void*,
                                         const uint32_t* groups, void* event,
                                         uint32_t, void**) {
  return Append(list, groups[0], event);
}

uint32_t zeCommandListAppendMemoryCopy(void* list, void*, const void*,
                                       size_t bytes, void* event, uint32_t,
                                       void**) {
  return Append(list, bytes / 64, event);
}

uint32_t zeCommandListAppendMemoryFill(void* list, void*, const void*, size_t,
                                       size_t bytes, void* event, uint32_t,
                                       void**) {
  return Append(list, bytes / 64, event);
}

uint32_t zeCommandListHostSynchronize(void* list, uint64_t) {
  return WaitUntil(static_cast<List*>(list)->end);
}

uint32_t zeCommandQueueCreate(void*, void*, const void*, void** queue) {
  *queue = new uint64_t{0};
  return 0;
}

uint32_t zeCommandQueueExecuteCommandLists(void* queue, uint32_t num_lists,
                                           void** lists, void*) {
  for (uint32_t i = 0; i < num_lists; ++i) {
    List& list = *static_cast<List*>(lists[i]);
    list.end = std::max(list.end, EndOf(queue));
    for (const Command& command : list.commands) RunOn(list, command);
    EndOf(queue) = list.end;
  }
  return 0;
}

uint32_t zeCommandQueueSynchronize(void* queue, uint64_t) {
  return WaitUntil(EndOf(queue));
}
}
