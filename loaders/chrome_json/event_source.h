// EventSource: trace events that are not the text of a file in Chrome's JSON.
//
// A loader of another format gives its events to the loaders of this folder
// one by one, in the form in which EventScanner gives them. So no text of a
// whole trace is made in memory.
//
// Visit() may be called once and may free what it gave away. Problems are in
// the log of the one who made the source.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_SOURCE_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_SOURCE_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "loaders/chrome_json/event_scanner.h"
#include "loaders/core/input_file.h"
#include "profile/details.h"

namespace tfprof::chrome_json {

class EventSource {
 public:
  virtual ~EventSource() = default;

  // Calls add(event) for each event. Its views are valid during the call;
  // those of category, pid and tid are valid as long as the source, and equal
  // texts are equal views. `offset` is the record of the event for Details(),
  // and never 0. `text` is empty; times are in `nanos`. A source for the loader
  // of Kineto may leave out arguments that kineto::ReadsArgument() refuses.
  virtual void Visit(const std::function<void(const TraceEvent&)>& add) = 0;
  // Returns a reader of the records.
  virtual std::shared_ptr<const profile::DetailReader> Details() const = 0;
};

// What a loader reads: the text of a file, or the events of a source.
struct TraceInput {
  // With a source only its path is used.
  std::shared_ptr<const loaders::InputFile> file;
  std::shared_ptr<EventSource> source = nullptr;
};

inline std::vector<TraceInput> InputsOf(
    std::span<const std::shared_ptr<const loaders::InputFile>> files) {
  std::vector<TraceInput> inputs;
  inputs.reserve(files.size());
  for (const auto& file : files) inputs.push_back({.file = file});
  return inputs;
}

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_SOURCE_H_
