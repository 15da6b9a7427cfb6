#include "profiler/commands/show/advise.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "advisor/advice.h"
#include "advisor/advice_answer.h"
#include "advisor/checkers/registry.h"
#include "profiler/commands/commands.h"
#include "tables/writers/answer_writer.h"

namespace tfprof {

Answer Advise(CheckerRegistry registry, const Command& command,
              Workspace& workspace) {
  using Type = OutputSpec::Type;
  const AdviceOptions& options = command.options.advice;
  const OutputSpec& output = command.options.output;
  const bool all = !command.arguments.empty();
  const bool as_data = FindAnswerFormat(FindOutput(output.type).name) ||
                       (command.options.agent && output.type == Type::kStdout);
  const bool plain = !all && !as_data && options.checkers.empty() &&
                     options.values.empty() && output.type != Type::kText;
  if (!plain) {
    const absl::Status known =
        CheckOutput(output, kAnswerOutput | kProtoOutput, command.info->name);
    if (!known.ok()) return ErrorAnswer(known);
  }
  std::vector<std::string> notes = GradientNotes(workspace);
  const std::shared_ptr<OpenProfile> opened = workspace.opened;
  const CheckerInput input = {opened->views, opened->loaded.log};
  Answer answer =
      AdviceAnswer(RunCheckers(input,
                               !options.checkers.empty() ? options.checkers
                               : all ? AdviceCheckers(registry)
                                     : ReferenceCheckers(registry),
                               options.values),
                   all ? AdviceOrder::kWorstFirst : AdviceOrder::kByChecker);
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  answer.ignores_output = plain;
  if (!all && !as_data && options.checkers.empty()) {
    answer.met = [registry, opened, values = options.values] {
      std::string more =
          DescribeFurther(RunCheckers({opened->views, opened->loaded.log},
                                      FurtherCheckers(registry), values));
      std::vector<std::string> lines;
      if (!more.empty()) lines.push_back(std::move(more));
      return lines;
    };
  }
  return answer;
}

namespace {

Answer RunAdvise(const Command& command, Workspace& workspace) {
  return Advise(Checkers(), command, workspace);
}

}  // namespace

extern constinit const CommandInfo kAdviseCommand = {
    .name = "advise",
    .arguments = "[all]",
    .max_arguments = 1,
    .help = "Judge the profile by rules, and say what to look at.",
    .answers =
        "What should I look at first? Checkers judge the profile by rules.",
    .examples = {"advise all", "advise -checkers OperationChecker"},
    .only_argument = "all",
    .options = kTableOptions | kAdviceOptions | kThresholdOptions |
               kCommunicationOption,
    // Plain advice ignores -output timeline and pprof, as the reference does.
    .outputs = kAnswerOutput | kTraceOutput | kProtoOutput,
    .ignores_base = true,
    .run = RunAdvise};

}  // namespace tfprof
