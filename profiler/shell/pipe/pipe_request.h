// A request of the pipe (pipe.h): one line of JSON.
//
//   {"id": 1, "command": "op", "arguments": [], "options": {"step": 3,
//    "select": ["micros", "bytes"]}, "output": "json"}
//
// All but "command" may be left out. "id" is a string, a number, true, false or
// null, of at most kMaxIdBytes; the reply repeats it. Values of "options" are
// strings, numbers, true, false, or arrays of them. "output" is a value of the
// option -output.

#ifndef TFPROF_PROFILER_SHELL_PIPE_PIPE_REQUEST_H_
#define TFPROF_PROFILER_SHELL_PIPE_PIPE_REQUEST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands/structured.h"

namespace tfprof::shell {

inline constexpr size_t kMaxIdBytes = 4096;

struct PipeRequest {
  std::string id = "null";  // as JSON
  std::string command;
  std::vector<std::string> arguments;
  std::vector<commands::GivenOption> options;  // "output" is the last of them
};

// Fills `request`, the id also if there is an error. InvalidArgument says what
// was found and what a request has.
absl::Status ParsePipeRequest(std::string_view line, PipeRequest& request);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_PIPE_PIPE_REQUEST_H_
