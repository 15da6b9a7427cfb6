#include "loaders/pprof/messages.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::pprof {
namespace {

TEST(PprofMessagesTest, TheTableIsRight) {
  EXPECT_EQ(ProfileMessages().wrong_word(), "");
}

TEST(PprofMessagesTest, DamageInPartsThatAreNotRead) {
  // sample { breakdown { ticks: 1 } }; then a tick without its end.
  using namespace std::string_literals;
  EXPECT_EQ(ProfileMessages().FindDamage("\x12\x05\x22\x03\x0a\x01\x01"s),
            std::nullopt);
  EXPECT_EQ(ProfileMessages().FindDamage("\x12\x05\x22\x03\x0a\x01\x81"s), 4u);
}

}  // namespace
}  // namespace tfprof::pprof
