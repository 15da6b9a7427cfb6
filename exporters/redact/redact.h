// Redaction: what must be replaced in a file of any input format, so that the
// file can be shown to others.
//
//   auto redaction = Redact(*file, {.names = false});
//   if (!redaction.ok()) return redaction.status();
//   for (PrivateKind kind : …) redaction->redactor.found(kind).count …
//   WriteEdited(file->bytes(), redaction->edits, sink);
//
// The format decides how: JSON and text in place, protobuf with the lengths of
// messages. Other formats cannot be changed without losing data, and are
// refused; Look() counts what is in them anyway. A pickle is never executed.

#ifndef TFPROF_EXPORTERS_REDACT_REDACT_H_
#define TFPROF_EXPORTERS_REDACT_REDACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exporters/redact/edits.h"
#include "exporters/redact/redactor.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::exporters {

struct Redaction {
  Redactor redactor;
  std::vector<Edit> edits;
};

struct RedactOptions {
  bool names = false;  // of what the author of the program named, in Kineto
};

// Errors name the file, the byte and what to do. InvalidArgument: damage, or a
// format that tfprof does not read. FailedPrecondition: a format that cannot be
// redacted, or a token where nothing can be replaced.
absl::StatusOr<Redaction> Redact(const loaders::InputFile& file,
                                 const RedactOptions& options);

// What the file gives away, for any file: where Redact() fails, what its bytes
// contain as plain text. The answer is incomplete after a cancellation, which
// may be null.
Redactor Look(const loaders::InputFile& file,
              const util::Cancellation* cancellation = nullptr);

// "2 tokens (hf_A…), a host name (n…)"; "" if there is nothing.
std::string FoundText(const Redactor& redactor);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_REDACT_H_
