#include "loaders/core/pickle_values.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using Kind = PickleValue::Kind;
using namespace std::string_literals;

constexpr std::string_view kKeys[] = {"action", "size"};

// Folds dictionaries with the key "action" into their size, and lists of such
// records into the number of their items.
class TestFolder : public PickleFolder {
 public:
  std::optional<int64_t> FoldDict(PickleValues&,
                                  std::span<const PickleValue> items) override {
    if (items[0] != PickleValue(Kind::kText, 0)) return std::nullopt;
    return items.back().data();
  }
  std::optional<int64_t> FoldList(PickleValues& values,
                                  std::optional<int64_t> before,
                                  std::span<const PickleValue> items) override {
    for (const PickleValue item : items) {
      if (!values.Resolve(item).is(Kind::kRecord)) return std::nullopt;
    }
    return before.value_or(0) + static_cast<int64_t>(items.size());
  }
};

absl::Status ReadStatus(const std::string& bytes) {
  TestFolder folder;
  PickleValues values(bytes, kKeys, folder);
  return values.Read({});
}

// {"a": [5, -2, (None, True)], "b": 2**40}, protocol 4.
const std::string kPlain = "\x80\x04}\x94(\x8c\x01"s +
                           "a\x94]\x94(K\x05J\xfe\xff\xff\xffN\x88\x86\x94"
                           "e\x8c\x01"s +
                           "b\x94\x8a\x06\x00\x00\x00\x00\x00\x01u."s;
// [{"action": h, "size": 7}, the same again].
const std::string kFolded =
    "\x80\x04]\x94(}\x94(\x8c\x06"s +
    "action\x94\x8c\x01x\x94\x8c\x04size\x94K\x07uh\x01"s + "e."s;

TEST(PickleValuesTest, ReadsPlainValues) {
  TestFolder folder;
  PickleValues values(kPlain, kKeys, folder);
  ASSERT_TRUE(values.Read({}).ok());
  std::vector<PickleValue> items;
  ASSERT_TRUE(values.ForEach(values.root(),
                             [&](PickleValue v) { items.push_back(v); }));
  ASSERT_EQ(items.size(), 4);
  EXPECT_EQ(values.Text(items[0].data()), "a");
  EXPECT_EQ(items[3], PickleValue(Kind::kNumber, int64_t{1} << 40));
  std::vector<PickleValue> list;
  ASSERT_TRUE(
      values.ForEach(items[1], [&](PickleValue v) { list.push_back(v); }));
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[0].data(), 5);
  EXPECT_EQ(list[1].data(), -2);
  EXPECT_TRUE(values.Resolve(list[2]).is(Kind::kList));
}

TEST(PickleValuesTest, ReadsIntegersOfAnySize) {
  TestFolder folder;
  const std::string bytes =
      "\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."s;
  PickleValues values(bytes, kKeys, folder);
  ASSERT_TRUE(values.Read({}).ok());
  EXPECT_EQ(values.Integer(values.root()), 0x7fffffffffffffff);
  EXPECT_EQ(values.Integer(PickleValue(Kind::kNumber, -3)), -3);
  EXPECT_EQ(values.Integer(PickleValue(Kind::kText, 0)), std::nullopt);
}

// The same instruction is read in two ways, depending on what follows.
TEST(PickleValuesTest, ReadsNumbersWhateverFollows) {
  const std::pair<std::string, int64_t> kNumbers[] = {
      {"K\xff"s, 255},
      {"M\xff\xfe"s, 0xfeff},
      {"J\xff\xff\xff\x7f"s, INT32_MAX},
      {"J\0\0\0\x80"s, INT32_MIN},
      {"\x8a\0"s, 0},
      {"\x8a\x01\x80"s, -128},
      {"\x8a\x02\x80\0"s, 128},
      {"\x8a\x05\0\0\0\0\xff"s, -(int64_t{1} << 32)},
      {"\x8a\x07\xff\xff\xff\xff\xff\xff\x7f"s, (int64_t{1} << 55) - 1},
      {"\x8a\x08\0\0\0\0\0\0\0\x80"s, INT64_MIN}};
  for (const auto& [instruction, expected] : kNumbers) {
    for (const size_t behind : {0, 12}) {
      const std::string bytes =
          "\x80\x04](" + instruction + std::string(behind, 'N') + "e.";
      TestFolder folder;
      PickleValues values(bytes, kKeys, folder);
      ASSERT_TRUE(values.Read({}).ok()) << behind;
      EXPECT_EQ(values.SizeOf(values.root()), behind + 1);
      std::vector<PickleValue> list;
      values.ForEach(values.root(), [&](PickleValue v) { list.push_back(v); });
      ASSERT_EQ(list.size(), behind + 1);
      EXPECT_EQ(values.Integer(list[0]), expected) << behind;
    }
  }
}

TEST(PickleValuesTest, FoldsDictionariesAndListsThatShareThem) {
  TestFolder folder;
  PickleValues values(kFolded, kKeys, folder);
  ASSERT_TRUE(values.Read({}).ok());
  EXPECT_EQ(values.Resolve(values.root()), PickleValue(Kind::kRecord, 2));
}

TEST(PickleValuesTest, RefusesWhatIsCutOff) {
  for (const std::string& whole : {kPlain, kFolded}) {
    ASSERT_TRUE(ReadStatus(whole).ok());
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(ReadStatus(whole.substr(0, size)).ok()) << size;
    }
  }
}

TEST(PickleValuesTest, RefusesCalls) {
  for (const std::string& call :
       {"cposix\nsystem\n"s, "(S'x'\niposix\nsystem\n"s,
        "\x8c\x02os\x8c\x06system\x93"s, "NN\x81"s, "NNR"s, "NNb"s, "\x82\x01"s,
        "Px\n"s, "NQ"s}) {
    EXPECT_FALSE(ReadStatus("\x80\x04"s + call + "."s).ok()) << call;
  }
  EXPECT_NE(
      ReadStatus("\x80\x04NNR."s).message().find("imports or calls Python"),
      std::string::npos);
}

TEST(PickleValuesTest, RefusesWhatPythonRefuses) {
  // A frame that is longer than the rest: "N." are two bytes.
  const std::string frame = "\x80\x04\x95";
  EXPECT_TRUE(ReadStatus(frame + "\x02\0\0\0\0\0\0\0N."s).ok());
  EXPECT_FALSE(ReadStatus(frame + "\x03\0\0\0\0\0\0\0N."s).ok());
  // {(): None}, {[]: None} and {{}: None}.
  EXPECT_TRUE(ReadStatus("\x80\x04}()Nu."s).ok());
  EXPECT_FALSE(ReadStatus("\x80\x04}(]Nu."s).ok());
  EXPECT_FALSE(ReadStatus("\x80\x04}(}Nu."s).ok());
}

TEST(PickleValuesTest, RefusesHugeNumbersOfThings) {
  EXPECT_FALSE(ReadStatus("\x80\x04\x8d\0\0\0\0\0\0\0\x40x."s).ok());
  EXPECT_FALSE(ReadStatus("\x80\x04j\xf0\xff\xff\xff."s).ok());
  // A far index of the memo is not a large table.
  EXPECT_TRUE(ReadStatus("\x80\x04}r\xf0\xff\xff\xff."s).ok());
}

TEST(PickleValuesTest, RefusesOddStacks) {
  for (const std::string& odd :
       {"."s, "NN."s, "(N."s, "u."s, "Nu."s, "(u."s, "N(NNu."s, "](NNu."s,
        "}(Nu."s, "}(NNe."s, "t."s, "\x87."s, "\x94."s, "h\0."s, "a."s,
        "s."s}) {
    EXPECT_FALSE(ReadStatus("\x80\x04"s + odd).ok()) << odd;
    EXPECT_FALSE(ReadStatus("\x80\x04"s + odd + "NNNNNNNNNNNN").ok()) << odd;
  }
}

// A list that contains itself and, by others, each value many times is visited
// only as often as the file has values.
TEST(PickleValuesTest, BoundsVisits) {
  TestFolder folder;
  const std::string bytes = "\x80\x04]q\0(h\0h\0h\0e."s;
  PickleValues values(bytes, kKeys, folder);
  ASSERT_TRUE(values.Read({}).ok());
  int visits = 0;
  while (visits < 1000 &&
         values.ForEach(values.root(), [&](PickleValue) { ++visits; })) {
  }
  EXPECT_LT(visits, 20);
}

TEST(PickleValuesTest, ReadsDeepLists) {
  std::string bytes = "\x80\x04"s + std::string(1000000, ']');
  bytes += std::string(999999, 'a') + ".";
  EXPECT_TRUE(ReadStatus(bytes).ok());
}

TEST(PickleValuesTest, NotesMembersOfNoUse) {
  const auto account = [](const std::string& bytes,
                          std::span<const std::string_view> used) {
    TestFolder folder;
    PickleValues values(bytes, kKeys, folder);
    ByteNotes notes;
    values.NoteBytes(used, notes);
    EXPECT_TRUE(values.Read({}).ok());
    return notes.Account(bytes);
  };
  constexpr std::string_view kA[] = {"a"}, kB[] = {"b"}, kSize[] = {"size"};
  const auto size = static_cast<int64_t>(kPlain.size());
  // The member "b" ends before the instruction that ends the dictionary.
  EXPECT_EQ(account(kPlain, kA),
            (ByteAccount{.read = size - 12, .unused = 12}));
  EXPECT_EQ(account(kPlain, kB).unused, 19);
  EXPECT_EQ(account(kPlain + "more", kA).unused, 16);
  // The list has a used key inside.
  EXPECT_EQ(account("\x80\x04}(\x8c\x01x](}\x8c\x01"s + "aK\x01seu"s + "."s, kA)
                .unused,
            0);
  EXPECT_EQ(account(kFolded, kSize).unused, 13);
}

TEST(PickleValuesTest, PlacesOfObjects) {
  TestFolder folder;
  PickleValues values(kPlain, kKeys, folder);
  ByteNotes notes;
  values.NoteBytes(kKeys, notes);
  ASSERT_TRUE(values.Read({}).ok());
  std::vector<PickleValue> items;
  values.ForEach(values.root(), [&](PickleValue v) { items.push_back(v); });
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(values.PlaceOf(items[1]), std::pair(size_t{9}, size_t{24}));
  EXPECT_EQ(values.PlaceOf(items[3]), std::nullopt) << "a number";
}

}  // namespace
}  // namespace tfprof::loaders
