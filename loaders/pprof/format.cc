#include "loaders/pprof/format.h"

#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/pprof/messages.h"
#include "loaders/pprof/pprof.h"
#include "loaders/tensorflow/message_fit.h"

namespace tfprof::pprof {
namespace {

constexpr tensorflow::FieldSpec kValueTypeFields[] = {{util::VarintTag(1)},
                                                      {util::VarintTag(2)}};
constexpr tensorflow::MessageSpec kValueType = {kValueTypeFields};
constexpr tensorflow::FieldSpec kLabelFields[] = {{util::VarintTag(1)},
                                                  {util::VarintTag(2)},
                                                  {util::VarintTag(3)},
                                                  {util::VarintTag(4)}};
constexpr tensorflow::MessageSpec kLabel = {kLabelFields};
constexpr tensorflow::FieldSpec kSampleFields[] = {
    {util::LengthTag(1)},
    {util::VarintTag(1)},
    {util::LengthTag(2)},
    {util::VarintTag(2)},
    {util::LengthTag(3), &kLabel}};
constexpr tensorflow::MessageSpec kSample = {kSampleFields};
constexpr tensorflow::FieldSpec kMappingFields[] = {
    {util::VarintTag(1)}, {util::VarintTag(2)}, {util::VarintTag(3)},
    {util::VarintTag(4)}, {util::VarintTag(5)}, {util::VarintTag(6)},
    {util::VarintTag(7)}, {util::VarintTag(8)}, {util::VarintTag(9)},
    {util::VarintTag(10)}};
constexpr tensorflow::MessageSpec kMapping = {kMappingFields};
constexpr tensorflow::FieldSpec kLineFields[] = {
    {util::VarintTag(1)}, {util::VarintTag(2)}, {util::VarintTag(3)}};
constexpr tensorflow::MessageSpec kLine = {kLineFields};
constexpr tensorflow::FieldSpec kLocationFields[] = {
    {util::VarintTag(1)},
    {util::VarintTag(2)},
    {util::VarintTag(3)},
    {util::LengthTag(4), &kLine},
    {util::VarintTag(5)}};
constexpr tensorflow::MessageSpec kLocation = {kLocationFields};
constexpr tensorflow::FieldSpec kFunctionFields[] = {{util::VarintTag(1)},
                                                     {util::VarintTag(2)},
                                                     {util::VarintTag(3)},
                                                     {util::VarintTag(4)},
                                                     {util::VarintTag(5)}};
constexpr tensorflow::MessageSpec kFunction = {kFunctionFields};
constexpr tensorflow::FieldSpec kProfileFields[] = {
    {util::LengthTag(1), &kValueType, false, true},
    {util::LengthTag(2), &kSample},
    {util::LengthTag(3), &kMapping},
    {util::LengthTag(4), &kLocation},
    {util::LengthTag(5), &kFunction},
    {util::LengthTag(6)},
    {util::VarintTag(7)},
    {util::VarintTag(8)},
    {util::VarintTag(9)},
    {util::VarintTag(10)},
    {util::LengthTag(11), &kValueType},
    {util::VarintTag(12)},
    {util::LengthTag(13)},
    {util::VarintTag(13)},
    {util::VarintTag(14)},
    {util::VarintTag(15)}};
constexpr tensorflow::MessageSpec kProfile = {kProfileFields};

// Returns whether the file has a sample type. Every profile has one, and
// writers put it first or after the strings. Without this check, text of
// repeated characters would fit.
bool HasSampleType(std::string_view bytes) {
  constexpr int kMaxFields = 4096;
  util::WireReader r(bytes);
  for (int i = 0; i < kMaxFields && r.Next(); ++i) {
    if (r.tag() == util::LengthTag(1)) return true;
  }
  return false;
}

loaders::Fit Sniff(std::string_view bytes) {
  if (!HasSampleType(bytes)) return {};
  return {.score = 2 * CountFittingFields(bytes, kProfile)};
}

std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  return ProfileMessages().FindDamage(bytes, cancellation);
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  return ProfileMessages().Account(file.bytes(), cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<PprofFile> steps;
  for (const loaders::FormatFile& file : files)
    steps.push_back({file.file, file.step});
  return LoadPprof(steps, context);
}

}  // namespace

const loaders::Format kPprofFormat = {
    .name = "pprof profile",
    .flag = "pprof_path",
    .value_name = "FILE,…",
    .help = "pprof files: steps 0, 1, 2 …, or STEP:FILE.",
    .flag_takes_list = true,
    .failed_name = "pprof_path",
    .step_prefix = "pprof_",
    .role = loaders::Role::kRun,
    .order = 11,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = kPprofTicksPerMicro,
    .sniff = Sniff,
    .find_damage = FindDamage,
    .check_beside_load = true,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::pprof
