#include "profile/tables/type_sets.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TypeSetsTest, SetsAreSortedAndShared) {
  StringPool strings;
  const StringId b = strings.Intern("b"), a = strings.Intern("a"),
                 c = strings.Intern("c");
  TypeSets sets;
  const TypeSetId ba = sets.Add(sets.Add(kNoTypes, b, strings), a, strings);
  const TypeSetId ab = sets.Add(sets.Add(kNoTypes, a, strings), b, strings);
  EXPECT_EQ(ab, ba);
  EXPECT_THAT(sets[ab], ElementsAre(a, b));
  EXPECT_EQ(sets.Add(ab, b, strings), ab);
  const TypeSetId all = sets.AddAll(kNoTypes, {c, b, a, b}, strings);
  EXPECT_THAT(sets[all], ElementsAre(a, b, c));
  EXPECT_EQ(sets.Add(ab, c, strings), all);
  EXPECT_THAT(sets[kNoTypes], IsEmpty());
}

TEST(TypeSetsTest, ManyTypesAtOnceMakeOneSet) {
  StringPool strings;
  std::vector<StringId> types;
  for (int i = 0; i < 10000; ++i) {
    types.push_back(strings.Intern(std::to_string(i)));
  }
  TypeSets sets;
  const size_t before = sets.size();
  const TypeSetId id = sets.AddAll(kNoTypes, types, strings);
  EXPECT_EQ(sets[id].size(), types.size());
  EXPECT_EQ(sets.size(), before + 1);
}

TEST(TypeSetsTest, OnlyTheEmptySetExistsAtFirst) {
  const TypeSets sets;
  EXPECT_EQ(sets.size(), 1u);
  EXPECT_THAT(sets[kNoTypes], IsEmpty());
}

TEST(TypeSetsTest, AddingNothingChangesNothing) {
  StringPool strings;
  TypeSets sets;
  const TypeSetId a = sets.Add(kNoTypes, strings.Intern("a"), strings);
  EXPECT_EQ(sets.AddAll(a, {}, strings), a);
  EXPECT_EQ(sets.AddAll(kNoTypes, {}, strings), kNoTypes);
  EXPECT_EQ(sets.size(), 2u);
}

// Members are ordered by their strings, as unsigned bytes.
TEST(TypeSetsTest, TheOrderIsThatOfTheBytes) {
  StringPool strings;
  const StringId high = strings.Intern("\xff"), upper = strings.Intern("B"),
                 lower = strings.Intern("a"), empty = strings.Intern("");
  TypeSets sets;
  EXPECT_THAT(sets[sets.AddAll(kNoTypes, {high, lower, upper, empty}, strings)],
              ElementsAre(empty, upper, lower, high));
}

TEST(TypeSetsTest, ACopyIsIndependent) {
  StringPool strings;
  const StringId a = strings.Intern("a"), b = strings.Intern("b");
  TypeSets sets;
  const TypeSetId of_a = sets.Add(kNoTypes, a, strings);
  TypeSets copy = sets;
  const TypeSetId of_b = copy.Add(kNoTypes, b, strings);
  EXPECT_EQ(sets.size(), 2u);
  EXPECT_EQ(copy.Add(kNoTypes, a, strings), of_a);
  EXPECT_THAT(copy[of_b], ElementsAre(b));
}

TEST(TypeSetsTest, BytesGrowWithTheMembers) {
  StringPool strings;
  std::vector<StringId> types;
  for (int i = 0; i < 1000; ++i) {
    types.push_back(strings.Intern(std::to_string(i)));
  }
  TypeSets sets;
  const size_t before = sets.bytes();
  sets.AddAll(kNoTypes, types, strings);
  EXPECT_GE(sets.bytes(), before + 2 * types.size() * sizeof(StringId));
}

}  // namespace
}  // namespace tfprof::profile
