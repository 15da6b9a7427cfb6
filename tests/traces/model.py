"""The sums of a trace, computed in the plainest way.

A model reads the file itself (kineto.py, xplane.py, chrome.py, ort.py) and
makes Expected from it. Times are integers in ticks; TICKS says how many are a
microsecond.
"""

import dataclasses

ALL = "all"


@dataclasses.dataclass
class Span:
    """An execution of a thread."""

    start: int
    duration: int
    name: str
    step: object = None  # A number; None: in no step.
    parent: object = None  # A Span.
    self_time: int = 0
    children: list = dataclasses.field(default_factory=list)
    merged: bool = False

    @property
    def end(self):
        return self.start + self.duration


@dataclasses.dataclass
class Expected:
    """Sums by step (a number, or ALL), and what limits them."""

    ticks_per_micro: int
    steps: list
    # {step: {op: [runs, host ticks]}}, for ops whose name the model knows.
    ops: dict = dataclasses.field(default_factory=dict)
    # {step: ticks of all executions of accelerators}
    accelerator: dict = dataclasses.field(default_factory=dict)
    # {op: ticks of the kernels that it launched}, over the whole file.
    launched: dict = dataclasses.field(default_factory=dict)
    # {step: ticks of everything with time}
    total: dict = dataclasses.field(default_factory=dict)
    # {step: (first start, last end)}
    extent: dict = dataclasses.field(default_factory=dict)
    lanes: int = 1
    # Executions are nested: none begins in another one and ends after it.
    proper: bool = True

    def add_host(self, span):
        for step in {ALL, span.step} - {None}:
            op = self.ops.setdefault(step, {}).setdefault(span.name, [0, 0])
            op[0] += 1
            op[1] += span.self_time
            self._add(step, span)

    def add_kernel(self, step, span):
        """An execution of an accelerator, with its self time."""
        for key in {ALL, step} - {None}:
            self.accelerator[key] = (
                self.accelerator.get(key, 0) + span.self_time
            )
            self._add(key, span)

    def _add(self, step, span):
        self.total[step] = self.total.get(step, 0) + span.self_time
        start, end = self.extent.get(step, (span.start, span.end))
        self.extent[step] = (min(start, span.start), max(end, span.end))

    def most(self, step):
        """The most that all lanes have in a step."""
        start, end = self.extent.get(step, (0, 0))
        return (end - start) * self.lanes


def nest(spans):
    """Sets parents, children and self times; returns the spans in order.

    In the order of starts, the longer first, then of the file, a span is inside
    the last one before it that contains it wholly. An empty one that begins
    where another one ends is not inside it.
    """
    order = sorted(spans, key=lambda s: (s.start, -s.duration))
    for i, span in enumerate(order):
        span.self_time = span.duration
        for outer in reversed(order[:i]):
            if span.end <= outer.end and span.start < outer.end:
                span.parent = outer
                outer.children.append(span)
                outer.self_time -= span.duration
                break
    for span in order:
        # Children that overlap each other may be longer than their parent.
        span.self_time = max(span.self_time, 0)
    return order


def merge_same_names(order):
    """An only child of the same name is a part of its parent."""
    for span in order:
        parent = span.parent
        if parent is None:
            continue
        if parent.merged:
            parent = span.parent = parent.parent
        if len(parent.children) == 1 and span.name == parent.name:
            span.merged = True
            span.parent = parent
            parent.children = span.children
            parent.self_time += span.self_time
            for child in span.children:
                child.parent = parent


def is_proper(order):
    """All of a thread's spans contain each other or lie apart."""
    last = None
    ends = []
    for span in order:
        while ends and ends[-1] <= span.start:
            ends.pop()
        if ends and span.end > ends[-1]:
            return False
        ends.append(span.end)
        last = span
    return last is not None or not order


def step_at(intervals, time):
    """The step whose interval contains a time, {number: (start, end)}."""
    for number, (start, end) in intervals.items():
        if start <= time < end:
            return number
    return None


def random_tree(rng, start, end, depth, name):
    """Spans that contain each other or lie apart, from `start` to `end`.

    name(depth, is_leaf) makes their names.
    """
    spans = []
    at = start
    while at < end and rng.random() < 0.8:
        begin = rng.randint(at, end)
        length = rng.choice([0, 1, rng.randint(0, end - begin)])
        length = min(length, end - begin)
        below = []
        if depth > 0 and length > 4:
            # Many executions have the same length: rules differ in ties.
            inset = rng.choice([0, 0, 1])
            below = random_tree(
                rng, begin + inset, begin + length - inset, depth - 1, name
            )
        spans.append(Span(begin, length, name(depth, not below)))
        spans += below
        at = begin + length + rng.choice([0, 1, 5])
    return spans


def overlap(rng, spans):
    """Moves some ends, so that spans overlap partly."""
    for span in spans:
        if rng.random() < 0.15:
            span.duration += rng.randint(0, 2 * span.duration + 20)
