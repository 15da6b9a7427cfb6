"""Shapes of logs, pickles, databases, recordings and archives."""

import io
import json
import os
import pickle
import sqlite3
import struct
import tempfile
import zipfile

from shape import shape

# ---- Memory snapshots and other pickles.


def frame(number, file="/u/train.py"):
    return {"name": "f%d" % (number % 1000), "filename": file, "line": number}


def memory_event(action, address, size, time, frames):
    return {
        "action": action,
        "addr": address,
        "size": size,
        "stream": 0,
        "time_us": time,
        "frames": frames,
    }


def snapshot(events, segments=()):
    return pickle.dumps(
        {"segments": list(segments), "device_traces": [list(events)]}, 4
    )


@shape("snapshot", 300000)
def blocks_in_use(n):
    frames = [frame(1), frame(2)]
    return snapshot(
        memory_event("alloc", 4096 * i, 512, i, frames) for i in range(n)
    )


@shape("snapshot", 300000)
def blocks_that_were_freed(n):
    frames = [frame(1), frame(2)]
    return snapshot(
        memory_event(action, 4096 * (i % 100), 512, 2 * i + late, frames)
        for i in range(n // 2)
        for late, action in enumerate(("alloc", "free_completed"))
    )


@shape("snapshot", 200000)
def stacks(n):
    return snapshot(
        memory_event(
            "alloc", 4096 * i, 512, i, [frame(i), frame(i // 10), frame(1)]
        )
        for i in range(n)
    )


@shape("snapshot", 300000)
def one_deep_stack(n):
    frames = [frame(i) for i in range(n)]
    return snapshot(
        memory_event("alloc", 4096 * i, 512, i, frames) for i in range(20)
    )


@shape("snapshot", 200000)
def segments(n):
    return snapshot(
        [],
        (
            {
                "device": 0,
                "address": 1 << 20 | i << 21,
                "total_size": 4096,
                "stream": 0,
                "segment_type": "small",
                "blocks": [
                    {
                        "address": 1 << 20 | i << 21,
                        "size": 4096,
                        "requested_size": 4000,
                        "state": "active_allocated",
                        "frames": [],
                    }
                ],
            }
            for i in range(n)
        ),
    )


@shape("pickle")
def memo_references(n):
    """One list of frames, which n events have by reference."""
    head = b"\x80\x04}(\x8c\x08segments]\x8c\x0ddevice_traces](]("
    first = pickle.dumps(
        memory_event("alloc", 0, 512, 5, [frame(1), frame(2)]), 2
    )[2:-1]
    return head + first + b"q\xff" + b"h\xff" * n + b"eeu."


@shape("pickle")
def memo_of_memo(n):
    """Each list has the one before it twice: 2^n lists, if it were copied."""
    parts = [b"\x80\x04]q\x00"]
    for i in range(n):
        old, new = struct.pack("<I", i), struct.pack("<I", i + 1)
        parts.append(b"0](j" + old + b"j" + old + b"er" + new)
    return b"".join(parts) + b"."


@shape("pickle")
def deep_lists(n):
    return b"\x80\x04" + b"](" * n + b"]" + b"e" * n + b"."


# ---- Flight recorder.


def call(number, group="0", name="nccl:all_reduce"):
    return (
        '{"collective_seq_id":%d,"pg_id":0,"process_group":["%s","default_pg"],'
        '"input_sizes":[[%d,3]],"profiling_name":"%s","state":"completed",'
        '"time_created_ns":%d,"is_p2p":false}'
        % (number, group, number % 100, name, 1795490674836488001 + number)
    )


def dump(entries, groups):
    return (
        '{"version":"2.10","entries":[%s],"pg_config":{%s},"pg_status":{}}'
        % (",\n".join(entries), ",".join(groups))
    ).encode()


@shape("flight", 200000)
def calls(n):
    group = '"0":{"name":"0","desc":"all","ranks":"[0, 1]"}'
    return {
        "nccl_trace_rank_%d.json" % rank: dump(
            (call(i + 1) for i in range(n // 2)), [group]
        )
        for rank in range(2)
    }


@shape("flight", 200000)
def groups(n):
    return {
        "nccl_trace_rank_0.json": dump(
            (call(1, str(i)) for i in range(n)),
            [
                '"%d":{"name":"%d","desc":"g","ranks":"[0, 1]"}' % (i, i)
                for i in range(n)
            ],
        )
    }


@shape("flight", 400000)
def ranks_of_a_group(n):
    group = '"0":{"name":"0","desc":"all","ranks":"%s"}' % list(range(n))
    return {"nccl_trace_rank_0.json": dump([call(1)], [group])}


@shape("flight", 20000)
def dumps_of_ranks(n):
    """As many calls, 10 of each rank."""
    group = '"0":{"name":"0","desc":"all","ranks":"%s"}' % list(range(n // 10))
    return {
        "nccl_trace_rank_%d.json" % rank: dump(
            [call(i + 1) for i in range(10)], [group if rank == 0 else ""]
        )
        for rank in range(n // 10)
    }


# ---- Logs of torch.compile.


def record(content, payload=""):
    text = "V1124 03:13:15.404000 3715 torch/_dynamo/x.py:1] "
    text += json.dumps(content) + "\n"
    if payload:
        text += "\t" + payload + "\n"
    return text


def metrics(frame_id, compile_id=0):
    return record(
        {
            "compilation_metrics": {
                "co_name": "f%d" % frame_id,
                "co_filename": "/a/m.py",
                "co_firstlineno": 7,
                "duration_us": 1500,
                "graph_node_count": 3,
            },
            "frame_id": frame_id,
            "frame_compile_id": compile_id,
            "attempt": 0,
        }
    )


LOG = "dedicated_log_torch_trace.log"


@shape("compile", 200000)
def compilations(n):
    return {LOG: "".join(metrics(i) for i in range(n)).encode()}


@shape("compile", 200000)
def recompilations(n):
    return {
        LOG: "".join(
            record(
                {
                    "artifact": {"name": "recompile_reasons"},
                    "frame_id": 0,
                    "frame_compile_id": i,
                    "attempt": 0,
                    "has_payload": "x",
                },
                '["0/0: size changed %d"]' % i,
            )
            + metrics(0, i)
            for i in range(n)
        ).encode()
    }


@shape("compile", 200000)
def reasons_of_one(n):
    return {
        LOG: "".join(
            record(
                {
                    "artifact": {"name": "recompile_reasons"},
                    "frame_id": 0,
                    "frame_compile_id": 1,
                    "attempt": 0,
                    "has_payload": "x",
                },
                '["0/0: size changed %d"]' % i,
            )
            for i in range(n)
        ).encode()
    }


def phase(kind, name, time):
    return record(
        {
            "chromium_event": {},
            "frame_id": 0,
            "frame_compile_id": 0,
            "attempt": 0,
            "has_payload": "x",
        },
        json.dumps(
            {
                "name": name,
                "ph": kind,
                "ts": time,
                "cat": "dynamo_timed",
                "args": {},
                "tid": 0,
                "pid": 0,
            }
        ),
    )


@shape("compile", 200000)
def phases(n):
    """Phases of one compilation, each inside the one before."""
    texts = [metrics(0)]
    texts += [phase("B", "p%d" % (i % 100), i + 1.0) for i in range(n)]
    texts += [
        phase("E", "p%d" % (i % 100), 2 * n - i + 1.0)
        for i in reversed(range(n))
    ]
    return {LOG: "".join(texts).encode()}


@shape("compile", 200000)
def phases_without_begin(n):
    """Ends of phases that did not begin, inside of many that did."""
    texts = [metrics(0)]
    texts += [phase("B", "p%d" % (i % 100), i + 1.0) for i in range(n // 2)]
    texts += [phase("E", "q%d" % (i % 9), n + i + 1.0) for i in range(n // 2)]
    return {LOG: "".join(texts).encode()}


# ---- Nsight Systems.


def database(fill):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.sqlite")
        base = sqlite3.connect(path)
        base.executescript(
            "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId,"
            " streamId, correlationId, globalPid, demangledName, shortName);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid,"
            " correlationId, nameId);"
            "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, textId,"
            " globalTid);"
        )
        fill(base)
        base.commit()
        base.close()
        with open(path, "rb") as file:
            return file.read()


PROCESS = 7 << 24


def work(base, n, name_of, stream_of):
    base.executemany(
        "INSERT INTO StringIds VALUES (?, ?)",
        [(i, "kernel_%d" % i) for i in {name_of(i) for i in range(n)}]
        + [(n, "cudaLaunchKernel_v7000")],
    )
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?)",
        (
            (
                1000 * i + 700,
                1000 * i + 1500,
                0,
                stream_of(i),
                i,
                PROCESS,
                name_of(i),
                name_of(i),
            )
            for i in range(n)
        ),
    )
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)",
        ((1000 * i, 1000 * i + 500, PROCESS | 70, i, n) for i in range(n)),
    )


@shape("nsys", 400000, suffix=".sqlite")
def kernels(n):
    return database(lambda base: work(base, n, lambda i: i % 100, lambda i: 7))


@shape("nsys", 300000, suffix=".sqlite")
def kernel_names(n):
    return database(lambda base: work(base, n, lambda i: i, lambda i: 7))


@shape("nsys", 300000, suffix=".sqlite")
def streams(n):
    return database(lambda base: work(base, n, lambda i: 1, lambda i: i))


@shape("nsys", 300000, suffix=".sqlite")
def nested_ranges(n):
    def fill(base):
        work(base, 10, lambda i: i, lambda i: 7)
        base.executemany(
            "INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,NULL,?)",
            (
                (i, 3 * n + 20000 - i, "r%d" % (i % 100), PROCESS | 70)
                for i in range(n)
            ),
        )

    return database(fill)


@shape("nsys", 200000, suffix=".sqlite")
def kernels_in_nested_ranges(n):
    def fill(base):
        work(base, n, lambda i: i % 100, lambda i: 7)
        base.executemany(
            "INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,NULL,?)",
            (
                (i - n, 2000 * n - i, "r%d" % (i % 100), PROCESS | 70)
                for i in range(n)
            ),
        )

    return database(fill)


# ---- Recordings (CTF).

CTF = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le;
packet.header := struct { u32 magic; }; };
clock { name = "c"; freq = 1000000000; offset = 5; };
typealias integer { size = 64; align = 8; signed = false;
map = clock.c.value; } := t64;
stream { event.header := struct { u8 id; t64 timestamp; };
packet.context := struct { u64 content_size; u64 packet_size;
u64 events_discarded; };
event.context := struct { u32 vpid; u32 vtid; }; };
"""
CALL = (
    'event { name = "hsaTracer:function_%s"; id = %d;'
    " fields := struct { string name; }; };\n"
)


def recording(events, more=""):
    """`events`: (id, time, thread, bytes)."""
    content = b"".join(
        struct.pack("<BQII", ident, time, 1, thread) + data
        for ident, time, thread, data in events
    )
    bits = 8 * (28 + len(content))
    text = CTF + CALL % ("entry", 0) + CALL % ("exit", 1) + more
    return {
        "metadata": text.encode(),
        "stream_0": struct.pack("<IQQQ", 0xC1FC1FC1, bits, bits, 0) + content,
    }


@shape("ctf", 400000)
def ctf_calls(n):
    return recording(
        (late, 100 * i + 50 * late, 2, b"f%d\0" % (i % 50))
        for i in range(n)
        for late in range(2)
    )


@shape("ctf", 400000)
def ctf_depth(n):
    return recording(
        [(0, i, 2, b"f%d\0" % (i % 50)) for i in range(n)]
        + [(1, n + i, 2, b"f%d\0" % ((n - 1 - i) % 50)) for i in range(n)]
    )


@shape("ctf", 400000)
def ctf_threads(n):
    return recording(
        (late, 100 * i + 50 * late, i, b"f\0")
        for i in range(n)
        for late in range(2)
    )


@shape("ctf", 100000)
def declarations(n):
    return recording(
        [(0, 1, 2, b"f\0"), (1, 9, 2, b"f\0")],
        "".join(
            "typealias integer { size = 8; align = 8; } := t%d;\n" % i
            for i in range(n)
        ),
    )


# ---- Archives.


@shape("zip", 60000)
def members(n):
    """A saved session with many files that are no traces."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for i in range(n):
            archive.writestr("notes/%d.txt" % i, b"")
    return data.getvalue()
