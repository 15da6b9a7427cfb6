// Source: the lines of a program with the time of the nodes that they made.
//
// Accounted as in the code view: a line's own time is that of the nodes whose
// innermost call is on it, its total that of all nodes that were made below it,
// once each where a line calls itself. Nodes of gradients count for the line of
// their forward node.
//
// The profile names the files. The caller decides which of them may be opened,
// by a value (util/source_files.h).

#ifndef TFPROF_INSPECT_SOURCE_H_
#define TFPROF_INSPECT_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "util/source_files.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof {

// The text of a line of Python; "" if the log has none (TensorFlow then writes
// "none").
std::string_view SourceText(const Profile& profile, const Frame& frame);

// "train.py", "model/train.py:120".
struct SourceRequest {
  std::string file;
  int64_t line = 0;  // 0: the whole file
};
SourceRequest ParseSourceRequest(std::string_view text);

// The lines of the file whose path ends in `request.file`: those with time and
// some around them, or those around `request.line`. Text comes from the file:
// the path of the call stacks is read from `files`, or else the path of the
// request. If neither can be read, the text is that of the call stacks, and the
// fact "note" says why. It also says if the file has changed. It uses the step
// and the account types of `options`.
//
// FailedPrecondition: no call stacks. NotFound: no such file, with the nearest;
// InvalidArgument: several.
absl::StatusOr<DataTable> SourceTable(Views& views,
                                      const SourceRequest& request,
                                      const ViewOptions& options,
                                      const SourceFiles& files);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_SOURCE_H_
