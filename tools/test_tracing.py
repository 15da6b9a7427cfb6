#!/usr/bin/env python3
"""Runs the acceptance kit of live tracing. `./dev test-tracing` calls it.

Usage: tools/test_tracing.py --bin bazel-bin/profiler/tfprof --kit FOLDER
[NAME]…

Runs the kit's programs, or those named, in the environment `tensorflow` of
`./dev test-python`, with python/tests/tracing_adapter.py; then the kit compares
the states that were seen with those that it expects of a successor, and what
the program draws with what the kit draws of the same records. Each rank and
each worker has states of its own. Last line: 'N passed, N failed'.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import test_python

ROOT = test_python.ROOT
# For each program: more arguments, and how the names of its state files begin.
PROGRAMS: dict[str, tuple[list[str], list[str]]] = {
    "one_session": ([], [""]),
    "monitored_training": ([], [""]),
    "estimator": ([], [""]),
    "injected": ([], [""]),
    "ps_worker": ([], ["worker0_", "worker1_"]),
    "ranks": (["--np", "2"], ["rank0_", "rank1_"]),
}
TIMEOUT_SECONDS = 300


def say(text: str) -> None:
    print(f"test_tracing: {text}", file=sys.stderr, flush=True)


def run(name: str, out: str, kit: Path, program: str) -> bool:
    """Runs a program of the kit; whether it ended well."""
    python = test_python.environment("tensorflow", None)
    env = {
        **os.environ,
        "TFPROF_BINARY": os.path.abspath(program),
        "PYTHONPATH": str(ROOT / "python" / "tests"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": out,  # sessions go with the folder
    }
    command = [python, kit / "programs" / f"{name}.py", "--out", out]
    command += ["--adapter", "tracing_adapter", *PROGRAMS[name][0]]
    with open(os.path.join(out, "log"), "w+", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                command,
                env=env,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_SECONDS,
            )
            status = f"status {done.returncode}"
            if done.returncode == 0:
                return True
        except subprocess.TimeoutExpired:
            status = f"no end after {TIMEOUT_SECONDS} s"
        log.seek(0)
        sys.stderr.write(log.read()[-4000:])
    say(f"{name}: {status}")
    return False


def check(kit: Path, *words: str) -> tuple[int, int]:
    """How many checks of the kit passed and failed. None is a failure."""
    command = [sys.executable, "-B", kit / "tools" / "check.py", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", file=sys.stderr)
    last = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.MULTILINE)
    if last is None or last[1] == "0":
        return 0, 1
    return int(last[1]), int(last[2])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    names = arguments.names or list(PROGRAMS)
    for name in names:
        if name not in PROGRAMS:
            parser.error(f"{name} is none of {', '.join(PROGRAMS)}")
    passed = failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as out:
            if not run(name, out, arguments.kit, arguments.bin):
                failed += 1
                continue
            results = [
                check(arguments.kit, "runs", name, out, "--prefix", prefix)
                for prefix in PROGRAMS[name][1]
            ]
            results.append(check(arguments.kit, "drawn", out))
        good = sum(result[0] for result in results)
        bad = sum(result[1] for result in results)
        say(f"{name}: {good} passed, {bad} failed")
        passed += good
        failed += bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
