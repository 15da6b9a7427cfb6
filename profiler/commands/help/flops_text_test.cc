#include "profiler/commands/help/flops_text.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::commands {
namespace {

TEST(FlopsTextTest, CountsNodesBySourceAndNodesWithoutAFigure) {
  flops::FlopsColumn column;
  column.counts = {.op_log = 1,
                   .graph = 2,
                   .run_time = 3,
                   .part_of_call = 4,
                   .no_shapes = 5,
                   .not_supported = 6,
                   .saturated = 7,
                   .sum_is_too_large = true};
  EXPECT_EQ(
      DescribeFlops(flops::FlopsSource::kAuto, column),
      "float_ops by node: 1 from the op log, 9 computed from the graph (3 "
      "with shapes seen at run time), 5 without known shapes, 6 with "
      "shapes or attributes of another kind\n"
      "float_ops: calls counted in part, because something in their "
      "functions has no figure: 4\n"
      "float_ops: figures that do not fit, shown as "
      "9223372036854775807: 7\n"
      "float_ops: the sum over all nodes is more than "
      "9223372036854775807: totals are wrong\n");
}

TEST(FlopsTextTest, CountsOfZeroAreNotMentioned) {
  flops::FlopsColumn column;
  column.counts = {.graph = 6};
  EXPECT_EQ(DescribeFlops(flops::FlopsSource::kGraph, column),
            "float_ops by node: 6 computed from the graph, 0 without known "
            "shapes\n");
  // The op log is a source of `auto` only.
  EXPECT_EQ(DescribeFlops(flops::FlopsSource::kAuto, column),
            "float_ops by node: 0 from the op log, 6 computed from the graph, "
            "0 without known shapes\n");
}

TEST(FlopsTextTest, EveryLineIsComplete) {
  flops::FlopsColumn column;
  column.counts = {.part_of_call = 1};
  const std::string text = DescribeFlops(flops::FlopsSource::kGraph, column);
  EXPECT_TRUE(text.ends_with("has no figure: 1\n")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(FormulasTextTest, ListsOpsWithTheirFormulas) {
  const std::string text = FormulasText();
  EXPECT_NE(text.find("    MatMul\n      2 x k x out\n"), text.npos) << text;
  // Calls have the figures of what they run.
  EXPECT_NE(text.find("    While StatelessWhile\n      condition and body, "
                      "once\n"),
            text.npos);
  EXPECT_TRUE(text.ends_with('\n'));
}

}  // namespace
}  // namespace tfprof::commands
