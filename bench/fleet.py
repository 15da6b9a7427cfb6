#!/usr/bin/env python3
"""Measures how fast files become a dataset, and questions are answered.

    fleet.py --python PYTHON [--bin PROGRAM] [FILES:STEPS:TIMES …]

PYTHON has duckdb and pyarrow. It makes FILES traces of STEPS steps in which
each of 12 operations runs TIMES times; without any, 400:10:1 and 20:100:31. It
prints the size of a file, the files a second, the CPU for each file, the most
memory of one process, the bytes of the dataset for each rank and step, and the
time of a question.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tests", "fleet"))

from make_ranks import make_job


def run(words, environment):
    """The seconds by a clock and of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(
        words, env=environment, stdout=subprocess.DEVNULL, check=True
    )
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


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
            make_job(traces, files, steps, seed=1, times=times)
            size = bytes_in(traces) / files
            wall, cpu = run(
                [*fleet, "ingest", traces, "-o", dataset], environment
            )
            asked, _ = run([*fleet, dataset, "overview"], environment)
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            print(
                f"{files} files of {size / 1e6:.2f} MB: "
                f"{files / wall:.1f} files/s, "
                f"{1000 * cpu / files:.0f} ms CPU each, "
                f"at most {most / 1024:.0f} MB, "
                f"{bytes_in(dataset) / files / steps:.0f} bytes per rank and "
                f"step, overview {asked:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
