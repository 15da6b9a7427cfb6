"""Random XSpaces as bytes, and what they add up to.

The model decodes the bytes again, field by field (../wire.py).
"""

import model
from wire import field, fields, map_entry, values

TICKS_PER_MICRO = 1000000

TYPES = ["MatMul", "BiasAdd", "_FusedConv2D", "Relu"]
OPCODES = ["fusion", "dot", "convert", "all-reduce"]
HOST = ["ExecutorState::Process", "EagerExecute: f"]
FRAMES = ["$train.py:%d step" % line for line in (1, 20)] + ["$builtins len"]
LAUNCH = "hipModuleLaunchKernel"
STEP = "train"
PROGRAM = 30
MODULE = "jit_f"
INSTRUCTIONS = 6


def instruction_name(number):
    return "%s.%d" % (OPCODES[number % len(OPCODES)], number)


def hlo_proto():
    instructions = b"".join(
        field(
            2,
            field(1, instruction_name(i))
            + field(2, OPCODES[i % len(OPCODES)])
            + field(7, field(2, "jit(f)/jvp(layer%d)/x" % (i // 2)))
            + field(35, i + 1),
        )
        for i in range(INSTRUCTIONS)
    )
    computation = field(1, "main") + instructions + field(5, 1) + field(6, 1)
    return field(
        1,
        field(1, MODULE)
        + field(2, "main")
        + field(3, computation)
        + field(5, PROGRAM)
        + field(6, 1),
    )


class Plane:
    """A plane that is being made; names get ids when they are first used."""

    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.lines = []
        self.events = {}
        self.stats = {}

    def event_id(self, name, display="", stats=b""):
        entry = self.events.setdefault(
            name,
            (self.rng.choice([1, 1000]) + len(self.events), display, stats),
        )
        return entry[0]

    def stat(self, name, value, number=4):
        """An XStat: a number, or text if it is one."""
        ident = self.stats.setdefault(name, len(self.stats) + 1)
        if isinstance(value, (str, bytes)):
            number = 5 if isinstance(value, str) else 6
        return field(1, ident) + field(number, value)

    def line(self, ident, name, spans):
        """`spans`: (Span, event id, [stat])."""
        nanos = self.rng.choice([0, 5000])
        events = [
            field(
                4,
                field(1, ident_of)
                + field(2, span.start - 1000 * nanos)
                + field(3, span.duration)
                + b"".join(field(4, stat) for stat in stats),
            )
            for span, ident_of, stats in spans
        ]
        self.rng.shuffle(events)
        self.lines.append(
            field(
                3,
                field(1, ident)
                + field(2, name)
                + field(3, nanos)
                + b"".join(events),
            )
        )

    def encode(self):
        head = field(1, 0) + field(2, self.name)
        metadata = [
            field(
                4,
                map_entry(
                    ident,
                    field(1, ident)
                    + field(2, name)
                    + (field(4, display) if display else b"")
                    + stats,
                ),
            )
            for name, (ident, display, stats) in self.events.items()
        ]
        metadata += [
            field(5, map_entry(ident, field(1, ident) + field(2, name)))
            for name, ident in self.stats.items()
        ]
        # The order does not matter: a reader resolves names at the end.
        parts = self.lines + metadata
        if self.rng.random() < 0.3:
            self.rng.shuffle(parts)
        return field(1, head + b"".join(parts))


# All times are behind the begin of a line.
BEGIN = 6000000


def host_plane(rng, length, launches):
    """`launches`: (start, correlation)."""
    plane = Plane(rng, "/host:CPU")
    at, number, steps = BEGIN, rng.choice([0, 7]), []
    while at < BEGIN + length and rng.random() < 0.8:
        end = rng.randint(at + 1, at + length)
        steps.append(
            (
                model.Span(at, end - at, STEP),
                plane.event_id(STEP),
                [plane.stat("step_num", number), plane.stat("_r", 1)],
            )
        )
        number, at = number + 1, end + rng.choice([0, 3])
    plane.line(1, "python", steps)
    overlaps = rng.random() < 0.4
    for thread in range(rng.randint(1, 2)):
        spans = model.random_tree(
            rng,
            BEGIN,
            BEGIN + length,
            4,
            lambda depth, is_leaf: rng.choice(TYPES + HOST + FRAMES),
        )
        if overlaps:
            model.overlap(rng, spans)
        events = []
        for span in spans:
            if span.name in TYPES:
                scope = rng.choice(["a", "a/b", "net/layer"])
                ident = plane.event_id(
                    "%s/op:%s" % (scope, span.name), span.name
                )
            else:
                ident = plane.event_id(span.name)
            stats = [
                plane.stat("id", rng.randint(0, 1 << 40), rng.choice([3, 4]))
            ] * rng.choice([0, 1])
            events.append((span, ident, stats))
        plane.line(100 + thread, "tf_Compute/%d" % (100 + thread), events)
    if launches:
        plane.line(
            2000,
            "Host Threads/2000",
            [
                (
                    model.Span(start, rng.randint(0, 9), LAUNCH),
                    plane.event_id(LAUNCH),
                    [plane.stat("correlation_id", correlation, 3)],
                )
                for start, correlation in launches
            ],
        )
    return plane


def tpu_plane(rng, length, ordinal, _):
    plane = Plane(rng, "/device:TPU:%d" % ordinal)
    spans = model.random_tree(
        rng,
        BEGIN,
        BEGIN + length,
        2,
        lambda depth, is_leaf: rng.randrange(INSTRUCTIONS),
    )
    events = []
    for span in spans:
        name = instruction_name(span.name)
        stats = field(5, plane.stat("program_id", PROGRAM)) + field(
            5, plane.stat("hlo_category", OPCODES[span.name % len(OPCODES)])
        )
        ident = plane.event_id(
            "%%%s = f32[2]{0} %s()" % (name, OPCODES[span.name % len(OPCODES)]),
            name,
            stats,
        )
        events.append(
            (
                span,
                ident,
                [
                    plane.stat("device_offset_ps", span.start, 3),
                    plane.stat("device_duration_ps", span.duration, 3),
                ],
            )
        )
    plane.line(3, "XLA Ops", events)
    return plane


def gpu_plane(rng, length, ordinal, launches):
    """Adds launches of some of its kernels."""
    plane = Plane(rng, "/device:GPU:%d" % ordinal)
    for stream in (13, 14):
        events, at = [], BEGIN
        for _ in range(rng.randint(0, 12)):
            span = model.Span(at, rng.randint(0, length), "")
            at = span.end + rng.choice([0, 5])
            number = rng.randrange(INSTRUCTIONS)
            stats = []
            if rng.random() < 0.8:
                stats = [
                    plane.stat("hlo_op", instruction_name(number)),
                    plane.stat("hlo_module", MODULE),
                    plane.stat("program_id", PROGRAM),
                ]
            if rng.random() < 0.8:
                correlation = 1000 * ordinal + 100 * stream + len(events)
                stats.append(plane.stat("correlation_id", correlation, 3))
                if rng.random() < 0.8:
                    launches.append(
                        (
                            max(BEGIN, span.start - rng.randint(0, length)),
                            correlation,
                        )
                    )
            events.append(
                (span, plane.event_id("kernel_%d.kd" % number), stats)
            )
        plane.line(stream, "Stream #%d(Kernel)" % stream, events)
    return plane


def make(rng):
    length = rng.choice([50, 2000, 10**9])
    planes, launches = [], []
    device = rng.choice([None, tpu_plane, gpu_plane])
    if device:
        planes += [
            device(rng, length, i, launches) for i in range(rng.randint(1, 2))
        ]
        metadata = Plane(rng, "/host:metadata")
        metadata.event_id(
            "%s(%d)" % (MODULE, PROGRAM),
            "",
            field(5, metadata.stat("Hlo Proto", hlo_proto())),
        )
        planes.append(metadata)
    planes.append(host_plane(rng, length, launches))
    rng.shuffle(planes)
    return b"".join(plane.encode() for plane in planes)


# --------------------------------------------------------------------- model


def one(message, number, default=0):
    return next(iter(values(message, number)), default)


def entries(plane, number):
    """{id: message} of a map."""
    return {
        one(entry, 1): one(entry, 2, b"") for entry in values(plane, number)
    }


def events_of(line, events, stats):
    """(Span, {stat: number}) of each event of a line."""
    for event in values(line, 4):
        metadata = events[one(event, 1)]
        name = (one(metadata, 4, b"") or one(metadata, 2)).decode()
        start = 1000 * one(line, 3) + signed(one(event, 2))
        known = {}
        for stat in values(event, 4):
            content = {n: value for n, value, _ in fields(stat)}
            known[one(stats[content[1]], 2).decode()] = content.get(
                4, content.get(3)
            )
        yield model.Span(start, one(event, 3), name), known


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def row_of(name):
    """The row of an execution in the op view."""
    if name.startswith("$"):
        return "python"
    head, dot, tail = name.rpartition(".")
    return head if dot and tail.isdigit() else name


def expect(data):
    host, device, intervals = [], [], {}
    launches, correlations = {}, {}  # {number: start}, {id of a Span: number}
    for plane in values(data, 1):
        name = one(plane, 2).decode()
        events, stats = entries(plane, 4), entries(plane, 5)
        for line in values(plane, 3):
            spans = list(events_of(line, events, stats))
            if name == "/host:CPU":
                for span, known in spans:
                    if "step_num" in known:
                        intervals[known["step_num"]] = (span.start, span.end)
                    if "correlation_id" in known:
                        launches[known["correlation_id"]] = span.start
                host.append([span for span, _ in spans])
            elif name.startswith("/device:"):
                for span, known in spans:
                    correlations[id(span)] = known.get("correlation_id")
                device.append((name, [span for span, _ in spans]))
    kernels = [
        (plane, line, span, launches.get(correlations.get(id(span))))
        for line, (plane, spans) in enumerate(device)
        if plane.startswith("/device:GPU")
        for span in spans
    ]
    behind = device_steps(intervals, kernels)
    result = model.Expected(TICKS_PER_MICRO, sorted(intervals) or [0])
    result.lanes = len(host) + len(device)
    for spans in host:
        order = model.nest(spans)
        result.proper &= model.is_proper(order)
        for span in order:
            span.step = step_of(intervals, span.start)
            if behind and span.name == STEP:
                continue  # steps are those of the devices
            span.name = row_of(span.name)
            result.add_host(span)
    for name, spans in device:
        for span in model.nest(spans):
            if name.startswith("/device:GPU"):
                span.self_time = span.duration  # kernels do not nest
            launch = launches.get(correlations.get(id(span)))
            step = None if launch is None else step_of(intervals, launch)
            if step is None:
                ran = behind if name.startswith("/device:GPU") else {}
                step = step_of(ran or intervals, span.start)
            result.add_kernel(step, span)
    return result


def device_steps(intervals, kernels):
    """When devices ran the steps, {number: (start, end)}, if most of their work
    ran outside of the step that launched it. Otherwise {}.

    `kernels` are (device, stream, span, time of the launch or None).
    """
    numbers = sorted(intervals, key=lambda number: intervals[number])
    launched, everything, inside = {}, 0, 0
    for device, stream, span, launch in kernels:
        step = model.step_at(intervals, launch) if launch is not None else None
        if step is None:
            continue
        launched.setdefault(step, []).append((device, stream, span))
        everything += span.duration
        start, end = intervals[step]
        inside += max(0, min(end, span.end) - max(start, span.start))
    if inside >= 0.7 * everything or len(launched) < len(numbers):
        return {}
    busy = {}
    for device, stream, span, _ in kernels:
        times = busy.setdefault(device, {})
        times[stream] = times.get(stream, 0) + span.duration
    leading = {device: max(of, key=of.get) for device, of in busy.items()}
    starts = []
    for number in numbers:
        of_step = [
            span.start
            for device, stream, span in launched[number]
            if number == numbers[0] or stream == leading[device]
        ]
        if not of_step:
            return {}
        starts.append(min(of_step))
    if starts[0] == min(span.start for _, _, span, _ in kernels):
        starts[0] = min(starts[0], intervals[numbers[0]][0])
    ends = [max(s.end for _, _, s in launched[number]) for number in numbers]
    beside = []
    for i in range(len(numbers) - 1):
        if starts[i + 1] >= starts[i]:
            beside.append(max(0, ends[i] - starts[i + 1]))
            ends[i] = starts[i + 1]
    if beside:
        beside.sort()
        middle = len(beside) // 2
        median = (
            beside[middle]
            if len(beside) % 2
            else (beside[middle - 1] + beside[middle]) // 2
        )
        ends[-1] = max(starts[-1], ends[-1] - median)
    return {n: (s, e) for n, s, e in zip(numbers, starts, ends)}


def step_of(intervals, time):
    return model.step_at(intervals, time) if intervals else 0
