#include "loaders/xplane/planes/stats.h"

#include <bit>
#include <utility>

#include "fmt/format.h"
#include "loaders/xplane/planes/fields.h"
#include "util/files/wire.h"

namespace tfprof::xplane {

double PlaneStat::number() const {
  switch (kind) {
    case Kind::kDouble:
      return std::bit_cast<double>(bits);
    case Kind::kUint:
      return static_cast<double>(bits);
    case Kind::kInt:
      return static_cast<double>(integer());
    default:
      return 0;
  }
}

namespace {

// Reads a stat in the usual form: an id of one byte, then a number of one byte
// or a text shorter than 128 bytes. Returns false for other stats.
bool ReadPlainStat(std::string_view bytes, PlaneStat& stat) {
  constexpr size_t kText = 4;
  if (bytes.size() < kText || bytes[0] != xstat_field::kMetadataId ||
      ((bytes[1] | bytes[3]) & 0x80) != 0) {
    return false;
  }
  const auto value = static_cast<unsigned char>(bytes[3]);
  switch (static_cast<unsigned char>(bytes[2])) {
    case xstat_field::kUint64:
      stat.kind = PlaneStat::Kind::kUint;
      break;
    case xstat_field::kInt64:
      stat.kind = PlaneStat::Kind::kInt;
      break;
    case xstat_field::kRef:
      stat.kind = PlaneStat::Kind::kRef;
      break;
    case xstat_field::kString:
      if (bytes.size() != kText + value) return false;
      stat.kind = PlaneStat::Kind::kString;
      stat.metadata_id = static_cast<uint8_t>(bytes[1]);
      stat.bits = value;
      stat.text = bytes.substr(kText);
      return true;
    default:
      return false;
  }
  if (bytes.size() != kText) return false;
  stat.metadata_id = static_cast<uint8_t>(bytes[1]);
  stat.bits = value;
  return true;
}

}  // namespace

bool ReadStat(std::string_view bytes, PlaneStat& stat) {
  stat = {};
  if (ReadPlainStat(bytes, stat)) return true;
  util::WireReader r(bytes);
  const auto set = [&](PlaneStat::Kind kind) {
    stat.kind = kind;
    stat.bits = r.value();
  };
  while (r.Next()) {
    switch (r.tag()) {
      case xstat_field::kMetadataId:
        stat.metadata_id = r.int64();
        break;
      case xstat_field::kDouble:
        set(PlaneStat::Kind::kDouble);
        break;
      case xstat_field::kUint64:
        set(PlaneStat::Kind::kUint);
        break;
      case xstat_field::kInt64:
        set(PlaneStat::Kind::kInt);
        break;
      case xstat_field::kRef:
        set(PlaneStat::Kind::kRef);
        break;
      case xstat_field::kString:
        set(PlaneStat::Kind::kString);
        stat.text = r.view();
        break;
      case xstat_field::kBytes:
        set(PlaneStat::Kind::kBytes);
        stat.text = r.view();
        break;
      case xstat_field::kCompressedString:
        set(PlaneStat::Kind::kCompressed);
        stat.text = r.view();
        break;
    }
  }
  return !r.damaged();
}

StatRole RoleOfStat(std::string_view name) {
  static constexpr std::pair<std::string_view, StatRole> kRoles[] = {
      {"hlo_op", StatRole::kHloOp},
      {"hlo_module", StatRole::kHloModule},
      {"program_id", StatRole::kProgramId},
      {"name", StatRole::kOpName},
      {"tf_op", StatRole::kTfOp},
      {"annotation", StatRole::kAnnotation},
      {"tf_function_call", StatRole::kFunctionCall},
      {"correlation_id", StatRole::kCorrelationId},
      {"group_id", StatRole::kGroupId},
      {"step_num", StatRole::kStepNum},
      {"_ct", StatRole::kConsumerType},
      {"_c", StatRole::kConsumerId},
      {"_pt", StatRole::kProducerType},
      {"_p", StatRole::kProducerId},
      {"device_ordinal", StatRole::kDeviceOrdinal},
      {"device_offset_ps", StatRole::kDeviceOffset},
      {"device_duration_ps", StatRole::kDeviceDuration},
      {"kernel_details", StatRole::kKernelDetails},
      {"memcpy_details", StatRole::kCopyDetails},
      {"memset_details", StatRole::kCopyDetails},
      {"allocator_name", StatRole::kAllocator},
      {"allocation_bytes", StatRole::kAllocationBytes},
      {"requested_bytes", StatRole::kRequestedBytes},
      {"bytes_allocated", StatRole::kBytesInUse},
  };
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  return StatRole::kNone;
}

std::string StatText(const PlaneStat& stat, const StatTable& table) {
  switch (stat.kind) {
    case PlaneStat::Kind::kNone:
      return "";
    case PlaneStat::Kind::kDouble:
      return fmt::format("{}", stat.number());
    case PlaneStat::Kind::kUint:
      return fmt::format_int(stat.bits).str();
    case PlaneStat::Kind::kInt:
      return fmt::format_int(stat.integer()).str();
    case PlaneStat::Kind::kString:
    case PlaneStat::Kind::kRef:
      return std::string(table.TextOf(stat));
    case PlaneStat::Kind::kBytes:
      return fmt::format("<{} bytes>", stat.text.size());
    case PlaneStat::Kind::kCompressed:
      return fmt::format("<{} compressed bytes>", stat.text.size());
  }
  return "";
}

}  // namespace tfprof::xplane
