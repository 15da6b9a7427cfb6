#include "server/live/live_json.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "server/live_rules.h"
#include "util/json/json_tree.h"
#include "util/json/json_writer.h"

namespace tfprof::server {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxSpark = 60;
constexpr size_t kMaxFeeds = 1000;

// The members of an object; remembers the first error in them.
class Fields {
 public:
  Fields(util::JsonValue object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object_.IsObject()) Wrong("", "an object");
  }

  // The member, or an empty value if it is missing or null.
  util::JsonValue Find(std::string_view name) const {
    const util::JsonValue value = object_[name];
    return value.IsGiven() ? value : util::JsonValue();
  }
  bool Has(std::string_view name) const { return Find(name).IsGiven(); }

  std::string Text(std::string_view name) {
    return Get(name, Find(name).String(), "a string", std::string())
        .substr(0, kMaxLiveText);
  }
  int64_t Int(std::string_view name, int64_t otherwise, int64_t least,
              int64_t most = kMost) {
    const int64_t number = Get(name, Find(name).Int(), "an integer", otherwise);
    if (!Has(name) || (number >= least && number <= most)) return number;
    Wrong(name, most == kMost
                    ? fmt::format("an integer of at least {}", least)
                    : fmt::format("an integer from {} to {}", least, most));
    return otherwise;
  }
  bool Bool(std::string_view name) {
    return Get(name, Find(name).Bool(), "true or false", false);
  }
  double Number(std::string_view name) {
    return Get(name, Find(name).Double(), "a number", 0.0);
  }
  // Calls `take` with each element of a list; does nothing if the list is
  // missing.
  template <typename F>
  void Each(std::string_view name, size_t most, F take) {
    const util::JsonValue list = Find(name);
    if (!list.IsGiven()) return;
    if (!list.IsArray() || list.size() > most) {
      return Wrong(name, fmt::format("a list of at most {} elements", most));
    }
    for (const util::JsonValue element : list) take(element);
  }
  std::vector<int64_t> Ints(std::string_view name, size_t most) {
    std::vector<int64_t> list;
    Each(name, most, [&](util::JsonValue element) {
      const std::optional<int64_t> number = element.Int();
      if (!number.has_value()) return Wrong(name, "a list of integers");
      list.push_back(*number);
    });
    return list;
  }
  std::vector<std::string> Texts(std::string_view name, size_t most) {
    std::vector<std::string> list;
    Each(name, most, [&](util::JsonValue element) {
      const std::optional<std::string> text = element.String();
      if (!text.has_value()) return Wrong(name, "a list of strings");
      list.push_back(text->substr(0, kMaxLiveText));
    });
    return list;
  }
  LiveLoss Loss(std::string_view name) {
    LiveLoss loss;
    if (!Has(name)) return loss;
    Fields fields(Find(name), fmt::format("{}.", name));
    loss.traces = fields.Int("traces", 0, 0);
    loss.bytes = fields.Int("bytes", 0, 0);
    loss.why = fields.Text("why");
    Take(fields);
    return loss;
  }

  // Takes over the error of a nested object.
  void Take(const Fields& part) {
    if (status_.ok()) status_ = part.status_;
  }
  void Wrong(std::string_view name, std::string_view expected) {
    if (!status_.ok()) return;
    const util::JsonValue value = name.empty() ? object_ : object_[name];
    const std::string found =
        value.raw().empty()
            ? "nothing"
            : fmt::format("{} at byte {}", value.raw().substr(0, 40),
                          value.offset());
    status_ = absl::InvalidArgumentError(fmt::format(
        "{}{}: expected {}, found {}", where_, name, expected, found));
  }
  const absl::Status& status() const { return status_; }

 private:
  // The value of a member that may be missing.
  template <typename T>
  T Get(std::string_view name, std::optional<T> value,
        std::string_view expected, T otherwise) {
    if (value.has_value()) return *std::move(value);
    if (Has(name)) Wrong(name, expected);
    return otherwise;
  }

  util::JsonValue object_;
  std::string where_;
  absl::Status status_;
};

// Parses a text that is one object; `read` reads its members into a record.
template <typename Record, typename F>
absl::StatusOr<Record> ParseRecord(std::string_view text, F read) {
  const absl::StatusOr<util::JsonTree> tree = util::JsonTree::Parse(text);
  if (!tree.ok()) return tree.status();
  Fields fields(tree->root(), "");
  Record record;
  read(fields, record);
  if (!fields.status().ok()) return fields.status();
  return record;
}

LiveRunKind ParseRow(Fields& fields) {
  LiveRunKind row;
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

// 1000 rows, and one for all others.
constexpr size_t kMaxRows = 1001;

template <typename F>
void EachRow(Fields& fields, F take) {
  fields.Each("rows", kMaxRows, [&](util::JsonValue element) {
    Fields row(element, "rows.");
    take(ParseRow(row));
    fields.Take(row);
  });
}

void CheckWord(Fields& fields, std::string_view name, std::string_view word,
               const std::vector<std::string_view>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  fields.Wrong(name, fmt::format("one of {}", fmt::join(words, ", ")));
}

// Whether the rule exists and has what it needs.
void CheckRule(Fields& fields, const LiveOrder& order, bool at_next) {
  const LiveRule* rule = FindLiveRule(order.rule);
  if (rule == nullptr) {
    std::vector<std::string_view> names;
    for (const LiveRule& one : LiveRules()) names.push_back(one.name);
    return CheckWord(fields, "rule", order.rule, names);
  }
  if (rule->needs.empty() || (rule->needs == "at" && at_next)) return;
  const LiveField& field = FindLiveField(rule->needs);
  if (HasGoodValue(order, field)) return;
  fields.Wrong(field.name,
               fmt::format("{} for the rule {}", field.expected, rule->name));
}

// A number of an order; 0, or what the table says, if it is not there.
int64_t OrderInt(Fields& fields, std::string_view name, int64_t otherwise,
                 int64_t least = 0) {
  return fields.Int(name, otherwise, least, FindLiveField(name).most);
}

std::vector<int64_t> OrderSteps(Fields& fields) {
  return fields.Ints("steps", static_cast<size_t>(FindLiveField("steps").most));
}

// Seconds of an order, in nanoseconds.
int64_t OrderNanos(Fields& fields, std::string_view name) {
  const LiveField& field = FindLiveField(name);
  const double seconds = fields.Number(name);
  const auto least = static_cast<double>(field.least);
  const bool fits = (field.is_above ? seconds > least : seconds >= least) &&
                    seconds <= static_cast<double>(field.most);
  if (fits) return static_cast<int64_t>(seconds * 1e9);
  if (fields.Has(name)) {
    fields.Wrong(name, field.is_above
                           ? fmt::format("a number above {}, at most {}",
                                         field.least, field.most)
                           : fmt::format("a number from {} to {}", field.least,
                                         field.most));
  }
  return 0;
}

std::optional<int64_t> Known(int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

void AddLoss(std::string_view name, const LiveLoss& loss,
             util::JsonWriter& json) {
  json.Key(name).Object().Member("traces", loss.traces);
  json.Member("bytes", loss.bytes).Member("why", loss.why).End();
}

}  // namespace

absl::StatusOr<LiveClient> ParseLiveClient(std::string_view text) {
  return ParseRecord<LiveClient>(text, [](Fields& fields, LiveClient& client) {
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
    EachRow(fields, [&](LiveRunKind row) {
      const int64_t number = row.row;
      client.rows.insert_or_assign(number, std::move(row));
    });
  });
}

absl::StatusOr<LiveUpdate> ParseLiveUpdate(std::string_view text) {
  return ParseRecord<LiveUpdate>(text, [](Fields& fields, LiveUpdate& update) {
    update.active = fields.Bool("active");
    EachRow(fields,
            [&](LiveRunKind row) { update.rows.push_back(std::move(row)); });
    fields.Each("orders", kMaxRows, [&](util::JsonValue element) {
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
  });
}

absl::StatusOr<LiveTrace> ParseLiveTrace(std::string_view text) {
  return ParseRecord<LiveTrace>(text, [](Fields& fields, LiveTrace& trace) {
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
  });
}

absl::StatusOr<LiveRequest> ParseLiveRequest(std::string_view text) {
  return ParseRecord<LiveRequest>(
      text, [](Fields& fields, LiveRequest& request) {
        request.client = fields.Text("client");
        if (fields.Has("row")) request.row = fields.Int("row", 0, 0, 1000);
        request.everywhere = fields.Bool("everywhere");
        LiveOrder& order = request.order;
        order.rule = fields.Text("rule");
        order.count = OrderInt(
            fields, "count",
            order.rule == "next" ? FindLiveField("count").otherwise : 0);
        // From now on; the session makes a time of it.
        order.until_ns = OrderNanos(fields, "seconds");
        order.every = OrderInt(fields, "every", 0);
        order.steps = OrderSteps(fields);
        order.slower = fields.Number("slower");
        request.at_next = fields.Find("at").String() == "next";
        if (!request.at_next) order.at = OrderInt(fields, "at", 0);
        order.limit =
            OrderInt(fields, "limit", FindLiveField("limit").otherwise, 1);
        order.cool_down_ns = OrderNanos(fields, "cool_down_seconds");
        CheckRule(fields, order, request.at_next);
      });
}

absl::StatusOr<std::vector<LiveOrder>> ParseLiveOrders(std::string_view text) {
  return ParseRecord<std::vector<LiveOrder>>(
      text, [](Fields& fields, std::vector<LiveOrder>& orders) {
        fields.Each("orders", kMaxOrders, [&](util::JsonValue element) {
          Fields part(element, "orders.");
          LiveOrder order;
          order.order = static_cast<uint64_t>(part.Int("order", 0, 1));
          order.client = part.Text("client");
          if (part.Has("row")) order.row = part.Int("row", 0, 0, 1000);
          order.rule = part.Text("rule");
          order.count = OrderInt(part, "count", 0);
          order.until_ns = part.Int("until_ns", 0, 0);
          order.every = OrderInt(part, "every", 0);
          order.steps = OrderSteps(part);
          order.slower = part.Number("slower");
          order.at = OrderInt(part, "at", 0);
          order.limit =
              OrderInt(part, "limit", FindLiveField("limit").otherwise);
          order.cool_down_ns = part.Int("cool_down_ns", 0, 0);
          order.state = part.Text("state");
          CheckWord(part, "state", order.state, {"sent", "armed"});
          if (part.Has("left")) order.left = part.Int("left", 0, 0);
          CheckRule(part, order, false);
          orders.push_back(std::move(order));
          fields.Take(part);
        });
      });
}

absl::StatusOr<LiveMark> ParseLiveMark(std::string_view text) {
  return ParseRecord<LiveMark>(text, [](Fields& fields, LiveMark& mark) {
    if (fields.Has("name")) mark.name = fields.Text("name");
    if (fields.Has("pinned")) mark.pinned = fields.Bool("pinned");
    if (!mark.name.has_value() && !mark.pinned.has_value()) {
      fields.Wrong("", "name or pinned");
    }
  });
}

std::string LiveRowJson(const LiveRunKind& row, std::string_view client) {
  util::JsonWriter json;
  json.Object().Member("client", client).Member("row", row.row);
  json.Member("fetches", row.fetches).Member("feeds", row.feeds);
  json.Member("options", row.options).Member("kind", row.kind);
  json.Member("runs", row.runs).Member("failed", row.failed);
  json.Member("traces", row.traces).Member("last_ns", Known(row.last_ns));
  json.Member("mean_ns", Known(row.mean_ns));
  json.Member("p50_ns", Known(row.p50_ns));
  json.Member("p95_ns", Known(row.p95_ns));
  json.Member("p99_ns", Known(row.p99_ns));
  json.Member("traced_mean_ns", Known(row.traced_mean_ns));
  json.Member("first_at_ns", Known(row.first_at_ns));
  json.Member("last_at_ns", Known(row.last_at_ns));
  json.Member("step", Known(row.step)).Member("spark", row.spark).End();
  return json.Take();
}

namespace {

// Begins the JSON object of a client and adds all members except rows.
void AddClient(const LiveClient& client, util::JsonWriter& json) {
  json.Object().Member("client", client.client).Member("name", client.name);
  json.Member("rank", Known(client.rank));
  json.Member("ranks", Known(client.ranks)).Member("host", client.host);
  json.Member("pid", client.pid).Member("framework", client.framework);
  json.Member("started_ns", client.started_at_ns);
  json.Member("last_heard_ns", client.last_heard_ns);
  AddLoss("dropped", client.dropped, json);
}

}  // namespace

std::string LiveClientJson(const LiveClient& client, std::string_view state) {
  constexpr std::string_view kError = "error: ";
  const bool failed = client.end.starts_with(kError);
  util::JsonWriter json;
  AddClient(client, json);
  AddLoss("waiting", client.waiting, json);
  json.Member("rows_left_out", client.rows_left_out.size());
  json.Member("state", state);
  json.Member("why", failed ? client.end.substr(kError.size()) : "").End();
  return json.Take();
}

std::string LiveClientFile(const LiveClient& client) {
  util::JsonWriter json;
  AddClient(client, json);
  json.Member("key", client.key).Member("end", client.end).Key("rows").Array();
  for (const auto& [number, row] : client.rows) {
    json.Line().Raw(LiveRowJson(row, client.client));
  }
  json.End().End().Line();
  return json.Take();
}

std::string LiveTraceJson(const LiveTrace& trace) {
  util::JsonWriter json;
  json.Object().Member("id", trace.id).Member("file", trace.file);
  json.Member("client", trace.client).Member("key", trace.key);
  json.Member("row", trace.row).Member("fetches", trace.fetches);
  json.Member("feeds", trace.feeds).Member("options", trace.options);
  json.Member("number", trace.number).Member("count", trace.count);
  json.Member("step", Known(trace.step)).Member("start_ns", trace.start_ns);
  json.Member("duration_ns", Known(trace.duration_ns));
  json.Member("asked_by", trace.asked_by).Member("kind", trace.kind);
  json.Member("bytes", trace.bytes).Member("rank", Known(trace.rank));
  json.Member("host", trace.host).Member("pid", trace.pid);
  json.Member("graph", trace.graph).Member("pinned", trace.pinned);
  json.Member("name", trace.name).End();
  return json.Take();
}

std::string LiveOrderJson(const LiveOrder& order) {
  util::JsonWriter json;
  json.Object().Member("order", order.order).Member("client", order.client);
  json.Member("row", order.row).Member("rule", order.rule);
  json.Member("count", order.count).Member("until_ns", order.until_ns);
  json.Member("every", order.every).Member("steps", order.steps);
  json.Member("slower", order.slower).Member("at", order.at);
  json.Member("limit", order.limit).Member("cool_down_ns", order.cool_down_ns);
  json.Member("state", order.state).Member("left", order.left);
  json.Member("why", order.why).End();
  return json.Take();
}

std::string LiveOrdersFile(const std::map<uint64_t, LiveOrder>& orders) {
  util::JsonWriter json;
  json.Object().Key("orders").Array();
  for (const auto& [number, order] : orders) {
    if (order.finished_at_ns == 0) json.Line().Raw(LiveOrderJson(order));
  }
  json.End().End().Line();
  return json.Take();
}

}  // namespace tfprof::server
