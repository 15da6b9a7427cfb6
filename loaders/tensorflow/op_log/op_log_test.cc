#include "loaders/tensorflow/op_log/op_log.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

using ::testing::SizeIs;

using OpLogTest = FolderTest;

TEST_F(OpLogTest, OpLogsOfOldAndOddKinds) {
  const auto loaded =
      LoadFlagged({{"graph_path", Write("g", Binary<GraphDef>(kGraph))},
                   {"op_log_path", Write("l", Binary<OpLogProto>(R"(
    log_entries { name: "nobody" float_ops: 1 types: "t" }
    log_entries { name: "y" float_ops: 5
                  code_def { traces { lineno: 1 file_id: 99 } } }
    log_entries { name: "y" float_ops: 6
                  code_def { traces { lineno: 2 } } }
    log_entries { name: "y" types: "t" })"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const NodeTable& nodes = loaded->profile.nodes();
  EXPECT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes.FloatOps(2), 6);  // the last one that is not 0
  // The first stack is kept; its file is not in the table.
  const CallStacks& stacks = loaded->profile.graph().stacks;
  const std::vector<FrameId> frames = stacks.Frames(nodes.stack[2]);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(stacks.frame(frames[0]).lineno, 1);
  EXPECT_EQ(stacks.frame(frames[0]).file, kNone);
}

}  // namespace
}  // namespace tfprof
