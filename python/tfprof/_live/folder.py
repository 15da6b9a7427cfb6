"""The folder of a session that no server writes.

If the server is dead when a process ends, the process writes its waiting
records next to the files of the server: a record, then its facts, each under
another name first.
"""

from __future__ import annotations

import json
import os
import time
import zipfile
from collections.abc import Iterable
from typing import Any

from tfprof._engine.files import write_atomically
from tfprof._live.rows import Row
from tfprof._live.waiting import Trace
from tfprof._version import __version__

_SUFFIXES = {"xspace": ".xplane.pb", "kineto": ".pt.trace.json"}


def is_session(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "manifest.json"))


def make(folder: str, keep_traces: int) -> None:
    """The empty folder of a session that never had a server."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not is_session(folder):
        manifest = {
            "format": "tfprof session",
            "version": 1,
            "created_ns": time.time_ns(),
            "program": f"tfprof {__version__}",
            "limits": {"keep_traces": keep_traces, "session_bytes": 256 << 20},
        }
        _write_json(os.path.join(folder, "manifest.json"), manifest)
    for name in ("clients", "traces", "graphs"):
        os.makedirs(os.path.join(folder, name), mode=0o700, exist_ok=True)


def write_traces(
    folder: str,
    traces: Iterable[Trace],
    rows: dict[int, Row],
    client: dict[str, Any],
) -> list[str]:
    """Writes records; the ids of those that could be written.

    client: "client", "key", "rank", "host" and "pid" of this process.
    """
    written = []
    for trace in traces:
        identity = _free_id(folder, client["pid"])
        row = rows[trace.row]
        file = identity + _SUFFIXES.get(trace.kind, ".pb")
        data = trace.data()
        about = {
            "id": identity,
            "file": file,
            **client,
            "fetches": row.fetches,
            "feeds": row.feeds,
            "options": row.options,
            **trace.facts(""),
            "bytes": len(data),
            "pinned": False,
            "name": "",
        }
        base = os.path.join(folder, "traces")
        write_atomically(os.path.join(base, file), [data])
        _write_json(os.path.join(base, f"{identity}.about.json"), about)
        written.append(identity)
    return written


def _free_id(folder: str, pid: int) -> str:
    number = 1
    while os.path.exists(
        os.path.join(folder, "traces", f"p{pid}-{number}.about.json")
    ):
        number += 1
    return f"p{pid}-{number}"


def _write_json(path: str, data: dict[str, Any]) -> None:
    write_atomically(path, [json.dumps(data).encode() + b"\n"])


def has_traces(folder: str) -> bool:
    try:
        names = os.listdir(os.path.join(folder, "traces"))
    except OSError:
        return False
    return any(name.endswith(".about.json") for name in names)


def pack(folder: str, path: str) -> None:
    """The session as a zip file; what changes it meanwhile may be missing."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as file:
            for place, folders, names in os.walk(folder):
                folders.sort()
                for name in sorted(names):
                    whole = os.path.join(place, name)
                    inside = os.path.relpath(whole, folder)
                    of_server = inside in ("server.json", "orders.json")
                    if of_server or name.startswith("."):
                        continue
                    try:
                        file.write(whole, inside)
                    except FileNotFoundError:  # deleted just now
                        continue
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
