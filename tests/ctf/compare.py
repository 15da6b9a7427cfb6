#!/usr/bin/env python3
"""Compares tfprof with the reference numbers of a corpus of CTF traces.

    compare.py --bin PROGRAM [--corpus FOLDER] [CASE ...]

A case is a folder with `trace/` and `reference.json`. Its numbers are compared
with the tables of `status -output json`. What the scripts of the LTTng profiler
printed (`original/`) is compared with the outputs of their names. The cases of `broken/` must end
without a crash or a hang, and with status 1 where damage can be detected.
Without the corpus the program says so and ends with status 0. Writes JUnit XML
to $XML_OUTPUT_FILE, with a test for each case.
"""

import argparse
import collections
import decimal
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

TIMEOUT = 120
# Damage that leaves valid data: nothing tells that it is damage.
UNDETECTABLE = {
    "flip_1",
    "flip_2",
    "flip_5",
    "same_trace_twice",
    "stream_empty",
    "string_without_end",
}


class Failure(Exception):
    """The program did not answer."""


def status_tables(program, *paths):
    """The tables of the command `status`, by name, as lists of dicts."""
    command = [program, *paths, "status", "-output", "json"]
    run = subprocess.run(
        command, capture_output=True, timeout=TIMEOUT, check=False
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"status {run.returncode}: {run.stderr[:300]!r}")
    document = json.loads(run.stdout)
    return collect_tables(document)


def collect_tables(value, tables=None):
    """Finds all tables with columns and rows, at any depth."""
    tables = {} if tables is None else tables
    if isinstance(value, dict):
        for key, member in value.items():
            if key.startswith("trace") and "rows" in member:
                tables[key] = member["rows"]
            else:
                collect_tables(member, tables)
    elif isinstance(value, list):
        for member in value:
            collect_tables(member, tables)
    return tables


class Case:
    """Counts what agrees for one case."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = []

    def check(self, what, found, expected):
        if found == expected:
            self.passed += 1
        else:
            self.failed.append(f"{what}: found {found!r}, not {expected!r}")

    def true(self, what, condition, detail=""):
        if condition:
            self.passed += 1
        else:
            self.failed.append(f"{what} {detail}")


def by(rows, key, *values):
    """Rows as a dict from one column to a tuple of others, or to one."""
    pick = lambda row: (
        row.get(values[0])
        if len(values) == 1
        else tuple(row.get(v) for v in values)
    )
    return {row[key]: pick(row) for row in rows or []}


def sums_of(reference):
    return {
        name: (s["count"], s["total_ns"], s["min_ns"], s["max_ns"])
        for name, s in reference.items()
    }


def check_ops(case, tables, reference):
    sums = ("count", "total_ns", "min_ns", "max_ns")
    case.check(
        "ops",
        {
            # The reference was made from a text that shows ESC as "\\e".
            name.replace("\x1b", "e"): value
            for name, value in by(
                tables.get("trace_ops"), "name", *sums
            ).items()
        },
        sums_of(reference["ops"]),
    )
    case.check(
        "async ops",
        by(tables.get("trace_async_ops"), "name", *sums),
        sums_of(reference.get("async_ops", {})),
    )
    unpaired = tables.get("trace_unpaired", [])
    for column, key in (
        ("unfinished", "ops_unfinished"),
        ("ends_without_start", "op_ends_without_start"),
    ):
        found = {r["name"]: r[column] for r in unpaired if r[column]}
        case.check(key, found, reference[key])


def check_threads(case, tables, reference):
    busy = {}
    for row in tables.get("trace_threads", []):
        if row["op_busy_ns"]:
            key = row["thread"].replace("-1/", "None/")
            busy[key] = busy.get(key, 0) + row["op_busy_ns"]
    expected = {k: v for k, v in reference["thread_busy_ns"].items() if v}
    # Threads of hosts have the host before them where there are several.
    found = sorted(busy.values())
    case.check("busy threads", found, sorted(expected.values()))


def check_activities(case, tables, reference):
    rows = tables.get("trace_activities", [])
    for key, kind in (
        ("cudaTracer:kernel", "cudaTracer:kernel"),
        ("cudaTracer:memcpy", "cudaTracer:copy"),
        ("hcTracer:kernel", "hcTracer:kernel"),
        ("interceptionTracer:kernel", "interceptionTracer:kernel"),
        ("hcTracer:kernel_log", "hcTracer:kernel"),
    ):
        if key not in reference:
            continue
        found = {
            row["name"]: (
                row["count"],
                row["total_ns"],
                row["min_ns"],
                row["max_ns"],
            )
            for row in rows
            if row["work"] == kind
        }
        case.check(key, found, sums_of(reference[key]["per_name"]))
    if "opencl" in reference:
        found = {
            row["name"]: (
                row["count"],
                row["total_ns"],
                row["min_ns"],
                row["max_ns"],
            )
            for row in rows
            if row["work"] == "openclTracer:kernel"
        }
        case.check(
            "kernels", found, sums_of(reference["opencl"]["per_kernel"])
        )


def check_attribution(case, tables, reference, minimum):
    truth = reference.get("opencl", {}).get("per_op_true")
    if not truth:
        return
    found = by(tables.get("trace_kernels_of_ops"), "op", "count", "total_ns")
    right = sum(
        min(found.get(op, (0, 0))[0], s["count"]) for op, s in truth.items()
    )
    wrong = sum(
        max(0, count - truth.get(op, {"count": 0})["count"])
        for op, (count, _) in found.items()
        if op
    )
    total = sum(s["count"] for s in truth.values())
    case.kernels = (right, wrong, total)
    case.true(
        "kernels of the wrong op", wrong == 0, f"{wrong} of {total}"
    )
    case.true(
        "kernels of their op", right >= minimum * total, f"{right} of {total}"
    )
    for op, sums in truth.items():
        if found.get(op, (0, 0))[0] == sums["count"]:
            case.check(
                f"device time of {op}", found[op][1], sums["total_ns"]
            )


def check_clocks(case, tables, reference):
    clock = reference.get("opencl", {}).get("clock")
    rows = tables.get("trace_clocks", [])
    if clock:
        device = [r for r in rows if r["clock"].startswith("device")]
        case.true("a device clock", len(device) == 1, str(len(device)))
        for row in device[:1]:
            slack = 100
            width = clock["offset_high_ns"] - clock["offset_low_ns"]
            # Bounds by the calls of single commands hold for certain; those of
            # a vote of all may be narrower.
            case.true(
                "width of the clock's bounds",
                row["width_ns"] <= width
                or (row["rule"], clock["how"]) == ("correlation", "voting"),
                f"{row['width_ns']} > {width} ({row['rule']})",
            )
            shift = clock.get("shift_if_device_clock_is_monotonic_raw_ns")
            if shift is not None:
                case.true(
                    "true shift in the bounds",
                    row["low_ns"] - slack <= shift <= row["high_ns"] + slack,
                    f"{row['low_ns']} {shift} {row['high_ns']}",
                )
    if "clock" in reference:
        expected = reference["clock"]
        hosts = [r for r in rows if not r["clock"].startswith("device")]
        case.true("a host clock", len(hosts) == 1, str(len(hosts)))
        for row in hosts[:1]:
            case.check(
                "bounds of the host",
                (row["low_ns"], row["high_ns"]),
                (expected["bound_low_ns"], expected["bound_high_ns"]),
            )


def check_rest(case, tables, reference):
    requests = reference.get("recv_tensor")
    if requests:
        row = (tables.get("trace_requests") or [{}])[0]
        for key in (
            "requests",
            "answered",
            "round_trip_total_ns",
            "prepare_total_ns",
        ):
            case.check(f"recv_tensor {key}", row.get(key), requests[key])
    counters = {}
    for row in tables.get("trace_counters", []):
        # Processes may have allocators of one name.
        samples, peak, _ = counters.get(row["name"], (0, 0, 0))
        counters[row["name"]] = (
            samples + row["samples"],
            max(peak, row["peak"]),
            row["last"],
        )
    for name, expected in reference.get("allocators", {}).items():
        case.check(
            f"allocator {name}",
            counters.get(name),
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
            ),
        )


def script_answer(program, name, *paths):
    """What `status` prints as the file of an old script, as lines."""
    run = subprocess.run(
        [program, *paths, "status", "-output", name],
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"{name} {run.returncode}: {run.stderr[:300]!r}")
    return run.stdout.decode().split("\n")


def split_means(lines):
    """Lines of trace_analysis as intervals and as (name, count) → mean."""
    intervals = collections.Counter()
    means = {}
    module = ""
    for line in lines:
        if line.startswith("MODULE;"):
            module = line
        if line.startswith(";;"):
            name, mean, count = line[2:].rsplit(";", 2)
            means[module, name, int(count)] = float(mean)
        else:
            intervals[module, line] += 1
    return intervals, means


def check_trace_analysis(case, program, folder):
    codes = os.path.join(folder, "original", "exit_codes.txt")
    if not os.path.exists(codes):
        return
    codes = open(codes).read()
    # Where the original failed, it failed.
    which = "sorted" if "sort_events.py rc 1" not in codes else "recorded"
    if f"trace_analysis {which} rc 0" not in codes:
        return
    path = os.path.join(folder, "original", f"stats_{which}.csv")
    found, means = split_means(
        script_answer(program, "trace_analysis", os.path.join(folder, "trace"))
    )
    expected, expected_means = split_means(open(path).read().split("\n"))
    if case.name == "nested_unfinished":
        # The original gives the end of a later session to 20 starts, as the
        # rules of the corpus say: ends are the same, the starts are not.
        ends = lambda rows: sorted(line.split(";")[1:3] for _, line in rows)
        ours, theirs = found - expected, expected - found
        case.check("trace_analysis: wrong ones", len(theirs), 20)
        case.check("trace_analysis: their ends", ends(ours), ends(theirs))
        return
    case.check("trace_analysis: intervals", found, expected)
    case.check("trace_analysis: names", means.keys(), expected_means.keys())
    # The original adds up means, which costs it the last digits.
    case.true(
        "trace_analysis: means",
        all(
            abs(means.get(key, 0) - mean) <= 1e-12 * mean
            for key, mean in expected_means.items()
        ),
    )


def indexed_readers(path):
    """Nodes of a text graph with inputs that the original did not know."""
    readers = set()
    name = None
    for line in open(path):
        word, _, value = line.strip().partition(": ")
        value = value.strip('"')
        if word == "name":
            name = value
        elif word == "input" and (":" in value or value.startswith("^")):
            readers.add(name)
    return readers


def check_latencies(case, program, folder):
    path = os.path.join(folder, "original", "latencies.csv")
    if not os.path.exists(path):
        return
    run = os.path.join(folder, "run")
    found = script_answer(
        program,
        "operations_latency_analysis",
        os.path.join(run, "graph.pb"),
        os.path.join(folder, "trace"),
    )
    expected = open(path).read().split("\n")
    unknown = indexed_readers(os.path.join(run, "graph_nodes.pbtxt"))
    plain = lambda lines: [
        line for line in lines if line and line.split(";")[1] not in unknown
    ]
    case.check("latencies", plain(found), plain(expected))
    # The others waited for one input more, so they waited no longer for it.
    by_op = lambda lines: {
        tuple(line.split(";")[:2]): int(line.split(";")[2])
        for line in lines[1:]
        if line and line not in plain(lines)
    }
    latencies, originals = by_op(found), by_op(expected)
    case.true("latencies with all inputs", bool(originals))
    for key, original in originals.items():
        case.true(
            f"latency of {key}",
            latencies.get(key, original + 1) <= original,
            f"{latencies.get(key)} > {original}",
        )


def json_table(program, paths, *command):
    """The rows of a command with one table, as dicts."""
    run = subprocess.run(
        [program, *paths, *command, "-output", "json"],
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"{command} {run.returncode}: {run.stderr[:300]!r}")
    return json.loads(run.stdout)


# Of AMD's counters these have means, the others sums.
MEANS = ("CacheHit", "Insts")


def check_counters(case, program, folder, tables, reference):
    """The sums of counters over all kernels, in each view and of devices."""
    expected = reference.get("counters")
    if not expected:
        return
    trace = os.path.join(folder, "trace")
    found = by(tables.get("trace_kernel_counters"), "name", "kernels", "sum")
    case.check(
        "counters",
        {name: (n, float(total)) for name, (n, total) in found.items()},
        {name: (s["samples"], s["sum"]) for name, s in expected.items()},
    )
    wanted = {
        name: s["sum"] / s["samples"] if name.endswith(MEANS) else s["sum"]
        for name, s in expected.items()
    }
    close = lambda found, value: (
        found is not None and abs(found - value) <= 1e-9 * abs(value)
    )
    for view in ("scope", "graph"):
        rows = json_table(
            program, [trace], view, "-step", "all", "-max_depth", "1"
        )["rows"]
        for name, value in wanted.items():
            got = rows[0].get(f"total_counter_{name}")
            case.true(f"{view}: {name}", close(got, value), f"{got} {value}")
    rows = json_table(
        program, [trace], "op", "-step", "all", "-max_depth", "100"
    )["rows"]
    for name, value in wanted.items():
        if name.endswith(MEANS):
            continue
        got = sum(row.get(f"counter_{name}") or 0 for row in rows)
        case.true(f"op: {name}", close(got, value), f"{got} {value}")
    rows = json_table(program, [trace], "devices")["rows"]
    has_kernels = "interceptionTracer:kernel" in reference
    for name, value in wanted.items():
        got = [row.get(f"counter_{name}") for row in rows]
        got = [number for number in got if number is not None]
        case.true(
            f"devices: {name}",
            len(got) == 1 and close(got[0], value) if has_kernels else not got,
            f"{got} {value}",
        )


def check_intercepted(case, program, folder):
    """The counters of one run for the kernels of another."""
    path = os.path.join(folder, "original", "pc_stats.csv")
    if not os.path.exists(path):
        return
    times = os.path.join(os.path.dirname(folder), "hsa_times", "trace")
    found = script_answer(
        program,
        "perfcounters_interception_analysis",
        os.path.join(folder, "trace"),
        times,
    )
    found = [line.split(";") for line in found if line]
    expected = [line.split(";") for line in open(path).read().split("\n") if line]
    case.check("pc_stats: columns", found[0], expected[0])
    # Index and kernel. The original counts the sessions of both runs, and its
    # ticks begin at the last event about hsa_init, not at the first one.
    what = lambda rows: [(row[0], row[2]) for row in rows[1:]]
    case.check("pc_stats: kernels", what(found), what(expected))
    shifts = {
        int(theirs[1]) - int(ours[1])
        for ours, theirs in zip(found[1:], expected[1:])
    }
    case.true("pc_stats: one shift", len(shifts) == 1, str(shifts))
    # The original gives the i-th set to the i-th kernel, whatever their names.
    sums = lambda rows, column: sum(float(row[column]) for row in rows[1:])
    for column in range(9, len(expected[0])):
        case.check(
            f"pc_stats: sum of {expected[0][column]}",
            sums(found, column),
            sums(expected, column),
        )
    values = lambda rows: sorted(row[5:] for row in rows[1:])
    case.check("pc_stats: sets", values(found), values(expected))


def check_perfcounters(case, program, folder):
    """The rows of the original, from a CSV as its profiler wrote it."""
    path = os.path.join(folder, "original", "perfcounters.csv")
    if not os.path.exists(path):
        return
    expected = open(path).read()
    columns = (
        "Method , ExecutionOrder , ThreadID , GlobalWorkSize , WorkGroupSize , "
        "LocalMemSize , VGPRs , SGPRs , Wavefronts , VALUInsts , SALUInsts , "
        "VFetchInsts , SFetchInsts , VWriteInsts , FlatVMemInsts , "
        "FlatLDSInsts , FetchSize , WriteSize , CacheHit"
    )
    lines = ["# ProfileFileVersion=3.0"] * 9 + [columns]
    for row in expected.strip().split("\n"):
        cells = [cell.strip() for cell in row.split("|")[5:]]
        cells[0] += "_gfx803"
        lines.append(" , ".join(cells))
    with tempfile.TemporaryDirectory() as scratch:
        csv = os.path.join(scratch, "counters.csv")
        with open(csv, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        trace = os.path.join(folder, "trace")
        found = script_answer(program, "perfcounters_analysis", trace, csv)
        case.check("perfcounters", "\n".join(found).strip(), expected.strip())
        rows = json_table(
            program, [trace, csv], "scope", "-step", "all", "-max_depth", "1"
        )["rows"]
        for column, name in ((13, "Wavefronts"), (21, "FetchSize")):
            total = sum(
                float(row.split("|")[column])
                for row in expected.strip().split("\n")
            )
            got = rows[0].get(f"total_counter_{name}")
            case.true(f"scope: {name}", got == total, f"{got} {total}")


def timeline_events(program, *paths):
    """The events of `timeline`, with times in nanoseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.json")
        run = subprocess.run(
            [program, *paths, "timeline", "-output", f"chrome:outfile={path}"],
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if run.returncode not in (0, 1) or not os.path.exists(path):
            raise Failure(f"timeline {run.returncode}: {run.stderr[:300]!r}")
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            events = json.load(text, parse_float=decimal.Decimal)["traceEvents"]
    for event in events:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = int(event[key] * 1000)
    return events


def check_kernel_list(case, events, reference, own):
    """The op of each single kernel, not only how many kernels an op has."""
    kernels = reference.get("opencl", {}).get("kernel_list")
    if not kernels or "op_true" not in kernels[0]:
        return
    lanes = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name"
        and " kernels" in event["args"]["name"]
    }
    found = sorted(
        (event["ts"], event["dur"], event["args"].get("node"))
        for event in events
        if event["ph"] == "X" and (event["pid"], event["tid"]) in lanes
    )
    expected = sorted(
        (k["begin"], k["end"] - k["begin"], k["op_true"]) for k in kernels
    )
    case.check("number of kernels", len(found), len(expected))
    case.check(
        "duration of each kernel",
        [kernel[1] for kernel in found],
        [kernel[1] for kernel in expected],
    )
    shifts = {f[0] - e[0] for f, e in zip(found, expected)}
    case.true("one shift for all kernels", len(shifts) == 1, str(len(shifts)))
    wrong = [
        (f, e)
        for f, e in zip(found, expected)
        if f[2] is not None and f[2] != e[2]
    ]
    case.true("op of each kernel", not wrong, str(wrong[:2]))
    unknown = sum(f[2] is None for f in found)
    case.true(
        "kernels without an op",
        unknown == 0 if own else unknown <= 0.12 * len(found),
        f"{unknown} of {len(found)}",
    )


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


def check_calls(case, tables, reference):
    sums = ("count", "total_ns")
    found = by(tables.get("trace_calls"), "call", *sums)
    for call, expected in reference.get("api_calls", {}).items():
        case.check(
            f"calls of {call}",
            found.get(call),
            (expected["count"], expected["total_ns"]),
        )
    for call, expected in reference.get("cuda_api", {}).items():
        name = "cudaTracer:" + call.split()[1]
        case.check(
            f"calls of {call}",
            found.get(name),
            (expected["count"], expected["total_ns"]),
        )
    pool = reference.get("hsa_pool")
    if pool:
        row = {r["name"]: r for r in tables.get("trace_counters", [])}.get(
            "hsaTracer", {}
        )
        case.check(
            "hsa_pool",
            (row.get("samples"), row.get("peak"), row.get("last")),
            (
                pool["allocs"] + pool["frees"],
                pool["peak_bytes"],
                pool["final_bytes"],
            ),
        )


def check_run_metadata(case, program, folder, reference):
    """The same step as CTF and as RunMetadata gives the same reports."""
    if "run_metadata" not in reference:
        return
    run = os.path.join(folder, "run")
    graph = os.path.join(run, "graph.pb")
    for number, session in enumerate(reference["sessions"]):
        step = str(session["count"])
        for view in (
            ["scope"],
            ["graph", "-max_depth", "4"],
            ["op"],
            ["op", "-select", "micros,cpu_micros,occurrence,device,op_types"],
            ["scope", "-select", "micros,occurrence,device,op_types"],
        ):
            reports = [
                subprocess.run(
                    [program, graph, run_file, *view, "-step", step],
                    capture_output=True,
                    timeout=TIMEOUT,
                    check=False,
                ).stdout
                for run_file in (
                    os.path.join(folder, "trace"),
                    f"{step}:{run}/run_meta_{number}.pb",
                )
            ]
            case.true(
                f"step {step}: {' '.join(view)}",
                reports[0] == reports[1] and len(reports[0]) > 100,
            )


def check_live_nodes(case, program, folder, reference):
    """How many nodes of the RunMetadata of a step are in its trace."""
    if "live_against_run_metadata" not in reference:
        return
    run = os.path.join(folder, "run")
    with open(os.path.join(run, "against_trace.json"), encoding="utf-8") as text:
        steps = json.load(text)
    graph = os.path.join(run, "graph.pb")

    def nodes_that_ran(run_file, step):
        rows = json_table(
            program,
            [graph, run_file],
            "scope",
            "-step",
            step,
            "-max_depth",
            "100",
            "-min_occurrence",
            "1",
            "-select",
            "occurrence",
        )["rows"]
        return {row["name"] for row in rows if row["self_runs"]}

    for number, expected in enumerate(steps):
        # Session 1 is the initializer.
        step = str(number + 2)
        live = nodes_that_ran(os.path.join(folder, "trace"), step)
        metadata = nodes_that_ran(
            f"{step}:{run}/{expected['file']}", step
        )
        # A saved graph names _SOURCE nowhere: it is no node of either.
        missing = set(expected["only_in_run_metadata_names"]) - {"_SOURCE"}
        case.check(f"step {step}: only in RunMetadata", metadata - live, missing)
        case.check(f"step {step}: only in the trace", live - metadata, set())
        case.check(
            f"step {step}: in both",
            expected["matched"],
            expected["nodes"] - len(expected["only_in_run_metadata_names"]),
        )


def check_case(program, folder, own=False):
    reference = json.load(open(os.path.join(folder, "reference.json")))
    case = Case(os.path.basename(folder) + (" with own" if own else ""))
    paths = [os.path.join(folder, "trace")]
    if own:
        paths.append(os.path.join(folder, "own"))
    tables = status_tables(program, *paths)
    totals = by(tables.get("trace"), "what", "value")
    if own:
        check_attribution(case, tables, reference, 1.0)
        check_clocks(case, tables, reference)
        check_kernel_list(
            case, timeline_events(program, *paths), reference, own
        )
        return case
    case.check("events", totals.get("events"), reference["total_events"])
    for key in (
        "first_ns",
        "last_ns",
        "discarded_events",
        "discarded_packets",
        "session_ends_without_start",
    ):
        case.check(key, totals.get(key), reference[key])
    case.check(
        "all_threads_busy_ns",
        totals.get("all_threads_busy_ns"),
        reference["all_threads_busy_ns"],
    )
    case.check(
        "events by name",
        by(tables.get("trace_events"), "event", "count"),
        reference["events"],
    )
    sessions = [
        (r["count"], r["begin_ns"], r["end_ns"])
        for r in tables.get("trace_sessions", [])
    ]
    case.check(
        "sessions",
        sorted(sessions),
        sorted(
            (s["count"], s["begin_ns"], s["end_ns"])
            for s in reference["sessions"]
        ),
    )
    check_ops(case, tables, reference)
    check_threads(case, tables, reference)
    check_activities(case, tables, reference)
    check_attribution(case, tables, reference, 0.88)
    check_clocks(case, tables, reference)
    check_rest(case, tables, reference)
    check_trace_analysis(case, program, folder)
    check_latencies(case, program, folder)
    check_calls(case, tables, reference)
    if "opencl" in reference or reference.get("allocators"):
        events = timeline_events(program, *paths)
        check_kernel_list(case, events, reference, own)
        check_curves(case, events, reference)
    check_run_metadata(case, program, folder, reference)
    check_live_nodes(case, program, folder, reference)
    check_counters(case, program, folder, tables, reference)
    check_intercepted(case, program, folder)
    check_perfcounters(case, program, folder)
    return case


def check_broken(program, folder):
    case = Case("broken/" + os.path.basename(folder))
    try:
        run = subprocess.run(
            [program, folder, "status", "-output", "json"],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        case.failed.append("does not end")
        return case
    case.true("no crash", run.returncode in (0, 1), str(run.returncode))
    if case.name.split("/")[1] not in UNDETECTABLE:
        case.check("exit status", run.returncode, 1)
        case.true("a message", bool(run.stderr), "")
    return case


def add_junit(suite, case):
    """A test for each case, with what differs."""
    test = ElementTree.SubElement(
        suite, "testcase", classname="ctf", name=case.name
    )
    if case.failed:
        failure = ElementTree.SubElement(test, "failure")
        failure.text = "\n".join(case.failed).replace("\x1b", "\\x1b")


def write_junit(suite):
    """Writes JUnit XML to $XML_OUTPUT_FILE, where that is set."""
    path = os.environ.get("XML_OUTPUT_FILE")
    if path:
        ElementTree.ElementTree(suite).write(path, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--bin", required=True)
    parser.add_argument(
        "--corpus", default=os.path.join(here, "../../../shared/ctf")
    )
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.corpus):
        print(f"skipped: no corpus at {arguments.corpus}")
        return 0
    passed = failed = 0
    suite = ElementTree.Element("testsuite", name="ctf")
    right = wrong = total = 0
    for name in sorted(os.listdir(arguments.corpus)):
        folder = os.path.join(arguments.corpus, name)
        if arguments.cases and name not in arguments.cases:
            continue
        jobs = []
        if os.path.exists(os.path.join(folder, "reference.json")):
            jobs.append(lambda: check_case(arguments.bin, folder))
            if os.path.isdir(os.path.join(folder, "own")):
                jobs.append(lambda: check_case(arguments.bin, folder, True))
        elif name == "broken":
            for broken in sorted(os.listdir(folder)):
                path = os.path.join(folder, broken)
                if os.path.isdir(path):
                    jobs.append(
                        lambda path=path: check_broken(arguments.bin, path)
                    )
        for job in jobs:
            try:
                case = job()
            except (Failure, ValueError, subprocess.TimeoutExpired) as error:
                case = Case(name)
                case.failed.append(str(error))
            if hasattr(case, "kernels") and "own" not in case.name:
                right += case.kernels[0]
                wrong += case.kernels[1]
                total += case.kernels[2]
            passed += case.passed
            failed += len(case.failed)
            add_junit(suite, case)
            print(f"{case.name}: {case.passed} passed, {len(case.failed)} failed")
            for line in case.failed[: None if arguments.verbose else 6]:
                print("   ", line[: None if arguments.verbose else 400])
    write_junit(suite)
    print(f"{passed} passed, {failed} failed")
    if total:
        print(
            f"kernels from trace/ alone: {right} of {total} right, {wrong} wrong"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
