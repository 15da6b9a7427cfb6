#include "loaders/chrome_json/kineto/host/host_tree.h"

#include <algorithm>

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
  std::vector<uint32_t> members;
  std::vector<loaders::Span> spans;
  for (size_t t = 0; t < events.threads.size(); ++t) {
    uint32_t* const first = tree.order.data() + tree.begin[t];
    members.assign(first, tree.order.data() + tree.begin[t + 1]);
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
    std::copy(members.begin() + static_cast<ptrdiff_t>(spans.size()),
              members.end(), first + spans.size());
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
