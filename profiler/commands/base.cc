#include "profiler/commands/base.h"

#include <algorithm>

#include "compare/diff.h"
#include "compare/diff_table.h"
#include "fmt/format.h"
#include "profiler/shell/data_output.h"
#include "profiler/commands/load_messages.h"
#include "profiler/shell/long_work.h"

namespace tfprof {
namespace {

// Not OK: `base` cannot be compared as `options` want.
absl::Status CheckBase(View view, const Options& options, const Base& base) {
  const int64_t step = options.view.step;
  if (step >= 0 && base.profile().FindStep(step) == nullptr) {
    constexpr size_t kMaxSteps = 20;
    std::vector<int64_t> steps;
    for (const auto& known : base.profile().steps()) {
      if (known->listed && steps.size() < kMaxSteps) steps.push_back(known->id);
    }
    return absl::NotFoundError(fmt::format(
        "the base {} has no step {}; it has {}", base.name(), step,
        steps.empty() ? "none" : fmt::format("{}", fmt::join(steps, " "))));
  }
  if (view == View::kCode && !base.profile().graph().has_code_traces) {
    return absl::FailedPreconditionError(fmt::format(
        "the base {} has no code traces; load its op log too", base.name()));
  }
  if (NumericFields(options.view.select).empty()) {
    return absl::InvalidArgumentError(
        "a comparison needs a column of numbers: -select micros, bytes, "
        "params …; 'base none' ends comparing");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Base>> Base::Load(std::vector<std::string> files,
                                                 size_t max_memory, Ui& ui) {
  std::string name = fmt::format("{}", fmt::join(files, ","));
  LoadRequest request;
  request.files = std::move(files);
  request.max_memory = max_memory;
  absl::StatusOr<Loaded> loaded = LoadWithBar(std::move(request));
  if (!loaded.ok()) return loaded.status();
  TellImportLog(loaded->log, ui);
  if (loaded->profile.nodes().size() == 0) {
    return absl::InvalidArgumentError(fmt::format(
        "no node in {}: name a graph, run metadata or a profile", name));
  }
  return std::unique_ptr<Base>(new Base(std::move(name), *std::move(loaded)));
}

absl::Status ShowDiff(View view, const Command& command, Base& base,
                      Views& views, Ui& ui) {
  const Options& options = command.options;
  const absl::Status comparable = CheckBase(view, options, base);
  if (!comparable.ok()) return comparable;
  if (options.view.account_displayed_only) {
    ui.Error("Note: a comparison ignores account_displayed_op_only\n");
  }
  const Diff diff =
      DiffViews(view, base.views(), views, options.view,
                options.order_given ? DiffOrder::kOptions : DiffOrder::kChange);
  DataTable table = DiffTable(diff, base.name());
  AddCommand(command, &table.facts);
  return WriteTable(table, command, ui);
}

}  // namespace tfprof
