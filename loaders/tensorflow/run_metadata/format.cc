#include "loaders/tensorflow/run_metadata/format.h"

#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "loaders/core/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/run_metadata.pb.h"
#include "util/run/self_profile.h"

namespace tfprof::tensorflow {
namespace {

constexpr FieldSpec kNodeExecFields[] = {{util::LengthTag(1), nullptr, true},
                                         {util::VarintTag(2)},
                                         {util::VarintTag(3)},
                                         {util::VarintTag(4)},
                                         {util::VarintTag(5)},
                                         {util::LengthTag(6)},
                                         {util::LengthTag(7)},
                                         {util::LengthTag(8)},
                                         {util::VarintTag(9)},
                                         {util::VarintTag(10)},
                                         {util::LengthTag(11)},
                                         {util::LengthTag(12)},
                                         {util::VarintTag(13)},
                                         {util::VarintTag(14)},
                                         {util::VarintTag(15)},
                                         {util::VarintTag(16)},
                                         {util::VarintTag(17)}};
constexpr MessageSpec kNodeExec = {kNodeExecFields};
constexpr FieldSpec kDevStatsFields[] = {
    {util::LengthTag(1), nullptr, true, true},
    {util::LengthTag(2), &kNodeExec},
    {util::LengthTag(3)}};
constexpr MessageSpec kDevStats = {kDevStatsFields};
constexpr FieldSpec kStepStatsFields[] = {{util::LengthTag(1), &kDevStats}};
constexpr MessageSpec kStepStats = {kStepStatsFields};
constexpr FieldSpec kRunMetadataFields[] = {{util::LengthTag(1), &kStepStats},
                                            {util::LengthTag(2)},
                                            {util::LengthTag(3)},
                                            {util::LengthTag(4)},
                                            {util::LengthTag(5)}};
constexpr MessageSpec kRunMetadata = {kRunMetadataFields};

constexpr std::string_view kWords[] = {"step_stats", "cost_graph",
                                       "partition_graphs", "function_graphs"};

constexpr std::string_view kStepStatsWords[] = {"dev_stats"};

// A run without a trace leaves only a cost graph, whose fields also fit the
// library of a GraphDef. A GraphDef without nodes is rarer.
loaders::Fit FitOfRunMetadata(std::string_view bytes) {
  return MessageFit(bytes, kWords, kRunMetadata, /*preferred=*/true);
}
loaders::Fit FitOfStepStats(std::string_view bytes) {
  return MessageFit(bytes, kStepStatsWords, kStepStats);
}

// Returns whether the first device of a binary StepStats has a name:
// "/job:w/…".
bool NamesADevice(std::string_view bytes) {
  util::WireReader step(bytes);
  if (!step.Next() || step.tag() != util::LengthTag(1)) return false;
  util::WireReader device(step.view());
  return device.Next() && device.tag() == util::LengthTag(1) &&
         device.view().starts_with('/');
}

// Returns whether the file is only the StepStats of a RunMetadata. A damaged
// RunMetadata must not pass as one.
bool IsStepStats(std::string_view bytes) {
  const loaders::Fit fit = FitOfStepStats(bytes);
  return fit.score > FitOfRunMetadata(bytes).score &&
         (fit.text || NamesADevice(bytes));
}

loaders::Fit Sniff(std::string_view bytes) {
  return IsStepStats(bytes) ? FitOfStepStats(bytes) : FitOfRunMetadata(bytes);
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> FromText(
    const loaders::InputFile& file, loaders::ImportLog& log,
    const util::Cancellation* cancellation) {
  if (IsStepStats(file.bytes())) {
    proto::StepStats message;
    return TextToBinary(file, message, log, cancellation);
  }
  proto::RunMetadata message;
  return TextToBinary(file, message, log, cancellation);
}

std::optional<uint64_t> FindDamageOfFile(
    std::string_view bytes, const util::Cancellation* cancellation) {
  return IsStepStats(bytes)
             ? loaders::FindDamage<proto::StepStats>(bytes, cancellation)
             : loaders::FindDamage<proto::RunMetadata>(bytes, cancellation);
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  return IsStepStats(file.bytes())
             ? loaders::AccountMessage<proto::StepStats>(file, cancellation)
             : loaders::AccountMessage<proto::RunMetadata>(file, cancellation);
}

loaders::ByteAccount AccountTextForm(const loaders::InputFile& file,
                                     const util::Cancellation* cancellation) {
  return IsStepStats(file.bytes())
             ? AccountText<proto::StepStats>(file, cancellation)
             : AccountText<proto::RunMetadata>(file, cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  const util::ScopedPhase phase("run metadata",
                                fmt::format("{} files", files.size()));
  std::vector<RunMetadataFile> steps;
  for (const loaders::FormatFile& file : files) {
    steps.push_back({file.file, file.step, IsStepStats(file.file->bytes())});
  }
  return LoadRunMetadata(steps, context);
}

}  // namespace

const loaders::Format kRunMetadataFormat = {
    .name = "RunMetadata",
    .flag = "run_meta_path",
    .value_name = "FILE,…",
    .help =
        "RunMetadata files, or their StepStats, binary or text: steps 0, 1, 2 "
        "…, "
        "or STEP:FILE.",
    .flag_takes_list = true,
    .failed_name = "run_meta_path",
    // TensorFlow's ProfileContext uses this prefix.
    .step_prefix = "run_meta_",
    .role = loaders::Role::kRun,
    // After the formats that add nodes and their details: a record of an
    // unknown node makes a new node.
    .order = 4,
    .rules = accounting::TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = FindDamageOfFile,
    .account = Account,
    .account_text = AccountTextForm,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
