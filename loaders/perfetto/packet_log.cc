#include "loaders/perfetto/packet_log.h"

#include <fmt/format.h>

#include <optional>

namespace tfprof::perfetto {
namespace {

// Returns the place of `part` in `bytes`.
std::optional<uintptr_t> ByteIn(std::string_view bytes, std::string_view part) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const auto place = reinterpret_cast<uintptr_t>(part.data());
  if (place < begin || place > begin + bytes.size()) return std::nullopt;
  return place - begin;
}

}  // namespace

std::string PacketLog::PlaceOf(std::string_view at) const {
  for (const UnpackedPackets& packets : state_.unpacked) {
    if (const auto byte = ByteIn(packets.bytes, at)) {
      return fmt::format("byte {} of the packets unpacked from byte {}", *byte,
                         packets.offset);
    }
  }
  return fmt::format("byte {}", ByteIn(state_.file->bytes(), at).value_or(0));
}

void PacketLog::Add(loaders::ImportLog::Severity severity,
                    std::string_view kind, std::string_view at,
                    std::string_view what) {
  if (!log_.WantsText(kind)) return log_.Count(severity, kind, 1);
  log_.Add(severity, kind,
           fmt::format("{}: {}: {}", state_.file->path(), PlaceOf(at), what));
}

}  // namespace tfprof::perfetto
