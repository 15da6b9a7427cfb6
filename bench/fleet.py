#!/usr/bin/env python3
"""Measures how fast files become a dataset, and questions are answered.

    fleet.py --python PYTHON [--bin PROGRAM] [FILES:STEPS:TIMES …]

PYTHON has duckdb and pyarrow. It makes FILES traces of STEPS steps in which
each of 12 operations runs TIMES times; without any, 400:10:1 and 20:100:31. It
prints the size of a file, the files a second, the CPU for each file, the most
memory of one process, the bytes of the dataset for each rank and step, and what
a question needs.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tests", "fleet"))

from make_ranks import make_job


def run(words, environment):
    """The seconds by a clock and of CPU, and the MB of the largest process."""
    begin = time.monotonic()
    process = subprocess.Popen(
        words, env=environment, stdout=subprocess.DEVNULL
    )
    # Of the process and of all that it has waited for.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)}: exit status {process.returncode}")
    wall = time.monotonic() - begin
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def bytes_in(folder):
    return sum(
        os.path.getsize(os.path.join(path, name))
        for path, _, names in os.walk(folder)
        for name in names
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("jobs", nargs="*", default=["400:10:1", "20:100:31"])
    given = parser.parse_args()
    environment = {
        **os.environ,
        "TFPROF_BINARY": os.path.abspath(given.bin),
        "PYTHONPATH": os.path.join(ROOT, "python"),
    }
    fleet = [given.python, "-m", "tfprof", "fleet"]
    for job in given.jobs:
        files, steps, times = map(int, job.split(":"))
        with tempfile.TemporaryDirectory() as folder:
            traces = os.path.join(folder, "traces")
            dataset = os.path.join(folder, "dataset")
            # What a process has when it starts another one counts as memory
            # of the other one, so this one stays small.
            making = multiprocessing.get_context("spawn").Process(
                target=make_job,
                args=(traces, files, steps),
                kwargs={"seed": 1, "times": times},
            )
            making.start()
            making.join()
            size = bytes_in(traces) / files
            wall, cpu, most = run(
                [*fleet, "ingest", traces, "-o", dataset], environment
            )
            _, asked, asking = run([*fleet, dataset, "overview"], environment)
            print(
                f"{files} files of {size / 1e6:.2f} MB: "
                f"{files / wall:.1f} files/s, "
                f"{1000 * cpu / files:.0f} ms CPU each, "
                f"at most {most:.0f} MB, "
                f"{bytes_in(dataset) / files / steps:.0f} bytes per rank and "
                f"step, overview {asked:.2f} s CPU and {asking:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
