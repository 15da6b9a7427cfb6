"""Joins C++ files into one: together.py FILE... > OUT

A compiler reads the same headers and instantiates the same templates for each
file of a room, which takes longer than the file itself. Of files that are
compiled together it does so once. All #include lines come first. Each file
keeps what is in its unnamed namespaces to itself: such a name gets the name of
its file behind it, so that no other file means it by mistake.
"""

import re
import sys

_INCLUDE = re.compile(r"#include [<\"].*")
_DECLARED = [
    re.compile(r"(?:class|struct|enum class|enum|union) (\w+)[ ;]"),
    re.compile(r"using (\w+) ="),
    # A constant, or a function: the name before the first bracket, = or ;.
    re.compile(r"(?:[\w:<>,&*\[\] ]+[ &*])?(\w+)(?:\[\w*\])*(?: =|\(|;|\{)"),
]
# What must not be replaced: comments, texts, members and qualified names.
_TOKEN = re.compile(
    r"//[^\n]*|R\"(\w*)\((?:.|\n)*?\)\1\"|\"(?:\\.|[^\"\\\n])*\""
    r"|'(?:\\.|[^'\\\n])+'|(?:\.|->|::)?\b[A-Za-z_]\w*"
)


def unnamed(text):
    """The names that the unnamed namespaces of a file declare."""
    names = set()
    inside = False
    nested = 0  # named namespaces inside of it
    for line in text.split("\n"):
        if line == "namespace {":
            inside = True
        elif inside and re.match(r"namespace \w+ \{", line):
            nested += 1
        elif line.startswith("}  // namespace") and inside:
            inside = nested > 0
            nested = max(0, nested - 1)
        elif inside and re.match(r"\w", line):
            for pattern in _DECLARED:
                match = pattern.match(line)
                if match:
                    names.add(match.group(1))
                    break
    return names


def renamed(text, names, suffix):
    """The text with other names for `names`."""

    def replace(match):
        token = match.group(0)
        before = match.string[: match.start()]
        if token[:2] == "::" and before.endswith(token[2:]):
            name = token[2:]  # a constructor, Name::Name
        else:
            name = token
        return token + suffix if name in names else token

    return _TOKEN.sub(replace, text)


def main(paths):
    texts = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    includes = {}
    bodies = []
    for path, text in texts.items():
        lines = text.split("\n")
        for i, line in enumerate(lines):
            if _INCLUDE.fullmatch(line):
                includes[line] = None
                lines[i] = ""
        suffix = "_of_" + re.sub(r"\W", "_", path.split("/")[-1][:-3])
        body = renamed("\n".join(lines), unnamed(text), suffix)
        bodies.append('#line 1 "%s"\n%s' % (path, body))
    print("\n".join(list(includes) + bodies))


if __name__ == "__main__":
    main(sys.argv[1:])
