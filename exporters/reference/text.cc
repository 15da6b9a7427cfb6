#include "exporters/reference/text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "tables/row_details.h"
#include "tables/tensor_text.h"
#include "util/run/threads.h"

namespace tfprof::exporters {
namespace {

constexpr std::string_view kMissingStreamWarning =
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    "If you found your operation missing accelerator time, "
    "consider to post to discuss@tensorflow.org!\n\n";

std::string_view ViewDoc(views::View view) {
  switch (view) {
    case views::View::kScope:
    case views::View::kGraph:  // the reference describes the scope view here
                               // too
      return "scope: The nodes in the model graph are organized by their "
             "names, which is hierarchical like filesystem.";
    case views::View::kCode:
      return "code: When python trace is available, the nodes are python lines "
             "and their are organized by the python call stack.";
    case views::View::kOp:
      return "op: The nodes are operation kernel type, such as MatMul, Conv2D. "
             "Graph nodes belonging to the same type are aggregated together.";
  }
  return "";
}

std::string_view ViewDocOfTrace(views::View view) {
  switch (view) {
    case views::View::kScope:
      return "scope: Operations by their scopes, as files in folders.";
    case views::View::kGraph:
      return "graph: Operations, each above the operations that it reads.";
    case views::View::kCode:
      return "code: Operations under the lines of code that called them.";
    case views::View::kOp:
      return "op: All operations of one type are one row.";
  }
  return "";
}

// The explanation of a time of a trace.
std::string_view TimeDocOfTrace(accounting::Stat stat) {
  switch (stat) {
    case accounting::kAcceleratorMicros:
      return "accelerator execution time: Time of the kernels and copies that "
             "the operation launched.";
    case accounting::kCpuMicros:
      return "cpu execution time: Time on threads of the host, without the "
             "operations inside.";
    default:
      return "total execution time: The sum of both. Each moment of a thread "
             "or a stream counts once.";
  }
}

std::string FieldDocOfTrace(views::Field field) {
  if (!field.is_stat())
    return std::string(views::TextFieldOf(field).report_doc);
  const accounting::Statistic& statistic =
      accounting::StatisticOf(field.stat());
  if (statistic.unit != util::Unit::kMicros) {
    return fmt::format("{}: {}", statistic.title, statistic.help);
  }
  std::string doc(TimeDocOfTrace(field.stat()));
  // It selects all three times.
  if (field == accounting::kMicros) {
    doc += fmt::format("\n{}\n{}", TimeDocOfTrace(accounting::kCpuMicros),
                       TimeDocOfTrace(accounting::kAcceleratorMicros));
  }
  return doc;
}

std::string FieldDoc(views::Field field) {
  if (!field.is_stat())
    return std::string(views::TextFieldOf(field).report_doc);
  const std::string_view doc = accounting::StatisticOf(field.stat()).report_doc;
  if (field != accounting::kMicros) return std::string(doc);
  // It selects all three times.
  return fmt::format(
      "{}\n{}\n{}", doc,
      accounting::StatisticOf(accounting::kCpuMicros).report_doc,
      accounting::StatisticOf(accounting::kAcceleratorMicros).report_doc);
}

std::string Legend(views::View view, views::FieldSet select) {
  const bool multi = view == views::View::kOp || view == views::View::kCode;
  std::vector<std::string_view> titles;
  const auto add = [&](accounting::Stat stat) {
    titles.push_back(accounting::StatisticOf(stat).report_title);
  };
  const auto add_counts = [&] {
    if (select.Has(accounting::kParameters)) add(accounting::kParameters);
    if (select.Has(accounting::kFloatOps)) add(accounting::kFloatOps);
  };
  if (!multi) add_counts();
  for (const accounting::Stat stat : tables::ByteStats(select)) add(stat);
  for (const accounting::Stat stat : tables::TimeStats(select)) add(stat);
  if (multi) add_counts();
  if (select.Has(views::Field::kDevice)) titles.push_back("assigned devices");
  if (select.Has(views::Field::kOpTypes)) titles.push_back("op types");
  if (select.Has(accounting::kRunCount)) {
    titles.push_back(multi ? "op occurrence (run|defined)"
                           : "op count (run|defined)");
  }
  if (select.Has(views::Field::kInputShapes)) titles.push_back("input shapes");
  return fmt::format("node name | {}\n", fmt::join(titles, " | "));
}

void AppendNanos(std::string& out, int64_t ticks) {
  tables::AppendTime(out, ticks, profile::kNanosPerMicro);
}
void AppendPicos(std::string& out, int64_t ticks) {
  tables::AppendTime(out, ticks, profile::kPicosPerMicro);
}

// Rows of a report.
class RowWriter {
 public:
  RowWriter(const views::Report& report, const profile::TensorSource* tensors)
      : report_(report),
        profile_(*report.profile),
        nodes_(profile_.nodes()),
        select_(report.options.select),
        times_(tables::TimeStats(select_)),
        bytes_(tables::ByteStats(select_)),
        tensors_(tensors) {}

  void Write(const views::Report::Row& row) {
    switch (report_.view) {
      case views::View::kOp:
        return WriteOp(row);
      case views::View::kCode:
        return WriteCode(row);
      case views::View::kScope:
      case views::View::kGraph:
        return WriteNode(row);
    }
  }

  std::string& text() { return out_; }

  // Warnings about values that could not be shown, with Report::Row::closed.
  std::vector<std::pair<uint32_t, std::string>>& warnings() {
    return warnings_;
  }

 private:
  // Begins an entry of a row.
  void Entry() {
    if (!first_entry_) {
      out_ += ',';
      out_ += ' ';
    }
    first_entry_ = false;
  }

  template <void (*append)(std::string&, int64_t)>
  void SelfAndTotal(const views::Report::Row& row, accounting::Stat stat,
                    std::string_view unit = "") {
    Entry();
    if (row.accounted) {
      append(out_, row.self[stat]);
    } else {
      out_ += "--";
    }
    out_ += '/';
    append(out_, row.total[stat]);
    out_ += unit;
  }

  void Times(const views::Report::Row& row) {
    const int64_t ticks_per_micro = profile_.ticks_per_micro();
    for (const accounting::Stat stat : times_) {
      if (ticks_per_micro == 1) {
        SelfAndTotal<tables::AppendMicros>(row, stat);
      } else if (ticks_per_micro == profile::kNanosPerMicro) {
        SelfAndTotal<AppendNanos>(row, stat);
      } else {
        SelfAndTotal<AppendPicos>(row, stat);
      }
    }
  }
  void Bytes(const views::Report::Row& row) {
    for (const accounting::Stat stat : bytes_)
      SelfAndTotal<tables::AppendBytes>(row, stat);
  }

  // Writes a row of scope or graph.
  void WriteNode(const views::Report::Row& row) {
    const profile::NodeId node = row.node;
    out_.append(2 * row.depth, ' ');
    out_ += row.name;
    out_ += " (";
    first_entry_ = true;
    if (select_.Has(accounting::kParameters)) {
      if (node != profile::kNone &&
          nodes_.parameter_shape[node] != profile::kUnknownShape) {
        Entry();
        tables::AppendShape(profile_, nodes_.parameter_shape[node], out_);
      }
      SelfAndTotal<tables::AppendCount>(row, accounting::kParameters,
                                        " params");
    }
    if (select_.Has(accounting::kFloatOps)) {
      SelfAndTotal<tables::AppendCount>(row, accounting::kFloatOps, " flops");
    }
    Bytes(row);
    Times(row);
    if (select_.Has(views::Field::kDevice) && node != profile::kNone &&
        nodes_.device[node] != profile::kNone) {
      Entry();
      out_ += profile_.devices().name(nodes_.device[node]);
    }
    if (select_.Has(views::Field::kOpTypes)) {
      Entry();
      tables::AppendNodeTypes(report_, row, out_);
    }
    if (select_.Has(accounting::kRunCount)) {
      SelfAndTotal<tables::AppendCount>(row, accounting::kRunCount);
      out_ += row.accounted ? "|1/" : "|--/";
      tables::AppendCount(out_, row.definitions);
    }
    if (select_.Has(views::Field::kInputShapes)) {
      Entry();
      if (node != profile::kNone)
        tables::AppendInputShapes(report_, node, "|", out_);
    }
    out_ += ")\n";
    if (select_.Has(views::Field::kTensorValue) &&
        &row != &report_.rows.front()) {
      TensorOf(row);
    }
  }

  void TensorOf(const views::Report::Row& row) {
    if (tensors_ == nullptr) return;
    const auto tensor = tensors_->Read(row.name);
    if (!tensor.ok()) {
      warnings_.emplace_back(row.closed, tensor.status().message());
      return;
    }
    if (tables::IsHugeTensor(*tensor)) {
      warnings_.emplace_back(row.closed,
                             "Showing huge tensor, the tool might halt...");
    }
    out_ += tables::TensorText(*tensor);
  }

  void WriteCode(const views::Report::Row& row) {
    out_.append(2 * row.depth, ' ');
    out_ += row.name;
    out_ += " (";
    first_entry_ = true;
    Bytes(row);
    Times(row);
    if (select_.Has(accounting::kParameters)) {
      SelfAndTotal<tables::AppendCount>(row, accounting::kParameters,
                                        " params");
    }
    if (select_.Has(accounting::kFloatOps)) {
      SelfAndTotal<tables::AppendCount>(row, accounting::kFloatOps, " flops");
    }
    DevicesAndTypes(row, /*always_device=*/false);
    if (select_.Has(accounting::kRunCount)) {
      Entry();
      out_ += "occurrence N/A in code view";
    }
    if (select_.Has(views::Field::kInputShapes)) {
      Entry();
      out_ += "input_shapes N/A in code view";
    }
    out_ += ")\n";
    if (select_.Has(views::Field::kTensorValue)) {
      warnings_.emplace_back(row.closed,
                             "code view has no tensor value to show");
    }
  }

  // Writes the devices and types of the graph nodes of an op or code row.
  void DevicesAndTypes(const views::Report::Row& row, bool always_device) {
    const bool device = select_.Has(views::Field::kDevice);
    const bool types = select_.Has(views::Field::kOpTypes);
    if (!device && !types) return;
    const std::vector<profile::NodeId> members =
        tables::MembersOf(report_, row);
    if (device) {
      const std::vector<std::string_view> names =
          tables::DevicesOf(report_, members);
      if (always_device || !names.empty()) {
        Entry();
        fmt::format_to(std::back_inserter(out_), "{}", fmt::join(names, "|"));
      }
    }
    if (types) {
      Entry();
      tables::AppendTypes(profile_, tables::TypesOf(report_, members), out_);
    }
  }

  // Writes "V (A%, P%)", right-aligned in 30 columns. The percentages are
  // relative to the root's total; without `show`, they are 0.
  void Share(const std::string& value, const views::Report::Row& row,
             accounting::Stat stat, bool show) {
    const auto root = static_cast<double>(report_.root_total[stat]);
    const double all =
        show ? 100.0 * static_cast<double>(row.total[stat]) / root : 0.0;
    const double own =
        show ? 100.0 * static_cast<double>(row.self[stat]) / root : 0.0;
    // snprintf formats a division by 0 as the reference does.
    char share[720];
    std::snprintf(share, sizeof(share), " (%.2f%%, %.2f%%)", all, own);
    Entry();
    fmt::format_to(std::back_inserter(out_), "{:>30}", value + share);
  }

  void WriteOp(const views::Report::Row& row) {
    out_ += row.name;
    if (row.name.size() < 25) out_.append(25 - row.name.size(), ' ');
    first_entry_ = true;
    for (const accounting::Stat stat : bytes_) {
      Share(tables::FormatBytes(row.self[stat]), row, stat, row.self[stat] > 0);
    }
    for (const accounting::Stat stat : times_) {
      Share(tables::FormatTime(row.self[stat], profile_.ticks_per_micro()), row,
            stat, row.total[stat] > 0);
    }
    if (select_.Has(accounting::kParameters)) {
      Share(tables::FormatCount(row.self[accounting::kParameters]) + " params",
            row, accounting::kParameters,
            row.total[accounting::kParameters] > 0);
    }
    if (select_.Has(accounting::kFloatOps)) {
      Share(tables::FormatCount(row.self[accounting::kFloatOps]) + " float_ops",
            row, accounting::kFloatOps, row.total[accounting::kFloatOps] > 0);
    }
    DevicesAndTypes(row, /*always_device=*/true);
    if (select_.Has(accounting::kRunCount)) {
      Entry();
      fmt::format_to(std::back_inserter(out_), "{:>10}",
                     fmt::format("{}|{}", row.runs, row.definitions));
    }
    out_ += '\n';
    if (select_.Has(views::Field::kInputShapes)) OpInputShapes(row);
  }

  // The row's nodes grouped by the shapes of their inputs.
  void OpInputShapes(const views::Report::Row& row) {
    if (report_.nothing_at_all) return;
    const std::vector<tables::ShapeGroup> groups =
        tables::ShapeGroupsOf(report_, row, ",\t");
    if (groups.empty()) return;
    for (const tables::ShapeGroup& group : groups) {
      fmt::format_to(
          std::back_inserter(out_),
          "\ninput_type: {}\t(run*{}|defined*{})\texec_time: {}", group.shapes,
          group.runs, group.defined,
          tables::FormatTime(group.micros, profile_.ticks_per_micro()));
    }
    out_ += "\n\n";
  }

  const views::Report& report_;
  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  const views::FieldSet select_;
  const std::vector<accounting::Stat> times_;
  const std::vector<accounting::Stat> bytes_;
  const profile::TensorSource* tensors_;
  std::string out_;
  bool first_entry_ = true;
  std::vector<std::pair<uint32_t, std::string>> warnings_;
};

// The ends of the pieces of work: rows for about a megabyte of text. Deep rows
// are long because of their indentation; a tensor may have any length.
std::vector<size_t> CutRows(const views::Report& report) {
  constexpr size_t kPieceBytes = 1 << 20;
  constexpr size_t kUsualBytes = 64;  // of a row, without name and indentation
  std::vector<size_t> ends;
  size_t bytes = 0;
  const bool tensors = report.options.select.Has(views::Field::kTensorValue);
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const views::Report::Row& row = report.rows[i];
    bytes += kUsualBytes + 2 * row.depth + row.name.size();
    if (tensors) bytes = kPieceBytes;
    if (bytes < kPieceBytes && i + 1 < report.rows.size()) continue;
    ends.push_back(i + 1);
    bytes = 0;
  }
  return ends;
}

}  // namespace

std::string ReportPrefix(views::View view, views::FieldSet select,
                         const profile::GraphTables& graph) {
  const bool trace = graph.self_times;
  std::vector<std::string> fields;
  for (const views::Field field : views::kFieldsByWord) {
    if (!select.Has(field)) continue;
    fields.push_back(trace ? FieldDocOfTrace(field) : FieldDoc(field));
  }
  return fmt::format(
      "{}\nDoc:\n{}\n{}\n\nProfile:\n",
      graph.misses_accelerator_stream ? kMissingStreamWarning : "",
      trace ? ViewDocOfTrace(view) : ViewDoc(view), fmt::join(fields, "\n"));
}

void WriteText(const views::Report& report,
               const profile::TensorSource* tensors,
               const std::function<void(std::string_view)>& warn,
               util::Sink& sink, const util::TaskOptions& work) {
  const views::FieldSet select = report.options.select;
  sink.Write(ReportPrefix(report.view, select, report.profile->graph()));
  if (report.nothing_at_all) {
    // The reference prints the root even for an op view without rows.
    views::Report::Row root;
    root.name = views::kRootName;
    RowWriter writer(report, tensors);
    writer.Write(root);
    return sink.Write(writer.text());
  }
  sink.Write(Legend(report.view, select));

  struct Piece {
    std::string text;
    std::vector<std::pair<uint32_t, std::string>> warnings;
  };
  const std::vector<size_t> ends = CutRows(report);
  std::vector<Piece> pieces(ends.size());
  std::vector<std::pair<uint32_t, std::string>> warnings;
  const auto format = [&](size_t i) {
    if (!sink.wanted()) return;
    RowWriter writer(report, tensors);
    for (size_t row = i == 0 ? 0 : ends[i - 1]; row < ends[i]; ++row) {
      writer.Write(report.rows[row]);
    }
    pieces[i] = {std::move(writer.text()), std::move(writer.warnings())};
  };
  const auto write = [&](size_t i) {
    sink.Write(pieces[i].text);
    std::move(pieces[i].warnings.begin(), pieces[i].warnings.end(),
              std::back_inserter(warnings));
    pieces[i] = {};
  };
  if (select.Has(views::Field::kTensorValue)) {
    // A tensor is large, and its source supports only one thread.
    for (size_t i = 0; i < pieces.size(); ++i) {
      format(i);
      write(i);
    }
  } else {
    util::ParallelPipeline(work, pieces.size(), format, write);
  }
  // Sorted in the order in which the reference leaves the rows.
  std::stable_sort(
      warnings.begin(), warnings.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [closed, text] : warnings) warn(text);
}

}  // namespace tfprof::exporters
