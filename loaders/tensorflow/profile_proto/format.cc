#include "loaders/tensorflow/profile_proto/format.h"

#include "accounting/tfprof_rules.h"
#include "loaders/core/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/tfprof_log.pb.h"
#include "util/run/self_profile.h"

namespace tfprof::tensorflow {
namespace {

constexpr FieldSpec kProfileNodeFields[] = {
    {util::LengthTag(1), nullptr, true},
    {util::LengthTag(2), &kIntEntrySpec},
    {util::LengthTag(3), &kIntEntrySpec},
    {util::LengthTag(4)},
    {util::VarintTag(4)},
    {util::LengthTag(5), nullptr, true},
    {util::LengthTag(6), nullptr, true},
    {util::LengthTag(7), nullptr, true},
    {util::VarintTag(8)},
    {util::LengthTag(9), nullptr, true},
    {util::LengthTag(10)},
    {util::LengthTag(11)},
    {util::LengthTag(12)},
    {util::VarintTag(13)},
    {util::LengthTag(14)},
    {util::LengthTag(15)},
    {util::LengthTag(16)},
    {util::LengthTag(1000)},
    {util::LengthTag(1001)},
    {util::VarintTag(1002)}};
constexpr MessageSpec kProfileNode = {kProfileNodeFields};
constexpr FieldSpec kNodeEntryFields[] = {{util::VarintTag(1)},
                                          {util::LengthTag(2), &kProfileNode}};
constexpr MessageSpec kNodeEntry = {kNodeEntryFields};
constexpr FieldSpec kProfileFields[] = {{util::LengthTag(1), &kNodeEntry},
                                        {util::VarintTag(2)},
                                        {util::VarintTag(3)},
                                        {util::LengthTag(3)},
                                        {util::LengthTag(4), &kIdEntrySpec},
                                        {util::VarintTag(5)},
                                        {util::LengthTag(1000)}};
constexpr MessageSpec kProfile = {kProfileFields};

constexpr std::string_view kWords[] = {"nodes", "has_trace", "steps",
                                       "miss_accelerator_stream"};

loaders::Fit Sniff(std::string_view bytes) {
  // An OpLogProto may begin with its strings too. Only such a text is searched:
  // a search of every file would read all pages of large files.
  if (FirstFieldOfText(bytes) == "id_to_string" &&
      bytes.find("\nnodes") != bytes.npos) {
    return {.score = loaders::Fit::kWord, .text = true};
  }
  return MessageFit(bytes, kWords, kProfile, /*preferred=*/true);
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> FromText(
    const loaders::InputFile& file, loaders::ImportLog& log,
    const util::Cancellation* cancellation) {
  proto::ProfileProto message;
  return TextToBinary(file, message, log, cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  for (const loaders::FormatFile& file : files) {
    const util::ScopedPhase phase("load", file.path);
    loaders::LogIfEmpty(*file.file, kProfileProtoFormat.name, context.log);
    absl::Status status = LoadProfileProto(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kProfileProtoFormat = {
    .name = "ProfileProto",
    .flag = "profile_path",
    .value_name = "FILE",
    .help = "A ProfileProto.",
    .failed_name = "profile",
    .role = loaders::Role::kProfile,
    // TensorFlow's ProfileContext writes all steps so far into each file, so
    // the last one has them all.
    .folder_choice = loaders::FolderChoice::kLast,
    .order = 0,
    .rules = accounting::TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = loaders::FindDamage<proto::ProfileProto>,
    .account = loaders::AccountMessage<proto::ProfileProto>,
    .account_text = AccountText<proto::ProfileProto>,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
