// What of a recording goes into files and pages for others.
//
// Homes of users are "~" there, and names of hosts are left out, or "host1",
// "host2" if there are several. Environments and command lines are not in a
// profile at all. Reports for the user himself keep what the file has.

#ifndef TFPROF_PROFILER_COMMANDS_SHAREABLE_H_
#define TFPROF_PROFILER_COMMANDS_SHAREABLE_H_

#include <memory>

#include "profiler/commands/commands.h"
#include "profiler/commands/workspace.h"

namespace tfprof::commands {

// Whether the command writes for others, and the user has not asked to keep all
// (-keep_environment).
bool IsForOthers(const Command& command);

// Returns the profile without homes and hosts. Numbers, order and ids are the
// same; views are computed again.
std::shared_ptr<OpenProfile> Shareable(
    const std::shared_ptr<OpenProfile>& opened, const util::TaskOptions& work);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHAREABLE_H_
