// Loads sessions of traces: folders or zip archives of RunMetadata, XSpace and
// Kineto files with their facts (g3doc/formats/session.md).
//
// Each RunMetadata is a step. Its number is that of the trace where this is
// free, and its name has the kind of run and which execution of it that was.
// Ranks, and the processes of several sessions, have lanes of their own; steps
// of one name are the same step on several of them. The graphs that these
// traces name are loaded with them.
//
// Times of other kinds of traces are counted by other rules. They are listed in
// the log with the path that opens them; a session of them alone is its newest
// one.
//
// What is damaged or missing is said in the log, and the rest is loaded. An
// error means that no trace was usable.

#ifndef TFPROF_LOADERS_SESSION_LOAD_H_
#define TFPROF_LOADERS_SESSION_LOAD_H_

#include <span>

#include "absl/status/status.h"
#include "loaders/format.h"
#include "loaders/load_context.h"

namespace tfprof {

absl::Status LoadSessions(std::span<const FormatFile> files,
                          LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SESSION_LOAD_H_
