#include "profiler/commands/rows.h"

namespace tfprof {

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
      &kDevicesCommand,
      &kTimelineCommand,
      &kCriticalPathCommand,
      &kKernelsCommand,
      &kRooflineCommand,
      &kFlameCommand,
      &kLanesCommand,
      &kMemoryCommand,
      &kDoctorCommand,
      &kSaveCommand,
      &kLoadCommand,
      &kReloadCommand,
      &kAddCommand,
      &kBaseCommand,
      &kCheckCommand,
      &kConvertCommand,
      &kMcpCommand,
      &kPipeCommand,
      &kServeCommand,
      &kRecordCommand,
      &kExitCommand,
      &kQuitCommand,
  };
  return kCommands;
}

}  // namespace tfprof
