#!/usr/bin/env python3
"""The first screen names the cause of slowness, and warns of nothing else.

Usage: tests/bottlenecks/bottlenecks_test.py --bin=bazel-bin/profiler/tfprof
           [TEST…]

Makes the profiles of cases.py and runs `tfprof FILE…` on each, with nothing on
stdin. The worst finding must be of a rule for the planted cause and name the
planted operation, step, device, rank, line or scope: in the answer as data and
on the screen. A healthy profile must have no problem, and no warning on its
screen; nor may recordings of real programs without a problem. Prints a table of
all cases. A profile depends on nothing but the name of its case.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

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
for folder in (TESTS, os.path.join(TESTS, "traces"), HERE):
    sys.path.insert(0, folder)

import cases
import formats
import junit_runner

MUST_NAME = 48
OF = 50
MIN_HEALTHY = 20
# Recordings in which nothing is wrong. The others of tests/golden and tests/gpu
# have a problem indeed: an idle GPU, a slow step, a wait for input.
RECORDED = [
    "golden/profiles/" + name
    for name in (
        "ckpt_v1/profile.pb.gz",
        "code_deep/profile.pb.gz",
        "conv_resnet/profile.pb",
        "graph_only/profile.pb.gz",
        "mlp_tiny/profile.pb.gz",
        "multi_cpu/profile.pb.gz",
        "odd_names/profile.pb.gz",
        "rnn_while/profile.pb.gz",
        "tiny_const/profile.pb",
        "transformer/profile.pb.gz",
    )
] + ["gpu/recorded/cuda_graph/trace.json.gz"]
FIRST_COLUMNS = 76

binary = ""  # of junit_runner.main()


def run(*words):
    done = subprocess.run(
        [binary, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise AssertionError(
            "%s: status %d\n%s"
            % (" ".join(words), done.returncode, done.stderr.decode())
        )
    return done.stdout.decode()


class Screen:
    """The first screen about some files."""

    def __init__(self, files):
        self.text = run(*files)
        tables = json.loads(run(*files, "overview", "-output", "json"))[
            "tables"
        ]
        self.problems = tables["problems"]["rows"]
        self.findings = self.problems + tables["notes"]["rows"]

    @property
    def finding(self):
        """Its text on the screen, joined to one line; "" if there is none."""
        found = re.search(
            r"^(Critical|Warning|Note)  .*?(?=^(Do|Next)  )",
            self.text,
            re.M | re.S,
        )
        return " ".join(found[0].split()[1:]) if found else ""

    def warns(self):
        return bool(
            self.problems
            or re.search(r"^(Critical|Warning)  ", self.text, re.M)
        )

    def names(self, planted):
        if not self.findings or self.findings[0]["rule"] not in planted.rules:
            return False
        return all(
            re.search(word, text)
            for word in planted.words
            for text in (self.findings[0]["text"], self.finding)
        )


def screen_of(case):
    program, planted = case.program()
    with tempfile.TemporaryDirectory() as folder:
        options = {"job": case.job} if case.form == "tf1" else {}
        files = formats.FORMATS[case.form](program.processes, folder, **options)
        return Screen(files), planted


def print_row(case, cause, screen, verdict):
    rule = screen.findings[0]["rule"] if screen.findings else "-"
    text = screen.finding
    if len(text) > FIRST_COLUMNS:
        text = text[:FIRST_COLUMNS] + "…"
    print(
        "%-26s %-7s %-32s %-21s %-6s %s"
        % (case.name, case.form, cause, rule, verdict, text),
        flush=True,
    )


class BottlenecksTest(unittest.TestCase):
    """The corpus."""

    def test_planted_causes_are_named(self):
        all_cases = cases.bottlenecks()
        self.assertEqual(len(all_cases), OF)
        self.assertEqual(len({case.name for case in all_cases}), OF)
        missed = []
        for case in all_cases:
            screen, planted = screen_of(case)
            named = screen.names(planted)
            words = [word for word in planted.words if word]
            print_row(
                case, ", ".join(words), screen, "ok" if named else "MISSED"
            )
            if not named:
                missed.append((case.name, planted, screen.text))
        print("%d of %d causes are named" % (OF - len(missed), OF))
        self.assertLessEqual(len(missed), OF - MUST_NAME, missed)

    def test_each_cause_is_in_two_formats(self):
        of_cause = {}
        for case in cases.bottlenecks():
            of_cause.setdefault(case.cause, set()).add(case.form)
        for cause, found in of_cause.items():
            self.assertGreaterEqual(len(found), 2, cause)

    def test_healthy_profiles_have_no_warning(self):
        all_cases = cases.healthy()
        self.assertGreaterEqual(len(all_cases), MIN_HEALTHY)
        for case in all_cases:
            with self.subTest(case.name):
                screen, _ = screen_of(case)
                print_row(
                    case, "-", screen, "WARNED" if screen.warns() else "ok"
                )
                self.assertFalse(screen.warns(), screen.text)

    def test_recordings_without_a_problem_have_no_warning(self):
        for name in RECORDED:
            with self.subTest(name):
                screen = Screen([os.path.join(TESTS, name)])
                self.assertFalse(screen.warns(), screen.text)

    def test_the_same_name_gives_the_same_profile(self):
        for form in formats.FORMATS:
            case = next(c for c in cases.healthy() if c.form == form)
            contents = []
            for _ in range(2):
                program, _ = case.program()
                with tempfile.TemporaryDirectory() as folder:
                    files = formats.FORMATS[form](program.processes, folder)
                    data = b""
                    for path in files:
                        with open(path, "rb") as file:
                            data += file.read()
                contents.append(data)
            self.assertEqual(contents[0], contents[1], form)


if __name__ == "__main__":
    sys.exit(junit_runner.main("bottlenecks_test"))
