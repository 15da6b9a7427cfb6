"""Messages as text, in the form that str() of a protobuf message has."""

from __future__ import annotations

from typing import Any

_ESCAPES = {
    0x0A: r"\n",
    0x0D: r"\r",
    0x09: r"\t",
    0x22: r"\"",
    0x27: r"\'",
    0x5C: r"\\",
}


def _quoted(value: Any) -> str:
    """A string or bytes in double quotes; bytes are escaped above 0x7e."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return _quoted(value.encode("utf-8", "surrogateescape"))
        codes = (
            _ESCAPES.get(ord(c))
            or (c if ord(c) > 0x7F or c.isprintable() else f"\\{ord(c):03o}")
            for c in value
        )
    else:
        codes = (
            _ESCAPES.get(c) or (chr(c) if 0x20 <= c < 0x7F else f"\\{c:03o}")
            for c in value
        )
    return '"' + "".join(codes) + '"'


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, bytes)):
        return _quoted(value)
    if isinstance(value, float):
        short = repr(value)
        return short[:-2] if short.endswith(".0") else short
    return str(value)


def _part(name: str, value: Any, depth: int) -> list[Any]:
    """The parts of a value in text(): text, or a message for later."""
    blanks = "  " * depth
    if hasattr(value, "ListFields"):
        inner = (depth + 1, value)
        return [f"{blanks}{name} {{\n", inner, f"{blanks}}}\n"]
    return [f"{blanks}{name}: {_scalar(value)}\n"]


def text(message: Any) -> str:
    """All fields that are set, in the order of their numbers."""
    out: list[str] = []
    work: list[Any] = [(0, message)]
    while work:
        item = work.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        depth, node = item
        parts: list[Any] = []
        for field, value in node.ListFields():
            if field.is_map:
                blanks = "  " * depth
                for key in sorted(value):
                    parts.append(f"{blanks}{field.name} {{\n")
                    parts += _part("key", key, depth + 1)
                    parts += _part("value", value[key], depth + 1)
                    parts.append(f"{blanks}}}\n")
            elif field.repeated:
                for one in value:
                    parts += _part(field.name, one, depth)
            else:
                parts += _part(field.name, value, depth)
        work.extend(reversed(parts))
    return "".join(out)
