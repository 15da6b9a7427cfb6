#include "profile/tables/scopes.h"

#include "gtest/gtest.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {
namespace {

TEST(ScopesTest, TheRootAlwaysExists) {
  const Scopes scopes;
  EXPECT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[kRootScope].name, kNone);
}

TEST(ScopesTest, AScopeIsItsParentAndItsName) {
  StringPool strings;
  const StringId a = strings.Intern("a"), b = strings.Intern("b");
  Scopes scopes;
  const ScopeId in_a = scopes.Push(kRootScope, a);
  const ScopeId a_b = scopes.Push(in_a, b);
  const ScopeId in_b = scopes.Push(kRootScope, b);
  EXPECT_EQ(scopes.Push(in_a, b), a_b);
  EXPECT_NE(in_b, a_b);
  EXPECT_EQ(scopes.size(), 4u);
  EXPECT_EQ(scopes[a_b].parent, in_a);
  EXPECT_EQ(scopes[a_b].name, b);
  EXPECT_LT(in_a, a_b);
}

TEST(ScopesTest, AScopeMayHaveTheNameOfItsParent) {
  Scopes scopes;
  const ScopeId a = scopes.Push(kRootScope, 7);
  const ScopeId a_a = scopes.Push(a, 7);
  EXPECT_NE(a_a, a);
  EXPECT_EQ(scopes[a_a].parent, a);
  EXPECT_EQ(scopes[a_a].name, scopes[a].name);
}

TEST(ScopesTest, DeepTrees) {
  Scopes scopes;
  ScopeId scope = kRootScope;
  for (StringId i = 0; i < 10000; ++i) scope = scopes.Push(scope, i % 3);
  EXPECT_EQ(scopes.size(), 10001u);
  size_t depth = 0;
  for (; scope != kRootScope; scope = scopes[scope].parent) ++depth;
  EXPECT_EQ(depth, 10000u);
  EXPECT_GE(scopes.bytes(), scopes.size() * sizeof(Scopes::Entry));
}

}  // namespace
}  // namespace tfprof::profile
