#include "loaders/chrome_json/event_account.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "loaders/chrome_json/event_scanner.h"
#include "util/json/json_reader.h"

namespace tfprof::chrome_json {
namespace {

// How many events are handled between two checks for a cancellation.
constexpr int64_t kEventsBetweenChecks = 1 << 14;

// The members that SetEventMember() stores.
constexpr std::string_view kUsed[] = {
    "ph", "cat", "name", "pid", "tid",     "ts",      "dur",     "args",
    "id", "id2", "s",    "bp",  "bind_id", "flow_in", "flow_out"};

class Accountant {
 public:
  explicit Accountant(std::string_view text) : text_(text), scanner_(text) {}

  loaders::ByteAccount Run(const util::Cancellation* cancellation) {
    TraceEvent event;
    int64_t events = 0;
    while (scanner_.Next(event)) {
      if (++events % kEventsBetweenChecks == 0 &&
          util::IsCancelled(cancellation)) {
        return account_;
      }
      AddBetween(event.offset);
      if (scanner_.repaired_events() > repaired_) {
        account_.repaired += static_cast<int64_t>(event.text.size());
      } else {
        AddEvent(event.text);
      }
      at_ += event.text.size();
      NoteState();
    }
    AddEnd();
    return account_;
  }

 private:
  // The bytes that are not spaces are added to `to`.
  void Add(size_t end, int64_t& to) {
    if (end <= at_) return;
    const int64_t spaces = util::CountJsonSpaces(text_.substr(at_, end - at_));
    account_.white_space += spaces;
    to += static_cast<int64_t>(end - at_) - spaces;
    at_ = end;
  }
  // All bytes are damaged, also the spaces: nobody knows where strings begin.
  void AddDamaged(size_t end) {
    if (end <= at_) return;
    account_.damaged += static_cast<int64_t>(end - at_);
    at_ = end;
  }

  void NoteState() {
    repaired_ = scanner_.repaired_events();
    dropped_ = scanner_.dropped_events();
    texts_ = scanner_.damage().size();
  }
  // Whether the scanner met damage for which no event was repaired.
  bool HasLost() const {
    return scanner_.dropped_events() > dropped_ ||
           (scanner_.damage().size() > texts_ &&
            scanner_.repaired_events() == repaired_);
  }

  // Adds what is between two events: a comma, the beginning of the text, or
  // events that were dropped.
  void AddBetween(size_t end) {
    if (HasLost()) {
      AddDamaged(end);
    } else {
      Add(end, account_.read);
    }
  }

  void AddEvent(std::string_view event) {
    int64_t spaces = util::CountJsonSpaces(event), unused = 0;
    util::JsonReader r(event);
    std::string_view key, value;
    for (bool in = r.EnterObject(); in && r.NextMember(key);) {
      // The member begins with the quote of its key.
      const auto begin = static_cast<size_t>(key.data() - event.data()) - 1;
      if (!r.ReadScalar(value)) r.Skip();
      if (std::ranges::find(kUsed, key) != std::end(kUsed)) continue;
      const std::string_view member = event.substr(begin, r.offset() - begin);
      unused +=
          static_cast<int64_t>(member.size()) - util::CountJsonSpaces(member);
    }
    account_.white_space += spaces;
    account_.unused += unused;
    account_.read += static_cast<int64_t>(event.size()) - spaces - unused;
  }

  // Adds what is behind the last event.
  void AddEnd() {
    if (scanner_.gave_up_at() == text_.npos && scanner_.truncated()) {
      // A comma may follow the last event; the rest is a part of the next one.
      const size_t next = text_.find_first_not_of(" \t\r\n,", at_);
      Add(std::min(next, text_.size()), account_.read);
    } else if (scanner_.gave_up_at() == text_.npos && !HasLost()) {
      const size_t behind = std::min(scanner_.text_behind(), text_.size());
      Add(behind, scanner_.has_events() ? account_.read : account_.damaged);
    }
    AddDamaged(text_.size());
  }

  const std::string_view text_;
  EventScanner scanner_;
  loaders::ByteAccount account_;
  size_t at_ = 0;  // all bytes before it are added
  // Of the scanner, after the last event.
  int64_t repaired_ = 0, dropped_ = 0;
  size_t texts_ = 0;
};

}  // namespace

loaders::ByteAccount AccountEvents(std::string_view text,
                                   const util::Cancellation* cancellation) {
  return Accountant(text).Run(cancellation);
}

}  // namespace tfprof::chrome_json
