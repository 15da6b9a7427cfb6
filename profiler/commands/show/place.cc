// The commands that move in the scopes of a profile: cd, up, pwd.

#include "inspect/nodes/place.h"

#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/word_answer.h"

namespace tfprof::commands {
namespace {

tables::Answer GoTo(std::string_view path, Workspace& workspace) {
  absl::StatusOr<inspect::Place> place =
      inspect::FindPlace(workspace.views(), workspace.here, path);
  if (!place.ok()) return tables::ErrorAnswer(place.status());
  workspace.here = *std::move(place);
  return {};
}

tables::Answer RunCd(const Command& command, Workspace& workspace) {
  return GoTo(command.arguments.empty() ? "/" : command.first_argument(),
              workspace);
}

tables::Answer RunUp(const Command&, Workspace& workspace) {
  return GoTo("..", workspace);
}

tables::Answer RunPwd(const Command& command, Workspace& workspace) {
  const std::string where = WorkingPlace(workspace);
  return WordAnswer(command.info->name, "place", where, where + "\n");
}

}  // namespace

extern constinit const CommandInfo kCdCommand = {
    .name = "cd",
    .arguments = "[SCOPE]",
    .max_arguments = 1,
    .one_shot = false,
    .help =
        "Go to a scope; without one, to the root. A path may contain '..' and "
        "'/'. It may begin with 'code:', which means the tree of the code.",
    .answers =
        "Which part do I look at? ls, top, show and peek then start there; the "
        "reports show the whole profile. cd code: goes to the lines of Python, "
        "cd scope: back.",
    .examples = {"cd gradients", "cd code:"},
    .completes = options::Completes::kScope,
    .run = RunCd};

extern constinit const CommandInfo kUpCommand = {
    .name = "up",
    .one_shot = false,
    .help = "Go one scope up.",
    .answers = "Goes from a scope to the one that contains it.",
    .examples = {"up", "up  # as cd .."},
    .run = RunUp};

extern constinit const CommandInfo kPwdCommand = {
    .name = "pwd",
    .one_shot = false,
    .help = "Print the current scope.",
    .answers = "In which scope am I?",
    .examples = {"pwd", "pwd  # the prompt shows it too"},
    .options = options::kOutputOptions,
    .run = RunPwd};

}  // namespace tfprof::commands
