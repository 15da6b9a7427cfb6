#!/usr/bin/env python3
"""Joins two halves of a trace and compares the result with the whole trace.

    join_test.py --bin bazel-bin/profiler/tfprof --root tests/gpu/recorded

Each trace of PyTorch below ROOT is cut into the part that a profiler of the
host records and the part that a profiler of the device records. The clock of
the second part is moved. `op` of the joined parts must be that of the whole
trace, number for number.

ROOT/joined has what two programs recorded of one run of PyTorch on an NVIDIA
H200: its profiler, without CUDA, and `tfprof record`. The expected times are
those of another run, which PyTorch recorded with CUDA.

The last line is 'N passed, N failed'.
"""

import argparse
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
LAUNCHES = {"cuda_runtime", "cuda_driver"}
# A program can name both, and they say which events are the same.
NAMED = {"cpu_op", "user_annotation"}
# How far the clock of the second part is ahead, in microseconds.
AHEAD = 12_345_678.5


def is_event(event):
    return event.get("ph") == "X"


def without_last_waits(trace):
    """Drops the calls after all operations and all work: the profiler's own."""
    last = max(
        event["ts"] + event["dur"]
        for event in trace["traceEvents"]
        if is_event(event) and event.get("cat") in DEVICE | NAMED
    )
    return {
        **trace,
        "traceEvents": [
            event
            for event in trace["traceEvents"]
            if event.get("cat") not in LAUNCHES or event["ts"] <= last
        ],
    }


def host_part(trace):
    """What a profiler of the host records."""
    return {
        **trace,
        "traceEvents": [
            event
            for event in trace["traceEvents"]
            if event.get("cat") not in DEVICE | LAUNCHES
        ],
    }


def device_part(trace):
    """What a profiler of the device records, on a clock of its own."""
    return {
        "schemaVersion": 1,
        "deviceProperties": trace.get("deviceProperties", []),
        "traceEvents": [
            {**event, "ts": event["ts"] + AHEAD}
            for event in trace["traceEvents"]
            if is_event(event) and event.get("cat") in DEVICE | LAUNCHES | NAMED
        ],
    }


def rows(binary, *words):
    """The rows of `op` by name, and what the program said."""
    result = subprocess.run(
        [
            binary,
            *words,
            "op",
            "-select",
            "micros,accelerator_micros,cpu_micros,occurrence",
            "-max_depth",
            "100000",
            "-output",
            "json",
        ],
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        return {}, result.stderr
    return {
        row["name"]: row for row in json.loads(result.stdout)["rows"]
    }, result.stderr


def check_two_recorders(binary, folder):
    """Returns what is wrong, line by line."""
    host = os.path.join(folder, "host.json.gz")
    joined, said = rows(
        binary, host, "--join", os.path.join(folder, "recording")
    )
    with open(os.path.join(folder, "expected_join.json")) as file:
        expected = json.load(file)
    work = expected["work"]
    if f"{work} of {work} pieces of work of devices" not in said:
        yield said
    if "the clocks of both count from 1970" not in said:
        yield said
    times = {
        name: row["self_accelerator_micros"]
        for name, row in joined.items()
        if row["self_accelerator_micros"]
    }
    if times.keys() != expected["accelerator_micros"].keys():
        yield f"operations with work of the device: {sorted(times)}"
    for name, micros in expected["accelerator_micros"].items():
        if abs(times.get(name, 0) - micros) > 2 + micros / 10:
            yield f"{name}: {times.get(name)} us, another run {micros} us"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--root", required=True)
    args = parser.parse_args()
    passed = failed = 0
    for path in sorted(
        glob.glob(os.path.join(args.root, "*", "trace.json.gz"))
    ):
        with gzip.open(path) as file:
            trace = json.load(file)
        if isinstance(trace, list):
            continue
        categories = {event.get("cat") for event in trace["traceEvents"]}
        if "kernel" not in categories or "cpu_op" not in categories:
            continue
        trace = without_last_waits(trace)
        with tempfile.TemporaryDirectory() as folder:
            parts = []
            for name, part in [
                ("whole.json", trace),
                ("host.json", host_part(trace)),
                ("device.json", device_part(trace)),
            ]:
                parts.append(os.path.join(folder, name))
                with open(parts[-1], "w") as file:
                    json.dump(part, file)
            whole, _ = rows(args.bin, parts[0])
            joined, said = rows(args.bin, parts[1], "--join", parts[2])
        if whole and joined == whole:
            passed += 1
            continue
        failed += 1
        print("FAIL", path, said)
        for name in sorted(whole.keys() | joined.keys()):
            if whole.get(name) != joined.get(name):
                print("  ", name, whole.get(name), joined.get(name))
    wrong = list(
        check_two_recorders(args.bin, os.path.join(args.root, "joined"))
    )
    print("\n".join(wrong), end="\n" if wrong else "")
    passed += not wrong
    failed += bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
