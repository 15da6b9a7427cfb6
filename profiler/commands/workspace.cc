#include "profiler/commands/workspace.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "profiler/commands/help/flops_text.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"
#include "views/regex_list.h"

namespace tfprof::commands {
namespace {

// Whether there is a graph, though it has no nodes. An empty file is no graph:
// nearly always it was not written.
bool HasGraph(const loaders::Loaded& loaded) {
  return std::any_of(loaded.sources.begin(), loaded.sources.end(),
                     [](const loaders::Loaded::Source& source) {
                       struct stat info;
                       return source.format == "GraphDef" &&
                              stat(source.path.c_str(), &info) == 0 &&
                              info.st_size > 0;
                     });
}

// Whether there is something else than nodes: transfers have a timeline, and
// some files have only records of a compiler, of collectives, or of memory.
bool HasRecords(const profile::Profile& profile) {
  return !profile.compile_logs().logs.empty() ||
         !profile.collective_records().dumps.empty() ||
         !profile.allocators().empty() ||
         std::any_of(profile.steps().begin(), profile.steps().end(),
                     [](const auto& step) { return step->num_records() > 0; });
}

std::string NothingThere(const loaders::Loaded& loaded) {
  constexpr size_t kMaxPaths = 4;
  std::string paths;
  for (size_t i = 0; i < std::min(loaded.sources.size(), kMaxPaths); ++i) {
    paths += (i > 0 ? ", " : "") + loaded.sources[i].path;
  }
  if (loaded.sources.size() > kMaxPaths) paths += ", …";
  return fmt::format(
      "no node in {}: reports are empty; name a graph, run metadata or a "
      "profile as well",
      paths);
}

}  // namespace

std::string WorkingPlace(const Workspace& workspace) {
  return inspect::PlaceText(workspace.views(), workspace.here);
}

std::string CoverageNote(double coverage) {
  return fmt::format("run graph coverage: {:.2f}", coverage);
}

std::vector<std::string> LoadNotes(const loaders::Loaded& loaded,
                                   bool reference) {
  // If there are many files, only the first and the last are listed.
  constexpr size_t kMaxLines = 8;
  std::vector<std::string> notes;
  // It is the share of a graph, which may not be there.
  const bool has_coverage = reference || HasGraph(loaded);
  const size_t files = has_coverage ? loaded.coverage.size() : 0;
  for (size_t i = 0; i < files; ++i) {
    if (files > kMaxLines && i >= kMaxLines / 2 && i + kMaxLines / 2 < files) {
      if (i == kMaxLines / 2) {
        notes.push_back(
            fmt::format("run graph coverage: {} more files, not listed",
                        files - kMaxLines / 2 * 2));
      }
      continue;
    }
    notes.push_back(CoverageNote(loaded.coverage[i]));
  }
  for (std::string& note : loaded.log.Lines()) {
    notes.push_back(std::move(note));
  }
  return notes;
}

absl::Status CheckLoaded(const loaders::LoadRequest& inputs,
                         const loaders::Loaded& loaded, std::string* text) {
  absl::Status status;
  if (loaded.log.damaged()) {
    status = absl::DataLossError("an input is damaged");
  }
  if (inputs.empty() || loaded.profile.nodes().size() > 0 ||
      HasRecords(loaded.profile)) {
    return status;
  }
  const std::string nothing = NothingThere(loaded);
  if (!HasGraph(loaded)) status = absl::FailedPreconditionError(nothing);
  if (text != nullptr) *text = nothing;
  return status;
}

absl::StatusOr<std::shared_ptr<OpenProfile>> OpenInputs(
    loaders::LoadRequest request, const Workspace& workspace) {
  request.work = workspace.work;
  absl::StatusOr<loaders::Loaded> loaded = workspace.load(std::move(request));
  if (!loaded.ok()) return loaded.status();
  return std::make_shared<OpenProfile>(*std::move(loaded), workspace.work);
}

absl::StatusOr<Base> LoadBase(std::vector<std::string> files,
                              const Workspace& workspace,
                              std::vector<std::string>& notes) {
  Base base;
  base.name = fmt::format("{}", fmt::join(files, ","));
  loaders::LoadRequest request;
  request.files = std::move(files);
  request.max_memory = workspace.inputs.max_memory;
  absl::StatusOr<std::shared_ptr<OpenProfile>> opened =
      OpenInputs(std::move(request), workspace);
  if (!opened.ok()) return opened.status();
  for (std::string& note : (*opened)->loaded.log.Lines()) {
    notes.push_back(std::move(note));
  }
  if ((*opened)->profile().nodes().size() == 0) {
    return absl::InvalidArgumentError(fmt::format(
        "no node in {}: name a graph, run metadata or a profile", base.name));
  }
  base.opened = *std::move(opened);
  return base;
}

absl::Status CheckStep(const profile::Profile& profile, int64_t step) {
  if (step < 0 || profile.FindStep(step) != nullptr) return absl::OkStatus();
  // The reference lists all steps; of very many, only the first are listed.
  constexpr size_t kMaxBytes = 10000;
  std::string steps;
  for (const auto& known : profile.steps()) {
    if (known->listed) steps += fmt::format("{} ", known->id);
    if (steps.size() > kMaxBytes) {
      steps += "… ";
      break;
    }
  }
  return absl::FailedPreconditionError(fmt::format(
      "Options -step={} not found.\nAvailable steps: {}", step, steps));
}

absl::Status ResolveStep(Workspace& workspace, options::Options& options) {
  using Word = options::StepWord;
  const Word word = std::exchange(options.step_word, Word::kNone);
  if (word == Word::kNone) return absl::OkStatus();
  std::vector<int64_t> steps;
  for (const auto& known : workspace.profile().steps()) {
    if (known->listed) steps.push_back(known->id);
  }
  if (steps.empty()) {
    return absl::FailedPreconditionError("the profile has no step");
  }
  if (word != Word::kSlowest) {
    options.view.step = word == Word::kFirst ? steps.front() : steps.back();
    return absl::OkStatus();
  }
  const std::vector<timeline::StepWall> walls =
      timeline::StepWalls(workspace.views());
  const timeline::StepWall* slowest = timeline::LongestStep(walls);
  if (slowest == nullptr) {
    return absl::FailedPreconditionError(
        "no step has a wall time; name one: -step N");
  }
  options.view.step = slowest->step->id;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> StepNamed(std::string_view word, Workspace& workspace) {
  constexpr std::string_view kStep = "step";
  options::Options parsed;
  std::string_view number = word;
  if (number.starts_with(kStep)) number.remove_prefix(kStep.size());
  absl::Status status = options::ParseOption(
      *options::FindExactOption(kStep), number.empty() ? word : number, parsed);
  if (status.ok()) status = ResolveStep(workspace, parsed);
  if (status.ok()) status = CheckStep(workspace.profile(), parsed.view.step);
  if (!status.ok()) return status;
  return parsed.view.step;
}

absl::Status CheckExecutions(const profile::Profile& profile, int64_t step) {
  for (const auto& of : profile.steps()) {
    if (!of->aggregated || (step >= 0 && of->id != step)) continue;
    return absl::FailedPreconditionError(fmt::format(
        "Step {} has no single executions: --max_memory dropped them.",
        of->id));
  }
  return absl::OkStatus();
}

std::vector<std::string> RegexNotes(const views::ViewOptions& options) {
  std::vector<std::string> notes;
  for (const views::RegexPatterns* patterns :
       {&options.account_types, &options.start_names, &options.trim_names,
        &options.show_names, &options.hide_names}) {
    for (const std::string& pattern : *patterns) {
      const std::string error = views::RegexError(pattern);
      if (error.empty()) continue;
      notes.push_back(fmt::format(
          "'{}' is not a valid regular expression and matches nothing: {}",
          pattern, error));
    }
  }
  return notes;
}

std::vector<std::string> OutsideNotes(Workspace& workspace, int64_t step) {
  const profile::Profile& profile = workspace.profile();
  if (!profile.graph().self_times ||
      accounting::CanonicalStep(step) != accounting::kAverageOfSteps) {
    return {};
  }
  // Times on accelerators and on CPUs, which pass at the same time.
  struct Times {
    int64_t accelerator = 0;
    int64_t cpu = 0;
  };
  Times outside, all;
  int64_t listed = 0;
  const auto add = [](const profile::Step& step, Times& sum) {
    for (size_t group = 0; group < step.num_groups(); ++group) {
      sum.accelerator = util::SaturatingAdd(sum.accelerator,
                                            step.sums.accelerator_time[group]);
      sum.cpu = util::SaturatingAdd(sum.cpu, step.sums.cpu_time[group]);
    }
  };
  for (const auto& known : profile.steps()) {
    add(*known, all);
    listed += known->listed;
    if (!known->listed) add(*known, outside);
  }
  if ((outside.accelerator == 0 && outside.cpu == 0) ||
      std::exchange(workspace.outside_noted, true)) {
    return {};
  }
  const bool both = all.accelerator > 0 && all.cpu > 0;
  std::string text;
  const auto append = [&](int64_t part, int64_t whole, std::string_view where) {
    if (part == 0) return;
    text += fmt::format("{}{} of {}{}", text.empty() ? "" : " and ",
                        tables::FormatTime(part, profile.ticks_per_micro()),
                        tables::FormatTime(whole, profile.ticks_per_micro()),
                        both ? where : "");
  };
  append(outside.accelerator, all.accelerator, " on accelerators");
  append(outside.cpu, all.cpu, " on CPUs");
  return {fmt::format(
      "The average over {} step{} leaves out {}, which ran in no step; -step "
      "all includes it.",
      listed, listed == 1 ? "" : "s", text)};
}

std::vector<std::string> ViewNotes(Workspace& workspace,
                                   const views::ViewOptions& options) {
  std::vector<std::string> notes = RegexNotes(options);
  if (options.flops == workspace.flops_noted) return notes;
  workspace.flops_noted = options.flops;
  if (options.flops == flops::FlopsSource::kAuto ||
      options.flops == flops::FlopsSource::kGraph) {
    std::string text = DescribeFlops(
        options.flops, workspace.views().context().FloatOps(options.flops));
    text.pop_back();  // its newline
    notes.push_back(std::move(text));
  }
  return notes;
}

std::vector<std::string> GradientNotes(Workspace& workspace) {
  if (std::exchange(workspace.gradients_noted, true)) return {};
  const int64_t lost = workspace.views().code().lost_gradients;
  if (lost == 0) return {};
  return {fmt::format("{} gradient nodes not accounted", lost)};
}

}  // namespace tfprof::commands
