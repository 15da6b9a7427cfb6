#!/usr/bin/env python3
"""Tests what tidy.py does with what clang-tidy answers."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import tidy

# Takes the arguments of clang-tidy: --quiet --config-file=FILE -p FOLDER FILE.
# The content of the last file is what it finds.
TOOL = """#!/bin/sh
cat "$5"
echo "counts of $5" >&2
test ! -s "$5"
"""


class TidyTest(unittest.TestCase):
    """Runs a program in place of clang-tidy."""

    def tidy(self, contents, parts):
        """What is printed and which files are not clean; parts are not listed.

        `contents` has what the tool finds in each file.
        """
        with tempfile.TemporaryDirectory() as folder:
            tool = os.path.join(folder, "tool")
            with open(tool, "w", encoding="utf-8") as f:
                f.write(TOOL)
            os.chmod(tool, 0o755)

            def path(name):
                return os.path.join(folder, name)

            for name, text in contents.items():
                with open(path(name), "w", encoding="utf-8") as f:
                    f.write(text)
            given = {
                path(whole): [path(name) for name in names]
                for whole, names in parts.items()
            }
            listed = set(contents) - {
                n for names in parts.values() for n in names
            }
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                failed = tidy.tidy(tool, folder, map(path, listed), given)
            return out.getvalue(), sorted(map(os.path.basename, failed))

    def test_clean_files_print_nothing(self):
        self.assertEqual(self.tidy({"a": "", "b": ""}, {}), ("", []))

    def test_findings_are_printed_and_fail(self):
        self.assertEqual(
            self.tidy({"a": "a: unused [misc]\n", "b": ""}, {}),
            ("a: unused [misc]\n", ["a"]),
        )

    def test_a_joined_file_is_read_once(self):
        found = "x: unused [misc]\n"
        self.assertEqual(
            self.tidy({"all": found, "x": found, "y": ""}, {"all": ["x", "y"]}),
            (found, ["all"]),
        )

    def test_parts_are_read_where_the_whole_does_not_compile(self):
        self.assertEqual(
            self.tidy(
                {
                    "all": "y: redefinition [clang-diagnostic-error]\n",
                    "x": "x: unused [misc]\n",
                    "y": "",
                },
                {"all": ["x", "y"]},
            ),
            ("x: unused [misc]\n", ["x"]),
        )

    def test_a_part_that_does_not_compile_fails(self):
        error = "x: expected ';' [clang-diagnostic-error]\n"
        self.assertEqual(
            self.tidy({"all": error, "x": error}, {"all": ["x"]}),
            (error, ["all"]),
        )
        self.assertEqual(
            self.tidy({"all": error, "x": error, "y": ""}, {"all": ["x", "y"]}),
            (error, ["x"]),
        )


if __name__ == "__main__":
    unittest.main()
