#include "loaders/tensorflow/run_metadata/format.h"

#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "loaders/tensorflow/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/run_metadata.pb.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

constexpr FieldSpec kNodeExecFields[] = {{LengthTag(1), nullptr, true},
                                         {VarintTag(2)},
                                         {VarintTag(3)},
                                         {VarintTag(4)},
                                         {VarintTag(5)},
                                         {LengthTag(6)},
                                         {LengthTag(7)},
                                         {LengthTag(8)},
                                         {VarintTag(9)},
                                         {VarintTag(10)},
                                         {LengthTag(11)},
                                         {LengthTag(12)},
                                         {VarintTag(13)},
                                         {VarintTag(14)},
                                         {VarintTag(15)},
                                         {VarintTag(16)},
                                         {VarintTag(17)}};
constexpr MessageSpec kNodeExec = {kNodeExecFields};
constexpr FieldSpec kDevStatsFields[] = {{LengthTag(1), nullptr, true, true},
                                         {LengthTag(2), &kNodeExec},
                                         {LengthTag(3)}};
constexpr MessageSpec kDevStats = {kDevStatsFields};
constexpr FieldSpec kStepStatsFields[] = {{LengthTag(1), &kDevStats}};
constexpr MessageSpec kStepStats = {kStepStatsFields};
constexpr FieldSpec kRunMetadataFields[] = {{LengthTag(1), &kStepStats},
                                            {LengthTag(2)},
                                            {LengthTag(3)},
                                            {LengthTag(4)},
                                            {LengthTag(5)}};
constexpr MessageSpec kRunMetadata = {kRunMetadataFields};

constexpr std::string_view kWords[] = {"step_stats", "cost_graph",
                                       "partition_graphs", "function_graphs"};

constexpr std::string_view kStepStatsWords[] = {"dev_stats"};

// A run without a trace leaves only a cost graph, whose fields also fit the
// library of a GraphDef. A GraphDef without nodes is rarer.
Fit FitOfRunMetadata(std::string_view bytes) {
  return MessageFit(bytes, kWords, kRunMetadata, /*preferred=*/true);
}
Fit FitOfStepStats(std::string_view bytes) {
  return MessageFit(bytes, kStepStatsWords, kStepStats);
}

// Returns whether the first device of a binary StepStats has a name:
// "/job:w/…".
bool NamesADevice(std::string_view bytes) {
  WireReader step(bytes);
  if (!step.Next() || step.tag() != LengthTag(1)) return false;
  WireReader device(step.view());
  return device.Next() && device.tag() == LengthTag(1) &&
         device.view().starts_with('/');
}

// Returns whether the file is only the StepStats of a RunMetadata. A damaged
// RunMetadata must not pass as one.
bool IsStepStats(std::string_view bytes) {
  const Fit fit = FitOfStepStats(bytes);
  return fit.score > FitOfRunMetadata(bytes).score &&
         (fit.text || NamesADevice(bytes));
}

Fit Sniff(std::string_view bytes) {
  return IsStepStats(bytes) ? FitOfStepStats(bytes) : FitOfRunMetadata(bytes);
}

absl::StatusOr<std::shared_ptr<const InputFile>> FromText(
    const InputFile& file, ImportLog& log, const Cancellation* cancellation) {
  if (IsStepStats(file.bytes())) {
    StepStats message;
    return TextToBinary(file, message, log, cancellation);
  }
  RunMetadata message;
  return TextToBinary(file, message, log, cancellation);
}

std::optional<uint64_t> FindDamageOfFile(std::string_view bytes,
                                         const Cancellation* cancellation) {
  return IsStepStats(bytes) ? FindDamage<StepStats>(bytes, cancellation)
                            : FindDamage<RunMetadata>(bytes, cancellation);
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  const ScopedPhase phase("run metadata",
                          fmt::format("{} files", files.size()));
  std::vector<RunMetadataFile> steps;
  for (const FormatFile& file : files) {
    steps.push_back({file.file, file.step, IsStepStats(file.file->bytes())});
  }
  return LoadRunMetadata(steps, context);
}

}  // namespace

const Format kRunMetadataFormat = {
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
    .role = Role::kRun,
    // After the formats that add nodes and their details: a record of an
    // unknown node makes a new node.
    .order = 4,
    .rules = TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = FindDamageOfFile,
    .load = LoadFiles,
};

}  // namespace tfprof
