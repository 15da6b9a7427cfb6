// LiveSession: the state of running programs, orders to trace them, and traces.
//
//   LiveSession session(std::move(folder), limits, LiveSession::Mode::kLive);
//   session.Register(client, now);
//   session.Order(request, now);
//   session.AddTrace("c1", trace, bytes, now);
//   session.Tick(now);   // a few times a second
//
// The programs (clients) carry out the orders. This class keeps the list of
// orders, and deletes traces to stay within the limits: it keeps the newest
// `keep_traces` unpinned traces of each row, and as many of the newest as fit
// with their graphs into `session_bytes`. A graph that no trace has any more is
// deleted before a trace. Pinned traces and their graphs are never deleted; a
// new trace or graph that does not fit beside them is refused.
//
// `now` is the wall clock in nanoseconds. The object belongs to one thread.
// Errors: InvalidArgument, NotFound, FailedPrecondition (not possible in this
// state), DataLoss (the trace was deleted), ResourceExhausted (the disk or the
// session is full).

#ifndef TFPROF_SERVER_LIVE_LIVE_SESSION_H_
#define TFPROF_SERVER_LIVE_LIVE_SESSION_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/live/live_json.h"
#include "server/live/live_model.h"
#include "server/live/session_folder.h"

namespace tfprof::server {

class LiveSession {
 public:
  enum class Mode {
    kLive,   // programs register
    kSaved,  // saved; traces can be named, pinned, deleted
  };
  // Reads the content of the folder.
  LiveSession(SessionFolder folder, const LiveLimits& limits, Mode mode);
  LiveSession(LiveSession&&) = default;
  LiveSession& operator=(LiveSession&&) = delete;
  ~LiveSession();  // saves

  // ---- called for clients

  // Returns the id of the client; the same key gets the same id.
  absl::StatusOr<std::string> Register(LiveClient given, int64_t now);
  absl::Status Update(const std::string& client, LiveUpdate update,
                      int64_t now);
  // Returns the id of the trace. A trace that was added before is not stored
  // twice.
  absl::StatusOr<std::string> AddTrace(const std::string& client,
                                       LiveTrace trace, std::string_view data,
                                       int64_t now);
  absl::Status AddGraph(const std::string& client, const std::string& name,
                        std::string_view data);
  bool HasGraph(const std::string& name) const {
    return graphs_.contains(name);
  }
  // The orders for one client, and a number that changes with the orders.
  std::vector<const LiveOrder*> OrdersOf(const std::string& client) const;
  uint64_t orders_version() const { return orders_version_; }
  // The interval between updates of a client; short while somebody watches or
  // an order waits.
  int64_t IntervalMillis(const std::string& client, int64_t now) const;

  // ---- called for pages

  void Looked(int64_t now) { looked_at_ = now; }
  absl::StatusOr<std::vector<uint64_t>> Order(const LiveRequest& request,
                                              int64_t now);
  absl::Status Cancel(uint64_t order);
  void CancelAll();
  absl::Status Mark(const std::string& trace, const LiveMark& mark);
  absl::Status Delete(const std::string& trace);
  absl::StatusOr<const LiveTrace*> Find(const std::string& trace) const;

  absl::Status SaveServer(std::string_view json) {
    return folder_.SaveServer(json);
  }
  // Finds lost clients, ends orders whose time is over, and saves changes.
  void Tick(int64_t now);

  // ---- state

  Mode mode() const { return mode_; }
  const SessionFolder& folder() const { return folder_; }
  const LiveLimits& limits() const { return limits_; }
  // Changes whenever something changes that a page shows.
  uint64_t version() const { return version_; }
  const std::map<std::string, LiveClient>& clients() const { return clients_; }
  const std::map<uint64_t, LiveOrder>& orders() const { return orders_; }
  const std::map<std::string, LiveTrace>& traces() const { return traces_; }
  const std::vector<std::string>& damaged() const { return damaged_; }
  int64_t bytes() const { return bytes_; }
  // The number of traces that were deleted for the limits since the server
  // started.
  int64_t evicted() const { return evicted_; }
  // "running", "idle", "lost", "ended" or "error".
  std::string_view StateOf(const LiveClient& client) const;
  // Why the session has no trace; "" if it has one.
  std::string WhyEmpty() const;

 private:
  void Changed() { ++version_; }
  // Keeps a row if there is room for it (kMaxClientRunBytes).
  void KeepRow(LiveClient& client, LiveRunKind row);
  absl::StatusOr<LiveClient*> FindClient(const std::string& client);
  // The clients, and perhaps rows, to which a request applies.
  absl::StatusOr<std::vector<std::pair<std::string, std::optional<int64_t>>>>
  Targets(const LiveRequest& request) const;
  absl::Status MakeRoom(std::string_view what, int64_t added,
                        const LiveTrace* trace, const std::string& graph);
  absl::Status Remove(const std::string& trace);
  absl::Status RemoveGraph(const std::string& name);
  std::set<std::string> GraphsInUse() const;
  void EndOrders(const std::string& client, std::string_view why, int64_t now);
  void Save();
  // Saves the orders before anybody learns of a change: the next server must
  // neither forget an order nor repeat one that was carried out.
  void OrdersChanged();

  SessionFolder folder_;
  const LiveLimits limits_;
  const Mode mode_;
  std::map<std::string, LiveClient> clients_;
  std::map<uint64_t, LiveOrder> orders_;
  std::map<std::string, LiveTrace> traces_;
  std::vector<std::string> damaged_;
  std::map<std::string, int64_t> graphs_;  // the bytes of each
  int64_t bytes_ = 0;                      // of traces and graphs
  size_t run_bytes_ = 0;                   // of the rows of all clients
  int64_t evicted_ = 0;
  int64_t next_trace_ = 1;
  uint64_t next_order_;
  uint64_t orders_version_;
  uint64_t version_;
  int64_t looked_at_ = 0;
  int64_t saved_at_ = 0;
  bool orders_saved_ = true;  // orders.json is up to date
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_LIVE_SESSION_H_
