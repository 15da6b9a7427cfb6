// What the program says of tables that only some formats fill: status, save,
// convert and completion.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "accounting/shaped_model.h"
#include "accounting/small_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/load.h"
#include "profiler/completion.h"
#include "profiler/convert.h"
#include "profiler/name_index.h"
#include "profiler/recording_ui.h"
#include "profiler/status.h"

namespace tfprof {
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

  // What is said while `profile` is written.
  std::string Write(const Profile& profile, ConvertSpec::Type type) {
    RecordingUi ui;
    ConvertSpec spec;
    spec.type = type;
    spec.path = folder_ + "/out";
    EXPECT_TRUE(Convert(spec, profile, ui).ok()) << ui.errors();
    return ui.errors();
  }

  std::string folder_;
};

constexpr std::string_view kTables =
    "2 modules, 3 scopes, 1 gradient, 5 links, 1 counter, 2 step intervals.\n";

TEST_F(ShapedCommandsTest, SaveSaysWhatAProfileProtoCannotHold) {
  EXPECT_THAT(
      Write(ShapedModel(), ConvertSpec::Type::kProfile),
      HasSubstr("A ProfileProto has no place for " + std::string(kTables)));
  EXPECT_THAT(Write(SmallModel(), ConvertSpec::Type::kProfile),
              Not(HasSubstr("no place for")));
}

TEST_F(ShapedCommandsTest, ConvertSaysWhatTheFilesCannotHold) {
  EXPECT_THAT(Write(ShapedModel(), ConvertSpec::Type::kFiles),
              HasSubstr("The files have no place for " + std::string(kTables)));
}

// Nodes of one name are still two, each with its own input.
TEST_F(ShapedCommandsTest, NodesAreNotLostWithTheirModules) {
  const ShapedNodes nodes;
  for (const auto type :
       {ConvertSpec::Type::kProfile, ConvertSpec::Type::kFiles}) {
    Write(ShapedModel(), type);
    const std::string path = folder_ + "/out";
    LoadRequest request;
    if (type == ConvertSpec::Type::kProfile) {
      request.flagged = {{"profile_path", path}};
    } else {
      request.flagged = {{"graph_path", path + "/graph.pb"}};
    }
    const auto loaded = Load(request);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const Profile& profile = loaded->profile;
    ASSERT_EQ(profile.nodes().size(), 5u);
    EXPECT_EQ(profile.node_name(nodes.init_fusion), "jit_init/fusion.1");
    EXPECT_EQ(profile.node_name(nodes.fusion), "jit_step/fusion.1");
    const NodeTable& table = profile.nodes();
    EXPECT_EQ(table.Source(nodes.dot, table.edge_begin[nodes.dot]),
              nodes.fusion);
    std::filesystem::remove_all(path);
  }
}

TEST_F(ShapedCommandsTest, StatusCountsThem) {
  Loaded loaded;
  loaded.profile = ShapedModel();
  EXPECT_THAT(StatusText(loaded), HasSubstr("  5 links\n  1 counter\n"
                                            "  2 step intervals\n"));
  std::string facts;
  for (const auto& [column, cell] : StatusDocument(loaded).facts) {
    facts += column.name + " ";
  }
  EXPECT_THAT(facts, HasSubstr("modules scopes gradients links counters "
                               "step_intervals memory_bytes"));
  loaded.profile = SmallModel();
  EXPECT_THAT(StatusText(loaded), Not(HasSubstr("links")));
}

TEST_F(ShapedCommandsTest, CompletionKnowsPathsAndModules) {
  const Profile profile = ShapedModel();
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
}  // namespace tfprof
