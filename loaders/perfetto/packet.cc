#include "loaders/perfetto/packet.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "util/files/wire.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

constexpr uint64_t kCleared = 1;  // in the flags of a packet

}  // namespace

bool ReadPacket(std::string_view bytes, Packet& packet) {
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(8):
        packet.time = r.int64();
        packet.has_time = true;
        break;
      case VarintTag(10):
        packet.sequence = static_cast<uint32_t>(r.value());
        break;
      case VarintTag(13):
        packet.cleared |= (r.value() & kCleared) != 0;
        break;
      case VarintTag(41):
        packet.cleared |= r.value() != 0;
        break;
      case VarintTag(42):
        packet.dropped = r.value() != 0;
        break;
      case VarintTag(58):
        packet.clock = static_cast<uint32_t>(r.value());
        break;
      case LengthTag(2):
        packet.tree = r.view();
        break;
      case LengthTag(6):
        packet.clocks = r.view();
        break;
      case LengthTag(11):
        packet.event = r.view();
        packet.has_event = true;
        break;
      case LengthTag(12):
        packet.interned = r.view();
        break;
      case LengthTag(35):
        packet.stats = r.view();
        break;
      case LengthTag(43):
        packet.process = r.view();
        break;
      case LengthTag(50):
        packet.compressed = r.view();
        break;
      case LengthTag(52):
        packet.counters = r.view();
        break;
      case LengthTag(53):
        packet.gpu = r.view();
        break;
      case LengthTag(59):
        packet.defaults = r.view();
        break;
      case LengthTag(60):
        packet.descriptor = r.view();
        break;
      default:
        break;
    }
  }
  return !r.damaged();
}

bool LooksLikePacket(std::string_view bytes) {
  util::WireReader r(bytes);
  bool found = false;
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(8):
      case VarintTag(13):
        break;
      case VarintTag(10):
      case LengthTag(11):
      case LengthTag(59):
      case LengthTag(60):
        found = true;
        break;
      case LengthTag(50):
        found |= r.view().starts_with('\x78');
        break;
      default:
        // Other messages use small numbers for their own fields.
        if (r.number() < 6 && r.number() != 2 && r.number() != 3) return false;
        break;
    }
  }
  return found;
}

Inflated InflatePackets(std::string_view packed, size_t limit,
                        std::string& bytes) {
  constexpr size_t kMinRoom = size_t{4} << 10, kMaxRoom = size_t{16} << 20;
  bytes.clear();
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return Inflated::kDamaged;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(
      std::min<size_t>(packed.size(), std::numeric_limits<uInt>::max()));
  int state = Z_OK;
  while (state == Z_OK && bytes.size() <= limit) {
    const size_t begin = bytes.size();
    // One byte more than the limit tells that there is more.
    const size_t room = std::min(
        std::clamp(packed.size() * 4, kMinRoom, kMaxRoom), limit - begin + 1);
    bytes.resize(begin + room);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + begin);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(begin + room - stream.avail_out);
  }
  inflateEnd(&stream);
  if (bytes.size() > limit) {
    bytes.clear();
    return Inflated::kTooLarge;
  }
  bytes.shrink_to_fit();
  return state == Z_STREAM_END ? Inflated::kWhole : Inflated::kDamaged;
}

PacketLosses ReadPacketLosses(std::string_view stats) {
  PacketLosses losses;
  util::WireReader r(stats);
  while (r.Next()) {
    if (r.tag() == VarintTag(8)) losses.chunks_discarded += r.value();
    if (r.tag() == VarintTag(10)) losses.invalid_packets += r.value();
    if (r.tag() != LengthTag(1)) continue;
    util::WireReader buffer(r.view());
    while (buffer.Next()) {
      switch (buffer.tag()) {
        case VarintTag(3):
          losses.chunks_overwritten += buffer.value();
          break;
        case VarintTag(18):
          losses.chunks_discarded += buffer.value();
          break;
        case VarintTag(19):
          losses.writer_losses += buffer.value();
          break;
        default:
          break;
      }
    }
  }
  return losses;
}

}  // namespace tfprof::perfetto
