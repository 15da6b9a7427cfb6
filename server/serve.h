// `tfprof serve`: shows a profile, all profiles of a folder, or running
// programs in a browser.
//
// Prints one line with the address, which includes the token, and serves until
// SIGINT, SIGTERM, or a request of a page ends it. For a saved session it also
// prints what is damaged. Files are written only below the folder of a session
// (session_folder.h).

#ifndef TFPROF_SERVER_SERVE_H_
#define TFPROF_SERVER_SERVE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/load.h"
#include "profiler/options/options.h"
#include "server/http/http_server.h"
#include "server/live/session_folder.h"

namespace tfprof::server {

struct ServeRequest {
  // A single folder means all profiles below it, or the session in it. A single
  // file may be a session, too (unpacked_session.h). Empty if options.session
  // is set.
  loaders::LoadRequest inputs;
  std::vector<std::string> base;  // files of a second profile; empty: none
  options::ServeOptions options;
  std::vector<std::string> source_paths;  // ApiOptions::source_paths
  // Pages show the homes of users and the names of hosts. With `source_paths`
  // they do so too: the files are found by their paths.
  bool keep_environment = false;
  // The seconds that a question may take; 0: kQuestionSeconds.
  unsigned question_seconds = 0;
};

// A file of some gigabytes takes a minute.
inline constexpr unsigned kQuestionSeconds = 300;

// The folder of the session that is served, or "".
std::string SessionOf(const ServeRequest& request);

// What a server needs before it reads a file from elsewhere.
struct ServerParts {
  Listener listener;
  std::string token;
  std::optional<SessionFolder> session;  // of a live session
  // The folder for a session in one file; "": a temporary one.
  std::string unpack_in;
  // Why the server was started again; "": it is the first one, which prints its
  // address. Pages show it.
  std::string restarted;
  // Called if a question goes on after its time; see WorkerLimit.
  std::function<void()> stuck;
};
// Errors: a file is missing, a session or a port is in use, a key is bad.
absl::StatusOr<ServerParts> OpenServer(const ServeRequest& request);

// `print` gets the text for stdout.
absl::Status RunServer(const ServeRequest& request, ServerParts parts,
                       const std::function<void(std::string_view)>& print);

// Both, in this process.
absl::Status Serve(const ServeRequest& request,
                   const std::function<void(std::string_view)>& print);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_SERVE_H_
