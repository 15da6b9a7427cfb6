// TraceFiles: the CTF traces of one load, with their packets in order.
//
// A trace is a file "metadata" and the streams beside it. Several metadata
// files with the same uuid may be one trace: chunks of a rotated session,
// snapshots, or copies. Their streams are joined, and a repeated packet is read
// once.
//
// Opening reads the headers of all packets, but no event. Damaged parts are
// left out and reported with file and byte; intact parts are kept. If a packet
// is cut off, the events before the cut are kept.

#ifndef TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_
#define TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/ctf/language/trace_types.h"
#include "loaders/ctf/packets/decoding_plan.h"

namespace tfprof::ctf {

// The kind of the log entries about damaged streams.
inline constexpr std::string_view kDamagedStream = "damaged part of a stream";

// One metadata file with its plans.
struct Trace {
  std::string path;  // of the metadata file
  std::string folder;
  TraceTypes types;
  TracePlan plan;
  std::string host;  // from the environment, else the last word of the folder
  int version = 1;

  // Converts cycles of a clock to nanoseconds since 1970; saturates.
  int64_t ToNanos(int clock, uint64_t cycles) const;
};

struct Packet {
  const Trace* trace = nullptr;
  const loaders::InputFile* file = nullptr;
  uint32_t stream = 0;  // index in TracePlan::plans
  uint64_t offset = 0;  // in the file, in bytes
  uint64_t limit = 0;   // how many bits after `offset` may be read
  bool cut = false;     // the file ends inside it
  bool has_number = false, has_begin = false, has_discarded = false;
  uint64_t number = 0;
  uint64_t begin = 0;
  uint64_t discarded = 0;
  uint32_t discarded_bits = 64;
};

// The packets of one stream, in order.
struct PacketStream {
  std::vector<Packet> packets;
};

// What becomes of the bytes of streams, for an account. By file.
using StreamNotes = std::map<const loaders::InputFile*, loaders::ByteNotes>;

struct TraceFiles {
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<std::shared_ptr<const loaders::InputFile>> files;
  std::vector<PacketStream> streams;
  uint64_t discarded_events = 0;
  uint64_t discarded_packets = 0;
  uint64_t duplicate_packets = 0;
  uint64_t num_packets = 0;

  // Opens the traces of these metadata files. Errors: no file could be read, or
  // no metadata declares a stream. `notes`: for an account.
  static absl::StatusOr<TraceFiles> Open(
      const std::vector<std::string>& metadata_paths, loaders::ImportLog& log,
      StreamNotes* notes = nullptr);
  // Does the same for streams in memory, for tests and fuzzing.
  static absl::StatusOr<TraceFiles> FromBytes(
      const std::shared_ptr<const loaders::InputFile>& metadata,
      std::vector<std::shared_ptr<const loaders::InputFile>> streams,
      loaders::ImportLog& log, StreamNotes* notes = nullptr);
};

// Returns the indexes beside the metadata, which are not read.
std::vector<std::string> IndexFiles(const std::string& metadata);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_PACKETS_TRACE_FILES_H_
