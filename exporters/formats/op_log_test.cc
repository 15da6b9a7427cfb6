#include "exporters/formats/op_log.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/exporters_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {
namespace op_log_test {

using ::testing::ElementsAre;

proto::OpLogProto Write(const profile::Profile& profile) {
  util::StringSink sink;
  WriteOpLog(profile, sink);
  proto::OpLogProto log;
  EXPECT_TRUE(log.ParseFromString(sink.text()));
  return log;
}

TEST(WriteOpLogTest, WithoutAnythingToSay) {
  EXPECT_FALSE(NeedsOpLog(profile::Profile()));
  profile::ProfileBuilder builder;
  builder.AddNode("a", "Op", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_FALSE(NeedsOpLog(profile));
  EXPECT_EQ(Write(profile).ShortDebugString(), "");
}

TEST(WriteOpLogTest, FloatOperations) {
  profile::ProfileBuilder builder;
  builder.AddNode("a", "Op", profile::kNoRecord);
  builder.SetFloatOps(builder.AddNode("b", "Op", profile::kNoRecord), 42);
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_TRUE(NeedsOpLog(profile));
  EXPECT_EQ(Write(profile).ShortDebugString(),
            "log_entries { name: \"b\" float_ops: 42 }");
}

// The op and the device of a node are types too, but graph and run metadata
// contain them.
TEST(WriteOpLogTest, TypesThatAreNeitherOpNorDevice) {
  Maker maker;
  const profile::NodeId n = maker.Node("n");
  maker.Run(n, kCpu0, 10, 1);
  profile::GraphTables& graph = maker.builder().mutable_graph();
  maker.builder().AddType(n, graph.strings.Intern("_trainable_variables"));
  maker.builder().AddType(n, graph.strings.Intern("mine"));
  maker.Run(maker.Node("other"), kCpu0, 20, 1);
  const profile::Profile profile = maker.Build();
  EXPECT_TRUE(NeedsOpLog(profile));
  const proto::OpLogProto log = Write(profile);
  ASSERT_EQ(log.log_entries_size(), 1);
  EXPECT_EQ(log.log_entries(0).name(), "n");
  EXPECT_THAT(std::vector<std::string>(log.log_entries(0).types().begin(),
                                       log.log_entries(0).types().end()),
              ElementsAre("_trainable_variables", "mine"));
}

TEST(WriteOpLogTest, CallStacksByIds) {
  Maker maker;
  maker.Stack(maker.Node("a"), {{"m.py", 1, "f", 7}, {"m.py", 2, "g", -1}});
  maker.Node("b");
  const profile::Profile profile = maker.Build();
  EXPECT_TRUE(NeedsOpLog(profile));
  const proto::OpLogProto log = Write(profile);
  ASSERT_EQ(log.log_entries_size(), 1);
  const proto::CodeDef& code = log.log_entries(0).code_def();
  ASSERT_EQ(code.traces_size(), 2);
  const auto& strings = log.id_to_string();
  EXPECT_EQ(strings.at(0), "none");
  EXPECT_EQ(strings.at(code.traces(0).file_id()), "m.py");
  EXPECT_EQ(strings.at(code.traces(0).function_id()), "f");
  EXPECT_EQ(code.traces(0).lineno(), 1);
  EXPECT_EQ(code.traces(0).func_start_line(), 7);
  EXPECT_EQ(code.traces(1).file_id(), code.traces(0).file_id());
  EXPECT_EQ(strings.at(code.traces(1).function_id()), "g");
  EXPECT_EQ(code.traces(1).func_start_line(), -1);
}

// An entry with a call stack shows that there are call stacks. If no node has
// one, the last entry gets an empty one.
TEST(WriteOpLogTest, CallStacksThatNoNodeHas) {
  profile::ProfileBuilder builder;
  builder.AddNode("a", "Op", profile::kNoRecord);
  builder.AddNode("b", "Op", profile::kNoRecord);
  builder.mutable_graph().has_code_traces = true;
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_TRUE(NeedsOpLog(profile));
  const proto::OpLogProto log = Write(profile);
  ASSERT_EQ(log.log_entries_size(), 1);
  EXPECT_EQ(log.log_entries(0).name(), "b");
  EXPECT_TRUE(log.log_entries(0).has_code_def());
  EXPECT_EQ(log.log_entries(0).code_def().traces_size(), 0);
}

TEST(WriteOpLogTest, ACallStackOfAnEarlierNodeIsEnough) {
  Maker maker;
  maker.Stack(maker.Node("a"), {{"m.py", 1, "f", 7}});
  maker.Node("b");
  EXPECT_EQ(Write(maker.Build()).log_entries_size(), 1);
}

TEST(WriteOpLogTest, LargeLogsComeInPieces) {
  struct CountingSink : util::Sink {
    void Write(std::string_view bytes) override {
      largest = std::max(largest, bytes.size());
      all += bytes.size();
    }
    size_t largest = 0, all = 0;
  };
  profile::ProfileBuilder builder;
  const std::string name(100, 'n');
  for (int i = 0; i < 10000; ++i) {
    builder.SetFloatOps(
        builder.AddNode(name + std::to_string(i), "Op", profile::kNoRecord), 1);
  }
  CountingSink sink;
  WriteOpLog(std::move(builder).Build(), sink);
  EXPECT_GT(sink.all, size_t{1000000});
  EXPECT_LT(sink.largest, size_t{300} << 10);
}

}  // namespace op_log_test
}  // namespace
}  // namespace tfprof::exporters
