// Finds what must be replaced in a file of protobuf messages: XPlane,
// RunMetadata, GraphDef, ProfileProto, a saved trace, pprof, Perfetto, ONNX.
//
// The messages are walked without their types, so that fields that this program
// does not know are searched too. A field with a length is a message if its
// bytes are one and are no plain text; other text is a string. The lengths of
// the messages around a changed string are changed with it. Bytes that are
// neither text nor a message stay.

#ifndef TFPROF_EXPORTERS_REDACT_WIRE_H_
#define TFPROF_EXPORTERS_REDACT_WIRE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "exporters/redact/edits.h"
#include "exporters/redact/redactor.h"
#include "util/run/cancellation.h"

namespace tfprof::exporters {

// A field whose strings have a meaning, by the numbers of the fields from the
// file to it; 0: there are no more.
struct WireField {
  std::array<uint32_t, 6> path = {};
  FieldMeaning meaning = FieldMeaning::kText;
};

// InvalidArgument: damage, and its byte. Nothing behind it can be searched.
// Cancelled; `cancellation` may be null.
absl::StatusOr<std::vector<Edit>> RedactWire(
    std::string_view bytes, std::span<const WireField> fields,
    Redactor& redactor, const util::Cancellation* cancellation = nullptr);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_WIRE_H_
