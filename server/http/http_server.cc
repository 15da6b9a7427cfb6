#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "server/api.h"

namespace tfprof::server {
namespace {

// The ids of the polled descriptors; connections have ids from kFirstId on.
constexpr uint64_t kListener = 0;
constexpr uint64_t kWake = 1;
constexpr uint64_t kStop = 2;
constexpr uint64_t kSignals = 3;
constexpr uint64_t kFirstId = 16;
// The id of the live worker's job that belongs to no connection.
constexpr uint64_t kTick = 4;

constexpr double kHeartbeat = 15;
constexpr double kTickSeconds = 0.1;
constexpr double kClosingSeconds = 2;
constexpr size_t kMaxStreamBacklog = 1 << 20;
constexpr size_t kReadAtOnce = 64 << 10;

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Signal(int fd) {
  const uint64_t one = 1;
  // The write could only fail after 2^64 unread calls.
  [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof(one));
}

void Drain(int fd) {
  uint64_t count;
  while (read(fd, &count, sizeof(count)) > 0) {
  }
}

void Poll(int poll, int fd, uint64_t id, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

std::string AddressOf(const sockaddr_storage& peer) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const void* address =
      peer.ss_family == AF_INET6
          ? static_cast<const void*>(
                &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
  inet_ntop(peer.ss_family, address, text.data(), text.size());
  return text.data();
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_ = OwnedFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

StopSignals::~StopSignals() {
  signalfd_siginfo taken;
  while (read(fd_.get(), &taken, sizeof(taken)) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

absl::StatusOr<Listener> Listen(const std::string& address, int port) {
  sockaddr_storage storage = {};
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  socklen_t size = 0;
  if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<uint16_t>(port));
    size = sizeof(v4);
  } else if (inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<uint16_t>(port));
    size = sizeof(v6);
  } else {
    return absl::InvalidArgumentError(fmt::format(
        "-listen takes an address in numbers, as 127.0.0.1 or ::1, not '{}'",
        address));
  }
  Listener listener;
  listener.socket = OwnedFd(
      socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int fd = listener.socket.get();
  const int on = 1;
  if (fd < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      bind(fd, reinterpret_cast<sockaddr*>(&storage), size) != 0 ||
      listen(fd, 128) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    const std::string message = fmt::format(
        "cannot listen on {} port {}: {}", address, port, std::strerror(errno));
    return errno == EADDRINUSE ? absl::AlreadyExistsError(message)
                               : absl::UnavailableError(message);
  }
  listener.port =
      ntohs(storage.ss_family == AF_INET6 ? v6.sin6_port : v4.sin_port);
  return listener;
}

HttpServer::HttpServer(Listener listener, const Guard& guard, EventLog& events,
                       std::function<HttpReply(const HttpRequest&)> answer,
                       util::Cancellation& cancellation, LiveApi* live,
                       const ServerLimits& limits)
    : listener_(std::move(listener)),
      guard_(guard),
      events_(events),
      limits_(limits),
      rate_(limits.requests_per_second, limits.requests_burst),
      strangers_rate_(limits.requests_per_second, limits.requests_burst),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      stop_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      next_id_(kFirstId),
      worker_(
          std::move(answer), cancellation, [fd = wake_.get()] { Signal(fd); },
          live != nullptr && live->has_programs() ? Worker::Priority::kLowest
                                                  : Worker::Priority::kUsual,
          limits.question) {
  events_.OnPublish([fd = wake_.get()] { Signal(fd); });
  if (live != nullptr) {
    live_worker_ = std::make_unique<Worker>(
        [live](const HttpRequest& request) {
          if (!request.method.empty()) return live->Answer(request);
          live->Tick();
          return HttpReply();
        },
        live_cancellation_, [fd = wake_.get()] { Signal(fd); });
  }
  Poll(poll_.get(), listener_.socket.get(), kListener, EPOLLIN);
  Poll(poll_.get(), wake_.get(), kWake, EPOLLIN);
  Poll(poll_.get(), stop_.get(), kStop, EPOLLIN);
}

HttpServer::~HttpServer() { events_.OnPublish({}); }

void HttpServer::Stop() { Signal(stop_.get()); }

void HttpServer::Run(const StopSignals& signals) {
  Poll(poll_.get(), signals.fd(), kSignals, EPOLLIN);
  double swept = Now();
  double ticked = 0;
  std::array<epoll_event, 64> ready;
  const bool live = live_worker_ != nullptr;
  while (!ended_) {
    const int idle = connections_.empty() && accepting_ ? -1 : 1000;
    const int wait = live ? static_cast<int>(1000 * kTickSeconds) : idle;
    const int count = epoll_wait(poll_.get(), ready.data(), ready.size(), wait);
    const double now = Now();
    for (int i = 0; i < count; ++i) {
      const uint64_t id = ready[static_cast<size_t>(i)].data.u64;
      if (id == kListener) {
        Accept(now);
      } else if (id == kWake) {
        Drain(wake_.get());
        TakeDone(worker_, now);
        if (live) TakeDone(*live_worker_, now);
        SendEvents(now);
      } else if (id == kStop || id == kSignals) {
        ended_ = true;
      } else {
        Ready(id, ready[static_cast<size_t>(i)].events, now);
      }
    }
    if (live && !ticking_ && now - ticked >= kTickSeconds) {
      ticked = now;
      ticking_ = live_worker_->Add(kTick, HttpRequest());
    }
    if (now - swept >= 1) {
      swept = now;
      Expire(now);
    }
  }
  connections_.clear();
}

void HttpServer::Accept(double now) {
  // Between these, open connections are served.
  for (int i = 0; i < 64; ++i) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof(peer);
    OwnedFd socket(accept4(listener_.socket.get(),
                           reinterpret_cast<sockaddr*>(&peer), &size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() < 0) {
      if ((errno == EMFILE || errno == ENFILE) && !Evict()) {
        // The listener would stay ready, so it is not polled until the next
        // sweep.
        epoll_ctl(poll_.get(), EPOLL_CTL_DEL, listener_.socket.get(), nullptr);
        accepting_ = false;
      }
      return;
    }
    if (connections_.size() >= limits_.connections && !Evict()) continue;
    const int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const uint64_t id = next_id_++;
    Connection& connection = connections_[id];
    connection.socket = std::move(socket);
    connection.address = AddressOf(peer);
    if (tls_ != nullptr) {
      connection.tls = tls_->Accept(connection.socket.get());
      if (connection.tls == nullptr) {
        connections_.erase(id);
        continue;
      }
    }
    Enter(connection, State::kReading, now);
    connection.watched = EPOLLIN | EPOLLRDHUP;
    Poll(poll_.get(), connection.socket.get(), id, connection.watched);
  }
}

// Closes the connection that has been idle, sending or receiving for the
// longest time, one without the token first. Returns false if workers are busy
// for all of them.
bool HttpServer::Evict() {
  const auto goes_before = [](const Connection& a, const Connection& b) {
    return std::pair(a.known, a.since) < std::pair(b.known, b.since);
  };
  const Connection* oldest = nullptr;
  uint64_t id = 0;
  for (const auto& [at, connection] : connections_) {
    const bool idle = connection.state == State::kReading ||
                      connection.state == State::kWriting ||
                      connection.state == State::kClosing;
    if (idle && (oldest == nullptr || goes_before(connection, *oldest))) {
      oldest = &connection;
      id = at;
    }
  }
  if (oldest == nullptr) return false;
  Close(id);
  return true;
}

void HttpServer::Enter(Connection& connection, State state, double now) {
  connection.state = state;
  connection.since = now;
  switch (state) {
    case State::kReading:
      connection.deadline = now + limits_.request_seconds;
      break;
    case State::kWriting:
      connection.deadline = now + limits_.reply_seconds +
                            static_cast<double>(connection.out.size()) / 65536;
      break;
    case State::kStream:
      connection.deadline = now + kHeartbeat;
      break;
    case State::kClosing:
      connection.deadline = now + kClosingSeconds;
      break;
    case State::kWorking:
      connection.deadline = 0;
      break;
  }
}

void HttpServer::Watch(uint64_t id, Connection& connection) {
  uint32_t wanted = EPOLLRDHUP;
  if (connection.state == State::kReading ||
      connection.state == State::kClosing) {
    wanted = EPOLLIN | EPOLLRDHUP;
  }
  const bool handshake =
      connection.tls != nullptr && connection.tls->wants_to_write();
  if (connection.sent < connection.out.size() || handshake) wanted |= EPOLLOUT;
  if (wanted == connection.watched) return;
  connection.watched = wanted;
  epoll_event event = {};
  event.events = wanted;
  event.data.u64 = id;
  epoll_ctl(poll_.get(), EPOLL_CTL_MOD, connection.socket.get(), &event);
}

void HttpServer::Close(uint64_t id) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  // A question is cancelled. A trace that a program has delivered is still
  // stored.
  if (at->second.state == State::kWorking && !at->second.live) {
    worker_.Cancel(id);
  }
  ended_ |= at->second.last;
  connections_.erase(at);
}

bool HttpServer::Ready(uint64_t id, uint32_t events, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return false;  // closed in this round
  Connection& connection = at->second;
  bool open = (events & (EPOLLERR | EPOLLHUP)) == 0;
  const bool handshake = (events & EPOLLOUT) != 0 &&
                         connection.tls != nullptr && connection.out.empty();
  if (open && ((events & EPOLLIN) != 0 || handshake)) {
    open = Read(id, connection, now);
  }
  const bool gone = (events & EPOLLRDHUP) != 0;
  // Bytes that arrived before the client closed its side are read first.
  if (open && gone && (events & EPOLLIN) == 0) open = false;
  if (open && connection.sent < connection.out.size()) {
    open = Flush(connection, now);
  }
  if (open && connection.state == State::kReading && !connection.in.empty()) {
    Handle(id, connection, now);
  }
  if (!open) {
    Close(id);
    return false;
  }
  Watch(id, connection);
  return true;
}

ssize_t HttpServer::Receive(Connection& connection, char* buffer, size_t size) {
  return connection.tls != nullptr
             ? connection.tls->Receive(buffer, size)
             : recv(connection.socket.get(), buffer, size, 0);
}

ssize_t HttpServer::SendBytes(Connection& connection, std::string_view bytes) {
  return connection.tls != nullptr
             ? connection.tls->Send(bytes.data(), bytes.size())
             : send(connection.socket.get(), bytes.data(), bytes.size(),
                    MSG_NOSIGNAL);
}

bool HttpServer::Read(uint64_t id, Connection& connection, double now) {
  std::array<char, kReadAtOnce> buffer;
  // Bytes that TLS has already decrypted do not make the socket ready again.
  do {
    const ssize_t count = Receive(connection, buffer.data(), buffer.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (connection.state != State::kReading) continue;  // dropped
    connection.in.append(buffer.data(), static_cast<size_t>(count));
  } while (connection.tls != nullptr && connection.tls->has_pending());
  if (connection.state != State::kReading) return true;
  // A large request gets more time, but only for bytes that have arrived.
  connection.deadline = connection.since + limits_.request_seconds +
                        static_cast<double>(connection.in.size()) / 65536;
  Handle(id, connection, now);
  return true;
}

// Handles the first complete request.
void HttpServer::Handle(uint64_t id, Connection& connection, double now) {
  HttpRequest request;
  HttpReply refusal;
  size_t used = 0;
  switch (ParseHttp(connection.in, limits_.http, request, used, refusal)) {
    case HttpParse::kMore:
      return;
    case HttpParse::kRefused:
      connection.in.clear();
      connection.keep_alive = false;
      connection.head_only = false;
      return Send(connection, refusal, now);
    case HttpParse::kDone:
      connection.in.erase(0, used);
      connection.in.shrink_to_fit();
      connection.keep_alive = request.keep_alive;
      connection.head_only = request.method == "HEAD";
      return Respond(id, connection, std::move(request), now);
  }
}

void HttpServer::Respond(uint64_t id, Connection& connection,
                         HttpRequest request, double now) {
  const std::optional<HttpReply> refusal = guard_.Check(request);
  // The redirection of a login has the token, too.
  constexpr int kFirstError = 400;
  const bool known = !refusal.has_value() || refusal->status < kFirstError;
  connection.known |= known;
  if (!(known ? rate_ : strangers_rate_).Admit(connection.address, now)) {
    HttpReply reply = HttpError(429, "too many requests; wait a second");
    reply.headers.emplace_back("Retry-After", "1");
    return Send(connection, reply, now);
  }
  if (refusal.has_value()) {
    return Send(connection, ErrorFor(request, *refusal), now);
  }
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (request.path == "/api/quit" && request.method == "POST") {
    connection.keep_alive = false;
    connection.last = true;
    HttpReply reply;
    reply.type = "application/json";
    reply.body = "{\"quit\":true}\n";
    return Send(connection, reply, now);
  }
  if (request.path == "/api/events" && request.method == "GET") {
    return StartStream(connection, request, now);
  }
  const std::optional<HttpReply> page = PageReply(request.path);
  if (page.has_value()) {
    return Send(connection,
                changes ? HttpError(405, "a page cannot be changed") : *page,
                now);
  }
  Enter(connection, State::kWorking, now);
  connection.live = live_worker_ != nullptr && LiveApi::IsLive(request.path);
  Worker& worker = connection.live ? *live_worker_ : worker_;
  if (!worker.Add(id, std::move(request))) {
    HttpReply reply = HttpError(503, "too many questions wait for an answer");
    reply.headers.emplace_back("Retry-After", "1");
    Send(connection, reply, now);
  }
}

void HttpServer::Send(Connection& connection, const HttpReply& reply,
                      double now) {
  connection.out += HttpHead(reply, HttpLength::kKnown, connection.keep_alive);
  if (!connection.head_only) connection.out += reply.body;
  Enter(connection, State::kWriting, now);
}

bool HttpServer::Flush(Connection& connection, double now) {
  while (connection.sent < connection.out.size()) {
    const ssize_t count = SendBytes(
        connection, std::string_view(connection.out).substr(connection.sent));
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    connection.sent += static_cast<size_t>(count);
  }
  connection.out.clear();
  connection.sent = 0;
  if (connection.state != State::kWriting) return true;
  if (connection.last) return false;
  if (connection.keep_alive) {
    connection.out.shrink_to_fit();
    Enter(connection, State::kReading, now);
  } else {
    // Closing a socket with unread bytes could make the client lose the reply.
    if (connection.tls != nullptr) connection.tls->End();
    shutdown(connection.socket.get(), SHUT_WR);
    Enter(connection, State::kClosing, now);
  }
  return true;
}

void HttpServer::StartStream(Connection& connection, const HttpRequest& request,
                             double now) {
  const auto streams = static_cast<size_t>(std::count_if(
      connections_.begin(), connections_.end(),
      [](const auto& c) { return c.second.state == State::kStream; }));
  if (streams >= limits_.streams) {
    return Send(connection, HttpError(503, "too many event streams are open"),
                now);
  }
  connection.event = events_.last();
  const std::string* seen = request.Header("last-event-id");
  if (seen != nullptr) {
    uint64_t id = 0;
    const char* stop = seen->data() + seen->size();
    const auto [at, error] = std::from_chars(seen->data(), stop, id);
    if (error != std::errc() || at != stop) {
      return Send(connection, HttpError(400, "Last-Event-ID must be a number"),
                  now);
    }
    // An id that this server has not given is of the one before it.
    connection.event = id > events_.last() ? 0 : id;
  }
  HttpReply reply;
  reply.type = "text/event-stream";
  connection.keep_alive = false;
  connection.out = HttpHead(reply, HttpLength::kStream, false);
  connection.out += "retry: 2000\n\n";
  connection.out += events_.After(connection.event);
  connection.in.clear();
  Enter(connection, State::kStream, now);
}

void HttpServer::SendEvents(double now) {
  std::vector<uint64_t> closed;
  for (auto& [id, connection] : connections_) {
    if (connection.state != State::kStream) continue;
    connection.out += events_.After(connection.event);
    const bool open =
        connection.out.size() < kMaxStreamBacklog && Flush(connection, now);
    if (!open) {
      closed.push_back(id);
    } else {
      Watch(id, connection);
    }
  }
  for (const uint64_t id : closed) Close(id);
}

void HttpServer::TakeDone(Worker& worker, double now) {
  for (const Worker::Done& done : worker.Take()) {
    if (done.id == kTick) ticking_ = false;
    const auto at = connections_.find(done.id);
    if (at == connections_.end()) continue;
    Send(at->second, done.reply, now);
    if (!Flush(at->second, now)) {
      Close(done.id);
      continue;
    }
    // The next request may have arrived together with this one.
    Ready(done.id, 0, now);
  }
}

void HttpServer::Expire(double now) {
  if (!accepting_) {
    accepting_ = true;
    Poll(poll_.get(), listener_.socket.get(), kListener, EPOLLIN);
  }
  std::vector<uint64_t> closed;
  for (auto& [id, connection] : connections_) {
    if (connection.deadline == 0 || now < connection.deadline) continue;
    if (connection.state == State::kStream && connection.out.empty()) {
      // This empty comment shows both sides that the connection is alive.
      connection.out = ":\n\n";
      connection.deadline = now + kHeartbeat;
      if (Flush(connection, now)) {
        Watch(id, connection);
        continue;
      }
    }
    closed.push_back(id);
  }
  for (const uint64_t id : closed) Close(id);
}

}  // namespace tfprof::server
