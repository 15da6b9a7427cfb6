// Parses the metadata of CTF 2, a sequence of JSON texts, into types.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_

#include <string>
#include <string_view>

#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

// Adds what the fragments declare. The result is empty, or says where the text
// is wrong: "byte 345: expected a field class". The fragments before it are in
// `types`.
std::string ParseCtf2(std::string_view text, TraceTypes& types);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_CTF2_JSON_H_
