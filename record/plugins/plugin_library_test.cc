#include "record/plugins/plugin_library.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace tfprof::record {
namespace {

constexpr char kSetting[] = "TFPROF_RECORD_TEST_LIBRARY";

class PluginLibraryTest : public ::testing::Test {
 protected:
  ~PluginLibraryTest() override { unsetenv(kSetting); }
};

TEST_F(PluginLibraryTest, TheFirstNameThatCanBeLoadedIsOpened) {
  PluginLibrary library;
  EXPECT_TRUE(library.Open(kSetting, {"libnone.so.77", "libm.so.6"}));
  const auto square_root = library.As<double (*)(double)>("sqrt");
  ASSERT_NE(square_root, nullptr);
  EXPECT_EQ(square_root(9), 3);
  EXPECT_EQ(library.As<void (*)()>("no_such_function_of_anybody"), nullptr);
}

TEST_F(PluginLibraryTest, WithoutALibraryThereAreNoFunctions) {
  PluginLibrary library;
  EXPECT_FALSE(library.Open(kSetting, {"libnone.so.77"}));
  EXPECT_EQ(library.As<void (*)()>("sqrt"), nullptr);
}

// The setting replaces the list of names, so a wrong one opens nothing.
TEST_F(PluginLibraryTest, TheEnvironmentNamesAnotherLibrary) {
  PluginLibrary library;
  setenv(kSetting, "libnone.so.77", 1);
  EXPECT_FALSE(library.Open(kSetting, {"libm.so.6"}));
  setenv(kSetting, "libm.so.6", 1);
  EXPECT_TRUE(library.Open(kSetting, {}));
  EXPECT_NE(library.As<void (*)()>("sqrt"), nullptr);
}

TEST_F(PluginLibraryTest, OnlyOffLeavesALibraryOut) {
  EXPECT_FALSE(IsLeftOut(kSetting));
  setenv(kSetting, "on", 1);
  EXPECT_FALSE(IsLeftOut(kSetting));
  setenv(kSetting, "off", 1);
  EXPECT_TRUE(IsLeftOut(kSetting));
}

TEST_F(PluginLibraryTest, TheEndIsCalledWhenTheProcessExits) {
  const pid_t child = fork();
  if (child == 0) {
    CallAtExit([] { _exit(42); });
    exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace tfprof::record
