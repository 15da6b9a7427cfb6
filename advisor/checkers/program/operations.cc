// Finds operations that have a faster form: batch norm that is not fused, and
// channels-last data on a GPU.

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"

namespace tfprof::advisor {
namespace {
namespace operations {

// An AttrValue whose `s` (field 2) is exactly "NHWC".
bool IsNhwc(std::string_view attr_value) {
  return attr_value == std::string_view("\x12\x04NHWC", 6);
}

constexpr Rule kRules[] = {
    {"unfused_batch_norm",
     "A name contains BatchNorm and no node has the type FusedBatchNorm, "
     "FusedBatchNormV2 or V3.",
     ""},
    {"nhwc_on_gpu", "A node on a GPU has data_format NHWC.", ""},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  views::Views& views = input.views;
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  const profile::TypeSets& sets = profile.graph().type_sets;
  const auto has_type = [&](std::string_view name) {
    const profile::StringId wanted = profile.strings().Find(name);
    bool found = false;
    for (profile::TypeSetId set = 0;
         set < sets.size() && wanted != profile::kNone; ++set) {
      for (const profile::StringId type : sets[set]) found |= type == wanted;
    }
    return found;
  };
  bool has_batch_norm = false, has_nhwc = false;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    has_batch_norm |=
        profile.node_name(n).find("BatchNorm") != std::string_view::npos;
    const profile::DeviceId device = nodes.device[n];
    if (has_nhwc || device == profile::kNone ||
        !profile.devices()[device].on_gpu) {
      continue;
    }
    for (const auto& [key, value] : profile.Attributes(n)) {
      has_nhwc |= key == "data_format" && IsNhwc(value);
    }
  }
  CheckResult result;
  // Operations of other frameworks have other names.
  const bool is_trace = profile.graph().self_times;
  if (has_batch_norm && !is_trace && !has_type("FusedBatchNorm")) {
    result.findings.push_back(
        {.rule = "unfused_batch_norm",
         .severity = Finding::Severity::kWarning,
         .evidence = "scope -show_name_regexes .*BatchNorm.*",
         .advice = "Use the fused batch normalization.",
         .text = "Maybe use faster FusedBatchNorm instead of BatchNorm",
         // The reference does not know later versions of the fused op.
         .reference_text_only =
             has_type("FusedBatchNormV2") || has_type("FusedBatchNormV3")});
  }
  if (has_nhwc) {
    result.findings.push_back(
        {.rule = "nhwc_on_gpu",
         .severity = Finding::Severity::kWarning,
         .evidence = "op -account_type_regexes .*gpu.* -select micros",
         .advice = "Try the data format NCHW.",
         .text = "Found operation using NHWC data_format on GPU. Maybe NCHW "
                 "is faster."});
  }
  return result;
}

}  // namespace operations
}  // namespace

const Checker kOperationChecker = {"OperationChecker",
                                   "Operations that have a faster form.",
                                   Checker::Kind::kReference,
                                   operations::kRules,
                                   {},
                                   operations::Check};

}  // namespace tfprof::advisor
