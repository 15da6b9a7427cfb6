// The command `doctor`: whether a profile is good enough, and what its files
// would give away.

#include <string>
#include <utility>

#include "advisor/advice.h"
#include "advisor/checkers/registry.h"
#include "advisor/health_table.h"
#include "exporters/redact/redact.h"
#include "fmt/format.h"
#include "loaders/core/input_file.h"
#include "profiler/commands/commands.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// Adds what each file would give away to those who get it.
void AddSecrets(const loaders::Loaded& loaded,
                const util::Cancellation* cancellation,
                advisor::Advice& advice) {
  advisor::Advice::Section section = {.checker = nullptr};
  for (const loaders::Loaded::Source& source : loaded.sources) {
    const auto file = loaders::InputFile::Open(source.path, {}, cancellation);
    if (!file.ok()) continue;  // an input of several files
    const exporters::Redactor found = exporters::Look(**file, cancellation);
    if (found.total() == 0) continue;
    const bool secret =
        found.found(exporters::PrivateKind::kToken).count > 0 ||
        found.found(exporters::PrivateKind::kPrivateKey).count > 0 ||
        found.found(exporters::PrivateKind::kPassword).count > 0 ||
        found.found(exporters::PrivateKind::kVariable).count > 0;
    const std::string path = util::SafeText(source.path);
    section.findings.push_back(
        {.rule = "secrets",
         .severity = secret ? advisor::Finding::Severity::kWarning
                            : advisor::Finding::Severity::kInfo,
         .advice =
             fmt::format("before sharing it: tfprof redact {} -o NEW", path),
         .text = fmt::format("{} gives away {}", path,
                             util::SafeText(exporters::FoundText(found)))});
  }
  advice.sections.push_back(std::move(section));
}

tables::Answer RunDoctor(const Command& command, Workspace& workspace) {
  const loaders::Loaded& loaded = workspace.opened->loaded;
  loaders::ImportLog log = loaded.log;
  loaders::CheckStructure(loaded.unchecked, workspace.work.cancellation, log);
  advisor::Advice advice = advisor::RunCheckers(
      {workspace.views(), log}, advisor::HealthCheckers(advisor::Checkers()),
      command.options.advice.values);
  AddSecrets(loaded, workspace.work.cancellation, advice);
  tables::Answer answer = tables::TableAnswer(advisor::HealthTable(advice));
  if (const advisor::Finding* bad = advisor::FirstBad(advice)) {
    answer.status =
        NegativeVerdict(fmt::format("{}: {}", bad->rule, bad->text));
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kDoctorCommand = {
    .name = "doctor",
    .help = "Whether the profile is good enough to draw conclusions from.",
    .answers =
        "Can I trust these numbers? Checks what was recorded, and what is "
        "missing. What would the file give away if I share it?",
    .examples = {"doctor", "doctor -output json"},
    .options = kTableOptions | options::kThresholdOptions,
    .needs_files = true,
    .run = RunDoctor};

}  // namespace tfprof::commands
