#!/usr/bin/env python3
"""Reads a CTF trace with tfprof and with libbabeltrace2, in turns.

    compare.py --bin PROGRAM [--reader PROGRAM] [--before PROGRAM]
               [--events N] [--runs N]

Writes a trace (make_trace.py), compiles babeltrace_reader.c, and runs both
after each other several times, so that other work on the machine slows down
both. Prints the median rate of each, their ratio, the same for the time of the
CPU, which other work changes less, and how much memory tfprof had at its peak
for each event, without the pages of the mapped files. A program `--before` is
measured in the same turns. `--reader` is read_events, which only decodes the
events as libbabeltrace2 does; tfprof itself also finds out what they mean and
answers. Needs libbabeltrace2-dev.
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


def children_cpu():
    """The CPU time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_tfprof(program, trace):
    """Seconds, seconds of CPU and peak bytes of a whole run."""
    begin = time.monotonic()
    before = children_cpu()
    process = subprocess.Popen(
        [program, trace, "status", "-output", "none"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous_bytes(process.pid))
        time.sleep(0.002)
    return time.monotonic() - begin, children_cpu() - before, peak


def run_reader(program, trace):
    """Events, seconds and seconds of CPU."""
    before = children_cpu()
    out = subprocess.run(
        [program, trace], check=True, capture_output=True, text=True
    ).stdout.split()
    return int(out[0]), float(out[1]), children_cpu() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--reader")
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
        readers = {"libbabeltrace2": build_reader(folder)}
        if arguments.reader:
            readers["read_events"] = arguments.reader
        seconds = {name: [] for name in (*programs, *readers)}
        cpu = {name: [] for name in seconds}
        peaks = {name: [] for name in programs}
        for _ in range(arguments.runs):
            for name, program in readers.items():
                events, took, cpu_time = run_reader(program, trace)
                if events != written:
                    sys.exit(f"{name} read {events} of {written} events")
                seconds[name].append(took)
                cpu[name].append(cpu_time)
            for name, program in programs.items():
                took, cpu_time, peak = run_tfprof(program, trace)
                seconds[name].append(took)
                cpu[name].append(cpu_time)
                peaks[name].append(peak)
        base = statistics.median(seconds["libbabeltrace2"])
        base_cpu = statistics.median(cpu["libbabeltrace2"])
        for name, times in seconds.items():
            median = statistics.median(times)
            of_cpu = statistics.median(cpu[name])
            line = (
                f"{name}: {median:.2f} s, {written / median / 1e6:.2f} M "
                f"events/s, {base / median:.1f} x libbabeltrace2; "
                f"{of_cpu:.2f} s of CPU, {base_cpu / of_cpu:.1f} x"
            )
            if name in peaks:
                line += f", {max(peaks[name]) / written:.1f} bytes per event"
            print(line)
    print(f"{written} events, {arguments.runs} runs")


if __name__ == "__main__":
    main()
