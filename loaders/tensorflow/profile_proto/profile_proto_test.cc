#include "loaders/tensorflow/profile_proto/profile_proto.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

using ProfileProtoTest = FolderTest;

// A saved profile has no labels.
TEST_F(ProfileProtoTest, HasNoLabels) {
  const auto meta =
      LoadFlagged({{"run_meta_path", Write("rm", Binary<RunMetadata>(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 1
                   timeline_label: "a = Const" } } })"))}});
  ASSERT_TRUE(meta.ok()) << meta.status();
  const auto saved = LoadFlagged({{"profile_path", Write("p", Saved(*meta))}});
  ASSERT_TRUE(saved.ok()) << saved.status();
  const Step& step = *saved->profile.FindStep(0);
  ASSERT_EQ(step.num_executions(), 1u);
  const auto record = static_cast<RecordRef>(step.exec_record[0]);
  EXPECT_NE(record, kNoRecord);
  EXPECT_EQ(saved->profile.Text(record).label, "");
}

// TensorFlow's files do not say which output an edge reads, ours do.
TEST_F(ProfileProtoTest, ProfilesThatNameOutputs) {
  for (const bool named : {false, true}) {
    const auto loaded = LoadFlagged(
        {{"profile_path",
          Write("p",
                Binary<ProfileProto>(
                    std::string("nodes { key: 0 value { name: \"a\" } } "
                                "nodes { key: 1 value { name: \"b\" "
                                "inputs { key: 0 value: 0 } ") +
                    (named ? "input_output_index { key: 0 value: 1 } " : "") +
                    "} }"))}});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->profile.nodes().misses_outputs, !named);
  }
  const auto graph =
      LoadFlagged({{"graph_path", Write("g", Binary<GraphDef>(kGraph))}});
  EXPECT_FALSE(graph->profile.nodes().misses_outputs);
}

}  // namespace
}  // namespace tfprof
