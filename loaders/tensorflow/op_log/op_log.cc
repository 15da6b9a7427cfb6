#include "loaders/tensorflow/op_log/op_log.h"

#include <cstdint>
#include <vector>

#include "fmt/format.h"

namespace tfprof {
namespace {

// OpLogProto.
constexpr uint32_t kEntry = LengthTag(1);
constexpr uint32_t kIdToString = LengthTag(2);

}  // namespace

NodeId OpLogLoader::FindNode(std::string_view name) {
  const GraphTables& graph = context_.builder.graph();
  NodeId n = next_node_;
  // A name in a module is no name of an op log.
  const bool guessed = n < graph.nodes.size() &&
                       graph.nodes.ModuleOf(n) == kUnnamedModule &&
                       graph.strings.Get(graph.nodes.name[n]) == name;
  if (!guessed) n = graph.nodes.Find(graph.strings.Find(name));
  if (n != kNone) next_node_ = n + 1;
  return n;
}

bool OpLogLoader::ReadEntry(std::string_view bytes, CallStackReader& stacks) {
  std::string_view name, code_def;
  int64_t float_ops = 0;
  bool has_code = false;
  types_.clear();
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(1):
        name = r.view();
        break;
      case VarintTag(2):
        float_ops = r.int64();
        break;
      case LengthTag(3):
        types_.push_back(r.view());
        break;
      case LengthTag(4):
        code_def = r.view();
        has_code = true;
        break;
    }
  }
  if (r.damaged()) return false;
  const NodeId n = FindNode(name);
  if (n == kNone) {
    context_.log.Count(ImportLog::kNotice, "op log entry of an unknown node",
                       1);
    return true;
  }
  GraphTables& tables = context_.builder.mutable_graph();
  for (const std::string_view type : types_) {
    context_.builder.AddType(n, tables.strings.Intern(type));
  }
  if (float_ops != 0) context_.builder.SetFloatOps(n, float_ops);
  if (!has_code) return true;
  tables.has_code_traces = true;
  if (has_stack_.size() < tables.nodes.size()) {
    has_stack_.resize(tables.nodes.size(), false);
  }
  if (has_stack_[n]) return true;
  has_stack_[n] = true;
  return stacks.ReadCodeDef(code_def, tables.nodes.stack[n]);
}

absl::Status OpLogLoader::Load(const InputFile& file) {
  const std::string_view bytes = file.bytes();
  CallStackReader stacks(context_.builder);
  // The table may come after the entries that need it.
  WireReader table(bytes);
  std::vector<std::string_view> entries;
  size_t strings = 0;
  while (table.Next()) {
    if (table.tag() == kEntry) entries.push_back(table.view());
    if (table.tag() != kIdToString) continue;
    ++strings;
    if (!stacks.AddString(table.view())) {
      context_.log.Add(
          ImportLog::kDamage, "string of op log dropped",
          fmt::format("{}: byte {}: an entry of id_to_string ends early",
                      file.path(), file.OffsetOf(table.view())));
    }
  }
  if (strings + entries.size() == 0 && (table.damaged() || !bytes.empty())) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}: not an OpLogProto", file.path(),
        table.damaged() ? table.Describe(0)
                        : fmt::format("no entry in {} bytes", bytes.size())));
  }
  if (table.damaged()) {
    LogDamage(file, table, bytes, "OpLogProto", /*kept=*/true, context_.log);
  }
  for (const std::string_view entry : entries) {
    if (ReadEntry(entry, stacks)) continue;
    context_.log.Add(
        ImportLog::kDamage, "op log entry damaged",
        fmt::format("{}: byte {}: a log entry of {} bytes ends early",
                    file.path(), file.OffsetOf(entry), entry.size()));
  }
  return absl::OkStatus();
}

}  // namespace tfprof
