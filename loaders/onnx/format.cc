#include "loaders/onnx/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/onnx/messages.h"
#include "loaders/onnx/onnx.h"
#include "loaders/tensorflow/message_fit.h"
#include "util/run/self_profile.h"

namespace tfprof::onnx {
namespace {

constexpr tensorflow::FieldSpec kNodeFields[] = {
    {util::LengthTag(1)},
    {util::LengthTag(2)},
    {util::LengthTag(3), nullptr, /*text=*/true},
    {util::LengthTag(4), nullptr, /*text=*/true, /*required=*/true},
    {util::LengthTag(5)},
    {util::LengthTag(6)},
    {util::LengthTag(7)},
    {util::LengthTag(8)},
    {util::LengthTag(9)}};
constexpr tensorflow::MessageSpec kNode = {kNodeFields};
constexpr tensorflow::FieldSpec kGraphFields[] = {
    {util::LengthTag(1), &kNode}, {util::LengthTag(2)},  {util::LengthTag(5)},
    {util::LengthTag(10)},        {util::LengthTag(11)}, {util::LengthTag(12)},
    {util::LengthTag(13)},        {util::LengthTag(14)}, {util::LengthTag(15)},
    {util::LengthTag(16)}};
constexpr tensorflow::MessageSpec kGraph = {kGraphFields};
constexpr tensorflow::FieldSpec kModelFields[] = {
    {util::VarintTag(1)},
    {util::LengthTag(2), nullptr, /*text=*/true},
    {util::LengthTag(3), nullptr, /*text=*/true},
    {util::LengthTag(4)},
    {util::VarintTag(5)},
    {util::LengthTag(6)},
    {util::LengthTag(7), &kGraph, /*text=*/false, /*required=*/true},
    {util::LengthTag(8)},
    {util::LengthTag(14)},
    {util::LengthTag(20)},
    {util::LengthTag(25)},
    {util::LengthTag(26)}};
constexpr tensorflow::MessageSpec kModel = {kModelFields};

// Returns whether the file has a graph. Without this check, text of repeated
// characters would fit. A truncated file ends inside the graph.
bool HasGraph(std::string_view bytes) {
  constexpr int kMaxFields = 256;
  util::WireReader r(bytes);
  int fields = 0;
  while (fields < kMaxFields && r.Next()) {
    if (r.tag() == util::LengthTag(7)) return true;
    ++fields;
  }
  return fields > 0 && r.damaged() && r.tag() == util::LengthTag(7);
}

loaders::Fit Sniff(std::string_view bytes) {
  if (!HasGraph(bytes)) return {};
  return {.score = 2 * CountFittingFields(bytes, kModel)};
}

std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  return ModelMessages().FindDamage(bytes, cancellation);
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  return ModelMessages().Account(file.bytes(), cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  for (const loaders::FormatFile& file : files) {
    const util::ScopedPhase phase("onnx model", file.path);
    absl::Status status = LoadOnnx(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kOnnxFormat = {
    .name = "ONNX model",
    .flag = "onnx_path",
    .value_name = "FILE",
    .help = "An ONNX model: the graph of a profile of ONNX Runtime.",
    .failed_name = "onnx_path",
    .role = loaders::Role::kGraph,
    .single = true,
    .folder_choice = loaders::FolderChoice::kFirst,
    .order = 8,
    .rules = accounting::SelfTimeRules,
    .sniff = Sniff,
    .find_damage = FindDamage,
    .check_beside_load = true,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::onnx
