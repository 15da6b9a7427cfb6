#include "loaders/ctf/format.h"

#include <string>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "loaders/ctf/language/metadata.h"
#include "loaders/ctf/load.h"
#include "loaders/ctf/model/trace_model.h"

namespace tfprof::ctf {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = ctf::LooksLikeMetadata(bytes) ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<std::string> paths;
  for (const loaders::FormatFile& file : files) paths.push_back(file.path);
  return LoadCtf(paths, context);
}

}  // namespace

const loaders::Format kCtfFormat = {
    .name = "CTF trace",
    .flag = "ctf_path",
    .value_name = "METADATA,…",
    .help =
        "The file \"metadata\" of a CTF trace, as LTTng writes it; its "
        "streams are beside it.",
    .flag_takes_list = true,
    .failed_name = "ctf_path",
    .role = loaders::Role::kRun,
    .folder_file = "metadata",
    .order = 14,
    .rules = accounting::TfprofRules,
    .ticks_per_micro = ctf::kCtfTicksPerMicro,
    .sniff = Sniff,
    .account_all = AccountCtf,
    .load = LoadFiles,
};

}  // namespace tfprof::ctf
