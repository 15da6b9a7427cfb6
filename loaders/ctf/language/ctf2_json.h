// Parses the metadata of CTF 2, a sequence of JSON texts, into types.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_

#include <string>
#include <string_view>

#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

// Begins each JSON text.
inline constexpr char kCtf2RecordSeparator = '\x1e';

// Adds the declarations of the fragments to `types`. Returns an empty string,
// or the position of the first error ("byte 345: expected a field class"); then
// `types` has the fragments before it.
std::string ParseCtf2(std::string_view text, TraceTypes& types);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_
