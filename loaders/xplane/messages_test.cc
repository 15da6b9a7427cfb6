#include "loaders/xplane/messages.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/xplane/hlo/hlo_proto.h"

namespace tfprof::xplane {
namespace {

TEST(XPlaneMessagesTest, TheTablesAreRight) {
  EXPECT_EQ(XSpaceMessages().wrong_word(), "");
  EXPECT_EQ(HloMessages().wrong_word(), "");
}

TEST(XPlaneMessagesTest, DamageInPartsOfAProgramThatAreNotRead) {
  // hlo_module { computations { instructions { literal { shape { … } } } } }
  using namespace std::string_literals;
  const std::string good = "\x0a\x0a\x1a\x08\x12\x06\x42\x04\x0a\x02\x10\x0b"s;
  const std::string bad = "\x0a\x0a\x1a\x08\x12\x06\x42\x04\x0a\x02\x17\x0b"s;
  EXPECT_EQ(HloMessages().FindDamage(good), std::nullopt);
  EXPECT_EQ(HloMessages().FindDamage(bad), 10u);
  EXPECT_EQ(ReadHloProto(good).damaged, 0);
  EXPECT_EQ(ReadHloProto(bad).damaged, 1);
}

}  // namespace
}  // namespace tfprof::xplane
