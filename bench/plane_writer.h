// PlaneWriter: writes one plane of an XSpace (traces.h): its lines and events
// with a WireWriter, and the tables of their names.

#ifndef TFPROF_BENCH_PLANE_WRITER_H_
#define TFPROF_BENCH_PLANE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "util/files/sink.h"
#include "util/files/wire_writer.h"

namespace tfprof::xspace {

// Field numbers of the messages of tsl/profiler/protobuf/xplane.proto.

enum Space : uint32_t { kPlane = 1, kHostName = 4 };
enum Plane : uint32_t {
  kPlaneId = 1,
  kPlaneName = 2,
  kLine = 3,
  kEventMetadata = 4,
  kStatMetadata = 5,
  kPlaneStat = 6,
};
enum Line : uint32_t {
  kLineId = 1,
  kLineName = 2,
  kTimestampNanos = 3,
  kEvent = 4,
};
enum Event : uint32_t {
  kMetadataId = 1,
  kOffset = 2,
  kDuration = 3,
  kEventStat = 4,
};
enum Stat : uint32_t {
  kStatId = 1,
  kDouble = 2,
  kUint64 = 3,
  kInt64 = 4,
  kString = 5,
  kBytes = 6,
  kRef = 7,
};
enum Metadata : uint32_t {
  kId = 1,
  kName = 2,
  kDisplayName = 4,
  kMetadataStat = 5,
};

// A plane that is kept in memory until Finish(). A name gets its id when it is
// first used.
class PlaneWriter {
 public:
  PlaneWriter(int64_t id, std::string_view name, size_t bytes) {
    w_.Reserve(bytes);
    w_.Int64IfSet(kPlaneId, id);
    w_.Bytes(kPlaneName, name);
  }

  util::WireWriter& wire() { return w_; }

  int64_t StatId(const std::string& name) {
    return stats_.try_emplace(name, std::ssize(stats_) + 1).first->second;
  }
  // The id of an event's metadata; `stats` are encoded fields.
  int64_t EventId(const std::string& name, const std::string& display = "",
                  std::string stats = "") {
    const auto [at, is_new] = events_.try_emplace(
        name,
        EventMetadata{std::ssize(events_) + 1, display, std::move(stats)});
    (void)is_new;
    return at->second.id;
  }

  void Number(uint32_t field, int64_t stat, Stat kind, int64_t value) {
    const util::WireMessage message(w_, field);
    w_.Int64(kStatId, stat);
    w_.Int64(kind, value);
  }
  void Text(uint32_t field, const std::string& stat, std::string_view value) {
    const util::WireMessage message(w_, field);
    w_.Int64(kStatId, StatId(stat));
    w_.Bytes(kString, value);
  }

  // Writes the tables of names after the lines, like real files.
  void Finish(util::Sink& sink) {
    for (const auto& [name, event] : events_) {
      const util::WireMessage entry(w_, kEventMetadata);
      w_.Int64(1, event.id);
      const util::WireMessage value(w_, 2);
      w_.Int64(kId, event.id);
      w_.Bytes(kName, name);
      w_.BytesIfSet(kDisplayName, event.display);
      w_.Raw(event.stats);
    }
    for (const auto& [name, id] : stats_) {
      const util::WireMessage entry(w_, kStatMetadata);
      w_.Int64(1, id);
      const util::WireMessage value(w_, 2);
      w_.Int64(kId, id);
      w_.Bytes(kName, name);
    }
    util::WireWriter head;
    head.Open(kPlane, w_.size());
    sink.Write(head.bytes());
    sink.Write(w_.bytes());
  }

 private:
  struct EventMetadata {
    int64_t id;
    std::string display;
    std::string stats;
  };
  util::WireWriter w_;
  std::map<std::string, int64_t> stats_;
  std::map<std::string, EventMetadata> events_;
};

}  // namespace tfprof::xspace

#endif  // TFPROF_BENCH_PLANE_WRITER_H_
