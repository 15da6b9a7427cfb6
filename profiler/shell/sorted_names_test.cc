#include "profiler/shell/sorted_names.h"

#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

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
    StringPool pool;
    for (int i = 0; i < 40; ++i) pool.Intern(word(1 + random() % 6));
    std::vector<StringId> ids(pool.size());
    std::iota(ids.begin(), ids.end(), 0);
    const char separator = round % 4 == 0 ? '\0' : '/';
    const SortedNames sorted(pool, ids, separator);
    StringPool part_pool;
    sorted.CollectParts(part_pool);
    std::vector<StringId> part_ids(part_pool.size());
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

}  // namespace
}  // namespace tfprof
