#include "views/code.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "accounting/gradients.h"
#include "fmt/format.h"
#include "views/library_file.h"
#include "views/regex_list.h"

namespace tfprof::views {
namespace {

constexpr std::string_view kGradientSuffix = " (gradient)";
// Longer function names are cut and end with "...".
constexpr size_t kMaxFunction = 20;

class Builder {
 public:
  Builder(ViewContext& context, bool fold_libraries)
      : context_(context),
        profile_(context.profile()),
        fold_libraries_(fold_libraries) {
    tree_.names = {kRootName};
    tree_.parent = {kRootRow};
    tree_.frame = {profile::kNone};
    tree_.gradient = {0};
  }

  CodeTree Build() {
    const profile::NodeTable& nodes = profile_.nodes();
    // Sorted by the forward node's name, which gives the order of creation.
    std::map<std::pair<std::string_view, profile::NodeId>,
             std::vector<profile::NodeId>>
        gradients;
    const bool all_nodes = profile_.graph().self_times;
    for (const profile::NodeId n : context_.NodesByName()) {
      if (nodes.stack[n] == profile::kNoStack && !all_nodes) continue;
      Forward forward = ForwardOf(n);
      if (all_nodes && (forward.node == profile::kNone ||
                        nodes.stack[forward.node] == profile::kNoStack)) {
        forward = {};
      }
      if (forward.is_gradient()) {
        gradients[{forward.name, forward.node}].push_back(n);
      } else if (nodes.stack[n] == profile::kNoStack) {
        Attach(n, NoStackRow());
      } else {
        Attach(n, RowOf(nodes.stack[n], /*gradient=*/false));
      }
    }
    for (const auto& [forward, group] : gradients) {
      const profile::NodeId node = forward.second;
      if (node == profile::kNone || nodes.stack[node] == profile::kNoStack) {
        ++tree_.lost_gradients;
        continue;
      }
      const uint32_t row = RowOf(nodes.stack[node], /*gradient=*/true);
      for (const profile::NodeId n : group) Attach(n, row);
    }
    LinkNodes();
    return std::move(tree_);
  }

 private:
  // The operation whose gradient a node computes.
  struct Forward {
    std::string_view name;                  // empty: the node is not a gradient
    profile::NodeId node = profile::kNone;  // kNone: it is not in the profile
    bool is_gradient() const { return node != profile::kNone || !name.empty(); }
  };

  // Uses NodeTable::forward_of if the profile has it, else the node's name.
  Forward ForwardOf(profile::NodeId n) const {
    const profile::NodeTable& nodes = profile_.nodes();
    if (!nodes.forward_of.empty()) {
      const profile::NodeId forward = nodes.forward_of[n];
      if (forward == profile::kNone) return {};
      return {profile_.node_name(forward), forward};
    }
    const profile::StringPool& strings = profile_.strings();
    const std::string_view name =
        accounting::ForwardName(strings.Get(nodes.name[n]));
    if (name.empty()) return {};
    // In the reference, a gradient of a gradient has no forward node.
    if (!accounting::ForwardName(name).empty()) return {name, profile::kNone};
    return {name, nodes.Find(nodes.ModuleOf(n), strings.Find(name))};
  }

  // Returns the row of a stack. Adds it and the rows of its callers if they are
  // missing.
  uint32_t RowOf(profile::StackId stack, bool gradient) {
    std::vector<uint32_t>& rows = row_of_stack_[gradient];
    const profile::CallStacks& stacks = profile_.graph().stacks;
    if (rows.empty()) {
      rows.assign(stacks.size(), profile::kNone);
      rows[profile::kNoStack] = kRootRow;
    }
    // Go up to the first caller that has a row, then down again.
    std::vector<profile::StackId> missing;
    for (; rows[stack] == profile::kNone; stack = stacks[stack].parent) {
      missing.push_back(stack);
    }
    uint32_t row = rows[stack];
    for (; !missing.empty(); missing.pop_back()) {
      const profile::FrameId frame = stacks[missing.back()].frame;
      if (IsFolded(row, frame)) {
        ++tree_.folded;
      } else {
        row = Child(row, frame, gradient);
      }
      rows[missing.back()] = row;
    }
    return row;
  }

  bool IsOfLibrary(profile::FrameId frame) const {
    return IsLibraryFile(
        FrameString(profile_, profile_.graph().stacks.frame(frame).file));
  }

  // Returns true if `frame`, called by the row `caller`, gets no row of its
  // own. A library frame has a row only if no program frame is above it.
  bool IsFolded(uint32_t caller, profile::FrameId frame) const {
    return fold_libraries_ && tree_.frame[caller] != profile::kNone &&
           IsOfLibrary(frame) && !IsOfLibrary(tree_.frame[caller]);
  }

  uint32_t Child(uint32_t parent, profile::FrameId frame, bool gradient) {
    std::string name =
        CodeRowName(profile_, profile_.graph().stacks.frame(frame));
    if (gradient) name += kGradientSuffix;
    const profile::StringId id = tree_.name_pool.Intern(name);
    const auto [it, is_new] = children_.try_emplace(
        {parent, id}, static_cast<uint32_t>(tree_.names.size()));
    if (is_new) {
      tree_.names.push_back(tree_.name_pool.Get(id));
      tree_.parent.push_back(parent);
      tree_.frame.push_back(frame);
      tree_.gradient.push_back(gradient);
    }
    return it->second;
  }

  uint32_t NoStackRow() {
    if (no_stack_row_ == kRootRow) {
      no_stack_row_ = static_cast<uint32_t>(tree_.names.size());
      tree_.names.push_back(kNoStackName);
      tree_.parent.push_back(kRootRow);
      tree_.frame.push_back(profile::kNone);
      tree_.gradient.push_back(0);
    }
    return no_stack_row_;
  }

  void Attach(profile::NodeId n, uint32_t row) {
    attached_.push_back({row, n});
  }

  // Sorts the attached nodes by row, then by name: nodes of a forward row were
  // attached in name order, but a gradient row collects several groups.
  void LinkNodes() {
    std::vector<uint32_t> rank(profile_.nodes().size());
    uint32_t next = 0;
    for (const profile::NodeId n : context_.NodesByName()) rank[n] = next++;
    std::sort(attached_.begin(), attached_.end(),
              [&](const auto& a, const auto& b) {
                return std::pair(a.first, rank[a.second]) <
                       std::pair(b.first, rank[b.second]);
              });
    tree_.node_begin.assign(tree_.names.size() + 1, 0);
    for (const auto& [row, n] : attached_) {
      ++tree_.node_begin[row + 1];
      tree_.nodes.push_back(n);
    }
    for (size_t row = 0; row < tree_.names.size(); ++row) {
      tree_.node_begin[row + 1] += tree_.node_begin[row];
    }
  }

  ViewContext& context_;
  const profile::Profile& profile_;
  const bool fold_libraries_;
  CodeTree tree_;
  uint32_t no_stack_row_ = kRootRow;  // kRootRow: none yet
  std::vector<uint32_t> row_of_stack_[2];
  absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, uint32_t>
      children_;
  std::vector<std::pair<uint32_t, profile::NodeId>> attached_;
};

}  // namespace

const profile::Frame& RowFrame(const profile::Profile& profile,
                               const CodeTree& tree, uint32_t row) {
  static constexpr profile::Frame kNoFrame;
  const profile::FrameId frame = tree.frame[row];
  return frame == profile::kNone ? kNoFrame
                                 : profile.graph().stacks.frame(frame);
}

std::string CodeRowName(const profile::Profile& profile,
                        const profile::Frame& frame) {
  std::string_view file = FrameString(profile, frame.file);
  file = file.substr(file.rfind('/') + 1);
  const std::string_view function = FrameString(profile, frame.function);
  if (function.size() < kMaxFunction) {
    return fmt::format("{}:{}:{}", file, frame.lineno, function);
  }
  return fmt::format("{}:{}:{}...", file, frame.lineno,
                     function.substr(0, kMaxFunction - 3));
}

std::string_view FrameString(const profile::Profile& profile,
                             profile::StringId string) {
  return string == profile::kNone ? "<unknown>" : profile.strings().Get(string);
}

CodeTree BuildCodeTree(ViewContext& context, bool fold_libraries) {
  return Builder(context, fold_libraries).Build();
}

std::shared_ptr<const AccountedTree> AccountCode(
    const CodeTree& tree, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types) {
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const bool all = RegexList(account_types).matches_all();
  const auto stats = context.NodeStats(step, flops);
  const size_t size = tree.names.size();

  auto result = std::make_shared<AccountedTree>();
  AccountedTree& t = *result;
  t.names = &tree.names;
  auto self =
      std::make_shared<accounting::StatsTable>(size, accounting::Stats{});
  t.self_index.resize(size);
  t.total.resize(size, accounting::Stats{});
  t.node_count.resize(size);
  t.accounted.assign(size, 0);
  std::vector<uint8_t> kept(size, 0);
  kept[kRootRow] = 1;
  for (uint32_t row = static_cast<uint32_t>(size); row-- > 1;) {
    const Snapshot snapshot = TakeSnapshot(
        tree.nodes_of(row), *stats, context.profile().nodes(), accounted, all);
    (*self)[row] = snapshot.sums;
    t.self_index[row] = row;
    t.node_count[row] = snapshot.num_nodes;
    t.accounted[row] = snapshot.accounted;
    if (!snapshot.accounted && !kept[row]) continue;
    kept[row] = 1;
    accounting::AddStats(t.total[row], snapshot.sums);
    kept[tree.parent[row]] = 1;
    accounting::AddStats(t.total[tree.parent[row]], t.total[row]);
  }
  t.self_index[kRootRow] = profile::kNone;
  t.self_table = std::move(self);
  LinkChildren(tree.parent, kept, t);
  FindNegative(t, context.work());
  return result;
}

}  // namespace tfprof::views
