"""Writes a Job as TensorFlow 1 does: a GraphDef, and a RunMetadata a step."""

import os

from machine import COMPUTE, MICRO
from vocabulary import OPS
from wire import field, joined

EPOCH_MICROS = 1700000000 * 10**6


def stats_of(name, start, end, label, thread=0, memory=0):
    start, end = start // MICRO, end // MICRO
    value = (
        field(1, name)
        + field(2, EPOCH_MICROS + start)
        + field(3, 0)
        + field(4, end - start)
        + field(5, end - start)
        + field(8, label)
    )
    if memory:
        used = field(1, "GPU_0_bfc") + field(2, 1 << 20) + field(3, 1 << 20)
        value += field(6, used + field(5, memory))
    return value + field(10, thread)


def type_of(op):
    names = {"to_device": "_HostRecv", "to_host": "_HostSend"}
    return OPS[op].tf if op in OPS else names.get(op, op)


def step_of(job, number):
    """The RunMetadata of a step, of all tasks."""
    devices = {}

    def add(device, stats):
        devices.setdefault(device, []).append(stats)

    for rank in job.ranks:
        base = "/job:%s/replica:0/task:%d/device:" % (
            "worker" if len(job.ranks) > 1 else "localhost",
            rank.index,
        )
        for device in range(job.declared):
            devices.setdefault(base + "GPU:%d" % device, [])
        spans = [s for s in rank.spans if s.step == number and s.kind == "op"]
        begin = min(s.start for s in rank.spans if s.step == number)
        add(base + "CPU:0", stats_of("_SOURCE", begin, begin + 1000, ""))
        works = [w for w in rank.works if w.step == number]
        used = {}
        for memory in rank.memory:
            if memory.step == number:
                used[number] = memory.in_use
        for span in spans:
            op = span.args["op"]
            label = "%s = %s()" % (span.name, type_of(op))
            places = ["CPU:0"]
            if op in OPS:
                places = ["GPU:%d" % d for d in devices_of(span, works)]
            for place in places:
                add(
                    base + place,
                    stats_of(
                        span.name,
                        span.start,
                        span.end,
                        label,
                        memory=used.get(number, 0),
                    ),
                )
        for work in works:
            add_work(add, work)
    return field(
        1,
        b"".join(
            field(1, field(1, device) + joined(2, stats))
            for device, stats in devices.items()
        ),
    )


def devices_of(span, works):
    found = {
        w.device for w in works if w.path == span.name and span.start <= w.start
    }
    return sorted(found) or [0]


def add_work(add, work):
    gpu = "/device:GPU:%d/" % work.device
    if work.kind == "copy":
        way = "HtoD" if work.op == "to_device" else "DtoH"
        stats = stats_of(
            "edge_8_%s" % work.path,
            work.start,
            work.end,
            "MEMCPY%s %d bytes" % (way, work.bytes),
        )
        add(gpu + "memcpy", stats)
        return
    name = "%s:%s" % (work.path, OPS[work.op].tf)
    stats = stats_of(name, work.start, work.end, "")
    add(gpu + "stream:all", stats)
    add(gpu + "stream:%d" % (14 + (work.stream != COMPUTE)), stats)


def graph(job):
    types, before, nodes = {}, [], []
    for rank in job.ranks:
        for span in rank.spans:
            if span.kind == "op":
                types.setdefault(span.name, type_of(span.args["op"]))
    for name, kind in types.items():
        nodes.append(
            field(1, name)
            + field(2, kind)
            + b"".join(field(3, n) for n in before)
        )
        before = [name]
    return joined(1, nodes)


def write(job, folder):
    files = [os.path.join(folder, "graph.pb")]
    with open(files[0], "wb") as file:
        file.write(graph(job))
    for index in range(job.steps):
        number = job.first + index
        files.append(os.path.join(folder, "run_meta_%d" % number))
        with open(files[-1], "wb") as file:
            file.write(step_of(job, number))
    return files
