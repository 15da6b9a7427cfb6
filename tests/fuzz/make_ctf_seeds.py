#!/usr/bin/env python3
"""Writes seeds of the fuzz targets `ctf`, `ctf_metadata` and `counter_csv`.

    make_ctf_seeds.py [FOLDER]

FOLDER is the corpus, by default the one beside this file. A seed of `ctf` is
metadata, a line "--", and a stream. Each seed is as small as it can be and
reaches readers that the others do not: bit fields of both byte orders,
sequences and variants with their tags, counters of kernels, work of devices.
"""

import os
import struct
import sys

HEADER = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := u8;
typealias integer {{ size = 32; align = 8; signed = false; }} := u32;
typealias integer {{ size = 64; align = 8; signed = false; }} := u64;
trace {{ major = 1; minor = 8; byte_order = {order};
packet.header := struct {{ u32 magic; }}; }};
clock {{ name = "c"; freq = 1000000000; offset = 5; }};
typealias integer {{ size = 64; align = 8; signed = false;
map = clock.c.value; }} := t64;
stream {{ event.header := struct {{ u8 id; t64 timestamp; }};
packet.context := struct {{ u64 content_size; u64 packet_size;
u64 events_discarded; }};
event.context := struct {{ u32 vpid; u32 vtid; }}; }};
"""
MAGIC = 0xC1FC1FC1


class Trace:
    """Metadata and one packet."""

    def __init__(self, order="le"):
        self.endian = "<" if order == "le" else ">"
        self.metadata = HEADER.format(order=order)
        self.ids = {}
        self.content = b""
        self.time = 100

    def event(self, name, fields, *values):
        """Adds an event; bytes are as they are, strings end with a zero."""
        if name not in self.ids:
            self.ids[name] = len(self.ids)
            self.metadata += (
                f'event {{ name = "{name}"; id = {self.ids[name]}; '
                f"fields := struct {{ {fields} }}; }};\n"
            )
        self.time += 10
        self.content += struct.pack(
            self.endian + "BQII", self.ids[name], self.time, 1, 2
        )
        for value in values:
            if isinstance(value, str):
                self.content += value.encode() + b"\0"
            elif isinstance(value, bytes):
                self.content += value
            else:
                self.content += struct.pack(self.endian + "Q", value)

    def seed(self):
        bits = (4 + 24 + len(self.content)) * 8
        packet = struct.pack(self.endian + "IQQQ", MAGIC, bits, bits, 0)
        return self.metadata.encode() + b"--\n" + packet + self.content


def op(trace, name):
    fields = "string placement; string name;"
    trace.event(
        "tensorflowTracer:operation_start", fields, "/device:GPU:0", name
    )
    yield
    trace.event("tensorflowTracer:operation_end", fields, "/device:GPU:0", name)


def counters():
    """A kernel with its launch, its geometry, its counters and its times."""
    trace = Trace()
    call = "string name;"
    trace.event("hsaTracer:function_entry", call, "hsa_init")
    inside = op(trace, "conv/Conv2D")
    next(inside)
    trace.event(
        "interceptionTracer:aql_kernel_dispatch_packet_submitted",
        "u64 queue_id; u64 kernel_object; string kernel_name;",
        0,
        7,
        "sgemm",
    )
    trace.event(
        "interceptionTracer:kernel_parameters",
        "u32 workgroup_size[3]; u32 grid_size[3]; "
        "u64 static_group_segment_size; u64 private_segment_size;",
        struct.pack("<6I", 64, 1, 1, 1024, 2, 3),
        256,
        16,
    )
    for number, counter in enumerate(("Wavefronts", "CacheHit")):
        trace.event(
            "interceptionTracer:perf_counter_float64",
            "u64 kernel_object; u64 counter_index; string counter_name; "
            "floating_point { exp_dig = 11; mant_dig = 53; align = 8; } value;",
            7,
            number,
            counter,
            struct.pack("<d", 1.5),
        )
    next(inside, None)
    for what, ticks in (("begin", 3), ("end", 9)):
        trace.event(
            f"interceptionTracer:kernel_{what}",
            "u64 kernel_object; string name; string tf_name; u64 queue_id; "
            "u64 timestamp;",
            7,
            "sgemm",
            "",
            0,
            ticks,
        )
    return trace.seed()


def cuda():
    """A kernel and a copy in microseconds; an annotation names their op."""
    trace = Trace()
    inside = op(trace, "fc/MatMul")
    next(inside)
    next(inside, None)
    fields = "string name; u64 timestamp;"
    for work in ("kernel_queued", "kernel_begin", "kernel_end"):
        trace.event(f"cudaTracer:{work}", fields, "fc/MatMul", 1)
    for work in ("memcpy_begin", "memcpy_end"):
        trace.event(f"cudaTracer:{work}", fields, "edge", 2)
    return trace.seed()


def variants():
    """A tag, a variant of it, a sequence, a nested structure; big endian."""
    trace = Trace("be")
    trace.event(
        "rich:event",
        "enum : u8 { a = 0, b = 1 ... 3 } tag; "
        "variant <tag> { u8 a; string b; } v; u8 n; u32 s[n]; "
        "struct { integer { size = 3; align = 1; signed = true; } x; "
        "integer { size = 5; align = 1; signed = false; } y; } bits;",
        b"\x01",
        "text",
        b"\x02",
        struct.pack(">2I", 1, 2),
        b"\xa5",
    )
    return trace.seed()


RCP = """# ProfileFileVersion=3.0
Method , ExecutionOrder , ThreadID , GlobalWorkSize , Wavefronts , CacheHit
sgemm_gfx803 , 1 , 101 , {64 2 1} , 17.00 , 97.5
"""
ROCPROF = """Index,KernelName,gpu-id,grd,SQ_WAVES
0,"void f(int, ""x"")",1,64,128
"""
ROCPROFV3 = """"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value"
1,"f","SQ_WAVES",10
1,"f","L2Hit",0.5
"""


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "corpus")
    seeds = {
        "ctf/counters": counters(),
        "ctf/cuda": cuda(),
        "ctf/variants": variants(),
        "ctf_metadata/variants": variants().partition(b"--\n")[0],
        "counter_csv/rcp": RCP.encode(),
        "counter_csv/rocprof": ROCPROF.encode(),
        "counter_csv/rocprofv3": ROCPROFV3.encode(),
    }
    for name, seed in seeds.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(seed)


if __name__ == "__main__":
    main()
