// Parses TSDL, the metadata language of CTF 1.8, into types.
//
// Supports everything in the language that describes layouts: integers,
// floating points, enumerations, strings, structures and variants with and
// without names, arrays, sequences, typealias and typedef in any scope, and
// trace, clock, stream, event, env and callsite blocks. Nesting, and so
// recursion, is limited to kMaxTypeDepth.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_

#include <string>
#include <string_view>

#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

// Adds the declarations to `types`. Returns an empty string, or the position of
// the first error ("line 12, byte 345: expected ';', found '}'"); then `types`
// has the declarations before it.
std::string ParseTsdl(std::string_view text, TraceTypes& types);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_H_
