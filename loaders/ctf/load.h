// Loads CTF traces into a profile.
//
// Steps are the sessions of TensorFlow, by their number; a trace without
// sessions is one step. What ran outside of all sessions is in kOutsideSteps.
// Ops are executions on the lanes of their devices, kernels of an op are
// executions of its node on "/device:gpu:0/stream:all", and kernels and copies
// of no op are executions outside of groups. An op begins where the executor
// began to work for it (inline_ready_entry), as in run metadata.
//
// Clocks of several hosts are brought together where tensors went both ways.
// LoadContext::ctf_trace reads what the trace says beyond the profile.

#ifndef TFPROF_LOADERS_CTF_LOAD_H_
#define TFPROF_LOADERS_CTF_LOAD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

absl::Status LoadCtf(const std::vector<std::string>& metadata_paths,
                     LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CTF_LOAD_H_
