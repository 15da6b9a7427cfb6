#include "loaders/trace_profile/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/trace_profile/fields.h"
#include "loaders/trace_profile/trace_profile.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

// Accepts any version; the loader checks the version.
Fit Sniff(std::string_view bytes) {
  constexpr std::string_view kName =
      kTraceProfileMagic.substr(0, kTraceProfileMagic.rfind(' '));
  WireReader r(bytes.substr(0, 64));
  const bool fits = r.Next() && r.tag() == LengthTag(trace_profile::kMagic) &&
                    r.view().starts_with(kName);
  return {.score = fits ? Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  const ScopedPhase phase("saved trace", files.front().path);
  return LoadTraceProfile(files.front().file, context);
}

}  // namespace

const Format kTraceProfileFormat = {
    .name = "saved trace",
    .flag = "trace_path",
    .value_name = "FILE",
    .help = "A trace that tfprof saved (save FILE).",
    .failed_name = "trace_path",
    .role = Role::kProfile,
    .single = true,
    .folder_choice = FolderChoice::kLast,
    .order = 12,
    .rules = SelfTimeRules,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof
