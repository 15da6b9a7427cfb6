#include "loaders/chrome_json/chrome/chrome_format.h"

#include <memory>
#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/chrome_json/chrome/chrome_trace.h"
#include "loaders/chrome_json/event_account.h"

namespace tfprof::chrome_json {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = ChromeTraceFit(bytes)};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<std::shared_ptr<const loaders::InputFile>> inputs;
  for (const loaders::FormatFile& file : files) inputs.push_back(file.file);
  return LoadChromeTraces(inputs, context);
}

}  // namespace

const loaders::Format kChromeFormat = {
    .name = "chrome trace",
    .flag = "chrome_path",
    .value_name = "FILE,…",
    .help = "Trace events in JSON, as chrome://tracing reads them.",
    .flag_takes_list = true,
    .failed_name = "chrome_path",
    .role = loaders::Role::kRun,
    .order = 10,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = kChromeTicksPerMicro,
    .sniff = Sniff,
    .account = AccountTrace,
    .load = LoadFiles,
};

}  // namespace tfprof::chrome_json
