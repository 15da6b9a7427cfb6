// EventScanner: the trace events of a file in Chrome's JSON format.
//
//   EventScanner scanner(file.bytes());
//   TraceEvent event;
//   while (scanner.Next(event)) { … event.name … event.args … }
//   for (const TopMember& member : scanner.members()) … what is beside them
//
// A file is an object whose member "traceEvents" is an array of events, or
// that array itself. Members beside it may come before and after; their values
// are skipped and are known by their place. Events come in the order of the
// file, with all that they say as text: nothing is decoded, allocated or
// interpreted, and what is not a member of TraceEvent is skipped.
//
// Damage: torch wrote names with unescaped quotes, backslashes and line feeds,
// and killed programs leave the file open. An event that is not JSON is read
// again: its strings then end at a quote behind which the next member or the
// next event begins. Where that fails the event is dropped, and reading goes on
// at the next one. Each such event is in damage(), with its byte. Rereading is
// limited: a file that is nearly all damage is given up (gave_up()), so that
// the time stays proportional to the size.
//
// In such a text no event can be found without all those before it. But what
// looks like the beginning of an event mostly is one: other threads can read
// ahead from there, and when the scanner arrives at the very place, what they
// have read are its next events. event_pieces.h does so.
//
// Offsets are bytes from the beginning of the text. The text must outlive the
// scanner and its events.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/json_reader.h"

namespace tfprof {

// One event. Texts are empty where it does not say it; those of strings are
// without quotes and with their escapes (DecodeJsonString).
struct TraceEvent {
  char phase = 0;             // of "ph"; 0: none
  std::string_view category;  // "cat"
  std::string_view name;
  std::string_view pid;  // a number or a string: "12", "stream 7"
  std::string_view tid;
  std::string_view timestamp;  // "ts"
  std::string_view duration;   // "dur"
  std::string_view id;         // "id", or "id2" with its braces
  std::string_view scope;      // "s" of an instant
  std::string_view bind;       // "bp" of a flow: "e"
  std::string_view args;       // the object, with its braces
  std::string_view text;       // the whole event
  uint64_t offset = 0;         // of `text`
};

// A member of the object beside "traceEvents".
struct TopMember {
  std::string_view key;
  std::string_view value;  // its text: strings with their quotes
};

// Events that were read ahead of the scanner.
struct EventsAhead {
  std::vector<TraceEvent> events;
  size_t begin = 0;  // of the first
  size_t end = 0;    // behind the last
};

class EventScanner {
 public:
  // What is remembered of damage, and of members.
  static constexpr size_t kMaxTexts = 8;
  static constexpr size_t kMaxMembers = 256;

  explicit EventScanner(std::string_view text);

  // Goes to the next event. False: there is none.
  bool Next(TraceEvent& event);

  // Reads the events that begin at `begin` to `end` - 1, from the first place
  // that looks like the beginning of one, up to damage. May run on any thread.
  EventsAhead ReadAhead(size_t begin, size_t end) const;
  // If the next event is the first one of `ahead`, goes behind its last one;
  // else false.
  bool SkipBehind(const EventsAhead& ahead);

  // The file is an object or an array of objects that has events, or could
  // have: "[" and "{}" too. Known after the first Next().
  bool has_events() const { return has_events_; }

  // After Next() was false: all of them, in the order of the file.
  const std::vector<TopMember>& members() const { return members_; }

  // Events that were dropped, and those that were read around damage.
  int64_t dropped_events() const { return dropped_; }
  int64_t repaired_events() const { return repaired_; }
  // The first of both: "byte 115: expected ',' or '}', found 'q'".
  const std::vector<std::string>& damage() const { return damage_; }
  // Something is missing at the end of the file, which is not in damage().
  bool truncated() const { return truncated_; }
  // The bytes behind this offset were not read; npos: all were.
  size_t gave_up_at() const { return gave_up_at_; }
  // The bytes that were read so far, and all.
  size_t offset() const { return reader_.offset(); }
  size_t size() const { return text_.size(); }

 private:
  enum class Place { kStart, kMembers, kEvents, kEnd };

  // Reads ahead, from an event at `begin`.
  EventScanner(std::string_view text, size_t begin, bool bare_array);

  int64_t Depth() const;
  bool FindEvents();
  bool ReadEvent(TraceEvent& event);
  void RepairCutEvent(size_t begin, TraceEvent& event);
  bool Recover(size_t begin, TraceEvent& event);
  bool Stop();
  void Finish();

  std::string_view text_;
  JsonReader reader_;
  Place place_ = Place::kStart;
  const bool bare_array_;  // the text is no object
  // Ends where something is not as usual.
  const bool reads_ahead_ = false;
  bool has_events_ = false;
  bool truncated_ = false;
  int64_t dropped_ = 0;
  int64_t repaired_ = 0;
  size_t reread_ = 0;  // bytes that were read again
  size_t gave_up_at_ = std::string_view::npos;
  std::vector<TopMember> members_;
  std::vector<std::string> damage_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_SCANNER_H_
