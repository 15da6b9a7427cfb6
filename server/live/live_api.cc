#include "server/live/live_api.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "server/live/live_json.h"
#include "server/live_rules.h"
#include "util/json/json_writer.h"

namespace tfprof::server {
namespace {

constexpr std::string_view kClients = "/api/clients";
constexpr std::string_view kOrders = "/api/orders";
constexpr std::string_view kTraces = "/api/traces/";
constexpr std::string_view kState = "/api/live";
constexpr std::string_view kRulesPath = "/api/live/rules";
constexpr size_t kMaxRecord = size_t{256} << 20;
constexpr size_t kMaxWords = size_t{8} << 20;

int64_t WallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

HttpReply Failed(const absl::Status& status) {
  int otherwise = 500;
  if (absl::IsDataLoss(status)) otherwise = 410;  // deleted
  if (absl::IsResourceExhausted(status)) otherwise = 507;
  return HttpError(status, otherwise);
}

HttpReply NotAllowed(std::string_view allowed) {
  HttpReply reply =
      HttpError(405, fmt::format("this address accepts only {}", allowed));
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

HttpReply Nothing() {
  return HttpError(404, "there is nothing at this address");
}

bool Reads(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// Parses "/7" as 7.
bool ParseNumber(std::string_view rest, uint64_t& number) {
  if (!rest.starts_with('/')) return false;
  const char* end = rest.data() + rest.size();
  const auto [at, error] = std::from_chars(rest.data() + 1, end, number);
  return error == std::errc() && at == end;
}

std::string MachineId() {
  static const std::string id = [] {
    std::string text(64, '\0');
    FILE* file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == nullptr) return std::string();
    text.resize(fread(text.data(), 1, text.size(), file));
    fclose(file);
    while (!text.empty() && text.back() <= ' ') text.pop_back();
    return text;
  }();
  return id;
}

// A JSON list with each element on its own line.
std::string List(const std::vector<std::string>& elements) {
  return fmt::format("[\n{}\n]", fmt::join(elements, ",\n"));
}

}  // namespace

bool LiveApi::IsLive(const std::string& path) {
  const auto below = [&](std::string_view folder) {
    return path == folder ||
           (path.starts_with(folder) && path.size() > folder.size() &&
            path[folder.size()] == '/');
  };
  return path == kState || path == kRulesPath || below(kClients) ||
         below(kOrders) || path.starts_with(kTraces);
}

size_t LiveApi::BodyLimit(const HttpRequest& head) {
  if (head.method != "POST" || !head.path.starts_with(kClients)) return 0;
  const bool record =
      head.path.ends_with("/traces") || head.path.ends_with("/graphs");
  return record ? kMaxRecord : kMaxWords;
}

absl::Status LiveApi::SaveServer(std::string_view json) {
  if (!has_programs()) return absl::OkStatus();
  return session_.SaveServer(json);
}

HttpReply LiveApi::Answer(const HttpRequest& request) {
  const std::string_view path = request.path;
  if (path == kState) return State(request);
  if (path == kRulesPath) {
    return Reads(request) ? HttpJson(LiveRulesJson()) : NotAllowed("GET, HEAD");
  }
  if (path.starts_with(kClients)) {
    return Clients(request, path.substr(kClients.size()));
  }
  if (path.starts_with(kOrders)) {
    return Orders(request, path.substr(kOrders.size()));
  }
  return Traces(request, path.substr(kTraces.size()));
}

void LiveApi::Tick() {
  session_.Tick(WallNow());
  if (session_.version() == told_) return;
  told_ = session_.version();
  events_.Publish("live", util::OneMember("version", told_));
}

std::string LiveApi::OrdersJson(const std::string& client) const {
  util::JsonWriter json;
  json.Object().Member("version", session_.orders_version());
  json.Key("list").Array();
  for (const LiveOrder* order : session_.OrdersOf(client)) {
    json.Raw(LiveOrderJson(*order));
  }
  json.End().End();
  return json.Take();
}

HttpReply LiveApi::Clients(const HttpRequest& request, std::string_view rest) {
  if (request.method != "POST") return NotAllowed("POST");
  const int64_t now = WallNow();
  const auto answer = [&](const std::string& client) {
    util::JsonWriter json;
    json.Object().Member("client", client);
    json.Member("session", session_.folder().path());
    json.Member("machine", MachineId());
    json.Member("interval_ms", session_.IntervalMillis(client, now));
    json.RawMember("orders", OrdersJson(client)).End().Line();
    return json.Take();
  };
  if (rest.empty()) {
    absl::StatusOr<LiveClient> given = ParseLiveClient(request.body);
    if (!given.ok()) return Failed(given.status());
    const auto id = session_.Register(*std::move(given), now);
    return id.ok() ? HttpJson(answer(*id)) : Failed(id.status());
  }
  const size_t slash = rest.rfind('/');
  if (slash == 0 || slash == rest.npos) return Nothing();
  const std::string client(rest.substr(1, slash - 1));
  const std::string_view what = rest.substr(slash + 1);
  if (what == "update") {
    absl::StatusOr<LiveUpdate> update = ParseLiveUpdate(request.body);
    if (!update.ok()) return Failed(update.status());
    const absl::Status taken = session_.Update(client, *std::move(update), now);
    return taken.ok() ? HttpJson(answer(client)) : Failed(taken);
  }
  if (what == "traces") {
    const std::string* about = request.Parameter("about");
    if (about == nullptr) {
      return HttpError(400, "about: expected the facts of the record as JSON");
    }
    absl::StatusOr<LiveTrace> trace = ParseLiveTrace(*about);
    if (!trace.ok()) return Failed(trace.status());
    const std::string graph = trace->graph;
    const auto id =
        session_.AddTrace(client, *std::move(trace), request.body, now);
    if (!id.ok()) return Failed(id.status());
    util::JsonWriter json;
    json.Object().Member("id", *id);
    // It was deleted for want of room; the client sends it again.
    if (!graph.empty() && !session_.HasGraph(graph)) {
      json.Member("lacks_graph", graph);
    }
    json.End().Line();
    return HttpJson(json.Take(), 201);
  }
  if (what == "graphs") {
    const std::string* name = request.Parameter("name");
    const absl::Status added =
        session_.AddGraph(client, name == nullptr ? "" : *name, request.body);
    if (!added.ok()) return Failed(added);
    return HttpJson(util::OneMember("name", *name) + "\n", 201);
  }
  return Nothing();
}

HttpReply LiveApi::Orders(const HttpRequest& request, std::string_view rest) {
  if (rest.empty() && request.method == "POST") {
    const absl::StatusOr<LiveRequest> asked = ParseLiveRequest(request.body);
    if (!asked.ok()) return Failed(asked.status());
    const auto numbers = session_.Order(*asked, WallNow());
    if (!numbers.ok()) return Failed(numbers.status());
    return HttpJson(util::OneMember("orders", *numbers) + "\n", 201);
  }
  if (request.method != "DELETE") {
    return NotAllowed(rest.empty() ? "POST, DELETE" : "DELETE");
  }
  uint64_t number = 0;
  if (rest.empty()) {
    session_.CancelAll();
  } else if (!ParseNumber(rest, number)) {
    return Nothing();
  } else if (const absl::Status done = session_.Cancel(number); !done.ok()) {
    return Failed(done);
  }
  return HttpJson("{\"cancelled\":true}\n");
}

HttpReply LiveApi::Traces(const HttpRequest& request, std::string_view rest) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string id(rest.substr(0, slash));
  const std::string_view what = rest.substr(slash);
  if (what == "/file") {
    if (!Reads(request)) return NotAllowed("GET, HEAD");
    const absl::StatusOr<const LiveTrace*> trace = session_.Find(id);
    if (!trace.ok()) return Failed(trace.status());
    absl::StatusOr<std::string> data = session_.folder().ReadTrace(**trace);
    if (!data.ok()) return Failed(data.status());
    HttpReply reply;
    reply.type = "application/octet-stream";
    reply.body = *std::move(data);
    reply.headers.emplace_back(
        "Content-Disposition",
        fmt::format("attachment; filename=\"trace-{}\"", (*trace)->file));
    return reply;
  }
  if (!what.empty()) return Nothing();
  if (request.method == "DELETE") {
    const absl::Status deleted = session_.Delete(id);
    return deleted.ok() ? HttpJson("{\"deleted\":true}\n") : Failed(deleted);
  }
  if (request.method == "PUT") {
    const absl::StatusOr<LiveMark> mark = ParseLiveMark(request.body);
    if (!mark.ok()) return Failed(mark.status());
    const absl::Status marked = session_.Mark(id, *mark);
    if (!marked.ok()) return Failed(marked);
  } else if (!Reads(request)) {
    return NotAllowed("GET, HEAD, PUT, DELETE");
  }
  const absl::StatusOr<const LiveTrace*> trace = session_.Find(id);
  if (!trace.ok()) return Failed(trace.status());
  return HttpJson(LiveTraceJson(**trace) + "\n");
}

HttpReply LiveApi::State(const HttpRequest& request) {
  if (!Reads(request)) return NotAllowed("GET, HEAD");
  session_.Looked(WallNow());
  uint64_t since = 0;
  if (const std::string* text = request.Parameter("since")) {
    const char* end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, since);
    if (error != std::errc() || at != end) {
      return HttpError(400, "since: expected the version of an earlier reply");
    }
  }
  const std::string tag = fmt::format("\"{}\"", session_.version());
  const std::string* known = request.Header("if-none-match");
  if (known != nullptr && *known == tag) {
    HttpReply reply = HttpJson("", 304);
    reply.headers.emplace_back("ETag", tag);
    return reply;
  }
  // The version is from an earlier run of the server, so everything is sent.
  if (since > session_.version()) since = 0;
  std::vector<std::string> clients, rows, orders, traces;
  int64_t dropped = 0;
  for (const auto& [id, client] : session_.clients()) {
    clients.push_back(LiveClientJson(client, session_.StateOf(client)));
    dropped += client.dropped.traces;
    for (const auto& [number, row] : client.rows) {
      if (row.version > since) rows.push_back(LiveRowJson(row, id));
    }
  }
  for (const auto& [number, order] : session_.orders()) {
    orders.push_back(LiveOrderJson(order));
  }
  for (const auto& [id, trace] : session_.traces()) {
    traces.push_back(LiveTraceJson(trace));
  }
  const LiveLimits& limits = session_.limits();
  util::JsonWriter json;
  json.Object().Member("version", session_.version()).Member("since", since);
  json.Member("now_ns", WallNow());
  json.Member("live", session_.mode() == LiveSession::Mode::kLive);
  json.Member("read_only", read_only_).Line().Key("session").Object();
  json.Member("folder", session_.folder().path());
  json.Member("bytes", session_.bytes());
  json.Member("limit_bytes", limits.session_bytes);
  json.Member("keep_traces", limits.keep_traces);
  json.Member("traces", session_.traces().size());
  json.Member("evicted", session_.evicted()).Member("dropped", dropped);
  json.Member("damaged", session_.damaged()).End();
  json.Line().RawMember("clients", List(clients));
  json.Line().RawMember("rows", List(rows));
  json.Line().RawMember("orders", List(orders));
  json.Line().RawMember("traces", List(traces));
  json.Line().Member("why", session_.WhyEmpty()).End().Line();
  HttpReply reply = HttpJson(json.Take());
  reply.headers.emplace_back("ETag", tag);
  return reply;
}

}  // namespace tfprof::server
