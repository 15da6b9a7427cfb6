#include "loaders/chrome_json/event_repair.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "loaders/chrome_json/event_scanner.h"

namespace tfprof::chrome_json {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

TEST(EventRepair, TheNextEventBeginsWithAKnownKey) {
  const std::string_view text =
      R"([ {"ph":"X"}, {"x":1} , {"": 2}, { "name" : "a"}])";
  EXPECT_EQ(FindNextEvent(text, 0), 2u);
  EXPECT_EQ(FindNextEvent(text, 3), text.rfind('{'));
  EXPECT_EQ(FindNextEvent(text, text.size() - 5), kNowhere);
  EXPECT_EQ(FindNextEvent("", 0), kNowhere);
}

TEST(EventRepair, AStringEndsWhereAMemberFollows) {
  const std::string_view text =
      R"({"ph":"X","name":"a", "b": "c","ts":1,"args":{"x":"}"}})";
  TraceEvent event;
  bool has_args = true;
  EXPECT_EQ(RepairEvent(text, 0, kNowhere, event, has_args), text.size());
  EXPECT_EQ(event.name, R"(a", "b": "c)");
  EXPECT_EQ(event.timestamp, "1");
  EXPECT_EQ(event.args, R"({"x":"}"})");
  EXPECT_EQ(event.text, text);
}

TEST(EventRepair, AStringAtTheEnd) {
  const std::string_view text =
      R"({"ph":"X","ts":1,"name":"a"}b"}, {"ph":"X"}])";
  TraceEvent event;
  bool has_args = true;
  RepairEvent(text, 0, text.rfind('{'), event, has_args);
  EXPECT_EQ(event.name, R"(a"}b)");
}

TEST(EventRepair, ArgumentsMayBeMissing) {
  const std::string_view text =
      "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"args\":{\"x\":\"\n}}, "
      "{\"ph\":\"i\"}]";
  TraceEvent event;
  bool has_args = true;
  EXPECT_NE(RepairEvent(text, 0, text.rfind('{'), event, has_args), kNowhere);
  EXPECT_EQ(event.name, "a");
  EXPECT_EQ(event.args, "");
  EXPECT_FALSE(has_args);
}

TEST(EventRepair, WhatCannotBeRepaired) {
  TraceEvent event;
  bool has_args = true;
  for (const std::string_view text :
       {"", "x", "{", "{}", "{\"ph\":\"X\"}", "{\"ph\"}",
        "{\"ph\":", "{\"ph\":\"X\",\"name\":\"a\"}",
        "{\"ph\":\"X\",\"name\":\"a", "{\"name\":\"a\",\"ts\":1}", "{ph:1}"}) {
    EXPECT_EQ(RepairEvent(text, 0, kNowhere, event, has_args), kNowhere)
        << text;
  }
}

TEST(EventRepair, MembersOfAnEvent) {
  TraceEvent event;
  SetEventMember("ph", "X", event);
  SetEventMember("id2", "{\"local\":1}", event);
  SetEventMember("bp", "e", event);
  SetEventMember("s", "g", event);
  SetEventMember("other", "1", event);
  EXPECT_EQ(event.phase, 'X');
  EXPECT_EQ(event.id, "{\"local\":1}");
  EXPECT_EQ(event.bind, "e");
  EXPECT_EQ(event.scope, "g");
  SetEventMember("ph", "XX", event);
  EXPECT_EQ(event.phase, 0);
}

}  // namespace
}  // namespace tfprof::chrome_json
