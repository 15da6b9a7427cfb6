// The commands that look at parts of a profile: ls, top, show, peek, list,
// steps, devices, kernels, roofline. Their tables are made in inspect/.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "compare/diff.h"
#include "compare/diff_table.h"
#include "fmt/format.h"
#include "inspect/devices/device_words.h"
#include "inspect/devices/devices.h"
#include "inspect/devices/kernels.h"
#include "inspect/devices/roofline.h"
#include "inspect/nodes/children.h"
#include "inspect/nodes/find_node.h"
#include "inspect/nodes/matches.h"
#include "inspect/nodes/neighbours.h"
#include "inspect/nodes/node.h"
#include "inspect/nodes/source.h"
#include "inspect/nodes/top.h"
#include "inspect/steps/steps.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/meaning.h"
#include "profiler/commands/show/largest_first.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/files/source_files.h"
#include "util/median.h"
#include "util/text/counted.h"
#include "util/text/name_match.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// The most rows of each part of `show` and `peek` that a person gets.
constexpr size_t kReadRows = 20;
constexpr size_t kTopRows = 10;
// The most kernels, or operations of a roofline, that a person gets.
constexpr size_t kReadKernels = 30;
// The most devices that have a column when a person reads `steps`.
constexpr size_t kReadDevices = 8;

// The most rows that a table gets: -limit, or `usual` if a person reads it. 0:
// all.
size_t RowsToShow(const options::Options& options, size_t usual) {
  if (options.limit) return static_cast<size_t>(*options.limit);
  return IsForReading(options) ? usual : 0;
}

// Keeps the rows in whose cell of one of `columns` `part` is.
template <typename Matches>
void KeepRows(std::initializer_list<std::string_view> columns, Matches matches,
              tables::DataTable& table) {
  std::vector<size_t> looked_at;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (std::find(columns.begin(), columns.end(), table.columns[c].name) !=
        columns.end()) {
      looked_at.push_back(c);
    }
  }
  std::vector<size_t> kept;
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    for (const size_t c : looked_at) {
      const auto* text = std::get_if<std::string>(&cells[c]);
      if (text == nullptr || !matches(*text)) continue;
      kept.push_back(row);
      break;
    }
  }
  table.num_rows = kept.size();
  table.totals.clear();
  table.cells = [kept = std::move(kept), all = std::move(table.cells)](
                    size_t row, std::vector<tables::DataCell>& row_cells) {
    all(kept[row], row_cells);
  };
}

// Without a step, the answer of a command is the average over the steps, or is
// about all of them.
enum class WithoutStep { kAverage, kEverything };

// The answer of `make`, with the notes about the options of a view.
template <typename Make>
tables::Answer OfViews(const Command& command, Workspace& workspace, Make make,
                       WithoutStep without_step = WithoutStep::kAverage) {
  const views::ViewOptions& options = command.options.view;
  std::vector<std::string> notes = ViewNotes(workspace, options);
  if (without_step == WithoutStep::kAverage) {
    for (std::string& note : OutsideNotes(workspace, options.step)) {
      notes.push_back(std::move(note));
    }
  }
  tables::Answer answer = make();
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  return answer;
}

// What changed below a place since the base.
tables::Answer DiffAnswer(const Command& command, Workspace& workspace,
                          const inspect::Place& place, compare::Below below,
                          size_t max_rows) {
  const std::shared_ptr<const Base> base = workspace.base;
  const views::ViewOptions options = command.options.Rows();
  tables::Answer kept;
  const compare::Diff& diff = kept.Keep(compare::DiffBelow(
      place.tree, place.row(), below, base->opened->views, workspace.views(),
      options,
      command.options.order.has_value() ? compare::DiffOrder::kOptions
                                        : compare::DiffOrder::kChange));
  tables::DataTable table = compare::DiffTable(diff, base->name);
  if (max_rows > 0 && table.num_rows > max_rows) table.num_rows = max_rows;
  table.facts.insert(table.facts.begin(),
                     {{.name = "place", .title = "in"},
                      inspect::PlaceText(workspace.views(), place)});
  Command all = command;
  all.options.limit = static_cast<int64_t>(table.total_rows);
  if (table.num_rows < table.total_rows) table.rest = SpellCommand(all);
  tables::Answer answer = tables::TableAnswer(std::move(table));
  answer.owned = std::move(kept.owned);
  answer.owned.push_back(base);
  return answer;
}

// The error of a name that is not there. "show steps" means the command steps.
tables::Answer NotThere(const absl::Status& status, std::string_view name) {
  const std::string message(status.message());
  const CommandInfo* const meant = CommandMeantBy(name);
  const std::string hint = meant != nullptr
                               ? fmt::format("{} is a command", meant->name)
                               : KnownWordHint(name);
  const bool adds = absl::IsNotFound(status) && !hint.empty() &&
                    message.find("did you mean") == message.npos;
  return tables::ErrorAnswer(
      adds ? absl::NotFoundError(fmt::format("{}; {}", message, hint))
           : status);
}

tables::Answer RunLs(const Command& command, Workspace& workspace) {
  return OfViews(command, workspace, [&] {
    const absl::StatusOr<inspect::Place> place = inspect::FindPlace(
        workspace.views(), workspace.here, command.first_argument());
    if (!place.ok()) return NotThere(place.status(), command.first_argument());
    if (workspace.base != nullptr) {
      return DiffAnswer(command, workspace, *place, compare::Below::kChildren,
                        0);
    }
    views::ViewOptions options = command.options.Rows();
    if (command.options.LargestFirst() && !command.options.order.has_value()) {
      options.order = views::ViewOptions::Order::kStat;
      options.order_stat = accounting::kMicros;
    }
    return tables::TableAnswer(
        inspect::ChildrenTable(workspace.views(), *place, options));
  });
}

tables::Answer RunTop(const Command& command, Workspace& workspace) {
  return OfViews(command, workspace, [&] {
    size_t count =
        static_cast<size_t>(command.options.limit.value_or(kTopRows));
    const std::string_view word = command.first_argument();
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, count);
    if (!word.empty() && (error != std::errc() || at != end || count == 0)) {
      return tables::ErrorAnswer(absl::InvalidArgumentError(
          fmt::format("top takes a number of nodes, not {}", word)));
    }
    if (workspace.base != nullptr) {
      return DiffAnswer(command, workspace, workspace.here,
                        compare::Below::kNodes, count);
    }
    views::ViewOptions rows = command.options.Rows();
    const views::FieldSet select = SelectBytesOnly(
        views::View::kScope, command.options, workspace.views());
    if (!command.options.order && !select.Has(accounting::kMicros)) {
      rows.order = views::ViewOptions::Order::kStat;
      rows.order_stat = *FirstCost(views::View::kOp, {.select = select});
    }
    tables::DataTable table =
        inspect::TopTable(workspace.views(), workspace.here, rows, count);
    Command all = command;
    all.arguments = {std::to_string(table.total_rows)};
    all.options.limit.reset();
    if (table.num_rows < table.total_rows) table.rest = SpellCommand(all);
    return tables::TableAnswer(std::move(table));
  });
}

tables::Answer RunShow(const Command& command, Workspace& workspace) {
  return OfViews(command, workspace, [&] {
    const absl::StatusOr<profile::NodeId> node = inspect::FindNode(
        workspace.views(), workspace.here, command.first_argument());
    if (absl::IsNotFound(node.status()) &&
        !inspect::FindPlace(workspace.views(), workspace.here,
                            command.first_argument())
             .ok()) {
      const std::string_view part = command.first_argument();
      const std::vector<profile::NodeId> like =
          inspect::NodesLike(workspace.views(), part, command.options.view);
      // A single one may be the wrong one, so that its name is shown too.
      if (!like.empty()) {
        return tables::TableAnswer(inspect::MatchesTable(
            workspace.views(), part, like, command.options.view,
            RowsToShow(command.options, kReadRows)));
      }
    }
    if (!node.ok()) return NotThere(node.status(), command.first_argument());
    tables::DataDocument document =
        inspect::NodeDocument(workspace.views(), *node, command.options.Rows(),
                              IsForReading(command.options) ? kReadRows : 0);
    for (auto& [title, table] : document.parts) {
      if (table.num_rows < table.total_rows) table.rest = WholeAsData(command);
    }
    return tables::DocumentAnswer(std::move(document));
  });
}

tables::Answer RunPeek(const Command& command, Workspace& workspace) {
  return OfViews(command, workspace, [&] {
    const absl::StatusOr<profile::NodeId> node = inspect::FindNode(
        workspace.views(), workspace.here, command.first_argument());
    if (!node.ok()) return NotThere(node.status(), command.first_argument());
    tables::DataTable table =
        inspect::PeekTable(workspace.views(), *node, command.options.view.step,
                           IsForReading(command.options) ? kReadRows : 0);
    if (table.num_rows < table.total_rows) table.rest = WholeAsData(command);
    return tables::TableAnswer(std::move(table));
  });
}

tables::Answer RunList(const Command& command, Workspace& workspace) {
  return OfViews(command, workspace, [&] {
    // The current folder, unless it is the whole system, and those that the
    // user names.
    std::vector<std::string> folders;
    std::error_code error;
    if (workspace.sources_here && std::filesystem::current_path(error) != "/" &&
        !error) {
      folders.emplace_back(".");
    }
    folders.insert(folders.end(), command.options.source_paths.begin(),
                   command.options.source_paths.end());
    absl::StatusOr<tables::DataTable> table = inspect::SourceTable(
        workspace.views(),
        inspect::ParseSourceRequest(command.first_argument()),
        command.options.Rows(), util::SourceFiles(std::move(folders)));
    return table.ok() ? tables::TableAnswer(*std::move(table))
                      : NotThere(table.status(), command.first_argument());
  });
}

// "mean 1.52ms to 6.67ms (+338.8%)": the wall times of steps and of those of a
// base, by `of`.
std::string ChangeText(std::string_view name, double before, double after) {
  const auto micros = [](double value) {
    return tables::FormatMicros(static_cast<int64_t>(std::lround(value)));
  };
  return fmt::format(
      "{} {} to {}{}", name, micros(before), micros(after),
      before > 0 ? fmt::format(" ({:+.1f}%)", 100 * (after - before) / before)
                 : "");
}

// The lines of `steps` about a base, for people.
std::string StepsOfBase(views::Views& before, views::Views& after) {
  std::vector<double> walls[2];
  for (const int side : {0, 1}) {
    views::Views& views = side == 0 ? before : after;
    const auto ticks = static_cast<double>(views.profile().ticks_per_micro());
    for (const timeline::StepWall& wall : timeline::StepWalls(views)) {
      if (wall.known) {
        walls[side].push_back(static_cast<double>(wall.ticks) / ticks);
      }
    }
    if (walls[side].empty()) {
      return fmt::format("{} has no wall times of steps",
                         side == 0 ? "the base" : "this profile");
    }
  }
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(values.size());
  };
  return fmt::format(
      "{}, {}; {}, now {}", ChangeText("mean", mean(walls[0]), mean(walls[1])),
      ChangeText("median", util::Median(walls[0]), util::Median(walls[1])),
      util::Counted(walls[0].size(), "step"), walls[1].size());
}

// All words of a command, which name one thing: "gpu 0".
std::string WordsOf(const Command& command) {
  return fmt::format("{}", fmt::join(command.arguments, " "));
}

tables::Answer RunSteps(const Command& command, Workspace& workspace) {
  return OfViews(
      command, workspace,
      [&] {
        int64_t step = command.options.view.step;
        if (!command.arguments.empty()) {
          const absl::StatusOr<int64_t> named =
              StepNamed(command.first_argument(), workspace);
          if (!named.ok()) return tables::ErrorAnswer(named.status());
          step = *named;
        }
        tables::Answer answer = tables::TableAnswer(inspect::StepsTable(
            workspace.views(), step,
            IsForReading(command.options) ? kReadDevices : 0));
        if (workspace.base != nullptr) {
          answer.data.facts.push_back({{.name = "base"}, workspace.base->name});
          answer.data.facts.push_back(
              {{.name = "base_text", .title = "vs base"},
               StepsOfBase(workspace.base->opened->views, workspace.views())});
        }
        return answer;
      },
      WithoutStep::kEverything);
}

tables::Answer RunDevices(const Command& command, Workspace& workspace) {
  return OfViews(
      command, workspace,
      [&] {
        tables::DataTable table =
            inspect::DevicesTable(workspace.views(), command.options.view.step);
        const std::string words = WordsOf(command);
        if (!words.empty()) {
          KeepRows(
              {"device", "name"},
              [&](const std::string& name) {
                return inspect::IsDeviceMeant(name, words);
              },
              table);
          if (table.num_rows == 0) {
            return tables::ErrorAnswer(absl::NotFoundError(fmt::format(
                "no device \"{}\"; devices lists all", util::SafeText(words))));
          }
          table.total_rows = table.num_rows;
        }
        return tables::TableAnswer(std::move(table));
      },
      WithoutStep::kEverything);
}

// "gpu:9", "gpu 9", "gpu9", "9".
bool LooksLikeDevice(std::string_view words) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t last = words.find_last_not_of(kDigits);
  if (last == words.npos || last + 1 == words.size()) return last == words.npos;
  std::string_view kind = words.substr(0, last + 1);
  if (kind.ends_with(':') || kind.ends_with(' ')) kind.remove_suffix(1);
  return kind.size() <= 3;
}

// The kernels of a device, or those whose name or operation has the word.
absl::StatusOr<tables::DataTable> KernelsNamed(const Command& command,
                                               Workspace& workspace) {
  const std::string words = WordsOf(command);
  const int64_t step = command.options.view.step;
  const size_t rows = RowsToShow(command.options, kReadKernels);
  auto of_device = inspect::KernelsTable(workspace.views(), step, words, rows);
  if (of_device.ok()) return of_device;
  auto all = inspect::KernelsTable(workspace.views(), step, "", 0);
  if (!all.ok()) return all;
  KeepRows(
      {"name", "ops"},
      [&](const std::string& name) { return util::NameMatches(name, words); },
      *all);
  if (all->num_rows == 0 && LooksLikeDevice(words)) return of_device;
  if (all->num_rows == 0) {
    return absl::NotFoundError(
        fmt::format("no kernel has \"{}\" in its name; kernels lists all",
                    util::SafeText(words)));
  }
  all->total_rows = all->num_rows;
  if (rows > 0) all->num_rows = std::min(rows, all->num_rows);
  return all;
}

tables::Answer RunKernels(const Command& command, Workspace& workspace) {
  return OfViews(
      command, workspace,
      [&] {
        absl::StatusOr<tables::DataTable> table =
            KernelsNamed(command, workspace);
        if (!table.ok()) return tables::ErrorAnswer(table.status());
        if (table->num_rows < table->total_rows)
          table->rest = WholeAsData(command);
        return tables::TableAnswer(*std::move(table));
      },
      WithoutStep::kEverything);
}

tables::Answer RunRoofline(const Command& command, Workspace& workspace) {
  return OfViews(
      command, workspace,
      [&] {
        tables::DataDocument document = inspect::RooflineDocument(
            workspace.views(), command.options.view.step,
            command.options.device_peaks,
            RowsToShow(command.options, kReadKernels));
        for (auto& [title, table] : document.parts) {
          if (table.num_rows < table.total_rows)
            table.rest = WholeAsData(command);
        }
        return tables::DocumentAnswer(std::move(document));
      },
      WithoutStep::kEverything);
}

constexpr unsigned kInspectOptions =
    options::kOutputOptions | options::kColorOption;

}  // namespace

extern constinit const CommandInfo kLsCommand = {
    .name = "ls",
    .arguments = "[SCOPE]",
    .max_arguments = 1,
    .help = "The content of a scope, with time and bytes, sorted by -order_by.",
    .answers = "What is in this scope, and which part of it is expensive?",
    .examples = {"ls -order_by micros", "ls /gradients"},
    .completes = options::Completes::kScope,
    .options = kInspectOptions | options::kStepOption | options::kOrderOption |
               options::kTypesOption | options::kFlopsOption,
    .run = RunLs};

extern constinit const CommandInfo kTopCommand = {
    .name = "top",
    .arguments = "[N]",
    .max_arguments = 1,
    .help =
        "The N most expensive nodes in the current scope (10 by default), by "
        "time or by -order_by.",
    .answers = "Which operations are the most expensive here?",
    .examples = {"top 20", "top -order_by peak_bytes"},
    .options = kInspectOptions | options::kStepOption | options::kOrderOption |
               options::kNameOptions | options::kTypesOption |
               options::kFlopsOption,
    .run = RunTop};

extern constinit const CommandInfo kShowCommand = {
    .name = "show",
    .arguments = "NODE",
    .min_arguments = 1,
    .max_arguments = 1,
    .help = "All that is known about a node.",
    .answers =
        "What is this operation: its inputs and consumers, its attributes, "
        "when "
        "it ran, the memory it took, the Python code that created it?",
    .examples = {"show resnet/conv1/Conv2D",
                 "show resnet/conv1/Conv2D -output json"},
    .completes = options::Completes::kNode,
    .options = kInspectOptions | options::kStepOption | options::kFlopsOption,
    .ignores_base = true,
    .run = RunShow};

extern constinit const CommandInfo kPeekCommand = {
    .name = "peek",
    .arguments = "NODE",
    .min_arguments = 1,
    .max_arguments = 1,
    .help = "The inputs and consumers of a node, with times and bytes.",
    .answers =
        "Where do this operation's inputs come from, where do its outputs go, "
        "how large are they, and how expensive are those around it?",
    .examples = {"peek resnet/conv1/Conv2D",
                 "peek resnet/conv1/Conv2D -output csv"},
    .completes = options::Completes::kNode,
    .options = kInspectOptions | options::kStepOption,
    .ignores_base = true,
    .run = RunPeek};

extern constinit const CommandInfo kListCommand = {
    .name = "list",
    .arguments = "FILE[:LINE]",
    .min_arguments = 1,
    .max_arguments = 1,
    .help = "Source lines with their times.",
    .answers =
        "Which lines of this file created expensive operations? Shows the "
        "source code if the file can be read.",
    .examples = {"list make_profiles.py", "list make_profiles.py:192"},
    .options = kInspectOptions | options::kStepOption | options::kTypesOption |
               options::kSourceOption,
    .ignores_base = true,
    .run = RunList};

extern constinit const CommandInfo kStepsCommand = {
    .name = "steps",
    .arguments = "[STEP]",
    .max_arguments = 1,
    .help = "A line for each step: span, idle time, what devices did, memory.",
    .answers = "Are some steps slower than others, and do devices wait?",
    .examples = {"steps", "steps -output csv"},
    .options =
        kInspectOptions | options::kStepOption | options::kCommunicationOption,
    .run = RunSteps};

extern constinit const CommandInfo kDevicesCommand = {
    .name = "devices",
    .arguments = "[DEVICE]",
    .max_arguments = 2,
    .help =
        "A line for each device, or for one, or a kind (gpu): nodes, "
        "executions, busy time, memory. Without -step, the sum of all steps.",
    .answers = "How busy is each device, and with how much memory?",
    .examples = {"devices", "devices -step 0"},
    .options =
        kInspectOptions | options::kStepOption | options::kCommunicationOption,
    .filters = true,
    .ignores_base = true,
    .run = RunDevices};

extern constinit const CommandInfo kKernelsCommand = {
    .name = "kernels",
    .arguments = "[NAME|DEVICE]",
    .max_arguments = 2,
    .help =
        "A line for each kernel, copy and collective of a trace: count, times, "
        "the operations that launched it. With a device, only those of that "
        "device; with another word, those that have it in their name. Without "
        "-step, those of everything in the file.",
    .answers =
        "Which kernels take the time of the accelerators, and how much do "
        "copies move?",
    .examples = {"kernels", "kernels -output csv"},
    .options = kInspectOptions | options::kStepOption,
    .filters = true,
    .ignores_base = true,
    .run = RunKernels};

extern constinit const CommandInfo kRooflineCommand = {
    .name = "roofline",
    .help =
        "What limits each type of operation, computing or memory, and how much "
        "of the device's peak it reaches; MFU of each step.",
    .answers =
        "Which operations could be faster on this device, and how far from its "
        "peak is the program?",
    .examples = {"roofline", "roofline -device_peaks 989e12,3.35e12"},
    .options = kInspectOptions | options::kStepOption | options::kPeaksOption,
    .ignores_base = true,
    .run = RunRoofline};

}  // namespace tfprof::commands
