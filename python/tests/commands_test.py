"""The methods of Profile are the program's commands."""

import inspect
import subprocess
import sys
import unittest

from places import ROOT

import tfprof
from tfprof import _commands, _engine


class CommandsTest(unittest.TestCase):
    def test_the_file_is_what_the_tables_say(self):
        done = subprocess.run(
            [
                sys.executable,
                "-B",
                str(ROOT / "python" / "make_commands.py"),
                _engine.find_program(),
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(_commands.__file__, encoding="utf-8") as file:
            self.assertEqual(
                file.read(),
                done.stdout,
                "make it again: python/make_commands.py bazel-bin/profiler/"
                "tfprof > python/tfprof/_commands.py",
            )

    def test_every_method_has_help(self):
        for name, method in inspect.getmembers(
            tfprof.Profile, inspect.isfunction
        ):
            if not name.startswith("_"):
                with self.subTest(method=name):
                    self.assertTrue(method.__doc__)

    def test_exports(self):
        for name in ("open", "Profile", "Answer", "Error", "Timeline"):
            self.assertIn(name, dir(tfprof))
            self.assertTrue(getattr(tfprof, name))
        with self.assertRaises(AttributeError):
            tfprof.no_such_name

    def test_the_version_is_the_program_s(self):
        done = subprocess.run(
            [_engine.find_program(), "--version"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.stdout.split()[1], tfprof.__version__)


if __name__ == "__main__":
    unittest.main()
