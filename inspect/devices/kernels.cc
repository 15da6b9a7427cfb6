#include "inspect/devices/kernels.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "fmt/format.h"
#include "inspect/devices/device_words.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "profile/tables/string_pool.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"
#include "util/text/ascii.h"

namespace tfprof::inspect {
namespace {

struct Sums {
  profile::StringId name = profile::kNone;
  std::string_view kind;
  int64_t count = 0;
  int64_t time = 0;
  int64_t min = 0;
  int64_t max = 0;
  int64_t bytes = 0;
  int64_t time_of_bytes = 0;  // for copies with known bytes
  bool has_bytes = false;
  absl::flat_hash_map<profile::StringId, int64_t> ops;  // times
};

// Stands for an op that is the kernel itself.
constexpr std::string_view kNoLaunch = "(launch not in the file)";

bool StartsWithMemset(std::string_view name) {
  constexpr std::string_view kSet = "memset";
  return name.size() >= kSet.size() &&
         util::LowerCase(name.substr(0, kSet.size())) == kSet;
}

class Collector {
 public:
  explicit Collector(const timeline::Activities& activities)
      : activities_(activities), strings_(activities.profile().strings()) {}

  // `names` are those of the device's runs.
  void Add(const timeline::DeviceActivity& device,
           const timeline::RunNames& names) {
    constexpr size_t kRunsBetweenLooks = 4096;
    if (names.of_run.size() < device.runs.size()) return;  // cancelled
    row_of_kernel_.assign(names.names.size(), kUnknown);
    row_of_communication_ = row_of_kernel_;
    for (size_t r = 0; r < device.runs.size(); ++r) {
      if (r % kRunsBetweenLooks == 0 && activities_.work().cancelled()) return;
      Add(device.runs[r], names.of_run[r], names.names[names.of_run[r]].name);
    }
  }

  // The longest first. Belongs to this object.
  const std::vector<Sums>& Sorted() {
    std::sort(rows_.begin(), rows_.end(), [&](const Sums& a, const Sums& b) {
      if (a.time != b.time) return a.time > b.time;
      const int names = names_.Get(a.name).compare(names_.Get(b.name));
      return names != 0 ? names < 0 : a.kind < b.kind;
    });
    return rows_;
  }

  std::string_view name(const Sums& row) const { return names_.Get(row.name); }

  // "aten::mm, aten::addmm and 3 more".
  std::string OpsText(const Sums& row) const {
    constexpr size_t kShown = 3;
    std::vector<std::pair<profile::StringId, int64_t>> ops(row.ops.begin(),
                                                           row.ops.end());
    const size_t shown = std::min(kShown, ops.size());
    std::partial_sort(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(shown),
                      ops.end(), [&](const auto& a, const auto& b) {
                        return a.second != b.second ? a.second > b.second
                                                    : strings_.Get(a.first) <
                                                          strings_.Get(b.first);
                      });
    std::string text;
    for (size_t i = 0; i < shown; ++i) {
      if (i > 0) text += ", ";
      const std::string_view op = strings_.Get(ops[i].first);
      text += op == name(row) ? kNoLaunch : op;
    }
    if (ops.size() > shown) {
      text += fmt::format(" and {} more", ops.size() - shown);
    }
    return text;
  }

 private:
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  // The place of a run that is no copy.
  size_t PlaceOf(const timeline::DeviceRun& run, uint32_t number,
                 std::string_view name) {
    const bool communicates = run.kind == timeline::RunKind::kCommunication;
    size_t& known =
        communicates ? row_of_communication_[number] : row_of_kernel_[number];
    if (known == kUnknown) {
      known = RowOf(name, communicates ? "communication" : "kernel");
    }
    return known;
  }

  void Add(const timeline::DeviceRun& run, uint32_t number,
           std::string_view name) {
    profile::Transfer transfer;
    size_t place = kUnknown;
    if (run.kind == timeline::RunKind::kCopy) {
      transfer = activities_.TransferOf(run);
      place = RowOf(name, StartsWithMemset(name) ? "set"
                          : transfer.kind == profile::CopyKind::kUnknown
                              ? "copy"
                              : profile::CopyKindName(transfer.kind));
    } else {
      place = PlaceOf(run, number, name);
    }
    Sums& row = rows_[place];
    const int64_t time = run.length();
    row.min = row.count == 0 ? time : std::min(row.min, time);
    row.max = std::max(row.max, time);
    ++row.count;
    row.time = util::WrapAdd(row.time, time);
    if (transfer.bytes >= 0) {
      row.has_bytes = true;
      row.bytes = util::SaturatingAdd(row.bytes, transfer.bytes);
      row.time_of_bytes = util::WrapAdd(row.time_of_bytes, time);
    }
    if (run.node != profile::kNone) {
      int64_t& of_op = row.ops[activities_.profile().nodes().op[run.node]];
      of_op = util::WrapAdd(of_op, time);
    }
  }

  size_t RowOf(std::string_view text, std::string_view kind) {
    const profile::StringId name = names_.Intern(text);
    const auto [it, is_new] =
        ids_.try_emplace({name, kind.data()}, rows_.size());
    if (is_new) {
      Sums& row = rows_.emplace_back();
      row.name = name;
      row.kind = kind;
    }
    return it->second;
  }

  const timeline::Activities& activities_;
  const profile::StringPool& strings_;
  profile::StringPool names_;
  std::vector<Sums> rows_;
  // The rows of the names of the current device; kUnknown: not looked up.
  std::vector<size_t> row_of_kernel_, row_of_communication_;
  // Kinds are constants, so their addresses identify them.
  absl::flat_hash_map<std::pair<profile::StringId, const char*>, size_t> ids_;
};

bool IsCalled(const timeline::LaneUnit& unit, std::string_view device) {
  return device.empty() || unit.label == device ||
         IsDeviceMeant(unit.name, device);
}

}  // namespace

absl::StatusOr<tables::DataTable> KernelsTable(views::Views& views,
                                               int64_t step,
                                               std::string_view device,
                                               size_t max_rows) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const int64_t ticks = views.profile().ticks_per_micro();
  const profile::Step* one =
      step < 0 ? nullptr : views.profile().FindStep(step);
  const std::shared_ptr<const timeline::StepActivity> activity =
      one == nullptr ? activities.Everything() : activities.Of(*one);
  Collector collector(activities);
  std::string names;
  bool found = device.empty();
  for (const timeline::LaneUnit& unit : activities.units()) {
    if (!unit.accelerator) continue;
    found |= IsCalled(unit, device);
    names += names.empty() ? "" : ", ";
    names += unit.name;
  }
  if (!found) {
    return absl::InvalidArgumentError(
        fmt::format("no accelerator '{}' in this profile; there {}", device,
                    names.empty() ? "are none" : fmt::format("is: {}", names)));
  }
  const auto names_of_runs =
      one == nullptr ? activities.NamesOfRuns() : nullptr;
  for (size_t d = 0; d < activity->devices.size(); ++d) {
    const timeline::DeviceActivity& accelerator = activity->devices[d];
    if (accelerator.accelerator &&
        IsCalled(activities.units()[accelerator.unit], device)) {
      collector.Add(accelerator, names_of_runs != nullptr
                                     ? (*names_of_runs)[d]
                                     : activities.NamesOf(accelerator.runs));
    }
  }
  const std::vector<Sums>& rows = collector.Sorted();
  int64_t all = 0, count = 0;
  bool has_bytes = false;
  for (const Sums& row : rows) {
    all = util::WrapAdd(all, row.time);
    count += row.count;
    has_bytes |= row.has_bytes;
  }

  std::vector<tables::DataColumn> columns = {
      {"sum_micros", "sum", util::Unit::kMicros, /*heat=*/true},
      {"share", "share", util::Unit::kShare},
      {"count", "count", util::Unit::kCount},
      {.name = "mean_micros",
       .title = "mean",
       .unit = util::Unit::kMicros,
       .rank = 1},
      {.name = "min_micros",
       .title = "min",
       .unit = util::Unit::kMicros,
       .rank = 3},
      {.name = "max_micros",
       .title = "max",
       .unit = util::Unit::kMicros,
       .rank = 3}};
  if (has_bytes) {
    columns.push_back({.name = "bytes",
                       .title = "bytes",
                       .unit = util::Unit::kBytes,
                       .rank = 2});
    columns.push_back({.name = "bytes_per_second",
                       .title = "per second",
                       .unit = util::Unit::kBytes,
                       .rank = 2});
  }
  columns.push_back({.name = "kind", .title = "kind", .rank = 3});
  columns.push_back({.name = "ops", .title = "ops", .rank = 2});
  columns.push_back({"name", "name", util::Unit::kText});
  tables::TableBuilder table("kernels", std::move(columns));
  AddStepFacts("of", step < 0 ? accounting::kAllSteps : step,
               step < 0 ? "everything in the file" : StepText(step),
               table.facts());
  const size_t shown =
      max_rows == 0 ? rows.size() : std::min(max_rows, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const Sums& row = rows[i];
    const double mean =
        TicksAsMicros(row.time, ticks) / static_cast<double>(row.count);
    std::vector<tables::DataCell> cells = {TicksCell(row.time, ticks),
                                           tables::ShareCell(row.time, all),
                                           row.count,
                                           mean,
                                           TicksCell(row.min, ticks),
                                           TicksCell(row.max, ticks)};
    if (has_bytes) {
      constexpr double kMicrosPerSecond = 1e6;
      cells.push_back(tables::IntCell(row.bytes, row.has_bytes));
      cells.push_back(
          row.has_bytes && row.time_of_bytes > 0
              ? tables::DataCell(static_cast<double>(row.bytes) /
                                 TicksAsMicros(row.time_of_bytes, ticks) *
                                 kMicrosPerSecond)
              : tables::DataCell());
    }
    cells.push_back(tables::TextCell(row.kind));
    const std::string ops = collector.OpsText(row);
    cells.push_back(ops.empty() ? tables::DataCell() : tables::DataCell(ops));
    cells.push_back(tables::TextCell(collector.name(row)));
    table.AddRow(std::move(cells));
  }
  table.SetTotalRows(rows.size());
  std::vector<tables::DataCell> totals = {
      TicksCell(all, ticks),
      all == 0 ? tables::DataCell() : tables::DataCell(1.0), count};
  totals.resize(has_bytes ? 11 : 9);
  table.SetTotals(std::move(totals));
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
