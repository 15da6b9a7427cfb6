#include "loaders/xplane/lines/memory_events.h"

#include <algorithm>
#include <string>
#include <utility>

#include "loaders/xplane/load.h"
#include "loaders/xplane/planes/event_names.h"
#include "profile/steps/time_column.h"

namespace tfprof::xplane {
namespace {

// How many events around an allocation are searched for its op: executors and
// functions only nest a few deep.
constexpr int kMaxAround = 64;
constexpr std::string_view kNoOp = "(null)";

// Returns the innermost execution of `tf_op` around an event, or kNone.
uint32_t ExecutionAround(const FileLine& line, uint32_t event,
                         std::string_view tf_op) {
  uint32_t at = line.thread.nesting.parent[event];
  for (int i = 0; i < kMaxAround && at != profile::kNone; ++i) {
    const EventKey& key = line.events.keys[line.events.events[at].key];
    if (SplitTfOp(line.MetadataOf(key).name).name == tf_op) return at;
    at = line.thread.nesting.parent[at];
  }
  return profile::kNone;
}

}  // namespace

std::vector<UnplacedBytes> MemorySeries::Add(FileLine& line) {
  std::vector<UnplacedBytes> unplaced;
  for (const MemoryEvent& memory : line.events.memory) {
    const int64_t time = line.events.events[memory.event].start;
    samples_.push_back({memory.allocator, time, memory.bytes_in_use});
    if (!memory.allocates || memory.tf_op.empty() || memory.tf_op == kNoOp) {
      continue;
    }
    const uint32_t around = ExecutionAround(line, memory.event, memory.tf_op);
    if (around == profile::kNone) {
      unplaced.push_back({memory.tf_op, time, memory.requested_bytes});
    } else {
      line.requested.push_back({around, memory.requested_bytes});
    }
  }
  std::sort(line.requested.begin(), line.requested.end());
  return unplaced;
}

void MemorySeries::AddCounters(profile::ProcessId process,
                               profile::ProfileBuilder& builder) const {
  std::vector<Sample> sorted = samples_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Sample& a, const Sample& b) {
                     return a.allocator < b.allocator;
                   });
  profile::StringPool& strings = builder.mutable_graph().strings;
  for (size_t begin = 0; begin < sorted.size();) {
    const std::string_view allocator = sorted[begin].allocator;
    std::vector<profile::CounterSample> samples;
    size_t end = begin;
    for (; end < sorted.size() && sorted[end].allocator == allocator; ++end) {
      samples.push_back(
          {.time =
               profile::TicksToNanos(sorted[end].time, kXPlaneTicksPerMicro),
           .value = static_cast<double>(sorted[end].bytes_in_use)});
    }
    begin = end;
    std::string name(allocator.empty() ? "memory" : allocator);
    name += ": bytes in use";
    profile::Counter counter;
    counter.name = strings.Intern(name);
    counter.unit = strings.Intern("bytes");
    counter.process = process;
    builder.AddCounter(std::move(counter), std::move(samples));
  }
}

}  // namespace tfprof::xplane
