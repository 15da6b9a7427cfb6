#include "accounting/statistics.h"

namespace tfprof::accounting {

std::string_view SummingText(Summing summing) {
  switch (summing) {
    case Summing::kExecutions:
      return "The sum over the runs in a step; over several steps, their "
             "average.";
    case Summing::kPeaks:
      return "The sum of the peaks of the runs in a step, which is at least "
             "their combined peak; over several steps, the average.";
    case Summing::kNode:
      return "A property of the node, the same in every step.";
    case Summing::kNodeTimesRuns:
      return "A property of the node times its runs in a step.";
  }
  return "";
}

const Statistic* FindStatistic(std::string_view name) {
  for (const Statistic& statistic : kStatistics) {
    if (statistic.name == name || statistic.word == name) return &statistic;
  }
  // Titles are the names that people see in reports.
  for (const Statistic& statistic : kStatistics) {
    if (statistic.title == name) return &statistic;
  }
  return nullptr;
}

}  // namespace tfprof::accounting
