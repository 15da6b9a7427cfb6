#include "loaders/tensorflow/op_log/op_log.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::SizeIs;

using OpLogTest = loaders::FolderTest;

TEST_F(OpLogTest, OpLogsOfOldAndOddKinds) {
  const auto loaded = loaders::LoadFlagged(
      {{"graph_path",
        Write("g", loaders::Binary<proto::GraphDef>(loaders::kGraph))},
       {"op_log_path", Write("l", loaders::Binary<proto::OpLogProto>(R"(
    log_entries { name: "nobody" float_ops: 1 types: "t" }
    log_entries { name: "y" float_ops: 5
                  code_def { traces { lineno: 1 file_id: 99 } } }
    log_entries { name: "y" float_ops: 6
                  code_def { traces { lineno: 2 } } }
    log_entries { name: "y" types: "t" })"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::NodeTable& nodes = loaded->profile.nodes();
  EXPECT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes.FloatOps(2), 6);  // the last one that is not 0
  // The first stack is kept; the table does not have its file.
  const profile::CallStacks& stacks = loaded->profile.graph().stacks;
  const std::vector<profile::FrameId> frames = stacks.Frames(nodes.stack[2]);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(stacks.frame(frames[0]).lineno, 1);
  EXPECT_EQ(stacks.frame(frames[0]).file, profile::kNone);
}

// ---- Only the loader

class OpLogLoaderTest : public ::testing::Test {
 protected:
  OpLogLoaderTest() {
    y_ = context_.builder.AddNode("y", "Op", profile::kNoRecord);
  }

  absl::Status Load(const std::string& bytes) {
    files_.push_back(loaders::InputFile::FromBytes("log", bytes));
    return OpLogLoader(context_).Load(*files_.back());
  }
  // Returns the types of y after the log was loaded.
  std::vector<std::string> TypesOfY() {
    const profile::Profile profile = std::move(context_.builder).Build();
    std::vector<std::string> types;
    for (const profile::StringId type :
         profile.graph().type_sets[profile.nodes().types[y_]]) {
      types.emplace_back(profile.strings().Get(type));
    }
    return types;
  }

  loaders::LoadContext context_;
  std::vector<std::shared_ptr<const loaders::InputFile>> files_;
  profile::NodeId y_;
};

TEST_F(OpLogLoaderTest, AnEmptyFileIsAnEmptyLog) {
  EXPECT_TRUE(Load("").ok());
  EXPECT_FALSE(context_.builder.graph().has_code_traces);
}

TEST_F(OpLogLoaderTest, FilesThatAreNoOpLogs) {
  absl::Status status = Load("\x1a\x01x");  // field 3
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "log: no entry in 3 bytes: not an OpLogProto");
  status = Load("\x0a\x7f");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::EndsWith("not an OpLogProto"));
}

TEST_F(OpLogLoaderTest, TypesAreAdded) {
  ASSERT_TRUE(Load(loaders::Binary<proto::OpLogProto>(
                       "log_entries { name: 'y' types: 'mine' } "
                       "log_entries { name: 'y' types: ['mine', 'other'] }"))
                  .ok());
  EXPECT_THAT(TypesOfY(),
              ::testing::UnorderedElementsAre("Op", "mine", "other"));
}

// Entries are usually in the order of the nodes, but need not be.
TEST_F(OpLogLoaderTest, EntriesInAnyOrder) {
  const profile::NodeId z =
      context_.builder.AddNode("z", "Op", profile::kNoRecord);
  const profile::ModuleId module = context_.builder.AddModule("m");
  // It is not in the unnamed module, so no entry is about it.
  const profile::NodeId in_module =
      context_.builder.AddNode(module, "w", "Op", profile::kNoRecord);
  ASSERT_TRUE(Load(loaders::Binary<proto::OpLogProto>(
                       "log_entries { name: 'y' float_ops: 1 } "
                       "log_entries { name: 'z' float_ops: 2 } "
                       "log_entries { name: 'w' float_ops: 3 } "
                       "log_entries { name: 'z' float_ops: 4 } "
                       "log_entries { name: 'q' float_ops: 5 } "
                       "log_entries { name: 'y' float_ops: 6 }"))
                  .ok());
  const profile::NodeTable& nodes = context_.builder.graph().nodes;
  EXPECT_EQ(nodes.FloatOps(y_), 6);
  EXPECT_EQ(nodes.FloatOps(z), 4);
  EXPECT_EQ(nodes.FloatOps(in_module), 0);
  EXPECT_EQ(loaders::CountOf(context_.log, "op log entry of an unknown node"),
            2);
}

TEST_F(OpLogLoaderTest, FloatOperationsOfZeroChangeNothing) {
  ASSERT_TRUE(Load(loaders::Binary<proto::OpLogProto>(
                       "log_entries { name: 'y' float_ops: 5 } "
                       "log_entries { name: 'y' }"))
                  .ok());
  EXPECT_EQ(context_.builder.graph().nodes.FloatOps(y_), 5);
}

TEST_F(OpLogLoaderTest, UnknownNodesAreCounted) {
  ASSERT_TRUE(
      Load(loaders::Binary<proto::OpLogProto>("log_entries { name: 'a' } "
                                              "log_entries { name: 'b' }"))
          .ok());
  EXPECT_EQ(loaders::CountOf(context_.log, "op log entry of an unknown node"),
            2);
  EXPECT_FALSE(context_.log.damaged());
}

// The table may follow the entries, and an empty stack counts as a stack.
TEST_F(OpLogLoaderTest, StringsAfterTheEntries) {
  const std::string entry = loaders::Binary<proto::OpLogProto>(
      "log_entries { name: 'y' code_def { traces { file_id: 1 } } }");
  const std::string table = loaders::Binary<proto::OpLogProto>(
      "id_to_string { key: 1 value: 'm.py' }");
  ASSERT_TRUE(Load(entry + table).ok());
  const profile::GraphTables& graph = context_.builder.graph();
  const std::vector<profile::FrameId> frames =
      graph.stacks.Frames(graph.nodes.stack[y_]);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(graph.strings.Get(graph.stacks.frame(frames[0]).file), "m.py");
}

TEST_F(OpLogLoaderTest, AnEmptyCallStackCountsAsOne) {
  ASSERT_TRUE(Load(loaders::Binary<proto::OpLogProto>(
                       "log_entries { name: 'y' code_def { } } "
                       "log_entries { name: 'y' code_def { traces { } } }"))
                  .ok());
  EXPECT_TRUE(context_.builder.graph().has_code_traces);
  EXPECT_EQ(context_.builder.graph().nodes.stack[y_], profile::kNoStack);
}

TEST_F(OpLogLoaderTest, DamagedPartsAreLogged) {
  // An entry whose name is too long for it, one whose call stack is, and a
  // string.
  const std::string good = loaders::Binary<proto::OpLogProto>(
      "log_entries { name: 'y' float_ops: 5 }");
  ASSERT_TRUE(Load("\x0a\x02\x0a\x7f" + good +
                   "\x0a\x07\x0a\x01y\x22\x02\x0a\x7f" + "\x12\x02\x12\x7f")
                  .ok());
  EXPECT_EQ(context_.builder.graph().nodes.FloatOps(y_), 5);
  EXPECT_EQ(loaders::CountOf(context_.log, "op log entry damaged"), 2);
  EXPECT_EQ(loaders::CountOf(context_.log, "string of op log dropped"), 1);
  EXPECT_TRUE(context_.log.damaged());
}

TEST_F(OpLogLoaderTest, ATruncatedFileKeepsItsBeginning) {
  const std::string good = loaders::Binary<proto::OpLogProto>(
      "log_entries { name: 'y' float_ops: 5 }");
  ASSERT_TRUE(Load(good + "\x0a\x7f").ok());
  EXPECT_EQ(context_.builder.graph().nodes.FloatOps(y_), 5);
  EXPECT_EQ(loaders::CountOf(context_.log, "OpLogProto cut short"), 1);
}

}  // namespace
}  // namespace tfprof::tensorflow
