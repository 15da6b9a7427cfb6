// The rows of the command table, one for each command, in the file that
// answers it. table.cc lists them.

#ifndef TFPROF_PROFILER_COMMANDS_ROWS_H_
#define TFPROF_PROFILER_COMMANDS_ROWS_H_

#include "profiler/commands/commands.h"

namespace tfprof {

// The options of every command that answers with a table or a document.
inline constexpr unsigned kTableOptions = kOutputOptions | kColorOption;

extern const CommandInfo kScopeCommand;
extern const CommandInfo kGraphCommand;
extern const CommandInfo kCodeCommand;
extern const CommandInfo kOpCommand;
extern const CommandInfo kAdviseCommand;
extern const CommandInfo kSetCommand;
extern const CommandInfo kHelpCommand;
extern const CommandInfo kOverviewCommand;
extern const CommandInfo kExplainCommand;
extern const CommandInfo kStatusCommand;
extern const CommandInfo kCdCommand;
extern const CommandInfo kUpCommand;
extern const CommandInfo kPwdCommand;
extern const CommandInfo kLsCommand;
extern const CommandInfo kTopCommand;
extern const CommandInfo kShowCommand;
extern const CommandInfo kPeekCommand;
extern const CommandInfo kListCommand;
extern const CommandInfo kStepsCommand;
extern const CommandInfo kAverageCommand;
extern const CommandInfo kSkewCommand;
extern const CommandInfo kDevicesCommand;
extern const CommandInfo kTimelineCommand;
extern const CommandInfo kCriticalPathCommand;
extern const CommandInfo kKernelsCommand;
extern const CommandInfo kRooflineCommand;
extern const CommandInfo kFlameCommand;
extern const CommandInfo kLanesCommand;
extern const CommandInfo kMemoryCommand;
extern const CommandInfo kDoctorCommand;
extern const CommandInfo kSaveCommand;
extern const CommandInfo kLoadCommand;
extern const CommandInfo kReloadCommand;
extern const CommandInfo kAddCommand;
extern const CommandInfo kBaseCommand;
extern const CommandInfo kCheckCommand;
extern const CommandInfo kConvertCommand;
extern const CommandInfo kMcpCommand;
extern const CommandInfo kPipeCommand;
extern const CommandInfo kServeCommand;
extern const CommandInfo kRecordCommand;
extern const CommandInfo kTuiCommand;
extern const CommandInfo kExitCommand;
extern const CommandInfo kQuitCommand;

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_ROWS_H_
