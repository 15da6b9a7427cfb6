"""Makes the traces of a job with many ranks, with planted faults.

    make_job(folder, ranks=64, steps=10, seed=1, faults=Faults(slow={7: 1.25}))

Each file is a Kineto trace: a host that launches kernels, and a GPU that runs
them. All ranks end a step together, in an all-reduce whose length is what the
slowest rank leaves. With group=8, each 8 neighbours also reduce among
themselves in the middle of a step, in a communicator of their own ("group 0",
"group 1", …). Durations vary by 1 % from rank to rank and from step to step,
and by 1 % from one to the next. The same seed makes the same bytes.

    write_rank_map(file, ranks)

writes which host and stage a rank is of: 8 neighbours are a host, and each
fourth rank is of the same stage.
"""

import dataclasses
import json
import os
import random

# Operations and the microseconds that their kernel takes.
OPS = {
    "aten::mm": 900,
    "aten::convolution": 700,
    "aten::add": 180,
    "aten::mul": 400,
    "aten::relu": 120,
    "aten::layer_norm": 260,
    "aten::softmax": 220,
    "aten::cat": 150,
    "aten::sum": 140,
    "aten::copy_": 130,
    "aten::tile": 200,
    "aten::embedding": 110,
}
ALL_REDUCE = 300
GROUP_REDUCE = 200
# The operations before the reduction of a group.
BEFORE_GROUP = 6
HOST_RANKS = 8
STAGES = 4
CAPACITY = 80 << 30


@dataclasses.dataclass
class Faults:
    """What is wrong, by rank.

    Attributes:
      slow: all operations take so many times as long
      slow_steps: the same, in the steps of the second number only
      input: the GPU waits so many microseconds for input in each step
      slow_op: (operation, factor)
      slow_host, slow_stage: all operations, by host and stage
      late: does one more operation before the reduction of the group, and one
        less after it, so that only the group waits
      slow_group: the reduction itself takes so many times as long, by group
      memory: so many bytes are allocated in each step; "all" for the others
      growth: so many bytes more in each step, by rank; "all" for the others
      drift: each step takes so much longer than the one before, as a share
      cut, empty, junk: files that end in the middle, are empty, are no traces
      pipe: a named pipe, which a reader would wait for without an end
      double: a second file of the rank
      missing: no file
      all_ranks: operations that are slower everywhere
    """

    slow: dict = dataclasses.field(default_factory=dict)
    slow_steps: dict = dataclasses.field(default_factory=dict)
    input: dict = dataclasses.field(default_factory=dict)
    slow_op: dict = dataclasses.field(default_factory=dict)
    slow_host: dict = dataclasses.field(default_factory=dict)
    slow_stage: dict = dataclasses.field(default_factory=dict)
    late: tuple = ()
    slow_group: dict = dataclasses.field(default_factory=dict)
    drift: dict = dataclasses.field(default_factory=dict)
    memory: dict = dataclasses.field(default_factory=dict)
    growth: dict = dataclasses.field(default_factory=dict)
    pipe: tuple = ()
    cut: tuple = ()
    empty: tuple = ()
    junk: tuple = ()
    double: tuple = ()
    missing: tuple = ()
    all_ranks: dict = dataclasses.field(default_factory=dict)


def make_job(folder, ranks, steps, seed, faults=None, times=1, group=0):
    """Each operation runs `times` times in a step, each time as long."""
    faults = faults or Faults()
    os.makedirs(folder, exist_ok=True)
    plans = [_plan(rank, steps, seed, faults) for rank in range(ranks)]
    befores = [
        (BEFORE_GROUP + (rank in faults.late)) if group else 0
        for rank in range(ranks)
    ]
    # A reduction ends for all when the slowest rank has reduced.
    ends = []
    for step in range(steps):
        halves = [
            _halves(plan[step], times, befores[rank])
            for rank, plan in enumerate(plans)
        ]
        middles = [0] * ranks
        for first in range(0, ranks if group else 0, group or 1):
            members = range(first, min(first + group, ranks))
            factor = faults.slow_group.get(first // group, 1)
            middle = max(halves[rank][0] for rank in members)
            for rank in members:
                middles[rank] = middle + round(GROUP_REDUCE * factor)
        whole = ALL_REDUCE + max(
            (middles[rank] or halves[rank][0]) + halves[rank][1]
            for rank in range(ranks)
        )
        ends.append((middles, whole))
    for rank, plan in enumerate(plans):
        if rank in faults.missing:
            continue
        if rank in faults.pipe:
            os.mkfifo(os.path.join(folder, f"rank_{rank}.json"))
            continue
        of_rank = [(middles[rank], whole) for middles, whole in ends]
        memory, growth = (
            sizes.get(rank, sizes.get("all", 0))
            for sizes in (faults.memory, faults.growth)
        )
        sizes = [memory + growth * step for step in range(steps)]
        data = _trace(
            rank, ranks, plan, of_rank, times, group, befores[rank], sizes
        )
        if rank in faults.cut:
            data = data[: len(data) * 2 // 5]
        if rank in faults.junk:
            data = b"\x00\x01this is no trace\xff" * 20
        if rank in faults.empty:
            data = b""
        names = [f"rank_{rank}.json"]
        if rank in faults.double:
            names.append(f"retry_rank_{rank}.json")
        for name in names:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


def write_rank_map(name, ranks):
    with open(name, "w") as file:
        file.write("rank,host,pp\n")
        for rank in range(ranks):
            file.write(f"{rank},h{rank // HOST_RANKS},{rank % STAGES}\n")


def _halves(lengths, times, before):
    """The microseconds before and after the reduction of the group."""
    ops = [length for name, length in lengths.items() if name != "input"]
    return (
        lengths["input"] + times * sum(ops[:before]),
        times * sum(ops[before:]),
    )


def _plan(rank, steps, seed, faults):
    """For each step, the microseconds of each operation, and of "input"."""
    rng = random.Random(seed * 1_000_003 + rank)
    of_step = random.Random(seed * 7_919)
    of_rank = rng.gauss(1, 0.01)
    plan = []
    for step in range(steps):
        factor = of_rank * of_step.gauss(1, 0.01)
        factor *= faults.slow.get(rank, 1)
        factor *= faults.slow_host.get(rank // HOST_RANKS, 1)
        factor *= faults.slow_stage.get(rank % STAGES, 1)
        factor *= 1 + step * faults.drift.get(rank, faults.drift.get("all", 0))
        if rank in faults.slow_steps:
            times, in_steps = faults.slow_steps[rank]
            factor *= times if step in in_steps else 1
        lengths = {
            "input": round(60 * rng.gauss(1, 0.05)) + faults.input.get(rank, 0)
        }
        for name, micros in OPS.items():
            length = micros * factor * rng.gauss(1, 0.01)
            length *= faults.all_ranks.get(name, 1)
            op, times = faults.slow_op.get(rank, ("", 1))
            lengths[name] = round(length * (times if op == name else 1))
        plan.append(lengths)
    return plan


def _trace(rank, ranks, plan, ends, times, group, before, sizes):
    events = []
    start = 1000
    number = 1

    def add(name, category, begin, length, thread, args, process=1):
        events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": process,
                "tid": thread,
                "ts": begin,
                "dur": length,
                "args": args,
            }
        )

    def reduce(host, device, length, size, name, step):
        _launch(
            add,
            "nccl:all_reduce",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            host,
            device,
            length,
            number,
            {
                "Collective name": "allreduce",
                "In msg nelems": 4096,
                "Out msg nelems": 4096,
                "Group size": size,
                "dtype": "Float",
                "Process Group Name": name,
                "Seq": step,
            },
        )

    for step, (lengths, (middle, whole)) in enumerate(zip(plan, ends)):
        add(f"ProfilerStep#{step}", "user_annotation", start, whole, 1, {})
        add(
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "user_annotation",
            start,
            lengths["input"],
            1,
            {},
        )
        if sizes[step]:
            events += _memory(start, rank, step, sizes[step])
        host = start + lengths["input"]
        device = host
        ops = [one for one in lengths.items() if one[0] != "input"]
        work = (
            times * ops[:before] + [None] * bool(group) + times * ops[before:]
        )
        for one in work:
            if one is None:
                size = min(group, ranks - rank // group * group)
                name = f"group {rank // group}"
                reduce(host, device, start + middle - device, size, name, step)
                device = start + middle
                host += 8
            else:
                name, length = one
                kernel = f"{name[6:]}_kernel"
                _launch(add, name, kernel, host, device, length, number, {})
                host += 8
                device = max(device, host) + length
            number += 1
        reduce(host, device, start + whole - device, ranks, "0", step)
        number += 1
        start += whole
    device_0 = {"id": 0, "name": "NVIDIA A100", "numSms": 108}
    if any(sizes):
        device_0["totalGlobalMem"] = CAPACITY
    return json.dumps(
        {
            "schemaVersion": 1,
            "deviceProperties": [device_0],
            "distributedInfo": {
                "backend": "nccl",
                "rank": rank,
                "world_size": ranks,
            },
            "traceEvents": events,
        }
    ).encode()


def _memory(start, rank, step, size):
    """Memory that is allocated and freed; ranks differ by 1 % or so."""
    size += random.Random(rank * 1009 + step).randrange(size // 100)
    return [
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": start + when,
            "args": {
                "Total Reserved": size + (1 << 20),
                "Total Allocated": total,
                "Bytes": change,
                "Addr": 4096,
                "Device Id": 0,
                "Device Type": 1,
            },
        }
        for when, total, change in ((1, size, size), (2, 0, -size))
    ]


def _launch(add, op, kernel, host, device, length, number, args):
    add(op, "cpu_op", host, 7, 1, {"External id": number})
    add(
        "cudaLaunchKernel",
        "cuda_runtime",
        host + 2,
        4,
        1,
        {"External id": number, "correlation": number},
    )
    add(
        kernel,
        "kernel",
        max(device, host + 6),
        length,
        7,
        {
            "External id": number,
            "correlation": number,
            "device": 0,
            "stream": 7,
            **args,
        },
        0,
    )
