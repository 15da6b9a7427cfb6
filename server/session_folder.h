// SessionFolder: the files of a session of traces (g3doc/formats/session.md).
//
//   DIR/manifest.json           what this folder is; the server holds a lock
//   DIR/server.json             who serves it, while it is served (mode 0600)
//   DIR/orders.json             what waits to be traced
//   DIR/clients/ID.json         the last known state of a process
//   DIR/traces/ID.pb            a record as it came, with its facts beside it:
//   DIR/traces/ID.about.json    a trace is there when this file is there
//   DIR/graphs/NAME.pb          graphs of what was traced
//
// Every file is written under another name and then renamed, so a program that
// is killed leaves whole files. Names that come from outside are checked: 1 to
// 40 characters of a-z, 0-9 and '-'. No link is followed out of the folder.
// Errors are those of the system, with the path; ResourceExhausted: the disk is
// full.

#ifndef TFPROF_SERVER_SESSION_FOLDER_H_
#define TFPROF_SERVER_SESSION_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/live_model.h"

namespace tfprof {

class SessionFolder {
 public:
  // Whether `path` is a folder with a manifest.
  static bool IsSession(const std::string& path);
  // The graph that the facts of a trace name, by the path of the trace; none if
  // there are no such files.
  static std::vector<std::string> GraphsOf(const std::string& trace);
  // Makes the folder (mode 0700) or opens it. FailedPrecondition: it is no
  // session and not empty, or another server has it.
  static absl::StatusOr<SessionFolder> Create(const std::string& path,
                                              const LiveLimits& limits);
  // A session that is there, for looking at it. Nothing is locked.
  static absl::StatusOr<SessionFolder> Open(const std::string& path);

  SessionFolder(SessionFolder&& other) noexcept;
  SessionFolder& operator=(SessionFolder&&) = delete;
  ~SessionFolder();  // server.json goes, if this server wrote it

  // Absolute.
  const std::string& path() const { return path_; }

  struct Content {
    std::vector<LiveClient> clients;
    std::vector<LiveTrace> traces;     // by id
    std::vector<LiveOrder> orders;     // those of these clients
    std::vector<std::string> damaged;  // "traces/x.about.json: why"
  };
  Content Read() const;

  absl::Status SaveClient(const LiveClient& client);
  // Those that are not finished.
  absl::Status SaveOrders(const std::map<uint64_t, LiveOrder>& orders);
  // Forgets records without facts: their server was killed before it answered,
  // and the client sends them again.
  void RemoveOrphans();
  // Sets trace.file and trace.bytes.
  absl::Status AddTrace(LiveTrace& trace, std::string_view data);
  absl::Status SaveAbout(const LiveTrace& trace);
  absl::Status RemoveTrace(const LiveTrace& trace);
  absl::StatusOr<std::string> ReadTrace(const LiveTrace& trace) const;
  absl::Status AddGraph(const std::string& name, std::string_view data);
  // `json` is readable for the owner only.
  absl::Status SaveServer(std::string_view json);

 private:
  explicit SessionFolder(std::string path) : path_(std::move(path)) {}
  // After the clients.
  void ReadOrders(Content& content) const;

  std::string path_;
  int lock_ = -1;
  bool served_ = false;
};

// Whether a name from outside may be part of a path.
bool IsSessionName(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_SERVER_SESSION_FOLDER_H_
