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

}  // namespace tfprof
