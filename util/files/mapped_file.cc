#include "util/files/mapped_file.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tfprof::util {

// The guards form a list that only grows, because the handler may walk it at
// any time. A new file reuses the guard of a closed one.
struct MappingGuard {
  std::atomic<uintptr_t> begin = 0;  // 0: unused
  std::atomic<uintptr_t> end = 0;
  std::atomic<bool> faulted = false;
  MappingGuard* next = nullptr;  // set before the handler can see the guard
};

namespace {

std::atomic<MappingGuard*> guards = nullptr;  // the head of the list
static_assert(std::atomic<MappingGuard*>::is_always_lock_free);
static_assert(std::atomic<uintptr_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

// The previous action for SIGBUS and the size of a page, set before the handler
// is installed.
struct sigaction before;
uintptr_t page_bytes = 0;

// Data that the handler does not use.
struct Unused {
  std::mutex mutex;
  std::vector<MappingGuard*> guards;
};
Unused& UnusedGuards() {
  static auto* const unused = new Unused;
  return *unused;
}

uintptr_t Address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// Returns the end of the page that has the byte before `at`.
uintptr_t PageEnd(uintptr_t at) {
  return (at + page_bytes - 1) & ~(page_bytes - 1);
}

void OnBusError(int, siginfo_t* info, void*) {
  // This handler only makes system calls (mmap, sigaction); it does not
  // allocate or lock.
  const int error = errno;
  const uintptr_t at = Address(info->si_addr);
  for (MappingGuard* guard = guards.load(); guard != nullptr;
       guard = guard->next) {
    const uintptr_t begin = guard->begin.load();
    const uintptr_t end = guard->end.load();
    if (begin == 0 || at < begin || at >= end) continue;
    // If a file lost a page, it lost all later pages too.
    const uintptr_t page = at & ~(page_bytes - 1);
    void* const zeros =
        mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    guard->faulted.store(true);
    errno = error;
    return;
  }
  // This fault is not in a mapping: restore the previous handler, which gets
  // the fault when the instruction is repeated.
  sigaction(SIGBUS, &before, nullptr);
  errno = error;
}

MappingGuard* NewGuard(std::string_view bytes) {
  Unused& unused = UnusedGuards();
  const std::lock_guard<std::mutex> lock(unused.mutex);
  if (page_bytes == 0) {
    page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGBUS, &action, &before);
  }
  MappingGuard* guard = nullptr;
  if (unused.guards.empty()) {
    guard = new MappingGuard;
    guard->next = guards.load();
    guards.store(guard);
  } else {
    guard = unused.guards.back();
    unused.guards.pop_back();
  }
  guard->faulted.store(false);
  guard->end.store(PageEnd(Address(bytes.data()) + bytes.size()));
  guard->begin.store(Address(bytes.data()));
  return guard;
}

}  // namespace

FileVersion FileVersion::Of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .modified = info.st_mtim};
}

bool FileVersion::operator==(const FileVersion& other) const {
  return SameFile(other) && size == other.size &&
         modified.tv_sec == other.modified.tv_sec &&
         modified.tv_nsec == other.modified.tv_nsec;
}

absl::Status FileChanged(std::string_view path, std::string_view when) {
  return absl::FailedPreconditionError(
      fmt::format("{} changed {}; load it again", path, when));
}

std::unique_ptr<const MappedFile> MappedFile::Map(int fd, std::string path,
                                                  const struct stat& info) {
  const auto size = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return nullptr;
  return std::unique_ptr<const MappedFile>(
      new MappedFile(std::move(path), FileVersion::Of(info),
                     {static_cast<const char*>(data), size}));
}

MappedFile::MappedFile(std::string path, const FileVersion& version,
                       std::string_view bytes)
    : path_(std::move(path)),
      version_(version),
      bytes_(bytes),
      guard_(NewGuard(bytes)) {}

MappedFile::~MappedFile() {
  // Clear the guard first: another mapping may get these addresses immediately.
  guard_->begin.store(0);
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  Unused& unused = UnusedGuards();
  const std::lock_guard<std::mutex> lock(unused.mutex);
  unused.guards.push_back(guard_);
}

absl::Status MappedFile::CheckUnchanged(std::string_view when) const {
  if (guard_->faulted.load()) return FileChanged(path_, when);
  struct stat info;
  if (stat(path_.c_str(), &info) != 0) return absl::OkStatus();
  const FileVersion now = FileVersion::Of(info);
  if (!now.SameFile(version_) || now == version_) return absl::OkStatus();
  return FileChanged(path_, when);
}

}  // namespace tfprof::util
