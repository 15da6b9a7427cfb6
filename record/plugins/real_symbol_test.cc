#include "record/plugins/real_symbol.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

// Functions of this program with the names of functions of libraries.
// RealSymbol must never find the hook itself.
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

// A failed search is not repeated, because hooks may be called often.
TEST(RealSymbolTest, IsNotSearchedAgain) {
  RealSymbol symbol("zlibVersion", "libz");
  EXPECT_EQ(symbol.As<void*>(), nullptr);
  void* const library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "there is no libz";
  EXPECT_EQ(symbol.As<void*>(), nullptr);
  // Another RealSymbol finds it, although its scope is local.
  RealSymbol later("zlibVersion", "libz");
  EXPECT_EQ(later.As<void*>(), dlsym(library, "zlibVersion"));
  dlclose(library);
}

TEST(RealSymbolTest, LoadedLibrariesAreKnownByAPartOfTheirNames) {
  EXPECT_TRUE(IsLoaded("libc"));
  EXPECT_FALSE(IsLoaded("no library has this in its name"));
  // The folders of a path are not part of the name.
  EXPECT_FALSE(IsLoaded("/"));
}

}  // namespace
}  // namespace tfprof::record
