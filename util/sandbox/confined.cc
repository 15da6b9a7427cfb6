#include "util/sandbox/confined.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "fmt/format.h"

namespace tfprof::util {

absl::StatusOr<Confined> ConfineProcess(const Confinement& confinement) {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  // The filter comes last: it refuses the calls of Landlock.
  const absl::Status files = RestrictFiles(confinement.files);
  const absl::Status calls = FilterSyscalls(confinement.calls);
  const std::string no_files(files.message()), no_calls(calls.message());
  if (!files.ok() && !calls.ok()) {
    return absl::FailedPreconditionError(fmt::format(
        "this system cannot confine a reader: {}; {}", no_files, no_calls));
  }
  Confined confined;
  if (!files.ok()) {
    confined.missing = fmt::format(
        "the reader is confined by seccomp alone ({}): it cannot run programs "
        "or make connections, but it can read{} any file that you can",
        no_files, confinement.calls.change_files ? " and write" : "");
  } else if (!calls.ok()) {
    confined.missing = fmt::format(
        "the reader is confined by Landlock alone ({}): it reads only the "
        "files that it was given, but no system call is refused",
        no_calls);
  }
  return confined;
}

void CloseOtherDescriptors(std::vector<int> kept) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"),
                                                   &closedir);
  std::vector<int> others;
  if (folder == nullptr) {
    // Without /proc: as many as are usual.
    for (int fd = STDERR_FILENO + 1; fd < 1024; ++fd) others.push_back(fd);
  } else {
    kept.push_back(dirfd(folder.get()));
    while (const dirent* entry = readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      int fd = -1;
      std::from_chars(name.data(), name.data() + name.size(), fd);
      if (fd > STDERR_FILENO) others.push_back(fd);
    }
  }
  for (const int fd : others) {
    if (std::find(kept.begin(), kept.end(), fd) == kept.end()) close(fd);
  }
}

}  // namespace tfprof::util
