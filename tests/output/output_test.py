#!/usr/bin/env python3
"""Tests of the outputs for programs: JSON and its schema, CSV, agents.

Usage: tests/output/output_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

The JSON of every command fits g3doc/output.schema.json, its numbers are those
of the text report, and names that would do harm do none. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import argparse
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner  # pylint: disable=wrong-import-position

PROFILES = os.path.join(TESTS, "golden", "profiles")
SCHEMA = os.path.join(os.path.dirname(TESTS), "g3doc", "output.schema.json")
TIMEOUT = 60

STATISTICS = ("bytes,peak_bytes,residual_bytes,output_bytes,micros,params,"
              "float_ops")
EVERYTHING = STATISTICS + ",device,op_types,occurrence,input_shapes"

# Names that attack terminals, spreadsheets, Markdown and parsers.
HOSTILE = [
    b"a\x1b[2Jb", b"=cmd|' /C calc'!A0", "\u202edlrow\u2066".encode(),
    b"x" * 10000, b"bad\xff\xfe", b"pipe|<b>`c`", b'q"uote,comma',
    "数据/卷积".encode(), b"\tTab\r\n", b"@sum(1)", b"-1+1",
]

binary = ""


def profile(name):
    return os.path.join(PROFILES, name, "profile.pb")


def run(*arguments, env=None):
    environment = {key: value for key, value in os.environ.items()
                   if key != "TFPROF_AGENT"}
    environment.update(env or {})
    return subprocess.run([binary, *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT, check=False,
                          env=environment)


class Invalid(Exception):
    """What of a value does not fit the schema."""


TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def validate(value, schema, root, path="$"):
    """The part of JSON Schema that ours uses; an unknown keyword is an error."""
    for keyword, wanted in schema.items():
        if keyword in ("$schema", "title", "$defs"):
            continue
        if keyword == "$ref":
            validate(value, root["$defs"][wanted.split("/")[-1]], root, path)
        elif keyword == "oneOf":
            fitting, reasons = 0, []
            for option in wanted:
                try:
                    validate(value, option, root, path)
                    fitting += 1
                except Invalid as reason:
                    reasons.append(str(reason))
            if fitting != 1:
                raise Invalid("%s fits %d of oneOf: %s" %
                              (path, fitting, reasons))
        elif keyword == "type":
            types = wanted if isinstance(wanted, list) else [wanted]
            if not any(TYPES[t](value) for t in types):
                raise Invalid("%s: %.40r is no %s" % (path, value, types))
        elif keyword == "const":
            if value != wanted:
                raise Invalid("%s: %.40r is not %r" % (path, value, wanted))
        elif keyword == "enum":
            if value not in wanted:
                raise Invalid("%s: %.40r not in %r" % (path, value, wanted))
        elif keyword == "pattern":
            if not re.search(wanted, value):
                raise Invalid("%s: %.40r is not %r" % (path, value, wanted))
        elif keyword == "minimum":
            if value < wanted:
                raise Invalid("%s: %r < %r" % (path, value, wanted))
        elif keyword == "required":
            missing = [key for key in wanted if key not in value]
            if missing:
                raise Invalid("%s lacks %s" % (path, missing))
        elif keyword == "properties":
            for key, part in wanted.items():
                if key in value:
                    validate(value[key], part, root, path + "." + key)
        elif keyword == "additionalProperties":
            for key in set(value) - set(schema.get("properties", {})):
                if wanted is False:
                    raise Invalid("%s.%s is not in the schema" % (path, key))
                validate(value[key], wanted, root, path + "." + key)
        elif keyword == "items":
            for i, element in enumerate(value):
                validate(element, wanted, root, "%s[%d]" % (path, i))
        else:
            raise Invalid("the test does not know %s" % keyword)


def spelled(number, unit):
    """A number as the text report has it."""
    units = {"micros": ((1000000, "sec"), (1000, "ms"), (0, "us")),
             "bytes": ((1000000, "MB"), (1000, "KB"), (0, "B")),
             "count": ((1000000000, "b"), (1000000, "m"), (1000, "k"),
                       (0, ""))}[unit]
    for start, name in units[:-1]:
        if number >= start:
            return "%.2f%s" % (number / start, name)
    return "%d%s" % (number, units[-1][1])


def wire(number, content):
    """A field of a message, of any length."""
    head = bytearray()
    for value in (number << 3 | 2, len(content)):
        while value > 127:
            head.append(value & 127 | 128)
            value >>= 7
        head.append(value)
    return bytes(head) + content


class OutputTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tfprof_output_")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(SCHEMA, encoding="utf-8") as file:
            self.schema = json.load(file)

    def hostile(self):
        path = os.path.join(self.folder, "graph.pb")
        with open(path, "wb") as file:
            for name in HOSTILE:
                file.write(wire(1, wire(1, name) + wire(2, b"Op" + name)))
        return path

    def data(self, *arguments):
        done = run(*arguments, "-output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(done.stdout)  # strict: of UTF-8, no NaN below
        self.assertNotIn(b"NaN", done.stdout)
        validate(data, self.schema, self.schema)
        return data

    def test_every_command_fits_the_schema(self):
        checked = 0
        for name in sorted(os.listdir(PROFILES)):
            folder = os.path.join(PROFILES, name)
            if run(folder, "status").returncode != 0:
                continue  # nothing in it, or damaged
            checked += 1
            for command in (["scope", "-max_depth", "3"], ["op"],
                            ["graph", "-max_depth", "4"], ["status"],
                            ["advise"], ["advise", "all"],
                            ["code", "-max_depth", "3"]):
                with self.subTest(name=name, command=command):
                    words = command
                    if command[0] in ("scope", "op", "graph", "code"):
                        words = command + ["-select", EVERYTHING]
                    done = run(folder, *words, "-output", "json")
                    if b"No code trace" in done.stderr:
                        continue
                    data = json.loads(done.stdout)
                    validate(data, self.schema, self.schema)
                    if command[0] == "advise":
                        continue
                    self.assertEqual(data["schema"], "tfprof." + command[0])
                    self.assertEqual(data["returned"], len(data["rows"]))
                    self.assertGreaterEqual(data["total"], data["returned"])
                    names = [column["name"] for column in data["columns"]]
                    for row in data["rows"]:
                        self.assertEqual(list(row), names)
        self.assertGreater(checked, 5)

    def test_the_validator_can_fail(self):
        data = self.data(profile("tiny_const"), "op")
        for damage in (lambda d: d.pop("total"), lambda d: d.update(x=1),
                       lambda d: d.update(version=2),
                       lambda d: d["rows"][0].update(name=[]),
                       lambda d: d["columns"][0].update(unit="inch")):
            broken = json.loads(json.dumps(data))
            damage(broken)
            with self.assertRaises(Invalid):
                validate(broken, self.schema, self.schema)

    def test_numbers_are_those_of_the_text(self):
        for view in ("scope", "graph", "code"):
            words = [profile("conv_resnet"), view, "-select", STATISTICS,
                     "-max_depth", "5"]
            data = self.data(*words)
            text = run(*words).stdout.decode().split("Profile:\n")[1]
            lines = text.splitlines()[1:]
            self.assertEqual(len(lines), len(data["rows"]))
            statistics = [
                (c["name"][5:], c["unit"]) for c in data["columns"]
                if c["name"].startswith("self_")]
            suffix = {"params": " params", "float_ops": " flops"}
            for line, row in zip(lines, data["rows"]):
                head = "  " * row["depth"] + row["name"] + " ("
                self.assertTrue(line.startswith(head), line)
                wanted = []
                if row.get("params_shape") is not None:
                    wanted.append(row["params_shape"])
                for name, unit in statistics:
                    own = row["self_" + name]
                    wanted.append("%s/%s%s" % (
                        "--" if own is None else spelled(own, unit),
                        spelled(row["total_" + name], unit),
                        suffix.get(name, "")))
                self.assertEqual(sorted(line[len(head):-1].split(", ")),
                                 sorted(wanted))

    def test_shares_are_those_of_the_text(self):
        words = [profile("conv_resnet"), "op", "-select", "cpu_micros,occurrence",
                 "-order_by", "micros", "-max_depth", "1000"]
        data = self.data(*words)
        text = run(*words).stdout.decode().split("Profile:\n")[1]
        lines = text.splitlines()[1:]
        self.assertEqual(len(lines), len(data["rows"]))
        for line, row in zip(lines, data["rows"]):
            self.assertEqual(
                line.replace(",", "").split(),
                [row["name"], spelled(row["self_cpu_micros"], "micros"),
                 "(%.2f%%" % (100 * row["total_cpu_micros_share"]),
                 "%.2f%%)" % (100 * row["self_cpu_micros_share"]),
                 "%d|%d" % (row["runs"], row["definitions"])])
        self.assertTrue(math.isclose(
            sum(row["self_cpu_micros_share"] for row in data["rows"]), 1))
        self.assertEqual(data["totals"]["self_cpu_micros"],
                         sum(row["self_cpu_micros"] for row in data["rows"]))

    def test_formats_agree(self):
        words = [profile("conv_resnet"), "scope", "-select", EVERYTHING,
                 "-max_depth", "4"]
        data = self.data(*words)
        lines = run(*words, "-output", "ndjson").stdout.splitlines()
        head = json.loads(lines[0])
        self.assertEqual([json.loads(line) for line in lines[1:]],
                         data["rows"])
        for key in ("columns", "facts", "returned", "total", "truncated"):
            self.assertEqual(head[key], data[key])
        rows = list(csv.reader(io.StringIO(
            run(*words, "-output", "csv").stdout.decode(), newline="")))
        self.assertEqual(rows[0], [c["name"] for c in data["columns"]])
        self.assertEqual(
            rows[1:], [["" if cell is None else str(cell)
                        for cell in row.values()] for row in data["rows"]])

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
            self.assertIn(b"NOT_FOUND: /no/such/folder/x", done.stderr)

    def test_text_and_stdout_are_the_reports_of_the_reference(self):
        words = [profile("tiny_const"), "op"]
        plain = run(*words).stdout
        self.assertIn(b"\nDoc:\n", plain)
        self.assertEqual(run(*words, "-output", "text").stdout, plain)
        self.assertEqual(run(*words, "-color", "always").stdout, plain)

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
        for row in csv.reader(io.StringIO(
                run(*words, "-output", "csv").stdout.decode(), newline="")):
            self.assertEqual(len(row), 6)
            self.assertNotIn(row[1][:1], ("=", "+", "-", "@", "\t", "\r"))
        for line in run(*words, "-output",
                        "markdown").stdout.decode().splitlines():
            if line.startswith("|"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 7, line)
                self.assertNotRegex(line, r"<(?!br>)|(?<!\\)`")

    def test_table_lines_up(self):
        out = run(profile("conv_resnet"), "op", "-output", "table",
                  "-order_by", "micros", "-max_depth", "30").stdout.decode()
        lines = out.splitlines()[:-1]
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertNotIn("\x1b", out)
        colored = run(profile("conv_resnet"), "op", "-output", "table",
                      "-order_by", "micros", "-max_depth", "30", "-color",
                      "always").stdout.decode()
        self.assertIn("\x1b[31mConv2D ", colored)
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", colored), out)

    def test_agent(self):
        words = [profile("conv_resnet"), "scope", "-order_by", "micros"]
        done = run(*words, "-agent")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        self.assertEqual(len(re.findall(r"^\| \d", text, re.M)), 40)
        self.assertLess(len(done.stdout), 13000)
        self.assertIn("… 4183 more rows of 4223; get them with: scope "
                      "-order_by micros -output ndjson:outfile=scope.ndjson",
                      text)
        self.assertTrue(text.splitlines()[-1].startswith("For more: "))
        self.assertEqual(run(*words, env={"TFPROF_AGENT": "1"}).stdout,
                         done.stdout)
        # It is never guessed, and can be switched off.
        for value in ("", "0", "true"):
            self.assertIn(b"Doc:",
                          run(*words, env={"TFPROF_AGENT": value}).stdout)
        self.assertIn(b"Doc:", run(*words, "-agent=false",
                                   env={"TFPROF_AGENT": "1"}).stdout)
        # What was asked for is whole.
        self.assertEqual(run(*words, "-agent", "-output", "json").stdout,
                         run(*words, "-output", "json").stdout)

    def test_agent_has_little_room(self):
        done = run(self.hostile(), "scope", "-agent", "-select",
                   "op_types,params")
        self.assertLess(len(done.stdout), 13000)
        self.assertNotIn(b"x" * 300, done.stdout)

    def test_the_command_in_the_facts_gives_the_same(self):
        words = ["op", "-order_by", "micros", "-hide_name_regexes",
                 "Conv.*,'a b'", "-min_micros", "2"]
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
                ([tiny, "op", "-output", "json:outfile=/no/such/x"],
                 "NOT_FOUND", 1),
                (["/no/such/file", "op"], "NOT_FOUND", 1),
                ([tiny, "op", "-no_such_flag", "1"], "INVALID_ARGUMENT", 2),
                ([tiny, "set"], "INVALID_ARGUMENT", 2)):
            done = run("-agent", *words)
            self.assertEqual(done.returncode, status, words)
            self.assertEqual(done.stdout, b"")
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            error = json.loads(lines[0])
            self.assertEqual(list(error), ["error"])
            self.assertEqual(error["error"]["code"], code)
            self.assertTrue(error["error"]["message"])


def main():
    global binary  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", required=True, help="the program to test")
    parser.add_argument("tests", nargs="*", metavar="TEST")
    args = parser.parse_args()
    binary = os.path.abspath(args.bin)
    return junit_runner.run("output", args.tests)


if __name__ == "__main__":
    sys.exit(main())
