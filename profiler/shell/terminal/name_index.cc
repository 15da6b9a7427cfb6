#include "profiler/shell/terminal/name_index.h"

#include <signal.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/run/start_thread.h"
#include "util/text/edit_distance.h"
#include "views/code.h"
#include "views/name_path.h"
#include "views/scope.h"

namespace tfprof::shell {
namespace {

std::vector<profile::StringId> AllIds(const profile::StringPool& pool) {
  std::vector<profile::StringId> ids(pool.size());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

void NameIndex::Names::SetWhole(SortedNames names) {
  whole = std::move(names);
  whole.CollectParts(part_pool);
  parts = SortedNames(part_pool, AllIds(part_pool), '\0');
  made = true;
}

NameIndex::~NameIndex() = default;

char NameIndex::SeparatorOf(Kind kind) {
  return kind == Kind::kTypes  ? '\0'
         : kind == Kind::kCode ? ':'
                               : views::kPathSeparator;
}

void NameIndex::Prepare() {
  if (prepared_ || HasPaths()) return;
  prepared_ = true;
  // Signals are for the thread that reads the terminal.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Without a thread, names are found in the slower way that is also used while
  // it works.
  sorting_ = util::StartThread([this] {
    nodes_.SetWhole(SortedNames(profile_.strings(), profile_.nodes().name,
                                views::kPathSeparator));
    sorted_.store(true, std::memory_order_release);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

NameList NameIndex::NodeList() const {
  return {profile_.strings(), profile_.nodes().name, views::kPathSeparator};
}

bool NameIndex::HasPaths() const {
  return !profile_.nodes().module.empty() || !profile_.nodes().scope.empty();
}

void NameIndex::MakePaths() {
  const views::ScopeTree tree = views::BuildScopeTree(profile_);
  for (uint32_t row = 1; row < tree.names.size(); ++row) {
    path_names_.Intern(tree.names[row]);
  }
  scopes_.SetWhole(
      SortedNames(path_names_, AllIds(path_names_), views::kPathSeparator));
  for (profile::NodeId n = 0; n < profile_.nodes().size(); ++n) {
    path_names_.Intern(profile_.node_name(n));
  }
  nodes_.SetWhole(
      SortedNames(path_names_, AllIds(path_names_), views::kPathSeparator));
}

const NameIndex::Names* NameIndex::Get(Kind kind) {
  const profile::GraphTables& graph = profile_.graph();
  switch (kind) {
    case Kind::kNodes:
    case Kind::kScopes:
      if (HasPaths()) {
        if (!nodes_.made) MakePaths();
        return kind == Kind::kScopes ? &scopes_ : &nodes_;
      }
      return sorted_.load(std::memory_order_acquire) ? &nodes_ : nullptr;
    case Kind::kTypes:
      if (!types_.made) {
        std::vector<profile::StringId> ids;
        for (profile::TypeSetId set = 0; set < graph.type_sets.size(); ++set) {
          const auto members = graph.type_sets[set];
          ids.insert(ids.end(), members.begin(), members.end());
        }
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        // Devices are types too, and users type "gpu:0".
        for (const profile::StringId id : ids) {
          std::string_view name = profile_.strings().Get(id);
          if (!name.starts_with('/')) continue;
          name.remove_prefix(name.rfind('/') + 1);
          constexpr std::string_view kPrefix = "device:";
          if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
          if (!name.empty()) types_.part_pool.Intern(name);
        }
        types_.SetWhole(SortedNames(profile_.strings(), std::move(ids), '\0'));
      }
      return &types_;
    case Kind::kCode:
      if (!code_.made) {
        for (profile::FrameId f = 0; f < graph.stacks.num_frames(); ++f) {
          code_names_.Intern(
              views::CodeRowName(profile_, graph.stacks.frame(f)));
        }
        code_.SetWhole(SortedNames(code_names_, AllIds(code_names_), ':'));
      }
      return &code_;
  }
  return nullptr;
}

NameMatches NameIndex::Complete(Kind kind, std::string_view stem, size_t limit,
                                bool anywhere) {
  const bool scopes_only = kind == Kind::kScopes;
  if (const Names* names = Get(kind)) {
    return anywhere ? names->parts.Complete(stem, limit)
                    : names->whole.Complete(stem, limit, scopes_only);
  }
  return anywhere ? ScanParts(NodeList(), stem, limit)
                  : ScanNames(NodeList(), stem, limit, scopes_only);
}

std::vector<std::string> NameIndex::Nearest(Kind kind, std::string_view typed) {
  // The most names of one scope that are compared.
  constexpr size_t kMaxSiblings = 20000;
  const char separator = SeparatorOf(kind);
  // Find the longest scope in `typed` that exists.
  size_t scope = 0;
  for (;;) {
    const size_t end = PartEnd(typed, scope, separator);
    if (end == typed.size() ||
        Complete(kind, typed.substr(0, end), 1).total == 0) {
      break;
    }
    scope = end;
  }
  const std::string_view part =
      typed.substr(scope, PartEnd(typed, scope, separator) - scope);
  const std::string_view rest = typed.substr(scope + part.size());
  std::vector<std::string> siblings =
      Complete(kind, typed.substr(0, scope), kMaxSiblings).names;
  for (std::string& sibling : siblings) sibling.erase(0, scope);
  std::vector<std::string> nearest = tfprof::util::Nearest(part, siblings);
  for (std::string& name : nearest) {
    name.insert(0, typed.substr(0, scope));
    // Suggest the whole name if it exists with this one part corrected.
    if (!rest.empty() &&
        Complete(kind, name + std::string(rest), 1).total > 0) {
      name += rest;
    }
    if (separator != '\0' && name.ends_with(separator)) name.pop_back();
  }
  // A node and a scope of the same name count once.
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  return nearest;
}

std::string_view NameIndex::FirstWith(Kind kind, std::string_view part) {
  const Names* names = Get(kind);
  if (names == nullptr) return FirstNameWith(NodeList(), part);
  const SortedNames& whole = names->whole;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole.name(i).find(part) != std::string_view::npos) {
      return whole.name(i);
    }
  }
  return "";
}

}  // namespace tfprof::shell
