// The command `overview`: what a profile shows at first sight. `tfprof FILE`
// prints it before the prompt.

#include "inspect/overview.h"

#include <string>
#include <utility>
#include <vector>

#include "advisor/advice.h"
#include "advisor/checkers/registry.h"
#include "profiler/commands/rows.h"

namespace tfprof {
namespace {

OverviewAdvice AdviceFor(const Command& command, Workspace& workspace) {
  const Advice advice =
      RunCheckers({workspace.views(), workspace.opened->loaded.log},
                  AdviceCheckers(Checkers()), command.options.advice.values);
  OverviewAdvice result;
  result.checkers = advice.sections.size();
  for (const Advice::Section& section : advice.sections) {
    result.lacking += !section.unjudged.empty();
  }
  for (const RankedFinding& ranked : Rank(advice)) {
    const Finding& finding = *ranked.finding;
    if (finding.severity == Finding::Severity::kInfo) break;
    if (result.problems++ > 0) continue;
    result.severity = SeverityName(finding.severity);
    result.rule = finding.rule;
    result.text = finding.text;
    result.evidence = finding.evidence;
  }
  return result;
}

Answer RunOverview(const Command& command, Workspace& workspace) {
  std::vector<OverviewInput> inputs;
  for (const Loaded::Source& source : workspace.opened->loaded.sources) {
    inputs.push_back({source.path, source.format});
  }
  Answer kept;
  const Overview& overview = kept.Keep(MakeOverview(
      workspace.views(), std::move(inputs), AdviceFor(command, workspace)));
  Answer answer = DocumentAnswer(OverviewDocument(overview));
  answer.owned = std::move(kept.owned);
  answer.owned.push_back(workspace.opened);
  answer.forms.push_back({.name = "text",
                          .write =
                              [&overview](const TextLook& look, Sink& sink) {
                                sink.Write(OverviewText(overview, look));
                              },
                          .safe = true});
  answer.default_form = answer.screen_form = "text";
  return answer;
}

}  // namespace

constinit const CommandInfo kOverviewCommand = {
    .name = "overview",
    .help =
        "What the profile shows at first sight: steps, devices, operations, "
        "memory, the worst problem, and what to ask next.",
    .answers =
        "What is in this file, what takes the time of a step, and where do I "
        "look first?",
    .examples = {"overview", "overview -output json"},
    .options = kOutputOptions | kColorOption | kThresholdOptions,
    .ignores_base = true,
    .run = RunOverview};

}  // namespace tfprof
