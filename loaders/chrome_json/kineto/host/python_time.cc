#include "loaders/chrome_json/kineto/host/python_time.h"

#include <algorithm>
#include <limits>
#include <span>

#include "loaders/chrome_json/kineto/host/open_python_calls.h"

namespace tfprof::kineto {
namespace {

// The shortest calls that are kept.
constexpr int64_t kShortest = 20'000;

// Follows the calls and the host events of one thread in the order of time.
class ThreadTime {
 public:
  ThreadTime(const KinetoEvents& events, HostTree& tree,
             std::vector<PythonCall>& calls)
      : events_(events), tree_(tree), calls_(calls) {}

  // `calls` are those of the thread: indexes in the list of calls.
  void Follow(uint32_t thread, size_t begin, size_t end) {
    const std::span<const uint32_t> order = tree_.OfThread(thread);
    size_t next = begin;
    for (const uint32_t e : order) {
      const HostEvent& host = events_.host[e];
      if (host.async) continue;
      while (next < end &&
             events_.python[calls_[next].event].start <= host.start) {
        OpenCall(next++);
      }
      Advance(host.start);
      open_.push_back({.end = host.end(), .host = e});
      hosts_.push_back(e);
    }
    while (next < end) OpenCall(next++);
    Advance(std::numeric_limits<int64_t>::max());
    open_.clear();
    hosts_.clear();
  }

 private:
  struct Open {
    int64_t end = 0;
    uint32_t host = profile::kNone;
    size_t call = 0;  // if it is no host event
  };

  void OpenCall(size_t call) {
    const PythonEvent& event = events_.python[calls_[call].event];
    Advance(event.start);
    calls_[call].parent = Host();
    calls_[call].counts = true;
    open_.push_back({.end = event.end, .call = call});
  }

  // The innermost host event that is open, or kNone.
  uint32_t Host() {
    while (!hosts_.empty() && events_.host[hosts_.back()].end() <= now_) {
      hosts_.pop_back();
    }
    return hosts_.empty() ? profile::kNone : hosts_.back();
  }

  // Gives the time until then to what was opened last and is still open. Ranges
  // may begin in one call and end in another, so an end may be below the top.
  void Advance(int64_t until) {
    while (now_ < until) {
      while (!open_.empty() && open_.back().end <= now_) open_.pop_back();
      if (open_.empty()) break;
      const Open top = open_.back();
      int64_t end = std::min(top.end, until);
      if (top.host == profile::kNone) {
        const uint32_t host = Host();
        if (host != profile::kNone) {
          end = std::min(end, events_.host[host].end());
        }
        Take(top.call, host, end - now_);
      }
      now_ = end;
    }
    now_ = std::max(now_, until);
  }

  // The time of a call inside an operator is that of the operator.
  void Take(size_t call, uint32_t host, int64_t time) {
    if (host != profile::kNone) {
      if (!events_.host[host].is_range) return;
      tree_.self[host] = std::max<int64_t>(0, tree_.self[host] - time);
    }
    calls_[call].self += time;
  }

  const KinetoEvents& events_;
  HostTree& tree_;
  std::vector<PythonCall>& calls_;
  int64_t now_ = std::numeric_limits<int64_t>::min();
  std::vector<Open> open_;
  std::vector<uint32_t> hosts_;  // the host events in `open_`, and ended ones
};

}  // namespace

std::vector<uint32_t> OrderOfCalls(const KinetoEvents& events) {
  std::vector<uint32_t> order(events.python.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto before = [&](uint32_t a, uint32_t b) {
    const PythonEvent& x = events.python[a];
    const PythonEvent& y = events.python[b];
    if (x.thread != y.thread) return x.thread < y.thread;
    if (x.start != y.start) return x.start < y.start;
    return x.end != y.end ? x.end > y.end : a < b;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
  }
  return order;
}

std::vector<PythonCall> FindPythonTime(const KinetoEvents& events,
                                       std::span<const uint32_t> order,
                                       const PythonNames& names,
                                       ScopeMaker& scopes, HostTree& tree) {
  std::vector<PythonCall> calls;
  OpenCalls open(names, scopes);
  for (size_t i = 0; i < order.size();) {
    const uint32_t thread = events.python[order[i]].thread;
    const size_t begin = calls.size();
    open.Clear();
    for (; i < order.size() && events.python[order[i]].thread == thread; ++i) {
      const PythonEvent& event = events.python[order[i]];
      open.Open(event);
      if (event.end - event.start < kShortest ||
          names[event.name].file == profile::kNone) {
        continue;
      }
      const size_t call = open.Innermost(event.start, event.end);
      calls.push_back({.event = order[i],
                       .stack = open.StackOf(call),
                       .module = open.ModuleOf(call)});
    }
    if (tree.OfThread(thread).empty()) continue;
    ThreadTime(events, tree, calls).Follow(thread, begin, calls.size());
  }
  return calls;
}

}  // namespace tfprof::kineto
