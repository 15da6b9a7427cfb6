// Finds kernels that compute with 64-bit floating-point numbers, which training
// and inference seldom need. Often one such number makes all that follows 64
// bits wide: a NumPy array, a loss, a Python scalar that became a tensor.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "util/text/ascii.h"

namespace tfprof::advisor {
namespace {
namespace double_kernels {

constexpr Rule kRules[] = {
    {"double_kernels",
     "Kernels with 64-bit floating-point operands take more than the threshold "
     "of the busy time of an accelerator.",
     "share of the busy time", "double_kernels"},
};
constexpr CheckerOption kOptions[] = {
    {"double_kernels", 0.1, "share", "Less is not reported."},
};

// True for "volta_dgemm_64x64_nn", "cutlass_80_tensorop_d884gemm_…",
// "sm80_xmma_gemm_f64f64_…", "Cijk_Ailk_Bljk_DB_…", "…CUDAFunctor_add<double>"
// and "MulOp_GPU_DT_DOUBLE". A later argument may be a number for all elements:
// "FusedAdamMathFunctor<float, 4>, float const*, double, double".
bool IsDoubleKernel(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  for (const std::string_view part :
       {"dgemm", "d884gemm", "d1684gemm", "f64f64", "<double", "lambda(double",
        "dt_double"}) {
    if (lower.find(part) != lower.npos) return true;
  }
  return name.starts_with("Cijk_") && name.find("_DB_") != name.npos;
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  const auto all_names = check.activities.NamesOfRuns();
  const timeline::RunNames& names = (*all_names)[static_cast<size_t>(
      &device - check.activity->devices.data())];
  std::vector<bool> is_double;
  for (const auto& of : names.names) {
    is_double.push_back(IsDoubleKernel(of.name));
  }
  RunSum sum;
  for (size_t r = 0; r < device.runs.size(); ++r) {
    if (check.work.cancelled()) return;
    const timeline::DeviceRun& run = device.runs[r];
    if (!is_double[names.of_run[r]] || run.length() <= 0 ||
        run.kind != timeline::RunKind::kCompute) {
      continue;
    }
    sum.Add(check, run, check.activities.Op(run));
  }
  const int64_t busy = timeline::Length(device.busy);
  Finding f = ShareFinding(check, kRules[0].id, check.Name(device.unit),
                           sum.time(), busy, settings.Get("double_kernels"),
                           check.InSteps(device, sum.times));
  if (f.value <= f.threshold) return;
  f.severity = Finding::Severity::kWarning;
  // Half of the bytes take half of the time; products gain more.
  f.saving_micros = f.saving_micros / 2;
  f.evidence = "kernels";
  f.advice =
      "Use 32-bit numbers or fewer bits (float32, bfloat16), unless the result "
      "needs 64: look for a NumPy array or a constant that made the tensors "
      "float64.";
  f.text = fmt::format("{}: computes with 64-bit floating-point numbers for {}",
                       f.subject, sum.Text(check, busy));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return CheckAccelerators(input, settings, CheckDevice);
}

}  // namespace double_kernels
}  // namespace

const Checker kDoubleKernelChecker = {
    "DoubleKernelChecker",
    "Whether kernels compute with 64-bit floating-point numbers.",
    Checker::Kind::kAdvice,
    double_kernels::kRules,
    double_kernels::kOptions,
    double_kernels::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
