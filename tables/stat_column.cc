#include "tables/stat_column.h"

#include <string>

#include "fmt/format.h"

namespace tfprof::tables {

DataColumn StatColumn(accounting::Stat stat, std::string_view prefix) {
  const accounting::Statistic& statistic = accounting::StatisticOf(stat);
  return {.name = fmt::format("{}{}", prefix, statistic.name),
          .title = std::string(statistic.title),
          .unit = statistic.unit};
}

DataCell StepCell(int64_t step) {
  if (step == accounting::kAllSteps) return TextCell("all");
  return step;
}

DataCell TimeCell(int64_t ticks, int64_t ticks_per_micro) {
  if (ticks_per_micro == 1) return ticks;
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_micro);
}

DataCell StatCell(const profile::Profile& profile, accounting::Stat stat,
                  int64_t value) {
  if (accounting::StatisticOf(stat).unit != util::Unit::kMicros) return value;
  return TimeCell(value, profile.ticks_per_micro());
}

}  // namespace tfprof::tables
