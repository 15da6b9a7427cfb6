// AllocationLine: the line of code that an allocation of memory belongs to, as
// text: "train.py:7:forward". It is the innermost frame of the user's Python,
// else of any Python, else the function that called the allocator. Also the
// text of a whole stack. Stacks are those of `graph`.

#ifndef TFPROF_VIEWS_ALLOCATION_LINE_H_
#define TFPROF_VIEWS_ALLOCATION_LINE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accounting/allocator_levels.h"
#include "profile/profile.h"
#include "profile/tables/call_stacks.h"

namespace tfprof::views {

// "(no stack)" for kNoStack.
std::string AllocationLine(const profile::GraphTables& graph,
                           profile::StackId stack);

struct LineBytes {
  std::string line;
  int64_t bytes = 0;
};

// The lines of memory, the most bytes first. Several stacks may be of one line.
std::vector<LineBytes> BytesByLine(
    const profile::GraphTables& graph,
    std::span<const accounting::HeldMemory> held);

// The first of them; nullopt if most of the memory has no stack, because it was
// allocated before the recording began.
std::optional<LineBytes> LargestLine(
    const profile::GraphTables& graph,
    std::span<const accounting::HeldMemory> held);

// The frames, the innermost first, with "; " between them; "" for kNoStack.
std::string StackText(const profile::GraphTables& graph,
                      profile::StackId stack);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_ALLOCATION_LINE_H_
