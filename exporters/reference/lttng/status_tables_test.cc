#include "exporters/reference/lttng/status_tables.h"

#include <string>
#include <string_view>
#include <vector>

#include "exporters/reference/lttng/detail_tables.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Rows = std::vector<std::vector<tables::DataCell>>;

// The rows of a table; empty if it is left out.
Rows RowsOf(const std::vector<tables::DataDocument::Part>& parts,
            std::string_view name) {
  Rows rows;
  for (const tables::DataDocument::Part& part : parts) {
    if (part.table.kind != name) continue;
    EXPECT_FALSE(part.title.empty());
    rows.resize(part.table.num_rows);
    for (size_t r = 0; r < rows.size(); ++r) {
      rows[r].resize(part.table.columns.size());
      part.table.cells(r, rows[r]);
    }
  }
  return rows;
}

tables::DataCell Text(std::string_view text) { return std::string(text); }
tables::DataCell Int(int64_t number) { return number; }

// A process with one thread and two sessions in which ops ran.
ctf::TraceContents TwoSessions() {
  ctf::TraceContents trace;
  ctf::TraceFacts& facts = trace.facts;
  facts.threads.resize(1);
  facts.threads[0].process = 7;
  facts.threads[0].thread = 8;
  facts.processes.resize(1);
  facts.num_events = 12;
  facts.sessions = {{0, 1, 0, 100, profile::kNone},
                    {0, 2, 200, 300, profile::kNone}};
  const profile::StringId cpu = facts.names.Intern("/device:cpu:0");
  const profile::StringId a = facts.names.Intern("a"),
                          b = facts.names.Intern("b");
  facts.ops = {{10, 30, a, cpu, 0},
               {20, 60, b, cpu, 0},
               {210, 220, a, cpu, 0},
               {290, 310, b, cpu, 0}};  // ends after its session
  return trace;
}

TEST(TraceTables, SumsOpsByNameSessionDeviceAndThread) {
  const auto parts = TraceTables(TwoSessions());
  EXPECT_THAT(RowsOf(parts, "trace"),
              Contains(ElementsAre(Text("events"), Int(12))));
  EXPECT_THAT(RowsOf(parts, "trace"),
              Contains(ElementsAre(Text("all_threads_busy_ns"), Int(80))));
  EXPECT_THAT(
      RowsOf(parts, "trace_ops"),
      ElementsAre(ElementsAre(Text("a"), Int(2), Int(30), Int(10), Int(20)),
                  ElementsAre(Text("b"), Int(2), Int(60), Int(20), Int(40))));
  EXPECT_THAT(
      RowsOf(parts, "trace_sessions"),
      ElementsAre(ElementsAre(Int(1), Int(0), Int(100), Int(2), Int(60)),
                  ElementsAre(Int(2), Int(200), Int(300), Int(1), Int(10))));
  EXPECT_THAT(
      RowsOf(parts, "trace_threads"),
      ElementsAre(ElementsAre(Text(""), Text("7/8"), Text(""), Int(80))));
  EXPECT_THAT(RowsOf(parts, "trace_places"),
              ElementsAre(ElementsAre(Text("/device:cpu:0"), Int(4), Int(90))));
}

TEST(TraceTables, WorkIsByQueueAndInAll) {
  ctf::TraceContents trace = TwoSessions();
  ctf::Activity kernel;
  kernel.provider = trace.facts.names.Intern("cudaTracer");
  kernel.queue = trace.facts.names.Intern("1");
  kernel.name = trace.facts.names.Intern("sgemm");
  kernel.begin = 10;
  kernel.end = 30;
  ctf::Activity copy = kernel;
  copy.work = ctf::DeviceWork::kCopy;
  copy.begin = 20;
  copy.end = 50;
  copy.bytes = 64;
  trace.facts.activities = {kernel, copy};
  trace.attribution.links.resize(2);
  trace.attribution
      .kernels_by_rule[static_cast<size_t>(ctf::LinkRule::kAmbiguous)] = 1;
  const auto parts = TraceTables(trace);
  const auto row = [](std::string_view work, int64_t count, int64_t total,
                      int64_t busy, int64_t first, int64_t last,
                      int64_t bytes) {
    return ElementsAre(Text("cudaTracer"), Text("1"), Text(work), Int(count),
                       Int(total), Int(busy), Int(first), Int(last),
                       Int(bytes));
  };
  EXPECT_THAT(RowsOf(parts, "trace_work"),
              ElementsAre(row("all", 2, 50, 40, 10, 50, 64),
                          row("copy", 1, 30, 30, 20, 50, 64),
                          row("kernel", 1, 20, 20, 10, 30, 0)));
  EXPECT_THAT(RowsOf(parts, "trace_links"),
              ElementsAre(ElementsAre(
                  Text(ctf::RuleName(ctf::LinkRule::kAmbiguous)), Int(1))));
  EXPECT_THAT(
      RowsOf(parts, "trace_kernels_of_ops"),
      ElementsAre(ElementsAre(Text(""), Int(1), Int(20), Int(20), Int(20))));
}

TEST(TraceTables, ARequestWithoutAnAnswerHasEmptyTimes) {
  ctf::TraceContents trace = TwoSessions();
  ctf::Request request;
  request.key = trace.facts.names.Intern("edge_1");
  request.client_begin = 100;
  trace.facts.transfers.requests = {request};
  const auto parts = TraceTables(trace);
  EXPECT_THAT(
      RowsOf(parts, "trace_requests"),
      ElementsAre(ElementsAre(Int(1), Int(0), Int(0), Int(0), Int(0), Int(0))));
  const Rows each = RowsOf(parts, "trace_request_times");
  ASSERT_EQ(each.size(), 1u);
  EXPECT_EQ(each[0][0], Text("edge_1"));
  EXPECT_EQ(each[0][2], Int(100));
  EXPECT_EQ(each[0][3], Text(""));
}

TEST(TraceTables, ATableWithoutRowsIsLeftOut) {
  const auto parts = TraceTables({});
  EXPECT_THAT(RowsOf(parts, "trace_ops"), IsEmpty());
  for (const tables::DataDocument::Part& part : parts) {
    EXPECT_GT(part.table.num_rows, 0u) << part.table.kind;
  }
}

TEST(UnionOf, CountsOverlapsOnce) {
  EXPECT_EQ(UnionOf({}), 0);
  EXPECT_EQ(UnionOf({{10, 20}, {5, 12}, {30, 30}, {11, 15}}), 15);
}

}  // namespace
}  // namespace tfprof::exporters
