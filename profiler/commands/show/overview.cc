// The command `overview`: a summary of the profile. `tfprof FILE` prints it
// before the prompt.

#include "inspect/pictures/overview.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "advisor/advice.h"
#include "advisor/checkers/registry.h"
#include "compare/comparison.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/advise.h"

namespace tfprof::commands {
namespace {

// Whether something that may be on purpose is worth a line of the first screen:
// it passed a threshold, as one operation with most of the time does. Other
// findings for information describe any profile.
bool StandsOut(const advisor::RankedFinding& ranked) {
  const advisor::Rule* rule =
      advisor::FindRule(*ranked.checker, ranked.finding->rule);
  return ranked.checker->kind == advisor::Checker::Kind::kAdvice &&
         rule != nullptr && !rule->threshold_option.empty();
}

inspect::OverviewAdvice AdviceFor(const Command& command,
                                  Workspace& workspace) {
  const advisor::CheckerValues& values = command.options.advice.values;
  const std::shared_ptr<const advisor::Advice> found =
      values.empty()
          ? AllAdvice(*workspace.opened)
          : std::make_shared<const advisor::Advice>(advisor::RunCheckers(
                {workspace.views(), workspace.opened->loaded.log},
                advisor::AdviceCheckers(advisor::Checkers()), values));
  const advisor::Advice& advice = *found;
  inspect::OverviewAdvice result;
  result.checkers = advice.sections.size();
  for (const advisor::Advice::Section& section : advice.sections) {
    result.lacking += !section.unjudged.empty();
  }
  const advisor::Finding* worst = nullptr;
  const advisor::Finding* next = nullptr;
  for (const advisor::RankedFinding& ranked : advisor::Rank(advice)) {
    const bool is_problem =
        ranked.finding->severity != advisor::Finding::Severity::kInfo;
    result.problems += is_problem;
    if (!is_problem && !StandsOut(ranked)) continue;
    if (worst == nullptr) {
      worst = ranked.finding;
    } else if (next == nullptr) {
      next = ranked.finding;
    }
  }
  if (worst == nullptr) return result;
  result.severity = advisor::SeverityName(worst->severity);
  result.rule = worst->rule;
  result.subject = worst->subject;
  result.text = worst->best_text();
  result.advice = worst->advice;
  result.evidence = worst->evidence;
  if (result.problems == 0 && next != nullptr) result.also = next->best_text();
  return result;
}

tables::Answer RunOverview(const Command& command, Workspace& workspace) {
  std::vector<inspect::OverviewInput> inputs;
  for (const loaders::Loaded::Source& source :
       workspace.opened->loaded.sources) {
    inputs.push_back({source.path, source.format});
  }
  tables::Answer kept;
  inspect::Overview made = inspect::MakeOverview(
      workspace.views(), std::move(inputs), AdviceFor(command, workspace));
  if (workspace.base != nullptr) {
    compare::Comparison comparison =
        compare::Compare(workspace.base->opened->views, workspace.views());
    made.base = {.name = workspace.base->name,
                 .verdict = std::string(VerdictName(comparison.verdict)),
                 .text = std::move(comparison.text),
                 .because = std::move(comparison.because)};
    made.next[0] = {.command = "diff", .why = "what changed, in full"};
  }
  const inspect::Overview& overview = kept.Keep(std::move(made));
  tables::Answer answer =
      tables::DocumentAnswer(inspect::OverviewDocument(overview));
  answer.owned = std::move(kept.owned);
  answer.owned.push_back(workspace.opened);
  answer.forms.push_back(
      {.name = "text",
       .write =
           [&overview](const tables::TextLook& look, util::Sink& sink) {
             sink.Write(inspect::OverviewText(overview, look));
           },
       .safe = true});
  answer.reference_form = answer.own_form = "text";
  return answer;
}

}  // namespace

extern constinit const CommandInfo kOverviewCommand = {
    .name = "overview",
    .help =
        "What the profile shows at first sight: steps, devices, operations, "
        "memory, the worst problem, and what to ask next.",
    .answers =
        "What is in this file, what takes the time of a step, and where do I "
        "look first?",
    .examples = {"overview", "overview -output json"},
    .options = kTableOptions | options::kThresholdOptions |
               options::kCommunicationOption,
    .run = RunOverview};

}  // namespace tfprof::commands
