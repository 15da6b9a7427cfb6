"""Gives tfprof inputs, outputs and command lines that are wrong.

For any input, the program ends by itself, with exit status 0, 1 or 2, and with
a message unless the status is 0. A report without a node never has exit status
0. An output file is complete or does not exist.

    bad_input_test.py --bin bazel-bin/profiler/tfprof [NAME…]

NAME chooses the tests whose name contains it.
"""

import argparse
import atexit
import concurrent.futures
import gzip
import json
import os
import pty
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import wire

OK, FAILED, USAGE = 0, 1, 2  # Exit statuses, see profiler/shell/exit_status.h.
TIMEOUT_SECONDS = 120
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
NOBODY = 65534
CPU = "/job:localhost/replica:0/task:0/device:cpu:0"

# The flag that names a file of that kind.
FLAGS = {
    "graph": "--graph_path",
    "run_meta": "--run_meta_path",
    "op_log": "--op_log_path",
    "profile": "--profile_path",
    "checkpoint": "--checkpoint_path",
}

# Set by main().
binary = None
profiles = None


class Result:
    """The result of a run of the program."""

    def __init__(self, args, status, out, err):
        self.args = args
        self.status = status
        self.out = out
        self.err = err

    def __str__(self):
        return "tfprof %.1000s\nexit status %d\nstdout: %r\nstderr: %s" % (
            " ".join(self.args),
            self.status,
            self.out[-2000:],
            self.err[-4000:],
        )

    def rows(self):
        """The lines of the last report, without its legend."""
        lines = self.out.rpartition("\nProfile:\n")[2].splitlines()
        return [line for line in lines if not line.startswith("node name |")]


def nobody():
    """Stops being root, who may read and write everything."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def run(*args, stdin=b"", unprivileged=False, stdout=subprocess.PIPE, cwd=None):
    """Runs tfprof; if a signal ends it, the test fails.

    Views are asked for in the form of the reference, which Result reads.
    """
    if {"scope", "graph", "op", "code"} & set(args):
        args = (*args, "-compatible")
    done = subprocess.run(
        [binary, *args],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        preexec_fn=nobody if unprivileged else None,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    # Names are any bytes.
    result = Result(
        args,
        done.returncode,
        (done.stdout or b"").decode("latin-1"),
        done.stderr.decode("utf-8", "backslashreplace"),
    )
    if result.status not in (OK, FAILED, USAGE):
        raise AssertionError("crash: %s" % result)
    if result.status != OK and not result.err.strip():
        raise AssertionError("failed without a message: %s" % result)
    # A report without an option that hides rows has at least one row.
    if args[-1] in ("op", "scope") and result.status == OK:
        rows = [
            row for row in result.rows() if not row.startswith("_TFProfRoot ")
        ]
        if not rows:
            raise AssertionError(
                "an empty report without a message: %s" % result
            )
    return result


def read(path):
    """A file of tests/golden/profiles, which may be compressed."""
    path = os.path.join(profiles, path)
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    with gzip.open(path + ".gz") as file:
        return file.read()


def samples():
    """A small file of each kind."""
    return {
        "graph": read("tiny_const/graph.pb"),
        "run_meta": read("tiny_const/run_meta_0"),
        "op_log": read("tiny_const/op_log"),
        "profile": read("tiny_const/profile.pb"),
        "checkpoint": read("ckpt_v1/ckpt"),
    }


def each(function, items):
    """Calls function for all items, on all cores; the first error is raised."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(function, items):
            pass


class BadInputTest(unittest.TestCase):
    """Each test has its own folder, which every user may read."""

    def setUp(self):
        self.dir = tempfile.mkdtemp()
        os.chmod(self.dir, 0o755)
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def fails(self, *args, status=FAILED, says=(), **kwargs):
        """Runs args; they have to fail, with these patterns on stderr."""
        result = run(*args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        for text in says:
            self.assertRegex(result.err, text, str(result))
        return result

    def works(self, *args, **kwargs):
        result = run(*args, **kwargs)
        self.assertEqual(result.status, OK, str(result))
        return result

    def no_leftovers(self, *names):
        """Asserts that the folder has these files only."""
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(names))


class FileTest(BadInputTest):
    """Files that cannot be read at all."""

    def test_missing(self):
        path = self.path("nowhere")
        for flag in FLAGS.values():
            result = self.fails(
                "%s=%s" % (flag, path), "op", says=[re.escape(path)]
            )
            self.assertRegex(result.err, "No such file|find any matching")
        self.fails(path, "op", says=[re.escape(path), "No such file"])
        self.fails("7:" + path, "op", says=["No such file"])

    def test_missing_among_others(self):
        good = self.write("graph", samples()["graph"])
        path = self.path("nowhere")
        self.fails(good, path, "op", says=[re.escape(path)])
        self.fails(
            "--graph_path=" + good, "--run_meta_path=%s,%s" % (good, path), "op"
        )

    def test_empty(self):
        path = self.write("empty", b"")
        for flag in FLAGS.values():
            self.fails(
                "%s=%s" % (flag, path),
                "op",
                says=[re.escape(path), "empty|0 bytes"],
            )
        self.fails(path, "op", says=[re.escape(path), "empty"])

    def test_directory(self):
        for flag in FLAGS.values():
            self.fails(
                "%s=%s" % (flag, self.dir),
                "op",
                says=[re.escape(self.dir), "directory"],
            )
        self.fails(
            self.dir,
            "op",
            says=[
                re.escape(self.dir),
                "no ProfileProto, GraphDef, RunMetadata, ",
            ],
        )

    def test_directory_of_nonsense(self):
        self.write("text", b"hello\n")
        self.write("noise", bytes(range(256)))
        self.fails(self.dir, "op", says=[re.escape(self.dir), "2 entries"])

    def test_no_permission(self):
        for kind, data in samples().items():
            path = self.write(kind, data)
            os.chmod(path, 0)
            self.fails(
                "%s=%s" % (FLAGS[kind], path),
                "op",
                unprivileged=True,
                says=[re.escape(path), "Permission denied"],
            )
            self.fails(
                path,
                "op",
                unprivileged=True,
                says=[re.escape(path), "Permission denied"],
            )

    def test_directory_without_permission(self):
        inner = self.path("inner")
        os.mkdir(inner)
        self.write("inner/graph", samples()["graph"])
        os.chmod(inner, 0)
        self.fails(inner, "op", unprivileged=True, says=["Permission denied"])
        self.fails(
            inner + "/graph",
            "op",
            unprivileged=True,
            says=["Permission denied"],
        )

    def test_name_too_long(self):
        self.fails("x" * 5000, "op", says=["name too long"])

    def test_devices(self):
        self.fails("--graph_path=/dev/null", "op", says=["/dev/null"])
        self.fails("/dev/null", "op", says=["/dev/null"])

    def test_pipe(self):
        for kind in ("graph", "profile"):
            result = run(
                FLAGS[kind] + "=/dev/stdin", "op", stdin=samples()[kind]
            )
            self.assertEqual(result.status, OK, str(result))
        result = self.works("/dev/stdin", "op", stdin=samples()["profile"])
        self.assertNotEqual(result.rows(), [])

    def test_more_files_than_fit(self):
        # A record is named by 16 bits of its file's number.
        self.write("a", samples()["run_meta"])
        self.write(
            "b",
            wire.run_metadata(
                [
                    (
                        "/device:gpu:0",
                        [
                            wire.node_stats("n%d" % i, i + 1)
                            for i in range(10000)
                        ],
                    )
                ]
            ),
        )
        result = run(
            *["a"] * 65536,
            "b",
            "graph",
            "-step",
            "65536",
            "-output",
            "timeline:outfile=" + self.path("t.json"),
            cwd=self.dir,
        )
        if result.status != OK:
            self.assertRegex(result.err, "files")

    def test_wrong_kind(self):
        data = samples()
        data["text"] = b"The quick brown fox\njumps over the lazy dog.\n"
        data["json"] = b'{"events": []}\n'
        data["elf"] = b"\x7fELF\x02\x01\x01" + bytes(57)
        data["gzip"] = gzip.compress(data["text"], mtime=0)
        for kind, content in data.items():
            path = self.write(kind, content)
            for wanted, flag in FLAGS.items():
                if wanted == kind:
                    continue
                self.fails(
                    "%s=%s" % (flag, path),
                    "op",
                    says=[re.escape(path), "not an? |expected"],
                )
            if kind not in FLAGS:
                self.fails(path, "op", says=[re.escape(path), "--profile_path"])

    def test_every_kind_is_recognised(self):
        for kind in ("graph", "run_meta", "profile"):
            self.works(self.write(kind, samples()[kind]), "op")
        for name in os.listdir(profiles):
            if name == "synth_empty":
                continue
            path = (
                self.write("saved", read(name + "/profile.pb"))
                if any(
                    os.path.exists(
                        os.path.join(profiles, name, "profile.pb" + s)
                    )
                    for s in ("", ".gz")
                )
                else None
            )
            if path is not None:
                self.works(path, "op")


class DamageTest(BadInputTest):
    """Files that are damaged behind a good beginning."""

    def cut(self, kind, data, lengths):
        """Cuts off at these lengths: never a crash, always a message."""

        def one(length):
            path = self.write("%s.%d" % (kind, length), data[:length])
            result = run("%s=%s" % (FLAGS[kind], path), "op")
            # A file that ends between two records is a good file.
            if result.status == FAILED:
                self.assertIn(path, result.err, str(result))
            os.unlink(path)
            return result.status

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            statuses = list(pool.map(one, lengths))
        self.assertGreater(statuses.count(FAILED), 0.8 * len(lengths))

    def test_graph_cut_off(self):
        data = samples()["graph"]
        self.cut("graph", data, range(len(data)))

    def test_run_meta_cut_off(self):
        data = samples()["run_meta"]
        self.cut("run_meta", data, range(len(data)))

    def test_op_log_cut_off(self):
        data = samples()["op_log"]
        self.cut("op_log", data, range(0, len(data), 7))

    def test_profile_cut_off(self):
        data = samples()["profile"]
        self.cut("profile", data[:600], range(0, 600, 3))

    def test_checkpoint_cut_off(self):
        data = samples()["checkpoint"]
        self.cut("checkpoint", data, range(0, len(data), 101))

    def test_large_profile_cut_off(self):
        data = read("rnn_while/profile.pb")
        self.cut("profile", data, range(1, len(data), len(data) // 40))

    def test_text_cut_off(self):
        data = samples()["graph"]
        text = read("tiny_const/graph.pbtxt")
        self.assertNotEqual(text, data)
        self.cut("graph", text, range(0, len(text) - 3, 9))

    def test_gzip_cut_off(self):
        data = gzip.compress(samples()["graph"], mtime=0)
        self.cut("graph", data, range(len(data)))

    def test_kept_before_the_damage(self):
        graph = wire.graph_def([("a", []), ("b", []), ("c", ["a"])])
        path = self.write("graph", graph[:-3])
        result = self.fails(
            "--graph_path=" + path,
            "scope",
            says=[r"byte \d+", "kept|cut short"],
        )
        self.assertIn("a (", result.out)
        self.assertIn("b (", result.out)

    def test_kept_after_the_damage(self):
        # The record has the right length and wrong content.
        graph = (
            wire.field(1, wire.node_def("a"))
            + wire.field(1, b"\x0a\x7fzz")
            + wire.field(1, wire.node_def("z"))
        )
        path = self.write("graph", graph)
        result = self.fails(
            "--graph_path=" + path, "scope", says=[re.escape(path), r"byte \d+"]
        )
        self.assertIn("a (", result.out)
        self.assertIn("z (", result.out)

    def test_dropped_records_are_counted(self):
        good = wire.node_stats("a")
        bad = [wire.field(1, "b") + b"\x10"] * 1000
        path = self.write("run_meta", wire.run_metadata([(CPU, [good] + bad)]))
        result = self.fails(
            "--run_meta_path=" + path,
            "op",
            says=["NodeExecStats dropped", "992 more"],
        )
        self.assertRegex(result.rows()[0], r"^a ")
        status = run("--run_meta_path=" + path, "status")
        self.assertIn("1000 x NodeExecStats dropped (damage)", status.out)

    def test_random_bytes(self):
        def one(seed):
            rng = random.Random(seed)
            data = rng.randbytes(rng.choice((1, 7, 48, 100, 5000, 100000)))
            path = self.write("random.%d" % seed, data)
            for flag in FLAGS.values():
                self.fails("%s=%s" % (flag, path), "op", says=[re.escape(path)])
            self.fails(path, "op", says=[re.escape(path)])
            os.unlink(path)

        each(one, range(40))

    def test_flipped_bytes(self):
        data = samples()

        def one(seed):
            rng = random.Random(seed)
            kind = rng.choice(sorted(data))
            content = bytearray(data[kind])
            for _ in range(rng.randint(1, 8)):
                content[rng.randrange(len(content))] = rng.randrange(256)
            path = self.write("%s.%d" % (kind, seed), content)
            lines = b"op\nscope\ngraph\ncode\nadvise\nstatus\n"
            run("%s=%s" % (FLAGS[kind], path), stdin=lines)
            os.unlink(path)

        each(one, range(300))

    def test_deep_text(self):
        text = 'node { name: "a" op: "B" } ' + "x { " * 100000 + "} " * 100000
        path = self.write("deep.pbtxt", text.encode())
        self.fails(path, "op", says=[re.escape(path), "line 1", "too deep"])

    def test_deep_groups(self):
        path = self.write("groups", b"\x0b" * 1000000)
        self.fails("--graph_path=" + path, "op", says=[re.escape(path)])


class ContentTest(BadInputTest):
    """Well-formed files with strange content."""

    def graph(self, nodes):
        return self.write("graph", wire.graph_def(nodes))

    def all_views(self, *args, status=OK):
        """Runs every view and exporter; code has no traces and fails."""
        lines = (
            b"scope -max_depth 99\ngraph -max_depth 99\nop\nadvise\n"
            b"set -output timeline:outfile=%s\nscope\ngraph\n"
            b"set -output none\nop\nsave -force %s\n"
            % (self.path("t.json").encode(), self.path("s.pb").encode())
        )
        result = run(*args, stdin=lines)
        self.assertEqual(result.status, status, str(result))
        self.works("--profile_path=" + self.path("s.pb"), "status")
        return result

    def test_cycle(self):
        path = self.graph([("a", ["b"]), ("b", ["a"]), ("c", ["c"])])
        result = self.all_views(path)
        self.assertIn("\n  a ", result.out)
        self.assertIn("\n  c ", result.out)

    def test_large_cycle(self):
        count = 100000
        path = self.graph(
            [("n%d" % i, ["n%d" % ((i + 1) % count)]) for i in range(count)]
            + [("end", ["n0"])]
        )
        result = self.works(
            path,
            "graph",
            "-max_depth",
            "200000",
            "-select",
            "occurrence",
            "-show_name_regexes",
            "end|.*0000",
        )
        # The root, the end, and every 10,000th node with its inputs.
        self.assertEqual(len(result.rows()), 2 + 9, str(result))
        self.assertIn("end (0/0|1/100.00k)", result.out)

    def test_dangling_inputs(self):
        path = self.graph(
            [
                ("a", ["nowhere", "^gone:3", "b:99", "", ":", "^"]),
                ("b", ["a:-1", "a:99999999999999999999"]),
            ]
        )
        self.all_views(path)
        self.works(path, "op", "-select", "input_shapes", "-real_output_index")

    def test_dangling_ids(self):
        node = (
            wire.field(1, "a")
            + wire.field(9, "Op")
            + wire.field(2, wire.map_entry(0, 77))
            + wire.field(10, wire.field(1, wire.field(6, 12345)))
        )
        path = self.write("profile", wire.profile_proto([(1, node)]))
        result = self.fails(
            "--profile_path=" + path, "op", says=["node id 77", re.escape(path)]
        )
        self.assertRegex(result.rows()[0], r"^Op ")
        run("--profile_path=" + path, "code")

    def test_duplicate_names(self):
        path = self.graph([("a", []), ("a", ["b"]), ("b", []), ("a", [])])
        result = self.works("--graph_path=" + path, "scope")
        self.assertRegex(result.err, "node a is defined twice")
        self.assertEqual(
            sum("a (" in row for row in result.rows()), 1, str(result)
        )

    def test_node_without_a_name(self):
        path = self.graph([("", []), ("/", [""]), ("//", []), ("a//b/", [])])
        self.all_views("--graph_path=" + path)

    def test_control_characters(self):
        name = "a\x1b[2J\x07\r\n\x00\x7f/\xff".encode("latin-1")
        graph = wire.field(1, wire.field(1, name) + wire.field(2, name))
        stats = wire.run_metadata(
            [
                (
                    b"/device:cpu:0" + name,
                    [
                        wire.field(1, name) + wire.field(2, 0),
                        wire.field(1, b"x" + name) + wire.field(2, 1),
                    ],
                )
            ]
        )
        self.write("graph", graph * 2)
        self.write("run_meta_0", stats)
        result = run(self.dir, "op")
        self.assertNotRegex(result.err, "[\x00-\x08\x0b-\x1f\x7f]")
        self.assertIn("\\x1b[2J", result.err)
        for command in ("scope", "graph", "advise", "status"):
            run(self.dir, command)
        path = self.path("t.json")
        run(
            self.dir,
            "graph",
            "-step",
            "0",
            "-output",
            "timeline:outfile=" + path,
        )
        with open(path + "_0", encoding="ascii") as file:
            self.assertNotRegex(file.read(), "[\x00-\x09\x0b-\x1f]")

    def test_file_name_with_control_characters(self):
        path = self.write("\x1b[2J\n", b"nonsense")
        result = self.fails(path, "op")
        self.assertNotIn("\x1b", result.err)

    def test_times_of_any_size(self):
        edges = [INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX]
        nodes = [
            wire.node_stats("n%d" % i, start, duration)
            + wire.field(
                6, b"".join(wire.field(n, duration) for n in (2, 3, 4, 5))
            )
            for i, start in enumerate(edges)
            for duration in edges
        ]
        path = self.write(
            "run_meta_0",
            wire.run_metadata(
                [
                    (CPU, nodes),
                    ("/job:a/device:gpu:0", nodes),
                    ("/job:a/device:gpu:0/stream:all", nodes),
                ]
            ),
        )
        self.all_views(path)
        for order in ("micros", "bytes", "occurrence"):
            self.works(path, "op", "-order_by", order)
        self.works(path, "op", "-min_micros", str(INT64_MIN))
        run(path, "op", "-min_micros", str(INT64_MAX))

    def test_steps_of_any_size(self):
        node = (
            wire.field(1, "a")
            + wire.field(9, "Op")
            + b"".join(
                wire.field(12, wire.map_entry(step, wire.field(1, INT64_MAX)))
                for step in (INT64_MIN, -1, 0, INT64_MAX)
            )
        )
        path = self.write(
            "profile",
            wire.profile_proto(
                [(INT64_MIN, node)], steps=(INT64_MIN, -1, 0, INT64_MAX)
            ),
        )
        self.all_views(path)
        self.works(path, "op", "-step", str(INT64_MAX))
        self.fails(path, "op", "-step", "77", says=["Available steps"])

    def test_10000_devices(self):
        count = 10000
        devices = [
            (
                "/job:w/replica:0/task:%d/device:GPU:0" % i,
                [wire.node_stats("n%d" % (i % 100), i + 1, i)],
            )
            for i in range(count)
        ]
        path = self.write("run_meta_0", wire.run_metadata(devices))
        self.all_views(path)
        result = self.works(path, "status")
        self.assertIn("%d devices" % count, result.out)

    def test_10000_devices_of_a_node(self):
        count = 10000
        execs = wire.field(1, 1) + b"".join(
            wire.field(
                5,
                wire.map_entry(
                    "/device:gpu:%d" % i,
                    wire.field(
                        1, wire.field(1, wire.varint(i + 1) + wire.varint(i))
                    ),
                ),
            )
            + wire.field(6, "/device:gpu:%d" % (i + count // 2))
            for i in range(count)
        )
        node = (
            wire.field(1, "a")
            + wire.field(9, "Op")
            + wire.field(12, wire.map_entry(0, execs))
        )
        path = self.write("profile", wire.profile_proto([(1, node)]))
        self.all_views(path)

    def test_10000_steps(self):
        data = samples()["run_meta"]
        path = self.write("run_meta", data)
        result = self.works(*("%d:%s" % (i, path) for i in range(10000)), "op")
        self.assertEqual(len(result.rows()), len(self.works(path, "op").rows()))
        self.assertIn(
            "10000 steps",
            self.works(
                *("%d:%s" % (i, path) for i in range(10000)), "status"
            ).out,
        )

    def test_file_of_more_than_2_gib(self):
        # A node, an unknown field of 3 GiB, a node.
        hole = 3 << 30
        first = wire.field(1, wire.node_def("first"))
        last = wire.field(1, wire.node_def("last"))
        head = wire.varint(1000 << 3 | 2) + wire.varint(hole)
        path = self.write("graph", first + head)
        with open(path, "r+b") as file:
            file.seek(len(first) + len(head) + hole)
            file.write(last)
        self.assertGreater(os.path.getsize(path), hole)
        begin = time.monotonic()
        result = self.works("--graph_path=" + path, "scope")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("first (", result.out)
        self.assertIn("last (", result.out)

    def test_run_metadata_of_more_than_2_gib(self):
        # One StepStats of 5 GiB, nearly all of it in a field that is skipped.
        hole = 5 << 30
        stats = wire.run_metadata([(CPU, [wire.node_stats("a")])])[2:]
        head = wire.varint(1000 << 3 | 2) + wire.varint(hole)
        tail = wire.field(
            1, wire.field(1, CPU) + wire.field(2, wire.node_stats("b"))
        )
        step_stats = stats[-len(stats) :]
        size = len(step_stats) + len(head) + hole + len(tail)
        begin = wire.varint(1 << 3 | 2) + wire.varint(size)
        path = self.write("run_meta", begin + step_stats + head)
        with open(path, "r+b") as file:
            file.seek(0, os.SEEK_END)
            file.seek(file.tell() + hole)
            file.write(tail)
        result = self.works("--run_meta_path=" + path, "op")
        self.assertEqual(len(result.rows()), 2, str(result))

    def test_sparse_file_of_8_gib(self):
        path = self.write("zeros", b"")
        os.truncate(path, 8 << 30)
        for flag in FLAGS.values():
            self.fails("%s=%s" % (flag, path), "op", says=[re.escape(path)])
        self.fails(path, "op", says=[re.escape(path)])

    def test_chain_of_a_million_nodes(self):
        count = 1000000
        path = self.path("graph")
        with open(path, "wb") as file:
            pieces = []
            for i in range(count):
                name = b"n%d" % i
                source = b"n%d" % (i + 1)
                body = b"\x0a%c%s\x12\x02Op\x1a%c%s" % (
                    len(name),
                    name,
                    len(source),
                    source,
                )
                pieces.append(b"\x0a%c%s" % (len(body), body))
            file.write(b"".join(pieces))
        # The text of all rows would contain a terabyte of indentation.
        deep = (
            "--graph_path=" + path,
            "graph",
            "-max_depth",
            "2000000",
            "-select",
            "occurrence",
        )
        result = self.works(*deep, "-show_name_regexes", ".*00000")
        self.assertEqual(len(result.rows()), 1 + 9, result.out)
        self.assertIn("n100000 (0/0|1/900.00k)", result.out)
        result = self.works(*deep, "-output", "none")
        self.assertEqual(result.out, "")
        result = self.works(
            "--graph_path=" + path,
            "scope",
            "-max_depth",
            "2000000",
            "-select",
            "occurrence",
        )
        self.assertEqual(len(result.rows()), count + 1)

    def test_chain_of_names(self):
        # 3000 nested scopes.
        path = self.graph([("/".join("s" * 3000), [])])
        result = self.works(path, "scope", "-max_depth", "5000")
        self.assertEqual(len(result.rows()), 3001)

    def test_node_with_100000_inputs(self):
        count = 100000
        names = ["i%d" % i for i in range(count)]
        path = self.graph([("sink", names)] + [(n, []) for n in names])
        for command in ("graph", "scope"):
            result = self.works(
                path,
                command,
                "-max_depth",
                "2000000",
                "-select",
                "occurrence,input_shapes",
            )
            self.assertEqual(len(result.rows()), count + 2)


class OutputTest(BadInputTest):
    """Files that cannot be written, and readers that stop reading."""

    def setUp(self):
        super().setUp()
        self.profile = "--profile_path=" + self.write(
            "profile", samples()["profile"]
        )

    def outputs(self, path):
        """All ways of writing a file: (arguments, file written)."""
        return [
            (["op", "-output", "file:outfile=" + path], path),
            (
                ["graph", "-step", "0", "-output", "timeline:outfile=" + path],
                path + "_0",
            ),
            (["scope", "-output", "timeline:outfile=" + path], path + "_-1"),
            (["code", "-output", "pprof:outfile=" + path], path),
            (["op", "-output", "pprof:mode=full,outfile=" + path], path),
            (["save", path], path),
            (["convert", "-to", "profile:outfile=" + path], path),
        ]

    def test_complete(self):
        for args, written in self.outputs(self.path("out")):
            self.works(self.profile, *args)
            self.assertGreater(os.path.getsize(written), 0)
            os.unlink(written)
        self.no_leftovers("profile")

    def test_missing_directory(self):
        for args, written in self.outputs(self.path("no/out")):
            self.fails(
                self.profile, *args, says=[re.escape(written), "No such file"]
            )
        self.no_leftovers("profile")

    def test_read_only_directory(self):
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        for args, written in self.outputs(self.path("locked/out")):
            self.fails(
                self.profile,
                *args,
                unprivileged=True,
                says=[re.escape(written), "Permission denied"],
            )
        self.assertEqual(os.listdir(self.path("locked")), [])

    def test_read_only_file(self):
        path = self.write("old", b"old")
        os.chmod(path, 0o444)
        for args, written in self.outputs(path):
            if written == path:
                os.chmod(self.dir, 0o777)
                if args[0] == "save":
                    args = args + ["-force"]
                self.fails(
                    self.profile,
                    *args,
                    unprivileged=True,
                    says=[re.escape(path), "Permission denied"],
                )
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"old")

    def test_directory(self):
        for args, written in self.outputs(self.path("taken")):
            os.mkdir(written)
            self.fails(
                self.profile, *args, says=[re.escape(written), "directory"]
            )
            os.rmdir(written)
        self.no_leftovers("profile")

    def test_limited_file_size(self):
        """`ulimit -f`: the disk is full in the middle of a file."""
        self.write(
            "graph", wire.graph_def(("n%d" % i, []) for i in range(20000))
        )
        self.write(
            "meta",
            wire.run_metadata(
                [
                    (
                        CPU,
                        [
                            wire.node_stats("n%d" % i, i + 1)
                            for i in range(20000)
                        ],
                    )
                ]
            ),
        )
        old = self.write("out", b"old")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        for args, _ in self.outputs(old) + [
            (["convert", "-to", "files:outdir=" + self.path("dir")], "")
        ]:
            if "code" in args:
                continue  # no call stacks
            if args[:3] == ["op", "-output", "file:outfile=" + old]:
                continue  # one row, a small file
            if args[0] in ("graph", "scope"):
                args = args + ["-max_depth", "100000"]
            if args[0] == "save":
                args = args + ["-force"]
            done = subprocess.run(
                [binary, self.path("graph"), self.path("meta"), *args],
                capture_output=True,
                preexec_fn=limit,
                check=False,
                timeout=TIMEOUT_SECONDS,
            )
            self.assertEqual(done.returncode, FAILED, args)
            self.assertIn(b"File too large", done.stderr)
        with open(old, "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.no_leftovers("profile", "graph", "meta", "out")

    def test_killed_while_writing(self):
        """An unfinished file is removed."""
        self.write(
            "graph",
            wire.graph_def(
                ("n%d" % i, ["n%d" % (i - 1)]) for i in range(1, 100000)
            ),
        )
        with subprocess.Popen(
            [binary, self.path("graph"), "save", self.path("out")],
            stderr=subprocess.DEVNULL,
        ) as process:
            # When it writes, a descriptor of this folder is open.
            fds = "/proc/%d/fd" % process.pid
            deadline = time.monotonic() + TIMEOUT_SECONDS
            writes = False
            while (
                process.poll() is None
                and not writes
                and time.monotonic() < deadline
            ):
                try:
                    writes = any(
                        os.readlink(os.path.join(fds, fd)).startswith(
                            (self.dir + "/#", self.path("out"))
                        )
                        for fd in os.listdir(fds)
                    )
                except OSError:
                    continue
            process.kill()
            process.wait()
        if not os.path.exists(self.path("out")):
            self.no_leftovers("profile", "graph")

    def test_convert_to_a_folder(self):
        """The folder exists with all files, or does not exist."""

        def convert(folder, *more):
            return [
                self.profile,
                "convert",
                "-to",
                "files:outdir=" + folder,
                *more,
            ]

        self.works(*convert(self.path("new")))
        self.assertEqual(
            sorted(os.listdir(self.path("new"))),
            ["graph.pb", "op_log.pb", "run_meta_0.pb"],
        )
        self.fails(*convert(self.path("new")), says=["not empty"])
        os.mkdir(self.path("empty"))
        self.works(*convert(self.path("empty")))
        self.assertEqual(len(os.listdir(self.path("empty"))), 3)
        self.fails(
            *convert(self.path("profile")),
            says=[re.escape(self.path("profile")), "ot a directory"],
        )
        self.fails(*convert(self.path("no/such")), says=["No such file"])
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        self.fails(
            *convert(self.path("locked/new")),
            unprivileged=True,
            says=["Permission denied"],
        )
        self.fails(
            *convert(self.path("other"), "-steps", "7"),
            says=["no step 7", "Available steps: 0"],
        )
        self.no_leftovers("profile", "new", "empty", "locked")

    def test_steps_that_are_not_there(self):
        to = ["-to", "profile:outfile=" + self.path("out")]
        for steps, says in (("3", "no step 3"), ("0,3-5", "no step 3-5")):
            self.fails(
                self.profile,
                "convert",
                "-steps",
                steps,
                *to,
                says=[says, "Available steps: 0"],
            )
        for steps in ("x", "5-3", "-1", "1,,2"):
            self.fails(
                self.profile,
                "convert",
                "-steps=" + steps,
                *to,
                status=USAGE,
                says=["steps"],
            )
        self.works(self.profile, "convert", "-steps", "0-9", *to)
        self.no_leftovers("profile", "out")

    def test_nothing_to_convert(self):
        empty = self.write("empty", b"")
        for args in (
            ["save", self.path("out")],
            ["convert", "-to", "profile:outfile=" + self.path("out")],
            ["convert", "-to", "files:outdir=" + self.path("out")],
        ):
            self.fails(
                "--profile_path=" + empty,
                *args,
                says=["no node", "Nothing is written"],
            )
        self.fails(self.profile, "convert", status=USAGE, says=["-to"])
        self.fails(
            self.profile,
            "convert",
            "-to",
            "text:outfile=x",
            status=USAGE,
            says=["profile:outfile=FILE"],
        )
        self.fails(
            self.profile, "op", "-steps", "0", status=USAGE, says=["convert"]
        )
        self.fails(
            "--same_step=often",
            self.profile,
            "op",
            status=USAGE,
            says=["same_step"],
        )
        self.no_leftovers("profile", "empty")

    def test_names_that_are_not_utf8(self):
        names = [b"\xff\xfe", b"a/\x80", "\u00e9".encode(), b"\xed\xa0\x80"]
        graph = self.write(
            "graph",
            b"".join(
                wire.field(1, wire.field(1, name) + wire.field(2, b"Op\xc0"))
                for name in names
            ),
        )
        meta = self.write(
            "meta",
            wire.run_metadata(
                [
                    (
                        CPU,
                        [
                            wire.field(1, name)
                            + wire.field(2, i + 1)
                            + wire.field(4, 5)
                            for i, name in enumerate(names)
                        ],
                    )
                ]
            ),
        )
        for view in ("graph", "scope"):
            out = self.path("trace")
            self.works(
                graph,
                meta,
                view,
                "-step",
                "0",
                "-output",
                "timeline:outfile=" + out,
            )
            with open(out + "_0", encoding="ascii") as file:
                events = json.load(file)["traceEvents"]
            self.assertGreater(len(events), len(names))
            self.works(
                graph, meta, view, "-output", "pprof:mode=full,outfile=" + out
            )
            with gzip.open(out) as file:
                for string in wire.values(file.read(), 6):
                    string.decode("utf-8")
        # A saved profile keeps the bytes.
        self.works(graph, meta, "save", self.path("saved"))
        with open(self.path("saved"), "rb") as file:
            saved = file.read()
        for name in names:
            self.assertIn(name, saved)

    def test_full_disk(self):
        for args, written in self.outputs("/dev/full"):
            if written == "/dev/full":
                self.fails(
                    self.profile, *args, says=["/dev/full", "No space left"]
                )
        with open("/dev/full", "wb") as full:
            for args in (["op"], ["--help"], ["help"], ["--version"]):
                self.fails(
                    self.profile,
                    *args,
                    stdout=full,
                    says=["stdout", "No space left"],
                )

    def test_not_a_file(self):
        self.works(self.profile, "op", "-output", "file:outfile=/dev/null")
        self.assertTrue(os.path.exists("/dev/null"))

    def test_old_file_is_replaced_at_once(self):
        path = self.write("out", b"x" * 1000000)
        self.fails(self.profile, "save", path, says=["exists", "-force"])
        self.works(self.profile, "save", "-force", path)
        self.works("--profile_path=" + path, "op")
        self.no_leftovers("profile", "out")

    def test_closed_stdout(self):
        self.write(
            "graph", wire.graph_def(("n%d" % i, []) for i in range(100000))
        )
        with subprocess.Popen(
            [binary, "--graph_path=" + self.path("graph"), "scope"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            process.stdout.readline()
            process.stdout.close()
            err = process.stderr.read()
            self.assertIn(process.wait(TIMEOUT_SECONDS), (OK, FAILED), err)
        done = subprocess.run(
            [binary, self.profile, "op"],
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=lambda: os.close(1),
        )
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"stdout", done.stderr)

    def test_closed_streams_and_a_file(self):
        # An output file must not get the number of a standard stream.
        path = self.path("t.json")
        for fds in ((1,), (2,), (0, 1, 2)):
            done = subprocess.run(
                [
                    binary,
                    self.profile,
                    "graph",
                    "-step",
                    "0",
                    "-output",
                    "timeline:outfile=" + path,
                ],
                check=False,
                preexec_fn=lambda fds=fds: [os.close(fd) for fd in fds],
            )
            self.assertIn(done.returncode, (OK, FAILED))
            with open(path + "_0", "rb") as file:
                self.assertRegex(file.read(), rb"\A\{.*\}\n\Z")


class TerminalTest(BadInputTest):
    """Names that could harm a terminal."""

    def test_names_are_escaped(self):
        path = self.write(
            "graph", wire.graph_def([("a\x1b[2J\x9b\x7f\u00e9", [])])
        )
        shown = b""
        master, slave = pty.openpty()
        try:
            with subprocess.Popen(
                [binary, path, "scope"],
                stdout=slave,
                stderr=slave,
                stdin=subprocess.DEVNULL,
            ):
                os.close(slave)
                while True:
                    try:
                        data = os.read(master, 65536)
                    except OSError:
                        break  # On Linux, the other end is closed.
                    if not data:
                        break
                    shown += data
        finally:
            os.close(master)
        self.assertIn("a\\x1b[2J\\xc2\\x9b\\x7f\u00e9 ".encode(), shown)
        # A pipe gets every byte as it is.
        self.assertIn("a\x1b[2J", self.works(path, "scope").out)


class CommandTest(BadInputTest):
    """Command lines, scripts and shell lines."""

    def setUp(self):
        super().setUp()
        self.profile = "--profile_path=" + self.write(
            "profile", samples()["profile"]
        )

    def test_flags(self):
        for line in (
            "--nonsense",
            "--nonsense=1 op",
            "op -x",
            "--profile_path",
            "op -max_depth",
            "op -max_depth x",
            "op -order_by size",
            "op -select micros,size",
            "op -output printer",
            "op -output file",
            "op -output file:x",
            "op -output file:outfil=x",
            "op -output timeline:outfile=",
            "op -account_displayed_op_only=perhaps",
            "save",
            "op -f script",
        ):
            args = line.split()
            self.fails(self.profile, *args, status=USAGE, says=["tfprof: "])

    def test_command_without_input(self):
        for command in ("op", "scope", "graph", "code", "advise", "save x"):
            self.fails(*command.split(), status=USAGE, says=["profile"])

    def test_numbers(self):
        for option, low, high in (
            ("-max_depth", -(1 << 31), (1 << 31) - 1),
            ("-min_bytes", INT64_MIN, INT64_MAX),
            ("-step", INT64_MIN, -1),
        ):
            for value in (low, high):
                run(self.profile, "op", option, str(value))
                run(self.profile, "graph", option, str(value))
            for value in (
                str(low - 1),
                "9" * 100,
                "1e3",
                "0x10",
                "1.5",
                "",
                "-",
                "1 2",
                "nan",
                "\u0661",
            ):
                self.fails(
                    self.profile, "op", "%s=%s" % (option, value), status=USAGE
                )
                line = "op %s %s\n" % (option, value.split(" ")[0] or "''")
                if value != "1 2":
                    self.fails(
                        self.profile,
                        stdin=line.encode(),
                        says=["Invalid option"],
                    )

    def test_regexes(self):
        for regex in (
            "(",
            "[",
            "a{2,1}",
            "*",
            "\\",
            "(?P<n",
            "(?i",
            "[[:x:]]",
            "x{1001}",
            "((a{100}){100}){100}",
            "(" * 5000,
            "\\C\\pX",
            "(?<=a)b",
        ):
            for option in (
                "account_type",
                "start_name",
                "trim_name",
                "show_name",
                "hide_name",
            ):
                result = run(
                    self.profile, "scope", "-%s_regexes=%s" % (option, regex)
                )
                if "," not in regex and "a{" not in regex:
                    self.assertIn("regular expression", result.err)
        run(self.profile, "op", "-show_name_regexes", "a" * 100000)
        run(
            self.profile,
            "op",
            "-show_name_regexes",
            ",".join("n%d" % i for i in range(10000)),
        )
        run(
            self.profile,
            "op",
            "-show_name_regexes",
            "(a+)+" * 200 + "$",
            "-max_depth",
            "5",
        )

    def test_missing_script(self):
        path = self.path("script")
        self.fails(
            self.profile, "-f", path, says=[re.escape(path), "No such file"]
        )
        self.fails(
            self.profile,
            "-f",
            self.dir,
            says=[re.escape(self.dir), "directory"],
        )

    def test_script(self):
        script = self.write("script", b"op\n# a comment\n\n  \nscope # too\n")
        result = self.works(self.profile, "-f", script)
        self.assertEqual(result.out.count("\nProfile:\n"), 2)
        self.assertIn("-max_depth", result.out)  # The dump of an empty line.

    def test_script_with_errors(self):
        script = self.write("script", b"op\nnonsense\nop -max_depth x\nop\n")
        result = self.fails(
            self.profile, "-f", script, says=["valid command", "Invalid option"]
        )
        self.assertEqual(result.out.count("\nProfile:\n"), 2)

    def test_script_of_noise(self):
        rng = random.Random(1)
        self.fails(
            self.profile,
            "-f",
            self.write("noise", rng.randbytes(100000)),
            says=["is no script"],
            status=2,
        )
        self.fails(self.profile, "-f", self.write("line", b"x" * 10000000))
        self.fails(self.profile, stdin=b"\0\nop \0\n'\n\"\nop '\n")

    def test_last_line_without_newline(self):
        self.assertEqual(
            self.works(self.profile, stdin=b"op").out,
            self.works(self.profile, stdin=b"op\r\n").out,
        )

    def test_exit_leaves(self):
        result = self.works(self.profile, stdin=b"op\nexit\nnonsense\n")
        self.assertEqual(result.out.count("\nProfile:\n"), 1)

    def test_quoting(self):
        path = self.path("a file,b")
        lines = "op -output 'file:outfile=%s'\n" % self.path("a file")
        self.works(self.profile, stdin=lines.encode())
        self.assertTrue(os.path.exists(self.path("a file")))
        self.works(self.profile, stdin=("save '%s'\n" % path).encode())
        self.assertTrue(os.path.exists(path))
        result = self.works(
            self.profile, stdin=b"op -show_name_regexes '.*{1,2}, x','Id.*'\n"
        )
        self.assertIn("Identity", result.out)
        self.no_leftovers("profile", "a file", "a file,b")

    def test_views_that_refuse(self):
        graph = self.write("graph", samples()["graph"])
        self.fails(graph, "code", says=["No code trace"])
        self.fails(
            self.profile,
            "op",
            "-output",
            "timeline:outfile=x",
            says=["timeline"],
        )
        self.fails(
            self.profile, "op", "-output", "pprof:outfile=x", says=["pprof"]
        )
        self.fails(
            self.profile,
            "code",
            "-select",
            "device",
            "-output",
            "pprof:outfile=x",
            says=["pprof"],
        )
        self.fails(self.profile, "op", "-step", "12345", says=["step"])
        self.fails(self.profile, "help", "nonsense", says=["nonsense"])


class Report(unittest.TextTestResult):
    """Keeps the results for a JUnit file."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.suite = ElementTree.Element("testsuite", name="bad_input_test")
        self._begin = 0.0

    def startTest(self, test):
        super().startTest(test)
        self._begin = time.monotonic()

    def _case(self, test):
        return ElementTree.SubElement(
            self.suite,
            "testcase",
            name=test.id().partition(".")[2],
            time="%.3f" % (time.monotonic() - self._begin),
        )

    def addSuccess(self, test):
        super().addSuccess(test)
        self._case(test)

    def _failed(self, test, err):
        text = "".join(traceback.format_exception(*err))
        # XML cannot contain most control characters.
        text = re.sub("[^\t\n -\ud7ff]", "?", text)
        failure = ElementTree.SubElement(self._case(test), "failure")
        failure.text = text[-10000:]

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._failed(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._failed(test, err)


def main():
    global binary, profiles
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument(
        "--profiles",
        default=os.path.join(os.path.dirname(here), "golden", "profiles"),
    )
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    profiles = args.profiles
    # An unprivileged user must be able to run it; a build folder may belong to
    # root.
    home = tempfile.mkdtemp()
    os.chmod(home, 0o755)
    binary = os.path.join(home, "tfprof")
    shutil.copy(args.bin, binary)
    os.chmod(binary, 0o755)
    atexit.register(shutil.rmtree, home)

    loader = unittest.TestLoader()
    loader.testNamePatterns = ["*%s*" % name for name in args.names] or None
    suite = loader.loadTestsFromModule(sys.modules["__main__"])
    runner = unittest.TextTestRunner(resultclass=Report, verbosity=2)
    result = runner.run(suite)
    if result.testsRun == 0:
        sys.exit("no such test")
    if "XML_OUTPUT_FILE" in os.environ:
        ElementTree.ElementTree(result.suite).write(
            os.environ["XML_OUTPUT_FILE"],
            encoding="utf-8",
            xml_declaration=True,
        )
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
