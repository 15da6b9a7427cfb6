// The calls of Python functions as lanes of a profile.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/kineto_testing.h"
#include "profile/profile.h"

namespace tfprof::kineto {
namespace {

using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// The calls on lanes of Python: "STEP NAME LENGTH" in nanoseconds.
std::vector<std::string> PythonCalls(const profile::Profile& profile) {
  std::vector<std::string> calls;
  for (const auto& step : profile.steps()) {
    const auto add = [&](size_t e, profile::StringId name) {
      const profile::LaneId lane = step->LaneOf(e);
      if (profile.lanes()[lane].kind != profile::LaneKind::kPython) return;
      calls.push_back(fmt::format("{} {} {}", step->id,
                                  profile.strings().Get(name),
                                  step->exec_duration.Ticks(e)));
    };
    for (size_t g = 0; g < step->num_groups(); ++g) {
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        add(e, profile.nodes().op[step->node[g]]);
      }
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      add(e, step->OutsideName(e));
    }
  }
  return calls;
}

std::string PythonCall(std::string_view name, std::string_view start,
                       std::string_view duration,
                       std::string_view thread = "5") {
  return Complete("python_function", name, start, duration, "", thread);
}

TEST(KinetoPythonLanes, CallsOfPythonFunctionsAreLanes) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "100", "5"),
      PythonCall("train.py(20): step", "110", "80"),
      PythonCall("torch/optim/adam.py(7): step", "120", "20"),
      // These are too short, or have no file.
      PythonCall("train.py(30): short", "145", "19.999"),
      PythonCall("<built-in method sleep>", "150", "30"),
      PythonCall("nn.Module: Net_0", "150", "30"),
      PythonCall("data.py(3): load", "100", "50", "6"),
  });
  EXPECT_THAT(PythonCalls(t.profile),
              UnorderedElementsAre("0 train.py:20:step 80000",
                                   "0 torch/optim/adam.py:7:step 20000",
                                   "0 data.py:3:load 50000"));
  // A call has what it does not pass on. A thread without operators has no sum.
  const auto sums = t.ByName();
  ASSERT_THAT(sums, SizeIs(3));
  EXPECT_EQ(sums.at("aten::mm").cpu, 5000);
  EXPECT_EQ(sums.at("train.py:20:step").cpu, 60000);
  EXPECT_EQ(sums.at("torch/optim/adam.py:7:step").cpu, 20000);
}

TEST(KinetoPythonLanes, EachThreadHasItsLaneOfPython) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "100", "5"),
      PythonCall("a.py(1): f", "110", "80"),
      PythonCall("a.py(1): f", "110", "80", "6"),
  });
  const profile::LaneTable& lanes = t.profile.lanes();
  std::vector<int64_t> threads;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].kind != profile::LaneKind::kPython) continue;
    threads.push_back(lanes[id].thread);
    EXPECT_TRUE(lanes[id].calls_nest);
  }
  EXPECT_THAT(threads, UnorderedElementsAre(5, 6));
}

TEST(KinetoPythonLanes, CallsOfPythonAreInTheStepInWhichTheyBegin) {
  const LoadedTrace t = LoadTrace({
      Range("ProfilerStep#3", "100", "100"),
      Range("ProfilerStep#4", "200", "100"),
      Op("aten::mm", "110", "5"),
      Op("aten::mm", "210", "5"),
      PythonCall("a.py(1): first", "150", "100"),
      PythonCall("a.py(2): second", "250", "30"),
  });
  EXPECT_THAT(
      PythonCalls(t.profile),
      UnorderedElementsAre("3 a.py:1:first 100000", "4 a.py:2:second 30000"));
}

TEST(KinetoPythonLanes, PythonTakesItsTimeFromRangesAndNotFromOperators) {
  const LoadedTrace t = LoadTrace({
      Range("ProfilerStep#3", "100", "100"),
      PythonCall("a.py(1): train", "110", "80"),
      Op("aten::mm", "120", "10"),
      // A function that an operator calls.
      Op("MyFunction", "140", "40"),
      PythonCall("b.py(1): backward", "145", "30"),
  });
  const auto sums = t.ByName();
  EXPECT_EQ(sums.at("ProfilerStep*").cpu, 20'000);
  EXPECT_EQ(sums.at("a.py:1:train").cpu, 30'000);
  EXPECT_EQ(sums.at("aten::mm").cpu, 10'000);
  EXPECT_EQ(sums.at("MyFunction").cpu, 40'000);
  EXPECT_EQ(sums.at("b.py:1:backward").cpu, 0);
}

TEST(KinetoPythonLanes, ARangeMayEndAfterTheCallThatBeganIt) {
  const LoadedTrace t = LoadTrace({
      PythonCall("a.py(1): enter", "100", "40"),
      Range("my range", "120", "60"),
      PythonCall("a.py(9): inside", "150", "20"),
  });
  const auto sums = t.ByName();
  // Before the range began.
  EXPECT_EQ(sums.at("a.py:1:enter").cpu, 20'000);
  EXPECT_EQ(sums.at("my range/my range").cpu, 40'000);
  EXPECT_EQ(sums.at("my range/a.py:9:inside").cpu, 20'000);
}

TEST(KinetoPythonLanes, TheSumsOfAThreadAreTheTimeInWhichItDidSomething) {
  const LoadedTrace t = LoadTrace({
      PythonCall("a.py(1): f", "100", "100"),
      PythonCall("a.py(2): g", "120", "50"),
      Range("r", "130", "60"),
      Op("aten::mm", "135", "5"),
      PythonCall("a.py(3): h", "145", "30"),
  });
  int64_t all = 0;
  for (const auto& [name, sum] : t.ByName()) all += sum.cpu;
  EXPECT_EQ(all, 100'000);
}

}  // namespace
}  // namespace tfprof::kineto
