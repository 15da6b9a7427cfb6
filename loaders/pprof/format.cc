#include "loaders/pprof/format.h"

#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/pprof/pprof.h"
#include "loaders/tensorflow/message_fit.h"

namespace tfprof {
namespace {

constexpr FieldSpec kValueTypeFields[] = {{VarintTag(1)}, {VarintTag(2)}};
constexpr MessageSpec kValueType = {kValueTypeFields};
constexpr FieldSpec kLabelFields[] = {
    {VarintTag(1)}, {VarintTag(2)}, {VarintTag(3)}, {VarintTag(4)}};
constexpr MessageSpec kLabel = {kLabelFields};
constexpr FieldSpec kSampleFields[] = {{LengthTag(1)},
                                       {VarintTag(1)},
                                       {LengthTag(2)},
                                       {VarintTag(2)},
                                       {LengthTag(3), &kLabel}};
constexpr MessageSpec kSample = {kSampleFields};
constexpr FieldSpec kMappingFields[] = {
    {VarintTag(1)}, {VarintTag(2)}, {VarintTag(3)}, {VarintTag(4)},
    {VarintTag(5)}, {VarintTag(6)}, {VarintTag(7)}, {VarintTag(8)},
    {VarintTag(9)}, {VarintTag(10)}};
constexpr MessageSpec kMapping = {kMappingFields};
constexpr FieldSpec kLineFields[] = {
    {VarintTag(1)}, {VarintTag(2)}, {VarintTag(3)}};
constexpr MessageSpec kLine = {kLineFields};
constexpr FieldSpec kLocationFields[] = {{VarintTag(1)},
                                         {VarintTag(2)},
                                         {VarintTag(3)},
                                         {LengthTag(4), &kLine},
                                         {VarintTag(5)}};
constexpr MessageSpec kLocation = {kLocationFields};
constexpr FieldSpec kFunctionFields[] = {{VarintTag(1)},
                                         {VarintTag(2)},
                                         {VarintTag(3)},
                                         {VarintTag(4)},
                                         {VarintTag(5)}};
constexpr MessageSpec kFunction = {kFunctionFields};
constexpr FieldSpec kProfileFields[] = {
    {LengthTag(1), &kValueType, false, true},
    {LengthTag(2), &kSample},
    {LengthTag(3), &kMapping},
    {LengthTag(4), &kLocation},
    {LengthTag(5), &kFunction},
    {LengthTag(6)},
    {VarintTag(7)},
    {VarintTag(8)},
    {VarintTag(9)},
    {VarintTag(10)},
    {LengthTag(11), &kValueType},
    {VarintTag(12)},
    {LengthTag(13)},
    {VarintTag(13)},
    {VarintTag(14)},
    {VarintTag(15)}};
constexpr MessageSpec kProfile = {kProfileFields};

// Returns whether the file has a sample type. Every profile has one, and
// writers put it first or after the strings. Without this check, text of
// repeated characters would fit.
bool HasSampleType(std::string_view bytes) {
  constexpr int kMaxFields = 4096;
  WireReader r(bytes);
  for (int i = 0; i < kMaxFields && r.Next(); ++i) {
    if (r.tag() == LengthTag(1)) return true;
  }
  return false;
}

Fit Sniff(std::string_view bytes) {
  if (!HasSampleType(bytes)) return {};
  return {.score = 2 * CountFittingFields(bytes, kProfile)};
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  std::vector<PprofFile> steps;
  for (const FormatFile& file : files) steps.push_back({file.file, file.step});
  return LoadPprof(steps, context);
}

}  // namespace

const Format kPprofFormat = {
    .name = "pprof profile",
    .flag = "pprof_path",
    .value_name = "FILE,…",
    .help = "pprof files: steps 0, 1, 2 …, or STEP:FILE.",
    .flag_takes_list = true,
    .failed_name = "pprof_path",
    .step_prefix = "pprof_",
    .role = Role::kRun,
    .order = 11,
    .rules = SelfTimeRules,
    .ticks_per_micro = kPprofTicksPerMicro,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof
