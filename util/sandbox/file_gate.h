// The gate between a process that may make no files and one that may: the first
// asks for a file and gets a descriptor, and the second gives the file its name
// when the first says that it is complete.
//
//   FileGate gate(fd);            // in the confined process
//   UseFileMaker(gate);
//   ServeFiles(other_fd, allows);  // in the other one, until the first ends
//
// Both ends are sockets of one pair (SOCK_SEQPACKET). The process behind the
// gate is not trusted: it gets only files that `allows` names, and temporary
// ones without names.

#ifndef TFPROF_UTIL_SANDBOX_FILE_GATE_H_
#define TFPROF_UTIL_SANDBOX_FILE_GATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "util/files/new_file.h"
#include "util/run/cancellation.h"

namespace tfprof::util {

class FileGate : public FileMaker {
 public:
  // `socket` must outlive it.
  explicit FileGate(int socket) : socket_(socket) {}

  // PermissionDenied if the other process does not allow it; Unavailable if it
  // has ended. A pipe is waited for there, so `cancellation` is not used.
  absl::StatusOr<std::unique_ptr<NewFile>> Make(
      const std::string& path, const Cancellation* cancellation) override;
  int MakeTemporary() override;

 private:
  friend class FileBehindGate;

  struct Reply {
    absl::Status status;
    uint32_t id = 0;  // of the file
    int fd = -1;
  };
  Reply Ask(char request, uint32_t id, std::string_view path);

  const int socket_;
  std::mutex mutex_;  // one question at a time
};

// Answers the process behind `socket` until it ends or sends what no FileGate
// does. Files that it has not committed by then are discarded. `cancellation`
// ends the wait for the reader of a pipe.
void ServeFiles(int socket,
                const std::function<bool(const std::string& path)>& allows,
                const Cancellation& cancellation);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_FILE_GATE_H_
