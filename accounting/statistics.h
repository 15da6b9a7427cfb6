// The table of statistics: the numbers of a node, or of a row of a view.
//
// The row of a statistic has everything that the program knows about it: its
// name, unit, title and meaning, how it adds up, and its name in the reference
// (TensorFlow's tfprof). Options, help, reports, JSON, `show`, differences,
// rules of `check` and pprof files use this table. There is no other list of
// statistics.
//
// A statistic has two names. `name` is for programs: columns of JSON and CSV,
// fields of rules. `word` is the reference's name, for -select, -order_by and
// pprof files. FindStatistic() accepts both, and the title that people see in
// reports.
//
// Times are microseconds, memory is bytes. Everything here is constant.

#ifndef TFPROF_ACCOUNTING_STATISTICS_H_
#define TFPROF_ACCOUNTING_STATISTICS_H_

#include <array>
#include <cstddef>
#include <string_view>

#include "util/text/unit.h"

namespace tfprof::accounting {

// Times come first, then memory, then counts. Pprof samples and differences
// have this order.
enum Stat {
  kMicros,  // accelerator + cpu
  kAcceleratorMicros,
  kCpuMicros,
  kRequestedBytes,
  kPeakBytes,
  kResidualBytes,
  kOutputBytes,
  kParameters,
  kFloatOps,
  kRunCount,
  kNumStats,
};

// How the number of a node is computed. The number of a row in a view is always
// the sum over its nodes.
enum class Summing {
  // In a step, the sum over the executions of the step. In the average, the sum
  // over all steps divided by the number of steps in which the node ran.
  kExecutions,
  // The same for peak values. The sum is an upper bound, because executions
  // need not reach their peaks at the same time.
  kPeaks,
  // A property of the node, whether it runs or not.
  kNode,
  // A property of the node times its executions.
  kNodeTimesRuns,
};

// True if the number comes from the executions of a step, so a node that does
// not run has none.
constexpr bool IsOfExecutions(Summing summing) {
  return summing == Summing::kExecutions || summing == Summing::kPeaks;
}

// Returns a sentence that explains the sum to users.
std::string_view SummingText(Summing summing);

struct Statistic {
  Stat stat;
  std::string_view name;
  std::string_view title;  // for people: short, without the unit
  util::Unit unit;
  Summing summing;
  std::string_view help;  // a sentence

  // ---- Texts of the reference
  std::string_view word;
  int select_place;  // position among the words of -select in completion
  // The option that hides rows with smaller values.
  std::string_view min_option;
  std::string_view min_help;
  // The text in the legend of a report ("" if the view has its own text), and
  // in the explanation above a report.
  std::string_view report_title;
  std::string_view report_doc;
  std::string_view pprof_comment;
  bool in_reference_pprof;  // the reference can select it for a pprof file
};

inline constexpr std::array<Statistic, kNumStats> kStatistics = {{
    {
        .stat = kMicros,
        .name = "micros",
        .title = "time",
        .unit = util::Unit::kMicros,
        .summing = Summing::kExecutions,
        .help = "Time of the operation: accelerator_micros and cpu_micros.",
        .word = "micros",
        .select_place = 1,
        .min_option = "min_micros",
        .min_help = "Hide rows that took fewer microseconds in total.",
        .report_title = "total execution time",
        .report_doc =
            "total execution time: Sum of accelerator execution time and cpu "
            "execution time.",
        .pprof_comment =
            "Sum of accelerator execution time and cpu execution time.",
        .in_reference_pprof = true,
    },
    {
        .stat = kAcceleratorMicros,
        .name = "accelerator_micros",
        .title = "accelerator",
        .unit = util::Unit::kMicros,
        .summing = Summing::kExecutions,
        .help = "Time on an accelerator (GPU, TPU).",
        .word = "accelerator_micros",
        .select_place = 9,
        .min_option = "min_accelerator_micros",
        .min_help =
            "Hide rows with fewer microseconds on accelerators in total.",
        .report_title = "accelerator execution time",
        .report_doc =
            "accelerator execution time: Time spent executing on the "
            "accelerator. This is normally measured by the actual hardware "
            "library.",
        .pprof_comment = "Accelerator execution time.",
        .in_reference_pprof = true,
    },
    {
        .stat = kCpuMicros,
        .name = "cpu_micros",
        .title = "cpu",
        .unit = util::Unit::kMicros,
        .summing = Summing::kExecutions,
        .help = "Time on a CPU; for an operation on an accelerator, the time "
                "to launch it.",
        .word = "cpu_micros",
        .select_place = 10,
        .min_option = "min_cpu_micros",
        .min_help = "Hide rows with fewer CPU microseconds in total.",
        .report_title = "cpu execution time",
        .report_doc =
            "cpu execution time: The time from the start to the end of the "
            "operation. It's the sum of actual cpu run time plus the time that "
            "it spends waiting if part of computation is launched "
            "asynchronously.",
        .pprof_comment = "CPU execution time.",
        .in_reference_pprof = true,
    },
    {
        .stat = kRequestedBytes,
        .name = "requested_bytes",
        .title = "requested",
        .unit = util::Unit::kBytes,
        .summing = Summing::kExecutions,
        .help = "Memory that the operation requested while it ran.",
        .word = "bytes",
        .select_place = 0,
        .min_option = "min_bytes",
        .min_help = "Hide rows that requested fewer bytes in total.",
        .report_title = "requested bytes",
        .report_doc = "requested bytes: The memory requested by the operation, "
                      "accumulatively.",
        .pprof_comment = "Sum of operation total memory requests, excluding "
                         "deallocations.",
        .in_reference_pprof = true,
    },
    {
        .stat = kPeakBytes,
        .name = "peak_bytes",
        .title = "peak sum",
        .unit = util::Unit::kBytes,
        .summing = Summing::kPeaks,
        .help = "The most memory that the operation held at one time.",
        .word = "peak_bytes",
        .select_place = 11,
        .min_option = "min_peak_bytes",
        .min_help = "Hide rows with fewer peak bytes in total.",
        .report_title = "peak bytes",
        .report_doc = "peak bytes: The peak amount of memory that the "
                      "operation is holding at some point.",
        .pprof_comment = "Sum of operation peak memory usage.",
        .in_reference_pprof = true,
    },
    {
        .stat = kResidualBytes,
        .name = "residual_bytes",
        .title = "residual",
        .unit = util::Unit::kBytes,
        .summing = Summing::kExecutions,
        .help = "Memory that was still allocated when the operation was done.",
        .word = "residual_bytes",
        .select_place = 12,
        .min_option = "min_residual_bytes",
        .min_help = "Hide rows that left fewer bytes allocated in total.",
        .report_title = "residual bytes",
        .report_doc = "residual bytes: The memory not de-allocated after the "
                      "operation finishes.",
        .pprof_comment = "Sum of operation allocated memory after finish.",
        .in_reference_pprof = true,
    },
    {
        .stat = kOutputBytes,
        .name = "output_bytes",
        .title = "output",
        .unit = util::Unit::kBytes,
        .summing = Summing::kExecutions,
        .help = "Memory of the outputs of the operation.",
        .word = "output_bytes",
        .select_place = 13,
        .min_option = "min_output_bytes",
        .min_help = "Hide rows that output fewer bytes in total.",
        .report_title = "output bytes",
        .report_doc = "output bytes: The memory that is output from the "
                      "operation (not necessarily allocated by the operation)",
        .pprof_comment = "Sum of operation output size.",
        .in_reference_pprof = true,
    },
    {
        .stat = kParameters,
        .name = "parameters",
        .title = "parameters",
        .unit = util::Unit::kCount,
        .summing = Summing::kNode,
        .help = "Parameters (weights) of a variable.",
        .word = "params",
        .select_place = 2,
        .min_option = "min_params",
        .min_help = "Hide rows with fewer parameters: of the node itself in "
                    "scope and graph, in total in op and code.",
        .report_title = "# parameters",
        .report_doc = "param: Number of parameters (in the Variable).",
        .pprof_comment = "Model parameters.",
        .in_reference_pprof = true,
    },
    {
        .stat = kFloatOps,
        .name = "float_ops",
        .title = "float ops",
        .unit = util::Unit::kCount,
        .summing = Summing::kNodeTimesRuns,
        .help = "Floating point operations, from the source that -flops "
                "selects.",
        .word = "float_ops",
        .select_place = 3,
        .min_option = "min_float_ops",
        .min_help = "Hide rows with fewer float operations: of the node itself "
                    "in scope and graph, in total in op and code.",
        .report_title = "# float_ops",
        .report_doc = "flops: Number of float operations. Note: Please read "
                      "the implementation for the math behind it.",
        .pprof_comment = "Model float operations (Only available if defined).",
        .in_reference_pprof = true,
    },
    {
        .stat = kRunCount,
        .name = "runs",
        .title = "runs",
        .unit = util::Unit::kCount,
        .summing = Summing::kExecutions,
        .help = "How often operations ran; reports also show the number of "
                "nodes.",
        .word = "occurrence",
        .select_place = 7,
        .min_option = "min_occurrence",
        .min_help = "Hide rows that ran less often (scope, graph) or have "
                    "fewer nodes (op).",
        .report_title = "",
        .report_doc = "occurrence: The number of times it occurs",
        .pprof_comment = "How often operations ran.",
        .in_reference_pprof = false,
    },
}};

constexpr const Statistic& StatisticOf(Stat stat) { return kStatistics[stat]; }

// Memory, times, counts: the order of options and reports in the reference.
inline constexpr std::array<Stat, kNumStats> kReferenceOrder = [] {
  std::array<Stat, kNumStats> order = {};
  size_t size = 0;
  for (const util::Unit unit :
       {util::Unit::kBytes, util::Unit::kMicros, util::Unit::kCount}) {
    for (const Statistic& s : kStatistics) {
      if (s.unit == unit) order[size++] = s.stat;
    }
  }
  return order;
}();

// Finds a statistic by name, by the reference's word or by title. Returns
// nullptr if there is none.
const Statistic* FindStatistic(std::string_view name);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_STATISTICS_H_
