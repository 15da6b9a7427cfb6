// The commands as tools of the Model Context Protocol, made from the table of
// commands (commands/commands.h) and that of options.
//
// A tool is a command that shows a profile, so no tool writes anything. Its
// input has "profile" (a file of the folder that the server offers), a property
// for each option of the command that says what is shown, and "arguments" where
// the command takes words. Lists are arrays of strings.

#ifndef TFPROF_PROFILER_MCP_TOOLS_H_
#define TFPROF_PROFILER_MCP_TOOLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"

namespace tfprof::mcp {

// Whether the command is a tool.
bool IsTool(const commands::CommandInfo& command);

// Whether a question to a server may have the option: it says what is shown.
bool IsToolOption(const commands::CommandInfo& command,
                  const options::Option& option);
// Returns the end of the error about `name`, which is none of these options and
// none of `others`: "; did you mean …?", or "".
std::string ToolOptionHint(const commands::CommandInfo& command,
                           std::string_view name,
                           std::vector<std::string> others);

// The tools as an array of JSON, for tools/list. `one_profile`: the server has
// one profile only, so "profile" may be left out.
std::string ToolsJson(bool one_profile);

struct ToolCall {
  std::string profile;  // ""; not given
  commands::Command command;
};

// A call of `name` with the JSON object `arguments` ("" is an empty one).
// InvalidArgument with a sentence for the caller.
absl::StatusOr<ToolCall> ParseToolCall(std::string_view name,
                                       std::string_view arguments);

}  // namespace tfprof::mcp

#endif  // TFPROF_PROFILER_MCP_TOOLS_H_
