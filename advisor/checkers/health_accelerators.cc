// Whether the kernels of accelerators were recorded.

#include <cstddef>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"

namespace tfprof {
namespace {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"accelerators", "Bad when nodes are on GPUs and no kernel was recorded.",
     "GPUs with kernels"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const Profile& profile = input.views.profile();
  if (profile.steps().empty()) return {};
  size_t on_gpu = 0;
  for (const DeviceId device : profile.nodes().device) {
    on_gpu += device != kNone && profile.devices()[device].on_gpu;
  }
  size_t streams = 0;
  for (DeviceId d = 0; d < profile.devices().size(); ++d) {
    streams += profile.devices()[d].accelerator_stream;
  }
  Finding f;
  f.rule = "accelerators";
  f.value = static_cast<double>(streams);
  f.evidence = "devices";
  if (on_gpu > 0 && streams == 0) {
    f.severity = Severity::kCritical;
    f.text = fmt::format("no kernel was recorded, of {} nodes on GPUs", on_gpu);
    f.advice =
        "accelerator times are missing: profile with CUPTI "
        "(libcupti on LD_LIBRARY_PATH, the right to use its counters)";
  } else if (on_gpu == 0) {
    f.text = "no node is on a GPU";
  } else {
    f.text = fmt::format(
        "kernels of {} were recorded, {} nodes on GPUs",
        streams == 1 ? "one GPU" : fmt::format("{} GPUs", streams), on_gpu);
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace

const Checker kAcceleratorsChecker = {
    "AcceleratorsChecker",
    "Whether the kernels of accelerators were recorded.",
    Checker::Kind::kHealth,
    kRules,
    {},
    Check};

}  // namespace tfprof
