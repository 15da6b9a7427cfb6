#include "loaders/xplane/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/xplane/load.h"

namespace tfprof {
namespace {

constexpr FieldSpec kEventFields[] = {{VarintTag(1)},
                                      {VarintTag(2)},
                                      {VarintTag(3)},
                                      {LengthTag(4)},
                                      {VarintTag(5)}};
constexpr MessageSpec kEvent = {kEventFields};
constexpr FieldSpec kLineFields[] = {{VarintTag(1)},
                                     {LengthTag(2), nullptr, true},
                                     {VarintTag(3)},
                                     {LengthTag(4), &kEvent},
                                     {VarintTag(9)},
                                     {VarintTag(10)},
                                     {LengthTag(11), nullptr, true}};
constexpr MessageSpec kLine = {kLineFields};
constexpr FieldSpec kPlaneFields[] = {{VarintTag(1)},
                                      {LengthTag(2), nullptr, true, true},
                                      {LengthTag(3), &kLine},
                                      {LengthTag(4), &kIdEntrySpec},
                                      {LengthTag(5), &kIdEntrySpec},
                                      {LengthTag(6)}};
constexpr MessageSpec kPlane = {kPlaneFields};
constexpr FieldSpec kSpaceFields[] = {{LengthTag(1), &kPlane},
                                      {LengthTag(2), nullptr, true},
                                      {LengthTag(3), nullptr, true},
                                      {LengthTag(4), nullptr, true}};
constexpr MessageSpec kSpace = {kSpaceFields};

// No tool writes an XSpace as text.
Fit Sniff(std::string_view bytes) {
  return {.score = 2 * CountFittingFields(bytes, kSpace)};
}

}  // namespace

const Format kXPlaneFormat = {
    .name = "XPlane",
    .flag = "xplane_path",
    .value_name = "FILE,…",
    .help = "Profiles of TensorFlow 2, JAX or PyTorch/XLA (*.xplane.pb).",
    .flag_takes_list = true,
    .failed_name = "xplane_path",
    .role = Role::kProfile,
    // The folder layout of TensorBoard.
    .runs_folder = "plugins/profile",
    .order = 6,
    .rules = SelfTimeRules,
    .ticks_per_micro = kXPlaneTicksPerMicro,
    .sniff = Sniff,
    .load = LoadXPlanes,
};

}  // namespace tfprof
