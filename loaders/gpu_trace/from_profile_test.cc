#include "loaders/gpu_trace/from_profile.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/core/load_testing.h"

namespace tfprof::gpu_trace {
namespace {

// A range, two calls and three pieces of work of two devices, in two steps.
GpuTrace Trace(profile::StringPool& strings) {
  GpuTrace trace;
  trace.label = "program 9";
  const uint32_t thread = trace.Thread(9, 5);
  const auto host = [&](std::string_view name, int64_t start, int64_t end,
                        HostKind kind) {
    const profile::StringId id = strings.Intern(name);
    trace.host.push_back({.start = start,
                          .end = end,
                          .op = id,
                          .text = id,
                          .thread = thread,
                          .kind = kind});
  };
  host("mix", 100, 200, HostKind::kRange);
  host("launch", 110, 120, HostKind::kCall);
  host("copy", 310, 320, HostKind::kCall);
  trace.labels = {{0, "gpu:0"}, {1, "xpu:1"}};
  trace.models = {{1, "model of 1"}};
  const uint32_t stream = trace.Lane({.device = 0, .process = 9, .stream = 7});
  const uint32_t copies = trace.Lane({.device = 1,
                                      .process = 9,
                                      .stream = 3,
                                      .kind = profile::LaneKind::kCopies});
  trace.work = {{.start = 150,
                 .end = 400,
                 .name = strings.Intern("gemm"),
                 .lane = stream,
                 .launch = 1},
                {.start = 410,
                 .end = 420,
                 .name = strings.Intern("Memcpy"),
                 .lane = copies,
                 .launch = 2,
                 .bytes = 64,
                 .copy = profile::CopyKind::kToHost},
                {.start = 430,
                 .end = 440,
                 .name = strings.Intern("lonely"),
                 .lane = stream}};
  trace.steps = {{1, 90, 210}, {2, 300, 500}};
  return trace;
}

TEST(FromProfileTest, WhatWasAddedComesBack) {
  loaders::LoadContext context;
  context.builder.SetRules(accounting::SelfTimeRules());
  std::vector<GpuTrace> traces;
  traces.push_back(Trace(context.builder.mutable_graph().strings));
  AddGpuTraces(std::move(traces), context);
  const profile::Profile profile = std::move(context.builder).Build();

  profile::StringPool strings;
  strings.Intern("ids differ");
  const std::vector<GpuTrace> back = FromProfile(profile, strings);
  ASSERT_EQ(back.size(), 1u);
  const GpuTrace& trace = back[0];
  ASSERT_EQ(trace.threads.size(), 1u);
  EXPECT_EQ(trace.threads[0].process, 9);
  EXPECT_EQ(trace.threads[0].thread, 5);
  EXPECT_EQ(trace.labels.at(1), "xpu:1");
  EXPECT_EQ(trace.models.at(1), "model of 1");
  ASSERT_EQ(trace.host.size(), 3u);
  ASSERT_EQ(trace.work.size(), 3u);
  const auto text = [&](profile::StringId id) {
    return std::string(strings.Get(id));
  };
  for (const Work& work : trace.work) {
    const WorkLane& lane = trace.lanes[work.lane];
    if (text(work.name) == "gemm") {
      EXPECT_EQ(work.start, 150);
      EXPECT_EQ(work.end, 400);
      EXPECT_EQ(lane.stream, 7);
      EXPECT_EQ(lane.device, 0);
      ASSERT_NE(work.launch, profile::kNone);
      const HostEvent& launch = trace.host[work.launch];
      EXPECT_EQ(text(launch.op), "launch");
      EXPECT_EQ(launch.start, 110);
      EXPECT_EQ(launch.end, 120);
      EXPECT_EQ(launch.kind, HostKind::kCall);
    } else if (text(work.name) == "Memcpy") {
      EXPECT_EQ(lane.kind, profile::LaneKind::kCopies);
      EXPECT_EQ(lane.device, 1);
      EXPECT_EQ(work.bytes, 64);
      EXPECT_EQ(work.copy, profile::CopyKind::kToHost);
      ASSERT_NE(work.launch, profile::kNone);
      EXPECT_EQ(text(trace.host[work.launch].op), "copy");
    } else {
      EXPECT_EQ(text(work.name), "lonely");
      EXPECT_EQ(work.launch, profile::kNone);
    }
  }
  EXPECT_EQ(std::ranges::count(trace.host, HostKind::kRange, &HostEvent::kind),
            1);
}

TEST(FromProfileTest, AProcessWithoutWorkIsLeftOut) {
  profile::StringPool strings;
  EXPECT_TRUE(FromProfile(profile::Profile(), strings).empty());
}

}  // namespace
}  // namespace tfprof::gpu_trace
