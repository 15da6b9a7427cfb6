#include "profiler/record/lttng_join.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace tfprof::recording {
namespace {

constexpr char kLibrary[] = "liblttng-ust.so.1";
constexpr char kForkLibrary[] = "liblttng-ust-fork.so.1";
// The text before the version of the daemon's socket.
constexpr std::string_view kSocket = "lttng-ust-sock-";

// Folders in which the loader of programs looks.
std::vector<std::string> LibraryFolders() {
  std::vector<std::string> folders;
  if (const char* listed = getenv("LD_LIBRARY_PATH"); listed != nullptr) {
    folders = absl::StrSplit(listed, ':', absl::SkipEmpty());
  }
#if defined(__x86_64__)
  constexpr char kArchitecture[] = "x86_64-linux-gnu";
#else
  constexpr char kArchitecture[] = "aarch64-linux-gnu";
#endif
  for (const char* root : {"/lib/", "/usr/lib/", "/usr/local/lib/"}) {
    folders.push_back(std::string(root) + kArchitecture);
    folders.push_back(root);
  }
  for (const char* folder : {"/lib64", "/usr/lib64", "/usr/local/lib64"}) {
    folders.push_back(folder);
  }
  return folders;
}

std::string FindLibrary(const char* name) {
  for (const std::string& folder : LibraryFolders()) {
    std::string path = folder + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

bool Answers(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  memcpy(address.sun_path, path.c_str(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answers =
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return answers;
}

// The daemon of root serves all users, the daemon of a user only that user.
bool DaemonRuns() {
  std::vector<std::string> folders = {"/var/run/lttng", "/run/lttng"};
  for (const char* variable : {"LTTNG_HOME", "HOME"}) {
    const char* const home = getenv(variable);
    if (home != nullptr) folders.push_back(std::string(home) + "/.lttng");
  }
  for (const std::string& folder : folders) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()),
                                                   closedir);
    if (open == nullptr) continue;
    while (const dirent* entry = readdir(open.get())) {
      const std::string_view name = entry->d_name;
      if (name.substr(0, kSocket.size()) == kSocket &&
          Answers(folder + "/" + entry->d_name)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<LttngPlace> FindLttng() {
  if (FindLibrary(kLibrary).empty()) {
    return absl::NotFoundError(fmt::format(
        "-lttng needs LTTng-UST, and {} is in none of the folders of "
        "libraries: install liblttng-ust1 (Debian), or record without -lttng",
        kLibrary));
  }
  if (!DaemonRuns()) {
    return absl::FailedPreconditionError(
        "-lttng needs a session daemon of LTTng, and none runs. To begin one "
        "and a session:\n"
        "  lttng-sessiond --daemonize; lttng create\n"
        "  lttng enable-event -u 'tfprof:*'\n"
        "  lttng add-context -u -t vpid -t vtid -t procname; lttng start");
  }
  return LttngPlace{.fork_library = FindLibrary(kForkLibrary)};
}

}  // namespace tfprof::recording
