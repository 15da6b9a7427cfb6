// TraceFiles: the CTF traces of one load, their packets put in order.
//
// A trace is a file "metadata" and the streams beside it. Several metadata
// files may be one trace with one uuid: chunks of a rotated session, snapshots,
// or a copy. Their streams are joined, and a packet that comes twice is read
// once.
//
// Opening looks at the headers of all packets and at no event. What is damaged
// is left out and reported with its file and byte; what is whole stays. Of a
// packet that is cut off, the events before the cut stay.

#ifndef TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_
#define TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "loaders/ctf/language/trace_types.h"
#include "loaders/ctf/packets/decoding_plan.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"

namespace tfprof::ctf {

// The kind of the log entries of damage in streams.
inline constexpr std::string_view kDamagedStream = "damaged part of a stream";

// One metadata file with its plans.
struct Trace {
  std::string path;  // of the metadata
  std::string folder;
  TraceTypes types;
  TracePlan plan;
  std::string host;  // of the environment; else the last word of the folder
  int version = 1;

  // Nanoseconds since 1970 of cycles of a clock; saturates.
  int64_t ToNanos(int clock, uint64_t cycles) const;
};

struct Packet {
  const Trace* trace = nullptr;
  const InputFile* file = nullptr;
  uint32_t stream = 0;  // index in TracePlan::plans
  uint64_t offset = 0;  // bytes, in the file
  uint64_t limit = 0;   // bits from `offset`, of what may be read
  bool cut = false;     // the file ends within it
  bool has_number = false, has_begin = false, has_discarded = false;
  uint64_t number = 0;
  uint64_t begin = 0;
  uint64_t discarded = 0;
  uint32_t discarded_bits = 64;
};

// The packets of one stream, in their order.
struct PacketStream {
  std::vector<Packet> packets;
};

struct TraceFiles {
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<std::shared_ptr<const InputFile>> files;
  std::vector<PacketStream> streams;
  uint64_t discarded_events = 0;
  uint64_t discarded_packets = 0;
  uint64_t duplicate_packets = 0;
  uint64_t num_packets = 0;

  // Opens the traces of these metadata files. Errors: no file could be read,
  // or its metadata declares no stream.
  static absl::StatusOr<TraceFiles> Open(
      const std::vector<std::string>& metadata_paths, ImportLog& log);
  // The same for streams that are in memory, for tests and fuzzing.
  static absl::StatusOr<TraceFiles> FromBytes(
      std::shared_ptr<const InputFile> metadata,
      std::vector<std::shared_ptr<const InputFile>> streams, ImportLog& log);
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_
