#include "loaders/saved_trace/format.h"

#include "accounting/self_time_rules.h"
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
    .load = LoadFiles,
};

}  // namespace tfprof::saved_trace
