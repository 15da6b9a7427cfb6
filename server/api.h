// Api: the profiles of the server, and its answers to questions about them.
//
// It belongs to the worker thread; Answer() may take long, and returns soon
// after a cancellation is requested. The thread that talks to clients calls
// IsWork() and PageReply(), which need no Api.
//
//   GET  /api/state      profiles, limits
//   GET  /api/options    commands and their options
//   GET  /api/COMMAND    the answer as -output json (question.h)
//   GET  /api/drawing    boxes and edges of the graph
//   (inspect/nodes/scope_graph.h) GET  /timeline       the timeline page of a
//   profile GET  /api/session.zip  the session as one file POST /api/reload
//   loads a profile again when it is next asked for

#ifndef TFPROF_SERVER_API_H_
#define TFPROF_SERVER_API_H_

#include <optional>
#include <string>

#include "profiler/commands/files/profile_shelf.h"
#include "server/event_log.h"
#include "server/http/http.h"
#include "util/run/cancellation.h"
#include "util/run/task_options.h"

namespace tfprof::server {

struct ApiOptions {
  bool read_only = false;
  // The folder of the session to which the profiles belong (live_api.h), or "".
  std::string session;
  // The folders whose source files may be read; without any, lines of source
  // have only what the call stacks have.
  std::vector<std::string> source_paths;
  // Why the server was started again, for the pages; "": it was not.
  std::string restarted;
  // How commands run; its cancellation belongs to the running question.
  util::TaskOptions work;
};

class Api {
 public:
  // `events` must outlive it.
  Api(commands::ProfileShelf shelf, const ApiOptions& options, EventLog& events)
      : shelf_(std::move(shelf)), options_(options), events_(events) {}

  // The reply to a request that passed the guard.
  HttpReply Answer(const HttpRequest& request);

 private:
  HttpReply State() const;
  HttpReply Ask(const std::string& name, const HttpRequest& request);
  HttpReply Drawing(const HttpRequest& request);
  HttpReply Timeline(const HttpRequest& request);
  HttpReply Archive();
  HttpReply Reload(const HttpRequest& request);
  // Opens the profile and its base, if one is given.
  absl::StatusOr<commands::Workspace*> Open(const std::string& profile,
                                            const std::string& base,
                                            std::vector<std::string>& notes);

  commands::ProfileShelf shelf_;
  ApiOptions options_;
  EventLog& events_;
};

// The page of the program, the same for the address of each of its views; it
// requests its content from the API. nullopt if no view has this address.
std::optional<HttpReply> PageReply(const std::string& path);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_API_H_
