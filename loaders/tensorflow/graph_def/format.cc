#include "loaders/tensorflow/graph_def/format.h"

#include "accounting/tfprof_rules.h"
#include "loaders/core/message_check.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/graph.pb.h"
#include "util/run/self_profile.h"

namespace tfprof::tensorflow {
namespace {

// A name may be empty; proto3 then omits it.
constexpr FieldSpec kNodeDefFields[] = {
    {util::LengthTag(1), nullptr, true},
    {util::LengthTag(2), nullptr, true, true},
    {util::LengthTag(3), nullptr, true},
    {util::LengthTag(4), nullptr, true},
    {util::LengthTag(5)},
    {util::LengthTag(6)},
    {util::LengthTag(7)}};
constexpr MessageSpec kNodeDef = {kNodeDefFields};
constexpr FieldSpec kGraphDefFields[] = {{util::LengthTag(1), &kNodeDef},
                                         {util::LengthTag(2)},
                                         {util::VarintTag(3)},
                                         {util::LengthTag(4)},
                                         {util::LengthTag(5)}};
constexpr MessageSpec kGraphDef = {kGraphDefFields};

constexpr std::string_view kWords[] = {"node", "library", "versions",
                                       "version"};

loaders::Fit Sniff(std::string_view bytes) {
  return MessageFit(bytes, kWords, kGraphDef);
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> FromText(
    const loaders::InputFile& file, loaders::ImportLog& log,
    const util::Cancellation* cancellation) {
  proto::GraphDef message;
  return TextToBinary(file, message, log, cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  for (const loaders::FormatFile& file : files) {
    const util::ScopedPhase phase("load", file.path);
    loaders::LogIfEmpty(*file.file, kGraphDefFormat.name, context.log);
    absl::Status status = LoadGraphDef(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kGraphDefFormat = {
    .name = "GraphDef",
    .flag = "graph_path",
    .value_name = "FILE",
    .help = "A GraphDef, binary or text.",
    .failed_name = "graph_path",
    .role = loaders::Role::kGraph,
    // Several in a folder are usually text and binary forms of one graph.
    .folder_choice = loaders::FolderChoice::kFirst,
    .order = 1,
    .rules = accounting::TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = loaders::FindDamage<proto::GraphDef>,
    .account = loaders::AccountMessage<proto::GraphDef>,
    .account_text = AccountText<proto::GraphDef>,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
