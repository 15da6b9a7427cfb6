// CUPTI's binary interface: the byte offsets of the fields of its records, and
// its functions. They are the same in 11.8, 12.9 and 13.5; records of kernels
// have only grown at their end.

#ifndef TFPROF_RECORD_CUPTI_CUPTI_ABI_H_
#define TFPROF_RECORD_CUPTI_CUPTI_ABI_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tfprof::record::cupti {

using Result = int;
inline constexpr Result kSuccess = 0;

// The first and the last version whose record layout is known.
inline constexpr uint32_t kFirstKnownVersion = 18;      // of CUDA 11.8
inline constexpr uint32_t kLastKnownVersion = 130'599;  // of CUDA 13.5
inline constexpr uint32_t kTestedVersion = 130'001;     // on an H200

enum Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kConcurrentKernel = 10,
  kMemcpyPeer = 22,
};

enum Domain : uint32_t { kDriverDomain = 1, kRuntimeDomain = 2 };
inline constexpr uint32_t kSystemThreads = 1;  // of cuptiSetThreadIdType
inline constexpr uint32_t kFlushForced = 1;    // of cuptiActivityFlushAll

using BufferRequested = void (*)(uint8_t** buffer, size_t* size,
                                 size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream,
                                 uint8_t* buffer, size_t size,
                                 size_t valid_size);
using GetVersion = Result (*)(uint32_t* version);
using GetTimestamp = Result (*)(uint64_t* nanos);
using RegisterCallbacks = Result (*)(BufferRequested, BufferCompleted);
using RegisterTimestamp = Result (*)(uint64_t (*now)());
using SetThreadIdType = Result (*)(uint32_t type);
using Enable = Result (*)(uint32_t kind);
using GetNextRecord = Result (*)(uint8_t* buffer, size_t valid_size,
                                 uint8_t** record);
using GetDropped = Result (*)(void* context, uint32_t stream, size_t* dropped);
using GetCallbackName = Result (*)(uint32_t domain, uint32_t callback,
                                   const char** name);
using FlushAll = Result (*)(uint32_t flag);
using FlushPeriod = Result (*)(uint32_t millis);

// A record of CUPTI, read field by field at byte offsets.
class Record {
 public:
  explicit Record(const uint8_t* bytes) : bytes_(bytes) {}

  template <typename T>
  T At(size_t byte) const {
    T value;
    memcpy(&value, bytes_ + byte, sizeof(value));
    return value;
  }
  Kind kind() const { return static_cast<Kind>(At<uint32_t>(0)); }

 private:
  const uint8_t* bytes_;
};

namespace kernel {
inline constexpr size_t kStart = 16, kEnd = 24, kDevice = 40, kContext = 44,
                        kStream = 48, kGrid = 52, kBlock = 64,
                        kCorrelation = 92, kName = 104;
}  // namespace kernel

// Records of copies and of fills have these fields at the same offsets.
namespace memory {
inline constexpr size_t kCopyKind = 4, kBytes = 8, kStart = 16, kEnd = 24,
                        kDevice = 32, kContext = 36, kStream = 40,
                        kCorrelation = 44, kPeerCorrelation = 60;
}  // namespace memory

namespace call {
inline constexpr size_t kCallback = 4, kStart = 8, kEnd = 16, kThread = 28,
                        kCorrelation = 32;
}  // namespace call

// Indexed by CUpti_ActivityMemcpyKind.
inline constexpr const char* kCopyKinds[] = {"",     "HtoD", "DtoH", "HtoA",
                                             "AtoH", "AtoA", "AtoD", "DtoA",
                                             "DtoD", "HtoH", "PtoP"};

}  // namespace tfprof::record::cupti

#endif  // TFPROF_RECORD_CUPTI_CUPTI_ABI_H_
