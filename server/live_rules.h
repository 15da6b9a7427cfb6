// The rules of live tracing: which runs an order can name, and the numbers that
// each rule takes. Orders are checked by these two tables, and `GET
// /api/live/rules` publishes them, so that pages and programs need no copy.
// g3doc/tracing.md says in words what the rules mean.

#ifndef TFPROF_SERVER_LIVE_RULES_H_
#define TFPROF_SERVER_LIVE_RULES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/live/live_model.h"

namespace tfprof::server {

// A member of an order that is a number or a list of numbers.
struct LiveField {
  enum class Kind { kInteger, kNumber, kIntegers };

  std::string_view name;
  Kind kind;
  // Its label in a form, and the suggested value; "": none.
  std::string_view label;
  std::string_view suggested;
  // The smallest and the largest value; of a list, the number of its elements.
  // With `is_above`, the value is larger than `least`.
  int64_t least;
  int64_t most;
  bool is_above = false;
  // The words of an error for a good value, if a rule needs the field.
  std::string_view expected = "";
  // The value of an order that does not give it. 0: none, or no pause.
  int64_t otherwise = 0;
};

struct LiveRule {
  std::string_view name;
  // For people: "the next runs".
  std::string_view label;
  // The field that an order with this rule must have; "": none.
  std::string_view needs;
  // Other fields that it may have; "": none.
  std::array<std::string_view, 2> takes = {};
  // It is about the runs of one kind, not about all runs of a program.
  bool of_a_row = true;
};

std::span<const LiveRule> LiveRules();
// nullptr: there is no such rule.
const LiveRule* FindLiveRule(std::string_view name);
// `name` is that of a field.
const LiveField& FindLiveField(std::string_view name);

// Whether an order has a good value of the field. An order keeps the time at
// which its seconds are over, so that of them only the presence is checked.
bool HasGoodValue(const LiveOrder& order, const LiveField& field);

// {"rules":[…],"fields":[…]}; g3doc/live.md names the members.
std::string LiveRulesJson();

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_RULES_H_
