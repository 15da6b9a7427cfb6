"""Makes the traces of a job with many ranks, with planted faults.

    make_job(folder, ranks=64, steps=10, seed=1, faults=Faults(slow={7: 1.25}))

Each file is a Kineto trace: a host that launches kernels, and a GPU that runs
them. All ranks end a step together, in an all-reduce whose length is what the
slowest rank leaves. Durations vary by 1 % from rank to rank and from step to
step, and by 1 % from one to the next. The same seed makes the same bytes.
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


@dataclasses.dataclass
class Faults:
    """What is wrong, by rank.

    Attributes:
      slow: all operations take so many times as long
      slow_steps: the same, in the steps of the second number only
      input: the GPU waits so many microseconds for input in each step
      slow_op: (operation, factor)
      cut, empty, junk: files that end in the middle, are empty, are no traces
      double: a second file of the rank
      missing: no file
      all_ranks: operations that are slower everywhere
    """

    slow: dict = dataclasses.field(default_factory=dict)
    slow_steps: dict = dataclasses.field(default_factory=dict)
    input: dict = dataclasses.field(default_factory=dict)
    slow_op: dict = dataclasses.field(default_factory=dict)
    cut: tuple = ()
    empty: tuple = ()
    junk: tuple = ()
    double: tuple = ()
    missing: tuple = ()
    all_ranks: dict = dataclasses.field(default_factory=dict)


def make_job(folder, ranks, steps, seed, faults=None, times=1):
    """Each operation runs `times` times in a step, each time as long."""
    faults = faults or Faults()
    os.makedirs(folder, exist_ok=True)
    plans = [_plan(rank, steps, seed, faults) for rank in range(ranks)]
    # A step ends for all when the slowest rank has reduced.
    ends = [
        max(
            plan[step]["input"]
            + times * (sum(plan[step].values()) - plan[step]["input"])
            for plan in plans
        )
        + ALL_REDUCE
        for step in range(steps)
    ]
    for rank, plan in enumerate(plans):
        if rank in faults.missing:
            continue
        data = _trace(rank, ranks, plan, ends, times)
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


def _plan(rank, steps, seed, faults):
    """For each step, the microseconds of each operation, and of "input"."""
    rng = random.Random(seed * 1_000_003 + rank)
    of_step = random.Random(seed * 7_919)
    of_rank = rng.gauss(1, 0.01)
    plan = []
    for step in range(steps):
        factor = of_rank * of_step.gauss(1, 0.01)
        factor *= faults.slow.get(rank, 1)
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


def _trace(rank, ranks, plan, ends, times):
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

    for step, (lengths, whole) in enumerate(zip(plan, ends)):
        add(f"ProfilerStep#{step}", "user_annotation", start, whole, 1, {})
        add(
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "user_annotation",
            start,
            lengths["input"],
            1,
            {},
        )
        host = start + lengths["input"]
        device = host
        for name, length in times * list(lengths.items()):
            if name == "input":
                continue
            _launch(
                add,
                name,
                f"{name[6:]}_kernel",
                host,
                device,
                length,
                number,
                {},
            )
            host += 8
            device = max(device, host) + length
            number += 1
        _launch(
            add,
            "nccl:all_reduce",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            host,
            device,
            start + whole - device,
            number,
            {
                "Collective name": "allreduce",
                "In msg nelems": 4096,
                "Out msg nelems": 4096,
                "Group size": ranks,
                "dtype": "Float",
                "Process Group Name": "0",
                "Seq": step,
            },
        )
        number += 1
        start += whole
    return json.dumps(
        {
            "schemaVersion": 1,
            "deviceProperties": [
                {"id": 0, "name": "NVIDIA A100", "numSms": 108}
            ],
            "distributedInfo": {
                "backend": "nccl",
                "rank": rank,
                "world_size": ranks,
            },
            "traceEvents": events,
        }
    ).encode()


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
