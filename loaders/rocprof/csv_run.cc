#include "loaders/rocprof/csv_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "loaders/rocprof/csv_rows.h"
#include "loaders/rocprof/numbers.h"
#include "loaders/rocprof/trace_events.h"
#include "util/run/cancellation.h"
#include "util/text/ascii.h"

namespace tfprof::rocprof {
namespace {

using gpu_trace::HostKind;
using loaders::ByteNotes;
using loaders::ImportLog;
using loaders::InputFile;

// The names of the columns must be among these first bytes.
constexpr size_t kMaxHeaderBytes = 64 << 10;
// The user may cancel after so many rows.
constexpr int64_t kRowsBetweenChecks = 4096;

// In the order in which the tables of a run are read: launches before work.
enum class Table {
  kAgents,
  kCalls,
  kKernels,
  kCopies,
  kUnused,  // of rocprofv3, but without anything that is read
  kUnknown,
};

enum Column {
  kKind,
  kAgent,
  kQueue,
  kStream,
  kThread,
  kProcess,
  kKernel,
  kCorrelation,
  kStart,
  kEnd,
  kDirection,
  kSource,
  kDestination,
  kDomain,
  kFunction,
  kCounter,
  kAgentType,
  kLogicalNode,
  kNode,
  kProduct,
  kName,
  kOperation,
  kCallCount,
  kTotalTime,
  kNumColumns,
};

constexpr std::string_view kColumnNames[kNumColumns] = {"Kind",
                                                        "Agent_Id",
                                                        "Queue_Id",
                                                        "Stream_Id",
                                                        "Thread_Id",
                                                        "Process_Id",
                                                        "Kernel_Name",
                                                        "Correlation_Id",
                                                        "Start_Timestamp",
                                                        "End_Timestamp",
                                                        "Direction",
                                                        "Source_Agent_Id",
                                                        "Destination_Agent_Id",
                                                        "Domain",
                                                        "Function",
                                                        "Counter_Name",
                                                        "Agent_Type",
                                                        "Logical_Node_Id",
                                                        "Node_Id",
                                                        "Product_Name",
                                                        "Name",
                                                        "Operation",
                                                        "Calls",
                                                        "TotalDurationNs"};

// Where the columns are in the rows of a file.
class Header {
 public:
  explicit Header(std::span<const std::string_view> cells) {
    at_.fill(-1);
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto name = std::ranges::find(kColumnNames, cells[i]);
      if (name == std::end(kColumnNames)) continue;
      at_[static_cast<size_t>(name - kColumnNames)] = static_cast<int>(i);
    }
  }

  bool Has(Column column) const { return at_[column] >= 0; }

  Table table() const {
    if (Has(kAgentType) && (Has(kNode) || Has(kLogicalNode))) {
      return Table::kAgents;
    }
    if (Has(kCallCount) && Has(kTotalTime)) return Table::kUnused;
    // loaders/counters reads counters of kernels.
    if (!Has(kStart) || !Has(kEnd) || Has(kCounter)) return Table::kUnknown;
    if (Has(kKernel) && Has(kKind)) return Table::kKernels;
    if (Has(kDirection)) return Table::kCopies;
    if (Has(kFunction) && Has(kDomain)) return Table::kCalls;
    return Has(kKind) && Has(kOperation) ? Table::kUnused : Table::kUnknown;
  }

  // The columns without a name that is known.
  std::vector<size_t> Unused(size_t columns) const {
    std::vector<size_t> unused;
    for (size_t i = 0; i < columns; ++i) {
      if (std::ranges::find(at_, static_cast<int>(i)) == at_.end()) {
        unused.push_back(i);
      }
    }
    return unused;
  }

  // The cell of a column; empty if there is none.
  std::string_view Cell(const CsvRows& rows, Column column) const {
    const int at = at_[column];
    return at < 0 ? std::string_view() : rows.cells()[static_cast<size_t>(at)];
  }

 private:
  std::array<int, kNumColumns> at_;
};

// "12" of "Agent 12".
std::string_view NumberAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && util::IsDigit(text[begin - 1])) --begin;
  return text.substr(begin);
}

// A row of a file. Numbers that are none make it bad.
class RowReader {
 public:
  RowReader(const Header& header, const CsvRows& rows)
      : header_(header), rows_(rows) {}

  std::string_view Text(Column column) const {
    return header_.Cell(rows_, column);
  }

  // nullopt: the row has no such cell, or it is empty or not a number.
  std::optional<uint64_t> Number(Column column) {
    const std::string_view text = Text(column);
    if (text.empty()) return {};
    return Checked(text, ParseUnsigned(text));
  }

  // The number of an agent; 0 if the row has none.
  int64_t Device(Column column) {
    const std::string_view text = Text(column);
    if (text.empty()) return 0;
    return AsSigned(Checked(text, ParseUnsigned(NumberAtEnd(text))))
        .value_or(0);
  }

  gpu_trace::Times Times() {
    return {AsSigned(Number(kStart)), AsSigned(Number(kEnd))};
  }

  int64_t Stream() {
    const Column column = Text(kStream).empty() ? kQueue : kStream;
    return AsSigned(Number(column)).value_or(-1);
  }

  // A text that should be a number.
  const std::optional<std::string_view>& bad() const { return bad_; }

 private:
  std::optional<uint64_t> Checked(std::string_view text,
                                  std::optional<uint64_t> number) {
    if (!number) bad_ = text;
    return number;
  }

  const Header& header_;
  const CsvRows& rows_;
  std::optional<std::string_view> bad_;
};

class CsvReader {
 public:
  CsvReader(const CsvRun& run, loaders::LoadContext& context, ByteNotes* notes)
      : run_(run),
        context_(context),
        notes_(notes),
        events_(run.files.front(), context) {
    events_.trace().label = run.path.substr(run.path.find_last_of('/') + 1);
  }

  absl::StatusOr<gpu_trace::GpuTrace> Read() {
    std::vector<std::pair<Table, size_t>> order;
    for (size_t i = 0; i < run_.files.size(); ++i) {
      CsvRows rows(run_.files[i]->bytes());
      const bool has_header = rows.Next() && !rows.cut();
      const Table table =
          has_header ? Header(rows.cells()).table() : Table::kUnknown;
      if (table == Table::kUnknown) {
        return absl::InvalidArgumentError(fmt::format(
            "{}: byte {}: the first row of {} bytes has no columns of "
            "rocprofv3; expected Start_Timestamp and End_Timestamp with "
            "Kernel_Name and Kind, Direction, or Function and Domain; record "
            "with --output-format csv",
            run_.files[i]->path(), rows.offset(),
            run_.files[i]->bytes().size()));
      }
      order.emplace_back(table, i);
    }
    std::ranges::sort(order);
    for (const auto& [table, i] : order) {
      absl::Status status = ReadFile(*run_.files[i], table);
      if (!status.ok()) return status;
    }
    return events_.Take();
  }

 private:
  absl::Status ReadFile(const InputFile& file, Table table) {
    if (table == Table::kUnused) {
      context_.log.Add(ImportLog::kNotice,
                       "table of rocprofv3 that is not read",
                       fmt::format("{}: skipped: it has no kernel, copy, call, "
                                   "range or agent",
                                   file.path()));
      Note(ByteNotes::kUnused, 0, file.bytes().size());
      return absl::OkStatus();
    }
    CsvRows rows(file.bytes());
    rows.Next();
    const Header header(rows.cells());
    const std::vector<size_t> unused = header.Unused(rows.cells().size());
    Note(ByteNotes::kWhiteSpace, 0, rows.offset());
    size_t end = rows.end();  // of the last row
    int64_t left = kRowsBetweenChecks;
    while (rows.Next()) {
      if (--left == 0) {
        if (util::IsCancelled(context_.work.cancellation)) {
          return absl::CancelledError(file.path());
        }
        left = kRowsBetweenChecks;
      }
      // A row takes its line feed; the rest are empty lines.
      Note(ByteNotes::kWhiteSpace, end + 1, rows.offset());
      end = rows.end();
      if (!rows.whole()) {
        Note(ByteNotes::kDamaged, rows.offset(), end + 1);
        events_.Drop(file.path(), rows.offset(), "row without all its cells",
                     rows.cut() ? "a quote that does not end"
                                : "not as many cells as columns",
                     "a row as the first one");
        continue;
      }
      RowReader row(header, rows);
      if (!AddRow(file, rows.offset(), table, row)) {
        Note(ByteNotes::kDamaged, rows.offset(), end + 1);
      } else if (notes_ != nullptr) {
        for (const size_t cell : unused) {
          const auto [from, to] = rows.PlaceOf(cell);
          Note(ByteNotes::kUnused, from, to);
        }
      }
    }
    Note(ByteNotes::kWhiteSpace, end + 1, file.bytes().size());
    return absl::OkStatus();
  }

  void Note(ByteNotes::Part part, size_t begin, size_t end) {
    if (notes_ != nullptr) notes_->Note(part, begin, end);
  }

  // Returns false if the row is dropped.
  bool AddRow(const InputFile& file, size_t offset, Table table,
              RowReader& row) {
    if (table == Table::kAgents) return AddAgent(file, offset, row);
    const gpu_trace::Times times = row.Times();
    const std::optional<uint64_t> correlation = row.Number(kCorrelation);
    const int64_t agent = row.Device(kAgent);
    const int64_t from = row.Device(kSource), to = row.Device(kDestination);
    const int64_t stream = row.Stream();
    const std::optional<uint64_t> process = row.Number(kProcess);
    const std::optional<uint64_t> thread = row.Number(kThread);
    if (row.bad()) {
      events_.DropNumber(file.path(), offset, *row.bad());
      return false;
    }
    if (!events_.Check(file.path(), offset, times)) return false;
    if (table == Table::kCalls) {
      const bool is_range = row.Text(kDomain).starts_with("MARKER");
      const std::optional<uint32_t> host = events_.AddHost(
          times,
          events_.trace().Thread(AsSigned(process).value_or(-1),
                                 AsSigned(thread).value_or(-1)),
          row.Text(kFunction), is_range ? HostKind::kRange : HostKind::kCall);
      if (host && correlation && !is_range) {
        launches_.insert_or_assign(*correlation, *host);
      }
      return true;
    }
    std::optional<uint32_t> work;
    if (table == Table::kKernels) {
      work = events_.AddWork(times, row.Text(kKernel),
                             {agent, -1, stream, profile::LaneKind::kKernels});
    } else {
      const std::string_view direction = row.Text(kDirection);
      const bool ends_here = direction.find("TO_DEVICE") != direction.npos;
      work = events_.AddWork(
          times, direction,
          {ends_here ? to : from, -1, stream, profile::LaneKind::kCopies});
      if (work) events_.SetCopy(direction, from == to);
    }
    if (!work || !correlation) return true;
    const auto launch = launches_.find(*correlation);
    if (launch != launches_.end()) {
      events_.trace().work[*work].launch = launch->second;
    }
    return true;
  }

  bool AddAgent(const InputFile& file, size_t offset, RowReader& row) {
    std::optional<uint64_t> number = row.Number(kLogicalNode);
    if (!number) number = row.Number(kNode);
    if (row.bad()) {
      events_.DropNumber(file.path(), offset, *row.bad());
      return false;
    }
    const std::string_view product = row.Text(kProduct);
    const std::string_view model = product.empty() ? row.Text(kName) : product;
    if (row.Text(kAgentType) == "GPU" && AsSigned(number) && !model.empty()) {
      events_.trace().models.try_emplace(*AsSigned(number), model);
    }
    return true;
  }

  const CsvRun& run_;
  loaders::LoadContext& context_;
  ByteNotes* const notes_;  // nullptr: nobody wants them
  TraceEvents events_;
  absl::flat_hash_map<uint64_t, uint32_t> launches_;  // by correlation
};

// The tables that rocprofv3 names its files after.
constexpr std::string_view kTableNames[] = {
    "kernel",         "memory_copy", "hip_api",           "hsa_api",
    "marker_api",     "rccl_api",    "rocdecode_api",     "rocjpeg_api",
    "scratch_memory", "domain",      "memory_allocation", "agent"};

// What comes before the name of the table: "DIR/908" of
// "DIR/908_kernel_trace.csv"; nullopt: the name has none.
std::optional<std::string> RunOfName(std::string_view path) {
  for (const std::string_view end : {".gz", ".csv"}) {
    if (path.ends_with(end)) path.remove_suffix(end.size());
  }
  for (const std::string_view kind : {"_trace", "_stats", "_info"}) {
    if (!path.ends_with(kind)) continue;
    path.remove_suffix(kind.size());
    for (const std::string_view table : kTableNames) {
      if (!path.ends_with(table)) continue;
      path.remove_suffix(table.size());
      if (path.ends_with('_')) path.remove_suffix(1);
      return std::string(path);
    }
  }
  return {};
}

}  // namespace

bool LooksLikeRocprofCsv(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, kMaxHeaderBytes));
  return rows.Next() && !rows.cut() &&
         Header(rows.cells()).table() != Table::kUnknown;
}

std::vector<CsvRun> GroupCsvFiles(
    const std::vector<std::shared_ptr<const InputFile>>& files) {
  std::set<std::string> names;
  for (const auto& file : files) {
    const std::optional<std::string> name = RunOfName(file->path());
    if (name) names.insert(*name);
  }
  const std::string only = names.size() == 1 ? *names.begin() : std::string();
  std::vector<CsvRun> runs;
  absl::flat_hash_map<std::string, size_t> places;
  for (const auto& file : files) {
    const std::string name = RunOfName(file->path()).value_or(only);
    const auto [place, is_new] = places.try_emplace(name, runs.size());
    if (is_new) runs.push_back({.path = name, .files = {}});
    runs[place->second].files.push_back(file);
  }
  return runs;
}

absl::StatusOr<gpu_trace::GpuTrace> ReadCsvRun(const CsvRun& run,
                                               loaders::LoadContext& context,
                                               ByteNotes* notes) {
  return CsvReader(run, context, notes).Read();
}

}  // namespace tfprof::rocprof
