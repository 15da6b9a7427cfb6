#!/usr/bin/env python3
"""Writes the script, the style and the body of a page as a C++ file.

Usage: embed.py SCRIPT STYLE BODY OUTPUT HEADER FUNCTION

FUNCTION of HEADER returns them.
"""

import base64
import hashlib
import sys

# A C++ string literal may be long, but compilers read shorter pieces faster.
PIECE = 4000


def literal(name, data):
    """A character array with the bytes of `data`."""
    lines = ["constexpr char %s[] =" % name]
    for begin in range(0, max(len(data), 1), PIECE):
        text = []
        for byte in data[begin : begin + PIECE]:
            if byte in b'"\\?':
                text.append("\\" + chr(byte))
            elif 32 <= byte < 127:
                text.append(chr(byte))
            else:
                text.append("\\%03o" % byte)
        lines.append('    "%s"' % "".join(text))
    return "\n".join(lines) + ";\n"


def digest(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def main():
    script_path, style_path, body_path, output, header, function = sys.argv[1:]
    with open(script_path, "rb") as f:
        script = f.read().strip()
    with open(style_path, "rb") as f:
        style = f.read().strip()
    with open(body_path, "rb") as f:
        # No element of the pages depends on blanks, so indentation is removed.
        body = b"\n".join(line.strip() for line in f) + b"\n"
    if b"</script" in script.lower() or b"<!--" in script:
        sys.exit("embed.py: the script would end its own element")
    parts = [("kScript", script), ("kStyle", style), ("kBody", body)]
    views = {name: "{%s, %d}" % (name, len(data)) for name, data in parts}
    with open(output, "w", encoding="ascii") as f:
        f.write('#include "%s"\n\nnamespace tfprof {\nnamespace {\n\n' % header)
        for name, data in parts:
            f.write(literal(name, data))
        f.write(
            "\n}  // namespace\n\nconst PageFiles& %s() {\n"
            "  static constexpr PageFiles kFiles = {\n"
            '      %s, "%s",\n      %s, "%s",\n      %s};\n'
            "  return kFiles;\n}\n\n}  // namespace tfprof\n"
            % (
                function,
                views["kScript"],
                digest(script),
                views["kStyle"],
                digest(style),
                views["kBody"],
            )
        )


if __name__ == "__main__":
    main()
