// TraceFacts: what the events of a load say, paired and in plain tables.
//
// Begins and ends become intervals: ops on a stack for each thread, other
// calls and ranges the same way, asynchronous ops first in, first out by
// (process, placement, name), sessions by their number. An end closes the
// topmost open op of its name; what is open above it never ended. What has no
// partner is counted, and is never an error.
//
// Times are nanoseconds since 1970, except those of activities, which have the
// clock of their device (Activity::clock). Names are ids of `names`.

#ifndef TFPROF_LOADERS_CTF_EVENTS_TRACE_FACTS_H_
#define TFPROF_LOADERS_CTF_EVENTS_TRACE_FACTS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/ctf/events/event_schema.h"
#include "loaders/ctf/events/transfers.h"
#include "loaders/ctf/packets/trace_files.h"
#include "loaders/import_log.h"
#include "profile/string_pool.h"
#include "util/cancellation.h"

namespace tfprof::ctf {

using ThreadId = uint32_t;  // index in TraceFacts::threads

struct ThreadFacts {
  StringId host = kNone;
  int64_t process = -1;  // of the operating system
  int64_t thread = -1;
  StringId program = kNone;
  uint32_t process_index = 0;  // in TraceFacts::processes
};

struct ProcessFacts {
  StringId host = kNone;
  int64_t process = -1;
  StringId program = kNone;
};

struct Interval {
  int64_t begin = 0, end = 0;
  StringId name = kNone;
  StringId place = kNone;  // of ops: the device; of calls: the provider
  ThreadId thread = 0;     // that began it
  StringId type = kNone;   // of ops, where the trace says it
  int64_t step = -1;       // the same; else that of its time
};

// The sum of the durations of one name.
struct CallSum {
  int64_t count = 0, total = 0;
  int64_t least = INT64_MAX, most = 0;

  void Add(int64_t duration) {
    ++count;
    total += duration;
    least = std::min(least, duration);
    most = std::max(most, duration);
  }
  void Add(const CallSum& other) {
    count += other.count;
    total += other.total;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

// One run of a session of TensorFlow, which is a step of the profile.
struct SessionRun {
  uint32_t process = 0;
  int64_t count = 0;
  int64_t begin = 0, end = 0;
  StringId name = kNone;
};

// Work of a device.
struct Activity {
  static constexpr int64_t kNoTime = INT64_MIN;

  int64_t queued = kNoTime, submitted = kNoTime;
  int64_t begin = kNoTime, end = kNoTime;
  StringId name = kNone;
  StringId provider = kNone;    // "openclTracer"
  StringId annotation = kNone;  // the op, where the trace says it
  ThreadId thread = 0;          // that recorded it
  DeviceWork work = DeviceWork::kKernel;
  DeviceClock clock = DeviceClock::kEvent;
  int64_t bytes = 0;
  // The thread that launched the work, and when, if the command says so.
  int64_t launch_thread = -1;
  int64_t entry = kNoTime, exit = kNoTime;
  StringId queue = kNone;
  StringId device = kNone;  // "opencl:1"; each has a clock of its own
  int64_t correlation = 0;  // of the call that launched it; 0: none
};

// The clock of a device, read between two times of the host.
struct ClockPair {
  uint32_t process = 0;
  StringId device = kNone;
  int64_t host_before = 0, device_time = 0, host_after = 0;
};

struct Sample {
  int64_t time = 0;
  double value = 0;
};
struct Series {
  StringId name = kNone;
  StringId unit = kNone;
  uint32_t process = 0;
  bool is_change = false;
  std::vector<Sample> samples;
  uint64_t releases = 0;  // of them
};

// The values that the counters of a device had in one kernel.
struct CounterSet {
  struct Count {
    StringId counter = kNone;
    double value = 0;
    bool is_real = false;  // in the trace
  };
  int64_t time = 0;  // of its first event
  uint32_t process = 0;
  StringId object = kNone;  // of the kernel, in decimal
  StringId name = kNone;    // of the last launch of that object before
  std::array<int64_t, 3> workgroup = {}, grid = {};
  int64_t group_segment = 0, private_segment = 0;  // bytes
  std::vector<Count> counts;
};

// All numbers of an allocator in the events of one kind.
struct AllocatorState {
  struct Field {
    StringId name = kNone;
    int64_t last = 0, most = 0;
  };
  StringId event = kNone;  // "tensorflowTracer:bfc_chunks_stats"
  StringId allocator = kNone;
  uint32_t process = 0;
  int64_t samples = 0;
  std::vector<Field> fields;
};

struct LogLine {
  int64_t time = 0;
  StringId text = kNone;
  ThreadId thread = 0;
  StringId logger = kNone;
  int64_t level = 0;
};

// The sum of the ranges of one kind.
struct RangeSum {
  StringId kind = kNone;  // "inline_ready"
  CallSum sum;
  int64_t bytes = 0;  // that they moved
};

struct TraceFacts {
  StringPool names;
  std::vector<ThreadFacts> threads;
  std::vector<ProcessFacts> processes;
  uint64_t num_events = 0;
  int64_t first = 0, last = 0;
  std::map<std::string, uint64_t> events;   // by name
  std::map<std::string, uint64_t> unknown;  // those that no row describes

  std::vector<SessionRun> sessions;
  std::vector<SessionRun> open_sessions;
  uint64_t session_ends_without_start = 0;

  std::vector<Interval> ops, async_ops;
  // Of calls, those that may launch work; of ranges, those in which an op may
  // begin ("inline_ready").
  std::vector<Interval> calls, ranges;
  std::vector<RangeSum> range_sums;
  // The sums of all calls, by provider and name.
  std::map<std::pair<StringId, StringId>, CallSum> call_sums;
  std::map<StringId, uint64_t> unfinished_ops, op_ends_without_start;
  uint64_t unfinished_async = 0, async_ends_without_start = 0;

  std::vector<Activity> activities;
  std::vector<Activity> commands;  // of tfprof's own events
  std::vector<ClockPair> clock_pairs;
  uint64_t untimed_commands = 0;  // whose device did not tell when they ran
  uint64_t unpaired_activity_events = 0;
  std::vector<int64_t> callbacks;
  // Launches of kernels that are no calls; `place` is the queue.
  std::vector<Interval> launches;

  std::vector<Series> series;
  std::vector<CounterSet> counter_sets;
  // Names of kernels, by process and object; the last one of several.
  std::map<std::pair<uint32_t, StringId>, StringId> object_names;
  std::vector<AllocatorState> allocator_states;
  Transfers transfers;
  std::vector<LogLine> logs;
  std::vector<std::string> notes;  // of the recorder, for people
};

// `cancellation` may be null.
TraceFacts CollectFacts(const TraceFiles& files,
                        const Cancellation* cancellation, ImportLog& log);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_TRACE_FACTS_H_
