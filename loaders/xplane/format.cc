#include "loaders/xplane/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/xplane/account.h"
#include "loaders/xplane/load.h"
#include "loaders/xplane/messages.h"

namespace tfprof::xplane {
namespace {

constexpr tensorflow::FieldSpec kEventFields[] = {{util::VarintTag(1)},
                                                  {util::VarintTag(2)},
                                                  {util::VarintTag(3)},
                                                  {util::LengthTag(4)},
                                                  {util::VarintTag(5)}};
constexpr tensorflow::MessageSpec kEvent = {kEventFields};
constexpr tensorflow::FieldSpec kLineFields[] = {
    {util::VarintTag(1)},
    {util::LengthTag(2), nullptr, true},
    {util::VarintTag(3)},
    {util::LengthTag(4), &kEvent},
    {util::VarintTag(9)},
    {util::VarintTag(10)},
    {util::LengthTag(11), nullptr, true}};
constexpr tensorflow::MessageSpec kLine = {kLineFields};
constexpr tensorflow::FieldSpec kPlaneFields[] = {
    {util::VarintTag(1)},
    {util::LengthTag(2), nullptr, true, true},
    {util::LengthTag(3), &kLine},
    {util::LengthTag(4), &tensorflow::kIdEntrySpec},
    {util::LengthTag(5), &tensorflow::kIdEntrySpec},
    {util::LengthTag(6)}};
constexpr tensorflow::MessageSpec kPlane = {kPlaneFields};
constexpr tensorflow::FieldSpec kSpaceFields[] = {
    {util::LengthTag(1), &kPlane},
    {util::LengthTag(2), nullptr, true},
    {util::LengthTag(3), nullptr, true},
    {util::LengthTag(4), nullptr, true}};
constexpr tensorflow::MessageSpec kSpace = {kSpaceFields};

// No tool writes an XSpace as text.
loaders::Fit Sniff(std::string_view bytes) {
  return {.score = 2 * CountFittingFields(bytes, kSpace)};
}

// The loader checks the programs.
std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  return XSpaceMessages().FindDamage(bytes, cancellation);
}

}  // namespace

const loaders::Format kXPlaneFormat = {
    .name = "XPlane",
    .flag = "xplane_path",
    .value_name = "FILE,…",
    .help = "Profiles of TensorFlow 2, JAX or PyTorch/XLA (*.xplane.pb).",
    .flag_takes_list = true,
    .failed_name = "xplane_path",
    .role = loaders::Role::kProfile,
    // The folder layout of TensorBoard.
    .runs_folder = "plugins/profile",
    .order = 6,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = kXPlaneTicksPerMicro,
    .sniff = Sniff,
    .find_damage = FindDamage,
    .account = AccountXPlane,
    .load = LoadXPlanes,
};

}  // namespace tfprof::xplane
