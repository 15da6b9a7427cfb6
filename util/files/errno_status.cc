#include "util/files/errno_status.h"

#include <errno.h>
#include <string.h>

namespace tfprof::util {

absl::Status ErrnoStatus(int error, const std::string& path) {
  const std::string message = path + "; " + strerror(error);
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return absl::FailedPreconditionError(message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    default:
      return absl::UnknownError(message);
  }
}

}  // namespace tfprof::util
