#include "tables/stat_column.h"

#include <string>

#include "fmt/format.h"

namespace tfprof {

DataColumn StatColumn(Stat stat, std::string_view prefix) {
  const Statistic& statistic = StatisticOf(stat);
  return {.name = fmt::format("{}{}", prefix, statistic.name),
          .title = std::string(statistic.title),
          .unit = statistic.unit};
}

DataCell StepCell(int64_t step) {
  if (step == kAllSteps) return TextCell("all");
  return step;
}

DataCell TimeCell(int64_t ticks, int64_t ticks_per_micro) {
  if (ticks_per_micro == 1) return ticks;
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_micro);
}

DataCell StatCell(const Profile& profile, Stat stat, int64_t value) {
  if (StatisticOf(stat).unit != Unit::kMicros) return value;
  return TimeCell(value, profile.ticks_per_micro());
}

}  // namespace tfprof
