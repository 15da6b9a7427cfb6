// A question to the server: a command with its options, and the part of its
// table to return, both parsed from the query of a URL.
//
//   /api/op?profile=step.pb&order_by=micros&min_micros=5&sort=-self_micros
//
// Options have the same names and values as in the command line
// (options/options.h); options that name files to read or write are refused.
// `argument` is a positional argument and may occur several times.

#ifndef TFPROF_SERVER_QUESTION_H_
#define TFPROF_SERVER_QUESTION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"
#include "server/http/http.h"
#include "server/table_page.h"

namespace tfprof::server {

struct Question {
  std::string profile;  // "" if there is only one
  std::string base;     // "": no comparison
  commands::Command command;
  TablePage page;
};

// True if the server answers the command: it shows a profile, writes nothing,
// and reads nothing except the profile.
bool IsServed(const commands::CommandInfo& command);

// Errors: InvalidArgument, or NotFound if there is no such command.
absl::StatusOr<Question> ParseQuestion(std::string_view command,
                                       const HttpRequest& request);

// The commands and their options as JSON, for pages that offer them.
std::string ServedCatalogJson();

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_QUESTION_H_
