#!/usr/bin/env python3
"""The first screen names causes that a second generator has planted.

Usage: tests/bottlenecks/causes_test.py --bin=bazel-bin/profiler/tfprof
           [--report[=CAUSE,…]] [TEST…]

The generator is in causes/: programs on simulated machines (machine.py,
loop.py), written as profilers write them (write_*.py), with causes (plant_*.py)
or healthy (healthy.py). It was made from descriptions of slow programs, and
knows no rule of the advisor. A case says what was planted and some words for
why it is slow; the first screen must have both outside of its tables. A healthy
case must have no problem on the first screen and none in `advise all`.

--report prints the table of all cases, or of those whose name has one of the
words, and tests nothing.
"""

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
for folder in (TESTS, os.path.join(TESTS, "traces"), HERE + "/causes"):
    sys.path.insert(0, folder)

import healthy  # noqa: F401 (adds cases)
import junit_runner
import plant_device  # noqa: F401 (adds cases)
import plant_host  # noqa: F401 (adds cases)
import plant_ranks  # noqa: F401 (adds cases)
import plant_steps  # noqa: F401 (adds cases)
import truth
import write_chrome
import write_ctf
import write_kineto
import write_tf1
import write_xplane

MIN_CAUSES = 120
MIN_HEALTHY = 60
MUST_NAME = 0.97
COLUMNS = 90
WRITERS = {
    "kineto": write_kineto,
    "jax": write_xplane,
    "tpu": write_xplane,
    "tf2": write_xplane,
    "chrome": write_chrome,
    "ctf": write_ctf,
    "tf1": write_tf1,
}
# Parts of the screen that list everything, and so would name anything.
TABLES = ("File", "Steps", "Ops", "Memory", "Holds", "Next")
DEVICES = r"^\s+(rank \d+ )?\S*([gtc]pu|cuda):\d+ |device .*busy|time of step"

binary = ""  # of junit_runner.main(), or of --bin


def run(files, *words):
    done = subprocess.run(
        [binary, *files, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise AssertionError(
            "%s: status %d\n%s"
            % (" ".join(words), done.returncode, done.stderr.decode()[-900:])
        )
    return done.stdout.decode()


def sections(screen):
    """(label, line) of each line; a label has several, and then none."""
    label = ""
    for line in screen.splitlines():
        if line[:1].strip():
            label = line.split()[0]
        elif label == "Steps":
            label = ""  # What it says of certain steps is no table.
        yield label, line


def told(screen):
    """What a screen says of causes, and what it says to do, as lines of text.

    Long names may be cut into lines, so there is a form without spaces too.
    """
    causes, remedies = [], []
    for label, line in sections(screen):
        if label in TABLES or (label == "Wall" and re.search(DEVICES, line)):
            continue
        (remedies if label == "Do" else causes).append(line.strip())
    return joined(causes), joined(remedies)


def joined(lines):
    return " ".join(lines) + "\n" + "".join(lines)


def has(word, text):
    return re.search(word, text, re.I) is not None


class Result:
    """What the program says about a case."""

    def __init__(self, case):
        self.case = case
        with tempfile.TemporaryDirectory() as folder:
            job, self.truth = case.build()
            files = WRITERS[case.form].write(job, folder)
            self.screen = run(files)
            tables = self.tables(files, "overview")
            self.problems = tables["problems"]["rows"]
            self.advice = []
            if not case.cause:
                rows = self.tables(files, "advise", "all")["findings"]["rows"]
                self.advice = [
                    r for r in rows if r["severity"] in ("critical", "warning")
                ]
        self.causes, self.remedies = told(self.screen)

    @staticmethod
    def tables(files, *words):
        return json.loads(run(files, *words, "-output", "json"))["tables"]

    @property
    def verdict(self):
        if not self.case.cause:
            return "ALARM" if self.problems or self.advice else "quiet"
        has_thing = all(has(word, self.causes) for word in self.truth.things)
        has_cause = any(has(word, self.causes) for word in self.truth.causes)
        has_cause &= all(has(w, self.remedies) for w in self.truth.remedy)
        if has_thing and has_cause:
            return "named"
        return "half" if has_thing else "missed"

    @property
    def line(self):
        """The first line of the findings, or the first alarm."""
        if self.advice:
            return "%(rule)s: %(text)s" % self.advice[0]
        text = self.causes.partition("\n")[0]
        found = re.search(r"\b(Critical|Warning|Note|Problems)  .*", text)
        return found[0] if found else text


def results_of(cases):
    """In the order of the cases; the program runs beside the generator."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from pool.map(Result, cases)


def print_row(result):
    case = result.case
    print(
        "%-24s %-13s %-7s %-7s %s"
        % (
            case.cause or "(healthy)",
            case.variant or "-",
            case.form,
            result.verdict,
            " ".join(result.line.split())[:COLUMNS],
        ),
        flush=True,
    )


def planted():
    return [case for case in truth.ALL if case.cause]


def without_cause():
    return [case for case in truth.ALL if not case.cause]


class CausesTest(unittest.TestCase):
    """The corpus."""

    def test_there_are_enough_cases(self):
        self.assertGreaterEqual(len(planted()), MIN_CAUSES)
        self.assertGreaterEqual(len(without_cause()), MIN_HEALTHY)
        names = [case.name for case in truth.ALL]
        self.assertEqual(len(set(names)), len(names))

    def test_planted_causes_are_named(self):
        missed = []
        for result in results_of(planted()):
            print_row(result)
            if result.verdict != "named":
                missed.append(result.case.name)
        named = len(planted()) - len(missed)
        self.assertGreaterEqual(named, MUST_NAME * len(planted()), missed)

    def test_healthy_programs_raise_no_alarm(self):
        alarms = []
        for result in results_of(without_cause()):
            print_row(result)
            if result.verdict != "quiet":
                alarms.append((result.case.name, result.line))
        self.assertEqual(alarms, [])

    def test_a_name_always_gives_the_same_files(self):
        for form, writer in WRITERS.items():
            case = next(c for c in without_cause() if c.form == form)
            contents = []
            for _ in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    job, _ = case.build()
                    writer.write(job, folder)
                    contents.append(bytes_below(folder))
            self.assertEqual(contents[0], contents[1], form)


def bytes_below(folder):
    data = b""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(place, name), "rb") as file:
                data += file.read()
    return data


def report(words):
    """Prints all cases and how many of each cause are named."""
    counts = collections.OrderedDict()
    chosen = [
        case
        for case in truth.ALL
        if not words
        or any(w in "%s-%s" % (case.cause, case.name) for w in words)
    ]
    for result in results_of(chosen):
        print_row(result)
        key = result.case.cause or "(healthy)"
        counts.setdefault(key, collections.Counter())[result.verdict] += 1
    print()
    for cause, of in counts.items():
        total = sum(of.values())
        good = of["named"] + of["quiet"]
        rest = ", ".join("%d %s" % (n, v) for v, n in sorted(of.items()))
        print("%-24s %3d of %3d  (%s)" % (cause, good, total, rest))
    of = sum((c for k, c in counts.items() if k != "(healthy)"), counts_of())
    print("causes named: %d of %d" % (of["named"], sum(of.values())))
    print("alarms: %d" % counts.get("(healthy)", {}).get("ALARM", 0))


def counts_of():
    return collections.Counter()


def main():
    global binary
    for word in sys.argv[1:]:
        if word.startswith("--report"):
            binary = next(
                w.partition("=")[2] for w in sys.argv if w.startswith("--bin=")
            )
            words = word.partition("=")[2]
            report(words.split(",") if words else [])
            return 0
    return junit_runner.main("causes_test")


if __name__ == "__main__":
    sys.exit(main())
