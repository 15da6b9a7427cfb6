// EventScanner: reads the trace events of a file in Chrome's JSON format.
//
//   EventScanner scanner(file.bytes());
//   TraceEvent event;
//   while (scanner.Next(event)) { … event.name … event.args … }
//   for (const TopMember& member : scanner.members()) … the other members …
//
// A file is an object whose member "traceEvents" is an array of events, or is
// that array itself. Other members may come before and after it; their values
// are skipped, and members() refers to them. Events come in the order of the
// file, with all their values as text: nothing is decoded, allocated or
// interpreted, and members that TraceEvent does not have are skipped.
//
// Damage: torch wrote names with unescaped quotes, backslashes and line feeds,
// and killed programs leave the file unfinished. An event that is not JSON is
// read again; its strings then end at a quote that is followed by the next
// member or the next event. If that fails, the event is dropped, and reading
// continues at the next one. Each such event is in damage(), with its byte.
// What is not JSON but can be understood (JsonReader: deviations), such as an
// extra comma, counts as repaired. Rereading is limited: the scanner gives up a
// file that is nearly all damage (gave_up_at()), so that the time stays
// proportional to the size.
//
// In such a text no event can be found for certain without all events before
// it. But most places that look like the beginning of an event are one. Other
// threads can read ahead from there; if the scanner arrives at exactly that
// place, their events are its next events. event_pieces.h does so.
//
// Offsets are bytes from the beginning of the text. The text must outlive the
// scanner and its events.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/json/json_reader.h"

namespace tfprof::chrome_json {

// One event. A text is empty if the event does not have it. Strings are without
// quotes, but with their escapes (DecodeJsonString).
struct TraceEvent {
  char phase = 0;             // of "ph"; 0: none
  bool flow_in = false;       // an arrow with bind_id ends at the slice
  bool flow_out = false;      // an arrow with bind_id begins at the slice
  std::string_view category;  // "cat"
  std::string_view name;
  std::string_view pid;  // a number or a string: "12", "stream 7"
  std::string_view tid;
  std::string_view timestamp;  // "ts"
  std::string_view duration;   // "dur"
  std::string_view id;         // "id", or "id2" with its braces
  std::string_view scope;      // "s" of an instant
  std::string_view bind;       // "bp" of a flow: "e"
  std::string_view bind_id;    // "bind_id" of a slice
  std::string_view args;       // the object, with its braces
  std::string_view text;       // the whole event
  uint64_t offset = 0;         // of `text`
  // From an EventSource, which knows them as numbers: nanoseconds in place of
  // the texts of the timestamp and the duration.
  struct Nanos {
    int64_t start = 0;
    int64_t duration = 0;
  };
  std::optional<Nanos> nanos;
  // From an EventSource: the arguments of these names, which `args` then lacks.
  // It may not know them as numbers; then they are in `args`.
  struct Numbers {
    std::optional<int64_t> correlation, device, stream;
  };
  Numbers numbers;
  bool in_bytes = false;  // from an EventSource: the unit of a counter
};

// A member beside "traceEvents" of the outer object.
struct TopMember {
  std::string key;
  std::string_view value;  // its text: strings with their quotes
};

// Events that another thread read ahead of the scanner.
struct EventsAhead {
  std::vector<TraceEvent> events;
  size_t begin = 0;  // of the first
  size_t end = 0;    // behind the last
  int64_t repaired = 0;
  std::vector<std::string> damage;
};

class EventScanner {
 public:
  // How much damage, and how many members, are kept.
  static constexpr size_t kMaxTexts = 8;
  static constexpr size_t kMaxMembers = 256;

  explicit EventScanner(std::string_view text);

  // Goes to the next event. Returns false if there is none.
  bool Next(TraceEvent& event);

  // Reads the events that begin from `begin` to `end` - 1, starting at the
  // first place that looks like the beginning of an event, up to damage. May
  // run on any thread.
  EventsAhead ReadAhead(size_t begin, size_t end) const;
  // If the next event is the first one of `ahead`, moves behind its last one
  // and returns true.
  bool SkipBehind(const EventsAhead& ahead);

  // The file is an object or an array that has events or could have some, such
  // as "[" or "{}". Valid after the first Next().
  bool has_events() const { return has_events_; }

  // Complete after Next() returned false; in the order of the file.
  const std::vector<TopMember>& members() const { return members_; }

  // Events that were dropped, and events that were read despite damage. Some of
  // the latter were read without their arguments.
  int64_t dropped_events() const { return dropped_; }
  int64_t repaired_events() const { return repaired_; }
  int64_t events_without_args() const { return without_args_; }
  // The first damage of both kinds: "byte 115: expected ',' or '}', found 'q'".
  const std::vector<std::string>& damage() const { return damage_; }
  // The end of the file is missing. damage() does not list this.
  bool truncated() const { return truncated_; }
  // The bytes from this offset on were not read; npos: all were. The second is
  // where other text follows the end of the JSON.
  size_t gave_up_at() const { return gave_up_at_; }
  size_t text_behind() const { return text_behind_; }
  // The text is an array, not an object.
  bool is_array() const { return bare_array_; }
  // The number of bytes read so far, and in total.
  size_t offset() const { return reader_.offset(); }
  size_t size() const { return text_.size(); }

 private:
  enum class Place { kStart, kMembers, kEvents, kEnd };

  // Makes a scanner that reads ahead from an event at `begin`.
  EventScanner(std::string_view text, size_t begin, bool bare_array);

  int64_t Depth() const;
  bool FindEvents();
  bool ReadEvent(TraceEvent& event);
  void RepairCutEvent(size_t begin, TraceEvent& event);
  bool Recover(size_t begin, TraceEvent& event);
  bool Stop();
  void Finish();
  void FinishWhole();
  void CountDeviations();
  void AddDamage(std::string damage);

  std::string_view text_;
  util::JsonReader reader_;
  Place place_ = Place::kStart;
  const bool bare_array_;  // the text is not an object
  // It stops at anything unusual.
  const bool reads_ahead_ = false;
  bool has_events_ = false;
  bool truncated_ = false;
  int64_t dropped_ = 0;
  int64_t repaired_ = 0;
  int64_t without_args_ = 0;
  size_t reread_ = 0;  // bytes that were read again
  size_t gave_up_at_ = std::string_view::npos;
  size_t text_behind_ = std::string_view::npos;
  std::vector<TopMember> members_;
  std::vector<std::string> damage_;
};

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_
