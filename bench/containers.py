#!/usr/bin/env python3
"""Compares tfprof with plain Python on large files of other recorders.

    containers.py [--bin PROGRAM] [--folder FOLDER] [KIND:MEGABYTES …]

KIND is snapshot (a memory snapshot of PyTorch), nsys (an SQLite export of
Nsight Systems) or perfetto (a Perfetto trace like those of PyTorch); without
any, snapshot:100, nsys:100 and perfetto:50. It writes a file, and asks the same
question twice: tfprof with one command, and Python. Both answers must be equal.
It prints the times and the CPU times of both, the ratio of these, and the
memory of tfprof. The exit status is 1 if an answer differs.

The peer of a snapshot loads the pickle and replays the events for the peak. The
peer of a database is one SELECT that adds up the kernels by name. The peer of a
trace walks its packets in Python and does the same.
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
    # An event takes about 190 bytes: its texts and frames are shared, but the
    # list of its frames is its own.
    for number in range(size // 190):
        now += chosen.randrange(20)
        frames = list(chosen.choice(stacks))
        event = {"stream": 0, "time_us": now, "frames": frames}
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


KERNEL = (
    "start, end, deviceId, contextId, greenContextId, streamId, correlationId,"
    " globalPid, demangledName, shortName, mangledName, launchType,"
    " cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY,"
    " blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
    " localMemoryTotal, gridId"
)
COPY = (
    "start, end, deviceId, contextId, greenContextId, streamId, correlationId,"
    " globalPid, bytes, copyKind"
)
CALL = "start, end, eventClass, globalTid, correlationId, nameId, returnValue"
RANGE = (
    "start, end, eventType, rangeId, category, color, text, globalTid,"
    " endGlobalTid, textId, domainId"
)


def make_nsys(path, size):
    """An export of about `size` bytes, with the columns of Nsight Systems.

    An operation is a range with its number, a call in it, and the kernel that
    this launches. Each tenth one is a copy.
    """
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER PRIMARY KEY,"
        " name TEXT, label TEXT);"
        "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'HTOD', 'HtoD');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(%s);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(%s);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(%s);"
        "CREATE TABLE NVTX_EVENTS(%s);" % (KERNEL, COPY, CALL, RANGE)
    )
    names = 200
    launch, copy = names, names + 1
    base.executemany(
        "INSERT INTO StringIds VALUES (?, ?)",
        [(n, "kernel_%d" % n) for n in range(names)]
        + [(launch, "cudaLaunchKernel_v7000"), (copy, "cudaMemcpyAsync_v3020")],
    )
    process = 7 << 24
    thread = process | 70

    def operations():
        """Of each: its number, start, length, kernel, and if it is a copy."""
        chosen = random.Random(1)
        now = 1000
        # The rows of an operation take about 170 bytes.
        for number in range(size // 170):
            now += chosen.randrange(1200, 5000)
            length = chosen.randrange(1, 4000)
            yield number, now, length, chosen.randrange(names), number % 10 == 9

    def insert(table, columns, rows):
        marks = ", ".join("?" * (columns.count(",") + 1))
        base.executemany("INSERT INTO %s VALUES (%s)" % (table, marks), rows)

    insert(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        KERNEL,
        (
            (now + 900, now + 900 + length, 0, 1, None, 7, number, process)
            + (name, name, name, 1, 0, 64, 512 + name, 1, 1, 128, 1, 1)
            + (0, 32768, 0, 250871808, number)
            for number, now, length, name, is_copy in operations()
            if not is_copy
        ),
    )
    insert(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        COPY,
        (
            (now + 900, now + 900 + length, 0, 1, None, 7, number, process)
            + (length * 1000, 1)
            for number, now, length, _, is_copy in operations()
            if is_copy
        ),
    )
    insert(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        CALL,
        (
            (now, now + 500, 0, thread, number, copy if is_copy else launch, 0)
            for number, now, _, _, is_copy in operations()
        ),
    )
    insert(
        "NVTX_EVENTS",
        RANGE,
        (
            (now - 200, now + 700, 59, None, None, None)
            + ("aten::op_%d, op_id = %d" % (name % 100, number), thread)
            + (None, None, 0)
            for number, now, _, name, _ in operations()
        ),
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


def varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number, value):
    """A field of a message: an integer, or a text or message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message):
    """The fields of a message: (number, integer or bytes)."""
    at = 0

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = take()
        value = take()
        if tag & 7 == 2:
            at += value
            value = message[at - value : at]
        yield tag >> 3, value


def annotation(key, value):
    text = field(10, key.encode())
    if isinstance(value, int):
        return field(4, field(4, value) + text)
    items = b"".join(field(12, field(6, item.encode())) for item in value)
    return field(4, text + items)


OPERATORS, STREAM = 2, 3  # the tracks of a trace


def make_perfetto(path, size):
    """A trace of about `size` bytes: operators, launches and kernels."""
    chosen = random.Random(1)

    def packet(content, time=None):
        when = b"" if time is None else field(8, time)
        return field(1, when + field(10, 1) + content)

    def event(time, kind, track, name=b"", category=b"", arguments=b""):
        return packet(
            field(
                11,
                field(9, kind)
                + field(11, track)
                + (field(23, name) if name else b"")
                + (field(22, category) if category else b"")
                + arguments,
            ),
            time,
        )

    with open(path, "wb") as file:
        file.write(packet(field(60, field(1, 1) + field(3, field(1, 7)))))
        for track in (OPERATORS, STREAM):
            thread = field(4, field(1, 7) + field(2, track))
            row = field(1, track) + field(5, 1) + thread
            file.write(packet(field(60, row)))
        now = 1_000_000
        # An operator with its launch and its kernel takes about 430 bytes.
        for number in range(size // 430):
            name = b"aten::op_%d" % chosen.randrange(100)
            length = chosen.randrange(1, 4000)
            shapes = [str(chosen.randrange(4096)) for _ in range(6)]
            launch = annotation("correlation", number + 1)
            file.write(
                event(
                    now,
                    1,
                    OPERATORS,
                    name,
                    b"cpu_op",
                    annotation("External id", number)
                    + annotation("Input Dims", shapes)
                    + annotation("Input type", ["float"] * 6)
                    + annotation("Ev Idx", number),
                )
            )
            file.write(
                event(
                    now + 100,
                    1,
                    OPERATORS,
                    b"cudaLaunchKernel",
                    b"cuda_runtime",
                    launch,
                )
            )
            file.write(event(now + 300, 2, OPERATORS))
            file.write(event(now + 900, 2, OPERATORS))
            file.write(
                event(
                    now + 1000,
                    1,
                    STREAM,
                    b"kernel_%d" % chosen.randrange(200),
                    b"kernel",
                    launch + annotation("device", 0) + annotation("stream", 7),
                )
            )
            file.write(event(now + 1000 + length, 2, STREAM))
            now += 1000 + length


def kernels_of_trace(path):
    sums, begin = {}, None
    with open(path, "rb") as file:
        trace = file.read()
    for _, packet in fields(trace):
        of_packet = dict(fields(packet))
        if 11 not in of_packet:
            continue
        # The last of several annotations is not needed here.
        of_event = dict(fields(of_packet[11]))
        if of_event[11] != STREAM:
            continue
        if of_event[9] == 1:
            begin = of_event[23].decode(), of_packet[8]
        else:
            count, nanos = sums.get(begin[0], (0, 0))
            sums[begin[0]] = count + 1, nanos + of_packet[8] - begin[1]
    return sums


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
    "perfetto": (
        make_perfetto,
        ["kernels", "-max_depth", "100000"],
        kernels_of,
        kernels_of_trace,
    ),
}


def timed(by_python, path):
    """The answer; seconds; CPU seconds."""
    start, used = time.monotonic(), time.process_time()
    answer = by_python(path)
    return answer, time.monotonic() - start, time.process_time() - used


def ask(binary, path, command):
    """The answer; seconds; CPU seconds; megabytes."""
    start = time.monotonic()
    child = subprocess.Popen(
        [binary, path] + command + ["-output", "json"], stdout=subprocess.PIPE
    )
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    cpu = usage.ru_utime + usage.ru_stime
    return json.loads(text), seconds, cpu, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--folder", default=None)
    parser.add_argument("files", nargs="*", metavar="KIND:MEGABYTES")
    args = parser.parse_args()
    differs = False
    for wanted in args.files or ["snapshot:100", "nsys:100", "perfetto:50"]:
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
            answer, seconds, cpu, memory = ask(args.bin, path, command)
            with multiprocessing.Pool(1) as pool:
                expected, peer, peer_cpu = pool.apply(timed, (by_python, path))
        same = answer_of(answer) == expected
        differs |= not same
        print(
            "%-8s %5.0f MB: tfprof %6.2f s (CPU %6.2f s), %5.0f MB of memory;"
            " Python %6.2f s (CPU %6.2f s); ratio %5.2f; %s"
            % (
                kind,
                size,
                seconds,
                cpu,
                memory,
                peer,
                peer_cpu,
                peer_cpu / cpu,
                "equal" if same else "DIFFERENT",
            )
        )
    sys.exit(differs)


if __name__ == "__main__":
    main()
