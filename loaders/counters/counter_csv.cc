#include "loaders/counters/counter_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace tfprof::counters {
namespace {

// The names of the columns must be among these first lines and bytes.
constexpr int kMaxHeaderLine = 40;
constexpr size_t kMaxHeaderBytes = 64 << 10;

struct Layout {
  std::string_view tool;
  std::string_view name;      // column with the kernel name
  std::string_view evidence;  // another column that the tool always writes
  // If each row has a single counter: its name, its value and its kernel.
  std::string_view counter = {}, value = {}, dispatch = {};
  // Columns that describe the kernel and are not counters.
  std::span<const std::string_view> described = {};
};

constexpr std::string_view kRcpDescribed[] = {
    "ExecutionOrder", "ThreadID",    "CallIndex",        "GlobalWorkSize",
    "WorkGroupSize",  "Time",        "LocalMemSize",     "VGPRs",
    "SGPRs",          "ScratchRegs", "DataTransferSize", "GlobalWorkOffset",
    "KernelOccupancy"};
constexpr std::string_view kRocprofDescribed[] = {
    "Index",      "gpu-id",     "queue-id",   "queue-index", "pid",
    "tid",        "grd",        "wgr",        "lds",         "scr",
    "vgpr",       "arch_vgpr",  "accum_vgpr", "sgpr",        "fbar",
    "sig",        "obj",        "DispatchNs", "BeginNs",     "EndNs",
    "CompleteNs", "DurationNs", "wave_size"};
constexpr Layout kLayouts[] = {
    {.tool = "RCP",
     .name = "Method",
     .evidence = "ExecutionOrder",
     .described = kRcpDescribed},
    {.tool = "rocprof",
     .name = "KernelName",
     .evidence = "Index",
     .described = kRocprofDescribed},
    {.tool = "rocprofv3",
     .name = "Kernel_Name",
     .evidence = "Counter_Name",
     .counter = "Counter_Name",
     .value = "Counter_Value",
     .dispatch = "Dispatch_Id"},
};

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Takes the first line off `rest`.
std::string_view TakeLine(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// Splits a line into cells. Inside a quoted cell, quotes are doubled. `texts`
// gets the cells as the line has them.
std::vector<std::string> Cells(std::string_view line,
                               std::vector<std::string_view>* texts = nullptr) {
  std::vector<std::string> cells;
  for (size_t at = 0; at <= line.size();) {
    while (at < line.size() && line[at] == ' ') ++at;
    const size_t begin = at;
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] != '"') {
          cell += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += line[++at];
        } else {
          break;
        }
      }
      at = std::min(line.find(',', at), line.size());
    } else {
      const size_t end = std::min(line.find(',', at), line.size());
      cell = Trimmed(line.substr(at, end - at));
      at = end;
    }
    cells.push_back(std::move(cell));
    if (texts != nullptr) texts->push_back(line.substr(begin, at - begin));
    ++at;
  }
  return cells;
}

// Returns the index of a column; npos: there is none.
size_t Find(const std::vector<std::string>& columns, std::string_view name) {
  const auto it = std::find(columns.begin(), columns.end(), name);
  return it == columns.end() ? std::string::npos
                             : static_cast<size_t>(it - columns.begin());
}

// Finds the line with the names of the columns; `rest` then begins after it.
const Layout* FindHeader(std::string_view& rest,
                         std::vector<std::string>& columns, int& line) {
  const std::string_view start = rest.substr(0, kMaxHeaderBytes);
  for (std::string_view left = start; line < kMaxHeaderLine && !left.empty();) {
    ++line;
    columns = Cells(TakeLine(left));
    for (const Layout& layout : kLayouts) {
      if (Find(columns, layout.name) == std::string::npos ||
          Find(columns, layout.evidence) == std::string::npos) {
        continue;
      }
      rest.remove_prefix(start.size() - left.size());
      return &layout;
    }
  }
  return nullptr;
}

double Number(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value)
             ? value
             : std::numeric_limits<double>::quiet_NaN();
}

// Returns "sgemm" for "sgemm_gfx803" and for "sgemm.kd".
std::string KernelName(std::string_view name) {
  for (const std::string_view suffix : {" [clone .kd]", ".kd"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const size_t gfx = name.rfind("_gfx");
  if (gfx != name.npos &&
      name.find_first_not_of("0123456789abcdef", gfx + 4) == name.npos) {
    name = name.substr(0, gfx);
  }
  return std::string(name);
}

class Parser {
 public:
  Parser(const std::string& path, const Layout& layout,
         std::vector<std::string> columns)
      : layout_(layout),
        columns_(std::move(columns)),
        name_(Find(columns_, layout.name)) {
    file_.path = path;
    if (!layout.counter.empty()) return;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (c == name_ || columns_[c].empty() ||
          std::find(layout.described.begin(), layout.described.end(),
                    columns_[c]) != layout.described.end()) {
        continue;
      }
      counters_.push_back(c);
      file_.counters.push_back(columns_[c]);
    }
  }

  // Returns whether all columns that the layout needs exist.
  bool complete() const {
    return layout_.counter.empty() ||
           (Find(columns_, layout_.value) != std::string::npos &&
            Find(columns_, layout_.dispatch) != std::string::npos);
  }

  // Returns whether a cell of this column is used.
  bool Uses(size_t column) const {
    // Of tools with a row for each kernel, all cells are kept.
    return layout_.counter.empty() || column == name_ ||
           column == Find(columns_, layout_.counter) ||
           column == Find(columns_, layout_.value) ||
           column == Find(columns_, layout_.dispatch);
  }

  // Returns false if the row has too few cells.
  bool AddRow(std::vector<std::string> cells) {
    // A tool may omit the last columns if they are empty.
    if (cells.size() <= name_ || cells.size() < columns_.size()) return false;
    return layout_.counter.empty() ? AddWide(std::move(cells)) : AddLong(cells);
  }

  loaders::CounterFile Take() {
    for (loaders::CounterFile::Kernel& kernel : file_.kernels) {
      kernel.values.resize(file_.counters.size(),
                           std::numeric_limits<double>::quiet_NaN());
    }
    return std::move(file_);
  }

 private:
  bool AddWide(std::vector<std::string> cells) {
    loaders::CounterFile::Kernel kernel;
    kernel.name = KernelName(cells[name_]);
    for (const size_t c : counters_) kernel.values.push_back(Number(cells[c]));
    cells[name_] = kernel.name;
    cells.resize(columns_.size());
    kernel.cells = std::move(cells);
    file_.kernels.push_back(std::move(kernel));
    return true;
  }

  bool AddLong(const std::vector<std::string>& cells) {
    const auto cell = [&](std::string_view name) {
      return std::string_view(cells[Find(columns_, name)]);
    };
    const auto [kernel, new_kernel] = dispatches_.try_emplace(
        std::string(cell(layout_.dispatch)), file_.kernels.size());
    if (new_kernel) {
      file_.kernels.emplace_back().name = KernelName(cells[name_]);
    }
    const auto [counter, new_counter] = places_.try_emplace(
        std::string(cell(layout_.counter)), file_.counters.size());
    if (new_counter) file_.counters.push_back(counter->first);
    std::vector<double>& values = file_.kernels[kernel->second].values;
    values.resize(std::max(values.size(), counter->second + 1),
                  std::numeric_limits<double>::quiet_NaN());
    // Instances of a counter, such as one for each shader engine, have their
    // own rows.
    double& value = values[counter->second];
    const double more = Number(cell(layout_.value));
    value = std::isnan(value) ? more : value + more;
    return true;
  }

  const Layout& layout_;
  const std::vector<std::string> columns_;
  const size_t name_;
  std::vector<size_t> counters_;  // indexes of columns
  std::map<std::string, size_t> dispatches_, places_;
  loaders::CounterFile file_;
};

void NoteCells(std::string_view whole, std::string_view row,
               const Parser& parser, loaders::ByteNotes& notes) {
  std::vector<std::string_view> texts;
  Cells(row, &texts);
  for (size_t c = 0; c < texts.size(); ++c) {
    if (!parser.Uses(c))
      notes.Note(loaders::ByteNotes::kUnused, whole, texts[c]);
  }
}

}  // namespace

bool LooksLikeCounterCsv(std::string_view bytes) {
  std::vector<std::string> columns;
  int line = 0;
  return FindHeader(bytes, columns, line) != nullptr;
}

absl::StatusOr<loaders::CounterFile> ParseCounterCsv(
    const std::string& path, std::string_view bytes, loaders::ImportLog& log,
    loaders::ByteNotes* notes) {
  const std::string_view whole = bytes;
  std::vector<std::string> columns;
  int line = 0;
  const Layout* const layout = FindHeader(bytes, columns, line);
  if (layout == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: expected the names of the columns of RCP (Method, …), rocprof "
        "(KernelName, …) or rocprofv3 (Kernel_Name, Counter_Name, …), found "
        "none of them in the first {} lines",
        path, kMaxHeaderLine));
  }
  Parser parser(path, *layout, std::move(columns));
  if (!parser.complete()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: line {}: expected the columns {} and {} of {}, found at most one "
        "of them; write the CSV with all columns",
        path, line, layout->value, layout->dispatch, layout->tool));
  }
  if (notes != nullptr) {
    // What comes before the line with the names is of no use.
    std::string_view before = whole.substr(0, whole.size() - bytes.size());
    if (before.ends_with('\n')) before.remove_suffix(1);
    notes->Note(loaders::ByteNotes::kUnused, 0, before.rfind('\n') + 1);
  }
  while (!bytes.empty()) {
    const size_t begin = whole.size() - bytes.size();
    const std::string_view row = TakeLine(bytes);
    const auto note = [&](loaders::ByteNotes::Part part) {
      if (notes != nullptr)
        notes->Note(part, begin, whole.size() - bytes.size());
    };
    ++line;
    if (Trimmed(row).empty()) {
      note(loaders::ByteNotes::kWhiteSpace);
      continue;
    }
    if (row.starts_with('#')) {
      note(loaders::ByteNotes::kUnused);
      continue;
    }
    if (notes != nullptr) NoteCells(whole, row, parser, *notes);
    if (!parser.AddRow(Cells(row))) {
      note(loaders::ByteNotes::kDamaged);
      log.Add(loaders::ImportLog::kDamage, "row of counters dropped",
              fmt::format("{}: line {}: fewer cells than columns; the row is "
                          "dropped",
                          path, line));
    }
  }
  return parser.Take();
}

}  // namespace tfprof::counters
