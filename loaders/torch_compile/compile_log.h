// Reads the structured log of torch.compile, which TORCH_TRACE=DIR writes.
//
// A record is a line: a prefix of the logger ("V1124 03:13:15.404 … ]"), and a
// JSON object that names its kind and, in most records, the compilation
// (frame_id, frame_compile_id, attempt). The lines that follow and begin with a
// tab, and empty lines between them, are its payload: text, or JSON. A record
// {"str": [TEXT, NUMBER]} defines a number for the name of a file. Lines may
// end with CR LF.
//
// Read are: dynamo_start (function and line), compilation_metrics (duration,
// failure, restarts), the artifacts about graph breaks, recompilations and
// caches, and chromium_event (phases of the compiler, as events of Chrome's
// format; their times are doubles in µs, exact to about 0.25 µs). Other records
// only show that a compilation exists.
//
// Damaged records (no JSON, an id that is no count, a missing payload) are
// dropped and counted in the log of the import, with their byte offset. The
// digest of a payload is not checked, so that a payload which is cut off at the
// end of the file is not noticed unless it is JSON.
//
// Source: files of torch 2.3 to 2.15, and torch/_logging/_internal.py.

#ifndef TFPROF_LOADERS_TORCH_COMPILE_COMPILE_LOG_H_
#define TFPROF_LOADERS_TORCH_COMPILE_COMPILE_LOG_H_

#include <string_view>

#include "absl/status/status.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "profile/tables/compile_logs.h"
#include "util/run/cancellation.h"

namespace tfprof::torch_compile {

// Returns whether a record of such a log is near the start.
bool IsCompileLog(std::string_view bytes);

// Adds the content of `file` to `logs`, as its last log. `cancellation` may be
// null. InvalidArgument: no record could be read. Cancelled: `logs` is then
// incomplete. `notes`: for an account.
absl::Status ReadCompileLog(const loaders::InputFile& file,
                            const util::Cancellation* cancellation,
                            profile::CompileLogs& logs,
                            loaders::ImportLog& import_log,
                            loaders::ByteNotes* notes = nullptr);

}  // namespace tfprof::torch_compile

#endif  // TFPROF_LOADERS_TORCH_COMPILE_COMPILE_LOG_H_
