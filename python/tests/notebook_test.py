"""%%tfprof, with a notebook that is not there."""

import sys
import types
import unittest
from unittest import mock

from places import RESNET

import tfprof
from tfprof import notebook
from tfprof._engine import html


class Shell:
    """The parts of a notebook that %%tfprof uses."""

    def __init__(self, success=True):
        self.user_ns = {}
        self.cells = []
        self.success = success

    def run_cell(self, cell):
        self.cells.append(cell)
        return types.SimpleNamespace(success=self.success)


class Recording:
    """A recorder that has recorded RESNET, or nothing."""

    def __init__(self, works=True):
        self.profile = tfprof.open(RESNET) if works else None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        pass


class CellTest(unittest.TestCase):
    def run_cell(self, line="torch", shell=None, works=True):
        shell = shell or Shell()
        recording = Recording(works)
        if works:
            self.addCleanup(recording.profile.close)
        with mock.patch.object(
            notebook, "_recording", return_value=recording
        ) as chosen:
            shown = notebook.run_cell(shell, line, "x = 1")
        self.framework = chosen.call_args[0][0]
        return shell, shown

    def test_the_profile_is_shown_and_kept(self):
        shell, shown = self.run_cell()
        self.assertEqual(shell.cells, ["x = 1"])
        self.assertIs(shell.user_ns["tfprof_profile"], shown)
        self.assertIn("Conv2D", shown._repr_html_())
        self.assertEqual(self.framework, "torch")

    def test_words(self):
        self.assertIsNone(self.run_cell("--quiet tf")[1])
        self.assertEqual(self.framework, "tensorflow")
        for line in ("--nothing", "caffe", "jax torch", "'"):
            with self.assertRaisesRegex(ValueError, "%%tfprof"):
                self.run_cell(line)

    def test_a_cell_that_fails_is_kept_but_not_shown(self):
        shell, shown = self.run_cell(shell=Shell(success=False))
        self.assertIsNone(shown)
        self.assertIn("tfprof_profile", shell.user_ns)

    def test_a_recorder_that_fails_shows_nothing(self):
        shell, shown = self.run_cell(works=False)
        self.assertIsNone(shown)
        self.assertEqual(shell.cells, ["x = 1"])


class FrameworkTest(unittest.TestCase):
    def loaded(self, names, user_ns=None):
        modules = {
            name: module
            for name, module in sys.modules.items()
            if name not in notebook.FRAMEWORKS
        }
        modules.update({name: types.ModuleType(name) for name in names})
        with mock.patch.dict(sys.modules, modules, clear=True):
            return notebook.loaded_framework(user_ns or {})

    def test_the_loaded_one(self):
        self.assertEqual(self.loaded(["jax"]), "jax")

    def test_of_several_the_one_that_the_notebook_uses(self):
        names = {"jnp": types.ModuleType("jax.numpy"), "x": 3}
        self.assertEqual(self.loaded(["jax", "torch"], names), "jax")

    def test_else_it_must_be_named(self):
        with self.assertRaisesRegex(notebook.Refused, "say which"):
            self.loaded(["jax", "torch"])
        with self.assertRaisesRegex(notebook.Refused, "no framework"):
            self.loaded([])


class FrameTest(unittest.TestCase):
    def test_a_page_cannot_leave_its_frame(self):
        shown = html.frame('<p class="a">"</p></iframe>', 100)
        self.assertEqual(shown.count("<"), 2)
        self.assertNotIn("allow-same-origin", shown)


if __name__ == "__main__":
    unittest.main()
