// The binary interface of roctracer: its records and functions. The record is
// the same since ROCm 3; kernels have their name in it since version 4.1.

#ifndef TFPROF_RECORD_ROCM_ROCTRACER_ABI_H_
#define TFPROF_RECORD_ROCM_ROCTRACER_ABI_H_

#include <cstddef>
#include <cstdint>

namespace tfprof::record::roctracer {

using Status = int;
inline constexpr Status kSuccess = 0;

enum Domain : uint32_t { kHipOps = 2, kHipApi = 3 };
// Operations of records of kHipOps.
enum Operation : uint32_t { kDispatch = 0, kCopy = 1, kBarrier = 2 };

inline constexpr uint32_t kVersionWithNames = 4;

struct Record {
  uint32_t domain;
  uint32_t kind;
  uint32_t operation;  // for kHipApi, the number of the function
  uint64_t correlation;
  uint64_t begin, end;
  union {
    struct {
      int32_t device;
      uint64_t queue;
    } work;
    struct {
      uint32_t process;
      uint32_t thread;
    } call;
  };
  union {
    size_t bytes;
    const char* kernel_name;
  };
};
static_assert(sizeof(Record) == 64);
static_assert(offsetof(Record, correlation) == 16);
static_assert(offsetof(Record, bytes) == 56);

struct Properties {
  uint32_t mode = 0;
  size_t buffer_size = 0;
  // Null selects roctracer's own allocator.
  void (*allocate)(char** bytes, size_t size, void* argument) = nullptr;
  void* allocate_argument = nullptr;
  void (*completed)(const char* begin, const char* end,
                    void* argument) = nullptr;
  void* completed_argument = nullptr;
};

// If a version has a function twice, the name of the current one ends in _expl.
using OpenPool = Status (*)(const Properties* properties, void** pool);
using EnableActivity = Status (*)(uint32_t domain, void* pool);
using FlushActivity = Status (*)(void* pool);
using OperationName = const char* (*)(uint32_t domain, uint32_t operation,
                                      uint32_t kind);
using GetTimestamp = Status (*)(uint64_t* nanos);
using VersionMajor = uint32_t (*)();
// Versions that do not register themselves need this call.
using Load = bool (*)(void* table, uint64_t runtime_version,
                      uint64_t num_failed, const char* const* failed);

}  // namespace tfprof::record::roctracer

#endif  // TFPROF_RECORD_ROCM_ROCTRACER_ABI_H_
