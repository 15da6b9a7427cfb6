#include "loaders/tensorflow/graph_def/format.h"

#include "accounting/tfprof_rules.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/graph.pb.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

// A name may be empty; proto3 then omits it.
constexpr FieldSpec kNodeDefFields[] = {{LengthTag(1), nullptr, true},
                                        {LengthTag(2), nullptr, true, true},
                                        {LengthTag(3), nullptr, true},
                                        {LengthTag(4), nullptr, true},
                                        {LengthTag(5)},
                                        {LengthTag(6)},
                                        {LengthTag(7)}};
constexpr MessageSpec kNodeDef = {kNodeDefFields};
constexpr FieldSpec kGraphDefFields[] = {{LengthTag(1), &kNodeDef},
                                         {LengthTag(2)},
                                         {VarintTag(3)},
                                         {LengthTag(4)},
                                         {LengthTag(5)}};
constexpr MessageSpec kGraphDef = {kGraphDefFields};

constexpr std::string_view kWords[] = {"node", "library", "versions",
                                       "version"};

Fit Sniff(std::string_view bytes) {
  return MessageFit(bytes, kWords, kGraphDef);
}

absl::StatusOr<std::shared_ptr<const InputFile>> FromText(
    const InputFile& file, ImportLog& log, const Cancellation* cancellation) {
  GraphDef message;
  return TextToBinary(file, message, log, cancellation);
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  for (const FormatFile& file : files) {
    const ScopedPhase phase("load", file.path);
    LogIfEmpty(*file.file, kGraphDefFormat.name, context.log);
    const absl::Status status = LoadGraphDef(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const Format kGraphDefFormat = {
    .name = "GraphDef",
    .flag = "graph_path",
    .value_name = "FILE",
    .help = "A GraphDef, binary or text.",
    .failed_name = "graph_path",
    .role = Role::kGraph,
    // Several in a folder are usually text and binary forms of one graph.
    .folder_choice = FolderChoice::kFirst,
    .order = 1,
    .rules = TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = FindDamage<GraphDef>,
    .load = LoadFiles,
};

}  // namespace tfprof
