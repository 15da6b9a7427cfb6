#include "server/live_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "rapidjson/document.h"
#include "rapidjson/error/en.h"
#include "util/json_string.h"

namespace tfprof {
namespace {

using Value = rapidjson::Value;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxSpark = 60;
constexpr size_t kMaxFeeds = 1000;
constexpr size_t kMaxSteps = 1000;
constexpr size_t kMaxOrders = 100'000;
// What an order counts, at most.
constexpr int64_t kMaxCount = 1'000'000'000;

// The members of an object, with the first thing that is wrong about them.
class Fields {
 public:
  Fields(const Value& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object_.IsObject()) Wrong("", "an object");
  }

  const Value* Find(const char* name) const {
    if (!object_.IsObject()) return nullptr;
    const auto at = object_.FindMember(name);
    const bool there = at != object_.MemberEnd() && !at->value.IsNull();
    return there ? &at->value : nullptr;
  }
  bool Has(const char* name) const { return Find(name) != nullptr; }

  std::string Text(const char* name) {
    const Value* value = Find(name);
    if (value == nullptr) return "";
    if (!value->IsString()) {
      Wrong(name, "a string");
      return "";
    }
    const std::string_view text(value->GetString(), value->GetStringLength());
    return std::string(text.substr(0, kMaxLiveText));
  }
  int64_t Int(const char* name, int64_t otherwise, int64_t least,
              int64_t most = kMost) {
    const Value* value = Find(name);
    if (value == nullptr) return otherwise;
    if (!value->IsInt64() || value->GetInt64() < least ||
        value->GetInt64() > most) {
      Wrong(name, most == kMost
                      ? fmt::format("an integer of at least {}", least)
                      : fmt::format("an integer from {} to {}", least, most));
      return otherwise;
    }
    return value->GetInt64();
  }
  bool Bool(const char* name) {
    const Value* value = Find(name);
    if (value == nullptr) return false;
    if (!value->IsBool()) Wrong(name, "true or false");
    return value->IsTrue();
  }
  double Number(const char* name) {
    const Value* value = Find(name);
    if (value == nullptr) return 0;
    if (!value->IsNumber()) {
      Wrong(name, "a number");
      return 0;
    }
    return value->GetDouble();
  }
  // The elements of a list; none if it is not there.
  template <typename F>
  void Each(const char* name, size_t most, F take) {
    const Value* value = Find(name);
    if (value == nullptr) return;
    if (!value->IsArray() || value->Size() > most) {
      return Wrong(name, fmt::format("a list of at most {} elements", most));
    }
    for (const Value& element : value->GetArray()) take(element);
  }
  std::vector<int64_t> Ints(const char* name, size_t most) {
    std::vector<int64_t> list;
    Each(name, most, [&](const Value& element) {
      if (!element.IsInt64()) return Wrong(name, "a list of integers");
      list.push_back(element.GetInt64());
    });
    return list;
  }
  std::vector<std::string> Texts(const char* name, size_t most) {
    std::vector<std::string> list;
    Each(name, most, [&](const Value& element) {
      if (!element.IsString()) return Wrong(name, "a list of strings");
      list.emplace_back(element.GetString(), element.GetStringLength());
      if (list.back().size() > kMaxLiveText) list.back().resize(kMaxLiveText);
    });
    return list;
  }
  LiveLoss Loss(const char* name) {
    LiveLoss loss;
    const Value* value = Find(name);
    if (value == nullptr) return loss;
    Fields fields(*value, fmt::format("{}.", name));
    loss.traces = fields.Int("traces", 0, 0);
    loss.bytes = fields.Int("bytes", 0, 0);
    loss.why = fields.Text("why");
    Take(fields);
    return loss;
  }

  // An error of a part is one of the whole.
  void Take(const Fields& part) {
    if (status_.ok()) status_ = part.status_;
  }
  void Wrong(const char* name, std::string_view expected) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        fmt::format("{}{}: expected {}", where_, name, expected));
  }
  const absl::Status& status() const { return status_; }

 private:
  const Value& object_;
  std::string where_;
  absl::Status status_;
};

absl::Status ParseJson(std::string_view text, rapidjson::Document& document) {
  // The iterative parser: nested brackets do not use up the stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  document.Parse<kFlags>(text.data(), text.size());
  if (!document.HasParseError()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("byte {}: not JSON: {}", document.GetErrorOffset(),
                  rapidjson::GetParseError_En(document.GetParseError())));
}

LiveRow ParseRow(Fields& fields) {
  LiveRow row;
  row.row = fields.Int("row", 0, 0, 1000);
  row.fetches = fields.Text("fetches");
  row.feeds = fields.Texts("feeds", kMaxFeeds);
  row.options = fields.Text("options");
  row.kind = fields.Text("kind");
  row.runs = fields.Int("runs", 0, 0);
  row.failed = fields.Int("failed", 0, 0);
  row.traces = fields.Int("traces", 0, 0);
  row.last_ns = fields.Int("last_ns", -1, -1);
  row.mean_ns = fields.Int("mean_ns", -1, -1);
  row.p50_ns = fields.Int("p50_ns", -1, -1);
  row.p95_ns = fields.Int("p95_ns", -1, -1);
  row.p99_ns = fields.Int("p99_ns", -1, -1);
  row.traced_mean_ns = fields.Int("traced_mean_ns", -1, -1);
  row.first_at_ns = fields.Int("first_at_ns", -1, -1);
  row.last_at_ns = fields.Int("last_at_ns", -1, -1);
  row.step = fields.Int("step", -1, -1);
  row.spark = fields.Ints("spark", kMaxSpark);
  return row;
}

// 1000 rows and one for all others.
constexpr size_t kMaxRows = 1001;

template <typename F>
void EachRow(Fields& fields, F take) {
  fields.Each("rows", kMaxRows, [&](const Value& element) {
    Fields row(element, "rows.");
    take(ParseRow(row));
    fields.Take(row);
  });
}

bool IsOneOf(std::string_view word,
             const std::vector<std::string_view>& words) {
  for (const std::string_view known : words) {
    if (word == known) return true;
  }
  return false;
}

void CheckWord(Fields& fields, const char* name, std::string_view word,
               const std::vector<std::string_view>& words) {
  if (IsOneOf(word, words)) return;
  fields.Wrong(name, fmt::format("one of {}; found '{}'",
                                 fmt::join(words, ", "), word.substr(0, 40)));
}

// What a rule needs.
void CheckRule(Fields& fields, const LiveOrder& order, bool at_next) {
  CheckWord(fields, "rule", order.rule,
            {"next", "for", "every", "steps", "slower", "at", "global"});
  if (order.rule == "next" && order.count < 1) {
    fields.Wrong("count", "at least 1 for the rule next");
  } else if (order.rule == "for" && order.until_ns == 0) {
    fields.Wrong("seconds", "a number above 0 for the rule for");
  } else if (order.rule == "every" && order.every < 1) {
    fields.Wrong("every", "at least 1 for the rule every");
  } else if (order.rule == "steps" && order.steps.empty()) {
    fields.Wrong("steps", "a list with a step for the rule steps");
  } else if (order.rule == "slower" &&
             !(order.slower > 1 && order.slower <= 1e6)) {
    fields.Wrong("slower", "a factor above 1 for the rule slower");
  } else if (order.rule == "at" && order.at < 1 && !at_next) {
    fields.Wrong("at", "a count of at least 1, or \"next\", for the rule at");
  }
}

std::string Known(int64_t number) {
  return number < 0 ? "null" : fmt::format("{}", number);
}

std::string TextList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += list.empty() ? "" : ",";
    list += JsonString(text);
  }
  return fmt::format("[{}]", list);
}

std::string LossJson(const LiveLoss& loss) {
  return fmt::format(R"({{"traces":{},"bytes":{},"why":{}}})", loss.traces,
                     loss.bytes, JsonString(loss.why));
}

}  // namespace

absl::StatusOr<LiveClient> ParseLiveClient(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  LiveClient client;
  client.client = fields.Text("client");
  client.key = fields.Text("key");
  client.name = fields.Text("name");
  client.rank = fields.Int("rank", -1, -1);
  client.ranks = fields.Int("ranks", -1, -1);
  client.host = fields.Text("host");
  client.pid = fields.Int("pid", 0, 0);
  client.framework = fields.Text("framework");
  client.started_at_ns = fields.Int("started_ns", 0, 0);
  client.last_heard_ns = fields.Int("last_heard_ns", 0, 0);
  client.end = fields.Text("end");
  client.dropped = fields.Loss("dropped");
  if (fields.Int("protocol", 1, 1) != 1) {
    fields.Wrong("protocol", "1: this server is older than the client");
  }
  if (client.key.empty() || client.key.size() > 64) {
    fields.Wrong("key", "1 to 64 characters");
  }
  EachRow(fields, [&](LiveRow row) {
    const int64_t number = row.row;
    client.rows.insert_or_assign(number, std::move(row));
  });
  if (!fields.status().ok()) return fields.status();
  return client;
}

absl::StatusOr<LiveUpdate> ParseLiveUpdate(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  LiveUpdate update;
  update.active = fields.Bool("active");
  EachRow(fields, [&](LiveRow row) { update.rows.push_back(std::move(row)); });
  fields.Each("orders", kMaxRows, [&](const Value& element) {
    Fields part(element, "orders.");
    LiveUpdate::Report report;
    report.order = static_cast<uint64_t>(part.Int("order", 0, 0));
    report.state = part.Text("state");
    CheckWord(part, "state", report.state, {"armed", "done", "missed"});
    if (part.Has("left")) report.left = part.Int("left", 0, 0);
    report.why = part.Text("why");
    update.orders.push_back(std::move(report));
    fields.Take(part);
  });
  update.waiting = fields.Loss("waiting");
  update.dropped = fields.Loss("dropped");
  update.end = fields.Text("end");
  if (!fields.status().ok()) return fields.status();
  return update;
}

absl::StatusOr<LiveTrace> ParseLiveTrace(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  LiveTrace trace;
  trace.id = fields.Text("id");
  trace.file = fields.Text("file");
  trace.client = fields.Text("client");
  trace.key = fields.Text("key");
  trace.row = fields.Int("row", 0, 0, 1000);
  trace.fetches = fields.Text("fetches");
  trace.feeds = fields.Texts("feeds", kMaxFeeds);
  trace.options = fields.Text("options");
  trace.number = fields.Int("number", 0, 0);
  trace.count = fields.Int("count", 0, 0);
  trace.step = fields.Int("step", -1, -1);
  trace.start_ns = fields.Int("start_ns", 0, 0);
  trace.duration_ns = fields.Int("duration_ns", -1, -1);
  trace.asked_by = fields.Text("asked_by");
  trace.kind = fields.Text("kind");
  trace.bytes = fields.Int("bytes", 0, 0);
  trace.rank = fields.Int("rank", -1, -1);
  trace.host = fields.Text("host");
  trace.pid = fields.Int("pid", 0, 0);
  trace.graph = fields.Text("graph");
  trace.pinned = fields.Bool("pinned");
  trace.name = fields.Text("name");
  CheckWord(fields, "kind", trace.kind, {"run_metadata", "xspace", "kineto"});
  if (!fields.status().ok()) return fields.status();
  return trace;
}

absl::StatusOr<LiveRequest> ParseLiveRequest(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  LiveRequest request;
  request.client = fields.Text("client");
  if (fields.Has("row")) request.row = fields.Int("row", 0, 0, 1000);
  request.everywhere = fields.Bool("everywhere");
  LiveOrder& order = request.order;
  order.rule = fields.Text("rule");
  order.count = fields.Int("count", order.rule == "next" ? 1 : 0, 0, kMaxCount);
  const double seconds = fields.Number("seconds");
  if (seconds > 0 && seconds <= 1e6) {
    // From now on; the session makes a time of it.
    order.until_ns = static_cast<int64_t>(seconds * 1e9);
  } else if (fields.Has("seconds")) {
    fields.Wrong("seconds", "a number above 0, at most 1000000");
  }
  order.every = fields.Int("every", 0, 0, kMaxCount);
  order.steps = fields.Ints("steps", kMaxSteps);
  order.slower = fields.Number("slower");
  const Value* at = fields.Find("at");
  request.at_next =
      at != nullptr && at->IsString() && at->GetString() == std::string("next");
  if (!request.at_next) order.at = fields.Int("at", 0, 0);
  order.limit = fields.Int("limit", 20, 1, kMaxCount);
  const double cool_down = fields.Number("cool_down_seconds");
  if (cool_down >= 0 && cool_down <= 1e6) {
    order.cool_down_ns = static_cast<int64_t>(cool_down * 1e9);
  } else {
    fields.Wrong("cool_down_seconds", "a number from 0 to 1000000");
  }
  CheckRule(fields, order, request.at_next);
  if (!fields.status().ok()) return fields.status();
  return request;
}

absl::StatusOr<std::vector<LiveOrder>> ParseLiveOrders(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  std::vector<LiveOrder> orders;
  fields.Each("orders", kMaxOrders, [&](const Value& element) {
    Fields part(element, "orders.");
    LiveOrder order;
    order.order = static_cast<uint64_t>(part.Int("order", 0, 1));
    order.client = part.Text("client");
    if (part.Has("row")) order.row = part.Int("row", 0, 0, 1000);
    order.rule = part.Text("rule");
    order.count = part.Int("count", 0, 0, kMaxCount);
    order.until_ns = part.Int("until_ns", 0, 0);
    order.every = part.Int("every", 0, 0, kMaxCount);
    order.steps = part.Ints("steps", kMaxSteps);
    order.slower = part.Number("slower");
    order.at = part.Int("at", 0, 0);
    order.limit = part.Int("limit", 20, 0, kMaxCount);
    order.cool_down_ns = part.Int("cool_down_ns", 0, 0);
    order.state = part.Text("state");
    CheckWord(part, "state", order.state, {"sent", "armed"});
    if (part.Has("left")) order.left = part.Int("left", 0, 0);
    CheckRule(part, order, false);
    orders.push_back(std::move(order));
    fields.Take(part);
  });
  if (!fields.status().ok()) return fields.status();
  return orders;
}

absl::StatusOr<LiveMark> ParseLiveMark(std::string_view text) {
  rapidjson::Document document;
  const absl::Status parsed = ParseJson(text, document);
  if (!parsed.ok()) return parsed;
  Fields fields(document, "");
  LiveMark mark;
  if (fields.Has("name")) mark.name = fields.Text("name");
  if (fields.Has("pinned")) mark.pinned = fields.Bool("pinned");
  if (!mark.name.has_value() && !mark.pinned.has_value()) {
    fields.Wrong("", "name or pinned");
  }
  if (!fields.status().ok()) return fields.status();
  return mark;
}

std::string LiveRowJson(const LiveRow& row, std::string_view client) {
  return fmt::format(
      R"({{"client":{},"row":{},"fetches":{},"feeds":{},"options":{},)"
      R"("kind":{},"runs":{},"failed":{},"traces":{},"last_ns":{},)"
      R"("mean_ns":{},"p50_ns":{},"p95_ns":{},"p99_ns":{},)"
      R"("traced_mean_ns":{},"first_at_ns":{},"last_at_ns":{},"step":{},)"
      R"("spark":[{}]}})",
      JsonString(client), row.row, JsonString(row.fetches), TextList(row.feeds),
      JsonString(row.options), JsonString(row.kind), row.runs, row.failed,
      row.traces, Known(row.last_ns), Known(row.mean_ns), Known(row.p50_ns),
      Known(row.p95_ns), Known(row.p99_ns), Known(row.traced_mean_ns),
      Known(row.first_at_ns), Known(row.last_at_ns), Known(row.step),
      fmt::join(row.spark, ","));
}

namespace {

// The members of a client, without brackets.
std::string ClientMembers(const LiveClient& client) {
  return fmt::format(
      R"("client":{},"name":{},"rank":{},"ranks":{},"host":{},"pid":{},)"
      R"("framework":{},"started_ns":{},"last_heard_ns":{},"dropped":{})",
      JsonString(client.client), JsonString(client.name), Known(client.rank),
      Known(client.ranks), JsonString(client.host), client.pid,
      JsonString(client.framework), client.started_at_ns, client.last_heard_ns,
      LossJson(client.dropped));
}

}  // namespace

std::string LiveClientJson(const LiveClient& client, std::string_view state) {
  const std::string_view why =
      client.end.starts_with("error: ")
          ? std::string_view(client.end)
                .substr(std::string_view("error: ").size())
          : "";
  return fmt::format(R"({{{},"waiting":{},"state":{},"why":{}}})",
                     ClientMembers(client), LossJson(client.waiting),
                     JsonString(state), JsonString(why));
}

std::string LiveClientFile(const LiveClient& client) {
  std::string rows;
  for (const auto& [number, row] : client.rows) {
    rows += rows.empty() ? "\n" : ",\n";
    rows += LiveRowJson(row, client.client);
  }
  return fmt::format("{{{},\"key\":{},\"end\":{},\"rows\":[{}]}}\n",
                     ClientMembers(client), JsonString(client.key),
                     JsonString(client.end), rows);
}

std::string LiveTraceJson(const LiveTrace& trace) {
  return fmt::format(
      R"({{"id":{},"file":{},"client":{},"key":{},"row":{},"fetches":{},)"
      R"("feeds":{},"options":{},"number":{},"count":{},"step":{},)"
      R"("start_ns":{},"duration_ns":{},"asked_by":{},"kind":{},"bytes":{},)"
      R"("rank":{},"host":{},"pid":{},"graph":{},"pinned":{},"name":{}}})",
      JsonString(trace.id), JsonString(trace.file), JsonString(trace.client),
      JsonString(trace.key), trace.row, JsonString(trace.fetches),
      TextList(trace.feeds), JsonString(trace.options), trace.number,
      trace.count, Known(trace.step), trace.start_ns, Known(trace.duration_ns),
      JsonString(trace.asked_by), JsonString(trace.kind), trace.bytes,
      Known(trace.rank), JsonString(trace.host), trace.pid,
      JsonString(trace.graph), trace.pinned, JsonString(trace.name));
}

std::string LiveOrderJson(const LiveOrder& order) {
  return fmt::format(
      R"({{"order":{},"client":{},"row":{},"rule":{},"count":{},)"
      R"("until_ns":{},"every":{},"steps":[{}],"slower":{},"at":{},)"
      R"("limit":{},"cool_down_ns":{},"state":{},"left":{},"why":{}}})",
      order.order, JsonString(order.client),
      order.row.has_value() ? fmt::format("{}", *order.row) : "null",
      JsonString(order.rule), order.count, order.until_ns, order.every,
      fmt::join(order.steps, ","), order.slower, order.at, order.limit,
      order.cool_down_ns, JsonString(order.state),
      order.left.has_value() ? fmt::format("{}", *order.left) : "null",
      JsonString(order.why));
}

std::string LiveOrdersFile(const std::map<uint64_t, LiveOrder>& orders) {
  std::string list;
  for (const auto& [number, order] : orders) {
    if (order.finished_at_ns != 0) continue;
    list += list.empty() ? "\n" : ",\n";
    list += LiveOrderJson(order);
  }
  return fmt::format("{{\"orders\":[{}]}}\n", list);
}

}  // namespace tfprof
