#include "loaders/chrome_json/kineto/format.h"

#include <memory>
#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/chrome_json/event_account.h"
#include "loaders/chrome_json/kineto/kineto.h"
#include "profile/steps/time_column.h"

namespace tfprof::kineto {
namespace {

// How much of a file is searched for marks: user metadata may come first.
constexpr size_t kLookAt = 256 << 10;
// Any file with trace events fits with 1000 (g3doc/formats/chrome.md).
constexpr int kFit = 2000;

// Words that only Kineto writes, with their quotes.
constexpr std::string_view kMarks[] = {
    "\"schemaVersion\"",
    "\"deviceProperties\"",
    "\"computeProperties\"",
    "\"cpu_op\"",
    "\"Operator\"",
    "\"python_function\"",
    "\"distributedInfo\"",
    "\"baseTimeNanoseconds\"",
    "\"gpu_op\"",
};

loaders::Fit Sniff(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kLookAt);
  const size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == begin.npos || (begin[first] != '{' && begin[first] != '[')) {
    return {};
  }
  int marks = 0;
  for (const std::string_view mark : kMarks) {
    marks += begin.find(mark) != begin.npos ? 1 : 0;
  }
  // What describes a job of many ranks may be longer than what is looked at.
  const bool has_events = begin.find("\"traceEvents\"") != begin.npos ||
                          begin.find("\"ph\"") != begin.npos ||
                          (marks > 1 && bytes.size() > begin.size());
  if (!has_events) return {};
  return {.score = marks == 0 ? 0 : kFit + marks};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<std::shared_ptr<const loaders::InputFile>> inputs;
  for (const loaders::FormatFile& file : files) inputs.push_back(file.file);
  return LoadKineto(inputs, context);
}

}  // namespace

const loaders::Format kKinetoFormat = {
    .name = "Kineto trace",
    .flag = "kineto_path",
    .value_name = "FILE,…",
    .help = "Traces of torch.profiler as JSON, one for each rank.",
    .flag_takes_list = true,
    .role = loaders::Role::kProfile,
    .order = 7,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = profile::kNanosPerMicro,
    .sniff = Sniff,
    .account = chrome_json::AccountTrace,
    .load = LoadFiles,
};

}  // namespace tfprof::kineto
