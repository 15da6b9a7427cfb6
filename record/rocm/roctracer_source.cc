// ROCm: calls of HIP, kernels, copies and barriers, from roctracer.
//
// The runtime of HSA loads the library that HSA_TOOLS_LIB names, which `tfprof
// record` sets to the recorder, and calls OnLoad(). A program without ROCm thus
// never loads roctracer.

#include <atomic>

#include "record/export.h"
#include "record/plugins/plugin_clock.h"
#include "record/plugins/plugin_library.h"
#include "record/rocm/roctracer_abi.h"
#include "record/sink.h"
#include "record/text_buffer.h"

namespace tfprof::record {
namespace {

using namespace roctracer;  // NOLINT: the names of one interface

constexpr std::string_view kDomain = "hip";
constexpr char kSetting[] = "TFPROF_RECORD_ROCTRACER";
constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr int kMaxDevices = 64;

constinit std::atomic<bool> was_loaded = false;
constinit PluginLibrary library;
constinit OperationName operation_name = nullptr;
constinit GetTimestamp get_timestamp = nullptr;
constinit bool has_kernel_names = false;

uint64_t ReadClock() {
  uint64_t time = 0;
  return get_timestamp(&time) == kSuccess ? time : 0;
}
constinit PluginClock plugin_clock(ReadClock);

using DeviceName = TextBuffer<20>;
DeviceName NameOf(int32_t device) {
  DeviceName name;
  name << "ROCm:" << static_cast<uint32_t>(device);
  return name;
}

std::string_view NameOf(const Record& record) {
  const char* const name =
      operation_name(record.domain, record.operation, record.kind);
  return name != nullptr ? name : "";
}

void AddWork(const Record& record, uint64_t& devices) {
  const int32_t device = record.work.device;
  if (device < 0 || device >= kMaxDevices || record.begin > record.end) return;
  const DeviceName device_name = NameOf(device);
  const std::string_view operation = NameOf(record);
  FinishedWork work{.name = operation,
                    .device = device_name.view(),
                    .operation = operation,
                    .kind = TFPROF_WORK_OTHER,
                    .clock = TFPROF_CLOCK_DEVICE,
                    .queue = record.work.queue,
                    .correlation = record.correlation,
                    .start = record.begin,
                    .end = record.end};
  if (record.operation == kDispatch) {
    work.kind = TFPROF_WORK_KERNEL;
    if (has_kernel_names && record.kernel_name != nullptr) {
      work.name = record.kernel_name;
    }
  } else if (record.operation == kCopy) {
    // roctracer reports fills as copies, with their own name.
    work.kind = operation.find("Fill") != operation.npos ? TFPROF_WORK_FILL
                                                         : TFPROF_WORK_COPY;
    work.bytes = record.bytes;
  }
  devices |= uint64_t{1} << device;
  DeviceWork(work);
}

void AddCall(const Record& record) {
  Call({.domain = kDomain,
        .name = NameOf(record),
        .correlation = record.correlation,
        .thread = record.call.thread,
        .begin = plugin_clock.ToHost(record.begin),
        .end = plugin_clock.ToHost(record.end)});
}

void ReadRecords(const char* begin, const char* end, void*) {
  plugin_clock.Read();
  uint64_t devices = 0;
  const auto* const records = reinterpret_cast<const Record*>(begin);
  const auto num_records = static_cast<size_t>(end - begin) / sizeof(Record);
  for (size_t i = 0; i < num_records; ++i) {
    const Record& record = records[i];
    if (record.domain == kHipOps) {
      AddWork(record, devices);
    } else if (record.domain == kHipApi) {
      AddCall(record);
    }
  }
  for (int32_t device = 0; device < kMaxDevices; ++device) {
    if ((devices >> device & 1) != 0) plugin_clock.Tell(NameOf(device).view());
  }
}

// Finds a function under its name in newer versions, or else in older ones.
template <typename Function>
Function Either(const char* newer, const char* older) {
  const auto function = library.As<Function>(newer);
  return function != nullptr ? function : library.As<Function>(older);
}

void Flush() {
  const auto flush = Either<FlushActivity>("roctracer_flush_activity_expl",
                                           "roctracer_flush_activity");
  if (flush != nullptr) flush(nullptr);
}

// Returns what is missing, or null if everything was found.
const char* Start(void* table, uint64_t runtime_version, uint64_t num_failed,
                  const char* const* failed) {
  if (!library.Open(
          "TFPROF_RECORD_ROCTRACER",
          {"libroctracer64.so", "libroctracer64.so.4", "libroctracer64.so.1",
           "/opt/rocm/lib/libroctracer64.so"})) {
    return "libroctracer64.so was not found; name it in "
           "TFPROF_RECORD_ROCTRACER";
  }
  const auto open =
      Either<OpenPool>("roctracer_open_pool_expl", "roctracer_open_pool");
  const auto enable =
      Either<EnableActivity>("roctracer_enable_domain_activity_expl",
                             "roctracer_enable_domain_activity");
  operation_name = library.As<OperationName>("roctracer_op_string");
  get_timestamp = library.As<GetTimestamp>("roctracer_get_timestamp");
  if (open == nullptr || enable == nullptr || operation_name == nullptr ||
      get_timestamp == nullptr) {
    return "this libroctracer64.so lacks required functions";
  }
  const auto version = library.As<VersionMajor>("roctracer_version_major");
  const uint32_t major = version != nullptr ? version() : 0;
  has_kernel_names = major >= kVersionWithNames;
  const auto load = library.As<Load>("roctracer_load");
  if (load != nullptr) load(table, runtime_version, num_failed, failed);
  const Properties properties{.buffer_size = kBufferBytes,
                              .completed = ReadRecords};
  if (open(&properties, nullptr) != kSuccess) {
    return "another tool of this program uses roctracer";
  }
  const bool has_work = enable(kHipOps, nullptr) == kSuccess;
  const bool has_calls = enable(kHipApi, nullptr) == kSuccess;
  if (!has_work && !has_calls) return "roctracer refuses to record";
  CallAtExit(Flush);
  TextBuffer<200> text;
  text << "recorded through roctracer, version " << major
       << (has_kernel_names ? "" : ", which does not name kernels")
       << "; this source has not been tested on hardware";
  Note(kDomain, text.view());
  return nullptr;
}

}  // namespace
}  // namespace tfprof::record

extern "C" TFPROF_EXPORT bool OnLoad(void* table, uint64_t runtime_version,
                                     uint64_t num_failed,
                                     const char* const* failed) {
  namespace record = tfprof::record;
  if (!record::IsRecorded() || record::IsLeftOut(record::kSetting) ||
      record::was_loaded.exchange(true)) {
    return true;
  }
  const char* const missing =
      record::Start(table, runtime_version, num_failed, failed);
  if (missing != nullptr) record::Note(record::kDomain, missing);
  return true;
}

extern "C" TFPROF_EXPORT void OnUnload() { tfprof::record::Flush(); }
