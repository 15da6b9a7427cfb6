#include "record/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string>

#include "record/event_types.h"

namespace tfprof::record {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Print(TraceDescription trace) {
  constexpr uint8_t kUuid[] = {0, 1, 2,  3,  4,  5,  6,  7,
                               8, 9, 10, 11, 12, 13, 14, 255};
  trace.uuid = kUuid;
  MetadataText text;
  PrintMetadata(trace, text);
  EXPECT_TRUE(text.ok());
  return std::string(text.view());
}

TEST(MetadataTest, DescribesTheTrace) {
  const std::string text = Print({.host = "h",
                                  .program = "p",
                                  .process = 7,
                                  .clock_offset = 1700000000'000000012});
  EXPECT_THAT(text, testing::StartsWith("/* CTF 1.8 */\n"));
  EXPECT_THAT(text, HasSubstr("\"00010203-0405-0607-0809-0a0b0c0d0eff\""));
  EXPECT_THAT(text, HasSubstr("vpid = 7;"));
  EXPECT_THAT(text, HasSubstr("offset_s = 1700000000;\n  offset = 12;"));
}

TEST(MetadataTest, HasEachEventOnce) {
  const std::string text = Print({});
  std::set<std::string> names;
  for (size_t i = 0; i < std::size(kEventTypes); ++i) {
    const EventType& event = *kEventTypes[i];
    EXPECT_EQ(event.id, i);
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
    EXPECT_THAT(text, HasSubstr("name = \"tfprof:" + std::string(event.name) +
                                "\";\n  id = " + std::to_string(i) + ";"));
  }
}

TEST(MetadataTest, NamesCannotLeaveTheirQuotes) {
  const std::string text = Print({.host = "a\"; x", .program = "b\\\n"});
  EXPECT_THAT(text, HasSubstr("hostname = \"a_; x\";"));
  EXPECT_THAT(text, HasSubstr("procname = \"b__\";"));
  EXPECT_THAT(text, Not(HasSubstr("clock {\n  name = \"monotonic\";\n  uuid")));
}

}  // namespace
}  // namespace tfprof::record
