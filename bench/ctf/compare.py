#!/usr/bin/env python3
"""Reads a CTF trace with tfprof and with libbabeltrace2, in turns.

    compare.py --bin PROGRAM [--before PROGRAM] [--events N] [--runs N]

Writes a trace (make_trace.py), compiles babeltrace_reader.c, and runs both
after each other several times, so that other work on the machine slows down
both. Prints the median rate of each, their ratio, and how much memory tfprof
had at its peak for each event, without the pages of the mapped files. A
program `--before` is measured in the same turns. Needs libbabeltrace2-dev.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import make_trace

HERE = os.path.dirname(os.path.abspath(__file__))


def build_reader(folder):
    """The path of the program that reads with libbabeltrace2."""
    program = os.path.join(folder, "babeltrace_reader")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "babeltrace2"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    source = os.path.join(HERE, "babeltrace_reader.c")
    subprocess.run(["cc", "-O2", source, "-o", program, *flags], check=True)
    return program


def anonymous_bytes(pid):
    """The memory of a process that is no page of a file, in bytes."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def run_tfprof(program, trace):
    """Seconds and peak bytes of a whole run, and the steps it printed."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [program, trace, "status", "-output", "none"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous_bytes(process.pid))
        time.sleep(0.002)
    return time.monotonic() - begin, peak


def run_babeltrace(program, trace):
    """Events and seconds."""
    out = subprocess.run(
        [program, trace], check=True, capture_output=True, text=True
    ).stdout.split()
    return int(out[0]), float(out[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--before")
    parser.add_argument("--events", type=int, default=6000000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if shutil.which("pkg-config") is None:
        sys.exit("pkg-config is missing; apt-get install pkg-config")
    programs = {"tfprof": arguments.bin}
    if arguments.before:
        programs["before"] = arguments.before
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        written = make_trace.write_trace(trace, arguments.events)
        reader = build_reader(folder)
        seconds = {name: [] for name in (*programs, "libbabeltrace2")}
        peaks = {name: [] for name in programs}
        for _ in range(arguments.runs):
            events, took = run_babeltrace(reader, trace)
            if events != written:
                sys.exit(f"libbabeltrace2 read {events} of {written} events")
            seconds["libbabeltrace2"].append(took)
            for name, program in programs.items():
                took, peak = run_tfprof(program, trace)
                seconds[name].append(took)
                peaks[name].append(peak)
        slowest = statistics.median(seconds["libbabeltrace2"])
        for name, times in seconds.items():
            median = statistics.median(times)
            line = (
                f"{name}: {median:.2f} s, {written / median / 1e6:.2f} M "
                f"events/s, {slowest / median:.1f} x libbabeltrace2"
            )
            if name in peaks:
                line += f", {max(peaks[name]) / written:.1f} bytes per event"
            print(line)
    print(f"{written} events, {arguments.runs} runs, "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s CPU")


if __name__ == "__main__":
    main()
