// Base: the profile that another one is compared with, and the views of both
// as differences (compare/diff.h).

#ifndef TFPROF_PROFILER_COMMANDS_BASE_H_
#define TFPROF_PROFILER_COMMANDS_BASE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/load.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "views/views.h"

namespace tfprof {

class Base {
 public:
  // `files` are what tfprof takes without a flag. What was met while reading is
  // told to `ui`. An error: nothing of a file was usable, or no file has nodes.
  static absl::StatusOr<std::unique_ptr<Base>> Load(
      std::vector<std::string> files, size_t max_memory, Ui& ui);

  // The files as they were named.
  const std::string& name() const { return name_; }
  Views& views() { return views_; }
  const Profile& profile() const { return loaded_.profile; }
  bool damaged() const { return loaded_.log.damaged(); }

 private:
  Base(std::string name, Loaded loaded)
      : name_(std::move(name)),
        loaded_(std::move(loaded)),
        views_(loaded_.profile) {}

  std::string name_;
  Loaded loaded_;
  Views views_;
};

// Answers `command`, a view, with what changed from `base`. Not OK: the base
// lacks what it needs, or the output makes no sense or cannot be written.
absl::Status ShowDiff(View view, const Command& command, Base& base,
                      Views& views, Ui& ui);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_BASE_H_
