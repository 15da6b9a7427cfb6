#include "profiler/name_index.h"

#include <signal.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/edit_distance.h"
#include "views/code.h"
#include "views/name_order.h"

namespace tfprof {
namespace {

std::vector<StringId> AllIds(const StringPool& pool) {
  std::vector<StringId> ids(pool.size());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// Where the part of `name` that holds byte `at` ends, behind its separator.
size_t PartEnd(std::string_view name, size_t at, char separator) {
  const size_t end = separator == '\0' ? name.npos : name.find(separator, at);
  return end == name.npos ? name.size() : end + 1;
}

// The bytes of `name` up to the last separator before `at`, with it.
size_t WholeParts(std::string_view name, size_t at, char separator) {
  if (separator == '\0' || at == 0) return 0;
  return name.rfind(separator, at - 1) + 1;  // npos + 1 == 0
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(size),
                    b.begin())
          .first -
      a.begin());
}

}  // namespace

SortedNames::SortedNames(const StringPool& pool, std::vector<StringId> ids,
                         char separator)
    : pool_(&pool), separator_(separator) {
  std::vector<NamedId> names;
  names.reserve(ids.size());
  for (const StringId id : ids) names.push_back({pool.Get(id), id});
  SortByName(names);
  ids_ = std::move(ids);
  shared_parts_.resize(names.size(), 0);
  for (size_t i = 0; i < names.size(); ++i) {
    ids_[i] = names[i].id;
    if (i == 0) continue;
    const size_t common = CommonPrefix(names[i - 1].name, names[i].name);
    shared_parts_[i] =
        static_cast<uint32_t>(WholeParts(names[i].name, common, separator));
  }
}

NameMatches SortedNames::Complete(std::string_view stem, size_t limit,
                                  bool scopes_only) const {
  const auto first =
      std::partition_point(ids_.begin(), ids_.end(),
                           [&](StringId id) { return pool_->Get(id) < stem; });
  const auto last = std::partition_point(first, ids_.end(), [&](StringId id) {
    return pool_->Get(id).starts_with(stem);
  });
  NameMatches matches;
  if (first == last) return matches;
  const auto begin = static_cast<size_t>(first - ids_.begin());
  const auto end = static_cast<size_t>(last - ids_.begin());
  const size_t scope = WholeParts(stem, stem.size(), separator_);
  for (size_t i = begin; i < end; ++i) {
    // Names of one part of this scope stand together.
    if (i > begin && shared_parts_[i] > scope) continue;
    if (matches.names.size() == limit && !scopes_only) {
      ++matches.total;
      continue;
    }
    const std::string_view whole = name(i);
    const std::string_view part =
        whole.substr(0, PartEnd(whole, scope, separator_));
    if (scopes_only && (part.empty() || part.back() != separator_)) continue;
    ++matches.total;
    if (matches.names.size() < limit) matches.names.emplace_back(part);
  }
  if (matches.total == 1 && !matches.names.empty()) {
    matches.common = matches.names[0];
    matches.open = separator_ != '\0' && matches.common.ends_with(separator_);
  } else if (matches.total > 0) {
    const std::string_view name_a = name(begin), name_b = name(end - 1);
    matches.common = name_a.substr(0, CommonPrefix(name_a, name_b));
  }
  return matches;
}

void SortedNames::CollectParts(StringPool& parts) const {
  for (size_t i = 0; i < size(); ++i) {
    const std::string_view whole = name(i);
    // What the name before has was collected with it.
    for (size_t at = shared_parts_[i]; at < whole.size();) {
      const size_t end = PartEnd(whole, at, separator_);
      std::string_view part = whole.substr(at, end - at);
      if (separator_ != '\0' && part.ends_with(separator_)) {
        part.remove_suffix(1);
      }
      if (!part.empty()) parts.Intern(part);
      at = end;
    }
  }
}

void NameIndex::Names::SetWhole(SortedNames names) {
  whole = std::move(names);
  whole.CollectParts(part_pool);
  parts = SortedNames(part_pool, AllIds(part_pool), '\0');
  made = true;
}

NameIndex::~NameIndex() = default;

void NameIndex::Prepare() {
  if (prepared_) return;
  prepared_ = true;
  // Signals are for the thread that reads the terminal.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  sorting_ = std::jthread([this] {
    nodes_.SetWhole(
        SortedNames(profile_.strings(), profile_.nodes().name, '/'));
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

const NameIndex::Names& NameIndex::Get(Kind kind) {
  const GraphTables& graph = profile_.graph();
  if (kind == Kind::kTypes) {
    if (!types_.made) {
      std::vector<StringId> ids;
      for (TypeSetId set = 0; set < graph.type_sets.size(); ++set) {
        const auto members = graph.type_sets[set];
        ids.insert(ids.end(), members.begin(), members.end());
      }
      std::sort(ids.begin(), ids.end());
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
      types_.SetWhole(SortedNames(profile_.strings(), std::move(ids), '\0'));
    }
    return types_;
  }
  if (kind == Kind::kCode) {
    if (!code_.made) {
      for (FrameId f = 0; f < graph.stacks.num_frames(); ++f) {
        code_names_.Intern(CodeRowName(profile_, graph.stacks.frame(f)));
      }
      code_.SetWhole(SortedNames(code_names_, AllIds(code_names_), ':'));
    }
    return code_;
  }
  Prepare();
  if (sorting_.joinable()) sorting_.join();
  return nodes_;
}

NameMatches NameIndex::Complete(Kind kind, std::string_view stem, size_t limit,
                                bool anywhere) {
  const Names& names = Get(kind);
  return anywhere ? names.parts.Complete(stem, limit)
                  : names.whole.Complete(stem, limit, kind == Kind::kScopes);
}

std::vector<std::string> NameIndex::Nearest(Kind kind, std::string_view typed) {
  // Of so many in one scope the first are looked at.
  constexpr size_t kMaxSiblings = 20000;
  const SortedNames& names = Get(kind).whole;
  const char separator = kind == Kind::kTypes  ? '\0'
                         : kind == Kind::kCode ? ':'
                                               : '/';
  // The scope that exists.
  size_t scope = 0;
  for (;;) {
    const size_t end = PartEnd(typed, scope, separator);
    if (end == typed.size() ||
        names.Complete(typed.substr(0, end), 1).total == 0) {
      break;
    }
    scope = end;
  }
  const std::string_view part =
      typed.substr(scope, PartEnd(typed, scope, separator) - scope);
  const std::string_view rest = typed.substr(scope + part.size());
  std::vector<std::string> siblings =
      names
          .Complete(typed.substr(0, scope), kMaxSiblings, kind == Kind::kScopes)
          .names;
  for (std::string& sibling : siblings) sibling.erase(0, scope);
  std::vector<std::string> nearest = tfprof::Nearest(part, siblings);
  for (std::string& name : nearest) {
    name.insert(0, typed.substr(0, scope));
    // All of it, where that is there with this one part repaired.
    if (names.Complete(name + std::string(rest), 1).total > 0) name += rest;
    if (separator != '\0' && name.ends_with(separator)) name.pop_back();
  }
  // A node and the scope of its name are one.
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  return nearest;
}

std::string_view NameIndex::FirstWith(Kind kind, std::string_view part) {
  const SortedNames& names = Get(kind).whole;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names.name(i).find(part) != std::string_view::npos) {
      return names.name(i);
    }
  }
  return "";
}

}  // namespace tfprof
