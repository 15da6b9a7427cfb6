#include "loaders/chrome_json/scan_log.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ImportLog LogOf(const std::string& text) {
  const auto file = InputFile::FromBytes("t.json", text);
  EventScanner scanner(file->bytes());
  TraceEvent event;
  while (scanner.Next(event)) {
  }
  ImportLog log;
  LogScan(*file, scanner, log);
  return log;
}

TEST(ScanLog, AGoodFileHasNoEntry) {
  EXPECT_THAT(LogOf(R"([{"ph":"i","name":"a","ts":1}])").Lines(), IsEmpty());
}

TEST(ScanLog, DroppedEventsAreDamage) {
  const ImportLog log = LogOf(R"([1, 2, {"ph":"i","name":"a","ts":1}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines()[0],
              HasSubstr("t.json: 2 events are damaged and could not be read, "
                        "the first damage is at byte 1"));
  EXPECT_EQ(log.entries()[0].count, 2);
}

TEST(ScanLog, RepairedEventsAreNotices) {
  const ImportLog log =
      LogOf(R"([{"ph":"i","name":"a "b" c","ts":1},{"ph":"i","name":"x",)"
            R"("ts":2}])");
  EXPECT_FALSE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("1 events are not valid")));
}

TEST(ScanLog, AMissingEndIsANotice) {
  const ImportLog log = LogOf("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},\n");
  EXPECT_FALSE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("closing brackets")));
}

TEST(ScanLog, ADamagedMemberIsDamage) {
  const ImportLog log =
      LogOf(R"({"x": "a "b"","traceEvents":[{"ph":"i","name":"a","ts":1}]})");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(HasSubstr("what was read is shown")));
}

}  // namespace
}  // namespace tfprof
