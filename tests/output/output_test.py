#!/usr/bin/env python3
"""Tests of the outputs for programs: JSON and its schema, CSV, agents.

Usage: tests/output/output_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

The JSON of every command fits g3doc/output.schema.json, its numbers are those
of the text report, and hostile names do no harm. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import csv
import io
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
import wire

PROFILES = os.path.join(TESTS, "golden", "profiles")
SCHEMA = os.path.join(os.path.dirname(TESTS), "g3doc", "output.schema.json")
TIMEOUT = 60

STATISTICS = (
    "bytes,peak_bytes,residual_bytes,output_bytes,micros,params,float_ops"
)
EVERYTHING = STATISTICS + ",device,op_types,occurrence,input_shapes"

# Columns of `devices` that no screen shows: DataColumn::data_only.
FOR_PROGRAMS = (
    "launch_latency_min_micros",
    "launch_latency_max_micros",
    "queue_mean",
    "unlaunched_executions",
    "cause",
)

# Names that attack terminals, spreadsheets, Markdown and parsers.
HOSTILE = [
    b"a\x1b[2Jb",
    b"=cmd|' /C calc'!A0",
    "\u202edlrow\u2066".encode(),
    b"x" * 10000,
    b"bad\xff\xfe",
    b"pipe|<b>`c`",
    b'q"uote,comma',
    "数据/卷积".encode(),
    b"\tTab\r\n",
    b"@sum(1)",
    b"-1+1",
]

binary = ""  # of junit_runner.main()


def profile(name):
    return os.path.join(PROFILES, name, "profile.pb")


def run(*arguments, env=None):
    environment = {
        key: value for key, value in os.environ.items() if key != "TFPROF_AGENT"
    }
    environment.update(env or {})
    return subprocess.run(
        [binary, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
        env=environment,
    )


def spelled(number, unit):
    """A number as the text report has it."""
    units = {
        "micros": ((1000000, "sec"), (1000, "ms"), (0, "us")),
        "bytes": ((1000000, "MB"), (1000, "KB"), (0, "B")),
        "count": ((1000000000, "b"), (1000000, "m"), (1000, "k"), (0, "")),
    }[unit]
    for start, name in units[:-1]:
        if number >= start:
            return "%.2f%s" % (number / start, name)
    return "%d%s" % (number, units[-1][1])


def shown(number, unit):
    """A number as the aligned tables have it."""
    if unit == "share":
        return "%.1f%%" % (100 * number)
    return str(number) if unit == "number" else spelled(number, unit)


def pipeline_timeline():
    """A job of two ranks and one stage; rank 1 takes 30 and not 10 us."""
    events = []
    for dp in (0, 1):
        names = {"process_name": "DP rank [%d]" % dp}
        names["thread_name"] = "PP rank 0, TP rank 0, compute"
        for name, value in names.items():
            events.append(
                {
                    "ph": "M",
                    "pid": dp,
                    "tid": 1,
                    "name": name,
                    "args": {"name": value},
                }
            )
        for step in (3, 5):
            time = 1000 * step
            forward = 30 if dp == 1 else 10
            for name, length in (
                ("forward-compute", forward),
                ("backward-compute", 20),
                ("optimizer", 10),
            ):
                events.append(
                    {
                        "ph": "X",
                        "pid": dp,
                        "tid": 1,
                        "ts": time,
                        "dur": length,
                        "name": name,
                        "args": {"step": step, "seq_id": 0, "mb_id": 0},
                    }
                )
                time += length
    return events


def sums_for_programs(table):
    """Columns with the sum of the times of accelerators and of CPUs.

    People do not see them in a table that has both times.
    """
    for start in ("", "total_"):
        parts = [f"{start}{place}_micros" for place in ("accelerator", "cpu")]
        if all(any(row.get(part) for row in table["rows"]) for part in parts):
            return (f"{start}micros", f"{start}micros_share")
    return ()


class OutputTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tfprof_output_")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        self.schema = jsonschema.Draft202012Validator(schema)

    def hostile(self):
        path = os.path.join(self.folder, "graph.pb")
        with open(path, "wb") as file:
            for name in HOSTILE:
                file.write(wire.field(1, wire.node_def(name, b"Op" + name)))
        return path

    def data(self, *arguments):
        done = run(*arguments, "-output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(done.stdout)  # strict: of UTF-8, no NaN below
        self.assertNotIn(b"NaN", done.stdout)
        self.schema.validate(data)
        return data

    def script(self, path, line):
        """A line of the shell, run on a profile."""
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(line + "\n")
        return run(path, "-f", script)

    def check_table(self, table):
        self.assertEqual(table["returned"], len(table["rows"]))
        self.assertGreaterEqual(table["total"], table["returned"])
        self.assertEqual(table["truncated"], table["total"] > table["returned"])
        names = [column["name"] for column in table["columns"]]
        self.assertEqual(len(names), len(set(names)))
        for row in table["rows"]:
            self.assertEqual(list(row), names)

    def lines_for(self, path):
        """For each command with an answer, a line that has one."""
        views = {
            view: "%s -select %s" % (view, EVERYTHING)
            for view in ("scope", "graph", "op", "code")
        }
        lines = {
            name: [name]
            for name in (
                "pwd",
                "base",
                "steps",
                "average",
                "skew",
                "devices",
                "kernels",
                "compiles",
                "collectives",
                "rows",
                "roofline",
                "doctor",
                "status",
                "ls",
                "top",
                "help",
                "overview",
            )
        }
        for view in ("scope", "graph", "code"):
            lines[view] = [views[view] + " -max_depth 3"]
        lines["op"] = [views["op"]]
        lines["help"].append("help op")
        lines["advise"] = ["advise", "advise all"]
        found = json.loads(
            run(path, "scope", "-max_depth", "1000", "-output", "json").stdout
        )["rows"]
        node = found[-1]["name"]
        steps = json.loads(run(path, "steps", "-output", "json").stdout)
        if any(row["span_micros"] is not None for row in steps["rows"]):
            lines["explain"] = ["explain"]
            lines["lanes"] = ["lanes", "lanes -step all"]
            lines["timeline"] = ["timeline"]
            lines["critical_path"] = ["critical_path -what_if .*=2x"]
        for command in ("flame", "memory"):
            if run(path, command).returncode == 0:
                lines[command] = [command]
        for command in ("show", "peek"):
            lines[command] = [command + " '%s'" % node]
        lines["list"] = []
        if b"No code trace" not in run(path, "code").stderr:
            data = json.loads(
                run(path, "code", "-max_depth", "2", "-output", "json").stdout
            )
            if len(data["rows"]) > 1:
                lines["list"].append(
                    "list '%s'" % data["rows"][1]["name"].split(":")[0]
                )
        else:
            del lines["code"]
        return lines

    # Commands that change something and have no answer.
    SILENT = {
        "set",
        "cd",
        "up",
        "save",
        "load",
        "reload",
        "add",
        "convert",
        "redact",
        "exit",
        "quit",
        "clear",
        "diff",
        "history",
        "unset",
    }

    def test_every_command_fits_the_schema(self):
        known = {
            row["command"]
            for row in json.loads(run("help", "-output", "json").stdout)["rows"]
        }
        tested = set()
        for name in sorted(os.listdir(PROFILES)):
            folder = os.path.join(PROFILES, name)
            if run(folder, "status").returncode != 0:
                continue  # nothing in it, or damaged
            for command, lines in self.lines_for(folder).items():
                for line in lines:
                    with self.subTest(name=name, line=line):
                        done = self.script(folder, line + " -output json")
                        # doctor fails if it finds something bad.
                        self.assertLessEqual(
                            done.returncode, command == "doctor", done.stderr
                        )
                        data = json.loads(done.stdout)
                        self.schema.validate(data)
                        self.assertEqual(data["schema"], "tfprof." + command)
                        self.assertEqual(
                            data["facts"]["command"].split()[0], command
                        )
                        for table in data.get("tables", {"": data}).values():
                            self.check_table(table)
                        tested.add(command)
        self.assertEqual(
            known
            - tested
            - self.SILENT
            - {"check", "mcp", "pipe", "record", "serve", "tui", "what_if"},
            set(),
        )

    def test_what_if_of_a_pipeline_fits_the_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "timeline.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(pipeline_timeline(), file)
            data = self.data(path, "what_if")
            self.assertEqual(data["schema"], "tfprof.what_if")
            for table in data["tables"].values():
                self.check_table(table)
            # Rank 1 takes 30 of 60 us instead of 10; the mean is 20.
            self.assertAlmostEqual(data["facts"]["S"], 60 / 50)
            steps = self.data(path, "steps")
            self.assertEqual([row["step"] for row in steps["rows"]], [3, 5])
            for kind in ("ndjson", "csv", "markdown", "table"):
                self.assertEqual(
                    run(path, "what_if", "-output", kind).returncode, 0
                )

    def test_devices_have_short_names(self):
        """A device without a column makes no other name longer."""
        data = self.data(os.path.join(PROFILES, "synth_gpu"), "steps")
        busy = {c["name"]: c["of"] for c in data["columns"] if "of" in c}
        task = "/job:localhost/replica:0/task:0/device:"
        self.assertEqual(
            busy,
            {
                "busy_micros_gpu_0": task + "gpu:0",
                "busy_micros_cpu_0": task + "cpu:0",
            },
        )

    def test_a_check_fits_the_schema(self):
        words = [
            "check",
            profile("tiny_const"),
            profile("tiny_const"),
            "--fail-if",
            "total.micros > +5%",
        ]
        data = self.data(*words)
        self.assertEqual(data["facts"]["verdict"], "pass")
        for table in data["tables"].values():
            self.check_table(table)
        for kind in ("ndjson", "csv", "markdown", "table"):
            self.assertEqual(run(*words, "-output", kind).returncode, 0)

    def test_a_diff_fits_the_schema(self):
        data = self.data(
            os.path.join(PROFILES, "multi_cpu"),
            "-base",
            profile("tiny_const"),
            "op",
        )
        self.assertEqual(data["schema"], "tfprof.diff")
        self.check_table(data)

    def test_a_verdict_fits_the_schema(self):
        path = os.path.join(PROFILES, "multi_cpu")
        data = self.data("diff", path, path)
        self.assertEqual(data["schema"], "tfprof.comparison")
        for table in data["tables"].values():
            self.check_table(table)

    def test_a_comparison_of_memory_fits_the_schema(self):
        def snapshot(size):
            frames = [{"filename": "t.py", "line": 3, "name": "forward"}]
            event = {"action": "alloc", "addr": 8, "size": size, "stream": 0}
            return {
                "segments": [],
                "device_traces": [[{**event, "frames": frames}]],
            }

        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("old", "new")]
            for path, size in zip(paths, (1000, 1500)):
                with open(path, "wb") as file:
                    pickle.dump(snapshot(size), file)
            data = self.data("diff", *paths)
        self.assertEqual(data["schema"], "tfprof.memory_comparison")
        self.assertEqual(data["facts"]["verdict"], "more")
        for table in data["tables"].values():
            self.check_table(table)
        (owner,) = data["tables"]["owners"]["rows"]
        self.assertEqual(owner["delta_bytes"], 500)
        self.assertEqual(owner["name"], "t.py:3:forward")

    def table_rows(self, lines, table):
        """Compares the lines of a table with its data; returns the rest."""
        for row, line in zip(table["rows"], lines[1:]):
            cells = iter(re.split(r"\s{2,}", line.strip()))
            for column in table["columns"]:
                value = row[column["name"]]
                if not isinstance(value, (int, float)):
                    continue
                wanted = shown(value, column["unit"])
                self.assertIn(wanted, cells, (line, column))
        return lines[1 + len(table["rows"]) :]

    def test_numbers_are_those_of_the_tables(self):
        """For the commands that are not of the reference."""
        checked = 0
        for name in (
            "conv_resnet",
            "rnn_while",
            "synth_gpu",
            "ps_worker",
            "multi_step",
        ):
            path = os.path.join(PROFILES, name)
            top = json.loads(run(path, "top", "1", "-output", "json").stdout)[
                "rows"
            ]
            for words in (
                ["ls"],
                ["top"],
                ["steps"],
                ["devices"],
                ["peek", top[0]["name"]],
                ["show", top[0]["name"]],
                ["status"],
                ["doctor"],
            ):
                with self.subTest(path=path, words=words):
                    data = self.data(path, *words)
                    lines = (
                        run(path, *words, "-output", "table")
                        .stdout.decode()
                        .splitlines()
                    )
                    for table in data.get("tables", {"": data}).values():
                        if not table["rows"]:
                            continue
                        unseen = FOR_PROGRAMS
                        unseen += sums_for_programs(table)
                        table["columns"] = [
                            column
                            for column in table["columns"]
                            if column["name"] not in unseen
                        ]
                        # The head is the line that has as many titles; the
                        # first row is found by its numbers.
                        lines = lines[self.head_of(lines, table) :]
                        lines = self.table_rows(lines, table)
                        checked += len(table["rows"])
        self.assertGreater(checked, 300)

    def head_of(self, lines, table):
        """The line above the first that has all numbers of the first row."""
        row = table["rows"][0]
        wanted = [
            shown(row[c["name"]], c["unit"])
            for c in table["columns"]
            if isinstance(row[c["name"]], (int, float))
        ]
        texts = [
            row[c["name"]]
            for c in table["columns"]
            if isinstance(row[c["name"]], str)
        ]
        for at, line in enumerate(lines[1:]):
            cells = iter(re.split(r"\s{2,}", line.strip()))
            if all(number in cells for number in wanted) and all(
                text.split("\n")[0] in line for text in texts
            ):
                return at
        raise AssertionError("no line of %s in %s" % (row, lines))

    def test_the_validator_can_fail(self):
        data = self.data(profile("tiny_const"), "op")
        for damage in (
            lambda d: d.pop("total"),
            lambda d: d.update(x=1),
            lambda d: d.update(version=1),
            lambda d: d["rows"][0].update(name=[]),
            lambda d: d["columns"][0].update(unit="inch"),
        ):
            broken = json.loads(json.dumps(data))
            damage(broken)
            with self.assertRaises(jsonschema.ValidationError):
                self.schema.validate(broken)

    def test_numbers_are_those_of_the_text(self):
        for view in ("scope", "graph", "code"):
            words = [
                profile("conv_resnet"),
                view,
                "-select",
                STATISTICS,
                "-max_depth",
                "5",
                "-compatible",
            ]
            data = self.data(*words)
            text = run(*words).stdout.decode()
            text = text.split("Profile:\n")[1]
            lines = text.splitlines()[1:]
            self.assertEqual(len(lines), len(data["rows"]))
            statistics = [
                (c["name"][5:], c["unit"])
                for c in data["columns"]
                if c["name"].startswith("self_")
            ]
            suffix = {"parameters": " params", "float_ops": " flops"}
            for line, row in zip(lines, data["rows"]):
                head = "  " * row["depth"] + row["name"] + " ("
                self.assertTrue(line.startswith(head), line)
                wanted = []
                if row.get("parameters_shape") is not None:
                    wanted.append(row["parameters_shape"])
                for name, unit in statistics:
                    own = row["self_" + name]
                    wanted.append(
                        "%s/%s%s"
                        % (
                            "--" if own is None else spelled(own, unit),
                            spelled(row["total_" + name], unit),
                            suffix.get(name, ""),
                        )
                    )
                self.assertEqual(
                    sorted(line[len(head) : -1].split(", ")), sorted(wanted)
                )

    def test_shares_are_those_of_the_text(self):
        words = [
            profile("conv_resnet"),
            "op",
            "-select",
            "cpu_micros,occurrence",
            "-order_by",
            "micros",
            "-max_depth",
            "1000",
        ]
        data = self.data(*words)
        text = run(*words, "-compatible").stdout.decode()
        text = text.split("Profile:\n")[1]
        lines = text.splitlines()[1:]
        self.assertEqual(len(lines), len(data["rows"]))
        for line, row in zip(lines, data["rows"]):
            self.assertEqual(
                line.replace(",", "").split(),
                [
                    row["name"],
                    spelled(row["self_cpu_micros"], "micros"),
                    "(%.2f%%" % (100 * row["cumulative_cpu_micros_share"]),
                    "%.2f%%)" % (100 * row["self_cpu_micros_share"]),
                    "%d|%d" % (row["runs"], row["definitions"]),
                ],
            )
        self.assertTrue(
            math.isclose(
                sum(row["self_cpu_micros_share"] for row in data["rows"]), 1
            )
        )
        self.assertEqual(
            data["totals"]["self_cpu_micros"],
            sum(row["self_cpu_micros"] for row in data["rows"]),
        )

    def test_formats_agree(self):
        words = [
            profile("conv_resnet"),
            "scope",
            "-select",
            EVERYTHING,
            "-max_depth",
            "4",
        ]
        data = self.data(*words)
        lines = run(*words, "-output", "ndjson").stdout.splitlines()
        head = json.loads(lines[0])
        self.assertEqual([json.loads(line) for line in lines[1:]], data["rows"])
        for key in ("columns", "facts", "returned", "total", "truncated"):
            self.assertEqual(head[key], data[key])
        rows = list(
            csv.reader(
                io.StringIO(
                    run(*words, "-output", "csv").stdout.decode(), newline=""
                )
            )
        )
        self.assertEqual(rows[0], [c["name"] for c in data["columns"]])
        self.assertEqual(
            rows[1:],
            [
                ["" if cell is None else str(cell) for cell in row.values()]
                for row in data["rows"]
            ],
        )

    def test_files(self):
        words = [profile("tiny_const"), "op", "-output"]
        for kind in ("json", "ndjson", "csv", "markdown", "table", "text"):
            path = os.path.join(self.folder, kind)
            done = run(*words, "%s:outfile=%s" % (kind, path))
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            with open(path, "rb") as file:
                self.assertEqual(file.read(), run(*words, kind).stdout)
            done = run(*words, kind + ":outfile=/no/such/folder/x")
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"/no/such/folder/x; No such file", done.stderr)

    def test_text_is_the_report_of_the_reference(self):
        words = [profile("tiny_const"), "op"]
        plain = run(*words, "-compatible").stdout
        self.assertIn(b"\nDoc:\n", plain)
        self.assertEqual(run(*words, "-output", "text").stdout, plain)
        path = profile("tiny_const")
        self.assertEqual(run("--profile_path=" + path, "op").stdout, plain)
        self.assertEqual(
            run(*words, "-compatible", "-color", "always").stdout, plain
        )

    def test_a_pipe_a_file_and_data_have_the_same_order(self):
        """Rows are in the order of a terminal, the largest first."""
        words = [profile("conv_resnet"), "op"]
        text = run(*words).stdout.decode()
        out = os.path.join(self.folder, "op.txt")
        run(*words, "-output", "file:outfile=" + out)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        self.assertRegex(text, r"\n\+ \d+ rows, \S+ \(\d+\.\d%\)")
        names = [line.split()[0] for line in text.splitlines()[2:-2]]
        for output in ("json", "csv"):
            rows = [row["name"] for row in self.data(*words)["rows"]]
            self.assertEqual(rows[: len(names)], names, output)

    def test_hostile_names(self):
        words = [self.hostile(), "scope", "-select", "op_types,params"]
        names = {row["name"] for row in self.data(*words)["rows"]}
        for name in HOSTILE:
            self.assertIn(name.decode("utf-8", "replace"), names)
        for kind in ("csv", "markdown", "table"):
            out = run(*words, "-output", kind).stdout
            text = out.decode()  # all of it is UTF-8
            for harm in ("\x1b", "\t", "\u202e", "\u2066", "\x7f"):
                self.assertNotIn(harm, text)
            self.assertIn("\\x1b", text)
            self.assertIn("数据/卷积", text)
        for row in csv.reader(
            io.StringIO(
                run(*words, "-output", "csv").stdout.decode(), newline=""
            )
        ):
            self.assertEqual(len(row), 6)
            self.assertNotIn(row[1][:1], ("=", "+", "-", "@", "\t", "\r"))
        for line in (
            run(*words, "-output", "markdown").stdout.decode().splitlines()
        ):
            if line.startswith("|"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 7, line)
                self.assertNotRegex(line, r"<(?!br>)|(?<!\\)`")

    def test_table_lines_up(self):
        out = run(
            profile("conv_resnet"),
            "op",
            "-output",
            "table",
            "-order_by",
            "micros",
            "-max_depth",
            "30",
        ).stdout.decode()
        lines = out.splitlines()[:-1]
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertNotIn("\x1b", out)
        colored = run(
            profile("conv_resnet"),
            "op",
            "-output",
            "table",
            "-order_by",
            "micros",
            "-max_depth",
            "30",
            "-color",
            "always",
        ).stdout.decode()
        self.assertIn("\x1b[31mConv2D ", colored)
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", colored), out)

    def test_agent(self):
        words = [profile("conv_resnet"), "scope", "-order_by", "micros"]
        done = run(*words, "-agent")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        self.assertEqual(len(re.findall(r"^\| \d", text, re.M)), 40)
        self.assertLess(len(done.stdout), 13000)
        self.assertIn(
            "… 4183 more rows of 4223, shown by -budget 422400; get "
            "them with: scope "
            "-order_by micros -output ndjson:outfile=scope.ndjson",
            text,
        )
        self.assertTrue(text.splitlines()[-1].startswith("For more: "))
        self.assertEqual(
            run(*words, env={"TFPROF_AGENT": "1"}).stdout, done.stdout
        )
        # It is never guessed, and can be switched off.
        for value in ("", "0", "true"):
            self.assertIn(
                b"largest first\n",
                run(*words, env={"TFPROF_AGENT": value}).stdout,
            )
        self.assertIn(
            b"largest first\n",
            run(*words, "-agent=false", env={"TFPROF_AGENT": "1"}).stdout,
        )
        # An explicit output is complete.
        self.assertEqual(
            run(*words, "-agent", "-output", "json").stdout,
            run(*words, "-output", "json").stdout,
        )

    def test_agent_has_little_room(self):
        done = run(
            self.hostile(), "scope", "-agent", "-select", "op_types,params"
        )
        self.assertLess(len(done.stdout), 13000)
        self.assertNotIn(b"x" * 300, done.stdout)

    def test_agent_in_every_command(self):
        path = os.path.join(PROFILES, "conv_resnet")
        for command, lines in self.lines_for(path).items():
            for line in lines:
                with self.subTest(line=line):
                    done = self.script(path, line + " -agent")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertLess(len(done.stdout), 13000)
                    if command in ("pwd", "base", "help"):
                        continue  # words
                    text = done.stdout.decode()
                    self.assertTrue(
                        text.startswith("tfprof.%s, command: " % command), text
                    )
                    last = text.splitlines()[-1]
                    self.assertRegex(last, "^For more: .* -output json")
                    # The suggested command gives more rows.
                    more = last[len("For more: ") :].split(" -output json")[0]
                    data = json.loads(
                        self.script(path, more + " -output json").stdout
                    )
                    self.assertEqual(data["schema"], "tfprof." + command)

    def test_rows_missing_for_an_agent_are_reported(self):
        path = os.path.join(PROFILES, "conv_resnet")
        for words, said in (
            (
                ["top", "100"],
                r"… \d+ more rows of 1863; get them with: "
                r"top 1863 -output ndjson:outfile=top\.ndjson",
            ),
            (
                ["show", "Adam/beta1"],
                r"… \d+ more rows of \d+.*; get them "
                r"with: show Adam/beta1 -output ndjson:outfile=show\.ndjson",
            ),
            (
                ["peek", "Adam/beta1"],
                r"… \d+ more rows of \d+, \d+us \(.*%\), "
                r"shown by -budget \d+; get them with: "
                r"peek Adam/beta1 -output ndjson:outfile=peek\.ndjson",
            ),
            (["ls", "gradients/resnet"], None),
        ):
            with self.subTest(words=words):
                text = run(path, *words, "-agent").stdout.decode()
                if said is not None:
                    self.assertRegex(text, said)
                # The suggested line gives the missing rows.
                for line in re.findall("get them with: (.*)", text):
                    where = os.path.join(self.folder, "rows.ndjson")
                    line = re.sub("outfile=.*", "outfile=" + where, line)
                    self.assertEqual(self.script(path, line).returncode, 0)
                    with open(where, encoding="utf-8") as file:
                        head = json.loads(file.readline())
                    for table in head.get("tables", {"": head}).values():
                        self.assertFalse(table["truncated"])

    def test_hostile_names_in_every_command(self):
        graph = self.hostile()
        lines = [
            ["ls"],
            ["top"],
            ["devices"],
            ["steps"],
            ["doctor"],
            ["status"],
            ["advise"],
            ["advise", "all"],
            ["list", HOSTILE[1]],
        ]
        lines += [
            [command, name]
            for command in ("show", "peek")
            for name in HOSTILE
            if not name.startswith(b"-")
        ]
        for words in lines:
            for kind in ("json", "ndjson", "csv", "markdown", "table", None):
                with self.subTest(words=words, kind=kind):
                    done = run(
                        graph, *words, *(["-output", kind] if kind else [])
                    )
                    self.assertLessEqual(done.returncode, 1)
                    if done.returncode == 1 and words[0] != "doctor":
                        self.assertEqual(words[0], "list")
                    if kind == "json" and done.stdout:
                        self.schema.validate(json.loads(done.stdout))
                    text = done.stdout.decode() + done.stderr.decode()
                    for harm in (
                        "\x1b",
                        "\u202e",
                        "\u202d",
                        "\u2066",
                        "\x7f",
                        "\t",
                    ):
                        self.assertNotIn(harm, text)
                    if kind == "csv":
                        for row in csv.reader(
                            io.StringIO(done.stdout.decode(), newline="")
                        ):
                            for cell in row:
                                self.assertFalse(
                                    cell[:1] in ("=", "+", "@", "\t", "\r")
                                )

    def test_the_command_in_the_facts_gives_the_same(self):
        words = [
            "op",
            "-order_by",
            "micros",
            "-hide_name_regexes",
            "Conv.*,'a b'",
            "-min_micros",
            "2",
        ]
        data = self.data(profile("conv_resnet"), *words)
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(data["facts"]["command"] + " -output json\n")
        again = run(profile("conv_resnet"), "-f", script)
        self.assertEqual(json.loads(again.stdout), data)

    def test_agent_errors_are_json(self):
        tiny = profile("tiny_const")
        for words, code, status in (
            ([tiny, "op", "-step", "7"], "FAILED_PRECONDITION", 1),
            (
                [tiny, "op", "-output", "json:outfile=/no/such/x"],
                "NOT_FOUND",
                1,
            ),
            (["/no/such/file", "op"], "NOT_FOUND", 1),
            ([tiny, "op", "-no_such_flag", "1"], "INVALID_ARGUMENT", 2),
            ([tiny, "show", "no_such"], "NOT_FOUND", 1),
            ([tiny, "peek", "no_such"], "NOT_FOUND", 1),
            ([tiny, "list", "no_such.py"], "NOT_FOUND", 1),
            ([tiny, "ls", "no/such"], "NOT_FOUND", 1),
            ([tiny, "top", "ten"], "INVALID_ARGUMENT", 1),
            ([tiny, "steps", "-step", "7"], "FAILED_PRECONDITION", 1),
            (
                [tiny, "steps", "-output", "timeline:outfile=/tmp/x"],
                "INVALID_ARGUMENT",
                1,
            ),
            ([tiny, "set"], "INVALID_ARGUMENT", 2),
        ):
            done = run("-agent", *words)
            self.assertEqual(done.returncode, status, words)
            self.assertEqual(done.stdout, b"")
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            error = json.loads(lines[0])
            self.assertEqual(list(error), ["error"])
            self.assertEqual(error["error"]["code"], code)
            self.assertTrue(error["error"]["message"])


if __name__ == "__main__":
    sys.exit(junit_runner.main("output"))
