#include "profiler/commands/show/timeline_page.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advice.h"
#include "advisor/checkers/registry.h"
#include "exporters/page/collect.h"
#include "exporters/page/page.h"
#include "fmt/format.h"

namespace tfprof::commands {
namespace {

// The most that a page can hold; a browser would not open more.
constexpr size_t kMaxPageEvents = 20'000'000;

std::vector<exporters::PageFinding> Findings(const options::Options& options,
                                             const OpenProfile& opened,
                                             views::Views& views) {
  const advisor::Advice advice = advisor::RunCheckers(
      {views, opened.loaded.log}, advisor::AdviceCheckers(advisor::Checkers()),
      options.advice.values);
  std::vector<exporters::PageFinding> findings;
  for (const advisor::RankedFinding& ranked : advisor::Rank(advice)) {
    const advisor::Finding& finding = *ranked.finding;
    findings.push_back(
        {.severity = std::string(advisor::SeverityName(finding.severity)),
         .checker = std::string(ranked.checker->name),
         .rule = std::string(finding.rule),
         .subject = finding.subject,
         .text = finding.best_text(),
         .advice = finding.advice,
         .evidence = finding.evidence});
  }
  return findings;
}

// The last part of a path that names a profile. A CTF trace is a folder: of
// "a/session/ust/uid/0/64-bit/metadata" that is "session".
std::string_view NameOf(std::string_view path) {
  const auto last = [&path] { return path.substr(path.rfind('/') + 1); };
  if (last() != "metadata") return last();
  const auto is_inner = [](std::string_view part) {
    return part == "metadata" || part == "ust" || part == "kernel" ||
           part == "uid" || part == "pid" || part == "64-bit" ||
           part == "32-bit" ||
           part.find_first_not_of("0123456789") == part.npos;
  };
  const std::string_view whole = path;
  while (is_inner(last())) {
    if (path.find('/') == path.npos) return whole;
    path.remove_suffix(path.size() - path.rfind('/'));
  }
  return last();
}

// "run_meta_0.gz and 2 more".
std::string TitleOf(const loaders::Loaded& loaded) {
  if (loaded.sources.empty()) return "profile";
  std::string title(NameOf(loaded.sources.front().path));
  if (loaded.sources.size() > 1) {
    title.append(fmt::format(" and {} more", loaded.sources.size() - 1));
  }
  return title;
}

size_t CountEvents(const profile::Profile& profile, int64_t step) {
  size_t count = 0;
  for (const auto& s : profile.steps()) {
    if (step < 0 || s->id == step) count += s->num_records();
  }
  return count;
}

}  // namespace

tables::Answer TimelinePageAnswer(const options::Options& options,
                                  const timeline::ClockOffsets& clocks,
                                  Workspace& workspace) {
  const int64_t step = options.view.step;
  const absl::Status found = CheckStep(workspace.profile(), step);
  if (!found.ok()) return tables::ErrorAnswer(found);
  const size_t events = CountEvents(workspace.profile(), step);
  if (events == 0) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        "There is no timeline: the profile has no executions. Load run "
        "metadata, or a trace."));
  }
  if (events > kMaxPageEvents) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(fmt::format(
        "A page has at most {} events, and there are {}: choose a step with "
        "-step.",
        kMaxPageEvents, events)));
  }
  tables::Answer answer;
  const auto notes = std::make_shared<std::vector<std::string>>();
  const std::string& path = options.output.outfile();
  answer.files.push_back(
      {.path = path,
       .write = [options, step, notes, clocks,
                 opened = workspace.opened](util::Sink& sink) -> absl::Status {
         exporters::Page page = exporters::CollectPage(
             opened->views, {.step = step, .clock_offsets = clocks.of_lane});
         if (!sink.wanted()) return absl::CancelledError("cancelled");
         if (page.events.empty()) {
           return absl::FailedPreconditionError(
               "There is no timeline: no execution of the profile has a start. "
               "Profiles of sums, such as pprof files, say nothing of when.");
         }
         page.title = TitleOf(opened->loaded);
         page.program = "tfprof";
         page.findings = Findings(options, *opened, opened->views);
         for (std::string& note :
              timeline::ClockNotes(opened->profile(), clocks)) {
           page.notes.push_back(std::move(note));
         }
         *notes = page.notes;
         return exporters::WritePage(page, sink);
       },
       .work = events});
  answer.met = [notes, path] {
    std::vector<std::string> lines = std::move(*notes);
    lines.push_back(fmt::format(
        "The timeline is written to {}; open it in a browser.", path));
    return lines;
  };
  return answer;
}

}  // namespace tfprof::commands
