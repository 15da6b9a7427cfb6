"""Random profiles of ONNX Runtime, and what they add up to."""

import model
from json_text import Number, nanos, read, write

TICKS_PER_MICRO = 1000

OPERATIONS = [
    ("/layer.0/MatMul", "MatMul"),
    ("/layer.0/Add", "Add"),
    ("/layer.1/MatMul", "MatMul"),
    ("Gather_7", "Gather"),
]
KERNEL = "_kernel_time"


def make(rng):
    events = [session("session_initialization", 3, rng.randint(0, 500))]
    at = 600
    for _ in range(rng.randint(1, 4)):
        begin = at
        at += rng.randint(0, 3)
        for name, op in OPERATIONS:
            if rng.random() < 0.2:
                continue
            duration = rng.choice([0, 1, rng.randint(0, 300)])
            if rng.random() < 0.3:
                events.append(node(rng, name + "_fence_before", op, at, 0, 9))
            events.append(
                node(
                    rng, name + KERNEL, op, at, duration, rng.choice([9, 9, 10])
                )
            )
            at += duration + rng.randint(0, 3)
        events.append(session("SequentialExecutor::Execute", begin, at - begin))
        # Children come before the run.
        at += rng.randint(1, 5)
        events.append(session("model_run", begin, at - begin))
        at += rng.randint(0, 9)
    return write(rng, events).encode()


def session(name, start, duration):
    return {
        "cat": "Session",
        "pid": 9,
        "tid": 9,
        "dur": Number(str(duration)),
        "ts": Number(str(start)),
        "ph": "X",
        "name": name,
        "args": {},
    }


def node(rng, name, op, start, duration, tid):
    args = {
        "op_name": op,
        "provider": "CPUExecutionProvider",
        "output_size": str(rng.randint(0, 4096)),
        "node_index": "3",
    }
    return {
        "cat": "Node",
        "pid": 9,
        "tid": tid,
        "dur": Number(str(duration)),
        "ts": Number(str(start)),
        "ph": "X",
        "name": name,
        "args": args,
    }


# --------------------------------------------------------------------- model


def expect(data):
    events = [
        e
        for e in read(data)
        if e["ph"] == "X" and e["cat"] in ("Session", "Node")
    ]
    runs = [
        (nanos(e["ts"]), nanos(e["ts"] + e["dur"]))
        for e in events
        if e["name"] == "model_run"
    ]
    intervals = dict(enumerate(sorted(runs)))
    result = model.Expected(TICKS_PER_MICRO, sorted(intervals))
    threads = {}
    for item in events:
        if item["name"].endswith(("_fence_before", "_fence_after")):
            continue
        name = item["args"].get("op_name", item["name"])
        threads.setdefault(item["tid"], []).append(
            model.Span(nanos(item["ts"]), nanos(item["dur"]), name)
        )
    result.lanes = len(threads)
    for spans in threads.values():
        for span in model.nest(spans):
            span.step = model.step_at(intervals, span.start)
            result.add_host(span)
    return result
