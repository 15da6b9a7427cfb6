// Converts the error of a failed system call to a Status.

#ifndef TFPROF_UTIL_FILES_ERRNO_STATUS_H_
#define TFPROF_UTIL_FILES_ERRNO_STATUS_H_

#include <string>

#include "absl/status/status.h"

namespace tfprof::util {

// `error` is an errno value and decides the status code. The message is
// "<path>; <strerror>", as in TensorFlow.
absl::Status ErrnoStatus(int error, const std::string& path);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_ERRNO_STATUS_H_
