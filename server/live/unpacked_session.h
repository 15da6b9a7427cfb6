// UnpackedSession: unpacks a saved session from one file into a folder.
//
//   auto session = UnpackedSession::Of(request);   // nullptr: no session
//   SessionFolder::Open((*session)->folder());
//
// The file is a zip archive of a session (g3doc/formats/session.md), or a
// pickle of tensorflow-tracer, which is read but never executed. The destructor
// removes the folder, so changes in it are lost. The folder is temporary and
// only its owner can read it; a killed program leaves it behind.
//
// Errors: the errors of Load(), and errors of the system with the path.

#ifndef TFPROF_SERVER_LIVE_UNPACKED_SESSION_H_
#define TFPROF_SERVER_LIVE_UNPACKED_SESSION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/load_request.h"

namespace tfprof::server {

class UnpackedSession {
 public:
  // Unpacks the session if the request names one file. A file of unknown format
  // is an error; nullptr for everything else.
  static absl::StatusOr<std::unique_ptr<UnpackedSession>> Of(
      const loaders::LoadRequest& request);
  ~UnpackedSession();
  UnpackedSession(const UnpackedSession&) = delete;
  UnpackedSession& operator=(const UnpackedSession&) = delete;

  const std::string& folder() const { return folder_; }
  // Descriptions of damage in the file, one line each.
  const std::vector<std::string>& damage() const { return damage_; }

 private:
  explicit UnpackedSession(std::string folder) : folder_(std::move(folder)) {}

  const std::string folder_;
  std::vector<std::string> damage_;
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_UNPACKED_SESSION_H_
