#include "compare/memory_comparison.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "accounting/allocator_levels.h"
#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"
#include "views/allocation_line.h"

namespace tfprof::compare {
namespace {

using profile::AllocatorHistory;

// A smaller share of a change is none.
constexpr double kSmallestChange = 0.001;
// The lines that the verdict names.
constexpr size_t kReasons = 3;

// What a snapshot says about one allocator.
struct AllocatorSide {
  bool exists = false;
  bool has_events = false;
  accounting::AllocatorLevels levels;
  accounting::SegmentSums sums;
  int64_t never_freed = 0;
  std::map<std::string, int64_t> owners;  // by line
};

AllocatorSide AllocatorSideOf(const profile::Profile& profile,
                              const AllocatorHistory& history) {
  AllocatorSide side;
  side.exists = true;
  side.has_events = !history.events.empty();
  side.levels = accounting::LevelsOf(history);
  side.sums = accounting::SumsOf(history);
  for (const accounting::HeldMemory& held : accounting::NeverFreed(history)) {
    side.never_freed = util::SaturatingAdd(side.never_freed, held.bytes);
  }
  for (const accounting::HeldMemory& held :
       accounting::HeldAtPeak(history, side.levels)) {
    int64_t& bytes =
        side.owners[views::AllocationLine(profile.graph(), held.stack)];
    bytes = util::SaturatingAdd(bytes, held.bytes);
  }
  return side;
}

std::map<std::string, std::pair<AllocatorSide, AllocatorSide>> AllocatorSidesOf(
    const profile::Profile& before, const profile::Profile& after) {
  std::map<std::string, std::pair<AllocatorSide, AllocatorSide>> sides;
  for (const AllocatorHistory& history : before.allocators()) {
    sides[history.name].first = AllocatorSideOf(before, history);
  }
  for (const AllocatorHistory& history : after.allocators()) {
    sides[history.name].second = AllocatorSideOf(after, history);
  }
  return sides;
}

void AddAllocatorFigures(const std::string& allocator,
                         const AllocatorSide& before,
                         const AllocatorSide& after,
                         MemoryComparison& comparison) {
  const auto add = [&](std::string_view id, std::string_view title,
                       auto value_of, bool needs_events = false) {
    const auto value = [&](const AllocatorSide& side) {
      return side.exists && (side.has_events || !needs_events)
                 ? std::optional<int64_t>(value_of(side))
                 : std::nullopt;
    };
    comparison.figures.push_back({.allocator = allocator,
                                  .id = id,
                                  .title = title,
                                  .before = value(before),
                                  .after = value(after)});
  };
  add("peak_allocated", "peak of allocated memory",
      [](const AllocatorSide& side) { return side.levels.allocated.peak; });
  add("peak_reserved", "peak of reserved memory",
      [](const AllocatorSide& side) { return side.levels.reserved.peak; });
  add("allocated", "allocated at the end",
      [](const AllocatorSide& side) { return side.levels.allocated.end; });
  add("reserved", "reserved at the end",
      [](const AllocatorSide& side) { return side.levels.reserved.end; });
  add("internal", "rounding at the end",
      [](const AllocatorSide& side) { return side.sums.internal; });
  add("external", "free in segments at the end",
      [](const AllocatorSide& side) { return side.sums.external; });
  add(
      "never_freed", "allocated and never freed",
      [](const AllocatorSide& side) { return side.never_freed; },
      /*needs_events=*/true);
}

// "train.py:forward" of "train.py:7:forward"; the text itself if it has no
// line.
std::string WithoutLine(const std::string& name) {
  const size_t last = name.rfind(':');
  if (last == std::string::npos || last == 0) return name;
  const size_t first = name.rfind(':', last - 1);
  if (first == std::string::npos || first + 1 == last) return name;
  const bool is_number =
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                  name.begin() + static_cast<std::ptrdiff_t>(last),
                  [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? name.substr(0, first) + name.substr(last) : name;
}

void AddAllocatorOwners(const std::string& allocator,
                        const AllocatorSide& before, const AllocatorSide& after,
                        MemoryComparison& comparison) {
  std::vector<MemoryComparison::Owner> owners;
  // The lines of a side that the other one does not have, by function.
  std::map<std::string, std::vector<std::string>> gone, fresh;
  for (const auto& [name, bytes] : before.owners) {
    const auto same = after.owners.find(name);
    if (same == after.owners.end()) {
      gone[WithoutLine(name)].push_back(name);
      continue;
    }
    owners.push_back({allocator, name, bytes, same->second});
  }
  for (const auto& [name, bytes] : after.owners) {
    if (!before.owners.contains(name)) fresh[WithoutLine(name)].push_back(name);
  }
  for (const auto& [function, lines] : gone) {
    const auto moved = fresh.find(function);
    if (lines.size() == 1 && moved != fresh.end() &&
        moved->second.size() == 1) {
      const std::string& name = moved->second.front();
      owners.push_back({allocator, name, before.owners.at(lines.front()),
                        after.owners.at(name)});
      fresh.erase(moved);
      continue;
    }
    for (const std::string& line : lines) {
      owners.push_back({allocator, line, before.owners.at(line), std::nullopt});
    }
  }
  for (const auto& [function, lines] : fresh) {
    for (const std::string& line : lines) {
      owners.push_back({allocator, line, std::nullopt, after.owners.at(line)});
    }
  }
  for (MemoryComparison::Owner& owner : owners) {
    if (owner.delta() == 0) {
      ++comparison.owners_as_before;
    } else {
      comparison.owners.push_back(std::move(owner));
    }
  }
}

std::string BytesText(int64_t bytes) {
  return tables::NumberText(bytes, util::Unit::kBytes);
}

// A line without the folders of its file, which a sentence has no room for.
std::string WithoutFolders(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

std::string SignedBytes(int64_t bytes) {
  return fmt::format("{}{}", bytes < 0 ? '-' : '+',
                     BytesText(bytes < 0 ? util::WrapSub(0, bytes) : bytes));
}

void JudgePeaks(MemoryComparison& comparison) {
  const MemoryComparison::Figure* most = nullptr;
  std::string only;  // an allocator of one side
  for (const MemoryComparison::Figure& figure : comparison.figures) {
    if (figure.id != "peak_allocated") continue;
    const std::optional<int64_t> delta = figure.delta();
    if (!delta) {
      if (only.empty()) only = figure.allocator;
    } else if (most == nullptr || std::abs(*delta) > std::abs(*most->delta())) {
      most = &figure;
    }
  }
  if (most == nullptr) {
    comparison.text = "unknown: no allocator is in both snapshots";
    return;
  }
  const int64_t delta = *most->delta();
  const int64_t base = *most->before;
  const bool same =
      static_cast<double>(std::abs(delta)) <
      kSmallestChange * static_cast<double>(std::max<int64_t>(base, 1));
  comparison.verdict = same        ? MemoryComparison::Verdict::kSame
                       : delta > 0 ? MemoryComparison::Verdict::kMore
                                   : MemoryComparison::Verdict::kLess;
  comparison.text = fmt::format(
      "{}: peak of the allocated memory of {} {} -> {}, {}{}",
      same        ? "same"
      : delta > 0 ? "more"
                  : "less",
      most->allocator, BytesText(base), BytesText(*most->after),
      SignedBytes(delta),
      base > 0 ? fmt::format(" ({:+.1f}%)", 100 * static_cast<double>(delta) /
                                                static_cast<double>(base))
               : "");
  if (!only.empty()) {
    comparison.text += fmt::format("; {} is in one snapshot only", only);
  }
  if (same) return;
  size_t named = 0;
  for (const MemoryComparison::Owner& owner : comparison.owners) {
    if (owner.allocator != most->allocator ||
        (owner.delta() > 0) != (delta > 0)) {
      continue;
    }
    if (named++ == kReasons) break;
    if (!comparison.because.empty()) comparison.because += ", ";
    comparison.because += fmt::format("{} {}", WithoutFolders(owner.name),
                                      SignedBytes(owner.delta()));
  }
}

std::string_view MemoryVerdictName(MemoryComparison::Verdict verdict) {
  switch (verdict) {
    case MemoryComparison::Verdict::kMore:
      return "more";
    case MemoryComparison::Verdict::kLess:
      return "less";
    case MemoryComparison::Verdict::kSame:
      return "same";
    case MemoryComparison::Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

tables::DataCell BytesCell(const std::optional<int64_t>& bytes) {
  return bytes ? tables::DataCell(*bytes) : tables::DataCell();
}

std::vector<tables::DataColumn> ChangeColumns(tables::DataColumn first,
                                              tables::DataColumn second) {
  return {std::move(first),
          std::move(second),
          {"before_bytes", "before", util::Unit::kBytes},
          {"after_bytes", "after", util::Unit::kBytes},
          {.name = "delta_bytes",
           .title = "delta",
           .unit = util::Unit::kBytes,
           .delta = true},
          {.name = "change",
           .title = "change",
           .unit = util::Unit::kShare,
           .delta = true}};
}

tables::DataCell ChangeCell(int64_t delta, int64_t before) {
  return before > 0 ? tables::DataCell(static_cast<double>(delta) /
                                       static_cast<double>(before))
                    : tables::DataCell();
}

}  // namespace

std::optional<int64_t> MemoryComparison::Figure::delta() const {
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

bool AreSnapshots(const profile::Profile& before,
                  const profile::Profile& after) {
  return !before.allocators().empty() && !after.allocators().empty();
}

MemoryComparison CompareMemory(const profile::Profile& before,
                               const profile::Profile& after) {
  MemoryComparison comparison;
  for (const auto& [allocator, sides] : AllocatorSidesOf(before, after)) {
    AddAllocatorFigures(allocator, sides.first, sides.second, comparison);
    AddAllocatorOwners(allocator, sides.first, sides.second, comparison);
  }
  std::ranges::stable_sort(comparison.owners, std::ranges::greater{},
                           [](const MemoryComparison::Owner& owner) {
                             return std::abs(owner.delta());
                           });
  JudgePeaks(comparison);
  return comparison;
}

tables::DataDocument MemoryComparisonDocument(
    const MemoryComparison& comparison, std::string_view base,
    std::string_view name, size_t max_rows, const std::string& whole) {
  tables::DataDocument document;
  document.kind = "memory_comparison";
  const auto text = [&](std::string of, std::string_view title,
                        std::string_view value) {
    document.facts.push_back(
        {{.name = std::move(of),
          .title = value.empty() ? "" : std::string(title)},
         value.empty() ? tables::DataCell() : tables::TextCell(value)});
  };
  text("", "compared", fmt::format("from {} to {}", base, name));
  text("verdict", "", MemoryVerdictName(comparison.verdict));
  text("text", "verdict", comparison.text);
  text("because", "because of", comparison.because);
  text("", "owners",
       fmt::format("{} changed, {} as before", comparison.owners.size(),
                   comparison.owners_as_before));
  text("base", "", base);
  text("profile", "", name);

  tables::TableBuilder figures(
      "figures",
      ChangeColumns({"allocator", "allocator"}, {"figure", "memory"}));
  for (const MemoryComparison::Figure& figure : comparison.figures) {
    const std::optional<int64_t> delta = figure.delta();
    figures.AddRow(
        {tables::TextCell(figure.allocator), tables::TextCell(figure.title),
         BytesCell(figure.before), BytesCell(figure.after), BytesCell(delta),
         delta ? ChangeCell(*delta, *figure.before) : tables::DataCell()});
  }
  document.parts.push_back(
      {"Memory of each allocator", std::move(figures).Build()});

  tables::TableBuilder owners(
      "owners", ChangeColumns({"allocator", "allocator"}, {"name", "line"}));
  for (const MemoryComparison::Owner& owner : comparison.owners) {
    if (max_rows > 0 && owners.size() == max_rows) break;
    owners.AddRow({tables::TextCell(owner.allocator),
                   tables::TextCell(owner.name), BytesCell(owner.before),
                   BytesCell(owner.after), owner.delta(),
                   ChangeCell(owner.delta(), owner.before.value_or(0))});
  }
  owners.SetTotalRows(comparison.owners.size());
  tables::DataTable table = std::move(owners).Build();
  if (table.num_rows < table.total_rows) table.rest = whole;
  document.parts.push_back(
      {"Lines that hold more or less at the peak", std::move(table)});
  return document;
}

}  // namespace tfprof::compare
