#include "record/sink.h"

#include <stdlib.h>
#include <time.h>

#include "record/emit.h"
#include "record/process_state.h"
#include "record/system.h"
#include "record/thread_stream.h"

namespace tfprof::record {
namespace {

using Text = std::string_view;

// Deeper events share the bit of this depth.
constexpr uint16_t kMaxDepth = 63;

uint16_t& DepthOf(ThreadStream& trace, Nested kind) {
  return trace.depth[static_cast<int>(kind)];
}
uint64_t BitOf(uint16_t depth) {
  return uint64_t{1} << (depth < kMaxDepth ? depth : kMaxDepth);
}

template <const EventType& kEvent, typename... A>
void Begin(Nested kind, const A&... fields) {
  // The depth is counted during a pause too, because the end of a hidden event
  // must not close the event around it.
  ThreadStream* trace = Enter(/*is_nested=*/true);
  if (trace == nullptr) return;
  const uint16_t depth = DepthOf(*trace, kind)++;
  uint64_t& written = trace->is_written[static_cast<int>(kind)];
  const bool is_written =
      !TheProcess().is_paused && Emit<kEvent>(*trace, depth, fields...);
  written = is_written ? written | BitOf(depth) : written & ~BitOf(depth);
  Leave(*trace);
}

template <const EventType& kEvent>
void End(Nested kind) {
  ThreadStream* trace = Enter(/*is_nested=*/true);
  if (trace == nullptr) return;
  if (uint16_t& depth = DepthOf(*trace, kind); depth > 0) {
    --depth;
    if ((trace->is_written[static_cast<int>(kind)] & BitOf(depth)) != 0) {
      Emit<kEvent>(*trace, depth);
    }
  }
  Leave(*trace);
}

template <const EventType& kEvent, typename... A>
void Tell(const A&... fields) {
  ThreadStream* trace = Enter();
  if (trace == nullptr) return;
  Emit<kEvent>(*trace, fields...);
  Leave(*trace);
}

}  // namespace

bool IsRecording() { return IsOn(); }
bool IsRecorded() { return IsRecordedProcess(); }

std::string_view Setting(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? Text(value) : Text();
}

uint64_t Now() { return ReadClock(CLOCK_MONOTONIC); }

uint64_t NewId() {
  if (!IsRecordedProcess()) return 1;
  return __atomic_add_fetch(&TheProcess().shared->next_id, 1, __ATOMIC_RELAXED);
}

uint32_t ThreadId() { return KnownThreadId(); }

void OpBegin(Text name, Text type, Text device, int64_t step) {
  Begin<kOpBegin>(Nested::kOp, step, name, type, device);
}
void OpEnd() { End<kOpEnd>(Nested::kOp); }

void RangeBegin(Text name) { Begin<kRangeBegin>(Nested::kRange, name); }
void RangeEnd() { End<kRangeEnd>(Nested::kRange); }

void CallBegin(Text domain, Text name, uint64_t correlation) {
  Begin<kCallBegin>(Nested::kCall, correlation, domain, name);
}
void CallEnd() { End<kCallEnd>(Nested::kCall); }

void StepBegin(int64_t step, Text name) { Tell<kStepBegin>(step, name); }
void StepEnd(int64_t step) { Tell<kStepEnd>(step); }

void AsyncBegin(uint64_t id, Text name, Text type, Text device, int64_t step) {
  Tell<kAsyncBegin>(id, step, name, type, device);
}
void AsyncEnd(uint64_t id) { Tell<kAsyncEnd>(id); }

void Call(const FinishedCall& call) {
  Tell<kCall>(call.correlation, call.thread, call.begin, call.end, call.domain,
              call.name);
}

void DeviceWork(const FinishedWork& work) {
  Tell<kWork>(static_cast<uint8_t>(work.kind), static_cast<uint8_t>(work.clock),
              uint8_t{work.is_timed}, work.status, work.thread,
              work.correlation, work.context, work.queue, work.bytes,
              work.entry, work.exit, work.queued, work.submitted, work.start,
              work.end, work.operation, work.name, work.device);
}

void RecvTensor(const Transfer& transfer) {
  Tell<kRecvTensor>(uint8_t{transfer.server}, transfer.step, transfer.bytes,
                    transfer.begin, transfer.end, transfer.key, transfer.source,
                    transfer.destination);
}

void WorkCounter(uint64_t correlation, Text name, double value) {
  Tell<kWorkCounter>(correlation, value, name);
}

void Allocate(Text allocator, uint64_t address, uint64_t bytes) {
  Tell<kAllocate>(address, bytes, allocator);
}
void Release(Text allocator, uint64_t address, uint64_t bytes) {
  Tell<kRelease>(address, bytes, allocator);
}
void AllocatorState(Text allocator, uint64_t bytes_in_use, uint64_t peak_bytes,
                    uint64_t num_allocations) {
  Tell<kAllocatorState>(bytes_in_use, peak_bytes, num_allocations, allocator);
}
void Counter(Text name, Text unit, double value) {
  Tell<kCounter>(value, name, unit);
}

void ClockPair(Text device, uint64_t host_before, uint64_t device_time,
               uint64_t host_after) {
  Tell<kClockPair>(host_before, device_time, host_after, device);
}

void NameThread(Text name) { Tell<kThreadName>(name); }
void NameQueue(Text device, uint64_t queue, Text name) {
  Tell<kQueueName>(queue, device, name);
}
void Note(Text source, Text text) { Tell<kNote>(source, text); }

void Pause() { SetPaused(true); }
void Resume() { SetPaused(false); }

}  // namespace tfprof::record
