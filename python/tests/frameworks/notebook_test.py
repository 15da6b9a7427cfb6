"""The notebook of python/examples, and %%tfprof, in a kernel of Jupyter."""

import unittest
import warnings

import nbformat
from nbclient import NotebookClient
from places import ROOT

NOTEBOOK = ROOT / "python" / "examples" / "notebook.ipynb"


def execute(notebook):
    """Runs all cells; an error of one is an exception."""
    folder = str(NOTEBOOK.parent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        NotebookClient(
            notebook,
            timeout=120,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        ).execute()
    return [
        [
            output.get("data", {}).get("text/html", output.get("text", ""))
            or str(output.get("data", ""))
            for output in cell.get("outputs", [])
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


class NotebookTest(unittest.TestCase):
    def test_the_example(self):
        outputs = execute(nbformat.read(NOTEBOOK, 4))
        self.assertIn("<table", outputs[0][0])
        self.assertIn("linear-gradient", outputs[1][0])
        self.assertIn("dataframe", outputs[2][0])
        self.assertIn("image/png", outputs[3][0])
        self.assertIn("iframe srcdoc=", outputs[-1][0])

    def test_a_wrong_line_of_the_magic_is_a_short_error(self):
        notebook = nbformat.v4.new_notebook()
        for source in ("%load_ext tfprof", "%%tfprof nothing\n1"):
            notebook.cells.append(nbformat.v4.new_code_cell(source))
        notebook.cells[1].metadata["tags"] = ["raises-exception"]
        (text,) = execute(notebook)[1]
        self.assertTrue(text.startswith("UsageError: %%tfprof"), text)
        self.assertEqual(text.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
