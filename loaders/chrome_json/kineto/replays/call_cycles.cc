#include "loaders/chrome_json/kineto/replays/call_cycles.h"

namespace tfprof::kineto {
namespace {

enum class State : uint8_t { kNew, kOpen, kDone };

class Walk {
 public:
  Walk(size_t num_nodes, Calls& calls)
      : calls_(calls),
        states_(num_nodes, State::kNew),
        next_(num_nodes + 1, 0),
        closes_(calls.size(), false) {
    for (const auto& [caller, called] : calls) ++next_[caller + 1];
    for (size_t i = 0; i < num_nodes; ++i) next_[i + 1] += next_[i];
    end_.assign(next_.begin() + 1, next_.end());
  }

  void From(uint32_t node) {
    if (states_[node] != State::kNew) return;
    Open(node);
    while (!open_.empty()) {
      const uint32_t caller = open_.back();
      if (next_[caller] == end_[caller]) {
        states_[caller] = State::kDone;
        open_.pop_back();
        continue;
      }
      const size_t call = next_[caller]++;
      const uint32_t called = calls_[call].second;
      closes_[call] = states_[called] == State::kOpen;
      if (states_[called] == State::kNew) Open(called);
    }
  }

  void DropClosing() {
    size_t kept = 0;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!closes_[i]) calls_[kept++] = calls_[i];
    }
    calls_.resize(kept);
  }

 private:
  void Open(uint32_t node) {
    states_[node] = State::kOpen;
    open_.push_back(node);
  }

  Calls& calls_;
  std::vector<State> states_;
  // Indexed by caller: its next call to look at, and the end of its calls.
  std::vector<size_t> next_, end_;
  std::vector<bool> closes_;  // by call
  std::vector<uint32_t> open_;
};

}  // namespace

void DropCycles(size_t num_nodes, Calls& calls) {
  std::vector<bool> is_called(num_nodes, false);
  for (const auto& [caller, called] : calls) is_called[called] = true;
  Walk walk(num_nodes, calls);
  for (const bool called : {false, true}) {
    for (uint32_t node = 0; node < num_nodes; ++node) {
      if (is_called[node] == called) walk.From(node);
    }
  }
  walk.DropClosing();
}

}  // namespace tfprof::kineto
