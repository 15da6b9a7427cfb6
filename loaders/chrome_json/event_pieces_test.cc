#include "loaders/chrome_json/event_pieces.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "util/run/cancellation.h"

namespace tfprof::chrome_json {
namespace {
namespace event_pieces_test {

// The complete output of a scanner.
struct Found {
  std::vector<std::tuple<std::string, uint64_t, std::string>> events;
  int64_t dropped = 0, repaired = 0;
  std::vector<std::string> damage;
  std::vector<std::string> members;
  bool truncated = false, has_events = false;
  size_t gave_up_at = 0;

  void Add(const TraceEvent& event) {
    events.emplace_back(event.name, event.offset, event.text);
  }
  void AddRest(const EventScanner& scanner) {
    dropped = scanner.dropped_events();
    repaired = scanner.repaired_events();
    damage = scanner.damage();
    for (const TopMember& member : scanner.members()) {
      members.emplace_back(member.key).append(member.value);
    }
    truncated = scanner.truncated();
    has_events = scanner.has_events();
    gave_up_at = scanner.gave_up_at();
  }
  friend bool operator==(const Found&, const Found&) = default;
};

Found FindAlone(std::string_view text) {
  EventScanner scanner(text);
  Found found;
  TraceEvent event;
  while (scanner.Next(event)) found.Add(event);
  found.AddRest(scanner);
  return found;
}

Found FindInPieces(std::string_view text, size_t piece, int threads) {
  EventScanner scanner(text);
  Found found;
  size_t bytes = 0;
  VisitEvents(
      scanner, util::TaskOptions{.threads = threads},
      [&](const TraceEvent& event) { found.Add(event); },
      [&](size_t read) { bytes += read; }, piece);
  EXPECT_EQ(bytes, text.size());
  found.AddRest(scanner);
  return found;
}

void ExpectTheSame(const std::string& text) {
  const Found alone = FindAlone(text);
  for (const size_t piece : {1, 7, 40, 97, 300, 1000, 1 << 16}) {
    for (const int threads : {1, 3}) {
      EXPECT_EQ(FindInPieces(text, piece, threads), alone)
          << "pieces of " << piece << ":\n"
          << text;
    }
  }
}

constexpr std::string_view kPlain =
    R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": [1, 2]}})";
// The arguments of this event look like events.
constexpr std::string_view kNested =
    R"({"ph":"X","name":"b","ts":2,"args":{"of":[{"ph":"X","name":"inner"},
  {"ph":"X","name":"inner","ts":9}, {"ph":"X","name":"inner","ts":9}]}})";
constexpr std::string_view kText =
    R"({"ph":"X","name":"c }, {\"ph\": \"X\", [", "ts": 3})";

std::string Join(const std::vector<std::string_view>& events) {
  std::string text = R"({"before": [{"ph": "X"}], "traceEvents": [)";
  for (size_t i = 0; i < events.size(); ++i) {
    text.append(i == 0 ? "" : ",\n  ").append(events[i]);
  }
  return text.append(R"(], "behind": {"ph": "X", "ts": 5}})");
}

TEST(VisitEventsTest, FindsWhatTheScannerFindsAlone) {
  ExpectTheSame("");
  ExpectTheSame("[]");
  ExpectTheSame("{}");
  ExpectTheSame(R"({"traceEvents": 7})");
  ExpectTheSame(Join({}));
  ExpectTheSame(Join({kPlain}));
  ExpectTheSame(Join({kPlain, kNested, kText, kPlain}));
  ExpectTheSame("[" + std::string(kPlain) + ", " + std::string(kNested) + "]");
  ExpectTheSame(Join({kPlain, "{}", "8", "[]", kNested, "{ }", kPlain}));
  // The text has the same member twice.
  std::string twice = Join({kPlain, kText});
  twice.back() = ',';
  ExpectTheSame(twice + Join({kNested, kPlain}).substr(1));
}

TEST(VisitEventsTest, DamageIsThatOfTheScannerAlone) {
  ExpectTheSame(Join({kPlain, R"({"ph":"X","name":"a "q" b","ts":1})", kText}));
  ExpectTheSame(Join({kPlain, R"({"ph":"X","name":"a"}, "b","ts":1})", kText}));
  ExpectTheSame(Join({kPlain, R"({"ph":"X","name":)", kNested, kPlain}));
  ExpectTheSame(Join({R"({"ph":"X","args":[{"ts":[)", kNested, kPlain}));
  std::string bomb = "[";
  for (int i = 0; i < 500; ++i) bomb += R"({"ph":"X","args":[{"ts":[,)";
  ExpectTheSame(bomb);
}

TEST(VisitEventsTest, EveryTruncation) {
  const std::string text = Join({kPlain, kNested, kText});
  for (size_t size = 0; size < text.size(); ++size) {
    ExpectTheSame(text.substr(0, size));
  }
}

TEST(VisitEventsTest, RandomChanges) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = R"("{}[],:\ax1 )";
  const std::string text =
      Join({kPlain, kNested, kText, kPlain, kPlain, kNested, kText});
  for (int round = 0; round < 300; ++round) {
    std::string changed = text;
    for (unsigned i = 0; i <= random() % 3; ++i) {
      const size_t at = random() % changed.size();
      switch (random() % 3) {
        case 0:
          changed[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          changed.erase(at, 1 + random() % 9);
          break;
        case 2:
          changed.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
      }
    }
    ExpectTheSame(changed);
  }
}

TEST(VisitEventsTest, StopsAfterACancellation) {
  util::Cancellation cancellation;
  cancellation.Request();
  const std::string text = Join({kPlain});
  EventScanner scanner(text);
  VisitEvents(
      scanner, util::TaskOptions{.threads = 2, .cancellation = &cancellation},
      [](const TraceEvent&) { ADD_FAILURE(); }, [](size_t) { ADD_FAILURE(); });
}

// After a wrong guess, no piece may read on to the end of the text.
TEST(VisitEventsTest, WrongGuessesTakeLinearTime) {
  std::string text = R"([{"ph":"X","name":"a","ts":1,"args":{"x":[)";
  for (int i = 0; i < 300'000; ++i) text += R"({"ph":"X","args":[1,2]}, )";
  text += "0]}}]";
  EXPECT_EQ(FindInPieces(text, 1 << 12, 2).events.size(), 1u);
}

}  // namespace event_pieces_test
}  // namespace
}  // namespace tfprof::chrome_json
