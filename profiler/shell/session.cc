#include "profiler/shell/session.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "exporters/formats/pprof_full.h"
#include "exporters/reference/pprof.h"
#include "exporters/reference/text.h"
#include "exporters/reference/timeline.h"
#include "fmt/format.h"
#include "profiler/commands/advise.h"
#include "profiler/shell/deliver.h"
#include "profiler/commands/convert.h"
#include "profiler/shell/data_output.h"
#include "profiler/commands/flops_text.h"
#include "profiler/commands/help.h"
#include "profiler/commands/load_messages.h"
#include "profiler/shell/long_work.h"
#include "profiler/commands/status.h"
#include "profiler/shell/suggest.h"
#include "profiler/options/words.h"
#include "tables/report_table.h"
#include "util/gzip.h"
#include "util/sink.h"
#include "util/stop.h"
#include "util/text_layout.h"
#include "views/regex_list.h"

namespace tfprof {
namespace {

std::string Spell(const absl::Status& status) {
  return fmt::format("{}: {}", absl::StatusCodeToString(status.code()),
                     std::string(status.message()));
}

// An answer of one text, "" for none.
DataTable WordTable(std::string_view kind, std::string_view column,
                    const std::string& word) {
  DataTable table;
  table.kind = kind;
  table.columns = {{.name = std::string(column), .title = std::string(column)}};
  table.num_rows = table.total_rows = 1;
  table.cells = [word](size_t, std::vector<DataCell>& cells) {
    cells.assign(1, word.empty() ? DataCell() : DataCell(word));
  };
  return table;
}

// A row for each command.
DataTable CommandsTable() {
  DataTable table;
  table.kind = "help";
  table.columns = {{.name = "command", .title = "command"},
                   {.name = "arguments", .title = "arguments", .rank = 1},
                   {.name = "where", .title = "where", .rank = 2},
                   {.name = "options", .title = "options", .rank = 3},
                   {.name = "help", .title = "help", .prose = true}};
  table.num_rows = table.total_rows = CommandTable().size();
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    const CommandInfo& command = CommandTable()[row];
    std::vector<std::string_view> options;
    for (const Option& option : OptionTable()) {
      if (Uses(command, option)) options.push_back(option.name);
    }
    cells = {TextCell(command.name), TextCell(command.arguments),
             TextCell(command.one_shot ? "program" : "shell"),
             TextCell(fmt::format("{}", fmt::join(options, " "))),
             TextCell(command.help)};
  };
  return table;
}

// Text as -output says, to its file or to stdout.
absl::Status WriteWords(std::string_view text, const Command& command, Ui& ui) {
  using Type = OutputSpec::Type;
  const OutputSpec& output = command.options.output;
  const absl::Status known = CheckOutput(command);
  if (!known.ok() || output.type == Type::kNone) return known;
  if (output.type != Type::kStdout && !output.outfile().empty()) {
    return WriteFile(output.outfile(), text);
  }
  ui.out().Write(text);
  ui.Flush();
  return absl::OkStatus();
}

constexpr std::string_view kStars =
    "\n******************************************************\n";

}  // namespace

Session::Session(Loaded loaded, Options defaults, Ui& ui)
    : loaded_(std::move(loaded)),
      views_(loaded_.profile),
      defaults_(std::move(defaults)),
      ui_(ui),
      navigator_(loaded_, views_, ui_) {}

absl::Status Session::Fail(absl::Status status, std::string_view text) {
  ui_.Error(agent_ ? ErrorJson(status) : fmt::format("{}\n", text));
  return status;
}

absl::Status Session::Refuse(std::string_view text) {
  if (StopRequested()) return absl::CancelledError("stopped");
  return Fail(absl::FailedPreconditionError(std::string(text)), text);
}

absl::Status Session::Tell(const absl::Status& status) {
  if (StopRequested()) return absl::CancelledError("stopped");
  return status.ok() ? status : Fail(status, Spell(status));
}

void Session::Hint(std::string_view text) {
  if (ui_.interactive() && !text.empty()) ui_.Error(fmt::format("{}\n", text));
}

void Session::HintNames(const Report& report) {
  const bool empty = report.rows.size() <= (report.view == View::kOp ? 0 : 1);
  if (empty && ui_.interactive() && !agent_ && !StopRequested()) {
    Hint(SuggestNames(report.view, report.options, Names()));
  }
}

NameIndex& Session::Names() {
  if (!names_) names_.emplace(loaded_.profile);
  return *names_;
}

Completion Session::Complete(std::string_view line) {
  NameIndex& names = Names();
  // Who completes once completes again.
  names.Prepare();
  return tfprof::Complete(line, {.names = &names, .scope = navigator_.Scope()});
}

absl::Status Session::RunLine(std::string_view line) {
  ClearStop();
  const absl::Status status = RunDirected(line);
  if (!StopRequested()) return status;
  ui_.Error("\nStopped.\n");
  return absl::CancelledError("stopped");
}

absl::Status Session::RunDirected(std::string_view line) {
  const absl::StatusOr<Redirection> redirection = SplitRedirection(line);
  if (!redirection.ok()) {
    agent_ = defaults_.agent;
    return Fail(redirection.status(), "E: " + Spell(redirection.status()));
  }
  return redirection->kind == Redirection::Kind::kNone
             ? RunWords(line)
             : RunRedirected(*redirection);
}

absl::Status Session::RunRedirected(const Redirection& redirection) {
  absl::StatusOr<std::unique_ptr<RedirectionTarget>> target =
      OpenRedirection(redirection);
  if (!target.ok()) return Tell(target.status());
  ui_.Flush();
  ui_.Redirect(&(*target)->sink());
  const absl::Status status = RunWords(redirection.line);
  ui_.Redirect(nullptr);
  const absl::Status closed = (*target)->Close(status.ok());
  return status.ok() ? Tell(closed) : status;
}

absl::Status Session::RunWords(std::string_view line) {
  if (line.empty()) {
    ui_.out().Write(FormatOptions(defaults_));
    ui_.Flush();
    return absl::OkStatus();
  }
  const std::vector<std::string> words = SplitWords(line);
  // A line of blanks, or a comment: nothing to do.
  if (words.empty()) return absl::OkStatus();
  const absl::StatusOr<Command> command = ParseCommand(words, defaults_);
  if (!command.ok()) {
    agent_ = defaults_.agent;
    const absl::Status failed =
        Fail(command.status(), "E: " + Spell(command.status()));
    if (!agent_) Hint(SuggestForLine(words));
    return failed;
  }
  return Run(*command);
}

absl::Status Session::Run(const Command& command) {
  agent_ = command.options.agent;
  switch (command.info->id) {
    case CommandId::kScope:
      return RunView(View::kScope, command);
    case CommandId::kGraph:
      return RunView(View::kGraph, command);
    case CommandId::kCode:
      return RunView(View::kCode, command);
    case CommandId::kOp:
      return RunView(View::kOp, command);
    case CommandId::kAdvise:
      return Advise(command);
    case CommandId::kSet:
      defaults_ = command.options;
      return absl::OkStatus();
    case CommandId::kHelp:
      return Help(command);
    case CommandId::kPlace: {
      const std::string where = navigator_.Where();
      return TellWord(command, "place", where, where + "\n");
    }
    case CommandId::kStatus:
      return Status(command);
    case CommandId::kLoad: {
      LoadRequest inputs;
      inputs.files = command.arguments;
      inputs.max_memory = inputs_.max_memory;
      return Open(inputs);
    }
    case CommandId::kReload:
      return Open(LoadRequest(inputs_));
    case CommandId::kSave:
      return Convert(
          {.type = ConvertSpec::Type::kProfile, .path = command.arguments[0]},
          loaded_.profile, ui_);
    case CommandId::kBase:
      return ChooseBase(command);
    case CommandId::kCheck:
      return Refuse(
          "check is for the command line: tfprof check BASE NEW --fail-if "
          "RULE. "
          "Here, 'base FILE' compares.");
    case CommandId::kConvert:
      return Convert(command.options.convert, loaded_.profile, ui_);
    case CommandId::kExit:
      done_ = true;
      return absl::OkStatus();
    default:
      return Navigate(command);
  }
  return absl::OkStatus();
}

void Session::WarnOfRegexes(const ViewOptions& options) {
  for (const RegexPatterns* patterns :
       {&options.account_types, &options.start_names, &options.trim_names,
        &options.show_names, &options.hide_names}) {
    for (const std::string& pattern : *patterns) {
      const std::string error = RegexError(pattern);
      if (!error.empty()) {
        ui_.Error(fmt::format(
            "'{}' is no regular expression and matches nothing: {}\n", pattern,
            error));
      }
    }
  }
}

void Session::NoteGradients() {
  if (told_gradients_) return;
  told_gradients_ = true;
  const int64_t lost = views_.code().lost_gradients;
  if (lost > 0) {
    ui_.Error(fmt::format("{} gradient nodes not accounted\n", lost));
  }
}

// Figures that are not the inputs' own say so, once for each source.
void Session::NoteFlops(const ViewOptions& options) {
  if (options.flops == told_flops_) return;
  told_flops_ = options.flops;
  if (options.flops != FlopsSource::kAuto &&
      options.flops != FlopsSource::kGraph) {
    return;
  }
  ViewContext& context = views_.context();
  ui_.Error(DescribeFlops(options.flops, context.FloatOps(options.flops)));
}

absl::Status Session::CheckStep(int64_t step) {
  if (step < 0 || loaded_.profile.FindStep(step) != nullptr) {
    return absl::OkStatus();
  }
  // The reference lists all; of very many, the first do.
  constexpr size_t kMaxBytes = 10000;
  std::string steps;
  for (const auto& known : loaded_.profile.steps()) {
    if (known->listed) steps += fmt::format("{} ", known->id);
    if (steps.size() > kMaxBytes) {
      steps += "… ";
      break;
    }
  }
  return Refuse(fmt::format("Options -step={} not found.\nAvailable steps: {}",
                            step, steps));
}

absl::Status Session::RunView(View view, const Command& command) {
  const Options& options = command.options;
  const absl::Status found = CheckStep(options.view.step);
  if (!found.ok()) return found;
  WarnOfRegexes(options.view);
  NoteFlops(options.view);
  if (view == View::kCode) {
    NoteGradients();
    if (!loaded_.profile.graph().has_code_traces) {
      return Refuse("No code trace information");
    }
  }
  if (base_ != nullptr) {
    return Tell(ShowDiff(view, command, *base_, views_, ui_));
  }
  switch (options.output.type) {
    case OutputSpec::Type::kJunit:
      return Refuse("Only 'check' has junit output.");
    case OutputSpec::Type::kPprof:
      if (options.output.full_pprof()) return WriteFullPprof(view, options);
      if (view != View::kCode) {
        return Refuse("Only 'code' view supports pprof output now.");
      }
      return WritePprof(options);
    case OutputSpec::Type::kTimeline:
      if (view == View::kOp) {
        return Refuse(
            "op view doesn't support timeline yet. Consider graph/scope/code "
            "view.");
      }
      return WriteTimelines(view, options);
    default:
      return ShowReport(view, command);
  }
}

absl::Status Session::ShowReport(View view, const Command& command) {
  const Options& options = command.options;
  if (view == View::kCode && options.view.account_displayed_only) {
    ui_.Error("Note: code view ignores account_displayed_op_only\n");
  }
  const Report report = views_.Show(view, options.view);
  const auto warn = [this](std::string_view line) {
    ui_.Error(fmt::format("{}\n", line));
  };
  const auto format = DataFormatOf(options.output.type);
  if (format.has_value() || HasOtherDefault(options, ui_)) {
    DataTable table = ReportTable(report, loaded_.tensors.get());
    AddCommand(command, &table.facts);
    if (format.has_value()) return Tell(WriteAs(*format, table, options, ui_));
    WriteDefault(table, command,
                 options.agent
                     ? ""
                     : Introduction(ReportPrefix(
                           view, options.view.select,
                           loaded_.profile.graph().misses_accelerator_stream)),
                 ui_);
    HintNames(report);
    return absl::OkStatus();
  }
  const bool to_file = options.output.type == OutputSpec::Type::kFile ||
                       (options.output.type == OutputSpec::Type::kText &&
                        !options.output.outfile().empty());
  if (to_file) {
    return Tell(WriteFile(options.output.outfile(), [&](Sink& file) {
      WriteText(report, loaded_.tensors.get(), warn, file);
      return absl::OkStatus();
    }));
  }
  if (options.output.type == OutputSpec::Type::kNone) {
    // The messages are what is wanted, and only values have some. Not kept: the
    // text of a deep tree is quadratic in its depth.
    if (options.view.select.Has(Field::kTensorValue)) {
      NullSink nowhere;
      WriteText(report, loaded_.tensors.get(), warn, nowhere);
    }
    return absl::OkStatus();
  }
  WriteText(report, loaded_.tensors.get(), warn, ui_.out());
  ui_.Flush();
  HintNames(report);
  return absl::OkStatus();
}

absl::Status Session::WriteTimelines(View view, const Options& options) {
  // Real time has no average: all steps, one file each.
  if (view != View::kGraph || options.view.step >= 0) {
    return WriteTimeline(view, options);
  }
  for (const auto& step : loaded_.profile.steps()) {
    if (!step->listed) continue;
    Options of_step = options;
    of_step.view.step = step->id;
    const absl::Status status = WriteTimeline(view, of_step);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Session::WriteTimeline(View view, const Options& options) {
  const int64_t step = options.view.step;
  const Step* data = loaded_.profile.FindStep(step);
  if (view == View::kGraph && data != nullptr && data->aggregated) {
    return Refuse(fmt::format(
        "Step {} has no single executions: --max_memory dropped them.", step));
  }
  const std::string path = fmt::format("{}_{}", options.output.outfile(), step);
  if (view == View::kCode && options.view.account_displayed_only) {
    ui_.Error("Note: code view ignores account_displayed_op_only\n");
  }
  const Report report = views_.Show(view, options.view);
  TimelineResult result;
  const absl::Status written = WriteFileWithBar(path, [&](Sink& file) {
    if (view == View::kGraph) ui_.out().Write("generating trace file.\n");
    result = view == View::kGraph ? WriteGraphTimeline(report, step, file)
                                  : WriteNestedTimeline(report, file);
    return absl::OkStatus();
  });
  for (const std::string& line : result.peak_lines) ui_.out().Write(line);
  if (!written.ok()) {
    return Refuse(fmt::format("Failed to write timeline file: {}\nError: {}",
                              path, Spell(written)));
  }
  if (result.over_200mb) {
    ui_.Error(
        "Trace file is over 200MB. Chrome might not be able to display it. "
        "Consider to use filters (e.g. -min_micros > 1000 or -op_type "
        ".*gpu:0.* to reduce the size.\n");
  }
  ui_.out().Write(fmt::format(
      "{}Timeline file is written to {}.\nOpen a Chrome browser, enter URL "
      "chrome://tracing and load the timeline file.{}",
      kStars, path, kStars));
  ui_.Flush();
  return absl::OkStatus();
}

absl::Status Session::WritePprof(const Options& options) {
  const FieldSet select = options.view.select;
  if (select.size() != 1) {
    return Refuse("Can only select 1 attribute for pprof output.");
  }
  Field field = Field::kMicros;
  for (int f = 0; f < kNumFields; ++f) {
    if (select.Has(static_cast<Field>(f))) field = static_cast<Field>(f);
  }
  if (!PprofSupports(field)) {
    return Refuse(
        fmt::format("pprof doesn't support -select={}", FieldName(field)));
  }
  if (options.view.account_displayed_only) {
    ui_.Error("Note: code view ignores account_displayed_op_only\n");
  }
  const Report report = views_.Show(View::kCode, options.view);
  const std::string path = options.output.outfile();
  const absl::Status written =
      WriteFileWithBar(path, [&](Sink& file) -> absl::Status {
        const auto encoded = EncodePprof(report, field, *report.node_stats);
        if (!encoded.ok()) return encoded.status();
        return GzipCompress(*encoded, file);
      });
  if (!written.ok()) return Tell(written);
  ui_.out().Write(fmt::format(
      "\nRun pprof -png --nodecount=100 --sample_index=1 <{}>\n", path));
  ui_.Flush();
  return absl::OkStatus();
}

absl::Status Session::WriteFullPprof(View view, const Options& options) {
  const FieldSet select = options.view.select;
  for (int f = 0; f < kNumFields; ++f) {
    const auto field = static_cast<Field>(f);
    if (select.Has(field) && !FullPprofSupports(field)) {
      return Refuse(
          fmt::format("pprof doesn't support -select={}", FieldName(field)));
    }
  }
  if (select.size() == 0) {
    return Refuse("Select at least 1 attribute for pprof output.");
  }
  if (view == View::kCode && options.view.account_displayed_only) {
    ui_.Error("Note: code view ignores account_displayed_op_only\n");
  }
  const Report report = views_.Show(view, options.view);
  const std::string path = options.output.outfile();
  std::string default_type;
  const absl::Status written =
      WriteFileWithBar(path, [&](Sink& file) -> absl::Status {
        const auto encoded = EncodeFullPprof(report, select);
        if (!encoded.ok()) return encoded.status();
        default_type = encoded->default_type;
        return GzipCompress(encoded->message, file);
      });
  if (!written.ok()) return Tell(written);
  ui_.out().Write(
      fmt::format("\nRun pprof -png --nodecount=100 --sample_index={} <{}>\n",
                  default_type, path));
  ui_.Flush();
  return absl::OkStatus();
}

absl::Status Session::Advise(const Command& command) {
  NoteGradients();
  return Tell(RunAdvise(Checkers(), command, views_, ui_));
}

absl::Status Session::ChooseBase(const Command& command) {
  const std::vector<std::string>& words = command.arguments;
  if (words.empty()) {
    const std::string name = base_ == nullptr ? "" : base_->name();
    return TellWord(command, "base", name,
                    name.empty() ? "There is no base.\n"
                                 : fmt::format("The base is {}.\n", name));
  }
  if (words.size() == 1 && words[0] == "none") {
    base_ = nullptr;
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<Base>> base =
      Base::Load(words, /*max_memory=*/0, ui_);
  if (!base.ok()) return Refuse(std::string(base.status().message()));
  base_ = *std::move(base);
  return absl::OkStatus();
}

absl::Status Session::Open(const LoadRequest& inputs) {
  absl::StatusOr<Loaded> loaded = LoadWithBar(inputs);
  if (!loaded.ok()) return Tell(loaded.status());
  TellLoading(*loaded, ui_);
  const std::string where = navigator_.Where();
  // It may still sort names of the old profile.
  names_.reset();
  loaded_ = *std::move(loaded);
  views_ = Views(loaded_.profile);
  inputs_ = inputs;
  told_gradients_ = false;
  told_flops_ = FlopsSource::kOpLog;
  // Who was in a scope that is there no more is at the root, and sees it.
  return Tell(navigator_.Return(where));
}

absl::Status Session::Navigate(const Command& command) {
  const absl::Status found = CheckStep(command.options.view.step);
  if (!found.ok()) return found;
  WarnOfRegexes(command.options.view);
  if (command.info->id != CommandId::kDoctor) NoteFlops(command.options.view);
  bool told = false;
  const absl::Status status = navigator_.Run(command, told);
  return told ? status : Tell(status);
}

std::string Session::Prompt() {
  const std::string where = navigator_.Where();
  return where == "/" ? "tfprof> " : fmt::format("tfprof {}> ", where);
}

std::string Session::Introduction(std::string_view text) {
  const size_t columns = ui_.screen().width;
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    // Its headings stand for nothing without the report of the reference.
    if (!line.empty() && line != "Doc:" && line != "Profile:" &&
        explained_.emplace(line).second) {
      AppendWrapped(line, 0, &lines, columns);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!lines.empty()) lines += '\n';
  return lines;
}

absl::Status Session::Status(const Command& command) {
  const OutputSpec::Type type = command.options.output.type;
  const bool plain = type == OutputSpec::Type::kText ||
                     (!DataFormatOf(type).has_value() &&
                      !HasOtherDefault(command.options, ui_));
  return Tell(plain ? WriteWords(StatusText(loaded_), command, ui_)
                    : WriteAnswer(StatusDocument(loaded_), command, ui_));
}

absl::Status Session::Help(const Command& command) {
  const bool general = command.arguments.empty();
  const Screen screen = ui_.screen();
  const bool shown = screen.terminal &&
                     command.options.output.type == OutputSpec::Type::kStdout;
  const size_t width = shown ? screen.width : 0;
  std::string text;
  if (general) {
    text = HelpText() + (ui_.interactive() ? MoreHelpText() : "");
    if (width > 0) text = FitLines(text, width, /*broken=*/false);
  } else {
    absl::StatusOr<std::string> found = HelpFor(command.arguments[0], width);
    if (!found.ok()) return Tell(found.status());
    text = *std::move(found);
  }
  const OutputSpec::Type type = command.options.output.type;
  if (type == OutputSpec::Type::kText) {
    return Tell(WriteWords(text, command, ui_));
  }
  if (!DataFormatOf(type).has_value()) {
    // As in the reference, whatever `set` left for reports.
    ui_.out().Write(text);
    ui_.Flush();
    return absl::OkStatus();
  }
  return Tell(
      WriteAnswer(general ? CommandsTable() : WordTable("help", "text", text),
                  command, ui_));
}

absl::Status Session::TellWord(const Command& command, std::string_view column,
                               const std::string& word,
                               const std::string& text) {
  if (DataFormatOf(command.options.output.type).has_value()) {
    return Tell(
        WriteAnswer(WordTable(command.info->name, column, word), command, ui_));
  }
  return Tell(WriteWords(text, command, ui_));
}

}  // namespace tfprof
