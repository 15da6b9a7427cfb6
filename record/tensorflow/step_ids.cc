#include "record/tensorflow/step_ids.h"

#include <atomic>
#include <bit>
#include <cstring>

#include "record/sink.h"

namespace tfprof::record {
namespace {

// An OpKernelContext is larger than this: it has a status, an allocator of
// outputs, the parameters, and outputs. Only its first words are searched.
constexpr int kWords = 8;
constexpr uint32_t kAllWords = (1u << kWords) - 1;
constexpr int kMinContexts = 2;

constinit std::atomic<uint32_t> possible_words = kAllWords;
constinit std::atomic<int> num_contexts = 0;
constinit std::atomic<int> word_of_params = -1;

constinit std::atomic<int64_t> expected_step = kNoStep;
constinit std::atomic<bool> is_confirmed = false;

// Step ids of functions are random, but those of sessions are small numbers,
// which a word may hold by chance. Two different small ids must therefore
// agree.
constexpr int64_t kMaxSmallStep = int64_t{1} << 32;
constinit std::atomic<int64_t> small_step = kNoStep;

bool IsConfirmedBy(int64_t step) {
  if (step < -kMaxSmallStep || step > kMaxSmallStep) return true;
  const int64_t before = small_step.exchange(step, std::memory_order_relaxed);
  return before != kNoStep && before != step;
}

}  // namespace

void LearnContext(const void* context, const void* params) {
  if (word_of_params.load(std::memory_order_relaxed) >= 0) [[likely]] {
    return;
  }
  uint32_t equal = 0;
  for (int i = 0; i < kWords; ++i) {
    Word word;
    memcpy(&word, static_cast<const char*>(context) + i * sizeof(Word),
           sizeof(word));
    if (word == reinterpret_cast<Word>(params)) equal |= 1u << i;
  }
  const uint32_t possible =
      possible_words.fetch_and(equal, std::memory_order_relaxed) & equal;
  const int seen = num_contexts.fetch_add(1, std::memory_order_relaxed) + 1;
  if (seen >= kMinContexts && std::has_single_bit(possible)) {
    word_of_params.store(std::countr_zero(possible), std::memory_order_relaxed);
  }
}

void ExpectStep(int64_t step) {
  if (!is_confirmed.load(std::memory_order_relaxed)) {
    expected_step.store(step, std::memory_order_relaxed);
  }
}

int64_t StepOf(const void* context) {
  const int word = word_of_params.load(std::memory_order_relaxed);
  if (word < 0) return kNoStep;
  const char* params;
  memcpy(&params,
         static_cast<const char*>(context) +
             static_cast<size_t>(word) * sizeof(Word),
         sizeof(params));
  int64_t step;
  memcpy(&step, params, sizeof(step));
  if (!is_confirmed.load(std::memory_order_relaxed)) [[unlikely]] {
    const int64_t expected = expected_step.load(std::memory_order_relaxed);
    if (expected == kNoStep || step != expected) return kNoStep;
    if (!IsConfirmedBy(step)) return kNoStep;
    is_confirmed.store(true, std::memory_order_relaxed);
  }
  return step;
}

bool AreStepIdsKnown() { return is_confirmed.load(std::memory_order_relaxed); }

}  // namespace tfprof::record
