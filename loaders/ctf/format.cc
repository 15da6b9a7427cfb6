#include "loaders/ctf/format.h"

#include <string>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "loaders/ctf/language/metadata.h"
#include "loaders/ctf/load.h"
#include "loaders/ctf/model/trace_model.h"

namespace tfprof {
namespace {

Fit Sniff(std::string_view bytes) {
  return {.score = ctf::LooksLikeMetadata(bytes) ? Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  std::vector<std::string> paths;
  for (const FormatFile& file : files) paths.push_back(file.path);
  return LoadCtf(paths, context);
}

}  // namespace

const Format kCtfFormat = {
    .name = "CTF trace",
    .flag = "ctf_path",
    .value_name = "METADATA,…",
    .help =
        "The file \"metadata\" of a CTF trace, as LTTng writes it; its "
        "streams are beside it.",
    .flag_takes_list = true,
    .failed_name = "ctf_path",
    .role = Role::kRun,
    .folder_file = "metadata",
    .order = 14,
    .rules = TfprofRules,
    .ticks_per_micro = ctf::kCtfTicksPerMicro,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof
