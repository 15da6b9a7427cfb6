"""Files into a dataset, with a pool of processes.

    done = ingest(["traces/"], "dataset", Options(ranks=10000))

Each listed file gets one row in `files/`. A task is some neighbouring files, so
that a Parquet file has neighbouring ranks and is not tiny. Tasks may run here,
or as shards on many machines that write the same dataset.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import signal
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from tfprof._fleet import inputs
from tfprof._fleet.dataset import SCHEMAS, Dataset, DatasetError
from tfprof._fleet.reading import ON_REQUEST, STATUSES, TABLES, read_file

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
      rank_from: a regular expression whose group is the rank in a path
      rank_map: a CSV file with rank, host, stage and other columns
      resume: reads only files that are new or have changed
      scopes: keeps the scopes of each step too
      code: keeps the lines of code too, as the average over the steps
      processes: how many files are read at the same time
      timeout: seconds for one file
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
    begin = time.monotonic()
    inputs.check_pattern(options.rank_from)
    if not options.run or options.run[0] == "." or set(options.run) & set("/="):
        raise inputs.InputError(
            f"--run {options.run}: a name without / and =, and without . at "
            "its start"
        )
    files = inputs.shard(inputs.find_files(paths), options.shard)
    ranks = inputs.read_rank_map(options.rank_map) if options.rank_map else []
    dataset = Dataset(folder)
    _begin(dataset, options)
    if ranks:
        dataset.write_ranks(options.run, ranks)
    keys = {file.path: inputs.content_key(file) for file in files}
    known = dataset.known_keys(options.run)
    wanted = [file for file in files if known.get(file.path) != keys[file.path]]
    done = Done(listed=len(files), unchanged=len(files) - len(wanted))
    processes = options.processes or os.cpu_count() or 1
    # Ctrl-C is for this process; the others finish the part that they write.
    pool = concurrent.futures.ProcessPoolExecutor(
        processes, initializer=_ignore_interrupts
    )
    try:
        tasks = [
            pool.submit(_run_task, task, keys, folder, options)
            for task in _tasks(wanted, processes)
        ]
        read = 0
        for task in concurrent.futures.as_completed(tasks):
            statuses, rows = task.result()
            read += sum(statuses.values())
            done.rows += rows
            for status, count in statuses.items():
                done.statuses[status] = done.statuses.get(status, 0) + count
            progress(read, len(wanted))
    except BrokenProcessPool:
        raise DatasetError(
            f"{folder}: a process was killed, perhaps because memory ran out. "
            "Run again with --resume, and fewer --processes."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if read != len(wanted):
        raise DatasetError(
            f"{folder}: {len(wanted)} files were listed, but {read} were "
            "written. Run again with --resume."
        )
    done.seconds = time.monotonic() - begin
    return done


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _begin(dataset: Dataset, options: Options) -> None:
    """Makes the dataset, or checks that we may add to it."""
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
        # Another shard may be writing its first file, which is hidden.
        not name.startswith(".")
        for name in os.listdir(dataset.folder)
    ):
        raise DatasetError(
            f"{dataset.folder} has files and is no dataset. Give a new folder."
        )
    else:
        dataset.write_head()
    if options.ranks is not None or options.run not in dataset.runs():
        dataset.write_run(options.run, {"ranks": options.ranks})


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


def _run_task(
    files: Sequence[inputs.File],
    keys: dict[str, str],
    folder: str,
    options: Options,
) -> tuple[dict[str, int], int]:
    """Reads files and writes one part. Returns files by status, and rows."""
    names_of_tables = (
        *TABLES,
        *(name for name in ON_REQUEST if getattr(options, name)),
    )
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in names_of_tables
    }
    rows_of_files: list[dict[str, Any]] = []
    statuses: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for file in files:
        summary = read_file(file, options.timeout, names_of_tables)
        rank = inputs.rank_in(file.path, options.rank_from)
        if rank is None:
            rank = summary.rank
        key = keys[file.path]
        src = f"{key}-{_number_of(file.path):016x}"
        count = 0
        for name in names_of_tables:
            names = SCHEMAS[name].names
            for row in summary.tables.get(name, ()):
                tables[name].append(
                    {**{n: row.get(n) for n in names}, "src": src, "rank": rank}
                )
                count += 1
        steps = {row["step"] for row in summary.tables.get("steps", ())}
        statuses[summary.status] += 1
        rows_of_files.append(
            {
                "src": src,
                "path": file.path,
                "rank": rank,
                "size": file.size,
                "key": key,
                "status": summary.status,
                "message": summary.message,
                "rows": count,
                "steps": len(steps),
                "read_at": time.time_ns(),
            }
        )
    Dataset(folder).write_part(options.run, rows_of_files, tables)
    written = sum(len(rows) for rows in tables.values())
    if written != sum(row["rows"] for row in rows_of_files):
        raise DatasetError(f"{folder}: a part has other rows than its files")
    return statuses, written


def _number_of(path: str) -> int:
    """A number for a path that is the same in all processes."""
    data = path.encode("utf-8", "surrogateescape")
    return zlib.crc32(data) << 32 | zlib.adler32(data)
