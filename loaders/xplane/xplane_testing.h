// Makes XSpaces by hand, for tests.
//
//   XPlaneMaker plane("/host:CPU");
//   plane.Line("python", 1000, {plane.Event("train", 0, 50,
//                                           {plane.Int("step_num", 3)})});
//   const std::string file = XSpaceOf({plane.Bytes()});

#ifndef TFPROF_LOADERS_XPLANE_XPLANE_TESTING_H_
#define TFPROF_LOADERS_XPLANE_XPLANE_TESTING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/core/input_file.h"
#include "util/files/wire_writer.h"

namespace tfprof::xplane {

class XPlaneMaker {
 public:
  explicit XPlaneMaker(std::string_view name) : name_(name) {}

  // Stats, as events and planes have them.
  std::string Int(std::string_view name, int64_t value) {
    return Stat(name, [&](util::WireWriter& w) { w.Int64(4, value); });
  }
  std::string Uint(std::string_view name, uint64_t value) {
    return Stat(name, [&](util::WireWriter& w) { w.Uint64(3, value); });
  }
  std::string Text(std::string_view name, std::string_view value) {
    return Stat(name, [&](util::WireWriter& w) { w.Bytes(5, value); });
  }
  std::string Bytes(std::string_view name, std::string_view value) {
    return Stat(name, [&](util::WireWriter& w) { w.Bytes(6, value); });
  }
  // Makes a text that is in the table of stat metadata.
  std::string Ref(std::string_view name, std::string_view value) {
    const int64_t id = StatId(value);
    return Stat(name, [&](util::WireWriter& w) { w.Int64(7, id); });
  }

  // Sets the metadata of a name: its display name and stats.
  void Metadata(std::string_view name, std::string_view display_name,
                std::vector<std::string> stats = {}) {
    metadata_[EventId(name)] = {std::string(display_name), std::move(stats)};
  }

  std::string Event(std::string_view name, int64_t offset_ps,
                    int64_t duration_ps,
                    const std::vector<std::string>& stats = {}) {
    return EventOfId(EventId(name), offset_ps, duration_ps, stats);
  }
  static std::string EventOfId(int64_t id, int64_t offset_ps,
                               int64_t duration_ps,
                               const std::vector<std::string>& stats = {}) {
    util::WireWriter w;
    w.Int64(1, id);
    w.Int64(2, offset_ps);
    w.Int64(3, duration_ps);
    for (const std::string& stat : stats) w.Bytes(4, stat);
    return std::string(w.bytes());
  }

  void Line(std::string_view name, int64_t timestamp_ns,
            const std::vector<std::string>& events, int64_t id = 0) {
    util::WireWriter w;
    w.Int64(1, id != 0 ? id : static_cast<int64_t>(lines_.size() + 1));
    w.Bytes(2, name);
    w.Int64(3, timestamp_ns);
    for (const std::string& event : events) w.Bytes(4, event);
    lines_.emplace_back(w.bytes());
  }
  void PlaneStat(std::string stat) { stats_.push_back(std::move(stat)); }

  // Returns the plane, with its tables after the lines.
  std::string Bytes() const {
    util::WireWriter w;
    w.Bytes(2, name_);
    for (const std::string& line : lines_) w.Bytes(3, line);
    for (const auto& [name, id] : events_) {
      const util::WireMessage entry(w, 4);
      w.Int64(1, id);
      const util::WireMessage value(w, 2);
      w.Int64(1, id);
      w.Bytes(2, name);
      const auto metadata = metadata_.find(id);
      if (metadata == metadata_.end()) continue;
      w.BytesIfSet(4, metadata->second.first);
      for (const std::string& stat : metadata->second.second) w.Bytes(5, stat);
    }
    for (const auto& [name, id] : stat_ids_) {
      const util::WireMessage entry(w, 5);
      w.Int64(1, id);
      const util::WireMessage value(w, 2);
      w.Int64(1, id);
      w.Bytes(2, name);
    }
    for (const std::string& stat : stats_) w.Bytes(6, stat);
    return std::string(w.bytes());
  }

 private:
  template <typename Value>
  std::string Stat(std::string_view name, Value value) {
    util::WireWriter w;
    w.Int64(1, StatId(name));
    value(w);
    return std::string(w.bytes());
  }
  int64_t StatId(std::string_view name) {
    return stat_ids_.try_emplace(std::string(name), stat_ids_.size() + 1)
        .first->second;
  }
  int64_t EventId(std::string_view name) {
    return events_.try_emplace(std::string(name), events_.size() + 1)
        .first->second;
  }

  std::string name_;
  std::vector<std::string> lines_;
  std::vector<std::string> stats_;
  std::map<std::string, int64_t> events_;
  std::map<std::string, int64_t> stat_ids_;
  std::map<int64_t, std::pair<std::string, std::vector<std::string>>> metadata_;
};

inline std::string XSpaceOf(const std::vector<std::string>& planes) {
  util::WireWriter w;
  for (const std::string& plane : planes) w.Bytes(1, plane);
  w.Bytes(4, "vm");
  return std::string(w.bytes());
}

inline std::shared_ptr<const loaders::InputFile> XPlaneInput(
    std::string bytes) {
  return loaders::InputFile::FromBytes("run.xplane.pb", std::move(bytes));
}

// An instruction of an HLO program.
struct TestInstruction {
  int64_t id = 0;
  std::string name;
  std::string opcode;
  std::vector<int64_t> operands = {};
  std::string op_name = {};
  int64_t stack_frame = 0;
  std::vector<int64_t> calls = {};
  std::vector<int64_t> dims = {};
  std::string source_file = {};
};

// Adds a computation with the id `computation` to an HloProto. Its root is its
// last instruction.
inline void AddComputation(util::WireWriter& module, int64_t computation,
                           const std::vector<TestInstruction>& instructions) {
  const util::WireMessage message(module, 3);
  module.Bytes(1, "computation");
  for (const TestInstruction& i : instructions) {
    const util::WireMessage instruction(module, 2);
    module.Bytes(1, i.name);
    module.Bytes(2, i.opcode);
    {
      const util::WireMessage shape(module, 3);
      module.Int64(2, 11);  // f32
      module.PackedInt64(3, i.dims);
    }
    {
      const util::WireMessage metadata(module, 7);
      module.BytesIfSet(2, i.op_name);
      module.BytesIfSet(3, i.source_file);
      module.Int64IfSet(15, i.stack_frame);
    }
    module.Int64(35, i.id);
    module.PackedInt64(36, i.operands);
    module.PackedInt64(38, i.calls);
  }
  module.Int64(5, computation);
  if (!instructions.empty()) module.Int64(6, instructions.back().id);
}

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_XPLANE_TESTING_H_
