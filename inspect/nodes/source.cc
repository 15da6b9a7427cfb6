#include "inspect/nodes/source.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"
#include "util/text/nearest.h"

namespace tfprof::inspect {
namespace {

// Lines shown before and after a line with nodes, and around the requested one.
constexpr int64_t kContext = 3;
constexpr int64_t kContextOfLine = 10;
// No readable file has more lines.
constexpr int64_t kMaxLine = util::kMaxSourceBytes;

struct LineSums {
  int64_t self = 0;
  int64_t total = 0;
  int64_t nodes = 0;
  std::string_view text;  // from the call stacks
};

bool HasSuffix(std::string_view path, std::string_view suffix) {
  return path == suffix || (path.ends_with(suffix) &&
                            (suffix.starts_with('/') ||
                             path[path.size() - suffix.size() - 1] == '/'));
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// Ranks errors: of two errors for two paths, the higher rank is more useful.
int Weight(const absl::Status& status) {
  if (absl::IsNotFound(status)) return 0;
  return absl::IsPermissionDenied(status) ? 1 : 2;
}

// Reads the file at the first of two paths that can be read. `path` is from the
// profile; `asked` is its end, as the user gave it.
absl::StatusOr<util::SourceFile> ReadSource(const util::SourceFiles& files,
                                            std::string_view path,
                                            std::string_view asked) {
  absl::StatusOr<util::SourceFile> file = files.Read(path);
  if (file.ok() || asked == path) return file;
  absl::StatusOr<util::SourceFile> other = files.Read(asked);
  if (other.ok() || Weight(other.status()) > Weight(file.status())) {
    return other;
  }
  return file;
}

// Explains why the text is not from the file.
std::string NotShown(const absl::Status& status) {
  const bool elsewhere =
      absl::IsNotFound(status) || absl::IsPermissionDenied(status);
  return fmt::format(
      "{}{}: the lines come from the call stacks",
      std::string_view(status.message().data(), status.message().size()),
      elsewhere ? " (-source_path DIR allows another folder)" : "");
}

// Sums the rows of `file` by line, from the top down.
class LineAccounting {
 public:
  LineAccounting(const views::CodeTree& code, const views::AccountedTree& tree,
                 const profile::Profile& profile, profile::StringId file)
      : code_(code),
        tree_(tree),
        profile_(profile),
        stacks_(profile.graph().stacks),
        file_(file) {}

  std::map<int64_t, LineSums> Sum() {
    struct Open {
      uint32_t row;
      size_t next_child;
    };
    std::vector<Open> open = {{views::kRootRow, 0}};
    while (!open.empty()) {
      Open& top = open.back();
      const auto children = tree_.children_of(top.row);
      if (top.next_child < children.size()) {
        const uint32_t child = children[top.next_child++];
        Enter(child);
        open.push_back({child, 0});
        continue;
      }
      Leave(top.row);
      open.pop_back();
    }
    return std::move(sums_);
  }

 private:
  // Returns nullptr if the row belongs to another file.
  const profile::Frame* FrameOf(uint32_t row) const {
    const profile::FrameId id = code_.frame[row];
    if (row == views::kRootRow || id == profile::kNone) return nullptr;
    const profile::Frame& frame = stacks_.frame(id);
    return frame.file == file_ ? &frame : nullptr;
  }

  void Enter(uint32_t row) {
    const profile::Frame* frame = FrameOf(row);
    if (frame == nullptr) return;
    LineSums& line = sums_[frame->lineno];
    line.self = util::WrapAdd(line.self, tree_.self(row)[accounting::kMicros]);
    line.nodes += static_cast<int64_t>(code_.nodes_of(row).size());
    if (active_[frame->lineno]++ == 0) {
      line.total =
          util::WrapAdd(line.total, tree_.total[row][accounting::kMicros]);
    }
    if (line.text.empty()) line.text = SourceText(profile_, *frame);
  }

  void Leave(uint32_t row) {
    if (const profile::Frame* frame = FrameOf(row)) --active_[frame->lineno];
  }

  const views::CodeTree& code_;
  const views::AccountedTree& tree_;
  const profile::Profile& profile_;
  const profile::CallStacks& stacks_;
  const profile::StringId file_;
  std::map<int64_t, LineSums> sums_;
  std::map<int64_t, int64_t> active_;  // occurrences of a line above the row
};

absl::StatusOr<profile::StringId> FindFile(const profile::Profile& profile,
                                           const views::CodeTree& code,
                                           std::string_view wanted) {
  std::set<profile::StringId> files;
  for (const profile::FrameId id : code.frame) {
    if (id == profile::kNone) continue;
    const profile::StringId file = profile.graph().stacks.frame(id).file;
    if (file != profile::kNone) files.insert(file);
  }
  std::vector<profile::StringId> found;
  std::vector<std::string_view> paths, names;
  for (const profile::StringId file : files) {
    const std::string_view path = profile.strings().Get(file);
    if (HasSuffix(path, wanted)) {
      found.push_back(file);
      names.push_back(path);
    }
    paths.push_back(path);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(fmt::format("no node was made in {}{}", wanted,
                                           util::NearHint(wanted, paths)));
  }
  constexpr size_t kMaxNames = 5;
  const size_t count = names.size();
  names.resize(std::min(count, kMaxNames));
  return absl::InvalidArgumentError(fmt::format(
      "{} files end in {}: {}{}; name more of the path", count, wanted,
      fmt::join(names, ", "), count > kMaxNames ? ", …" : ""));
}

// The lines to show: lines with nodes and some around them, or the lines around
// `line`.
std::set<int64_t> Wanted(const std::map<int64_t, LineSums>& sums, int64_t line,
                         int64_t num_lines) {
  std::set<int64_t> wanted;
  const auto around = [&](int64_t at, int64_t context) {
    for (int64_t l = std::max<int64_t>(1, at - context);
         l <= std::min(num_lines, at + context); ++l) {
      wanted.insert(l);
    }
  };
  if (line > 0) {
    around(line, kContextOfLine);
    if (num_lines > 0) return wanted;
  }
  for (const auto& [at, sum] : sums) {
    if (line > 0 &&
        (at < line - kContextOfLine || at > line + kContextOfLine)) {
      continue;
    }
    wanted.insert(at);
    around(at, kContext);
  }
  return wanted;
}

}  // namespace

std::string_view SourceText(const profile::Profile& profile,
                            const profile::Frame& frame) {
  if (frame.line == profile::kNone) return {};
  const std::string_view text = profile.strings().Get(frame.line);
  return text == "none" ? std::string_view() : text;
}

SourceRequest ParseSourceRequest(std::string_view text) {
  SourceRequest request;
  const size_t colon = text.rfind(':');
  if (colon != text.npos && colon > 0) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    int64_t line = 0;
    const auto [at, error] = std::from_chars(begin, end, line);
    if (error == std::errc() && at == end && line > 0 && line <= kMaxLine) {
      request.line = line;
      text = text.substr(0, colon);
    }
  }
  request.file = text;
  return request;
}

absl::StatusOr<tables::DataTable> SourceTable(views::Views& views,
                                              const SourceRequest& request,
                                              const views::ViewOptions& options,
                                              const util::SourceFiles& files) {
  const profile::Profile& profile = views.profile();
  if (!profile.graph().has_code_traces) {
    return absl::FailedPreconditionError(
        "no node has a call stack: PyTorch records them with with_stack=True, "
        "TensorFlow 1 in an op log, which is not among the inputs (see "
        "status)");
  }
  const views::CodeTree& code = views.code();
  const absl::StatusOr<profile::StringId> file =
      FindFile(profile, code, request.file);
  if (!file.ok()) return file.status();

  views::ViewOptions accounting;
  accounting.step = options.step;
  accounting.account_types = options.account_types;
  accounting.max_depth = 0;
  const views::Report report = views.Show(views::View::kCode, accounting);
  const std::map<int64_t, LineSums> sums =
      LineAccounting(code, *report.tree, profile, *file).Sum();

  const std::string path(profile.strings().Get(*file));
  const absl::StatusOr<util::SourceFile> source =
      ReadSource(files, path, request.file);
  const std::vector<std::string> lines =
      source.ok() ? source->lines : std::vector<std::string>();
  std::string note;
  if (!source.ok()) {
    note = NotShown(source.status());
  } else {
    for (const auto& [at, sum] : sums) {
      if (sum.text.empty() || at < 1) continue;
      const bool there = at <= static_cast<int64_t>(lines.size());
      if (!there || Trim(lines[at - 1]) != Trim(sum.text)) {
        note = fmt::format(
            "the file has changed: line {} differs from the call stacks", at);
        break;
      }
    }
  }

  tables::DataColumn self = tables::StatColumn(accounting::kMicros, "self_");
  self.title = "self";
  tables::DataColumn total = tables::StatColumn(accounting::kMicros, "total_");
  total.title = "total";
  total.heat = true;
  tables::TableBuilder table("list", {self,
                                      total,
                                      {"nodes", "nodes", util::Unit::kCount},
                                      {"line", "line", util::Unit::kNumber},
                                      {"source", "source", util::Unit::kText}});
  table.AddFact({"file", "file", util::Unit::kText}, tables::TextCell(path));
  if (source.ok() && source->path != path) {
    table.AddFact({"read", "read from", util::Unit::kText},
                  tables::TextCell(source->path));
  }
  AddStepFacts("times", options.step, table.facts());
  if (!note.empty()) table.AddFact({"note", "note", util::Unit::kText}, note);
  for (const int64_t at :
       Wanted(sums, request.line, static_cast<int64_t>(lines.size()))) {
    const auto sum = sums.find(at);
    const bool known = sum != sums.end();
    tables::DataCell text;
    if (at >= 1 && at <= static_cast<int64_t>(lines.size())) {
      text = lines[at - 1];
    } else if (known && !sum->second.text.empty()) {
      text = tables::TextCell(sum->second.text);
    }
    const LineSums line = known ? sum->second : LineSums();
    const auto time = [&](int64_t ticks) {
      return known
                 ? tables::StatCell(views.profile(), accounting::kMicros, ticks)
                 : tables::DataCell();
    };
    table.AddRow({time(line.self), time(line.total),
                  tables::IntCell(line.nodes, known),
                  tables::IntCell(at, at > 0), std::move(text)});
  }
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
