#include "loaders/tensorflow/op_log/format.h"

#include "accounting/tfprof_rules.h"
#include "loaders/core/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/op_log/op_log.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/tfprof_log.pb.h"
#include "util/run/self_profile.h"

namespace tfprof::tensorflow {
namespace {

constexpr FieldSpec kCodeDefFields[] = {{util::LengthTag(1)}};
constexpr MessageSpec kCodeDef = {kCodeDefFields};
constexpr FieldSpec kLogEntryFields[] = {
    {util::LengthTag(1), nullptr, true, true},
    {util::VarintTag(2)},
    {util::LengthTag(3), nullptr, true},
    {util::LengthTag(4), &kCodeDef}};
constexpr MessageSpec kLogEntry = {kLogEntryFields};
constexpr FieldSpec kOpLogFields[] = {{util::LengthTag(1), &kLogEntry},
                                      {util::LengthTag(2), &kIdEntrySpec}};
constexpr MessageSpec kOpLog = {kOpLogFields};

constexpr std::string_view kWords[] = {"log_entries", "id_to_string"};

loaders::Fit Sniff(std::string_view bytes) {
  const loaders::Fit fit = MessageFit(bytes, kWords, kOpLog);
  // A ProfileProto may begin with its strings too.
  if (fit.text && FirstFieldOfText(bytes) == "id_to_string" &&
      bytes.find("\nnodes") != bytes.npos) {
    return {};
  }
  return fit;
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> FromText(
    const loaders::InputFile& file, loaders::ImportLog& log,
    const util::Cancellation* cancellation) {
  proto::OpLogProto message;
  return TextToBinary(file, message, log, cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  OpLogLoader loader(context);
  for (const loaders::FormatFile& file : files) {
    const util::ScopedPhase phase("load", file.path);
    loaders::LogIfEmpty(*file.file, kOpLogFormat.name, context.log);
    context.progress->done += static_cast<int64_t>(file.file->bytes().size());
    absl::Status status = loader.Load(*file.file);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kOpLogFormat = {
    .name = "OpLogProto",
    .flag = "op_log_path",
    .value_name = "FILE",
    .help = "An OpLogProto.",
    .failed_name = "op_log_path",
    .role = loaders::Role::kExtra,
    .order = 2,
    .rules = accounting::TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = loaders::FindDamage<proto::OpLogProto>,
    .account = loaders::AccountMessage<proto::OpLogProto>,
    .account_text = AccountText<proto::OpLogProto>,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
