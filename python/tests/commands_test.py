"""The methods of Profile are the program's commands."""

import inspect
import unittest

import tfprof


class CommandsTest(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
