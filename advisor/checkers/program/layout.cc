// Finds channels-last operations on a GPU, by their share of its time, copies
// that only change a layout, and other copies within a device.
//
// The reference's OperationChecker asks only whether there is one. Here their
// time counts. Two cases are not reported: types for which tensor cores need
// channels last, and a graph whose layout the optimizer has already changed.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace layout {

constexpr Rule kRules[] = {
    {"nhwc_time",
     "Float32 or float64 operations with data_format NHWC take this share of "
     "the accelerator time or more.",
     "share of the accelerator time", "nhwc"},
    {"layout_copies",
     "An accelerator changes the layout of tensors (transposes, copies to "
     "contiguous memory) for more than the threshold of its busy time.",
     "share of the busy time", "layout_copies"},
    {"device_copies",
     "An accelerator copies tensors within its own memory (casts, joins, "
     "clones, changes of layouts) for more than the threshold of its busy "
     "time.",
     "share of the busy time", "device_copies"},
};
constexpr CheckerOption kOptions[] = {
    {"nhwc", 0.1, "share",
     "Less time in NHWC operations on GPUs is not reported."},
    {"layout_copies", 0.1, "share", "Less is not reported."},
    {"device_copies", 0.2, "share", "Less is not reported."},
};

// Ops for which cuDNN had faster kernels in channels-first layout.
constexpr std::string_view kImageOps[] = {"AvgPool",
                                          "AvgPoolGrad",
                                          "BiasAdd",
                                          "BiasAddGrad",
                                          "Conv2D",
                                          "Conv2DBackpropFilter",
                                          "Conv2DBackpropInput",
                                          "DepthwiseConv2dNative",
                                          "DepthwiseConv2dNativeBackpropFilter",
                                          "DepthwiseConv2dNativeBackpropInput",
                                          "FusedBatchNorm",
                                          "FusedBatchNormGrad",
                                          "FusedBatchNormGradV2",
                                          "FusedBatchNormGradV3",
                                          "FusedBatchNormV2",
                                          "FusedBatchNormV3",
                                          "FusedConv2DBiasActivation",
                                          "MaxPool",
                                          "MaxPoolGrad",
                                          "MaxPoolGradGrad"};

// AttrValues: the string "NHWC" (field 2), and data types (field 6). For the
// 16-bit types, tensor cores need channels last.
constexpr std::string_view kNhwc("\x12\x04NHWC", 6);
constexpr std::string_view kFloat("\x30\x01", 2);
constexpr std::string_view kDouble("\x30\x02", 2);

bool IsWideNhwc(const profile::Profile& profile, profile::NodeId n) {
  bool nhwc = false, wide = false;
  for (const auto& [key, value] : profile.Attributes(n)) {
    if (key == "data_format") nhwc = value == kNhwc;
    if (key == "T") wide = value == kFloat || value == kDouble;
  }
  return nhwc && wide;
}

// True if the layout optimizer turned NHWC nodes of the graph into NCHW. It
// adds transposes with known names.
bool LayoutWasOptimized(const profile::Profile& profile) {
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    if (profile.nodes().device[n] != profile::kNone &&
        profile.node_name(n).find("LayoutOptimizer") !=
            std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void CheckImageOps(views::Views& views, const CheckerSettings& settings,
                   CheckResult& result) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  std::set<profile::StringId> image_ops;
  for (const std::string_view op : kImageOps) {
    const profile::StringId id = profile.strings().Find(op);
    if (id != profile::kNone) image_ops.insert(id);
  }
  if (image_ops.empty()) return;
  const auto stats = views.context().NodeStats(-1);
  int64_t all = 0, nhwc = 0;
  std::map<std::string_view, int64_t> by_op;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    const profile::DeviceId device = nodes.device[n];
    if (device == profile::kNone || !profile.devices()[device].on_gpu) continue;
    const int64_t micros = (*stats)[n][accounting::kAcceleratorMicros];
    all = util::WrapAdd(all, micros);
    if (micros <= 0 || !image_ops.contains(nodes.op[n]) ||
        !IsWideNhwc(profile, n)) {
      continue;
    }
    nhwc = util::WrapAdd(nhwc, micros);
    int64_t& sum = by_op[profile.strings().Get(nodes.op[n])];
    sum = util::WrapAdd(sum, micros);
  }
  const double threshold = settings.Get("nhwc");
  const double share = static_cast<double>(nhwc) / static_cast<double>(all);
  if (all <= 0 || nhwc <= 0 || share < threshold ||
      LayoutWasOptimized(profile)) {
    return;
  }
  std::string ops;
  for (const auto& [op, micros] : by_op) {
    if (!ops.empty()) ops += ',';
    ops += op;
  }
  const auto most = std::max_element(
      by_op.begin(), by_op.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  result.findings.push_back(
      {.rule = kRules[0].id,
       .severity = Finding::Severity::kWarning,
       .subject = std::string(most->first),
       .value = share,
       .threshold = threshold,
       .evidence = fmt::format("op -show_name_regexes {} -select "
                               "accelerator_micros,occurrence -order_by "
                               "accelerator_micros",
                               ops),
       .advice = "Try data_format NCHW, unless the GPU runs float32 on tensor "
                 "cores (TF32), which prefer NHWC.",
       .text =
           fmt::format("NHWC operations take {} per step, {:.1f}% of the "
                       "accelerator time, most in {}",
                       tables::FormatMicros(nhwc), 100 * share, most->first)});
}

// True for an operation or a kernel that only moves the elements of a tensor to
// another order. A fusion also computes.
bool ChangesLayout(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  if (lower.find("fusion") != lower.npos || lower.find("fused") != lower.npos ||
      lower.find("gemm") != lower.npos || lower.find("conv") != lower.npos) {
    return lower.find("convert_layout") != lower.npos;
  }
  // HLO's copy has another layout than its operand.
  if (name == "copy" || name.starts_with("copy.")) return true;
  for (const std::string_view part :
       {"transpose", "permute", "nchwtonhwc", "nhwctonchw", "contiguous",
        "::clone", "tensortransform", "layouttransform", "reorder"}) {
    if (lower.find(part) != lower.npos) return true;
  }
  return false;
}

// True for an operation or a kernel that moves elements and computes nothing.
// One that fills a tensor reads none.
bool Copies(const timeline::RunNames::Name& of) {
  const std::string lower = util::LowerCase(of.op) + util::LowerCase(of.name);
  for (const std::string_view part : {"fill", "zero", "memset"}) {
    if (lower.find(part) != lower.npos) return false;
  }
  const timeline::KernelClass of_op = timeline::KernelClassOf(of.op);
  return (of_op == timeline::KernelClass::kOther
              ? timeline::KernelClassOf(of.name)
              : of_op) == timeline::KernelClass::kDeviceCopy;
}

// A device and its copies.
struct DeviceCopies {
  const timeline::DeviceActivity* device = nullptr;
  int64_t busy = 0;
  RunSum layouts;
  RunSum all;  // also the layouts
};

DeviceCopies CopiesOf(const DeviceCheck& check,
                      const timeline::DeviceActivity& device,
                      const timeline::RunNames& names) {
  std::vector<bool> changes(names.names.size()), copies(names.names.size());
  for (size_t n = 0; n < changes.size(); ++n) {
    if (check.work.cancelled()) return {};
    changes[n] =
        ChangesLayout(names.names[n].op) || ChangesLayout(names.names[n].name);
    copies[n] = changes[n] || Copies(names.names[n]);
  }
  DeviceCopies found;
  found.device = &device;
  found.busy = timeline::Length(device.busy);
  for (size_t r = 0; r < device.runs.size(); ++r) {
    if (check.work.cancelled()) return {};
    const timeline::DeviceRun& run = device.runs[r];
    const uint32_t name = names.of_run[r];
    if (!copies[name] || run.kind != timeline::RunKind::kCompute ||
        run.length() <= 0) {
      continue;
    }
    found.all.Add(check, run, names.names[name].op);
    if (changes[name]) found.layouts.Add(check, run, names.names[name].op);
  }
  return found;
}

// The finding about the device that loses most by copies of one rule.
std::optional<Finding> CopyFinding(const DeviceCheck& check, const Rule& rule,
                                   double threshold,
                                   const std::vector<DeviceCopies>& devices,
                                   RunSum DeviceCopies::*copies,
                                   std::string_view what) {
  const DeviceCopies* worst = nullptr;
  int64_t most = 0, others = 0;
  for (const DeviceCopies& of : devices) {
    const int64_t time = (of.*copies).time();
    if (static_cast<double>(time) <= threshold * static_cast<double>(of.busy)) {
      continue;
    }
    others += worst != nullptr;
    if (time <= most) continue;
    most = time;
    worst = &of;
  }
  if (worst == nullptr) return std::nullopt;
  const RunSum& sum = worst->*copies;
  Finding f = ShareFinding(check, rule.id, check.Name(worst->device->unit),
                           most, worst->busy, threshold,
                           check.InSteps(*worst->device, sum.times));
  f.severity = Finding::Severity::kWarning;
  f.evidence = "kernels";
  f.text = fmt::format("{}: {} for {}{}", f.subject, what,
                       sum.Text(check, worst->busy), SoDoOthers(others));
  return f;
}

void CheckCopies(const DeviceCheck& check, const CheckerSettings& settings,
                 CheckResult& result) {
  const std::vector<timeline::DeviceActivity>& devices =
      check.activity->devices;
  const auto names = check.activities.NamesOfRuns();
  std::vector<DeviceCopies> of_devices(devices.size());
  util::ParallelFor(check.work, devices.size(), [&](size_t i) {
    if (devices[i].accelerator) {
      of_devices[i] = CopiesOf(check, devices[i], (*names)[i]);
    }
  });
  auto layouts =
      CopyFinding(check, kRules[1], settings.Get("layout_copies"), of_devices,
                  &DeviceCopies::layouts, "changes the layout of tensors");
  if (layouts) {
    layouts->advice =
        "Keep one layout in the whole model: channels_last for convolutions "
        "(model and input), data in the order that kernels want, no "
        "transpose() or permute() before contiguous().";
    result.findings.push_back(*std::move(layouts));
    return;
  }
  auto all =
      CopyFinding(check, kRules[2], settings.Get("device_copies"), of_devices,
                  &DeviceCopies::all, "copies tensors within its memory");
  if (!all) return;
  all->advice =
      "Copy less: keep one data type (no .to() and no .float() in layers, "
      "autocast around the whole model), no contiguous() where a view does, "
      "write into a buffer that is large enough instead of torch.cat().";
  result.findings.push_back(*std::move(all));
}

// The same of a host without accelerators, whose calls nest: of its account.
void CheckHosts(const DeviceCheck& check, const CheckerSettings& settings,
                views::Views& views, CheckResult& result) {
  std::vector<const profile::Step*> steps;
  for (const timeline::StepWall& wall : timeline::StepWalls(views)) {
    if (wall.known && !wall.step->aggregated) steps.push_back(wall.step);
  }
  if (steps.empty()) return;
  const std::vector<const timeline::StepAccount*> accounts =
      timeline::AccountsOf(views, steps);
  const double threshold = settings.Get("layout_copies");
  std::optional<Finding> worst;
  for (const timeline::DeviceAccount& first : accounts.front()->devices) {
    if (first.accelerator ||
        check.RecordsSingleOps(check.activities.units()[first.unit].process)) {
      continue;
    }
    std::vector<const timeline::DeviceAccount*> of_steps;
    for (const timeline::StepAccount* account : accounts) {
      of_steps.push_back(account->Find(first.unit));
    }
    const timeline::DeviceAccount sum = timeline::Sum(of_steps);
    int64_t ticks = 0;
    std::string_view most;
    for (const timeline::PartDetail& detail :
         sum[timeline::Part::kDeviceCopies].details) {
      if (!ChangesLayout(detail.name) && detail.name != "aten::copy_") continue;
      ticks = util::SaturatingAdd(ticks, detail.ticks);
      if (most.empty()) most = detail.name;
    }
    Finding f = ShareFinding(check, kRules[1].id, check.Name(first.unit), ticks,
                             sum.wall, threshold, ticks);
    if (f.value <= threshold || (worst && f.value <= worst->value)) continue;
    f.severity = Finding::Severity::kWarning;
    f.evidence = "top";
    f.advice =
        "Copy less: one layout in the whole model (channels_last for "
        "convolutions), no contiguous() where a view does, one data type.";
    f.text = fmt::format(
        "{}: copies tensors to another layout or type for {} of its wall time "
        "({} of {}): {}",
        f.subject, util::Percent(ticks, sum.wall), check.Time(ticks),
        check.Time(sum.wall), most);
    worst = std::move(f);
  }
  if (worst) result.findings.push_back(*std::move(worst));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  CheckImageOps(input.views, settings, result);
  const DeviceCheck check = OpenDevices(input);
  CheckCopies(check, settings, result);
  CheckHosts(check, settings, input.views, result);
  return result;
}

}  // namespace layout
}  // namespace

const Checker kLayoutChecker = {
    "LayoutChecker",
    "Time in NHWC operations on GPUs, in changes of layouts, and in other "
    "copies within a device.",
    Checker::Kind::kAdvice,
    layout::kRules,
    layout::kOptions,
    layout::Check};

}  // namespace tfprof::advisor
