#include <memory>
#include <string>
#include <utility>

#include "compare/comparison.h"
#include "compare/memory_comparison.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/workspace.h"

namespace tfprof::commands {
namespace {

// The most parts and operations that a person gets.
constexpr size_t kReadChanges = 7;

// The first file of the profile, as a person named it.
std::string NameOf(const Workspace& workspace) {
  const auto& sources = workspace.opened->loaded.sources;
  return sources.empty()       ? "(no file)"
         : sources.size() == 1 ? sources[0].path
                               : fmt::format("{} and {} more", sources[0].path,
                                             sources.size() - 1);
}

// What the document refers to is kept in `answer`.
tables::DataDocument MakeDocument(const Base& base, const Command& command,
                                  Workspace& workspace,
                                  tables::Answer& answer) {
  views::Views& before = base.opened->views;
  views::Views& after = workspace.views();
  const std::string name = NameOf(workspace);
  const size_t rows = IsForReading(command.options) ? kReadChanges : 0;
  const std::string whole = WholeAsData(command);
  if (compare::AreSnapshots(before.profile(), after.profile())) {
    return compare::MemoryComparisonDocument(
        compare::CompareMemory(before.profile(), after.profile()), base.name,
        name, rows, whole);
  }
  const compare::Comparison& comparison =
      answer.Keep(compare::Compare(before, after));
  return compare::ComparisonDocument(comparison, base.name, name, rows, whole);
}

tables::Answer RunDiff(const Command& command, Workspace& workspace) {
  tables::Answer answer;
  if (!command.arguments.empty()) {
    absl::StatusOr<Base> base =
        LoadBase(command.arguments, workspace, answer.notes);
    if (!base.ok()) {
      return tables::ErrorAnswer(
          absl::FailedPreconditionError(std::string(base.status().message())));
    }
    workspace.base = std::make_shared<const Base>(*std::move(base));
  }
  const std::shared_ptr<const Base> base = workspace.base;
  if (base == nullptr) {
    return tables::ErrorAnswer(absl::InvalidArgumentError(
        "diff with what? Name the profile from before: diff FILE, or on the "
        "command line tfprof diff BASE NEW"));
  }
  tables::Answer shown =
      tables::DocumentAnswer(MakeDocument(*base, command, workspace, answer));
  shown.notes = std::move(answer.notes);
  shown.owned = std::move(answer.owned);
  shown.owned.push_back(base);
  shown.owned.push_back(workspace.opened);
  return shown;
}

}  // namespace

extern constinit const CommandInfo kDiffCommand = {
    .name = "diff",
    .arguments = "FILE…",
    .max_arguments = 10000,
    .help =
        "Compare with a profile, which becomes the base: faster or slower, by "
        "how much, because of what, and which operations changed. On the "
        "command line: tfprof diff BASE NEW.",
    .answers = "Is it faster than another profile, and why?",
    .examples = {"diff before.pb", "diff before.pb -output json"},
    .completes = options::Completes::kFile,
    .options = kTableOptions | options::kCommunicationOption,
    .run = RunDiff};

}  // namespace tfprof::commands
