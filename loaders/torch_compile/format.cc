#include "loaders/torch_compile/format.h"

#include <utility>

#include "accounting/self_time_rules.h"
#include "loaders/torch_compile/compile_log.h"

namespace tfprof::torch_compile {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = IsCompileLog(bytes) ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  profile::CompileLogs logs;
  for (const loaders::FormatFile& file : files) {
    absl::Status read = ReadCompileLog(*file.file, context.work.cancellation,
                                       logs, context.log);
    if (!read.ok()) return read;
  }
  context.builder.SetCompileLogs(std::move(logs));
  return absl::OkStatus();
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  profile::CompileLogs logs;
  loaders::ImportLog log;
  loaders::ByteNotes notes;
  if (!ReadCompileLog(file, cancellation, logs, log, &notes).ok()) {
    notes.Note(loaders::ByteNotes::kDamaged, 0, file.bytes().size());
  }
  return notes.Account(file.bytes());
}

}  // namespace

const loaders::Format kCompileLogFormat = {
    .name = "log of torch.compile",
    .flag = "compile_log_path",
    .value_name = "LOG,…",
    .help =
        "Logs that TORCH_TRACE=DIR writes: the compilations of torch.compile, "
        "a file for each rank.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 21,
    .rules = accounting::SelfTimeRules,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::torch_compile
