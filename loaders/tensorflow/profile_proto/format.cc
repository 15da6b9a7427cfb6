#include "loaders/tensorflow/profile_proto/format.h"

#include "accounting/tfprof_rules.h"
#include "loaders/tensorflow/message_check.h"
#include "loaders/tensorflow/message_fit.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/text_proto.h"
#include "proto/tfprof_log.pb.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

constexpr FieldSpec kProfileNodeFields[] = {{LengthTag(1), nullptr, true},
                                            {LengthTag(2), &kIntEntrySpec},
                                            {LengthTag(3), &kIntEntrySpec},
                                            {LengthTag(4)},
                                            {VarintTag(4)},
                                            {LengthTag(5), nullptr, true},
                                            {LengthTag(6), nullptr, true},
                                            {LengthTag(7), nullptr, true},
                                            {VarintTag(8)},
                                            {LengthTag(9), nullptr, true},
                                            {LengthTag(10)},
                                            {LengthTag(11)},
                                            {LengthTag(12)},
                                            {VarintTag(13)},
                                            {LengthTag(14)},
                                            {LengthTag(15)},
                                            {LengthTag(16)},
                                            {LengthTag(1000)},
                                            {LengthTag(1001)},
                                            {VarintTag(1002)}};
constexpr MessageSpec kProfileNode = {kProfileNodeFields};
constexpr FieldSpec kNodeEntryFields[] = {{VarintTag(1)},
                                          {LengthTag(2), &kProfileNode}};
constexpr MessageSpec kNodeEntry = {kNodeEntryFields};
constexpr FieldSpec kProfileFields[] = {{LengthTag(1), &kNodeEntry},
                                        {VarintTag(2)},
                                        {VarintTag(3)},
                                        {LengthTag(3)},
                                        {LengthTag(4), &kIdEntrySpec},
                                        {VarintTag(5)},
                                        {LengthTag(1000)}};
constexpr MessageSpec kProfile = {kProfileFields};

constexpr std::string_view kWords[] = {"nodes", "has_trace", "steps",
                                       "miss_accelerator_stream"};

Fit Sniff(std::string_view bytes) {
  // An OpLogProto may begin with its strings too. Only such a text is searched:
  // a search of every file would read all pages of large files.
  if (FirstFieldOfText(bytes) == "id_to_string" &&
      bytes.find("\nnodes") != bytes.npos) {
    return {.score = Fit::kWord, .text = true};
  }
  return MessageFit(bytes, kWords, kProfile, /*preferred=*/true);
}

absl::StatusOr<std::shared_ptr<const InputFile>> FromText(
    const InputFile& file, ImportLog& log, const Cancellation* cancellation) {
  ProfileProto message;
  return TextToBinary(file, message, log, cancellation);
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  for (const FormatFile& file : files) {
    const ScopedPhase phase("load", file.path);
    LogIfEmpty(*file.file, kProfileProtoFormat.name, context.log);
    const absl::Status status = LoadProfileProto(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const Format kProfileProtoFormat = {
    .name = "ProfileProto",
    .flag = "profile_path",
    .value_name = "FILE",
    .help = "A ProfileProto.",
    .failed_name = "profile",
    .role = Role::kProfile,
    // TensorFlow's ProfileContext writes all steps so far into each file, so
    // the last one has them all.
    .folder_choice = FolderChoice::kLast,
    .order = 0,
    .rules = TfprofRules,
    .sniff = Sniff,
    .from_text = FromText,
    .find_damage = FindDamage<ProfileProto>,
    .load = LoadFiles,
};

}  // namespace tfprof
