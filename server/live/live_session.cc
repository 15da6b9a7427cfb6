#include "server/live/live_session.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "fmt/format.h"

namespace tfprof::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// A client is lost if it sends nothing for this time.
constexpr int64_t kLostAfter = 5 * kSecond;
// A finished order is shown for this time.
constexpr int64_t kShown = 60 * kSecond;
constexpr size_t kMaxClients = 20'000;

// Order numbers begin with the time, so that numbers of an earlier server never
// equal those of this one. A millisecond would be too long: a server can give
// an order, end and be started again in one.
uint64_t FirstNumber() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

// The N of "cN" or "00N", or -1 for other names. Longer numbers are other
// names, so that there is always a next number.
int64_t NumberOf(std::string_view digits) {
  constexpr size_t kMostDigits = 18;
  if (digits.size() > kMostDigits) return -1;
  int64_t number = -1;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && at == end && number >= 0 ? number : -1;
}

}  // namespace

LiveSession::LiveSession(SessionFolder folder, const LiveLimits& limits,
                         Mode mode)
    : folder_(std::move(folder)),
      limits_(limits),
      mode_(mode),
      next_order_(FirstNumber()),
      orders_version_(FirstNumber()),
      version_(FirstNumber()) {
  if (mode == Mode::kLive) folder_.RemoveOrphans();
  SessionFolder::Content content = folder_.Read();
  damaged_ = std::move(content.damaged);
  for (LiveClient& client : content.clients) {
    client.lost = client.end.empty();
    client.saved = true;
    for (auto& [number, row] : client.rows) {
      row.version = version_;
      client.run_bytes += BytesOf(row);
    }
    run_bytes_ += client.run_bytes;
    std::string id = client.client;
    clients_.emplace(std::move(id), std::move(client));
  }
  for (LiveTrace& trace : content.traces) {
    bytes_ += trace.bytes;
    next_trace_ = std::max(next_trace_, NumberOf(trace.id) + 1);
    std::string id = trace.id;
    traces_.emplace(std::move(id), std::move(trace));
  }
  graphs_ = std::move(content.graphs);
  for (const auto& [name, bytes] : graphs_) bytes_ += bytes;
  if (mode != Mode::kLive) return;
  for (LiveOrder& order : content.orders) {
    next_order_ = std::max(next_order_, order.order + 1);
    const uint64_t number = order.order;
    orders_.emplace(number, std::move(order));
  }
}

LiveSession::~LiveSession() { Save(); }

void LiveSession::OrdersChanged() {
  ++orders_version_;
  Changed();
  orders_saved_ = folder_.SaveOrders(orders_).ok();
}

absl::StatusOr<LiveClient*> LiveSession::FindClient(const std::string& client) {
  const auto at = clients_.find(client);
  if (at != clients_.end()) return &at->second;
  return absl::NotFoundError(
      fmt::format("there is no client '{}'; register again", client));
}

absl::StatusOr<std::string> LiveSession::Register(LiveClient given,
                                                  int64_t now) {
  if (mode_ != Mode::kLive) {
    return absl::FailedPreconditionError(
        "this is a saved session; start tfprof serve --session DIR for a "
        "program that runs");
  }
  auto known =
      std::find_if(clients_.begin(), clients_.end(),
                   [&](const auto& c) { return c.second.key == given.key; });
  if (known == clients_.end()) {
    if (clients_.size() >= kMaxClients) {
      return absl::ResourceExhaustedError(
          fmt::format("this session has {} clients already", clients_.size()));
    }
    int64_t number = 0;
    for (const auto& [id, client] : clients_) {
      number = std::max(number, NumberOf(std::string_view(id).substr(1)));
    }
    given.client = fmt::format("c{}", number + 1);
    given.rows.clear();
    known = clients_.emplace(given.client, given).first;
  }
  LiveClient& client = known->second;
  client.name = given.name;
  client.rank = given.rank;
  client.ranks = given.ranks;
  client.host = given.host;
  client.pid = given.pid;
  client.framework = given.framework;
  client.started_at_ns = given.started_at_ns;
  client.end.clear();
  client.last_heard_ns = now;
  client.lost = false;
  // The client is saved at once, so that no later client can get its id.
  client.saved = folder_.SaveClient(client).ok();
  Changed();
  return client.client;
}

void LiveSession::KeepRow(LiveClient& client, LiveRunKind row) {
  const int64_t number = row.row;
  if (const auto old = client.rows.find(number); old != client.rows.end()) {
    const size_t bytes = BytesOf(old->second);
    client.run_bytes -= bytes;
    run_bytes_ -= bytes;
    client.rows.erase(old);
  }
  const size_t bytes = BytesOf(row);
  if (client.run_bytes + bytes > kMaxClientRunBytes ||
      run_bytes_ + bytes > kMaxRunBytes) {
    client.rows_left_out.insert(number);
    return;
  }
  client.rows_left_out.erase(number);
  client.run_bytes += bytes;
  run_bytes_ += bytes;
  client.rows.emplace(number, std::move(row));
}

absl::Status LiveSession::Update(const std::string& id, LiveUpdate update,
                                 int64_t now) {
  const absl::StatusOr<LiveClient*> found = FindClient(id);
  if (!found.ok()) return found.status();
  LiveClient& client = **found;
  const bool shown = client.lost || client.active != update.active ||
                     client.end != update.end || !update.rows.empty() ||
                     client.dropped.traces != update.dropped.traces ||
                     client.waiting.traces != update.waiting.traces;
  client.lost = false;
  client.last_heard_ns = now;
  if (shown) {
    Changed();
    client.saved = false;
  }
  client.active = update.active;
  client.waiting = std::move(update.waiting);
  client.dropped = std::move(update.dropped);
  client.end = std::move(update.end);
  for (LiveRunKind& row : update.rows) {
    row.version = version_;
    KeepRow(client, std::move(row));
  }
  bool finished = false;
  for (LiveUpdate::Report& report : update.orders) {
    const auto at = orders_.find(report.order);
    if (at == orders_.end() || at->second.client != id) continue;
    LiveOrder& order = at->second;
    if (order.finished_at_ns != 0) continue;
    if (order.state != report.state || order.left != report.left) {
      Changed();
      orders_saved_ = false;
    }
    order.state = std::move(report.state);
    order.left = report.left;
    order.why = std::move(report.why);
    if (order.state != "armed") {
      order.finished_at_ns = now;
      finished = true;
    }
  }
  if (finished) OrdersChanged();
  if (!client.end.empty()) {
    client.active = false;
    EndOrders(id, "the program has ended", now);
  }
  return absl::OkStatus();
}

absl::StatusOr<const LiveTrace*> LiveSession::Find(
    const std::string& id) const {
  const auto at = traces_.find(id);
  if (at != traces_.end()) return &at->second;
  const int64_t number = NumberOf(id);
  if (number > 0 && number < next_trace_) {
    return absl::DataLossError(fmt::format(
        "trace {} is deleted; a session keeps {} traces of a run and {} bytes",
        id, limits_.keep_traces, limits_.session_bytes));
  }
  return absl::NotFoundError(fmt::format("there is no trace '{}'", id));
}

void LiveSession::Tick(int64_t now) {
  for (auto& [id, client] : clients_) {
    if (client.lost || !client.end.empty()) continue;
    if (now - client.last_heard_ns < kLostAfter) continue;
    client.lost = true;
    client.active = false;
    client.saved = false;
    Changed();
  }
  bool finished = false;
  for (auto at = orders_.begin(); at != orders_.end();) {
    LiveOrder& order = at->second;
    // Usually the client ends the order itself; this is for one that does not
    // answer.
    if (order.until_ns != 0 && now - kLostAfter > order.until_ns &&
        order.finished_at_ns == 0) {
      order.state = "done";
      order.finished_at_ns = now;
      finished = true;
    }
    if (order.finished_at_ns != 0 && now - order.finished_at_ns > kShown) {
      at = orders_.erase(at);
      Changed();
    } else {
      ++at;
    }
  }
  if (finished) OrdersChanged();
  if (now - saved_at_ >= kSecond) {
    saved_at_ = now;
    Save();
  }
}

void LiveSession::Save() {
  if (mode_ != Mode::kLive) return;
  for (auto& [id, client] : clients_) {
    // Failed saves are tried again, because a full disk may have space later.
    if (!client.saved) client.saved = folder_.SaveClient(client).ok();
  }
  if (!orders_saved_) orders_saved_ = folder_.SaveOrders(orders_).ok();
}

std::string_view LiveSession::StateOf(const LiveClient& client) const {
  if (client.end == "ok") return "ended";
  if (!client.end.empty()) return "error";
  if (client.lost) return "lost";
  return client.active ? "running" : "idle";
}

std::string LiveSession::WhyEmpty() const {
  if (!traces_.empty()) return "";
  if (evicted_ > 0) return "All traces were deleted.";
  if (clients_.empty()) {
    return mode_ == Mode::kSaved
               ? "The session has no trace and no program."
               : "No program has registered yet. In the training script: "
                 "tfprof.TracingServer().hook, or tfprof.trace_sessions().";
  }
  bool runs = false, counted = false;
  for (const auto& [id, client] : clients_) {
    runs |= client.end.empty() && !client.lost;
    for (const auto& [number, row] : client.rows) counted |= row.runs > 0;
    if (client.dropped.traces > 0) {
      return fmt::format("{} traces were made and could not be delivered: {}",
                         client.dropped.traces, client.dropped.why);
    }
  }
  if (!runs)
    return "All programs have ended, and none of their runs was traced.";
  if (!counted) return "The program has not finished a run yet.";
  if (orders_.empty()) return "There is no order yet: trace a run.";
  return "No run that matches an order has ended yet.";
}

}  // namespace tfprof::server
