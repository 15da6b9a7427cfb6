#include "loaders/chrome_json/kineto/replays/replay_pairs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof::kineto {
namespace {

using Pairs = std::vector<uint32_t>;

// The most streams of a graph, and the most comparisons of names for each call
// and kernel: they bound the time of hostile input.
constexpr size_t kMostStreams = 128;
constexpr int64_t kMostComparisons = 1000;

// Pairs the n-th kernel of each name with the n-th call of that name.
Pairs PairByName(std::span<const CapturedWork> calls,
                 std::span<const ReplayedKernel> kernels) {
  absl::flat_hash_map<profile::StringId, std::vector<uint32_t>> of_name;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (calls[c].kernel == profile::kNone) return {};
    of_name[calls[c].kernel].push_back(c);
  }
  absl::flat_hash_map<profile::StringId, size_t> taken;
  Pairs pairs;
  for (const ReplayedKernel& kernel : kernels) {
    const auto found = of_name.find(kernel.name);
    if (found == of_name.end()) return {};
    size_t& next = taken[kernel.name];
    if (next == found->second.size()) return {};
    pairs.push_back(found->second[next++]);
  }
  return pairs;
}

Pairs PairInOrder(std::span<const CapturedWork> calls,
                  std::span<const ReplayedKernel> kernels) {
  Pairs pairs(kernels.size());
  if (calls.size() == kernels.size()) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      if (calls[k].kernel != profile::kNone &&
          calls[k].kernel != kernels[k].name) {
        return PairByName(calls, kernels);
      }
    }
    std::iota(pairs.begin(), pairs.end(), 0);
    return pairs;
  }
  uint32_t next = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    while (next < calls.size() && calls[next].kind != kernels[k].kind) ++next;
    if (next == calls.size()) return {};
    pairs[k] = next++;
  }
  return pairs;
}

// The kernels of one stream that have no call yet.
struct Queue {
  std::vector<uint32_t> kernels;
  size_t next = 0;

  bool empty() const { return next == kernels.size(); }
};

class StreamPairing {
 public:
  StreamPairing(std::span<const CapturedWork> calls,
                std::span<const ReplayedKernel> kernels)
      : calls_(calls),
        kernels_(kernels),
        comparisons_(kMostComparisons *
                     static_cast<int64_t>(calls.size() + kernels.size())) {
    absl::flat_hash_map<uint32_t, size_t> queue_of;
    for (uint32_t k = 0; k < kernels.size(); ++k) {
      const auto [it, added] =
          queue_of.try_emplace(kernels[k].stream, queues_.size());
      if (added) queues_.emplace_back();
      queues_[it->second].kernels.push_back(k);
    }
  }

  Pairs Run() {
    if (queues_.size() > kMostStreams) return {};
    for (const CapturedWork& call : calls_) {
      if (call.kind == profile::kNone) return {};
    }
    Pairs pairs(kernels_.size());
    size_t paired = 0;
    for (size_t c = 0; c < calls_.size(); ++c) {
      Queue* const queue = QueueOf(c);
      if (comparisons_ < 0) return {};
      if (queue == nullptr) continue;
      pairs[queue->kernels[queue->next++]] = static_cast<uint32_t>(c);
      ++paired;
    }
    if (paired != kernels_.size()) return {};
    return pairs;
  }

 private:
  // Returns the queue whose first kernels match the calls from `call` on for
  // longest, the first one of several; nullptr if none matches the first call.
  Queue* QueueOf(size_t call) {
    std::vector<Queue*> able, longer;
    for (Queue& queue : queues_) {
      if (Matches(queue, call, 0)) able.push_back(&queue);
    }
    for (size_t n = 1; able.size() > 1 && comparisons_ >= 0; ++n) {
      longer.clear();
      for (Queue* const queue : able) {
        if (Matches(*queue, call, n)) longer.push_back(queue);
      }
      if (longer.empty()) break;
      std::swap(able, longer);
    }
    return able.empty() ? nullptr : able.front();
  }

  // Whether the n-th open kernel of a queue matches the n-th call after `call`.
  bool Matches(const Queue& queue, size_t call, size_t n) {
    --comparisons_;
    const size_t at = queue.next + n;
    return at < queue.kernels.size() && call + n < calls_.size() &&
           kernels_[queue.kernels[at]].kind == calls_[call + n].kind;
  }

  const std::span<const CapturedWork> calls_;
  const std::span<const ReplayedKernel> kernels_;
  std::vector<Queue> queues_;  // in the order of their first kernels
  int64_t comparisons_;        // that are left
};

}  // namespace

std::vector<uint32_t> PairReplay(std::span<const CapturedWork> calls,
                                 std::span<const ReplayedKernel> kernels) {
  const bool one_stream =
      std::all_of(kernels.begin(), kernels.end(), [&](const ReplayedKernel& k) {
        return k.stream == kernels.front().stream;
      });
  return one_stream ? PairInOrder(calls, kernels)
                    : StreamPairing(calls, kernels).Run();
}

}  // namespace tfprof::kineto
