// LiveSession: what is known about running programs, and what is asked of them.
//
//   LiveSession session(std::move(folder), limits, LiveSession::Mode::kLive);
//   session.Register(client, now);
//   session.Order(request, now);
//   session.AddTrace("c1", trace, bytes, now);
//   session.Tick(now);   // a few times a second
//
// The programs (clients) carry orders out; this keeps the list of them, and
// keeps traces within the limits: of each row the newest `keep_traces` that are
// not pinned, and of all the newest within `session_bytes`. What is not pinned
// goes first; what is pinned never goes, and a trace that then does not fit is
// refused.
//
// `now` is the wall clock in nanoseconds. It belongs to one thread. Errors:
// InvalidArgument, NotFound, FailedPrecondition (not possible in this state),
// DataLoss (the trace was there and is deleted), ResourceExhausted (the disk or
// the session is full).

#ifndef TFPROF_SERVER_LIVE_SESSION_H_
#define TFPROF_SERVER_LIVE_SESSION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/live_json.h"
#include "server/live_model.h"
#include "server/session_folder.h"

namespace tfprof {

class LiveSession {
 public:
  enum class Mode {
    kLive,   // programs register
    kSaved,  // nothing runs; traces can be named, pinned and deleted
  };
  // Reads what is in the folder.
  LiveSession(SessionFolder folder, const LiveLimits& limits, Mode mode);
  LiveSession(LiveSession&&) = default;
  LiveSession& operator=(LiveSession&&) = delete;
  ~LiveSession();  // saves

  // ---- of clients

  // The id of the client. The same key is the same client.
  absl::StatusOr<std::string> Register(LiveClient given, int64_t now);
  absl::Status Update(const std::string& client, LiveUpdate update,
                      int64_t now);
  // The id of the trace. One that is there already is not stored again.
  absl::StatusOr<std::string> AddTrace(const std::string& client,
                                       LiveTrace trace, std::string_view data,
                                       int64_t now);
  absl::Status AddGraph(const std::string& client, const std::string& name,
                        std::string_view data);
  // The orders for one client, and a number that changes with them.
  std::vector<const LiveOrder*> OrdersOf(const std::string& client) const;
  uint64_t orders_version() const { return orders_version_; }
  // How often a client asks: often while somebody looks or waits.
  int64_t IntervalMillis(const std::string& client, int64_t now) const;

  // ---- of pages

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
  // Finds lost clients, ends orders whose time is over, saves.
  void Tick(int64_t now);

  // ---- what there is

  Mode mode() const { return mode_; }
  const SessionFolder& folder() const { return folder_; }
  const LiveLimits& limits() const { return limits_; }
  // Changes with everything that a page shows.
  uint64_t version() const { return version_; }
  const std::map<std::string, LiveClient>& clients() const { return clients_; }
  const std::map<uint64_t, LiveOrder>& orders() const { return orders_; }
  const std::map<std::string, LiveTrace>& traces() const { return traces_; }
  const std::vector<std::string>& damaged() const { return damaged_; }
  int64_t bytes() const { return bytes_; }
  // Traces that the limits deleted since the server started.
  int64_t evicted() const { return evicted_; }
  // "running", "idle", "lost", "ended", "error".
  std::string_view StateOf(const LiveClient& client) const;
  // Why there is no trace; "": there is one.
  std::string WhyEmpty() const;

 private:
  void Changed() { ++version_; }
  absl::StatusOr<LiveClient*> FindClient(const std::string& client);
  // The rows that a request is for.
  absl::StatusOr<std::vector<std::pair<std::string, std::optional<int64_t>>>>
  Targets(const LiveRequest& request) const;
  absl::Status MakeRoom(const LiveTrace& added);
  absl::Status Remove(const std::string& trace);
  void EndOrders(const std::string& client, std::string_view why, int64_t now);
  void Save();
  // Before anybody hears of a change: a server that comes after this one must
  // neither forget an order nor give one out that was carried out.
  void OrdersChanged();

  SessionFolder folder_;
  const LiveLimits limits_;
  const Mode mode_;
  std::map<std::string, LiveClient> clients_;
  std::map<uint64_t, LiveOrder> orders_;
  std::map<std::string, LiveTrace> traces_;
  std::vector<std::string> damaged_;
  int64_t bytes_ = 0;
  int64_t evicted_ = 0;
  int64_t next_trace_ = 1;
  uint64_t next_order_;
  uint64_t orders_version_;
  uint64_t version_;
  int64_t looked_at_ = 0;
  int64_t saved_at_ = 0;
  bool orders_saved_ = true;  // orders.json says what is here
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_LIVE_SESSION_H_
