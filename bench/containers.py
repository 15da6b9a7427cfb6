#!/usr/bin/env python3
"""Compares tfprof with plain Python on large memory snapshots and databases.

    containers.py [--bin PROGRAM] [--folder FOLDER] [KIND:MEGABYTES …]

KIND is snapshot (a memory snapshot of PyTorch) or nsys (an SQLite export of
Nsight Systems); without any, snapshot:100 and nsys:100. It writes a file, and
asks the same question twice: tfprof with one command, and Python with the
module that reads the format. Both answers must be equal. It prints the times of
both, their ratio, and the memory of tfprof. The exit status is 1 if an answer
differs.

The peer of a snapshot loads the pickle and replays the events for the peak. The
peer of a database is one SELECT that adds up the kernels by name.
"""

import argparse
import json
import multiprocessing
import os
import pickle
import random
import sqlite3
import subprocess
import sys
import tempfile
import time


def frame(number, depth):
    return {
        "name": "layer_%d" % (number % 50),
        "filename": "/home/user/model_%d.py" % (number % 7),
        "line": depth + number % 90,
    }


def make_snapshot(path, size):
    """A snapshot of about `size` bytes: one device, allocations and frees."""
    stacks = [[frame(n, d) for d in range(30)] for n in range(500)]
    chosen = random.Random(1)
    events, live, now = [], [], 1_790_000_000_000_000
    # An event takes about 60 bytes, because its texts and stack are shared.
    for number in range(size // 60):
        now += chosen.randrange(20)
        event = {"stream": 0, "time_us": now, "frames": chosen.choice(stacks)}
        if live and chosen.random() < 0.49:
            address, bytes_ = live.pop(chosen.randrange(len(live)))
            event["action"] = "free_completed"
        else:
            address, bytes_ = number * 4096, chosen.randrange(1, 1 << 20)
            live.append((address, bytes_))
            event["action"] = "alloc"
        event.update(addr=address, size=bytes_)
        events.append(event)
    with open(path, "wb") as file:
        pickle.dump({"segments": [], "device_traces": [events]}, file, 4)


def peak_by_python(path):
    with open(path, "rb") as file:
        snapshot = pickle.load(file)  # made above
    now = peak = 0
    for event in snapshot["device_traces"][0]:
        if event["action"] == "alloc":
            now += event["size"]
        elif event["action"] == "free_completed":
            now -= event["size"]
        peak = max(peak, now)
    return peak


def peak_of(answer):
    rows = answer["tables"]["series"]["rows"]
    return next(
        row["peak_bytes"] for row in rows if row["name"] == "gpu:0 allocated"
    )


def make_nsys(path, size):
    """An export of about `size` bytes: calls, and the kernels they launch."""
    chosen = random.Random(1)
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId,"
        " streamId, correlationId, globalPid, demangledName, shortName);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid,"
        " correlationId, nameId);"
    )
    names = 200
    base.executemany(
        "INSERT INTO StringIds VALUES (?, ?)",
        [(n, "kernel_%d" % n) for n in range(names)]
        + [(names, "cudaLaunchKernel_v7000")],
    )
    kernels, calls, now = [], [], 1000
    process = 7 << 24
    # A kernel and its call take about 90 bytes.
    for number in range(size // 90):
        now += chosen.randrange(1, 5000)
        length = chosen.randrange(1, 4000)
        name = chosen.randrange(names)
        kernels.append(
            (now + 900, now + 900 + length, 0, 7, number, process, name, name)
        )
        calls.append((now, now + 500, process | 70, number, names))
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?)",
        kernels,
    )
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", calls
    )
    base.commit()
    base.close()


def kernels_by_python(path):
    base = sqlite3.connect(path)
    rows = base.execute(
        "SELECT value, count(*), sum(end - start) FROM"
        " CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"
        " GROUP BY value"
    ).fetchall()
    return {name: (count, nanos) for name, count, nanos in rows}


def kernels_of(answer):
    return {
        row["name"]: (row["count"], round(row["sum_micros"] * 1000))
        for row in answer["rows"]
        if row["name"].startswith("kernel_")
    }


KINDS = {
    "snapshot": (make_snapshot, ["memory"], peak_of, peak_by_python),
    "nsys": (
        make_nsys,
        ["kernels", "-max_depth", "100000"],
        kernels_of,
        kernels_by_python,
    ),
}


def ask(binary, path, command):
    """The answer; seconds; megabytes."""
    start = time.monotonic()
    child = subprocess.Popen(
        [binary, path] + command + ["-output", "json"], stdout=subprocess.PIPE
    )
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    return json.loads(text), seconds, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--folder", default=None)
    parser.add_argument("files", nargs="*", metavar="KIND:MEGABYTES")
    args = parser.parse_args()
    differs = False
    for wanted in args.files or ["snapshot:100", "nsys:100"]:
        kind, megabytes = wanted.split(":")
        make, command, answer_of, by_python = KINDS[kind]
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            path = os.path.join(folder, kind)
            # A child makes the file: the largest memory of a program that is
            # started is at least that of the process that starts it.
            maker = multiprocessing.Process(
                target=make, args=(path, int(megabytes) << 20)
            )
            maker.start()
            maker.join()
            size = os.path.getsize(path) / (1 << 20)
            answer, seconds, memory = ask(args.bin, path, command)
            start = time.monotonic()
            with multiprocessing.Pool(1) as pool:
                expected = pool.apply(by_python, (path,))
            peer = time.monotonic() - start
        same = answer_of(answer) == expected
        differs |= not same
        print(
            "%-8s %5.0f MB: tfprof %6.2f s, %5.0f MB of memory; Python %6.2f s;"
            " ratio %5.2f; %s"
            % (
                kind,
                size,
                seconds,
                memory,
                peer,
                peer / seconds,
                "equal" if same else "DIFFERENT",
            )
        )
    sys.exit(differs)


if __name__ == "__main__":
    main()
