// The command status.

#include <string>
#include <utility>

#include "accounting/self_time_rules.h"
#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::commands {
namespace {
namespace status_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

tables::Answer StatusOf(loaders::Loaded loaded) {
  // The answer refers to the profile.
  auto workspace =
      std::make_shared<Workspace>(std::move(loaded), options::Options());
  tables::Answer answer = RunLine("status", *workspace);
  answer.owned.push_back(workspace);
  return answer;
}

loaders::Loaded SmallLoaded() {
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  return loaded;
}

TEST(StatusTest, FactsCountTheParts) {
  const tables::Answer answer = StatusOf(SmallLoaded());
  EXPECT_EQ(Fact(answer, "nodes"), tables::DataCell(int64_t{32}));
  EXPECT_EQ(Fact(answer, "edges"), tables::DataCell(int64_t{31}));
  EXPECT_EQ(Fact(answer, "steps"), tables::DataCell(int64_t{1}));
  EXPECT_EQ(Fact(answer, "executions"), tables::DataCell(int64_t{8}));
  EXPECT_EQ(Fact(answer, "unaccounted_executions"),
            tables::DataCell(int64_t{0}));
  EXPECT_EQ(Fact(answer, "command"), tables::DataCell("status"));
}

TEST(StatusTest, AnEmptyProfileIsAllZeros) {
  const tables::Answer answer = StatusOf({});
  EXPECT_TRUE(answer.status.ok());
  EXPECT_THAT(Written(answer, "text"),
              HasSubstr("0 nodes, 0 edges, 0 devices, 0 steps, 0 executions, 0 "
                        "more outside the accounting\n"));
}

TEST(StatusTest, InputsHaveFormatAndStep) {
  loaders::Loaded loaded = SmallLoaded();
  loaded.sources = {{.path = "graph.pb", .format = "GraphDef"},
                    {.path = "run_7", .format = "RunMetadata", .step = 7}};
  const tables::Answer answer = StatusOf(std::move(loaded));
  EXPECT_THAT(Written(answer, "text"),
              StartsWith("Inputs:\n  graph.pb (GraphDef)\n    not accounted\n"
                         "  run_7 (RunMetadata, step 7)\n    not accounted\n"
                         "Holds:\n"));
  EXPECT_THAT(Written(answer, "json"),
              HasSubstr("{\"path\":\"graph.pb\",\"format\":\"GraphDef\","
                        "\"step\":null,\"bytes\":null,"));
  EXPECT_THAT(Written(answer, "json"),
              HasSubstr("{\"path\":\"run_7\",\"format\":\"RunMetadata\","
                        "\"step\":7,\"bytes\":null,"));
}

TEST(StatusTest, BytesOfAFileAddUp) {
  loaders::Format format = {.name = "Odd"};
  format.account = [](const loaders::InputFile&, const util::Cancellation*) {
    return loaders::ByteAccount{.read = 1500,
                                .unused = 20,
                                .white_space = 3,
                                .repaired = 4,
                                .damaged = 5};
  };
  const auto file =
      loaders::InputFile::FromBytes("odd", std::string(1532, 'x'));
  loaders::Loaded loaded = SmallLoaded();
  loaded.sources = {
      {.path = "odd", .format = "Odd", .file = file, .row = &format}};
  const tables::Answer answer = StatusOf(std::move(loaded));
  EXPECT_THAT(Written(answer, "text"),
              HasSubstr("  odd (Odd)\n    read 1.50KB, skipped 23B (of no use "
                        "20B, spaces 3B), repaired 4B, damaged 5B = 1.53KB\n"));
  EXPECT_THAT(
      Written(answer, "json"),
      HasSubstr("\"bytes\":1532,\"packed_bytes\":null,\"read_bytes\":1500,"
                "\"unused_bytes\":20,\"white_space_bytes\":3,"
                "\"free_bytes\":0,\"repaired_bytes\":4,"
                "\"damaged_bytes\":5}"));
}

TEST(StatusTest, TheLogOfTheLoaderIsShown) {
  loaders::Loaded loaded = SmallLoaded();
  loaded.log.Add(loaders::ImportLog::kNotice, "node", "a is defined twice");
  loaded.log.Add(loaders::ImportLog::kDamage, "record", "byte 7: cut off");
  loaded.log.Count(loaders::ImportLog::kDamage, "record", 4);
  const tables::Answer answer = StatusOf(std::move(loaded));
  EXPECT_THAT(Written(answer, "text"),
              HasSubstr("Found while loading:\n  1 x node\n"
                        "      a is defined twice\n"
                        "  5 x record (damage)\n      byte 7: cut off\n"));
  const std::string json = Written(answer, "json");
  EXPECT_THAT(json, HasSubstr("{\"severity\":\"damage\",\"count\":5,"));
  EXPECT_THAT(json, HasSubstr("{\"severity\":\"note\",\"count\":1,"));
}

TEST(StatusTest, WithoutALogThereIsNoHeading) {
  const tables::Answer answer = StatusOf(SmallLoaded());
  EXPECT_THAT(Written(answer, "text"), Not(HasSubstr("Found while loading")));
  // Programs get the table all the same.
  EXPECT_THAT(Written(answer, "json"), HasSubstr("\"met\":{"));
}

TEST(StatusTest, MemoryIsTheSumOfItsParts) {
  const tables::Answer answer = StatusOf(SmallLoaded());
  ASSERT_EQ(answer.data.parts.size(), 3u);
  const tables::DataTable& memory = answer.data.parts[1].table;
  int64_t sum = 0;
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < memory.num_rows; ++row) {
    memory.cells(row, cells);
    sum += std::get<int64_t>(cells[1]);
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(memory.totals[1], tables::DataCell(sum));
  EXPECT_EQ(Fact(answer, "memory_bytes"), tables::DataCell(sum));
}

TEST(StatusTest, TablesThatOnlySomeFormatsFillAreCounted) {
  loaders::Loaded loaded;
  loaded.profile = accounting::ShapedModel();
  const tables::Answer answer = StatusOf(std::move(loaded));
  EXPECT_EQ(Fact(answer, "links"), tables::DataCell(int64_t{5}));
  EXPECT_EQ(Fact(answer, "counters"), tables::DataCell(int64_t{1}));
  EXPECT_THAT(Written(answer, "text"),
              HasSubstr("  1 counter\n  2 step intervals\nMemory:\n"));
  EXPECT_EQ(Fact(StatusOf(SmallLoaded()), "links"), tables::DataCell());
}

// A trace with one op, and events that belong to none.
loaders::Loaded Trace() {
  timeline::TraceModel model;
  model.builder().SetRules(accounting::SelfTimeRules());
  model.Add({.name = "mm",
             .node = model.Op("aten::mm"),
             .lane = model.Ops(),
             .start = 0,
             .duration = 10});
  const profile::LaneId copies = model.Stream(0, 7, profile::LaneKind::kCopies,
                                              profile::CopyKind::kToDevice);
  for (const int64_t start : {100, 200}) {
    model.Add({.name = "Memcpy HtoD",
               .lane = copies,
               .start = start,
               .duration = 1'500'000});
  }
  model.Add({.name = "my range",
             .lane = model.Thread(1, profile::LaneKind::kAnnotation),
             .start = 0,
             .duration = 50});
  loaders::Loaded loaded;
  loaded.profile = std::move(model).Build();
  return loaded;
}

TEST(StatusTest, EventsOfATraceThatBelongToNoOp) {
  const tables::Answer answer = StatusOf(Trace());
  EXPECT_THAT(
      Written(answer, "text"),
      HasSubstr("1 execution\n"
                "  3 events belong to no op, and are in the time of none:\n"
                "    copies and sets of memory: 2, in 3.00ms\n"
                "    annotations of the program or the framework: 1\n"));
  EXPECT_THAT(Written(answer, "text"), Not(HasSubstr("outside")));
  EXPECT_EQ(Fact(answer, "unaccounted_executions"),
            tables::DataCell(int64_t{3}));
  EXPECT_EQ(Fact(answer, "unaccounted_copies"), tables::DataCell(int64_t{2}));
  EXPECT_EQ(Fact(answer, "unaccounted_annotations"),
            tables::DataCell(int64_t{1}));
  EXPECT_EQ(Fact(answer, "unaccounted_kernels"), tables::DataCell());
}

TEST(StatusTest, ATraceWhoseEventsAllBelongToOps) {
  timeline::TraceModel model;
  model.builder().SetRules(accounting::SelfTimeRules());
  model.Add({.name = "mm",
             .node = model.Op("aten::mm"),
             .lane = model.Ops(),
             .start = 0,
             .duration = 10});
  loaders::Loaded loaded;
  loaded.profile = std::move(model).Build();
  const std::string text = Written(StatusOf(std::move(loaded)), "text");
  EXPECT_THAT(text, HasSubstr("1 execution\n"));
  EXPECT_THAT(text, Not(HasSubstr("belong")));
}

}  // namespace status_test
}  // namespace
}  // namespace tfprof::commands
