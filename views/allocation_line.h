// AllocationLine: the line of code that an allocation of memory belongs to, as
// text: "train.py:7:forward". It is the innermost frame of the user's Python,
// else of any Python, else the function that called the allocator. Also the
// text of a whole stack. Stacks are those of `graph`.

#ifndef TFPROF_VIEWS_ALLOCATION_LINE_H_
#define TFPROF_VIEWS_ALLOCATION_LINE_H_

#include <string>

#include "profile/profile.h"
#include "profile/tables/call_stacks.h"

namespace tfprof::views {

// "(no stack)" for kNoStack.
std::string AllocationLine(const profile::GraphTables& graph,
                           profile::StackId stack);

// The frames, the innermost first, with "; " between them; "" for kNoStack.
std::string StackText(const profile::GraphTables& graph,
                      profile::StackId stack);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_ALLOCATION_LINE_H_
