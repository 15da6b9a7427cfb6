#include "loaders/chrome_json/scan_log.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

loaders::ImportLog LogOf(std::string text) {
  const auto file = loaders::InputFile::FromBytes("f", std::move(text));
  EventScanner scanner(file->bytes());
  TraceEvent event;
  while (scanner.Next(event)) {
  }
  loaders::ImportLog log;
  LogScan(*file, scanner, log);
  return log;
}

TEST(ScanLogTest, AGoodFile) {
  EXPECT_THAT(LogOf(R"([{"ph": "i", "ts": 1}])").entries(), IsEmpty());
}

TEST(ScanLogTest, AnEventThatIsNoObject) {
  const loaders::ImportLog log = LogOf(R"([7, {"ph": "i", "ts": 1}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(StartsWith("f: 1 event is damaged")));
}

TEST(ScanLogTest, AnArrayMayBeOpenAnObjectMayNot) {
  const loaders::ImportLog array = LogOf(R"([{"ph": "i", "ts": 1},)");
  EXPECT_FALSE(array.damaged());
  EXPECT_THAT(array.Lines(),
              ElementsAre(StartsWith("f: byte 22: the file ends without")));
  EXPECT_TRUE(LogOf(R"({"traceEvents": [{"ph": "i", "ts": 1})").damaged());
}

loaders::ImportLog DamageLogOf(const std::string& text) {
  const auto file = loaders::InputFile::FromBytes("t.json", text);
  EventScanner scanner(file->bytes());
  TraceEvent event;
  while (scanner.Next(event)) {
  }
  loaders::ImportLog log;
  LogScan(*file, scanner, log);
  return log;
}

TEST(LogScan, AGoodFileHasNoEntry) {
  EXPECT_THAT(DamageLogOf(R"([{"ph":"i","name":"a","ts":1}])").Lines(),
              IsEmpty());
}

TEST(LogScan, DroppedEventsAreDamage) {
  const loaders::ImportLog log =
      DamageLogOf(R"([1, 2, {"ph":"i","name":"a","ts":1}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines()[0],
              HasSubstr("t.json: 2 events are damaged and could not be read, "
                        "the first damage is at byte 1"));
  EXPECT_EQ(log.entries()[0].count, 2);
}

TEST(LogScan, RepairedEventsAreNotices) {
  const loaders::ImportLog log =
      DamageLogOf(R"([{"ph":"i","name":"a "b" c","ts":1},{"ph":"i","name":"x",)"
                  R"("ts":2}])");
  EXPECT_FALSE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("1 event was not valid")));
}

// What is accepted although it is not JSON: each of these is a notice.
TEST(LogScan, Leniencies) {
  for (const std::string text :
       {R"([{"ph":"i","name":"a","ts":1},])",
        R"([{"ph":"i","name":"a","ts":1,}])",
        R"([{"ph":"i","name":"C:\users","ts":1}])",
        "[{\"ph\":\"i\",\"name\":\"tab\t\",\"ts\":1}]",
        "[{\"ph\":\"i\",\"name\":\"\xff\",\"ts\":1}]",
        R"([{"ph":"i","name":"a","ts":1,"args":{"x":nan}}])",
        R"([{"ph":"i","name":"a","ts":1})"}) {
    const loaders::ImportLog log = DamageLogOf(text);
    EXPECT_FALSE(log.damaged()) << text;
    EXPECT_EQ(log.Lines().size(), 1u) << text;
  }
  // Python writes these, and reads them.
  EXPECT_THAT(
      DamageLogOf(R"([{"ph":"i","name":"a","ts":1,"args":{"x":NaN}}])").Lines(),
      IsEmpty());
}

TEST(LogScan, AValueThatIsNoJsonDropsItsEvent) {
  for (const std::string_view value : {"null52", "004", "+1", "tru"}) {
    const loaders::ImportLog log =
        DamageLogOf(fmt::format(R"([{{"ph":"i","name":"a","ts":{}}}])", value));
    EXPECT_TRUE(log.damaged()) << value;
    EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("is at byte 27"))) << value;
  }
}

TEST(LogScan, DamagedArgumentsAreDamage) {
  const loaders::ImportLog log = DamageLogOf(
      R"([{"ph":"X","name":"a","ts":1,"args":{"x":04}},{"ph":"i","ts":2}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(),
              ElementsAre(HasSubstr("1 event was not valid JSON"),
                          HasSubstr("1 of these events were read without")));
}

TEST(LogScan, TextBehindTheEndIsDamage) {
  const loaders::ImportLog log = DamageLogOf(
      R"([{"ph":"i","name":"a","ts":1}][{"ph":"i","name":"b","ts":2}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(),
              ElementsAre("t.json: byte 30: expected the end of the file; the "
                          "30 bytes from here on were not read"));
  EXPECT_TRUE(DamageLogOf(R"({"traceEvents":[]} x)").damaged());
  EXPECT_FALSE(DamageLogOf("{\"traceEvents\":[]}\n \n").damaged());
}

TEST(LogScan, AMissingEndIsANotice) {
  const loaders::ImportLog log =
      DamageLogOf("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},\n");
  EXPECT_FALSE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("closing brackets")));
}

TEST(LogScan, ADamagedMemberIsDamage) {
  const loaders::ImportLog log = DamageLogOf(
      R"({"x": "a "b"","traceEvents":[{"ph":"i","name":"a","ts":1}]})");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("what was read is shown")));
}

}  // namespace
}  // namespace tfprof::chrome_json
