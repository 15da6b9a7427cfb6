#!/usr/bin/env python3
"""Finds types of one name that several files define: unique_names.py FILE...

Two types of one name in one namespace break a rule of C++ that no compiler
checks: the linker then keeps one of the two std::vector<Name>::push_back(), and
the other type is read and written with the wrong size. Types in unnamed
namespaces, and types inside of other types, may share their names.

Prints each such name with its files, and ends with status 1 if there are any.
"""

import collections
import re
import sys

_NAMESPACE = re.compile(r"namespace (?:([\w:]+) )?\{$")
_END = re.compile(r"\}  // namespace\b")
_TYPE = re.compile(
    r"(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)"
    r"(?: final)?(?:\s*:[^;:][^;]*)?(?: \{.*)?$"
)


def defined(lines):
    """The full names of the types that the lines of a file define."""
    spaces = []
    for line in lines:
        line = line.rstrip("\n")
        space = _NAMESPACE.match(line)
        if space:
            spaces.append(space.group(1))
        elif _END.match(line) and spaces:
            spaces.pop()
        elif None not in spaces and not line.endswith(";"):
            name = _TYPE.match(line)
            if name:
                yield "::".join(spaces + [name.group(1)])


def main(paths):
    """Returns the exit status."""
    files = collections.defaultdict(set)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for name in defined(file):
                files[name].add(path)
    status = 0
    for name, found in sorted(files.items()):
        if len(found) > 1:
            print(f"{name} is defined in {', '.join(sorted(found))}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
