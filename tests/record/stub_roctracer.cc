// A libroctracer64.so without a GPU. It delivers records of the work of
// stub_device.h, with a clock that is 9 s ahead of CLOCK_MONOTONIC.
//
// STUB_OLD: a version that has only the old form of each function, needs
// roctracer_load(), and does not name kernels.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <vector>

#include "tests/record/stub_device.h"

namespace {

constexpr uint64_t kAhead = 9'000'000'000;
constexpr uint64_t kDelay = 20'000;

struct Record {
  uint32_t domain, kind, operation;
  uint64_t correlation, begin, end;
  uint64_t device_or_process_and_thread;
  uint64_t queue;
  uint64_t bytes_or_name;
};
static_assert(sizeof(Record) == 64);

struct Properties {
  uint32_t mode;
  size_t buffer_size;
  void (*allocate)(char**, size_t, void*);
  void* allocate_argument;
  void (*completed)(const char*, const char*, void*);
  void* completed_argument;
};

std::mutex mutex;
Properties pool;
bool has_pool, has_work, has_calls;
#ifdef STUB_OLD
bool is_loaded = false;
#else
bool is_loaded = true;
#endif
uint64_t next_correlation = 1;
std::vector<Record> pending;

uint64_t Clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec) + kAhead;
}

void Add(uint32_t function, uint32_t operation, uint32_t device, uint32_t queue,
         uint64_t nanos, uint64_t bytes_or_name) {
  std::lock_guard lock(mutex);
  const uint64_t id = next_correlation++;
  Record call = {3, 0, function, id, Clock(), 0, 0, 0, 0};
  call.end = call.begin + 3'000;
  call.device_or_process_and_thread = static_cast<uint64_t>(getpid()) |
                                      static_cast<uint64_t>(syscall(SYS_gettid))
                                          << 32;
  while (Clock() < call.end) {
  }
  const Record work = {2,
                       7,
                       operation,
                       id,
                       call.end + kDelay,
                       call.end + kDelay + nanos,
                       device,
                       queue,
                       bytes_or_name};
  if (has_work) pending.push_back(work);
  if (has_calls) pending.push_back(call);
}

int OpenPool(const Properties* properties) {
  if (has_pool || !is_loaded) return 1;
  pool = *properties;
  has_pool = true;
  return 0;
}

int Enable(uint32_t domain) {
  has_work |= domain == 2;
  has_calls |= domain == 3;
  return 0;
}

int Flush() {
  std::lock_guard lock(mutex);
  if (has_pool && !pending.empty()) {
    pool.completed(
        reinterpret_cast<const char*>(pending.data()),
        reinterpret_cast<const char*>(pending.data() + pending.size()),
        pool.completed_argument);
  }
  pending.clear();
  return 0;
}

}  // namespace

extern "C" {

void StubLaunch(const char* kernel, uint32_t device, uint32_t queue,
                uint64_t nanos) {
#ifdef STUB_OLD
  kernel = nullptr;
#endif
  Add(1, 0, device, queue, nanos, reinterpret_cast<uint64_t>(kernel));
}

void StubCopy(size_t bytes, uint32_t device, uint32_t queue, uint64_t nanos) {
  Add(2, 1, device, queue, nanos, bytes);
}

int roctracer_get_timestamp(uint64_t* time) {
  *time = Clock();
  return 0;
}

const char* roctracer_op_string(uint32_t domain, uint32_t operation, uint32_t) {
  if (domain == 3) {
    return operation == 1 ? "hipLaunchKernel" : "hipMemcpyAsync";
  }
  return operation == 0 ? "KernelExecution" : "CopyHostToDevice";
}

#ifdef STUB_OLD
uint32_t roctracer_version_major() { return 1; }
bool roctracer_load(void*, uint64_t, uint64_t, const char* const*) {
  is_loaded = true;
  return true;
}
int roctracer_open_pool(const Properties* properties, void**) {
  return OpenPool(properties);
}
int roctracer_enable_domain_activity(uint32_t domain, void*) {
  return Enable(domain);
}
int roctracer_flush_activity(void*) { return Flush(); }
#else
uint32_t roctracer_version_major() { return 4; }
int roctracer_open_pool_expl(const Properties* properties, void**) {
  return OpenPool(properties);
}
int roctracer_enable_domain_activity_expl(uint32_t domain, void*) {
  return Enable(domain);
}
int roctracer_flush_activity_expl(void*) { return Flush(); }
#endif
}
