"""The links that a trace file records, by a second and simple reader.

    links = recorded_links.read("trace.json.gz")
    # [(kind, (start, duration) of the one, the same of the other)]

Times count from the first linked event: in nanoseconds of JSON files, and in
picoseconds of XPlane files. There is one link of each kind between two events.

* Kineto: a call of the runtime launches the work with its `correlation`. An
  arrow of the category fwdbwd leads from the innermost operator that begins at
  its start to the one at its end; without arrows, from the last operator with a
  `Sequence number` to those that have it with a `Fwd thread id`. An operator
  that contains only one of the same name stands for both.
* Chrome: `s`, `t` and `f` with one category, name and id, in the order of time.
* XPlane: `correlation_id`, and `_pt`, `_p` to `_ct`, `_c`; marks of the tracer
  are no events.
"""

import collections
import decimal
import gzip
import json
import struct

from wire import fields, values

LAUNCHES = {
    "cuda_runtime",
    "cuda_driver",
    "Runtime",
    "mtia_runtime",
    "hip_runtime",
}
WORK = {
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "Kernel",
    "Memcpy",
    "Memset",
    "mtia_ccp_events",
}
OPERATORS = {"cpu_op", "Operator"}
GRADIENTS = {"fwdbwd", "forward_backward"}

MARKS = ("end: ", "ThreadpoolListener::")

# An event of a file: when it ran, and what else the rules need.
Event = collections.namedtuple(
    "Event", "start duration category args thread name"
)


def read(path):
    """The links of a file, sorted."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    if ".xplane.pb" in path:
        links = of_xspace(data)
    else:
        trace = json.loads(
            data.decode("utf-8", "replace"), strict=False, parse_float=str
        )
        kineto = isinstance(trace, dict) and (
            "schemaVersion" in trace or "deviceProperties" in trace
        )
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        links = of_kineto(events) if kineto else of_chrome(events)
    return from_first(links)


def from_first(links):
    """Makes the times of links count from the first of them, and sorts."""
    first = min((end[0] for link in links for end in link[1:]), default=0)
    return sorted(
        (kind, (a[0] - first, a[1]), (b[0] - first, b[1]))
        for kind, a, b in links
    )


def nanos(text):
    """Microseconds as written, cut after the nanosecond."""
    return int(decimal.Decimal(str(text)) * 1000)


def times(event):
    return (event.start, event.duration)


# ---- JSON


def slices_of(events):
    for event in events:
        if event.get("ph") == "X" and "ts" in event:
            start = nanos(event["ts"])
            yield Event(
                start,
                max(0, nanos(event.get("dur", 0))),
                event.get("cat", ""),
                event.get("args", {}),
                (event.get("pid"), event.get("tid")),
                event.get("name", ""),
            )


def of_kineto(events):
    slices = list(slices_of(events))
    calls = {}
    for event in slices:
        if event.category in LAUNCHES and "correlation" in event.args:
            calls.setdefault(event.args["correlation"], event)
    links = {
        ("launch", id(call), id(event)): ("launch", times(call), times(event))
        for event in slices
        if event.category in WORK
        for call in [calls.get(event.args.get("correlation"))]
        if call is not None and event.args["correlation"] != 0
    }
    operators = [e for e in slices if e.category in OPERATORS]
    stands = who_stands_for(slices)
    for one, other in of_arrows(events, operators) or of_numbers(operators):
        a, b = stands.get(id(one), one), stands.get(id(other), other)
        if a is not b:
            links["gradient", id(a), id(b)] = ("gradient", times(a), times(b))
    return list(links.values())


def who_stands_for(slices):
    """The operator for one of the same name inside of it, by its id()."""
    children = collections.defaultdict(list)
    threads = collections.defaultdict(list)
    for event in slices:
        if event.category in OPERATORS | LAUNCHES | {"user_annotation"}:
            threads[event.thread].append(event)
    for events in threads.values():
        around = []
        for event in sorted(events, key=lambda e: (e.start, -e.duration)):
            end = event.start + event.duration
            while around and around[-1].start + around[-1].duration < end:
                around.pop()
            if around:
                children[id(around[-1])].append((around[-1], event))
            around.append(event)
    # The outer ones come first, and stand for what is inside of the inner.
    stands = {}
    for family in children.values():
        parent, child = family[0]
        if len(family) == 1 and parent.name == child.name:
            stands[id(child)] = stands.get(id(parent), parent)
    return stands


def of_arrows(events, operators):
    """Pairs of operators whose begins are joined by arrows."""
    innermost = {}
    for event in operators:
        key = (event.thread, event.start)
        # Of two with the same times, the later one in the file is inside.
        if key not in innermost or event.duration <= innermost[key].duration:
            innermost[key] = event
    arrows = [e for e in events if e.get("cat") in GRADIENTS and "ts" in e]

    def operator_of(arrow):
        thread = (arrow.get("pid"), arrow.get("tid"))
        return innermost.get((thread, nanos(arrow["ts"])))

    begins = {}
    for arrow in arrows:
        if arrow["ph"] == "s" and operator_of(arrow):
            begins.setdefault(arrow["id"], operator_of(arrow))
    return [
        (begins[arrow["id"]], operator_of(arrow))
        for arrow in arrows
        if arrow["ph"] == "f" and arrow["id"] in begins and operator_of(arrow)
    ]


def of_numbers(operators):
    """Pairs of operators with the same number."""

    def is_backward(event):
        return event.args.get("Fwd thread id", 0) != 0

    forward = {}
    for event in operators:
        number = event.args.get("Sequence number", -1)
        if number < 0 or is_backward(event):
            continue
        last = forward.get(number, event)
        if (event.start, -event.duration) >= (last.start, -last.duration):
            forward[number] = event
    return [
        (forward[event.args["Sequence number"]], event)
        for event in operators
        if is_backward(event)
        and event.args.get("Sequence number") in forward
        and forward[event.args["Sequence number"]].start <= event.start
    ]


def of_chrome(events):
    threads = collections.defaultdict(list)
    for event in slices_of(events):
        threads[event.thread].append(event)
    arrows = collections.defaultdict(list)
    for event in events:
        if event.get("ph") not in ("s", "t", "f"):
            continue
        time = nanos(event["ts"])
        slices = threads[event.get("pid"), event.get("tid")]
        if event["ph"] == "f" and event.get("bp") != "e":
            later = [s for s in slices if s.start >= time]
            end = min(later, key=lambda s: (s.start, -s.duration), default=None)
        else:
            around = [
                s for s in slices if s.start <= time <= s.start + s.duration
            ]
            end = max(
                around, key=lambda s: (s.start, -s.duration), default=None
            )
        if end is not None:
            key = (event.get("cat"), event.get("name"), event.get("id"))
            arrows[key].append((time, end))
    links = set()
    for ends in arrows.values():
        ends.sort(key=lambda end: end[0])
        for (_, a), (_, b) in zip(ends, ends[1:]):
            if a is not b:
                links.add(("data", times(a), times(b)))
    return list(links)


# ---- XPlane


def number_of(value):
    """An int64 of a varint."""
    return value - (1 << 64) if value >> 63 else value


def stats_of(event, names):
    """The numbers of an event's statistics, by name."""
    found = {}
    for stat in values(event, 4):
        parts = {n: value for n, value, _ in fields(stat)}
        name = names.get(parts.get(1))
        for field in (3, 4):
            if field in parts:
                found[name] = parts[field]
        if 2 in parts:
            found[name] = struct.unpack("<d", parts[2])[0]
    return found


def names_of(plane, field):
    """The names of a map of metadata, by their numbers."""
    return {
        values(entry, 1)[0]: b"".join(
            values(b"".join(values(entry, 2)), 2)
        ).decode("utf-8", "replace")
        for entry in values(plane, field)
    }


def of_xspace(data):
    links = set()
    calls, work, ends = {}, [], collections.defaultdict(list)
    for plane in values(data, 1):
        name = b"".join(values(plane, 2)).decode()
        names = names_of(plane, 5)
        marks = {
            ident
            for ident, text in names_of(plane, 4).items()
            if text.startswith(MARKS)
        }
        for line in values(plane, 3):
            base = number_of((values(line, 3) or [0])[0]) * 1000
            for event in values(line, 4):
                if values(event, 1)[0] in marks:
                    continue
                facts = stats_of(event, names)
                start = base + number_of((values(event, 2) or [0])[0])
                at = (start, number_of((values(event, 3) or [0])[0]))
                if "correlation_id" in facts:
                    if name.startswith("/host:"):
                        calls.setdefault(facts["correlation_id"], at)
                    else:
                        work.append((facts["correlation_id"], at))
                for kind, role in (("_p", 0), ("_c", 1)):
                    if kind in facts:
                        flow = (facts.get(kind + "t", 0), facts[kind])
                        ends[flow].append((start, role, at))
    for correlation, at in work:
        if correlation in calls:
            links.add(("launch", calls[correlation], at))
    for flow in ends.values():
        flow.sort()
        producer = next((at for _, role, at in flow if role == 0), None)
        for _, role, at in flow:
            if role == 0:
                producer = at
            elif producer is not None:
                links.add(("data", producer, at))
    return list(links)
