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

namespace tfprof::commands {

std::shared_ptr<const advisor::Advice> AllAdvice(OpenProfile& opened) {
  if (opened.advice != nullptr) return opened.advice;
  auto advice = std::make_shared<const advisor::Advice>(
      advisor::RunCheckers({opened.views, opened.loaded.log},
                           advisor::AdviceCheckers(advisor::Checkers()), {}));
  // A question that was cancelled has the findings of some checkers.
  if (!opened.views.work().cancelled()) opened.advice = advice;
  return advice;
}

tables::Answer Advise(advisor::CheckerRegistry registry, const Command& command,
                      Workspace& workspace) {
  using Type = options::OutputSpec::Type;
  const advisor::AdviceOptions& options = command.options.advice;
  const options::OutputSpec& output = command.options.output;
  // -output text is what the reference writes.
  const bool reference =
      command.arguments.empty() &&
      (command.options.InReferenceForm() || output.type == Type::kText);
  const bool as_data =
      tables::FindAnswerFormat(options::FindOutput(output.type).name) ||
      (command.options.agent && output.type == Type::kStdout);
  const bool plain = reference && !as_data && options.checkers.empty() &&
                     options.values.empty() && output.type != Type::kText;
  if (!plain) {
    const absl::Status known = options::CheckOutput(
        output, options::kAnswerOutput | options::kProtoOutput,
        command.info->name);
    if (!known.ok()) return tables::ErrorAnswer(known);
  }
  std::vector<std::string> notes = GradientNotes(workspace);
  const std::shared_ptr<OpenProfile> opened = workspace.opened;
  const advisor::CheckerInput input = {opened->views, opened->loaded.log};
  const bool all = !reference && options.checkers.empty() &&
                   options.values.empty() &&
                   registry.data() == advisor::Checkers().data();
  tables::Answer answer = advisor::AdviceAnswer(
      all ? *AllAdvice(*opened)
          : advisor::RunCheckers(input,
                                 !options.checkers.empty() ? options.checkers
                                 : reference
                                     ? advisor::ReferenceCheckers(registry)
                                     : advisor::AdviceCheckers(registry),
                                 options.values),
      reference || (command.arguments.empty() && !options.checkers.empty())
          ? advisor::AdviceOrder::kByChecker
          : advisor::AdviceOrder::kWorstFirst);
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  answer.ignores_output = plain;
  if (reference && !as_data && options.checkers.empty()) {
    answer.met = [registry, opened, values = options.values] {
      std::string more = advisor::DescribeFurther(
          advisor::RunCheckers({opened->views, opened->loaded.log},
                               advisor::FurtherCheckers(registry), values));
      std::vector<std::string> lines;
      if (!more.empty()) lines.push_back(std::move(more));
      return lines;
    };
  }
  return answer;
}

namespace {

tables::Answer RunAdvise(const Command& command, Workspace& workspace) {
  return Advise(advisor::Checkers(), command, workspace);
}

}  // namespace

extern constinit const CommandInfo kAdviseCommand = {
    .name = "advise",
    .arguments = "[all]",
    .max_arguments = 1,
    .help = "Judge the profile by rules, and say what to look at.",
    .answers =
        "What should I look at first? Checkers judge the profile by rules.",
    .examples = {"advise", "advise -checkers OperationChecker"},
    .only_argument = "all",
    .options = kTableOptions | options::kAdviceOptions |
               options::kThresholdOptions | options::kCommunicationOption,
    // Plain advice ignores -output timeline and pprof, as the reference does.
    .outputs =
        options::kAnswerOutput | options::kTraceOutput | options::kProtoOutput,
    .ignores_base = true,
    .run = RunAdvise};

}  // namespace tfprof::commands
