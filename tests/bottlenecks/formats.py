"""Writes what processes of program.py recorded, in the formats of profilers.

Each writer takes the processes and a folder and returns the command line's
files. The bytes of protobuf messages are made by ../wire.py and by the planes
of ../traces/xplane.py, the events of ONNX Runtime by ../traces/ort.py.
"""

import json
import os
import random

import ort
import xplane
from model import Span
from program import MICRO, OPS
from wire import field, joined, map_entry

SCRIPT = "train.py"
EPOCH_MICROS = 1700000000 * 10**6

# Names of operations that are not in OPS, in each framework.
INPUT = {
    "tf1": "IteratorGetNext",
    "tf2": "IteratorGetNext",
    "jax": "Iterator::Next",
    "ort": "Gather",
    "kineto": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
}
FRAMEWORKS = {"tf1": 0, "tf2": 0, "ort": 0, "kineto": 1, "jax": 2}


def op_name(form, op):
    if op == "input":
        return INPUT[form]
    known = OPS.get(op)
    return known[FRAMEWORKS[form]] if known else op


def save(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# ------------------------------------------------------------ TensorFlow 1


def tf1(processes, folder, job="localhost"):
    """A GraphDef, an op log, and the RunMetadata of each step."""
    nodes, lines, functions = {}, {}, {}
    for process in processes:
        for event in process.events:
            if event.kind == "op":
                nodes.setdefault(event.name, op_name("tf1", event.op))
                if event.frame:
                    functions.setdefault(event.frame, len(functions) + 2)
                    lines[event.name] = (event.line, functions[event.frame])
    before, graph = [], []
    for name, op in nodes.items():
        graph.append(
            field(1, name)
            + field(2, op)
            + b"".join(field(3, n) for n in before)
        )
        before = [name]
    files = [save(folder, "graph.pb", joined(1, graph))]
    if lines:
        entries = [
            field(1, name)
            + field(
                4,
                b"".join(
                    field(
                        1,
                        field(2, number)
                        + field(6, 1)
                        + field(7, function)
                        + field(8, 0),
                    )
                    for number, function in [(12, 0), (line, of)]
                ),
            )
            for name, (line, of) in lines.items()
        ]
        texts = {0: "main", 1: SCRIPT, **{i: f for f, i in functions.items()}}
        files.append(
            save(
                folder,
                "op_log",
                joined(1, entries)
                + b"".join(
                    field(2, map_entry(i, text)) for i, text in texts.items()
                ),
            )
        )
    steps = sorted(
        {number for process in processes for number, _, _ in process.steps}
    )
    files += [
        save(folder, "run_meta_%d" % step, tf1_step(processes, step, job))
        for step in steps
    ]
    return files


def stats_of(name, start, end, more=b""):
    start, end = start // MICRO, end // MICRO
    return (
        field(1, name)
        + field(2, EPOCH_MICROS + start)
        + field(3, 0)
        + field(4, end - start)
        + field(5, end - start)
        + more
    )


def tf1_step(processes, step, job):
    devices = {}

    def add(device, *stats):
        devices.setdefault(device, []).append(stats_of(*stats))

    for process in processes:
        base = "/job:%s/replica:0/task:%d/device:" % (job, process.rank)
        runs = [r for r in process.runs if r.step == step]
        by_name = {(r.name, r.device): r for r in runs}
        begin = min([e.start for e in process.events if e.step == step])
        add(base + "CPU:0", "_SOURCE", begin, begin + MICRO)
        seen = {}
        for event in process.events:
            if event.step != step or event.kind != "op":
                continue
            device = seen[event.name] = seen.get(event.name, -1) + 1
            run = by_name.get((event.name, device))
            more = field(
                8, "%s = %s()" % (event.name, op_name("tf1", event.op))
            )
            if event.op == "RecvTensor":
                more = field(
                    8,
                    "[%dB] edge_5_%s from /job:ps/replica:0/task:0/"
                    "device:CPU:0 to %sCPU:0" % (event.bytes, event.name, base),
                )
                add(base + "CPU:0", "RecvTensor", event.start, event.end, more)
                continue
            if run is None or run.kind == "copy":
                add(base + "CPU:0", event.name, event.start, event.end, more)
                continue
            if event.in_use:
                more += field(
                    6,
                    field(1, "GPU_%d_bfc" % device)
                    + field(2, 4096)
                    + field(3, 4096)
                    + field(5, event.in_use),
                )
            add(
                base + "GPU:%d" % device,
                event.name,
                event.start,
                event.end,
                more,
            )
        for run in runs:
            gpu = "/device:GPU:%d/" % run.device
            if run.kind == "copy":
                way = "HtoD" if run.op == "to_device" else "DtoH"
                add(
                    gpu + "memcpy",
                    "MEMCPY%s_%s" % (way, run.name),
                    run.start,
                    run.end,
                    field(8, "MEMCPY%s %d bytes" % (way, run.bytes)),
                )
            else:
                stats = (
                    "%s:%s" % (run.name, op_name("tf1", run.op)),
                    run.start,
                    run.end,
                )
                add(gpu + "stream:all", *stats)
                add(gpu + "stream:14", *stats)
    return field(
        1,
        b"".join(
            field(1, field(1, device) + joined(2, stats))
            for device, stats in devices.items()
        ),
    )


# -------------------------------------------------------------------- Kineto


def kineto(processes, folder):
    """A trace for each rank."""
    files = []
    for process in processes:
        value = {
            "schemaVersion": 1,
            "deviceProperties": [
                {
                    "id": i,
                    "name": "NVIDIA H100 80GB HBM3",
                    "totalGlobalMem": 85017493504,
                    "computeMajor": 9,
                    "computeMinor": 0,
                    "numSms": 132,
                }
                for i in range(len(process.free))
            ],
            "traceEvents": kineto_events(process),
        }
        if len(processes) > 1:
            value["distributedInfo"] = {
                "backend": "nccl",
                "rank": process.rank,
                "world_size": len(processes),
            }
        files.append(
            save(
                folder,
                "rank%d.pt.trace.json" % process.rank,
                json.dumps(value).encode(),
            )
        )
    return files


# Categories and names of host events.
KINETO_HOST = {
    "op": "cpu_op",
    "range": "user_annotation",
    "launch": "cuda_runtime",
    "wait": "cuda_runtime",
    "frame": "python_function",
    "step": "user_annotation",
}
KINETO_DEVICE = {
    "compute": "kernel",
    "communication": "kernel",
    "copy": "gpu_memcpy",
}


def kineto_events(process):
    pid, events = 4000 + process.rank, []

    def add(category, name, pid, tid, start, end, args):
        events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": pid,
                "tid": tid,
                "ts": start / MICRO,
                "dur": (end - start) / MICRO,
                "args": args,
            }
        )

    scopes = Scopes()
    for event in process.events:
        name, args = event.name, {}
        category = KINETO_HOST[event.kind]
        if event.kind == "op":
            name = op_name("kineto", event.op)
            # Only operators of PyTorch are operators; others are ranges.
            if "::" not in name and ":" not in name:
                category = "user_annotation"
            else:
                args = {"External id": 7}
                if event.op in OPS:
                    scopes.add(event)
        elif event.kind == "step":
            name = "ProfilerStep#%d" % event.step
        elif event.kind == "frame":
            name = "%s(%d): %s" % (SCRIPT, event.line, event.name)
            args = {"Python id": event.line}
        elif event.kind in ("launch", "wait"):
            args = {"correlation": event.correlation}
        add(category, name, pid, pid, event.start, event.end, args)
    for scope, start, end in scopes.spans():
        add("user_annotation", scope, pid, pid, start, end, {})
    for run in process.runs:
        name = OPS[run.op][3]
        add(
            KINETO_DEVICE[run.kind],
            name,
            run.device,
            7,
            run.start,
            run.end,
            {
                "device": run.device,
                "stream": 7,
                "bytes": run.bytes,
                "correlation": run.correlation,
            },
        )
    for time, in_use, change in process.memory:
        events.append(
            {
                "ph": "i",
                "cat": "cpu_instant_event",
                "name": "[memory]",
                "s": "t",
                "pid": pid,
                "tid": pid,
                "ts": time / MICRO,
                "args": {
                    "Bytes": change,
                    "Addr": 5,
                    "Device Type": 1,
                    "Device Id": 0,
                    "Total Allocated": in_use,
                    "Total Reserved": 2 << 30,
                },
            }
        )
    return events


class Scopes:
    """The ranges around operations that follow each other in one scope.

    A range is a little longer than what is in it.
    """

    MARGIN = 200

    def __init__(self):
        self._spans = []

    def add(self, event):
        scope = event.name.rpartition("/")[0]
        key = (scope, event.step)
        if self._spans and self._spans[-1][0] == key:
            self._spans[-1][2] = event.end + self.MARGIN
        else:
            self._spans.append(
                [key, event.start - self.MARGIN, event.end + self.MARGIN]
            )

    def spans(self):
        return [
            (scope, start, end)
            for (scope, _), start, end in self._spans
            if scope
        ]


# -------------------------------------------------------------------- XPlane

FUNCTION = "train_step"
THREAD = 140200


def picos(time):
    return 1000 * time


def span(event):
    return Span(picos(event.start), picos(event.end - event.start), "")


class Programs:
    """The instructions of XLA programs: a number for each node."""

    def __init__(self):
        self._nodes = {}  # {program: {node: (instruction, op)}}

    def instruction(self, run):
        nodes = self._nodes.setdefault(run.program, {})
        opcode = op_name("jax", run.op).replace("_", "-")
        return nodes.setdefault(
            run.name, ("%s.%d" % (opcode, len(nodes) + 1), run.op)
        )[0]

    def add_to(self, plane):
        for program, nodes in self._nodes.items():
            instructions = b"".join(
                field(
                    2,
                    field(1, name)
                    + field(2, name.rpartition(".")[0])
                    + field(
                        7,
                        field(
                            2,
                            "jit(%s)/%s/%s"
                            % (
                                FUNCTION,
                                node.rpartition("/")[0],
                                op_name("jax", op),
                            ),
                        ),
                    )
                    + field(35, i + 1),
                )
                for i, (node, (name, op)) in enumerate(nodes.items())
            )
            module = "jit_" + FUNCTION
            computation = (
                field(1, "main") + instructions + field(5, 1) + field(6, 1)
            )
            hlo = field(
                1,
                field(1, module)
                + field(2, "main")
                + field(3, computation)
                + field(5, program)
                + field(6, 1),
            )
            plane.event_id(
                "%s(%d)" % (module, program),
                "",
                field(5, plane.stat("Hlo Proto", hlo)),
            )


def xspace(processes, folder, form):
    files = []
    for process in processes:
        rng = random.Random(process.rank)
        programs = Programs() if form == "jax" else None
        planes = [
            gpu_plane(rng, process, device, form, programs)
            for device in range(len(process.free))
        ]
        planes.append(host_plane(rng, process, form))
        if programs:
            metadata = xplane.Plane(rng, "/host:metadata")
            programs.add_to(metadata)
            planes.append(metadata)
        files.append(
            save(
                folder,
                "worker%d.xplane.pb" % process.rank,
                b"".join(plane.encode() for plane in planes),
            )
        )
    return files


def tf2(processes, folder):
    """TensorFlow 2: operations on the host, and their kernels."""
    return xspace(processes, folder, "tf2")


def jax(processes, folder):
    """JAX: programs of XLA, and Python frames."""
    return xspace(processes, folder, "jax")


def host_plane(rng, process, form):
    plane = xplane.Plane(rng, "/host:CPU")
    launches, thread = [], []
    for event in process.events:
        if event.kind == "launch":
            launches.append(
                (
                    span(event),
                    plane.event_id("cuLaunchKernel"),
                    [plane.stat("correlation_id", event.correlation, 3)],
                )
            )
            continue
        stats, name = [], event.name
        if event.kind == "step":
            stats = [plane.stat("step_num", event.step), plane.stat("_r", 1)]
        elif event.kind == "frame":
            name = "$%s:%d %s" % (SCRIPT, event.line, event.name)
        elif event.kind == "wait":
            name = (
                "cuStreamSynchronize"
                if form == "tf2"
                else ("PjRtCApiBuffer::AwaitReady")
            )
        elif event.kind == "op":
            if event.op not in OPS and event.op != "input":
                name = event.name
            elif form == "tf2":
                op = op_name(form, event.op)
                thread.append(
                    (
                        span(event),
                        plane.event_id("%s:%s" % (event.name, op), op),
                        [],
                    )
                )
                continue
            elif event.op == "input":
                name = op_name(form, event.op)
            else:
                name = "PjRtStreamExecutorLoadedExecutable::Execute"
        thread.append((span(event), plane.event_id(name), stats))
    for time, in_use, change in process.memory:
        thread.append(
            (
                Span(picos(time), 0, ""),
                plane.event_id(
                    "MemoryAllocation" if change > 0 else "MemoryDeallocation"
                ),
                [
                    plane.stat("allocator_name", "GPU_0_bfc"),
                    plane.stat("allocation_bytes", abs(change)),
                    plane.stat("requested_bytes", abs(change)),
                    plane.stat("bytes_allocated", in_use),
                ],
            )
        )
    plane.line(THREAD, "python3", thread)
    if launches:
        plane.line(THREAD, "Host Threads/%d" % THREAD, launches)
    return plane


def gpu_plane(rng, process, device, form, programs):
    plane = xplane.Plane(rng, "/device:GPU:%d" % device)
    compute, copies = [], []
    for run in process.runs:
        if run.device != device:
            continue
        stats = [plane.stat("correlation_id", run.correlation, 3)]
        name = OPS[run.op][3]
        if run.kind == "copy":
            name = "MemcpyH2D" if run.op == "to_device" else "MemcpyD2H"
            stats.append(
                plane.stat(
                    "memcpy_details",
                    "kind_src:pinned kind_dst:device size:%d "
                    "dest:0 async:1" % run.bytes,
                )
            )
            copies.append((span(run), plane.event_id(name), stats))
            continue
        if programs:
            instruction = programs.instruction(run)
            stats += [
                plane.stat("hlo_op", instruction),
                plane.stat("hlo_module", "jit_" + FUNCTION),
                plane.stat("program_id", run.program),
            ]
        else:
            stats.append(
                plane.stat("tf_op", "%s:%s" % (run.name, op_name(form, run.op)))
            )
        compute.append((span(run), plane.event_id(name), stats))
    plane.line(14, "Stream #14(Compute)", compute)
    if copies:
        plane.line(15, "Stream #15(MemcpyH2D)", copies)
    return plane


# -------------------------------------------------------------- ONNX Runtime


def onnx_runtime(processes, folder):
    """The nodes of each run, in one thread."""
    (process,) = processes
    rng = random.Random(0)
    events = [ort.session("session_initialization", 3, 500)]
    for event in process.events:
        start = event.start // MICRO
        duration = event.end // MICRO - start
        if event.kind == "op":
            events.append(
                ort.node(
                    rng,
                    "/%s%s" % (event.name, ort.KERNEL),
                    op_name("ort", event.op),
                    start,
                    duration,
                    9,
                )
            )
        elif event.kind == "step":
            events += [
                ort.session("SequentialExecutor::Execute", start, duration),
                ort.session("model_run", start, duration),
            ]
    return [
        save(
            folder, "onnxruntime_profile.json", ort.write(rng, events).encode()
        )
    ]


FORMATS = {
    "tf1": tf1,
    "kineto": kineto,
    "tf2": tf2,
    "jax": jax,
    "ort": onnx_runtime,
}
