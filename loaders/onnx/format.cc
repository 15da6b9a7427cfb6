#include "loaders/onnx/format.h"

#include "accounting/self_time_rules.h"
#include "loaders/onnx/onnx.h"
#include "loaders/tensorflow/message_fit.h"
#include "util/run/self_profile.h"

namespace tfprof {
namespace {

constexpr FieldSpec kNodeFields[] = {
    {LengthTag(1)},
    {LengthTag(2)},
    {LengthTag(3), nullptr, /*text=*/true},
    {LengthTag(4), nullptr, /*text=*/true, /*required=*/true},
    {LengthTag(5)},
    {LengthTag(6)},
    {LengthTag(7)},
    {LengthTag(8)},
    {LengthTag(9)}};
constexpr MessageSpec kNode = {kNodeFields};
constexpr FieldSpec kGraphFields[] = {
    {LengthTag(1), &kNode}, {LengthTag(2)},  {LengthTag(5)},  {LengthTag(10)},
    {LengthTag(11)},        {LengthTag(12)}, {LengthTag(13)}, {LengthTag(14)},
    {LengthTag(15)},        {LengthTag(16)}};
constexpr MessageSpec kGraph = {kGraphFields};
constexpr FieldSpec kModelFields[] = {
    {VarintTag(1)},
    {LengthTag(2), nullptr, /*text=*/true},
    {LengthTag(3), nullptr, /*text=*/true},
    {LengthTag(4)},
    {VarintTag(5)},
    {LengthTag(6)},
    {LengthTag(7), &kGraph, /*text=*/false, /*required=*/true},
    {LengthTag(8)},
    {LengthTag(14)},
    {LengthTag(20)},
    {LengthTag(25)},
    {LengthTag(26)}};
constexpr MessageSpec kModel = {kModelFields};

// Returns whether the file has a graph. Without this check, text of repeated
// characters would fit. A truncated file ends inside the graph.
bool HasGraph(std::string_view bytes) {
  constexpr int kMaxFields = 256;
  WireReader r(bytes);
  int fields = 0;
  while (fields < kMaxFields && r.Next()) {
    if (r.tag() == LengthTag(7)) return true;
    ++fields;
  }
  return fields > 0 && r.damaged() && r.tag() == LengthTag(7);
}

Fit Sniff(std::string_view bytes) {
  if (!HasGraph(bytes)) return {};
  return {.score = 2 * CountFittingFields(bytes, kModel)};
}

absl::Status LoadFiles(std::span<const FormatFile> files,
                       LoadContext& context) {
  for (const FormatFile& file : files) {
    const ScopedPhase phase("onnx model", file.path);
    const absl::Status status = LoadOnnx(file.file, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const Format kOnnxFormat = {
    .name = "ONNX model",
    .flag = "onnx_path",
    .value_name = "FILE",
    .help = "An ONNX model: the graph of a profile of ONNX Runtime.",
    .failed_name = "onnx_path",
    .role = Role::kGraph,
    .single = true,
    .folder_choice = FolderChoice::kFirst,
    .order = 8,
    .rules = SelfTimeRules,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof
