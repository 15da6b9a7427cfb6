"""The profiles of many ranks as one dataset, and questions about it.

    import tfprof

    tfprof.fleet.ingest(["traces/"], "job.dataset", ranks=64)
    job = tfprof.fleet.open("job.dataset")
    slow = job.ask("stragglers")
    slow.facts["ranks"], slow.rows                  # of the first table
    slow.tables["slow_ops"].to_pandas()
    job.by("op").to_arrow()
    job.sql("SELECT rank, median(own_nanos) FROM rank_steps GROUP BY rank")
    tfprof.fleet.check(tfprof.fleet.open("old.dataset"), job)

Questions and by() are those of the command `tfprof-fleet`. Times are
nanoseconds. Needs pyarrow and duckdb: pip install 'tfprof[fleet]'. FleetError
says what is wrong with a dataset or its inputs, and what to do.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from tfprof._engine.answer import Answer, Note
from tfprof._fleet import output as _output
from tfprof._fleet.inputs import FleetError

if TYPE_CHECKING:
    from tfprof._fleet.ingest import Done

__all__ = ["Fleet", "FleetError", "check", "ingest", "open"]

_Path = Union[str, "os.PathLike[str]"]


class Fleet:
    """One run of a dataset: open() makes it."""

    def __init__(
        self, dataset: _Path, engine: str = "local", master: str | None = None
    ) -> None:
        view = _needed("view")
        self._fleet = view.open_fleet(os.fspath(dataset), engine, master)

    def ask(self, question: str = "overview") -> Answer:
        """Answers overview, stragglers, collectives, drift and others.

        ValueError: there is no such question; the text has their names.
        """
        questions = _needed("questions").QUESTIONS
        if question not in questions:
            raise ValueError(
                f"no question {question!r}; there are {', '.join(questions)}"
            )
        return _answer(questions[question](self._fleet))

    def by(self, what: str) -> Answer:
        """A row for each op, class, scope, code, rank, step, host or stage."""
        questions = _needed("questions")
        if what not in questions.BY:
            raise ValueError(
                f"cannot answer by {what!r}; there are "
                f"{', '.join(questions.BY)}"
            )
        return _answer(questions.by(self._fleet, what))

    def sql(self, query: str, values: Sequence[Any] = ()) -> Any:
        """A pyarrow.Table of a query to DuckDB, or to the engine.

        Tables: those of the dataset without files that are not ok, and
        `rank_steps`, `all_files`, `pipeline`, `ranks` (the rank map).
        """
        return self._fleet.arrow(query, values)


def open(
    dataset: _Path, engine: str = "local", master: str | None = None
) -> Fleet:
    """Opens a dataset, or one run of it: "job.dataset/run=monday".

    Args:
        dataset: The folder of the dataset.
        engine: Where questions run: "local" is DuckDB in this process; or
            "spark", in the session of this process if there is one.
        master: Of Spark, as local[4] or spark://host:7077.
    """
    return Fleet(dataset, engine, master)


def ingest(paths: Sequence[_Path], dataset: _Path, **options: Any) -> Done:
    """Summarises profiles in a dataset.

    Args:
        paths: Folders, files, globs, or URLs (s3://, gs://, hdfs://).
        dataset: The folder of the dataset.
        options: run, shard, ranks, rank_from, rank_map, resume, scopes, code,
            processes and timeout, as in `tfprof-fleet ingest`.

    Returns:
        What was done: `listed`, `unchanged` and `rows`, and `statuses`, the
        number of files by status. A file that is not "ok" is no error.
    """
    module = _needed("ingest")
    names = [os.fspath(path) for path in paths]
    done: Done = module.ingest(
        names, os.fspath(dataset), module.Options(**options)
    )
    return done


def check(base: Fleet, new: Fleet) -> Answer:
    """Which operations changed between two runs."""
    return _answer(_needed("questions").check(base._fleet, new._fleet))


def _needed(name: str) -> Any:
    """A module that needs pyarrow or duckdb."""
    import importlib

    try:
        return importlib.import_module(f"tfprof._fleet.{name}")
    except ImportError as error:
        if error.name not in ("duckdb", "pyarrow"):
            raise
        raise ImportError(
            f"tfprof.fleet needs {error.name}: pip install 'tfprof[fleet]'"
        ) from None


def _answer(answer: _output.Answer) -> Answer:
    """The same answer as those of profiles."""
    data = json.loads(_output.write(answer, "json", 0))
    for name, table in data["tables"].items():
        rows = table["rows"]
        data["tables"][name] = {
            "columns": [
                {
                    "name": column,
                    "unit": "text"
                    if any(isinstance(row[column], str) for row in rows)
                    else _output.unit(column),
                }
                for column in table["columns"]
            ],
            "rows": rows,
            "total": len(rows),
        }

    def as_text(form: str) -> str:
        width = shutil.get_terminal_size((120, 24)).columns
        form = form if form in _output.FORMATS else "table"
        return _output.write(answer, form, width)

    notes = [Note("warning" if answer.bad else "note", answer.first)]
    notes += [Note("note", text) for text in answer.sentences]
    return Answer(json.dumps(data).encode(), notes, as_text)
