// Metadata: the bytes of a file "metadata" of a CTF trace, as types.
//
// The file is text, or packets of text of either byte order. The text is TSDL
// or JSON; its first bytes say which. What stands before damage is kept: the
// result then has `damage`, and streams of classes that are not in it cannot
// be read.
//
// Errors: no version of CTF is recognised, or nothing usable came before the
// damage.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

struct Metadata {
  TraceTypes types;
  std::string damage;  // "byte 1023: expected ';', found '}'"; empty: none
  int version = 1;
};

// The text of a metadata file without its packets. `damage` gets what is wrong
// with them.
std::string MetadataText(std::string_view bytes, std::string& damage);

// `bytes` begin like the metadata of a trace.
bool LooksLikeMetadata(std::string_view bytes);

absl::StatusOr<Metadata> ReadMetadata(std::string_view bytes);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_METADATA_H_
