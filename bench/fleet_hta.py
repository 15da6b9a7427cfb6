#!/usr/bin/env python3
"""Measures Meta's HTA beside the fleet on the same Kineto traces.

    fleet_hta.py --python PYTHON --hta HTA [--bin PROGRAM] [--ranks 16]
        [--steps 100] [--times 31] [--traces DIR]

PYTHON has duckdb and pyarrow, HTA is a Python with HolisticTraceAnalysis.
Without --traces, makes a trace for each rank, in which each of 12 operations
runs TIMES times in a step. Both read all of them and say, for each rank, how
long its GPU computed and how long it did other work that no computation hides.
Prints the seconds by a clock and of CPU, and the memory of the largest process,
of each; and by how much their figures differ at most.

HTA runs without rounding to microseconds, and with the last step, which it
leaves out by default.
"""

import argparse
import json
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

# {rank: [computing, other work]} in microseconds.
HTA = """
import json, sys
from hta.trace_analysis import TraceAnalysis

analysis = TraceAnalysis(trace_dir=sys.argv[1], include_last_profiler_step=True)
frame = analysis.get_temporal_breakdown(visualize=False)
with open(sys.argv[2], "w") as file:
    json.dump({int(row["rank"]): [float(row["compute_time(us)"]),
                                  float(row["non_compute_time(us)"])]
               for _, row in frame.iterrows()}, file)
"""
FLEET = """
import json, sys
import tfprof

dataset = sys.argv[2] + ".dataset"
tfprof.fleet.ingest([sys.argv[1]], dataset)
rows = tfprof.fleet.open(dataset).sql(
    "SELECT rank, sum(compute_nanos) / 1000.0 AS compute, "
    "sum(exposed_communication_nanos + copies_nanos) / 1000.0 AS other "
    "FROM rank_steps GROUP BY rank").to_pylist()
with open(sys.argv[2], "w") as file:
    json.dump({row["rank"]: [row["compute"], row["other"]] for row in rows},
              file)
"""


def measure(name, python, script, traces, out, environment):
    """Its figures."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [python, "-c", script, traces, out],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Of the process and of all that it has waited for.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{name}: exit status {process.returncode}")
    print(
        f"{name}: {time.monotonic() - begin:.1f} s, "
        f"{used.ru_utime + used.ru_stime:.1f} s CPU, at most "
        f"{used.ru_maxrss / 1024:.0f} MB in a process",
        flush=True,
    )
    with open(out) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--hta", required=True)
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--times", type=int, default=31)
    parser.add_argument("--traces")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        traces = given.traces or os.path.join(folder, "traces")
        if not given.traces:
            # What a process has when it starts another one counts as memory
            # of the other one, so this one stays small.
            making = multiprocessing.get_context("spawn").Process(
                target=make_job,
                args=(traces, given.ranks, given.steps),
                kwargs={"seed": 1, "times": given.times},
            )
            making.start()
            making.join()
        size = sum(file.stat().st_size for file in os.scandir(traces))
        print(f"{len(os.listdir(traces))} files, {size / 1e6:.0f} MB")
        fleet = measure(
            "tfprof",
            given.python,
            FLEET,
            traces,
            os.path.join(folder, "fleet"),
            {
                "TFPROF_BINARY": os.path.abspath(given.bin),
                "PYTHONPATH": os.path.join(ROOT, "python"),
            },
        )
        hta = measure(
            "HTA",
            given.hta,
            HTA,
            traces,
            os.path.join(folder, "hta"),
            {"HTA_DISABLE_NS_ROUNDING": "1"},
        )
    if set(fleet) != set(hta):
        sys.exit(f"ranks {sorted(fleet)} and {sorted(hta)}")
    most = max(
        abs(ours - theirs)
        for rank, of_rank in fleet.items()
        for ours, theirs in zip(of_rank, hta[rank])
    )
    largest = max(max(of_rank) for of_rank in fleet.values())
    print(
        f"figures of {len(fleet)} ranks, up to {largest:.3f} us, differ by at "
        f"most {most:.3f} us"
    )


if __name__ == "__main__":
    main()
