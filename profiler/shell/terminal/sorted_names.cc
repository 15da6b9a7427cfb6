#include "profiler/shell/terminal/sorted_names.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "views/name_order.h"

namespace tfprof::shell {
namespace {

// The bytes of `name` up to the last separator before `at`, with it.
size_t WholeParts(std::string_view name, size_t at, char separator) {
  if (separator == '\0' || at == 0) return 0;
  return name.rfind(separator, at - 1) + 1;  // npos + 1 == 0
}

// Eight bytes at a time: names of one scope have 50 in common.
size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t x, y;
    std::memcpy(&x, a.data() + i, 8);
    std::memcpy(&y, b.data() + i, 8);
    if (x != y) break;
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

// Collects the distinct parts of names: their number, and the first ones in
// byte order.
class PartGatherer {
 public:
  explicit PartGatherer(size_t limit) : limit_(limit) {}

  // Adds a part that may have been added before.
  void Add(std::string_view part) {
    // Names of a scope often stand together.
    if (part == before_ && total_ > 0) return;
    before_ = part;
    if (seen_.insert(part).second) AddNew(part);
  }

  // Adds a part that was not added before.
  void AddNew(std::string_view part) {
    ++total_;
    if (limit_ == 0) return;
    if (first_.size() == limit_) {
      if (part >= first_.front()) return;
      std::pop_heap(first_.begin(), first_.end());
      first_.pop_back();
    }
    first_.push_back(part);
    std::push_heap(first_.begin(), first_.end());
  }

  size_t total() const { return total_; }
  std::vector<std::string> First() && {
    std::sort(first_.begin(), first_.end());
    return std::vector<std::string>(first_.begin(), first_.end());
  }

 private:
  const size_t limit_;
  size_t total_ = 0;
  std::string_view before_;
  absl::flat_hash_set<std::string_view> seen_;
  std::vector<std::string_view> first_;  // a heap, the last one on top
};

// The first and the last of the added names.
class NameRange {
 public:
  void Add(std::string_view name) {
    if (empty_ || name < first_) first_ = name;
    if (empty_ || name > last_) last_ = name;
    empty_ = false;
  }
  std::string_view Common() const {
    return first_.substr(0, CommonPrefix(first_, last_));
  }

 private:
  bool empty_ = true;
  std::string_view first_, last_;
};

// If one part matches, all of it is common.
void SetCommon(std::string_view common, char separator, NameMatches& matches) {
  if (matches.total == 1 && !matches.names.empty()) {
    matches.common = matches.names[0];
    matches.open = separator != '\0' && matches.common.ends_with(separator);
  } else if (matches.total > 0) {
    matches.common = common;
  }
}

}  // namespace

size_t PartEnd(std::string_view name, size_t at, char separator) {
  const size_t end = separator == '\0' ? name.npos : name.find(separator, at);
  return end == name.npos ? name.size() : end + 1;
}

SortedNames::SortedNames(const profile::StringPool& pool,
                         std::vector<profile::StringId> ids, char separator)
    : pool_(&pool), separator_(separator) {
  std::vector<views::NamedId> names;
  names.reserve(ids.size());
  for (const profile::StringId id : ids) names.push_back({pool.Get(id), id});
  views::SortByName(names);
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
  const auto first = std::partition_point(
      ids_.begin(), ids_.end(),
      [&](profile::StringId id) { return pool_->Get(id) < stem; });
  const auto last = std::partition_point(
      first, ids_.end(),
      [&](profile::StringId id) { return pool_->Get(id).starts_with(stem); });
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
  const std::string_view name_a = name(begin), name_b = name(end - 1);
  SetCommon(name_a.substr(0, CommonPrefix(name_a, name_b)), separator_,
            matches);
  return matches;
}

void SortedNames::CollectParts(profile::StringPool& parts) const {
  for (size_t i = 0; i < size(); ++i) {
    const std::string_view whole = name(i);
    // The parts shared with the name before were collected with it.
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

NameMatches ScanNames(const NameList& names, std::string_view stem,
                      size_t limit, bool scopes_only) {
  const char separator = names.separator;
  const size_t scope = WholeParts(stem, stem.size(), separator);
  PartGatherer parts(limit);
  NameRange range;
  for (const profile::StringId id : names.ids) {
    const std::string_view name = names.pool.Get(id);
    if (!name.starts_with(stem)) continue;
    range.Add(name);
    const std::string_view part =
        name.substr(0, PartEnd(name, scope, separator));
    if (!part.empty() && part.back() == separator) {
      parts.Add(part);
    } else if (!scopes_only) {
      parts.AddNew(part);  // the whole name
    }
  }
  NameMatches matches;
  matches.total = parts.total();
  matches.names = std::move(parts).First();
  SetCommon(range.Common(), separator, matches);
  return matches;
}

NameMatches ScanParts(const NameList& names, std::string_view stem,
                      size_t limit) {
  PartGatherer parts(limit);
  NameRange range;
  std::string_view before;
  for (const profile::StringId id : names.ids) {
    const std::string_view name = names.pool.Get(id);
    // The parts shared with the name before were added with it.
    size_t at = WholeParts(name, CommonPrefix(before, name), names.separator);
    before = name;
    while (at < name.size()) {
      const size_t end = PartEnd(name, at, names.separator);
      std::string_view part = name.substr(at, end - at);
      at = end;
      if (!part.starts_with(stem)) continue;
      if (names.separator != '\0' && part.ends_with(names.separator)) {
        part.remove_suffix(1);
      }
      if (part.empty()) continue;
      parts.Add(part);
      range.Add(part);
    }
  }
  NameMatches matches;
  matches.total = parts.total();
  matches.names = std::move(parts).First();
  SetCommon(range.Common(), '\0', matches);
  return matches;
}

std::string_view FirstNameWith(const NameList& names, std::string_view part) {
  std::string_view first;
  for (const profile::StringId id : names.ids) {
    const std::string_view name = names.pool.Get(id);
    if ((first.empty() || name < first) && name.find(part) != name.npos) {
      first = name;
    }
  }
  return first;
}

}  // namespace tfprof::shell
