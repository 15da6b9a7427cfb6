#include "record/plugins/real_symbol.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

// Functions of this program under the names of others. What a hook stands in
// front of is never the hook itself.
extern "C" {
__attribute__((used, visibility("default"))) double cbrt(double) { return -1; }
__attribute__((used, visibility("default"))) int OnlyHere() { return 1; }
}

namespace tfprof::record {
namespace {

TEST(RealSymbolTest, IsThatOfTheLibraryAndNotTheHook) {
  RealSymbol symbol("cbrt", "libm");
  const auto real = symbol.As<double (*)(double)>();
  ASSERT_NE(real, nullptr);
  EXPECT_NEAR(real(27), 3, 1e-9);
  EXPECT_EQ(symbol.As<double (*)(double)>(), real);
}

TEST(RealSymbolTest, IsFoundInALibraryOfAnotherName) {
  RealSymbol symbol("cbrt", "no library has this in its name");
  const auto real = symbol.As<double (*)(double)>();
  ASSERT_NE(real, nullptr);
  EXPECT_NEAR(real(8), 2, 1e-9);
}

TEST(RealSymbolTest, IsNullIfOnlyTheRecorderHasIt) {
  RealSymbol symbol("OnlyHere", "libm");
  EXPECT_EQ(symbol.As<void*>(), nullptr);
  RealSymbol nowhere("no_such_function_of_anybody", "libm");
  EXPECT_EQ(nowhere.As<void*>(), nullptr);
}

// It is searched once, so that a hook that is called often does not search.
TEST(RealSymbolTest, IsNotSearchedAgain) {
  RealSymbol symbol("zlibVersion", "libz");
  EXPECT_EQ(symbol.As<void*>(), nullptr);
  void* const library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "there is no libz";
  EXPECT_EQ(symbol.As<void*>(), nullptr);
  // Another one finds it, although its scope is local.
  RealSymbol later("zlibVersion", "libz");
  EXPECT_EQ(later.As<void*>(), dlsym(library, "zlibVersion"));
  dlclose(library);
}

TEST(RealSymbolTest, LoadedLibrariesAreKnownByAPartOfTheirNames) {
  EXPECT_TRUE(IsLoaded("libc"));
  EXPECT_FALSE(IsLoaded("no library has this in its name"));
  // Folders are no part of the name.
  EXPECT_FALSE(IsLoaded("/"));
}

}  // namespace
}  // namespace tfprof::record
