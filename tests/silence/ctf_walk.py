"""Reads CTF traces by a plain reading of the specification of CTF 1.8, to say
whether they are whole: metadata in TSDL, as a text or in packets, of the
declarations that seeds.py uses, and streams of integers, texts, structures,
arrays and sequences in little endian. Zeros between the words of metadata are
spaces, as padding is."""

import re
import struct

TOKEN = re.compile(
    rb"[\s\0]+|//[^\n]*|/\*.*?\*/|"
    rb'(?P<string>"(?:[^"\\\n]|\\.)*")|'
    rb"(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+)(?![\w]))|"
    rb"(?P<word>[A-Za-z_$][\w$]*)|(?P<sign>:=|\.\.\.|->|[{}\[\]();:=.,<>])",
    re.DOTALL,
)
METADATA = 0x75D11D57
STREAM = 0xC1FC1FC1


class Damage(Exception):
    pass


def need(condition, why=""):
    if not condition:
        raise Damage(why)


def metadata_text(data):
    if data[:4] != struct.pack("<I", METADATA):
        return data
    text, at = b"", 0
    while at < len(data):
        need(len(data) - at >= 37, "a header")
        magic, content, size = struct.unpack_from("<I20xII", data, at)
        need(magic == METADATA and content % 8 == 0 and size % 8 == 0)
        # The padding of the last packet may be missing.
        need(37 * 8 <= content <= size and at + content // 8 <= len(data))
        need(data[at + 32 : at + 35] == b"\0\0\0", "schemes")
        text += data[at + 37 : at + content // 8]
        at += size // 8
    return text


class Parser:
    """The declarations of metadata."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text):
            found = TOKEN.match(text, at)
            need(found, "byte %d" % at)
            if found.lastgroup:
                self.tokens.append((found.lastgroup, found[0].decode()))
            at = found.end()
        self.tokens.append(("end", ""))
        self.at = 0
        self.types = [{}]
        self.trace, self.streams, self.events = None, {}, {}
        self.clocks = set()
        while self.tokens[self.at][0] != "end":
            if not self.take(";"):
                self.declaration()
        need(self.trace is not None and self.streams)
        for event in self.events.values():
            need(event["stream_id"] in self.streams, "stream of an event")

    # ----------------------------------------------------------- tokens

    def take(self, *texts):
        if self.tokens[self.at][1] not in texts or self.is_string():
            return False
        self.at += 1
        return True

    def is_string(self):
        return self.tokens[self.at][0] == "string"

    def expect(self, text):
        need(
            self.take(text),
            "expected %s, not %s" % (text, self.tokens[self.at]),
        )

    def any(self, *kinds):
        kind, text = self.tokens[self.at]
        need(kind in kinds, "expected %s, not %s" % (kinds, text))
        self.at += 1
        return text

    # ----------------------------------------------------- declarations

    def declaration(self):
        word = self.any("word")
        if word == "typealias":
            of = self.type()
            self.expect(":=")
            self.types[-1][self.any("word")] = of
            self.expect(";")
            return
        need(word in ("trace", "env", "clock", "stream", "event"), word)
        entries = self.block(word)
        if word == "trace":
            need(self.trace is None)
            need(entries["major"] == 1 and "minor" in entries)
            need(entries["byte_order"] == "le")
            self.trace = entries
        elif word == "clock":
            need(
                isinstance(entries["name"], str) and entries.get("freq", 1) > 0
            )
            self.clocks.add(entries["name"])
        elif word == "stream":
            ident = entries.get("id", 0)
            need(ident not in self.streams)
            self.streams[ident] = entries
        elif word == "event":
            key = (entries.setdefault("stream_id", 0), entries.get("id", 0))
            need(key not in self.events and isinstance(entries["name"], str))
            self.events[key] = entries

    def block(self, of):
        self.expect("{")
        known = {
            "trace": ("major", "minor", "byte_order", "packet.header", "uuid"),
            "clock": ("name", "freq", "offset"),
            "stream": ("id", "event.header", "event.context", "packet.context"),
            "event": ("id", "name", "stream_id", "fields", "context"),
        }.get(of)
        entries = {}
        while not self.take("}"):
            if self.take(";"):
                continue
            name = self.any("word")
            while self.take("."):
                name += "." + self.any("word")
            need(known is None or name in known, name)
            need(name not in entries)
            if self.take(":="):
                need(
                    name.split(".")[-1] in ("header", "context", "fields"), name
                )
                entries[name] = self.type()
                need(entries[name][0] == "struct")
            else:
                self.expect("=")
                kind, text = self.tokens[self.at]
                self.at += 1
                need(kind in ("word", "number", "string"))
                entries[name] = int(text, 0) if kind == "number" else text
                need(name.split(".")[-1] not in ("header", "context", "fields"))
                if name in ("id", "stream_id", "freq", "major", "minor"):
                    need(kind == "number" and entries[name] >= 0)
            self.expect(";")
        self.expect(";")
        return entries

    def type(self):
        word = self.any("word")
        if word == "integer":
            return self.integer()
        if word == "string":
            return ("string",)
        if word == "struct":
            return self.struct()
        need(word in self.types[-1], word)
        return self.types[-1][word]

    def integer(self):
        self.expect("{")
        given = {}
        while not self.take("}"):
            name = self.any("word")
            self.expect("=")
            if name == "map":
                self.expect("clock")
                self.expect(".")
                need(self.any("word") in {c.strip('"') for c in self.clocks})
                self.expect(".")
                self.expect("value")
            elif name == "signed":
                given[name] = self.any("word")
                need(given[name] in ("true", "false"))
            else:
                need(name in ("size", "align"), name)
                given[name] = int(self.any("number"), 0)
                need(given[name] > 0)
            self.expect(";")
        need(given["size"] <= 64 and given.get("align", 1) == 8)
        return ("integer", given["size"])

    def struct(self):
        if self.tokens[self.at][0] == "word":  # its name
            self.at += 1
        self.expect("{")
        fields, names = [], set()
        while not self.take("}"):
            if self.take(";"):
                continue
            of = self.type()
            name = self.any("word")
            need(name not in names)
            if self.take("["):
                length = self.any("word", "number")
                need(length in names or length.isdigit(), length)
                self.expect("]")
                of = ("array", of, length)
            names.add(name)
            fields.append((name, of))
            self.expect(";")
        return ("struct", fields)


# ----------------------------------------------------------------- streams


def value(of, data, at, end, around=None):
    """The value of a type, and where it ends."""
    if of[0] == "integer":
        size = (of[1] + 7) // 8
        need(at + size <= end, "an integer")
        number = int.from_bytes(data[at : at + size], "little")
        return number & (1 << of[1]) - 1, at + size
    if of[0] == "string":
        stop = data.find(b"\0", at, end)
        need(stop >= 0, "a text")
        return data[at:stop], stop + 1
    values = {} if of[0] == "struct" else []
    if of[0] == "struct":
        for name, field in of[1]:
            values[name], at = value(field, data, at, end, values)
        return values, at
    count = int(of[2]) if of[2].isdigit() else around[of[2]]
    for _ in range(count):
        one, at = value(of[1], data, at, end)
        values.append(one)
    return values, at


def walk_stream(trace, data):
    at, last = 0, 0
    while at < len(data):
        head, behind = value(trace.trace["packet.header"], data, at, len(data))
        need(head.get("magic", STREAM) == STREAM, "a magic number")
        left = len(data) - at
        stream = trace.streams.get(head.get("stream_id", 0))
        need(stream is not None, "a stream")
        of, behind = value(stream["packet.context"], data, behind, len(data))
        # Without a size, a packet is the rest of the file.
        content = of.get("content_size", of.get("packet_size", 8 * left))
        size = of.get("packet_size", content)
        need(content % 8 == 0 and size % 8 == 0 and content <= size)
        need(size > 0 and at + size // 8 <= len(data), "a whole packet")
        begin, stop = of.get("timestamp_begin"), of.get("timestamp_end")
        need(
            begin is None or stop is None or begin <= stop, "times of a packet"
        )
        end = at + content // 8
        need(behind <= end, "a content with its header")
        while behind < end:
            event, behind = value(stream["event.header"], data, behind, end)
            need(event.get("timestamp", last) >= last, "a time")
            last = event.get("timestamp", last)
            if "event.context" in stream:
                _, behind = value(stream["event.context"], data, behind, end)
            kind = trace.events.get((head.get("stream_id", 0), event["id"]))
            need(kind is not None, "a known event")
            for part in ("context", "fields"):
                if part in kind:
                    _, behind = value(kind[part], data, behind, end)
        at += size // 8


def is_read(files):
    """Whether the files of a trace, by name, are whole."""
    try:
        trace = Parser(metadata_text(files["metadata"]))
        for name, data in files.items():
            if name != "metadata":
                walk_stream(trace, data)
    except (Damage, KeyError, TypeError, ValueError, struct.error):
        return False
    except MemoryError:
        return True
    return True
