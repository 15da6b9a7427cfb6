// Loads sessions of traces: folders or zip archives of RunMetadata, XSpace and
// Kineto files with their facts (g3doc/formats/session.md).
//
// Each RunMetadata is a step. It has the number of the trace if this is free,
// and its name has the kind of run and the number of its execution. Ranks, and
// the processes of several sessions, have their own lanes; steps with the same
// name are the same step on several of them. The graphs that these traces name
// are loaded too.
//
// Traces of other kinds count times by other rules. The log lists them with the
// path that opens them. If a session only has such traces, the newest one is
// loaded.
//
// Damaged or missing files are logged, and the rest is loaded. An error means
// that no trace was usable.

#ifndef TFPROF_LOADERS_SESSION_LOAD_H_
#define TFPROF_LOADERS_SESSION_LOAD_H_

#include <span>

#include "absl/status/status.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/format.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "util/run/cancellation.h"

namespace tfprof::session {

absl::Status LoadSessions(std::span<const loaders::FormatFile> files,
                          loaders::LoadContext& context);

// For Format::account_all.
loaders::SourceAccount AccountSession(const loaders::InputFile& file,
                                      const util::Cancellation* cancellation);

}  // namespace tfprof::session

#endif  // TFPROF_LOADERS_SESSION_LOAD_H_
