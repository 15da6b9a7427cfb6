// Hooks of the Level Zero functions that programs and SYCL's runtime call.
// Commands of lists become work of devices; the functions that append, submit
// and wait become calls.

#include <atomic>

#include "record/level_zero/command_table.h"
#include "record/level_zero/level_zero_abi.h"
#include "record/plugins/hook.h"
#include "record/plugins/kept_texts.h"
#include "record/sink.h"

namespace tfprof::record::level_zero {
namespace {

constexpr std::string_view kDomain = "level_zero";

constinit AddressMap kernel_names;
constinit std::atomic<bool> was_noted = false;

void NoteOnce() {
  if (was_noted.load(std::memory_order_relaxed) || was_noted.exchange(true)) {
    return;
  }
  Note(kDomain,
       "recorded through hooks of the loader; this source has not been tested "
       "on hardware");
}

std::string_view NameOf(Handle kernel) {
  const void* const name = kernel_names.Find(kernel);
  return name != nullptr ? static_cast<const char*>(name) : "kernel";
}

// A call that is recorded while it runs.
class RecordedCall {
 public:
  RecordedCall(std::string_view name, uint64_t correlation) {
    CallBegin(kDomain, name, correlation);
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;
  ~RecordedCall() { CallEnd(); }
};

// To be called after the program has waited in a call.
Result HasWaited(Result result) {
  if (result == kSuccess && IsRecording()) AskAll();
  return result;
}

}  // namespace
}  // namespace tfprof::record::level_zero

namespace record = tfprof::record;
namespace ze = tfprof::record::level_zero;
using ze::Handle;
using ze::Result;

#define TFPROF_ZE_HOOK(NAME, PARAMETERS) \
  TFPROF_HOOK(Result, Tfprof_##NAME, TFPROF_LEVEL_ZERO, #NAME, PARAMETERS)
#define TFPROF_ZE_REAL(NAME) Tfprof_##NAME##_real.As<decltype(&Tfprof_##NAME)>()

// ---- Creation and destruction.

TFPROF_ZE_HOOK(zeCommandListCreate, (Handle context, Handle device,
                                     const void* description, Handle* list)) {
  const Result result =
      TFPROF_ZE_REAL(zeCommandListCreate)(context, device, description, list);
  if (result == ze::kSuccess && record::IsRecorded()) {
    ze::NoteOnce();
    ze::AddList(*list, context, device, /*is_immediate=*/false);
  }
  return result;
}

TFPROF_ZE_HOOK(zeCommandListCreateImmediate,
               (Handle context, Handle device, const void* description,
                Handle* list)) {
  const Result result = TFPROF_ZE_REAL(zeCommandListCreateImmediate)(
      context, device, description, list);
  if (result == ze::kSuccess && record::IsRecorded()) {
    ze::NoteOnce();
    ze::AddList(*list, context, device, /*is_immediate=*/true);
  }
  return result;
}

TFPROF_ZE_HOOK(zeCommandListReset, (Handle list)) {
  if (record::IsRecorded()) ze::ClearList(list, /*is_destroyed=*/false);
  return TFPROF_ZE_REAL(zeCommandListReset)(list);
}

TFPROF_ZE_HOOK(zeCommandListDestroy, (Handle list)) {
  if (record::IsRecorded()) ze::ClearList(list, /*is_destroyed=*/true);
  return TFPROF_ZE_REAL(zeCommandListDestroy)(list);
}

TFPROF_ZE_HOOK(zeKernelCreate,
               (Handle module, const ze::KernelDescription* description,
                Handle* kernel)) {
  const Result result =
      TFPROF_ZE_REAL(zeKernelCreate)(module, description, kernel);
  if (result == ze::kSuccess && record::IsRecorded() &&
      description->name != nullptr) {
    const std::string_view name = record::KeepText(
        std::string_view(description->name).substr(0, record::kMaxText));
    ze::kernel_names.Erase(*kernel);
    if (!name.empty()) {
      ze::kernel_names.Insert(*kernel, const_cast<char*>(name.data()));
    }
  }
  return result;
}

// The program's own events get time stamps too, where Level Zero allows it.
TFPROF_ZE_HOOK(zeEventPoolCreate,
               (Handle context, const ze::EventPoolDescription* description,
                uint32_t num_devices, Handle* devices, Handle* pool)) {
  const auto real = TFPROF_ZE_REAL(zeEventPoolCreate);
  if (record::IsRecorded()) {
    ze::EventPoolDescription changed = *description;
    changed.flags |= ze::kKernelTimestamp;
    if (real(context, &changed, num_devices, devices, pool) == ze::kSuccess) {
      return ze::kSuccess;
    }
  }
  return real(context, description, num_devices, devices, pool);
}

TFPROF_ZE_HOOK(zeEventHostReset, (Handle event)) {
  if (record::IsRecorded()) ze::AskBeforeReset(event);
  return TFPROF_ZE_REAL(zeEventHostReset)(event);
}

TFPROF_ZE_HOOK(zeEventDestroy, (Handle event)) {
  if (record::IsRecorded()) ze::AskBeforeReset(event);
  return TFPROF_ZE_REAL(zeEventDestroy)(event);
}

// ---- Commands.

TFPROF_ZE_HOOK(zeCommandListAppendLaunchKernel,
               (Handle list, Handle kernel, const void* groups, Handle event,
                uint32_t num_waits, Handle* waits)) {
  const auto real = TFPROF_ZE_REAL(zeCommandListAppendLaunchKernel);
  if (!record::IsRecording()) {
    return real(list, kernel, groups, event, num_waits, waits);
  }
  const uint64_t id = record::NewId();
  const ze::RecordedCall call("zeCommandListAppendLaunchKernel", id);
  event = ze::AddCommand(list,
                         {.name = ze::NameOf(kernel),
                          .operation = "kernel",
                          .kind = TFPROF_WORK_KERNEL,
                          .correlation = id},
                         event);
  return real(list, kernel, groups, event, num_waits, waits);
}

TFPROF_ZE_HOOK(zeCommandListAppendMemoryCopy,
               (Handle list, void* to, const void* from, size_t bytes,
                Handle event, uint32_t num_waits, Handle* waits)) {
  const auto real = TFPROF_ZE_REAL(zeCommandListAppendMemoryCopy);
  if (!record::IsRecording()) {
    return real(list, to, from, bytes, event, num_waits, waits);
  }
  const uint64_t id = record::NewId();
  const ze::RecordedCall call("zeCommandListAppendMemoryCopy", id);
  event = ze::AddCommand(list,
                         {.name = "copy",
                          .operation = "copy",
                          .kind = TFPROF_WORK_COPY,
                          .bytes = bytes,
                          .correlation = id},
                         event);
  return real(list, to, from, bytes, event, num_waits, waits);
}

TFPROF_ZE_HOOK(zeCommandListAppendMemoryFill,
               (Handle list, void* to, const void* pattern, size_t pattern_size,
                size_t bytes, Handle event, uint32_t num_waits,
                Handle* waits)) {
  const auto real = TFPROF_ZE_REAL(zeCommandListAppendMemoryFill);
  if (!record::IsRecording()) {
    return real(list, to, pattern, pattern_size, bytes, event, num_waits,
                waits);
  }
  const uint64_t id = record::NewId();
  const ze::RecordedCall call("zeCommandListAppendMemoryFill", id);
  event = ze::AddCommand(list,
                         {.name = "fill",
                          .operation = "fill",
                          .kind = TFPROF_WORK_FILL,
                          .bytes = bytes,
                          .correlation = id},
                         event);
  return real(list, to, pattern, pattern_size, bytes, event, num_waits, waits);
}

TFPROF_ZE_HOOK(zeCommandQueueExecuteCommandLists,
               (Handle queue, uint32_t num_lists, Handle* lists,
                Handle fence)) {
  const auto real = TFPROF_ZE_REAL(zeCommandQueueExecuteCommandLists);
  if (!record::IsRecording()) return real(queue, num_lists, lists, fence);
  const uint64_t id = record::NewId();
  const ze::RecordedCall call("zeCommandQueueExecuteCommandLists", id);
  ze::SubmitLists(queue, num_lists, lists, id);
  return real(queue, num_lists, lists, fence);
}

// ---- Waiting.

#define TFPROF_ZE_WAIT(NAME)                                  \
  TFPROF_ZE_HOOK(NAME, (Handle handle, uint64_t timeout)) {   \
    const auto real = TFPROF_ZE_REAL(NAME);                   \
    if (!record::IsRecording()) return real(handle, timeout); \
    const ze::RecordedCall call(#NAME, 0);                    \
    return ze::HasWaited(real(handle, timeout));              \
  }

TFPROF_ZE_WAIT(zeCommandQueueSynchronize)
TFPROF_ZE_WAIT(zeCommandListHostSynchronize)
TFPROF_ZE_WAIT(zeEventHostSynchronize)
TFPROF_ZE_WAIT(zeFenceHostSynchronize)

#undef TFPROF_ZE_WAIT
#undef TFPROF_ZE_HOOK
#undef TFPROF_ZE_REAL
