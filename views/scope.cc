#include "views/scope.h"

#include <algorithm>
#include <utility>

#include "profile/local_names.h"
#include "util/threads.h"
#include "views/name_order.h"

namespace tfprof {
namespace {

// Rows while the tree is built: row 0 is the root, row n + 1 is node n,
// synthetic rows follow. Rows are in no order yet.
class Builder {
 public:
  explicit Builder(const Profile& profile)
      : profile_(profile),
        first_synthetic_(static_cast<uint32_t>(profile.nodes().size()) + 1),
        names_(first_synthetic_),
        parent_(first_synthetic_),
        synthetic_(synthetic_names_) {
    names_[kRootRow] = kRootName;
    parent_[kRootRow] = kRootRow;
  }

  ScopeTree Build() {
    // Looking a scope up among the nodes' names costs most, and is for all
    // cores. Those that are no node are numbered part by part, and then all
    // together in the order of first sight, which makes rows independent of
    // the number of parts.
    struct Part {
      uint32_t begin, end;
      std::vector<HashedName> scopes;
    };
    const size_t size = names_.size();
    const size_t num_parts = NumRanges(size);
    std::vector<Part> parts(num_parts);
    ParallelFor(num_parts, [&](size_t i) {
      Part& part = parts[i];
      part.begin = static_cast<uint32_t>(1 + (size - 1) * i / num_parts);
      part.end = static_cast<uint32_t>(1 + (size - 1) * (i + 1) / num_parts);
      LocalNames scopes(part.scopes);
      FindParents(part.begin, part.end, scopes);
    });
    std::vector<uint32_t> rows;
    for (const Part& part : parts) {
      rows.clear();
      for (const HashedName& scope : part.scopes) {
        rows.push_back(first_synthetic_ + synthetic_.Number(scope));
      }
      for (uint32_t row = part.begin; row < part.end; ++row) {
        uint32_t& parent = parent_[row];
        if (parent >= first_synthetic_) {
          parent = rows[parent - first_synthetic_];
        }
      }
    }
    // The scopes of scopes; there are more while this goes on.
    for (uint32_t row = first_synthetic_;
         row - first_synthetic_ < synthetic_names_.size(); ++row) {
      const std::string_view name =
          synthetic_names_[row - first_synthetic_].text;
      names_.push_back(name);
      parent_.push_back(ParentOf(name, synthetic_));
    }
    return Number();
  }

 private:
  // The row of the scope that `name` is in: a node's, or a synthetic one, as
  // `scopes` numbers them.
  uint32_t ParentOf(std::string_view name, LocalNames& scopes) const {
    const size_t slash = name.rfind('/');
    if (slash == name.npos) return kRootRow;
    const std::string_view scope = name.substr(0, slash);
    const HashedName hashed = {scope, StringPool::Hash(scope)};
    const NodeId node =
        profile_.nodes().Find(profile_.strings().Find(scope, hashed.hash));
    return node != kNone ? node + 1 : first_synthetic_ + scopes.Number(hashed);
  }

  // Of the nodes with the rows begin … end - 1.
  void FindParents(uint32_t begin, uint32_t end, LocalNames& scopes) {
    // Nodes of a scope mostly come one after the other: remember the last.
    std::string_view last_scope;
    uint32_t last_row = kNone;
    for (uint32_t row = begin; row < end; ++row) {
      const std::string_view name = profile_.node_name(row - 1);
      names_[row] = name;
      const size_t size = last_scope.size();
      const bool same = last_row != kNone && name.size() > size &&
                        name[size] == '/' &&
                        name.find('/', size + 1) == name.npos &&
                        name.substr(0, size) == last_scope;
      if (!same) {
        const uint32_t parent = ParentOf(name, scopes);
        parent_[row] = parent;
        if (parent == kRootRow) continue;
        last_scope = name.substr(0, name.rfind('/'));
        last_row = parent;
      }
      parent_[row] = last_row;
    }
  }

  // The rows in pre-order, siblings by name.
  ScopeTree Number() const {
    const size_t size = names_.size();
    std::vector<uint32_t> begin(size + 1, 0);
    for (size_t row = 1; row < size; ++row) ++begin[parent_[row] + 1];
    for (size_t row = 0; row < size; ++row) begin[row + 1] += begin[row];
    std::vector<NamedId> children(size - 1);
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (uint32_t row = 1; row < size; ++row) {
      // Siblings differ behind their scope's name and slash.
      const uint32_t parent = parent_[row];
      const size_t from = parent == kRootRow ? 0 : names_[parent].size() + 1;
      children[next[parent]++] = {names_[row].substr(from), row};
    }
    ParallelRanges(size, [&](size_t first, size_t last) {
      for (size_t row = first; row < last; ++row) {
        if (begin[row + 1] - begin[row] < 2) continue;
        SortByName(
            {children.data() + begin[row], children.data() + begin[row + 1]});
      }
    });
    ScopeTree tree;
    tree.names.reserve(size);
    tree.node.reserve(size);
    tree.parent.reserve(size);
    std::vector<std::pair<uint32_t, uint32_t>> todo = {{kRootRow, kRootRow}};
    while (!todo.empty()) {
      const auto [row, parent] = todo.back();
      todo.pop_back();
      const auto number = static_cast<uint32_t>(tree.names.size());
      tree.names.push_back(names_[row]);
      tree.node.push_back(row == kRootRow || row >= first_synthetic_ ? kNone
                                                                     : row - 1);
      tree.parent.push_back(parent);
      for (uint32_t i = begin[row + 1]; i > begin[row]; --i) {
        todo.push_back({children[i - 1].id, number});
      }
    }
    return tree;
  }

  const Profile& profile_;
  const uint32_t first_synthetic_;
  std::vector<std::string_view> names_;
  std::vector<uint32_t> parent_;
  // Scopes that are no node. The names stay where they are, in the profile: a
  // name of 100,000 scopes has as many prefixes.
  std::vector<HashedName> synthetic_names_;
  LocalNames synthetic_;
};

}  // namespace

ScopeTree BuildScopeTree(const Profile& profile) {
  return Builder(profile).Build();
}

namespace {

// What a row gets from rows of another range.
struct Spill {
  uint32_t row = 0;
  Stats total = {};
  int64_t definitions = 0;
};

// `spills` are of ancestors of one row, the lowest last: one walk to the root.
void AddSpills(const std::vector<Spill>& spills, const ScopeTree& tree,
               std::vector<uint8_t>& kept, AccountedTree& t) {
  if (spills.empty()) return;
  Stats total = {};
  int64_t definitions = 0;
  auto next = spills.rbegin();
  for (uint32_t row = next->row;; row = tree.parent[row]) {
    if (next != spills.rend() && next->row == row) {
      AddStats(total, next->total);
      definitions += next->definitions;
      ++next;
    }
    if (!kept[row] && row != kRootRow) {
      AddStats(total, t.self(row));
      ++definitions;
    }
    kept[row] = 1;
    AddStats(t.total[row], total);
    t.definitions[row] += definitions;
    if (row == kRootRow) return;
  }
}

}  // namespace

std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    FlopsSource flops, const RegexPatterns& account_types) {
  const NodeTable& nodes = context.profile().nodes();
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

  // Rows are in pre-order, so the parents that rows of a range have outside of
  // it are ancestors of its first row. What goes to them is collected, and
  // added when all ranges are done.
  const size_t num_parts = NumRanges(size);
  std::vector<std::vector<Spill>> spills(num_parts);
  ParallelFor(num_parts, [&](size_t i) {
    const auto begin = static_cast<uint32_t>(size * i / num_parts);
    const auto end = static_cast<uint32_t>(size * (i + 1) / num_parts);
    std::fill(t.total.begin() + begin, t.total.begin() + end, Stats{});
    // Children have higher numbers than their parent: backwards is post-order.
    for (uint32_t row = end; row-- > begin && row != kRootRow;) {
      const NodeId node = tree.node[row];
      t.accounted[row] =
          node == kNone ? accounts_scopes : accounted[nodes.types[node]] > 0;
      if (!t.accounted[row] && !kept[row]) continue;
      kept[row] = 1;
      // Also of a row that is not accounted: the reference does.
      AddStats(t.total[row], t.self(row));
      ++t.definitions[row];
      const uint32_t parent = tree.parent[row];
      if (parent >= begin) {
        kept[parent] = 1;
        AddStats(t.total[parent], t.total[row]);
        t.definitions[parent] += t.definitions[row];
      } else {
        if (spills[i].empty() || spills[i].back().row != parent) {
          spills[i].push_back({parent});
        }
        AddStats(spills[i].back().total, t.total[row]);
        spills[i].back().definitions += t.definitions[row];
      }
    }
  });
  for (const std::vector<Spill>& of_part : spills) {
    AddSpills(of_part, tree, kept, t);
  }
  LinkChildren(tree.parent, kept, t);
  FindNegative(t);
  return result;
}

}  // namespace tfprof
