#include "loaders/tensorflow/checkpoint/format.h"

#include "loaders/tensorflow/checkpoint/checkpoint.h"

namespace tfprof::tensorflow {
namespace {

// A sorted table (the index of format V2, or a file of format V1) ends in these
// bytes. A shorter file than the footer is not one.
constexpr std::string_view kTableMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
constexpr size_t kMinTableBytes = 48;

loaders::Fit Sniff(std::string_view bytes) {
  const bool is_table =
      bytes.size() >= kMinTableBytes && bytes.ends_with(kTableMagic);
  return {.score = is_table ? loaders::Fit::kMagic : 0};
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  for (const loaders::FormatFile& file : files) {
    auto tensors = OpenCheckpoint(file.path);
    if (!tensors.ok()) return tensors.status();
    context.tensors = *std::move(tensors);
  }
  // The reference marks the nodes of a graph, but not of a profile.
  if (context.has_profile) return absl::OkStatus();
  profile::GraphTables& graph = context.builder.mutable_graph();
  const profile::StringId mark = graph.strings.Intern("_checkpoint_variables");
  for (const profile::TensorInfo& tensor : context.tensors->tensors()) {
    const profile::NodeId n = graph.nodes.Find(graph.strings.Find(tensor.name));
    if (n != profile::kNone) context.builder.AddType(n, mark);
  }
  return absl::OkStatus();
}

}  // namespace

const loaders::Format kCheckpointFormat = {
    .name = "checkpoint",
    .flag = "checkpoint_path",
    .value_name = "PREFIX",
    .help = "A checkpoint, for tensor_value.",
    .index_suffix = ".index",
    .part_mark = ".data-",
    .role = loaders::Role::kExtra,
    .beside_profile = true,
    .single = true,
    .order = 3,
    .sniff = Sniff,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
