#include "server/live_rules.h"

#include <algorithm>
#include <iterator>

#include "util/json/json_writer.h"

namespace tfprof::server {
namespace {

using Kind = LiveField::Kind;

constexpr int64_t kMostSeconds = 1'000'000;
constexpr int64_t kMostCount = 1'000'000'000;
constexpr int64_t kMostSteps = 1000;
// The largest number that JSON holds exactly in every language.
constexpr int64_t kMostRuns = int64_t{1} << 53;

constexpr LiveField kFields[] = {
    {"count", Kind::kInteger, "how many", "1", 1, kMostCount, false,
     "at least 1", 1},
    {"seconds", Kind::kNumber, "seconds", "10", 0, kMostSeconds, true,
     "a number above 0"},
    {"every", Kind::kInteger, "k", "100", 1, kMostCount, false, "at least 1"},
    {"steps", Kind::kIntegers, "step numbers, with commas", "", 1, kMostSteps,
     false, "a list with a step"},
    {"slower", Kind::kNumber, "x", "2", 1, 1'000'000, true, "a factor above 1"},
    {"at", Kind::kInteger, "count", "", 1, kMostRuns, false,
     "a count of at least 1, or \"next\","},
    {"limit", Kind::kInteger, "at most, traces", "20", 1, kMostCount, false,
     "at least 1", 20},
    {"cool_down_seconds", Kind::kNumber, "pause between two, seconds", "0", 0,
     kMostSeconds},
};

constexpr LiveRule kRules[] = {
    {"next", "the next runs", "count"},
    {"for", "for some time", "seconds", {"limit"}},
    {"every", "every k-th run", "every", {"limit"}},
    {"steps", "these steps", "steps"},
    {"slower",
     "after a run slower than x times the median",
     "slower",
     {"limit", "cool_down_seconds"}},
    {"at", "one count that no rank has reached", "at"},
    {"global", "all runs of all kinds", "", {"limit", "seconds"}, false},
};

double ValueOf(const LiveOrder& order, std::string_view field) {
  if (field == "count") return static_cast<double>(order.count);
  if (field == "every") return static_cast<double>(order.every);
  if (field == "steps") return static_cast<double>(order.steps.size());
  if (field == "slower") return order.slower;
  if (field == "at") return static_cast<double>(order.at);
  if (field == "limit") return static_cast<double>(order.limit);
  return order.until_ns > 0 ? 1 : 0;  // seconds
}

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return "integer";
    case Kind::kNumber:
      return "number";
    case Kind::kIntegers:
      break;
  }
  return "integers";
}

}  // namespace

std::span<const LiveRule> LiveRules() { return kRules; }

const LiveRule* FindLiveRule(std::string_view name) {
  for (const LiveRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

const LiveField& FindLiveField(std::string_view name) {
  return *std::find_if(std::begin(kFields), std::end(kFields),
                       [&](const LiveField& f) { return f.name == name; });
}

bool HasGoodValue(const LiveOrder& order, const LiveField& field) {
  const double value = ValueOf(order, field.name);
  const auto least = static_cast<double>(field.least);
  return (field.is_above ? value > least : value >= least) &&
         value <= static_cast<double>(field.most);
}

std::string LiveRulesJson() {
  util::JsonWriter json;
  json.Object().Key("rules").Array();
  for (const LiveRule& rule : kRules) {
    json.Line().Object().Member("rule", rule.name).Member("label", rule.label);
    json.Member("needs", rule.needs).Key("takes").Array();
    for (const std::string_view field : rule.takes) {
      if (!field.empty()) json.Value(field);
    }
    json.End().Member("of_a_row", rule.of_a_row).End();
  }
  json.End().Line().Key("fields").Array();
  for (const LiveField& field : kFields) {
    json.Line().Object().Member("field", field.name);
    json.Member("label", field.label).Member("kind", NameOf(field.kind));
    json.Member(field.is_above ? "above" : "least", field.least);
    json.Member("most", field.most).Member("suggested", field.suggested);
    json.Member("default", field.otherwise).End();
  }
  json.End().End().Line();
  return json.Take();
}

}  // namespace tfprof::server
