#include "loaders/pprof/function_scope.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::pprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FunctionScopeTest, PackagesOfGo) {
  EXPECT_THAT(ScopeOfFunction("github.com/a/b/pkg.(*T).F", "/x/f.go"),
              ElementsAre("github.com", "a", "b", "pkg"));
  EXPECT_THAT(ScopeOfFunction("runtime.mallocgc", "malloc.go"),
              ElementsAre("runtime"));
  EXPECT_THAT(ScopeOfFunction("slices.Sort[go.shape/x.T]", "sort.go"),
              ElementsAre("slices"));
  EXPECT_THAT(ScopeOfFunction("memmove", "memmove_amd64.s"),
              ElementsAre("memmove_amd64.s"));
}

TEST(FunctionScopeTest, NamespacesOfCpp) {
  EXPECT_THAT(ScopeOfFunction("tsl::Pool::Run(std::string)", "pool.cc"),
              ElementsAre("tsl", "Pool"));
  EXPECT_THAT(ScopeOfFunction("a::b<c::d>::f", ""),
              ElementsAre("a", "b<c::d>"));
  EXPECT_THAT(ScopeOfFunction("a::(anonymous namespace)::f()", ""),
              ElementsAre("a", "(anonymous namespace)"));
  EXPECT_THAT(ScopeOfFunction("::f", ""), IsEmpty());
}

TEST(FunctionScopeTest, FilesOfOthers) {
  EXPECT_THAT(ScopeOfFunction("backend_compile", "/lib/jax/compiler.py"),
              ElementsAre("compiler.py"));
  EXPECT_THAT(ScopeOfFunction("a/b.c", ""), IsEmpty());
  EXPECT_THAT(ScopeOfFunction("", ""), IsEmpty());
}

}  // namespace
}  // namespace tfprof::pprof
