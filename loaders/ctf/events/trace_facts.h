// TraceFacts: the facts in the events of a load, paired and in plain tables.
//
// Begins and ends become intervals: ops on a stack for each thread, calls and
// ranges likewise, asynchronous ops first in, first out for each (process,
// placement, name), sessions by number. An end closes the topmost open op with
// its name; ops above it never ended. Begins and ends without a partner are
// counted, and are not errors.
//
// Times are nanoseconds since 1970, except that activities use the clock of
// their device (Activity::clock). Names are ids in `names`.

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

#include "loaders/core/import_log.h"
#include "loaders/ctf/events/event_schema.h"
#include "loaders/ctf/events/transfers.h"
#include "loaders/ctf/packets/trace_files.h"
#include "profile/tables/string_pool.h"
#include "util/run/cancellation.h"

namespace tfprof::ctf {

using ThreadId = uint32_t;  // index in TraceFacts::threads

struct ThreadFacts {
  profile::StringId host = profile::kNone;
  int64_t process = -1;  // of the operating system
  int64_t thread = -1;
  profile::StringId program = profile::kNone;
  uint32_t process_index = 0;  // in TraceFacts::processes
};

struct ProcessFacts {
  profile::StringId host = profile::kNone;
  int64_t process = -1;
  profile::StringId program = profile::kNone;
};

struct Interval {
  int64_t begin = 0, end = 0;
  profile::StringId name = profile::kNone;
  profile::StringId place =
      profile::kNone;   // of ops: the device; of calls: the provider
  ThreadId thread = 0;  // where it began
  profile::StringId type = profile::kNone;  // of ops, if the trace has it
  int64_t step = -1;                        // of ops; -1: the step at its time
};

// The sum of the durations of all calls of a name.
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

// A run of a TensorFlow session, which becomes a step of the profile.
struct SessionRun {
  uint32_t process = 0;
  int64_t count = 0;
  int64_t begin = 0, end = 0;
  profile::StringId name = profile::kNone;
};

// A piece of work of a device.
struct Activity {
  static constexpr int64_t kNoTime = INT64_MIN;

  int64_t queued = kNoTime, submitted = kNoTime;
  int64_t begin = kNoTime, end = kNoTime;
  profile::StringId name = profile::kNone;
  profile::StringId provider = profile::kNone;    // "openclTracer"
  profile::StringId annotation = profile::kNone;  // the op, if the trace has it
  ThreadId thread = 0;                            // the thread that recorded it
  DeviceWork work = DeviceWork::kKernel;
  DeviceClock clock = DeviceClock::kEvent;
  int64_t bytes = 0;
  // The thread that launched the work, and when, if the command has them.
  int64_t launch_thread = -1;
  int64_t entry = kNoTime, exit = kNoTime;
  profile::StringId queue = profile::kNone;
  profile::StringId device =
      profile::kNone;       // "opencl:1"; each device has its own clock
  int64_t correlation = 0;  // of the call that launched it; 0: none
};

// A reading of a device clock, between two times of the host.
struct ClockPair {
  uint32_t process = 0;
  profile::StringId device = profile::kNone;
  int64_t host_before = 0, device_time = 0, host_after = 0;
};

struct Sample {
  int64_t time = 0;
  double value = 0;
};
struct Series {
  profile::StringId name = profile::kNone;
  profile::StringId unit = profile::kNone;
  uint32_t process = 0;
  bool is_change = false;
  std::vector<Sample> samples;
  uint64_t releases = 0;  // the number of releases
};

// The values of the counters of a device for one kernel.
struct CounterSet {
  struct Count {
    profile::StringId counter = profile::kNone;
    double value = 0;
    bool is_real = false;  // the trace has a real number
  };
  int64_t time = 0;  // of its first event
  uint32_t process = 0;
  profile::StringId object = profile::kNone;  // of the kernel, in decimal
  profile::StringId name = profile::kNone;    // of its last launch before
  std::array<int64_t, 3> workgroup = {}, grid = {};
  int64_t group_segment = 0, private_segment = 0;  // bytes
  std::vector<Count> counts;
};

// The values of an allocator from events of one kind.
struct AllocatorState {
  struct Field {
    profile::StringId name = profile::kNone;
    int64_t last = 0, most = 0;
  };
  profile::StringId event =
      profile::kNone;  // "tensorflowTracer:bfc_chunks_stats"
  profile::StringId allocator = profile::kNone;
  uint32_t process = 0;
  int64_t samples = 0;
  std::vector<Field> fields;
};

struct LogLine {
  int64_t time = 0;
  profile::StringId text = profile::kNone;
  ThreadId thread = 0;
  profile::StringId logger = profile::kNone;
  int64_t level = 0;
};

// The sum of all ranges of one kind.
struct RangeSum {
  profile::StringId kind = profile::kNone;  // "inline_ready"
  CallSum sum;
  int64_t bytes = 0;  // bytes that they moved
};

struct TraceFacts {
  profile::StringPool names;
  std::vector<ThreadFacts> threads;
  std::vector<ProcessFacts> processes;
  uint64_t num_events = 0;
  int64_t first = 0, last = 0;
  std::map<std::string, uint64_t> events;   // by name
  std::map<std::string, uint64_t> unknown;  // without a row in the schema

  std::vector<SessionRun> sessions;
  std::vector<SessionRun> open_sessions;
  uint64_t session_ends_without_start = 0;

  std::vector<Interval> ops, async_ops;
  // Calls that may launch work, and ranges in which an op may begin
  // ("inline_ready").
  std::vector<Interval> calls, ranges;
  // What threads did beside ops: all calls of device interfaces, and the ranges
  // that a program or a framework named. On one thread they are nested.
  std::vector<Interval> host_calls;
  std::vector<RangeSum> range_sums;
  // The sums of all calls, by provider and name.
  std::map<std::pair<profile::StringId, profile::StringId>, CallSum> call_sums;
  std::map<profile::StringId, uint64_t> unfinished_ops, op_ends_without_start;
  uint64_t unfinished_async = 0, async_ends_without_start = 0;

  std::vector<Activity> activities;
  std::vector<Activity> commands;  // from tfprof's own events
  std::vector<ClockPair> clock_pairs;
  uint64_t untimed_commands = 0;  // the device gave no times for them
  uint64_t unpaired_activity_events = 0;
  std::vector<int64_t> callbacks;
  // Launches of kernels that are not calls; `place` is the queue.
  std::vector<Interval> launches;

  std::vector<Series> series;
  std::vector<CounterSet> counter_sets;
  // Names of kernels, by process and object. The last name wins.
  std::map<std::pair<uint32_t, profile::StringId>, profile::StringId>
      object_names;
  std::vector<AllocatorState> allocator_states;
  Transfers transfers;
  std::vector<LogLine> logs;
  std::vector<std::string> notes;  // messages of the recorder
};

// `cancellation` may be null.
TraceFacts CollectFacts(const TraceFiles& files,
                        const util::Cancellation* cancellation,
                        loaders::ImportLog& log);

// Notes the bytes of events that nothing uses, and of damaged ones, for an
// account. Incomplete after a cancellation.
void NoteEvents(const PacketStream& stream,
                const util::Cancellation* cancellation, loaders::ImportLog& log,
                StreamNotes& notes);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_TRACE_FACTS_H_
