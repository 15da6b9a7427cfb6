#include "loaders/tensorflow/pickle/format.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "loaders/tensorflow/pickle/pickle.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "util/safe_text.h"

namespace tfprof {
namespace {

Fit Sniff(std::string_view bytes) {
  return {.score = IsPickle(bytes) ? Fit::kMagic : 0};
}

absl::Status NoMessage(const FormatFile& file, const PickledMessages& pickle) {
  std::string names;
  for (const std::string& name : pickle.names) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", SafeText(name));
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: a pickle without RunMetadata{}{}; it was read, not run",
                  file.path, names.empty() ? "" : ", which names ", names));
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  std::vector<RunMetadataFile> steps;
  for (const FormatFile& file : files) {
    const PickledMessages pickle = ReadPickle(file.file->bytes());
    if (pickle.messages.empty()) return NoMessage(file, pickle);
    if (!pickle.damage.empty()) {
      context.log.Add(ImportLog::kDamage, "damaged pickle",
                      fmt::format("{}: {}; what was before is kept", file.path,
                                  pickle.damage));
    }
    for (const std::string_view message : pickle.messages) {
      const auto step = static_cast<int64_t>(steps.size());
      steps.push_back({.file = InputFile::FromBytes(
                           fmt::format("{} (message {})", file.path, step),
                           std::string(message)),
                       .step = step});
    }
  }
  return LoadRunMetadata(steps, context);
}

}  // namespace

const Format kPickleFormat = {
    .name = "pickled RunMetadata",
    .flag = "pickle_path",
    .value_name = "FILE,…",
    .help =
        "Pickles of tfvis and tftracer: each RunMetadata in them is a step. "
        "They are read, never run.",
    .flag_takes_list = true,
    .failed_name = "pickle_path",
    .role = Role::kRun,
    .order = 12,
    .rules = TfprofRules,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof
