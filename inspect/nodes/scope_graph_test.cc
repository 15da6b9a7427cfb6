#include "inspect/nodes/scope_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::inspect {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class ScopeGraphTest : public ::testing::Test {
 protected:
  using Row = std::vector<tables::DataCell>;

  std::vector<Row> Rows(const tables::DataTable& table) {
    std::vector<Row> rows;
    for (size_t i = 0; i < table.num_rows; ++i) {
      rows.emplace_back(table.columns.size());
      table.cells(i, rows.back());
    }
    return rows;
  }
  void Draw(const std::vector<std::string>& open) {
    auto drawing = ScopeGraph(views_, -1, open);
    ASSERT_TRUE(drawing.ok()) << drawing.status();
    boxes_ = Rows(drawing->parts[0].table);
    edges_ = Rows(drawing->parts[1].table);
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const Row& row : boxes_)
      names.push_back(std::get<std::string>(row[1]));
    return names;
  }
  std::string NameOf(const tables::DataCell& box) {
    for (const Row& row : boxes_) {
      if (row[0] == box) return std::get<std::string>(row[1]);
    }
    return "";
  }
  // "DW -> Conv2D: 1".
  std::vector<std::string> Edges() {
    std::vector<std::string> edges;
    for (const Row& row : edges_) {
      edges.push_back(NameOf(row[0]) + " -> " + NameOf(row[1]) + ": " +
                      std::to_string(std::get<int64_t>(row[2])));
    }
    return edges;
  }

  const profile::Profile profile_ = accounting::SmallModel();
  views::Views views_{profile_};
  std::vector<Row> boxes_, edges_;
};

TEST_F(ScopeGraphTest, ClosedScopesStandForTheirOperations) {
  Draw({});
  EXPECT_THAT(Names(),
              UnorderedElementsAre("Conv2D", "Conv2D_1", "DW", "DW2", "ScalarW",
                                   "_retval_Conv2D_1_0_0", "init", "zeros"));
  EXPECT_THAT(Edges(),
              UnorderedElementsAre("zeros -> Conv2D: 1", "DW -> Conv2D: 1",
                                   "Conv2D -> Conv2D_1: 1",
                                   "DW2 -> Conv2D_1: 1", "ScalarW -> init: 1",
                                   "DW -> init: 1", "DW2 -> init: 1"));
}

TEST_F(ScopeGraphTest, EachOperationIsInOneBox) {
  for (const std::vector<std::string>& open :
       std::vector<std::vector<std::string>>{
           {}, {"DW"}, {"DW", "DW/Initializer"}, {"none", "DW/Initializer"}}) {
    Draw(open);
    int64_t operations = 0;
    for (const Row& row : boxes_) operations += std::get<int64_t>(row[3]);
    EXPECT_EQ(operations, static_cast<int64_t>(profile_.nodes().size()));
  }
}

TEST_F(ScopeGraphTest, AnOpenScopeShowsWhatIsInIt) {
  Draw({"DW"});
  // DW is also an operation.
  EXPECT_THAT(Names(), Contains("DW"));
  EXPECT_THAT(Names(), Contains("DW/Initializer"));
  EXPECT_THAT(Names(), Contains("DW/read"));
  EXPECT_THAT(Edges(), Contains("DW -> DW/read: 1"));
  EXPECT_THAT(Edges(), Contains("DW/read -> Conv2D: 1"));
  EXPECT_THAT(Edges(), Contains("DW/Initializer -> DW/Assign: 1"));
  EXPECT_THAT(Edges(), Not(Contains("DW -> Conv2D: 1")));
}

TEST_F(ScopeGraphTest, WhatIsInAClosedScopeStaysClosed) {
  Draw({"DW/Initializer"});
  EXPECT_THAT(Names(), Not(Contains("DW/Initializer")));
}

TEST_F(ScopeGraphTest, StopsWhenItIsCancelled) {
  util::Cancellation cancellation;
  cancellation.Request();
  views::Views views(profile_, {.threads = 1, .cancellation = &cancellation});
  EXPECT_TRUE(absl::IsCancelled(ScopeGraph(views, -1, {}).status()));
}

TEST_F(ScopeGraphTest, AnEmptyProfileIsAnEmptyPicture) {
  const profile::Profile empty;
  views::Views views(empty);
  const auto drawing = ScopeGraph(views, -1, {});
  ASSERT_TRUE(drawing.ok());
  EXPECT_EQ(drawing->parts[0].table.num_rows, 0u);
}

}  // namespace
}  // namespace tfprof::inspect
