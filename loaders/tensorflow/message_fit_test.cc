#include "loaders/tensorflow/message_fit.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "util/files/wire_writer.h"

namespace tfprof::tensorflow {
namespace {

constexpr FieldSpec kItemFields[] = {{util::LengthTag(1), nullptr, true, true},
                                     {util::VarintTag(2)}};
constexpr MessageSpec kItem = {kItemFields};
constexpr FieldSpec kListFields[] = {{util::LengthTag(1), &kItem},
                                     {util::VarintTag(3)}};
constexpr MessageSpec kList = {kListFields};
constexpr std::string_view kWords[] = {"item", "count"};

std::string Item(std::string_view name) {
  util::WireWriter item;
  item.Bytes(1, name);
  item.Int64(2, 7);
  util::WireWriter list;
  list.Bytes(1, item.bytes());
  return std::string(list.bytes());
}

TEST(MessageFitTest, CountsTheFieldsOfAllLevels) {
  EXPECT_EQ(CountFittingFields(Item("a"), kList), 3);
  EXPECT_EQ(CountFittingFields(Item("a") + Item("b") + "\x18\x01", kList), 7);
  EXPECT_EQ(CountFittingFields("", kList), 0);
}

TEST(MessageFitTest, OneFieldThatDoesNotFitIsEnough) {
  EXPECT_EQ(CountFittingFields(Item("a") + "\x20\x01", kList), 0);
  // A message is no name.
  EXPECT_EQ(CountFittingFields(Item("\x08\x01"), kList), 0);
  // The item lacks its name.
  EXPECT_EQ(CountFittingFields("\x0a\x02\x10\x07", kList), 0);
  EXPECT_EQ(CountFittingFields("\x0a\x00", kList), 0);
}

TEST(MessageFitTest, ANameMayBeginWithAnyByte) {
  for (const std::string_view name : {"\x01 name", "\nname", "\x12\x05"}) {
    EXPECT_EQ(CountFittingFields(Item(name), kList), 3) << name;
  }
}

TEST(MessageFitTest, ACutFileIsStillItsMessage) {
  const std::string whole = Item("a long enough name");
  for (size_t n = 5; n <= whole.size(); ++n) {
    EXPECT_GT(CountFittingFields(std::string_view(whole).substr(0, n), kList),
              0)
        << n;
  }
}

TEST(MessageFitTest, LooksAtABoundedPart) {
  std::string many;
  for (int i = 0; i < 10000; ++i) many += Item("a");
  EXPECT_LE(CountFittingFields(many, kList), 256);
  EXPECT_GT(CountFittingFields(many + "\x20", kList), 0);
}

TEST(MessageFitTest, TheFirstFieldOfAText) {
  EXPECT_EQ(FirstFieldOfText("item { }"), "item");
  EXPECT_EQ(FirstFieldOfText("\r\n\t # a comment { }\n# more\n count: 3"),
            "count");
  EXPECT_EQ(FirstFieldOfText("item<>"), "item");
  EXPECT_EQ(FirstFieldOfText("item\n{ }"), "item");
  EXPECT_EQ(FirstFieldOfText("item [1]"), "item");
  EXPECT_EQ(FirstFieldOfText("item"), "");
  EXPECT_EQ(FirstFieldOfText("item of something"), "");
  EXPECT_EQ(FirstFieldOfText("# item {"), "");
  EXPECT_EQ(FirstFieldOfText(""), "");
}

TEST(MessageFitTest, TextsFitBetterThanBytes) {
  const loaders::Fit text = MessageFit("count: 3", kWords, kList);
  EXPECT_TRUE(text.text);
  EXPECT_EQ(text.score, loaders::Fit::kWord);
  const loaders::Fit binary = MessageFit(Item("a"), kWords, kList);
  EXPECT_FALSE(binary.text);
  EXPECT_GT(binary.score, 0);
  EXPECT_LT(binary.score, loaders::Fit::kWord);
  EXPECT_EQ(MessageFit("other: 3", kWords, kList).score, 0);
}

TEST(MessageFitTest, PreferenceDecidesBetweenEqualsOnly) {
  const std::string one = Item("a"), two = Item("a") + Item("b");
  const auto score = [](std::string_view bytes, bool preferred) {
    return MessageFit(bytes, kWords, kList, preferred).score;
  };
  EXPECT_GT(score(one, true), score(one, false));
  EXPECT_GT(score(two, false), score(one, true));
  EXPECT_EQ(score("\xff", true), 0);
}

}  // namespace
}  // namespace tfprof::tensorflow
