#include "loaders/session/format.h"

#include "loaders/session/load.h"
#include "loaders/session/session_files.h"
#include "loaders/session/trace_facts.h"
#include "loaders/session/zip_archive.h"

namespace tfprof::session {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  const bool fits = IsZip(bytes) || SessionVersion(bytes).has_value();
  return {.score = fits ? loaders::Fit::kMagic : 0};
}

}  // namespace

// A session has no rules: it uses the accounting rules of its traces, see
// load.h.
const loaders::Format kSessionFormat = {
    .name = "tfprof session",
    .flag = "session_path",
    .value_name = "MANIFEST|ZIP,…",
    .help =
        "Sessions of traces: the manifest.json of a folder, or a zip archive "
        "of one. Each traced run is a step.",
    .flag_takes_list = true,
    .failed_name = "session_path",
    .role = loaders::Role::kRun,
    .folder_file = kManifestName,
    .is_folder = HasTraceFacts,
    .order = 15,
    .sniff = Sniff,
    .account_all = AccountSession,
    .load = LoadSessions,
};

}  // namespace tfprof::session
