#include "bench/traces.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "util/files/sink.h"
#include "util/files/wire.h"

namespace tfprof {
namespace {

constexpr TraceKind kAllKinds[] = {TraceKind::kKineto, TraceKind::kXPlaneTpu,
                                   TraceKind::kXPlaneGpu};

TraceShape SmallShape(TraceKind kind) {
  return {.kind = kind, .steps = 3, .layers = 10, .devices = 2};
}

std::pair<std::string, TraceTotals> Make(const TraceShape& shape) {
  util::StringSink sink;
  TraceTotals totals = WriteTrace(shape, sink);
  return {sink.text(), std::move(totals)};
}

int64_t AcceleratorTicks(const TraceTotals& totals) {
  int64_t sum = 0;
  for (const auto& [name, op] : totals.ops) sum += op.accelerator_ticks;
  return sum;
}

int64_t Count(std::string_view text, std::string_view what) {
  int64_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
}

// The duration of a Kineto event in ns; `at` is a position before it.
int64_t DurationAfter(const std::string& text, size_t at) {
  const std::string_view key = "\"dur\": ";
  return std::llround(
      1000 * std::stod(text.substr(text.find(key, at) + key.size(), 20)));
}

// Calls `visit` with the name of each line of an XSpace and each of its events.
template <typename Visit>
void ForEvents(std::string_view bytes, Visit visit) {
  util::WireReader space(bytes);
  while (space.Next()) {
    if (space.tag() != util::LengthTag(1)) continue;
    util::WireReader plane(space.view());
    while (plane.Next()) {
      if (plane.tag() != util::LengthTag(3)) continue;
      std::string_view name;
      util::WireReader line(plane.view());
      while (line.Next()) {
        if (line.tag() == util::LengthTag(2)) name = line.view();
        if (line.tag() == util::LengthTag(4)) visit(name, line.view());
      }
      EXPECT_FALSE(line.damaged());
    }
    EXPECT_FALSE(plane.damaged());
  }
  EXPECT_FALSE(space.damaged());
}

int64_t DurationOf(std::string_view event) {
  util::WireReader fields(event);
  while (fields.Next()) {
    if (fields.tag() == util::VarintTag(3)) return fields.int64();
  }
  return 0;
}

TEST(TracesTest, EqualShapesGiveEqualBytes) {
  for (const TraceKind kind : kAllKinds) {
    EXPECT_EQ(Make(SmallShape(kind)).first, Make(SmallShape(kind)).first);
  }
}

TEST(TracesTest, TotalsHaveTheSizeAndTheSteps) {
  for (const TraceKind kind : kAllKinds) {
    const auto [text, totals] = Make(SmallShape(kind));
    EXPECT_EQ(totals.bytes, static_cast<int64_t>(text.size()));
    EXPECT_EQ(totals.steps, 3);
  }
}

TEST(TracesTest, AShapeForBytesIsBigEnoughAndNotMuchMore) {
  for (const TraceKind kind : kAllKinds) {
    const TraceShape shape = ShapeForBytes(SmallShape(kind), 1000000);
    const int64_t bytes = Make(shape).second.bytes;
    EXPECT_GE(bytes, 1000000);
    EXPECT_LT(bytes, 1100000);
  }
}

TEST(TracesTest, NoBytesAreOneStep) {
  EXPECT_EQ(ShapeForBytes(SmallShape(TraceKind::kKineto), 0).steps, 1);
}

TEST(TracesTest, EventsOfKinetoAreCounted) {
  const auto [text, totals] = Make(SmallShape(TraceKind::kKineto));
  EXPECT_EQ(totals.events, Count(text, "\"ph\": "));
  EXPECT_EQ(totals.kernels, Count(text, "\"cat\": \"kernel\"") +
                                Count(text, "\"cat\": \"gpu_memcpy\""));
  EXPECT_EQ(totals.ops.at("aten::mm").runs, Count(text, "\"aten::mm\""));
}

TEST(TracesTest, KernelsOfKinetoAddUp) {
  const auto [text, totals] = Make(SmallShape(TraceKind::kKineto));
  int64_t sum = 0;
  for (const char* category : {"\"kernel\"", "\"gpu_memcpy\""}) {
    for (size_t at = 0; (at = text.find(category, at)) != text.npos; ++at) {
      sum += DurationAfter(text, at);
    }
  }
  EXPECT_EQ(AcceleratorTicks(totals), sum);
}

// Each nanosecond of the main thread is in the step, and all ops of the thread
// run inside the step, so the sum of all self times is the time of the step.
TEST(TracesTest, HostTimesOfKinetoAddUpToTheStepsAndTheOtherThread) {
  const auto [text, totals] = Make(SmallShape(TraceKind::kKineto));
  int64_t outermost = 0;
  for (const char* name :
       {"\"user_annotation\"",
        "\"autograd::engine::evaluate_function: ", "\"c10d::allreduce_\""}) {
    for (size_t at = 0; (at = text.find(name, at)) != text.npos; ++at) {
      outermost += DurationAfter(text, at);
    }
  }
  int64_t sum = 0;
  for (const auto& [name, op] : totals.ops) {
    EXPECT_GE(op.host_ticks, 0) << name;
    sum += op.host_ticks;
  }
  EXPECT_EQ(sum, outermost);
}

TEST(TracesTest, EventsOfXSpacesAreCounted) {
  for (const TraceKind kind : {TraceKind::kXPlaneTpu, TraceKind::kXPlaneGpu}) {
    const auto [bytes, totals] = Make(SmallShape(kind));
    int64_t events = 0;
    ForEvents(bytes, [&](std::string_view, std::string_view) { ++events; });
    EXPECT_EQ(totals.events, events);
  }
}

TEST(TracesTest, KernelsOfGpusAddUp) {
  const auto [bytes, totals] = Make(SmallShape(TraceKind::kXPlaneGpu));
  int64_t sum = 0, kernels = 0;
  ForEvents(bytes, [&](std::string_view line, std::string_view event) {
    if (!line.starts_with("Stream #")) return;
    sum += DurationOf(event);
    ++kernels;
  });
  EXPECT_EQ(AcceleratorTicks(totals), sum);
  EXPECT_EQ(totals.kernels, kernels);
  EXPECT_EQ(totals.ops.at("hipModuleLaunchKernel").runs, kernels);
}

// The first of the ten instructions of a layer is a loop that contains the
// others.
TEST(TracesTest, LoopsOfTpusHaveAllTheTime) {
  const auto [bytes, totals] = Make(SmallShape(TraceKind::kXPlaneTpu));
  int64_t loops = 0, index = 0;
  ForEvents(bytes, [&](std::string_view line, std::string_view event) {
    if (line == "XLA Ops" && index++ % 10 == 0) loops += DurationOf(event);
  });
  EXPECT_EQ(AcceleratorTicks(totals), loops);
  EXPECT_EQ(totals.kernels, index);
}

TEST(TracesTest, TotalsAreJson) {
  TraceTotals totals;
  totals.bytes = 5;
  totals.ops["a"] = {1, 2, 3};
  totals.ops["b"] = {};
  EXPECT_EQ(TotalsJson(totals),
            "{\"bytes\": 5, \"events\": 0, \"steps\": 0, \"ticks_per_micro\": "
            "1, \"kernels\": 0, \"ops\": {\n"
            "  \"a\": {\"runs\": 1, \"host_ticks\": 2, \"accelerator_ticks\": "
            "3},\n"
            "  \"b\": {\"runs\": 0, \"host_ticks\": 0, \"accelerator_ticks\": "
            "0}\n}}\n");
}

TEST(TracesTest, KindsHaveWords) {
  EXPECT_EQ(TraceKindOf("kineto"), TraceKind::kKineto);
  EXPECT_EQ(TraceKindOf("tpu"), TraceKind::kXPlaneTpu);
  EXPECT_EQ(TraceKindOf("gpu"), TraceKind::kXPlaneGpu);
  EXPECT_EQ(TraceKindOf("GPU"), std::nullopt);
}

}  // namespace
}  // namespace tfprof
