// The exported functions, which programs look up through tfprof_record.h.

#include "record/export.h"
#include "record/sink.h"
#include "record/tfprof_record.h"

namespace tfprof::record {
namespace {

// Null counts as "".
std::string_view Text(const char* text) {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

void WorkOf(const tfprof_work* work) {
  if (work == nullptr) return;
  constexpr const char* kOperations[] = {"kernel", "copy", "fill", "other"};
  const uint8_t kind =
      work->kind < TFPROF_WORK_OTHER ? work->kind : uint8_t{TFPROF_WORK_OTHER};
  DeviceWork({.name = Text(work->name),
              .device = Text(work->device),
              .operation = kOperations[kind],
              .kind = static_cast<tfprof_work_kind>(kind),
              .clock = static_cast<tfprof_clock_kind>(work->clock),
              .queue = work->queue,
              .correlation = work->correlation,
              .bytes = work->bytes,
              .thread = work->thread,
              .entry = work->entry,
              .exit = work->exit,
              .queued = work->queued,
              .submitted = work->submitted,
              .start = work->start,
              .end = work->end});
}

constexpr tfprof_record_functions kFunctions = {
    .version = TFPROF_RECORD_VERSION,
    .size = sizeof(tfprof_record_functions),
    .is_recording = [] { return static_cast<int>(IsRecording()); },
    .now = Now,
    .new_id = NewId,
    .op_begin =
        [](const char* name, const char* type, const char* device,
           int64_t step) {
          OpBegin(Text(name), Text(type), Text(device), step);
        },
    .op_end = OpEnd,
    .range_begin = [](const char* name) { RangeBegin(Text(name)); },
    .range_end = RangeEnd,
    .call_begin = [](const char* name,
                     uint64_t id) { CallBegin("", Text(name), id); },
    .call_end = CallEnd,
    .step_begin = [](int64_t step,
                     const char* name) { StepBegin(step, Text(name)); },
    .step_end = StepEnd,
    .async_begin =
        [](uint64_t id, const char* name, const char* type, const char* device,
           int64_t step) {
          AsyncBegin(id, Text(name), Text(type), Text(device), step);
        },
    .async_end = AsyncEnd,
    .counter = [](const char* name, const char* unit,
                  double value) { Counter(Text(name), Text(unit), value); },
    .allocate =
        [](const char* allocator, uint64_t address, uint64_t bytes) {
          Allocate(Text(allocator), address, bytes);
        },
    .release = [](const char* allocator, uint64_t address,
                  uint64_t bytes) { Release(Text(allocator), address, bytes); },
    .work = WorkOf,
    .clock_pair =
        [](const char* device, uint64_t before, uint64_t time, uint64_t after) {
          ClockPair(Text(device), before, time, after);
        },
    .thread_name = [](const char* name) { NameThread(Text(name)); },
    .queue_name =
        [](const char* device, uint64_t queue, const char* name) {
          NameQueue(Text(device), queue, Text(name));
        },
    .pause = Pause,
    .resume = Resume,
};

}  // namespace
}  // namespace tfprof::record

extern "C" TFPROF_EXPORT const tfprof_record_functions*
tfprof_record_get_functions(uint32_t version) {
  return version == TFPROF_RECORD_VERSION ? &tfprof::record::kFunctions
                                          : nullptr;
}
