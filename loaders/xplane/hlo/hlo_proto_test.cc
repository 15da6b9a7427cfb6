#include "loaders/xplane/hlo/hlo_proto.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "util/files/wire.h"
#include "util/files/wire_writer.h"

namespace tfprof::xplane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kLargeId = (int64_t{361} << 32) + 17;

// Makes a program with a fusion: parameter p, fused add a, fusion f.
std::string Fusion() {
  util::WireWriter w;
  {
    const util::WireMessage module(w, 1);
    w.Bytes(1, "jit_step");
    AddComputation(w, 2, {{.id = 5, .name = "a", .opcode = "add"}});
    AddComputation(w, kLargeId,
                   {{.id = 1, .name = "p", .opcode = "parameter", .dims = {4}},
                    {.id = kLargeId + 1,
                     .name = "f",
                     .opcode = "fusion",
                     .operands = {1, 1},
                     .op_name = "jit(step)/mlp/add",
                     .stack_frame = 1,
                     .calls = {2},
                     .dims = {4, 2}}});
    w.Int64(5, 30);
    w.Int64(6, kLargeId);
    const util::WireMessage index(w, 17);
    w.Bytes(1, "/home/u/train.py");
    w.Bytes(2, "step");
    w.Bytes(3, "\x08\x01\x10\x01\x18\x2a");  // file 1, function 1, line 42
    w.Bytes(4, "\x08\x01");                  // location 1
  }
  {
    const util::WireMessage assignment(w, 3);
    const util::WireMessage buffer(w, 1);
    w.Int64(2, 32);
    const util::WireMessage at(w, 3);
    w.Int64(4, kLargeId + 1);
  }
  return std::string(w.bytes());
}

TEST(ReadHloProtoTest, ReadsInstructionsAndIds) {
  const std::string bytes = Fusion();
  const HloModule module = ReadHloProto(bytes);
  EXPECT_EQ(module.name, "jit_step");
  EXPECT_EQ(module.id, 30);
  EXPECT_EQ(module.entry, kLargeId);
  EXPECT_EQ(module.damaged, 0);
  ASSERT_EQ(module.instructions.size(), 3u);
  const HloInstruction& fusion = module.instructions[2];
  EXPECT_EQ(fusion.name, "f");
  EXPECT_EQ(fusion.opcode, "fusion");
  EXPECT_EQ(fusion.op_name, "jit(step)/mlp/add");
  EXPECT_EQ(fusion.id, kLargeId + 1);
  EXPECT_THAT(module.Operands(fusion), ElementsAre(1, 1));
  EXPECT_THAT(module.ControlPredecessors(fusion), IsEmpty());
  EXPECT_THAT(module.CalledComputations(fusion), ElementsAre(2));
  EXPECT_EQ(module.computations[0].root, 5);
  EXPECT_THAT(ReadHloShapes(fusion.shape),
              ElementsAre(std::vector<int64_t>{4, 2}));
}

TEST(ReadHloProtoTest, ReadsFramesAndBuffers) {
  const std::string bytes = Fusion();
  const HloModule module = ReadHloProto(bytes);
  ASSERT_EQ(module.locations.size(), 1u);
  EXPECT_EQ(module.locations[0].line, 42);
  ASSERT_EQ(module.frames.size(), 1u);
  EXPECT_EQ(module.frames[0].parent, 0);
  ASSERT_EQ(module.buffers.size(), 1u);
  EXPECT_EQ(module.buffers[0].size, 32);
  EXPECT_EQ(module.buffers[0].instruction, kLargeId + 1);
}

TEST(ReadHloProtoTest, TheOffsetIsThatOfTheField) {
  const std::string bytes = Fusion();
  for (const HloInstruction& i : ReadHloProto(bytes).instructions) {
    util::WireReader r(std::string_view(bytes).substr(i.offset));
    ASSERT_TRUE(r.Next());
    HloInstruction again;
    EXPECT_TRUE(ReadHloInstruction(r.view(), again));
    EXPECT_EQ(again.name, i.name);
  }
}

TEST(ReadHloProtoTest, CountsDamageAtEachLength) {
  const std::string bytes = Fusion();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ReadHloProto(bytes.substr(0, size));
  }
  EXPECT_GT(ReadHloProto(bytes.substr(0, 40)).damaged, 0);
}

TEST(ReadHloShapesTest, ScalarsTuplesAndDynamicDimensions) {
  util::WireWriter w;
  w.Int64(2, 11);
  const std::string scalar(w.bytes());
  EXPECT_THAT(ReadHloShapes(scalar), ElementsAre(std::vector<int64_t>{1}));
  EXPECT_EQ(HloShapeText(scalar), "f32[]");
  w.PackedInt64(3, std::vector<int64_t>{8, 2});
  w.PackedInt64(6, std::vector<int64_t>{1, 0});
  const std::string dynamic(w.bytes());
  EXPECT_THAT(ReadHloShapes(dynamic), ElementsAre(std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(HloShapeText(dynamic), "f32[<=8,2]");
  w.Truncate(0);
  w.Int64(2, 13);
  w.Bytes(4, scalar);
  w.Bytes(4, "\x10\x0d");  // an empty tuple
  EXPECT_THAT(ReadHloShapes(w.bytes()),
              ElementsAre(std::vector<int64_t>{1}, IsEmpty()));
  EXPECT_EQ(HloShapeText(w.bytes()), "(f32[], ())");
  EXPECT_THAT(ReadHloShapes(""), IsEmpty());
}

TEST(HloShapeTextTest, ADeepTupleIsCut) {
  std::string shape = "\x10\x0d";
  for (int i = 0; i < 1000; ++i) {
    util::WireWriter w;
    w.Int64(2, 13);
    w.Bytes(4, shape);
    shape = w.bytes();
  }
  EXPECT_LT(HloShapeText(shape).size(), 100u);
}

}  // namespace
}  // namespace tfprof::xplane
