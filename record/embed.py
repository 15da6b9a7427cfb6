#!/usr/bin/env python3
"""Writes a file as a C++ file, with a function that returns it.

Usage: embed.py FILE OUTPUT FUNCTION
"""

import sys

# A literal of C++ may be long, but compilers read pieces faster.
PIECE = 1000


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    with open(sys.argv[2], "w", encoding="ascii") as f:
        f.write(
            '#include "record/library_file.h"\n\n'
            "namespace tfprof {\nnamespace {\n\nconstexpr char kBytes[] =\n"
        )
        for begin in range(0, len(data), PIECE):
            piece = data[begin : begin + PIECE]
            f.write('    "%s"\n' % "".join("\\%03o" % byte for byte in piece))
        f.write(
            ";\n\n}  // namespace\n\n"
            "std::string_view %s() {\n"
            "  return {kBytes, %d};\n}\n\n"
            "}  // namespace tfprof\n" % (sys.argv[3], len(data))
        )


if __name__ == "__main__":
    main()
