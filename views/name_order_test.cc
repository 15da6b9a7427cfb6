#include "views/name_order.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;

std::vector<NamedId> WithIds(const std::vector<std::string>& names) {
  std::vector<NamedId> items;
  for (const std::string& name : names) {
    items.push_back({name, static_cast<uint32_t>(items.size())});
  }
  return items;
}

std::vector<uint32_t> Ids(const std::vector<NamedId>& items) {
  std::vector<uint32_t> ids;
  for (const NamedId& item : items) ids.push_back(item.id);
  return ids;
}

// Return the ids after SortByName(), and after a plain sort.
std::vector<uint32_t> Sorted(std::vector<NamedId> items) {
  SortByName(items);
  return Ids(items);
}
std::vector<uint32_t> PlainlySorted(std::vector<NamedId> items) {
  std::sort(items.begin(), items.end(), [](const NamedId& a, const NamedId& b) {
    return std::pair(a.name, a.id) < std::pair(b.name, b.id);
  });
  return Ids(items);
}

TEST(SortByNameTest, AFewNames) {
  EXPECT_THAT(Sorted({}), ElementsAre());
  EXPECT_THAT(Sorted(WithIds({"only"})), ElementsAre(0));
  EXPECT_THAT(Sorted(WithIds({"b", "", "a", "ab"})), ElementsAre(1, 2, 3, 0));
}

TEST(SortByNameTest, EqualNamesAreById) {
  std::vector<NamedId> items;
  for (const uint32_t id : {7, 3, 9, 1, 5}) items.push_back({"same", id});
  EXPECT_THAT(Sorted(items), ElementsAre(1, 3, 5, 7, 9));
  // More names than are sorted by plain comparison.
  items.clear();
  for (uint32_t id = 100; id > 0; --id) items.push_back({"a/long/name", id});
  const std::vector<uint32_t> ids = Sorted(items);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST(SortByNameTest, BytesAreUnsigned) {
  EXPECT_THAT(Sorted(WithIds({"\xff", "\x7f", "a", "\x80"})),
              ElementsAre(2, 1, 3, 0));
}

// A key of eight bytes is padded with zeros at the end of the name, so it
// equals the key of a name with zero bytes.
TEST(SortByNameTest, NamesThatDifferInZeroBytesAtTheirEnd) {
  std::vector<std::string> names;
  for (size_t zeros = 40; zeros-- > 0;) {
    names.push_back("prefix" + std::string(zeros, '\0'));
  }
  const std::vector<NamedId> items = WithIds(names);
  EXPECT_EQ(Sorted(items), PlainlySorted(items));
}

TEST(SortByNameTest, PrefixesComeFirst) {
  std::string name;
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back(name += "ab/"[i % 3]);
  std::shuffle(names.begin(), names.end(), std::mt19937(7));
  const std::vector<NamedId> items = WithIds(names);
  EXPECT_EQ(Sorted(items), PlainlySorted(items));
}

TEST(SortByNameTest, SortsAsAPlainSortDoes) {
  std::mt19937 random(1);
  for (const size_t count : {15, 16, 17, 18, 300, 5000}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      std::string name;
      for (uint32_t part = random() % 4; part > 0; --part) {
        name += "tower_" + std::to_string(random() % 3) + "/resnet/";
      }
      for (uint32_t byte = random() % 12; byte > 0; --byte) {
        name += static_cast<char>(random() % 3 == 0 ? 0 : random());
      }
      names.push_back(std::move(name));
    }
    const std::vector<NamedId> items = WithIds(names);
    EXPECT_EQ(Sorted(items), PlainlySorted(items)) << count;
  }
}

// A long common prefix must not use stack.
TEST(SortByNameTest, NamesThatDifferAfterAMegabyte) {
  std::vector<std::string> names;
  for (int i = 20; i-- > 0;) {
    names.push_back(std::string(1 << 20, 'x') + std::to_string(100 + i));
  }
  const std::vector<uint32_t> ids = Sorted(WithIds(names));
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
}

}  // namespace
}  // namespace tfprof::views
