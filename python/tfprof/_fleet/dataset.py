"""A dataset: folders of Parquet files, and `_tfprof.json`.

    DATASET/_tfprof.json              version of the schema
    DATASET/runs/R.json               a run, and how many ranks it has
    DATASET/files/run=R/PART.parquet  one row for each listed file, always
    DATASET/steps/run=R/PART.parquet  and ops, account, collectives, phases, …

A part has the rows of some neighbouring files. Its file in `files/` is written
last: a part without one was left by a process that was killed, and is not read.
Each file gets its name when it is complete. `src` is the key of a file, and a
part of the key of all of its rows: a rank may have two files. Times are
nanoseconds, all numbers are integers, and null is not known.

A part may have one rank only, and then what Parquet writes for each column is
as much as the rows. So there are no bounds of values but those of rank and
step, and rows with the same texts are neighbours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof._fleet.inputs import FleetError

SCHEMA_VERSION = "3.0.0"
HEAD = "_tfprof.json"

_INT, _TEXT = pa.int64(), pa.string()
# More needs more time, and makes numbers hardly smaller.
_ZSTD_LEVEL = 3
_BOUNDED = ("rank", "step")


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema(list(columns.items()))


SCHEMAS = {
    "files": _schema(
        src=_TEXT,
        path=_TEXT,
        rank=_INT,
        name_rank=_INT,
        world_size=_INT,
        size=_INT,
        key=_TEXT,
        status=_TEXT,
        message=_TEXT,
        rows=_INT,
        steps=_INT,
        read_at=_INT,
    ),
    "steps": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        device=_TEXT,
        accelerator=_INT,
        start_nanos=_INT,
        wall_nanos=_INT,
        busy_nanos=_INT,
        compute_nanos=_INT,
        communication_nanos=_INT,
        exposed_communication_nanos=_INT,
        copies_nanos=_INT,
        idle_nanos=_INT,
        executions=_INT,
    ),
    "account": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        device=_TEXT,
        part=_TEXT,
        kind=_TEXT,
        nanos=_INT,
    ),
    "ops": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        name=_TEXT,
        **{"class": _TEXT},
        runs=_INT,
        self_nanos=_INT,
        accelerator_nanos=_INT,
        bytes=_INT,
        float_ops=_INT,
    ),
    "scopes": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        depth=_INT,
        name=_TEXT,
        runs=_INT,
        self_nanos=_INT,
        total_nanos=_INT,
        accelerator_nanos=_INT,
        bytes=_INT,
    ),
    "code": _schema(
        src=_TEXT,
        rank=_INT,
        depth=_INT,
        name=_TEXT,
        runs=_INT,
        self_nanos=_INT,
        total_nanos=_INT,
        accelerator_nanos=_INT,
        bytes=_INT,
    ),
    "collectives": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        device=_TEXT,
        communicator=_TEXT,
        sequence=_INT,
        kind=_TEXT,
        bytes=_INT,
        start_nanos=_INT,
        end_nanos=_INT,
        state=_TEXT,
    ),
    "phases": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        phase=_TEXT,
        requests=_INT,
        tokens=_INT,
        dp=_INT,
        stage=_INT,
        micro_batch=_INT,
        model_chunk=_INT,
        start_nanos=_INT,
        end_nanos=_INT,
    ),
    "memory": _schema(
        src=_TEXT,
        rank=_INT,
        step=_INT,
        device=_TEXT,
        counter=_TEXT,
        allocator_peak_bytes=_INT,
        node_peak_bytes=_INT,
        counter_peak_bytes=_INT,
        capacity_bytes=_INT,
    ),
}


class DatasetError(FleetError):
    """A dataset cannot be read or written; the text says why."""


class Dataset:
    """The folder of a dataset."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)

    @property
    def exists(self) -> bool:
        return os.path.exists(os.path.join(self.folder, HEAD))

    def head(self) -> dict[str, Any]:
        """`_tfprof.json`; DatasetError if there is none that we can read."""
        path = os.path.join(self.folder, HEAD)
        try:
            with open(path, encoding="utf-8") as file:
                head: dict[str, Any] = json.load(file)
            version = str(head["schema_version"])
        except FileNotFoundError:
            raise DatasetError(
                f"{self.folder}: no dataset, because it has no {HEAD}. Make "
                "one: tfprof-fleet ingest PATH… -o DATASET"
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{path}: cannot be read: {error}") from None
        major, ours = version.split(".")[0], SCHEMA_VERSION.split(".")[0]
        if major != ours:
            newer = major.isdigit() and int(major) > int(ours)
            raise DatasetError(
                f"{path}: the schema has version {version}, and this program "
                f"reads {SCHEMA_VERSION}. "
                + (
                    "Use a newer program: pip install -U tfprof"
                    if newer
                    else "Ingest the files again."
                )
            )
        return head

    def write_head(self) -> None:
        self._write_json(HEAD, {"schema_version": SCHEMA_VERSION})

    def runs(self) -> dict[str, dict[str, Any]]:
        """What is known of each run. A run has a file of its own, because
        several processes may begin runs of one dataset at the same time."""
        runs: dict[str, dict[str, Any]] = {}
        folder = os.path.join(self.folder, "runs")
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if file.startswith(".") or not file.endswith(".json"):
                continue
            path = os.path.join(folder, file)
            try:
                with open(path, encoding="utf-8") as opened:
                    runs[file.removesuffix(".json")] = dict(json.load(opened))
            except (OSError, ValueError, TypeError) as error:
                raise DatasetError(f"{path}: cannot be read: {error}") from None
        return runs

    def write_run(self, run: str, known: dict[str, Any]) -> None:
        self._write_json(os.path.join("runs", f"{run}.json"), known)

    def write_part(
        self,
        run: str,
        part: str,
        files: list[dict[str, Any]],
        tables: dict[str, pa.Table],
    ) -> None:
        """Writes the rows of some files; `files` makes them count."""
        for name, table in sorted(tables.items()):
            self._write_table(run, name, part, _grouped(table))
        rows = pa.Table.from_pylist(files, SCHEMAS["files"])
        self._write_table(run, "files", part, rows)

    def _write_table(
        self, run: str, name: str, part: str, table: pa.Table
    ) -> None:
        self._write(
            os.path.join(name, f"run={run}", f"{part}.parquet"),
            lambda path: pq.write_table(
                table,
                path,
                compression="zstd",
                compression_level=_ZSTD_LEVEL,
                # Few numbers are equal, and it would be a dictionary of them.
                use_dictionary=_texts(table),
                write_statistics=[
                    name for name in _BOUNDED if name in table.column_names
                ],
                store_schema=False,  # the types are those of Parquet
            ),
        )

    def write_ranks(self, run: str, rows: list[dict[str, Any]]) -> None:
        """Writes what a rank map says."""
        self._write(
            os.path.join("ranks", f"run={run}", "ranks.parquet"),
            lambda path: pq.write_table(pa.Table.from_pylist(rows), path),
        )

    def check_parts(self, run: str) -> None:
        """DatasetError: a part has not the rows that its files say.

        Only the ends of the Parquet files are read.
        """
        found: dict[str, int] = {}
        for name in ("files", *(name for name in SCHEMAS if name != "files")):
            for path in self.parts(name):
                folder, part = os.path.split(path)
                if os.path.basename(folder) != f"run={run}":
                    continue
                if name != "files" and part not in found:
                    continue  # another process completed it just now
                try:
                    if name == "files":
                        rows = pq.read_table(path, columns=["rows"])
                        more = -sum(rows.column("rows").to_pylist())
                    else:
                        more = pq.read_metadata(path).num_rows
                except (OSError, pa.ArrowInvalid) as error:
                    raise DatasetError(
                        f"{path}: cannot be read: {error}. {self._repair(part)}"
                    ) from None
                found[part] = found.get(part, 0) + more
        for part, difference in found.items():
            if difference:
                what = "too few" if difference < 0 else "too many"
                raise DatasetError(
                    f"{self.folder}: the tables of part {part} have "
                    f"{abs(difference)} rows {what}. {self._repair(part)}"
                )

    def _repair(self, part: str) -> str:
        return (
            f"Remove {part} from the folders of all tables, and ingest again "
            "with --resume."
        )

    def parts(self, name: str) -> list[str]:
        """The Parquet files of a table whose part is complete."""
        complete = {
            os.path.join(run, file) for run, file in self._files("files")
        }
        return sorted(
            os.path.join(self.folder, name, run, file)
            for run, file in self._files(name)
            if name == "ranks" or os.path.join(run, file) in complete
        )

    def known_keys(self, run: str) -> dict[str, str]:
        """The content keys of the files that were read, by path."""
        newest: dict[str, tuple[int, str]] = {}
        for path in self.parts("files"):
            if os.path.basename(os.path.dirname(path)) != f"run={run}":
                continue
            rows = pq.ParquetFile(path).read(["path", "key", "read_at"])
            for row in rows.to_pylist():
                one = (row["read_at"], row["key"])
                newest[row["path"]] = max(newest.get(row["path"], one), one)
        return {path: key for path, (_, key) in newest.items()}

    def _write_json(self, name: str, value: dict[str, Any]) -> None:
        data = json.dumps(value, indent=1).encode()
        self._write(name, lambda path: _write_bytes(path, data))

    def _files(self, name: str) -> Iterable[tuple[str, str]]:
        folder = os.path.join(self.folder, name)
        for run in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            for file in os.listdir(os.path.join(folder, run)):
                if file.endswith(".parquet") and not file.startswith("."):
                    yield run, file

    def _write(self, name: str, write: Any) -> None:
        """`write(path)` writes a hidden file, which then gets its name."""
        path = os.path.join(self.folder, name)
        folder, file = os.path.split(path)
        temporary = os.path.join(folder, f".{file}.{os.getpid()}.tmp")
        try:
            os.makedirs(folder, exist_ok=True)
            try:
                write(temporary)
                os.replace(temporary, path)
            finally:
                if os.path.exists(temporary):
                    os.unlink(temporary)
        except OSError as error:
            raise DatasetError(f"{path}: cannot be written: {error}") from None


def _texts(table: pa.Table) -> list[str]:
    return [column.name for column in table.schema if column.type == _TEXT]


def _grouped(table: pa.Table) -> pa.Table:
    """Rows with equal texts, step by step: their numbers are alike."""
    keys = [name for name in _texts(table) if name != "src"]
    keys += [name for name in ("step",) if name in table.column_names]
    return table.sort_by([(name, "ascending") for name in keys])


def _write_bytes(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
