// Packets: the outer layer of a Perfetto trace, and what a trace says of its
// losses.
//
// A trace is a list of packets (field 1). Each belongs to a sequence and has
// one content. Times are ticks of the packet's clock. Views are into the bytes
// of the trace. A packet of which some bytes are damaged is refused as a whole.
//
// Source: perfetto/trace/trace_packet.proto, perfetto/common/trace_stats.proto

#ifndef TFPROF_LOADERS_PERFETTO_PACKET_H_
#define TFPROF_LOADERS_PERFETTO_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::perfetto {

struct Packet {
  int64_t time = 0;
  bool has_time = false;
  uint32_t sequence = 0;
  uint32_t clock = 0;      // 0: the default of the sequence
  bool cleared = false;    // the sequence begins with empty tables
  bool dropped = false;    // packets of the sequence before it were lost
  bool has_event = false;  // `event` is set, perhaps to nothing
  std::string_view interned, defaults, event, descriptor, clocks, gpu, tree,
      compressed, counters, process, stats;
};

// Returns false if the packet is damaged.
bool ReadPacket(std::string_view bytes, Packet& packet);

// Returns whether the first bytes of a packet could be of no message of another
// format that is also a list of field 1.
bool LooksLikePacket(std::string_view bytes);

enum class Inflated { kWhole, kDamaged, kTooLarge };

// Unpacks one zlib stream to `bytes`, at most `limit`. kDamaged: `bytes` is
// what is before the damage or the missing end.
Inflated InflatePackets(std::string_view packed, size_t limit,
                        std::string& bytes);

// What the service that recorded says that it lost.
struct PacketLosses {
  uint64_t chunks_overwritten = 0;  // of a ring buffer; a chunk is some packets
  uint64_t chunks_discarded = 0;    // because a buffer was full
  uint64_t writer_losses = 0;       // times that a program had no room to write
  uint64_t invalid_packets = 0;
};
PacketLosses ReadPacketLosses(std::string_view stats);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_PACKET_H_
