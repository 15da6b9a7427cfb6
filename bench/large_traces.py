#!/usr/bin/env python3
"""Makes large traces, opens them with tfprof, and compares every sum.

    large_traces.py [--bin PROGRAM] [--make_trace PROGRAM] [--folder FOLDER]
                    KIND:MEGABYTES …

For each KIND:MEGABYTES it writes a trace with make_trace, which says what the
sums of each op are, and asks tfprof for the op view of all steps. Each number
must be exactly that: runs, and the time on the host and on accelerators. It
prints the CPU time and the largest memory of that one command, which loads and
answers, and removes the trace. The exit status is 1 if a number differs.
"""

import argparse
import decimal
import json
import os
import subprocess
import sys
import tempfile
import time

NOTHING = (0, 0, 0)


def sums_of(report):
    """{op: (runs, host micros, accelerator micros)} of the op view."""
    answer = json.loads(report, parse_float=decimal.Decimal)
    return {
        row["name"]: (
            row["runs"],
            row["self_cpu_micros"],
            row["self_accelerator_micros"],
        )
        for row in answer["rows"]
    }


def expected_sums(totals):
    """The same, as make_trace says them."""
    tick = decimal.Decimal(totals["ticks_per_micro"])
    return {
        op: (
            sums["runs"],
            sums["host_ticks"] / tick,
            sums["accelerator_ticks"] / tick,
        )
        for op, sums in totals["ops"].items()
    }


def ask(binary, path):
    """The op view of all steps; what it took; seconds of wall clock."""
    start = time.time()
    command = [binary, path, "op", "-max_depth", "10000", "-step", "all"]
    command += ["-select", "cpu_micros,accelerator_micros,occurrence"]
    child = subprocess.Popen(
        command + ["-output", "json"], stdout=subprocess.PIPE
    )
    report = child.stdout.read()
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{path}: {binary} ended with {child.returncode}")
    return report, use, time.time() - start


def check(args, kind, megabytes):
    """Compares one trace; returns how many ops differ."""
    path = os.path.join(args.folder, f"large_{kind}_{megabytes}")
    try:
        made = subprocess.run(
            [args.make_trace, kind, str(megabytes), path],
            check=True,
            stdout=subprocess.PIPE,
        )
        report, use, wall = ask(args.bin, path)
    finally:
        if os.path.exists(path):
            os.remove(path)
    totals = json.loads(made.stdout)
    expected, found = expected_sums(totals), sums_of(report)
    wrong = [
        op
        for op in sorted(expected.keys() | found.keys())
        if expected.get(op, NOTHING) != found.get(op, NOTHING)
    ]
    for op in wrong:
        print(
            f"{kind} {megabytes}: {op}: expected {expected.get(op)}, "
            f"found {found.get(op)}"
        )
    cpu = use.ru_utime + use.ru_stime
    size, events = totals["bytes"], totals["events"]
    print(
        f"{kind} {megabytes}: {size:,} bytes, {events:,} events, "
        f"{len(expected)} ops, {len(wrong)} differ; {cpu:.2f} s CPU, "
        f"{wall:.2f} s; per CPU second {size / 1e6 / cpu:.0f} MB, "
        f"{events / 1e6 / cpu:.2f} M events; largest memory "
        f"{use.ru_maxrss / 1024:,.0f} MB with file pages",
        flush=True,
    )
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("traces", nargs="+", metavar="KIND:MEGABYTES")
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--make_trace", default="bazel-bin/bench/make_trace")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    wrong = 0
    for trace in args.traces:
        kind, megabytes = trace.split(":")
        wrong += check(args, kind, int(megabytes))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
