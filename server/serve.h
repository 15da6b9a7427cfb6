// `tfprof serve`: a profile, those of a folder, or programs that run, in a
// browser.
//
// Prints one line with the address, which has the token, and serves until
// SIGINT, SIGTERM, or until a page ends it; then what is damaged in a saved
// session. Files are written only below the folder of a session
// (session_folder.h).

#ifndef TFPROF_SERVER_SERVE_H_
#define TFPROF_SERVER_SERVE_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "loaders/load.h"
#include "profiler/options/options.h"

namespace tfprof {

struct ServeRequest {
  // One folder alone: what is below it, or the session that it is. One file
  // alone may be a session, too (unpacked_session.h). Empty with
  // options.session.
  LoadRequest inputs;
  std::vector<std::string> base;  // files of a second profile; empty: none
  ServeOptions options;
};

// `print` is given lines for stdout.
absl::Status Serve(const ServeRequest& request,
                   const std::function<void(std::string_view)>& print);

}  // namespace tfprof

#endif  // TFPROF_SERVER_SERVE_H_
