// The files that a view can be written to for other programs: timelines for
// chrome://tracing and profiles for pprof. Messages are the reference's.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_VIEW_FILES_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_VIEW_FILES_H_

#include <string_view>

#include "profiler/commands/workspace.h"
#include "profiler/options/options.h"
#include "tables/answer.h"
#include "views/options.h"

namespace tfprof::commands {

inline constexpr std::string_view kCodeIgnoresDisplayedOnly =
    "Note: code view ignores account_displayed_op_only";

// The graph view writes real times, which an average does not have: without
// -step it writes a file for each step. For a person it has all executions,
// unless -max_depth is given; otherwise a note says how many it has.
tables::Answer TimelineAnswer(views::View view, const options::Options& options,
                              Workspace& workspace);

tables::Answer PprofAnswer(views::View view, const options::Options& options,
                           Workspace& workspace);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_VIEW_FILES_H_
