"""Events: each execution of a profile as a row, and the links between them.

    events = profile.events()
    events[0].name, events[0].duration_nanos    # an Event
    events["start_nanos"]                       # a column
    events.links[0]                             # a Link
    events.to_pandas()

A trace may have ten million of them, so they are kept as the program writes
them, by column, as streams of Arrow (arrow.py): 8 bytes a number, 4 bytes a
text. They are in a file without a name, of which memory has what was read last.
A row is made when it is asked for. All numbers are the program's; times are
nanoseconds from the origin of the profile, and None means not known.

pandas, pyarrow and polars are imported when a method needs them.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar, overload

from tfprof._engine import arrow as _arrow
from tfprof._engine.answer import Column, Note, Table, optional

_SHOWN_ROWS = 20
# Columns of 0 and 1, which are bool here.
_FLAGS = ("repeated",)


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

# The columns by the type of their values, which are those of the rows.
_Text = Literal["name", "op", "node", "kind", "device", "lane"]
_Number = Literal[
    "step",
    "rank",
    "start_nanos",
    "end_nanos",
    "self_nanos",
    "parent",
    "launched_by",
]


class Rows(Sequence[_Row], Generic[_Row]):
    """A table by column, whose rows are made when they are asked for.

    `rows[0]` is a row, `rows[:9]` a list of rows, and `rows["name"]` a list of
    the values of a column.
    """

    def __init__(self, row: type[_Row], stream: _arrow.Stream) -> None:
        self.name = stream.name
        self._row: type[_Row] = row
        self._stream = stream
        self.columns = [
            Column(of.name, of.unit, of.name) for of in stream.columns
        ]

    def __len__(self) -> int:
        return self._stream.rows

    # The classes of tables add the names of their columns.
    @overload
    def __getitem__(self, key: int) -> _Row: ...
    @overload
    def __getitem__(self, key: slice) -> list[_Row]: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            for of in self._stream.columns:
                if of.name == key:
                    return _slice(of, 0, len(self))
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
        columns = [_slice(of, begin, end) for of in self._stream.columns]
        return map(self._row._make, zip(*columns))

    def to_arrow(self) -> Any:
        """A pyarrow.Table; texts are dictionaries, fields have their unit."""
        arrow = optional("pyarrow")
        optional("pyarrow.ipc", "pyarrow")
        with arrow.ipc.open_stream(self._stream.data) as reader:
            table = reader.read_all()
        # Each batch has its own texts.
        table = table.unify_dictionaries()
        for name in set(_FLAGS) & set(table.column_names):
            place = table.schema.get_field_index(name)
            field = table.field(place).with_type(arrow.bool_())
            table = table.set_column(
                place, field, table.column(place).cast(arrow.bool_())
            )
        return table.replace_schema_metadata()

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; attrs["units"] has the units of the columns."""
        pandas = optional("pandas", "tfprof[pandas]")
        numpy = optional("numpy", "tfprof[pandas]")
        frame = pandas.DataFrame(
            {of.name: _series(of, pandas, numpy) for of in self._stream.columns}
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


class Links(Rows[Link]):
    """The links between the executions of a profile."""

    def __init__(self, stream: _arrow.Stream) -> None:
        super().__init__(Link, stream)

    @overload
    def __getitem__(self, key: int) -> Link: ...
    @overload
    def __getitem__(self, key: slice) -> list[Link]: ...
    @overload
    def __getitem__(self, key: Literal["kind"]) -> list[str]: ...
    @overload
    def __getitem__(self, key: Literal["from_id", "to_id"]) -> list[int]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key)


class Events(Rows[Event]):
    """The executions of a profile.

    Attributes:
      links: the links between them, rows of Link
      facts: what is not in the rows: `executions_without_self` is the number of
        executions whose part of the sums of `op` is not known, and
        `nanos_without_self` what these are together
      notes: warnings and notes, as Note(level, text)
    """

    links: Links
    facts: dict[str, Any]
    notes: list[Note]

    def __init__(self, data: bytes | mmap.mmap, notes: list[Note]) -> None:
        """`data`: the answer of `rows executions links -output arrow`."""
        executions, links = _arrow.read_streams(data)
        super().__init__(Event, executions)
        self.links = Links(links)
        self.facts = executions.facts
        self.notes = notes
        # Ids are the numbers of all executions; those of a step follow each
        # other.
        self._first = self[0].id if len(self) else 0

    @overload
    def __getitem__(self, key: int) -> Event: ...
    @overload
    def __getitem__(self, key: slice) -> list[Event]: ...
    @overload
    def __getitem__(self, key: Literal["id"]) -> list[int]: ...
    @overload
    def __getitem__(self, key: _Text) -> list[str | None]: ...
    @overload
    def __getitem__(self, key: _Number) -> list[int | None]: ...
    @overload
    def __getitem__(self, key: Literal["repeated"]) -> list[bool]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key)

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


def _slice(column: _arrow.Column, begin: int, end: int) -> list[Any]:
    values = column.slice(begin, end)
    return [n != 0 for n in values] if column.name in _FLAGS else values


def _series(column: _arrow.Column, pandas: Any, numpy: Any) -> Any:
    # A copy: the frame of the user must not change the events.
    if column.is_text:
        values = [numpy.empty(0, "object")]
        for of in column.pieces:
            texts = numpy.array([*of.texts, None], dtype=object)
            numbers = numpy.frombuffer(of.numbers, "int32")
            values.append(texts[numpy.where(_missing(of, numpy), -1, numbers)])
        return pandas.Series(numpy.concatenate(values))
    numbers = numpy.concatenate(
        [numpy.empty(0, "int64")]
        + [numpy.frombuffer(of.numbers, "int64") for of in column.pieces]
    )
    if column.name in _FLAGS:
        return pandas.Series(numbers != 0)
    if all(of.valid is None for of in column.pieces):
        return pandas.Series(numbers)
    missing = numpy.concatenate([_missing(of, numpy) for of in column.pieces])
    return pandas.Series(pandas.arrays.IntegerArray(numbers, mask=missing))


def _missing(piece: _arrow.Piece, numpy: Any) -> Any:
    """Of each value of a batch, whether it is missing."""
    if piece.valid is None:
        return numpy.zeros(len(piece.numbers), "bool")
    bits = numpy.unpackbits(
        numpy.frombuffer(piece.valid, "uint8"), bitorder="little"
    )
    return bits[: len(piece.numbers)] == 0
