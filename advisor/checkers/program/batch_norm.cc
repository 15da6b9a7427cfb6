// Finds batch norms that run as separate ops although one fused op could
// replace them, by their share of the time.
//
// The reference's OperationChecker asks whether a name contains BatchNorm and
// no op has the type FusedBatchNorm. Here each batch norm is judged by itself,
// whichever version of the fused op other layers use.

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/text/ascii.h"

namespace tfprof::advisor {
namespace {
namespace batch_norm {

constexpr Rule kRules[] = {
    {"unfused_batch_norm_time",
     "Batch norms of four dimensions that are not fused take this share of the "
     "op time or more.",
     "share of the op time", "unfused_batch_norm"},
};
constexpr CheckerOption kOptions[] = {
    {"unfused_batch_norm", 0.05, "share",
     "Less time in batch norms that are not fused is not reported."},
};

// How many names a finding lists.
constexpr size_t kListed = 3;

// The time of a node. On a GPU only the kernels count, because the CPU time is
// spent launching them.
int64_t OwnMicros(const profile::Profile& profile, profile::NodeId n,
                  const accounting::Stats& stats) {
  const profile::DeviceId device = profile.nodes().device[n];
  const bool on_gpu =
      device != profile::kNone && profile.devices()[device].on_gpu;
  return stats[on_gpu ? accounting::kAcceleratorMicros
                      : accounting::kCpuMicros];
}

// The scope that tf.nn.batch_normalization and tf.nn.moments create for their
// ops, "…/batchnorm" or "…/moments", with an optional number. `leaf` is the
// rest of the name.
struct NormScope {
  std::string_view scope;
  std::string_view parent;  // of the scope; "" at the root
  std::string_view leaf;
  bool moments = false;
};

// True if `part` is `word`, or `word` with "_" and a number.
bool IsNumbered(std::string_view part, std::string_view word) {
  if (!part.starts_with(word)) return false;
  part.remove_prefix(word.size());
  if (part.empty()) return true;
  return part.size() > 1 && part[0] == '_' &&
         part.find_first_not_of("0123456789", 1) == part.npos;
}

// `name` below the last "gradients" scope, where it repeats the forward name.
std::string_view WithoutGradients(std::string_view name) {
  size_t begin = 0;
  for (size_t at = 0; at < name.size();) {
    const size_t slash = name.find('/', at);
    if (slash == name.npos) break;
    const std::string_view part = name.substr(at, slash - at);
    at = slash + 1;
    if (IsNumbered(part, "gradients") || IsNumbered(part, "gradient_tape")) {
      begin = at;
    }
  }
  return name.substr(begin);
}

std::optional<NormScope> FindNormScope(std::string_view name) {
  for (size_t at = 0; at < name.size();) {
    const size_t slash = name.find('/', at);
    if (slash == name.npos) break;
    const std::string_view part = name.substr(at, slash - at);
    const bool moments = IsNumbered(part, "moments");
    if (moments || IsNumbered(part, "batchnorm")) {
      return NormScope{name.substr(0, slash),
                       name.substr(0, at == 0 ? 0 : at - 1),
                       name.substr(slash + 1), moments};
    }
    at = slash + 1;
  }
  return std::nullopt;
}

// Layer, group and instance norms use the same ops, but the fused batch norm
// cannot replace them.
bool IsOtherNorm(std::string_view scope) {
  std::string lower;
  for (const char c : util::LowerCase(scope)) {
    if (c != '_') lower += c;
  }
  for (const char* other : {"layernorm", "groupnorm", "instancenorm"}) {
    if (lower.find(other) != lower.npos) return true;
  }
  return false;
}

class BatchNorms {
 public:
  explicit BatchNorms(const profile::Profile& profile)
      : profile_(profile), nodes_(profile.nodes()) {
    for (const char* op :
         {"Conv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput", "BiasAdd",
          "MaxPool", "AvgPool"}) {
      const profile::StringId id = profile.strings().Find(op);
      if (id != profile::kNone) images_.insert(id);
    }
    const profile::StringId rsqrt = profile.strings().Find("Rsqrt");
    if (rsqrt == profile::kNone) return;
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      if (nodes_.op[n] != rsqrt) continue;
      const std::string_view name = profile.node_name(n);
      const std::optional<NormScope> scope = FindNormScope(name);
      if (!scope || scope->moments || scope->leaf != "Rsqrt" ||
          IsOtherNorm(scope->scope) || !NormalizesImages(scope->scope)) {
        continue;
      }
      micros_.emplace(scope->scope, 0);
      // Moments belong to the first batch norm in the same parent scope.
      by_parent_.emplace(scope->parent, scope->scope);
    }
  }

  bool empty() const { return micros_.empty(); }

  void AddNode(profile::NodeId n, int64_t micros) {
    if (micros == 0) return;
    const std::optional<NormScope> at =
        FindNormScope(WithoutGradients(profile_.node_name(n)));
    if (!at) return;
    std::string_view scope = at->scope;
    if (at->moments) {
      const auto sibling = by_parent_.find(at->parent);
      if (sibling == by_parent_.end()) return;
      scope = sibling->second;
    }
    const auto found = micros_.find(scope);
    if (found == micros_.end()) return;
    found->second = util::WrapAdd(found->second, micros);
    total_ = util::WrapAdd(total_, micros);
  }

  int64_t total() const { return total_; }

  // Scopes that took time, longest first.
  std::vector<std::pair<int64_t, std::string_view>> ByMicros() const {
    std::vector<std::pair<int64_t, std::string_view>> scopes;
    for (const auto& [scope, micros] : micros_) {
      if (micros > 0) scopes.push_back({micros, scope});
    }
    std::sort(scopes.begin(), scopes.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return scopes;
  }

 private:
  profile::NodeId Find(const std::string& name) const {
    return nodes_.Find(profile_.strings().Find(name));
  }

  // The source of a node's first input.
  profile::NodeId FirstInput(profile::NodeId n) const {
    return n == profile::kNone || nodes_.num_inputs(n) == 0
               ? profile::kNone
               : nodes_.Source(n, nodes_.edge_begin[n]);
  }

  // The fused op accepts only [batch, height, width, channels]. The last op of
  // the scope adds the scaled input and an offset; its shape must have four
  // dimensions. If the file has no shapes, the op that made the input must be
  // an image op.
  bool NormalizesImages(std::string_view scope) const {
    const profile::NodeId last = Find(std::string(scope) + "/add_1");
    const profile::NodeId scaled = FirstInput(last);
    for (const profile::NodeId n : {last, scaled}) {
      if (n == profile::kNone) continue;
      const profile::ShapeId shape = nodes_.OutputShapeOf(n, 0);
      if (shape != profile::kUnknownShape) {
        return profile_.graph().shapes[shape].size() == 4;
      }
    }
    const profile::NodeId input = FirstInput(scaled);
    return input != profile::kNone && images_.contains(nodes_.op[input]);
  }

  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  std::set<profile::StringId> images_;  // ops that output them
  std::map<std::string_view, int64_t> micros_;
  std::map<std::string_view, std::string_view> by_parent_;
  int64_t total_ = 0;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  const profile::Profile& profile = views.profile();
  BatchNorms norms(profile);
  if (norms.empty()) return result;
  const auto stats = views.context().NodeStats(-1);
  int64_t all = 0;
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    const int64_t micros = OwnMicros(profile, n, (*stats)[n]);
    all = util::WrapAdd(all, micros);
    norms.AddNode(n, micros);
  }
  const double threshold = settings.Get("unfused_batch_norm");
  const double share =
      static_cast<double>(norms.total()) / static_cast<double>(all);
  if (all <= 0 || norms.total() <= 0 || share < threshold) return result;
  const auto scopes = norms.ByMicros();
  std::string names;
  for (size_t i = 0; i < std::min(kListed, scopes.size()); ++i) {
    fmt::format_to(std::back_inserter(names), "{}{}", i == 0 ? "" : ", ",
                   scopes[i].second);
  }
  if (scopes.size() > kListed) names += ", …";
  result.findings.push_back(
      {.rule = kRules[0].id,
       .severity = Finding::Severity::kWarning,
       .subject = std::string(scopes[0].second),
       .value = share,
       .threshold = threshold,
       .saving_micros = norms.total(),
       .evidence =
           fmt::format("scope -max_depth 100 -show_name_regexes {}.* -select "
                       "micros,op_types",
                       NamePattern(scopes[0].second)),
       .advice = "Build these layers with the fused batch norm (fused=True, "
                 "FusedBatchNormV3).",
       .text = fmt::format("{} batch norm{} not fused, {} per step ({:.1f}% of "
                           "the op time): {}",
                           scopes.size(), scopes.size() == 1 ? " is" : "s are",
                           tables::FormatMicros(norms.total()), 100 * share,
                           names)});
  return result;
}

}  // namespace batch_norm
}  // namespace

const Checker kBatchNormChecker = {
    "BatchNormChecker",         "Time in batch norms that are not fused.",
    Checker::Kind::kAdvice,     batch_norm::kRules,
    batch_norm::kOptions,       batch_norm::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor
