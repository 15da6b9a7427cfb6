// MemoryComparison: the answer to "does it need more memory, and who needs it?"
// for two memory snapshots of one program.
//
//   const MemoryComparison comparison = CompareMemory(before, after);
//   comparison.text;  // "more: peak of gpu:0 1.00GB -> 1.20GB, +200MB (+20%)"
//
// Allocators match by their name ("gpu:0"). The verdict is about the peak of
// the allocated memory of the allocator that changed most. A change of less
// than 0.1 % is none. Owners are the lines of the program that held memory at
// the peaks (views/allocation_line.h). A line that one side alone has matches
// the only such line of its function on the other side, because lines move when
// a program is edited. Units are bytes.

#ifndef TFPROF_COMPARE_MEMORY_COMPARISON_H_
#define TFPROF_COMPARE_MEMORY_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::compare {

struct MemoryComparison {
  enum class Verdict { kMore, kLess, kSame, kUnknown };

  // A figure of an allocator; nullopt: the side does not have it.
  struct Figure {
    std::string allocator;
    std::string_view id;     // "peak_allocated"
    std::string_view title;  // "peak of allocated memory"
    std::optional<int64_t> before, after;
    std::optional<int64_t> delta() const;
  };
  // The memory of a line at the peak of its allocator; nullopt: none.
  struct Owner {
    std::string allocator;
    std::string name;
    std::optional<int64_t> before, after;
    int64_t delta() const { return after.value_or(0) - before.value_or(0); }
  };

  Verdict verdict = Verdict::kUnknown;
  std::string text;     // the verdict in words
  std::string because;  // the lines with most of the change; may be empty
  std::vector<Figure> figures;  // by allocator
  std::vector<Owner> owners;    // that changed, the largest change first
  int64_t owners_as_before = 0;
};

// Returns whether both profiles are memory snapshots.
bool AreSnapshots(const profile::Profile& before,
                  const profile::Profile& after);

MemoryComparison CompareMemory(const profile::Profile& before,
                               const profile::Profile& after);

// Facts, and the tables "figures" and "owners", the second with at most
// `max_rows` rows (0: all). `base` and `name` name the two profiles, and
// `whole` is the command for all rows.
tables::DataDocument MemoryComparisonDocument(
    const MemoryComparison& comparison, std::string_view base,
    std::string_view name, size_t max_rows, const std::string& whole);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_MEMORY_COMPARISON_H_
