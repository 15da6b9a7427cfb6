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
constexpr int64_t kLookedFor = 10 * kSecond;
constexpr int64_t kOften = 200;
constexpr int64_t kSeldom = 1000;
constexpr size_t kMaxClients = 20'000;

// Order numbers begin with the time, so that numbers of an earlier server never
// equal those of this one.
uint64_t FirstNumber() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
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

bool SameRun(const LiveRunKind& a, const LiveRunKind& b) {
  return a.fetches == b.fetches && a.feeds == b.feeds &&
         a.options == b.options && a.kind == b.kind;
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
    for (auto& [number, row] : client.rows) row.version = version_;
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
    const int64_t number = row.row;
    client.rows.insert_or_assign(number, std::move(row));
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

void LiveSession::EndOrders(const std::string& client, std::string_view why,
                            int64_t now) {
  bool any = false;
  for (auto& [number, order] : orders_) {
    if (order.client != client || order.finished_at_ns != 0) continue;
    order.state = "missed";
    order.why = why;
    order.finished_at_ns = now;
    any = true;
  }
  if (any) OrdersChanged();
}

absl::StatusOr<std::string> LiveSession::AddTrace(const std::string& id,
                                                  LiveTrace trace,
                                                  std::string_view data,
                                                  int64_t now) {
  const absl::StatusOr<LiveClient*> found = FindClient(id);
  if (!found.ok()) return found.status();
  LiveClient& client = **found;
  client.last_heard_ns = now;
  client.lost = false;
  const auto row = client.rows.find(trace.row);
  if (row == client.rows.end()) {
    return absl::FailedPreconditionError(fmt::format(
        "client {} has not reported its row {}; send an update first", id,
        trace.row));
  }
  if (data.empty()) return absl::InvalidArgumentError("the record is empty");
  for (const auto& [known, other] : traces_) {
    if (other.key == client.key && other.row == trace.row &&
        other.number == trace.number) {
      return known;
    }
  }
  trace.id = fmt::format("{:06}", next_trace_);
  trace.client = id;
  trace.key = client.key;
  trace.fetches = row->second.fetches;
  trace.feeds = row->second.feeds;
  trace.options = row->second.options;
  trace.rank = client.rank;
  trace.host = client.host;
  trace.pid = client.pid;
  trace.pinned = false;
  trace.name.clear();
  trace.bytes = static_cast<int64_t>(data.size());
  if (!trace.graph.empty() && !IsSessionName(trace.graph)) {
    return absl::InvalidArgumentError(
        "graph: expected 1 to 40 characters of a-z, 0-9 and '-'");
  }
  absl::Status status = MakeRoom("trace", trace.bytes, &trace, trace.graph);
  if (!status.ok()) return status;
  status = folder_.AddTrace(trace, data);
  if (!status.ok()) {
    return absl::ResourceExhaustedError(fmt::format(
        "the trace cannot be stored: {}", std::string(status.message())));
  }
  ++next_trace_;
  bytes_ += trace.bytes;
  std::string added = trace.id;
  traces_.emplace(added, std::move(trace));
  Changed();
  return added;
}

absl::Status LiveSession::AddGraph(const std::string& client,
                                   const std::string& name,
                                   std::string_view data) {
  const absl::StatusOr<LiveClient*> found = FindClient(client);
  if (!found.ok()) return found.status();
  if (!IsSessionName(name)) {
    return absl::InvalidArgumentError(
        "name: expected 1 to 40 characters of a-z, 0-9 and '-'");
  }
  const auto size = static_cast<int64_t>(data.size());
  // The name is made from the content.
  const auto known = graphs_.find(name);
  if (known != graphs_.end() && known->second == size) return absl::OkStatus();
  if (known != graphs_.end()) {
    absl::Status removed = RemoveGraph(name);
    if (!removed.ok()) return removed;
  }
  absl::Status status = MakeRoom("graph", size, nullptr, name);
  if (status.ok()) status = folder_.AddGraph(name, data);
  if (!status.ok()) return status;
  graphs_.emplace(name, size);
  bytes_ += size;
  Changed();
  return absl::OkStatus();
}

std::set<std::string> LiveSession::GraphsInUse() const {
  std::set<std::string> used;
  for (const auto& [id, trace] : traces_) used.insert(trace.graph);
  return used;
}

// Deletes graphs and traces until the limits allow `added` bytes more, of a
// `what`. `trace`: the new trace, nullptr for a graph. `graph` is not deleted.
absl::Status LiveSession::MakeRoom(std::string_view what, int64_t added,
                                   const LiveTrace* trace,
                                   const std::string& graph) {
  std::vector<const LiveTrace*> of_row, loose;
  std::set<std::string> kept_graphs = {graph};
  int64_t pinned = 0;
  for (const auto& [id, known] : traces_) {
    if (known.pinned) {
      pinned += known.bytes;
      kept_graphs.insert(known.graph);
      continue;
    }
    loose.push_back(&known);
    if (trace != nullptr && known.key == trace->key &&
        known.row == trace->row) {
      of_row.push_back(&known);
    }
  }
  for (const std::string& name : kept_graphs) {
    const auto known = graphs_.find(name);
    if (known != graphs_.end()) pinned += known->second;
  }
  if (pinned + added > limits_.session_bytes) {
    return absl::ResourceExhaustedError(fmt::format(
        "a {} of {} bytes does not fit into the session: {} of {} bytes are "
        "pinned",
        what, added, pinned, limits_.session_bytes));
  }
  const auto older = [](const LiveTrace* a, const LiveTrace* b) {
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns
                                      : a->id < b->id;
  };
  std::sort(of_row.begin(), of_row.end(), older);
  std::sort(loose.begin(), loose.end(), older);
  std::vector<std::string> too_many, oldest;
  const auto kept =
      static_cast<size_t>(std::max<int64_t>(limits_.keep_traces, 1));
  for (size_t i = 0; i + kept <= of_row.size(); ++i) {
    too_many.push_back(of_row[i]->id);
  }
  for (const LiveTrace* known : loose) oldest.push_back(known->id);
  for (const std::string& id : too_many) {
    absl::Status removed = Remove(id);
    if (!removed.ok()) return removed;
    ++evicted_;
  }
  auto next = oldest.begin();
  while (bytes_ + added > limits_.session_bytes) {
    const std::set<std::string> used = GraphsInUse();
    const auto unused =
        std::find_if(graphs_.begin(), graphs_.end(), [&](const auto& known) {
          return known.first != graph && !used.contains(known.first);
        });
    while (next != oldest.end() && !traces_.contains(*next)) ++next;
    absl::Status removed;
    if (unused != graphs_.end()) {
      removed = RemoveGraph(std::string(unused->first));
    } else if (next != oldest.end()) {
      removed = Remove(*next);
      ++evicted_;
    } else {
      break;
    }
    if (!removed.ok()) return removed;
  }
  return absl::OkStatus();
}

absl::Status LiveSession::RemoveGraph(const std::string& name) {
  absl::Status removed = folder_.RemoveGraph(name);
  if (!removed.ok()) return removed;
  const auto at = graphs_.find(name);
  bytes_ -= at->second;
  graphs_.erase(at);
  return absl::OkStatus();
}

absl::Status LiveSession::Remove(const std::string& id) {
  const auto at = traces_.find(id);
  absl::Status removed = folder_.RemoveTrace(at->second);
  if (!removed.ok()) return removed;
  bytes_ -= at->second.bytes;
  traces_.erase(at);
  Changed();
  return absl::OkStatus();
}

std::vector<const LiveOrder*> LiveSession::OrdersOf(
    const std::string& client) const {
  std::vector<const LiveOrder*> list;
  for (const auto& [number, order] : orders_) {
    if (order.client == client && order.finished_at_ns == 0) {
      list.push_back(&order);
    }
  }
  return list;
}

int64_t LiveSession::IntervalMillis(const std::string& client,
                                    int64_t now) const {
  const bool looked = now - looked_at_ < kLookedFor;
  return looked || !OrdersOf(client).empty() ? kOften : kSeldom;
}

absl::StatusOr<std::vector<std::pair<std::string, std::optional<int64_t>>>>
LiveSession::Targets(const LiveRequest& request) const {
  std::vector<std::pair<std::string, std::optional<int64_t>>> targets;
  const auto trains = [](const LiveClient& client) {
    return client.end.empty() && !client.lost;
  };
  if (request.client.empty()) {
    if (request.row.has_value()) {
      return absl::InvalidArgumentError("row: expected its client as well");
    }
    for (const auto& [id, client] : clients_) {
      if (trains(client)) targets.emplace_back(id, std::nullopt);
    }
    if (targets.empty()) {
      return absl::FailedPreconditionError(
          "there is no running program to trace");
    }
    return targets;
  }
  const auto at = clients_.find(request.client);
  if (at == clients_.end()) {
    return absl::NotFoundError(
        fmt::format("there is no client '{}'", request.client));
  }
  if (!trains(at->second)) {
    return absl::FailedPreconditionError(fmt::format(
        "{} does not run any more: {}", request.client, StateOf(at->second)));
  }
  targets.emplace_back(request.client, request.row);
  if (!request.row.has_value()) return targets;
  const auto row = at->second.rows.find(*request.row);
  if (row == at->second.rows.end()) {
    return absl::NotFoundError(
        fmt::format("{} has no row {}", request.client, *request.row));
  }
  if (!request.everywhere) return targets;
  for (const auto& [id, client] : clients_) {
    if (id == request.client || !trains(client)) continue;
    for (const auto& [number, other] : client.rows) {
      if (SameRun(other, row->second)) targets.emplace_back(id, number);
    }
  }
  return targets;
}

absl::StatusOr<std::vector<uint64_t>> LiveSession::Order(
    const LiveRequest& request, int64_t now) {
  if (mode_ != Mode::kLive) {
    return absl::FailedPreconditionError(
        "this is a saved session; there is no running program to trace");
  }
  const auto targets = Targets(request);
  if (!targets.ok()) return targets.status();
  if (orders_.size() + targets->size() > kMaxOrders) {
    return absl::ResourceExhaustedError("too many orders wait");
  }
  std::map<std::string, size_t> of_client;
  for (const auto& [number, known] : orders_) {
    of_client[known.client] += known.finished_at_ns == 0 ? 1 : 0;
  }
  for (const auto& [client, row] : *targets) {
    if (++of_client[client] > kMaxClientOrders) {
      return absl::ResourceExhaustedError(
          fmt::format("{} orders wait for {}; cancel some first",
                      kMaxClientOrders, client));
    }
  }
  LiveOrder order = request.order;
  if (order.until_ns != 0) order.until_ns += now;
  if (request.at_next) {
    // The count must still be ahead of every client when the order reaches it,
    // so the runs until then are added.
    for (const auto& [id, number] : *targets) {
      const LiveClient& client = clients_.at(id);
      const auto row = client.rows.find(number.value_or(0));
      if (row == client.rows.end()) continue;
      const double mean = std::max<double>(row->second.mean_ns, 1e5);
      const auto ahead = static_cast<int64_t>(std::ceil(2e9 / mean)) + 2;
      order.at = std::max(order.at, row->second.runs + ahead);
    }
    if (order.at == 0) {
      return absl::FailedPreconditionError(
          "at \"next\" needs a row that has run");
    }
  }
  std::vector<uint64_t> numbers;
  for (const auto& [client, row] : *targets) {
    order.client = client;
    order.row = order.rule == "global" ? std::nullopt : row;
    order.order = next_order_++;
    numbers.push_back(order.order);
    orders_.emplace(order.order, order);
  }
  OrdersChanged();
  return numbers;
}

absl::Status LiveSession::Cancel(uint64_t number) {
  const auto at = orders_.find(number);
  if (at == orders_.end()) {
    return absl::NotFoundError(fmt::format("there is no order {}", number));
  }
  orders_.erase(at);
  OrdersChanged();
  return absl::OkStatus();
}

void LiveSession::CancelAll() {
  if (orders_.empty()) return;
  orders_.clear();
  OrdersChanged();
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

absl::Status LiveSession::Mark(const std::string& id, const LiveMark& mark) {
  const absl::StatusOr<const LiveTrace*> found = Find(id);
  if (!found.ok()) return found.status();
  LiveTrace changed = **found;
  if (mark.name.has_value()) changed.name = *mark.name;
  if (mark.pinned.has_value()) changed.pinned = *mark.pinned;
  absl::Status saved = folder_.SaveAbout(changed);
  if (!saved.ok()) return saved;
  traces_.at(id) = std::move(changed);
  Changed();
  return absl::OkStatus();
}

absl::Status LiveSession::Delete(const std::string& id) {
  const absl::StatusOr<const LiveTrace*> found = Find(id);
  if (!found.ok()) return found.status();
  if ((*found)->pinned) {
    return absl::FailedPreconditionError(
        fmt::format("trace {} is pinned; unpin it first", id));
  }
  return Remove(id);
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
