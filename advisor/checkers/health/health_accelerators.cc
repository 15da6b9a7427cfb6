// Checks whether the kernels of accelerators were recorded.

#include <cstddef>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "util/text/counted.h"

namespace tfprof::advisor {
namespace {
namespace health_accelerators {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"accelerators", "Bad when nodes are on GPUs and no kernel was recorded.",
     "GPUs with kernels"},
};

bool IsAcceleratorLane(profile::LaneKind kind) {
  return kind == profile::LaneKind::kKernels ||
         kind == profile::LaneKind::kCopies ||
         kind == profile::LaneKind::kCommunication;
}

// Judges a trace, whose lanes say which records it has.
Finding JudgeTrace(const profile::LaneTable& lanes) {
  std::set<profile::PhysicalId> recorded, named;
  for (profile::LaneId l = 0; l < lanes.size(); ++l) {
    if (IsAcceleratorLane(lanes[l].kind)) recorded.insert(lanes[l].physical);
  }
  for (profile::PhysicalId p = 0; p < lanes.num_physical(); ++p) {
    const std::string& kind = lanes.physical(p).kind;
    if (!kind.empty() && kind != "cpu") named.insert(p);
  }
  const auto devices = [](size_t count) {
    return count == 1 ? std::string("one accelerator")
                      : fmt::format("{} accelerators", count);
  };
  Finding f;
  f.rule = "accelerators";
  f.value = static_cast<double>(recorded.size());
  f.evidence = "devices";
  if (!recorded.empty()) {
    f.text =
        fmt::format("kernels of {} were recorded", devices(recorded.size()));
  } else if (!named.empty()) {
    f.severity = Severity::kCritical;
    f.text = fmt::format("no kernel was recorded, the file names {}",
                         devices(named.size()));
    f.advice = "record again with the activities of the accelerator";
  } else {
    f.text = "the trace has no kernel of an accelerator";
  }
  return f;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  if (profile.steps().empty()) return {};
  if (profile.graph().self_times) {
    return {.findings = {JudgeTrace(profile.lanes())}, .notes = {}};
  }
  size_t on_gpu = 0;
  for (const profile::DeviceId device : profile.nodes().device) {
    on_gpu += device != profile::kNone && profile.devices()[device].on_gpu;
  }
  size_t streams = 0;
  for (profile::DeviceId d = 0; d < profile.devices().size(); ++d) {
    streams += profile.devices()[d].accelerator_stream;
  }
  Finding f;
  f.rule = "accelerators";
  f.value = static_cast<double>(streams);
  f.evidence = "devices";
  if (on_gpu > 0 && streams == 0) {
    f.severity = Severity::kCritical;
    f.text = fmt::format("no kernel was recorded, of {} on GPUs",
                         util::Counted(on_gpu, "node"));
    f.advice =
        "accelerator times are missing: profile with CUPTI "
        "(libcupti on LD_LIBRARY_PATH, the right to use its counters)";
  } else if (on_gpu == 0) {
    f.text = "no node is on a GPU";
  } else {
    f.text =
        fmt::format("kernels of {} were recorded, {} on GPUs",
                    streams == 1 ? "one GPU" : fmt::format("{} GPUs", streams),
                    util::Counted(on_gpu, "node"));
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_accelerators
}  // namespace

const Checker kKernelsChecker = {
    "KernelsChecker",
    "Whether the kernels of accelerators were recorded.",
    Checker::Kind::kHealth,
    health_accelerators::kRules,
    {},
    health_accelerators::Check};

}  // namespace tfprof::advisor
