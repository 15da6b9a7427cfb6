#include "loaders/memory_snapshot/format.h"

#include <utility>

#include "accounting/self_time_rules.h"
#include "fmt/format.h"
#include "loaders/memory_snapshot/snapshot.h"
#include "loaders/memory_snapshot/snapshot_nodes.h"
#include "profile/steps/time_column.h"

namespace tfprof::memory_snapshot {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = IsSnapshot(bytes) ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  profile::Allocators all;
  for (const loaders::FormatFile& file : files) {
    absl::StatusOr<profile::Allocators> read = ReadSnapshot(
        *file.file, context.work, context.builder.mutable_graph(), context.log);
    if (!read.ok()) return read.status();
    for (profile::AllocatorHistory& history : *read) {
      if (files.size() > 1) {
        history.name = fmt::format(
            "{} {}", file.path.substr(file.path.rfind('/') + 1), history.name);
      }
      all.push_back(std::move(history));
    }
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
  }
  // Nothing was reserved: the first device has no segment.
  if (all.empty()) all.push_back({.name = "gpu:0"});
  AddSnapshotNodes(all, context);
  context.builder.SetAllocators(std::move(all));
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  loaders::LoadContext context;
  context.work.cancellation = cancellation;
  loaders::ByteNotes notes;
  if (!ReadSnapshot(file, context.work, context.builder.mutable_graph(),
                    context.log, &notes)
           .ok()) {
    notes.Note(loaders::ByteNotes::kDamaged, 0, file.bytes().size());
  }
  return notes.Account(file.bytes());
}

}  // namespace

const loaders::Format kMemorySnapshotFormat = {
    .name = "PyTorch memory snapshot",
    .flag = "snapshot_path",
    .value_name = "SNAPSHOT,…",
    .help =
        "Memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot). They "
        "are read, never run.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 22,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = profile::kNanosPerMicro,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::memory_snapshot
