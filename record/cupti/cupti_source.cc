// CUDA: calls of the driver and the runtime, kernels, copies and fills, from
// the Activity API of CUPTI.
//
// The driver loads the library that CUDA_INJECTION64_PATH names, which `tfprof
// record` sets to the recorder, and calls InitializeInjection() when the
// program first uses CUDA. A program without CUDA thus never loads CUPTI.

#include <atomic>

#include "record/cupti/cupti_abi.h"
#include "record/export.h"
#include "record/plugins/plugin_clock.h"
#include "record/plugins/plugin_library.h"
#include "record/sink.h"
#include "record/system.h"
#include "record/text_buffer.h"

namespace tfprof::record {
namespace {

using namespace cupti;  // NOLINT: the names of one interface

constexpr std::string_view kDomain = "cuda";
constexpr char kSetting[] = "TFPROF_RECORD_CUPTI";
constexpr uint32_t kFlushMillis = 200;
constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr int kNumBuffers = 64;
constexpr int kMaxDevices = 64;
constexpr int32_t kMaxBlock = 1 << 16;

struct Buffer {
  std::atomic<uint8_t*> bytes;
  std::atomic<bool> is_taken;
};

constinit Buffer buffers[kNumBuffers];
constinit std::atomic<bool> was_started = false;
constinit std::atomic<bool> is_wrong = false;
constinit PluginLibrary library;
constinit GetNextRecord next_record = nullptr;
constinit GetCallbackName callback_name = nullptr;
constinit GetDropped get_dropped = nullptr;
constinit GetTimestamp get_timestamp = nullptr;
// True if the times of records are on the clock of the trace.
constinit bool is_on_host_clock = false;

uint64_t ReadClock() {
  uint64_t time = 0;
  return get_timestamp(&time) == kSuccess ? time : 0;
}
constinit PluginClock plugin_clock(ReadClock);

void TakeBuffer(uint8_t** bytes, size_t* size, size_t* max_records) {
  *bytes = nullptr;
  *size = 0;
  *max_records = 0;  // as many as fit
  for (Buffer& buffer : buffers) {
    if (buffer.is_taken.exchange(true)) continue;
    uint8_t* found = buffer.bytes.load();
    if (found == nullptr) {
      found = static_cast<uint8_t*>(AllocatePages(kBufferBytes));
      buffer.bytes.store(found);
    }
    if (found == nullptr) {
      buffer.is_taken.store(false);
      return;
    }
    *bytes = found;
    *size = kBufferBytes;
    return;
  }
}

void GiveBackBuffer(const uint8_t* bytes) {
  for (Buffer& buffer : buffers) {
    if (buffer.bytes.load() == bytes) buffer.is_taken.store(false);
  }
}

using DeviceName = TextBuffer<20>;
DeviceName NameOf(uint32_t device) {
  DeviceName name;
  name << "CUDA:" << device;
  return name;
}

uint64_t HostTime(uint64_t time) {
  return is_on_host_clock ? time : plugin_clock.ToHost(time);
}

// False if the bytes cannot be such a record, so this version has another
// layout.
bool IsPlausible(const Record& record, uint64_t start, uint64_t end,
                 uint32_t device) {
  if (start > end || device >= kMaxDevices) return false;
  if (record.kind() != kKernel && record.kind() != kConcurrentKernel) {
    return true;
  }
  const auto grid = record.At<int32_t>(kernel::kGrid);
  const auto block = record.At<int32_t>(kernel::kBlock);
  return grid > 0 && block > 0 && block < kMaxBlock;
}

// `devices`: a bit for each device that has had work.
void AddWork(const Record& record, FinishedWork& work, uint32_t device,
             uint64_t& devices) {
  if (!IsPlausible(record, work.start, work.end, device)) {
    if (!is_wrong.exchange(true)) {
      Note(kDomain,
           "records of this version of CUPTI have another layout: kernels and "
           "copies are not recorded");
    }
    return;
  }
  const DeviceName name = NameOf(device);
  work.device = name.view();
  work.clock = is_on_host_clock ? TFPROF_CLOCK_HOST : TFPROF_CLOCK_DEVICE;
  // CUPTI writes 0 where it could not get a time.
  work.is_timed = work.start != 0 && work.end != 0;
  devices |= uint64_t{1} << device;
  DeviceWork(work);
}

void AddKernel(const Record& record, uint64_t& devices) {
  const char* const name = record.At<const char*>(kernel::kName);
  FinishedWork work{.name = name != nullptr ? name : "",
                    .operation = "kernel",
                    .kind = TFPROF_WORK_KERNEL,
                    .queue = record.At<uint32_t>(kernel::kStream),
                    .context = record.At<uint32_t>(kernel::kContext),
                    .correlation = record.At<uint32_t>(kernel::kCorrelation),
                    .start = record.At<uint64_t>(kernel::kStart),
                    .end = record.At<uint64_t>(kernel::kEnd)};
  AddWork(record, work, record.At<uint32_t>(kernel::kDevice), devices);
}

void AddMemory(const Record& record, uint64_t& devices) {
  const bool is_fill = record.kind() == kMemset;
  const size_t correlation = record.kind() == kMemcpyPeer
                                 ? memory::kPeerCorrelation
                                 : memory::kCorrelation;
  TextBuffer<20> name;
  const char* operation = "fill";
  if (is_fill) {
    name << "Memset";
  } else {
    const auto kind = record.At<uint8_t>(memory::kCopyKind);
    constexpr size_t kNumKinds = sizeof(kCopyKinds) / sizeof(*kCopyKinds);
    operation = kind < kNumKinds ? kCopyKinds[kind] : "";
    name << "Memcpy " << operation;
  }
  FinishedWork work{.name = name.view(),
                    .operation = operation,
                    .kind = is_fill ? TFPROF_WORK_FILL : TFPROF_WORK_COPY,
                    .queue = record.At<uint32_t>(memory::kStream),
                    .context = record.At<uint32_t>(memory::kContext),
                    .correlation = record.At<uint32_t>(correlation),
                    .bytes = record.At<uint64_t>(memory::kBytes),
                    .start = record.At<uint64_t>(memory::kStart),
                    .end = record.At<uint64_t>(memory::kEnd)};
  AddWork(record, work, record.At<uint32_t>(memory::kDevice), devices);
}

void AddCall(const Record& record) {
  const char* name = nullptr;
  const Domain domain =
      record.kind() == kDriver ? kDriverDomain : kRuntimeDomain;
  if (callback_name != nullptr) {
    callback_name(domain, record.At<uint32_t>(call::kCallback), &name);
  }
  Call({.domain = kDomain,
        .name = name != nullptr ? name : "call",
        .correlation = record.At<uint32_t>(call::kCorrelation),
        .thread = record.At<uint32_t>(call::kThread),
        .begin = HostTime(record.At<uint64_t>(call::kStart)),
        .end = HostTime(record.At<uint64_t>(call::kEnd))});
}

void ReadBuffer(void* context, uint32_t stream, uint8_t* bytes, size_t,
                size_t valid_size) {
  if (!is_on_host_clock) plugin_clock.Read();
  uint64_t devices = 0;
  uint8_t* at = nullptr;
  while (valid_size > 0 && next_record(bytes, valid_size, &at) == kSuccess) {
    const Record record(at);
    switch (record.kind()) {
      case kKernel:
      case kConcurrentKernel:
        AddKernel(record, devices);
        break;
      case kMemcpy:
      case kMemcpyPeer:
      case kMemset:
        AddMemory(record, devices);
        break;
      case kDriver:
      case kRuntime:
        AddCall(record);
        break;
    }
  }
  for (uint32_t device = 0; !is_on_host_clock && device < kMaxDevices;
       ++device) {
    if ((devices >> device & 1) != 0) plugin_clock.Tell(NameOf(device).view());
  }
  size_t dropped = 0;
  if (get_dropped != nullptr &&
      get_dropped(context, stream, &dropped) == kSuccess && dropped > 0) {
    TextBuffer<80> text;
    text << "CUPTI had no room for " << uint64_t{dropped} << " records";
    Note(kDomain, text.view());
  }
  GiveBackBuffer(bytes);
}

void Flush() {
  const auto flush = library.As<FlushAll>("cuptiActivityFlushAll");
  if (flush != nullptr) flush(kFlushForced);
}

void NoteVersion(uint32_t version) {
  TextBuffer<200> text;
  text << "recorded through CUPTI, version " << version;
  if (version < kFirstKnownVersion || version > kLastKnownVersion) {
    text << ", whose record layout is unknown";
  }
  if (version != kTestedVersion) {
    text << "; this version has not been tested on hardware";
  }
  Note(kDomain, text.view());
}

// Returns what is missing, or null if everything was found.
const char* Start() {
  if (!library.Open(kSetting,
                    {"libcupti.so", "libcupti.so.13", "libcupti.so.12",
                     "libcupti.so.11.8",
                     "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})) {
    return "libcupti.so was not found; name it in TFPROF_RECORD_CUPTI";
  }
  const auto version = library.As<GetVersion>("cuptiGetVersion");
  const auto enable = library.As<Enable>("cuptiActivityEnable");
  const auto callbacks =
      library.As<RegisterCallbacks>("cuptiActivityRegisterCallbacks");
  next_record = library.As<GetNextRecord>("cuptiActivityGetNextRecord");
  get_timestamp = library.As<GetTimestamp>("cuptiGetTimestamp");
  uint32_t number = 0;
  if (version == nullptr || enable == nullptr || callbacks == nullptr ||
      next_record == nullptr || get_timestamp == nullptr ||
      version(&number) != kSuccess) {
    return "this libcupti.so lacks functions of the Activity API";
  }
  callback_name = library.As<GetCallbackName>("cuptiGetCallbackName");
  get_dropped = library.As<GetDropped>("cuptiActivityGetNumDroppedRecords");
  const auto timestamp =
      library.As<RegisterTimestamp>("cuptiActivityRegisterTimestampCallback");
  is_on_host_clock = timestamp != nullptr && timestamp(Now) == kSuccess;
  const auto threads = library.As<SetThreadIdType>("cuptiSetThreadIdType");
  if (threads != nullptr) threads(kSystemThreads);
  if (callbacks(TakeBuffer, ReadBuffer) != kSuccess) {
    return "another tool of this program uses CUPTI";
  }
  bool is_any = false;
  for (const Kind kind :
       {kConcurrentKernel, kMemcpy, kMemcpyPeer, kMemset, kDriver, kRuntime}) {
    is_any |= enable(kind) == kSuccess;
  }
  if (!is_any) return "CUPTI refuses to record: is the driver loaded?";
  const auto period = library.As<FlushPeriod>("cuptiActivityFlushPeriod");
  if (period != nullptr) period(kFlushMillis);
  CallAtExit(Flush);
  NoteVersion(number);
  return nullptr;
}

}  // namespace
}  // namespace tfprof::record

extern "C" TFPROF_EXPORT int InitializeInjection() {
  namespace record = tfprof::record;
  // The driver calls this once for each process, but other tools pass calls on.
  if (!record::IsRecorded() || record::IsLeftOut(record::kSetting) ||
      record::was_started.exchange(true)) {
    return 1;
  }
  const char* const missing = record::Start();
  if (missing != nullptr) record::Note(record::kDomain, missing);
  return 1;
}
