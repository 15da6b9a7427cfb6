#!/usr/bin/env python3
"""Tests which flags of a compile compile_commands.py passes to clang."""

import sys
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


if __name__ == "__main__":
    unittest.main()
