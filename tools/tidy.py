#!/usr/bin/env python3
"""Runs clang-tidy over all C++ sources and prints what it finds.

Usage: tools/tidy.py CLANG_TIDY

Build //... once before, for the generated files. Most of the time goes into
headers, so the sources of a folder are read as one file. Where that does not
compile, because two of its sources have the same name for different things,
each is read as Bazel compiles it.
"""

import multiprocessing.pool
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import compile_commands


def check(tool, folder, paths):
    """Yields each path, whether it is clean, and what the tool printed."""

    def run(path):
        done = subprocess.run(
            [tool, "--quiet", "--config-file=.clang-tidy", "-p", folder, path],
            capture_output=True,
            text=True,
        )
        return path, done.returncode == 0, done.stdout, done.stderr

    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        yield from pool.imap_unordered(run, paths)


def tidy(tool, folder, files, parts):
    """Checks `files`, or the `parts` of one that does not compile as a whole.

    Returns the files that are not clean.
    """
    failed, apart = [], []
    # The largest first: at the end both cores have something to do.
    files = sorted(files, key=lambda path: -len(parts.get(path, ())))
    while files:
        for path, clean, findings, log in check(tool, folder, files):
            if clean:
                continue
            if (
                len(parts.get(path, ())) > 1
                and "[clang-diagnostic-" in findings
            ):
                apart += parts[path]
                continue
            failed.append(path)
            # It prints counts and what stopped it to its standard error.
            print(findings or log, end="", flush=True)
        files, apart = apart, []
    return failed


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        files, parts = compile_commands.write(folder)
        files = [path for path in files if not path.endswith(".c")]
        sys.exit(bool(tidy(tool, folder, files, parts)))


if __name__ == "__main__":
    main()
