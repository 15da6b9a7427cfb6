#include "loaders/chrome_json/kineto/host/host_tree.h"

#include <algorithm>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/nodes/nesting.h"
#include "util/arithmetic.h"

namespace tfprof::kineto {
namespace {

// Merges operators into their parents of the same name.
void MergeSameNames(const KinetoEvents& events, HostTree& tree) {
  std::vector<uint32_t> children(events.host.size(), 0);
  for (const uint32_t parent : tree.parent) {
    if (parent != profile::kNone) ++children[parent];
  }
  // Parents come first, so the parent of a parent is final here.
  for (const uint32_t e : tree.order) {
    uint32_t parent = tree.parent[e];
    if (parent == profile::kNone) continue;
    if (tree.merged[parent]) parent = tree.parent[e] = tree.parent[parent];
    if (events.host[e].name != events.host[parent].name ||
        children[parent] != 1) {
      continue;
    }
    tree.merged[e] = true;
    children[parent] = children[e];
    tree.self[parent] = util::SaturatingAdd(tree.self[parent], tree.self[e]);
    tree.self[e] = 0;
  }
}

// Puts the calls of a thread that were joined (events.h) into the operations
// `own` of the thread, which are by start. Only the start of a call counts: an
// operation may end before the last call that it made, by the clock of the
// other recording. Returns all of them by start, parents before their children.
std::vector<uint32_t> WithJoinedCalls(const KinetoEvents& events,
                                      std::span<const uint32_t> own,
                                      std::span<const uint32_t> calls,
                                      HostTree& tree) {
  const JoinedWork& joined = *events.joined;
  // For each of `own`: the innermost event at or around it that both recordings
  // have, and the innermost at or around it that is in no such event.
  struct Around {
    uint32_t in_both = profile::kNone, outer = profile::kNone;
  };
  absl::flat_hash_map<uint32_t, Around> around_own;
  const auto around_of = [&](uint32_t e) {
    return e == profile::kNone ? Around() : around_own[e];
  };
  std::vector<loaders::Span> spans;
  for (const uint32_t e : calls) {
    spans.push_back({events.host[e].start, events.host[e].duration});
  }
  const loaders::Nesting nesting = loaders::Nest(spans);
  std::vector<uint32_t> sorted, open;
  auto next = own.begin();
  for (const uint32_t i : nesting.order) {
    const uint32_t e = calls[i];
    const HostEvent& call = events.host[e];
    for (; next != own.end() && events.host[*next].start <= call.start;
         ++next) {
      Around around = around_of(tree.parent[*next]);
      if (joined.in_both[*next]) {
        around.in_both = *next;
      } else if (around.in_both == profile::kNone) {
        around.outer = *next;
      }
      around_own[*next] = around;
      while (!open.empty() &&
             events.host[open.back()].end() <= events.host[*next].start) {
        open.pop_back();
      }
      open.push_back(*next);
      sorted.push_back(*next);
    }
    sorted.push_back(e);
    tree.self[e] = nesting.self[i];
    if (nesting.parent[i] != profile::kNone) {
      tree.parent[e] = calls[nesting.parent[i]];
      continue;
    }
    while (!open.empty() && events.host[open.back()].end() <= call.start) {
      open.pop_back();
    }
    uint32_t parent = open.empty() ? profile::kNone : open.back();
    const uint32_t around = joined.around[e - joined.in_both.size()];
    const Around is = around_of(parent);
    if (around == profile::kNone || events.host[around].thread != call.thread) {
      parent = is.outer;
    } else if (is.in_both != around) {
      parent = around;
    }
    if (parent == profile::kNone) continue;
    tree.parent[e] = parent;
    const int64_t inside = std::clamp<int64_t>(
        events.host[parent].end() - call.start, 0, call.duration);
    tree.self[parent] = std::max<int64_t>(0, tree.self[parent] - inside);
  }
  sorted.insert(sorted.end(), next, own.end());
  return sorted;
}

}  // namespace

HostTree BuildHostTree(const KinetoEvents& events) {
  const size_t size = events.host.size();
  HostTree tree;
  tree.parent.assign(size, profile::kNone);
  tree.self.resize(size);
  tree.merged.resize(size);
  tree.order.resize(size);
  tree.begin.assign(events.threads.size() + 1, 0);
  for (const HostEvent& event : events.host) ++tree.begin[event.thread + 1];
  for (size_t t = 0; t < events.threads.size(); ++t) {
    tree.begin[t + 1] += tree.begin[t];
  }
  std::vector<uint32_t> next(tree.begin.begin(), tree.begin.end() - 1);
  for (uint32_t e = 0; e < size; ++e) {
    tree.order[next[events.host[e].thread]++] = e;
  }
  const size_t first_call =
      events.joined ? events.joined->in_both.size() : size;
  std::vector<uint32_t> members, calls;
  std::vector<loaders::Span> spans;
  for (size_t t = 0; t < events.threads.size(); ++t) {
    uint32_t* const first = tree.order.data() + tree.begin[t];
    members.assign(first, tree.order.data() + tree.begin[t + 1]);
    calls.clear();
    std::erase_if(members, [&](uint32_t e) {
      if (e >= first_call) calls.push_back(e);
      return e >= first_call;
    });
    // Asynchronous events come last in each thread.
    std::stable_partition(members.begin(), members.end(),
                          [&](uint32_t e) { return !events.host[e].async; });
    spans.clear();
    for (const uint32_t e : members) {
      const HostEvent& event = events.host[e];
      tree.self[e] = event.duration;
      if (!event.async) spans.push_back({event.start, event.duration});
    }
    const loaders::Nesting nesting = loaders::Nest(spans);
    for (size_t i = 0; i < spans.size(); ++i) {
      const uint32_t e = members[i];
      tree.self[e] = nesting.self[i];
      if (nesting.parent[i] != profile::kNone) {
        tree.parent[e] = members[nesting.parent[i]];
      }
      first[i] = members[nesting.order[i]];
    }
    if (!calls.empty()) {
      std::ranges::copy(
          WithJoinedCalls(events, {first, spans.size()}, calls, tree), first);
    }
    std::copy(members.begin() + static_cast<ptrdiff_t>(spans.size()),
              members.end(), first + spans.size() + calls.size());
  }
  MergeSameNames(events, tree);
  return tree;
}

size_t FirstAfter(const KinetoEvents& events, std::span<const uint32_t> order,
                  int64_t time) {
  const auto after =
      std::partition_point(order.begin(), order.end(), [&](uint32_t e) {
        return !events.host[e].async && events.host[e].start <= time;
      });
  return static_cast<size_t>(after - order.begin());
}

std::vector<HostMemory> AttributeMemory(const KinetoEvents& events,
                                        const HostTree& tree,
                                        int64_t& outside) {
  std::vector<const KinetoMemory*> sorted;
  sorted.reserve(events.memory.size());
  for (const KinetoMemory& memory : events.memory) sorted.push_back(&memory);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const KinetoMemory* a, const KinetoMemory* b) {
                     return std::pair(a->thread, a->time) <
                            std::pair(b->thread, b->time);
                   });
  struct Change {
    uint32_t host;
    int64_t bytes;
  };
  std::vector<Change> changes;
  if (sorted.empty()) return {};
  loaders::Ancestors ancestors(tree.parent);
  for (const KinetoMemory* memory : sorted) {
    const std::span<const uint32_t> order = tree.OfThread(memory->thread);
    const size_t after = FirstAfter(events, order, memory->time);
    const uint32_t open = ancestors.First(
        after == 0 ? profile::kNone : order[after - 1], [&](uint32_t e) {
          return events.host[e].end() < memory->time || tree.merged[e] ||
                 events.host[e].category == KinetoCategory::kLaunch;
        });
    if (open == profile::kNone) {
      ++outside;
    } else {
      changes.push_back({open, memory->bytes});
    }
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const Change& a, const Change& b) { return a.host < b.host; });
  std::vector<HostMemory> result;
  int64_t in_use = 0;
  for (const Change& change : changes) {
    if (result.empty() || result.back().host != change.host) {
      result.push_back({.host = change.host});
      in_use = 0;
    }
    HostMemory& memory = result.back();
    in_use = util::SaturatingAdd(in_use, change.bytes);
    memory.requested = util::SaturatingAdd(memory.requested,
                                           std::max<int64_t>(0, change.bytes));
    memory.peak = std::max(memory.peak, in_use);
    memory.residual = std::max<int64_t>(0, in_use);
  }
  return result;
}

}  // namespace tfprof::kineto
