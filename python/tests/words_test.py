"""The program's messages have the names and the values of Python."""

import unittest
import warnings

from places import RESNET, RUNS

import tfprof
from tfprof._engine.messages import in_python


class InPythonTest(unittest.TestCase):
    def test_options_are_keyword_arguments(self):
        for text, wanted in (
            (
                "what ran in no step; -step all includes it.",
                "what ran in no step; step='all' includes it.",
            ),
            ("Options -step=7 not found.", "Options step=7 not found."),
            (
                "-select has no 'foo'; it takes bytes",
                "select has no 'foo'; it takes bytes",
            ),
            ("--fail-if: column 3", "rules: column 3"),
            ("-max_depth takes a number", "max_depth takes a number"),
        ):
            self.assertEqual(in_python(text), wanted)

    def test_other_words_stay(self):
        for text in (
            "a-step all",
            "/tmp/-step/x-limit.pb",
            "name its format with a flag, as --profile_path",
            "-1 is the average",
            "flow -> kernel",
        ):
            self.assertEqual(in_python(text), text)

    def test_bytes_have_no_path(self):
        text = "/dev/fd/4: byte 0; /dev/fd/41"
        self.assertEqual(
            in_python(text, ["/dev/fd/4"]), "<bytes>: byte 0; /dev/fd/41"
        )
        self.assertEqual(
            in_python("/dev/fd/5: bad", ["/dev/fd/4", "/dev/fd/5"]),
            "<bytes 2>: bad",
        )


class MessagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tfprof.open(RESNET)
        cls.addClassCleanup(cls.profile.close)

    def message(self, call):
        with self.assertRaises(tfprof.Error) as caught:
            call(self.profile)
        return str(caught.exception)

    def test_a_wrong_value_has_the_valid_ones_beside_it(self):
        for call, valid in (
            (lambda p: p.op(select="foo"), "accelerator_micros"),
            (lambda p: p.op(order_by="foo"), "occurrence"),
            (lambda p: p.op(step="foo"), "slowest"),
            (lambda p: p.op(step=7), "Available steps: 0"),
            (lambda p: p.op(flops="foo"), "op_log, auto, graph, off"),
            (lambda p: p.op(max_depth="foo"), "a number"),
            (lambda p: p.op(account_displayed_op_only="foo"), "true or false"),
            (lambda p: p.advise(checkers=["foo"]), "CopyChecker"),
            (lambda p: p.rows("foo"), "executions"),
            (lambda p: p.check("op:MatMul.foo > 5%", base=p), "output_bytes"),
        ):
            text = self.message(call)
            self.assertIn(valid, text)
            self.assertNotRegex(text, r"(^|\s)--?[a-z]")

    def test_content_is_called_bytes(self):
        with self.assertRaisesRegex(tfprof.Error, "^<bytes>: byte 0:"):
            tfprof.open(b"this is no profile")

    def test_a_healthy_profile_warns_of_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with tfprof.open(RUNS / "before") as profile:
                self.assertTrue(profile.op())
                levels = {note.level for note in profile.notes}
                self.assertEqual(levels, {"note"})


if __name__ == "__main__":
    unittest.main()
