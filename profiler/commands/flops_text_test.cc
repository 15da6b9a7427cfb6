#include "profiler/commands/flops_text.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(FlopsTextTest, CountsNodesBySourceAndNodesWithoutAFigure) {
  FlopsColumn column;
  column.counts = {.op_log = 1,
                   .graph = 2,
                   .run_time = 3,
                   .part_of_call = 4,
                   .no_shapes = 5,
                   .not_supported = 6,
                   .saturated = 7,
                   .sum_is_too_large = true};
  EXPECT_EQ(
      DescribeFlops(FlopsSource::kAuto, column),
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

}  // namespace
}  // namespace tfprof
