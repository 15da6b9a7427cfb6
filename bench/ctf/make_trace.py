#!/usr/bin/env python3
"""Writes a CTF trace for measurements of the reader.

    make_trace.py FOLDER [EVENTS]

Ops of TensorFlow on four threads, each its own stream, that call the CUDA API
and run a kernel each: the events, fields and layouts of LTTng that the corpus
case `cuda_streams` has. 6 million events are some 440 MB.
"""

import os
import struct
import sys

THREADS = 4
OPS_OF_PACKET = 400
OPS_OF_SESSION = 1000
NAMES = 256
START = 1700000000  # seconds since 1970
METADATA = (
    """/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
  major = 1; minor = 8; byte_order = le;
  uuid = "5f0ee7bc-0000-4000-8000-000000000006";
  packet.header := struct {
    uint32_t magic; uint32_t stream_id; uint64_t stream_instance_id;
  };
};
env { hostname = "bench"; };
clock { name = "monotonic"; freq = 1000000000; offset = %d000000000; };
typealias integer { size = 32; align = 8; signed = false;
  map = clock.monotonic.value; } := time32;
typealias integer { size = 64; align = 8; signed = false;
  map = clock.monotonic.value; } := time64;
stream {
  id = 0;
  event.header := struct {
    enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;
    variant <id> {
      struct { time32 timestamp; } compact;
      struct { uint32_t id; time64 timestamp; } extended;
    } v;
  } align(8);
  packet.context := struct {
    time64 timestamp_begin; time64 timestamp_end;
    uint64_t content_size; uint64_t packet_size;
    uint64_t packet_seq_num; uint64_t events_discarded;
  };
  event.context := struct { uint32_t _vpid; uint32_t _vtid; };
};
"""
    % START
)
SESSION = "string _cat; string _name; int32_t _count;"
PROCESS = "string _cat; string _name; uint64_t _schedule;"
OPERATION = "string _cat; string _placement; string _name;"
API = "string _cat; string _name; uint64_t _timestamp; uint64_t _threadId;"
KERNEL = "string _cat; string _name; uint64_t _timestamp;"
EVENTS = (
    ("tensorflowTracer:session_start", SESSION),
    ("tensorflowTracer:session_end", SESSION),
    ("tensorflowTracer:process_entry", PROCESS),
    ("tensorflowTracer:process_exit", PROCESS),
    ("tensorflowTracer:operation_start", OPERATION),
    ("tensorflowTracer:operation_end", OPERATION),
    ("cudaTracer:runtime_api_entry", API),
    ("cudaTracer:runtime_api_exit", API),
    ("cudaTracer:driver_api_entry", API),
    ("cudaTracer:driver_api_exit", API),
    ("cudaTracer:kernel_queued", KERNEL),
    ("cudaTracer:kernel_begin", KERNEL),
    ("cudaTracer:kernel_end", KERNEL),
)
ID = {name.split(":")[1]: i for i, (name, _) in enumerate(EVENTS)}
EVENTS_OF_OP = 11


class Stream:
    """The packets of one thread."""

    def __init__(self, out, thread):
        self.out = out
        self.thread = thread
        self.time = thread
        self.number = 0
        self.begin = self.time
        self.parts = []
        self.pack = struct.Struct("<HIII").pack
        self.u64 = struct.Struct("<Q").pack
        self.tid = struct.pack("<Q", 1000 + thread)

    def add(self, name, *fields):
        self.time += 250
        self.parts.append(
            self.pack(ID[name], self.time & 0xFFFFFFFF, 1, 1000 + self.thread)
        )
        self.parts.extend(fields)

    def now(self):
        return self.u64(START * 10**9 + self.time)

    def device(self, micros):
        return self.u64(START * 10**6 + self.time // 1000 + micros)

    def op(self, name):
        """The events of an op: its calls, and what its kernel did."""
        named = name + b"\0"
        zero = self.u64(0)
        place = b"/job:localhost/replica:0/task:0/device:GPU:0\0"
        self.add("process_entry", b"process\0", named, zero)
        self.add("operation_start", b"operation_sync\0", place, named)
        self.add(
            "runtime_api_entry", b"runtime\0", b"211\0", self.now(), self.tid
        )
        self.add(
            "driver_api_entry", b"driver\0", b"307\0", self.now(), self.tid
        )
        self.add("driver_api_exit", b"driver\0", b"307\0", self.now(), self.tid)
        self.add(
            "runtime_api_exit", b"runtime\0", b"211\0", self.now(), self.tid
        )
        self.add("operation_end", b"operation_sync\0", place, named)
        self.add("process_exit", b"process\0", named, zero)
        self.add("kernel_queued", b"kernels\0", named, self.device(0))
        self.add("kernel_begin", b"kernels\0", named, self.device(2))
        self.add("kernel_end", b"kernels\0", named, self.device(7))

    def session(self, name, count):
        self.add(name, b"session\0", b"Run\0", struct.pack("<i", count))

    def end_packet(self):
        content = b"".join(self.parts)
        bits = (16 + 48 + len(content)) * 8
        self.out.write(struct.pack("<IIQ", 0xC1FC1FC1, 0, self.thread))
        self.out.write(
            struct.pack(
                "<6Q", self.begin, self.time, bits, bits, self.number, 0
            )
        )
        self.out.write(content)
        self.parts = []
        self.begin = self.time
        self.number += 1


def write_trace(folder, events):
    """Returns how many events it wrote."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as out:
        out.write(METADATA)
        for number, (name, fields) in enumerate(EVENTS):
            out.write(
                f'event {{ name = "{name}"; id = {number}; stream_id = 0;\n'
                f"  fields := struct {{ {fields} }}; }};\n"
            )
    names = [b"layer%d/op%d" % (i // 16, i) for i in range(NAMES)]
    ops = events // THREADS // EVENTS_OF_OP
    written = 0
    for thread in range(THREADS):
        with open(os.path.join(folder, f"ch_{thread}"), "wb") as out:
            stream = Stream(out, thread)
            for i in range(ops):
                # Threads share the sessions of the first one.
                if thread == 0 and i % OPS_OF_SESSION == 0:
                    stream.session("session_start", i // OPS_OF_SESSION + 1)
                stream.op(names[i % NAMES])
                last = i % OPS_OF_SESSION == OPS_OF_SESSION - 1 or i == ops - 1
                if thread == 0 and last:
                    stream.session("session_end", i // OPS_OF_SESSION + 1)
                    written += 2
                if i % OPS_OF_PACKET == OPS_OF_PACKET - 1 or i == ops - 1:
                    stream.end_packet()
            written += ops * EVENTS_OF_OP
    return written


def main():
    events = int(sys.argv[2]) if len(sys.argv) > 2 else 6000000
    print(write_trace(sys.argv[1], events), "events")


if __name__ == "__main__":
    main()
