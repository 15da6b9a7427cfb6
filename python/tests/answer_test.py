"""Answers as rows and as HTML; data frames where pandas is there."""

import importlib.util
import json
import re
import unittest

from tfprof._engine import html as _html
from tfprof._engine.answer import Answer, Note, Table


def answer(columns, rows, **more):
    data = {
        "schema": "tfprof.op",
        "version": 2,
        "facts": {"command": "op", "step": -1},
        "columns": [{"name": n, "unit": u} for n, u in columns],
        "rows": rows,
        "returned": len(rows),
        "total": more.get("total", len(rows)),
        "truncated": False,
    }
    return Answer(
        json.dumps(data).encode(),
        [Note("warning", "half <a> file")],
        lambda output: f"as {output}\n",
    )


COLUMNS = [("name", "text"), ("self_micros", "micros"), ("bytes", "bytes")]
ROWS = [
    {"name": "a", "self_micros": 4, "bytes": None},
    {"name": "b", "self_micros": 1.5, "bytes": 7},
]


class AnswerTest(unittest.TestCase):
    def test_rows_columns_and_texts(self):
        a = answer(COLUMNS, ROWS)
        self.assertEqual(a["name"], ["a", "b"])
        self.assertEqual(a[1]["bytes"], 7)
        self.assertEqual([row["name"] for row in a[:1]], ["a"])
        self.assertEqual(a.columns[1].title, "self time")
        self.assertEqual(a.command, "op")
        self.assertEqual(a.facts, {"step": -1})
        self.assertEqual((a.text, str(a)), ("as text\n", "as table"))
        with self.assertRaisesRegex(KeyError, "no column 'x'; there are name"):
            a["x"]

    def test_an_empty_answer_is_an_answer(self):
        self.assertTrue(answer(COLUMNS, []))
        self.assertEqual(len(answer(COLUMNS, [])), 0)

    def test_several_tables(self):
        table = {
            "columns": [{"name": "op", "unit": "text"}],
            "rows": [{"op": "MatMul"}],
            "returned": 1,
            "total": 1,
            "truncated": False,
        }
        data = {
            "schema": "tfprof.overview",
            "facts": {},
            "tables": {"inputs": {**table, "rows": []}, "ops": table},
        }
        a = Answer(json.dumps(data).encode(), [], str)
        self.assertEqual(a["op"], ["MatMul"])
        self.assertEqual(list(a.tables), ["inputs", "ops"])
        self.assertNotIn("inputs", a._repr_html_())


class HtmlTest(unittest.TestCase):
    def test_bars_units_and_notes(self):
        page = answer(COLUMNS, ROWS)._repr_html_()
        self.assertIn("transparent 100.0%", page)
        self.assertIn("4 µs", page)
        self.assertIn("warning: half &lt;a&gt; file", page)
        self.assertNotIn("<script", page)

    def test_names_are_text(self):
        rows = [
            {"name": "<img onerror=x>\u202e\x00", "self_micros": 1, "bytes": 2}
        ]
        page = answer(COLUMNS, rows)._repr_html_()
        self.assertIn("&lt;img onerror=x&gt;\\u202e\\u0000", page)
        self.assertNotIn("<img", page)

    def test_many_rows_are_counted(self):
        page = answer(COLUMNS, ROWS * 40)._repr_html_()
        self.assertIn("30 more rows", page)
        page = answer(COLUMNS, ROWS, total=9)._repr_html_()
        self.assertIn("2 of 9 rows", page)

    def test_facts_have_units(self):
        self.assertEqual(_html._fact("span_micros", 2500), "span: 2.50 ms")
        self.assertEqual(_html._fact("peak_bytes", 2000), "peak bytes: 2.00 KB")
        self.assertEqual(_html._fact("micros", 2500), "micros: 2.50 ms")
        self.assertEqual(_html._fact("largest", "a\x00"), "largest: a\\u0000")

    def test_numbers(self):
        for value, unit, text in (
            (None, "micros", "–"),
            (1234567, "micros", "1.23 s"),
            (999, "micros", "999 µs"),
            (-2500, "micros", "-2.50 ms"),
            (0.125, "share", "12.5 %"),
            (5_000_000, "bytes", "5.00 MB"),
            (1234, "count", "1,234"),
            (0.5, "number", "0.5"),
        ):
            self.assertEqual(_html.number(value, unit), text)


def missing(module):
    return importlib.util.find_spec(module) is None


class FramesTest(unittest.TestCase):
    def test_without_the_package_the_error_says_what_to_install(self):
        for module, wanted, call in (
            ("pandas", "tfprof[pandas]", Table.to_pandas),
            ("pyarrow", "pyarrow", Table.to_arrow),
            ("matplotlib", "tfprof[notebook]", Table.plot),
        ):
            if missing(module):
                with self.assertRaisesRegex(
                    ImportError, re.escape(f"pip install '{wanted}'")
                ):
                    call(answer(COLUMNS, ROWS))

    @unittest.skipIf(missing("pandas"), "needs pandas")
    def test_pandas(self):
        frame = answer(COLUMNS, ROWS).to_pandas()
        self.assertEqual(list(frame.columns), ["name", "self_micros", "bytes"])
        self.assertEqual(frame["self_micros"].sum(), 5.5)
        self.assertEqual(str(frame["bytes"].dtype), "Int64")
        self.assertEqual(frame.attrs["units"]["bytes"], "bytes")
        self.assertEqual(len(answer(COLUMNS, []).to_pandas()), 0)

    @unittest.skipIf(missing("pyarrow"), "needs pyarrow")
    def test_arrow(self):
        table = answer(COLUMNS, ROWS).to_arrow()
        self.assertEqual(table["bytes"].to_pylist(), [None, 7])
        field = table.schema.field("self_micros")
        self.assertEqual(field.metadata[b"unit"], b"micros")

    @unittest.skipIf(missing("matplotlib"), "needs matplotlib")
    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        axes = answer(COLUMNS, ROWS).plot()
        self.assertEqual(axes.get_xlabel(), "self time (ms)")
        self.assertEqual(
            [label.get_text() for label in axes.get_yticklabels()], ["b", "a"]
        )

    @unittest.skipIf(missing("altair"), "needs altair")
    def test_plot_with_altair(self):
        chart = answer(COLUMNS, [*ROWS, ROWS[0]]).plot(library="altair")
        data = chart.to_dict()
        (values,) = [data["data"]["values"]]
        self.assertEqual([v["name"] for v in values], ["a", "a (2)", "b"])
        self.assertEqual([v["value"] for v in values], [0.004, 0.004, 0.0015])
        self.assertEqual(data["encoding"]["x"]["title"], "self time (ms)")


if __name__ == "__main__":
    unittest.main()
