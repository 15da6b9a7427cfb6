#!/usr/bin/env python3
"""Compares tfprof with the sums that record.py wrote beside each trace.

    compare.py --bin bazel-bin/profiler/tfprof --root OUT [-v]

For each folder of OUT with an expected.json:

  * op: runs, CPU self time and accelerator time of every op of PyTorch, and the
    accelerator time of all ops of JAX, over the whole file;
  * kernels: the time of all kernels and copies;
  * steps: how many there are;
  * the overview names the cause of slowness that was planted;
  * of a memory snapshot beside the trace: how many bytes each step keeps, as
    torch.cuda.memory_allocated() counted them, and the function that does.

Where there are matmul_base and matmul_slow, `check` must find that aten::mm
became slower and aten::add did not. The last line is 'N passed, N failed'.

tests/gpu/recorded was made with PyTorch 2.11 and JAX 0.11 on an NVIDIA H100;
`./dev test-gpu` records the same programs on the GPU of this machine.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys

# The first screen must contain one of these texts about a planted cause.
CAUSES = {
    "host": ["the host launches work too slowly", "short kernels"],
    "input": ["load_batch", "sleep"],
    "step": ["step 1 ", "step 5 ", "step 6 ", "save_checkpoint"],
    "copies": ["copies"],
    "synchronization": ["waits for each", "read a result back: aten::item"],
    "fp32": ["32-bit operands"],
    "python": ["Record more to see the cause: Python calls"],
    "recompilation": ["compile"],
}


class Score:
    def __init__(self, verbose):
        self.passed = self.failed = 0
        self.verbose = verbose

    def check(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            if self.verbose or self.failed <= 20:
                print("FAIL", what)


def run(binary, *words):
    return subprocess.run(
        [binary, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def ask(score, binary, *words):
    done = run(binary, *words, "-output", "json")
    try:
        return json.loads(done.stdout)
    except ValueError:
        score.check(
            False,
            f"{' '.join(words)}: no JSON, status "
            f"{done.returncode}: {done.stderr[-300:]!r}",
        )
        return None


def is_range(op):
    return op == "ProfilerStep*" or "#" in op


def close(got, want_ns):
    """Microseconds against nanoseconds, which Python's profilers round."""
    return got is not None and abs(got * 1000 - want_ns) <= 1.5 + 1e-6 * want_ns


def compare(score, binary, name, trace, expected):
    answer = ask(
        score,
        binary,
        trace,
        "op",
        "-step",
        "all",
        "-max_depth",
        "1000000",
        "-select",
        "cpu_micros,accelerator_micros,occurrence",
    )
    rows = {row["name"]: row for row in answer["rows"]} if answer else {}
    # A range has the time that torch gives it, without that of the Python
    # functions inside it, which have rows of their own.
    python = sum(
        row["self_cpu_micros"] for op, row in rows.items() if ".py:" in op
    )
    for op, want in expected.get("ops", {}).items():
        row = rows.get(op)
        if row is None:
            score.check(
                want["self_device"] == 0 and want["self_cpu"] == 0,
                f"{name}: op has no row {op}",
            )
            continue
        score.check(
            row["runs"] == want["runs"],
            f"{name}: {op} ran {row['runs']}, not {want['runs']}",
        )
        for column, key in (
            ("self_cpu_micros", "self_cpu"),
            ("self_accelerator_micros", "self_device"),
        ):
            got = row[column]
            if key == "self_cpu" and is_range(op) and got * 1000 < want[key]:
                moved = want[key] / 1000 - got
                python -= moved
                got += moved if python > -1 else 0
            score.check(
                close(got, want[key]),
                f"{name}: {op} {column} {row[column]}, not {want[key] / 1000}",
            )
    if "kernels" in expected:
        total = sum(row["self_accelerator_micros"] for row in rows.values())
        score.check(
            close(total, expected["kernels"]),
            f"{name}: all ops {total}, not {expected['kernels'] / 1000}",
        )
    answer = ask(score, binary, trace, "kernels", "-max_depth", "1000000")
    if answer:
        total = sum(row["sum_micros"] for row in answer["rows"])
        score.check(
            close(total, expected["device"]),
            f"{name}: all kernels {total}, not {expected['device'] / 1000}",
        )
    if "cause" in expected:
        words = CAUSES[expected["cause"]]
        screen = run(binary, trace).stdout
        finding = [
            line
            for line in re.split(r"\n(?=\S)", screen)
            if line.startswith(("Critical", "Warning", "Do "))
        ]
        shown = finding[:1]
        # Python that was not recorded can only be told to record.
        if expected["cause"] == "python":
            shown += finding[1:2]
        # The line of the steps names a slow one, even if another cause costs
        # more.
        if expected["cause"] == "step":
            shown += re.findall(r"^Steps .*\n.*", screen, re.M)
        score.check(
            any(w in text for w in words for text in shown),
            f"{name}: the first screen has none of {words}: {finding}",
        )
    answer = ask(score, binary, trace, "steps")
    if answer:
        count = answer["total"]
        score.check(
            count == expected["steps"],
            f"{name}: {count} steps, not {expected['steps']}",
        )


def compare_snapshot(score, binary, name, snapshot, allocated):
    """`allocated` has the bytes in use after each step."""
    answer = ask(score, binary, snapshot, "memory")
    rows = answer["tables"]["growth"]["rows"] if answer else []
    score.check(len(rows) == 1, f"{name}: {len(rows)} lines grow, not 1")
    for row in rows:
        kept = {b - a for a, b in zip(allocated, allocated[1:])}
        score.check(
            {row["bytes_per_part"]} == kept,
            f"{name}: grows by {row['bytes_per_part']}, not {kept}",
        )
        score.check(
            row["part"] == "step" and row["name"].endswith(":keep"),
            f"{name}: grows in {row['name']}, not in keep",
        )
    screen = run(binary, snapshot).stdout
    score.check(
        re.search(r"^Warning .*keeps 4.19MB more", screen, re.M),
        f"{name}: the first screen does not name the growth: {screen}",
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    score = Score(arguments.v)
    traces = {}
    for path in sorted(glob.glob(arguments.root + "/*/expected.json")):
        folder = os.path.dirname(path)
        name = os.path.basename(folder)
        with open(path) as file:
            expected = json.load(file)
        (trace,) = glob.glob(folder + "/trace.*")
        traces[name] = trace
        compare(score, arguments.bin, name, trace, expected)
        for snapshot in glob.glob(folder + "/snapshot.*"):
            compare_snapshot(
                score, arguments.bin, name, snapshot, expected["allocated"]
            )
    if "matmul_base" in traces and "matmul_slow" in traces:
        pair = (traces["matmul_base"], traces["matmul_slow"])
        slower = run(
            arguments.bin,
            "check",
            *pair,
            "-fail-if",
            "op:aten::mm.accelerator_micros > +5%",
        )
        score.check(slower.returncode == 1, f"check of mm: {slower.stdout}")
        same = run(
            arguments.bin,
            "check",
            *pair,
            "-fail-if",
            "op:aten::add.accelerator_micros > +20%",
        )
        score.check(same.returncode == 0, f"check of add: {same.stdout}")
    print(f"{score.passed} passed, {score.failed} failed")
    return 1 if score.failed or not score.passed else 0


if __name__ == "__main__":
    sys.exit(main())
