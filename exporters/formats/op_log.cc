#include "exporters/formats/op_log.h"

#include <string_view>
#include <vector>

#include "exporters/formats/encoded_frames.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {

// Field numbers of proto/tfprof_log.proto.
namespace log_field {
constexpr uint32_t kEntries = 1, kIdToString = 2;
}  // namespace log_field
namespace entry_field {
constexpr uint32_t kName = 1, kFloatOps = 2, kTypes = 3, kCodeDef = 4;
}  // namespace entry_field
constexpr uint32_t kMapKey = 1, kMapValue = 2;

constexpr size_t kBufferBytes = 256 << 10;

// The types of a node other than its op and its device.
class CustomTypes {
 public:
  explicit CustomTypes(const profile::Profile& profile) : profile_(profile) {}

  const std::vector<std::string_view>& Of(profile::NodeId n) {
    const profile::GraphTables& graph = profile_.graph();
    const profile::NodeTable& nodes = graph.nodes;
    const profile::DeviceId device = nodes.device[n];
    types_.clear();
    for (const profile::StringId type : graph.type_sets[nodes.types[n]]) {
      const std::string_view text = graph.strings.Get(type);
      if (type == nodes.op[n]) continue;
      if (device != profile::kNone && text == graph.devices.name(device))
        continue;
      types_.push_back(text);
    }
    return types_;
  }

 private:
  const profile::Profile& profile_;
  std::vector<std::string_view> types_;
};

}  // namespace

bool NeedsOpLog(const profile::Profile& profile) {
  if (profile.graph().has_code_traces) return true;
  CustomTypes types(profile);
  const profile::NodeTable& nodes = profile.nodes();
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    if (nodes.FloatOps(n) != 0 || nodes.stack[n] != profile::kNoStack ||
        !types.Of(n).empty()) {
      return true;
    }
  }
  return false;
}

void WriteOpLog(const profile::Profile& profile, util::Sink& sink) {
  const profile::NodeTable& nodes = profile.nodes();
  const EncodedFrames frames(profile);
  StackEncoder stacks(profile, frames);
  CustomTypes custom_types(profile);
  util::WireWriter w;
  const auto flush = [&] {
    sink.Write(w.bytes());
    w.Truncate(0);
  };
  // An entry with a call stack, even an empty one, shows readers that the log
  // has call stacks. True if there is such an entry, or if none is needed.
  bool has_code_def = !profile.graph().has_code_traces;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    const auto& types = custom_types.Of(n);
    const bool has_stack = nodes.stack[n] != profile::kNoStack;
    const bool last = n + 1 == nodes.size() && !has_code_def;
    if (types.empty() && nodes.FloatOps(n) == 0 && !has_stack && !last) {
      continue;
    }
    {
      const util::WireMessage entry(w, log_field::kEntries);
      w.BytesIfSet(entry_field::kName, profile.node_name(n));
      w.Int64IfSet(entry_field::kFloatOps, nodes.FloatOps(n));
      for (const std::string_view type : types) {
        w.Bytes(entry_field::kTypes, type);
      }
      if (has_stack) {
        w.Bytes(entry_field::kCodeDef, stacks.CodeDef(nodes.stack[n]));
      } else if (last) {
        w.Bytes(entry_field::kCodeDef, "");
      }
    }
    has_code_def |= has_stack;
    if (w.size() > kBufferBytes) {
      flush();
      sink.Reached(n / static_cast<double>(nodes.size()));
    }
  }
  for (size_t id = 0; id < frames.strings().size(); ++id) {
    const util::WireMessage entry(w, log_field::kIdToString);
    w.Int64(kMapKey, static_cast<int64_t>(id));
    w.Bytes(kMapValue, frames.strings()[id]);
  }
  flush();
}

}  // namespace tfprof::exporters
