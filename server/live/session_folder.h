// SessionFolder: the files of a live session (g3doc/formats/session.md).
//
//   DIR/manifest.json           format and limits; locked by the server
//   DIR/server.json             the running server's address (mode 0600)
//   DIR/orders.json             unfinished orders to trace runs
//   DIR/clients/ID.json         the last known state of a process
//   DIR/traces/ID.pb            a record as it was delivered
//   DIR/traces/ID.about.json    its facts; without them there is no trace
//   DIR/graphs/NAME.pb          the graphs of traced runs
//
// Every file is written under another name and then renamed, so files are
// complete even if the server is killed. Names from outside are checked: 1 to
// 40 characters of a-z, 0-9 and '-'. No link inside of the folder is followed,
// and only files with names that this class gives are deleted. Errors are
// errors of the system with the path; ResourceExhausted means a full disk.

#ifndef TFPROF_SERVER_LIVE_SESSION_FOLDER_H_
#define TFPROF_SERVER_LIVE_SESSION_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/live/live_model.h"

namespace tfprof::server {

class SessionFolder {
 public:
  // True if `path` is a folder with a manifest.
  static bool IsSession(const std::string& path);
  // The path of the graph that the facts of the trace at path `trace` name;
  // empty if a file is missing.
  static std::vector<std::string> GraphsOf(const std::string& trace);
  // Creates the folder (mode 0700) or opens it. FailedPrecondition: the folder
  // is neither empty nor a session, it or a folder in it belongs to another
  // user or is a link, or another server uses it.
  static absl::StatusOr<SessionFolder> Create(const std::string& path,
                                              const LiveLimits& limits);
  // Opens an existing session for reading, without a lock.
  static absl::StatusOr<SessionFolder> Open(const std::string& path);

  SessionFolder(SessionFolder&& other) noexcept;
  SessionFolder& operator=(SessionFolder&&) = delete;
  ~SessionFolder();  // deletes the server.json that this server wrote

  // Leaves the lock to the process from which this one was copied: it is free
  // when that one ends.
  void LeaveLock();
  // Absolute.
  const std::string& path() const { return path_; }

  struct Content {
    std::vector<LiveClient> clients;
    std::vector<LiveTrace> traces;          // by id
    std::map<std::string, int64_t> graphs;  // the bytes of each
    std::vector<LiveOrder> orders;          // only of these clients
    std::vector<std::string> damaged;       // "traces/x.about.json: why"
  };
  Content Read() const;

  absl::Status SaveClient(const LiveClient& client);
  // Saves the unfinished orders.
  absl::Status SaveOrders(const std::map<uint64_t, LiveOrder>& orders);
  // Deletes records without facts. The server was killed before it confirmed
  // them, so the client sends them again. Files with other names stay.
  void RemoveOrphans();
  // Sets trace.file and trace.bytes.
  absl::Status AddTrace(LiveTrace& trace, std::string_view data);
  absl::Status SaveAbout(const LiveTrace& trace);
  absl::Status RemoveTrace(const LiveTrace& trace);
  absl::StatusOr<std::string> ReadTrace(const LiveTrace& trace) const;
  absl::Status AddGraph(const std::string& name, std::string_view data);
  absl::Status RemoveGraph(const std::string& name);
  // Only the owner can read the file with `json`.
  absl::Status SaveServer(std::string_view json);

 private:
  explicit SessionFolder(std::string path) : path_(std::move(path)) {}
  // Must be called after the clients were read.
  void ReadOrders(Content& content) const;

  std::string path_;
  int lock_ = -1;
  bool served_ = false;
};

// True if a name from outside may be part of a path.
bool IsSessionName(std::string_view name);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_SESSION_FOLDER_H_
