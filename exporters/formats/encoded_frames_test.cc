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

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EncodedFramesTest : public ::testing::Test {
 protected:
  GraphTables& graph() { return builder_.mutable_graph(); }
  StringId String(std::string_view s) { return graph().strings.Intern(s); }

  // A node with this stack.
  void Node(StackId stack) {
    const NodeId n = builder_.AddNode(
        "n" + std::to_string(graph().nodes.size()), "Op", kNoRecord);
    graph().nodes.stack[n] = stack;
  }
  // A stack with these line numbers, outermost first.
  StackId Lines(const std::vector<int32_t>& lines) {
    StackId stack = kNoStack;
    for (const int32_t line : lines) {
      stack = graph().stacks.Push(
          stack, Frame{.file = String("m.py"), .lineno = line});
    }
    return stack;
  }
  static std::vector<int32_t> LinesOf(std::string_view bytes) {
    CodeDef code;
    EXPECT_TRUE(code.ParseFromString(std::string(bytes)));
    std::vector<int32_t> lines;
    for (const auto& trace : code.traces()) lines.push_back(trace.lineno());
    return lines;
  }

  ProfileBuilder builder_;
};

TEST_F(EncodedFramesTest, AProfileWithoutCallStacksHasNoStrings) {
  builder_.AddNode("n", "Op", kNoRecord);
  const Profile profile = std::move(builder_).Build();
  EXPECT_THAT(EncodedFrames(profile).strings(), IsEmpty());
}

TEST_F(EncodedFramesTest, StringsHaveIdsInTheOrderOfTheNodes) {
  // The string pool of the profile has another order.
  String("second.py");
  const StackId first =
      graph().stacks.Push(kNoStack, Frame{.file = String("first.py"),
                                          .function = String("f"),
                                          .line = String("x = 1"),
                                          .lineno = 3,
                                          .func_start_line = 2});
  Node(first);
  Node(graph().stacks.Push(first, Frame{.file = String("second.py"),
                                        .function = String("f"),
                                        .line = String("x = 1")}));
  const Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  EXPECT_THAT(frames.strings(),
              ElementsAre("none", "first.py", "f", "x = 1", "second.py"));
  CodeDef code;
  ASSERT_TRUE(code.ParseFromString(std::string(frames.Field(0))));
  EXPECT_EQ(code.ShortDebugString(),
            "traces { lineno: 3 func_start_line: 2 file_id: 1 function_id: 2 "
            "line_id: 3 }");
}

TEST_F(EncodedFramesTest, NoneIsIdZeroAndUnknownStringsAreNamed) {
  Node(graph().stacks.Push(
      kNoStack, Frame{.file = String("none"), .line = String("<unknown>")}));
  const Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  // The missing function and the text have different ids.
  EXPECT_THAT(frames.strings(), ElementsAre("none", "<unknown>", "<unknown>"));
  CodeDef code;
  ASSERT_TRUE(code.ParseFromString(std::string(frames.Field(0))));
  EXPECT_EQ(code.traces(0).file_id(), 0);
  EXPECT_EQ(code.traces(0).function_id(), 1);
  EXPECT_EQ(code.traces(0).line_id(), 2);
  EXPECT_EQ(code.traces(0).lineno(), -1);
}

// Frames that no node uses are not encoded.
TEST_F(EncodedFramesTest, FramesThatNoNodeHasAreNotEncoded) {
  graph().stacks.Push(kNoStack, Frame{.file = String("unused.py")});
  Node(graph().stacks.Push(kNoStack, Frame{.file = String("used.py"),
                                           .function = String("f"),
                                           .line = String("l")}));
  const Profile profile = std::move(builder_).Build();
  EXPECT_THAT(EncodedFrames(profile).strings(),
              ElementsAre("none", "used.py", "f", "l"));
}

TEST_F(EncodedFramesTest, StacksShareTheirOuterFrames) {
  const StackId abc = Lines({1, 2, 3}), abd = Lines({1, 2, 4}), e = Lines({5}),
                a = Lines({1}), long_one = Lines({1, 2, 3, 6});
  for (const StackId stack : {abc, abd, e, a, long_one}) Node(stack);
  const Profile profile = std::move(builder_).Build();
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
  const StackId stack = Lines({7, 7, 7});
  Node(stack);
  const Profile profile = std::move(builder_).Build();
  const EncodedFrames frames(profile);
  StackEncoder encoder(profile, frames);
  EXPECT_THAT(LinesOf(encoder.CodeDef(stack)), ElementsAre(7, 7, 7));
}

}  // namespace
}  // namespace tfprof
