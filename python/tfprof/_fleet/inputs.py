"""The files of a job: where they are, and which rank each is of.

    files = find_files(["traces/", "s3://bucket/job/*.json.gz"])
    shard(files, "2/8")

Local paths are folders (all files below them), files and globs. A URL
(s3://, gs://, hdfs://) is read through pyarrow.fs, and a listed file is copied
once, when it is read. Folders and files whose name begins with a dot are left
out. Sizes are bytes, times nanoseconds since 1970.
InputError says what to do.
"""

from __future__ import annotations

import csv
import fnmatch
import glob
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from typing import IO, Any, NamedTuple
from urllib.parse import quote, unquote

RANK_IN_NAME = r"rank[_-]?(\d+)"
# A content key has so many bytes of both ends of a file.
_END_BYTES = 1 << 16


class FleetError(Exception):
    """A dataset or its inputs cannot be used; the text says why."""


class InputError(FleetError):
    """The inputs cannot be used; the text says why."""


class File(NamedTuple):
    """One listed file; size and time are None if it cannot be opened."""

    path: str
    size: int | None
    time: int | None
    problem: str = ""


def as_text(name: str) -> str:
    """A name with escapes for bytes that are not UTF-8: rank_4\\xff."""
    data = name.encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "backslashreplace")


def is_url(path: str) -> bool:
    return re.match(r"[a-z][a-z0-9+.-]*://", path) is not None


def find_files(paths: Sequence[str]) -> list[File]:
    """Returns the files by path, each once; InputError if there are none."""
    found: dict[str, File] = {}
    for path in paths:
        files = _remote(path) if is_url(path) else _local(path)
        for file in files:
            found[file.path] = file
    if not found:
        raise InputError(
            f"{', '.join(paths)}: no file is here. Is it a path of another "
            "machine, and not on shared storage?"
        )
    return sorted(found.values())


def shard(files: Sequence[File], part: str) -> list[File]:
    """Part I of N ("2/8", from 1): neighbouring files, about as many each."""
    match = re.fullmatch(r"(\d+)/(\d+)", part)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise InputError(f"--shard {part}: expected I/N with 1 <= I <= N")
    number, parts = int(match[1]), int(match[2])
    begin = len(files) * (number - 1) // parts
    return list(files[begin : len(files) * number // parts])


def rank_in(path: str, pattern: str) -> int | None:
    """The rank that a path names: the last match in it."""
    found = re.findall(pattern, path)
    return int(found[-1]) if found else None


def check_pattern(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise InputError(f"--rank-from {pattern}: {error}") from None
    if groups != 1:
        raise InputError(
            f"--rank-from {pattern}: expected one group, as in 'rank_(\\d+)'"
        )


def read_rank_map(path: str) -> list[dict[str, Any]]:
    """Rows with rank, and any of host, dp, tp, pp, ep and other columns."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows: list[dict[str, Any]] = list(csv.DictReader(file))
    except OSError as error:
        raise InputError(f"--rank-map {path}: {error.strerror}") from None
    lines: dict[int, int] = {}
    for number, row in enumerate(rows, 2):
        if not str(row.get("rank") or "").isdigit():
            raise InputError(
                f"--rank-map {path}, line {number}: no rank; expected CSV with "
                "a column rank, and columns like host, dp, tp, pp"
            )
        row["rank"] = int(row["rank"])
        first = lines.setdefault(row["rank"], number)
        if first != number:
            raise InputError(
                f"--rank-map {path}, line {number}: rank {row['rank']} is in "
                f"line {first}, too"
            )
    return rows


def content_key(file: File) -> str:
    """A key that changes with the file: its size, time and both ends."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{file.size} {file.time}".encode())
    if file.size and not file.problem and not is_url(file.path):
        try:
            with open(file.path, "rb") as data:
                _add_ends(data, file.size, digest)
        except OSError:
            pass  # reading the file will say why
    return digest.hexdigest()


def _add_ends(data: IO[bytes], size: int, digest: Any) -> None:
    digest.update(data.read(_END_BYTES))
    data.seek(max(0, size - _END_BYTES))
    digest.update(data.read(_END_BYTES))


def _local(path: str) -> Iterable[File]:
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for name in names:
                if not name.startswith("."):
                    yield _local_file(os.path.join(folder, name))
        return
    matches = [path] if os.path.lexists(path) else glob.glob(path)
    if not matches:
        raise InputError(
            f"{path}: does not exist here. Is it a path of another machine, "
            "and not on shared storage?"
        )
    for match in matches:
        if os.path.isdir(match):
            yield from _local(match)
        else:
            yield _local_file(match)


def _local_file(path: str) -> File:
    # A worker may run in another folder.
    path = os.path.abspath(path)
    try:
        status = os.stat(path)
    except OSError as error:
        return File(path, None, None, error.strerror or "cannot be opened")
    if not stat.S_ISREG(status.st_mode):
        return File(path, None, None, "not a regular file")
    return File(path, status.st_size, status.st_mtime_ns)


def _as_url(text: str) -> str:
    """A URL as it was typed: a space, # or lone % is part of a name."""
    whole = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)
    return quote(whole, safe="%/:@?*[]!$&'()+,;=~")


def _remote(typed: str) -> Iterable[File]:
    from pyarrow import fs

    url = _as_url(typed)
    head = re.split(r"[*?\[]", url, maxsplit=1)[0]
    base = url if head == url else head.rpartition("/")[0]
    try:
        system, path = fs.FileSystem.from_uri(base)
        info = system.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise InputError(
                f"{typed}: does not exist, or is not on shared storage"
            )
        infos = (
            [info]
            if info.type == fs.FileType.File
            else system.get_file_info(fs.FileSelector(path, recursive=True))
        )
    except (OSError, ValueError) as error:
        raise InputError(f"{typed}: {error}") from None
    base = base.rstrip("/")
    patterns = unquote(url[len(base) :]).split("/")
    for one in infos:
        # A listed path has another head: no scheme, and perhaps a bucket.
        below = one.path[len(path.rstrip("/")) :]
        if (
            one.type == fs.FileType.File
            and "/." not in below
            and (base == url.rstrip("/") or _matches(below, patterns))
        ):
            yield File(base + quote(below), one.size, one.mtime_ns or 0)


def _matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether it is a path of the glob, or is below one."""
    names = path.split("/")
    return len(names) >= len(patterns) and all(
        map(fnmatch.fnmatchcase, names, patterns)
    )


def fetch(url: str, path: str) -> None:
    """Copies a remote file; OSError if it cannot be read."""
    from pyarrow import fs

    try:
        system, source = fs.FileSystem.from_uri(url)
    except ValueError as error:
        raise OSError(str(error)) from None
    with system.open_input_stream(source) as data, open(path, "wb") as file:
        while piece := data.read(1 << 22):
            file.write(piece)
