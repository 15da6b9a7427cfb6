#include "loaders/ctf/model/step_numbers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tfprof::ctf {
namespace {

// Programs count their runs from 0 or 1. A random 64-bit number is this small
// only once in 4 billion times.
bool IsCounted(int64_t number) {
  return number >= 0 && number < int64_t{1} << 32;
}

}  // namespace

void NumberSteps(TraceFacts& facts, loaders::ImportLog& log) {
  std::map<int64_t, int64_t> numbers;  // numbers that are kept
  std::map<int64_t, int64_t> begins;   // each random number's first time
  int64_t next = 0;
  for (const SessionRun& session : facts.sessions) {
    if (IsCounted(session.count)) {
      numbers.emplace(session.count, session.count);
      next = std::max(next, session.count + 1);
      continue;
    }
    const auto [it, is_new] = begins.emplace(session.count, session.begin);
    if (!is_new) it->second = std::min(it->second, session.begin);
  }
  if (begins.empty()) return;
  const int64_t first = next;
  std::vector<std::pair<int64_t, int64_t>> in_order;
  for (const auto& [number, begin] : begins) {
    in_order.emplace_back(begin, number);
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [begin, number] : in_order) numbers.emplace(number, next++);
  for (SessionRun& session : facts.sessions) {
    session.count = numbers.at(session.count);
  }
  for (std::vector<Interval>* ops : {&facts.ops, &facts.async_ops}) {
    for (Interval& op : *ops) {
      const auto it = numbers.find(op.step);
      op.step = it == numbers.end() ? -1 : it->second;
    }
  }
  log.Add(loaders::ImportLog::kNotice, "random numbers of steps",
          fmt::format("the program gave {} steps random numbers; here they are "
                      "{} to {}, in the order in which they begin",
                      begins.size(), first, next - 1));
}

}  // namespace tfprof::ctf
