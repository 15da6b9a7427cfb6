#include "loaders/flight_recorder/format.h"

#include <utility>

#include "accounting/self_time_rules.h"
#include "loaders/core/byte_notes.h"
#include "loaders/flight_recorder/dump.h"
#include "util/json/json_reader.h"

namespace tfprof::flight_recorder {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  const bool fits = IsPickledDump(bytes) || IsJsonDump(bytes);
  return {.score = fits ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  DumpReader reader(context.log);
  absl::Status first;  // the error of the first damaged dump
  size_t damaged = 0;
  for (const loaders::FormatFile& file : files) {
    const absl::Status status = reader.Add(*file.file, context.work);
    if (absl::IsCancelled(status)) return status;
    if (!status.ok()) {
      if (damaged++ == 0) first = status;
      reader.AddDamaged(file.path, status);
    }
    if (!status.ok() || reader.skipped()) {
      context.left_out[file.path] = loaders::ByteNotes::kDamaged;
    }
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
  }
  if (damaged == files.size()) return first;
  context.builder.SetCollectiveRecords(std::move(reader).Take());
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  loaders::ImportLog log;
  loaders::ByteNotes notes;
  util::TaskOptions work;
  work.cancellation = cancellation;
  if (!DumpReader(log).Add(file, work, &notes).ok()) {
    notes.Note(loaders::ByteNotes::kDamaged, 0, file.bytes().size());
  }
  return notes.Account(file.bytes(), IsPickledDump(file.bytes())
                                         ? nullptr
                                         : util::CountJsonSpaces);
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
    .damaged_files_count = true,
    .order = 20,
    .rules = accounting::SelfTimeRules,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::flight_recorder
