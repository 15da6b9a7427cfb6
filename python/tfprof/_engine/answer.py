"""Answers: what a command of the program says, as rows for Python.

An `Answer` is one table (`op`, `steps`) or several (`advise`, `overview`); it
has the rows and columns of its main table, and all by name in `tables`. Numbers
are the program's, not rounded: micros, bytes, counts, and shares from 0 to 1.
None means not known, or not applicable.

pandas, pyarrow, polars, matplotlib and Altair are imported when a method needs
them.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Literal, NamedTuple, overload

from tfprof._engine import html as _html, pictures as _pictures

# If an answer has several tables, this table gives the rows of the answer.
# Answers that are not here take the first table.
MAIN_TABLES = {
    "overview": "ops",
    "critical_path": "operations",
    "memory": "holders",
    "show": "executions",
}
NUMBERS = ("micros", "bytes", "count", "share", "number")


class Column(NamedTuple):
    """A column: `unit` is text, count, micros, bytes, share or number."""

    name: str
    unit: str
    title: str
    of: str = ""

    @property
    def is_number(self) -> bool:
        return self.unit in NUMBERS


class Note(NamedTuple):
    """A message with the answer; level: warning or note."""

    level: str
    text: str


def _columns(data: list[dict[str, str]]) -> list[Column]:
    return [
        Column(
            column["name"],
            column["unit"],
            column.get("title") or _title(column["name"]),
            column.get("of", ""),
        )
        for column in data
    ]


def _title(name: str) -> str:
    """A name as words: self_cpu_micros_share is "self cpu time %"."""
    words = {"micros": "time", "share": "%"}
    return " ".join(words.get(word, word) for word in name.split("_"))


@dataclasses.dataclass
class Table:
    """Rows of named values, in the program's order.

    `total_rows` counts also the rows that limits and filters left out.
    """

    name: str
    columns: list[Column]
    rows: list[dict[str, Any]]
    totals: dict[str, Any] | None = None
    total_rows: int = 0

    @classmethod
    def _from_json(cls, name: str, data: Mapping[str, Any]) -> Table:
        return cls(
            name,
            _columns(data["columns"]),
            data["rows"],
            data.get("totals"),
            data["total"],
        )

    @property
    def truncated(self) -> bool:
        """Whether limits or filters left rows out."""
        return len(self.rows) != self.total_rows

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        """An answer without rows is an answer."""
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | str | slice) -> Any:
        """A row by its number, rows by a slice, a column by its name."""
        if isinstance(key, str):
            self._column(key)
            return [row[key] for row in self.rows]
        return self.rows[key]

    def _column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.columns)
        raise KeyError(f"no column {name!r}; there are {names}")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; attrs["units"] has the units of the columns."""
        pandas = optional("pandas", "tfprof[pandas]")
        frame = pandas.DataFrame(
            {
                column.name: self._series(pandas, column)
                for column in self.columns
            }
        )
        frame.attrs["units"] = {c.name: c.unit for c in self.columns}
        return frame

    def _series(self, pandas: Any, column: Column) -> Any:
        values = self[column.name]
        if not column.is_number:
            return pandas.Series(values, dtype="object")
        # Whole numbers stay whole where some are missing.
        if None in values and all(
            value is None or isinstance(value, int) for value in values
        ):
            return pandas.Series(values, dtype="Int64")
        return pandas.Series(
            values, dtype="float64" if None in values or not values else None
        )

    def to_arrow(self) -> Any:
        """A pyarrow.Table; the metadata of a field has its unit."""
        arrow = optional("pyarrow")
        arrays, fields = [], []
        for column in self.columns:
            values = self[column.name]
            if not column.is_number:
                kind = arrow.string()
            elif any(isinstance(value, float) for value in values):
                kind = arrow.float64()
            else:
                kind = (
                    arrow.float64() if column.unit == "share" else arrow.int64()
                )
            arrays.append(arrow.array(values, kind))
            fields.append(
                arrow.field(column.name, kind, metadata={"unit": column.unit})
            )
        return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields))

    def to_polars(self) -> Any:
        """A polars.DataFrame. It needs pyarrow, too."""
        polars = optional("polars")
        return polars.from_arrow(self.to_arrow())

    def plot(
        self,
        column: str | None = None,
        rows: int = 20,
        ax: Any = None,
        library: Literal["matplotlib", "altair"] | None = None,
    ) -> Any:
        """Bars of a column (the first of times, bytes or counts) by name.

        Draws the largest rows with matplotlib and returns its Axes, or with
        Altair and returns its Chart. Without `library`, the first of these that
        is installed is taken.
        """
        chosen = self._column(column) if column else self._first_number()
        labels = self._label_column()
        top = sorted(
            (row for row in self.rows if row[chosen.name] is not None),
            key=lambda row: row[chosen.name],
            reverse=True,
        )[:rows]
        values = [_html.scale(row[chosen.name], chosen.unit) for row in top]
        names = [_html.shorten(_html.visible(row[labels.name])) for row in top]
        unit = _html.SCALED_UNITS.get(chosen.unit)
        title = f"{chosen.title} ({unit})" if unit else chosen.title
        if library is None:
            has_only_altair = not _installed("matplotlib") and _installed(
                "altair"
            )
            library = "altair" if has_only_altair and ax is None else None
        if library == "altair":
            return _altair_bars(names, values, title)
        pyplot = optional("matplotlib.pyplot", "tfprof[notebook]")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(8, 0.6 + 0.3 * len(top)))
        ax.barh(range(len(top)), values[::-1])
        ax.set_yticks(range(len(top)), names[::-1])
        ax.set_xlabel(title)
        return ax

    def _first_number(self) -> Column:
        for unit in ("micros", "bytes", "count", "number", "share"):
            for column in self.columns:
                if column.unit == unit and column.name not in ("depth", "step"):
                    return column
        raise ValueError(f"{self.name} has no column of numbers")

    def _label_column(self) -> Column:
        for column in self.columns:
            if column.name in ("name", "step") or not column.is_number:
                return column
        return self.columns[0]

    def _repr_html_(self) -> str:
        return _html.table(self)


class Answer(Table):
    """The answer of a command.

    Attributes:
      command: the line that asks the program the same
      rows, columns, totals, total_rows: of the main table
      tables: all tables by name
      facts: what the answer says as a whole
      notes: warnings and notes, as Note(level, text)
    """

    command: str
    tables: dict[str, Table]
    facts: dict[str, Any]
    notes: list[Note]

    def __init__(
        self,
        data: bytes,
        notes: list[Note],
        as_text: Callable[[str], str],
    ) -> None:
        """`data`: JSON; `as_text`: asks the program for the same as text."""
        answer = json.loads(data)
        name = answer["schema"].partition(".")[2]
        self.facts = dict(answer["facts"])
        self.command = self.facts.pop("command", name)
        if "tables" in answer:
            self.tables = {
                key: Table._from_json(key, table)
                for key, table in answer["tables"].items()
            }
            main = self.tables.get(MAIN_TABLES.get(name, ""))
            if main is None:
                main = next(iter(self.tables.values()))
        else:
            main = Table._from_json(name, answer)
            self.tables = {name: main}
        super().__init__(
            name, main.columns, main.rows, main.totals, main.total_rows
        )
        self.notes = notes
        self._as_text = as_text

    @property
    def text(self) -> str:
        """The report as the reference writes it."""
        return self._as_text("text")

    def __str__(self) -> str:
        """An aligned table."""
        return self._as_text("table").rstrip("\n")

    def __repr__(self) -> str:
        return f"<tfprof.Answer of {self.name}: {len(self)} rows>"

    def _repr_html_(self) -> str:
        return _html.answer(self, *_pictures.lead(self))


class Check(Answer):
    """The result of rules: `passed`, and a row for each rule."""

    def __init__(
        self,
        data: bytes,
        notes: list[Note],
        as_text: Callable[[str], str],
        passed: bool,
    ) -> None:
        super().__init__(data, notes, as_text)
        self.passed = passed

    def __repr__(self) -> str:
        return f"<tfprof.Check: {'passed' if self.passed else 'failed'}>"


def _altair_bars(names: list[str], values: list[float], title: str) -> Any:
    altair = optional("altair")
    # Bars with the same name would be one bar.
    seen: dict[str, int] = {}
    data = []
    for name, value in zip(names, values):
        seen[name] = number = seen.get(name, 0) + 1
        data.append(
            {
                "name": name if number == 1 else f"{name} ({number})",
                "value": value,
            }
        )
    return (
        altair.Chart(altair.Data(values=data))
        .mark_bar()
        .encode(
            x=altair.X("value:Q", title=title),
            y=altair.Y("name:N", sort=None, title=None),
            tooltip=["name:N", "value:Q"],
        )
    )


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def optional(module: str, requirement: str = "") -> Any:
    """Imports a module that the package does not require.

    Args:
        module: Its name.
        requirement: The name that pip installs; by default the module.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"this needs {package}: pip install '{requirement or package}'"
        ) from error
