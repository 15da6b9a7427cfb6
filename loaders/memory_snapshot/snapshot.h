// Reads a memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot): what
// the caching allocator of each device holds, and what it did before.
//
// A snapshot is a pickle of dictionaries: segments with their blocks, and
// device_traces with the events of each device. It is read, never run
// (loaders/core/pickle_values.h). PyTorch 1.12 wrote the list of segments only;
// PyTorch 1.13 has the requested sizes and stacks in the history of a block.
//
// A stack keeps its Python frames; one without any keeps all of its frames. Its
// operator comes from its C++ frames, which dispatch it
// ("at::_ops::mul_Tensor").
//
// Dropped and counted in the log of the import: events and blocks whose size is
// missing, negative or above AllocatorHistory::kMaxBytes; segments without
// blocks; events of an unknown kind. Blocks that do not cover their segment
// are counted, too.
//
// Errors: InvalidArgument with the byte, for a pickle that is cut off, wants to
// call something, or is no snapshot; Cancelled.
//
// Source: torch/csrc/cuda/memory_snapshot.cpp, torch/cuda/_memory_viz.py, and
// files of torch 1.13 to 2.10.

#ifndef TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_H_
#define TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "profile/profile.h"
#include "profile/tables/allocators.h"
#include "util/run/task_options.h"

namespace tfprof::memory_snapshot {

// Returns whether the file is a pickle with the keys of a snapshot near its
// start.
bool IsSnapshot(std::string_view bytes);

// Returns a history for each device with a segment or an event, by number.
// Stacks are added to `graph`. `notes`: for an account.
absl::StatusOr<profile::Allocators> ReadSnapshot(
    const loaders::InputFile& file, const util::TaskOptions& work,
    profile::GraphTables& graph, loaders::ImportLog& log,
    loaders::ByteNotes* notes = nullptr);

}  // namespace tfprof::memory_snapshot

#endif  // TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_H_
