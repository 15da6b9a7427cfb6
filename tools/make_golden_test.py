#!/usr/bin/env python3
"""Tests which cases make_golden.py selects, and what it writes."""

import gzip
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import make_golden


class MakeGoldenTest(unittest.TestCase):
    """On a small corpus whose outputs are as long as their names say."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.oracle = os.path.join(folder.name, "oracle")
        self.out = os.path.join(folder.name, "out")

    def write(self, path, data):
        path = os.path.join(self.oracle, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def case(self, ident, size, **more):
        """A case with an output of `size` bytes, all different."""
        golden = "golden/%s" % ident
        self.write(golden, (ident.encode() * size)[:size])
        return {
            "id": ident,
            "profile": "p",
            "kind": "view",
            "inputs": [],
            "inputs_key": "all",
            "command": "scope",
            "options": ident,
            "outcome": "ok",
            "golden": golden,
            **more,
        }

    def selected(self, cases, budget):
        selection = make_golden.Selection(self.oracle)
        make_golden.choose(selection, cases, budget)
        return sorted(selection.cases)

    def budget(self, cases):
        """The bytes that exactly these cases take."""
        selection = make_golden.Selection(self.oracle)
        for case in cases:
            selection.add(case)
        return selection.bytes

    def test_of_a_combination_the_median_case_is_taken(self):
        cases = [
            self.case(name, size)
            for name, size in (("c", 900), ("a", 10), ("b", 300))
        ]
        self.assertEqual(self.selected(cases, self.budget(cases[2:])), ["b"])

    def test_each_combination_has_a_case(self):
        cases = [
            self.case("a", 10),
            self.case("b", 10, command="op"),
            self.case("c", 10, profile="q"),
            self.case("d", 10),
        ]
        budget = self.budget(cases[1:])
        self.assertEqual(self.selected(cases, budget), ["b", "c", "d"])

    def test_sessions_and_crashes_are_always_taken(self):
        cases = [
            self.case("a", 10, kind="repl"),
            self.case("b", 500, kind="repl"),
            self.case("c", 500, outcome="abort"),
            self.case("d", 10),
        ]
        self.assertEqual(self.selected(cases, 10000), ["a", "b", "c", "d"])

    def test_the_rest_of_the_budget_goes_to_cheap_cases(self):
        cases = [
            self.case("a", 10),
            self.case("b", 50),
            self.case("c", 900),
            self.case("d", 5000),
            self.case("e", 6000),
        ]
        budget = self.budget(cases[:3])
        self.assertEqual(self.selected(cases, budget), ["a", "b", "c"])

    def test_a_budget_that_is_too_small_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.selected([self.case("a", 100)], 50)

    def test_equal_outputs_are_stored_once(self):
        first, second = self.case("a", 500), self.case("b", 500)
        second["golden"] = first["golden"]
        selection = make_golden.Selection(self.oracle)
        selection.add(first)
        self.assertLess(selection.cost(second), 500)
        selection.add(second)
        selection.add(second)  # changes nothing
        make_golden.write_outputs(selection, self.mkdir_out())
        cases = self.read_cases()
        self.assertEqual(len(cases), 2)
        self.assertEqual(cases[0]["golden"], cases[1]["golden"])

    def test_large_outputs_are_packed(self):
        large = self.case("a", make_golden.GZIP_FROM + 1)
        small = self.case("b", make_golden.GZIP_FROM)
        selection = make_golden.Selection(self.oracle)
        selection.add(large)
        selection.add(small)
        make_golden.write_outputs(selection, self.mkdir_out())
        paths = [case["golden"] for case in self.read_cases()]
        self.assertEqual(
            [path.endswith(".gz") for path in paths], [True, False]
        )
        with gzip.open(os.path.join(self.out, paths[0])) as file:
            self.assertEqual(len(file.read()), make_golden.GZIP_FROM + 1)

    def test_names_have_only_characters_of_labels(self):
        case = self.case("a", 10, options="-x '.*/y z' é|$")
        other = self.case("b", 20, options="-x '.*/y z' ü|$")
        selection = make_golden.Selection(self.oracle)
        selection.add(case)
        selection.add(other)
        make_golden.write_outputs(selection, self.mkdir_out())
        paths = [case["golden"] for case in self.read_cases()]
        self.assertEqual(len(set(paths)), 2)
        for path in paths:
            self.assertRegex(path, r"^golden/p/[A-Za-z0-9_.,=+~-]+$")

    def test_a_case_keeps_only_what_the_driver_reads(self):
        line = json.loads(
            make_golden.line_of(self.case("a", 1, seconds=3, stdin=None))
        )
        self.assertEqual(line["id"], "a")
        self.assertNotIn("seconds", line)
        self.assertNotIn("stdin", line)

    def test_large_profiles_are_packed(self):
        self.write("profiles/p/small", b"x")
        self.write("profiles/p/large", b"x" * (make_golden.GZIP_FROM + 1))
        self.write("profiles/conv_resnet/profile.pb", b"x" * 100000)
        make_golden.copy_profiles(self.oracle, self.mkdir_out())
        files = sorted(
            os.path.relpath(os.path.join(folder, name), self.out)
            for folder, _, names in os.walk(self.out)
            for name in names
        )
        self.assertEqual(
            files,
            [
                "profiles/conv_resnet/profile.pb",
                "profiles/p/large.gz",
                "profiles/p/small",
            ],
        )

    def mkdir_out(self):
        os.makedirs(self.out)
        return self.out

    def read_cases(self):
        with open(
            os.path.join(self.out, "cases.jsonl"), encoding="utf-8"
        ) as lines:
            return [json.loads(line) for line in lines]


if __name__ == "__main__":
    unittest.main()
