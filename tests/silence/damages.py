"""Damages files by their structure: tokens of JSON, messages, opcodes."""

import pickletools
import re

import message_walk
import wire

# ---------------------------------------------------------------------- JSON

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+|[{}\[\],:]|\s+', re.DOTALL)
# What Python's json refuses in most places; some is refused in none.
PIECES = [
    b",",
    b",,",
    b":",
    b"]",
    b"}",
    b"[",
    b"{",
    b'"',
    b"\\",
    b"'a'",
    b"01",
    b"1.",
    b".5",
    b"+1",
    b"1e",
    b"-",
    b"0x1",
    b"tru",
    b"None",
    b"undefined",
    b"/* c */",
    b"// c\n",
    b"\x00",
    b"\x0b",
    b"\xef\xbb\xbf",
    b"NaN",
    b"1e999",
]
IN_STRING = [
    b"\\x",
    b"\\",
    b"\\u12",
    b"\\u",
    b"\n",
    b"\t",
    b"\x01",
    b"\x00",
    b'"',
    b"\\'",
    b"\\ud800",
]


def json_text(rng, data):
    """Changes one or two tokens."""
    for _ in range(rng.choice((1, 1, 1, 2))):
        tokens = list(TOKEN.finditer(data))
        if not tokens:
            return data
        token = rng.choice(tokens)
        begin, end = token.span()
        text, dice = token[0], rng.randrange(6)
        if text[:1] == b'"' and dice < 3:
            at = rng.randint(begin + 1, end - 1)
            data = data[:at] + rng.choice(IN_STRING) + data[at:]
        elif dice == 0:
            data = data[:begin] + data[end:]
        elif dice == 1:
            data = data[:begin] + text + data[begin:]
        elif dice == 2:
            data = data[:begin] + rng.choice(PIECES) + data[end:]
        elif dice == 3:
            data = data[:begin] + rng.choice(PIECES) + data[begin:]
        elif dice == 4:
            other = rng.choice(tokens)
            data = data[:begin] + other[0] + data[end:]
        elif rng.random() < 0.3:
            data = data[: rng.randint(begin, end)]
        else:
            data = data + rng.choice(PIECES)
    return data


# ------------------------------------------------------------------ messages


def can_fill(kind):
    """What the table knows of a type; bytes are a program only by a name."""
    if kind == "MetadataStat":
        return {}
    return message_walk.MESSAGES.get(kind, {})


def filled(rng, kind, depth=0):
    """A message of which the table knows something in each part."""
    parts = b""
    known = can_fill(kind)
    for number in rng.sample(sorted(known), min(2, len(known))):
        of = known[number]
        if of in message_walk.PACKED:
            size = message_walk.PACKED[of] or 1
            parts += wire.field(number, bytes(size * rng.randint(0, 3)))
        elif depth < 4:
            parts += wire.field(number, filled(rng, of, depth + 1))
    return parts + wire.field(rng.choice((1, 2, 7)), rng.randrange(300))


def broken(rng, data):
    """A message with damage at its own level."""
    dice = rng.randrange(8)
    if dice == 0 and data:
        return data[: rng.randrange(len(data))]
    if dice == 1 and data:
        at = rng.randrange(len(data))
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    piece = rng.choice(
        (
            b"\x07",  # a wire type that does not exist
            b"\x06",
            b"\x00\x01",  # field 0
            b"\x0c",  # the end of no group
            b"\x0b\x08\x01",  # a group without an end
            b"\x0b\x08\x01\x14",  # with the end of another one
            b"\x0a" + b"\x90\x4e" + b"x",  # longer than the rest
            b"\x0a" + b"\x81\x80\x80\x80\x80\x80\x00" + b"x",
            b"\x08" + b"\x80" * 10 + b"\x01",  # a number of 11 bytes
            b"\x80\x80\x80\x80\x80\x80\x01",  # a tag of 7 bytes
            b"\x09\x01\x02",  # 8 bytes, of which 2 are there
            b"\x0d\x01",
            b"\x08",
        )
    )
    if dice < 5:
        return data + piece
    fields = wire.fields(data)
    at = rng.randint(0, len(fields))
    whole = [w for _, _, w in fields]
    return b"".join(whole[:at]) + piece + b"".join(whole[at:])


def message(rng, data, kind, depth=0):
    """Damages a message inside of the message, and keeps all lengths right."""
    known = message_walk.MESSAGES.get(kind, {})
    try:
        fields = wire.fields(data)
    except (IndexError, ValueError):
        return broken(rng, b"")
    if can_fill(kind) and rng.random() < 0.3:
        number = rng.choice(sorted(known))
        if known[number] in message_walk.PACKED:
            fields.append((number, b"\x01" * 8, None))
        else:
            fields.append((number, filled(rng, known[number]), None))
        chosen = len(fields) - 1
    else:
        inner = [
            at
            for at, (number, value, _) in enumerate(fields)
            if isinstance(value, bytes) and number in known
        ]
        chosen = rng.choice(inner) if inner else None
    if chosen is None or depth and rng.random() < 0.15:
        return broken(rng, data)
    number, value, _ = fields[chosen]
    if known[number] in message_walk.PACKED:
        value += rng.choice((b"\x80", b"\x80" * 10 + b"\x01", b"\x01"))
    else:
        value = message(rng, value, known[number], depth + 1)
    parts = [whole for _, _, whole in fields]
    parts[chosen] = wire.field(number, value)
    return b"".join(parts)


# -------------------------------------------------------------------- others


def pickled(rng, data):
    """Changes an opcode or a byte."""
    places = [place for _, _, place in pickletools.genops(data)] + [len(data)]
    at = rng.randrange(len(places) - 1)
    begin, end = places[at], places[at + 1]
    dice = rng.randrange(5)
    if dice == 0:
        return data[:begin] + data[end:]
    if dice == 1:
        return data[:end] + data[begin:]
    if dice == 2:
        return data[: rng.randint(begin, end)]
    at = rng.randrange(begin, end)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def lines(rng, data):
    """Changes a line, or a piece of it between commas and quotes."""
    rows = data.splitlines(keepends=True)
    at = rng.randrange(len(rows))
    pieces = re.findall(rb'[^",]+|[",]', rows[at])
    chosen = rng.randrange(len(pieces))
    dice = rng.randrange(7)
    if dice == 0:
        return b"".join(rows)[: -rng.randint(1, len(rows[-1]))]
    if dice == 1:
        rows[at] = rows[at][: rng.randrange(len(rows[at]))]
    elif dice == 2:
        del pieces[chosen]
    elif dice == 3:
        pieces.insert(chosen, rng.choice((b'"', b",", b"x", b"-1", b"\n")))
    elif dice == 4:
        pieces[chosen] = rng.choice((b"", b"x", b"-1", b"1e999", b"\x00", b'"'))
    elif dice == 5:
        pieces[chosen] = rng.choice(pieces)
    else:
        rows.insert(at, rng.choice((b"\n", b"a,b\n", b"\tx\n", rows[at])))
    if dice >= 2 and dice < 6:
        rows[at] = b"".join(pieces)
    return b"".join(rows)


TSDL = re.compile(rb'"[^"\n]*"|//[^\n]*|\w+|:=|\S|\s+')
TSDL_PIECES = [
    b"{",
    b"}",
    b";",
    b"=",
    b":=",
    b"[",
    b"]",
    b".",
    b'"',
    b"//",
    b"/*",
    b"\x01",
    b"0",
    b"-1",
    b"99999999999999999999",
    b"x",
    b"struct",
]


def tsdl(rng, data):
    """Changes a token of metadata, or bytes of its packets."""
    if data[:1] == b"\x57":
        return some_bytes(rng, data)
    token = rng.choice(list(TSDL.finditer(data)))
    begin, end = token.span()
    dice = rng.randrange(6)
    if dice == 0:
        return data[:begin] + data[end:]
    if dice == 1:
        return data[:end] + token[0] + data[end:]
    if dice == 2:
        return data[:begin] + rng.choice(TSDL_PIECES) + data[end:]
    if dice == 3:
        return data[:begin] + rng.choice(TSDL_PIECES) + data[begin:]
    if dice == 4:
        other = rng.choice(list(TSDL.finditer(data)))
        return data[:begin] + other[0] + data[end:]
    return data[:begin]


def some_bytes(rng, data):
    """Changes, removes or adds some bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        at = rng.randrange(len(data))
        dice = rng.randrange(6)
        if dice < 3:
            data[at] ^= 1 << rng.randrange(8)
        elif dice == 3:
            del data[at : at + rng.choice((1, 2, 100))]
        elif dice == 4:
            data[at:at] = bytes(rng.choice((1, 4, 60)))
        else:
            data[at : at + 8] = b"\xff" * 8
        if not data:
            return b""
    return bytes(data)
