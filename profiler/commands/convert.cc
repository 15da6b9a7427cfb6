#include "profiler/commands/convert.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats/graph_def.h"
#include "exporters/formats/op_log.h"
#include "exporters/formats/profile_proto.h"
#include "exporters/formats/run_metadata.h"
#include "fmt/format.h"
#include "profile/step_list.h"
#include "profiler/shell/long_work.h"
#include "util/errno_status.h"
#include "util/progress.h"
#include "util/sink.h"

namespace tfprof {
namespace {

using Steps = std::vector<std::shared_ptr<const Step>>;

// What we found ourselves is a sentence; the system's words get their code.
std::string Spell(const absl::Status& status) {
  if (absl::IsFailedPrecondition(status)) return std::string(status.message());
  return fmt::format("{}: {}", absl::StatusCodeToString(status.code()),
                     std::string(status.message()));
}

// "1 node", "3 nodes".
std::string Count(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string ListedSteps(const Profile& profile) {
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) {
    if (step->listed) ids.push_back(step->id);
  }
  return ids.empty() ? "none" : FormatSteps(ids);
}

// The steps that `wanted` names, all without it. Every number and every range
// must name one.
absl::StatusOr<Steps> ChooseSteps(const Profile& profile,
                                  const StepList& wanted) {
  if (wanted.empty()) return profile.steps();
  Steps steps;
  std::vector<bool> found(wanted.size(), false);
  for (const auto& step : profile.steps()) {
    if (!step->listed || !Contains(wanted, step->id)) continue;
    steps.push_back(step);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (Contains({wanted[i]}, step->id)) found[i] = true;
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (found[i]) continue;
    return absl::FailedPreconditionError(fmt::format(
        "There is no step {} in what is loaded. Available steps: {}",
        FormatStepList({wanted[i]}), ListedSteps(profile)));
  }
  return steps;
}

// A folder under a temporary name, which is removed unless Commit() was
// called. It is ours alone, and has no folders in it. `all_work` is what the
// calls of Write() say, in all.
class NewFolder {
 public:
  NewFolder(std::string path, size_t all_work)
      : path_(std::move(path)),
        all_work_(static_cast<double>(std::max<size_t>(all_work, 1))),
        written_path_(path_ + ".tmp" + std::to_string(getpid())) {}

  ~NewFolder() {
    if (!made_) return;
    for (const std::string& file : files_) unlink(file.c_str());
    rmdir(written_path_.c_str());
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  absl::Status Make() {
    // What cannot be replaced is said before the work.
    if (DIR* dir = opendir(path_.c_str()); dir != nullptr) {
      bool empty = true;
      while (const dirent* entry = readdir(dir)) {
        const std::string_view name = entry->d_name;
        empty &= name == "." || name == "..";
      }
      closedir(dir);
      if (!empty) {
        return absl::AlreadyExistsError(
            fmt::format("{}; the folder is not empty, and what is in it would "
                        "be loaded with the new files: name another one",
                        path_));
      }
    } else if (errno != ENOENT) {
      return ErrnoStatus(errno, path_);
    }
    if (mkdir(written_path_.c_str(), 0777) != 0) {
      return ErrnoStatus(errno, path_);
    }
    made_ = true;
    bar_.emplace("writing", progress_.bytes, "B");
    return absl::OkStatus();
  }

  // Writes a file in it.
  absl::Status Write(const std::string& name, size_t work,
                     const std::function<absl::Status(Sink&)>& write) {
    progress_.begin = work_ / all_work_;
    work_ += static_cast<double>(work);
    progress_.end = work_ / all_work_;
    const std::string file = fmt::format("{}/{}", written_path_, name);
    const absl::Status status = WriteFile(file, write, &progress_);
    if (status.ok()) {
      files_.push_back(file);
      return status;
    }
    // A message names the folder that was asked for.
    std::string message(status.message());
    if (const size_t at = message.find(written_path_); at != message.npos) {
      message.replace(at, written_path_.size(), path_);
    }
    return absl::Status(status.code(), message);
  }

  absl::Status Commit() {
    bar_.reset();
    if (rename(written_path_.c_str(), path_.c_str()) != 0) {
      return ErrnoStatus(errno, path_);
    }
    made_ = false;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  const double all_work_;
  double work_ = 0;
  WriteProgress progress_;
  std::optional<ProgressBar> bar_;
  const std::string written_path_;
  std::vector<std::string> files_;
  bool made_ = false;
};

class Converter {
 public:
  Converter(const ConvertSpec& spec, const Profile& profile, Ui& ui)
      : spec_(spec), profile_(profile), ui_(ui) {}

  absl::Status Run() {
    const absl::Status status =
        spec_.type == ConvertSpec::Type::kFiles ? WriteFiles() : WriteProfile();
    if (!status.ok()) Say(Spell(status));
    return status;
  }

 private:
  absl::Status WriteProfile() {
    absl::Status status = Prepare();
    if (!status.ok()) return status;
    status = WriteFileWithBar(spec_.path, [&](Sink& sink) {
      return WriteProfileProto(chosen_, sink);
    });
    if (!status.ok()) return status;
    int64_t unaccounted = 0;
    for (const auto& step : chosen_.steps()) {
      unaccounted += static_cast<int64_t>(step->unaccounted.size());
    }
    if (unaccounted > 0) {
      Say(
          fmt::format("A ProfileProto has no place for {} outside the "
                      "accounting; -to files has.",
                      Count(unaccounted, "execution")));
    }
    Say(fmt::format("The profile is written to {}.", spec_.path));
    return absl::OkStatus();
  }

  absl::Status WriteFiles() {
    absl::Status status = Prepare();
    if (!status.ok()) return status;
    for (const auto& step : chosen_.steps()) {
      if (step->listed && step->id < 0) {
        return absl::FailedPreconditionError(fmt::format(
            "Step {} has a negative number, which no file can be given; "
            "choose others with -steps.",
            step->id));
      }
    }
    const bool needs_op_log = NeedsOpLog(chosen_);
    const size_t nodes = chosen_.nodes().size();
    size_t work = needs_op_log ? 2 * nodes : nodes;
    for (const auto& step : chosen_.steps()) {
      if (step->listed) work += step->num_executions();
    }
    NewFolder folder(spec_.path, work);
    status = folder.Make();
    if (!status.ok()) return status;
    GraphDefLosses graph_losses;
    status = folder.Write("graph.pb", nodes, [&](Sink& sink) {
      const auto losses = WriteGraphDef(chosen_, sink);
      if (losses.ok()) graph_losses = *losses;
      return losses.status();
    });
    if (!status.ok()) return status;
    std::string files = "graph.pb";
    if (needs_op_log) {
      status = folder.Write("op_log.pb", nodes, [&](Sink& sink) {
        WriteOpLog(chosen_, sink);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
      files += ", op_log.pb";
    }
    RunMetadataLosses step_losses;
    std::vector<int64_t> written;
    int64_t unlisted = 0;
    for (const auto& step : chosen_.steps()) {
      if (!step->listed) {
        ++unlisted;
        continue;
      }
      status = folder.Write(fmt::format("run_meta_{}.pb", step->id),
                            step->num_executions(), [&](Sink& sink) {
                              step_losses +=
                                  WriteRunMetadata(chosen_, *step, sink);
                              return absl::OkStatus();
                            });
      if (!status.ok()) return status;
      written.push_back(step->id);
    }
    status = folder.Commit();
    if (!status.ok()) return status;
    SayLosses(graph_losses);
    SayRanElsewhere();
    SayLosses(step_losses, unlisted);
    if (!written.empty()) {
      files += fmt::format(", run_meta_{}.pb",
                           written.size() == 1
                               ? fmt::format("{}", written[0])
                               : fmt::format("{{{}}}", FormatSteps(written)));
    }
    Say(fmt::format("The files are written to {}: {}.", spec_.path, files));
    return absl::OkStatus();
  }

  // Checks what can be checked before a file is touched.
  absl::Status Prepare() {
    if (profile_.nodes().size() == 0) {
      return absl::FailedPreconditionError(fmt::format(
          "Nothing is written to {}: there is no node in what is loaded.",
          spec_.path));
    }
    absl::StatusOr<Steps> steps = ChooseSteps(profile_, spec_.steps);
    if (!steps.ok()) return steps.status();
    for (const auto& step : *steps) {
      if (!step->aggregated) continue;
      return absl::FailedPreconditionError(
          fmt::format("Step {} cannot be saved: --max_memory dropped its "
                      "single executions.",
                      step->id));
    }
    chosen_ = profile_.WithSteps(*std::move(steps));
    return absl::OkStatus();
  }

  void SayLosses(const GraphDefLosses& losses) {
    Say("Not in graph.pb: functions and versions, which a profile does not "
        "hold.");
    if (losses.rebuilt > 0) {
      Say(
          fmt::format("{} did not come from a GraphDef: without placement, and "
                      "control inputs are plain inputs.",
                      Count(losses.rebuilt, "node")));
    }
    const int64_t places = losses.input_places + losses.output_places;
    if (places > 0) {
      Say(
          fmt::format("{} had gaps between the numbers of inputs or outputs: "
                      "they are closed.",
                      Count(places, "node")));
    }
  }

  // Float operations of a node that never ran are those of one run, and files
  // cannot say that it ran in another step.
  void SayRanElsewhere() {
    const NodeTable& nodes = chosen_.nodes();
    int64_t count = 0;
    for (NodeId n = 0; n < nodes.size(); ++n) {
      if (!chosen_.RanElsewhere(n) || nodes.FloatOps(n) == 0) continue;
      count += std::none_of(
          chosen_.steps().begin(), chosen_.steps().end(),
          [&](const auto& step) { return step->FindGroup(n) != kNone; });
    }
    if (count > 0) {
      Say(
          fmt::format("{} ran only in steps that are not here: in files they "
                      "never ran, and show the float operations of one run.",
                      Count(count, "node")));
    }
  }

  void SayLosses(const RunMetadataLosses& losses, int64_t unlisted) {
    if (losses.rebuilt > 0) {
      Say(
          fmt::format("{} did not come from a RunMetadata: without labels, "
                      "threads and nanoseconds.",
                      Count(losses.rebuilt, "execution")));
    }
    if (losses.no_device > 0) {
      Say(
          fmt::format("{} had a step without an execution on a device: not "
                      "written.",
                      Count(losses.no_device, "node")));
    }
    if (losses.other_devices > 0) {
      Say(
          fmt::format("{} ran on another device than the node's first, and "
                      "will not count when the files are loaded; a profile "
                      "keeps several workers (-to profile).",
                      Count(losses.other_devices, "execution")));
    }
    if (losses.unmatched_sums > 0) {
      Say(
          fmt::format("{} had memory that belongs to no execution: not "
                      "written.",
                      Count(losses.unmatched_sums, "node")));
    }
    if (unlisted > 0) {
      Say(fmt::format("{} that the profile does not list: not written.",
                      Count(unlisted, "step")));
    }
  }

  void Say(std::string_view line) { ui_.Error(fmt::format("{}\n", line)); }

  const ConvertSpec& spec_;
  const Profile& profile_;
  Ui& ui_;
  Profile chosen_;  // with the chosen steps only
};

}  // namespace

absl::Status Convert(const ConvertSpec& spec, const Profile& profile, Ui& ui) {
  return Converter(spec, profile, ui).Run();
}

}  // namespace tfprof
