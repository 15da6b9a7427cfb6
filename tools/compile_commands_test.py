#!/usr/bin/env python3
"""Tests which flags of a compile compile_commands.py passes to clang."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import compile_commands


class ArgumentsTest(unittest.TestCase):
    """Makes the command line of clangd from the one of Bazel."""

    def check(self, given, expected):
        self.assertEqual(
            compile_commands.arguments(given.split(), "/base"), expected.split()
        )

    def test_plain_flags_stay(self):
        self.check(
            "/usr/bin/gcc -O2 -std=c++20 -Ibazel-out/x -c a.cc",
            "/usr/bin/gcc -O2 -std=c++20 -Ibazel-out/x -c a.cc",
        )

    def test_external_paths_become_absolute(self):
        self.check(
            "gcc external/lib/a.h -Iexternal/lib -isystem external/i",
            "gcc /base/external/lib/a.h -I/base/external/lib "
            "-isystem /base/external/i",
        )

    def test_flags_of_gcc_are_dropped(self):
        self.check(
            "gcc -fno-canonical-system-headers -frandom-seed=a.o -MD "
            "--param=ggc-min-heapsize=9 -O2",
            "gcc -O2",
        )

    def test_flags_that_write_files_are_dropped_with_their_values(self):
        self.check("gcc -MF a.d -c a.cc -o a.o", "gcc -c a.cc")

    def test_the_precompiled_header_is_dropped(self):
        self.check(
            "gcc -include tools/cc/precompiled.h -Werror=invalid-pch -c a.cc",
            "gcc -c a.cc",
        )

    def test_the_value_of_a_dropped_flag_may_look_like_a_flag(self):
        self.check("gcc -o -O2 -c a.cc", "gcc -c a.cc")


class JoinTest(unittest.TestCase):
    """Joins the sources of a folder into files that include them."""

    def join(self, *commands):
        with tempfile.TemporaryDirectory() as folder:
            given = {
                command.split()[-1]: command.split() for command in commands
            }
            joined, self.parts = compile_commands.join(given, folder)
            return {
                os.path.basename(path): (self.included(path), args)
                for path, args in joined.items()
            }, folder

    def included(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    def test_tests_and_folders_are_apart(self):
        joined, _ = self.join(
            "gcc -c a/x.cc",
            "gcc -c a/y.cc",
            "gcc -c a/y_test.cc",
            "gcc -c b/x.cc",
        )
        self.assertEqual(
            {name: text for name, (text, _) in joined.items()},
            {
                "a_0.cc": '#include "a/x.cc"\n#include "a/y.cc"\n',
                "a_test_0.cc": '#include "a/y_test.cc"\n',
                "b_0.cc": '#include "b/x.cc"\n',
            },
        )
        self.assertEqual(
            sorted(self.parts.values()),
            [["a/x.cc", "a/y.cc"], ["a/y_test.cc"], ["b/x.cc"]],
        )

    def test_the_file_has_the_most_arguments(self):
        joined, folder = self.join("gcc -O1 -c a/x.cc", "gcc -O2 -DA -c a/y.cc")
        self.assertEqual(
            joined["a_0.cc"][1],
            ["gcc", "-O2", "-DA", "-c", os.path.join(folder, "a_0.cc")],
        )

    def test_a_file_has_at_most_so_many_sources(self):
        most = compile_commands.MOST_SOURCES
        joined, _ = self.join(
            *("gcc -c a/%02d.cc" % i for i in range(most + 1))
        )
        self.assertEqual(joined["a_0.cc"][0].count("#include"), most)
        self.assertEqual(joined["a_1.cc"][0], '#include "a/%02d.cc"\n' % most)


if __name__ == "__main__":
    unittest.main()
