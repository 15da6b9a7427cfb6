"""Writes a Job as the trace.json of JAX's profiler."""

import json
import os

from machine import COPY, MICRO
from vocabulary import OPS
from write_xplane import MODULE, THREADS, Programs

HOST, DEVICES = 701, 1


def write(job, folder):
    files = []
    for rank in job.ranks:
        path = os.path.join(folder, "worker%d.trace.json" % rank.index)
        value = {"displayTimeUnit": "ns", "traceEvents": events_of(rank)}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        files.append(path)
    return files


def events_of(rank):
    programs = Programs(rank.job)
    events, threads = [], {}

    def add(pid, tid, thread, name, start, end, args=None):
        threads.setdefault((pid, tid), thread)
        event = {
            "ph": "X",
            "pid": pid,
            "tid": tid,
            "ts": start / MICRO,
            "dur": (end - start) / MICRO,
            "name": name,
        }
        if args:
            event["args"] = args
        events.append(event)

    for span in rank.spans:
        if span.kind == "call":
            add(
                HOST,
                1083,
                "Host Threads/1083",
                "cuLaunchKernel",
                span.start,
                span.end,
                {"correlation_id": str(span.args["correlation"])},
            )
            continue
        tid, thread = THREADS.get(span.thread, (9000 + span.thread, "pool"))
        name, args = span.name, None
        if span.kind == "step":
            args = {"step_num": str(span.args["number"]), "_r": "1"}
        elif span.kind == "frame":
            file = span.args["file"].rpartition("/")[2]
            name = "$%s:%d %s" % (file, span.args["line"], span.name)
        elif span.kind == "execute":
            name = "PjitFunction(%s)" % span.name
        add(HOST, tid, thread, name, span.start, span.end, args)
    for work in rank.works:
        pid = DEVICES + work.device
        stream = work.stream
        args = {"correlation_id": str(work.correlation)}
        if work.kind == "copy":
            to_device = work.op == "to_device"
            name = "MemcpyH2D" if to_device else "MemcpyD2H"
            stream = COPY + (not to_device)
            thread = "Stream #%d(%s)" % (stream, name)
            memory = "pinned" if work.args["pinned"] else "pageable"
            args["memcpy_details"] = (
                "kind_src:%s kind_dst:device size:%d dest:0 async:%d"
                % (memory, work.bytes, work.args["pinned"])
            )
        else:
            name = OPS[work.op].kernel
            thread = "Stream #%d(Compute)" % stream
            args["hlo_op"] = programs.name(work)
            args["hlo_module"] = MODULE
            args["name"] = programs.scope(work)
        add(pid, stream, thread, name, work.start, work.end, args)
    events.sort(key=lambda e: (e["pid"], e["tid"], e["ts"], -e["dur"]))
    return names_of(rank, threads) + events + [{}]


def names_of(rank, threads):
    names = []

    def name(what, pid, value, **more):
        names.append(
            {"ph": "M", "pid": pid, **more, "name": what, "args": value}
        )

    name("process_name", HOST, {"name": "/host:CPU"})
    for device in range(max(rank.job.declared, max(rank.devices) + 1)):
        if device in rank.devices or rank.job.declared:
            pid = DEVICES + device
            name("process_name", pid, {"name": "/device:GPU:%d" % device})
    for (pid, tid), thread in threads.items():
        name("thread_name", pid, {"name": thread}, tid=tid)
    return names
