#include "loaders/chrome_json/scan_log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

ImportLog LogOf(std::string text) {
  const auto file = InputFile::FromBytes("f", std::move(text));
  EventScanner scanner(file->bytes());
  TraceEvent event;
  while (scanner.Next(event)) {
  }
  ImportLog log;
  LogScan(*file, scanner, log);
  return log;
}

TEST(ScanLogTest, AGoodFile) {
  EXPECT_THAT(LogOf(R"([{"ph": "i", "ts": 1}])").entries(), IsEmpty());
}

TEST(ScanLogTest, AnEventThatIsNoObject) {
  const ImportLog log = LogOf(R"([7, {"ph": "i", "ts": 1}])");
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(), ElementsAre(StartsWith("f: 1 events are damaged")));
}

TEST(ScanLogTest, AnArrayMayBeOpenAnObjectMayNot) {
  const ImportLog array = LogOf(R"([{"ph": "i", "ts": 1},)");
  EXPECT_FALSE(array.damaged());
  EXPECT_THAT(array.Lines(), ElementsAre(StartsWith("f: byte 22: the file ends without")));
  EXPECT_TRUE(LogOf(R"({"traceEvents": [{"ph": "i", "ts": 1})").damaged());
}

}  // namespace
}  // namespace tfprof
