"""Hosts with devices that record what they do.

A Job is a program on some Ranks. A Rank has one clock, which stands for the
thread that works; what its devices do is queued in streams. Times are
nanoseconds. There are two ways to run operations: one by one (`eager`), or as
one compiled program with a single call on the host.
"""

import contextlib
import dataclasses
import random

MICRO = 1000
BEGIN = 50_000_000  # of a recording on its own clock
MAIN, AUTOGRAD, EXECUTOR, WORKER, MEMORY = range(5)  # threads of a rank
COMPUTE, COMMUNICATION, COPY, SIDE = 7, 20, 24, 28  # streams of a device
COMPILED = ("jax", "tpu", "chrome")


@dataclasses.dataclass
class Span:
    """Something that a thread did."""

    kind: str  # "step", "frame", "range", "op", "call", "wait", "overhead"
    name: str
    thread: int
    start: int
    end: int
    step: int
    args: dict


@dataclasses.dataclass
class Work:
    """Something that a device did."""

    kind: str  # "kernel", "copy", "collective"
    path: str  # of the operation
    op: str  # a key of vocabulary.OPS; of copies the direction
    device: int
    stream: int
    start: int
    end: int
    step: int
    correlation: int
    program: int
    bytes: int = 0
    nominal: float = 0  # the microseconds that its shapes are for
    args: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Memory:
    """An allocation (or a release, if negative), and what is in use then."""

    time: int
    bytes: int
    in_use: int
    address: int
    step: int


class Job:
    """What all ranks have in common."""

    def __init__(self, name, form, ranks=1, devices=1, **options):
        self.rng = random.Random(name)
        self.form = form
        self.compiled = form in COMPILED
        self.layers = options.get("layers", 4)
        self.scale = options.get("scale", 1.0)  # of the model's kernels
        self.steps = options.get("steps", self.rng.randint(12, 18))
        self.first = options.get("first", 0 if form == "tf1" else 10)
        self.frames = options.get("frames", True)  # records Python functions
        self.eager = options.get("eager", False)  # no tf.function
        self.host_ops = options.get("host_ops", True)
        self.vendor = options.get("vendor", "NVIDIA")
        self.declared = options.get("declared", 0)  # devices of the machine
        self.launch = options.get("launch", 4.0)
        self.ahead = options.get("ahead", 6000)  # how far a host may run ahead
        self.waits = options.get("waits", True)  # for each step
        self.noise = options.get("noise", 0.02)
        self.speed = options.get("speed", lambda rank, device, step: 1.0)
        self.time = options.get("time", lambda rank, path, micros: micros)
        many = ranks > 1
        self.ranks = [
            Rank(self, r, [r % 8] if many else list(range(devices)))
            for r in range(ranks)
        ]

    def last(self, index):
        """Whether it is the last step."""
        return index == self.steps - 1


class Rank:
    """A process."""

    def __init__(self, job, index, devices):
        self.job = job
        self.rng = job.rng
        self.index = index
        self.devices = devices
        self.now = BEGIN + self.rng.randint(0, 20) * MICRO
        self.thread = MAIN
        self.step = -1
        self.spans, self.works = [], []
        self.memory, self.programs = [], []  # a program: its works
        self.free = {}  # {(device, stream): time}
        self.in_use = 0
        self.addresses = []
        self.program = 30
        self.function = "train_step"  # of which compiled programs are
        self.waits = []  # of streams for streams: (time, device, of, for)
        self._open = None  # the program that is being launched: (span, works)
        self._correlation = 5000 + 100000 * index

    def noisy(self, micros, spread=None):
        """A duration in nanoseconds."""
        spread = self.job.noise if spread is None else spread
        return max(
            1, round(micros * MICRO * self.rng.lognormvariate(0, spread))
        )

    # ---------------------------------------------------------------- host

    @contextlib.contextmanager
    def span(self, kind, name, **args):
        if kind not in ("op", "call"):
            self.end_program()
        span = Span(kind, name, self.thread, self.now, 0, self.step, args)
        self.spans.append(span)
        self.now += 200
        yield span
        if kind not in ("op", "call"):
            self.end_program()
        self.now += 200
        span.end = self.now

    def does(self, kind, name, micros, **args):
        with self.span(kind, name, **args):
            self.now += self.noisy(micros)

    def frame(self, file, line, function):
        return self.span("frame", function, file=file, line=line)

    def works_in(self, file, line, function, micros):
        """A Python function that takes a time of its own."""
        with self.frame(file, line, function):
            self.now += self.noisy(micros)

    def idles(self, micros):
        """Time in which the host records nothing."""
        self.end_program()
        self.now += self.noisy(micros)

    @contextlib.contextmanager
    def on(self, thread):
        before, self.thread = self.thread, thread
        yield
        self.thread = before

    @contextlib.contextmanager
    def in_step(self, number):
        self.step = number
        with self.span("step", "train", number=number):
            yield
        self.step = -1
        self.now += self.noisy(4)

    # ------------------------------------------------------------- devices

    def next_correlation(self):
        self._correlation += 1
        return self._correlation

    def queued_until(self, device, stream=COMPUTE):
        return self.free.get((device, stream), 0)

    def _call(self, name, micros, device, stream, thread):
        """The call that launches work; it blocks if the queue is full."""
        correlation = self.next_correlation()
        start = self.now
        end = start + self.noisy(micros)
        full = self.queued_until(device, stream) - self.job.ahead * MICRO
        end = max(end, full)
        self.spans.append(
            Span(
                "call",
                name,
                thread,
                start,
                end,
                self.step,
                {"correlation": correlation},
            )
        )
        return correlation, end

    def op(self, path, kind, micros, devices=None, stream=COMPUTE, after=None):
        """Runs an operation on each device; returns its works.

        `after`: a stream that must have finished what it has so far.
        """
        if self.job.compiled:
            self._begin_program()
        works, ends, start = [], [], self.now
        op_span = None
        if not self.job.compiled and self.job.host_ops:
            op_span = Span("op", path, self.thread, start, 0, self.step, {})
            op_span.args = {"op": kind, "nominal": micros}
            self.spans.append(op_span)
        launch = 1.5 if self.job.compiled else self.job.launch
        for device in self.devices if devices is None else devices:
            self.now = start + (300 if self.job.compiled else 1000)
            thread = self.thread if device == self.devices[0] else 100 + device
            correlation, end = self._call(
                "cudaLaunchKernel", launch, device, stream, thread
            )
            ends.append(end)
            begin = max(
                end + self.noisy(2.5), self.queued_until(device, stream) + 900
            )
            if self.job.form == "tpu":
                begin = max(end, self.queued_until(device, stream) + 20)
            if after is not None:
                begin = max(begin, self.queued_until(device, after) + 1500)
            wanted = self.job.time(self, path, micros)
            taken = self.noisy(
                wanted * self.job.speed(self.index, device, self.step)
            )
            works.append(
                Work(
                    "kernel",
                    path,
                    kind,
                    device,
                    stream,
                    begin,
                    begin + taken,
                    self.step,
                    correlation,
                    self.program,
                    nominal=micros,
                )
            )
            self.free[device, stream] = begin + taken
        self.now = max(ends) + (100 if self.job.compiled else 800)
        if op_span:
            op_span.end = self.now
            self.now += 400
        self._add(works)
        return works

    def _add(self, works):
        self.works += works
        if self._open:
            self._open[1].extend(works)

    def copy(self, path, way, micros, size, pinned=True, stream=COMPUTE):
        """A copy; of memory that is not pinned, the host waits for it."""
        if self.job.compiled:
            self._begin_program()
        for device in self.devices:
            start = self.now
            self.now += 800
            correlation, end = self._call(
                "cudaMemcpyAsync", 4, device, stream, self.thread
            )
            begin = max(end + self.noisy(2), self.queued_until(device, stream))
            work = Work(
                "copy",
                path,
                way,
                device,
                stream,
                begin,
                begin + self.noisy(micros),
                self.step,
                correlation,
                self.program,
                bytes=size,
                args={"pinned": pinned},
            )
            self.free[device, stream] = work.end
            self.now = end + 500
            call = self.spans[-1]
            if not pinned:
                call.end = max(call.end, work.end + 2 * MICRO)
                self.now = call.end + 500
            if not self.job.compiled and self.job.host_ops:
                self.spans.append(
                    Span(
                        "op",
                        path,
                        self.thread,
                        start,
                        self.now,
                        self.step,
                        {"op": way, "nominal": 0, "bytes": size},
                    )
                )
            self._add([work])
        return work

    def wait(self, name="cudaDeviceSynchronize", stream=None):
        """Waits for the devices."""
        self.end_program()
        ends = [
            time
            for (_, of), time in self.free.items()
            if stream is None or of == stream
        ]
        with self.span("wait", name, correlation=self.next_correlation()):
            self.now = max([self.now + MICRO] + [e + 3 * MICRO for e in ends])

    def stream_waits(self, of, stream):
        """Work of a stream begins only after all that another one has."""
        for device in self.devices:
            until = self.queued_until(device, stream)
            mine = self.queued_until(device, of)
            self.waits.append((max(mine, self.now), device, of, stream))
            self.free[device, of] = max(mine, until)
        for name in ("cudaEventRecord", "cudaStreamWaitEvent"):
            self.does("wait", name, 1, correlation=self.next_correlation())

    # ------------------------------------------------------------ programs

    def _begin_program(self):
        if self._open is None:
            span = Span(
                "execute",
                self.function,
                self.thread,
                self.now,
                0,
                self.step,
                {},
            )
            self.spans.append(span)
            self.now += self.noisy(30)
            self._open = (span, [])

    def end_program(self):
        """Ends the call that launched a compiled program."""
        if self._open is None:
            return
        span, works = self._open
        self._open = None
        self.now += self.noisy(8)
        span.end = self.now
        self.programs.append(works)

    # -------------------------------------------------------------- memory

    def allocate(self, size):
        address = 0x7F0000000000 + 512 * self.rng.randrange(1 << 24)
        self._remember(size, address)
        return address

    def release(self, size, address):
        self._remember(-size, address)

    def _remember(self, change, address):
        self.in_use += change
        self.now += 150
        self.memory.append(
            Memory(self.now, change, self.in_use, address, self.step)
        )


def collective(job, path, kind, micros, size, exposed=True, late=1.0):
    """All devices take part; it ends for all when the last one has joined.

    Kernels wait for it if it is `exposed`.
    """
    works = []
    stream = COMPUTE if job.form == "tpu" else COMMUNICATION
    for rank in job.ranks:
        before = len(rank.works)
        rank.op(path, kind, 1, stream=stream, after=COMPUTE)
        works += [(rank, work) for work in rank.works[before:]]
    last = max(work.start for _, work in works)
    for rank, work in works:
        work.kind, work.bytes = "collective", size
        work.end = last + rank.noisy(micros * late, 0.01)
        rank.free[work.device, stream] = work.end
        if exposed:
            rank.free[work.device, COMPUTE] = work.end
    return works
