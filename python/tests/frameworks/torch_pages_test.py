"""The blocks of g3doc/ for torch."""

import unittest

import torch
from pages import run_page


class PagesTest(unittest.TestCase):
    @unittest.skipUnless(
        torch.autograd.kineto_available(), "traces without steps"
    )
    def test_python_api(self):
        run_page(self, "python_api.md", {"torch"})


if __name__ == "__main__":
    unittest.main()
