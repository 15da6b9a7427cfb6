// Finds what must be replaced in a JSON file: a trace of Kineto, Chrome or ONNX
// Runtime, a dump of a flight recorder, the JSON of rocprofv3.
//
// Strings are replaced in place; all other bytes stay, also those that are
// unusual. The meaning of a string follows from the names of the members that
// it is in: "env" has variables, "host_name" a host. The file is read once, and
// memory is in proportion to what is replaced and to the depth of brackets.

#ifndef TFPROF_EXPORTERS_REDACT_JSON_H_
#define TFPROF_EXPORTERS_REDACT_JSON_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "exporters/redact/edits.h"
#include "exporters/redact/redactor.h"
#include "util/run/cancellation.h"

namespace tfprof::exporters {

// `names`: the names that the program's author chose are replaced too, in
// events of Kineto: ranges, modules, functions of Python and their files.
// InvalidArgument: what is not JSON, and its byte. Nothing behind it can be
// searched. Cancelled; `cancellation` may be null.
absl::StatusOr<std::vector<Edit>> RedactJson(
    std::string_view bytes, bool names, Redactor& redactor,
    const util::Cancellation* cancellation = nullptr);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_JSON_H_
