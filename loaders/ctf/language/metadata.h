// Parses the file "metadata" of a CTF trace into types.
//
// The file is text, or packets of text of either byte order. The text is TSDL
// or JSON; its first bytes decide which. Declarations before damage are kept:
// the result then has `damage`, and streams whose class is missing cannot be
// read.
//
// Errors: no version of CTF is recognised, or there is nothing usable before
// the damage.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "loaders/core/byte_account.h"
#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

struct Metadata {
  TraceTypes types;
  std::string damage;  // "byte 1023: expected ';', found '}'"; empty: none
  int version = 1;
};

// The bytes of a metadata file around its text.
struct MetadataPackets {
  size_t headers = 0, padding = 0;
  size_t lost = 0;  // damaged packets
};

// Returns the text of a metadata file without packet headers, and describes
// damage of the packets in `damage`. `packets`: for an account.
std::string MetadataText(std::string_view bytes, std::string& damage,
                         MetadataPackets* packets = nullptr);

// Returns whether `bytes` begin like the metadata of a trace.
bool LooksLikeMetadata(std::string_view bytes);

absl::StatusOr<Metadata> ReadMetadata(std::string_view bytes);

// Returns what became of each byte of a file that ReadMetadata() could read.
loaders::ByteAccount AccountMetadata(std::string_view bytes);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_
