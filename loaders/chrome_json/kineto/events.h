// The events of one Kineto file, as plain tables.
//
// Times are nanoseconds as in the file, relative to any origin. Strings are ids
// in the profile's pool. Events are in the order of the file. The tables exist
// only while the file is loaded.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_EVENTS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_EVENTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/chrome_json/event_source.h"
#include "loaders/chrome_json/kineto/category.h"
#include "loaders/core/input_file.h"
#include "profile/details.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/counters.h"
#include "profile/tables/lanes.h"
#include "profile/tables/node_table.h"
#include "profile/tables/scopes.h"
#include "profile/tables/string_pool.h"

namespace tfprof::kineto {

// An operator, a named range or a launch, on a thread of the host.
struct HostEvent {
  int64_t start = 0;
  int64_t duration = 0;
  uint64_t offset = 0;      // of a launch; 0: none
  int64_t correlation = 0;  // of a launch; 0: none
  profile::StringId name = profile::kNone;
  uint32_t thread = 0;  // in KinetoEvents::threads
  uint32_t dims = 0;    // hash of the input shapes; 0: unknown
  KinetoCategory category = KinetoCategory::kOp;
  // Overlaps the other events of its thread.
  bool async = false;
  // A named part of the program, not an operator.
  bool is_range = false;

  int64_t end() const { return start + duration; }
};

// A call of a Python function.
struct PythonEvent {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t name = 0;       // in PythonNames
  int32_t call_line = -1;  // line of the call in the caller; -1: unknown
  uint32_t thread = 0;
};

// A kernel, copy or other event on a stream of an accelerator.
struct DeviceEvent {
  int64_t start = 0;
  int64_t duration = 0;
  uint64_t offset = 0;
  int64_t correlation = 0;  // 0: none
  profile::StringId name = profile::kNone;
  uint32_t lane = 0;  // in KinetoEvents::device_lanes
};

// An event that is only shown on its lane.
struct OtherEvent {
  int64_t start = 0;
  int64_t duration = 0;
  uint64_t offset = 0;
  profile::StringId name = profile::kNone;
  profile::StringId category = profile::kNone;
  uint32_t thread = 0;
};

// A change of the memory in use.
struct KinetoMemory {
  int64_t time = 0;
  int64_t bytes = 0;  // negative: released
  uint32_t thread = 0;
};

// An end of an arrow from an operator to its gradient.
struct KinetoFlowEnd {
  int64_t id = 0;
  int64_t time = 0;
  uint32_t thread = 0;
  bool begins = false;
};

// An operator. Its gradient has the same sequence number.
struct SequenceNumber {
  int64_t number = 0;
  uint32_t host = 0;  // in KinetoEvents::host
  bool backward = false;
};

struct HostThread {
  std::string pid;
  std::string tid;
  profile::StringId name = profile::kNone;
};

struct DeviceLane {
  int64_t device = 0;
  int64_t stream = 0;  // or Lane::kUnnumberedStream
  profile::LaneKind kind = profile::LaneKind::kOther;
  friend auto operator<=>(const DeviceLane&, const DeviceLane&) = default;
};

struct CounterSeries {
  std::string name;
  bool of_accelerator = false;  // PyTorch's memory; `name` begins with a label
  profile::StringId unit = profile::kNone;
  std::vector<profile::CounterSample> samples = {};
};

// What was joined to a file from another recording (joined_work.h).
struct JoinedWork {
  // Of the records whose offset has this bit; the other bits are an offset of
  // the reader.
  static constexpr uint64_t kOffsetBit = uint64_t{1}
                                         << (profile::kOffsetBits - 1);
  std::string path;
  std::shared_ptr<const profile::DetailReader> details;
  // How the clocks were related, for the log.
  std::string how;
  // Of each event of the host before the calls: the other recording has it too.
  std::vector<bool> in_both;
  // The calls are the last events of the host. For each one the
  // innermost event around it of those that both recordings have, as the other
  // recording says; kNone: none.
  std::vector<uint32_t> around;
  int64_t left_out = 0;        // work outside of the time of the file
  int64_t left_out_nanos = 0;  // its duration
  int64_t replaced = 0;        // work of the file itself, which is left out
};

struct KinetoEvents {
  std::shared_ptr<const loaders::InputFile> file;
  // Of the events, unless they are the text of the file.
  std::shared_ptr<chrome_json::EventSource> source;
  std::vector<HostEvent> host;
  std::vector<PythonEvent> python;
  std::vector<DeviceEvent> device;
  std::vector<OtherEvent> other;
  std::vector<KinetoMemory> memory;
  std::vector<KinetoFlowEnd> flows;
  std::vector<SequenceNumber> sequence;
  std::vector<CounterSeries> counters;
  // (index of a host event, its own stack or scope), ascending.
  std::vector<std::pair<uint32_t, profile::StackId>> call_stacks;
  std::vector<std::pair<uint32_t, profile::ScopeId>> hierarchies;
  // (index of a launch, name of the kernel that it starts), ascending. Only
  // traces of AMD have it.
  std::vector<std::pair<uint32_t, profile::StringId>> launched_kernels;
  // (index of a device event, name that the program gave to its node of a
  // graph), ascending.
  std::vector<std::pair<uint32_t, profile::StringId>> node_names;

  std::vector<HostThread> threads;
  std::string accelerator = "gpu";  // the kind of its devices: "mtia"
  std::vector<DeviceLane> device_lanes;
  // When the recording ended, if the file says so.
  std::optional<int64_t> recorded_until;
  std::optional<JoinedWork> joined;
  bool cut = false;  // the text of the file ends too early
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_EVENTS_H_
