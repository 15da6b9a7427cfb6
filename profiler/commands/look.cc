// The commands that draw: flame, lanes, memory. Their pictures are for a
// terminal and for -output text; all other outputs are tables.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "inspect/flame.h"
#include "inspect/lanes.h"
#include "inspect/memory.h"
#include "profiler/commands/largest_first.h"
#include "profiler/commands/rows.h"

namespace tfprof {
namespace {

// The answer with a picture of `shown`, which the answer keeps.
template <typename T>
Answer Pictured(T shown, const Workspace& workspace,
                Answer (*answer_of)(const T& shown),
                std::string (*text_of)(const T& shown, const TextLook& look)) {
  Answer kept;
  const T& value = kept.Keep(std::move(shown));
  Answer answer = answer_of(value);
  answer.owned = std::move(kept.owned);
  // Names point into the profile.
  answer.owned.push_back(workspace.opened);
  answer.forms.push_back(
      {.name = "text",
       .write = [&value, text_of](
                    const TextLook& look,
                    Sink& sink) { sink.Write(text_of(value, look)); },
       .safe = true});
  answer.screen_form = "text";
  answer.fits_window = true;
  return answer;
}

// The tree, and the place in it, that the words of `flame` name.
absl::StatusOr<Place> FlamePlace(const Command& command, Workspace& workspace,
                                 bool& chosen) {
  std::vector<std::string> words = command.arguments;
  Place from = workspace.here;
  chosen = !words.empty() || !from.rows.empty() || from.tree == View::kCode;
  if (!words.empty() && (words[0] == "code" || words[0] == "scope")) {
    const View tree = words[0] == "code" ? View::kCode : View::kScope;
    if (tree == View::kCode) {
      // An error without call stacks.
      absl::StatusOr<Place> code = FindPlace(workspace.views(), from, "code:");
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
  return FindPlace(workspace.views(), from, words[0]);
}

Answer RunFlame(const Command& command, Workspace& workspace) {
  ViewOptions options = command.options.Rows();
  const absl::Status found = CheckStep(workspace.profile(), options.step);
  if (!found.ok()) return ErrorAnswer(found);
  std::vector<std::string> notes = ViewNotes(workspace, options);
  for (std::string& note : OutsideNotes(workspace, options.step)) {
    notes.push_back(std::move(note));
  }
  Views& views = workspace.views();
  bool chosen = false;
  absl::StatusOr<Place> place = FlamePlace(command, workspace, chosen);
  if (!place.ok()) return ErrorAnswer(place.status());
  if (!command.options.max_depth.has_value()) options.max_depth = 1 << 30;

  // The cost that was asked for, or the first one that the profile has.
  std::optional<Stat> stat;
  if (options.order == ViewOptions::Order::kStat) {
    stat = options.order_stat;
  } else {
    stat = FirstCost(place->tree, options);
    if (!stat || *stat == kMicros) {
      stat = FlameCost(views, options);
      if (stat && *stat != kMicros) {
        notes.push_back(fmt::format("no times were recorded: widths are {}",
                                    StatisticOf(*stat).title));
      }
    }
  }
  if (!stat) {
    return ErrorAnswer(absl::FailedPreconditionError(
        "nothing to draw: no time, no float operations, no parameters and no "
        "bytes were recorded (status says what was loaded)"));
  }
  if (!chosen) {
    const Place with_levels = PlaceWithLevels(views, *place, options, *stat);
    if (with_levels.tree != place->tree) {
      notes.emplace_back(
          "names have no scopes here, so this is flame code; flame scope shows "
          "the names");
    }
    *place = with_levels;
  }
  if (place->tree == View::kCode) {
    for (std::string& note : GradientNotes(workspace)) {
      notes.push_back(std::move(note));
    }
  }
  Flame flame = MakeFlame(views, *place, options, *stat);
  if (flame.frames.empty()) {
    return ErrorAnswer(absl::FailedPreconditionError(
        fmt::format("nothing to draw: {} has no {} above 0",
                    PlaceText(views, *place), StatisticOf(*stat).title)));
  }
  Answer answer = Pictured<Flame>(
      std::move(flame), workspace,
      [](const Flame& shown) { return TableAnswer(FlameTable(shown)); },
      FlameText);
  answer.notes = std::move(notes);
  return answer;
}

Answer RunLanes(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  const absl::Status found = CheckStep(workspace.profile(), step);
  if (!found.ok()) return ErrorAnswer(found);
  absl::StatusOr<LaneChart> chart =
      MakeLaneChart(workspace.views(), step, command.first_argument());
  if (!chart.ok()) return ErrorAnswer(chart.status());
  return Pictured<LaneChart>(
      *std::move(chart), workspace,
      [](const LaneChart& shown) {
        return DocumentAnswer(LanesDocument(shown));
      },
      LanesText);
}

Answer RunMemory(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  const absl::Status found = CheckStep(workspace.profile(), step);
  if (!found.ok()) return ErrorAnswer(found);
  // A name may have blanks: "gpu:0 allocated".
  absl::StatusOr<MemoryChart> chart =
      MakeMemoryChart(workspace.views(), step,
                      fmt::format("{}", fmt::join(command.arguments, " ")));
  if (!chart.ok()) return ErrorAnswer(chart.status());
  return Pictured<MemoryChart>(
      *std::move(chart), workspace,
      [](const MemoryChart& shown) {
        return DocumentAnswer(MemoryDocument(shown));
      },
      MemoryText);
}

constexpr unsigned kShown = kOutputOptions | kColorOption | kStepOption;

}  // namespace

constinit const CommandInfo kFlameCommand = {
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
    .completes = Completes::kScope,
    .options =
        kShown | kRowOptions | kOrderOption | kTypesOption | kFlopsOption,
    .ignores_base = true,
    .run = RunFlame};

constinit const CommandInfo kLanesCommand = {
    .name = "lanes",
    .arguments = "[DEVICE]",
    .max_arguments = 1,
    .help =
        "What each device did over the time of a step, as bars of its busy "
        "share, with the longest gaps. Without -step, a typical step; -step "
        "all shows everything.",
    .answers =
        "When do devices wait, what runs at the same time, and what is around "
        "the gaps?",
    .examples = {"lanes", "lanes -step all"},
    .options = kShown | kCommunicationOption,
    .ignores_base = true,
    .run = RunLanes};

constinit const CommandInfo kMemoryCommand = {
    .name = "memory",
    .arguments = "[ALLOCATOR]",
    .max_arguments = 3,
    .help =
        "The memory in use over time, for each allocator: its peak, and the "
        "operations that held the memory then. Without -step, the whole "
        "recording is shown.",
    .answers = "When is most memory in use, and who has it?",
    .examples = {"memory", "memory -output json"},
    .options = kShown,
    .ignores_base = true,
    .run = RunMemory};

}  // namespace tfprof
