#include "compare/rule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "fmt/format.h"
#include "views/regex_list.h"

namespace tfprof::compare {
namespace {

struct NamedView {
  std::string_view name;
  views::View view;
};
constexpr NamedView kViews[] = {{"op", views::View::kOp},
                                {"scope", views::View::kScope},
                                {"graph", views::View::kGraph},
                                {"code", views::View::kCode}};

constexpr std::string_view kSpan = "span_micros";
constexpr std::string_view kPeriod = "period_micros";
constexpr std::string_view kMemory = "memory_bytes";
constexpr std::string_view kCount = "count";
constexpr std::string_view kMinimum = " min ";

struct NamedUnit {
  std::string_view name;
  util::Unit unit;
  double factor;
};
constexpr NamedUnit kUnits[] = {
    {"us", util::Unit::kMicros, 1},  {"ms", util::Unit::kMicros, 1e3},
    {"s", util::Unit::kMicros, 1e6}, {"B", util::Unit::kBytes, 1},
    {"KB", util::Unit::kBytes, 1e3}, {"MB", util::Unit::kBytes, 1e6},
    {"GB", util::Unit::kBytes, 1e9},
};

template <typename Table>
std::string NamesIn(const Table& table) {
  std::string names;
  for (const auto& entry : table) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {
    rule_.text = Trimmed(text);
  }

  absl::StatusOr<CheckRule> Parse() {
    // The name may contain an operator; a number does not.
    const size_t angle = text_.find_last_of("<>");
    if (angle == text_.npos) {
      return Error(text_.size(), "an operator is missing: >, >=, < or <=");
    }
    absl::Status status = ParseLeft(text_.substr(0, angle));
    if (!status.ok()) return status;
    const bool equal = angle + 1 < text_.size() && text_[angle + 1] == '=';
    using Compare = CheckRule::Compare;
    rule_.compare = text_[angle] == '>'
                        ? equal ? Compare::kAtLeast : Compare::kMore
                    : equal ? Compare::kAtMost
                            : Compare::kLess;
    status = ParseNumber(angle + (equal ? 2 : 1));
    if (!status.ok()) return status;
    return rule_;
  }

 private:
  absl::Status Error(size_t at, std::string_view what) const {
    // The column counts characters, not bytes.
    std::string line(text_), mark;
    std::replace(line.begin(), line.end(), '\t', ' ');
    size_t column = 1;
    for (const char c : text_.substr(0, at)) {
      if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;
      mark += ' ';
      ++column;
    }
    return absl::InvalidArgumentError(
        fmt::format("column {}: {}\n  {}\n  {}^", column, what, line, mark));
  }

  size_t OffsetOf(std::string_view part) const {
    return static_cast<size_t>(part.data() - text_.data());
  }

  // Removes the aggregate from "mean total.micros" and returns the rest.
  std::string_view TakeAggregate(std::string_view left) {
    const size_t end = left.find_first_of(" \t");
    if (end == left.npos) return left;
    const auto aggregate = FindAggregate(left.substr(0, end));
    if (!aggregate) return left;
    rule_.aggregate = *aggregate;
    return Trimmed(left.substr(end));
  }

  // "op:MatMul.micros ", "total.micros".
  absl::Status ParseLeft(std::string_view left) {
    left = TakeAggregate(Trimmed(left));
    if (left.empty()) {
      return Error(OffsetOf(left),
                   "a row is missing: VIEW:NAME.FIELD, total.FIELD or "
                   "step.FIELD");
    }
    const size_t dot = left.rfind('.');
    const size_t colon = left.find(':');
    const std::string_view head =
        left.substr(0, std::min({colon, dot, left.size()}));
    const auto view =
        std::find_if(std::begin(kViews), std::end(kViews),
                     [&](const NamedView& v) { return v.name == head; });
    const bool whole =
        head == "total" || head == "step" || head == "new" || head == "steps";
    if (view == std::end(kViews) && !whole) {
      return Error(OffsetOf(left),
                   fmt::format("'{}' is none of {}, total, step, new, steps",
                               head, NamesIn(kViews)));
    }
    const size_t head_end = OffsetOf(left) + head.size();
    if (!whole && colon != head.size()) {
      return Error(head_end,
                   fmt::format("a name is missing: {}:NAME.FIELD", head));
    }
    if (dot == left.npos || dot < head.size()) {
      return Error(OffsetOf(left) + left.size(),
                   fmt::format("a field is missing: .micros or another of {}",
                               NamesIn(accounting::kStatistics)));
    }
    if (whole && dot != head.size()) {
      return Error(head_end,
                   fmt::format("{} has no names: {}.FIELD", head, head));
    }
    rule_.scope = head == "total"   ? CheckRule::Scope::kTotal
                  : head == "step"  ? CheckRule::Scope::kStep
                  : head == "new"   ? CheckRule::Scope::kNew
                  : head == "steps" ? CheckRule::Scope::kSteps
                                    : CheckRule::Scope::kView;
    if (!whole) {
      rule_.view = view->view;
      absl::Status status = SetName(left.substr(colon + 1, dot - colon - 1));
      if (!status.ok()) return status;
    }
    return SetField(left.substr(dot + 1));
  }

  absl::Status SetName(std::string_view name) {
    if (name.empty()) return Error(OffsetOf(name), "the name is empty");
    rule_.name = name;
    const std::string error = views::RegexError(rule_.name);
    if (error.empty()) return absl::OkStatus();
    return Error(OffsetOf(name),
                 fmt::format("'{}' is no regular expression: {}", name, error));
  }

  absl::Status SetField(std::string_view field) {
    if (field == kSpan || field == kPeriod || field == kMemory) {
      if (rule_.scope != CheckRule::Scope::kStep) {
        return Error(OffsetOf(field),
                     fmt::format("only a step has {0}: step.{0}", field));
      }
      rule_.field = field;
      rule_.of_step = field == kSpan     ? CheckRule::OfStep::kWall
                      : field == kPeriod ? CheckRule::OfStep::kPeriod
                                         : CheckRule::OfStep::kMemory;
      if (field == kMemory) rule_.unit = util::Unit::kBytes;
      return absl::OkStatus();
    }
    if ((rule_.scope == CheckRule::Scope::kSteps) != (field == kCount)) {
      return Error(OffsetOf(field), "only steps have a count: steps.count");
    }
    if (field == kCount) {
      rule_.field = kCount;
      rule_.unit = util::Unit::kCount;
      return absl::OkStatus();
    }
    const accounting::Statistic* statistic = accounting::FindStatistic(field);
    if (statistic == nullptr) {
      return Error(
          OffsetOf(field),
          fmt::format("'{}' is no field; there are {}, step.span_micros, "
                      "step.period_micros and step.memory_bytes",
                      field, NamesIn(accounting::kStatistics)));
    }
    rule_.field = statistic->name;
    rule_.stat = statistic->stat;
    rule_.unit = statistic->unit;
    return absl::OkStatus();
  }

  // Removes " min 1%" from the end of `rest`.
  absl::Status TakeMinimum(std::string_view& rest) {
    const size_t word = rest.find(kMinimum);
    if (word == rest.npos) return absl::OkStatus();
    if (rule_.scope != CheckRule::Scope::kView) {
      return Error(OffsetOf(rest) + word,
                   "only rows of op, scope, graph and code have a minimum");
    }
    const std::string_view share = Trimmed(rest.substr(word + kMinimum.size()));
    const char* const end = share.data() + share.size();
    double percent = 0;
    const auto [at, error] =
        std::from_chars(share.data(), end, percent, std::chars_format::fixed);
    if (share.empty() || error != std::errc() || at + 1 != end || *at != '%' ||
        !(percent >= 0 && percent <= 100)) {
      return Error(OffsetOf(rest) + word + kMinimum.size(),
                   "a share of the total is missing: min 1%");
    }
    rule_.min_share = percent / 100;
    rest = Trimmed(rest.substr(0, word));
    return absl::OkStatus();
  }

  // " +5%", " +5% min 1%".
  absl::Status ParseNumber(size_t begin) {
    while (begin < text_.size() && IsBlank(text_[begin])) ++begin;
    std::string_view rest = Trimmed(text_.substr(begin));
    absl::Status minimum = TakeMinimum(rest);
    if (!minimum.ok()) return minimum;
    const bool sign = !rest.empty() && (rest[0] == '+' || rest[0] == '-');
    const std::string_view digits = rest.substr(sign ? 1 : 0);
    double number = 0;
    const char* end = digits.data() + digits.size();
    const auto [at, error] =
        std::from_chars(digits.data(), end, number, std::chars_format::fixed);
    // from_chars also accepts "-", "inf" and "nan".
    if (digits.empty() || error != std::errc() || !std::isfinite(number) ||
        !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) {
      return Error(begin + (sign ? 1 : 0), "a number is missing: +5%, 5ms");
    }
    if (sign && rest[0] == '-') number = -number;
    std::string_view unit(at, static_cast<size_t>(end - at));
    const size_t unit_begin = static_cast<size_t>(at - text_.data());
    while (!unit.empty() && IsBlank(unit.front())) unit.remove_prefix(1);
    rule_.against =
        sign ? CheckRule::Against::kChange : CheckRule::Against::kValue;
    rule_.number = number;
    if (rule_.scope == CheckRule::Scope::kNew) {
      if (unit != "%" || sign) {
        return Error(begin, "new.FIELD is a share of the total: 5%");
      }
      rule_.unit = util::Unit::kShare;
      rule_.number = number / 100;
      return absl::OkStatus();
    }
    if (unit == "%") {
      rule_.against = CheckRule::Against::kChangeShare;
      rule_.number = number / 100;
      return absl::OkStatus();
    }
    if (unit.empty()) return absl::OkStatus();
    const auto known =
        std::find_if(std::begin(kUnits), std::end(kUnits),
                     [&](const NamedUnit& u) { return u.name == unit; });
    if (known == std::end(kUnits)) {
      return Error(unit_begin,
                   fmt::format("'{}' is no unit; there are % and {}", unit,
                               NamesIn(kUnits)));
    }
    if (known->unit != rule_.unit) {
      return Error(unit_begin,
                   fmt::format("{} is not in {}", rule_.field, unit));
    }
    rule_.number *= known->factor;
    return absl::OkStatus();
  }

  const std::string_view text_;
  CheckRule rule_;
};

}  // namespace

absl::StatusOr<CheckRule> ParseCheckRule(std::string_view text) {
  return RuleParser(text).Parse();
}

absl::StatusOr<std::vector<CheckRule>> ParseCheckRules(std::string_view text,
                                                       std::string_view path) {
  std::vector<CheckRule> rules;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view content = Trimmed(line);
    if (content.empty() || content[0] == '#') continue;
    absl::StatusOr<CheckRule> rule = ParseCheckRule(line);
    if (!rule.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: line {}, {}", path, number,
                      std::string(rule.status().message())));
    }
    rules.push_back(*std::move(rule));
  }
  return rules;
}

std::vector<CheckRule> DefaultCheckRules() {
  std::vector<CheckRule> rules;
  for (const std::string_view text :
       {"mean step.span_micros > +10%", "mean step.period_micros > +10%",
        "mean total.micros > +10%", "mean total.requested_bytes > +10%",
        "max total.peak_bytes > +10%", "max step.memory_bytes > +10%",
        "recurring step.span_micros > +20%", "new.micros > 1%",
        "steps.count < -0", "recurring op:.*.micros > +30% min 1%",
        "op:.*.accelerator_micros > +5% min 1%"}) {
    rules.push_back(*ParseCheckRule(text));
    rules.back().by_default = true;
  }
  return rules;
}

std::string_view ViewName(views::View view) {
  for (const NamedView& v : kViews) {
    if (v.view == view) return v.name;
  }
  return "";
}

}  // namespace tfprof::compare
