#include "loaders/perfetto/messages.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::perfetto {
namespace {

TEST(PerfettoMessagesTest, TheTableIsRight) {
  EXPECT_EQ(TraceMessages().wrong_word(), "");
}

TEST(PerfettoMessagesTest, DamageInPartsThatAreNotRead) {
  // track_event { debug_annotations { array_values { … } } }
  using namespace std::string_literals;
  EXPECT_EQ(
      TraceMessages().FindDamage("\x0a\x08\x5a\x06\x22\x04\x62\x02\x10\x01"s),
      std::nullopt);
  EXPECT_EQ(
      TraceMessages().FindDamage("\x0a\x08\x5a\x06\x22\x04\x62\x02\x17\x01"s),
      8u);
}

}  // namespace
}  // namespace tfprof::perfetto
