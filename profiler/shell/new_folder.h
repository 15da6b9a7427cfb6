// NewFolder: a folder that exists with all of its files or not at all.
//
//   NewFolder folder(path, all_work);
//   folder.Make(); folder.Write("graph.pb", work, …); folder.Commit();
//
// The files are written to a temporary folder beside `path`, which is removed
// unless Commit() was called. `path` must be an empty folder or not exist:
// other files in it would be loaded together with the new ones. A progress bar
// shows how much of `all_work`, the sum of `work` of all calls of Write(), is
// done. Errors name `path`.

#ifndef TFPROF_PROFILER_SHELL_NEW_FOLDER_H_
#define TFPROF_PROFILER_SHELL_NEW_FOLDER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "util/files/sink.h"
#include "util/run/progress.h"

namespace tfprof::shell {

class NewFolder {
 public:
  // `cancellation` must outlive this.
  NewFolder(std::string path, size_t all_work,
            const util::Cancellation* cancellation = nullptr);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  absl::Status Make();
  // Writes a file in it; "traces/1.pb" is in a folder that it has, one deep.
  absl::Status Write(const std::string& name, size_t work,
                     const std::function<absl::Status(util::Sink&)>& write);
  absl::Status Commit();

 private:
  // Makes the folder that is a part of `name`, if there is one.
  absl::Status MakeFolderOf(const std::string& name);

  const std::string path_;
  const double all_work_;
  const util::Cancellation* const cancellation_;
  double work_ = 0;
  util::WriteProgress progress_;
  std::optional<util::ProgressBar> bar_;
  const std::string written_path_;
  std::vector<std::string> files_;
  std::vector<std::string> folders_;
  bool made_ = false;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_NEW_FOLDER_H_
