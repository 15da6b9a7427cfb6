"""Random Kineto traces as text, and what they add up to.

The model parses the text with Python's own JSON reader (json_text.py), so it
also holds our reader to that one.
"""

import model
from json_text import micros, nanos, read, write

TICKS_PER_MICRO = 1000

OPS = [
    "aten::a",
    "aten::b",
    "aten::mm",
    "a",
    'b "quoted"',
    "c\\d",
    "\u00e9",
    "torch::x<1, 2>",
]
LAUNCH = "cudaLaunchKernel"
RANGES = ["forward", "train step", "loss/\u00fc"]
FILES = [
    "train.py(3): f",
    "train.py(9): g",
    "lib/a.py(12): forward",
    "<built-in method x of Tensor object at 0x7f01>",
]
MODULES = ["nn.Module: Net_0", "nn.Module: Linear_0", "nn.Module: Linear_1"]
STEP = "ProfilerStep#"
STEP_ROW = "ProfilerStep*"


# -------------------------------------------------------------------- random


class RandomTrace:
    """The events of a process with a device, in any order."""

    def __init__(self, rng):
        self.rng = rng
        self.base = rng.choice([0, 1000, 4375870513570478, 1600000000000000000])
        self.length = rng.choice([50, 2000, 100000])
        self.events = []
        self.correlation = 0
        self.overlap = rng.random() < 0.4
        main = rng.randint(1, 99999)
        self.steps(main)
        for thread in [main] + list(range(200, 200 + rng.randint(0, 2))):
            self.thread(thread)
        self.launchless_kernels()
        rng.shuffle(self.events)
        events = [self.number(event) for event in self.events]
        self.value = {"traceEvents": events}
        if rng.random() < 0.8:
            self.value = {
                "schemaVersion": 1,
                "deviceProperties": [
                    {"id": 0, "name": "GPU", "totalGlobalMem": 1 << 34}
                ],
                **self.value,
                "displayTimeUnit": "ms",
                "traceName": "t.json",
            }

    def number(self, event):
        return {
            key: micros(self.rng, value) if key in ("ts", "dur") else value
            for key, value in event.items()
        }

    def complete(self, category, name, pid, tid, span, args):
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": pid,
                "tid": tid,
                "ts": self.base + span.start,
                "dur": span.duration,
                "args": args,
            }
        )

    def steps(self, tid):
        if self.rng.random() < 0.3:
            return
        at, number = 0, self.rng.choice([0, 7])
        while at < self.length:
            end = self.rng.randint(at + 1, at + self.length)
            self.complete(
                "user_annotation",
                STEP + str(number),
                1,
                tid,
                model.Span(at, end - at, ""),
                {},
            )
            number, at = number + 1, end + self.rng.choice([0, 3])

    def thread(self, tid):
        rng = self.rng

        def name(_, is_leaf):
            if is_leaf and rng.random() < 0.4:
                return LAUNCH
            return rng.choice(OPS + RANGES)

        spans = model.random_tree(rng, 0, self.length, 4, name)
        if self.overlap:
            model.overlap(rng, spans)
        for span in spans:
            if span.name == LAUNCH:
                self.launch(tid, span)
            elif span.name in RANGES:
                self.complete("user_annotation", span.name, 1, tid, span, {})
            else:
                args = {"External id": rng.randint(0, 9)}
                if rng.random() < 0.7:
                    args["Input Dims"] = [[rng.randint(1, 9)] * 2, []]
                if rng.random() < 0.1:
                    args["Module Hierarchy"] = "top(Net).fc(Linear)"
                self.complete("cpu_op", span.name, 1, tid, span, args)
        frames = model.random_tree(
            rng,
            0,
            self.length,
            3,
            lambda depth, is_leaf: rng.choice(FILES + MODULES),
        )
        for span in frames:
            self.complete(
                "python_function",
                span.name,
                1,
                tid,
                span,
                {"Python id": rng.randint(1, 99)},
            )
        for span in rng.sample(spans, min(3, len(spans))):
            self.events.append(
                {
                    "ph": "i",
                    "cat": "cpu_instant_event",
                    "name": "[memory]",
                    "s": "t",
                    "pid": 1,
                    "tid": tid,
                    "ts": self.base + span.start,
                    "args": {
                        "Bytes": rng.choice([-64, 64, 4096]),
                        "Addr": 5,
                        "Device Type": 0,
                        "Device Id": -1,
                    },
                }
            )

    def launch(self, tid, span):
        self.correlation += 1
        self.complete(
            "cuda_runtime",
            span.name,
            1,
            tid,
            span,
            {"correlation": self.correlation},
        )
        for _ in range(self.rng.choice([0, 1, 1, 1, 3])):
            self.kernel(span.start + self.rng.randint(0, 50), self.correlation)

    def kernel(self, start, correlation):
        stream = self.rng.choice([7, 11])
        category = self.rng.choice(
            ["kernel", "kernel", "gpu_memcpy", "gpu_memset"]
        )
        args = {"device": 0, "stream": stream, "correlation": correlation}
        span = model.Span(start, self.rng.randint(0, 99), "")
        self.complete(
            category,
            self.rng.choice(["k1", "void k<2>(int)"]),
            0,
            stream,
            span,
            args,
        )

    def launchless_kernels(self):
        for i in range(self.rng.choice([0, 0, 2])):
            self.kernel(self.rng.randint(0, self.length), 1000000 + i)


def make(rng):
    return write(rng, RandomTrace(rng).value).encode()


# --------------------------------------------------------------------- model


def expect(data):
    events = [e for e in read(data)["traceEvents"] if e["ph"] == "X"]
    threads, kernels, intervals, launches = {}, [], {}, {}
    for event in events:
        span = model.Span(
            nanos(event["ts"]), nanos(event["dur"]), event["name"]
        )
        category = event["cat"]
        if category in ("cpu_op", "user_annotation", "cuda_runtime"):
            threads.setdefault((event["pid"], event["tid"]), []).append(span)
            if span.name.startswith(STEP):
                intervals[int(span.name[len(STEP) :])] = (span.start, span.end)
            if category == "cuda_runtime":
                launches[event["args"]["correlation"]] = span
        elif category in ("kernel", "gpu_memcpy", "gpu_memset"):
            kernels.append((span, event["args"]["correlation"]))
    result = model.Expected(TICKS_PER_MICRO, sorted(intervals) or [0])
    result.lanes = len(threads) + 2
    for spans in threads.values():
        order = model.nest(spans)
        result.proper &= model.is_proper(order)
        model.merge_same_names(order)
        for span in order:
            span.step = step_of(intervals, span.start)
            if span.name.startswith(STEP):
                span.name = STEP_ROW
            if not span.merged:
                result.add_host(span)
    for span, correlation in kernels:
        launch = launches.get(correlation)
        start = launch.start if launch else span.start
        span.self_time = span.duration
        result.add_kernel(step_of(intervals, start), span)
        # Launches may overlap each other, and a step or a range inside of an
        # operation is none.
        while launch and launch.name in (LAUNCH, STEP_ROW, *RANGES):
            launch = launch.parent
        if launch and launch.name in OPS:
            result.launched[launch.name] = (
                result.launched.get(launch.name, 0) + span.duration
            )
    # Kernels of one stream may overlap here.
    result.proper = result.proper and not kernels
    return result


def step_of(intervals, time):
    return model.step_at(intervals, time) if intervals else 0
