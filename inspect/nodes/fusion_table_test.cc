#include "inspect/nodes/fusion_table.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "profile/details.h"
#include "profile/profile_builder.h"
#include "util/files/wire_writer.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A fusion of a product and a sum.
class FusedTableTest : public testing::Test {
 protected:
  struct Details : profile::DetailReader {
    profile::AttributeList Attributes(uint64_t) const override {
      util::WireWriter w;
      constexpr uint32_t kText = 2;  // AttrValue.s
      w.Bytes(kText, "f32[8,8]");
      text = w.bytes();
      return {{"shape", text}};
    }
    profile::ExecutionDetail Execution(uint64_t, bool) const override {
      return {};
    }
    bool record_is_group() const override { return false; }
    mutable std::string text;
  };

  FusedTableTest() {
    builder_.SetTicksPerMicro(1000);
    const uint32_t input = builder_.AddInput(std::make_shared<Details>());
    const auto add = [&](std::string_view name, std::string_view op,
                         const std::vector<std::string_view>& edges) {
      const profile::NodeId n =
          builder_.AddNode(name, op, profile::MakeRecordRef(input, 0));
      int32_t position = 0;
      for (const std::string_view source : edges) {
        builder_.AddEdge(builder_.mutable_graph().strings.Intern(source),
                         position++, 0, 0);
      }
      return n;
    };
    add("p", "parameter", {});
    add("dot.1", "dot", {"p", "p"});
    sum_ = add("add.1", "add", {"dot.1", "p"});
    fusion_ = add("fusion.1", "fusion", {"p", "add.1"});
    profile_ = std::move(builder_).Build();
  }

  profile::ProfileBuilder builder_;
  profile::NodeId sum_ = profile::kNone, fusion_ = profile::kNone;
  profile::Profile profile_;
};

TEST_F(FusedTableTest, TimesAddUpToThatOfTheFusion) {
  EXPECT_THAT(
      Rows(FusedTable(profile_, fusion_, 2'560'001, 0),
           {"name", "op", "estimated_micros", "float_ops", "bytes_accessed"}),
      ElementsAre("dot.1 dot 1792.001 1024 768", "add.1 add 768.000 0 768"));
  EXPECT_THAT(Rows(FusedTable(profile_, fusion_, 1'000, 0), {"share"}),
              ElementsAre("0.700", "0.300"));
}

TEST_F(FusedTableTest, ALimitKeepsTheLargest) {
  const tables::DataTable table = FusedTable(profile_, fusion_, 1'000, 1);
  EXPECT_THAT(Rows(table, {"name"}), ElementsAre("dot.1"));
  EXPECT_EQ(table.total_rows, 2u);
}

TEST_F(FusedTableTest, AFusionThatDidNotRunHasNoShares) {
  EXPECT_THAT(
      Rows(FusedTable(profile_, fusion_, 0, 0), {"estimated_micros", "share"}),
      ElementsAre("0.000 -", "0.000 -"));
}

TEST_F(FusedTableTest, OtherNodesHaveNoRows) {
  EXPECT_THAT(Rows(FusedTable(profile_, sum_, 1'000, 0), {"name"}), IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect
