// The traces and graphs of a live session: what is stored, and what is deleted
// to keep the session below its limits.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "server/live/live_session.h"

namespace tfprof::server {

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

}  // namespace tfprof::server
