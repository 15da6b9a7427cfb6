"""Files into a dataset, on an engine: a pool of processes, Spark or Ray.

    done = ingest(["traces/"], "dataset", Options(ranks=10000))

Each listed file gets one row in `files/`. A task is some neighbouring files, so
that a Parquet file has neighbouring ranks and is not tiny. Tasks may run here,
on an engine (engines.py), or as shards on many machines that write the same
dataset.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import platform
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tfprof._fleet import file_tables, inputs
from tfprof._fleet.dataset import HEAD, Dataset, DatasetError
from tfprof._fleet.engines import Engine, Result, make_engine
from tfprof._fleet.reading import (
    ON_REQUEST,
    STATUSES,
    TABLES,
    Summary,
    read_file,
)

# The files and the input bytes of one task.
_TASK_FILES = 64
_TASK_BYTES = 128 << 20


@dataclasses.dataclass
class Options:
    """What `ingest` may be told.

    Attributes:
      run: the name of the run that the files are of
      shard: "2/8": this process reads only the second eighth of the files
      ranks: how many ranks the job has; None: not known
      rank_from: a regular expression whose group is the rank in a path, for
        files that do not say it
      rank_map: a CSV file with rank, host, stage and other columns
      resume: reads only files that are new or have changed
      scopes: keeps the scopes of each step too
      code: keeps the lines of code too, as the average over the steps
      processes: how many files are read at the same time
      timeout: seconds for one file, or for each GB of a larger one
      engine: where files are read: "local", "spark" or "ray"
      master: of Spark, as local[4] or spark://host:7077
      address: of Ray, as auto or host:6379
    """

    run: str = "default"
    shard: str = "1/1"
    ranks: int | None = None
    rank_from: str = inputs.RANK_IN_NAME
    rank_map: str | None = None
    resume: bool = False
    scopes: bool = False
    code: bool = False
    processes: int = 0
    timeout: float = 60.0
    engine: str = "local"
    master: str | None = None
    address: str | None = None


class Task(NamedTuple):
    """Neighbouring files, and their content keys."""

    files: list[inputs.File]
    keys: list[str]


@dataclasses.dataclass
class Done:
    """What was done: files by status, and those that need no reading."""

    listed: int = 0
    unchanged: int = 0
    rows: int = 0
    seconds: float = 0.0
    statuses: dict[str, int] = dataclasses.field(default_factory=dict)


def ingest(
    paths: Sequence[str],
    folder: str,
    options: Options,
    progress: Callable[[int, int], None] = lambda done, all_files: None,
) -> Done:
    """InputError, DatasetError: nothing was read, and the text says why."""
    inputs.check_pattern(options.rank_from)
    if not options.run or options.run[0] == "." or set(options.run) & set("/="):
        raise inputs.InputError(
            f"--run {options.run}: a name without / and =, and without . at "
            "its start"
        )
    files = inputs.shard(inputs.find_files(paths), options.shard)
    ranks = inputs.read_rank_map(options.rank_map) if options.rank_map else []
    dataset = Dataset(folder)
    _check(dataset, options)
    address = options.master if options.engine == "spark" else options.address
    engine = make_engine(options.engine, address, options.processes)
    try:
        return _read(files, ranks, dataset, options, engine, progress)
    except DatasetError as error:
        raise DatasetError(f"{folder}: {error}") from None
    finally:
        engine.close()


def _read(
    files: Sequence[inputs.File],
    ranks: list[dict[str, Any]],
    dataset: Dataset,
    options: Options,
    engine: Engine,
    progress: Callable[[int, int], None],
) -> Done:
    begin = time.monotonic()
    if not dataset.exists:
        dataset.write_head()
    if options.ranks is not None or options.run not in dataset.runs():
        dataset.write_run(options.run, {"ranks": options.ranks})
    if ranks:
        dataset.write_ranks(options.run, ranks)
    keys = {file.path: inputs.content_key(file) for file in files}
    known = dataset.known_keys(options.run)
    wanted = [
        file
        for file in files
        if known.get(inputs.as_text(file.path)) != keys[file.path]
    ]
    done = Done(listed=len(files), unchanged=len(files) - len(wanted))
    work = functools.partial(_run_task, dataset.folder, options)
    read = 0
    tasks = [
        Task(task, [keys[file.path] for file in task])
        for task in _tasks(wanted, engine.parallelism)
    ]
    for statuses, rows in engine.run(work, tasks):
        read += sum(statuses.values())
        done.rows += rows
        for status, count in statuses.items():
            done.statuses[status] = done.statuses.get(status, 0) + count
        progress(read, len(wanted))
    if read != len(wanted):
        raise DatasetError(
            f"{len(wanted)} files were listed, but {read} were "
            "written. Run again with --resume."
        )
    done.seconds = time.monotonic() - begin
    return done


def _check(dataset: Dataset, options: Options) -> None:
    """DatasetError: we may not make the dataset, or add to it."""
    if dataset.exists:
        dataset.head()
        known = options.run in dataset.runs()
        if known and not options.resume and options.shard == "1/1":
            raise DatasetError(
                f"{dataset.folder} has the run {options.run} already. Add "
                "--resume to read only what is new or has changed, or give "
                "another --run."
            )
    elif os.path.isdir(dataset.folder) and any(
        # Another shard may be writing its first file, which is hidden, or
        # have written it now.
        not name.startswith(".") and name != HEAD
        for name in os.listdir(dataset.folder)
    ):
        raise DatasetError(
            f"{dataset.folder} has files and is no dataset. Give a new folder."
        )


def _tasks(
    files: Sequence[inputs.File], processes: int
) -> Iterable[list[inputs.File]]:
    """Neighbouring files; few in each if there are few, for all processes."""
    most = max(1, min(_TASK_FILES, len(files) // (4 * processes) or 1))
    task: list[inputs.File] = []
    size = 0
    for file in files:
        if task and (
            len(task) >= most or size + (file.size or 0) > _TASK_BYTES
        ):
            yield task
            task, size = [], 0
        task.append(file)
        size += file.size or 0
    if task:
        yield task


def _run_task(folder: str, options: Options, task: Task) -> Result:
    """Reads files and writes one part. Returns files by status, and rows."""
    _check_machine(folder, task)
    names_of_tables = (
        *TABLES,
        *(name for name in ON_REQUEST if getattr(options, name)),
    )
    tables: dict[str, list[pa.Table]] = {}
    rows_of_files: list[dict[str, Any]] = []
    statuses: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for file, key in zip(task.files, task.keys):
        summary = summarise(file, options, names_of_tables)
        rank = summary.rank
        src = f"{key}-{_number_of(file.path):016x}"
        for name, table in summary.tables.items():
            if table.num_rows:
                rows = file_tables.of_file(name, table, src, rank)
                tables.setdefault(name, []).append(rows)
        statuses[summary.status] += 1
        rows_of_files.append(
            {
                "src": src,
                "path": inputs.as_text(file.path),
                "rank": rank,
                "name_rank": inputs.rank_in(file.path, options.rank_from),
                "world_size": summary.world_size,
                "size": file.size,
                "key": key,
                "status": summary.status,
                "message": inputs.as_text(summary.message),
                "rows": sum(t.num_rows for t in summary.tables.values()),
                "steps": summary.steps,
                "read_at": time.time_ns(),
            }
        )
    whole = {name: pa.concat_tables(parts) for name, parts in tables.items()}
    Dataset(folder).write_part(
        options.run, _part_of(rows_of_files), rows_of_files, whole
    )
    written = sum(table.num_rows for table in whole.values())
    if written != sum(row["rows"] for row in rows_of_files):
        raise DatasetError(f"{folder}: a part has other rows than its files")
    return statuses, written


def summarise(
    file: inputs.File, options: Options, tables: Sequence[str]
) -> Summary:
    """One file, and its rank, if that is known.

    The file knows it better than its name, which may have the number of
    something else. A process that is alone is rank 0 to itself.
    """
    summary = read_file(file, options.timeout, tables)
    rank = inputs.rank_in(file.path, options.rank_from)
    if rank is None or (summary.rank is not None and summary.world_size != 1):
        return summary
    return summary._replace(rank=rank)


def _check_machine(folder: str, task: Task) -> None:
    """DatasetError: this machine does not see what the first one saw."""
    listed = [
        file.path
        for file in task.files
        if not file.problem and not inputs.is_url(file.path)
    ]
    here = platform.node() or "a machine"
    if listed and not any(map(os.path.exists, listed)):
        raise DatasetError(
            f"{here} does not see {listed[0]}: it is not on shared storage"
        )
    if not Dataset(folder).exists:
        raise DatasetError(
            f"{here} does not see the dataset {folder}: it is not on shared "
            "storage"
        )


def _part_of(files: list[dict[str, Any]]) -> str:
    """A name that is the same if the same files are read again."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(file["src"].encode())
    return digest.hexdigest()


def _number_of(path: str) -> int:
    """A number for a path that is the same in all processes."""
    data = path.encode("utf-8", "surrogateescape")
    return zlib.crc32(data) << 32 | zlib.adler32(data)
