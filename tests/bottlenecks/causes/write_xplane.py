"""Writes a Job as XSpaces: TensorFlow 2 and JAX on GPUs, JAX on TPUs.

Messages and planes are made by ../../wire.py and ../../traces/xplane.py.
"""

import os
import random
import struct

import xplane
from machine import AUTOGRAD, COMPUTE, COPY, EXECUTOR, MAIN, WORKER
from model import Span
from vocabulary import OPS, size_of
from wire import field, varint

FUNCTION = "train_step"
MODULE = "jit_" + FUNCTION
THREADS = {
    MAIN: (1085180131, "python"),
    EXECUTOR: (685605656, "tf_gpu_private_0/685605656"),
    WORKER: (644163033, "tf_data_iterator_resource/644163033"),
    AUTOGRAD: (700026821, "tf_Compute/700026821"),
}
DRIVER = {
    "cudaLaunchKernel": "cuLaunchKernel",
    "cudaMalloc": "cuMemAlloc_v2",
    "cudaFree": "cuMemFree_v2",
    "cudaStreamCreateWithFlags": "cuStreamCreate",
}
GPU_FACTS = (
    ("device_vendor", "Nvidia"),
    ("clock_rate", 1980000),
    ("core_count", 132),
    ("memory_bandwidth", 3352320000000),
    ("memory_size", 85017493504),
    ("compute_cap_major", 9),
    ("compute_cap_minor", 0),
)
TPU_FACTS = (
    ("device_type_string", "TPU v6 Lite"),
    ("peak_teraflops_per_second", 918.0),
    ("peak_hbm_bw_gigabytes_per_second", 1638.0),
    ("has_megacore", 0),
    ("has_merged_vmem", 1),
)


class Plane(xplane.Plane):
    """A plane that may have facts about its device."""

    def fact(self, name, value):
        if isinstance(value, float):
            ident = self.stats.setdefault(name, len(self.stats) + 1)
            double = varint(2 << 3 | 1) + struct.pack("<d", value)
            stat = field(1, ident) + double
        else:
            stat = self.stat(name, value)
        self.lines.append(field(6, stat))


def at(item):
    """Its time in picoseconds."""
    return Span(1000 * item.start, 1000 * (item.end - item.start), "")


class Programs:
    """Instructions of compiled programs: a number for each path."""

    def __init__(self, job):
        self.job = job
        self.of = {}  # {program: {path: (name, work)}}

    def name(self, work):
        nodes = self.of.setdefault(work.program, {})
        if work.path not in nodes:
            given = work.args.get("instruction")
            number = "%s.%d" % (OPS[work.op].hlo, len(nodes) + 1)
            nodes[work.path] = (given or number, work)
        return nodes[work.path][0]

    def scope(self, work):
        path, _, name = work.path.rpartition("/")
        parts = ["jit(%s)" % FUNCTION, path or name, OPS[work.op].jax]
        return "/".join(parts)

    def proto(self, program):
        instructions = b""
        for i, (name, work) in enumerate(self.of[program].values()):
            size = size_of(work.op, work.nominal or 1, self.rates())
            kind = 11 if work.op == "sgemm" else 16
            shape = field(2, kind) + b"".join(
                field(3, d) for d in (size.dims[0][0], size.dims[-1][1])
            )
            instructions += field(
                2,
                field(1, name)
                + field(2, name.rpartition(".")[0] or name)
                + field(3, shape)
                + field(7, field(2, self.scope(work)))
                + field(35, i + 1),
            )
        computation = field(1, "main") + instructions + field(5, 1)
        return field(
            1,
            field(1, MODULE)
            + field(2, "main")
            + field(3, computation + field(6, 1))
            + field(5, program)
            + field(6, 1),
        )

    def rates(self):
        return "tpu" if self.job.form == "tpu" else "gpu"

    def plane(self):
        plane = Plane(random.Random(1), "/host:metadata")
        for program in self.of:
            hlo = field(5, plane.stat("Hlo Proto", self.proto(program)))
            plane.event_id("%s(%d)" % (MODULE, program), "", hlo)
        return plane


# -------------------------------------------------------------------- host


def host_plane(rank):
    job = rank.job
    plane = Plane(random.Random(2), "/host:CPU")
    threads, driver = {}, []
    for span in rank.spans:
        if span.kind in ("call", "wait") and job.form == "tpu":
            if span.kind == "call":
                continue
        if span.kind == "call" or span.name.startswith("cu"):
            name = DRIVER.get(span.name, span.name)
            stats = [plane.stat("correlation_id", span.args["correlation"], 3)]
            driver.append((at(span), plane.event_id(name), stats))
            continue
        thread = span.thread
        add_span(plane, span, threads.setdefault(thread, []), job.form)
    for memory in rank.memory:
        threads.setdefault(MAIN, []).append(allocation(plane, memory))
    for thread, events in threads.items():
        number, name = THREADS.get(thread, (9000 + thread, "pool"))
        plane.line(number, name, events)
    if driver:
        plane.line(1083, "Host Threads/1083", driver)
    return plane


def add_span(plane, span, events, form):
    def event(name, stats=(), display="", shrink=0):
        place = Span(
            1000 * (span.start + shrink),
            1000 * (span.end - span.start - 2 * shrink),
            "",
        )
        events.append((place, plane.event_id(name, display), list(stats)))

    if span.kind == "step":
        number = plane.stat("step_num", span.args["number"])
        event("train", [number, plane.stat("_r", 1)])
    elif span.kind == "frame":
        file = span.args["file"].rpartition("/")[2]
        event("$%s:%d %s" % (file, span.args["line"], span.name))
    elif span.kind == "execute":
        outer = "PjitFunction(%s)" % span.name
        inner = "PjRtStreamExecutorLoadedExecutable::Execute"
        if form == "tpu":
            inner = "TfrtTpuLoadedExecutable::Execute"
        event(outer)
        event(inner, shrink=150)
    elif span.kind == "op":
        op = span.args["op"]
        kind = OPS[op].tf if op in OPS else op
        if op in ("to_device", "to_host"):
            kind = "_HostRecv" if op == "to_device" else "_HostSend"
        event("%s:%s" % (span.name, kind), display=kind)
    else:
        event(span.name)


def allocation(plane, memory):
    name = "MemoryAllocation" if memory.bytes > 0 else "MemoryDeallocation"
    stats = [
        plane.stat("allocator_name", "GPU_0_bfc"),
        plane.stat("bytes_reserved", 0),
        plane.stat("bytes_allocated", memory.in_use),
        plane.stat("bytes_available", (72 << 30) - memory.in_use),
        plane.stat("peak_bytes_in_use", memory.in_use),
        plane.stat("requested_bytes", abs(memory.bytes)),
        plane.stat("allocation_bytes", abs(memory.bytes)),
        plane.stat("addr", memory.address),
    ]
    return Span(1000 * memory.time, 0, ""), plane.event_id(name), stats


# ----------------------------------------------------------------- devices


def gpu_plane(rank, device, programs):
    plane = Plane(random.Random(3), "/device:GPU:%d" % device)
    for name, value in GPU_FACTS:
        plane.fact(name, value)
    streams = {}
    for work in rank.works:
        if work.device != device:
            continue
        stats = [plane.stat("correlation_id", work.correlation, 3)]
        stream = work.stream
        if work.kind == "copy":
            stream = COPY + (work.op == "to_host")
            name = "MemcpyH2D" if work.op == "to_device" else "MemcpyD2H"
            memory = "pinned" if work.args["pinned"] else "pageable"
            ends = [memory, "device"]
            if work.op == "to_host":
                ends.reverse()
            details = "kind_src:%s kind_dst:%s size:%d dest:%d async:%d" % (
                *ends,
                work.bytes,
                device,
                work.args["pinned"],
            )
            stats.append(plane.stat("memcpy_details", details))
        else:
            name = OPS[work.op].kernel
            details = (
                "regs:64 static_shared:0 dynamic_shared:16384 "
                "grid:1056,1,1 block:128,1,1 occ_pct:50"
            )
            stats.append(plane.stat("kernel_details", details))
            stats += origin(plane, work, programs)
        streams.setdefault(stream, []).append(
            (at(work), plane.event_id(name), stats)
        )
    kinds = {COMPUTE: "Compute", COPY: "MemcpyH2D", COPY + 1: "MemcpyD2H"}
    for stream, events in streams.items():
        name = "Stream #%d(%s)" % (stream, kinds.get(stream, "Compute"))
        plane.line(stream, name, events)
    return plane


def origin(plane, work, programs):
    if programs is None:
        return [plane.stat("tf_op", "%s:%s" % (work.path, OPS[work.op].tf))]
    return [
        plane.stat("hlo_op", programs.name(work)),
        plane.stat("hlo_module", MODULE),
        plane.stat("program_id", work.program),
        plane.stat("name", programs.scope(work)),
    ]


def tpu_plane(rank, device, programs):
    plane = Plane(random.Random(4), "/device:TPU:%d" % device)
    for name, value in TPU_FACTS:
        plane.fact(name, value)
    ops, modules = [], []
    for work in rank.works:
        if work.device != device or work.kind == "copy":
            continue
        name = programs.name(work)
        size = size_of(work.op, work.nominal or 1, "tpu")
        flops, accessed = size.flops, size.bytes
        if work.bytes:
            flops, accessed = 0, 2 * work.bytes
        opcode = name.rpartition(".")[0] or name
        meta = [
            plane.stat("hlo_category", work.args.get("category", opcode)),
            plane.stat("program_id", work.program),
            plane.stat("symbol_id", len(plane.events) + 1),
            plane.stat("flops", flops),
            plane.stat("model_flops", flops),
            plane.stat("bytes_accessed", accessed),
            plane.stat("tf_op", programs.scope(work) + ":"),
            plane.stat("source", "train.py:52"),
        ]
        kind = "f32" if work.op == "sgemm" else "bf16"
        text = "%%%s = %s[%d,%d]{1,0:T(8,128)} %s()" % (
            name,
            kind,
            size.dims[0][0],
            size.dims[-1][1],
            opcode,
        )
        ident = plane.event_id(text, name, b"".join(field(5, m) for m in meta))
        times = [
            plane.stat("device_offset_ps", 1000 * work.start, 3),
            plane.stat("device_duration_ps", 1000 * (work.end - work.start), 3),
        ]
        ops.append((at(work), ident, times))
    for run, works in enumerate(rank.programs):
        mine = [w for w in works if w.device == device and w.kind != "copy"]
        if not mine:
            continue
        extent = Span(
            1000 * mine[0].start, 1000 * (mine[-1].end - mine[0].start), ""
        )
        ident = plane.event_id("%s(%d)" % (MODULE, mine[0].program))
        modules.append((extent, ident, [plane.stat("run_id", run + 1)]))
    plane.line(2, "XLA Modules", modules)
    plane.line(3, "XLA Ops", ops)
    return plane


def write(job, folder):
    files = []
    for rank in job.ranks:
        programs = None if job.form == "tf2" else Programs(job)
        make = tpu_plane if job.form == "tpu" else gpu_plane
        devices = list(rank.devices)
        devices += [d for d in range(job.declared) if d not in devices]
        planes = [make(rank, device, programs) for device in devices]
        planes.append(host_plane(rank))
        if programs:
            planes.append(programs.plane())
        times = Plane(random.Random(5), "Task Environment")
        times.fact("profile_start_time", 1771595650217823548)
        times.fact("profile_stop_time", 1771595680217823548)
        planes.append(times)
        path = os.path.join(folder, "worker%d.xplane.pb" % rank.index)
        with open(path, "wb") as file:
            file.write(b"".join(plane.encode() for plane in planes))
        files.append(path)
    return files
