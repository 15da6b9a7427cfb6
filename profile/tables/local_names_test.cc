#include "profile/tables/local_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(LocalNamesTest, NumbersCountUpInTheOrderOfFirstSight) {
  std::vector<HashedName> names;
  LocalNames local(names);
  EXPECT_EQ(local.Number("b"), 0u);
  EXPECT_EQ(local.Number("a"), 1u);
  EXPECT_EQ(local.Number("b"), 0u);
  EXPECT_EQ(local.Number(""), 2u);
  EXPECT_EQ(local.Number(""), 2u);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].text, "b");
  EXPECT_EQ(names[1].text, "a");
  EXPECT_EQ(names[2].text, "");
}

// A loader interns names with the hashes from here.
TEST(LocalNamesTest, HashesAreThoseOfAStringPool) {
  std::vector<HashedName> names;
  LocalNames local(names);
  local.Number("conv1/weights");
  StringPool pool;
  const StringId id = pool.Intern("conv1/weights");
  EXPECT_EQ(names[0].hash, StringPool::Hash("conv1/weights"));
  EXPECT_EQ(pool.Find(names[0].text, names[0].hash), id);
}

TEST(LocalNamesTest, NamesAreViewsOfTheInput) {
  std::vector<HashedName> names;
  LocalNames local(names);
  const std::string input = "name name";
  local.Number(std::string_view(input).substr(0, 4));
  local.Number(std::string_view(input).substr(5));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0].text.data(), input.data());
}

TEST(LocalNamesTest, EqualHashesAreDistinctNames) {
  std::vector<HashedName> names;
  LocalNames local(names);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i));
  for (uint32_t i = 0; i < 300; ++i) {
    ASSERT_EQ(local.Number({texts[i], 0xffffffff}), i);
  }
  for (uint32_t i = 0; i < 300; ++i) {
    ASSERT_EQ(local.Number({texts[i], 0xffffffff}), i);
  }
  // The same text with a different hash counts as another name.
  EXPECT_EQ(local.Number({texts[0], 1}), 300u);
}

TEST(LocalNamesTest, NumbersStayWhenTheTableGrows) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20000; ++i) texts.push_back("n" + std::to_string(i));
  for (const size_t reserved : {0, 1, 100, 20000}) {
    std::vector<HashedName> names;
    LocalNames local(names);
    local.Reserve(reserved);
    for (uint32_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(local.Number(texts[i]), i);
      ASSERT_EQ(local.Number(texts[i / 2]), i / 2);
    }
    EXPECT_EQ(names.size(), texts.size());
  }
}

TEST(LocalNamesTest, ReservingLaterKeepsTheNumbers) {
  std::vector<HashedName> names;
  LocalNames local(names);
  EXPECT_EQ(local.Number("a"), 0u);
  local.Reserve(1000);
  EXPECT_EQ(local.Number("b"), 1u);
  EXPECT_EQ(local.Number("a"), 0u);
}

}  // namespace
}  // namespace tfprof::profile
