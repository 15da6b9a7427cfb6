#!/usr/bin/env python3
"""Tests which types unique_names.py takes for the same."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import unique_names


class UniqueNamesTest(unittest.TestCase):
    """Files with types."""

    def check(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, text in enumerate(texts):
                paths.append(os.path.join(folder, f"{number}.h"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = unique_names.main(paths)
            return status, out.getvalue().replace(folder + "/", "")

    def test_the_same_type_in_two_files(self):
        one = "namespace tfprof {\nstruct Event {\n};\n}  // namespace tfprof\n"
        two = (
            "namespace tfprof {\nclass Event final : public Base {\n};\n"
            "}  // namespace tfprof\n"
        )
        self.assertEqual(
            self.check(one, two), (1, "tfprof::Event is defined in 0.h, 1.h\n")
        )
        self.assertEqual(self.check(one), (0, ""))

    def test_templates_enumerations_and_long_lines(self):
        texts = [
            "template <typename T>\nclass A {\n",
            "class A\n    : Base {\n",
            "enum class B : int { kX };\n",
            "enum class B : uint8_t {\n",
        ]
        self.assertEqual(self.check(*texts), (1, "A is defined in 0.h, 1.h\n"))

    def test_names_that_may_be_the_same(self):
        plain = "namespace a {\nstruct Event {\n};\n}  // namespace a\n"
        for other in (
            "namespace a {\nnamespace {\nstruct Event {\n};\n"
            "}  // namespace\n}  // namespace a\n",
            "namespace a::b {\nstruct Event {\n};\n}  // namespace a::b\n",
            "namespace a {\nstruct Event;\nclass Event;\n}  // namespace a\n",
            "namespace a {\nstruct Out {\n  struct Event {\n  };\n};\n"
            "class Out::Event {\n};\n}  // namespace a\n",
        ):
            self.assertEqual(self.check(plain, other), (0, ""), other)


if __name__ == "__main__":
    unittest.main()
