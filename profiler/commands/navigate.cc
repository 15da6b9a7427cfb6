#include "profiler/commands/navigate.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/children.h"
#include "inspect/devices.h"
#include "inspect/doctor.h"
#include "inspect/find_node.h"
#include "inspect/neighbours.h"
#include "inspect/node.h"
#include "inspect/source.h"
#include "inspect/steps.h"
#include "inspect/top.h"
#include "profiler/shell/deliver.h"

namespace tfprof {
namespace {

// Rows of each part of `show` and `peek` that are read as text.
constexpr size_t kReadRows = 20;
constexpr size_t kTopRows = 10;

std::string_view FirstArgument(const Command& command) {
  return command.arguments.empty() ? std::string_view()
                                   : std::string_view(command.arguments[0]);
}

// Devices with a column in a list of steps that is read as text.
constexpr size_t kReadDevices = 8;

// The line that answers with all rows, where one with fewer was answered.
std::string WholeAsData(const Command& command) {
  return SpellCommand(command) + " -output json";
}

}  // namespace

absl::Status Navigator::Run(const Command& command, bool& told) {
  const int64_t step = command.options.view.step;
  switch (command.info->id) {
    case CommandId::kChangePlace:
      return ChangePlace(command.arguments.empty() ? "/"
                                                   : FirstArgument(command));
    case CommandId::kUp:
      return ChangePlace("..");
    case CommandId::kList:
      return List(command);
    case CommandId::kTop:
      return Top(command);
    case CommandId::kShow:
    case CommandId::kPeek:
      return AboutNode(command);
    case CommandId::kSource:
      return Source(command);
    case CommandId::kSteps:
      return WriteAnswer(
          StepsTable(views_, step,
                     IsForReading(command.options) ? kReadDevices : 0),
          command, ui_);
    case CommandId::kDevices:
      return WriteAnswer(DevicesTable(views_, step), command, ui_);
    default:
      return Doctor(command, told);
  }
}

std::string Navigator::Where() { return PlaceText(views_, here_); }

std::string Navigator::Scope() {
  if (here_.tree != View::kScope || here_.rows.empty()) return "";
  return Where().substr(1) + "/";
}

absl::Status Navigator::Return(std::string_view where) {
  here_ = {};
  return ChangePlace(where);
}

absl::Status Navigator::ChangePlace(std::string_view path) {
  absl::StatusOr<Place> place = FindPlace(views_, here_, path);
  if (!place.ok()) return place.status();
  here_ = *std::move(place);
  return absl::OkStatus();
}

absl::Status Navigator::List(const Command& command) {
  const absl::StatusOr<Place> place =
      FindPlace(views_, here_, FirstArgument(command));
  if (!place.ok()) return place.status();
  return WriteAnswer(ChildrenTable(views_, *place, command.options.view),
                     command, ui_);
}

absl::Status Navigator::Top(const Command& command) {
  size_t count = kTopRows;
  const std::string_view word = FirstArgument(command);
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, count);
  if (!word.empty() && (error != std::errc() || at != end || count == 0)) {
    return absl::InvalidArgumentError(
        fmt::format("top wants a number of nodes, not {}", word));
  }
  DataTable table = TopTable(views_, here_, command.options.view, count);
  Command all = command;
  all.arguments = {std::to_string(table.total_rows)};
  if (table.num_rows < table.total_rows) table.rest = SpellCommand(all);
  return WriteAnswer(std::move(table), command, ui_);
}

absl::Status Navigator::AboutNode(const Command& command) {
  const absl::StatusOr<NodeId> node =
      FindNode(views_, here_, FirstArgument(command));
  if (!node.ok()) return node.status();
  const size_t rows = IsForReading(command.options) ? kReadRows : 0;
  const int64_t step = command.options.view.step;
  if (command.info->id == CommandId::kPeek) {
    DataTable table = PeekTable(views_, *node, step, rows);
    if (table.num_rows < table.total_rows) table.rest = WholeAsData(command);
    return WriteAnswer(std::move(table), command, ui_);
  }
  DataDocument document =
      NodeDocument(views_, *node, command.options.view, rows);
  for (auto& [title, table] : document.parts) {
    if (table.num_rows < table.total_rows) table.rest = WholeAsData(command);
  }
  return WriteAnswer(std::move(document), command, ui_);
}

absl::Status Navigator::Source(const Command& command) {
  const absl::StatusOr<DataTable> table = SourceTable(
      views_, ParseSourceRequest(FirstArgument(command)), command.options.view);
  return table.ok() ? WriteAnswer(*table, command, ui_) : table.status();
}

absl::Status Navigator::Doctor(const Command& command, bool& told) {
  const std::vector<Check> checks = Examine(views_, loaded_.log);
  const absl::Status written = WriteAnswer(DoctorTable(checks), command, ui_);
  if (!written.ok()) return written;
  for (const Check& check : checks) {
    if (check.verdict != Check::Verdict::kBad) continue;
    told = true;
    return absl::DataLossError(fmt::format("{}: {}", check.name, check.found));
  }
  return absl::OkStatus();
}

}  // namespace tfprof
