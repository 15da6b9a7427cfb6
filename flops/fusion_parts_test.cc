#include "flops/fusion_parts.h"

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/details.h"
#include "profile/profile_builder.h"
#include "util/files/wire_writer.h"

namespace tfprof::flops {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns parts with these costs.
std::vector<FusionPart> Costs(const std::vector<int64_t>& costs) {
  std::vector<FusionPart> parts;
  for (const int64_t cost : costs) parts.push_back({.bytes = cost});
  return parts;
}

TEST(DivideTimeTest, SharesAreThoseOfTheCosts) {
  EXPECT_THAT(DivideTime(100, Costs({1, 3})), ElementsAre(25, 75));
  const std::vector<FusionPart> parts = {{.flops = 60, .bytes = 20},
                                         {.flops = 0, .bytes = 20}};
  EXPECT_THAT(DivideTime(10, parts), ElementsAre(8, 2));
}

TEST(DivideTimeTest, TheLargestRemaindersGetTheRest) {
  // The exact shares of 10 are 1.42, 2.85 and 5.71.
  EXPECT_THAT(DivideTime(10, Costs({1, 2, 4})), ElementsAre(1, 3, 6));
  EXPECT_THAT(DivideTime(2, Costs({1, 1, 1})), ElementsAre(1, 1, 0));
}

TEST(DivideTimeTest, WithoutCostsAllHaveTheSame) {
  EXPECT_THAT(DivideTime(7, Costs({0, 0})), ElementsAre(4, 3));
  EXPECT_THAT(DivideTime(7, Costs({})), IsEmpty());
}

TEST(DivideTimeTest, TheSumIsExactForAnyNumbers) {
  uint64_t seed = 7;
  const auto next = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(seed >> (1 + (seed & 61)));
  };
  for (int round = 0; round < 1000; ++round) {
    std::vector<FusionPart> parts;
    for (int i = 0; i < 1 + round % 9; ++i)
      parts.push_back({{}, next(), next()});
    const int64_t time = next();
    const std::vector<int64_t> times = DivideTime(time, parts);
    int64_t sum = 0;
    for (const int64_t t : times) {
      EXPECT_GE(t, 0);
      sum += t;
    }
    EXPECT_EQ(sum, time);
  }
  const std::vector<FusionPart> largest(3, {{}, INT64_MAX, INT64_MAX});
  const std::vector<int64_t> times = DivideTime(INT64_MAX, largest);
  EXPECT_EQ(times[0] + (times[1] + times[2]), INT64_MAX);
}

TEST(DivideTimeTest, ANegativeTimeGoesToTheFirst) {
  EXPECT_THAT(DivideTime(-5, Costs({1, 9})), ElementsAre(-5, 0));
}

// A program: nodes with shapes in one module.
class FusionPartsTest : public testing::Test {
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

  // Returns "name flops bytes" for each part.
  static std::vector<std::string> PartsOf(const profile::Profile& profile,
                                          profile::NodeId n) {
    std::vector<std::string> texts;
    for (const FusionPart& part : FusionParts(profile, n)) {
      std::string text(profile.node_name(part.node));
      text += ' ';
      text += std::to_string(part.flops);
      text += ' ';
      text += std::to_string(part.bytes);
      texts.push_back(std::move(text));
    }
    return texts;
  }

  std::shared_ptr<Details> details_ = std::make_shared<Details>();
  profile::ProfileBuilder builder_;
  uint32_t input_ = builder_.AddInput(details_);
  profile::ModuleId module_ = builder_.AddModule("jit_f(1)");
};

TEST_F(FusionPartsTest, InstructionsWithoutParametersAndOperands) {
  Add("a", "dot", "f32[8,8]");
  Add("p", "parameter", "f32[8,8]");
  Add("mul", "multiply", "f32[8,8]", {"p", "p"});
  Add("dot", "dot", "f32[8,8]", {"mul", "p"});
  const profile::NodeId fusion = Add("f", "fusion", "f32[8,8]", {"a", "dot"});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(PartsOf(profile, fusion),
              ElementsAre("mul 0 768", "dot 1024 768"));
}

TEST_F(FusionPartsTest, TheComputationOfAReductionIsPartOfIt) {
  Add("p", "parameter", "f32[8]");
  Add("x", "parameter", "f32[]");
  Add("sum", "add", "f32[]", {"x", "x"});
  Add("zero", "constant", "f32[]");
  Add("reduce", "reduce", "f32[]", {"p", "zero", "sum"});
  const profile::NodeId fusion = Add("f", "fusion", "f32[]", {"p", "reduce"});
  const profile::Profile profile = std::move(builder_).Build();
  std::vector<std::string> names;
  for (const FusionPart& part : FusionParts(profile, fusion)) {
    names.emplace_back(profile.strings().Get(profile.nodes().op[part.node]));
  }
  EXPECT_THAT(names, ElementsAre("constant", "reduce"));
}

TEST_F(FusionPartsTest, WhatIsNoFusionHasNoParts) {
  Add("p", "parameter", "f32[8]");
  const profile::NodeId add = Add("add", "add", "f32[8]", {"p", "p"});
  const profile::NodeId empty = Add("empty", "fusion", "f32[8]");
  const profile::NodeId missing = Add("missing", "fusion", "f32[8]", {"gone"});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(FusionParts(profile, add), IsEmpty());
  EXPECT_THAT(FusionParts(profile, empty), IsEmpty());
  EXPECT_THAT(FusionParts(profile, missing), IsEmpty());
}

TEST_F(FusionPartsTest, InstructionsThatReadEachOtherEnd) {
  Add("a", "add", "f32[8]", {"b"});
  Add("b", "add", "f32[8]", {"a", "f"});
  const profile::NodeId fusion = Add("f", "fusion", "f32[8]", {"b"});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(FusionParts(profile, fusion).size(), 2u);
}

}  // namespace
}  // namespace tfprof::flops
