// The four views: scope, graph, code, op.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/diff.h"
#include "compare/diff_table.h"
#include "exporters/reference/proto.h"
#include "exporters/reference/text.h"
#include "fmt/format.h"
#include "inspect/op_time_note.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/meaning.h"
#include "profiler/commands/show/largest_first.h"
#include "profiler/commands/show/view_files.h"
#include "tables/report_table.h"
#include "tables/writers/answer_writer.h"
#include "util/text/name_match.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// An error if `base` cannot be compared with these options.
absl::Status CheckBase(views::View view, const options::Options& options,
                       const Base& base) {
  const profile::Profile& profile = base.opened->profile();
  const int64_t step = options.view.step;
  if (step >= 0 && profile.FindStep(step) == nullptr) {
    constexpr size_t kMaxSteps = 20;
    std::vector<int64_t> steps;
    for (const auto& known : profile.steps()) {
      if (known->listed && steps.size() < kMaxSteps) steps.push_back(known->id);
    }
    return absl::NotFoundError(fmt::format(
        "the base {} has no step {}; it has {}", base.name, step,
        steps.empty() ? "none" : fmt::format("{}", fmt::join(steps, " "))));
  }
  if (view == views::View::kCode && !profile.graph().has_code_traces) {
    return absl::FailedPreconditionError(fmt::format(
        "the base {} has no code traces; load its op log too", base.name));
  }
  if (compare::ComparedValues(options.view.select).empty()) {
    return absl::InvalidArgumentError(
        "a comparison needs a column of numbers: -select micros, bytes, "
        "params …; 'base none' ends the comparison");
  }
  return absl::OkStatus();
}

constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();

constexpr std::string_view kFoldedNote =
    "Note: frames of libraries are part of the lines that called them; "
    "-frames all shows them";

tables::Answer DiffAnswer(views::View view, const Command& command,
                          Workspace& workspace) {
  const options::Options& options = command.options;
  const std::shared_ptr<const Base> base = workspace.base;
  absl::Status comparable = CheckBase(view, options, *base);
  if (comparable.ok()) {
    comparable = options::CheckOutput(options.output, options::kAnswerOutput,
                                      command.info->name);
  }
  if (!comparable.ok()) return tables::ErrorAnswer(comparable);
  tables::Answer kept;
  views::ViewOptions shown = options.Rows();
  shown.fold_libraries = FoldsLibraries(view, options);
  const compare::Diff& diff = kept.Keep(compare::DiffViews(
      view, base->opened->views, workspace.views(), shown,
      options.order.has_value() ? compare::DiffOrder::kOptions
                                : compare::DiffOrder::kChange));
  tables::Answer answer =
      tables::TableAnswer(compare::DiffTable(diff, base->name));
  answer.cut_to_window = true;
  answer.owned = std::move(kept.owned);
  answer.owned.push_back(base);
  if (shown.fold_libraries) answer.notes.emplace_back(kFoldedNote);
  if (options.view.account_displayed_only) {
    answer.notes.emplace_back(
        "Note: a comparison ignores account_displayed_op_only");
  }
  return answer;
}

// The explanations that the reference prints before a report, without its
// headings.
std::string Introduction(std::string_view prefix) {
  std::string lines;
  while (!prefix.empty()) {
    const size_t end = std::min(prefix.find('\n'), prefix.size());
    const std::string_view line = prefix.substr(0, end);
    if (!line.empty() && line != "Doc:" && line != "Profile:") {
      lines += fmt::format("{}\n", line);
    }
    prefix.remove_prefix(std::min(end + 1, prefix.size()));
  }
  return lines;
}

// Data has all rows, in any of its formats.
bool HasAllRows(const options::Options& options) {
  const options::OutputSpec::Type type = options.output.type;
  return !options.max_depth.has_value() &&
         (type == options::OutputSpec::Type::kJson ||
          type == options::OutputSpec::Type::kNdjson ||
          type == options::OutputSpec::Type::kCsv);
}

// Some profiles have only other records, such as compilations.
std::string NoOperationsNote(const profile::Profile& profile) {
  if (profile.nodes().size() > 0) return "";
  std::string records;
  for (const profile::Profile::TableSize& table : profile.OptionalTables()) {
    records += fmt::format("{}{} {}{}", records.empty() ? "" : ", ", table.rows,
                           table.one, table.rows == 1 ? "" : "s");
  }
  return records.empty() ? ""
                         : fmt::format(
                               "This profile has no operations. It has "
                               "{}; overview names their commands.",
                               records);
}

tables::Answer ReportAnswer(views::View view, const Command& command,
                            Workspace& workspace) {
  const options::Options& options = command.options;
  tables::Answer kept;
  std::optional<accounting::Stat> largest;
  views::ViewOptions shown =
      ForReading(view, options, workspace.views(), largest);
  if (HasAllRows(options)) {
    shown.max_depth = kMostRows;
  } else if (options.limit && !options.max_depth && view == views::View::kOp) {
    // The reference shows one row more than its -max_depth.
    shown.max_depth = static_cast<int32_t>(
        std::clamp<int64_t>(*options.limit - 1, 0, kMostRows));
  }
  const views::Report& report = kept.Keep(workspace.views().Show(view, shown));
  const profile::TensorSource* tensors = workspace.opened->loaded.tensors.get();
  tables::Answer answer =
      tables::TableAnswer(tables::ReportTable(report, tensors));
  answer.owned = std::move(kept.owned);
  answer.cut_to_window = true;
  answer.introduction = Introduction(exporters::ReportPrefix(
      view, options.view.select, workspace.profile().graph()));
  answer.reference_form = "text";
  const auto warnings = std::make_shared<std::vector<std::string>>();
  answer.forms.push_back(
      {"text",
       [&report, tensors, warnings](const tables::TextLook&, util::Sink& sink) {
         exporters::WriteText(
             report, tensors,
             [&](std::string_view line) { warnings->emplace_back(line); },
             sink);
       }});
  answer.forms.push_back(
      {"proto", [&report, tensors](const tables::TextLook&, util::Sink& sink) {
         exporters::WriteReportProto(report, tensors, sink);
       }});
  if (largest) {
    AddReadingForms(report, *largest, command, answer);
    std::vector<std::string> notes = {NoOperationsNote(workspace.profile())};
    if (*largest == accounting::kMicros) {
      notes.push_back(inspect::SumNote(report, workspace.views()));
    }
    if (*largest == accounting::kMicros ||
        *largest == accounting::kAcceleratorMicros) {
      notes.push_back(inspect::ReplayNote(workspace.views().profile()));
    }
    for (std::string& note : notes) {
      if (!note.empty()) answer.notes.push_back(std::move(note));
    }
  } else if (shown.fold_libraries && report.code->folded > 0) {
    answer.notes.emplace_back(kFoldedNote);
  }
  // Only values of tensors can give warnings.
  if (options.view.select.Has(views::Field::kTensorValue)) {
    answer.met = [warnings] { return std::exchange(*warnings, {}); };
  }
  if (view == views::View::kCode && options.view.account_displayed_only) {
    answer.notes.emplace_back(kCodeIgnoresDisplayedOnly);
  }
  return answer;
}

// Shows the rows of the name that is the argument of `command`; without such a
// row, those that have it in their names. False: there is none either.
bool FilterByName(Command& command, Workspace& workspace) {
  const std::string_view name = command.first_argument();
  views::ViewOptions& options = command.options.view;
  // Hidden rows count for -max_depth in op.
  if (!command.options.max_depth) command.options.max_depth = kMostRows;
  options.show_names = {util::PatternOfName(name)};
  const auto shows = [&](auto wanted) {
    const views::Report report =
        workspace.views().Show(*command.info->view, command.options.Rows());
    return std::any_of(report.rows.begin(), report.rows.end(), wanted);
  };
  if (shows([&](const views::Report::Row& row) { return row.name == name; })) {
    return true;
  }
  options.show_names = {util::PatternOfPart(name)};
  return shows([&](const views::Report::Row& row) {
    return util::NameMatches(row.name, name);
  });
}

tables::Answer RunView(const Command& asked, Workspace& workspace) {
  Command command = asked;
  const views::View view = *command.info->view;
  const bool found =
      command.arguments.empty() || FilterByName(command, workspace);
  if (workspace.base == nullptr &&
      (view != views::View::kCode ||
       workspace.profile().graph().has_code_traces)) {
    command.options.view.select =
        SelectBytesOnly(view, command.options, workspace.views());
  }
  const options::Options& options = command.options;
  std::vector<std::string> notes = ViewNotes(workspace, options.view);
  if (!found) {
    const std::string hint = KnownWordHint(command.first_argument());
    notes.push_back(fmt::format("nothing has \"{}\" in its name{}{}",
                                util::SafeText(command.first_argument()),
                                hint.empty() ? "" : "; ", hint));
  }
  for (std::string& note : OutsideNotes(workspace, options.view.step)) {
    notes.push_back(std::move(note));
  }
  tables::Answer answer;
  if (view == views::View::kCode) {
    for (std::string& note : GradientNotes(workspace)) {
      notes.push_back(std::move(note));
    }
  }
  if (view == views::View::kCode &&
      !workspace.profile().graph().has_code_traces) {
    answer = tables::ErrorAnswer(
        absl::FailedPreconditionError("No code trace information"));
  } else if (workspace.base != nullptr) {
    answer = DiffAnswer(view, command, workspace);
  } else if (options.output.type == options::OutputSpec::Type::kPprof) {
    answer = PprofAnswer(view, options, workspace);
  } else if (options.output.type == options::OutputSpec::Type::kTimeline) {
    answer = TimelineAnswer(view, options, workspace);
  } else {
    answer = ReportAnswer(view, command, workspace);
  }
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  return answer;
}

constexpr unsigned kViewOptions =
    options::kRowOptions | options::kNameOptions | options::kStepOption |
    options::kOrderOption | options::kTypesOption | options::kFlopsOption |
    options::kOutputOptions | options::kColorOption;
constexpr unsigned kViewOutputs =
    options::kAnswerOutput | options::kTraceOutput | options::kProtoOutput;

}  // namespace

extern constinit const CommandInfo kScopeCommand = {
    .name = "scope",
    .arguments = "[NAME|N]",
    .max_arguments = 1,
    .help = "The profile by name scopes: the layers of the model as a tree.",
    .answers =
        "Which layers take the time, the memory, the parameters? Names form a "
        "tree of scopes, as paths form a tree of folders; a row is the sum of "
        "all nodes below it.",
    .examples = {"scope -max_depth 3 -order_by micros",
                 "scope -account_type_regexes _trainable_variables -select "
                 "params"},
    .options = kViewOptions | options::kDisplayedOnly,
    .outputs = kViewOutputs,
    .view = views::View::kScope,
    .filters = true,
    .run = RunView};

extern constinit const CommandInfo kGraphCommand = {
    .name = "graph",
    .arguments = "[NAME|N]",
    .max_arguments = 1,
    .help = "The profile by the graph: each operation above its inputs.",
    .answers =
        "What does an operation wait for? A row's children are the operations "
        "that it reads from. With -output timeline, when did each of them run?",
    .examples = {"graph -max_depth 4 -select micros,device",
                 "graph -step -1 -output timeline:outfile=trace.json"},
    .options = kViewOptions | options::kDisplayedOnly,
    .outputs = kViewOutputs,
    .view = views::View::kGraph,
    .filters = true,
    .run = RunView};

extern constinit const CommandInfo kCodeCommand = {
    .name = "code",
    .arguments = "[NAME|N]",
    .max_arguments = 1,
    .help =
        "The profile by the lines of Python that created the operations (needs "
        "their call stacks).",
    .answers =
        "Which lines of Python created the expensive operations? Needs the "
        "call "
        "stacks of an op log or of a ProfileProto.",
    .examples = {"code -max_depth 5 -order_by micros",
                 "code -select bytes -order_by bytes -max_depth 3"},
    .options = kViewOptions | options::kFramesOption | options::kShareOptions,
    .outputs = kViewOutputs,
    .view = views::View::kCode,
    .filters = true,
    .run = RunView};

extern constinit const CommandInfo kOpCommand = {
    .name = "op",
    .arguments = "[NAME|N]",
    .max_arguments = 1,
    .help = "The profile by the type of operation.",
    .answers =
        "Which kinds of operations are the most expensive, and how many of "
        "them are there?",
    .examples = {"op -order_by micros -select micros,occurrence -max_depth 9",
                 "op -select micros,bytes,device -order_by bytes -min_bytes "
                 "1"},
    .options = kViewOptions | options::kDisplayedOnly,
    .outputs = kViewOutputs,
    .view = views::View::kOp,
    .filters = true,
    .run = RunView};

}  // namespace tfprof::commands
