#include "loaders/ctf/script_answers.h"

#include <string>

#include "accounting/tfprof_rules.h"
#include "gtest/gtest.h"
#include "loaders/ctf/trace_facts.h"
#include "profile/profile_builder.h"

namespace tfprof::ctf {
namespace {

// Five sessions of 100 ns.
TraceFacts FiveSessions() {
  TraceFacts facts;
  facts.threads.resize(1);
  facts.processes.resize(1);
  for (int64_t s = 0; s < 5; ++s) {
    facts.sessions.push_back(
        {0, s + 1, s * 100, s * 100 + 90, facts.names.Intern("Run")});
  }
  return facts;
}

void AddOp(TraceFacts& facts, std::string_view name, int64_t begin,
           int64_t end) {
  facts.ops.push_back({begin, end, facts.names.Intern(name), kNone, 0});
}

TEST(TraceAnalysis, SkipsTwoSessionsAndSortsByDuration) {
  TraceFacts facts = FiveSessions();
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
  TraceFacts facts = FiveSessions();
  Activity kernel;
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
  ProfileBuilder builder{TfprofRules()};
  StringPool& strings = builder.mutable_graph().strings;
  const NodeId add = builder.AddNode("add", "Add", kNoRecord);
  const StringId inputs[] = {strings.Intern("x"), strings.Intern("y"),
                             strings.Intern("never")};
  builder.AddEdges(3, [&](size_t i) { return std::pair(inputs[i], 0); });
  ASSERT_EQ(add, 0u);
  builder.AddNode("x", "Const", kNoRecord);
  const Profile profile = std::move(builder).Build();

  TraceFacts facts = FiveSessions();
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

}  // namespace
}  // namespace tfprof::ctf
