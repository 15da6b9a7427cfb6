// Serves in a confined process (util/sandbox/confined_child.h): a profile that
// takes over the server gains the answers of the server and nothing else.
//
// The first process has the socket, the token and the lock of the session, and
// reads no profile. A server that a signal ends is started again with the same
// address, and tells the pages what happened.

#ifndef TFPROF_SERVER_CONFINED_SERVE_H_
#define TFPROF_SERVER_CONFINED_SERVE_H_

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "server/serve.h"

namespace tfprof::server {

struct ServeMessages {
  // For stdout, as Serve() prints it.
  std::function<void(std::string_view)> print;
  // For stderr: a sentence about what is missing, or about a server that ended.
  std::function<void(std::string_view)> warn;
  // For an error of the server in its own process.
  std::function<void(const absl::Status&)> fail;
};

// Serves until the server ends. Call it while there is one thread. The status
// that it returns is of the first process; false: the server has reported an
// error itself. With `must` it is an error if this system cannot confine the
// server; else it serves as Serve() does, and warns.
absl::StatusOr<bool> ServeConfined(const ServeRequest& request, bool must,
                                   const ServeMessages& messages);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_CONFINED_SERVE_H_
