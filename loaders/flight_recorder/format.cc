#include "loaders/flight_recorder/format.h"

#include <utility>

#include "accounting/self_time_rules.h"
#include "loaders/flight_recorder/dump.h"

namespace tfprof::flight_recorder {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  const bool fits = IsPickledDump(bytes) || IsJsonDump(bytes);
  return {.score = fits ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  DumpReader reader(context.log);
  for (const loaders::FormatFile& file : files) {
    absl::Status status = reader.Add(*file.file, context.work);
    if (!status.ok()) return status;
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
  }
  context.builder.SetCollectiveRecords(std::move(reader).Take());
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kFlightRecorderFormat = {
    .name = "flight recorder dump",
    .flag = "flight_recorder_path",
    .value_name = "DUMP,…",
    .help =
        "Dumps of PyTorch's flight recorder, pickles or JSON: the collectives "
        "that a job called, a file for each rank.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 20,
    .rules = accounting::SelfTimeRules,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof::flight_recorder
