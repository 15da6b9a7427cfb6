"""Reads a timeline page: its security policy, head and columns.

    page = PageFile(open("timeline.html", encoding="utf-8").read())
    page.head["counts"]["events"]
    page.events()   # dicts: name, op, start and duration in ticks, lane …

Not the code of the page: a second reader of the same format, so that the two
can disagree.
"""

import base64
import gzip
import hashlib
import html.parser
import json
import struct


class Numbers:
    """Varints one after another; an id is None where there is none."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def signed(self):
        value = self.next()
        return (value >> 1) ^ -(value & 1)

    def id(self):
        value = self.next()
        return value - 1 if value else None

    @property
    def done(self):
        return self.at >= len(self.data)


class Elements(html.parser.HTMLParser):
    """The elements of a document: (name, attributes, text)."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.all = []
        self.open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.all.append([tag, dict(attrs), ""])
        if tag in ("script", "style", "title"):
            self.open.append(len(self.all) - 1)

    def handle_endtag(self, tag):
        if self.open and self.all[self.open[-1]][0] == tag:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.all[self.open[-1]][2] += data


class PageFile:
    def __init__(self, text):
        self.text = text
        self.elements = Elements(text).all
        self.columns = {}
        self.scripts = []  # that a browser runs
        self.styles = [t for name, _, t in self.elements if name == "style"]
        for name, attributes, content in self.elements:
            if name != "script":
                continue
            kind = attributes.get("type")
            if kind == "application/json":
                self.head_text = content
            elif kind == "text/plain":
                self.columns[attributes["id"]] = content
            else:
                self.scripts.append(content)
        self.head = json.loads(self.head_text)
        self.policy = next(
            a["content"]
            for name, a, _ in self.elements
            if name == "meta"
            and a.get("http-equiv") == "Content-Security-Policy"
        )
        self.strings = json.loads(self.raw("strings"))

    def raw(self, name):
        return gzip.decompress(
            base64.b64decode(self.columns[name], validate=True)
        )

    def numbers(self, name):
        return Numbers(self.raw(name))

    def name_of(self, ident):
        return None if ident is None else self.strings[ident]

    def entries(self):
        columns = [self.numbers("entry-" + c) for c in ("name", "op", "node")]
        return [
            tuple(self.name_of(c.id()) for c in columns)
            for _ in range(self.head["counts"]["entries"])
        ]

    def events(self):
        entries = self.entries()
        start, duration, entry, step, detail = (
            self.numbers("event-" + c)
            for c in ("start", "duration", "entry", "step", "detail")
        )
        details = self.details()
        found = []
        for number, lane in enumerate(self.head["lanes"]):
            at = 0
            for _ in range(lane["events"]):
                at += start.next()
                name, op, node = entries[entry.next()]
                in_step = step.id()
                found.append(
                    {
                        "name": name,
                        "op": op,
                        "node": node,
                        "start": at,
                        "duration": duration.next(),
                        "lane": number,
                        "kind": lane["kind"],
                        "step": None
                        if in_step is None
                        else self.head["stepNumbers"][in_step],
                        "fields": details[detail.next()],
                    }
                )
        assert all(c.done for c in (start, duration, entry, step, detail))
        return found

    def details(self):
        numbers = self.numbers("details")
        found = []
        while not numbers.done:
            found.append(
                {
                    self.name_of(numbers.id()): self.name_of(numbers.id())
                    for _ in range(numbers.next())
                }
            )
        return found

    def transfers(self):
        numbers = self.numbers("transfers")
        found, event = [], 0
        while not numbers.done:
            event += numbers.next()
            found.append(
                (event, numbers.next() - 1)
                + tuple(self.name_of(numbers.id()) for _ in range(3))
            )
        return found

    def links(self):
        numbers = self.numbers("links")
        found, start, end = [], 0, 0
        while not numbers.done:
            start += numbers.next()
            end += numbers.signed()
            found.append((start, end, numbers.next()))
        return found

    def path(self):
        """(event, ticks on the critical path, slack), by event."""
        numbers = self.numbers("path")
        found, event = [], 0
        while not numbers.done:
            event += numbers.next()
            found.append((event, numbers.next(), numbers.next()))
        return found

    def samples(self):
        """By counter: (time, value) pairs."""
        times = self.numbers("sample-time")
        values = self.raw("sample-value")
        found, at = [], 0
        for counter in self.head["counters"]:
            series, time = [], 0
            for _ in range(counter["samples"]):
                time += times.signed()
                series.append(
                    (time, struct.unpack_from("<d", values, 8 * at)[0])
                )
                at += 1
            found.append(series)
        return found


def digest(text):
    """The name of a script in a policy: 'sha256-…'."""
    return (
        "'sha256-%s'"
        % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    )
