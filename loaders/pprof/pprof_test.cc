#include "loaders/pprof/pprof.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/pprof/pprof_testing.h"

namespace tfprof::pprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class PprofTest : public loaders::FolderTest {
 protected:
  PprofTest()
      : maker_(
            PprofMaker::Types{{"samples", "count"}, {"cpu", "nanoseconds"}}) {
    maker_.Location(1, maker_.Function("main", "/src/m.py"), 3);
    maker_.Location(2, maker_.Function("work", "/src/w.py"), 7);
  }

  absl::StatusOr<loaders::Loaded> LoadMade() {
    return loaders::LoadFiles({Write("p", maker_.Bytes())});
  }

  // Formats each frame as "file:line:function", outermost first.
  static std::vector<std::string> StackOf(const profile::Profile& profile,
                                          profile::NodeId n) {
    std::vector<std::string> stack;
    const profile::CallStacks& stacks = profile.graph().stacks;
    const auto text = [&](profile::StringId id) {
      return id == profile::kNone ? std::string()
                                  : std::string(profile.strings().Get(id));
    };
    for (const profile::FrameId f : stacks.Frames(profile.nodes().stack[n])) {
      const profile::Frame& frame = stacks.frame(f);
      stack.push_back(text(frame.file) + ":" + std::to_string(frame.lineno) +
                      ":" + text(frame.function));
    }
    return stack;
  }
  static std::vector<std::string> Names(const profile::Profile& profile) {
    std::vector<std::string> names;
    for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
      names.emplace_back(profile.node_name(n));
    }
    return names;
  }

  PprofMaker maker_;
};

TEST_F(PprofTest, ANodeIsACallStack) {
  maker_.Sample({2, 1}, {1, 10});
  maker_.Sample({1}, {1, 20});
  maker_.Sample({2, 1}, {2, 5});
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_THAT(Names(profile), ElementsAre("w.py/work", "m.py/main"));
  EXPECT_THAT(StackOf(profile, 0),
              ElementsAre("/src/m.py:3:main", "/src/w.py:7:work"));
  EXPECT_THAT(StackOf(profile, 1), ElementsAre("/src/m.py:3:main"));
  EXPECT_EQ(profile.strings().Get(profile.nodes().op[0]), "work");
  EXPECT_EQ(profile.ticks_per_micro(), 1000);
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.cpu_time[0], 15);
  EXPECT_EQ(sums.run_count[0], 3);
  EXPECT_EQ(sums.cpu_time[1], 20);
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(PprofTest, FunctionsThatWereInlined) {
  const uint64_t inner = maker_.Function("inner", "/src/w.py");
  maker_.InlinedLocation(3, {{inner, 9}, {1, 4}});
  maker_.Sample({3, 1}, {1, 10});
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(
      StackOf(loaded->profile, 0),
      ElementsAre("/src/m.py:3:main", "/src/m.py:4:main", "/src/w.py:9:inner"));
}

TEST_F(PprofTest, CodeWithoutSymbols) {
  maker_.Address(3, 0xff, "/lib/libc.so");
  maker_.Sample({3}, {1, 10});
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(StackOf(loaded->profile, 0), ElementsAre("/lib/libc.so:-1:0xff"));
  EXPECT_THAT(Names(loaded->profile), ElementsAre("libc.so/0xff"));
}

TEST_F(PprofTest, ASampleWithoutACallStack) {
  maker_.Sample({}, {1, 10});
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Names(loaded->profile), ElementsAre("<no call stack>"));
}

TEST_F(PprofTest, LocationsAndValuesThatAreMissing) {
  maker_.Sample({9, 1}, {1});
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Names(loaded->profile), ElementsAre("m.py/main"));
  EXPECT_EQ(Count(*loaded, "location of a sample missing"), 1);
  EXPECT_EQ(Count(*loaded, "values of a sample missing"), 1);
}

TEST_F(PprofTest, LabelsAndValuesAreArguments) {
  maker_.Sample({1}, {1, 10}, "phase", "sort");
  const auto loaded = LoadMade();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Step& step = *loaded->profile.FindStep(0);
  EXPECT_THAT(
      loaded->profile.Arguments(step.exec_record[0]),
      ElementsAre(Pair("samples", "1 count"), Pair("cpu", "10 nanoseconds"),
                  Pair("phase", "sort")));
  EXPECT_FALSE(step.HasStart(0));
}

TEST_F(PprofTest, SeveralFilesAreStepsOfOneProfile) {
  maker_.Sample({1}, {1, 10});
  const std::string a = Write("a", maker_.Bytes());
  maker_.Sample({1}, {1, 5});
  const std::string b = Write("b", maker_.Bytes());
  const auto loaded = loaders::LoadFiles({a, b});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0, 1));
  EXPECT_THAT(Names(loaded->profile), ElementsAre("m.py/main"));
  EXPECT_EQ(loaded->profile.FindStep(1)->sums.cpu_time[0], 15);
}

TEST_F(PprofTest, AProfileOfMemoryHasNoTimes) {
  PprofMaker maker(PprofMaker::Types{{"space", "bytes"}});
  maker.Location(1, maker.Function("f", "f.py"), 1);
  maker.Sample({1}, {64});
  const auto loaded = loaders::LoadFiles({Write("m", maker.Bytes())});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, accounting::kRequestedBytes), 64);
  EXPECT_EQ(Count(*loaded, "pprof file without times"), 1);
}

TEST_F(PprofTest, ADamagedSampleIsDropped) {
  maker_.Sample({1}, {1, 10});
  const auto loaded = loaders::LoadFlagged(
      {{"pprof_path",
        Write("p", maker_.Bytes() + std::string("\x12\x02\x0a\x7f", 4))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros), 10);
  EXPECT_EQ(Count(*loaded, "pprof sample dropped"), 1);
}

TEST_F(PprofTest, TextIsNoProfile) {
  EXPECT_THAT(Error(loaders::LoadFiles({Write("x", std::string(1000, 'x'))})),
              HasSubstr("the format of its 1000 bytes is unknown"));
}

TEST_F(PprofTest, AFileUnderAFlagThatIsNoProfile) {
  EXPECT_THAT(
      Error(loaders::LoadFlagged({{"pprof_path", Write("x", "\x0a\x7f")}})),
      HasSubstr("not a pprof profile"));
}

}  // namespace
}  // namespace tfprof::pprof
