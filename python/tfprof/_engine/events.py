"""Events: each execution of a profile as a row, and the links between them.

    events = profile.events()
    events[0].name, events[0].duration_nanos    # an Event
    events["start_nanos"]                       # a column
    events.links[0]                             # a Link
    events.to_pandas()

A trace may have ten million of them, so they are kept by column, as the program
sends them (tables/writers/columns_writer.h): 8 bytes a number, 4 bytes a text.
A row is made when it is asked for. All numbers are the program's; times are
nanoseconds from the origin of the profile, and None means not known.

pandas, pyarrow and polars are imported when a method needs them.
"""

from __future__ import annotations

import array
import functools
import json
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

from tfprof._engine.answer import Column, Note, Table, optional

_NO_TEXT = 0xFFFFFFFF
_SHOWN_ROWS = 20


class Event(NamedTuple):
    """An execution: a call, an operation, a kernel, a copy.

    Attributes:
      id: the number of the execution in the profile
      step: the step; None outside of all steps
      name: what ran: the kernel, the function, the operation
      op: the type of operation that it counts for, as in `op()`
      node: the operation in full, as in `show(node)`
      kind: the kind of the lane: compute, kernels, copies, communication,
        launches, annotation, python, other
      device, lane: where it ran
      rank: in a distributed run
      start_nanos, end_nanos: None if only the fact that it ran is recorded
      self_nanos: what it adds to the time of `op`; None if that is not known
      parent: the id of the call around it, on the same thread
      launched_by: the id of the call that launched it
      repeated: it is recorded on another lane, too, and must not count again
    """

    id: int
    step: int | None
    name: str | None
    op: str | None
    node: str | None
    kind: str | None
    device: str | None
    lane: str | None
    rank: int | None
    start_nanos: int | None
    end_nanos: int | None
    self_nanos: int | None
    parent: int | None
    launched_by: int | None
    repeated: bool

    @property
    def duration_nanos(self) -> int | None:
        """From the start to the end."""
        if self.start_nanos is None or self.end_nanos is None:
            return None
        return self.end_nanos - self.start_nanos


class Link(NamedTuple):
    """What the file records about two executions.

    `kind` is launch (of a kernel), transfer (from a send to its receive),
    gradient (from a forward execution to the backward one) or data.
    """

    kind: str
    from_id: int
    to_id: int


_Row = TypeVar("_Row", Event, Link)


class _Values:
    """The values of one column."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.is_text = not column.is_number
        self.numbers: array.array[int] = array.array(
            "I" if self.is_text else "q"
        )
        self.valid = bytearray()  # a bit for each number, the lowest first
        self.texts: list[str | None] = [None]  # the last one is for no text

    @property
    def is_flag(self) -> bool:
        return self.column.name == "repeated"

    def add_batch(self, data: memoryview, rows: int) -> int:
        """The number of bytes that the batch has."""
        size = rows * self.numbers.itemsize
        self.numbers.frombytes(data[:size])
        if self.is_text:
            return size
        end = size + (rows + 7) // 8
        self.valid += data[size:end]
        return end

    @functools.cached_property
    def some_missing(self) -> bool:
        """Ask when all batches are here."""
        if self.is_text:
            return _NO_TEXT in self.numbers
        whole, rest = divmod(len(self.numbers), 8)
        return self.valid[:whole] != b"\xff" * whole or (
            rest > 0 and self.valid[whole] != (1 << rest) - 1
        )

    def slice(self, begin: int, end: int) -> list[Any]:
        numbers = self.numbers[begin:end]
        if self.is_text and not self.some_missing:
            return [self.texts[n] for n in numbers]
        if self.is_text:
            texts, none = self.texts, len(self.texts) - 1
            return [texts[min(n, none)] for n in numbers]
        if self.is_flag:
            return [n != 0 for n in numbers]
        if not self.some_missing:
            return numbers.tolist()
        valid = self.valid
        return [
            n if valid[i >> 3] >> (i & 7) & 1 else None
            for i, n in enumerate(numbers, begin)
        ]

    def to_arrow(self, arrow: Any) -> Any:
        size = len(self.numbers)
        if not self.is_text:
            valid = arrow.py_buffer(self.valid) if self.some_missing else None
            numbers = arrow.Array.from_buffers(
                arrow.int64(), size, [valid, arrow.py_buffer(self.numbers)]
            )
            return numbers.cast(arrow.bool_()) if self.is_flag else numbers
        indexes = arrow.Array.from_buffers(
            arrow.uint32(), size, [None, arrow.py_buffer(self.numbers)]
        )
        if self.some_missing:
            indexes = arrow.compute.if_else(
                arrow.compute.equal(indexes, _NO_TEXT), None, indexes
            )
        return arrow.DictionaryArray.from_arrays(
            indexes.cast(arrow.int32()),
            arrow.array(self.texts[:-1], arrow.string()),
        )

    def to_series(self, pandas: Any, numpy: Any) -> Any:
        # A copy: the frame of the user must not change the events.
        numbers = numpy.array(self.numbers)
        if self.is_text:
            texts = numpy.array(self.texts, dtype=object)
            return pandas.Series(texts[numpy.minimum(numbers, len(texts) - 1)])
        if self.is_flag:
            return pandas.Series(numbers != 0)
        if not self.some_missing:
            return pandas.Series(numbers)
        bits = numpy.unpackbits(
            numpy.frombuffer(self.valid, dtype="uint8"), bitorder="little"
        )[: len(numbers)]
        return pandas.Series(
            pandas.arrays.IntegerArray(numbers, mask=bits == 0)
        )


class Rows(Sequence[_Row], Generic[_Row]):
    """A table by column, whose rows are made when they are asked for.

    `rows[0]` is a row, `rows[:9]` a list of rows, and `rows["name"]` a list of
    the values of a column.
    """

    def __init__(
        self, name: str, row: type[_Row], values: Sequence[_Values]
    ) -> None:
        self.name = name
        self._row: type[_Row] = row
        self._values = list(values)
        self.columns = [of.column for of in values]

    def __len__(self) -> int:
        return len(self._values[0].numbers)

    @overload
    def __getitem__(self, key: int) -> _Row: ...
    @overload
    def __getitem__(self, key: slice) -> list[_Row]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(
        self, key: int | slice | str
    ) -> _Row | list[_Row] | list[Any]:
        if isinstance(key, str):
            for of in self._values:
                if of.column.name == key:
                    return of.slice(0, len(self))
            names = ", ".join(column.name for column in self.columns)
            raise KeyError(f"no column {key!r}; there are {names}")
        if isinstance(key, slice):
            begin, end, stride = key.indices(len(self))
            if stride == 1:
                return list(self._range(begin, max(begin, end)))
            return [self[i] for i in range(begin, end, stride)]
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError(f"{self.name} has {len(self):,} rows, not {key}")
        return next(self._range(place, place + 1))

    def __iter__(self) -> Iterator[_Row]:
        step = 1 << 12
        for begin in range(0, len(self), step):
            yield from self._range(begin, min(begin + step, len(self)))

    def _range(self, begin: int, end: int) -> Iterator[_Row]:
        columns = [of.slice(begin, end) for of in self._values]
        return map(self._row._make, zip(*columns))

    def to_arrow(self) -> Any:
        """A pyarrow.Table; texts are dictionaries, fields have their unit."""
        arrow = optional("pyarrow")
        optional("pyarrow.compute", "pyarrow")
        arrays = [of.to_arrow(arrow) for of in self._values]
        fields = [
            arrow.field(column.name, one.type, metadata={"unit": column.unit})
            for column, one in zip(self.columns, arrays)
        ]
        return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; attrs["units"] has the units of the columns."""
        pandas = optional("pandas", "tfprof[pandas]")
        numpy = optional("numpy", "tfprof[pandas]")
        frame = pandas.DataFrame(
            {of.column.name: of.to_series(pandas, numpy) for of in self._values}
        )
        frame.attrs["units"] = {c.name: c.unit for c in self.columns}
        return frame

    def to_polars(self) -> Any:
        """A polars.DataFrame. It needs pyarrow, too."""
        polars = optional("polars")
        return polars.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        return f"<tfprof.Rows: {len(self):,} {self.name}>"

    def _repr_html_(self) -> str:
        shown = [dict(zip(row._fields, row)) for row in self[:_SHOWN_ROWS]]
        page = Table(
            self.name, self.columns, shown, None, len(shown)
        )._repr_html_()
        more = len(self) - len(shown)
        if more > 0:
            page += (
                f"<p>{more:,} more rows are in [:], .to_pandas(), .to_arrow() "
                "and .to_polars().</p>"
            )
        return f'<div class="tfprof">{page}</div>'


class Events(Rows[Event]):
    """The executions of a profile.

    Attributes:
      links: the links between them, as Rows of Link
      facts: what is not in the rows: `executions_without_self` is the number of
        executions whose part of the sums of `op` is not known, and
        `nanos_without_self` what these are together
      notes: warnings and notes, as Note(level, text)
    """

    links: Rows[Link]
    facts: dict[str, Any]
    notes: list[Note]

    def __init__(self, data: bytes, notes: list[Note]) -> None:
        """`data`: the answer of `rows executions links -output columns`."""
        head, tables = _tables(data)
        super().__init__("executions", Event, tables["executions"])
        self.links = Rows("links", Link, tables["links"])
        self.facts = head["facts"]
        self.notes = notes
        # Ids are the numbers of all executions; those of a step follow each
        # other.
        self._first = self[0].id if len(self) else 0

    def with_id(self, number: int | None) -> Event | None:
        """The execution with this id, such as a parent; None: not here.

        If only one step was asked for, the parent or the launch of an
        execution may be in another one.
        """
        if number is None or not 0 <= number - self._first < len(self):
            return None
        return self[number - self._first]

    def __repr__(self) -> str:
        return (
            f"<tfprof.Events: {len(self):,} executions, "
            f"{len(self.links):,} links>"
        )


def _tables(data: bytes) -> tuple[dict[str, Any], dict[str, list[_Values]]]:
    """The head, and the columns of each table by its name."""
    end = data.index(b"\n")
    head: dict[str, Any] = json.loads(data[:end])
    at = end + 1
    view = memoryview(data)
    tables = {}
    for name, shape in head["tables"].items():
        values = [
            _Values(Column(c["name"], c["unit"], c["name"]))
            for c in shape["columns"]
        ]
        for begin in range(0, shape["returned"], head["batch_rows"]):
            rows = min(head["batch_rows"], shape["returned"] - begin)
            for of in values:
                at += of.add_batch(view[at:], rows)
        end = data.index(b"\n", at)
        texts = iter(json.loads(data[at:end])["texts"])
        at = end + 1
        for of in values:
            if of.is_text:
                of.texts = [*next(texts), None]
        tables[name] = values
    return head, tables
