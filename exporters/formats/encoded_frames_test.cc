#include "exporters/formats/encoded_frames.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EncodedFramesTest : public ::testing::Test {
 protected:
  profile::GraphTables& graph() { return builder_.mutable_graph(); }
  profile::StringId String(std::string_view s) {
    return graph().strings.Intern(s);
  }

  // A node with this stack.
  void Node(profile::StackId stack) {
    const profile::NodeId n = builder_.AddNode(
        "n" + std::to_string(graph().nodes.size()), "Op", profile::kNoRecord);
    graph().nodes.stack[n] = stack;
  }
  // A stack with these line numbers, outermost first.
  profile::StackId Lines(const std::vector<int32_t>& lines) {
    profile::StackId stack = profile::kNoStack;
    for (const int32_t line : lines) {
      stack = graph().stacks.Push(
          stack, profile::Frame{.file = String("m.py"), .lineno = line});
    }
    return stack;
  }
  static std::vector<int32_t> LinesOf(std::string_view bytes) {
    proto::CodeDef code;
    EXPECT_TRUE(code.ParseFromString(std::string(bytes)));
    std::vector<int32_t> lines;
    for (const auto& trace : code.traces()) lines.push_back(trace.lineno());
    return lines;
  }

  profile::ProfileBuilder builder_;
};

TEST_F(EncodedFramesTest, AProfileWithoutCallStacksHasNoStrings) {
  builder_.AddNode("n", "Op", profile::kNoRecord);
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(EncodedFrames(profile).strings(), IsEmpty());
}

TEST_F(EncodedFramesTest, StringsHaveIdsInTheOrderOfTheNodes) {
  // The string pool of the profile has another order.
  String("second.py");
  const profile::StackId first = graph().stacks.Push(
      profile::kNoStack, profile::Frame{.file = String("first.py"),
                                        .function = String("f"),
                                        .line = String("x = 1"),
                                        .lineno = 3,
                                        .func_start_line = 2});
  Node(first);
  Node(graph().stacks.Push(first, profile::Frame{.file = String("second.py"),
                                                 .function = String("f"),
                                                 .line = String("x = 1")}));
  const profile::Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  EXPECT_THAT(frames.strings(),
              ElementsAre("none", "first.py", "f", "x = 1", "second.py"));
  proto::CodeDef code;
  ASSERT_TRUE(code.ParseFromString(std::string(frames.Field(0))));
  EXPECT_EQ(code.ShortDebugString(),
            "traces { lineno: 3 func_start_line: 2 file_id: 1 function_id: 2 "
            "line_id: 3 }");
}

TEST_F(EncodedFramesTest, NoneIsIdZeroAndUnknownStringsAreNamed) {
  Node(graph().stacks.Push(
      profile::kNoStack,
      profile::Frame{.file = String("none"), .line = String("<unknown>")}));
  const profile::Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  // The missing function and the text have different ids.
  EXPECT_THAT(frames.strings(), ElementsAre("none", "<unknown>", "<unknown>"));
  proto::CodeDef code;
  ASSERT_TRUE(code.ParseFromString(std::string(frames.Field(0))));
  EXPECT_EQ(code.traces(0).file_id(), 0);
  EXPECT_EQ(code.traces(0).function_id(), 1);
  EXPECT_EQ(code.traces(0).line_id(), 2);
  EXPECT_EQ(code.traces(0).lineno(), -1);
}

// Frames that no node uses are not encoded.
TEST_F(EncodedFramesTest, FramesThatNoNodeHasAreNotEncoded) {
  graph().stacks.Push(profile::kNoStack,
                      profile::Frame{.file = String("unused.py")});
  Node(graph().stacks.Push(profile::kNoStack,
                           profile::Frame{.file = String("used.py"),
                                          .function = String("f"),
                                          .line = String("l")}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(EncodedFrames(profile).strings(),
              ElementsAre("none", "used.py", "f", "l"));
}

TEST_F(EncodedFramesTest, StacksShareTheirOuterFrames) {
  const profile::StackId abc = Lines({1, 2, 3}), abd = Lines({1, 2, 4}),
                         e = Lines({5}), a = Lines({1}),
                         long_one = Lines({1, 2, 3, 6});
  for (const profile::StackId stack : {abc, abd, e, a, long_one}) Node(stack);
  const profile::Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  StackEncoder encoder(profile, frames);
  EXPECT_THAT(LinesOf(encoder.CodeDef(abc)), ElementsAre(1, 2, 3));
  EXPECT_THAT(LinesOf(encoder.CodeDef(abd)), ElementsAre(1, 2, 4));
  EXPECT_THAT(LinesOf(encoder.CodeDef(abd)), ElementsAre(1, 2, 4));
  EXPECT_THAT(LinesOf(encoder.CodeDef(e)), ElementsAre(5));
  EXPECT_THAT(LinesOf(encoder.CodeDef(long_one)), ElementsAre(1, 2, 3, 6));
  // The stack is a prefix of the one before it.
  EXPECT_THAT(LinesOf(encoder.CodeDef(a)), ElementsAre(1));
  EXPECT_THAT(LinesOf(encoder.CodeDef(abc)), ElementsAre(1, 2, 3));
}

// The same line occurs twice in a stack, as in a recursive function.
TEST_F(EncodedFramesTest, RecursionRepeatsAFrame) {
  const profile::StackId stack = Lines({7, 7, 7});
  Node(stack);
  const profile::Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  StackEncoder encoder(profile, frames);
  EXPECT_THAT(LinesOf(encoder.CodeDef(stack)), ElementsAre(7, 7, 7));
}

}  // namespace
}  // namespace tfprof::exporters
