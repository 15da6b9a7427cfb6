#include "exporters/formats/chrome_trace.h"

#include <string>

#include "accounting/self_time_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::exporters {
namespace {
namespace chrome_trace_test {

using ::testing::HasSubstr;
using ::testing::Not;

// A node that ran in step 0 and in step 1, and an instant event, on one lane.
profile::Profile Made() {
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  builder.SetTicksPerMicro(1000);
  profile::GraphTables& graph = builder.mutable_graph();
  profile::Process process;
  process.name = "main";
  const profile::ProcessId p = graph.lanes.AddProcess(process);
  const profile::LaneId lane =
      graph.lanes.Add({.process = p,
                       .name = graph.strings.Intern("worker"),
                       .kind = profile::LaneKind::kCompute});
  const profile::NodeId n =
      builder.AddNode("a/\"b\"", "Op", profile::kNoRecord);
  for (const int64_t step : {0, 1}) {
    profile::LaneExecutions batch = {.lane = lane, .ticks_per_micro = 1000};
    batch.records.push_back(
        {.node = n, .start = 2500 + 1000 * step, .duration = 70});
    builder.AddExecutions(step, {batch}, {});
  }
  builder.AddOutside(
      0, {.name = graph.strings.Intern("now"), .lane = lane, .start = 1}, 1000);
  builder.FinishSteps({0, 1});
  builder.AddLink({{0, 0}, {1, 0}, profile::LinkKind::kData});
  builder.AddCounter({.name = graph.strings.Intern("bytes"), .process = p},
                     {{1500, 0.5}});
  return std::move(builder).Build();
}

std::string Written(const profile::Profile& profile, int64_t step) {
  util::StringSink sink;
  WriteChromeTrace(profile, {.step = step}, sink);
  return sink.text();
}

TEST(ChromeTraceTest, AllOfATrace) {
  const std::string text = Written(Made(), -1);
  EXPECT_THAT(text, HasSubstr(R"("process_name","pid":1,"tid":0,"args":)"
                              R"({"name":"main"})"));
  EXPECT_THAT(text, HasSubstr(R"("thread_name","pid":1,"tid":1,"args":)"
                              R"({"name":"worker"})"));
  EXPECT_THAT(
      text,
      HasSubstr(R"({"ph":"X","name":"Op","cat":"compute","pid":1,"tid":1,)"
                R"("ts":2.5,"dur":0.07,"args":{"node":"a/\"b\"","step":0}})"));
  EXPECT_THAT(text, HasSubstr(R"({"ph":"i","name":"now")"));
  EXPECT_THAT(text, HasSubstr(R"({"ph":"s","name":"data","cat":"link","id":0,)"
                              R"("pid":1,"tid":1,"ts":2.5})"));
  EXPECT_THAT(text, HasSubstr(R"("bp":"e","pid":1,"tid":1,"ts":3.5})"));
  EXPECT_THAT(text, HasSubstr(R"({"ph":"C","name":"bytes","pid":1,"tid":0,)"
                              R"("ts":1.5,"args":{"value":0.5}})"));
}

TEST(ChromeTraceTest, OneStep) {
  const std::string text = Written(Made(), 1);
  EXPECT_THAT(text, HasSubstr(R"("ts":3.5,"dur":0.07)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("ts":2.5)")));
  EXPECT_THAT(text, Not(HasSubstr(R"("ph":"C")")));
}

TEST(ChromeTraceTest, NothingToWrite) {
  EXPECT_EQ(Written(profile::Profile(), -1),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
}

}  // namespace chrome_trace_test
}  // namespace
}  // namespace tfprof::exporters
