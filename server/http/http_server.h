// HttpServer: sockets, connections and their limits. Other files decide which
// requests are allowed (guard.h) and answer them (api.h, live_api.h).
//
//   auto listener = Listen("127.0.0.1", 8008);
//   HttpServer server(*std::move(listener), guard, events, {…});
//   server.Run(signals);   // until SIGINT, SIGTERM or POST /api/quit
//
// One thread moves bytes (epoll) and never waits for work: requests that need a
// profile go to one Worker and requests about running programs to another, so a
// program never waits for a question. While programs may register, the worker
// for questions has the lowest priority. Each client can use only limited
// resources: if there are too many connections, the one without progress for
// the longest time is closed; requests must arrive, and replies must be read,
// within a time limit; and the requests of each address are counted. When a
// client disconnects, its question is cancelled.
//
// libevent's evhttp is not used: the version of Debian 12 (2.1.12) cannot count
// connections, limit the total time of a request, or notice that a waiting
// client has disconnected, and libevent needs getaddrinfo, which does not work
// in a static glibc.

#ifndef TFPROF_SERVER_HTTP_HTTP_SERVER_H_
#define TFPROF_SERVER_HTTP_HTTP_SERVER_H_

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/event_log.h"
#include "server/http/guard.h"
#include "server/http/http.h"
#include "server/http/rate_limit.h"
#include "server/http/tls.h"
#include "server/live/live_api.h"
#include "server/worker.h"
#include "util/run/cancellation.h"

namespace tfprof::server {

// A file descriptor that the destructor closes.
class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) : fd_(fd) {}
  ~OwnedFd();
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Listener {
  OwnedFd socket;
  int port = 0;
};

// `address` is numeric. Port 0 chooses a free port. Errors: AlreadyExists if
// the port is in use.
absl::StatusOr<Listener> Listen(const std::string& address, int port);

// Makes SIGINT and SIGTERM readable from a descriptor, during its lifetime, for
// this thread and threads that it starts. It must be created before any thread
// that outlives it.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  int fd() const { return fd_.get(); }

 private:
  sigset_t before_;
  OwnedFd fd_;
};

struct ServerLimits {
  HttpLimits http;
  size_t connections = 256;
  size_t streams = 64;
  double request_seconds = 20;  // until a request is complete
  double reply_seconds = 60;    // and a second more for each 64 KiB
  double requests_per_second = 200;
  double requests_burst = 1000;
  WorkerLimit question;  // about a profile
};

class HttpServer {
 public:
  // `answer` runs on another thread, with `cancellation`. `live` may be null;
  // otherwise a thread of its own uses it. All arguments must outlive the
  // server.
  HttpServer(Listener listener, const Guard& guard, EventLog& events,
             std::function<HttpReply(const HttpRequest&)> answer,
             util::Cancellation& cancellation, LiveApi* live,
             const ServerLimits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Makes all connections use `tls`, which must outlive the server. To be
  // called before Run().
  void UseTls(TlsServer* tls) { tls_ = tls; }

  // Serves until Stop(), POST /api/quit, or one of `signals`.
  void Run(const StopSignals& signals);
  // May be called by any thread.
  void Stop();

 private:
  enum class State {
    kReading,
    kWorking,
    kWriting,
    kStream,   // server-sent events
    kClosing,  // the reply is sent; further input is dropped
  };
  struct Connection {
    OwnedFd socket;
    std::unique_ptr<TlsStream> tls;  // nullptr: unencrypted
    std::string address;
    State state = State::kReading;
    std::string in;
    std::string out;
    size_t sent = 0;
    double deadline = 0;
    double since = 0;    // begin of this state
    bool known = false;  // a request of it had the token
    bool live = false;   // the live worker answers
    uint64_t event = 0;
    bool keep_alive = true;
    bool head_only = false;
    bool last = false;  // the server ends when this reply is sent
    uint32_t watched = 0;
  };

  void Accept(double now);
  // These behave like recv(2) and send(2).
  static ssize_t Receive(Connection& connection, char* buffer, size_t size);
  static ssize_t SendBytes(Connection& connection, std::string_view bytes);
  // These return false if the connection is closed.
  bool Ready(uint64_t id, uint32_t events, double now);
  bool Read(uint64_t id, Connection& connection, double now);
  void Handle(uint64_t id, Connection& connection, double now);
  void Respond(uint64_t id, Connection& connection, HttpRequest request,
               double now);
  void Send(Connection& connection, const HttpReply& reply, double now);
  // Returns false if the connection must be closed.
  bool Flush(Connection& connection, double now);
  void StartStream(Connection& connection, const HttpRequest& request,
                   double now);
  void SendEvents(double now);
  void TakeDone(Worker& worker, double now);
  void Expire(double now);
  bool Evict();
  void Enter(Connection& connection, State state, double now);
  void Watch(uint64_t id, Connection& connection);
  void Close(uint64_t id);

  Listener listener_;
  TlsServer* tls_ = nullptr;
  const Guard& guard_;
  EventLog& events_;
  const ServerLimits limits_;
  // Requests with the token and requests without it are counted apart: a
  // stranger cannot use up the requests of the owner.
  RateLimit rate_;
  RateLimit strangers_rate_;
  OwnedFd poll_, wake_, stop_;
  std::map<uint64_t, Connection> connections_;
  uint64_t next_id_;
  bool accepting_ = true;
  bool ended_ = false;
  bool ticking_ = false;  // the live worker has a tick to do
  Worker worker_;
  util::Cancellation live_cancellation_;
  std::unique_ptr<Worker> live_worker_;  // nullptr if there is no session
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_HTTP_HTTP_SERVER_H_
