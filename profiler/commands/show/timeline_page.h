// The timeline page of a profile: `timeline -output html:outfile=FILE`.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_TIMELINE_PAGE_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_TIMELINE_PAGE_H_

#include "profiler/commands/workspace.h"
#include "profiler/options/options.h"
#include "tables/answer.h"
#include "timeline/ranks/clock_offsets.h"

namespace tfprof::commands {

// One file, with every execution of the step, or of all steps, and what the
// advisor found; times are moved by the offsets of `clocks`. An error if
// nothing ran, or if memory had to be saved.
tables::Answer TimelinePageAnswer(const options::Options& options,
                                  const timeline::ClockOffsets& clocks,
                                  Workspace& workspace);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_TIMELINE_PAGE_H_
