"""Compares what tfprof wrote with what the reference wrote.

Each `diff_*` function takes the expected and the actual bytes and returns a
unified diff, or "" if they mean the same. What "the same" means depends on the
kind of output:

  text      byte for byte
  timeline  the same JSON value; lists keep their order, blanks do not matter
  pprof     the same decoded profile; string table order does not matter
  advise    the same sections, in any order (the reference prints a hash map)
  stderr    the same lines, of those that scripts may look for
"""

import difflib
import gzip
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import wire

DIFF_LINES = 40

# The lines of stderr that are part of the interface. All other text there
# (progress, hints, more helpful messages) may differ.
_STDERR_LINES = re.compile(
    rb"E: "
    rb"|Options -step=.* not found\."
    rb"|Available steps: "
    rb"|No code trace information$"
    rb"|Only 'code' view supports pprof output now\.$"
    rb"|op view doesn't support timeline yet\. "
    rb"|Can only select 1 attribute"
    rb"|pprof doesn't support -select="
    rb"|Note: code view ignores "
    rb"|\d+ gradient nodes not accounted$"
    rb"|Key .* not found in checkpoint$"
    rb"|.* not found in checkpoint file$"
    rb"|Not Supported type \d+$"
)


def unified_diff(expected, actual, name):
    """The first lines of a unified diff of two texts."""
    if expected == actual:
        return ""
    sides = [
        side.decode("utf-8", "backslashreplace").splitlines(True)
        for side in (expected, actual)
    ]
    # difflib is quadratic: start shortly before the first difference.
    skip = next(
        (i for i, (a, b) in enumerate(zip(*sides)) if a != b),
        min(map(len, sides)),
    )
    start = max(0, skip - 3)
    lines = list(
        difflib.unified_diff(
            *(side[start : start + 1000] for side in sides),
            "expected/" + name,
            "actual/" + name,
        )
    )
    lines = [
        line
        if line.endswith("\n")
        else line + "\n\\ No newline at end of file\n"
        for line in lines
    ]
    if start:
        lines.insert(2, "(line numbers count from line %d)\n" % (start + 1))
    if len(lines) > DIFF_LINES:
        lines[DIFF_LINES:] = ["... and more\n"]
    return "".join(lines) or "%s differs in bytes that print alike\n" % name


def diff_text(expected, actual, name):
    return unified_diff(expected, actual, name)


def diff_json(expected, actual, name):
    try:
        got = json.loads(actual)
    except ValueError as error:
        return "%s is not JSON: %s\n" % (name, error)
    return unified_diff(
        *(
            json.dumps(value, indent=1, sort_keys=True).encode()
            for value in (json.loads(expected), got)
        ),
        name,
    )


def diff_advise(expected, actual, name, checkers):
    """Compares advice. `checkers`: those that the reference was asked for."""
    want, got = _sections(expected), _sections(actual)
    if checkers:
        got = {
            title: text
            for title, text in got.items()
            if title in checkers or title == ""
        }
    if want == got:
        return ""
    return unified_diff(
        *(
            "\n\n".join(map("\n".join, sorted(side.items()))).encode(
                "utf-8", "surrogateescape"
            )
            for side in (want, got)
        ),
        name,
    )


def diff_stderr(expected, actual):
    return unified_diff(
        *(
            b"".join(
                line
                for line in side.splitlines(True)
                if _STDERR_LINES.match(line.rstrip(b"\n"))
            )
            for side in (expected, actual)
        ),
        "stderr",
    )


def diff_pprof(expected, actual, name):
    want = decode_pprof(expected)
    try:
        got = decode_pprof(actual)
    except (ValueError, IndexError, EOFError, OSError) as error:
        return "%s is not a pprof file: %s\n" % (name, error)
    return unified_diff(want, got, name)


def _sections(advice):
    """Advice as {checker: text}; "" holds what stands before the first."""
    text = advice.decode("utf-8", "surrogateescape")
    parts = re.split(r"^([A-Z]\w*Checker):\n", text, flags=re.MULTILINE)
    sections = {"": parts[0].strip("\n")}
    for title, body in zip(parts[1::2], parts[2::2]):
        sections[title] = body.strip("\n")
    return sections


# ---- pprof: just enough of https://github.com/google/pprof profile.proto
#
# A message type is {field number: (name, kind)}, where kind is _INT, _STRING
# (an index into the string table) or the message type of the field.

_INT, _STRING = "int", "string"
_VALUE_TYPE = {1: ("type", _STRING), 2: ("unit", _STRING)}
_LABEL = {
    1: ("key", _STRING),
    2: ("str", _STRING),
    3: ("num", _INT),
    4: ("num_unit", _STRING),
}
_SAMPLE = {1: ("location", _INT), 2: ("value", _INT), 3: ("label", _LABEL)}
_MAPPING = {
    1: ("id", _INT),
    2: ("start", _INT),
    3: ("limit", _INT),
    4: ("offset", _INT),
    5: ("filename", _STRING),
    6: ("build_id", _STRING),
}
_LINE = {1: ("function", _INT), 2: ("line", _INT)}
_LOCATION = {
    1: ("id", _INT),
    2: ("mapping", _INT),
    3: ("address", _INT),
    4: ("line", _LINE),
}
_FUNCTION = {
    1: ("id", _INT),
    2: ("name", _STRING),
    3: ("system_name", _STRING),
    4: ("filename", _STRING),
    5: ("start_line", _INT),
}
_PROFILE = {
    1: ("sample_type", _VALUE_TYPE),
    2: ("sample", _SAMPLE),
    3: ("mapping", _MAPPING),
    4: ("location", _LOCATION),
    5: ("function", _FUNCTION),
    7: ("drop_frames", _STRING),
    8: ("keep_frames", _STRING),
    9: ("time_nanos", _INT),
    10: ("duration_nanos", _INT),
    11: ("period_type", _VALUE_TYPE),
    12: ("period", _INT),
    13: ("comment", _STRING),
    14: ("default_sample_type", _STRING),
}
_STRING_TABLE = 6


def decode_pprof(data):
    """A pprof file as text: one line per message, in the file's order."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    fields = _fields(data)
    strings = [
        value.decode("utf-8", "backslashreplace")
        for number, value in fields
        if number == _STRING_TABLE
    ]
    if not strings or strings[0]:
        raise ValueError("the string table does not start with an empty string")
    profile = _message(fields, _PROFILE, strings)
    lines = []
    for name, values in sorted(profile.items()):
        lines += [
            "%s %s\n" % (name, json.dumps(value, sort_keys=True))
            for value in values
        ]
    return "".join(lines).encode()


def _message(fields, kinds, strings):
    """{field name: [values]}; fields that hold the default are left out."""
    message = {}
    for number, value in fields:
        name, kind = kinds.get(number, ("field %d" % number, None))
        if kind is None:
            if kinds is _PROFILE and number == _STRING_TABLE:
                continue
            values = [repr(value)]
        elif isinstance(kind, dict):
            values = [_message(_fields(value), kind, strings)]
        else:
            values = (
                list(_varints(value)) if isinstance(value, bytes) else ([value])
            )
            if kind is _STRING:
                values = [strings[v] for v in values]
            else:
                values = [v - (1 << 64) if v >> 63 else v for v in values]
        message.setdefault(name, []).extend(values)
    return {
        name: values
        for name, values in message.items()
        if values not in ([0], [""])
    }


def _varints(data):
    pos = 0
    while pos < len(data):
        value, pos = wire.read_varint(data, pos)
        yield value


def _fields(data):
    """(field number, value) pairs; value is an int or bytes."""
    return [(number, value) for number, value, _ in wire.fields(data)]
