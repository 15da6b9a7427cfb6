// UnpackedSession: a saved session that is one file, as a folder.
//
//   auto session = UnpackedSession::Of(request);   // nullptr: it is no session
//   SessionFolder::Open((*session)->folder());
//
// Such a file is a zip archive of a session (g3doc/formats/session.md), or a
// pickle of tensorflow-tracer, which is read and never run. The folder is a new
// one among the temporary files, for its owner only, and is removed at the end:
// what is changed in it is not saved. A program that is killed leaves it.
//
// Errors: those of Load(), and those of the system with the path.

#ifndef TFPROF_SERVER_UNPACKED_SESSION_H_
#define TFPROF_SERVER_UNPACKED_SESSION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/load_request.h"

namespace tfprof {

class UnpackedSession {
 public:
  // Of a request that names one file. Also of one whose format is unknown,
  // which is an error.
  static absl::StatusOr<std::unique_ptr<UnpackedSession>> Of(
      const LoadRequest& request);
  ~UnpackedSession();
  UnpackedSession(const UnpackedSession&) = delete;
  UnpackedSession& operator=(const UnpackedSession&) = delete;

  const std::string& folder() const { return folder_; }
  // What is damaged in it, as lines for a person.
  const std::vector<std::string>& damage() const { return damage_; }

 private:
  explicit UnpackedSession(std::string folder) : folder_(std::move(folder)) {}

  const std::string folder_;
  std::vector<std::string> damage_;
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_UNPACKED_SESSION_H_
