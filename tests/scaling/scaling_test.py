#!/usr/bin/env python3
"""Inputs that could make the program slow: cost stays linear.

Usage: tests/scaling/scaling_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Every run has limits set by the system: an address space, and many times the CPU
seconds that it needs, so that only another order of growth exceeds them. Peak
memory is asserted as a multiple of the input. Some tests compare the CPU time
with that of four times the input; the allowed factor is far below quadratic
growth. No test looks at the clock.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
from wire import (
    field,
    joined,
    node_def,
    node_stats,
    run_metadata,
    varint,
)

CPU_SECONDS = 60
ADDRESS_SPACE = 6 << 30
MEGABYTE = 1 << 20
CPU = b"/job:localhost/replica:0/task:0/device:CPU:0"

binary = ""  # of junit_runner.main()


class Result:
    """The result of a run, and its cost."""

    def __init__(self, status, out, err, usage):
        self.status = status
        self.out = out
        self.err = err
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024

    def rows(self):
        lines = self.out.rpartition("\nProfile:\n")[2].splitlines()
        return [line for line in lines if not line.startswith("node name |")]


class CostTest(unittest.TestCase):
    """Each test makes an input and checks the cost."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.input_bytes = 0

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        self.input_bytes += len(data)
        return path

    def run_tfprof(self, *args, status=0, bound=40):
        """Runs under limits; `bound`: bytes of memory per byte of input."""

        def limit():
            resource.setrlimit(
                resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1)
            )
            resource.setrlimit(
                resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)
            )
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        out_path = os.path.join(self.folder, "stdout")
        err_path = os.path.join(self.folder, "stderr")
        with open(out_path, "wb") as out, open(err_path, "wb") as err:
            process = subprocess.Popen(
                [binary, *args],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                preexec_fn=limit,
            )
            _, wait_status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(wait_status)
        texts = []
        for path in (out_path, err_path):
            with open(path, "rb") as file:
                texts.append(file.read().decode("utf-8", "backslashreplace"))
        result = Result(process.returncode, *texts, usage)
        if status is not None:
            self.assertEqual(
                result.status,
                status,
                "tfprof %.500s: %.1f s, %d MB\n%s"
                % (
                    " ".join(args),
                    result.cpu,
                    result.memory // MEGABYTE,
                    result.err[-2000:],
                ),
            )
        allowed = bound * self.input_bytes + 200 * MEGABYTE
        self.assertLess(
            result.memory,
            allowed,
            "tfprof %.500s: %d MB for %d MB"
            % (
                " ".join(args),
                result.memory // MEGABYTE,
                self.input_bytes // MEGABYTE,
            ),
        )
        # Messages are for people: few, even for many bad records.
        self.assertLess(len(result.err), 100000)
        return result

    def assert_linear(self, small, large):
        """CPU time for four times the input; 0.1 s is for start and noise."""
        self.assertLess(
            large, 12 * max(small, 0.1), "%.2f s and %.2f s" % (small, large)
        )

    # ---- Many of something.

    def test_strings_with_one_prefix(self):
        prefix = b"p" * 40
        cpu = []
        for count in (250000, 1000000):
            self.input_bytes = 0
            path = self.write(
                "graph",
                joined(
                    1,
                    (
                        b"\n\x2f" + prefix + b"%07d" % i + b"\x12\x02Op"
                        for i in range(count)
                    ),
                ),
            )
            result = self.run_tfprof("--graph_path=" + path, "op")
            self.assertEqual(len(result.rows()), 1)
            self.assertTrue(result.rows()[0].startswith("Op "), result.rows())
            cpu.append(result.cpu)
        self.assert_linear(*cpu)

    def test_id_to_string(self):
        graph = self.write("graph", field(1, node_def(b"n")))
        log = self.write(
            "log",
            field(1, field(1, b"n") + field(2, 7))
            + joined(
                2,
                (
                    b"\x08" + varint(i) + b"\x12\x27" + b"s" * 32 + b"%07d" % i
                    for i in range(1000000)
                ),
            ),
        )
        result = self.run_tfprof(
            "--graph_path=" + graph,
            "--op_log_path=" + log,
            "scope",
            "-select",
            "float_ops",
        )
        self.assertEqual(len(result.rows()), 2)

    def test_million_executions_of_a_node(self):
        cpu = []
        for count in (250000, 1000000):
            self.input_bytes = 0
            path = self.write(
                "run_meta",
                run_metadata(
                    [
                        (
                            CPU,
                            (
                                b"\n\x01n\x10" + varint(1000 + i) + b"\x20\x02"
                                for i in range(count)
                            ),
                        )
                    ]
                ),
            )
            result = self.run_tfprof(
                "--run_meta_path=" + path, "op", "-select", "micros,occurrence"
            )
            self.assertEqual(len(result.rows()), 1)
            cpu.append(result.cpu)
        self.assert_linear(*cpu)
        # Its file is larger than a browser can open, but complete.
        self.run_tfprof(
            "--run_meta_path=" + path,
            "graph",
            "-step",
            "0",
            "-max_depth",
            "10",
            "-output",
            "timeline:outfile=" + os.path.join(self.folder, "t"),
            bound=120,
        )
        with open(os.path.join(self.folder, "t_0"), "rb") as file:
            file.seek(-2, os.SEEK_END)
            self.assertIn(b"}", file.read())

    def test_million_nodes_with_an_execution_each(self):
        cpu = []
        for count in (250000, 1000000):
            self.input_bytes = 0
            path = self.write(
                "run_meta",
                run_metadata(
                    [
                        (
                            CPU,
                            (
                                b"\n\x09n/%07d\x10" % i
                                + varint(1000 + i)
                                + b"\x20\x02"
                                for i in range(count)
                            ),
                        )
                    ]
                ),
            )
            result = self.run_tfprof(
                "--run_meta_path=" + path, "scope", "-max_depth", "1"
            )
            self.assertGreaterEqual(len(result.rows()), 1)
            cpu.append(result.cpu)
        self.assert_linear(*cpu)

    def check_trace_commands(self, events, commands, counts, bound=40):
        """`events`: makes the events of a trace for a number."""
        paths = []
        for count in counts:
            text = json.dumps({"traceEvents": events(count)})
            paths.append(self.write("%d.json" % count, text.encode()))
        for command in commands:
            with self.subTest(command=command):
                cpu = [
                    self.run_tfprof(path, command, bound=bound).cpu
                    for path in paths
                ]
                self.assert_linear(*cpu)

    def test_many_steps_of_a_trace(self):
        def events(count):
            for i in range(count):
                step = {"name": "ProfilerStep#%d" % i, "dur": 90, "ts": 100 * i}
                op = {"name": "aten::mm", "dur": 50, "ts": 100 * i + 10}
                yield {"cat": "user_annotation", **event, **step}
                yield {"cat": "cpu_op", **event, **op}

        event = {"ph": "X", "pid": 1, "tid": 1}
        self.check_trace_commands(
            lambda count: list(events(count)),
            ("overview", "timeline", "steps", "explain", "skew"),
            (10000, 40000),
        )

    def test_many_processes_of_a_trace(self):
        self.check_trace_commands(
            lambda count: [
                {"ph": "X", "name": "a", "ts": i, "dur": 1, "pid": i, "tid": 1}
                for i in range(count)
            ],
            ("overview", "timeline", "devices", "explain", "skew"),
            (10000, 40000),
            bound=80,
        )

    def test_many_devices(self):
        cpu = []
        for count in (25000, 100000):
            self.input_bytes = 0
            path = self.write(
                "run_meta",
                run_metadata(
                    (
                        b"/job:w/replica:0/task:%d/device:CPU:0" % i,
                        [node_stats(b"n%d" % (i % 1000), 1000 + i)],
                    )
                    for i in range(count)
                ),
            )
            result = self.run_tfprof(
                "--run_meta_path=" + path,
                "op",
                "-max_depth",
                "5",
                "-select",
                "micros,device",
            )
            self.assertGreaterEqual(len(result.rows()), 5)
            cpu.append(result.cpu)
        self.assert_linear(*cpu)

    def test_many_devices_of_one_node(self):
        # None of them is canonical: the node keeps all of them.
        path = self.write(
            "run_meta",
            run_metadata(
                (b"/job:w/tpu:%d" % i, [node_stats(b"n", 1000 + i)])
                for i in range(100000)
            ),
        )
        self.run_tfprof(
            "--run_meta_path=" + path, "op", "-select", "micros,device"
        )

    def test_types_of_one_node(self):
        graph = self.write("graph", field(1, node_def(b"n")))
        cpu = []
        for count in (50000, 200000):
            log = self.write(
                "log",
                field(
                    1,
                    field(1, b"n")
                    + joined(3, (b"type_%d" % i for i in range(count))),
                ),
            )
            result = self.run_tfprof(
                "--graph_path=" + graph,
                "--op_log_path=" + log,
                "scope",
                "-account_type_regexes",
                "type_199.*",
                "-min_occurrence",
                "0",
            )
            self.assertGreaterEqual(len(result.rows()), 1)
            cpu.append(result.cpu)
        self.assert_linear(*cpu)

    def test_types_entry_by_entry(self):
        graph = self.write("graph", field(1, node_def(b"n")))
        log = self.write(
            "log",
            joined(
                1,
                (
                    field(1, b"n") + field(3, b"type_%d" % i)
                    for i in range(200000)
                ),
            ),
        )
        self.run_tfprof(
            "--graph_path=" + graph,
            "--op_log_path=" + log,
            "op",
            "-max_depth",
            "3",
            "-min_occurrence",
            "0",
        )

    def test_list_of_steps(self):
        # A node, and a packed list of steps of 5 MB.
        profile = self.write(
            "profile",
            field(
                1,
                field(1, 1)
                + field(2, field(1, b"n") + field(9, b"Op") + field(5, b"Op")),
            )
            + field(3, b"".join(varint(i) for i in range(1700000))),
        )
        self.assertGreater(self.input_bytes, 5000000)
        # A step in which nothing ran takes 800 bytes, for three bytes of input.
        result = self.run_tfprof(
            "--profile_path=" + profile, "scope", bound=400
        )
        self.assertGreaterEqual(len(result.rows()), 1)

    def test_inputs_of_one_node(self):
        path = self.write(
            "graph",
            field(
                1,
                node_def(b"n")
                + joined(3, (b"n%d:%d" % (i % 7, i) for i in range(500000))),
            ),
        )
        self.run_tfprof(
            "--graph_path=" + path,
            "graph",
            "-max_depth",
            "3",
            "-select",
            "input_shapes",
        )

    def test_attributes_of_one_node(self):
        path = self.write(
            "graph",
            field(
                1,
                node_def(b"n")
                + joined(
                    5,
                    (
                        field(1, b"a%d" % i) + field(2, field(3, i))
                        for i in range(300000)
                    ),
                ),
            ),
        )
        self.run_tfprof("--graph_path=" + path, "scope")

    def test_bad_records(self):
        # Each is longer than the message that contains it.
        path = self.write(
            "run_meta",
            run_metadata(
                [(CPU, ([node_stats(b"good", 1000)] + [b"\n\x7fn"] * 500000))]
            ),
        )
        result = self.run_tfprof("--run_meta_path=" + path, "op", status=1)
        self.assertIn("byte ", result.err)
        self.assertTrue(result.rows()[0].startswith("good "), result.rows())

    # ---- Deep.

    def test_deep_names(self):
        # Every scope stores its whole name: n²/2 bytes, here 100 MB.
        name = b"/".join([b"n"] * 10000)
        path = self.write("graph", field(1, node_def(name)))
        result = self.run_tfprof(
            "--graph_path=" + path,
            "scope",
            "-max_depth",
            "3",
            "-min_occurrence",
            "0",
        )
        self.assertGreaterEqual(len(result.rows()), 1)

    def test_deep_groups(self):
        depth = 100000
        # libprotobuf refuses groups so deep, closed or not, so this is damage;
        # the node before them is shown.
        for data in (b"\x1b" * depth + b"\x1c" * depth, b"\x1b" * depth):
            self.input_bytes = 0
            path = self.write("graph", field(1, node_def(b"n")) + data)
            result = self.run_tfprof(
                "--graph_path=" + path, "scope", status=result_of(False)
            )
            self.assertGreaterEqual(len(result.rows()), 1)
            self.assertIn("byte ", result.err)

    def test_deep_messages(self):
        # AttrValue.list.func.attr.value and so on, from the inside out.
        parts, size = [], 0
        for _ in range(30000):
            for tag in (b"\x0a", b"\x4a", b"\x12"):
                head = tag + varint(size)
                parts.append(head)
                size += len(head)
        attr = b"".join(reversed(parts))
        path = self.write(
            "graph",
            field(
                1,
                node_def(b"n")
                + field(5, field(1, b"_output_shapes") + field(2, attr)),
            ),
        )
        result = self.run_tfprof(
            "--graph_path=" + path, "scope", "-select", "params,input_shapes"
        )
        self.assertGreaterEqual(len(result.rows()), 1)
        self.run_tfprof(
            "--graph_path=" + path, "save", os.path.join(self.folder, "saved")
        )

    def test_deep_call_stack(self):
        graph = self.write("graph", field(1, node_def(b"n")))
        cpu = []
        for depth in (50000, 200000):
            trace = joined(
                1,
                (
                    field(1, b"f.py")
                    + field(2, i)
                    + field(3, b"f")
                    + field(4, b"call()")
                    for i in range(depth)
                ),
            )
            log = self.write("log", field(1, field(1, b"n") + field(4, trace)))
            # The reports are not written: each row is indented by its depth.
            for limit in ("5", "1000000"):
                result = self.run_tfprof(
                    "--graph_path=" + graph,
                    "--op_log_path=" + log,
                    "code",
                    "-max_depth",
                    limit,
                    "-min_occurrence",
                    "0",
                    "-output",
                    "none",
                )
            cpu.append(result.cpu)
        self.assert_linear(*cpu)

    def test_deep_graph(self):
        count = 100000
        path = self.write(
            "graph",
            joined(
                1,
                (
                    field(1, b"n%d" % i)
                    + field(2, b"Op")
                    + field(3, b"n%d" % (i + 1))
                    for i in range(count)
                ),
            ),
        )
        result = self.run_tfprof(
            "--graph_path=" + path, "graph", "-max_depth", "3"
        )
        self.assertGreaterEqual(len(result.rows()), 1)

    def test_many_readers_of_one_node(self):
        path = self.write(
            "graph",
            joined(
                1,
                (
                    field(1, b"n%d" % i)
                    + field(2, b"Op")
                    + b"".join(
                        field(3, b"n%d" % (j % 200000))
                        for j in (i + 1, i // 2, 7)
                    )
                    for i in range(200000)
                ),
            ),
        )
        self.run_tfprof("--graph_path=" + path, "graph", "-max_depth", "3")

    # ---- Inputs that are slow in other programs.

    def test_regular_expressions(self):
        names = [b"a" * 5000 + b"%d" % i for i in range(200)]
        path = self.write("graph", joined(1, (node_def(n) for n in names)))
        for regex in (
            "(a*)*b",
            "(a|a)*b",
            "(a+)+$x",
            "((a?){50}){50}b",
            "(.*)(.*)(.*)(.*)(.*)b",
        ):
            for option in (
                "-show_name_regexes",
                "-start_name_regexes",
                "-trim_name_regexes",
                "-hide_name_regexes",
                "-account_type_regexes",
            ):
                result = self.run_tfprof(
                    "--graph_path=" + path, "scope", option, regex, status=None
                )
                # 2: RE2 refuses the expression, because it is too large.
                self.assertIn(result.status, (0, 1, 2), result.err)

    def test_large_regular_expressions(self):
        path = self.write("graph", field(1, node_def(b"n")))
        for regex in (
            "((((a{100}){100}){100}){100}){100}",
            "(" * 20000,
            "a{1000}{1000}",
            "(" * 1000 + "a" + ")*" * 1000,
        ):
            result = self.run_tfprof(
                "--graph_path=" + path,
                "scope",
                "-show_name_regexes",
                regex,
                status=None,
            )
            self.assertIn(result.status, (0, 1, 2), result.err)

    # ---- Wrong lengths and huge numbers.

    def test_a_pickle_of_nine_bytes(self):
        # It remembers a value under a large number.
        path = self.write("pickle", b"\x80\x02]r\x00$\xf4\x00.")
        self.run_tfprof("--pickle_path=" + path, "op", status=1)

    def test_lengths(self):
        good = field(1, node_def(b"n"))
        for length in (1 << 60, (1 << 63) - 1, (1 << 64) - 1, 1 << 32):
            head = b"\x0a" + varint(length)
            path = self.write("graph", good + head + b"abc")
            result = self.run_tfprof("--graph_path=" + path, "scope", status=1)
            self.assertIn(
                "byte %d: field 1: length %d exceeds the 3 bytes "
                "left" % (len(good), length),
                result.err,
            )
            self.assertGreaterEqual(len(result.rows()), 1)
            path = self.write(
                "run_meta",
                field(
                    1,
                    field(1, field(1, CPU) + b"\x12" + varint(length) + b"abc"),
                ),
            )
            result = self.run_tfprof(
                "--run_meta_path=" + path, "scope", status=1
            )
            self.assertIn(
                "length %d exceeds the 3 bytes left" % length, result.err
            )

    def test_numbers(self):
        # Slots, positions and steps that would be large tables.
        entry = field(1, 1) + field(
            2,
            field(1, b"n")
            + field(9, b"Op")
            + field(2, field(1, (1 << 31) - 1) + field(2, 1))
            + field(15, field(1, (1 << 31) - 1) + field(2, field(1, b"\x05"))),
        )
        path = self.write(
            "profile", field(1, entry) + field(3, varint(1 << 62) + varint(3))
        )
        self.run_tfprof(
            "--profile_path=" + path, "scope", "-select", "params,input_shapes"
        )
        self.run_tfprof(
            "--profile_path=" + path, "graph", "-step", str(1 << 62)
        )


def result_of(whole):
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(junit_runner.main("scaling_test"))
