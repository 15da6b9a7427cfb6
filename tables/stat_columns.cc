#include "tables/stat_columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tables/stat_column.h"
#include "tables/table_builder.h"
#include "util/text/unit.h"

namespace tfprof::tables {

StatColumns::StatColumns(const profile::Profile& profile,
                         const accounting::Stats& whole,
                         std::string_view prefix)
    : profile_(profile),
      whole_(whole),
      prefix_(prefix),
      both_(accounting::HasBothTimes(whole)) {}

bool StatColumns::Has(accounting::Stat stat) const {
  return std::ranges::find(numbers_, stat, &Number::stat) != numbers_.end();
}

void StatColumns::Add(accounting::Stat stat, bool share) {
  const bool data_only = both_ && stat == accounting::kMicros;
  DataColumn column = StatColumn(stat, prefix_);
  column.heat = !data_only && (share || column.unit == util::Unit::kMicros);
  column.data_only = data_only;
  std::string name = column.name + "_share";
  columns_.push_back(std::move(column));
  numbers_.push_back({stat, false});
  if (!share) return;
  columns_.push_back({.name = std::move(name),
                      .title = "share",
                      .unit = util::Unit::kShare,
                      .data_only = data_only});
  numbers_.push_back({stat, true});
}

void StatColumns::AddTimes(bool share) {
  Add(accounting::kMicros, share);
  if (!both_) return;
  Add(accounting::kAcceleratorMicros, share);
  Add(accounting::kCpuMicros, share);
}

DataColumn StatColumns::FactColumn(accounting::Stat stat) const {
  DataColumn column = StatColumn(stat, prefix_);
  if (both_ && stat == accounting::kMicros) column.title.clear();
  return column;
}

void StatColumns::Append(std::vector<DataColumn>& columns) const {
  columns.insert(columns.end(), columns_.begin(), columns_.end());
}

void StatColumns::Append(const accounting::Stats& stats,
                         std::vector<DataCell>& cells) const {
  for (const Number& number : numbers_) {
    const int64_t value = stats[number.stat];
    cells.push_back(number.is_share ? ShareCell(value, whole_[number.stat])
                                    : StatCell(profile_, number.stat, value));
  }
}

}  // namespace tfprof::tables
