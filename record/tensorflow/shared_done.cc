#include "record/tensorflow/shared_done.h"

#include <atomic>

#include "record/plugins/kept_texts.h"

namespace tfprof::record {
namespace {

// The state of both callbacks, shared by all copies of the combined callback.
struct State {
  std::atomic<uint32_t> owners;  // and kTaken; 0: free
  std::atomic<bool> was_called;
  StdFunction done;
  void (*before)(const DoneArguments&);
  DoneArguments arguments;
};

constexpr uint32_t kTaken = 1u << 31;
constexpr size_t kNumStates = 8192;
constexpr size_t kMaxProbes = 64;
constinit std::atomic<State*> states = nullptr;
constinit std::atomic<size_t> next_state = 0;

State* TakeState() {
  State* all = states.load(std::memory_order_acquire);
  if (all == nullptr) {
    auto* const made =
        static_cast<State*>(KeepBytes(kNumStates * sizeof(State)));
    if (made == nullptr) return nullptr;
    if (states.compare_exchange_strong(all, made)) all = made;
  }
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    State& state =
        all[next_state.fetch_add(1, std::memory_order_relaxed) % kNumStates];
    uint32_t owners = 0;
    if (state.owners.compare_exchange_strong(owners, kTaken | 1)) {
      return &state;
    }
  }
  return nullptr;
}

void Drop(State& state) {
  if (state.owners.fetch_sub(1, std::memory_order_acq_rel) != (kTaken | 1)) {
    return;
  }
  state.done.Destroy();
  state.owners.store(0, std::memory_order_release);
}

State& StateOf(const Word* functor) {
  return *reinterpret_cast<State*>(functor[0]);
}

bool Manage(Word* to, const Word* from, StdFunction::Operation operation) {
  switch (operation) {
    case StdFunction::kTypeInfo:
      to[0] = 0;
      break;
    case StdFunction::kAddress:
      to[0] = reinterpret_cast<Word>(from);
      break;
    case StdFunction::kClone:
      to[0] = from[0];
      StateOf(from).owners.fetch_add(1, std::memory_order_relaxed);
      break;
    case StdFunction::kDestroy:
      Drop(StateOf(to));
      break;
  }
  return false;
}

void Invoke(const Word* functor, Word argument) {
  State& state = StateOf(functor);
  // The callback may destroy itself while it runs.
  state.owners.fetch_add(1, std::memory_order_relaxed);
  if (!state.was_called.exchange(true)) state.before(state.arguments);
  state.done.Invoke(argument);
  Drop(state);
}

}  // namespace

bool CallBefore(StdFunction& done, void (*before)(const DoneArguments&),
                const DoneArguments& arguments) {
  if (done.manager == nullptr) return false;
  State* const state = TakeState();
  if (state == nullptr) return false;
  state->was_called.store(false, std::memory_order_relaxed);
  state->done = done.Take();
  state->before = before;
  state->arguments = arguments;
  done = {{reinterpret_cast<Word>(state), 0}, Manage, Invoke};
  return true;
}

}  // namespace tfprof::record
