// What -output and -agent ask of the answer of a command, in terms of
// tables/answer_writer.h.

#ifndef TFPROF_PROFILER_DATA_OUTPUT_H_
#define TFPROF_PROFILER_DATA_OUTPUT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands.h"
#include "profiler/ui.h"

namespace tfprof {

// The word of a format that every answer has; nullopt: the type is none.
std::optional<std::string_view> DataFormatOf(OutputSpec::Type type);

// stdout was not told to get another format, and is for a reader of Markdown,
// or for a person who looks at it: the default is then not the text of the
// reference.
bool HasOtherDefault(const Options& options, const Ui& ui);

// The options that choose other rows of the command's answer, or fewer.
std::vector<std::string> NarrowingOptions(const Command& command);

// Not OK: -output is nothing that a table can be.
absl::Status CheckOutput(const Command& command, bool has_junit = false);

// Whether stdout gets colours.
bool Colored(const Options& options, const Screen& screen);

// A status as the line that a program gets on stderr:
// {"error":{"code":"NOT_FOUND","message":…}}
std::string ErrorJson(const absl::Status& status);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_DATA_OUTPUT_H_
