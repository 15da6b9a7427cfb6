// The orders of a live session: for which rows of which clients they are, how
// many may wait, and when they end.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "server/live/live_session.h"

namespace tfprof::server {
namespace {

// Clients report this often, in ms, while a person looks or an order waits.
constexpr int64_t kOften = 200;
constexpr int64_t kSeldom = 1000;
// A person looks for this time after a request, in ns.
constexpr int64_t kLookedFor = 10'000'000'000;

bool SameRun(const LiveRunKind& a, const LiveRunKind& b) {
  return a.fetches == b.fetches && a.feeds == b.feeds &&
         a.options == b.options && a.kind == b.kind;
}

}  // namespace

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

}  // namespace tfprof::server
