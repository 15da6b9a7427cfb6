// Finds operations of a trace that are far below the peaks of the device: by
// their float operations and bytes. Communication and waits have no peak.
//
// Also finds products with 32-bit operands on a device with tensor cores: by
// the shapes and types of operations or, without these, by the names of
// kernels.

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/program/device_bound.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "flops/device_peaks.h"
#include "flops/op_costs.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/framework.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"
#include "util/text/ascii.h"
#include "util/text/kernel_names.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace peak_share {

constexpr Rule kRules[] = {
    {"low_peak_share",
     "An operation that takes a large part of the accelerator's time reaches "
     "less than the threshold of the peak that bounds it.",
     "share of the peak", "low_peak_share"},
    {"fp32_products",
     "Products and convolutions with 32-bit operands take more than the "
     "threshold of the accelerator's time. It is a warning if the device is "
     "known to have tensor cores.",
     "share of the accelerator's time", "fp32_products"},
};
constexpr CheckerOption kOptions[] = {
    {"low_peak_share", 0.3, "share", "Higher shares are not reported."},
    {"min_share", 0.1, "share",
     "Operations with less of the time are not judged."},
    {"fp32_products", 0.1, "share", "Less is not reported."},
    {"min_micros", 1000, "us",
     "If only the names of kernels show that products have 32 bits, a smaller "
     "saving per step is not reported."},
};

constexpr double kMicrosPerSecond = 1e6;

// The peaks of the first accelerator whose peaks are known.
std::optional<flops::DevicePeaks> FirstPeaks(const DeviceCheck& check) {
  for (const timeline::LaneUnit& unit : check.activities.units()) {
    if (!unit.accelerator || unit.physical == profile::kNone) continue;
    const auto peaks =
        flops::PeaksOf(check.profile().lanes().physical(unit.physical));
    if (peaks) return peaks;
  }
  return std::nullopt;
}

// The accelerators whose times are added up; a number to divide times by.
double NumAccelerators(const DeviceCheck& check) {
  const auto used = std::ranges::count_if(
      check.activity->devices, [](const timeline::DeviceActivity& device) {
        return device.accelerator && !device.runs.empty();
      });
  return std::max(1.0, static_cast<double>(used));
}

double Seconds(const DeviceCheck& check, int64_t ticks) {
  return static_cast<double>(ticks) /
         static_cast<double>(check.ticks_per_micro) / kMicrosPerSecond;
}

// `fp32` has the time of kernels with 32-bit operands by operation: where they
// are much of an operation, they are why it is slow, and another rule says so.
void CheckPeak(const DeviceCheck& check, const flops::OpCosts& costs,
               const flops::DevicePeaks& peaks, const CheckerSettings& settings,
               const absl::flat_hash_map<std::string_view, int64_t>& fp32,
               CheckResult& result) {
  constexpr double kMuch = 0.25;  // of the time of an operation
  if (peaks.ridge() <= 0) return;
  const double min_share = settings.Get("min_share");
  const double threshold = settings.Get("low_peak_share");
  for (const flops::OpCostSum& op : costs.ops) {
    const std::string_view name = check.profile().strings().Get(op.op);
    // Of an operation that runs mostly without shapes, the rest says little.
    if (op.rated.time <= 0 || op.rated.time < op.time / 2 || !op.has_bytes ||
        op.rated.bytes <= 0 ||
        check.activities.rules()->IsCommunication(name) ||
        timeline::WaitsForCopy(name) ||
        static_cast<double>(op.time) <
            min_share * static_cast<double>(costs.time)) {
      continue;
    }
    const double seconds = Seconds(check, op.rated.time);
    const auto flops = static_cast<double>(op.rated.flops);
    const auto bytes = static_cast<double>(op.rated.bytes);
    const flops::DevicePeaks limits = flops::PeaksAt(
        peaks, op.rated.flops > 0 && op.rated.fp32_flops == op.rated.flops,
        flops / seconds);
    const bool by_compute = flops / bytes >= limits.ridge();
    const double share = by_compute ? flops / seconds / limits.flops_per_second
                                    : bytes / seconds / limits.bytes_per_second;
    if (share >= threshold) continue;
    const auto slow = fp32.find(name);
    if (by_compute && slow != fp32.end() &&
        static_cast<double>(slow->second) >
            kMuch * static_cast<double>(op.time)) {
      continue;
    }
    Finding f;
    f.rule = "low_peak_share";
    f.severity = Finding::Severity::kWarning;
    f.subject = name;
    f.value = share;
    f.threshold = threshold;
    f.saving_micros = check.MicrosPerStep(static_cast<int64_t>(
        static_cast<double>(op.rated.time) / NumAccelerators(check) *
        (1 - std::min(share, 1.0))));
    f.evidence = "roofline";
    // Attention in one kernel already contains its neighbours.
    const bool fused =
        timeline::KernelClassOf(name) == timeline::KernelClass::kAttention;
    f.advice =
        by_compute
            ? "Look at its shapes: dimensions that are small or no multiples "
              "of 8 (16-bit) or 16 leave tensor cores idle; 16-bit operands "
              "are faster."
        : fused ? "It moves data more slowly than the memory can: give it more "
                  "sequences or heads at once."
                : "It moves data more slowly than the memory can: fuse it with "
                  "its neighbours, or give it larger tensors in a contiguous "
                  "layout.";
    f.text = fmt::format(
        "{}: takes {} of the accelerator's time ({}) and reaches {:.1f}% of "
        "the peak of {}",
        f.subject, util::Percent(op.time, costs.time), check.Time(op.time),
        100 * share, by_compute ? "computing" : "memory");
    if (op.rated.time < op.time) {
      f.text += fmt::format("; {} of it has no shapes and is not judged",
                            check.Time(op.time - op.rated.time));
    }
    LowerIfIdle(check, f);
    result.findings.push_back(std::move(f));
  }
}

// True if the names of kernels show that they use TF32.
bool UsesTf32(const DeviceCheck& check) {
  const auto names = check.activities.NamesOfRuns();
  for (size_t d = 0; d < names->size(); ++d) {
    const timeline::RunNames& of_device = (*names)[d];
    const std::span<const timeline::DeviceRun> runs =
        check.activity->devices[d].runs;
    std::vector<bool> tf32(of_device.names.size());
    for (size_t n = 0; n < tf32.size(); ++n) {
      tf32[n] = util::LowerCase(of_device.names[n].name).find("tf32") !=
                std::string::npos;
    }
    for (size_t r = 0; r < runs.size(); ++r) {
      if (tf32[of_device.of_run[r]] &&
          runs[r].kind == timeline::RunKind::kCompute) {
        return true;
      }
    }
  }
  return false;
}

// What to do about 32-bit operands, with the words of the framework. A device
// without TF32 has no fast bfloat16 either, unless AMD made it.
std::string PrecisionAdvice(const DeviceCheck& check) {
  std::optional<bool> tf32;
  bool is_amd = false;
  for (const timeline::LaneUnit& unit : check.activities.units()) {
    if (!unit.accelerator || unit.physical == profile::kNone) continue;
    const profile::PhysicalDevice& device =
        check.profile().lanes().physical(unit.physical);
    is_amd |= device.model.find("AMD") != std::string::npos;
    if (!tf32) tf32 = flops::HasTf32(device);
  }
  const bool has_tf32 = tf32.value_or(false);
  const std::string_view type = !tf32                ? "bfloat16 or float16"
                                : has_tf32 || is_amd ? "bfloat16"
                                                     : "float16";
  const auto advice = [&](std::string_view how, std::string_view tf32_how) {
    std::string text = fmt::format("Use {} ({})", type, how);
    if (has_tf32) text += fmt::format(", or at least TF32 ({})", tf32_how);
    if (!tf32) {
      text += fmt::format(", or on GPUs from Ampere on TF32 ({})", tf32_how);
    }
    text += '.';
    return text;
  };
  switch (timeline::FrameworkOf(check.profile())) {
    case timeline::Framework::kTorch:
      return advice("torch.autocast",
                    "torch.set_float32_matmul_precision('high'), "
                    "torch.backends.cudnn.allow_tf32");
    case timeline::Framework::kJax:
      return advice("dtype of parameters and inputs",
                    "jax_default_matmul_precision='tensorfloat32'");
    case timeline::Framework::kTensorFlow:
      return advice("tf.keras.mixed_precision",
                    "tf.config.experimental.enable_tensor_float_32_execution");
    case timeline::Framework::kUnknown:
      break;
  }
  return advice("mixed precision", "an option of the framework");
}

// Returns true if there is a finding.
bool CheckPrecision(const DeviceCheck& check, const flops::OpCosts& costs,
                    const flops::DevicePeaks& peaks,
                    const CheckerSettings& settings, CheckResult& result) {
  if (peaks.fp32_flops_per_second <= 0 ||
      peaks.fp32_flops_per_second >= peaks.flops_per_second) {
    return false;
  }
  int64_t time = 0;
  TimeSums ops;
  for (const flops::OpCostSum& op : costs.ops) {
    const flops::Cost& cost = op.rated;
    if (cost.fp32_flops <= 0 || cost.time <= 0) continue;
    const auto flops = static_cast<double>(cost.flops);
    // It is faster than possible without tensor cores, so it uses TF32.
    if (flops / Seconds(check, cost.time) > peaks.fp32_flops_per_second) {
      continue;
    }
    const auto of_op =
        static_cast<int64_t>(static_cast<double>(cost.time) *
                             static_cast<double>(cost.fp32_flops) / flops);
    time += of_op;
    ops.Add(check.profile().strings().Get(op.op), of_op);
  }
  const double kept = peaks.fp32_flops_per_second / peaks.flops_per_second;
  Finding f =
      ShareFinding(check, "fp32_products", "", time, costs.time,
                   settings.Get("fp32_products"),
                   static_cast<int64_t>(static_cast<double>(time) /
                                        NumAccelerators(check) * (1 - kept)));
  if (f.value <= f.threshold || UsesTf32(check)) return false;
  f.evidence = "roofline";
  f.advice = PrecisionAdvice(check);
  f.text = fmt::format(
      "products with 32-bit operands take {} of the accelerator's time ({} of "
      "{}), at {:.0f} times less than the peak of its tensor cores: {}",
      util::Percent(time, costs.time), check.Time(time), check.Time(costs.time),
      1 / kept, ops.Times(check));
  LowerIfIdle(check, f);
  result.findings.push_back(std::move(f));
  return true;
}

// True if a kernel multiplies matrices or convolves with 32-bit operands and
// without tensor cores: "ampere_sgemm_128x128_tn", "cutlass_80_simt_sgemm_…",
// "sm80_xmma_gemm_f32f32_f32f32_f32_…", "Cijk_Ailk_Bljk_SB_…".
bool IsFp32Kernel(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  for (const std::string_view faster :
       {"tf32", "bf16", "f16", "half", "bfloat16", "tensorop", "hgemm"}) {
    if (lower.find(faster) != lower.npos) return false;
  }
  for (const std::string_view part :
       {"sgemm", "scudnn", "f32f32_f32f32", "s32f32", "simt_f32",
        "f32_f32_f32_f32"}) {
    if (lower.find(part) != lower.npos) return true;
  }
  return name.starts_with("Cijk_") && name.find("_SB_") != name.npos;
}

// True if a kernel is compiled for a generation of devices with tensor cores.
bool IsForTensorCores(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  for (const std::string_view part :
       {"volta", "turing", "ampere", "hopper", "blackwell", "sm70", "sm75",
        "sm80", "sm86", "sm89", "sm90", "sm100", "sm120", "cutlass_70",
        "cutlass_75", "cutlass_80", "cutlass_90"}) {
    if (lower.find(part) != lower.npos) return true;
  }
  return false;
}

bool HasTensorCores(const profile::PhysicalDevice& device) {
  const auto peaks = flops::PeaksOf(device);
  if (peaks) return peaks->fp32_flops_per_second < peaks->flops_per_second;
  constexpr std::string_view kCapability = "compute capability ";
  constexpr int kFirst = 7;  // Volta
  const size_t at = device.model.find(kCapability);
  return at != device.model.npos &&
         std::atoi(device.model.c_str() + at + kCapability.size()) >= kFirst;
}

// The kernels of a device with 32-bit operands.
struct Fp32Kernels {
  int64_t time = 0;
  int64_t in_steps = 0;  // of the time
  TimeSums ops;
  // Their times by operation, and by name.
  absl::flat_hash_map<std::string_view, int64_t> of_ops;
  absl::flat_hash_map<std::string_view, int64_t> kernels;
};

Fp32Kernels Fp32KernelsOf(const DeviceCheck& check,
                          const timeline::DeviceActivity& device,
                          const timeline::RunNames& names) {
  std::vector<bool> is_fp32(names.names.size());
  for (size_t n = 0; n < is_fp32.size(); ++n) {
    is_fp32[n] = IsFp32Kernel(names.names[n].name);
  }
  std::vector<int64_t> times(names.names.size());
  Fp32Kernels sums;
  const timeline::Intervals* steps = check.StepTime(device);
  std::optional<timeline::Overlap> in_steps;
  if (steps != nullptr) in_steps.emplace(*steps);
  for (size_t r = 0; r < device.runs.size(); ++r) {
    const timeline::DeviceRun& run = device.runs[r];
    const uint32_t name = names.of_run[r];
    if (!is_fp32[name] || run.kind != timeline::RunKind::kCompute ||
        run.length() <= 0) {
      continue;
    }
    times[name] = util::SaturatingAdd(times[name], run.length());
    sums.in_steps = util::SaturatingAdd(
        sums.in_steps,
        in_steps ? in_steps->Length(run.start, run.end) : run.length());
  }
  for (size_t n = 0; n < times.size(); ++n) {
    if (times[n] == 0) continue;
    const auto& [op, name] = names.names[n];
    sums.time = util::SaturatingAdd(sums.time, times[n]);
    sums.ops.Add(op, times[n]);
    int64_t& of_op = sums.of_ops[op];
    of_op = util::SaturatingAdd(of_op, times[n]);
    int64_t& of_kernel = sums.kernels[name];
    of_kernel = util::SaturatingAdd(of_kernel, times[n]);
  }
  return sums;
}

// Returns the times by operation, if there is a finding.
absl::flat_hash_map<std::string_view, int64_t> CheckKernels(
    const DeviceCheck& check, const CheckerSettings& settings,
    CheckResult& result) {
  absl::flat_hash_map<std::string_view, int64_t> of_ops;
  int64_t time = 0, in_steps = 0, busy = 0;
  bool tensor_cores = false;
  TimeSums ops;
  absl::flat_hash_map<std::string_view, int64_t> kernels;
  const std::vector<timeline::DeviceActivity>& devices =
      check.activity->devices;
  const auto names = check.activities.NamesOfRuns();
  std::vector<Fp32Kernels> of_devices(devices.size());
  util::ParallelFor(check.work, devices.size(), [&](size_t i) {
    if (!devices[i].accelerator) return;
    of_devices[i] = Fp32KernelsOf(check, devices[i], (*names)[i]);
  });
  for (size_t i = 0; i < devices.size(); ++i) {
    const timeline::DeviceActivity& device = devices[i];
    if (!device.accelerator || device.runs.empty()) continue;
    time = util::SaturatingAdd(time, of_devices[i].time);
    in_steps = util::SaturatingAdd(in_steps, of_devices[i].in_steps);
    ops.Add(of_devices[i].ops);
    for (const auto& [op, ticks] : of_devices[i].of_ops) {
      int64_t& sum = of_ops[op];
      sum = util::SaturatingAdd(sum, ticks);
    }
    for (const auto& [name, of_kernel] : of_devices[i].kernels) {
      int64_t& sum = kernels[name];
      sum = util::SaturatingAdd(sum, of_kernel);
    }
    busy = util::SaturatingAdd(busy, timeline::Length(device.busy));
    const profile::PhysicalId physical =
        check.activities.units()[device.unit].physical;
    tensor_cores |= physical != profile::kNone &&
                    HasTensorCores(check.profile().lanes().physical(physical));
  }
  std::string_view most;
  int64_t most_time = 0;
  for (const auto& [name, of_name] : kernels) {
    tensor_cores |= IsForTensorCores(name);
    if (of_name < most_time || (of_name == most_time && name > most)) continue;
    most = name;
    most_time = of_name;
  }
  constexpr double kKept = 0.125;  // of the time, with TF32 on tensor cores
  Finding f = ShareFinding(
      check, "fp32_products", "", time, busy, settings.Get("fp32_products"),
      static_cast<int64_t>(static_cast<double>(in_steps) /
                           NumAccelerators(check) * (1 - kKept)));
  if (f.value <= f.threshold ||
      static_cast<double>(f.saving_micros) < settings.Get("min_micros")) {
    return {};
  }
  if (!tensor_cores) f.severity = Finding::Severity::kInfo;
  f.evidence = "kernels";
  f.advice = PrecisionAdvice(check);
  f.text = fmt::format(
      "products with 32-bit operands take {} of the accelerator's busy time "
      "({} of {}), without {}tensor cores: {}; the kernel with most of it is "
      "{}",
      util::Percent(time, busy), check.Time(time), check.Time(busy),
      tensor_cores ? "its " : "", ops.Times(check),
      util::ShortKernelName(most));
  LowerIfIdle(check, f);
  result.findings.push_back(std::move(f));
  return of_ops;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const std::optional<flops::DevicePeaks> peaks = FirstPeaks(check);
  if (!peaks) {
    result.notes.push_back(
        "Missing peaks of the accelerators. Skip PeakShareChecker");
    CheckKernels(check, settings, result);
    return result;
  }
  const auto& all = check.profile().steps();
  const bool any_listed =
      std::ranges::any_of(all, [](const auto& step) { return step->listed; });
  std::vector<const profile::Step*> steps;
  for (const auto& step : all) {
    if (step->listed || !any_listed) steps.push_back(step.get());
  }
  const flops::OpCosts costs =
      flops::ComputeOpCosts(check.profile(), steps, check.work);
  if (costs.flops == 0) {
    result.notes.push_back(
        "Missing shapes of operations. Skip PeakShareChecker");
    CheckKernels(check, settings, result);
    return result;
  }
  CheckResult precision;
  absl::flat_hash_map<std::string_view, int64_t> fp32;
  if (!CheckPrecision(check, costs, *peaks, settings, precision)) {
    fp32 = CheckKernels(check, settings, precision);
  }
  CheckPeak(check, costs, *peaks, settings, fp32, result);
  std::ranges::move(precision.findings, std::back_inserter(result.findings));
  return result;
}

}  // namespace peak_share
}  // namespace

const Checker kPeakShareChecker = {
    "PeakShareChecker",
    "Whether heavy operations come near the peak of the device.",
    Checker::Kind::kAdvice,
    peak_share::kRules,
    peak_share::kOptions,
    peak_share::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
