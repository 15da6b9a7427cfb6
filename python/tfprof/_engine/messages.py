"""Messages of the program in Python's words.

The program speaks of options, as `-step all`. In Python they are keyword
arguments, step='all'. Content that was given as bytes has no path, so its name
is <bytes>.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tfprof._engine import commands

# Options that have another name in the methods of Profile.
_NAMES = {"fail-if": "rules"}
# An option, and a value behind it.
_OPTION = re.compile(
    r"(?<![\w/.-])--?(?P<name>[a-z]\w*(?:-[a-z]+)*)"
    r"(?:(?P<between>[ =])(?P<value>-?\w+))?"
)


def in_python(text: str, memory: Sequence[str] = ()) -> str:
    """The text with keyword arguments; `memory`: paths of given bytes."""
    for number, path in enumerate(memory, 1):
        name = "<bytes>" if len(memory) == 1 else f"<bytes {number}>"
        text = re.sub(re.escape(path) + r"(?!\d)", name, text)
    return _OPTION.sub(_keyword, text)


def _keyword(found: re.Match[str]) -> str:
    name, between, value = found["name"], found["between"], found["value"]
    if name not in commands.OPTIONS:
        return found[0]
    keyword = _NAMES.get(name, name.replace("-", "_"))
    if value is None:
        return keyword
    if between == " " and value not in commands.OPTIONS[name]:
        return f"{keyword} {value}"
    is_number = value.lstrip("-").isdigit()
    return f"{keyword}={value if is_number else repr(value)}"
