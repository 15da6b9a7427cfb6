// The program on a profile with tables that only some formats fill: status,
// save, convert and completion.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "accounting/shaped_model_testing.h"
#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "profiler/shell/recording_ui_testing.h"
#include "profiler/shell/shell.h"
#include "profiler/shell/terminal/completion.h"
#include "profiler/shell/terminal/name_index.h"

namespace tfprof::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ShapedCommandsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/shaped" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The messages while `profile` is written.
  std::string Write(profile::Profile profile, options::ConvertSpec::Type type) {
    loaders::Loaded loaded;
    loaded.profile = std::move(profile);
    RecordingUi ui;
    Shell session(commands::Workspace(std::move(loaded), {}), ui);
    const std::string line =
        type == options::ConvertSpec::Type::kProfile
            ? "save -force " + folder_ + "/out"
            : "convert -to files:outdir=" + folder_ + "/out";
    EXPECT_TRUE(session.RunLine(line).ok()) << ui.errors();
    return ui.errors();
  }

  std::string folder_;
};

constexpr std::string_view kTables =
    "2 modules, 3 scopes, 1 gradient, 5 links, 1 counter, 2 step intervals.\n";

TEST_F(ShapedCommandsTest, SaveSaysWhatAProfileProtoCannotHold) {
  EXPECT_THAT(
      Write(accounting::ShapedModel(), options::ConvertSpec::Type::kProfile),
      HasSubstr("A ProfileProto has no place for " + std::string(kTables)));
  EXPECT_THAT(
      Write(accounting::SmallModel(), options::ConvertSpec::Type::kProfile),
      Not(HasSubstr("no place for")));
}

TEST_F(ShapedCommandsTest, ConvertSaysWhatTheFilesCannotHold) {
  EXPECT_THAT(
      Write(accounting::ShapedModel(), options::ConvertSpec::Type::kFiles),
      HasSubstr("The files have no place for " + std::string(kTables)));
}

// Nodes of one name are still two, each with its own input.
TEST_F(ShapedCommandsTest, NodesAreNotLostWithTheirModules) {
  const accounting::ShapedNodes nodes;
  for (const auto type : {options::ConvertSpec::Type::kProfile,
                          options::ConvertSpec::Type::kFiles}) {
    Write(accounting::ShapedModel(), type);
    const std::string path = folder_ + "/out";
    loaders::LoadRequest request;
    if (type == options::ConvertSpec::Type::kProfile) {
      request.flagged = {{"profile_path", path}};
    } else {
      request.flagged = {{"graph_path", path + "/graph.pb"}};
    }
    const auto loaded = loaders::Load(request);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const profile::Profile& profile = loaded->profile;
    ASSERT_EQ(profile.nodes().size(), 5u);
    EXPECT_EQ(profile.node_name(nodes.init_fusion), "jit_init/fusion.1");
    EXPECT_EQ(profile.node_name(nodes.fusion), "jit_step/fusion.1");
    const profile::NodeTable& table = profile.nodes();
    EXPECT_EQ(table.Source(nodes.dot, table.edge_begin[nodes.dot]),
              nodes.fusion);
    std::filesystem::remove_all(path);
  }
}

// The output of `status` for `profile`.
std::string Status(profile::Profile profile, const std::string& options) {
  loaders::Loaded loaded;
  loaded.profile = std::move(profile);
  RecordingUi ui;
  Shell session(commands::Workspace(std::move(loaded), {}), ui);
  EXPECT_TRUE(session.RunLine("status" + options).ok()) << ui.errors();
  return ui.output();
}

TEST_F(ShapedCommandsTest, StatusCountsThem) {
  EXPECT_THAT(Status(accounting::ShapedModel(), ""),
              HasSubstr("  5 links\n  1 counter\n  2 step intervals\n"));
  EXPECT_THAT(Status(accounting::ShapedModel(), " -output json"),
              HasSubstr("\"links\":5,\"counters\":1,\"step_intervals\":2,"
                        "\"memory_bytes\""));
  EXPECT_THAT(Status(accounting::SmallModel(), ""), Not(HasSubstr("links")));
}

TEST_F(ShapedCommandsTest, CompletionKnowsPathsAndModules) {
  const profile::Profile profile = accounting::ShapedModel();
  NameIndex names(profile);
  names.Prepare();
  const auto complete = [&](NameIndex::Kind kind, std::string_view stem) {
    return names.Complete(kind, stem, 10).names;
  };
  EXPECT_THAT(complete(NameIndex::Kind::kNodes, "jit"),
              ElementsAre("jit(step)", "jit(step)/", "jit_init/", "jit_step/"));
  EXPECT_THAT(complete(NameIndex::Kind::kNodes, "jit_step/"),
              ElementsAre("jit_step/fusion.1"));
  EXPECT_THAT(complete(NameIndex::Kind::kNodes, "d"),
              ElementsAre("dot[0]", "dot_bwd"));
  EXPECT_THAT(complete(NameIndex::Kind::kScopes, "jit(step)/"),
              ElementsAre("jit(step)/transpose(jvp)/", "jit(step)/vmap(a/"));
  EXPECT_EQ(Complete("cd jit(", {.names = &names}).common, "jit(step)/");
  EXPECT_EQ(Complete("show lau", {.names = &names}).common, "launch");
}

}  // namespace
}  // namespace tfprof::shell
