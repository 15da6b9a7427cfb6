#include "profiler/shell/terminal/sorted_names.h"

#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Before names are sorted, all of them are read; the answers are the same.
TEST(SortedNamesTest, AScanAnswersTheSame) {
  constexpr std::string_view kPieces[] = {"a", "ab",  "b",    "/", "/",
                                          "-", "a/b", "\xff", "B"};
  std::mt19937 random(7);
  const auto word = [&](size_t pieces) {
    std::string text;
    for (size_t i = 0; i < pieces; ++i) {
      text += kPieces[random() % std::size(kPieces)];
    }
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    profile::StringPool pool;
    for (int i = 0; i < 40; ++i) pool.Intern(word(1 + random() % 6));
    std::vector<profile::StringId> ids(pool.size());
    std::iota(ids.begin(), ids.end(), 0);
    const char separator = round % 4 == 0 ? '\0' : '/';
    const SortedNames sorted(pool, ids, separator);
    profile::StringPool part_pool;
    sorted.CollectParts(part_pool);
    std::vector<profile::StringId> part_ids(part_pool.size());
    std::iota(part_ids.begin(), part_ids.end(), 0);
    const SortedNames parts(part_pool, part_ids, '\0');
    const NameList list{pool, ids, separator};
    const auto expect_same = [](const NameMatches& a, const NameMatches& b) {
      EXPECT_EQ(a.names, b.names);
      EXPECT_EQ(a.total, b.total);
      EXPECT_EQ(a.common, b.common);
      EXPECT_EQ(a.open, b.open);
    };
    for (const size_t limit : {size_t{0}, size_t{1}, size_t{5}, size_t{100}}) {
      for (const bool scopes_only : {false, true}) {
        const std::string stem = word(random() % 4);
        SCOPED_TRACE(stem);
        expect_same(sorted.Complete(stem, limit, scopes_only),
                    ScanNames(list, stem, limit, scopes_only));
      }
      std::string stem = word(random() % 3);
      std::erase(stem, '/');
      SCOPED_TRACE(stem);
      expect_same(parts.Complete(stem, limit), ScanParts(list, stem, limit));
    }
    const std::string within = word(2);
    std::string_view first;
    for (size_t i = 0; i < sorted.size() && first.empty(); ++i) {
      if (sorted.name(i).find(within) != std::string_view::npos) {
        first = sorted.name(i);
      }
    }
    EXPECT_EQ(FirstNameWith(list, within), first);
  }
}

// Strings in a pool, as a list in the order given.
struct Names {
  explicit Names(const std::vector<std::string>& strings, char separator = '/')
      : separator(separator) {
    for (const std::string& string : strings)
      ids.push_back(pool.Intern(string));
  }
  SortedNames Sorted() const { return {pool, ids, separator}; }
  NameList List() const { return {pool, ids, separator}; }

  profile::StringPool pool;
  std::vector<profile::StringId> ids;
  char separator;
};

TEST(SortedNamesTest, AnAnswerGoesToTheEndOfThePart) {
  const Names names({"net/b/conv", "net/a", "loss", "net/b/relu"});
  const SortedNames sorted = names.Sorted();
  EXPECT_THAT(sorted.Complete("", 10).names, ElementsAre("loss", "net/"));
  const NameMatches matches = sorted.Complete("net/", 10);
  EXPECT_THAT(matches.names, ElementsAre("net/a", "net/b/"));
  EXPECT_EQ(matches.common, "net/");
  EXPECT_FALSE(matches.open);
}

TEST(SortedNamesTest, OneScopeIsCompletedAndStaysOpen) {
  const Names names({"net/b/conv", "net/b/relu"});
  const NameMatches scope = names.Sorted().Complete("n", 10);
  EXPECT_EQ(scope.total, 1u);
  EXPECT_EQ(scope.common, "net/");
  EXPECT_TRUE(scope.open);
  const NameMatches name = names.Sorted().Complete("net/b/c", 10);
  EXPECT_EQ(name.common, "net/b/conv");
  EXPECT_FALSE(name.open);
}

TEST(SortedNamesTest, ScopesOnlySkipsNames) {
  const Names names({"a", "a/b", "ab"});
  EXPECT_THAT(names.Sorted().Complete("a", 10, /*scopes_only=*/true).names,
              ElementsAre("a/"));
  EXPECT_EQ(names.Sorted().Complete("ab", 10, /*scopes_only=*/true).total, 0u);
}

TEST(SortedNamesTest, WithoutASeparatorNamesAreWhole) {
  const Names names({"a/b", "a/c"}, '\0');
  EXPECT_THAT(names.Sorted().Complete("a", 10).names,
              ElementsAre("a/b", "a/c"));
}

TEST(SortedNamesTest, AStemThatNothingBeginsWithHasNoMatch) {
  const Names names({"a"});
  for (const char* stem : {"b", "aa", "a/"}) {
    const NameMatches matches = names.Sorted().Complete(stem, 10);
    EXPECT_EQ(matches.total, 0u);
    EXPECT_EQ(matches.common, "");
    EXPECT_THAT(matches.names, IsEmpty());
  }
  EXPECT_EQ(SortedNames().Complete("", 10).total, 0u);
}

TEST(SortedNamesTest, PartsAreCollectedOnceAndWithoutSeparators) {
  const Names names({"net/unit/conv", "net/unit_2/conv", "net", "/", ""});
  profile::StringPool parts;
  names.Sorted().CollectParts(parts);
  std::vector<std::string> all;
  for (profile::StringId id = 0; id < parts.size(); ++id) {
    all.emplace_back(parts.Get(id));
  }
  EXPECT_THAT(all, UnorderedElementsAre("net", "unit", "unit_2", "conv"));
}

TEST(ScanPartsTest, MatchesTheBeginningsOfParts) {
  const Names names({"net/conv/x", "conv_2", "my_conv"});
  const NameMatches matches = ScanParts(names.List(), "conv", 10);
  EXPECT_THAT(matches.names, ElementsAre("conv", "conv_2"));
  EXPECT_EQ(matches.common, "conv");
  EXPECT_EQ(ScanParts(names.List(), "conv", 0).total, 2u);
}

TEST(FirstNameWithTest, IsTheFirstInByteOrder) {
  const Names names({"b/conv", "a/conv", "c"});
  EXPECT_EQ(FirstNameWith(names.List(), "conv"), "a/conv");
  EXPECT_EQ(FirstNameWith(names.List(), ""), "a/conv");
  EXPECT_EQ(FirstNameWith(names.List(), "d"), "");
}

TEST(PartEndTest, IsBehindTheSeparatorOrTheEnd) {
  EXPECT_EQ(PartEnd("net/unit/conv", 0, '/'), 4u);
  EXPECT_EQ(PartEnd("net/unit/conv", 4, '/'), 9u);
  EXPECT_EQ(PartEnd("net/unit/conv", 9, '/'), 13u);
  EXPECT_EQ(PartEnd("a:b", 0, '\0'), 3u);
  EXPECT_EQ(PartEnd("", 0, '/'), 0u);
}

}  // namespace
}  // namespace tfprof::shell
