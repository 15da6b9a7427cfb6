#include "loaders/chrome_json/ort/ort_format.h"

#include <memory>
#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/chrome_json/event_account.h"
#include "loaders/chrome_json/ort/ort.h"

namespace tfprof::chrome_json {
namespace {

loaders::Fit Sniff(std::string_view bytes) { return {.score = OrtFit(bytes)}; }

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<std::shared_ptr<const loaders::InputFile>> inputs;
  for (const loaders::FormatFile& file : files) inputs.push_back(file.file);
  return LoadOrt(inputs, context);
}

}  // namespace

const loaders::Format kOrtFormat = {
    .name = "ONNX Runtime profile",
    .flag = "ort_path",
    .value_name = "FILE,…",
    .help = "Profiles of ONNX Runtime (JSON), one for each process.",
    .flag_takes_list = true,
    .failed_name = "ort_path",
    .role = loaders::Role::kRun,
    .order = 9,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = kOrtTicksPerMicro,
    .sniff = Sniff,
    .account = AccountTrace,
    .load = LoadFiles,
};

}  // namespace tfprof::chrome_json
