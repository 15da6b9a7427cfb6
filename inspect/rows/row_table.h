// Helpers for the tables of rows.h: columns of integers, and a table whose rows
// are kept as plain values.

#ifndef TFPROF_INSPECT_ROWS_ROW_TABLE_H_
#define TFPROF_INSPECT_ROWS_ROW_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "timeline/activity.h"
#include "views/views.h"

namespace tfprof::inspect {

inline tables::DataColumn NumberColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kNumber};
}
inline tables::DataColumn CountColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kCount};
}
inline tables::DataColumn BytesColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kBytes};
}
inline tables::DataColumn WordColumn(const std::string& name) {
  return {.name = name, .title = name};
}

// The cells of one row, added from left to right. They take the place of those
// of the row before, so that its texts give their memory to the new ones.
class RowCells {
 public:
  explicit RowCells(std::vector<tables::DataCell>& cells) : cells_(cells) {}
  RowCells(const RowCells&) = delete;
  RowCells& operator=(const RowCells&) = delete;
  ~RowCells() { cells_.resize(size_); }

  // A value that is not known.
  RowCells& Nothing() {
    Next() = std::monostate();
    return *this;
  }
  // A number, if it is known.
  RowCells& Number(int64_t value, bool known = true) {
    if (!known) return Nothing();
    Next() = value;
    return *this;
  }
  // A number that is unknown if it is negative.
  RowCells& Known(int64_t value) { return Number(value, value >= 0); }
  RowCells& Text(std::string_view text) {
    tables::DataCell& cell = Next();
    if (auto* const before = std::get_if<std::string>(&cell)) {
      before->assign(text);
    } else {
      cell = std::string(text);
    }
    return *this;
  }
  // A text, if there is one.
  RowCells& Word(std::string_view text) {
    return text.empty() ? Nothing() : Text(text);
  }

 private:
  tables::DataCell& Next() {
    if (size_ == cells_.size()) cells_.emplace_back();
    return cells_[size_++];
  }

  std::vector<tables::DataCell>& cells_;
  size_t size_ = 0;
};

// A table with a row for each of `rows`; `fill(row, cells)` adds its cells.
template <typename Row, typename Fill>
tables::DataTable TableOf(std::string kind,
                          std::vector<tables::DataColumn> columns,
                          std::vector<Row> rows, Fill fill) {
  tables::DataTable table;
  table.kind = std::move(kind);
  table.columns = std::move(columns);
  table.num_rows = table.total_rows = rows.size();
  table.cells = [kept =
                     std::make_shared<const std::vector<Row>>(std::move(rows)),
                 fill = std::move(fill)](size_t row,
                                         std::vector<tables::DataCell>& cells) {
    fill((*kept)[row], RowCells(cells));
  };
  return table;
}

// The listed steps, or only the one of the options.
std::vector<const profile::Step*> WantedSteps(const profile::Profile& profile,
                                              int64_t step);

// What several tables need of the activity of the wanted steps. Finding the
// activity costs more than the tables, so they share one look at it.
struct StepWork {
  struct Device {
    uint32_t unit = 0;  // of timeline::Activities
    int64_t executions = 0;
  };
  struct Collective {
    int64_t step = 0;
    uint32_t unit = 0;
    timeline::DeviceRun run;  // communication
    // Not a run, but a call in the dump of a flight recorder.
    const profile::CollectiveRecords::Call* recorded = nullptr;
  };
  struct Of {
    const profile::Step* step = nullptr;
    std::vector<Device> devices;

    // Returns nullptr if the device had no work.
    const Device* Find(uint32_t unit) const;
  };
  std::vector<Of> steps;
  std::vector<Collective> collectives;  // of all steps, by step and unit
};
StepWork WorkOf(views::Views& views, int64_t step);

// Each makes one table of rows.h.
tables::DataTable OpRowsTable(views::Views& views,
                              const views::ViewOptions& options,
                              const StepWork& work);
tables::DataTable ScopeRowsTable(views::Views& views,
                                 const views::ViewOptions& options,
                                 int32_t depth);
tables::DataTable CodeRowsTable(views::Views& views,
                                const views::ViewOptions& options,
                                int32_t depth);
tables::DataTable CollectiveRowsTable(views::Views& views, int64_t step,
                                      StepWork work);
tables::DataTable PhaseRowsTable(views::Views& views, int64_t step);
tables::DataTable MemoryRowsTable(views::Views& views, int64_t step);
// What the rows of executions leave out.
struct ExecutionSums {
  // Executions whose own times are not known, and what they are together.
  int64_t without_self = 0;
  int64_t nanos_without_self = 0;
  // Steps whose executions were dropped to save memory.
  int64_t aggregated_steps = 0;
};
tables::DataTable ExecutionRowsTable(views::Views& views, int64_t step,
                                     ExecutionSums& sums);
tables::DataTable LinkRowsTable(views::Views& views, int64_t step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_ROWS_ROW_TABLE_H_
