// What save, timeline and the like leave out for others.

#include "profiler/commands/shareable.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace shareable_test {

using ::testing::HasSubstr;
using ::testing::Not;

// A trace with a home in the name of its operation, and its host.
Workspace TraceWorkspace(std::vector<std::string> hosts) {
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  builder.SetRules(accounting::SelfTimeRules());
  builder.AddNode("/home/ann/f", "/home/ann/f", profile::kNoRecord);
  for (std::string& host : hosts) {
    builder.mutable_graph().lanes.AddProcess(
        {.host = std::move(host), .name = "python on node7"});
  }
  return WorkspaceOf(std::move(builder).Build());
}

TEST(ShareableTest, SavedTracesHaveNoHomesAndHosts) {
  Workspace workspace = TraceWorkspace({"node7"});
  const std::string saved =
      Content(RunLine("save x.pb", workspace).files.at(0));
  EXPECT_THAT(saved, HasSubstr("~/f"));
  EXPECT_THAT(saved, HasSubstr("python on host1"));
  EXPECT_THAT(saved, Not(HasSubstr("ann")));
  EXPECT_THAT(saved, Not(HasSubstr("node7")));
  const std::string kept =
      Content(RunLine("save -keep_environment x.pb", workspace).files.at(0));
  EXPECT_THAT(kept, HasSubstr("/home/ann/f"));
  EXPECT_THAT(kept, HasSubstr("node7"));
  // The workspace has the profile as it was.
  EXPECT_EQ(workspace.profile().node_name(0), "/home/ann/f");
}

TEST(ShareableTest, SeveralHostsAreNumbered) {
  Workspace workspace = TraceWorkspace({"node7", "node8", "node7"});
  const auto shared = Shareable(workspace.opened, workspace.work);
  const profile::LaneTable& lanes = shared->profile().lanes();
  EXPECT_EQ(lanes.process(0).host, "host1");
  EXPECT_EQ(lanes.process(1).host, "host2");
  EXPECT_EQ(lanes.process(2).host, "host1");
}

TEST(ShareableTest, ReportsKeepAll) {
  for (const char* line : {"op", "code", "status", "timeline -compatible",
                           "save -keep_environment x"}) {
    EXPECT_FALSE(IsForOthers(Parsed(line))) << line;
  }
  for (const char* line : {"save x", "convert -to files:outdir=x",
                           "timeline x.json", "code -output pprof:outfile=x"}) {
    EXPECT_TRUE(IsForOthers(Parsed(line))) << line;
  }
}

}  // namespace shareable_test
}  // namespace
}  // namespace tfprof::commands
