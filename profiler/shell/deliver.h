// Delivery: where an Answer goes. The one place that combines -output, the
// screen, the pager and the files with the writers of
// tables/writers/answer_writer.h.

#ifndef TFPROF_PROFILER_SHELL_DELIVER_H_
#define TFPROF_PROFILER_SHELL_DELIVER_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "tables/answer.h"

namespace tfprof::shell {

// Sentences of introductions that a person has seen already.
using SeenSentences = std::set<std::string, std::less<>>;

// Writes `answer` to where `command` asks for. Errors are reported to `ui` and
// returned; so is the answer's own status, which is reported unless it is a
// verdict (commands.h: Run). CANCELLED, without a message, when
// the person cancelled it. If the files from which the answer comes have
// changed (`intact`), that is the error, and no file is written.
absl::Status Deliver(tables::Answer answer, const commands::Command& command,
                     SeenSentences& seen, Ui& ui,
                     const commands::IntactFiles& intact = {});

// The text of an error for a person: a sentence. With `reference`, messages of
// libraries and names follow their code, as the reference writes them.
std::string ErrorText(const absl::Status& status, bool reference);

// Reports an error with the text `words`, or, for an agent, as the line
// {"error":{"code":"NOT_FOUND","message":…}}.
void ReportError(const absl::Status& status, std::string_view words, bool agent,
                 Ui& ui);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_DELIVER_H_
