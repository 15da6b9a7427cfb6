#!/usr/bin/env python3
"""The way in which a profile is loaded does not change its reports.

Usage: tests/threads/threads_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

* --threads=1, 2 and 8 give the same bytes: all reports, messages and files.
* With --max_memory the views are the same, and commands that need dropped data
  report a clear error.
* Compressed inputs give the same reports as plain ones.
* --self_profile is a Chrome trace of the program's own phases.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
from wire import field, fields

PROFILES = os.path.join(TESTS, "golden", "profiles")
THREADS = (1, 2, 8)
FIELDS = (
    "bytes,peak_bytes,residual_bytes,output_bytes,micros,"
    "accelerator_micros,cpu_micros,params,float_ops,occurrence,device,"
    "op_types,input_shapes"
)
VIEWS = [
    ["scope", "-max_depth", "100", "-select", FIELDS],
    ["graph", "-max_depth", "40", "-order_by", "micros", "-select", FIELDS],
    ["op", "-max_depth", "1000", "-order_by", "bytes", "-select", FIELDS],
    ["code", "-max_depth", "100", "-select", FIELDS],
]
DROPPED = "single executions"

binary = ""  # of junit_runner.main()


# ---- Files.


def renamed(message, prefix, name_fields):
    """The message with a prefix before the strings of these fields."""
    parts = []
    for number, content, whole in message:
        if number not in name_fields:
            parts.append(whole)
        elif content.startswith(b"^"):
            parts.append(field(number, b"^" + prefix + content[1:]))
        else:
            parts.append(field(number, prefix + content))
    return b"".join(parts)


def read(path):
    """A bundled file, which may be compressed."""
    path = os.path.join(PROFILES, path)
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    with gzip.open(path + ".gz") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def large_graph(copies):
    """The graph of the bundled ResNet, repeated `copies` times."""
    nodes = [
        fields(content)
        for number, content, _ in fields(read("conv_resnet/graph.pb"))
        if number == 1
    ]
    return b"".join(
        field(1, renamed(node, b"copy_%d/" % copy, (1, 3)))
        for copy in range(copies)
        for node in nodes
    )


def large_run_meta(copies):
    """Run metadata of the nodes of large_graph, on one device."""
    (step,) = (
        content
        for number, content, _ in fields(read("conv_resnet/run_meta_0"))
        if number == 1
    )
    devices = b""
    for number, device, _ in fields(step):
        if number != 1:
            continue
        records = fields(device)
        stats = [
            fields(content) for number, content, _ in records if number == 2
        ]
        devices += field(
            1,
            b"".join(
                [whole for number, _, whole in records if number == 1]
                + [
                    field(2, renamed(record, b"copy_%d/" % copy, (1,)))
                    for copy in range(copies)
                    for record in stats
                ]
            ),
        )
    return field(1, devices)


def sources(name, folder):
    """Flags for a bundled profile, from its sources, unpacked to a folder."""
    meta = json.loads(read(name + "/meta.json"))

    def unpacked(file):
        return write(os.path.join(folder, file), read(name + "/" + file))

    flags = ["--graph_path=" + unpacked(meta["graph"])]
    if meta.get("run_meta"):
        flags.append(
            "--run_meta_path="
            + ",".join(
                "%d:%s" % (step, unpacked(file))
                for step, file in meta["run_meta"]
            )
        )
    if meta.get("op_log"):
        flags.append("--op_log_path=" + unpacked(meta["op_log"]))
    return flags


# ---- Running.


def run(*args, cwd=None, status=None):
    done = subprocess.run(
        [binary, *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=cwd,
        timeout=120,
        check=False,
    )
    if status is not None and done.returncode != status:
        raise AssertionError(
            "tfprof %s: exit status %d\n%s"
            % (" ".join(args), done.returncode, done.stderr[-2000:])
        )
    return done


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def subfolder(self, name):
        os.makedirs(self.path(name), exist_ok=True)
        return self.path(name)

    def assert_same(self, got, wanted, what):
        # Reports of megabytes: name the first line that differs.
        if got == wanted:
            return
        for number, (left, right) in enumerate(
            zip(got.split(b"\n"), wanted.split(b"\n")), 1
        ):
            if left != right:
                self.fail(
                    "%s: line %d: %r is not %r"
                    % (what, number, left[:500], right[:500])
                )
        self.fail("%s: %d bytes are not %d" % (what, len(got), len(wanted)))


class ThreadsTest(Case):
    """The number of threads changes nothing."""

    def everything(self, inputs, threads, commands):
        """{name: bytes} of all output of the program for these inputs."""
        cwd = tempfile.mkdtemp(dir=self.folder)
        result = {}
        for command in commands:
            done = run(
                *inputs, "--threads=%d" % threads, *command, cwd=cwd, status=0
            )
            result[" ".join(command)] = done.stdout
            result[" ".join(command) + " 2>"] = done.stderr
        for name in sorted(os.listdir(cwd)):
            with open(os.path.join(cwd, name), "rb") as file:
                result[name] = file.read()
        shutil.rmtree(cwd)
        return result

    def check(self, inputs, commands, files):
        wanted = self.everything(inputs, THREADS[0], commands)
        for file in files:
            self.assertGreater(len(wanted[file]), 100, file)
        for threads in THREADS[1:]:
            got = self.everything(inputs, threads, commands)
            self.assertEqual(sorted(got), sorted(wanted))
            for what, data in wanted.items():
                self.assert_same(
                    got[what], data, "%s, %d threads" % (what, threads)
                )

    def test_bundled(self):
        for name, step in (
            ("multi_step", 20),
            ("conv_resnet", 0),
            ("synth_gpu", 0),
            ("synth_edge", 4),
        ):
            with self.subTest(name):
                inputs = sources(name, self.subfolder(name))
                commands = VIEWS + [
                    ["advise"],
                    [
                        "graph",
                        "-step",
                        str(step),
                        "-max_depth",
                        "100000",
                        "-output",
                        "timeline:outfile=timeline",
                    ],
                    ["save", "-force", "saved"],
                ]
                files = ["timeline_%d" % step, "saved"]
                if name in ("multi_step", "conv_resnet"):
                    commands.append(
                        [
                            "code",
                            "-max_depth",
                            "100",
                            "-output",
                            "pprof:outfile=pprof",
                        ]
                    )
                    files.append("pprof")
                self.check(inputs, commands, files)

    def test_saved_profile(self):
        self.check(
            [
                "--profile_path="
                + write(self.path("p"), read("multi_step/profile.pb"))
            ],
            VIEWS,
            [],
        )

    # Larger than the pieces that the loaders cut (2 and 4 MB).
    def test_many_pieces(self):
        copies = 20
        graph = large_graph(copies)
        run_meta = large_run_meta(copies)
        self.assertGreater(len(graph), 6 << 20)
        self.assertGreater(len(run_meta), 12 << 20)
        second = large_run_meta(copies // 2)
        inputs = [
            "--graph_path=" + write(self.path("graph"), graph),
            "--run_meta_path=%s,5:%s"
            % (
                write(self.path("run_meta_0"), run_meta),
                write(self.path("run_meta_5"), second),
            ),
        ]
        self.check(
            inputs,
            [
                VIEWS[0],
                VIEWS[2],
                [
                    "graph",
                    "-step",
                    "5",
                    "-max_depth",
                    "100000",
                    "-output",
                    "timeline:outfile=timeline",
                ],
                ["save", "-force", "saved"],
            ],
            ["timeline_5", "saved"],
        )

    # A node that is in run metadata only gets its id where it first occurs.
    def test_many_pieces_of_unknown_nodes(self):
        copies = 12
        inputs = [
            "--graph_path=" + write(self.path("graph"), large_graph(1)),
            "--run_meta_path="
            + write(self.path("run_meta"), large_run_meta(copies)),
        ]
        self.check(inputs, [VIEWS[0], ["save", "-force", "saved"]], ["saved"])


class MaxMemoryTest(Case):
    """--max_memory drops the executions and nothing else."""

    def setUp(self):
        super().setUp()
        self.inputs = sources("multi_step", self.subfolder("inputs"))

    def test_views_are_exact(self):
        for command in VIEWS + [
            ["op", "-step", "20", "-max_depth", "1000"],
            ["advise"],
            [
                "code",
                "-max_depth",
                "100",
                "-output",
                "pprof:outfile=" + self.path("pprof"),
            ],
        ]:
            with self.subTest(command[0]):
                wanted = run(*self.inputs, *command, status=0)
                files = [
                    name
                    for name in ("pprof",)
                    if os.path.exists(self.path(name))
                ]
                data = [open(self.path(name), "rb").read() for name in files]
                got = run(*self.inputs, "--max_memory=1K", *command, status=0)
                self.assert_same(got.stdout, wanted.stdout, command[0])
                for name, before in zip(files, data):
                    with open(self.path(name), "rb") as file:
                        self.assert_same(file.read(), before, name)
                self.assertNotIn(b"--max_memory", wanted.stderr)
                self.assertIn(b"larger than --max_memory=1024", got.stderr)

    def test_what_needs_executions_is_refused(self):
        done = run(
            *self.inputs,
            "--max_memory=1K",
            "graph",
            "-step",
            "20",
            "-output",
            "timeline:outfile=" + self.path("t"),
            status=1,
        )
        self.assertIn("--max_memory dropped", done.stderr.decode())
        self.assertIn(DROPPED, done.stderr.decode())
        done = run(
            *self.inputs, "--max_memory=1K", "save", self.path("s"), status=1
        )
        self.assertIn("cannot be saved", done.stderr.decode())
        self.assertIn("--max_memory dropped", done.stderr.decode())
        self.assertEqual(os.listdir(self.folder), ["inputs"])

    def test_enough_is_no_limit(self):
        for limit in ("1G", "1T", "0"):
            wanted = run(
                *self.inputs, "save", "-force", self.path("a"), status=0
            )
            got = run(
                *self.inputs,
                "--max_memory=" + limit,
                "save",
                "-force",
                self.path("b"),
                status=0,
            )
            self.assertEqual(got.stderr.replace(b"/b.", b"/a."), wanted.stderr)
            with (
                open(self.path("a"), "rb") as a,
                open(self.path("b"), "rb") as b,
            ):
                self.assert_same(b.read(), a.read(), limit)

    def test_pieces_and_steps(self):
        copies = 12
        first, second = large_run_meta(copies), large_run_meta(3)
        inputs = [
            "--graph_path=" + write(self.path("graph"), large_graph(3)),
            "--run_meta_path=0:%s,1:%s,0:%s"
            % (
                write(self.path("a"), first),
                write(self.path("b"), second),
                self.path("b"),
            ),
        ]
        for command in (VIEWS[0], ["op", "-step", "0"], ["op", "-step", "1"]):
            wanted = run(*inputs, *command, status=0)
            got = run(*inputs, "--max_memory=100K", *command, status=0)
            self.assert_same(got.stdout, wanted.stdout, command[0])
            self.assertIn(b"--max_memory=102400", got.stderr)

    def test_nonsense(self):
        for value in (
            "",
            "x",
            "-1",
            "1.5G",
            "1GB",
            "99999999999999999999",
            "99999999999T",
        ):
            done = run(*self.inputs, "--max_memory=" + value, "op", status=2)
            self.assertIn(b"max_memory", done.stderr)
        for value in ("0", "-1", "x", "", "2000"):
            done = run(*self.inputs, "--threads=" + value, "op", status=2)
            self.assertIn(b"threads", done.stderr)


class GzipTest(Case):
    """Compressed files are like plain files."""

    def compressed(self, flags, members):
        """The flags with each file compressed, in so many members."""
        result = []
        for flag in flags:
            name, _, paths = flag.partition("=")
            items = []
            for item in paths.split(","):
                step, colon, path = item.rpartition(":")
                with open(path, "rb") as file:
                    data = file.read()
                cut = [len(data) * i // members for i in range(members + 1)]
                items.append(
                    step
                    + colon
                    + write(
                        path + ".z",
                        b"".join(
                            gzip.compress(data[a:b])
                            for a, b in zip(cut, cut[1:])
                        ),
                    )
                )
            result.append(name + "=" + ",".join(items))
        return result

    def check(self, flags, commands):
        for members in (1, 3):
            compressed = self.compressed(flags, members)
            for command in commands:
                wanted = run(*flags, *command, status=0)
                got = run(*compressed, *command, status=0)
                self.assert_same(got.stdout, wanted.stdout, command[0])
                # Messages name the files.
                messages = got.stderr.replace(b".z: ", b": ")
                self.assert_same(messages, wanted.stderr, command[0])

    def test_sources(self):
        self.check(sources("multi_step", self.folder), VIEWS + [["advise"]])

    def test_saved_profile(self):
        self.check(
            [
                "--profile_path="
                + write(self.path("p"), read("conv_resnet/profile.pb"))
            ],
            VIEWS + [["advise"]],
        )

    def test_text(self):
        self.check(
            [
                "--graph_path="
                + write(self.path("p"), read("multi_step/graph.pbtxt"))
            ],
            VIEWS[:3],
        )

    def test_without_flags(self):
        flags = self.compressed(sources("input_pipeline", self.folder), 2)
        files = [
            path for flag in flags for path in flag.partition("=")[2].split(",")
        ]
        wanted = run(*flags, *VIEWS[2], status=0)
        got = run("--compatible", *files, *VIEWS[2], status=0)
        self.assert_same(got.stdout, wanted.stdout, "sniffed")

    def test_save_reads_the_records(self):
        flags = sources("conv_resnet", self.folder)
        run(*flags, "save", self.path("plain"), status=0)
        run(*self.compressed(flags, 2), "save", self.path("zipped"), status=0)
        with (
            open(self.path("plain"), "rb") as plain,
            open(self.path("zipped"), "rb") as zipped,
        ):
            self.assert_same(zipped.read(), plain.read(), "save")

    def test_cut_off(self):
        data = gzip.compress(read("conv_resnet/run_meta_0"))
        graph = "--graph_path=" + write(
            self.path("g"), read("conv_resnet/graph.pb")
        )
        for size in (len(data) // 2, len(data) - 1):
            path = write(self.path("r"), data[:size])
            done = run(graph, "--run_meta_path=" + path, "op", status=1)
            self.assertIn("the gzip stream is cut off", done.stderr.decode())
            self.assertIn("byte %d" % size, done.stderr.decode())
            self.assertIn(b"Conv2D", done.stdout)

    def test_damaged(self):
        data = bytearray(gzip.compress(read("conv_resnet/run_meta_0")))
        for at in range(20, len(data), len(data) // 20):
            damaged = (
                bytes(data[:at]) + b"\xff\xff\xff\xff" + bytes(data[at + 4 :])
            )
            done = run(write(self.path("r"), damaged), "op", status=1)
            self.assertIn("gzip stream", done.stderr.decode())
            self.assertIn("byte ", done.stderr.decode())

    def test_something_behind_the_end(self):
        data = gzip.compress(read("conv_resnet/graph.pb")) + b"rubbish"
        graph = write(self.path("g"), data)
        done = run("--compatible", graph, "scope", status=1)
        self.assertIn(
            "7 bytes behind the end of the gzip stream", done.stderr.decode()
        )
        self.assertIn(b"\nProfile:\n", done.stdout)

    def test_nothing_in_it(self):
        for data in (
            b"\x1f\x8b",
            b"\x1f\x8b\x08\x00",
            gzip.compress(b"some text")[:-9],
        ):
            done = run(
                "--graph_path=" + write(self.path("g"), data), "op", status=1
            )
            self.assertIn(self.path("g"), done.stderr.decode())


class SelfProfileTest(Case):
    """--self_profile writes a trace for chrome://tracing."""

    def events(self, *args, status=0):
        run(*args, "--self_profile=" + self.path("trace"), status=status)
        with open(self.path("trace"), encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def test_phases(self):
        inputs = sources("multi_step", self.subfolder("inputs"))
        events = self.events(*inputs, "op")
        names = {event["name"] for event in events}
        self.assertLessEqual({"load", "parse", "view"}, names)
        for event in events:
            self.assertEqual(event["ph"], "X")
            self.assertGreaterEqual(event["ts"], 0)
            self.assertGreaterEqual(event["dur"], 0)
            self.assertIsInstance(event["tid"], int)
        # The view begins after loading.
        begins = {event["name"]: event["ts"] for event in events}
        self.assertGreater(begins["view"], begins["load"])
        self.assertGreater(begins["view"], begins["parse"])

    def test_the_report_is_the_same(self):
        inputs = sources("tiny_const", self.subfolder("inputs"))
        wanted = run(*inputs, "scope", status=0)
        got = run(
            *inputs, "--self_profile=" + self.path("t"), "scope", status=0
        )
        self.assertEqual(got.stdout, wanted.stdout)
        self.assertEqual(got.stderr, wanted.stderr)

    def test_odd_names(self):
        path = write(
            self.path(
                'a "b\\c\n\xff'.encode("latin-1").decode(
                    "utf-8", "surrogateescape"
                )
            ),
            read("tiny_const/graph.pb"),
        )
        run(
            "--graph_path=" + path,
            "--self_profile=" + self.path("trace"),
            "op",
            status=0,
        )
        with open(self.path("trace"), "rb") as file:
            text = file.read().decode("utf-8", "replace")
        self.assertIn("b\\\\c", text)
        json.loads(text)

    def test_no_such_folder(self):
        inputs = sources("tiny_const", self.subfolder("inputs"))
        done = run(
            *inputs, "--self_profile=" + self.path("no", "t"), "op", status=1
        )
        self.assertIn(self.path("no", "t"), done.stderr.decode())


if __name__ == "__main__":
    sys.exit(junit_runner.main("threads_test"))
