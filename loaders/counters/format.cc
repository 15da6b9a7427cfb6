#include "loaders/counters/format.h"

#include <utility>

#include "loaders/counters/counter_csv.h"

namespace tfprof::counters {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = LooksLikeCounterCsv(bytes) ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  for (const loaders::FormatFile& file : files) {
    auto parsed = ParseCounterCsv(file.path, file.file->bytes(), context.log);
    if (!parsed.ok()) return parsed.status();
    context.counter_files.push_back(*std::move(parsed));
  }
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation*) {
  loaders::ImportLog log;
  loaders::ByteNotes notes;
  if (!ParseCounterCsv(file.path(), file.bytes(), log, &notes).ok()) {
    notes.Note(loaders::ByteNotes::kDamaged, 0, file.bytes().size());
  }
  return notes.Account(file.bytes());
}

}  // namespace

const loaders::Format kCountersFormat = {
    .name = "CSV of kernel counters",
    .flag = "counters_path",
    .value_name = "CSV,…",
    .help =
        "GPU counters of the kernels of a CTF trace, as CSV of CodeXL, RCP, "
        "rocprof or rocprofv3.",
    .flag_takes_list = true,
    .role = loaders::Role::kExtra,
    // Loaded before the trace that has the kernels.
    .order = 5,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::counters
