#include "views/op.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "views/views.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SmallModelOpTest : public ::testing::Test {
 protected:
  profile::Profile profile_ = accounting::SmallModel();
  Views views_{profile_};
};

TEST_F(SmallModelOpTest, ByParameters) {
  ViewOptions options = OrderBy(accounting::kParameters);
  options.max_depth = 5;
  options.min[accounting::kRunCount] = 1;
  const Report report = views_.Show(View::kOp, options);
  EXPECT_THAT(Rows(report),
              ElementsAre("VariableV2 13/4945", "Add 0/4932", "Assign 0/4932",
                          "Const 2/4932", "Conv2D 4889/4930", "Identity 0/41"));
  EXPECT_EQ(report.root_total[accounting::kMicros], 4945);
  EXPECT_EQ(report.rows[3].definitions, 10);
  EXPECT_EQ(report.rows[3].runs, 1);
  EXPECT_EQ(report.rows[4].definitions, 2);
  EXPECT_THAT(report.NodesOf(report.rows[4]), SizeIs(2));
}

TEST_F(SmallModelOpTest, DisplayedOnly) {
  ViewOptions options = OrderBy(accounting::kMicros);
  options.show_names = {"Conv2D", "Const"};
  options.account_displayed_only = true;
  const Report report = views_.Show(View::kOp, options);
  EXPECT_THAT(Rows(report), ElementsAre("Conv2D 4889/4891", "Const 2/2"));
  EXPECT_EQ(report.root_total[accounting::kMicros], 4891);
  options.show_names = {"nothing"};
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  EXPECT_EQ(views_.Show(View::kOp, options).root_total[accounting::kMicros], 0);
}

TEST_F(SmallModelOpTest, ThresholdsAreOfTailSums) {
  ViewOptions options;  // ordered by name
  options.min[accounting::kMicros] = 55;
  // Add has no time itself, but the rows from Add on have enough. The rows from
  // Identity on have 54 us.
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Add", "Assign", "Const", "Conv2D"));
}

TEST_F(SmallModelOpTest, DepthCountsHiddenRows) {
  ViewOptions options;
  options.max_depth = 2;
  options.hide_names = {"Assign"};
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Add", "Const"));
  options.max_depth = 0;
  EXPECT_THAT(Names(views_.Show(View::kOp, options)), ElementsAre("Add"));
  options.max_depth = -1;
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
}

TEST_F(SmallModelOpTest, StartAndTrim) {
  ViewOptions options;
  options.start_names = {"Con.*"};
  options.trim_names = {"Mul"};
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Const", "Conv2D", "Identity"));
  options.start_names = {"nothing"};
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  options.start_names = {};  // no start name: show all rows
  EXPECT_THAT(views_.Show(View::kOp, options).rows, SizeIs(5));
}

TEST_F(SmallModelOpTest, ANodeThatMatchesTwiceCountsTwice) {
  ViewOptions options;
  options.account_types = {"Conv2D", ".*gpu.*", "Const"};
  options.order = ViewOptions::Order::kStat;
  options.order_stat = accounting::kRunCount;
  const Report report = views_.Show(View::kOp, options);
  // Conv2D and zeros match two patterns, the other constants one.
  EXPECT_THAT(Rows(report), ElementsAre("Const 4/9795", "Conv2D 9778/9791",
                                        "VariableV2 13/13"));
  EXPECT_EQ(report.rows[1].runs, 2);  // counts each node once
  EXPECT_EQ(report.rows[1].definitions, 2);
}

TEST_F(SmallModelOpTest, OccurrenceIsTheNumberOfNodes) {
  ViewOptions options = OrderBy(accounting::kRunCount);
  options.max_depth = 1;
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Const", "Add"));
  options = ViewOptions();
  options.min[accounting::kRunCount] = 3;
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Add", "Assign", "Const", "Identity", "Mul",
                          "RandomStandardNormal", "VariableV2"));
}

// ---- Only the parts

class OpRowsTest : public ::testing::Test {
 protected:
  // Makes nodes from (name, op).
  void Make(std::initializer_list<std::pair<std::string_view, std::string_view>>
                nodes) {
    profile::ProfileBuilder builder;
    for (const auto& [name, op] : nodes)
      builder.AddNode(name, op, profile::kNoRecord);
    profile_ = std::move(builder).Build();
    context_.emplace(profile_);
    rows_ = BuildOpRows(*context_);
  }
  std::vector<std::string_view> NodesOf(uint32_t row) const {
    std::vector<std::string_view> names;
    for (const profile::NodeId n : rows_.nodes_of(row)) {
      names.push_back(profile_.node_name(n));
    }
    return names;
  }
  std::vector<bool> Accounted(const RegexPatterns& types) {
    const auto snapshots =
        AccountOps(rows_, *context_, -1, flops::FlopsSource::kOpLog, types);
    std::vector<bool> accounted;
    for (const Snapshot& s : *snapshots) accounted.push_back(s.accounted);
    return accounted;
  }

  profile::Profile profile_;
  std::optional<ViewContext> context_;
  OpRows rows_;
};

TEST_F(OpRowsTest, ARowForEachOpWithItsNodesByName) {
  Make({{"z", "Mul"}, {"b", "Add"}, {"a", "Mul"}, {"", ""}});
  EXPECT_THAT(rows_.names, ElementsAre("", "Add", "Mul"));
  EXPECT_THAT(NodesOf(0), ElementsAre(""));
  EXPECT_THAT(NodesOf(1), ElementsAre("b"));
  EXPECT_THAT(NodesOf(2), ElementsAre("a", "z"));
}

TEST_F(OpRowsTest, AnEmptyProfileHasNoRows) {
  Make({});
  EXPECT_THAT(rows_.names, IsEmpty());
  EXPECT_THAT(Accounted({".*"}), IsEmpty());
  EXPECT_THAT(DisplayOps(rows_, {}, {}).rows, IsEmpty());
}

TEST_F(OpRowsTest, RowsWithNodesThatMatchAreAccounted) {
  Make({{"a", "Add"}, {"m", "Mul"}});
  EXPECT_THAT(Accounted({"M.*"}), ElementsAre(false, true));
  EXPECT_THAT(Accounted({".*"}), ElementsAre(true, true));
  EXPECT_THAT(Accounted({}), ElementsAre(false, false));
}

// Rows "a", "b", "c", "d" with these microseconds, and a flag for each in
// `accounted`.
struct HandMadeOps {
  explicit HandMadeOps(std::vector<int64_t> micros,
                       std::vector<bool> accounted = {}) {
    for (size_t i = 0; i < micros.size(); ++i) {
      rows.names.push_back(std::string_view("abcd").substr(i, 1));
      Snapshot& snapshot = snapshots.emplace_back();
      snapshot.accounted = accounted.empty() || accounted[i];
      snapshot.sums[accounting::kMicros] = micros[i];
      snapshot.num_nodes = static_cast<int64_t>(i + 1);
    }
  }
  // Returns "name total" for each shown row.
  std::vector<std::string> Show(const ViewOptions& options) const {
    std::vector<std::string> lines;
    for (const ShownOp& op : DisplayOps(rows, snapshots, options).rows) {
      lines.push_back(fmt::format("{} {}", rows.names[op.row],
                                  op.total[accounting::kMicros]));
    }
    return lines;
  }

  OpRows rows;
  std::vector<Snapshot> snapshots;
};

TEST(DisplayOpsTest, TotalsAreSumsOfTheTail) {
  const HandMadeOps ops({1, 2, 4, 8});
  EXPECT_THAT(ops.Show({}), ElementsAre("a 15", "b 14", "c 12", "d 8"));
  EXPECT_THAT(ops.Show(OrderBy(accounting::kMicros)),
              ElementsAre("d 15", "c 7", "b 3", "a 1"));
}

TEST(DisplayOpsTest, EqualRowsStayInTheOrderOfTheirNames) {
  EXPECT_THAT(HandMadeOps({1, 5, 1, 5}).Show(OrderBy(accounting::kMicros)),
              ElementsAre("b 12", "d 7", "a 2", "c 1"));
}

TEST(DisplayOpsTest, RowsThatAreNotAccountedAddNothing) {
  const HandMadeOps ops({1, 2, 4, 8}, {true, false, true, false});
  EXPECT_THAT(ops.Show({}), ElementsAre("a 5", "c 4"));
  EXPECT_EQ(
      DisplayOps(ops.rows, ops.snapshots, {}).root_total[accounting::kMicros],
      5);
}

TEST(DisplayOpsTest, TheTotalOfTheRootIsThatOfAllAccountedRows) {
  const HandMadeOps ops({1, 2, 4, 8});
  ViewOptions options;
  options.start_names = {"c"};
  options.hide_names = {"d"};
  EXPECT_THAT(ops.Show(options), ElementsAre("c 12"));
  EXPECT_EQ(DisplayOps(ops.rows, ops.snapshots, options)
                .root_total[accounting::kMicros],
            15);
  // With account_displayed_only, only shown rows count.
  options.account_displayed_only = true;
  EXPECT_THAT(ops.Show(options), ElementsAre("c 4"));
  EXPECT_EQ(DisplayOps(ops.rows, ops.snapshots, options)
                .root_total[accounting::kMicros],
            4);
}

TEST(DisplayOpsTest, TrimEndsTheList) {
  ViewOptions options;
  options.trim_names = {"c"};
  EXPECT_THAT(HandMadeOps({1, 2, 4, 8}).Show(options),
              ElementsAre("a 15", "b 14"));
  options.trim_names = {"a"};
  EXPECT_THAT(HandMadeOps({1, 2, 4, 8}).Show(options), IsEmpty());
}

TEST(DisplayOpsTest, AnOpWithTheNameOfTheRootIsAlwaysShown) {
  HandMadeOps ops({1, 2});
  ops.rows.names[1] = kRootName;
  ViewOptions options;
  options.min[accounting::kMicros] = 100;
  options.hide_names = {".*"};
  EXPECT_THAT(ops.Show(options), ElementsAre("_TFProfRoot 2"));
}

}  // namespace
}  // namespace tfprof::views
