#include "loaders/chrome_json/ort/ort_events.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"

namespace tfprof::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OrtEventsTest : public ::testing::Test {
 protected:
  void Read(std::string text) {
    file_ = loaders::InputFile::FromBytes("f", std::move(text));
    events_ = ReadOrtEvents(*file_, log_);
  }

  std::shared_ptr<const loaders::InputFile> file_;
  loaders::ImportLog log_;
  OrtEvents events_;
};

TEST_F(OrtEventsTest, TheKindsOfEvents) {
  Read(R"([
{"cat" : "Node","pid" :7,"tid" :8,"dur" :13,"ts" :5,"ph" : "X","name" :"/a/Conv_kernel_time","args" : {"output_size" : "64","op_name" : "Conv","provider" : "CPUExecutionProvider","input_type_shape" : [{"float":[4,3]},{"float":[]}],"mem_bytes_in_use" : "100"}},
{"cat" : "Node","pid" :7,"tid" :8,"dur" :0,"ts" :5,"ph" : "X","name" :"/a/Conv_fence_before","args" : {"op_name" : "Conv"}},
{"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :2,"ts" :6,"ph" : "X","name" :"gemm\"","args" : {"stream" : "7","parent_name" : "/a/Conv_kernel_time"}},
{"cat" : "Session","pid" :7,"tid" :8,"dur" :20,"ts" :5,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Session","pid" :7,"tid" :8,"dur" :3,"ts" :1,"ph" : "X","name" :"session_initialization","args" : {}}
])");
  ASSERT_THAT(events_.events, SizeIs(4));
  EXPECT_EQ(events_.fences, 1);
  EXPECT_EQ(events_.events[0].kind, OrtEvent::Kind::kSession);
  EXPECT_EQ(events_.events[0].start, 1000);
  // The run comes before its operation, although the file has it after.
  EXPECT_EQ(events_.events[1].kind, OrtEvent::Kind::kRun);
  const OrtEvent& node = events_.events[2];
  EXPECT_EQ(node.kind, OrtEvent::Kind::kNode);
  EXPECT_EQ(node.name, "/a/Conv");
  EXPECT_EQ(node.op, "Conv");
  EXPECT_EQ(node.output_bytes, 64);
  EXPECT_EQ(node.bytes_in_use, 100);
  EXPECT_EQ(node.duration, 13000);
  EXPECT_THAT(ParseOrtShapes(node.input_shapes),
              ElementsAre(ElementsAre(4, 3), ElementsAre(1)));
  const OrtEvent& kernel = events_.events[3];
  EXPECT_EQ(kernel.kind, OrtEvent::Kind::kKernel);
  EXPECT_EQ(kernel.name, "gemm\"");
  EXPECT_EQ(kernel.parent, "/a/Conv");
  EXPECT_EQ(kernel.stream, "7");
}

TEST_F(OrtEventsTest, EventsOfOtherKindsAreCounted) {
  Read(R"([{"cat":"Node","ph":"i","ts":1,"name":"a"},
           {"cat":"Other","ph":"X","ts":1,"name":"b"},
           {"cat":"Node","ph":"X","name":"c"},
           {"cat":"Node","ph":"X","ts":1,"dur":-4,"name":"plain"}])");
  EXPECT_EQ(events_.unknown, 3);
  ASSERT_THAT(events_.events, SizeIs(1));
  EXPECT_EQ(events_.events[0].name, "plain");
  EXPECT_EQ(events_.events[0].op, "plain");
  EXPECT_EQ(events_.events[0].duration, 0);
}

TEST(OrtShapesTest, TextThatIsNoShapes) {
  EXPECT_THAT(ParseOrtShapes(""), IsEmpty());
  EXPECT_THAT(ParseOrtShapes("7"), IsEmpty());
  EXPECT_THAT(ParseOrtShapes(R"([1, {"float": 2}, {"float": ["x", 3]}])"),
              ElementsAre(ElementsAre(-1, 3)));
}

}  // namespace
}  // namespace tfprof::chrome_json
