#include "loaders/chrome_json/event_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loaders/chrome_json/event_repair.h"

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kEventsKey = "traceEvents";
// The depths of the array of events, for JsonReader::ContinueAt.
constexpr int64_t kBareDepth = 1;
constexpr int64_t kMemberDepth = 2;
// The limit of bytes that may be read again: this, plus kRereadsPerByte for
// each byte of the file.
constexpr size_t kFreeRereads = 1 << 20;
constexpr size_t kRereadsPerByte = 8;
// How far an event may extend beyond the bytes that are read ahead.
constexpr size_t kMostAhead = 1 << 16;
// Most events are longer.
constexpr size_t kUsualBytes = 128;

}  // namespace

EventScanner::EventScanner(std::string_view text)
    : text_(text),
      reader_(text),
      bare_array_(util::JsonReader(text).Peek() ==
                  util::JsonReader::Kind::kArray) {}

EventScanner::EventScanner(std::string_view text, size_t begin, bool bare_array)
    : text_(text),
      reader_(text),
      place_(Place::kEvents),
      bare_array_(bare_array),
      reads_ahead_(true) {
  reader_.ContinueAt(begin, Depth(), /*after_value=*/false);
}

int64_t EventScanner::Depth() const {
  return bare_array_ ? kBareDepth : kMemberDepth;
}

EventsAhead EventScanner::ReadAhead(size_t begin, size_t end) const {
  EventsAhead ahead;
  // Events are short. Without a limit, a string or an array after a wrong guess
  // could go on to the end of the text.
  const std::string_view text = text_.substr(0, end + kMostAhead);
  // The search starts at the end of the event before.
  const size_t first = FindNextEvent(text, begin == 0 ? 0 : begin - 1);
  if (first >= std::min(end, text.size())) return ahead;
  ahead.begin = ahead.end = first;
  ahead.events.reserve((end - begin) / kUsualBytes);
  EventScanner scanner(text, first, bare_array_);
  while (scanner.offset() < end && scanner.Next(ahead.events.emplace_back())) {
    ahead.end = scanner.offset();
  }
  if (ahead.end < end) ahead.events.pop_back();
  ahead.repaired = scanner.repaired_;
  ahead.damage = std::move(scanner.damage_);
  return ahead;
}

bool EventScanner::SkipBehind(const EventsAhead& ahead) {
  if (ahead.events.empty() || place_ != Place::kEvents) return false;
  util::JsonReader reader = reader_;
  if (!reader.NextElement()) return false;
  reader.Peek();
  if (reader.offset() != ahead.begin || reader.deviations() > 0) return false;
  repaired_ += ahead.repaired;
  for (const std::string& damage : ahead.damage) AddDamage(damage);
  reader_.ContinueAt(ahead.end, Depth(), /*after_value=*/true);
  return true;
}

bool EventScanner::Next(TraceEvent& event) {
  while (true) {
    switch (place_) {
      case Place::kStart:
        if (reader_.EnterArray()) {
          has_events_ = true;
          place_ = Place::kEvents;
        } else if (reader_.EnterObject()) {
          place_ = Place::kMembers;
        } else {
          place_ = Place::kEnd;
        }
        break;
      case Place::kMembers:
        if (FindEvents()) {
          place_ = Place::kEvents;
        } else if (reader_.damaged()) {
          place_ = Place::kEnd;
        } else {
          FinishWhole();
        }
        break;
      case Place::kEvents:
        if (reader_.NextElement()) {
          if (ReadEvent(event)) return true;
          break;
        }
        if (reads_ahead_) {
          place_ = Place::kEnd;
        } else if (reader_.damaged()) {
          const size_t begin = reader_.offset();
          if (reader_.truncated()) {
            Finish();
          } else if (Recover(begin, event)) {
            return true;
          }
        } else if (!bare_array_) {
          place_ = Place::kMembers;
        } else {
          FinishWhole();
        }
        break;
      case Place::kEnd:
        return false;
    }
  }
}

// Reads members up to the array of events, and enters it. Returns false if
// there is no further one.
bool EventScanner::FindEvents() {
  std::string_view key;
  while (reader_.NextDecodedMember(key)) {
    if (key == kEventsKey && reader_.EnterArray()) {
      has_events_ = true;
      return true;
    }
    const std::string_view value = reader_.Skip();
    if (members_.size() < kMaxMembers && !reader_.damaged()) {
      members_.push_back({std::string(key), value});
    }
  }
  if (!reader_.damaged()) return false;
  if (has_events_) {
    truncated_ = reader_.truncated();
    if (!truncated_) AddDamage(reader_.Describe());
    return false;
  }
  // The value of a member is damaged: look for the events after it.
  const std::string damage = reader_.Describe();
  std::string quoted = "\"";
  quoted.append(kEventsKey).append("\"");
  size_t at = text_.find(quoted);
  while (at != text_.npos) {
    util::JsonReader behind(text_, at + quoted.size());
    // A colon after the word shows that it is a key.
    const size_t colon = text_.find_first_not_of(" \t\r\n", behind.offset());
    if (colon != text_.npos && text_[colon] == ':') {
      util::JsonReader array(text_, colon + 1);
      if (array.EnterArray()) {
        damage_.push_back(damage);
        reader_.ContinueAt(array.offset(), kMemberDepth,
                           /*after_value=*/false);
        has_events_ = true;
        return true;
      }
    }
    at = text_.find(quoted, at + 1);
  }
  damage_.push_back(damage);
  truncated_ = reader_.truncated();
  return false;
}

// Reads the next element. Returns false if it is not an event; the reader is
// then behind it, or the scanner has finished.
bool EventScanner::ReadEvent(TraceEvent& event) {
  util::JsonReader& r = reader_;
  event = {};
  const util::JsonReader::Kind kind = r.Peek();
  const size_t begin = r.offset();
  if (kind != util::JsonReader::Kind::kObject) {
    if (reads_ahead_) return Stop();
    if (!r.Skip().empty()) {
      ++dropped_;
      AddDamage(fmt::format("byte {}: an event is not an object", begin));
      return false;
    }
    return Recover(begin, event);
  }
  r.EnterObject();
  std::string_view key, value;
  bool any = false;
  while (r.NextDecodedMember(key)) {
    any = true;
    if (!r.ReadScalar(value)) value = r.Skip();
    SetEventMember(key, value, event);
  }
  if (r.damaged()) return reads_ahead_ ? Stop() : Recover(begin, event);
  event.text = text_.substr(begin, r.offset() - begin);
  event.offset = begin;
  if (event.phase != 0 && event.phase != 'M' && event.timestamp.empty()) {
    if (reads_ahead_) return Stop();
    RepairCutEvent(begin, event);
  }
  if (r.deviations() > 0) CountDeviations();
  return any;
}

// A name with an unescaped quote before a brace looks like the end of the
// event, which then lacks its other members. Reads it again, up to the next
// event.
void EventScanner::RepairCutEvent(size_t begin, TraceEvent& event) {
  const size_t next = FindNextEvent(text_, begin + 1);
  reread_ += std::min(next, text_.size()) - begin;
  if (reread_ / kRereadsPerByte > text_.size() + kFreeRereads) return;
  TraceEvent longer;
  bool has_args = true;
  const size_t after = RepairEvent(text_, begin, next, longer, has_args);
  if (after == text_.npos || longer.text.size() <= event.text.size()) return;
  ++repaired_;
  if (!has_args) ++without_args_;
  AddDamage(fmt::format("byte {}: expected the end of a name, found '}}'",
                        reader_.offset() - 1));
  reader_.ClearDeviations();
  event = longer;
  reader_.ContinueAt(after, Depth(), /*after_value=*/true);
}

// Stops reading ahead; the scanner that follows reads the rest.
bool EventScanner::Stop() {
  place_ = Place::kEnd;
  return false;
}

// Continues after damage in the event at `begin`. Returns true if the event
// could be read.
bool EventScanner::Recover(size_t begin, TraceEvent& event) {
  std::string damage = reader_.Describe();
  const size_t next = FindNextEvent(text_, begin + 1);
  bool has_args = true;
  const size_t after = RepairEvent(text_, begin, next, event, has_args);
  const bool repaired = after != text_.npos;
  reread_ += reader_.offset() - std::min(begin, reader_.offset()) +
             std::min(next, text_.size()) - begin;
  ++(repaired ? repaired_ : dropped_);
  if (repaired && !has_args) ++without_args_;
  reader_.ClearDeviations();
  if (!repaired && next == text_.npos && reader_.truncated()) {
    damage = fmt::format("byte {}: the file ends inside an event", begin);
  }
  AddDamage(std::move(damage));
  const int64_t depth = Depth();
  if (next != text_.npos) {
    reader_.ContinueAt(next, depth, /*after_value=*/false);
  } else if (repaired) {
    reader_.ContinueAt(after, depth, /*after_value=*/true);
  } else {
    Finish();
  }
  if (reread_ / kRereadsPerByte > text_.size() + kFreeRereads) {
    gave_up_at_ = std::min(next, text_.size());
    Finish();
  }
  return repaired;
}

// Called when the JSON is complete.
void EventScanner::FinishWhole() {
  if (!reader_.AtEnd()) text_behind_ = reader_.offset();
  if (reader_.deviations() > 0) CountDeviations();
  place_ = Place::kEnd;
}

// Counts what the reader passed since the last event as one place.
void EventScanner::CountDeviations() {
  ++repaired_;
  AddDamage(reader_.DescribeDeviation());
  reader_.ClearDeviations();
}

void EventScanner::AddDamage(std::string damage) {
  if (damage_.size() < kMaxTexts) damage_.push_back(std::move(damage));
}

// Called when no event follows.
void EventScanner::Finish() {
  truncated_ |= reader_.truncated();
  place_ = Place::kEnd;
}

}  // namespace tfprof::chrome_json
