#include "loaders/saved_trace/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/core/message_check.h"
#include "loaders/saved_trace/fields.h"
#include "loaders/saved_trace/saved_trace.h"
#include "util/run/self_profile.h"

namespace tfprof::saved_trace {
namespace {

// Accepts any version; the loader checks the version.
loaders::Fit Sniff(std::string_view bytes) {
  constexpr std::string_view kName =
      kSavedTraceMagic.substr(0, kSavedTraceMagic.rfind(' '));
  util::WireReader r(bytes.substr(0, 64));
  const bool fits = r.Next() &&
                    r.tag() == util::LengthTag(saved_trace::kMagic) &&
                    r.view().starts_with(kName);
  return {.score = fits ? loaders::Fit::kMagic : 0};
}

// The tables are read to their end, or the file is refused.
loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  static const auto* const check = new loaders::MessageCheck(
      "SavedTrace 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,"
      "24,25,26,27");
  return check->Account(file.bytes(), cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  const util::ScopedPhase phase("saved trace", files.front().path);
  return LoadSavedTrace(files.front().file, context);
}

}  // namespace

const loaders::Format kSavedTraceFormat = {
    .name = "saved trace",
    .flag = "trace_path",
    .value_name = "FILE",
    .help = "A trace that tfprof saved (save FILE).",
    .failed_name = "trace_path",
    .role = loaders::Role::kProfile,
    .single = true,
    .folder_choice = loaders::FolderChoice::kLast,
    .order = 12,
    .rules = accounting::SelfTimeRules,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::saved_trace
