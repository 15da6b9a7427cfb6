#include "util/sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "util/files/errno_status.h"

namespace tfprof::util {
namespace {

// The interface of the kernel, which old headers do not have. The numbers are
// the same on all machines.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;
constexpr int kRulePathBeneath = 1;

struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;  // since version 4
  uint64_t scopes = 0;   // since version 6
};
struct [[gnu::packed]] PathBeneath {
  uint64_t allowed;
  int32_t folder;
};

enum Access : uint64_t {
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadFolder = 1 << 3,
  kRemoveFolder = 1 << 4,
  kRemoveFile = 1 << 5,
  kMakeFolder = 1 << 7,
  kMakeFile = 1 << 8,
  kRefer = 1 << 13,     // a link or a new name in another folder
  kTruncate = 1 << 14,  // since version 3
};
// All bits of a version, those that nothing here is given, too: execution,
// devices, sockets, ioctl.
constexpr uint64_t kAllOfVersion[] = {0,
                                      (1 << 13) - 1,
                                      (1 << 14) - 1,
                                      (1 << 15) - 1,
                                      (1 << 15) - 1,
                                      (1 << 16) - 1};
constexpr int kLastVersion = 5;
constexpr uint64_t kBindAndConnect = 3;
constexpr uint64_t kAbstractSocketsAndSignals = 3;
// What may be given for a file that is no folder.
constexpr uint64_t kOfFiles = kWriteFile | kReadFile | kTruncate;

uint64_t AccessFor(FileUse use) {
  switch (use) {
    case FileUse::kRead:
      return kReadFile | kReadFolder;
    case FileUse::kList:
      return kReadFolder;
    case FileUse::kChange:
      return kReadFile | kReadFolder | kWriteFile | kTruncate | kMakeFile |
             kMakeFolder | kRemoveFile | kRemoveFolder | kRefer;
  }
  return 0;
}

absl::Status AddRule(int ruleset, const UsedFile& file, uint64_t handled) {
  const int fd = open(file.path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return absl::OkStatus();
  struct stat info = {};
  PathBeneath rule = {.allowed = AccessFor(file.use) & handled, .folder = fd};
  if (fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)) rule.allowed &= kOfFiles;
  const bool added =
      rule.allowed == 0 ||
      syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) == 0;
  const int error = errno;
  close(fd);
  // EBADFD: a pipe without a name, which may be opened anyway.
  if (added || error == EBADFD) return absl::OkStatus();
  return ErrnoStatus(error, file.path);
}

}  // namespace

int LandlockVersion() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

absl::Status RestrictFiles(std::span<const UsedFile> files) {
  const int version = LandlockVersion();
  if (version == 0) {
    return absl::FailedPreconditionError(
        "this kernel has no Landlock, or it is switched off");
  }
  RulesetAttributes attributes;
  attributes.files =
      kAllOfVersion[version < kLastVersion ? version : kLastVersion];
  if (version >= 4) attributes.network = kBindAndConnect;
  if (version >= 6) attributes.scopes = kAbstractSocketsAndSignals;
  // Old kernels accept what they do not know only as zeros.
  const long made = syscall(kCreateRuleset, &attributes, sizeof(attributes), 0);
  if (made < 0) return ErrnoStatus(errno, "Landlock");
  const auto ruleset = static_cast<int>(made);
  absl::Status status;
  for (const UsedFile& file : files) {
    if (status.ok()) status = AddRule(ruleset, file, attributes.files);
  }
  if (status.ok() && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                      syscall(kRestrictSelf, ruleset, 0) != 0)) {
    status = ErrnoStatus(errno, "Landlock");
  }
  close(ruleset);
  return status;
}

}  // namespace tfprof::util
