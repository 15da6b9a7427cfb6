// The command `explain`: why a step or an operation is slow.

#include "inspect/steps/explain.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "inspect/nodes/find_node.h"
#include "profiler/commands/commands.h"
#include "tables/writers/screen_writer.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// The question in the words of the command.
struct Request {
  int64_t step = -1;  // -1: not named
  std::string node;   // "": not named
};

// "13", "step13", "step 13" as one word, "slowest".
bool IsStep(std::string_view word) {
  constexpr std::string_view kStep = "step";
  if (word == "first" || word == "last" || word == "slowest") return true;
  if (word.starts_with(kStep)) word.remove_prefix(kStep.size());
  if (word.starts_with(' ')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

absl::StatusOr<Request> Parse(const Command& command, Workspace& workspace) {
  Request request;
  request.step = command.options.view.step;
  const std::vector<std::string>& words = command.arguments;
  if (words.empty()) return request;
  if (words.size() == 1 && words[0] != "step" && !IsStep(words[0])) {
    request.node = words[0];
    return request;
  }
  if (words.size() == 1 && words[0] != "step") {
    const absl::StatusOr<int64_t> step = StepNamed(words[0], workspace);
    if (!step.ok()) return step.status();
    request.step = *step;
    return request;
  }
  if (words.size() == 2 && words[0] == "step") {
    const absl::StatusOr<int64_t> step = StepNamed(words[1], workspace);
    if (absl::IsFailedPrecondition(step.status())) return step.status();
    if (step.ok() && *step >= 0) {
      request.step = *step;
      return request;
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("explain takes `step N`, or the name of a node, not \"{}\"; "
                  "`steps` lists "
                  "the steps, `top` the most expensive nodes",
                  util::SafeText(fmt::format("{}", fmt::join(words, " ")))));
}

// On a screen the commands stand below the table, in full: names in a narrow
// column are shortened, but a person must be able to type commands.
void AddScreen(tables::Answer& answer) {
  const auto document =
      std::make_shared<const tables::DataDocument>(answer.data);
  const auto write = [document](const tables::TextLook& look,
                                util::Sink& sink) {
    tables::DataDocument shown = *document;
    tables::DataTable& table = shown.parts.back().table;
    size_t see = table.columns.size();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name == inspect::kSeeColumn) see = c;
    }
    if (see == table.columns.size()) return;
    table.columns[see].data_only = true;
    tables::WriteScreen(shown, "", look, sink);
    std::vector<std::string> commands;
    std::vector<tables::DataCell> cells;
    for (size_t row = 0; row < table.num_rows; ++row) {
      table.cells(row, cells);
      const auto* command = std::get_if<std::string>(&cells[see]);
      if (command != nullptr && std::find(commands.begin(), commands.end(),
                                          *command) == commands.end()) {
        commands.push_back(*command);
      }
    }
    if (!commands.empty()) sink.Write("\nShown by:\n");
    for (const std::string& command : commands) {
      sink.Write(fmt::format("  {}\n", util::SafeText(command)));
    }
  };
  answer.forms.push_back({.name = "screen", .write = write, .safe = true});
  answer.own_form = "screen";
}

tables::Answer RunExplain(const Command& command, Workspace& workspace) {
  absl::StatusOr<Request> request = Parse(command, workspace);
  if (!request.ok()) return tables::ErrorAnswer(request.status());
  views::Views& views = workspace.views();
  profile::NodeId node = profile::kNone;
  if (!request->node.empty()) {
    const absl::StatusOr<profile::NodeId> found =
        inspect::FindNode(views, workspace.here, request->node);
    if (!found.ok()) return tables::ErrorAnswer(found.status());
    node = *found;
  }
  if (request->step < 0) {
    const absl::StatusOr<int64_t> chosen =
        node == profile::kNone ? inspect::StepToExplain(views)
                               : inspect::StepOfNode(views, node);
    if (!chosen.ok()) return tables::ErrorAnswer(chosen.status());
    request->step = *chosen;
  }
  const absl::Status exists = CheckStep(workspace.profile(), request->step);
  if (!exists.ok()) return tables::ErrorAnswer(exists);
  tables::Answer answer = node == profile::kNone
                              ? tables::DocumentAnswer(inspect::ExplainDocument(
                                    views, request->step))
                              : tables::TableAnswer(inspect::ExplainTable(
                                    views, request->step, node));
  AddScreen(answer);
  return answer;
}

}  // namespace

extern constinit const CommandInfo kExplainCommand = {
    .name = "explain",
    .arguments = "[step N|NODE]",
    .max_arguments = 2,
    .help =
        "Why a step or an operation is slow: step, device, operation, scope "
        "and line, each with its time and the command that shows it. Without "
        "an argument, the typical step.",
    .answers = "Why does this step, or this operation, take so long?",
    .examples = {"explain", "explain -output json"},
    .completes = options::Completes::kNode,
    .options = kTableOptions | options::kStepOption,
    .ignores_base = true,
    .run = RunExplain};

}  // namespace tfprof::commands
