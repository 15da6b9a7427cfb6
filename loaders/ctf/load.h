// Loads CTF traces into a profile.
//
// Steps are the sessions of TensorFlow, with their numbers; a trace without
// sessions is one step. Work outside of all sessions is in kOutsideSteps. Ops
// are executions on the lanes of their devices. The kernels of an op are
// executions of its node on "/device:gpu:0/stream:all". Kernels and copies
// without an op are executions outside of groups. An op begins when the
// executor began to work for it (inline_ready_entry), as in run metadata.
//
// The clocks of several hosts are aligned if tensors went both ways between
// them. LoadContext::ctf_trace reads the parts of the trace that are not in the
// profile.

#ifndef TFPROF_LOADERS_CTF_LOAD_H_
#define TFPROF_LOADERS_CTF_LOAD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "util/run/cancellation.h"

namespace tfprof::ctf {

absl::Status LoadCtf(const std::vector<std::string>& metadata_paths,
                     loaders::LoadContext& context);

// For Format::account_all: the files of the folder that could be streams, and
// their indexes. Events that no report uses are of no use.
loaders::SourceAccount AccountCtf(const loaders::InputFile& metadata,
                                  const util::Cancellation* cancellation);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LOAD_H_
