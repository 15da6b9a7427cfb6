#include "flops/hlo_cost.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/details.h"
#include "profile/profile_builder.h"
#include "util/files/wire_writer.h"

namespace tfprof::flops {
namespace {
namespace hlo_cost_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HloShape Shape(std::string_view text) { return ParseHloShapes(text).at(0); }

std::optional<int64_t> Dot(std::string_view left, std::string_view right,
                           std::string_view result) {
  return HloDotFlops(Shape(left), Shape(right), Shape(result));
}

TEST(HloShapeTest, ArraysAndTuples) {
  EXPECT_THAT(Shape("f32[8,128]{1,0}").dims, ElementsAre(8, 128));
  EXPECT_EQ(Shape("f32[8,128]{1,0}").element_bytes, 4);
  EXPECT_EQ(Shape("bf16[]").element_bytes, 2);
  EXPECT_THAT(Shape("bf16[]").dims, IsEmpty());
  EXPECT_EQ(Shape("pred[7]").element_bytes, 1);
  EXPECT_EQ(Shape("f8e4m3fn[7]").element_bytes, 1);
  EXPECT_EQ(Shape("s4[7]").element_bytes, 1);
  EXPECT_EQ(Shape("c64[7]").element_bytes, 8);
  EXPECT_EQ(Shape("token[]").element_bytes, 0);
  EXPECT_THAT(Shape("f32[<=8,2]").dims, ElementsAre(8, 2));
  const auto tuple = ParseHloShapes("(f32[2]{0:T(8,128)}, s32[], u8[3,4])");
  ASSERT_EQ(tuple.size(), 3u);
  EXPECT_THAT(tuple[2].dims, ElementsAre(3, 4));
  EXPECT_EQ(tuple[2].element_bytes, 1);
}

TEST(HloShapeTest, TextsThatAreNoShapes) {
  EXPECT_THAT(ParseHloShapes(""), IsEmpty());
  EXPECT_THAT(ParseHloShapes("token"), IsEmpty());
  EXPECT_THAT(ParseHloShapes("f32[1,2"), IsEmpty());
  EXPECT_THAT(ParseHloShapes("f32[99999999999999999999]"), IsEmpty());
}

TEST(HloCostTest, Products) {
  EXPECT_EQ(Dot("f32[8,16]", "f32[16,32]", "f32[8,32]"), 2 * 8 * 16 * 32);
  // The second operand is transposed.
  EXPECT_EQ(Dot("f32[8,16]", "f32[32,16]", "f32[8,32]"), 2 * 8 * 16 * 32);
  EXPECT_EQ(Dot("f32[16]", "f32[16]", "f32[]"), 2 * 16);
  // With a batch dimension.
  EXPECT_EQ(Dot("f32[4,8,16]", "f32[4,16,32]", "f32[4,8,32]"),
            2 * 4 * 8 * 16 * 32);
  // With two contracted dimensions.
  EXPECT_EQ(Dot("f32[5,8,16]", "f32[8,16,32]", "f32[5,32]"),
            2 * 5 * 8 * 16 * 32);
  EXPECT_EQ(Dot("f32[0,16]", "f32[16,32]", "f32[0,32]"), 0);
  EXPECT_FALSE(Dot("f32[8,16]", "f32[16,32]", "f32[8,33]"));
  EXPECT_FALSE(Dot("f32[8]", "f32[]", "f32[8,32]"));
}

TEST(HloCostTest, Convolutions) {
  // First NHWC with HWIO, then NCHW with OIHW.
  EXPECT_EQ(HloConvolutionFlops(Shape("f32[2,9,9,4]"), Shape("f32[3,3,4,8]"),
                                Shape("f32[2,7,7,8]")),
            2 * (2 * 7 * 7 * 8) * (3 * 3 * 4));
  EXPECT_EQ(HloConvolutionFlops(Shape("f32[2,4,9,9]"), Shape("f32[8,4,3,3]"),
                                Shape("f32[2,8,7,7]")),
            2 * (2 * 7 * 7 * 8) * (3 * 3 * 4));
  EXPECT_FALSE(HloConvolutionFlops(Shape("f32[2,4]"), Shape("f32[8,4]"),
                                   Shape("f32[2,8]")));
  EXPECT_FALSE(HloConvolutionFlops(Shape("f32[2,4,9,9]"), Shape("f32[8,4,3,3]"),
                                   Shape("f32[2,7,7,6]")));
}

// A program: nodes with shapes in one module.
class HloProgramTest : public testing::Test {
 protected:
  struct Details : profile::DetailReader {
    profile::AttributeList Attributes(uint64_t offset) const override {
      return {{"shape", values.at(offset)}};
    }
    profile::ExecutionDetail Execution(uint64_t, bool) const override {
      return {};
    }
    bool record_is_group() const override { return false; }
    std::map<uint64_t, std::string> values;  // serialized AttrValue
  };

  profile::NodeId Add(std::string_view name, std::string_view opcode,
                      std::string_view shape,
                      const std::vector<std::string>& edges = {}) {
    const uint64_t offset = details_->values.size();
    util::WireWriter w;
    constexpr uint32_t kText = 2;  // AttrValue.s
    w.Bytes(kText, shape);
    details_->values[offset] = std::string(w.bytes());
    const profile::NodeId n = builder_.AddNode(
        module_, name, opcode, profile::MakeRecordRef(input_, offset));
    int32_t position = 0;
    for (const std::string& source : edges) {
      builder_.AddEdge(builder_.mutable_graph().strings.Intern(source),
                       position++, 0, 0);
    }
    return n;
  }

  std::shared_ptr<Details> details_ = std::make_shared<Details>();
  profile::ProfileBuilder builder_;
  uint32_t input_ = builder_.AddInput(details_);
  profile::ModuleId module_ = builder_.AddModule("jit_f(1)");
};

TEST_F(HloProgramTest, AProductReadsItsOperands) {
  Add("a", "parameter", "bf16[8,16]");
  Add("b", "parameter", "bf16[16,32]");
  const profile::NodeId dot = Add("dot", "dot", "f32[8,32]", {"a", "b"});
  const profile::Profile profile = std::move(builder_).Build();
  const OpCost cost = HloCost(profile, dot);
  EXPECT_EQ(cost.outcome, OpCost::Outcome::kKnown);
  EXPECT_EQ(cost.flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(cost.bytes, 2 * (8 * 16 + 16 * 32) + 4 * 8 * 32);
  EXPECT_EQ(cost.element_bytes, 2);
}

TEST_F(HloProgramTest, AFusionHasTheOperationsOfItsParts) {
  Add("p0", "parameter", "f32[8,16]");
  Add("p1", "parameter", "f32[16,32]");
  Add("inner_dot", "dot", "f32[8,32]", {"p0", "p1"});
  Add("inner_add", "add", "f32[8,32]", {"inner_dot", "inner_dot"});
  Add("a", "parameter", "f32[8,16]");
  // An operand that is itself a product does not count again.
  Add("b", "dot", "f32[16,32]", {"a", "a"});
  const profile::NodeId fusion =
      Add("fusion", "fusion", "f32[8,32]", {"a", "b", "inner_add"});
  const profile::Profile profile = std::move(builder_).Build();
  const OpCost cost = HloCost(profile, fusion);
  EXPECT_EQ(cost.flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(cost.bytes, 4 * (8 * 16 + 16 * 32 + 8 * 32));
}

TEST_F(HloProgramTest, OtherInstructionsHaveBytesOnly) {
  Add("a", "parameter", "f32[8]");
  const profile::NodeId add = Add("add", "add", "f32[8]", {"a", "a"});
  const profile::NodeId tuple = Add("tuple", "tuple", "(f32[8])", {"a"});
  const profile::NodeId odd = Add("odd", "dot", "f32[3]", {"a", "a"});
  const profile::NodeId none = Add("none", "dot", "f32[3]", {"missing"});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(HloCost(profile, add).flops, 0);
  EXPECT_EQ(HloCost(profile, add).bytes, 3 * 32);
  EXPECT_EQ(HloCost(profile, tuple).outcome, OpCost::Outcome::kNoFormula);
  EXPECT_EQ(HloCost(profile, odd).outcome, OpCost::Outcome::kNotSupported);
  EXPECT_EQ(HloCost(profile, none).outcome, OpCost::Outcome::kNotSupported);
}

TEST_F(HloProgramTest, NodesOfOtherFormatsHaveNoFormula) {
  const profile::NodeId n = builder_.AddNode("x", "add", profile::kNoRecord);
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(HloCost(profile, n).outcome, OpCost::Outcome::kNoFormula);
}

}  // namespace hlo_cost_test
}  // namespace
}  // namespace tfprof::flops
