// Parses TSDL, the metadata language of CTF 1.8, into types.
//
// All of the language that describes layouts: integers, floating points,
// enumerations, strings, structures and variants with and without names,
// arrays, sequences, typealias and typedef in any scope, trace, clock, stream,
// event, env and callsite blocks. Nesting is limited to kMaxTypeDepth; no
// input recurses deeper.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_

#include <string>
#include <string_view>

#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

// Adds what the text declares. The result is empty, or says where the text is
// wrong: "line 12, byte 345: expected ';', found '}'". What stands before it is
// in `types`.
std::string ParseTsdl(std::string_view text, TraceTypes& types);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_
