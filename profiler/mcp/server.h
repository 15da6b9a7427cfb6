// A server of the Model Context Protocol: commands as tools for a program that
// reads text, over lines of JSON-RPC 2.0 on stdin and stdout.
//
//   McpServer server("profiles/");
//   for each line: std::string reply = server.Handle(line);
//
// It reads profiles below one folder, or one file, and writes nothing. A path
// in a call is relative to the folder; one that leads out of it, also by a
// symbolic link, is refused. The last few profiles stay open, and are loaded
// again when their file changes.
//
// An answer is text in the form of -agent, of at most -budget tokens; what
// is cut off is said with its size. Errors of a command are results with
// "isError", errors of the protocol JSON-RPC errors. Protocol: revision
// 2025-06-18; older revisions that a client names are spoken too, because the
// messages here are the same in them.

#ifndef TFPROF_PROFILER_MCP_SERVER_H_
#define TFPROF_PROFILER_MCP_SERVER_H_

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/commands/files/profile_shelf.h"
#include "profiler/mcp/tools.h"

namespace tfprof::mcp {

class McpServer {
 public:
  // `root` is a folder, or a file. Source files are read below `source_paths`
  // only.
  explicit McpServer(std::string root,
                     std::vector<std::string> source_paths = {});

  // The reply to a line, without a newline; "" for a notification.
  std::string Handle(std::string_view line);

 private:
  std::string Call(std::string_view params, bool& invalid);
  std::string ListProfiles() const;

  commands::ProfileShelf shelf_;
  std::vector<std::string> source_paths_;
};

// Serves until the end of `in`. Lines of more than 4 MB are refused.
void ServeMcp(McpServer& server, std::FILE* in, std::FILE* out);

}  // namespace tfprof::mcp

#endif  // TFPROF_PROFILER_MCP_SERVER_H_
