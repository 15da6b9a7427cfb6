"""What answers show first in a notebook: findings and pictures."""

import re
import unittest
import warnings

from events_test import trace
from places import PROFILES, RESNET, RUNS

import tfprof
from tfprof._engine import html, pictures


def widths(page):
    """The left edge and the width of each box of a flame graph, in percent."""
    found = re.findall(r"left:([\d.]+)%;width:([\d.]+)%;top:(\d+)px", page)
    return [(float(a), float(b), int(c)) for a, b, c in found]


class PythonLineTest(unittest.TestCase):
    def test_a_command_is_a_call(self):
        for line, call in (
            ("steps", "profile.steps()"),
            ("explain step 5", "profile.explain('step', 5)"),
            (
                "op -step 5 -order_by micros",
                "profile.op(step=5, order_by='micros')",
            ),
            ("scope -max_depth=3", "profile.scope(max_depth=3)"),
            ("advise all", "profile.advise()"),
            ("", ""),
        ):
            self.assertEqual(pictures.python_line(line), call)

    def test_the_evidence_of_findings_can_be_called(self):
        calls = 0
        for path in (RESNET, RUNS / "before", PROFILES / "multi_gpu"):
            if not path.exists():
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with tfprof.open(path) as profile:
                    for finding in profile.advise():
                        call = pictures.python_line(finding["evidence"] or "")
                        if call:
                            answer = eval(call, {"profile": profile})
                            self.assertTrue(answer.columns, call)
                            calls += 1
        self.assertGreater(calls, 3)


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tfprof.open(RESNET)
        cls.addClassCleanup(cls.profile.close)

    def test_advice_begins_with_the_findings(self):
        advice = self.profile.advise()
        page = advice._repr_html_()
        first = advice[0]["text"].splitlines()[0]
        self.assertLess(page.index(first[:30]), page.index("<table"))
        # The checkers that found nothing are folded up.
        table = page.index("AcceleratorUtilizationChecker")
        self.assertLess(page.rindex("<details>", 0, table), table)
        self.assertNotIn("\\u000a", page)

    def test_an_overview_begins_with_the_worst_problem(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with tfprof.open(trace(3)) as profile:
                overview = profile.overview()
                page = profile._repr_html_()
        problems = overview.tables["problems"].rows
        self.assertTrue(problems)
        text = html.escaped(problems[0]["text"].splitlines()[0])
        self.assertLess(page.index(text), page.index("<table"))

    def test_boxes_of_a_flame_graph_are_inside_of_their_parents(self):
        answer = self.profile.flame()
        boxes = widths(answer._repr_html_())
        self.assertEqual(boxes[0][:2], (0, 100))
        shown = [
            row
            for row in answer
            if row["share"] and row["share"] >= pictures._FLAME_NARROWEST
        ]
        self.assertEqual(len(boxes), len(shown))
        tall = sorted({top for _, _, top in boxes})
        for left, width, top in boxes[1:]:
            above = tall[tall.index(top) - 1]
            self.assertTrue(
                any(
                    at <= left + 0.01 and left + width <= at + size + 0.01
                    for at, size, row in boxes
                    if row == above
                ),
                (left, width, top),
            )
        self.assertGreaterEqual(tall[-1], 100)

    def test_what_is_too_small_is_counted(self):
        answer = self.profile.flame()
        page = answer._repr_html_()
        narrow = int(
            re.search(r"Left out: ([\d,]+) narrower", page)[1].replace(",", "")
        )
        self.assertEqual(narrow + len(widths(page)), len(answer))

    def test_lanes_are_as_busy_as_their_numbers(self):
        with tfprof.open(trace(3)) as profile:
            answer = profile.lanes()
            page = answer._repr_html_()
        strips = re.findall(r"<svg.*?</svg>", page)
        self.assertEqual(len(strips), len(answer))
        slices = answer.facts["slices"]
        for row, strip in zip(answer, strips):
            heights = re.findall(r' height="([\d.]+)"', strip)
            self.assertAlmostEqual(
                sum(map(float, heights)) / slices,
                row["busy_share"],
                delta=0.01,
            )
            self.assertNotIn("<script", page)

    def test_a_flame_graph_of_any_cost(self):
        for cost, unit in (("bytes", "B"), ("occurrence", "")):
            page = self.profile.flame(order_by=cost)._repr_html_()
            self.assertRegex(page, rf'title="[^"]+\n[\d.,]+ ?[kMG]?{unit}, ')

    def test_a_timeline_is_a_picture(self):
        page = self.profile.timeline()._repr_html_()
        self.assertLess(page.index("<svg"), page.index("<table"))
        self.assertIn("timeline.show()", page)

    def test_names_are_text(self):
        data = trace(2).replace(b"aten::mm", b"<img onerror=x>")
        with tfprof.open(data) as profile:
            for answer in (
                profile.flame(),
                profile.advise(),
                profile.lanes(),
                profile.events(),
            ):
                page = answer._repr_html_()
                self.assertNotIn("<img", page)
                self.assertNotIn("<script", page)
        self.assertIn("&lt;img", page)

    def test_sentences_are_not_cut(self):
        text = "communication is hidden; most of it " + "nccl:all_reduce " * 9
        cell = html._text_cell(text, 0)
        self.assertIn(text, cell)
        name = "Model/" + "block/" * 40 + "conv"
        self.assertIn(">…", html._text_cell(name, 0))


if __name__ == "__main__":
    unittest.main()
