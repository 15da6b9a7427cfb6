#include "profiler/advise.h"

#include <string>
#include <utility>

#include "advisor/advice.h"
#include "advisor/advice_answer.h"
#include "profiler/answer.h"
#include "profiler/data_output.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

}  // namespace

absl::Status RunAdvise(CheckerRegistry registry, const Command& command,
                       const CheckerInput& input, Ui& ui) {
  const AdviceOptions& options = command.options.advice;
  const OutputSpec& output = command.options.output;
  const bool all = !command.arguments.empty();
  const auto format = DataFormatOf(output.type);
  const bool for_agent = command.options.agent && output.type == Type::kStdout;
  const bool as_data = format.has_value() || for_agent;
  const bool plain = !all && !as_data && options.checkers.empty() &&
                     options.values.empty() && output.type != Type::kText &&
                     output.type != Type::kJunit;
  const absl::Status known = CheckOutput(command);
  if (!plain && !known.ok()) return known;
  Advice advice = RunCheckers(input,
                              !options.checkers.empty() ? options.checkers
                              : all ? AdviceCheckers(registry)
                                    : ReferenceCheckers(registry),
                              options.values);
  Answer answer =
      AdviceAnswer(std::move(advice),
                   all ? AdviceOrder::kWorstFirst : AdviceOrder::kByChecker);
  for (const std::string& note : answer.notes) ui.Error(note + "\n");
  Command written_as = command;
  // The reference writes its advice to stdout, whatever `set` left.
  if (plain) written_as.options.output = OutputSpec();
  const absl::Status written = WriteAnswer(std::move(answer), written_as, ui);
  if (!written.ok()) return written;
  if (!all && !as_data && options.checkers.empty()) {
    const std::string more = DescribeFurther(
        RunCheckers(input, FurtherCheckers(registry), options.values));
    if (!more.empty()) ui.Error(more + "\n");
  }
  return absl::OkStatus();
}

}  // namespace tfprof
