// Reads the events of a chrome trace of any tool as slices on tracks.
//
// A slice is something that ran from a start to an end: a complete event (X),
// or a begin and an end (B and E, of one thread; b and e, of one asynchronous
// operation). A track is a thread, or an asynchronous operation; slices of one
// track nest. Begins and ends are matched in the order of time, whatever their
// order in the file. A slice without an end lasts until the end of the trace,
// and an end without a begin is dropped.
//
// Times are nanoseconds since the earliest event; further digits are cut off.
// Names are ids in the strings of the profile; keys of processes, threads and
// operations are ids in `keys`. Only X and B events that give the location of
// their function have a frame. Damage is in the log of the load.
//
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_EVENTS_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_EVENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/chrome_json/chrome/chrome_pipeline.h"
#include "loaders/chrome_json/event_source.h"
#include "loaders/core/load_context.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/counters.h"
#include "profile/tables/lanes.h"
#include "profile/tables/links.h"

namespace tfprof::chrome_json {

struct ChromeSlice {
  int64_t start = 0;
  int64_t duration = 0;
  uint64_t offset = 0;  // of the event, in the file
  profile::StringId name = profile::kNone;
  // The operation that ran, if the event is named after the type of it.
  profile::StringId operation = profile::kNone;
  profile::FrameId frame = profile::kNone;
  uint32_t track = 0;
  // Index of ChromeEvents::pipeline; kNone: the slice has no such numbers.
  uint32_t pipeline = profile::kNone;
};

struct ChromeTrack {
  uint32_t process = 0;  // index of ChromeEvents::processes
  profile::StringId thread =
      profile::kNone;  // a key; kNone: the events have no thread
  bool asynchronous = false;
  profile::StringId category =
      profile::kNone;  // of an asynchronous operation, a key
  std::string name;    // of the thread
  // In a timeline that tfprof wrote: what the thread has.
  std::optional<profile::LaneKind> kind = std::nullopt;
};

struct ChromeProcess {
  profile::StringId key = profile::kNone;
  std::string name;
};

// An event without a duration.
struct ChromeInstant {
  int64_t time = 0;
  uint64_t offset = 0;
  profile::StringId name = profile::kNone;
  uint32_t track = 0;
};

// One end of an arrow. Points with the same id are in the order of time.
struct ChromeFlowPoint {
  int64_t time = 0;
  profile::StringId id = profile::kNone;  // a key
  uint32_t track = 0;
  // The arrow goes to the next slice that starts, not to the slice around it.
  bool to_next = false;
  profile::LinkKind kind = profile::LinkKind::kData;
};

// A step: a slice that has the argument step_num, or that tfprof wrote as a
// step, or, if there is none, one that is called step, train_step,
// training_step or iteration and has the argument step.
struct ChromeStep {
  int64_t number = 0;
  int64_t start = 0;
  int64_t end = 0;
  uint32_t process = 0;
  profile::StringId name = profile::kNone;
};

struct ChromeEvents {
  profile::StringPool keys;
  std::vector<ChromeProcess> processes;
  std::vector<ChromeTrack> tracks;
  std::vector<ChromeSlice> slices;  // in ascending track, then offset
  std::vector<ChromeInstant> instants;
  std::vector<ChromeFlowPoint> flows;
  std::vector<ChromeStep> steps;  // in ascending start
  std::vector<PipelineNumbers> pipeline;
  // Keyed by process and name.
  std::map<std::pair<uint32_t, std::string>,
           std::vector<profile::CounterSample>>
      counters;
  std::set<std::pair<uint32_t, std::string>> counters_in_bytes;
  bool has_frames = false;
  bool has_threads = false;  // some tracks are threads
  // The file is a Horovod timeline, in which a process is a tensor.
  bool is_horovod = false;
};

// Reads all events. The log of the context counts dropped events and damage;
// its builder gets names and frames.
ChromeEvents ReadChromeEvents(const TraceInput& input,
                              loaders::LoadContext& context);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_EVENTS_H_
