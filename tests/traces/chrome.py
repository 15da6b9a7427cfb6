"""Random chrome traces of no tool, and what they add up to."""

import model
from json_text import micros, nanos, read, write

TICKS_PER_MICRO = 1000

NAMES = ["main", "f", "g/h", 'with "quotes"', "\u00e9t\u00e9", "f (a.py:3)"]


def make(rng):
    events, base = [], rng.choice([0, 4375870513570478])
    length = rng.choice([50, 100000])
    overlaps = rng.random() < 0.4
    for tid in rng.sample([1, 2, 1 << 40], rng.randint(1, 3)):
        spans = model.random_tree(
            rng,
            base,
            base + length,
            4,
            lambda depth, is_leaf: rng.choice(NAMES),
        )
        if overlaps:
            model.overlap(rng, spans)
        for span in spans:
            events += slice_events(rng, tid, span)
        if rng.random() < 0.3:
            # An end without a begin, and a begin without an end.
            events.append(event(rng, "E", tid, NAMES[0], base))
            events.append(event(rng, "B", tid, NAMES[1], base + length))
        events.append(event(rng, "i", tid, "moment", base))
    if rng.random() < 0.3:
        rng.shuffle(events)
    value = (
        events
        if rng.random() < 0.5
        else {"traceEvents": events, "displayTimeUnit": "ns"}
    )
    return write(rng, value).encode()


def event(rng, phase, tid, name, time, **more):
    return {
        "ph": phase,
        "pid": 5,
        "tid": tid,
        "name": name,
        "ts": micros(rng, time),
        **more,
    }


def slice_events(rng, tid, span):
    if rng.random() < 0.6:
        return [
            event(
                rng,
                "X",
                tid,
                span.name,
                span.start,
                cat="work",
                dur=micros(rng, span.duration),
                args={"n": 1},
            )
        ]
    return [
        event(rng, "B", tid, span.name, span.start),
        event(rng, "E", tid, span.name, span.end),
    ]


# --------------------------------------------------------------------- model


def matched(marks, end_of_trace):
    """The spans of begins and ends: (time, Span or None for an end)."""
    spans, opened = [], []
    for time, span in sorted(marks, key=lambda mark: mark[0]):
        if span:
            spans.append(span)
            opened.append(span)
        elif opened:
            begun = opened.pop()
            begun.duration = time - begun.start
    for span in opened:
        span.duration = end_of_trace - span.start
    return spans


def expect(data):
    value = read(data)
    events = value["traceEvents"] if isinstance(value, dict) else value
    tracks, last = {}, 0
    for item in events:
        start = nanos(item["ts"])
        duration = nanos(item.get("dur", 0)) if item["ph"] == "X" else 0
        span = model.Span(start, duration, item["name"])
        last = max(last, span.end)
        track = item.get("pid"), item.get("tid")
        tracks.setdefault(track, []).append((item["ph"], span))
    result = model.Expected(TICKS_PER_MICRO, [0])
    result.lanes = len(tracks)
    for track in tracks.values():
        spans = [span for phase, span in track if phase == "X"]
        spans += matched(
            [
                (span.start, span if phase == "B" else None)
                for phase, span in track
                if phase in "BE"
            ],
            last,
        )
        order = model.nest(spans)
        result.proper &= model.is_proper(order)
        for span in order:
            span.step = 0
            result.add_host(span)
    return result
