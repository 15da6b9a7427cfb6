#include "inspect/steps/compiles.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const tables::DataTable& Part(const tables::DataDocument& document,
                              std::string_view name) {
  for (const auto& part : document.parts) {
    if (part.table.kind == name) return part.table;
  }
  ADD_FAILURE() << "no table " << name;
  return document.parts[0].table;
}

TEST(CompilesTest, TablesOfTwoRanks) {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  profile::CompileLogs logs;
  logs.logs = {{"a.log", 0}, {"b.log", 1}};
  logs.compilations = {
      {.log = 0, .id = "0/0", .function = "f", .duration = 2'000'000},
      {.log = 0,
       .id = "0/10",
       .function = "f",
       .duration = 5'000'000,
       .is_recompilation = true,
       .reason = "size"},
      {.log = 1, .id = "0/0", .function = "f"},
      {.log = 1, .id = "0/2", .function = "f", .finished = 2},
  };
  logs.graph_breaks = {{1, "0/0", "m.py", 3, "print"}};
  logs.failures = {{0, "0/0", "E", "why"}};
  logs.cache_events = {{1, "fx_graph_cache_hit", 4}};
  logs.phases = {{0, "short", 1, 5000, 5000}, {0, "long", 2, 9000, 4000}};
  model.builder().SetCompileLogs(std::move(logs));
  const profile::Profile profile = std::move(model).Build();
  const tables::DataDocument document = CompilesDocument(profile);
  EXPECT_EQ(Fact(document.facts, "compilations"), "5");
  EXPECT_EQ(Fact(document.facts, "compile_micros"), "7000.000");
  EXPECT_EQ(Fact(document.facts, "recompilations"), "1");
  // The longest first.
  EXPECT_THAT(
      Rows(Part(document, "compiles"), {"rank", "id", "duration_micros"}),
      ElementsAre("0 0/10 5000.000", "0 0/0 2000.000", "1 0/0 -", "1 0/2 -"));
  EXPECT_THAT(Rows(Part(document, "recompiles"), {"rank", "id", "reason"}),
              ElementsAre("0 0/10 size"));
  EXPECT_THAT(
      Rows(Part(document, "graph_breaks"), {"rank", "id", "file", "line"}),
      ElementsAre("1 0/0 m.py 3"));
  EXPECT_THAT(Rows(Part(document, "failures"), {"id", "kind", "reason"}),
              ElementsAre("0/0 E why"));
  EXPECT_THAT(Rows(Part(document, "caches"), {"rank", "event", "count"}),
              ElementsAre("1 fx_graph_cache_hit 4"));
  EXPECT_THAT(Rows(Part(document, "phases"), {"name", "count", "self_micros"}),
              ElementsAre("long 2 4.000", "short 1 5.000"));
  // Numbers are compared as numbers.
  EXPECT_THAT(
      Rows(Part(document, "differences"), {"id", "ranks", "missing_ranks"}),
      ElementsAre("0/2 1 0", "0/10 0 1"));
  EXPECT_THAT(Column(Part(document, "regions"), "id"), IsEmpty());
}

TEST(CompilesTest, RegionsOfATrace) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  const profile::LaneId ops = model.Ops();
  const profile::NodeId region = model.Op("Torch-Compiled Region: 0/1");
  for (const int64_t duration : {30, 10}) {
    model.Add({.node = region,
               .lane = ops,
               .start = 1000 * duration,
               .duration = duration});
  }
  model.Add({.node = model.Op("aten::mm"), .lane = ops, .duration = 7});
  profile::CompileLogs logs;
  logs.logs = {{"a.log", -1}};
  logs.compilations = {{.id = "0/1", .function = "f", .duration = 5000}};
  model.builder().SetCompileLogs(std::move(logs));
  const profile::Profile profile = std::move(model).Build();
  const tables::DataDocument document = CompilesDocument(profile);
  EXPECT_THAT(
      Rows(Part(document, "regions"), {"id", "function", "compile_micros",
                                       "runs", "sum_micros", "longest_micros"}),
      ElementsAre("0/1 f 5.000 2 40.000 30.000"));
}

// Each rank has its own code with an id.
TEST(CompilesTest, RegionsOfSeveralRanks) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  const profile::NodeId region = model.Op("Torch-Compiled Region: 0/0");
  for (const int64_t rank : {0, 1}) {
    model.NextRank(rank);
    model.Add({.node = region,
               .lane = model.Ops(),
               .start = 1000,
               .duration = 10 + rank});
  }
  profile::CompileLogs logs;
  logs.logs = {{"a.log", 0}, {"b.log", 1}};
  for (const uint32_t log : {0U, 1U}) {
    logs.compilations.push_back({.log = log,
                                 .id = "0/0",
                                 .function = "f",
                                 .duration = 1000 * (1 + log)});
  }
  model.builder().SetCompileLogs(std::move(logs));
  const profile::Profile profile = std::move(model).Build();
  EXPECT_THAT(
      Rows(Part(CompilesDocument(profile), "regions"),
           {"rank", "id", "function", "compile_micros", "runs", "sum_micros"}),
      ElementsAre("0 0/0 f 1.000 1 10.000", "1 0/0 f 2.000 1 11.000"));
}

}  // namespace
}  // namespace tfprof::inspect
