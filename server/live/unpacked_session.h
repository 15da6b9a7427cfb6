// UnpackedSession: unpacks a saved session from one file into a folder.
//
//   auto session = UnpackedSession::Of(request);   // nullptr: no session
//   SessionFolder::Open((*session)->folder());
//
// The file is a zip archive of a session (g3doc/formats/session.md), or a
// pickle of tensorflow-tracer, which is read but never executed. The folder is
// temporary, so changes in it are lost; a killed program leaves it behind.
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

// A folder below $TMPDIR or /tmp that only its owner can read. The destructor
// removes it with all that is in it.
class TemporaryFolder {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFolder>> Make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

class UnpackedSession {
 public:
  // Unpacks the session if the request names one file. A file of unknown format
  // is an error; nullptr for everything else. `folder` is empty and belongs to
  // the caller; "": a temporary one.
  static absl::StatusOr<std::unique_ptr<UnpackedSession>> Of(
      const loaders::LoadRequest& request, std::string folder = "");

  const std::string& folder() const { return folder_; }
  // Descriptions of damage in the file, one line each.
  const std::vector<std::string>& damage() const { return damage_; }

 private:
  UnpackedSession(std::string folder, std::unique_ptr<TemporaryFolder> own)
      : folder_(std::move(folder)), own_(std::move(own)) {}

  const std::string folder_;
  const std::unique_ptr<TemporaryFolder> own_;  // nullptr: of the caller
  std::vector<std::string> damage_;
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_UNPACKED_SESSION_H_
