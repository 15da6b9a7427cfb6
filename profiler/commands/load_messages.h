// What a person is told about files that were read.

#ifndef TFPROF_PROFILER_COMMANDS_LOAD_MESSAGES_H_
#define TFPROF_PROFILER_COMMANDS_LOAD_MESSAGES_H_

#include "loaders/load.h"
#include "profiler/shell/ui.h"

namespace tfprof {

// What was met while reading: notes, and damage.
void TellImportLog(const ImportLog& log, Ui& ui);

// The same after how much of the graph each run metadata covers.
void TellLoading(const Loaded& loaded, Ui& ui);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_LOAD_MESSAGES_H_
