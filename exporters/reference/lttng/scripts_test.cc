#include "exporters/reference/lttng/scripts.h"

#include <string>

#include "accounting/tfprof_rules.h"
#include "exporters/reference/lttng/script_names.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/events/trace_facts.h"
#include "profile/profile_builder.h"

namespace tfprof::exporters {
namespace {

using ::testing::HasSubstr;

// Five sessions of 100 ns.
ctf::TraceFacts FiveSessions() {
  ctf::TraceFacts facts;
  facts.threads.resize(1);
  facts.processes.resize(1);
  for (int64_t s = 0; s < 5; ++s) {
    facts.sessions.push_back(
        {0, s + 1, s * 100, s * 100 + 90, facts.names.Intern("Run")});
  }
  return facts;
}

void AddOp(ctf::TraceFacts& facts, std::string_view name, int64_t begin,
           int64_t end) {
  facts.ops.push_back(
      {begin, end, facts.names.Intern(name), profile::kNone, 0});
}

TEST(TraceAnalysis, SkipsTwoSessionsAndSortsByDuration) {
  ctf::TraceFacts facts = FiveSessions();
  AddOp(facts, "warm-up", 110, 120);
  AddOp(facts, "a", 210, 220);
  AddOp(facts, "b;c", 230, 260);
  AddOp(facts, "a", 310, 325);
  EXPECT_EQ(TraceAnalysis(facts),
            "begin_timestamp;end_timestamp;name;duration;session\n"
            "MODULE;sessions\n\n\n"
            "200;290;Run;90;3\n300;390;Run;90;4\n400;490;Run;90;5\n\n"
            ";;Run;90.0;3\n\n\n\n"
            "MODULE;operations\n\n\n"
            "230;260;\"b;c\";30;3\n310;325;a;15;4\n210;220;a;10;3\n\n"
            ";;\"b;c\";30;1\n;;a;12.5;2\n\n\n\n"
            "MODULE;cuda_kernels\n\n\n\n\n\n\n");
}

TEST(TraceAnalysis, HasCudaKernelsOnly) {
  ctf::TraceFacts facts = FiveSessions();
  ctf::Activity kernel;
  kernel.begin = 220;
  kernel.end = 250;
  kernel.name = facts.names.Intern("sgemm");
  for (const std::string_view provider : {"cudaTracer", "hcTracer"}) {
    kernel.provider = facts.names.Intern(provider);
    facts.activities.push_back(kernel);
  }
  const std::string text = TraceAnalysis(facts);
  EXPECT_EQ(text.substr(text.find("MODULE;cuda")),
            "MODULE;cuda_kernels\n\n\n220;250;sgemm;30;3\n\n;;sgemm;30;1\n\n\n"
            "\n");
}

TEST(OperationsLatency, WaitsForTheLastInputThatCameBefore) {
  profile::ProfileBuilder builder{accounting::TfprofRules()};
  profile::StringPool& strings = builder.mutable_graph().strings;
  const profile::NodeId add = builder.AddNode("add", "Add", profile::kNoRecord);
  const profile::StringId inputs[] = {strings.Intern("x"), strings.Intern("y"),
                                      strings.Intern("never")};
  builder.AddEdges(3, [&](size_t i) { return std::pair(inputs[i], 0); });
  ASSERT_EQ(add, 0u);
  builder.AddNode("x", "Const", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();

  ctf::TraceFacts facts = FiveSessions();
  AddOp(facts, "x", 110, 120);  // of the warm-up
  AddOp(facts, "add", 125, 130);
  AddOp(facts, "x", 210, 220);
  AddOp(facts, "y", 215, 240);
  AddOp(facts, "add", 247, 250);  // 7 after y
  AddOp(facts, "x", 255, 260);    // the next iteration
  AddOp(facts, "add", 263, 270);
  AddOp(facts, "add", 310, 320);  // none of its inputs ran
  AddOp(facts, "add", 410, 420);  // before its input
  AddOp(facts, "y", 415, 430);
  EXPECT_EQ(OperationsLatency(facts, profile),
            "session id;operation;latency;nb inputs\n"
            "3;add;7;3\n3;add;3;3\n\n\n5;add;0;3\n\n");
}

// Adds a kernel of 5 ns and returns its index.
uint32_t AddKernel(ctf::TraceFacts& facts, std::string_view name,
                   int64_t begin) {
  ctf::Activity kernel;
  kernel.name = facts.names.Intern(name);
  kernel.begin = begin;
  kernel.end = begin + 5;
  facts.activities.push_back(kernel);
  return static_cast<uint32_t>(facts.activities.size() - 1);
}

TEST(InterceptedCounters, HasARowForEachKernelWithASet) {
  ctf::TraceFacts facts = FiveSessions();
  ctf::CountedKernels counted;
  const profile::StringId wavefronts = facts.names.Intern("Wavefronts");
  const profile::StringId hits = facts.names.Intern("Cache;Hit");
  for (const double value : {1, 2, 3}) {
    ctf::CounterSet set;
    set.workgroup = {64, 1, 1};
    set.grid = {1024, 2, 3};
    set.group_segment = 256;
    set.counts = {{wavefronts, value, false}};
    if (value > 1) set.counts.push_back({hits, 50, true});
    counted.kernels.push_back(
        {.name = "sgemm",
         .set = static_cast<uint32_t>(facts.counter_sets.size())});
    facts.counter_sets.push_back(set);
  }
  counted.kernels[0].activity = AddKernel(facts, "sgemm", 10);
  counted.kernels[1].activity = AddKernel(facts, "sgemm", 20);
  // The kernel of the third set is unknown.
  EXPECT_EQ(InterceptedCounters(facts, counted),
            "index;timestamp;kernel name;session;index in session;"
            "workgroup_size;grid_size;static_group_segment_size;"
            "private_segment_size;Wavefronts;\"Cache;Hit\"\n"
            "0;10;sgemm;1;0;[64, 1, 1];[1024, 2, 3];256;0;1;\n"
            "1;20;sgemm;1;1;[64, 1, 1];[1024, 2, 3];256;0;2;50.0\n");
}

TEST(PerfCounters, HasTheCellsOfTheFileAndTheSession) {
  ctf::TraceFacts facts = FiveSessions();
  const loaders::CounterFile file = {"c.csv",
                                     {"Wavefronts"},
                                     {{"relu", {3}, {"relu", "1", "3.00"}},
                                      {"sgemm", {4}, {"sgemm", "2", "4.00"}},
                                      {"made", {5}, {}}}};
  ctf::CountedKernels counted;
  for (const auto& [row, begin] :
       {std::pair(1u, 10), std::pair(0u, 95), std::pair(2u, 120)}) {
    counted.kernels.push_back(
        {.activity = AddKernel(facts, file.kernels[row].name, begin),
         .name = file.kernels[row].name,
         .file = 0,
         .row = row});
  }
  // 95 is between two sessions.
  EXPECT_EQ(PerfCounters(facts, counted, {file}),
            "0|0|0|10|1970-01-01 00:00:00.000000010 | sgemm | 2 | 4.00\n"
            "-1|-1|-1|95|1970-01-01 00:00:00.000000095 | relu | 1 | 3.00\n"
            "1|0|1|120|1970-01-01 00:00:00.000000120 | made | 5\n");
}

TEST(ScriptAnswer, SaysWhatIsMissingBeforeItReadsTheTrace) {
  const ctf::TraceReader reader({"no such folder/metadata"}, 1, {});
  const profile::Profile profile;
  const auto error = [&](std::string_view name) {
    return std::string(
        ScriptAnswer(name, reader, profile, nullptr).status().message());
  };
  EXPECT_THAT(error(kOperationsLatency), HasSubstr("there is no graph"));
  EXPECT_THAT(error(kPerfCounters), HasSubstr("there is no counter file"));
  EXPECT_THAT(error(kTraceAnalysis), HasSubstr("no such folder/metadata"));
}

}  // namespace
}  // namespace tfprof::exporters
