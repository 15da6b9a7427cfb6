#include "loaders/tensorflow/op_log/op_log.h"

#include <cstddef>
#include <cstdint>

#include "fmt/format.h"

namespace tfprof::tensorflow {
namespace {

// OpLogProto.
constexpr uint32_t kEntry = util::LengthTag(1);
constexpr uint32_t kIdToString = util::LengthTag(2);

}  // namespace

profile::NodeId OpLogLoader::FindNode(std::string_view name) {
  const profile::GraphTables& graph = context_.builder.graph();
  profile::NodeId n = next_node_;
  // Op logs only name nodes of the unnamed module.
  const bool guessed = n < graph.nodes.size() &&
                       graph.nodes.ModuleOf(n) == profile::kUnnamedModule &&
                       graph.strings.Get(graph.nodes.name[n]) == name;
  if (!guessed) n = graph.nodes.Find(graph.strings.Find(name));
  if (n != profile::kNone) next_node_ = n + 1;
  return n;
}

void OpLogLoader::ReadEntry(std::string_view bytes, CallStackReader& stacks,
                            Read& read) {
  std::string_view name, code_def;
  int64_t float_ops = 0;
  bool has_code = false;
  const size_t first_type = read.types.size();
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::LengthTag(1):
        name = r.view();
        break;
      case util::VarintTag(2):
        float_ops = r.int64();
        break;
      case util::LengthTag(3):
        read.types.push_back(r.view());
        break;
      case util::LengthTag(4):
        code_def = r.view();
        has_code = true;
        break;
    }
  }
  profile::NodeId n = profile::kNone;
  if (r.damaged()) {
    read.entries.push_back({.bytes = bytes, .end_type = first_type});
  } else if (n = FindNode(name); n == profile::kNone) {
    ++read.num_unknown;
  }
  if (n == profile::kNone) {
    read.types.resize(first_type);
    return;
  }
  if (float_ops != 0) context_.builder.SetFloatOps(n, float_ops);
  if (!has_code && read.types.size() == first_type) return;
  read.entries.push_back(
      {.bytes = bytes,
       .node = n,
       .code_def = has_code ? stacks.Number(code_def) : profile::kNone,
       .end_type = read.types.size()});
}

bool OpLogLoader::AddEntry(const Entry& entry,
                           std::span<const std::string_view> types,
                           CallStackReader& stacks) {
  if (entry.node == profile::kNone) return false;
  profile::GraphTables& tables = context_.builder.mutable_graph();
  for (const std::string_view type : types) {
    context_.builder.AddType(entry.node, tables.strings.Intern(type));
  }
  if (entry.code_def == profile::kNone) return true;
  tables.has_code_traces = true;
  if (has_stack_.size() < tables.nodes.size()) {
    has_stack_.resize(tables.nodes.size(), false);
  }
  if (has_stack_[entry.node]) return true;
  has_stack_[entry.node] = true;
  return stacks.Read(entry.code_def, tables.nodes.stack[entry.node]);
}

absl::Status OpLogLoader::Load(const loaders::InputFile& file) {
  const std::string_view bytes = file.bytes();
  CallStackReader stacks(context_.builder);
  Read read;
  size_t known = 0;
  util::WireReader log(bytes);
  while (log.Next()) {
    if (log.tag() == kEntry) {
      ++known;
      ReadEntry(log.view(), stacks, read);
    }
    if (log.tag() != kIdToString) continue;
    ++known;
    if (!stacks.AddString(log.view())) {
      context_.log.Add(
          loaders::ImportLog::kDamage, "string of op log dropped",
          fmt::format("{}: byte {}: an entry of id_to_string ends early",
                      file.path(), file.OffsetOf(log.view())));
    }
  }
  if (known == 0 && (log.damaged() || !bytes.empty())) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}: not an OpLogProto", file.path(),
        log.damaged() ? log.Describe(0)
                      : fmt::format("no entry in {} bytes", bytes.size())));
  }
  if (log.damaged()) {
    loaders::LogDamage(file, log, bytes, "OpLogProto", /*kept=*/true,
                       context_.log);
  }
  if (read.num_unknown > 0) {
    context_.log.Count(loaders::ImportLog::kNotice,
                       "op log entry of an unknown node", read.num_unknown);
  }
  size_t first_type = 0;
  for (const Entry& entry : read.entries) {
    const auto types = std::span<const std::string_view>(read.types)
                           .subspan(first_type, entry.end_type - first_type);
    first_type = entry.end_type;
    if (AddEntry(entry, types, stacks)) continue;
    context_.log.Add(
        loaders::ImportLog::kDamage, "op log entry damaged",
        fmt::format("{}: byte {}: a log entry of {} bytes ends early",
                    file.path(), file.OffsetOf(entry.bytes),
                    entry.bytes.size()));
  }
  return absl::OkStatus();
}

}  // namespace tfprof::tensorflow
