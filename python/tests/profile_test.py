"""tfprof.open, and what a Profile answers."""

import gzip
import inspect
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

from places import PROFILES, RESNET, RUNS

import tfprof


class OpenTest(unittest.TestCase):
    def test_a_path_bytes_and_a_list(self):
        data = RESNET.read_bytes()
        for what in (RESNET, str(RESNET), data, [str(RESNET)], bytearray(data)):
            with tfprof.open(what) as profile:
                self.assertEqual(profile.status().facts["nodes"], 3420)

    def test_a_graph_and_its_steps(self):
        folder = PROFILES / "input_pipeline"
        with tfprof.open(
            [
                folder / "graph.pb",
                f"7:{folder / 'run_meta_0'}",
                f"9:{folder / 'run_meta_1'}",
            ]
        ) as profile:
            self.assertEqual(profile.steps()["step"], [7, 9])

    def test_a_message(self):
        class Message:
            def SerializeToString(self):
                return RESNET.read_bytes()

        with tfprof.open(Message()) as profile:
            self.assertEqual(len(profile.op()), 36)

    def test_a_missing_file_is_python_s_error(self):
        with self.assertRaises(FileNotFoundError) as caught:
            tfprof.open("/no/such/file")
        self.assertEqual(caught.exception.filename, "/no/such/file")

    def test_an_unknown_format_is_the_program_s_error(self):
        with self.assertRaisesRegex(tfprof.Error, "format"):
            tfprof.open(b"this is no profile")

    def test_a_damaged_file_is_a_warning_and_the_rest_is_there(self):
        data = RESNET.read_bytes()
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            with tfprof.open(data[: len(data) // 2]) as profile:
                self.assertTrue(profile.notes)
                self.assertGreater(len(profile.op()), 0)

    def test_nothing_is_an_error(self):
        with self.assertRaises(ValueError):
            tfprof.open([])
        with self.assertRaises(FileNotFoundError):
            tfprof.open("")

    def test_a_pipe_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            with self.assertRaisesRegex(ValueError, "is a pipe"):
                tfprof.open(pipe)
        code = "import tfprof; tfprof.open('/dev/stdin')"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.assertIn(b"is a pipe", done.stderr)

    def test_the_standard_input_may_be_a_file(self):
        code = "import tfprof; print(len(tfprof.open('/dev/stdin').op()))"
        with RESNET.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=file,
                capture_output=True,
                check=True,
                timeout=60,
            )
        self.assertEqual(done.stdout.strip(), b"36")

    def test_a_path_is_one_even_if_it_is_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                Path("op").write_bytes(RESNET.read_bytes())
                Path("-x, y").write_bytes(RESNET.read_bytes())
                for name in ("op", "-x, y"):
                    with tfprof.open(name) as profile:
                        self.assertEqual(len(profile.op()), 36)
            finally:
                os.chdir(before)


class CommandsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tfprof.open(RESNET)
        cls.addClassCleanup(cls.profile.close)

    def test_op_has_all_rows_and_the_largest_first(self):
        answer = self.profile.op(select=["cpu_micros"])
        self.assertEqual(len(answer), answer.total_rows)
        self.assertFalse(answer.truncated)
        values = answer["self_cpu_micros"]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual(answer[0]["name"], "Conv2D")
        self.assertEqual(answer[0]["self_cpu_micros"], 26675)

    def test_options_have_the_program_s_names(self):
        answer = self.profile.op(
            order_by="occurrence", select="micros,occurrence", max_depth=2
        )
        self.assertEqual(len(answer), 3)
        self.assertTrue(answer.truncated)
        self.assertIn("runs", answer[0])

    def test_a_regular_expression_may_have_a_comma(self):
        answer = self.profile.scope(
            show_name_regexes=".*conv[12]{1,1}/Conv2D",
            account_displayed_op_only=True,
        )
        self.assertGreater(len(answer), 0)

    def test_the_text_is_the_report(self):
        answer = self.profile.op(select=["cpu_micros"], max_depth=1)
        self.assertIn("node name | cpu execution time\n", answer.text)
        self.assertIn("26.68ms (100.00%, 41.78%)", answer.text)
        self.assertTrue(str(answer).startswith("name "))

    def test_commands_with_words(self):
        node = "resnet/block1/unit_1/bottleneck/conv3/Conv2D"
        self.assertEqual(self.profile.show(node).tables["steps"][0]["step"], 0)
        self.assertEqual(len(self.profile.top(3)), 3)

    def test_every_command_answers(self):
        for name in (
            "overview",
            "steps",
            "devices",
            "critical_path",
            "doctor",
            "lanes",
            "memory",
            "kernels",
            "roofline",
            "ls",
            "flame",
            "scope",
            "graph",
            "code",
            "explain",
        ):
            with self.subTest(command=name):
                answer = getattr(self.profile, name)()
                self.assertTrue(answer.columns)
                self.assertIn("<table", answer._repr_html_())
                self.assertTrue(str(answer))

    def test_advise_runs_all_checkers_unless_told_otherwise(self):
        everything = self.profile.advise()
        reference = self.profile.advise("reference")
        self.assertGreater(
            len(everything.tables["checkers"]),
            len(reference.tables["checkers"]),
        )
        one = self.profile.advise(
            checkers=["ExpensiveOperation"],
        )
        self.assertEqual(len(one.tables["checkers"]), 1)
        with self.assertRaises(ValueError):
            self.profile.advise("some")

    def test_errors_are_the_program_s(self):
        with self.assertRaisesRegex(tfprof.Error, "Available steps"):
            self.profile.op(step=7)
        with self.assertRaisesRegex(tfprof.Error, "no node nix"):
            self.profile.show("nix")
        with self.assertRaises(TypeError):
            self.profile.op(ordre_by="micros")
        # It goes on.
        self.assertEqual(len(self.profile.op()), 36)

    def test_warnings_are_python_s_and_notes(self):
        with self.assertWarnsRegex(tfprof.ProfileWarning, "regular") as caught:
            answer = self.profile.op(start_name_regexes=["("])
        self.assertEqual(answer.notes[0].level, "warning")
        self.assertEqual(caught.filename, __file__)
        self.assertIn("regular expression", answer._repr_html_())

    def test_signatures_and_help_are_the_program_s(self):
        signature = inspect.signature(tfprof.Profile.op)
        self.assertIn("account_type_regexes", signature.parameters)
        self.assertIn("Show this step.", tfprof.Profile.op.__doc__)

    def test_a_notebook_shows_the_overview(self):
        self.assertIn("Conv2D", self.profile._repr_html_())


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.profile = tfprof.open(RESNET)
        self.addCleanup(self.profile.close)

    def test_timelines(self):
        timeline = self.profile.timeline()
        self.assertIn("device", timeline[0])
        for name, start in (
            ("a, b.html", b"<!DOCTYPE html>"),
            ("t.json", b"{"),
            ("t.pftrace", b"\n"),
        ):
            path = self.folder / name
            timeline.save(path)
            self.assertEqual(path.read_bytes()[: len(start)], start)
        timeline.save(self.folder / "t.json.gz")
        with gzip.open(self.folder / "t.json.gz") as file:
            self.assertEqual(file.read(1), b"{")
        with self.assertRaisesRegex(ValueError, "t.txt: a timeline is"):
            timeline.save(self.folder / "t.txt")
        self.assertEqual(len(list(self.folder.iterdir())), 4)

    def test_a_page_in_a_frame(self):
        shown = self.profile.timeline().show(height=300)
        self.assertIn("srcdoc=", shown._repr_html_())
        self.assertNotIn("<script", shown._repr_html_())  # escaped

    def test_save(self):
        path = self.folder / "saved.pb"
        self.profile.save(path)
        with tfprof.open(path) as saved:
            self.assertEqual(saved.op().rows, self.profile.op().rows)
        with self.assertRaises(tfprof.Error):
            self.profile.save(path)
        self.profile.save(path, force=True)

    def test_convert(self):
        self.profile.convert(f"files:outdir={self.folder / 'files'}", steps=[0])
        self.assertTrue((self.folder / "files" / "run_meta_0.pb").exists())


class ComparisonTest(unittest.TestCase):
    def setUp(self):
        self.before = tfprof.open(RUNS / "before")
        self.addCleanup(self.before.close)
        self.after = tfprof.open(RUNS / "after")
        self.addCleanup(self.after.close)

    def test_views_show_what_changed(self):
        with self.after.compare(self.before) as changed:
            rows = {row["name"]: row for row in changed.op()}
            self.assertEqual(rows["MatMul"]["micros_after"], 466)
            self.assertIn("compared", repr(changed))
            self.assertIn("MatMul", changed._repr_html_())

    def test_a_base_may_be_bytes(self):
        data = RESNET.read_bytes()
        with tfprof.open(data, base=data) as profile:
            for row in profile.op():
                self.assertEqual(row["micros_delta"], 0)

    def test_rules(self):
        check = self.after.check(
            ["op:MatMul.micros > +5%", "step.span_micros > 1ms"],
            base=self.before,
        )
        self.assertFalse(check.passed)
        self.assertEqual(
            [row["verdict"] for row in check.tables["rules"]], ["pass", "fail"]
        )
        self.assertIn("FAIL   step.span_micros > 1ms", check.text)
        with self.after.compare(self.before) as changed:
            self.assertTrue(changed.check("op:MatMul.micros > +5%").passed)

    def test_rules_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rules"
            path.write_text("op:MatMul.micros > +5%\n")
            check = self.after.check(path, base=RUNS / "before")
        self.assertTrue(check.passed)

    def test_wrong_rules_are_errors(self):
        with self.assertRaises(tfprof.Error):
            self.after.check("nonsense", base=self.before)
        with self.assertRaisesRegex(TypeError, "needs a base"):
            self.after.check("op:MatMul.micros > +5%")


if __name__ == "__main__":
    unittest.main()
