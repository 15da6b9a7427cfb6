"""Small whole files of each format, made here."""

import csv
import gzip
import io
import json
import os
import pickle
import sqlite3
import struct
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
for folder in ("", "traces", "containers"):
    sys.path.insert(0, os.path.join(TESTS, folder))

import allocator
import chrome
import databases
import kineto
import ort
import wire
import xplane
from wire import field

CORPUS = os.path.join(TESTS, "fuzz", "corpus")


def corpus(*names):
    """Makes a seed of a file of the fuzz targets."""

    def make(rng):
        with open(os.path.join(CORPUS, rng.choice(names)), "rb") as file:
            return file.read()

    return make


def graph_def(rng):
    nodes = [
        field(1, wire.node_def("n%d" % i, rng.choice(("MatMul", "Relu"))))
        for i in range(rng.randint(1, 4))
    ]
    return b"".join(nodes) + field(4, field(1, 24))


def run_metadata(rng):
    stats = [
        wire.node_stats("n%d" % i, 10 * i + 1, rng.randint(1, 9))
        + field(6, field(1, "cpu") + field(2, 64))
        + field(7, field(3, field(1, 1) + field(2, field(2, field(1, 8)))))
        for i in range(rng.randint(1, 4))
    ]
    return wire.run_metadata([("/job:w/replica:0/task:0/cpu:0", stats)])


def graph_text(rng):
    """A GraphDef as text, with unknown fields and comments."""
    lines = []
    for i in range(rng.randint(1, 5)):
        fields = [
            'name: "n%d"' % i,
            'op: \'MatMul\' "#{\\""',
            "input: [ 'a', 'b' ]",
            "attr { key: 'k' value < list { f: -1.5e+3 } > }",
            "colour: 'red'",
            "planet { name: 'x' moons: [ { size: 1 } ] }",
            "# a comment with } and '",
        ]
        chosen = [fields[0]] + rng.sample(fields[1:], rng.randint(0, 6))
        lines.append("node {\n  %s\n}" % "\n  ".join(chosen))
    lines.append(rng.choice(("", "versions { producer: 24 }", "era: 1")))
    return "\n".join(lines).encode()


def rocprof_csv(rng):
    """Kernels, or calls and ranges, with columns that nobody reads."""
    rows, time = [], 100
    kernels = rng.random() < 0.5
    if kernels:
        names = [
            "Kind",
            "Agent_Id",
            "Queue_Id",
            "Kernel_Name",
            "LDS_Block_Size",
        ]
    else:
        names = ["Domain", "Function", "Process_Id", "Thread_Id", "Note"]
    rows.append(names + ["Correlation_Id", "Start_Timestamp", "End_Timestamp"])
    for i in range(rng.randint(1, 6)):
        end = time + rng.randint(1, 50)
        if kernels:
            kernel = rng.choice(("f", 'g<int, "x">', "h(\n)"))
            cells = ["KERNEL_DISPATCH", "Agent 1", 1, kernel, 512]
        else:
            cells = ["HIP_RUNTIME_API", "hipLaunchKernel", 9, 9, "a, b"]
        rows.append(cells + [i + 1, time, end])
        time = end
    out = io.StringIO()
    ends = rng.choice(("\n", "\r\n"))
    csv.writer(out, lineterminator=ends, quoting=rng.choice((0, 2))).writerows(
        rows
    )
    return (out.getvalue() + rng.choice(("", ends, ends * 2))).encode()


def rocprof_json(rng):
    """A tool with kernels, calls and members that nobody reads."""

    def record(number, begin, end, more):
        known = {
            "size": 96,
            "kind": 1,
            "operation": 0,
            "thread_id": 9,
            "correlation_id": {"internal": number, "external": 0},
            "start_timestamp": begin,
            "end_timestamp": end,
        }
        return dict(known, **more)

    kernels, calls = [], []
    for i in range(rng.randint(1, 4)):
        begin = 100 * i + rng.randint(1, 9)
        where = {"agent_id": {"handle": 71}, "kernel_id": 5, "grid_size": [1]}
        calls.append(record(i, begin, begin + 2, {}))
        kernels.append(
            record(i, begin + 9, begin + 20, {"dispatch_info": where})
        )
    tool = {
        "metadata": {"pid": 908, "node": {"id": 4}},
        "agents": [{"id": {"handle": 71}, "type": 2, "logical_node_id": 1}],
        "strings": {"buffer_records": [{}, {"operations": ["hipLaunch"]}]},
        "kernel_symbols": [{"kernel_id": 5, "formatted_kernel_name": "k"}],
        "buffer_records": {"kernel_dispatch": kernels, "hip_api": calls},
        "callback_records": {"names": []},
    }
    indent = rng.choice((None, 1))
    return json.dumps({"rocprofiler-sdk-tool": [tool]}, indent=indent).encode()


def compile_log(rng):
    """Records of torch.compile, some with payloads, some of no use."""
    prefix = "V1124 03:13:15.404000 3715 torch/_logging/structured.py:27] "
    ident = {"frame_id": 0, "frame_compile_id": 1, "attempt": 0}
    records = [
        ({"str": ["/u/m.py", 1]}, ""),
        (
            {"dynamo_start": {"stack": [{"line": 7, "name": "f"}]}, **ident},
            "",
        ),
        ({"artifact": {"name": "x"}, **ident, "has_payload": "x"}, "a\n\nb"),
        (
            {
                "artifact": {"name": "recompile_reasons"},
                **ident,
                "has_payload": "x",
            },
            '["0/0: size changed"]',
        ),
        ({"chromium_event": {}, "has_payload": "x"}, '{"ph":"M","name":"a"}'),
        (
            {"chromium_event": {}, "has_payload": "x"},
            '{"name":"d","ph":"B","ts":10.5,"pid":0,"tid":0}',
        ),
    ]
    lines = []
    for record, payload in [records[0]] + rng.choices(records, k=5):
        lines.append(prefix + json.dumps(record))
        lines += ["\t" + x if x else x for x in payload.splitlines()]
    ends = rng.choice(("\n", "\r\n"))
    return (ends.join(lines) + ends * rng.randint(0, 2)).encode()


def flight_dump(rng):
    """What a flight recorder writes."""
    entries = [
        {
            "record_id": i,
            "pg_id": 0,
            "process_group": ["0", "default"],
            "collective_seq_id": i + 1,
            "p2p_seq_id": 0,
            "op_id": i,
            "profiling_name": "nccl:all_reduce",
            "time_created_ns": 1795490674836488001 + i,
            "input_sizes": [[16]],
            "input_dtypes": ["Float"],
            "state": "scheduled",
            "is_p2p": False,
            "frames": [{"name": "f", "filename": "/u/m.py", "line": i + 1}],
        }
        for i in range(rng.randint(1, 5))
    ]
    return {
        "version": "2.10",
        "nccl_comm_state": {"c": {"key": [1, 2]}},
        "pg_config": {"0": {"name": "0", "desc": "all", "ranks": "[0, 1]"}},
        "pg_status": {"0": {"last_enqueued_collective": 3, "seen": 1}},
        "entries": entries,
    }


def flight_json(rng):
    indent = rng.choice((None, 1))
    return json.dumps(flight_dump(rng), indent=indent).encode()


def flight_pickle(rng):
    return pickle.dumps(flight_dump(rng), rng.randint(2, 5))


def pickled_runs(rng):
    """Messages as the protobuf library pickles them."""
    runs = [{"serialized": run_metadata(rng)} for _ in range(rng.randint(1, 3))]
    return pickle.dumps({"runs": 3, "traces": runs}, rng.randint(3, 5))


def snapshot(rng):
    device = allocator.Allocator(rng, 0)
    for _ in range(12):
        device.act()
    return pickle.dumps(allocator.snapshot([device]), rng.randint(2, 5))


def database(rng):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.sqlite")
        sqlite3.connect(path).execute("PRAGMA page_size = 512")
        rng.choice((databases.Nsys, databases.Rocpd))(rng, path).close()
        with open(path, "rb") as file:
            return file.read()


def session(rng):
    """A session with two traces in a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((0, 8))) as archive:
        archive.writestr(
            "manifest.json",
            '{"format":"tfprof session","version":1,"created_ns":1}',
        )
        for ident in ("000001", "000002"):
            about = {
                "id": ident,
                "file": ident + ".pb",
                "client": "c1",
                "row": 0,
                "count": 5,
                "step": None,
                "rank": None,
                "kind": "run_metadata",
                "graph": "",
                "feeds": ["x:0"],
            }
            archive.writestr("traces/%s.about.json" % ident, json.dumps(about))
            archive.writestr("traces/%s.pb" % ident, run_metadata(rng))
    return out.getvalue()


def perfetto(rng):
    """A thread with slices whose names are sent by number."""
    track = field(1, 7) + field(
        4, field(1, 1) + field(2, 2) + field(5, "worker")
    )
    names = b"".join(
        field(2, field(1, i + 1) + field(2, "op%d" % i)) for i in range(3)
    )
    packets = [
        field(10, 1)
        + field(13, 1)
        + field(12, names)
        + field(59, field(11, field(11, 7)))
        + field(6, field(1, field(1, 6) + field(2, 5))),
        field(10, 1) + field(60, track),
        field(43, field(1, 1) + field(6, "python")),
    ]
    time = 100
    for _ in range(rng.randint(1, 4)):
        time += rng.randint(1, 50)
        note = field(4, field(10, "size") + field(4, rng.randrange(99)))
        event = field(9, 1) + field(10, rng.randint(1, 3)) + note
        packets.append(field(8, time) + field(10, 1) + field(11, event))
        time += rng.randint(1, 50)
        packets.append(field(8, time) + field(10, 1) + field(11, field(9, 2)))
    return b"".join(field(1, packet) for packet in packets)


CTF_METADATA = """/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace {
  major = 1; minor = 8; byte_order = le;
  packet.header := struct { u32 magic; u32 stream_id; };
};
env { hostname = "here"; domain = "ust"; }; // a "comment
clock { name = "c"; freq = 1000000000; offset = 5; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;
stream {
  id = 0;
  event.header := struct { u16 id; t64 timestamp; };
  packet.context := struct {
    t64 timestamp_begin; t64 timestamp_end; u64 content_size; u64 packet_size;
    u64 packet_seq_num; u64 events_discarded;
  };
  event.context := struct { u32 vtid; u32 vpid; };
};
event {
  name = "tensorflowTracer:operation_start"; id = 0; stream_id = 0;
  fields := struct { string placement; string name; };
};
event {
  name = "tensorflowTracer:operation_end"; id = 1; stream_id = 0;
  fields := struct { string placement; string name; };
};
event {
  name = "other:thing"; id = 2; stream_id = 0;
  fields := struct { u16 n; u32 s[n]; };
};
"""


def ctf(rng):
    """The files of a CTF trace, by name."""
    files = {"metadata": CTF_METADATA.encode()}
    if rng.random() < 0.5:
        files["metadata"] = ctf_packets(rng, files["metadata"])
    time = 100
    for number in range(rng.randint(1, 2)):
        packets = b""
        for sequence in range(rng.randint(1, 3)):
            begin, events = time, b""
            for _ in range(rng.randint(1, 4)):
                texts = b"/device:CPU:0\0fc/MatMul%d\0" % rng.randrange(3)
                for event in (0, 1):
                    time += rng.randint(1, 30)
                    head = struct.pack("<HQII", event, time, 7 + number, 9)
                    events += head + texts
                if rng.random() < 0.4:
                    count = rng.randrange(4)
                    head = struct.pack("<HQII", 2, time, 7, 9)
                    events += head + struct.pack("<H", count) + bytes(4 * count)
            content = 56 + len(events)
            size = content + rng.choice((0, 8, 64))
            packets += struct.pack("<II", 0xC1FC1FC1, 0)
            packets += struct.pack(
                "<6Q", begin, time, 8 * content, 8 * size, sequence, 0
            )
            packets += events + bytes(size - content)
        files["channel_%d" % number] = packets
    return files


def ctf_packets(rng, text):
    """The text of metadata in packets."""
    packets = b""
    size = rng.randint(100, 2000)
    for at in range(0, len(text), size):
        part = text[at : at + size]
        padding = rng.choice((0, 16))
        content = 37 + len(part)
        packets += struct.pack("<I16sI", 0x75D11D57, b"u" * 16, 0)
        packets += struct.pack("<II", 8 * content, 8 * (content + padding))
        packets += bytes([0, 0, 0, 1, 8]) + part + bytes(padding)
    return packets


def packed_kineto(rng):
    return gzip.compress(kineto.make(rng), mtime=0)


kineto_trace = kineto.make
chrome_trace = chrome.make
ort_profile = ort.make
xspace = xplane.make
onnx = corpus("onnx/net")
pprof = corpus("pprof/cpu", "pprof/memory")
