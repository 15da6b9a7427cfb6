// A libcupti.so without a GPU: the functions of the Activity API, which deliver
// records of the work of stub_device.h. The layouts are as in CUDA 12.9.
//
// STUB_NO_TIMESTAMP: a version before CUDA 11.6, without
//   cuptiActivityRegisterTimestampCallback. Its clock is 5 s ahead of
//   CLOCK_MONOTONIC.
// STUB_OTHER_LAYOUT: a future version, whose kernel records have other fields.
// The environment variable STUB_TESTED_VERSION: the version that was tested on
// hardware.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/record/stub_device.h"

namespace {

constexpr uint64_t kAhead = 5'000'000'000;
constexpr uint64_t kDelay = 20'000;

#pragma pack(push, 8)
struct CallRecord {
  uint32_t kind;
  uint32_t callback;
  uint64_t start, end;
  uint32_t process, thread;
  uint32_t correlation;
  uint32_t result;
};
struct KernelRecord {
  uint32_t kind;
  uint8_t cache[2];
  uint16_t registers;
  uint32_t partitioned[2];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t shared[2];
  uint32_t local[2];
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
  uint8_t more[96];
};
struct CopyRecord {
  uint32_t kind;
  uint8_t copy_kind, source, destination, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint8_t more[32];
};
#pragma pack(pop)
static_assert(sizeof(CallRecord) == 40);
static_assert(offsetof(KernelRecord, correlation) == 92);
static_assert(offsetof(KernelRecord, name) == 104);
static_assert(offsetof(CopyRecord, correlation) == 44);

using Requested = void (*)(uint8_t**, size_t*, size_t*);
using Completed = void (*)(void*, uint32_t, uint8_t*, size_t, size_t);

std::mutex mutex;
Requested requested;
Completed completed;
uint64_t (*registered_clock)();
bool has_system_threads;
uint64_t enabled;  // a bit for each kind
uint32_t next_correlation = 1;
std::vector<uint8_t> pending;

uint64_t Clock() {
  if (registered_clock != nullptr) return registered_clock();
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec) + kAhead;
}

template <typename Record>
void Add(const Record& record) {
  if ((enabled >> record.kind & 1) == 0) return;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&record);
  pending.insert(pending.end(), bytes, bytes + sizeof(record));
}

size_t SizeOf(const uint8_t* record) {
  uint32_t kind;
  memcpy(&kind, record, sizeof(kind));
  return kind == 5    ? sizeof(CallRecord)
         : kind == 10 ? sizeof(KernelRecord)
                      : sizeof(CopyRecord);
}

// Makes the record of a call, whose work begins after it.
CallRecord Call(uint32_t callback) {
  CallRecord call = {};
  call.kind = 5;
  call.callback = callback;
  call.start = Clock();
  call.end = call.start + 3'000;
  call.process = static_cast<uint32_t>(getpid());
  call.thread =
      has_system_threads ? static_cast<uint32_t>(syscall(SYS_gettid)) : 77;
  call.correlation = next_correlation++;
  while (Clock() < call.end) {
  }
  return call;
}

}  // namespace

extern "C" {

void StubLaunch(const char* name, uint32_t device, uint32_t queue,
                uint64_t nanos) {
  std::lock_guard lock(mutex);
  const CallRecord call = Call(211);
  KernelRecord kernel = {};
  kernel.kind = 10;
  kernel.start = call.end + kDelay;
  kernel.end = kernel.start + nanos;
#ifdef STUB_OTHER_LAYOUT
  kernel.end = kernel.start - nanos;
#endif
  kernel.device = device;
  kernel.context = 1;
  kernel.stream = queue;
  kernel.grid[0] = 16;
  kernel.block[0] = 256;
  kernel.correlation = call.correlation;
  kernel.name = name;
  // Work is delivered before the call that launched it, which CUPTI may do.
  Add(kernel);
  Add(call);
}

void StubCopy(size_t bytes, uint32_t device, uint32_t queue, uint64_t nanos) {
  std::lock_guard lock(mutex);
  const CallRecord call = Call(41);
  CopyRecord copy = {};
  copy.kind = 1;
  copy.copy_kind = 1;
  copy.bytes = bytes;
  copy.start = call.end + kDelay;
  copy.end = copy.start + nanos;
  copy.device = device;
  copy.context = 1;
  copy.stream = queue;
  copy.correlation = call.correlation;
  Add(call);
  Add(copy);
}

int cuptiGetVersion(uint32_t* version) {
  *version = getenv("STUB_TESTED_VERSION") != nullptr ? 130'001 : 28;
  return 0;
}

int cuptiGetTimestamp(uint64_t* time) {
  *time = Clock();
  return 0;
}

#ifndef STUB_NO_TIMESTAMP
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)()) {
  registered_clock = clock;
  return 0;
}
#endif

int cuptiSetThreadIdType(uint32_t type) {
  has_system_threads = type == 1;
  return 0;
}

int cuptiActivityRegisterCallbacks(Requested request, Completed complete) {
  requested = request;
  completed = complete;
  return 0;
}

int cuptiActivityEnable(uint32_t kind) {
  enabled |= uint64_t{1} << kind;
  return 0;
}

int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  *dropped = 0;
  return 0;
}

int cuptiGetCallbackName(uint32_t domain, uint32_t callback,
                         const char** name) {
  if (domain != 2) return 1;
  *name = callback == 211 ? "cudaLaunchKernel_v7000" : "cudaMemcpyAsync_v3020";
  return 0;
}

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_size,
                               uint8_t** record) {
  uint8_t* const next = *record == nullptr ? buffer : *record + SizeOf(*record);
  if (next >= buffer + valid_size) return 12;
  *record = next;
  return 0;
}

int cuptiActivityFlushPeriod(uint32_t) { return 0; }

int cuptiActivityFlushAll(uint32_t) {
  std::lock_guard lock(mutex);
  size_t at = 0;
  while (at < pending.size()) {
    uint8_t* buffer = nullptr;
    size_t size = 0, max_records = 0;
    requested(&buffer, &size, &max_records);
    if (buffer == nullptr) return 1;
    // Several buffers are used, although one would be enough.
    size_t end = at;
    for (int i = 0; i < 3 && end < pending.size(); ++i) {
      end += SizeOf(&pending[end]);
    }
    memcpy(buffer, &pending[at], end - at);
    completed(nullptr, 0, buffer, size, end - at);
    at = end;
  }
  pending.clear();
  return 0;
}
}
