"""Allocators and memory of devices against the reference of a trace."""

import collections
import hashlib


def check_memory(case, tables, reference):
    counters = {}
    for row in tables.get("trace_counters", []):
        # Processes may have allocators of one name.
        samples, peak, _, releases = counters.get(row["name"], (0,) * 4)
        counters[row["name"]] = (
            samples + row["samples"],
            max(peak, row["peak"]),
            row["last"],
            releases + row["releases"],
        )
    for name, expected in reference.get("allocators", {}).items():
        case.check(
            f"allocator {name}",
            counters.get(name, ())[:3],
            (
                expected["samples"],
                expected["peak_bytes_in_use"],
                expected["last"]["bytes_in_use"],
            ),
        )
    for name, expected in reference.get("device_memory", {}).items():
        found = counters.get(name)
        case.check(
            f"memory of {name}",
            found,
            (
                expected["allocs"] + expected["frees"],
                expected["peak"],
                expected["final_bytes"],
                expected["frees"],
            ),
        )
        case.check(
            f"leaks of {name}",
            (found[0] - 2 * found[3], found[2]),
            (expected["leaked"], expected["leaked_bytes"]),
        )


def check_numbers(case, tables, reference):
    """The numbers of allocators, and the walks over their chunks."""
    found = collections.defaultdict(dict)
    for row in tables.get("trace_allocators", []):
        event = row["event"].partition(":")[2]
        found[event, row["allocator"]][row["number"]] = row
    for name, expected in reference.get("allocators", {}).items():
        case.check(
            f"last numbers of {name}",
            last_of(found["bfc_allocator_stats", name], name),
            expected["last"],
        )
    chunks = reference.get("chunks")
    if chunks:
        name = chunks["last"]["allocator_name"]
        numbers = found["bfc_chunks_stats", name]
        case.check("last chunks", last_of(numbers, name), chunks["last"])
        wasted = numbers.get("total_wasted_bytes_in_use", {})
        case.check(
            "samples of chunks", wasted.get("samples"), chunks["samples"]
        )
        case.check(
            "most wasted bytes", wasted.get("most"), chunks["max_wasted_in_use"]
        )
    if "bins_samples" in reference:
        events = {row["event"]: row["count"] for row in tables["trace_events"]}
        case.check(
            "bins",
            events.get("tensorflowTracer:bfc_bins_stats"),
            reference["bins_samples"],
        )


def last_of(numbers, allocator):
    """The last numbers of an allocator, as the reference has them."""
    last = {name: row["last"] for name, row in numbers.items()}
    return {"allocator_name": allocator, **last}


def check_curves(case, events, reference):
    """Each sample of each allocator, by the hash of its curve."""
    if len(reference["hosts"]) > 1:
        return  # times of the other hosts are moved to the clock of the first
    for name, expected in reference.get("allocators", {}).items():
        curves = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "C" and event["name"] == name:
                curves[event["pid"], event["tid"]].append(
                    (event["ts"], event["args"]["value"])
                )
        if not curves:
            case.true(f"curve of {name}", False, "there is none")
            continue
        # Processes may have allocators of one name.
        samples = sorted(
            (sample for curve in curves.values() for sample in curve),
            key=lambda sample: sample[0],
        )
        text = "".join(
            f"{time - reference['first_ns']} {value}\n"
            for time, value in samples
        )
        case.check(
            f"curve of {name}",
            hashlib.sha256(text.encode()).hexdigest(),
            expected["curve_sha256"],
        )
        integral = sum(
            value * (after[0] - time)
            for (time, value), after in zip(samples, samples[1:])
        )
        case.check(
            f"integral of {name}", integral, expected["byte_ns_integral"]
        )
