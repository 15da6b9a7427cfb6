// The saved trace in a Perfetto file of tfprof.
//
// A Perfetto trace cannot hold all facts of a profile: modules, call stacks,
// the times of steps, models of devices. So tfprof writes the saved trace
// (loaders/saved_trace) of what it exports in front of the packets, packed with
// gzip and cut into pieces, each of which is a field of a packet that readers
// of Perfetto skip. A file that has it is read as that trace.
//
// The part is packets with a number of a sequence and a piece, and nothing
// else, from the first byte of the file on. The last packet of the file has its
// length. So a file to which packets were added, as Perfetto allows, is read
// packet by packet.

#ifndef TFPROF_LOADERS_PERFETTO_SAVED_PART_H_
#define TFPROF_LOADERS_PERFETTO_SAVED_PART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"

namespace tfprof::perfetto {

// The field of TracePacket. Perfetto has none of this number.
inline constexpr uint32_t kSavedPiece = 9900;
// The same for the length of the file, a fixed64.
inline constexpr uint32_t kLengthOfFile = 9901;

struct SavedPart {
  std::string packed;
  size_t end = 0;  // offset of the first packet behind it; 0: there is none
  bool is_whole_file = false;  // the file is as long as its last packet says
};
SavedPart FindSavedPart(std::string_view bytes);

// Loads the part of a file that has one. NotFound: it is damaged, another
// version wrote it, or the file was changed; the log says so, nothing was
// loaded, and the packets behind it can be read instead. Other errors are those
// of LoadSavedTrace() and of unpacking.
absl::Status LoadSavedPart(const SavedPart& part,
                           const loaders::InputFile& file,
                           loaders::LoadContext& context);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_SAVED_PART_H_
