// A question to the server: a command with its options, made of the query of an
// address, and the part of its table that is wanted.
//
//   /api/op?profile=step.pb&order_by=micros&min_micros=5&sort=-self_micros
//
// Options have their names and values of the command line (options/options.h);
// those that say where an answer goes or which files it reads are refused.
// `argument` is a plain word and may be there several times.

#ifndef TFPROF_SERVER_QUESTION_H_
#define TFPROF_SERVER_QUESTION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"
#include "server/http.h"
#include "server/table_page.h"

namespace tfprof {

struct Question {
  std::string profile;  // "": the only one
  std::string base;     // "": nothing to compare with
  Command command;
  TablePage page;
};

// Whether the server answers the command: it shows a profile, writes nothing,
// and reads nothing but the profile.
bool IsServed(const CommandInfo& command);

// InvalidArgument; NotFound: no such command.
absl::StatusOr<Question> ParseQuestion(std::string_view command,
                                       const HttpRequest& request);

// The commands and their options as JSON, for pages that offer them.
std::string ServedCatalogJson();

}  // namespace tfprof

#endif  // TFPROF_SERVER_QUESTION_H_
