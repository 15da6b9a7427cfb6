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

// The calls on lanes of Python: "NAME START+LENGTH" in nanoseconds.
std::vector<std::string> PythonCalls(const profile::Profile& profile) {
  std::vector<std::string> calls;
  for (const auto& step : profile.steps()) {
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      const profile::LaneId lane = step->LaneOf(e);
      if (profile.lanes()[lane].kind != profile::LaneKind::kPython) continue;
      calls.push_back(
          fmt::format("{} {}+{}", profile.strings().Get(step->OutsideName(e)),
                      step->exec_start.Ticks(e) - step->exec_start.Ticks(0),
                      step->exec_duration.Ticks(e)));
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
              UnorderedElementsAre("train.py:20:step 10000+80000",
                                   "torch/optim/adam.py:7:step 20000+20000",
                                   "data.py:3:load 0+50000"));
  // They are in no sum.
  const auto sums = t.ByName();
  ASSERT_THAT(sums, SizeIs(1));
  EXPECT_EQ(sums.begin()->second.cpu, 5000);
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
  const auto has = [&](int64_t step, std::string_view name) {
    const profile::Step& of = *t.profile.FindStep(step);
    for (size_t e = of.num_executions(); e < of.num_records(); ++e) {
      if (t.profile.strings().Get(of.OutsideName(e)) == name) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(3, "a.py:1:first"));
  EXPECT_FALSE(has(4, "a.py:1:first"));
  EXPECT_TRUE(has(4, "a.py:2:second"));
}

}  // namespace
}  // namespace tfprof::kineto
