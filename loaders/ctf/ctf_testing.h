// Makes small CTF traces for tests: metadata as text, packets as bytes.

#ifndef TFPROF_LOADERS_CTF_CTF_TESTING_H_
#define TFPROF_LOADERS_CTF_CTF_TESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/ctf/packets/trace_files.h"

namespace tfprof::ctf {

// Appends integers in little endian.
class ByteWriter {
 public:
  template <typename T>
  ByteWriter& Put(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    }
    return *this;
  }
  ByteWriter& PutString(std::string_view text) {
    bytes_.append(text);
    bytes_ += '\0';
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Returns the metadata of a trace. Events have the header {u16 id; u64
// timestamp} and the context {s32 vtid}; `events` are its event blocks.
inline std::string TestMetadata(std::string_view events) {
  std::string text = R"(/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
trace {
  major = 1; minor = 8; byte_order = le;
  uuid = "00000000-0000-0000-0000-000000000001";
  packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
env { hostname = "here"; };
clock { name = "monotonic"; freq = 1000000000; offset = 1000; };
typealias integer {
  size = 64; align = 8; signed = false; map = clock.monotonic.value;
} := stamp;
stream {
  id = 0;
  event.header := struct { uint16_t id; stamp timestamp; };
  packet.context := struct {
    stamp timestamp_begin; stamp timestamp_end;
    uint64_t content_size; uint64_t packet_size;
    uint64_t packet_seq_num; uint64_t events_discarded;
  };
  event.context := struct { int32_t _vtid; };
};
)";
  text += events;
  return text;
}

struct TestPacket {
  uint64_t begin = 0, end = 0;
  uint64_t number = 0;
  uint64_t discarded = 0;
  std::string events = {};
  uint64_t missing = 0;  // bytes that the packet claims but lacks
  uint32_t magic = 0xc1fc1fc1;
};

inline std::string PacketBytes(const TestPacket& packet) {
  constexpr uint64_t kHeader = 8 + 48;
  const uint64_t bits = (kHeader + packet.events.size() + packet.missing) * 8;
  ByteWriter w;
  w.Put(packet.magic).Put(uint32_t{0});
  w.Put(packet.begin).Put(packet.end).Put(bits).Put(bits);
  w.Put(packet.number).Put(packet.discarded);
  return w.bytes() + packet.events;
}

// Writes the header and the context of an event.
inline ByteWriter TestEvent(uint16_t id, uint64_t time, int32_t thread = 1) {
  ByteWriter w;
  w.Put(id).Put(time).Put(thread);
  return w;
}

inline absl::StatusOr<TraceFiles> OpenTest(
    const std::string& metadata, const std::vector<std::string>& streams,
    loaders::ImportLog& log) {
  std::vector<std::shared_ptr<const loaders::InputFile>> files;
  for (const std::string& stream : streams) {
    files.push_back(loaders::InputFile::FromBytes(
        "ch_" + std::to_string(files.size()), stream));
  }
  return TraceFiles::FromBytes(
      loaders::InputFile::FromBytes("metadata", metadata), std::move(files),
      log);
}

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_CTF_TESTING_H_
