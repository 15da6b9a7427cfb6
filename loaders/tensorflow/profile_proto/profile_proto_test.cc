#include "loaders/tensorflow/profile_proto/profile_proto.h"

#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

using ProfileProtoTest = loaders::FolderTest;

// A saved profile has no labels.
TEST_F(ProfileProtoTest, HasNoLabels) {
  const auto meta = loaders::LoadFlagged(
      {{"run_meta_path", Write("rm", loaders::Binary<proto::RunMetadata>(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 1
                   timeline_label: "a = Const" } } })"))}});
  ASSERT_TRUE(meta.ok()) << meta.status();
  const auto saved =
      loaders::LoadFlagged({{"profile_path", Write("p", Saved(*meta))}});
  ASSERT_TRUE(saved.ok()) << saved.status();
  const profile::Step& step = *saved->profile.FindStep(0);
  ASSERT_EQ(step.num_executions(), 1u);
  const auto record = static_cast<profile::RecordRef>(step.exec_record[0]);
  EXPECT_NE(record, profile::kNoRecord);
  EXPECT_EQ(saved->profile.Text(record).label, "");
}

// TensorFlow's files do not have the output that an edge reads, tfprof's do.
TEST_F(ProfileProtoTest, ProfilesThatNameOutputs) {
  for (const bool named : {false, true}) {
    const auto loaded = loaders::LoadFlagged(
        {{"profile_path",
          Write("p",
                loaders::Binary<proto::ProfileProto>(
                    std::string("nodes { key: 0 value { name: \"a\" } } "
                                "nodes { key: 1 value { name: \"b\" "
                                "inputs { key: 0 value: 0 } ") +
                    (named ? "input_output_index { key: 0 value: 1 } " : "") +
                    "} }"))}});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->profile.nodes().misses_outputs, !named);
  }
  const auto graph = loaders::LoadFlagged(
      {{"graph_path",
        Write("g", loaders::Binary<proto::GraphDef>(loaders::kGraph))}});
  EXPECT_FALSE(graph->profile.nodes().misses_outputs);
}

// ---- Only the loader

class ProfileProtoLoaderTest : public ::testing::Test {
 protected:
  absl::Status Load(const std::string& bytes) {
    return LoadProfileProto(loaders::InputFile::FromBytes("p", bytes),
                            context_);
  }
  absl::Status LoadText(std::string_view text) {
    return Load(loaders::Binary<proto::ProfileProto>(text));
  }
  const profile::GraphTables& graph() const { return context_.builder.graph(); }
  std::string_view NameOf(profile::NodeId n) const {
    return graph().strings.Get(graph().nodes.name[n]);
  }

  loaders::LoadContext context_;
};

TEST_F(ProfileProtoLoaderTest, FilesThatAreNoProfiles) {
  EXPECT_TRUE(Load("").ok());
  const absl::Status status = Load("\x32\x01x");  // field 6
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "p: no field of it in 3 bytes: not a ProfileProto");
}

// Ids are arbitrary; the order of the file is kept.
TEST_F(ProfileProtoLoaderTest, IdsAreResolvedToNames) {
  ASSERT_TRUE(LoadText("nodes { key: 5 value { name: 'reader' "
                       "  inputs { key: 0 value: 900 } "
                       "  inputs { key: 1 value: 77 } } } "
                       "nodes { key: 900 value { name: 'source' } }")
                  .ok());
  ASSERT_EQ(graph().nodes.size(), 2u);
  EXPECT_EQ(NameOf(0), "reader");
  EXPECT_EQ(graph().nodes.Source(0, 0), 1u);
  // Node 77 does not exist.
  EXPECT_EQ(graph().nodes.edge_source[1], profile::kNone);
  EXPECT_EQ(loaders::CountOf(context_.log, "input of an unknown node"), 1);
  EXPECT_TRUE(context_.log.damaged());
}

TEST_F(ProfileProtoLoaderTest, ANameThatIsThereTwiceIsDamage) {
  ASSERT_TRUE(LoadText("nodes { key: 1 value { name: 'a' op: 'First' } } "
                       "nodes { key: 2 value { name: 'a' op: 'Second' } }")
                  .ok());
  ASSERT_EQ(graph().nodes.size(), 1u);
  EXPECT_EQ(graph().strings.Get(graph().nodes.op[0]), "First");
  EXPECT_EQ(loaders::CountOf(context_.log, "duplicate node"), 1);
}

TEST_F(ProfileProtoLoaderTest, OfEntriesWithOneIdTheLastCounts) {
  ASSERT_TRUE(Load(loaders::Binary<proto::ProfileProto>(
                       "nodes { key: 1 value { name: 'a' } }") +
                   loaders::Binary<proto::ProfileProto>(
                       "nodes { key: 1 value { name: 'b' } }"))
                  .ok());
  ASSERT_EQ(graph().nodes.size(), 1u);
  EXPECT_EQ(NameOf(0), "b");
}

TEST_F(ProfileProtoLoaderTest, ASecondProfileAddsWhatWasMissing) {
  ASSERT_TRUE(LoadText("nodes { key: 1 value { name: 'a' op: 'Op' "
                       "  op_types: 'Op' float_ops: 5 "
                       "  execs { key: 0 value { run_count: 1 } } } } "
                       "steps: 0")
                  .ok());
  ASSERT_TRUE(LoadText("nodes { key: 9 value { name: 'a' op: 'Other' "
                       "  op_types: ['Op', 'mine'] float_ops: 6 "
                       "  canonical_device: '/GPU:0' shape: [2, 3] "
                       "  trace { traces { lineno: 4 } } "
                       "  execs { key: 1 value { run_count: 2 } } } } "
                       "nodes { key: 10 value { name: 'new' } } steps: 1")
                  .ok());
  const profile::NodeTable& nodes = graph().nodes;
  ASSERT_EQ(nodes.size(), 2u);
  // Values of the first file stay.
  EXPECT_EQ(graph().strings.Get(nodes.op[0]), "Op");
  EXPECT_EQ(nodes.FloatOps(0), 5);
  // Missing values come from the second file.
  EXPECT_EQ(graph().devices.name(nodes.device[0]), "/gpu:0");
  EXPECT_THAT(graph().shapes[nodes.parameter_shape[0]],
              ::testing::ElementsAre(2, 3));
  EXPECT_NE(nodes.stack[0], profile::kNoStack);
  EXPECT_FALSE(context_.log.damaged());
  const profile::Profile profile = std::move(context_.builder).Build();
  EXPECT_EQ(profile.graph().type_sets[profile.nodes().types[0]].size(), 2u);
  EXPECT_EQ(profile.steps().size(), 2u);
}

TEST_F(ProfileProtoLoaderTest, StepsThatAreNotListed) {
  ASSERT_TRUE(LoadText("nodes { key: 1 value { name: 'a' "
                       "  execs { key: 3 value { run_count: 1 } } } } "
                       "steps: 8")
                  .ok());
  const profile::Profile profile = std::move(context_.builder).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  EXPECT_FALSE(profile.steps()[0]->listed);
  EXPECT_EQ(profile.steps()[0]->id, 3);
  EXPECT_TRUE(profile.steps()[1]->listed);
}

TEST_F(ProfileProtoLoaderTest, ATruncatedFileKeepsItsBeginning) {
  ASSERT_TRUE(Load(loaders::Binary<proto::ProfileProto>(
                       "nodes { key: 1 value { name: 'a' } }") +
                   "\x0a\x7f")
                  .ok());
  EXPECT_EQ(graph().nodes.size(), 1u);
  EXPECT_EQ(loaders::CountOf(context_.log, "ProfileProto cut short"), 1);
}

TEST_F(ProfileProtoLoaderTest, ADamagedPartOfANodeIsLogged) {
  // A name, then a field that is longer than the node.
  ASSERT_TRUE(Load("\x0a\x09\x08\x01\x12\x05\x0a\x01n\x0a\x7f").ok());
  ASSERT_EQ(graph().nodes.size(), 1u);
  EXPECT_EQ(NameOf(0), "n");
  EXPECT_EQ(loaders::CountOf(context_.log, "part of a profile node dropped"),
            1);
}

}  // namespace
}  // namespace tfprof::tensorflow
