#!/usr/bin/env python3
"""Tests how bazel_test.py counts the cases of test targets."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import bazel_test


class CountTest(unittest.TestCase):
    """Cases of JUnit files, and of targets that have none."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.count = bazel_test.Count()

    def write(self, text):
        path = os.path.join(self.folder.name, "test file.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def result(self, path, status="PASSED"):
        """A testResult of Bazel, whose paths are URIs."""
        return {
            "status": status,
            "testActionOutput": [
                {"name": "test.log", "uri": "file:///log"},
                {
                    "name": "test.xml",
                    "uri": "file://" + path.replace(" ", "%20"),
                },
            ],
        }

    def outcome(self):
        return self.count.passed, self.count.skipped, self.count.failed

    def test_cases_by_outcome(self):
        path = self.write("""<testsuites><testsuite name="s">
            <testcase name="good" classname="A"/>
            <testcase name="bad" classname="A"><failure/></testcase>
            <testcase name="broken"><error/></testcase>
            <testcase name="skipped"><skipped/></testcase>
            <testcase name="disabled" status="notrun"/>
            <testcase name="run" status="run"/>
            </testsuite></testsuites>""")
        self.assertTrue(self.count.add_xml(path, "//x:y"))
        self.assertEqual(
            self.outcome(), (2, 2, ["//x:y A bad", "//x:y broken"])
        )

    def test_a_case_counts_once(self):
        path = self.write(
            '<testsuite><testcase name="a"><error/><failure/>'
            "</testcase></testsuite>"
        )
        self.count.add_xml(path, "")
        self.assertEqual(self.outcome(), (0, 0, ["a"]))

    def test_files_without_cases(self):
        for text in ("", "no xml", "<testsuite/>", "<testsuite>"):
            self.assertFalse(self.count.add_xml(self.write(text), "x"), text)
        self.assertFalse(self.count.add_xml("/no/such/file.xml", "x"))
        self.assertEqual(self.outcome(), (0, 0, []))

    def test_a_target_has_its_cases(self):
        path = self.write(
            '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'
        )
        self.count.add_target("//x:y", self.result(path))
        self.assertEqual(self.outcome(), (2, 0, []))

    def test_a_target_without_cases_is_one(self):
        self.count.add_target("//x:y", self.result("/no/such/file.xml"))
        self.count.add_target(
            "//x:z", {"status": "PASSED", "testActionOutput": []}
        )
        self.assertEqual(self.outcome(), (2, 0, []))

    def test_a_crash_after_good_cases_is_a_failure(self):
        path = self.write('<testsuite><testcase name="a"/></testsuite>')
        self.count.add_target("//x:y", self.result(path, "FAILED"))
        self.count.add_target("//x:z", self.result("/none", "TIMEOUT"))
        self.assertEqual(
            self.outcome(), (1, 0, ["//x:y FAILED", "//x:z TIMEOUT"])
        )

    def test_a_failed_case_is_not_counted_again(self):
        path = self.write(
            '<testsuite><testcase name="a"><failure/></testcase></testsuite>'
        )
        self.count.add_target("//x:y", self.result(path, "FAILED"))
        self.assertEqual(self.outcome(), (0, 0, ["//x:y a"]))


class ReadEventsTest(unittest.TestCase):
    """The build events of Bazel."""

    def read(self, events):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "events.json")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(event) + "\n" for event in events)
            return bazel_test.read_events(path)

    @staticmethod
    def result(label, status, **key):
        return {
            "id": {"testResult": {"label": label, **key}},
            "testResult": {"status": status},
        }

    def test_no_file_has_no_events(self):
        self.assertEqual(bazel_test.read_events("/no/such/file"), ({}, set()))

    def test_the_last_attempt_counts(self):
        results, _ = self.read(
            [
                self.result("//x:y", "FAILED", attempt=1),
                self.result("//x:y", "PASSED", attempt=2),
            ]
        )
        self.assertEqual(
            results,
            {("//x:y", 1, 1): {"status": "PASSED", "testActionOutput": []}},
        )

    def test_shards_and_runs_are_apart(self):
        results, _ = self.read(
            [
                self.result("//x:y", "PASSED", shard=1),
                self.result("//x:y", "PASSED", shard=2),
                self.result("//x:y", "PASSED", run=2),
            ]
        )
        self.assertEqual(len(results), 3)

    def test_targets_that_do_not_build(self):
        _, unbuilt = self.read(
            [
                {
                    "id": {"targetCompleted": {"label": "//x:bad"}},
                    "completed": {},
                },
                {
                    "id": {"targetCompleted": {"label": "//x:good"}},
                    "completed": {"success": True},
                },
                {
                    "id": {"testSummary": {"label": "//x:none"}},
                    "testSummary": {"overallStatus": "NO_STATUS"},
                },
                {
                    "id": {"testSummary": {"label": "//x:failed"}},
                    "testSummary": {"overallStatus": "FAILED"},
                },
                {"id": {"progress": {}}},
                {},
            ]
        )
        self.assertEqual(unbuilt, {"//x:bad", "//x:none"})

    def test_a_target_with_a_result_was_built(self):
        results, unbuilt = self.read(
            [
                self.result("//x:y", "FAILED"),
                {
                    "id": {"testSummary": {"label": "//x:y"}},
                    "testSummary": {"overallStatus": "INCOMPLETE"},
                },
            ]
        )
        self.assertEqual(len(results), 1)
        self.assertEqual(unbuilt, set())


if __name__ == "__main__":
    unittest.main()
