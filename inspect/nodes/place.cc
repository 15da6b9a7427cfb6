#include "inspect/nodes/place.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "util/text/ascii.h"
#include "util/text/nearest.h"
#include "views/name_path.h"

namespace tfprof::inspect {
namespace {

constexpr std::string_view kGradient = " (gradient)";

// The parts that the scope tree and the code tree have in common.
struct Rows {
  const std::vector<std::string_view>& names;
  const std::vector<uint32_t>& parent;
  const views::ScopeTree* scope;  // nullptr in the code tree
};

Rows RowsOf(views::Views& views, views::View tree) {
  if (tree == views::View::kCode) {
    return {views.code().names, views.code().parent, nullptr};
  }
  return {views.scope().names, views.scope().parent, &views.scope()};
}

std::string_view Label(const Rows& rows, uint32_t row) {
  return rows.scope == nullptr ? rows.names[row] : rows.scope->Label(row);
}

// Removes the first part of `path` and returns it. A label of scopes that the
// loader built may contain separators: the longest match counts.
std::string_view TakePart(const Rows& rows, uint32_t row,
                          bool labels_may_divide, std::string_view& path) {
  std::string_view part = views::FirstPart(path);
  for (uint32_t r = 1; labels_may_divide && r < rows.names.size(); ++r) {
    if (rows.parent[r] != row) continue;
    const std::string_view label = Label(rows, r);
    if (label.size() > part.size() && path.starts_with(label) &&
        (label.size() == path.size() ||
         path[label.size()] == views::kPathSeparator)) {
      part = path.substr(0, label.size());
    }
  }
  path.remove_prefix(std::min(part.size() + 1, path.size()));
  return part;
}

// The only child with this label in any case of letters; kNone if there is
// none. A scope and its node have one label.
uint32_t ChildInAnyCase(const Rows& rows, uint32_t row, std::string_view part) {
  const std::string wanted = util::LowerCase(part);
  uint32_t found = profile::kNone;
  for (uint32_t r = 1; r < rows.names.size(); ++r) {
    if (rows.parent[r] != row) continue;
    const std::string_view label = Label(rows, r);
    if (util::LowerCase(label) != wanted) continue;
    if (found == profile::kNone) {
      found = r;
    } else if (Label(rows, found) != label) {
      return profile::kNone;
    }
  }
  return found;
}

// The child that `part` names; kNone if there is none, or several.
uint32_t FindChild(const Rows& rows, views::View tree, uint32_t row,
                   std::string_view part, absl::Status& error) {
  std::vector<std::string_view> labels, matches;
  bool found_forward = false;
  uint32_t match = profile::kNone, leaf = profile::kNone;
  for (uint32_t r = 1; r < rows.names.size(); ++r) {
    if (rows.parent[r] != row) continue;
    const std::string_view label = Label(rows, r);
    if (label == part) {
      // If a scope and a node have this name, the scope is chosen, because it
      // has more to show. Scopes are in pre-order.
      if (tree == views::View::kCode ||
          (r + 1 < rows.names.size() && rows.parent[r + 1] == r)) {
        return r;
      }
      if (leaf == profile::kNone) leaf = r;
      continue;
    }
    labels.push_back(label);
    if (tree == views::View::kCode && label.starts_with(part) &&
        label[part.size()] == ':') {
      // The beginning of a name that matches a line and its gradients selects
      // the line.
      const bool forward = !label.ends_with(kGradient);
      if (found_forward && !forward) continue;
      if (forward && !found_forward) matches.clear();
      found_forward |= forward;
      matches.push_back(label);
      match = r;
    }
  }
  if (leaf != profile::kNone) return leaf;
  if (matches.size() == 1) return match;
  if (matches.empty()) {
    const uint32_t other = ChildInAnyCase(rows, row, part);
    if (other != profile::kNone) return other;
  }
  const std::string where = row == views::kRootRow
                                ? "at the root"
                                : fmt::format("in {}", rows.names[row]);
  if (matches.size() > 1) {
    constexpr size_t kMaxMatches = 5;
    matches.resize(std::min(matches.size(), kMaxMatches));
    error = absl::InvalidArgumentError(fmt::format(
        "several {} begin with {}: {}", where, part, fmt::join(matches, ", ")));
    return profile::kNone;
  }
  error = absl::NotFoundError(fmt::format("no {} {}{}", part, where,
                                          labels.empty()
                                              ? ", which has nothing below it"
                                              : util::NearHint(part, labels)));
  return profile::kNone;
}

// The scope with this full name; kNone if there is none.
uint32_t FindScope(const Rows& rows, std::string_view name) {
  const auto at = std::find(rows.names.begin() + 1, rows.names.end(), name);
  return at == rows.names.end()
             ? profile::kNone
             : static_cast<uint32_t>(at - rows.names.begin());
}

std::vector<uint32_t> PathTo(const Rows& rows, uint32_t row) {
  std::vector<uint32_t> path;
  for (; row != views::kRootRow; row = rows.parent[row]) path.push_back(row);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

absl::StatusOr<Place> FindPlace(views::Views& views, const Place& from,
                                std::string_view path) {
  Place place = from;
  for (const auto& [prefix, tree] : {std::pair("scope:", views::View::kScope),
                                     std::pair("code:", views::View::kCode)}) {
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(std::string_view(prefix).size());
    place = {tree, {}};
    break;
  }
  if (place.tree == views::View::kCode &&
      !views.profile().graph().has_code_traces) {
    return absl::FailedPreconditionError(
        "there is no code: call stacks come from an op log, which is not among "
        "the inputs (see status)");
  }
  if (path.starts_with(views::kPathSeparator)) place.rows.clear();
  // The root is found without a tree, which takes a while to build.
  if (path.find_first_not_of(views::kPathSeparator) == path.npos) return place;
  const Rows rows = RowsOf(views, place.tree);
  const bool labels_may_divide = place.tree == views::View::kScope &&
                                 !views.profile().nodes().scope.empty();
  const Place start = place;
  const std::string_view all = path;
  while (!path.empty()) {
    const std::string_view part =
        TakePart(rows, place.row(), labels_may_divide, path);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!place.rows.empty()) place.rows.pop_back();
      continue;
    }
    absl::Status error;
    const uint32_t child =
        FindChild(rows, place.tree, place.row(), part, error);
    if (child != profile::kNone) {
      place.rows.push_back(child);
      continue;
    }
    if (place.tree == views::View::kScope) {
      const std::string_view head =
          start.rows.empty() ? std::string_view() : rows.names[start.row()];
      std::string_view name = all;
      if (name.starts_with(views::kPathSeparator)) name.remove_prefix(1);
      const uint32_t row =
          FindScope(rows, head.empty() ? std::string(name)
                                       : fmt::format("{}/{}", head, name));
      if (row != profile::kNone) return Place{place.tree, PathTo(rows, row)};
    }
    return error;
  }
  return place;
}

std::string PlaceText(views::Views& views, const Place& place) {
  if (place.tree == views::View::kScope && place.rows.empty()) return "/";
  const Rows rows = RowsOf(views, place.tree);
  if (place.tree == views::View::kScope) {
    return fmt::format("/{}", rows.names[place.row()]);
  }
  std::string text = "code:/";
  for (const uint32_t row : place.rows) {
    if (text.back() != '/') text += '/';
    text += rows.names[row];
  }
  return text;
}

std::string_view RowLabel(views::Views& views, views::View tree, uint32_t row) {
  return Label(RowsOf(views, tree), row);
}

std::vector<profile::NodeId> NodesBelow(views::Views& views,
                                        const Place& place) {
  const Rows rows = RowsOf(views, place.tree);
  std::vector<profile::NodeId> nodes;
  // The number of a row is larger than its parent's.
  std::vector<uint8_t> inside(rows.names.size(), 0);
  inside[place.row()] = 1;
  for (uint32_t row = place.row(); row < inside.size(); ++row) {
    inside[row] |= inside[rows.parent[row]];
    if (!inside[row]) continue;
    if (place.tree == views::View::kScope) {
      const profile::NodeId node = views.scope().node[row];
      if (node != profile::kNone) nodes.push_back(node);
    } else {
      const auto of_row = views.code().nodes_of(row);
      nodes.insert(nodes.end(), of_row.begin(), of_row.end());
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace tfprof::inspect
