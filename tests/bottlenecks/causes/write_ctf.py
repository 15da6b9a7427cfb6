"""Writes a Job as recordings of `tfprof record`: a CTF trace for each rank.

The events are those of record/event_types.h, with CUPTI as the source of the
work of devices, and times on the clock of the host.
"""

import os
import struct

from machine import MAIN, WORKER
from vocabulary import OPS

# name: (id, {field: type}); types as in struct, "s" is a text.
EVENTS = {
    "op_begin": (0, "depth:H step:q name:s type:s device:s"),
    "op_end": (1, "depth:H"),
    "range_begin": (2, "depth:H name:s"),
    "range_end": (3, "depth:H"),
    "call_begin": (4, "depth:H correlation:Q domain:s name:s"),
    "call_end": (5, "depth:H"),
    "step_begin": (6, "step:q name:s"),
    "step_end": (7, "step:q"),
    "work": (
        11,
        "work:B clock:B profiled:B status:i launch_tid:I correlation:Q "
        "context:Q queue:Q bytes:Q entry:Q exit:Q queued:Q submit:Q start:Q "
        "end:Q kind:s name:s device:s",
    ),
    "allocate": (14, "address:Q bytes:Q allocator:s"),
    "release": (15, "address:Q bytes:Q allocator:s"),
    "thread_name": (20, "name:s"),
}
TYPES = {
    "B": "uint8_t",
    "H": "uint16_t",
    "I": "uint32_t",
    "Q": "uint64_t",
    "i": "int32_t",
    "q": "int64_t",
    "s": "string",
}
HEAD = """/* CTF 1.8 */
%(integers)s
typealias integer { size = 8; align = 8; signed = false;
  encoding = UTF8; } := char_t;
trace {
  major = 1; minor = 8; uuid = "5f0ee7bc-0000-4000-8000-00000000000%(rank)x";
  byte_order = le;
  packet.header := struct {
    uint32_t magic; uint8_t uuid[16];
    uint32_t stream_id; uint64_t stream_instance_id;
  };
};
env {
  hostname = "host%(rank)d"; domain = "ust"; tracer_name = "tfprof";
  tracer_major = 1; tracer_minor = 0; tracer_buffering_scheme = "pid";
  tracer_buffering_id = %(pid)d; procname = "python3"; vpid = %(pid)d;
};
clock {
  name = "monotonic"; description = "CLOCK_MONOTONIC"; freq = 1000000000;
  offset_s = 1700000000; offset = 0; absolute = true;
};
typealias integer { size = 64; align = 8; signed = false;
  map = clock.monotonic.value; } := time_t;
stream {
  id = 0;
  packet.context := struct {
    time_t timestamp_begin; time_t timestamp_end;
    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
    uint64_t events_discarded; uint64_t events; uint32_t vpid; uint32_t vtid;
    char_t procname[16];
  };
  event.header := struct { uint8_t id; time_t timestamp; };
};
"""
UUID = bytes.fromhex("5f0ee7bc0000400080000000000000")
CUPTI = 99  # the thread that writes what devices did
HEAD_BYTES = 32 + 7 * 8 + 2 * 4 + 16


def metadata(rank, pid):
    integers = "\n".join(
        "typealias integer { size = %d; align = 8; signed = %s; } := %sint%d_t;"
        % (bits, "true" if sign else "false", "" if sign else "u", bits)
        for bits in (8, 16, 32, 64)
        for sign in (False, True)
    )
    text = HEAD % {"integers": integers, "rank": rank, "pid": pid}
    for name, (ident, fields) in EVENTS.items():
        text += 'event { name = "tfprof:%s"; id = %d; stream_id = 0;\n' % (
            name,
            ident,
        )
        text += "  fields := struct {\n"
        for one in fields.split():
            field, _, kind = one.partition(":")
            text += "    %s _%s;\n" % (TYPES[kind], field)
        text += "  };\n};\n"
    return text


class Thread:
    """The events of a thread: (time, order, bytes)."""

    def __init__(self, name):
        self.events = []
        self.add(0, "thread_name", name)

    def add(self, time, name, *values):
        ident, fields = EVENTS[name]
        data = b""
        for one, value in zip(fields.split(), values):
            kind = one.partition(":")[2]
            if kind == "s":
                data += value.encode() + b"\0"
            else:
                data += struct.pack("<" + kind, value)
        self.events.append((time, len(self.events), ident, data))

    def nest(self, spans, rank):
        """Begins and ends of spans that contain each other."""
        order = sorted(spans, key=lambda s: (s.start, -s.end))
        open_spans = []
        depths = {"op": 0, "range": 0, "call": 0}

        def end_before(time):
            while open_spans and open_spans[-1].end <= time:
                span = open_spans.pop()
                self.end(span, depths)

        for span in order:
            end_before(span.start)
            self.begin(span, depths, rank)
            open_spans.append(span)
        end_before(1 << 62)

    def begin(self, span, depths, rank):
        group, time = group_of(span), span.start
        if group == "step":
            self.add(time, "step_begin", span.args["number"], "train")
            return
        depth = depths[group]
        depths[group] += 1
        if group == "op":
            op = span.args["op"]
            kind = OPS[op].tf if op in OPS else op
            device = "CPU:0"
            if op in OPS:
                device = "GPU:%d" % rank.devices[0]
            place = "/job:worker/replica:0/task:%d/device:" % rank.index
            self.add(
                time,
                "op_begin",
                depth,
                span.step,
                span.name,
                kind,
                place + device,
            )
        elif group == "call":
            number = span.args["correlation"]
            self.add(time, "call_begin", depth, number, "cuda", span.name)
        else:
            self.add(time, "range_begin", depth, span.name)

    def end(self, span, depths):
        group = group_of(span)
        if group == "step":
            self.add(span.end, "step_end", span.args["number"])
            return
        depths[group] -= 1
        self.add(span.end, group + "_end", depths[group])

    def packet(self, rank, pid, tid):
        events = sorted(self.events)
        first = events[1][0] if len(events) > 1 else 1
        content = b"".join(
            struct.pack("<BQ", ident, max(time, first)) + data
            for time, _, ident, data in events
        )
        bits = 8 * (HEAD_BYTES + len(content))
        last = max(events[-1][0], first)
        return (
            struct.pack("<I", 0xC1FC1FC1)
            + UUID
            + bytes([rank])
            + struct.pack("<IQ", 0, tid)
            + struct.pack("<7Q", first, last, bits, bits, 0, 0, len(events))
            + struct.pack("<II16s", pid, tid, b"python3")
            + content
        )


def group_of(span):
    return {
        "op": "op",
        "call": "call",
        "wait": "call",
        "step": "step",
    }.get(span.kind, "range")


def threads_of(rank, pid):
    """{number: Thread}"""
    threads = {}
    for number in sorted({s.thread for s in rank.spans}):
        name = "loader" if number == WORKER else "python3"
        threads[number] = Thread(name)
        spans = [s for s in rank.spans if s.thread == number]
        threads[number].nest(spans, rank)
    threads[CUPTI] = Thread("cupti")
    for work in rank.works:
        add_work(threads[CUPTI], work, pid)
    for memory in rank.memory:
        name = "allocate" if memory.bytes > 0 else "release"
        size = abs(memory.bytes)
        threads[MAIN].add(memory.time, name, memory.address, size, "GPU_0_bfc")
    return threads


def write(job, folder):
    for rank in job.ranks:
        pid = 4000 + rank.index
        place = os.path.join(folder, "recording", "python3-%d" % pid)
        os.makedirs(place)
        path = os.path.join(place, "metadata")
        with open(path, "w", encoding="utf-8") as file:
            file.write(metadata(rank.index, pid))
        for number, thread in threads_of(rank, pid).items():
            path = os.path.join(place, "stream_%d" % number)
            with open(path, "wb") as file:
                file.write(thread.packet(rank.index, pid, pid + number))
    return [os.path.join(folder, "recording")]


def add_work(thread, work, pid):
    if work.kind == "copy":
        kind = "HtoD" if work.op == "to_device" else "DtoH"
        number, name = 1, "Memcpy " + kind
    else:
        number, kind, name = 0, "kernel", OPS[work.op].kernel
    thread.add(
        work.end,
        "work",
        number,
        0,
        1,
        0,
        pid,
        work.correlation,
        1,
        work.stream,
        work.bytes,
        0,
        0,
        0,
        0,
        work.start,
        work.end,
        kind,
        name,
        "CUDA:%d" % work.device,
    )
