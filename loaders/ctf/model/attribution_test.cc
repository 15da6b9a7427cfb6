#include "loaders/ctf/model/attribution.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/events/events_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::SizeIs;

TEST(Attribution, QueuedTimeFindsTheThreadThatLaunched) {
  // Device times are 10000 less than host times, which are 1000 more than the
  // times in the trace.
  TraceFacts facts = EventScript()
                         .Op(kOpStart, 20000, "first", 1)
                         .Op(kOpStart, 20001, "second", 2)
                         .Call(20100, 20110, 2)
                         .Call(20200, 20210, 1)
                         .Kernel(30000, 11103, 15000, 16000)
                         .Kernel(30001, 11205, 12000, 13000)
                         .Op(kOpEnd, 40000, "first", 1)
                         .Op(kOpEnd, 40001, "second", 2)
                         .Facts();
  const Attribution result = Attribute(facts);
  ASSERT_THAT(result.links, SizeIs(2));
  EXPECT_EQ(facts.names.Get(result.links[0].name), "second");
  EXPECT_EQ(facts.names.Get(result.links[1].name), "first");
  EXPECT_EQ(result.links[0].rule, LinkRule::kQueuedTime);
  EXPECT_EQ(result.kernels_before_launch, 0u);
  ASSERT_THAT(result.clocks, SizeIs(1));
  EXPECT_LE(result.clocks[0].bounds.low, 10000);
  EXPECT_GE(result.clocks[0].bounds.high, 10000);
}

TEST(Attribution, WithoutCallsAKernelIsAmbiguous) {
  TraceFacts facts = EventScript().Kernel(30000, 11103, 15000, 16000).Facts();
  const Attribution result = Attribute(facts);
  ASSERT_THAT(result.links, SizeIs(1));
  EXPECT_EQ(result.links[0].rule, LinkRule::kAmbiguous);
  EXPECT_EQ(facts.activities[0].clock, DeviceClock::kUnknown);
}

TEST(OpenOps, GivesTheInnermostOp) {
  const TraceFacts facts = EventScript()
                               .Op(kOpStart, 10, "outer")
                               .Op(kOpStart, 20, "inner")
                               .Op(kOpEnd, 30, "inner")
                               .Op(kOpEnd, 50, "outer")
                               .Facts();
  const OpenOps open(facts);
  const auto name = [&](int64_t time) {
    const uint32_t op = open.At(0, 1000 + time);
    return op == profile::kNone
               ? std::string()
               : std::string(facts.names.Get(facts.ops[op].name));
  };
  EXPECT_EQ(name(5), "");
  EXPECT_EQ(name(25), "inner");
  EXPECT_EQ(name(40), "outer");
  EXPECT_EQ(name(60), "");
}

// Facts written by hand: a process with two threads.
class AttributionTest : public ::testing::Test {
 protected:
  AttributionTest() {
    facts_.processes.resize(1);
    facts_.threads.resize(2);
    facts_.threads[0].thread = 10;
    facts_.threads[1].thread = 11;
  }
  profile::StringId Name(std::string_view text) {
    return facts_.names.Intern(text);
  }
  void AddOp(std::string_view name, int64_t begin, int64_t end,
             ThreadId thread = 0) {
    facts_.ops.push_back({begin, end, Name(name), profile::kNone, thread});
  }
  void AddCall(int64_t begin, int64_t end, ThreadId thread = 0) {
    facts_.calls.push_back({begin, end, Name("clEnqueueNDRangeKernel"),
                            Name("openclTracer"), thread});
  }
  // Adds a kernel on the host's clock.
  Activity& AddKernel(int64_t begin, int64_t end) {
    Activity kernel;
    kernel.name = Name("k");
    kernel.provider = Name("cudaTracer");
    kernel.begin = begin;
    kernel.end = end;
    facts_.activities.push_back(kernel);
    return facts_.activities.back();
  }
  // Adds a kernel on a clock that is `kBehind` behind.
  static constexpr int64_t kBehind = 5000;
  void AddDeviceKernel(int64_t queued, int64_t begin, int64_t end) {
    Activity& kernel = AddKernel(begin - kBehind, end - kBehind);
    kernel.queued = queued - kBehind;
    kernel.clock = DeviceClock::kUnknown;
  }
  std::string OpOf(const Attribution& result, size_t activity) {
    const profile::StringId name = result.links.at(activity).name;
    return name == profile::kNone ? "" : std::string(facts_.names.Get(name));
  }

  TraceFacts facts_;
};

TEST_F(AttributionTest, AnAnnotationThatIsAnOpNamesIt) {
  AddOp("conv", 0, 100);
  AddKernel(10, 20).annotation = Name("conv");
  AddKernel(30, 40).annotation = Name("no op");
  const Attribution result = Attribute(facts_);
  EXPECT_EQ(result.links[0].rule, LinkRule::kAnnotation);
  EXPECT_EQ(OpOf(result, 0), "conv");
  EXPECT_EQ(result.links[1].rule, LinkRule::kAmbiguous);
}

TEST_F(AttributionTest, ALaunchThatIsToldIsInTheOpOfItsThread) {
  AddOp("one", 0, 100, 0);
  AddOp("two", 0, 100, 1);
  for (const int64_t entry : {50, 500}) {
    Activity& kernel = AddKernel(60, 70);
    kernel.launch_thread = 11;
    kernel.entry = entry;
  }
  AddKernel(60, 70).launch_thread = 99;  // no such thread
  const Attribution result = Attribute(facts_);
  EXPECT_EQ(result.links[0].rule, LinkRule::kCorrelation);
  EXPECT_EQ(OpOf(result, 0), "two");
  EXPECT_EQ(result.links[0].launch, 50);
  EXPECT_EQ(result.links[1].rule, LinkRule::kOutsideOps);
  EXPECT_EQ(OpOf(result, 1), "");
  EXPECT_EQ(result.links[2].rule, LinkRule::kAmbiguous);
  EXPECT_EQ(result.kernels_before_launch, 1u)
      << "begins at 60, launched at 500";
}

TEST_F(AttributionTest, OtherWorkThanKernelsHasNoOp) {
  AddOp("one", 0, 100);
  Activity& copy = AddKernel(60, 70);
  copy.work = DeviceWork::kCopy;
  copy.annotation = Name("one");
  const Attribution result = Attribute(facts_);
  EXPECT_EQ(OpOf(result, 0), "");
  for (const uint64_t kernels : result.kernels_by_rule) EXPECT_EQ(kernels, 0u);
}

TEST_F(AttributionTest, TheOrderOfAQueueDecidesIfNamesAgree) {
  AddOp("one", 0, 100);
  AddOp("two", 200, 300);
  for (const int64_t begin : {20, 220}) {
    facts_.launches.push_back({begin, begin, Name("k"), Name("q"), 0});
  }
  AddKernel(400, 410).queue = Name("q");
  AddKernel(350, 360).queue = Name("q");  // this kernel ran first
  {
    const Attribution result = Attribute(facts_);
    EXPECT_EQ(result.links[0].rule, LinkRule::kQueueOrder);
    EXPECT_EQ(OpOf(result, 0), "two");
    EXPECT_EQ(OpOf(result, 1), "one");
  }
  facts_.launches[0].name = Name("another");
  EXPECT_EQ(Attribute(facts_).links[0].rule, LinkRule::kAmbiguous);
  facts_.launches[0].name = Name("k");
  AddKernel(500, 510).queue = Name("q");  // more kernels than launches
  EXPECT_EQ(Attribute(facts_).links[0].rule, LinkRule::kAmbiguous);
}

TEST_F(AttributionTest, LaunchesOfTwoThreadsHaveNoOrder) {
  AddOp("one", 0, 100, 0);
  AddOp("two", 0, 100, 1);
  AddCall(10, 20, 0);
  AddCall(30, 40, 1);
  AddKernel(400, 410);
  AddKernel(450, 460);
  EXPECT_EQ(Attribute(facts_).links[0].rule, LinkRule::kAmbiguous);
  facts_.calls[1].thread = 0;
  const Attribution result = Attribute(facts_);
  EXPECT_EQ(result.links[1].rule, LinkRule::kQueueOrder);
  EXPECT_EQ(OpOf(result, 1), "one");
}

TEST_F(AttributionTest, CallsOfOthersAreEliminated) {
  // The second kernel was queued inside both calls, the first one inside one.
  AddOp("one", 0, 2000, 0);
  AddOp("two", 0, 2000, 1);
  AddCall(1000, 1100, 0);
  AddCall(1090, 1094, 1);
  AddDeviceKernel(1001, 1200, 1210);
  AddDeviceKernel(1092, 1300, 1310);
  const Attribution result = Attribute(facts_);
  ASSERT_THAT(result.clocks, SizeIs(1));
  ASSERT_TRUE(result.clocks[0].bounds.known());
  EXPECT_EQ(result.links[0].rule, LinkRule::kQueuedTime);
  EXPECT_EQ(OpOf(result, 0), "one");
  EXPECT_EQ(result.links[1].rule, LinkRule::kElimination);
  EXPECT_EQ(OpOf(result, 1), "two");
}

TEST_F(AttributionTest, ACommandCompletesTheActivityOfItsTimes) {
  AddDeviceKernel(1003, 1100, 1110);
  Activity command = facts_.activities[0];
  command.queue = Name("q");
  command.launch_thread = 10;
  command.entry = 1000;
  command.exit = 1010;
  command.bytes = 64;
  facts_.commands = {command};
  command.begin += 1;  // not the same command
  facts_.commands.push_back(command);
  command.end = command.begin - 1;  // impossible
  facts_.commands.push_back(command);
  AddOp("one", 900, 1200);
  const Attribution result = Attribute(facts_);
  ASSERT_THAT(facts_.activities, SizeIs(2));
  EXPECT_EQ(facts_.activities[0].bytes, 64);
  EXPECT_EQ(facts_.activities[0].queue, Name("q"));
  EXPECT_EQ(result.links[0].rule, LinkRule::kCorrelation);
  EXPECT_EQ(OpOf(result, 1), "one");
}

TEST_F(AttributionTest, APairOfClocksMovesItsDeviceOnly) {
  AddDeviceKernel(1003, 1100, 1110);
  AddDeviceKernel(2003, 2100, 2110);
  facts_.activities[0].device = Name("gpu:0");
  facts_.activities[1].device = Name("gpu:1");
  facts_.clock_pairs = {{0, Name("gpu:0"), 990, 995 - kBehind, 1000}};
  Attribute(facts_);
  EXPECT_EQ(facts_.activities[0].clock, DeviceClock::kNanos);
  EXPECT_EQ(facts_.activities[0].begin, 1100);
  EXPECT_EQ(facts_.activities[1].clock, DeviceClock::kUnknown);
  EXPECT_EQ(facts_.activities[1].begin, 2100 - kBehind);
}

TEST(LinkRules, EachHasAName) {
  for (int rule = 0; rule < kNumLinkRules; ++rule) {
    EXPECT_NE(RuleName(static_cast<LinkRule>(rule)), "") << rule;
  }
}

}  // namespace
}  // namespace tfprof::ctf
