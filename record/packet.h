// PacketHead: the beginning of each packet of a trace. It is CTF's packet
// header and packet context in one, as declared in the metadata (metadata.cc).
// Sizes are bits.
//
// The head lies in the mapped file and is correct after each event, so a
// process may end at any instruction without damage to what it has recorded.

#ifndef TFPROF_RECORD_PACKET_H_
#define TFPROF_RECORD_PACKET_H_

#include <cstddef>
#include <cstdint>

namespace tfprof::record {

inline constexpr uint32_t kPacketMagic = 0xC1FC1FC1;
inline constexpr uint32_t kUuidBytes = 16;
// The length of a thread's name in Linux, with its terminating 0.
inline constexpr uint32_t kNameBytes = 16;

struct PacketHead {
  // Header.
  uint32_t magic;
  uint8_t uuid[kUuidBytes];
  uint32_t stream_id;
  uint64_t stream_instance_id;
  // Context.
  uint64_t timestamp_begin;
  uint64_t timestamp_end;
  uint64_t content_size;      // bits, with the head
  uint64_t packet_size;       // bits
  uint64_t packet_seq_num;    // within the stream
  uint64_t events_discarded;  // in the stream so far
  uint64_t events;            // in this packet
  uint32_t vpid;
  uint32_t vtid;
  char procname[kNameBytes];
};
// The metadata declares no padding, so there must be none.
static_assert(sizeof(PacketHead) == 32 + 7 * 8 + 2 * 4 + kNameBytes);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PACKET_H_
