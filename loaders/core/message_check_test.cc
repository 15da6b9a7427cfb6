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

constexpr std::string_view kUsedTable = R"(
Node 1,5 2:Node 3:int -4 -6:Node ?7:Node ?8
)";

ByteAccount Account(const std::string& bytes,
                    const MessageCheck::SpecialFields& special = {}) {
  const MessageCheck check(kUsedTable);
  const ByteAccount account = check.Account(bytes, nullptr, special);
  EXPECT_EQ(account.total(), static_cast<int64_t>(bytes.size()));
  return account;
}

TEST(MessageCheckTest, BytesAreReadUnusedOrDamaged) {
  const std::string used = Field(0x0a, "abc");
  EXPECT_EQ(Account(used + used), (ByteAccount{.read = 10}));
  EXPECT_EQ(Account(Field(0x12, used)), (ByteAccount{.read = 7}));
  // Fields 4 and 9, and field 6 with all that is in it.
  EXPECT_EQ(Account(Field(0x22, "abc")), (ByteAccount{.unused = 5}));
  EXPECT_EQ(Account(Field(0x4a, "abc")), (ByteAccount{.unused = 5}));
  EXPECT_EQ(Account(Field(0x32, used)), (ByteAccount{.unused = 7}));
  EXPECT_EQ(Account(Field(0x12, Field(0x22, "abc") + used)),
            (ByteAccount{.read = 7, .unused = 5}));
  // A number that is cut is a damaged field; the rest of a message behind a
  // wrong tag is damaged, but not what is behind the message.
  EXPECT_EQ(Account(Field(0x1a, "\x80") + used),
            (ByteAccount{.read = 5, .damaged = 3}));
  EXPECT_EQ(Account(Field(0x12, used + "\x07" + used) + used),
            (ByteAccount{.read = 12, .damaged = 6}));
}

TEST(MessageCheckTest, OfACutFileTheMessagesAroundItsEndAreRead) {
  const std::string used = Field(0x0a, "abc");
  const std::string whole = Field(0x12, Field(0x12, used + used));
  // Of the last field 4 bytes are there.
  EXPECT_EQ(Account(whole.substr(0, whole.size() - 1)),
            (ByteAccount{.read = 9, .damaged = 4}));
  // A length that is wrong inside of the file.
  EXPECT_EQ(Account(Field(0x12, "\x12\x09" + used) + used),
            (ByteAccount{.read = 7, .damaged = 7}));
  for (size_t size = 0; size < whole.size(); ++size) {
    Account(whole.substr(0, size));
  }
}

TEST(MessageCheckTest, SpecialFieldsAreAsTheCallerSays) {
  const std::string used = Field(0x0a, "abc");
  const std::string bytes = Field(0x3a, used) + Field(0x42, Field(0x22, "a"));
  EXPECT_EQ(Account(bytes), (ByteAccount{.read = 12}));
  const MessageCheck of_bytes(kUsedTable);
  const char* const data = bytes.data();
  EXPECT_EQ(Account(bytes, {{data + 2, {.is_used = false}},
                            {data + 9, {.message = &of_bytes}}}),
            (ByteAccount{.read = 2, .unused = 10}));
}

TEST(MessageCheckTest, WrongWordsAreFound) {
  EXPECT_EQ(MessageCheck(kMessageTable).wrong_word(), "");
  EXPECT_EQ(MessageCheck("A 1:B 2:C\nB").wrong_word(), "2:C");
  EXPECT_EQ(MessageCheck("A 1,x").wrong_word(), "1,x");
}

}  // namespace
}  // namespace tfprof::loaders
