#include "profiler/tui/row_marks.h"

#include "gtest/gtest.h"
#include "profiler/tui/tui_testing.h"

namespace tfprof::tui {
namespace {

class RowMarksTest : public testing::Test {
 protected:
  RowMarksTest() : rows_(*MakeRows(views::View::kScope, {}, workspace_)) {}

  // The row of this whole name.
  uint32_t Row(std::string_view name) const {
    for (uint32_t row = 1; row < rows_->size(); ++row) {
      if (rows_->Name(row) == name) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return kTopRow;
  }

  commands::Workspace workspace_ = TreeWorkspace();
  const std::unique_ptr<TreeRows> rows_;
  RowMarks marks_;
};

TEST_F(RowMarksTest, KnowsTheRowsAboveAndBelow) {
  ASSERT_TRUE(marks_.Find(*rows_, "B", {}, nullptr));
  EXPECT_EQ(marks_.count(), 1u);
  EXPECT_TRUE(marks_.Matches(Row("a/b")));
  EXPECT_TRUE(marks_.MatchesBelow(Row("a")));
  EXPECT_FALSE(marks_.Matches(Row("a")));
  EXPECT_FALSE(marks_.Matches(Row("a/b/slow")));
  EXPECT_TRUE(marks_.Shows(Row("a/b/slow")));
  EXPECT_FALSE(marks_.Shows(Row("a/c")));
}

TEST_F(RowMarksTest, WithoutATextNothingIsMarkedAndAllIsShown) {
  ASSERT_TRUE(marks_.Find(*rows_, "", {}, nullptr));
  EXPECT_FALSE(marks_.active());
  EXPECT_FALSE(marks_.Matches(Row("a")));
  EXPECT_TRUE(marks_.Shows(Row("a")));
}

TEST_F(RowMarksTest, TheNameOfTheWholeIsNoMatch) {
  ASSERT_TRUE(marks_.Find(*rows_, "TFProfRoot", {}, nullptr));
  EXPECT_EQ(marks_.count(), 0u);
}

TEST_F(RowMarksTest, RowsThatAreNotShownDoNotCount) {
  RowMarks filter;
  ASSERT_TRUE(filter.Find(*rows_, "slow", {}, nullptr));
  ASSERT_TRUE(marks_.Find(*rows_, "s", filter, nullptr));
  EXPECT_EQ(marks_.count(), 1u);
}

TEST_F(RowMarksTest, CancelledItMarksNothing) {
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_FALSE(marks_.Find(*rows_, "slow", {}, &cancellation));
  EXPECT_FALSE(marks_.active());
}

}  // namespace
}  // namespace tfprof::tui
