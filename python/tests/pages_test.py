"""The Python of the pages of g3doc/ does what the pages say."""

import importlib.util
import unittest

from pages import PAGES, matches, run_page


class MatcherTest(unittest.TestCase):
    def test_gaps(self):
        self.assertTrue(matches("a\n…\nb", "a\nx\ny\nb\n"))
        self.assertTrue(matches("a … b", "a 17 b"))
        self.assertFalse(matches("a … b", "a 17 c"))
        self.assertFalse(matches("a", "a\nb"))


class PagesTest(unittest.TestCase):
    pass


def _add(name):
    def test(self):
        modules = ("pandas", "matplotlib")
        have = {m for m in modules if importlib.util.find_spec(m)}
        run_page(self, name, have)

    setattr(PagesTest, f"test_{name.partition('.')[0]}", test)


for _page in PAGES:
    _add(_page)

if __name__ == "__main__":
    unittest.main()
