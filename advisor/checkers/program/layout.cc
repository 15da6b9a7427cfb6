// Finds channels-last operations on a GPU, by their share of its time.
//
// The reference's OperationChecker asks only whether there is one. Here their
// time counts. Two cases are not reported: types for which tensor cores need
// channels last, and a graph whose layout the optimizer has already changed.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"

namespace tfprof::advisor {
namespace {
namespace layout {

constexpr Rule kRules[] = {
    {"nhwc_time",
     "Float32 or float64 operations with data_format NHWC take this share of "
     "the accelerator time or more.",
     "share of the accelerator time", "nhwc"},
};
constexpr CheckerOption kOptions[] = {
    {"nhwc", 0.1, "share",
     "Less time in NHWC operations on GPUs is not reported."},
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

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  std::set<profile::StringId> image_ops;
  for (const std::string_view op : kImageOps) {
    const profile::StringId id = profile.strings().Find(op);
    if (id != profile::kNone) image_ops.insert(id);
  }
  if (image_ops.empty()) return result;
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
    return result;
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
  return result;
}

}  // namespace layout
}  // namespace

const Checker kLayoutChecker = {
    "LayoutChecker",        "Time in NHWC operations on GPUs.",
    Checker::Kind::kAdvice, layout::kRules,
    layout::kOptions,       layout::Check};

}  // namespace tfprof::advisor
