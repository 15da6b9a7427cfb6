#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/devices/memory.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = AllocatorEvent::Kind;

// Two stacks end in one line of the user. Memory of 100 bytes is older than the
// events, and 30 bytes are never freed.
profile::Profile Snapshot() {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  profile::GraphTables& graph = model.graph();
  const auto frame = [&](std::string_view file, int32_t line,
                         std::string_view function) {
    return profile::Frame{.file = graph.strings.Intern(file),
                          .function = graph.strings.Intern(function),
                          .lineno = line};
  };
  const profile::StackId user =
      graph.stacks.Push(profile::kNoStack, frame("/u/train.py", 7, "step"));
  const profile::StackId a = graph.stacks.Push(
      user, frame("/x/site-packages/torch/a.py", 1, "linear"));
  const profile::StackId b =
      graph.stacks.Push(user, frame("/x/site-packages/torch/b.py", 2, "relu"));
  const profile::StackId native = graph.stacks.Push(
      graph.stacks.Push(profile::kNoStack, frame("??", 0, "at::bmm")),
      frame("??", 0, "c10::malloc"));
  profile::AllocatorHistory history;
  history.name = "gpu:0";
  history.events = {
      {.time = 5000, .bytes = 200, .kind = Kind::kReserve},
      {.time = 6000,
       .bytes = 50,
       .stack = a,
       .pair = 4,
       .kind = Kind::kAllocate},
      {.time = 7000, .bytes = 30, .stack = b, .kind = Kind::kAllocate},
      {.time = 8000,
       .address = 9,
       .bytes = 999,
       .stack = native,
       .kind = Kind::kOutOfMemory},
      {.time = 9000, .bytes = 50, .pair = 1, .kind = Kind::kFree}};
  history.blocks = {{.bytes = 110,
                     .requested = 100,
                     .stack = native,
                     .state = AllocatorBlock::State::kAllocated},
                    {.bytes = 30,
                     .requested = 30,
                     .stack = b,
                     .state = AllocatorBlock::State::kAllocated,
                     .seen = true},
                    {.bytes = 160}};
  history.segments = {
      {.address = 4096, .bytes = 300, .stream = 2, .num_blocks = 3}};
  model.builder().SetAllocators({std::move(history)});
  return std::move(model).Build();
}

const tables::DataTable& Part(const tables::DataDocument& document,
                              std::string_view kind) {
  for (const auto& part : document.parts) {
    if (part.table.kind == kind) return part.table;
  }
  ADD_FAILURE() << "no table " << kind;
  return document.parts[0].table;
}

TEST(SnapshotMemoryTest, Tables) {
  const profile::Profile profile = Snapshot();
  views::Views views(profile);
  const auto chart = MakeMemoryChart(views, -1, "");
  ASSERT_TRUE(chart.ok()) << chart.status();
  const tables::DataDocument document = MemoryDocument(*chart);
  EXPECT_THAT(
      Rows(Part(document, "series"),
           {"name", "peak_bytes", "peak_micros", "start_bytes", "end_bytes"}),
      ElementsAre("gpu:0 allocated 180 2.000 100 130",
                  "gpu:0 reserved 300 0.000 100 300"));
  // A row for each stack, with the user's line.
  EXPECT_THAT(
      Rows(Part(document, "holders"), {"bytes", "count", "name"}),
      ElementsAre("100 1 (no Python frame) at::bmm", "50 1 /u/train.py:7:step",
                  "30 1 /u/train.py:7:step"));
  EXPECT_THAT(Rows(Part(document, "leaks"), {"bytes", "count", "stack"}),
              ElementsAre("30 1 /x/site-packages/torch/b.py:2:relu; "
                          "/u/train.py:7:step"));
  EXPECT_THAT(
      Rows(Part(document, "summary"),
           {"name", "segments", "reserved_bytes", "allocated_bytes",
            "internal_bytes", "external_bytes", "allocations", "frees"}),
      ElementsAre("gpu:0 1 300 130 10 160 2 1"));
  EXPECT_THAT(Rows(Part(document, "segments"),
                   {"address", "pool", "stream", "largest_free_bytes"}),
              ElementsAre("4096 large 2 160"));
  EXPECT_THAT(Rows(Part(document, "ooms"),
                   {"micros", "requested_bytes", "device_free_bytes",
                    "allocated_bytes", "reserved_bytes", "name"}),
              ElementsAre("3.000 999 9 180 300 (no Python frame) at::bmm"));
}

TEST(SnapshotMemoryTest, Text) {
  const profile::Profile profile = Snapshot();
  views::Views views(profile);
  const auto chart = MakeMemoryChart(views, -1, "");
  ASSERT_TRUE(chart.ok()) << chart.status();
  const std::string text = MemoryText(*chart, {.width = 100});
  // Stacks of one line are one row.
  EXPECT_THAT(text, HasSubstr("80B   44.4%  /u/train.py:7:step"));
  EXPECT_THAT(text,
              HasSubstr("100B was allocated before the recording began."));
  EXPECT_THAT(text, HasSubstr("gpu:0 at the end: 300B reserved in 1 segment"));
  EXPECT_THAT(text, HasSubstr("30B in 1 allocation"));
  EXPECT_THAT(text, HasSubstr("Out of memory, 1 time."));
  EXPECT_THAT(text, Not(HasSubstr("does not contain its holders")));
}

TEST(SnapshotMemoryTest, WithoutEventsTheEndHasOwners) {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  profile::AllocatorHistory history;
  history.name = "gpu:0";
  history.blocks = {{.bytes = 100,
                     .requested = 75,
                     .state = AllocatorBlock::State::kAllocated},
                    {.bytes = 50}};
  history.segments = {{.bytes = 150, .num_blocks = 2}};
  model.builder().SetAllocators({std::move(history)});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const auto chart = MakeMemoryChart(views, -1, "");
  ASSERT_TRUE(chart.ok()) << chart.status();
  EXPECT_THAT(MemoryText(*chart, {.width = 100}),
              HasSubstr("  Held at the end by:\n"
                        "        75B 100.0%  (no stack)\n"));
}

}  // namespace
}  // namespace tfprof::inspect
