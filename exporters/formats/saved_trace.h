// Saves the profile of a trace in one file (loaders/saved_trace/fields.h),
// which opens again with everything that the views show: modules, scopes, call
// stacks, lanes, times in the ticks of the profile, links, counters, intervals
// of steps, and the texts and arguments of executions.
//
// It is for profiles whose times are self times (GraphTables::self_times);
// others are saved as a ProfileProto. Not written: names of devices that are
// not lanes, and details of memory, which traces lack.
//
// The bytes depend only on the profile. Memory grows with the strings, and with
// the largest step. Errors come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_SAVED_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_SAVED_TRACE_H_

#include "absl/status/status.h"
#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

absl::Status WriteSavedTrace(const profile::Profile& profile, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_SAVED_TRACE_H_
