#include "views/scope.h"

#include <algorithm>
#include <utility>

#include "util/run/threads.h"

namespace tfprof::views {
namespace {

// Sums for a row from the rows of another range.
struct Spill {
  uint32_t row = 0;
  accounting::Stats total = {};
  int64_t definitions = 0;
};

// Returns a negative number if one of `stats` or `sign` is negative.
int64_t SignWith(const accounting::Stats& stats, int64_t sign) {
  for (const int64_t v : stats) sign |= v;
  return sign;
}

// Adds all `spills` in one walk to the root: their rows are ancestors of one
// row, in descending order. Returns a negative number if a changed row has a
// negative value.
int64_t AddSpills(const std::vector<Spill>& spills, const ScopeTree& tree,
                  std::vector<uint8_t>& kept, AccountedTree& t) {
  if (spills.empty()) return 0;
  int64_t sign = 0;
  accounting::Stats total = {};
  int64_t definitions = 0;
  auto next = spills.rbegin();
  for (uint32_t row = next->row;; row = tree.parent[row]) {
    if (next != spills.rend() && next->row == row) {
      accounting::AddStats(total, next->total);
      definitions += next->definitions;
      ++next;
    }
    if (!kept[row] && row != kRootRow) {
      accounting::AddStats(total, t.self(row));
      ++definitions;
    }
    kept[row] = 1;
    accounting::AddStats(t.total[row], total);
    t.definitions[row] += definitions;
    sign = SignWith(t.total[row], SignWith(t.self(row), sign));
    if (row == kRootRow) return sign;
  }
}

}  // namespace

std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types) {
  const profile::NodeTable& nodes = context.profile().nodes();
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const bool accounts_scopes =
      CountMatches(account_types, kScopeParentType) > 0;
  const size_t size = tree.names.size();

  auto result = std::make_shared<AccountedTree>();
  AccountedTree& t = *result;
  t.names = &tree.names;
  t.self_table = context.NodeStats(step, flops);
  t.self_index = tree.node;
  t.total.resize(size);
  t.definitions.assign(size, 0);
  t.accounted.assign(size, 0);
  std::vector<uint8_t> kept(size, 0);

  // Rows are in pre-order, so if a parent is outside of a range, it is an
  // ancestor of the range's first row. Sums for such parents are collected and
  // added when all ranges are done.
  const size_t num_parts = util::NumRanges(context.work(), size);
  std::vector<std::vector<Spill>> spills(num_parts);
  std::vector<int64_t> signs(num_parts, 0);
  util::ParallelFor(context.work(), num_parts, [&](size_t i) {
    const auto begin = static_cast<uint32_t>(size * i / num_parts);
    const auto end = static_cast<uint32_t>(size * (i + 1) / num_parts);
    std::fill(t.total.begin() + begin, t.total.begin() + end,
              accounting::Stats{});
    int64_t sign = 0;
    // Children have larger numbers than their parent, so reverse order is
    // post-order.
    for (uint32_t next = end; next > std::max(begin, kRootRow + 1); --next) {
      const uint32_t row = next - 1;
      const profile::NodeId node = tree.node[row];
      t.accounted[row] = node == profile::kNone
                             ? accounts_scopes
                             : accounted[nodes.types[node]] > 0;
      if (!t.accounted[row] && !kept[row]) continue;
      kept[row] = 1;
      // Rows that are not accounted but kept count too, as in the reference.
      const accounting::Stats& self = t.self(row);
      accounting::AddStats(t.total[row], self);
      sign = SignWith(t.total[row], SignWith(self, sign));
      ++t.definitions[row];
      const uint32_t parent = tree.parent[row];
      if (parent >= begin) {
        kept[parent] = 1;
        accounting::AddStats(t.total[parent], t.total[row]);
        t.definitions[parent] += t.definitions[row];
      } else {
        if (spills[i].empty() || spills[i].back().row != parent) {
          spills[i].push_back({parent});
        }
        accounting::AddStats(spills[i].back().total, t.total[row]);
        spills[i].back().definitions += t.definitions[row];
      }
    }
    signs[i] = sign;
  });
  // Rows that are not kept are not shown, so ignore their signs.
  int64_t sign = 0;
  for (size_t i = 0; i < num_parts; ++i) {
    sign |= signs[i] | AddSpills(spills[i], tree, kept, t);
  }
  t.nonnegative = SignWith(t.total[kRootRow], sign) >= 0;
  LinkChildren(tree.parent, kept, t);
  return result;
}

}  // namespace tfprof::views
