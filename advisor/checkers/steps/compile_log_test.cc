#include <string>
#include <utility>

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST_F(CompileLogCheckTest, TheLimitNamesItsGuard) {
  profile::CompileLogs logs = Again(3);
  for (profile::CompileLogs::Compilation& row : logs.compilations) {
    if (row.is_recompilation) {
      row.reason = "0/0: L['self'].step == " + row.id.substr(2) + "   # if x";
    }
  }
  logs.compilations.back().function = "";  // it failed
  logs.compilations.back().file = "";
  logs.compilations.back().line = -1;
  logs.failures = {{0, "0/3", "Unsupported", "Dynamo recompile limit exceeded"},
                   {0, "1/0", "E", "out of memory"}};
  Set(std::move(logs));
  EXPECT_THAT(
      CheckTrace("CompileLogChecker"),
      ElementsAre(
          "f (m.py:7) reached the limit of recompilations and runs uncompiled: "
          "it was compiled again 3 times, which took 6.00ms; most often "
          "because of L['self'].step == 1  # if x",
          "1 compilation failed, and the code runs uncompiled; most often: out "
          "of memory"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("register_buffer"));
}

TEST_F(CompileLogCheckTest, OneGuardOfManyFunctions) {
  profile::CompileLogs logs;
  for (int f = 0; f < 12; ++f) {
    for (int i = 0; i < 4; ++i) {
      logs.compilations.push_back(
          {.id = std::to_string(f) + "/" + std::to_string(i),
           .function = "layer",
           .file = "m.py",
           .line = 60 + f,
           .duration = 800'000'000,
           .is_recompilation = i > 0,
           .reason = i == 0 ? ""
                            : std::to_string(f) +
                                  "/0: tensor 'mask' dtype "
                                  "mismatch. expected Half, actual Float"});
    }
  }
  Set(std::move(logs));
  EXPECT_THAT(CheckTrace("CompileLogChecker"),
              ElementsAre("layer (m.py:60) and 11 more functions were compiled "
                          "again 36 times, which took 28.80sec; most often "
                          "because of tensor 'mask' dtype mismatch. expected "
                          "Half, actual Float"));
}

TEST_F(CompileLogCheckTest, AnExpensiveRecompilationLateInTheRun) {
  const auto set = [&](int64_t started, int64_t duration) {
    Set({.compilations = {
             {.id = "0/0",
              .function = "f",
              .duration = 1'000'000'000,
              .longest = 1'000'000'000,
              .started = 0},
             {.id = "0/1",
              .function = "f",
              .duration = duration,
              .longest = duration,
              .started = started,
              .is_recompilation = true,
              .reason = "0/0: tensor 'x' size mismatch at index 0. expected "
                        "8, actual 5"}}});
  };
  set(601'000'000'000, 12'000'000'000);
  EXPECT_THAT(CheckTrace("CompileLogChecker"),
              ElementsAre("f (an unknown line) was compiled again, 600.00sec "
                          "after it was compiled before, which took 12.00sec; "
                          "because of tensor 'x' size mismatch at index 0. "
                          "expected 8, actual 5"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("dimension 0"));
  EXPECT_EQ(findings_[0].rule, "late_recompilation");
}

TEST_F(CompileLogCheckTest, AnExpensiveRecompilation) {
  Set({.compilations = {
           {.id = "0/0", .function = "f", .duration = 2'000'000'000},
           {.id = "0/1",
            .function = "f",
            .duration = 12'000'000'000,
            .is_recompilation = true}}});
  EXPECT_THAT(CheckTrace("CompileLogChecker"),
              ElementsAre("f (an unknown line) was compiled again 1 time, "
                          "which took 12.00sec; the log has no reason"));
}

TEST_F(CompileLogCheckTest, ALateRecompilation) {
  const auto set = [&](int64_t started, int64_t duration) {
    Set({.compilations = {{.id = "0/0",
                           .function = "f",
                           .duration = 90'000'000'000,
                           .longest = 90'000'000'000,
                           .started = 0},
                          {.id = "0/1",
                           .function = "f",
                           .duration = duration,
                           .longest = duration,
                           .started = started,
                           .is_recompilation = true}}});
  };
  set(691'000'000'000, 2'000'000'000);
  EXPECT_THAT(CheckTrace("CompileLogChecker"),
              ElementsAre(HasSubstr("which took 2.00sec; the log has no")));
  EXPECT_EQ(findings_[0].rule, "late_recompilation");
}

TEST_F(CompileLogCheckTest, EarlyRecompilationsAreFine) {
  Set({.compilations = {{.id = "0/0",
                         .function = "f",
                         .duration = 90'000'000'000,
                         .longest = 90'000'000'000,
                         .started = 0},
                        {.id = "0/1",
                         .function = "f",
                         .duration = 2'000'000'000,
                         .longest = 2'000'000'000,
                         .started = 92'000'000'000,
                         .is_recompilation = true}}});
  EXPECT_THAT(CheckTrace("CompileLogChecker"), IsEmpty());
}

TEST_F(CompileLogCheckTest, ARankThatCompilesMore) {
  profile::CompileLogs logs;
  logs.logs = {{"a", 0}, {"b", 1}, {"c", 2}};
  for (const uint32_t log : {0U, 1U, 2U}) {
    logs.compilations.push_back(
        {.log = log, .id = "0/0", .function = "f", .duration = 5'000'000'000});
  }
  logs.compilations.push_back({.log = 1,
                               .id = "0/1",
                               .function = "f",
                               .duration = 4'000'000'000,
                               .is_recompilation = true,
                               .reason = "0/0: n == 3"});
  model_.builder().SetCompileLogs(std::move(logs));
  EXPECT_THAT(
      CheckTrace("CompileLogChecker"),
      ElementsAre("Rank 1 compiled 4.00sec longer than other ranks, and they "
                  "wait for it in their next collective; most of it f (an "
                  "unknown line) (which not all ranks compile), 4.00sec, "
                  "because of n == 3"));
}

TEST_F(CompileLogCheckTest, ARankThatCompilesLonger) {
  const auto check = [&](int64_t other) {
    profile::CompileLogs logs;
    logs.logs = {{"a", 0}, {"b", 1}};
    for (const uint32_t log : {0U, 1U}) {
      logs.compilations.push_back(
          {.log = log,
           .id = "0/0",
           .function = "f",
           .duration = log == 0 ? 30'000'000'000 : other});
    }
    model_.builder().SetCompileLogs(std::move(logs));
    return CheckTrace("CompileLogChecker");
  };
  EXPECT_THAT(check(90'000'000'000),
              ElementsAre(HasSubstr("Rank 1 compiled 60.00sec longer")));
}

TEST_F(CompileLogCheckTest, RanksDifferALittle) {
  profile::CompileLogs logs;
  logs.logs = {{"a", 0}, {"b", 1}};
  logs.compilations = {{.log = 0, .id = "0/0", .duration = 30'000'000'000},
                       {.log = 1, .id = "0/0", .duration = 40'000'000'000}};
  model_.builder().SetCompileLogs(std::move(logs));
  EXPECT_THAT(CheckTrace("CompileLogChecker"), IsEmpty());
}

TEST_F(CompileLogCheckTest, CachesThatAreNeverUsed) {
  profile::CompileLogs logs;
  logs.cache_events = {{0, "fx_graph_cache_bypass", 2},
                       {0, "autograd_cache_bypass", 1},
                       {0, "autograd_cache_hit", 1}};
  Set(std::move(logs));
  EXPECT_THAT(CheckTrace("CompileLogChecker"),
              ElementsAre("The cache fx_graph_cache was bypassed 2 times and "
                          "never used: each start of the program compiles "
                          "again"));
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
