#include "profiler/commands/commands.h"

namespace tfprof::commands {

// Each is defined in the file that answers the command.
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
extern const CommandInfo kWhatIfCommand;
extern const CommandInfo kDevicesCommand;
extern const CommandInfo kTimelineCommand;
extern const CommandInfo kCriticalPathCommand;
extern const CommandInfo kKernelsCommand;
extern const CommandInfo kRooflineCommand;
extern const CommandInfo kFlameCommand;
extern const CommandInfo kLanesCommand;
extern const CommandInfo kMemoryCommand;
extern const CommandInfo kCompilesCommand;
extern const CommandInfo kCollectivesCommand;
extern const CommandInfo kRowsCommand;
extern const CommandInfo kDoctorCommand;
extern const CommandInfo kSaveCommand;
extern const CommandInfo kLoadCommand;
extern const CommandInfo kReloadCommand;
extern const CommandInfo kAddCommand;
extern const CommandInfo kBaseCommand;
extern const CommandInfo kDiffCommand;
extern const CommandInfo kUnsetCommand;
extern const CommandInfo kHistoryCommand;
extern const CommandInfo kClearCommand;
extern const CommandInfo kCheckCommand;
extern const CommandInfo kConvertCommand;
extern const CommandInfo kRedactCommand;
extern const CommandInfo kMcpCommand;
extern const CommandInfo kPipeCommand;
extern const CommandInfo kServeCommand;
extern const CommandInfo kRecordCommand;
extern const CommandInfo kTuiCommand;
extern const CommandInfo kExitCommand;
extern const CommandInfo kQuitCommand;

std::span<const CommandInfo* const> CommandTable() {
  static constexpr const CommandInfo* kCommands[] = {
      // The reference's.
      &kScopeCommand,
      &kGraphCommand,
      &kCodeCommand,
      &kOpCommand,
      &kAdviseCommand,
      &kSetCommand,
      &kHelpCommand,
      // Ours.
      &kOverviewCommand,
      &kTuiCommand,
      &kExplainCommand,
      &kStatusCommand,
      &kCdCommand,
      &kUpCommand,
      &kPwdCommand,
      &kLsCommand,
      &kTopCommand,
      &kShowCommand,
      &kPeekCommand,
      &kListCommand,
      &kStepsCommand,
      &kAverageCommand,
      &kSkewCommand,
      &kWhatIfCommand,
      &kDevicesCommand,
      &kTimelineCommand,
      &kCriticalPathCommand,
      &kKernelsCommand,
      &kRooflineCommand,
      &kFlameCommand,
      &kLanesCommand,
      &kMemoryCommand,
      &kCompilesCommand,
      &kCollectivesCommand,
      &kRowsCommand,
      &kDoctorCommand,
      &kSaveCommand,
      &kLoadCommand,
      &kReloadCommand,
      &kAddCommand,
      &kBaseCommand,
      &kDiffCommand,
      &kCheckCommand,
      &kConvertCommand,
      &kRedactCommand,
      &kMcpCommand,
      &kPipeCommand,
      &kServeCommand,
      &kRecordCommand,
      &kUnsetCommand,
      &kHistoryCommand,
      &kClearCommand,
      &kExitCommand,
      &kQuitCommand,
  };
  return kCommands;
}

}  // namespace tfprof::commands
