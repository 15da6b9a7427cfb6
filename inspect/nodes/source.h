// Source: the lines of a program with the time of the nodes that they made.
//
// The accounting equals the code view's: the own time of a line is the time of
// the nodes whose innermost call is on it; its total is the time of all nodes
// that were made below it, counted once if a line calls itself. Nodes of
// gradients count for the line of their forward node.
//
// The profile names the files. The caller passes a value that says which of
// them may be opened (util/files/source_files.h).

#ifndef TFPROF_INSPECT_NODES_SOURCE_H_
#define TFPROF_INSPECT_NODES_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "util/files/source_files.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::inspect {

// The text of a Python line; "" if the log has none (TensorFlow then writes
// "none").
std::string_view SourceText(const profile::Profile& profile,
                            const profile::Frame& frame);

// "train.py", "model/train.py:120".
struct SourceRequest {
  std::string file;
  int64_t line = 0;  // 0: the whole file
};
SourceRequest ParseSourceRequest(std::string_view text);

// The lines of the file whose path ends in `request.file`: lines with time and
// some around them, or the lines around `request.line`. The text comes from the
// file: first from the path in the call stacks, then from the path in the
// request, both read through `files`. If neither can be read, the text comes
// from the call stacks, and the fact "note" explains why. The note also says if
// the file has changed. The table uses the step and the account types of
// `options`.
//
// FailedPrecondition: no call stacks. NotFound: no such file, with the nearest
// names. InvalidArgument: several files match.
absl::StatusOr<tables::DataTable> SourceTable(views::Views& views,
                                              const SourceRequest& request,
                                              const views::ViewOptions& options,
                                              const util::SourceFiles& files);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_SOURCE_H_
