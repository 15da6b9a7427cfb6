#include "loaders/tensorflow/call_stacks.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CallStacksTest : public ::testing::Test {
 protected:
  // Makes an entry of an id table.
  static std::string Entry(std::string_view text) {
    const std::string log = loaders::Binary<proto::OpLogProto>(
        "id_to_string { " + std::string(text) + " }");
    util::WireReader r(log);
    EXPECT_TRUE(r.Next());
    return std::string(r.view());
  }
  // Formats each frame as "file:line function 'text'", outermost first.
  std::vector<std::string> Frames(profile::StackId stack) {
    const profile::GraphTables& graph = builder_.graph();
    std::vector<std::string> lines;
    const auto text = [&](profile::StringId id) {
      return id == profile::kNone ? std::string("?")
                                  : std::string(graph.strings.Get(id));
    };
    for (const profile::FrameId f : graph.stacks.Frames(stack)) {
      const profile::Frame& frame = graph.stacks.frame(f);
      lines.push_back(text(frame.file) + ":" + std::to_string(frame.lineno) +
                      " " + text(frame.function) + " '" + text(frame.line) +
                      "'");
    }
    return lines;
  }
  // The bytes must outlive the reader.
  profile::StackId Read(CallStackReader& reader, std::string_view text) {
    bytes_.push_back(
        std::make_unique<std::string>(loaders::Binary<proto::CodeDef>(text)));
    profile::StackId stack = profile::kNoStack;
    EXPECT_TRUE(reader.ReadCodeDef(*bytes_.back(), stack));
    return stack;
  }

  profile::ProfileBuilder builder_;
  std::vector<std::unique_ptr<std::string>> bytes_;
};

TEST_F(CallStacksTest, StringsById) {
  CallStackReader reader(builder_);
  EXPECT_TRUE(reader.AddString(Entry("key: 1 value: 'a.py'")));
  EXPECT_TRUE(reader.AddString(Entry("key: 2 value: 'main'")));
  // The first string of an id wins.
  EXPECT_TRUE(reader.AddString(Entry("key: 2 value: 'other'")));
  const profile::StackId stack =
      Read(reader,
           "traces { lineno: 3 file_id: 1 function_id: 2 line_id: 9 } "
           "traces { lineno: 4 file: 'b.py' function: 'f' line: 'x = 1' }");
  EXPECT_THAT(Frames(stack),
              ElementsAre("a.py:3 main '?'", "b.py:4 f 'x = 1'"));
}

TEST_F(CallStacksTest, StacksThatBeginTheSameShareTheirFrames) {
  CallStackReader reader(builder_);
  const profile::StackId ab =
      Read(reader, "traces { lineno: 1 } traces { lineno: 2 }");
  const profile::StackId ac =
      Read(reader, "traces { lineno: 1 } traces { lineno: 3 }");
  const profile::StackId a = Read(reader, "traces { lineno: 1 }");
  EXPECT_EQ(Read(reader, "traces { lineno: 1 } traces { lineno: 2 }"), ab);
  EXPECT_NE(ab, ac);
  EXPECT_THAT(Frames(a), ElementsAre("?:1 ? '?'"));
  EXPECT_THAT(Frames(ac), ElementsAre("?:1 ? '?'", "?:3 ? '?'"));
  EXPECT_EQ(Read(reader, ""), profile::kNoStack);
  EXPECT_THAT(Frames(profile::kNoStack), IsEmpty());
}

TEST_F(CallStacksTest, EqualBytesAreParsedOnce) {
  CallStackReader reader(builder_);
  const profile::StackId a =
      Read(reader, "traces { lineno: 1 } traces { lineno: 2 }");
  const profile::StackId b =
      Read(reader, "traces { lineno: 3 } traces { lineno: 2 }");
  EXPECT_EQ(reader.num_parsed_traces(), 4u);
  EXPECT_EQ(Read(reader, "traces { lineno: 1 } traces { lineno: 2 }"), a);
  EXPECT_EQ(Read(reader, "traces { lineno: 3 } traces { lineno: 2 }"), b);
  EXPECT_EQ(reader.num_parsed_traces(), 4u);
}

// If only the end of a stack is new, only the end is parsed.
TEST_F(CallStacksTest, TheBeginningOfTheStackBeforeIsNotParsedAgain) {
  CallStackReader reader(builder_);
  std::string caller;
  for (int i = 1; i <= 20; ++i) {
    caller += "traces { lineno: " + std::to_string(i) + " } ";
  }
  Read(reader, caller + "traces { lineno: 100 }");
  EXPECT_EQ(reader.num_parsed_traces(), 21u);
  const profile::StackId longer =
      Read(reader, caller + "traces { lineno: 101 } traces { lineno: 102 }");
  EXPECT_EQ(reader.num_parsed_traces(), 23u);
  const profile::StackId shorter = Read(reader, caller);
  EXPECT_EQ(reader.num_parsed_traces(), 23u);
  EXPECT_THAT(Frames(longer), SizeIs(22));
  EXPECT_EQ(Frames(longer)[19], "?:20 ? '?'");
  EXPECT_EQ(Frames(longer)[21], "?:102 ? '?'");
  EXPECT_THAT(Frames(shorter), SizeIs(20));
}

// Two traces may begin with the same bytes and still differ.
TEST_F(CallStacksTest, ATraceIsComparedAsAWhole) {
  CallStackReader reader(builder_);
  Read(reader, "traces { lineno: 1 } traces { lineno: 2 func_start_line: 3 }");
  EXPECT_THAT(Frames(Read(reader,
                          "traces { lineno: 1 } "
                          "traces { lineno: 2 func_start_line: 4 }")),
              ElementsAre("?:1 ? '?'", "?:2 ? '?'"));
  EXPECT_EQ(reader.num_parsed_traces(), 3u);
  EXPECT_EQ(builder_.graph().stacks.num_frames(), 3u);
}

// Ids are only valid in their own file.
TEST_F(CallStacksTest, AReaderForEachFile) {
  CallStackReader first(builder_), second(builder_);
  EXPECT_TRUE(first.AddString(Entry("key: 1 value: 'a.py'")));
  EXPECT_TRUE(second.AddString(Entry("key: 1 value: 'b.py'")));
  EXPECT_THAT(Frames(Read(first, "traces { file_id: 1 }")),
              ElementsAre("a.py:0 ? '?'"));
  EXPECT_THAT(Frames(Read(second, "traces { file_id: 1 }")),
              ElementsAre("b.py:0 ? '?'"));
}

TEST_F(CallStacksTest, DamageKeepsWhatIsBeforeIt) {
  CallStackReader reader(builder_);
  EXPECT_FALSE(reader.AddString("\x0a"));
  const std::string bytes =
      loaders::Binary<proto::CodeDef>("traces { lineno: 1 }") + "\x0a\x7f";
  profile::StackId stack = profile::kNoStack;
  EXPECT_FALSE(reader.ReadCodeDef(bytes, stack));
  EXPECT_THAT(Frames(stack), ElementsAre("?:1 ? '?'"));
}

TEST_F(CallStacksTest, DamageIsReportedWhereverItIsRepeated) {
  CallStackReader reader(builder_);
  // The second trace ends early. Then the same again, and with a third trace.
  const std::string damaged =
      loaders::Binary<proto::CodeDef>("traces { lineno: 1 }") +
      "\x0a\x02\x0a\x7f";
  const std::string longer =
      damaged + loaders::Binary<proto::CodeDef>("traces { lineno: 3 }");
  for (const std::string& bytes : {damaged, damaged, longer}) {
    profile::StackId stack = profile::kNoStack;
    EXPECT_FALSE(reader.ReadCodeDef(bytes, stack));
    EXPECT_EQ(Frames(stack).front(), "?:1 ? '?'");
  }
}

}  // namespace
}  // namespace tfprof::tensorflow
