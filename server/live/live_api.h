// LiveApi: answers requests about running programs and their traces.
//
//   POST   /api/clients               a program registers
//   POST   /api/clients/ID/update     its new runs; the reply has its orders
//   POST   /api/clients/ID/traces     a record (?about=JSON)
//   POST   /api/clients/ID/graphs     the graph of its records (?name=)
//   GET    /api/live                  everything (?since=VERSION: less rows)
//   GET    /api/live/rules            which orders there are (live_rules.h)
//   POST   /api/orders                trace a run
//   DELETE /api/orders, /api/orders/N cancel
//   PUT    /api/traces/ID             name, pin
//   DELETE /api/traces/ID
//   GET    /api/traces/ID/file        the record
//
// g3doc/serve.md describes the fields. All replies are JSON, also errors,
// except for records. The object belongs to the thread that calls Answer() and
// Tick(). IsLive() and BodyLimit() may be called by any thread, has_programs()
// only before other threads start.

#ifndef TFPROF_SERVER_LIVE_LIVE_API_H_
#define TFPROF_SERVER_LIVE_LIVE_API_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "server/event_log.h"
#include "server/http/http.h"
#include "server/live/live_session.h"

namespace tfprof::server {

class LiveApi {
 public:
  // `events` must outlive it.
  LiveApi(LiveSession session, bool read_only, EventLog& events)
      : session_(std::move(session)), read_only_(read_only), events_(events) {}

  // True if this class answers requests for the path.
  static bool IsLive(const std::string& path);
  // The maximum number of bytes in the body of a request that may change
  // something; 0 means the limit of all other requests.
  static size_t BodyLimit(const HttpRequest& head);

  // True if programs may register, that is, if this is not a saved session.
  bool has_programs() const {
    return session_.mode() == LiveSession::Mode::kLive;
  }

  // Saves `json`, which describes how programs of this machine register,
  // readable only for the session's owner. Does nothing for a saved session.
  absl::Status SaveServer(std::string_view json);

  // The reply to a request that passed the guard.
  HttpReply Answer(const HttpRequest& request);
  // To be called a few times a second. Notifies the pages of changes.
  void Tick();

 private:
  HttpReply Clients(const HttpRequest& request, std::string_view rest);
  HttpReply Orders(const HttpRequest& request, std::string_view rest);
  HttpReply Traces(const HttpRequest& request, std::string_view rest);
  HttpReply State(const HttpRequest& request);
  std::string OrdersJson(const std::string& client) const;

  LiveSession session_;
  const bool read_only_;
  EventLog& events_;
  uint64_t told_ = 0;
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_LIVE_API_H_
