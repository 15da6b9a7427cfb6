#include "views/name_path.h"

#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

TEST(NamePathTest, TheScopeIsAllBeforeTheLastSeparator) {
  EXPECT_EQ(ScopeOfPath("tower/conv1/weights"), "tower/conv1");
  EXPECT_EQ(ScopeOfPath("conv1"), std::nullopt);
  EXPECT_EQ(ScopeOfPath(""), std::nullopt);
  EXPECT_EQ(ScopeOfPath("/a"), "");
  EXPECT_EQ(ScopeOfPath("a//b"), "a/");
  EXPECT_EQ(ScopeOfPath("a/"), "a");
}

TEST(NamePathTest, Parts) {
  EXPECT_EQ(LastPart("tower/conv1"), "conv1");
  EXPECT_EQ(LastPart("conv1"), "conv1");
  EXPECT_EQ(LastPart("a/"), "");
  EXPECT_EQ(FirstPart("tower/conv1"), "tower");
  EXPECT_EQ(FirstPart("conv1"), "conv1");
  EXPECT_EQ(FirstPart("/a"), "");
}

TEST(NamePathTest, IsPathInAgreesWithScopeOfPath) {
  const std::string_view names[] = {"",     "a",  "a/b",  "a/b/c",
                                    "a//b", "/a", "a/",   "ab/c",
                                    "//",   "/",  "a/b/", "b/a/b"};
  for (const std::string_view name : names) {
    for (const std::string_view scope : names) {
      EXPECT_EQ(IsPathIn(name, scope), ScopeOfPath(name) == scope)
          << name << " in " << scope;
    }
  }
}

}  // namespace
}  // namespace tfprof::views
