"""Reads the Arrow streams that the program writes, without pyarrow.

    for stream in read_streams(data):
        stream.name, stream.facts
        stream.columns[0].name, stream.columns[0].slice(0, 100)

tables/writers/arrow_writer.h says what the program writes. The tables of
`rows`, which this reads, have texts and integers only; other streams may have
types that this does not know. Numbers are not copied: the columns are views of
the data. pyarrow, polars and others read the same data.
"""

from __future__ import annotations

import bisect
import json
import mmap
import struct
from typing import Any, NamedTuple

_CONTINUES = 0xFFFFFFFF
# Kinds of messages.
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3


class _Table:
    """A table of FlatBuffers. Fields have numbers, as in Arrow's schemas."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._at = at
        self._list = at - _number(data, "<i", at)
        self._list_end = self._list + _number(data, "<H", self._list)

    def number(self, field: int, form: str) -> int:
        place = self._place(field)
        return _number(self._data, form, place) if place else 0

    def text(self, field: int) -> str:
        begin = self._target(self._place(field)) + 4
        size = _number(self._data, "<I", begin - 4)
        return str(self._data[begin : begin + size], "utf-8")

    def table(self, field: int) -> _Table:
        return _Table(self._data, self._target(self._place(field)))

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def tables(self, field: int) -> list[_Table]:
        begin = self._target(self._place(field))
        return [
            _Table(self._data, self._target(begin + 4 + 4 * i))
            for i in range(_number(self._data, "<I", begin))
        ]

    def pairs(self, field: int) -> list[tuple[int, int]]:
        begin = self._target(self._place(field))
        size = 16 * _number(self._data, "<I", begin)
        numbers = self._data[begin + 4 : begin + 4 + size]
        return list(struct.iter_unpack("<qq", numbers))

    def texts(self, field: int) -> dict[str, str]:
        return {pair.text(0): pair.text(1) for pair in self.tables(field)}

    def _place(self, field: int) -> int:
        entry = self._list + 4 + 2 * field
        if entry >= self._list_end:
            return 0
        place = _number(self._data, "<H", entry)
        return self._at + place if place else 0

    def _target(self, place: int) -> int:
        return place + _number(self._data, "<I", place)


class Piece(NamedTuple):
    """The values of a column in a batch.

    `numbers` are indexes of `texts`, or the values; `valid` has a bit for each,
    the lowest first, and is None if no value is missing.
    """

    begin: int
    numbers: memoryview
    valid: memoryview | None
    texts: list[str]


class Column:
    """A column of texts or of integers; `unit` is the program's."""

    def __init__(self, field: _Table) -> None:
        self.name = field.text(0)
        self.unit = field.texts(6)["unit"]
        self.is_text = field.has(4)
        self.pieces: list[Piece] = []
        self._begins: list[int] = []
        self.texts: list[str] = []  # of the next piece

    def slice(self, begin: int, end: int) -> list[Any]:
        """The values of these rows, which must be there."""
        values: list[Any] = []
        first = bisect.bisect_right(self._begins, begin) - 1
        for piece in self.pieces[max(0, first) :]:
            if piece.begin >= end:
                break
            low = max(0, begin - piece.begin)
            numbers = piece.numbers[low : end - piece.begin].tolist()
            texts, valid = piece.texts, piece.valid
            if valid is None:
                values += (
                    [texts[n] for n in numbers] if self.is_text else numbers
                )
            elif self.is_text:
                values += [
                    texts[n] if valid[i >> 3] >> (i & 7) & 1 else None
                    for i, n in enumerate(numbers, low)
                ]
            else:
                values += [
                    n if valid[i >> 3] >> (i & 7) & 1 else None
                    for i, n in enumerate(numbers, low)
                ]
        return values

    def add(
        self, rows: int, begin: int, valid: memoryview, values: memoryview
    ) -> None:
        size = 4 if self.is_text else 8
        self._begins.append(begin)
        values = values[: rows * size]
        numbers = values.cast("i") if self.is_text else values.cast("q")
        self.pieces.append(Piece(begin, numbers, valid or None, self.texts))


class Stream:
    """A table: its name, the facts of the answer, its columns and its bytes."""

    def __init__(self, schema: _Table) -> None:
        metadata = schema.texts(2)
        self.name = metadata["table"]
        self.facts: dict[str, Any] = json.loads(metadata["tfprof"])["facts"]
        self.columns = [Column(field) for field in schema.tables(1)]
        self.rows = 0
        self.data = memoryview(b"")

    def add_texts(self, header: _Table, body: memoryview) -> None:
        column = self.columns[header.number(0, "<q")]
        batch = header.table(1)
        offsets, texts = (
            body[at : at + size] for at, size in batch.pairs(2)[1:]
        )
        ends = offsets.cast("i")
        column.texts = [
            str(texts[ends[i] : ends[i + 1]], "utf-8")
            for i in range(batch.number(0, "<q"))
        ]

    def add_batch(self, header: _Table, body: memoryview) -> None:
        rows = header.number(0, "<q")
        buffers = [body[at : at + size] for at, size in header.pairs(2)]
        for column, valid, values in zip(
            self.columns, buffers[::2], buffers[1::2]
        ):
            column.add(rows, self.rows, valid, values)
        self.rows += rows


def read_streams(data: bytes | mmap.mmap) -> list[Stream]:
    """The tables of an answer, in their order."""
    streams: list[Stream] = []
    view = memoryview(data)
    begin = at = 0
    while at < len(view):
        mark, size = struct.unpack_from("<II", view, at)
        if mark != _CONTINUES:
            raise ValueError(f"no Arrow stream: found {mark:#x} at byte {at}")
        header, body = view[at + 8 : at + 8 + size], at + 8 + size
        if size == 0:
            streams[-1].data = view[begin:body]
            begin = at = body
            continue
        message = _Table(header, _number(header, "<I", 0))
        at = body + message.number(3, "<q")
        kind = message.number(1, "<B")
        if kind == _SCHEMA:
            streams.append(Stream(message.table(2)))
        elif kind == _DICTIONARY:
            streams[-1].add_texts(message.table(2), view[body:at])
        elif kind == _BATCH:
            streams[-1].add_batch(message.table(2), view[body:at])
    return streams


def _number(data: memoryview, form: str, at: int) -> int:
    number: int = struct.unpack_from(form, data, at)[0]
    return number
