#include "profiler/commands/help/flops_text.h"

#include "flops/formulas.h"
#include "flops/torch_cost.h"
#include "fmt/format.h"

namespace tfprof::commands {

std::string FormulasText() {
  std::string text =
      "  Of one run of an operation; in, out: elements of the first input and "
      "output;\n  filter[0:n]: the product of its first n dimensions; k: the "
      "dimension that a\n  matrix product sums over.\n";
  for (const flops::Formula& formula : flops::Formulas()) {
    text += fmt::format("    {}\n      {}\n", formula.ops, formula.text);
  }
  text +=
      "    PartitionedCall StatefulPartitionedCall, and ops named as a "
      "function\n      the function's body\n"
      "    If StatelessIf Case StatelessCase\n      the largest branch\n"
      "    While StatelessWhile\n      condition and body, once\n"
      "  In roofline, of PyTorch, from the shapes of each run:\n";
  for (const flops::TorchFormulaText& formula : flops::TorchFormulas()) {
    text += fmt::format("    {}\n      {}\n", formula.ops, formula.text);
  }
  text +=
      "  In roofline, of HLO, from the shapes of the program:\n"
      "    dot, and calls of products in libraries\n      2 x k x out\n"
      "    convolution\n      2 x filter / output features x out\n"
      "    fusion\n      what was fused\n";
  return text;
}

std::string DescribeFlops(flops::FlopsSource source,
                          const flops::FlopsColumn& column) {
  const flops::FlopsColumn::Counts& counts = column.counts;
  std::string text = "float_ops by node:";
  if (source == flops::FlopsSource::kAuto) {
    text += fmt::format(" {} from the op log,", counts.op_log);
  }
  text += fmt::format(" {} computed from the graph",
                      counts.graph + counts.run_time + counts.part_of_call);
  if (counts.run_time > 0) {
    text += fmt::format(" ({} with shapes seen at run time)", counts.run_time);
  }
  text += fmt::format(", {} without known shapes", counts.no_shapes);
  if (counts.not_supported > 0) {
    text += fmt::format(", {} with shapes or attributes of another kind",
                        counts.not_supported);
  }
  text += '\n';
  if (counts.part_of_call > 0) {
    text += fmt::format(
        "float_ops: calls counted in part, because something in their "
        "functions has no figure: {}\n",
        counts.part_of_call);
  }
  if (counts.saturated > 0) {
    text += fmt::format("float_ops: figures that do not fit, shown as {}: {}\n",
                        flops::kMaxFlops, counts.saturated);
  }
  if (counts.sum_is_too_large) {
    text += fmt::format(
        "float_ops: the sum over all nodes is more than {}: totals are wrong\n",
        flops::kMaxFlops);
  }
  return text;
}

}  // namespace tfprof::commands
