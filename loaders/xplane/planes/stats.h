// Stats: the named values in an XPlane, which events, their metadata and planes
// have.
//
// The wire type of a stat is not fixed: the same id is an unsigned number here
// and a signed one there, depending on its size. So ids are compared as 64-bit
// patterns. A text is in the stat itself, or is the name of a stat metadata:
// that table is also a string pool. An event may have a stat twice. Views are
// into the input.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_STATS_H_
#define TFPROF_LOADERS_XPLANE_PLANES_STATS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/xplane/planes/id_table.h"

namespace tfprof::xplane {

struct PlaneStat {
  enum class Kind : uint8_t {
    kNone,
    kDouble,
    kUint,
    kInt,
    kString,
    kBytes,
    kRef,
    kCompressed,  // a string, compressed with gzip
  };

  int64_t metadata_id = 0;
  Kind kind = Kind::kNone;
  uint64_t bits = 0;      // a number, or the id of a kRef
  std::string_view text;  // for kString, kBytes, kCompressed

  bool is_integer() const { return kind == Kind::kUint || kind == Kind::kInt; }
  int64_t integer() const { return static_cast<int64_t>(bits); }
  // Any number as double; 0 for a text.
  double number() const;
};

// Returns false if the stat is damaged; `stat` then has the part before the
// damage.
bool ReadStat(std::string_view bytes, PlaneStat& stat);

// Whether a stat of a kind of events is a compiled program: an HloProto.
inline bool IsProgram(std::string_view name, const PlaneStat& stat) {
  return name == "Hlo Proto" && stat.kind == PlaneStat::Kind::kBytes &&
         !stat.text.empty();
}

// The stats that the loader uses; all others are shown as arguments.
enum class StatRole : uint8_t {
  kNone,
  kHloOp,
  kHloModule,
  kProgramId,
  kOpName,  // "name": the op_name of an HLO instruction
  kTfOp,
  kAnnotation,
  kFunctionCall,
  kCorrelationId,
  kGroupId,
  kStepNum,
  kConsumerType,
  kConsumerId,
  kProducerType,
  kProducerId,
  kDeviceOrdinal,
  kDeviceOffset,
  kDeviceDuration,
  kKernelDetails,
  kCopyDetails,
  kAllocator,
  kAllocationBytes,
  kRequestedBytes,
  kBytesInUse,
};
inline constexpr size_t kNumStatRoles =
    static_cast<size_t>(StatRole::kBytesInUse) + 1;

StatRole RoleOfStat(std::string_view name);

// The stat metadata of a plane.
struct StatTable {
  IdTable ids;
  std::vector<std::string_view> names;  // by number
  std::vector<StatRole> roles;

  StatRole RoleOf(int64_t id) const {
    const uint32_t number = ids.Find(id);
    return number == profile::kNone ? StatRole::kNone : roles[number];
  }
  // Returns "" if there is no such metadata.
  std::string_view NameOf(int64_t id) const {
    const uint32_t number = ids.Find(id);
    return number == profile::kNone ? std::string_view() : names[number];
  }
  // Returns the text of a kString, kBytes or kRef; "" for other kinds.
  std::string_view TextOf(const PlaneStat& stat) const {
    return stat.kind == PlaneStat::Kind::kRef ? NameOf(stat.integer())
           : stat.kind == PlaneStat::Kind::kString ||
                   stat.kind == PlaneStat::Kind::kBytes
               ? stat.text
               : std::string_view();
  }
};

// Returns the value of a stat as readable text: "12", "0.5", "<18231 bytes>".
std::string StatText(const PlaneStat& stat, const StatTable& table);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_STATS_H_
