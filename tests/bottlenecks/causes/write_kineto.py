"""Writes a Job as the traces of torch.profiler, a file for each rank."""

import json
import os

from machine import AUTOGRAD, MAIN, MICRO, WORKER
from vocabulary import OPS, size_of

CUDA = {"cudaLaunchKernel": 211, "cudaMemcpyAsync": 41}
COPIES = {
    ("to_device", True): "Memcpy HtoD (Pinned -> Device)",
    ("to_device", False): "Memcpy HtoD (Pageable -> Device)",
    ("to_host", True): "Memcpy DtoH (Device -> Pinned)",
    ("to_host", False): "Memcpy DtoH (Device -> Pageable)",
}
# Operators that are no kernels of a model.
NAMES = {
    "item": "aten::item",
    "to_device": "aten::copy_",
    "to_host": "aten::_local_scalar_dense",
}
AMD_PRODUCT = (
    "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x256x64_MI16x16x1_SN_LDSB1_AFC1"
)
GPU = "NVIDIA H100 80GB HBM3"


class Writer:
    """The events of a rank."""

    def __init__(self, rank):
        self.rank = rank
        self.job = rank.job
        self.pid = 4000 + 11 * rank.index
        self.events = []
        self.external = 0
        self.frame_ids = 0
        self.is_amd = self.job.vendor == "AMD"

    def tid(self, thread):
        return self.pid + {MAIN: 0, AUTOGRAD: 97, WORKER: 55}.get(
            thread, thread
        )

    def call_name(self, name):
        if not self.is_amd:
            return name
        return name.replace("cudaLaunchKernel", "hipLaunchKernel").replace(
            "cuda", "hip"
        )

    def add(self, category, name, pid, tid, start, end, args=None):
        event = {
            "ph": "X",
            "cat": category,
            "name": name,
            "pid": pid,
            "tid": tid,
            "ts": start / MICRO,
            "dur": (end - start) / MICRO,
        }
        if args is not None:
            event["args"] = args
        self.events.append(event)

    def flow(self, phase, correlation, pid, tid, time):
        event = {
            "ph": phase,
            "id": correlation,
            "pid": pid,
            "tid": tid,
            "ts": time / MICRO,
            "cat": "ac2g",
            "name": "ac2g",
        }
        if phase == "f":
            event["bp"] = "e"
        self.events.append(event)

    # ------------------------------------------------------------ the host

    def span(self, span):
        tid = self.tid(span.thread)
        args = span.args
        if span.kind == "step":
            self.host_range(
                "user_annotation", "ProfilerStep#%d" % args["number"], span
            )
        elif span.kind == "range":
            self.host_range("user_annotation", span.name, span)
        elif span.kind == "frame":
            if self.job.frames:
                self.frame(span, tid)
        elif span.kind == "op":
            self.op(span)
        elif span.kind == "overhead":
            self.add("overhead", span.name, -1, 0, span.start, span.end)
        else:
            self.call(span, tid)

    def host_range(self, category, name, span, more=None):
        self.external += 1
        args = {
            "External id": self.external,
            "Record function id": 0,
            "Ev Idx": len(self.events),
        }
        args.update(more or {})
        tid = self.tid(span.thread)
        self.add(category, name, self.pid, tid, span.start, span.end, args)

    def frame(self, span, tid):
        self.frame_ids += 1
        name = span.name
        if span.args.get("file"):
            name = "%s(%d): %s" % (
                span.args["file"],
                span.args["line"],
                span.name,
            )
        args = {
            "Python parent id": self.frame_ids - 1,
            "Python id": self.frame_ids,
            "Ev Idx": len(self.events),
        }
        if name.startswith("nn.Module: "):
            args["Python module id"] = int(name.rpartition("_")[2])
        self.add(
            "python_function",
            name,
            self.pid,
            tid,
            span.start,
            span.end,
            args,
        )

    def op(self, span):
        kind = span.args["op"]
        if kind not in OPS:
            self.host_range("cpu_op", NAMES.get(kind, kind), span)
            return
        op = OPS[kind]
        more = {}
        if span.args["nominal"]:
            size = size_of(kind, span.args["nominal"])
            is_single = kind == "sgemm"
            more = {
                "Input Dims": [list(d) for d in size.dims],
                "Input type": ["float" if is_single else "c10::BFloat16"]
                * len(size.dims),
                "Input Strides": [[d[1], 1] for d in size.dims],
                "Concrete Inputs": [""] * len(size.dims),
            }
        if span.thread == AUTOGRAD and op.backward:
            outer = "autograd::engine::evaluate_function: " + op.backward
            self.host_range("cpu_op", outer, span)
            self.host_range("cpu_op", op.backward, inside(span, 100))
            self.host_range("cpu_op", op.torch, inside(span, 200), more)
        elif op.torch.startswith("nccl:"):
            self.host_range("cpu_op", "c10d::allreduce_", span)
            self.host_range("user_annotation", op.torch, inside(span, 100))
        elif kind == "matmul":
            self.host_range("cpu_op", "aten::linear", span)
            self.host_range("cpu_op", op.torch, inside(span, 150), more)
        else:
            self.host_range("cpu_op", op.torch, span, more)

    def call(self, span, tid):
        name = self.call_name(span.name)
        correlation = span.args["correlation"]
        args = {"External id": self.external, "correlation": correlation}
        args["cid" if self.is_amd else "cbid"] = CUDA.get(span.name, 165)
        self.add(
            "cuda_runtime", name, self.pid, tid, span.start, span.end, args
        )
        if span.kind == "call" and span.name in CUDA:
            self.flow("s", correlation, self.pid, tid, span.start)

    # ---------------------------------------------------------- the device

    def kernel_name(self, op):
        return AMD_PRODUCT if self.is_amd and op.is_product else op.kernel

    def work(self, work):
        pid, tid = work.device, work.stream
        args = {
            "External id": 1,
            "device": work.device,
            "context": 1,
            "stream": work.stream,
            "correlation": work.correlation,
        }
        category, name = "kernel", ""
        if work.kind == "copy":
            category = "gpu_memcpy"
            name = COPIES[work.op, work.args["pinned"]]
            args["bytes"] = work.bytes
            args["memory bandwidth (GB/s)"] = work.bytes / (
                work.end - work.start
            )
        else:
            name = self.kernel_name(OPS[work.op])
            args.update(
                {
                    "queued": 0,
                    "registers per thread": 64,
                    "shared memory": 16384,
                    "blocks per SM": 8.0,
                    "warps per SM": 32.0,
                    "grid": [1056, 1, 1],
                    "block": [128, 1, 1],
                    "est. achieved occupancy %": 50,
                }
            )
        if work.kind == "collective":
            args.update(self.collective(work))
        self.add(category, name, pid, tid, work.start, work.end, args)
        self.flow("f", work.correlation, pid, tid, work.start)

    def stream_wait(self, time, device, of, stream):
        args = {
            "cuda_sync_kind": "Stream Wait Event",
            "wait_on_stream": stream,
            "wait_on_cuda_event_record_corr_id": 0,
            "wait_on_cuda_event_id": 1,
            "stream": of,
            "device": device,
            "context": 1,
        }
        self.add(
            "cuda_sync", "Stream Wait Event", device, of, time, time + 900, args
        )

    def collective(self, work):
        count = len(self.job.ranks)
        ranks = "[%s]" % ", ".join(str(r) for r in range(count))
        name = {"all_reduce": "allreduce", "all_gather": "_allgather_base"}
        return {
            "Collective name": name[work.op],
            "In msg nelems": work.bytes // 2,
            "Out msg nelems": work.bytes // 2,
            "Group size": count,
            "dtype": "BFloat16",
            "In split size": "[]",
            "Out split size": "[]",
            "Process Group Name": "0",
            "Process Group Description": "default_pg",
            "Process Group Ranks": ranks,
        }

    def memory(self, memory):
        self.events.append(
            {
                "ph": "i",
                "cat": "cpu_instant_event",
                "s": "t",
                "name": "[memory]",
                "pid": self.pid,
                "tid": self.pid,
                "ts": memory.time / MICRO,
                "args": {
                    "Total Reserved": 8 << 30,
                    "Total Allocated": memory.in_use,
                    "Bytes": memory.bytes,
                    "Addr": memory.address,
                    "Device Id": self.rank.devices[0],
                    "Device Type": 1,
                    "Ev Idx": len(self.events),
                },
            }
        )

    def device_steps(self):
        """The steps as devices have them: from the first kernel to the last."""
        extents = {}
        for work in self.rank.works:
            if work.kind == "copy" or work.step < 0:
                continue
            key = (work.step, work.device, work.stream)
            start, end = extents.get(key, (work.start, work.end))
            extents[key] = (min(start, work.start), max(end, work.end))
        for (step, device, stream), (start, end) in extents.items():
            self.add(
                "gpu_user_annotation",
                "ProfilerStep#%d" % step,
                device,
                stream,
                start,
                end,
                {"External id": 1},
            )

    def names(self):
        def name(what, pid, tid, value):
            label = "labels" if what == "process_labels" else "name"
            self.events.append(
                {
                    "name": what,
                    "ph": "M",
                    "ts": 0.0,
                    "pid": pid,
                    "tid": tid,
                    "args": {label: value},
                }
            )

        name("process_name", self.pid, 0, "python3")
        name("process_labels", self.pid, 0, "CPU")
        for tid in sorted({self.tid(s.thread) for s in self.rank.spans}):
            name("thread_name", self.pid, tid, "thread %d (python3)" % tid)
        for device in {w.device for w in self.rank.works}:
            name("process_name", device, 0, "python3")
            name("process_labels", device, 0, "GPU %d" % device)
        for device, stream in {(w.device, w.stream) for w in self.rank.works}:
            name("thread_name", device, stream, "stream %d" % stream)

    def trace(self):
        for span in self.rank.spans:
            self.span(span)
        for work in self.rank.works:
            self.work(work)
        for wait in self.rank.waits:
            self.stream_wait(*wait)
        for memory in self.rank.memory:
            self.memory(memory)
        self.device_steps()
        self.names()
        start = min(s.start for s in self.rank.spans) - 300 * MICRO
        end = max(s.end for s in self.rank.spans) + 300 * MICRO
        self.events.append(
            {
                "ph": "X",
                "cat": "Trace",
                "ts": start / MICRO,
                "dur": (end - start) / MICRO,
                "pid": "Spans",
                "tid": "PyTorch Profiler",
                "name": "PyTorch Profiler (0)",
                "args": {"Op count": 0},
            }
        )
        return self.events


def inside(span, margin):
    """A span a little shorter than another one, for what is in it."""
    return type(span)(
        span.kind,
        span.name,
        span.thread,
        span.start + margin,
        span.end - margin,
        span.step,
        span.args,
    )


def properties(job, devices):
    model = {
        "name": GPU,
        "totalGlobalMem": 85018279936,
        "computeMajor": 9,
        "computeMinor": 0,
        "maxThreadsPerBlock": 1024,
        "maxThreadsPerMultiprocessor": 2048,
        "regsPerBlock": 65536,
        "warpSize": 32,
        "sharedMemPerBlock": 49152,
        "numSms": 132,
    }
    if job.vendor == "AMD":
        model.update(name="AMD Instinct MI300X", computeMinor=4, numSms=304)
        model["warpSize"] = 64
    return [{"id": i, **model} for i in range(devices)]


def write(job, folder):
    files = []
    size = len(job.ranks)
    for rank in job.ranks:
        devices = job.declared or max(size, len(rank.devices))
        value = {
            "schemaVersion": 1,
            "deviceProperties": properties(job, min(devices, 8)),
            "record_shapes": 1,
            "with_stack": int(job.frames),
            "profile_memory": int(bool(rank.memory)),
            "trace_id": "%032X" % (rank.index + 7),
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": 1751410836000000000,
            "traceEvents": Writer(rank).trace(),
        }
        if size > 1:
            ranks = list(range(size))
            group = {
                "pg_name": "0",
                "pg_desc": "default_pg",
                "backend_config": "cuda:nccl",
                "pg_size": size,
                "ranks": ranks,
            }
            value["distributedInfo"] = {
                "backend": "nccl",
                "rank": rank.index,
                "world_size": size,
                "pg_count": 1,
                "pg_config": [group],
                "nccl_version": "2.21.5",
            }
        path = os.path.join(folder, "rank%d.pt.trace.json" % rank.index)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        files.append(path)
    return files
