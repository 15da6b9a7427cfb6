#include "loaders/chrome_json/event_account.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/chrome_json/event_repair.h"
#include "loaders/chrome_json/event_scanner.h"

namespace tfprof::chrome_json {
namespace {

const std::string kEvent = R"({"ph":"X","name":"a","ts":1,"dur":2})";

loaders::ByteAccount Account(const std::string& text) {
  loaders::ByteAccount account = AccountEvents(text, nullptr);
  EXPECT_EQ(account.total(), static_cast<int64_t>(text.size())) << text;
  return account;
}

int64_t SizeOf(std::string_view text) {
  return static_cast<int64_t>(text.size());
}

TEST(EventAccountTest, WholeTextsAreRead) {
  const std::string text = "[" + kEvent + "," + kEvent + "]";
  EXPECT_EQ(Account(text), (loaders::ByteAccount{.read = SizeOf(text)}));
  const std::string object = R"({"schemaVersion":1,"traceEvents":[)" + kEvent +
                             R"(],"traceName":"n"})";
  EXPECT_EQ(Account(object), (loaders::ByteAccount{.read = SizeOf(object)}));
}

TEST(EventAccountTest, SpacesAndMembersOfNoUseAreSkipped) {
  EXPECT_EQ(Account(R"([ {"ph" : "i", "name": "a b", "ts":1} ])"),
            (loaders::ByteAccount{.read = 32, .white_space = 7}));
  EXPECT_EQ(Account(R"([{"ph":"i","name":"a","ts":1,"cname": "r d"}])"),
            (loaders::ByteAccount{.read = 31, .unused = 13, .white_space = 1}));
}

TEST(EventAccountTest, KeysAreThoseThatTheScannerStores) {
  for (const std::string key :
       {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "id2",
        "s", "bp", "bind_id", "flow_in", "flow_out", "tts", "cname", "sf"}) {
    TraceEvent event;
    SetEventMember(key, key == "ph" ? "X" : "true", event);
    const bool stores =
        event.phase != 0 || event.flow_in || event.flow_out ||
        !event.category.empty() || !event.name.empty() || !event.pid.empty() ||
        !event.tid.empty() || !event.timestamp.empty() ||
        !event.duration.empty() || !event.id.empty() || !event.scope.empty() ||
        !event.bind.empty() || !event.bind_id.empty() || !event.args.empty();
    const std::string text =
        R"([{"ph":"i","name":"a","ts":1,")" + key + R"(":"b"}])";
    EXPECT_EQ(Account(text).unused == 0, stores) << key;
  }
}

TEST(EventAccountTest, DamageIsRepairedOrLost) {
  // An unescaped quote in a name.
  const std::string odd = R"({"name":"a"b","ph":"X","ts":1,"dur":2})";
  const loaders::ByteAccount repaired =
      Account("[" + kEvent + "," + odd + "," + kEvent + "]");
  EXPECT_EQ(repaired.repaired, SizeOf(odd));
  EXPECT_EQ(repaired.damaged, 0);
  // A number that is none.
  const std::string lost = R"({"ph":"X","name":"b","ts":1x,"dur":2})";
  const loaders::ByteAccount dropped =
      Account("[" + kEvent + "," + lost + "," + kEvent + "]");
  EXPECT_EQ(dropped.repaired, 0);
  EXPECT_GE(dropped.damaged, SizeOf(lost));
  EXPECT_GE(dropped.read, 2 * SizeOf(kEvent));
}

TEST(EventAccountTest, ACutFileHasADamagedEnd) {
  const std::string whole = "[" + kEvent + "," + kEvent;
  EXPECT_EQ(Account(whole).damaged, 0);
  EXPECT_EQ(Account("[" + kEvent + ",").damaged, 0);
  for (size_t size = 1; size < kEvent.size(); ++size) {
    const std::string text = "[" + kEvent + "," + kEvent.substr(0, size);
    EXPECT_EQ(Account(text).damaged, static_cast<int64_t>(size)) << size;
  }
}

TEST(EventAccountTest, TextBehindTheEndIsDamaged) {
  EXPECT_EQ(Account("[" + kEvent + "] [1]").damaged, 3);
}

TEST(EventAccountTest, AnyTextAddsUp) {
  const std::string text = R"({"a": [1], "traceEvents": [)" + kEvent +
                           ", {}, 7, " + kEvent + R"(], "b": "c"})";
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'"', '{', '}', '[', ']', ',', ':', '\\', 'x', '\n'}) {
      std::string changed = text;
      changed[at] = c;
      Account(changed);
    }
    Account(text.substr(0, at));
    Account(text.substr(at));
  }
}

}  // namespace
}  // namespace tfprof::chrome_json
