#include "tables/writers/short_names.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

// The maximum number of rounds to make equal texts different; each round shows
// another part of the names.
constexpr int kRounds = 4;
// If the beginning of a path part is at most this near, show the part from its
// beginning.
constexpr size_t kNearBytes = 12;

bool BeginsCharacter(std::string_view text, size_t at) {
  return at >= text.size() ||
         (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}

// Returns the end of `text` in at most `columns` columns.
std::string_view EndOf(std::string_view text, size_t columns) {
  std::string_view end = text;
  // No character has more bytes per column.
  constexpr size_t kMaxBytes = 4;
  if (end.size() > columns * kMaxBytes) {
    end.remove_prefix(end.size() - columns * kMaxBytes);
  }
  while (util::Columns(end) > columns || !BeginsCharacter(end, 0)) {
    end.remove_prefix(1);
  }
  return end;
}

// Returns the part that a row of a tree adds to the name of its parent, or ""
// if its name does not begin with the parent's name.
std::string_view Added(const LongName& name,
                       const std::vector<LongName>& names) {
  if (name.parent == LongName::kNoParent) return "";
  const std::string& above = names[name.parent].text;
  if (above.empty() || name.text.size() <= above.size() + 1 ||
      !name.text.starts_with(above) || name.text[above.size()] != '/') {
    return "";
  }
  return std::string_view(name.text).substr(above.size());
}

std::string First(const LongName& name, const std::vector<LongName>& names,
                  std::string_view ellipsis) {
  const std::string_view added = Added(name, names);
  if (!added.empty() && name.columns > util::Columns(ellipsis)) {
    const size_t room = name.columns - util::Columns(ellipsis);
    if (util::Columns(added) <= room)
      return std::string(ellipsis).append(added);
    return std::string(ellipsis).append(EndOf(added, room));
  }
  return util::Shortened(name.text, name.columns, ellipsis);
}

// Returns the number of bytes that all names have in common at their beginning,
// and at their end after that.
std::pair<size_t, size_t> Common(const std::vector<LongName>& names,
                                 const std::vector<size_t>& group) {
  const std::string& first = names[group[0]].text;
  size_t front = first.size();
  size_t back = first.size();
  size_t shortest = first.size();
  for (const size_t i : group) {
    const std::string& text = names[i].text;
    shortest = std::min(shortest, text.size());
    const auto [a, b] =
        std::mismatch(first.begin(), first.end(), text.begin(), text.end());
    front = std::min(front, static_cast<size_t>(a - first.begin()));
    const auto [c, d] =
        std::mismatch(first.rbegin(), first.rend(), text.rbegin(), text.rend());
    back = std::min(back, static_cast<size_t>(c - first.rbegin()));
  }
  while (!BeginsCharacter(first, front)) --front;
  back = std::min(back, shortest - front);
  while (!BeginsCharacter(first, first.size() - back)) --back;
  return {front, back};
}

// Shows `name` by the part between its first `front` and its last `back` bytes.
std::string ByPart(const LongName& name, size_t front, size_t back,
                   std::string_view ellipsis) {
  const std::string_view text = name.text;
  const size_t slash = text.substr(0, front).rfind('/');
  if (slash != text.npos && front - slash <= kNearBytes) front = slash + 1;
  const size_t dots = util::Columns(ellipsis);
  std::string shown(ellipsis);
  const std::string_view rest = text.substr(front);
  if (dots + util::Columns(rest) <= name.columns) return shown.append(rest);
  // With less space, only the end is more useful.
  constexpr size_t kLeastRoom = 12;
  if (name.columns < 2 * dots + kLeastRoom) return "";
  const size_t room = name.columns - 2 * dots;
  const std::string_view end = text.substr(text.size() - back);
  // The part gets half of the space, plus the space that the end does not need.
  const size_t of_end = std::min(room, util::Columns(end));
  std::string_view part = text.substr(front, text.size() - back - front);
  part = part.substr(
      0, util::PrefixInColumns(part, std::max(room / 2, room - of_end)));
  return shown.append(part).append(ellipsis).append(
      EndOf(end, room - util::Columns(part)));
}

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    if (end == path.size()) return parts;
    path.remove_prefix(end + 1);
  }
}

// Shows the paths of a group, which have the same number of parts, by the
// differing parts and as much of the last part as fits. Adds paths that fit to
// `changed`.
void ByParts(const std::vector<LongName>& names,
             const std::vector<size_t>& group, std::string_view ellipsis,
             std::vector<std::pair<size_t, std::string>>& changed) {
  std::vector<std::vector<std::string_view>> parts;
  for (const size_t i : group) parts.push_back(PartsOf(names[i].text));
  const size_t last = parts[0].size() - 1;
  std::vector<bool> differs(parts[0].size(), false);
  for (const auto& other : parts) {
    for (size_t p = 0; p <= last; ++p) {
      if (other[p] != parts[0][p]) differs[p] = true;
    }
  }
  size_t end = 0;  // after the last differing part
  for (size_t p = 0; p <= last; ++p) {
    if (differs[p]) end = p + 1;
  }
  if (end == 0) return;
  constexpr size_t kLeastEnd = 4;
  const size_t dots = util::Columns(ellipsis);
  for (size_t n = 0; n < group.size(); ++n) {
    std::string shown;
    for (size_t p = 0; p < end; ++p) {
      const bool elided = p > 0 && !differs[p - 1];
      if (differs[p]) {
        if (p > 0 && !elided) shown += '/';
        shown += parts[n][p];
      } else if (!elided) {
        shown += ellipsis;
      }
    }
    const auto& [text, columns, parent] = names[group[n]];
    const size_t used = util::Columns(shown);
    // The parts point into the text.
    const std::string_view& at = parts[n][end - 1];
    const std::string_view rest = std::string_view(text).substr(
        static_cast<size_t>(at.data() + at.size() - text.data()));
    if (used + util::Columns(rest) <= columns) {
      shown += rest;
    } else if (used + dots + kLeastEnd <= columns) {
      shown += ellipsis;
      shown += EndOf(rest, columns - used - dots);
    } else {
      continue;
    }
    changed.emplace_back(group[n], std::move(shown));
  }
}

}  // namespace

std::vector<std::string> ShortNames(const std::vector<LongName>& names,
                                    std::string_view ellipsis) {
  std::vector<std::string> shown;
  shown.reserve(names.size());
  std::vector<size_t> cut;
  for (size_t i = 0; i < names.size(); ++i) {
    // If a text is much too long, its exact width does not matter.
    constexpr size_t kMaxBytes = 4;
    const LongName& name = names[i];
    const bool fits = name.text.size() / kMaxBytes <= name.columns &&
                      util::Columns(name.text) <= name.columns;
    shown.push_back(fits ? name.text : First(name, names, ellipsis));
    if (!fits) cut.push_back(i);
  }
  for (int round = 0; round < kRounds && !cut.empty(); ++round) {
    absl::flat_hash_map<std::pair<size_t, std::string_view>,
                        std::vector<size_t>>
        groups;
    for (const size_t i : cut) {
      groups[{names[i].parent, shown[i]}].push_back(i);
    }
    std::vector<std::pair<size_t, std::string>> changed;
    for (const auto& [key, group] : groups) {
      const auto [front, back] = Common(names, group);
      // All names are equal: they belong to several rows.
      if (front == names[group[0]].text.size()) continue;
      if (round == 0) {
        std::map<ptrdiff_t, std::vector<size_t>> of_depth;
        for (const size_t i : group) {
          const std::string& text = names[i].text;
          of_depth[std::count(text.begin(), text.end(), '/')].push_back(i);
        }
        for (const auto& [depth, same] : of_depth) {
          ByParts(names, same, ellipsis, changed);
        }
        continue;
      }
      for (const size_t i : group) {
        std::string by_part = ByPart(names[i], front, back, ellipsis);
        if (!by_part.empty()) changed.emplace_back(i, std::move(by_part));
      }
    }
    for (auto& [i, text] : changed) shown[i] = std::move(text);
  }
  return shown;
}

}  // namespace tfprof::tables
