#!/usr/bin/env python3
"""Selects the golden corpus of tests/golden from a larger one.

Usage: tools/make_golden.py ORACLE [--budget=BYTES] [--out=DIR]

ORACLE is a folder of profiles, and of command lines with what the reference
tfprof printed for them: cases.jsonl, profiles/, golden/. The corpus has the
same shape, so tests/golden/golden_test.py runs either.

All profiles are taken. Of the cases:

  1. every shell session, and every case in which the reference crashed;
  2. for each combination of profile, kind of case, command and input files, the
     case whose new outputs are of median size: neither the trivial one nor the
     largest;
  3. the cases that add the fewest bytes, until the budget is used up.

The same ORACLE and budget give the same corpus. Equal outputs are stored once.
Files that would take more than GZIP_FROM bytes are gzip'd; git packs the rest.
"""

import argparse
import collections
import gzip
import json
import os
import re
import shutil
import sys

# Smaller files stay readable, for reviews and for grep.
GZIP_FROM = 16 << 10

# Files that a person opens without the test driver: `./dev run`, README.md.
NEVER_GZIP = {"profiles/conv_resnet/profile.pb"}

# The keys that the driver reads; the others describe how the outputs were
# generated.
KEYS = (
    "id",
    "profile",
    "kind",
    "inputs",
    "inputs_key",
    "command",
    "options",
    "stdin",
    "checkers",
    "outcome",
    "golden",
    "stderr",
    "files",
)

MAX_NAME = 80


def packed(data):
    # There is no time stamp, so that equal input gives equal bytes.
    return gzip.compress(data, compresslevel=9, mtime=0)


class Output:
    """One expected output of a case: where it is, and its bytes."""

    def __init__(self, oracle, path, kind):
        with open(os.path.join(oracle, path), "rb") as file:
            data = file.read()
        self.kind = kind
        if path.endswith(".gz") and kind != "pprof":
            data = gzip.decompress(data)
        self.is_packed = kind != "pprof" and len(data) > GZIP_FROM
        self.stored = packed(data) if self.is_packed else data


def outputs_of(oracle, case):
    """The expected outputs of a case: stdout, then stderr, then files."""
    paths = [(case["golden"], "text")]
    if case.get("stderr"):
        paths.append((case["stderr"], "text"))
    paths += [(f["golden"], f["type"]) for f in case.get("files", [])]
    return [Output(oracle, path, kind) for path, kind in paths]


class Selection:
    """The chosen cases, and which outputs they have in common."""

    def __init__(self, oracle):
        self._oracle = oracle
        self._outputs = {}
        self._stored = set()
        self.cases = {}
        self.bytes = 0

    def outputs(self, case):
        if case["id"] not in self._outputs:
            self._outputs[case["id"]] = outputs_of(self._oracle, case)
        return self._outputs[case["id"]]

    def cost(self, case):
        """Bytes that the case would add."""
        new = {output.stored for output in self.outputs(case)} - self._stored
        return len(line_of(case)) + sum(map(len, new))

    def add(self, case):
        if case["id"] in self.cases:
            return
        self.bytes += self.cost(case)
        self.cases[case["id"]] = case
        self._stored.update(o.stored for o in self.outputs(case))


def line_of(case):
    line = {key: case[key] for key in KEYS if case.get(key) is not None}
    return json.dumps(line, separators=(",", ":")) + "\n"


def choose(selection, cases, budget):
    for case in cases:
        if case["kind"] == "repl" or case["outcome"] != "ok":
            selection.add(case)
    groups = collections.defaultdict(list)
    for case in cases:
        key = "profile", "kind", "command", "inputs_key"
        groups[tuple(case[k] for k in key)].append(case)
    for _, group in sorted(groups.items()):
        group.sort(key=lambda case: (selection.cost(case), case["id"]))
        selection.add(group[len(group) // 2])
    if selection.bytes > budget:
        sys.exit(
            "one case of each combination takes %d bytes, %d more than "
            "the budget leaves" % (selection.bytes, selection.bytes - budget)
        )
    for case in sorted(cases, key=lambda c: (selection.cost(c), c["id"])):
        if selection.bytes + selection.cost(case) <= budget:
            selection.add(case)


def copy_profiles(oracle, out):
    """Copies all inputs; returns their bytes."""
    total = 0
    source = os.path.join(oracle, "profiles")
    for folder, _, names in sorted(os.walk(source)):
        target = os.path.join(out, os.path.relpath(folder, oracle))
        os.makedirs(target)
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            path = os.path.join(target, name)
            relative = os.path.relpath(path, out)
            if len(data) > GZIP_FROM and relative not in NEVER_GZIP:
                data, path = packed(data), path + ".gz"
            with open(path, "wb") as file:
                file.write(data)
            total += len(data)
    return total


def write_outputs(selection, out):
    """Writes the outputs and cases.jsonl. A file's name is its command line."""
    paths = {}  # by stored bytes and kind of output
    taken = set()

    def path_of(case, output, label):
        key = output.kind == "pprof", output.stored
        if key in paths:
            return paths[key]
        typed = case.get("stdin") or "%s %s" % (
            case["command"],
            case["options"],
        )
        # A Bazel label may have only these characters.
        stem = re.sub(r"[^\w.,=+-]+", "_", typed, flags=re.ASCII).strip("_")
        stem = "golden/%s/%s" % (
            case["profile"],
            (stem or "blank")[:MAX_NAME].rstrip("_."),
        )
        if (stem + label).lower() in taken:
            stem += "~" + case["id"].rpartition("-")[2]
            assert (stem + label).lower() not in taken
        taken.add((stem + label).lower())
        paths[key] = stem + label + (".gz" if output.is_packed else "")
        full = os.path.join(out, paths[key])
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(output.stored)
        return paths[key]

    with open(os.path.join(out, "cases.jsonl"), "w", encoding="utf-8") as file:
        for _, case in sorted(selection.cases.items()):
            outputs = iter(selection.outputs(case))
            case = dict(case)
            case["golden"] = path_of(case, next(outputs), ".stdout")
            if case.get("stderr"):
                case["stderr"] = path_of(case, next(outputs), ".stderr")
            if case.get("files"):
                case["files"] = [
                    {
                        "name": f["name"],
                        "type": f["type"],
                        "golden": path_of(case, next(outputs), "." + f["name"]),
                    }
                    for f in case["files"]
                ]
            file.write(line_of(case))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("oracle")
    parser.add_argument("--budget", type=int, default=13_000_000)
    parser.add_argument(
        "--out",
        default=os.path.join(
            os.path.dirname(os.path.abspath(__file__)), "../tests/golden"
        ),
    )
    args = parser.parse_args()
    for name in ("profiles", "golden"):
        shutil.rmtree(os.path.join(args.out, name), ignore_errors=True)
    with open(
        os.path.join(args.oracle, "cases.jsonl"), encoding="utf-8"
    ) as lines:
        cases = [json.loads(line) for line in lines]
    inputs = copy_profiles(args.oracle, args.out)
    selection = Selection(args.oracle)
    choose(selection, cases, args.budget - inputs)
    write_outputs(selection, args.out)
    print(
        "%d of %d cases; %d bytes of inputs, %d of cases and outputs"
        % (len(selection.cases), len(cases), inputs, selection.bytes)
    )


if __name__ == "__main__":
    main()
