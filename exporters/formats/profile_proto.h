// Saves a profile as one ProfileProto (proto/tfprof_log.proto), which
// TensorFlow's ProfileContext writes and --profile_path reads.
//
// It writes everything that the format can hold: nodes with inputs, shapes,
// types, call stacks and attributes, and the executions, memory and allocations
// of each step. Inputs without a source, real output indices, counters of
// kernels and executions that the sums do not count are in our own extension
// fields, which the reference skips. Trace
// strings get new ids, where 0 is "none" as in Python's logs; an unknown string
// becomes "<unknown>", because the reference crashes on an id that is not in
// the table. Not written, because the format has no field for them: executions
// outside the accounting (step.h), labels, threads, and the other tables of
// Profile::OptionalTables. If names repeat across modules, each is written with
// its module in front.
//
// Units: microseconds, bytes. It is written node by node: memory does not grow
// with the profile. The bytes depend only on the profile: maps are in ascending
// order of their keys. Errors: ResourceExhausted if one node exceeds the 2 GiB
// of a protobuf message (the file itself may be of any size, though the
// reference reads no more than 2 GiB); errors of writing come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_PROFILE_PROTO_H_
#define TFPROF_EXPORTERS_FORMATS_PROFILE_PROTO_H_

#include "absl/status/status.h"
#include "profile/profile.h"
#include "util/files/sink.h"
#include "util/run/task_options.h"

namespace tfprof::exporters {

absl::Status WriteProfileProto(const profile::Profile& profile,
                               util::Sink& sink,
                               const util::TaskOptions& work = {});

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_PROFILE_PROTO_H_
