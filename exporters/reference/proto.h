// A report as the message that the reference returns: GraphNodeProto (scope,
// graph) or MultiGraphNodeProto (op, code), in the protobuf wire format with
// the field numbers of tfprof_output.proto. Bytes equal the output of the
// reference's serializer; map entries are in ascending order of their keys.
//
// Children are the rows that the report shows, in its order. In op each row is
// the child of the row before it, as in the reference. A row has its own
// numbers even if it is not accounted. Times are microseconds, rounded down.
// Nothing recurses, so a tree may be deeper than a reader of messages accepts.

#ifndef TFPROF_EXPORTERS_REFERENCE_PROTO_H_
#define TFPROF_EXPORTERS_REFERENCE_PROTO_H_

#include "profile/tensor_source.h"
#include "util/files/sink.h"
#include "views/report.h"

namespace tfprof::exporters {

// `tensors` (may be null) has the values for `-select tensor_value`.
void WriteReportProto(const views::Report& report,
                      const profile::TensorSource* tensors, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_PROTO_H_
