// StatColumns: the columns of several statistics, some with a share.
//
//   StatColumns numbers(profile, whole, "total_");
//   numbers.AddTimes();
//   numbers.Add(accounting::kRunCount);
//   numbers.Append(columns);             // the columns of a table
//   numbers.Append(stats_of_row, cells);  // the cells of a row
//
// Time on accelerators and on CPUs are two numbers: both run at the same time,
// so that their sum is no time that anybody waited. Where a table has both, a
// person sees two columns. Programs get the sum, too, by which rows are sorted.

#ifndef TFPROF_TABLES_STAT_COLUMNS_H_
#define TFPROF_TABLES_STAT_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "accounting/statistics.h"
#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::tables {

class StatColumns {
 public:
  // Shares are parts of `whole`. The names of the columns for programs begin
  // with `prefix`. The references must outlive the object.
  StatColumns(const profile::Profile& profile, const accounting::Stats& whole,
              std::string_view prefix = "");

  // Whether `whole` has time on accelerators and on CPUs.
  bool has_both_times() const { return both_; }

  // Whether a column has the statistic.
  bool Has(accounting::Stat stat) const;

  void Add(accounting::Stat stat, bool share = false);
  // Adds the time: two columns for people if there are both.
  void AddTimes(bool share = true);

  // The column of a fact. The sum of both times has no title: it is only for
  // programs.
  DataColumn FactColumn(accounting::Stat stat) const;

  void Append(std::vector<DataColumn>& columns) const;
  void Append(const accounting::Stats& stats,
              std::vector<DataCell>& cells) const;
  // The cells of a row that has no statistics.
  void AppendNothing(std::vector<DataCell>& cells) const {
    cells.resize(cells.size() + columns_.size());
  }

 private:
  struct Number {
    accounting::Stat stat;
    bool is_share;
  };

  const profile::Profile& profile_;
  const accounting::Stats& whole_;
  const std::string prefix_;
  const bool both_;
  std::vector<DataColumn> columns_;
  std::vector<Number> numbers_;  // of each column
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_STAT_COLUMNS_H_
