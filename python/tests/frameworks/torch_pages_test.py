"""The blocks of g3doc/ for torch."""

import unittest

from pages import run_page


class PagesTest(unittest.TestCase):
    def test_python_api(self):
        run_page(self, "python_api.md", {"torch"})


if __name__ == "__main__":
    unittest.main()
