#!/usr/bin/env python3
"""Comparing real runs: -base, base, check, their outputs and exit statuses.

Usage: tests/compare/compare_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

runs/before and runs/after are two runs of one model (README.md). A third run is
made from `after`: in every step each execution of an op takes 20 % longer.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import csv
import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner
import wire

BEFORE = os.path.join(HERE, "runs", "before")
AFTER = os.path.join(HERE, "runs", "after")

# Field numbers of RunMetadata down to the durations of a node.
STEP_STATS, DEV_STATS, NODE_STATS, NODE_NAME, OP_END, ALL_END = 1, 1, 2, 1, 4, 5
OP_END_NANOS, ALL_END_NANOS = 15, 16

binary = ""  # of junit_runner.main()


def rewrite(data, change):
    """The message, with each field replaced by change(number, value)."""
    result = bytearray()
    for number, value, whole in wire.fields(data):
        changed = change(number, value)
        result += whole if changed == value else wire.field(number, changed)
    return bytes(result)


def slow_down(data, matches, factor):
    """RunMetadata whose nodes that match take `factor` times as long."""

    def node(number, value):
        if number != NODE_STATS:
            return value
        name = []
        rewrite(
            value, lambda n, v: name.append(v) or v if n == NODE_NAME else v
        )
        if not matches(name[0].decode()):
            return value
        durations = (OP_END, ALL_END, OP_END_NANOS, ALL_END_NANOS)
        return rewrite(
            value, lambda n, v: round(v * factor) if n in durations else v
        )

    return rewrite(
        data,
        lambda n, v: (
            rewrite(v, lambda n, v: rewrite(v, node) if n == DEV_STATS else v)
            if n == STEP_STATS
            else v
        ),
    )


def is_matmul(name):
    return name.rsplit("/", 1)[-1].startswith("MatMul")


def run(*arguments, text=None):
    done = subprocess.run(
        [binary, *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def kineto_trace(rng, factor):
    """Ten steps of PyTorch on a GPU. The kernels of relu take `factor` times as
    long; all vary by some percent."""
    events = []

    def add(category, name, thread, start, duration, **args):
        events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": 0,
                "tid": thread,
                "ts": start,
                "dur": duration,
                "args": args,
            }
        )

    for step in range(10):
        begin = 10000 * step
        add("user_annotation", f"ProfilerStep#{step}", 1, begin, 9000)
        for i in range(20):
            start, correlation = begin + 100 + 200 * i, 20 * step + i + 1
            name, micros = (
                ("aten::relu", 20 * factor) if i == 7 else ("aten::mm", 100)
            )
            add("cpu_op", name, 1, start, 50, **{"Input Dims": [[8, 8]]})
            add(
                "cuda_runtime",
                "cudaLaunchKernel",
                1,
                start + 5,
                10,
                correlation=correlation,
            )
            add(
                "kernel",
                name + "_kernel",
                7,
                start + 60,
                round(micros * rng.uniform(0.99, 1.01), 3),
                device=0,
                stream=7,
                correlation=correlation,
            )
    return {"schemaVersion": 1, "traceEvents": events}


def waiting_trace(rng, micros):
    """Ten steps that end with their kernel, aten::mm of about `micros`."""
    events = []
    begin = 1000.0
    for step in range(10):
        length = round(micros * rng.uniform(0.99, 1.01), 3)
        for category, name, thread, start, duration, args in (
            (
                "user_annotation",
                f"ProfilerStep#{step}",
                1,
                0,
                length + 100,
                {},
            ),
            ("cpu_op", "aten::mm", 1, 10, 30, {}),
            (
                "cuda_runtime",
                "cudaLaunchKernel",
                1,
                20,
                10,
                {"correlation": step + 1},
            ),
            (
                "kernel",
                "gemm",
                7,
                50,
                length,
                {"device": 0, "stream": 7, "correlation": step + 1},
            ),
        ):
            events.append(
                {
                    "ph": "X",
                    "cat": category,
                    "name": name,
                    "pid": 0,
                    "tid": thread,
                    "ts": begin + start,
                    "dur": duration,
                    "args": args,
                }
            )
        begin += length + 200
    return {"schemaVersion": 1, "traceEvents": events}


class CompareTest(unittest.TestCase):
    """Each case runs the program."""

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="tfprof_compare_")
        self.addCleanup(shutil.rmtree, self.scratch)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def slower(self, matches, factor=1.2):
        """A folder with the second run and some of its nodes slowed down."""
        folder = self.path("slower")
        os.mkdir(folder)
        for name in os.listdir(AFTER):
            with gzip.open(os.path.join(AFTER, name)) as source:
                data = source.read()
            if name.startswith("run_meta"):
                data = slow_down(data, matches, factor)
            with open(os.path.join(folder, name[:-3]), "wb") as out:
                out.write(data)
        return folder

    # ------------------------------------------------------------------ check

    def test_two_runs_of_one_model_pass(self):
        status, out, err = run("check", BEFORE, AFTER)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("pass   mean step.span_micros > +10%", out)
        self.assertIn("12 steps before, 12 steps after;", out)
        # The warning comes in either order, and for the most important ops.
        for pair in (BEFORE, AFTER), (AFTER, BEFORE):
            status, out, _ = run(
                "check",
                *pair,
                "--fail-if",
                "op:(MatMul|Relu).micros > +15%",
                "--fail-if",
                "step.span_micros > +10%",
            )
            self.assertEqual(status, 0, out)
        # 4 % more for MatMul is within the noise of the steps.
        status, out, _ = run(
            "check", BEFORE, AFTER, "--fail-if", "op:MatMul.micros > +3%"
        )
        self.assertEqual(status, 0, out)
        self.assertRegex(
            out,
            r"noise  op:MatMul.micros > \+3%\n +MatMul  441us"
            r"  457us  \+17us  \+3\.7%  within noise 43us\n",
        )
        self.assertIn("1 rule: 1 within noise.", out)

    def test_an_op_that_got_slower_fails(self):
        slow = self.slower(is_matmul)
        # Against the run from which it was made: 20 %, except for rounding.
        status, out, _ = run(
            "check",
            AFTER,
            slow,
            "--fail-if",
            "op:.*.micros > +5%",
            "-output",
            "json",
        )
        self.assertEqual(status, 1, out)
        report = json.loads(out)
        self.assertEqual(report["facts"]["verdict"], "fail")
        tables = report["tables"]
        failed = [
            row for row in tables["rows"]["rows"] if row["verdict"] == "fail"
        ]
        self.assertEqual([row["name"] for row in failed], ["MatMul"])
        self.assertAlmostEqual(failed[0]["change"], 0.2, delta=0.01)
        self.assertEqual(
            [op["name"] for op in tables["ops"]["rows"]], ["MatMul"]
        )
        # Against the other run, despite its noise.
        status, out, _ = run(
            "check", BEFORE, slow, "--fail-if", "op:MatMul.micros > +5%"
        )
        self.assertEqual(status, 1, out)
        self.assertRegex(
            out,
            r"FAIL   op:MatMul.micros > \+5%\n"
            r" +MatMul  441us  5\d\dus  \+1\d\dus  \+2\d\.\d%",
        )

    def test_a_kernel_of_a_trace_that_got_slower_fails(self):
        files = []
        for name, seed, factor in (
            ("a.json", 1, 1),
            ("b.json", 2, 1),
            ("c.json", 3, 1.1),
        ):
            files.append(self.path(name))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(kineto_trace(random.Random(seed), factor), file)
        rule = ["--fail-if", "op:.*.accelerator_micros > +5%"]
        status, out, err = run("check", *files[:2], *rule)
        self.assertEqual((status, err), (0, ""), out)
        status, out, err = run("check", files[0], files[2], *rule)
        self.assertEqual((status, err), (1, ""), out)
        # A fifth of a percent of the step, and the only row that fails.
        self.assertRegex(
            out,
            r"FAIL   op:\.\*.accelerator_micros > \+5%\n"
            r" +aten::relu  20us  22us  \+2us  \+(9|10)\.\d%.*\n"
            r" +3 pass\n",
        )
        # The rules that apply without others find it too.
        status, out, err = run("check", *files[:2])
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("9 rules: 9 passed.\n", out)
        status, out, err = run("check", files[0], files[2])
        self.assertEqual((status, err), (1, ""), out)
        self.assertIn(
            "FAIL   op:.*.accelerator_micros > +5% min 1%\n"
            "       aten::relu  20us  22us  +2us ",
            out,
        )
        self.assertIn("9 rules: 1 failed, 8 passed.\n", out)

    def test_kernels_of_two_steps_are_not_judged_without_a_rule(self):
        files = []
        for name, factor in (("a.json", 1), ("b.json", 1.1)):
            trace = kineto_trace(random.Random(1), factor)
            trace["traceEvents"] = [
                event for event in trace["traceEvents"] if event["ts"] < 20000
            ]
            files.append(self.path(name))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(trace, file)
        status, out, _ = run("check", *files)
        self.assertEqual(status, 0, out)
        self.assertIn(
            "skip   op:.*.accelerator_micros > +5% min 1%\n"
            "       needs 3 steps on each side\n",
            out,
        )
        self.assertIn("9 rules: 7 passed, 2 skipped.\n", out)
        _, out, _ = run("check", *files, "-output", "json")
        rules = json.loads(out)["tables"]["rules"]["rows"]
        self.assertEqual(
            [rule["verdict"] for rule in rules], ["pass"] * 7 + ["skipped"] * 2
        )
        _, out, _ = run("check", *files, "-output", "junit")
        skipped, _ = ET.fromstring(out).findall(".//skipped")
        self.assertEqual(skipped.get("message"), "needs 3 steps on each side")

    def test_one_node_that_got_slower_is_named(self):
        slow = self.slower(lambda name: name == "layer_1/relu")
        status, out, _ = run(
            "check",
            AFTER,
            slow,
            "--fail-if",
            "graph:.*.micros > +5%",
            "-output",
            "json",
        )
        self.assertEqual(status, 1)
        nodes = json.loads(out)["tables"]["nodes"]["rows"]
        self.assertEqual(nodes[0]["name"], "layer_1/relu")

    def test_noise_floor(self):
        slow = self.slower(is_matmul)
        rule = ("--fail-if", "op:MatMul.micros > +5%")
        status, out, _ = run("check", AFTER, slow, *rule, "--noise", "25")
        self.assertEqual(status, 0)
        self.assertIn("within noise", out)
        self.assertIn("By --noise, changes up to 25% count as noise.", out)
        self.assertEqual(run("check", AFTER, slow, *rule, "--noise=5%")[0], 1)

    def test_one_step_has_no_estimate(self):
        files = []
        for folder in BEFORE, AFTER:
            files.append(
                ",".join(
                    os.path.join(folder, name)
                    for name in ("graph.pb.gz", "run_meta_0.gz")
                )
            )
        status, out, _ = run("check", *files)
        self.assertEqual(status, 0)
        self.assertIn(
            "there is no estimate of noise for any change: record 5", out
        )

    def test_junit(self):
        slow = self.slower(is_matmul)
        report = self.path("report.xml")
        status, out, err = run(
            "check",
            AFTER,
            slow,
            "--fail-if",
            "op:MatMul.micros > +5%",
            "--fail-if",
            "total.bytes > +1%",
            "-output",
            "junit:outfile=" + report,
        )
        self.assertEqual(
            (status, out, err), (1, "", "2 rules: 1 failed, 1 passed.\n")
        )
        root = ET.parse(report).getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("2", "1"))
        failure = root.find(".//failure")
        self.assertRegex(
            failure.get("message"),
            r"MatMul: 457us -> 549us, \+92us \(\+20\.0%\)",
        )

    def test_markdown_and_csv(self):
        status, out, _ = run("check", BEFORE, AFTER, "-output", "markdown")
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("tfprof.check, command: check "), out)
        self.assertIn(", verdict: pass, summary: 7 rules: 7 passed., ", out)
        self.assertIn("\n## nodes\n", out)
        _, out, _ = run("check", BEFORE, AFTER, "-output", "csv")
        rows = list(csv.DictReader(io.StringIO(out, newline="")))
        self.assertEqual(
            [row["table"] for row in rows[:9]],
            ["facts"] + 7 * ["rules"] + ["rows"],
        )
        self.assertEqual(rows[0]["summary"], "7 rules: 7 passed.")
        self.assertEqual(rows[8]["rule"], rows[1]["rule"])
        self.assertGreater(float(rows[8]["after"]), 0)

    def test_rules_file(self):
        rules = self.path("rules")
        with open(rules, "w", encoding="utf-8") as out:
            out.write(
                "# limits\ntotal.micros > 2ms\n\nstep.span_micros > 1us\n"
            )
        status, out, _ = run("check", BEFORE, AFTER, "--rules", rules)
        self.assertEqual(status, 1)
        self.assertIn("pass   total.micros > 2ms", out)
        self.assertIn("FAIL   step.span_micros > 1us", out)

    def test_status_2(self):
        broken = self.path("broken")
        with open(broken, "w", encoding="utf-8") as out:
            out.write("total.micros > +5%\nop:x\n")
        cut = self.path("cut")
        shutil.copytree(AFTER, cut)
        with open(os.path.join(cut, "run_meta_3.gz"), "r+b") as out:
            out.truncate(1000)
        for arguments, message in (
            (
                ["--fail-if", "op:MatMul.micros > 5m"],
                "tfprof: --fail-if: column 21: 'm' is no unit; there are % "
                "and us, ms, s, B, KB, MB, GB\n"
                "  op:MatMul.micros > 5m\n"
                "                      ^\n",
            ),
            (["--rules", broken], "broken: line 2, column 5: an operator"),
            (["--rules", self.path("none")], "No such file"),
            (
                ["--fail-if", "op:Matmul.micros > 1"],
                "no op row of either profile has a name that matches "
                "'Matmul' as a whole; the largest are MatMul, Relu",
            ),
            (["--noise", "much"], "-noise takes PERCENT, not 'much'"),
            (["-output", "pprof:outfile=x"], "check has no pprof"),
            ([BEFORE], "check takes BASE NEW and nothing else"),
        ):
            status, out, err = run("check", BEFORE, AFTER, *arguments)
            self.assertEqual((status, out), (2, ""), err)
            self.assertIn(message, err)
        for arguments, message in (
            (["check", BEFORE], "check needs BASE NEW"),
            (["check", BEFORE, self.path("none")], "none"),
            (["check", BEFORE, cut], "is damaged"),
            (
                [AFTER, "op", "--fail-if", "total.micros > 1"],
                "-fail-if is an option of check only",
            ),
        ):
            status, out, err = run(*arguments)
            self.assertEqual((status, out), (2, ""), err)
            self.assertIn(message, err)

    # ------------------------------------------------------------------ views

    def test_views_show_what_changed(self):
        for view in "op", "scope", "graph":
            status, out, _ = run(
                AFTER,
                "--base",
                BEFORE,
                view,
                "-output",
                "json",
                "-select",
                "micros,params",
            )
            self.assertEqual(status, 0)
            table = json.loads(out)
            self.assertEqual(table["schema"], "tfprof.diff")
            self.assertEqual(table["facts"]["base"], BEFORE)
            deltas = [
                abs(row["micros_delta"])
                for row in table["rows"]
                if row.get("depth", 0) <= 0
            ]
            self.assertEqual(deltas, sorted(deltas, reverse=True))
            self.assertGreater(len(table["rows"]), 5)
            for row in table["rows"]:
                self.assertEqual(
                    row["micros_delta"],
                    row["micros_after"] - row["micros_before"],
                )

    def waiting(self, seed, micros):
        path = self.path(f"waiting_{seed}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(waiting_trace(random.Random(seed), micros), file)
        return path

    def diff(self, *profiles):
        status, out, _ = run("diff", *profiles, "-output", "json")
        self.assertEqual(status, 0, out)
        return json.loads(out)

    def test_the_verdict_names_what_got_slower(self):
        fast, slow = self.waiting(1, 1000), self.waiting(2, 1500)
        for files, verdict, sign in (
            ((fast, slow), "slower", 1),
            ((slow, fast), "faster", -1),
            ((fast, self.waiting(3, 1000)), "same", 0),
            ((fast, fast), "same", 0),
            ((BEFORE, AFTER), "same", 0),
        ):
            document = self.diff(*files)
            facts = document["facts"]
            self.assertEqual(facts["verdict"], verdict)
            # The system interrupted two of its steps.
            interrupted = files == (BEFORE, AFTER)
            caution = facts["caution"] or "none"
            self.assertRegex(caution, "^2 steps" if interrupted else "^none$")
            if sign == 0:
                self.assertIsNone(facts["because"])
                continue
            self.assertRegex(facts["because"], "^matrix products .*aten::mm")
            self.assertGreater(sign * facts["delta_micros"], 0)
            # The parts add up to the change of the typical steps.
            account = document["tables"]["account"]
            self.assertAlmostEqual(
                sum(row["delta_micros"] for row in account["rows"]),
                account["totals"]["delta_micros"],
            )
            self.assertEqual(
                document["tables"]["ops"]["rows"][0]["name"], "aten::mm"
            )

    def test_the_overview_begins_with_the_verdict(self):
        fast, slow = self.waiting(1, 1000), self.waiting(2, 1500)
        status, out, _ = run(slow, "--base", fast, "overview")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"\nBase +slower: .*\n +because of .*aten::mm")
        _, out, _ = run(slow, "--base", fast, "overview", "-output", "json")
        self.assertEqual(json.loads(out)["facts"]["base_verdict"], "slower")

    def test_ls_and_top_compare(self):
        slow = self.slower(is_matmul, factor=3)
        for command in ("ls", "top"):
            _, out, _ = run(slow, "--base", AFTER, command, "-output", "json")
            table = json.loads(out)
            self.assertEqual(table["schema"], "tfprof.diff")
            deltas = [abs(row["micros_delta"]) for row in table["rows"]]
            self.assertEqual(deltas, sorted(deltas, reverse=True))
            self.assertGreater(deltas[0], 0)

    def test_two_models_are_said_to_be_two(self):
        trace = self.path("trace.json")
        with open(trace, "w", encoding="utf-8") as file:
            json.dump(kineto_trace(random.Random(1), 1), file)
        facts = self.diff(AFTER, trace)["facts"]
        self.assertIn("may be of two programs", facts["caution"])

    def test_a_profile_against_itself(self):
        status, out, _ = run(AFTER, "--base", AFTER, "scope", "-output", "json")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)["rows"], [])

    def test_base_of_another_model(self):
        other = os.path.join(AFTER, "graph.pb.gz")
        _, out, _ = run(
            AFTER,
            "--base",
            other,
            "op",
            "-output",
            "json",
            "-select",
            "occurrence,micros",
        )
        table = json.loads(out)
        self.assertTrue(
            all(
                row["definitions_delta"] == 0
                for row in table["rows"]
                if row["status"] == "changed"
            )
        )

    def test_shell(self):
        lines = (
            f"base\nbase {BEFORE}\nbase\nop -max_depth 0\nbase none\n"
            "op -max_depth 0 -select cpu_micros -compatible\n"
            f"check {BEFORE} {AFTER} -fail-if 'total.micros > 1us'\n"
        )
        status, out, err = run(AFTER, text=lines)
        self.assertEqual(status, 1)
        self.assertRegex(
            out,
            r"^There is no base\.\nThe base is .*before\.\n"
            r"op +status .*\nMatMul  changed +2\.25ms  466us",
        )
        self.assertIn("AddV2                              0us (100.00%", out)
        # The shell has the same check as the command line.
        self.assertIn("FAIL   total.micros > 1us", out)
        # Loading writes notes about each of the two profiles, and no error.
        self.assertEqual(
            set(err.splitlines()),
            {
                "run graph coverage: 0.32",
                "run graph coverage: 4 more files, not listed",
            },
        )

    def test_what_a_base_lacks(self):
        for arguments, message in (
            (
                ["--base", BEFORE, "op", "-step", "99"],
                "Options -step=99 not found",
            ),
            (
                [
                    "--base",
                    os.path.join(BEFORE, "graph.pb.gz"),
                    "op",
                    "-step",
                    "1",
                ],
                "has no step 1; it has none",
            ),
            (["--base", self.path("none"), "op"], "--base: "),
            (
                ["--base", BEFORE, "op", "-select", "device"],
                "a comparison needs a column of numbers",
            ),
            (
                ["--base", BEFORE, "op", "-output", "pprof:outfile=x"],
                "op has no pprof",
            ),
        ):
            status, out, err = run(AFTER, *arguments)
            self.assertEqual((status, out), (1, ""), err)
            self.assertIn(message, err)


if __name__ == "__main__":
    sys.exit(junit_runner.main("compare_test"))
