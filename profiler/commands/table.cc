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
      &kDevicesCommand,
      &kKernelsCommand,
      &kRooflineCommand,
      &kTimelineCommand,
      &kDoctorCommand,
      &kSaveCommand,
      &kLoadCommand,
      &kReloadCommand,
      &kBaseCommand,
      &kCheckCommand,
      &kConvertCommand,
      &kMcpCommand,
      &kExitCommand,
      &kQuitCommand,
  };
  return kCommands;
}

}  // namespace tfprof
