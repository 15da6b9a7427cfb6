#include "loaders/chrome_json/scan_log.h"

#include <string>
#include <vector>

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
  EXPECT_THAT(log.Lines(), ElementsAre(StartsWith("f: 1 events are damaged")));
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
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("1 events are not valid")));
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
