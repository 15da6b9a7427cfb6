// ProfileShelf: the profiles that a server may open, and those that are open.
//
//   ProfileShelf shelf(ProfileShelf::Below("profiles/"));
//   absl::StatusOr<Workspace*> opened = shelf.Open("run1/step.pb", notes);
//
// Either all files below one folder, by their path in it (of a CTF trace only
// its metadata, which stand for the streams beside them), or a few profiles
// that were named when the program started. Nothing else can be opened: a path
// that leads out of the folder, also by a symbolic link, is refused. The last
// few profiles stay open, and are loaded again when their files change.
//
// It belongs to one thread. A Workspace is valid until the next Open().

#ifndef TFPROF_PROFILER_COMMANDS_FILES_PROFILE_SHELF_H_
#define TFPROF_PROFILER_COMMANDS_FILES_PROFILE_SHELF_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/load.h"
#include "profiler/commands/workspace.h"
#include "util/run/task_options.h"

namespace tfprof::commands {

class ProfileShelf {
 public:
  struct Listed {
    std::string name;
    int64_t bytes = -1;  // -1: it is several files
  };
  struct Named {
    std::string name;
    loaders::LoadRequest request;
  };

  // The profiles below `root`, or `root` itself if it is a file.
  static ProfileShelf Below(std::string root);
  // The files that a file is opened with, by its path.
  using Companions =
      std::function<std::vector<std::string>(const std::string& path)>;
  // Like Below(root), with `root` a folder, but only the profiles in its
  // subfolder `folder` are listed.
  static ProfileShelf Below(std::string root, std::string folder,
                            Companions companions);
  explicit ProfileShelf(std::vector<Named> named) : named_(std::move(named)) {}

  // From now on, profiles are opened without the homes of users and the names
  // of hosts (shareable.h).
  void HideEnvironment() { hides_environment_ = true; }

  // The profiles by name; `more`: how many are left out, beyond `most`.
  std::vector<Listed> List(size_t most, size_t& more) const;
  // The profile that a page shows if it names none: the first named one, or of
  // a folder the one that changed last, among the files whose format is known.
  // "": there is none.
  std::string Newest() const;
  // Whether a question may leave out the name of the profile.
  bool one_profile() const { return root_.empty() && named_.size() == 1; }

  // "" is the only profile, or the first named one. `defaults` and `work` are
  // for a profile that is loaded by this call. Adds the notes of the loader
  // then.
  absl::StatusOr<Workspace*> Open(const std::string& name,
                                  const options::Options& defaults,
                                  const util::TaskOptions& work,
                                  std::vector<std::string>& notes);
  // The same, for a comparison with it.
  absl::StatusOr<std::shared_ptr<const Base>> OpenBase(
      const std::string& name, const options::Options& defaults,
      const util::TaskOptions& work, std::vector<std::string>& notes);
  // The next Open() of this profile loads it again. False: it is not open.
  bool Forget(const std::string& name);
  std::vector<std::string> OpenNames() const;

 private:
  // A size and a time of a file.
  struct Stamp {
    int64_t size = -1;
    int64_t seconds = 0;
    int64_t nanos = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Opened {
    std::string name;
    std::vector<std::string> files;
    std::vector<Stamp> stamps;
    std::unique_ptr<Workspace> workspace;
  };

  ProfileShelf() = default;
  static std::vector<Stamp> StampsOf(const std::vector<std::string>& files);
  absl::StatusOr<Named> Locate(const std::string& name) const;
  // An error if a load of `files` would follow a link out of the folder.
  absl::Status CheckLinks(const std::vector<std::string>& files) const;

  std::string root_;    // "": named_ has all
  std::string folder_;  // of root_; "": all of it
  Companions companions_;
  std::vector<Named> named_;
  bool hides_environment_ = false;
  std::list<Opened> open_;  // the last one used first
};

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_FILES_PROFILE_SHELF_H_
