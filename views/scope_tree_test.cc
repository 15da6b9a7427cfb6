#include "views/scope_tree.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A name with half as many scopes as bytes must not be read once per scope.
TEST(ScopeTreeOfNamesTest, DeepNamesTakeLinearTime) {
  std::string name = "a";
  for (int i = 0; i < 20000; ++i) name += "/a";
  size_t all_names = 0;
  profile::ProfileBuilder builder;
  for (const std::string_view suffix : {"", "/b", "/c/d", "/e/f/g"}) {
    const std::string node = name + std::string(suffix);
    builder.AddNode(node, "Op", profile::kNoRecord);
    all_names += node.size();
  }
  const profile::Profile profile = std::move(builder).Build();
  size_t hashed_bytes = 0;
  const ScopeTree tree =
      BuildPathTree(profile, util::TaskOptions(), hashed_bytes);
  // The rows are the root, 20,000 scopes of the first node, four nodes, c, e
  // and f.
  ASSERT_THAT(tree.names, SizeIs(1 + 20000 + 4 + 3));
  EXPECT_LE(hashed_bytes, 2 * all_names);
  for (uint32_t row = 2; row <= 20001; ++row) {
    ASSERT_EQ(tree.parent[row], row - 1);
    ASSERT_EQ(tree.names[row].size(), 2 * row - 1);
  }
}

// The walk up ends at a known scope, which may be a node.
TEST(ScopeTreeOfNamesTest, ScopesOfScopesAreSharedAndMayBeNodes) {
  profile::ProfileBuilder builder;
  for (const std::string_view name : {"a/b/c/d/e", "a/b/x/y", "a/b/x", "z"}) {
    builder.AddNode(name, "Op", profile::kNoRecord);
  }
  const profile::Profile profile = std::move(builder).Build();
  size_t hashed_bytes = 0;
  const ScopeTree tree =
      BuildPathTree(profile, util::TaskOptions(), hashed_bytes);
  EXPECT_THAT(tree.names,
              ElementsAre("_TFProfRoot", "a", "a/b", "a/b/c", "a/b/c/d",
                          "a/b/c/d/e", "a/b/x", "a/b/x/y", "z"));
  EXPECT_THAT(tree.parent, ElementsAre(0, 0, 1, 2, 3, 4, 2, 6, 0));
  EXPECT_THAT(tree.node,
              ElementsAre(profile::kNone, profile::kNone, profile::kNone,
                          profile::kNone, profile::kNone, 0, 2, 1, 3));
}

}  // namespace
}  // namespace tfprof::views
