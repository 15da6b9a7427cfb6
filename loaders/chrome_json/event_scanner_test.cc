#include "loaders/chrome_json/event_scanner.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {
namespace event_scanner_test {

struct Scanned {
  std::vector<TraceEvent> events;
  EventScanner scanner;

  explicit Scanned(std::string_view text) : scanner(text) {
    TraceEvent event;
    while (scanner.Next(event)) events.push_back(event);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const TraceEvent& event : events) names.emplace_back(event.name);
    return names;
  }
};

using Names = std::vector<std::string>;

// Formats an event as torch 1.10 does.
std::string Event(std::string_view name, std::string_view ts) {
  std::string text = R"(
  {
    "ph": "X", "cat": "cpu_op",
    "name": ")";
  text.append(name).append(R"(", "pid": 5980, "tid": "5981",
    "ts": )");
  text.append(ts).append(R"(, "dur": 25,
    "args": {
       "External id": 2, "Input Dims": [[], [1, 2]]
    }
  })");
  return text;
}

std::string File(const std::vector<std::string>& events) {
  std::string text = R"({
  "schemaVersion": 1,
  "traceEvents": [)";
  for (size_t i = 0; i < events.size(); ++i) {
    text.append(i == 0 ? "" : ",").append(events[i]);
  }
  return text.append("\n  ],\"traceName\": \"x\"}");
}

TEST(EventScanner, AllThatAnEventSays) {
  const std::string text = R"([{"ph": "s", "cat": "a,b", "name": "n\"m",
    "pid": 1, "tid": "stream 7", "ts": 1.5, "dur": 2e3, "id": 9, "s": "g",
    "bp": "e", "unknown": {"name": 3}, "args": {"x": "}"}}])";
  const Scanned scanned(text);
  ASSERT_EQ(scanned.events.size(), 1u);
  const TraceEvent& event = scanned.events[0];
  EXPECT_EQ(event.phase, 's');
  EXPECT_EQ(event.category, "a,b");
  EXPECT_EQ(event.name, R"(n\"m)");
  EXPECT_EQ(event.pid, "1");
  EXPECT_EQ(event.tid, "stream 7");
  EXPECT_EQ(event.timestamp, "1.5");
  EXPECT_EQ(event.duration, "2e3");
  EXPECT_EQ(event.id, "9");
  EXPECT_EQ(event.scope, "g");
  EXPECT_EQ(event.bind, "e");
  EXPECT_EQ(event.args, R"({"x": "}"})");
  EXPECT_EQ(event.offset, 1u);
  EXPECT_EQ(event.text, text.substr(1, text.size() - 2));
  EXPECT_TRUE(scanned.scanner.has_events());
  EXPECT_FALSE(scanned.scanner.truncated());
  EXPECT_EQ(scanned.scanner.offset(), text.size());
}

TEST(EventScanner, MembersBeforeAndBehindTheEvents) {
  const std::string text = R"({"a": [1, {"b": 2}], "traceEvents": [{"ph":"X",
    "name":"e","ts":1}], "baseTimeNanoseconds": 17, "n": "s"})";
  const Scanned scanned(text);
  EXPECT_EQ(scanned.Names(), Names{"e"});
  const std::vector<TopMember>& members = scanned.scanner.members();
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].key, "a");
  EXPECT_EQ(members[0].value, R"([1, {"b": 2}])");
  EXPECT_EQ(members[1].key, "baseTimeNanoseconds");
  EXPECT_EQ(members[1].value, "17");
  EXPECT_EQ(members[2].value, "\"s\"");
}

TEST(EventScanner, EventsInSeveralArrays) {
  const Scanned scanned(R"({"traceEvents": [{"ph":"i","name":"a","ts":1}],
    "x": 1, "traceEvents": [{"ph":"i","name":"b","ts":1}]})");
  EXPECT_EQ(scanned.Names(), (Names{"a", "b"}));
}

TEST(EventScanner, EmptyObjectsAreNoEvents) {
  const Scanned scanned(R"([{}, {"ph":"X","name":"a","ts":1}, {}])");
  EXPECT_EQ(scanned.Names(), Names{"a"});
  EXPECT_EQ(scanned.scanner.dropped_events(), 0);
}

TEST(EventScanner, OtherJsonHasNoEvents) {
  for (const std::string_view text :
       {"", "17", "\"traceEvents\"", "{}", R"({"traceEvents": 3})",
        R"({"$schema": "speedscope", "profiles": []})", "<html>"}) {
    const Scanned scanned(text);
    EXPECT_TRUE(scanned.events.empty()) << text;
    EXPECT_FALSE(scanned.scanner.has_events()) << text;
  }
  EXPECT_TRUE(Scanned("[]").scanner.has_events());
  EXPECT_TRUE(Scanned(R"({"traceEvents": []})").scanner.has_events());
}

TEST(EventScanner, ElementsThatAreNoObjectsAreDropped) {
  const Scanned scanned(R"([1, {"ph":"X","name":"a","ts":1}, null, [2]])");
  EXPECT_EQ(scanned.Names(), Names{"a"});
  EXPECT_EQ(scanned.scanner.dropped_events(), 3);
  ASSERT_EQ(scanned.scanner.damage().size(), 3u);
  EXPECT_EQ(scanned.scanner.damage()[0], "byte 1: an event is not an object");
}

TEST(EventScanner, ATrailingCommaAndAMissingEnd) {
  const Scanned scanned(R"([
{"ph":"X","name":"a","ts":1},
{"ph":"X","name":"b","ts":2},
)");
  EXPECT_EQ(scanned.Names(), (Names{"a", "b"}));
  EXPECT_TRUE(scanned.scanner.truncated());
  EXPECT_EQ(scanned.scanner.dropped_events(), 0);
  EXPECT_TRUE(scanned.scanner.damage().empty());
}

// Torch 1.10 writes these names without escapes.
TEST(EventScanner, NamesThatAreNotEscaped) {
  for (const std::string name :
       {"has \"quotes\"", "back\\slash C:\\tmp\\x", "new\nline", "tab\there",
        "ctl\x01\x1b[31mred", "trailing\\", "</script>", "json \"}, {\"", "\"",
        "\"\"", "a\", \"b", "\"}"}) {
    const std::string text =
        File({Event("before", "1"), Event(name, "2"), Event("after", "3")});
    const Scanned scanned(text);
    EXPECT_EQ(scanned.Names(), (Names{"before", name, "after"}));
    ASSERT_EQ(scanned.events.size(), 3u);
    EXPECT_EQ(scanned.events[1].timestamp, "2");
    EXPECT_EQ(scanned.events[1].duration, "25");
    EXPECT_EQ(scanned.events[1].args.substr(0, 1), "{");
    EXPECT_EQ(scanned.scanner.dropped_events(), 0);
    EXPECT_FALSE(scanned.scanner.truncated());
    ASSERT_EQ(scanned.scanner.members().size(), 2u);
    EXPECT_EQ(scanned.scanner.members()[1].key, "traceName");
  }
}

TEST(EventScanner, ADamagedNameIsCountedAsRepaired) {
  const std::string text = File({Event("a", "1"), Event("has \"q\"", "2")});
  const Scanned scanned(text);
  EXPECT_EQ(scanned.scanner.repaired_events(), 1);
  ASSERT_EQ(scanned.scanner.damage().size(), 1u);
  EXPECT_EQ(scanned.scanner.damage()[0].substr(0, 5), "byte ");
}

TEST(EventScanner, DamagedArgumentsAreDropped) {
  std::string damaged = Event("damaged", "2");
  damaged.replace(damaged.find("[1, 2]"), 6, "\"a raw \"quote\"");
  const std::string text = File({damaged, Event("after", "3")});
  const Scanned scanned(text);
  ASSERT_EQ(scanned.Names(), (Names{"damaged", "after"}));
  EXPECT_EQ(scanned.events[0].timestamp, "2");
  EXPECT_EQ(scanned.events[0].args, "");
}

TEST(EventScanner, WhatCannotBeReadIsDroppedAlone) {
  const std::string text =
      File({Event("a", "1"), "{\"ph\": \"X\", \"name\" 7 }", Event("b", "3")});
  const Scanned scanned(text);
  EXPECT_EQ(scanned.Names(), (Names{"a", "b"}));
  EXPECT_EQ(scanned.scanner.dropped_events(), 1);
}

TEST(EventScanner, AMissingComma) {
  std::string text = File({Event("a", "1"), Event("b", "2"), Event("c", "3")});
  text.erase(text.find("},\n"), 2).insert(text.find("  {\n", 200), "}");
  const Scanned scanned(text);
  EXPECT_EQ(scanned.Names(), (Names{"a", "b", "c"}));
}

TEST(EventScanner, EveryTruncationKeepsTheEventsBefore) {
  const std::string text =
      File({Event("a", "1"), Event("b", "2"), Event("c", "3")});
  const size_t third = text.find("\"c\"");
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const Scanned scanned(cut);
    EXPECT_TRUE(scanned.scanner.truncated() || size == 0) << size;
    EXPECT_LE(scanned.scanner.dropped_events(), 1) << size;
    if (size >= third) {
      ASSERT_GE(scanned.events.size(), 2u) << size;
    }
  }
}

TEST(EventScanner, AnEventThatIsCutOffIsNamed) {
  const std::string text = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"du";
  const Scanned scanned(text);
  EXPECT_TRUE(scanned.events.empty());
  EXPECT_EQ(scanned.scanner.dropped_events(), 1);
  ASSERT_EQ(scanned.scanner.damage().size(), 1u);
  EXPECT_EQ(scanned.scanner.damage()[0],
            "byte 1: the file ends inside an event");
}

TEST(EventScanner, EventsBehindADamagedMember) {
  const std::string text = R"({"user": "raw "quote"", "x": 1,
    "traceEvents" : [{"ph":"X","name":"a","ts":1}], "y": 2})";
  const Scanned scanned(text);
  EXPECT_EQ(scanned.Names(), Names{"a"});
  ASSERT_EQ(scanned.scanner.damage().size(), 1u);
  EXPECT_EQ(scanned.scanner.members().back().key, "y");
}

TEST(EventScanner, AFileOfDamageIsGivenUp) {
  // The damage of each event shows only at the end of the file.
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i) text += R"({"ph":"X","args":[{"ts":[,)";
  const Scanned scanned(text);
  EXPECT_TRUE(scanned.events.empty());
  EXPECT_LT(scanned.scanner.gave_up_at(), text.size());
}

}  // namespace event_scanner_test
}  // namespace
}  // namespace tfprof::chrome_json
