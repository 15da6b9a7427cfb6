#include "util/run/pager.h"

#include <signal.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

class PagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TERM", "xterm", 1);
    unsetenv("PAGER");
    signal(SIGPIPE, SIG_IGN);
  }
};

TEST_F(PagerTest, TheVariableNamesThePager) {
  setenv("PAGER", "more -d", 1);
  EXPECT_EQ(PagerCommand(), "more -d");
  setenv("PAGER", "cat", 1);
  EXPECT_EQ(PagerCommand(), "");
  setenv("PAGER", "", 1);
  EXPECT_EQ(PagerCommand(), "");
}

TEST_F(PagerTest, NoPagerOnADumbTerminal) {
  setenv("PAGER", "more", 1);
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(PagerCommand(), "");
  unsetenv("TERM");
  EXPECT_EQ(PagerCommand(), "");
}

TEST_F(PagerTest, LessOnlyWhereItIsInstalled) {
  const std::string folder = ::testing::TempDir() + "/pager_bin";
  ASSERT_EQ(system(("mkdir -p " + folder).c_str()), 0);
  const std::string path = getenv("PATH");
  setenv("PATH", folder.c_str(), 1);
  EXPECT_EQ(PagerCommand(), "");
  setenv("PATH", path.c_str(), 1);
  ASSERT_EQ(
      system(
          ("touch " + folder + "/less; chmod +x " + folder + "/less").c_str()),
      0);
  setenv("PATH", folder.c_str(), 1);
  EXPECT_EQ(PagerCommand(), "less");
  setenv("PATH", path.c_str(), 1);
}

TEST_F(PagerTest, ALessThatCanKeepsTheHeader) {
  const std::string folder = ::testing::TempDir() + "/pager_header";
  const auto less = [&](const std::string& script) {
    ASSERT_EQ(system(("mkdir -p " + folder).c_str()), 0);
    const std::string file = folder + "/less";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    ASSERT_EQ(system(("chmod +x " + file).c_str()), 0);
  };
  const std::string command = folder + "/less -S";
  less("echo less 643");
  EXPECT_EQ(WithHeader(command, 2), command + " --header=2");
  EXPECT_EQ(WithHeader(command, 0), command);
  EXPECT_EQ(WithHeader("more", 2), "more");
  EXPECT_EQ(WithHeader("less;rm x/less", 2), "less;rm x/less");
  less("echo There is no header=1 option; echo less 590");
  EXPECT_EQ(WithHeader(command, 2), command);
  less("exit 1");
  EXPECT_EQ(WithHeader(command, 2), command);
}

TEST_F(PagerTest, WaitsUntilThePagerHasReadAll) {
  const std::string file = ::testing::TempDir() + "/paged";
  EXPECT_TRUE(RunPager("cat > " + file, [](FILE* out) {
    for (int i = 0; i < 100000; ++i) fputs("line\n", out);
  }));
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str().size(), 500000u);
}

TEST_F(PagerTest, APagerThatCannotRunIsSaid) {
  std::string problem;
  EXPECT_FALSE(RunPager(
      "no_such_pager_here 2> /dev/null",
      [](FILE* out) { fputs("line\n", out); }, &problem));
  EXPECT_EQ(problem,
            "the pager \"no_such_pager_here 2> /dev/null\" failed with status "
            "127");
  problem.clear();
  EXPECT_TRUE(RunPager(
      "cat > /dev/null; exit 3", [](FILE*) {}, &problem));
  EXPECT_EQ(problem,
            "the pager \"cat > /dev/null; exit 3\" failed with status 3");
  problem.clear();
  EXPECT_TRUE(RunPager(
      "cat > /dev/null", [](FILE*) {}, &problem));
  EXPECT_EQ(problem, "");
}

TEST_F(PagerTest, APagerThatQuitsEarlyIsNoError) {
  EXPECT_TRUE(RunPager("head -1 > /dev/null", [](FILE* out) {
    for (int i = 0; i < 1000000; ++i) fputs("line\n", out);
  }));
}

TEST_F(PagerTest, LessGetsItsOptionsUnlessTheUserSetSome) {
  const std::string file = ::testing::TempDir() + "/less_options";
  const auto options = [&] {
    EXPECT_TRUE(RunPager("cat > /dev/null; printf %s \"$LESS\" > " + file,
                         [](FILE*) {}));
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  unsetenv("LESS");
  EXPECT_EQ(options(), "FRX");
  setenv("LESS", "S", 1);
  EXPECT_EQ(options(), "S");
  unsetenv("LESS");
}

}  // namespace
}  // namespace tfprof::util
