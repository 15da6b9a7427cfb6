// The command `flame`: a flame graph of scopes or of code.

#include "inspect/pictures/flame.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/largest_first.h"
#include "profiler/commands/show/picture_answer.h"

namespace tfprof::commands {
namespace {

// The tree, and the place in it, that the words of `flame` name.
absl::StatusOr<inspect::Place> FlamePlace(const Command& command,
                                          Workspace& workspace, bool& chosen) {
  std::vector<std::string> words = command.arguments;
  inspect::Place from = workspace.here;
  chosen =
      !words.empty() || !from.rows.empty() || from.tree == views::View::kCode;
  if (!words.empty() && (words[0] == "code" || words[0] == "scope")) {
    const views::View tree =
        words[0] == "code" ? views::View::kCode : views::View::kScope;
    if (tree == views::View::kCode) {
      // An error without call stacks.
      absl::StatusOr<inspect::Place> code =
          inspect::FindPlace(workspace.views(), from, "code:");
      if (!code.ok()) return code.status();
    }
    if (from.tree != tree) from = {tree, {}};
    words.erase(words.begin());
  }
  if (words.size() > 1) {
    return absl::InvalidArgumentError(
        "flame takes `scope` or `code`, and the name of a part: flame code "
        "train.py:12");
  }
  if (words.empty()) return from;
  return inspect::FindPlace(workspace.views(), from, words[0]);
}

tables::Answer RunFlame(const Command& command, Workspace& workspace) {
  views::ViewOptions options = command.options.Rows();
  std::vector<std::string> notes = ViewNotes(workspace, options);
  for (std::string& note : OutsideNotes(workspace, options.step)) {
    notes.push_back(std::move(note));
  }
  views::Views& views = workspace.views();
  bool chosen = false;
  absl::StatusOr<inspect::Place> place = FlamePlace(command, workspace, chosen);
  if (!place.ok()) return tables::ErrorAnswer(place.status());
  if (!command.options.max_depth.has_value()) options.max_depth = 1 << 30;

  // The cost that was asked for, or one that the profile has.
  std::optional<accounting::Stat> stat;
  if (options.order == views::ViewOptions::Order::kStat) {
    stat = options.order_stat;
  } else {
    stat = FirstCost(place->tree, options);
    if (!stat || *stat == accounting::kMicros) {
      stat = inspect::FlameCost(views, options, notes);
    }
  }
  if (!stat) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        "nothing to draw: no time, no float operations, no parameters and no "
        "bytes were recorded (status says what was loaded)"));
  }
  if (!chosen) {
    const inspect::Place with_levels =
        inspect::PlaceWithLevels(views, *place, options, *stat);
    if (with_levels.tree != place->tree) {
      notes.emplace_back(
          "names have no scopes here, so this is flame code; flame scope shows "
          "the names");
    }
    *place = with_levels;
  }
  if (place->tree == views::View::kCode) {
    for (std::string& note : GradientNotes(workspace)) {
      notes.push_back(std::move(note));
    }
  }
  inspect::Flame flame = inspect::MakeFlame(views, *place, options, *stat);
  if (flame.frames.empty()) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        fmt::format("nothing to draw: {} has no {} above 0",
                    inspect::PlaceText(views, *place),
                    accounting::StatisticOf(*stat).title)));
  }
  tables::Answer answer = PictureAnswer<inspect::Flame>(
      std::move(flame), workspace,
      [](const inspect::Flame& shown) {
        return tables::TableAnswer(inspect::FlameTable(shown));
      },
      inspect::FlameText);
  answer.notes = std::move(notes);
  return answer;
}

}  // namespace

extern constinit const CommandInfo kFlameCommand = {
    .name = "flame",
    .arguments = "[scope|code] [NODE]",
    .max_arguments = 2,
    .help =
        "A flame graph of the scopes or of the code, from the current place or "
        "from NODE: each row of blocks divides the one above it by cost. "
        "-select or -order_by choose the cost.",
    .answers =
        "Which part of the model, or of the code, takes the time, at one look?",
    .examples = {"flame", "flame code"},
    .completes = options::Completes::kScope,
    .options = kTableOptions | options::kStepOption | options::kRowOptions |
               options::kNameOptions | options::kOrderOption |
               options::kTypesOption | options::kFlopsOption,
    .ignores_base = true,
    .run = RunFlame};

}  // namespace tfprof::commands
