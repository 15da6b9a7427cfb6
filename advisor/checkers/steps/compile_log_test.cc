#include <string>
#include <utility>

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CompileLogCheckTest : public CallsCheckTest {
 protected:
  void Set(profile::CompileLogs logs) {
    logs.logs = {{"a.log", 0}};
    model_.builder().SetCompileLogs(std::move(logs));
  }
  static profile::CompileLogs Again(int times) {
    profile::CompileLogs logs;
    for (int i = 0; i <= times; ++i) {
      logs.compilations.push_back({.id = "0/" + std::to_string(i),
                                   .function = "f",
                                   .file = "m.py",
                                   .line = 7,
                                   .duration = 2'000'000,
                                   .is_recompilation = i > 0,
                                   .reason = i > 0 ? "size changed" : ""});
    }
    return logs;
  }
};

TEST_F(CompileLogCheckTest, AFunctionThatIsCompiledAgainAndAgain) {
  Set(Again(3));
  EXPECT_THAT(
      CheckTrace("CompileLogChecker"),
      ElementsAre("f (m.py:7) was compiled again 3 times, which took 6.00ms; "
                  "most often because of size changed"));
}

TEST_F(CompileLogCheckTest, FewRecompilationsAreFine) {
  Set(Again(2));
  EXPECT_THAT(CheckTrace("CompileLogChecker"), IsEmpty());
}

TEST_F(CompileLogCheckTest, FailuresAndGraphBreaks) {
  profile::CompileLogs logs;
  logs.failures = {{0, "0/0", "E", "limit reached"}};
  logs.graph_breaks = {{0, "0/0", "m.py", 3, "print"},
                       {0, "1/0", "m.py", 3, "print"},
                       {0, "2/0", "n.py", 5, "item"}};
  Set(std::move(logs));
  EXPECT_THAT(
      CheckTrace("CompileLogChecker"),
      ElementsAre("1 compilation failed, and the code runs uncompiled; most "
                  "often: limit reached",
                  "3 graph breaks at 2 places; most often at m.py:3 (print)"));
}

}  // namespace
}  // namespace tfprof::advisor
