"""%%tfprof around a cell of JAX."""

import unittest

import nbformat
from notebook_test import execute


class CellTest(unittest.TestCase):
    def test_a_cell_is_recorded_and_shown(self):
        notebook = nbformat.v4.new_notebook()
        for source in (
            "import jax, jax.numpy as jnp\n%load_ext tfprof",
            "%%tfprof\njnp.ones((99, 99)).sum().block_until_ready()\nx = 3",
            "print(x, len(tfprof_profile.op()) > 0)",
        ):
            notebook.cells.append(nbformat.v4.new_code_cell(source))
        outputs = execute(notebook)
        self.assertIn("<table", outputs[1][-1])
        self.assertEqual(outputs[2], ["3 True\n"])


if __name__ == "__main__":
    unittest.main()
