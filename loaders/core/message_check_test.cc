#include "loaders/core/message_check.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

// libprotobuf_test.cc of loaders/tensorflow/ compares the walk with
// libprotobuf; this tests the tables.
constexpr std::string_view kMessageTable = R"(
Node 1,40:Node 2:int 3:fixed32 4:fixed64 5 6:Leaf
Leaf
)";

bool IsGood(std::string_view bytes) {
  const MessageCheck check(kMessageTable);
  return check.FirstDamage(bytes) == nullptr;
}

std::string Field(char tag, std::string_view content) {
  std::string field(1, tag);
  field += static_cast<char>(content.size());
  field += content;
  return field;
}

TEST(MessageCheckTest, MessagesAreWalkedThrough) {
  const std::string bad = "\x07";
  EXPECT_FALSE(IsGood(bad));
  EXPECT_FALSE(IsGood(Field(0x0a, bad)));
  EXPECT_FALSE(IsGood(Field(0x0a, Field(0x0a, bad))));
  EXPECT_FALSE(IsGood(Field(0x0a, Field(0x32, bad))));
  // Field 40, whose tag has two bytes.
  EXPECT_FALSE(IsGood("\xc2" + Field(0x02, bad)));
  EXPECT_TRUE(IsGood("\xc2" + Field(0x02, Field(0x0a, ""))));
}

TEST(MessageCheckTest, OtherFieldsMayHaveAnyBytes) {
  EXPECT_TRUE(IsGood(Field(0x2a, "\x07")));
  EXPECT_TRUE(IsGood(Field(0x3a, "\x07")));
  EXPECT_TRUE(IsGood(Field(0x32, Field(0x0a, "\x07"))));
}

TEST(MessageCheckTest, PackedNumbersAreWhole) {
  EXPECT_TRUE(IsGood(Field(0x12, "\x07\x80\x01")));
  EXPECT_FALSE(IsGood(Field(0x12, "\x07\x80")));
  EXPECT_TRUE(IsGood(Field(0x1a, "12345678")));
  EXPECT_FALSE(IsGood(Field(0x1a, "123456")));
  EXPECT_TRUE(IsGood(Field(0x22, "12345678")));
  EXPECT_FALSE(IsGood(Field(0x22, "1234")));
}

TEST(MessageCheckTest, TheOffsetIsThatOfTheInnermostField) {
  const MessageCheck check(kMessageTable);
  EXPECT_EQ(check.FindDamage(Field(0x0a, Field(0x2a, "") + "\x07")), 4u);
  EXPECT_EQ(check.FindDamage(Field(0x0a, Field(0x2a, ""))), std::nullopt);
}

TEST(MessageCheckTest, WrongWordsAreFound) {
  EXPECT_EQ(MessageCheck(kMessageTable).wrong_word(), "");
  EXPECT_EQ(MessageCheck("A 1:B 2:C\nB").wrong_word(), "2:C");
  EXPECT_EQ(MessageCheck("A 1,x").wrong_word(), "1,x");
}

}  // namespace
}  // namespace tfprof::loaders
