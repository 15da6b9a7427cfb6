#!/usr/bin/env python3
"""Tests the wheel where people install it. `./dev test-python` calls it.

Usage: tools/test_python.py [NAME]…

NAME is plain, notebook, tensorflow, jax, torch or torch-debian; without one,
all but the last.

Makes an environment for each name in $XDG_CACHE_HOME/tfprof-dev/python (about 8
GB: PyTorch of the package index brings its libraries for GPUs) and keeps it;
remove its folder for newer frameworks. torch-debian, which must be asked for,
is the PyTorch of Debian's python3-torch: of CPUs only, and without Kineto.
Installs dist/*.whl into it and runs python/tests/*_test.py, and
python/tests/frameworks/NAME*_test.py, where NAME ends before '-'.
Last line: 'N passed, N failed'.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Packages that are installed with the wheel.
ENVIRONMENTS = {
    "plain": [],
    "notebook": [
        "pandas",
        "pyarrow",
        "polars",
        "matplotlib",
        "altair",
        "ipykernel",
        "nbclient",
        "nbformat",
    ],
    "tensorflow": ["tensorflow-cpu==2.15.1"],
    "jax": ["jax[cpu]", "ipykernel", "nbclient", "nbformat"],
    "torch": ["torch", "numpy"],
}
# An environment that has what Debian has installed.
SYSTEM = "torch-debian"
SYSTEM_PYTHON = "/usr/bin/python3"
TESTS = ROOT / "python" / "tests"
TIMEOUT_SECONDS = 900


def say(text: str) -> None:
    print(f"test_python: {text}", file=sys.stderr, flush=True)


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "tfprof-dev" / "python"


def pip(python: Path, *words: str) -> None:
    command = [python, "-m", "pip", "install", "-q", *words]
    subprocess.run(command, check=True, env={**os.environ, "PIP_NO_INPUT": "1"})


def environment(name: str, wheel: Path | None) -> Path:
    """The Python of an environment that has the wheel, if one is given."""
    folder = cache() / name
    python = folder / "bin" / "python"
    stamp = folder / "installed"
    packages = ENVIRONMENTS.get(name, [])
    wanted = "\n".join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        say(f"making {folder}")
        make = [sys.executable, "-m", "venv", folder]
        if name == SYSTEM:
            make = [SYSTEM_PYTHON, "-m", "venv", "--system-site-packages"]
            make.append(str(folder))
        subprocess.run(make, check=True)
        if packages:
            pip(python, *packages)
        stamp.write_text(wanted)
    if wheel is not None:
        pip(python, "--force-reinstall", "--no-deps", "--no-index", str(wheel))
    return python


def run(python: Path, folder: Path, pattern: str) -> tuple[int, int]:
    """How many tests passed and failed. None at all is a failure."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    # The tests of frameworks use helpers of python/tests.
    env["PYTHONPATH"] = os.pathsep.join([str(folder), str(TESTS)])
    # The program is the wheel's, whatever the caller has.
    env.pop("TFPROF_BINARY", None)
    env["TF_CPP_MIN_LOG_LEVEL"] = "2"
    # package_test runs the others for Bazel.
    modules = sorted(
        path.stem
        for path in folder.glob(pattern)
        if path.stem != "package_test"
    )
    try:
        done = subprocess.run(
            [python, "-B", "-m", "unittest", *modules],
            env=env,
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        say(f"{folder}/{pattern}: no end after {TIMEOUT_SECONDS} s")
        return 0, 1
    ran = re.search(r"^Ran (\d+) tests?", done.stderr, re.MULTILINE)
    last = done.stderr.strip().rpartition("\n")[2]
    failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", last))
    skipped = sum(int(n) for n in re.findall(r"skipped=(\d+)", last))
    if done.returncode != 0 or not ran:
        sys.stderr.write(done.stderr)
        failed = max(failed, 1)
    passed = max(int(ran.group(1)) - failed - skipped, 0) if ran else 0
    return passed, failed


def main() -> int:
    names = sys.argv[1:] or list(ENVIRONMENTS)
    known = [*ENVIRONMENTS, SYSTEM]
    unknown = [name for name in names if name not in known]
    if unknown:
        say(f"unknown: {unknown[0]}; there are {', '.join(known)}")
        return 2
    wheels = sorted((ROOT / "dist").glob("*.whl"), key=os.path.getmtime)
    if not wheels:
        say("no wheel in dist/; ./dev wheel builds it")
        return 2
    passed = failed = 0
    for name in names:
        python = environment(name, wheels[-1])
        parts = [(TESTS, "*_test.py")]
        # Each file has its own process: settings of TensorFlow stay until the
        # end.
        frameworks = TESTS / "frameworks"
        framework = name.partition("-")[0]
        for path in sorted(frameworks.glob(f"{framework}*_test.py")):
            parts.append((frameworks, path.name))
        for folder, pattern in parts:
            good, bad = run(python, folder, pattern)
            say(f"{name}: {folder.name}/{pattern}: {good} passed, {bad} failed")
            passed += good
            failed += bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
