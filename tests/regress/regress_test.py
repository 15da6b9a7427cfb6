#!/usr/bin/env python3
"""Inputs that once ended tfprof, misled it or made it hang, as they were found.

Usage: tests/regress/regress_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

The worst that a file can do, also while another program writes to it, is a
message and exit status 1.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
from wire import (
    field,
    graph_def,
    map_entry,
    node_def,
    node_stats,
    profile_proto,
    run_metadata,
)

CPU = "/job:localhost/replica:0/task:0/device:cpu:0"
CHANGED = "changed after it was loaded; load it again"
NOBODY = 65534
TIMEOUT = 60

binary = ""  # of junit_runner.main()


# ---- Files.


def attribute(name, size=40):
    return field(5, map_entry(name, field(2, b"v" * size)))


def graph(nodes=1500):
    """Attributes are most of it, and stay in the file."""
    return b"".join(
        field(1, node_def("n%d" % i, "Op") + attribute("key"))
        for i in range(nodes)
    )


def run_meta(nodes=4000):
    return run_metadata(
        [
            (
                CPU,
                [
                    node_stats("n%d" % i, 100 + i, 5)
                    + field(8, "n%d = Op(a, b)" % i)
                    + field(
                        7,
                        field(1, 0) + field(3, field(2, field(2, field(1, 7)))),
                    )
                    for i in range(nodes)
                ],
            )
        ]
    )


def exec_profile(device=CPU, micros=9, memory=b""):
    times = field(1, field(1, b"\x0a" + bytes((micros,))))
    return (
        field(1, 1)
        + field(2, 10)
        + field(3, 10 + micros)
        + field(5, map_entry(device, times))
        + field(6, device)
        + (field(7, memory) if memory else b"")
    )


def profile_node(name, execution, extra=b""):
    return (
        field(1, name)
        + field(5, "Op")
        + field(9, "Op")
        + extra
        + field(12, map_entry(0, execution))
    )


def profile(nodes=1500):
    return profile_proto(
        [
            (
                i,
                profile_node(
                    "n%d" % i,
                    exec_profile(),
                    field(11, map_entry("key", field(2, b"v" * 40))),
                ),
            )
            for i in range(nodes)
        ]
    )


def trace(events=1500):
    return json.dumps(
        [
            {
                "ph": "X",
                "cat": "cpu_op",
                "name": "aten::op%d" % (i % 50),
                "ts": 10 * i,
                "dur": 5,
                "pid": 1,
                "tid": 1,
                "args": {"Input Dims": [[64, i]], "note": "some text"},
            }
            for i in range(events)
        ]
    ).encode()


FORMATS = {
    "graph": graph,
    "run_meta": run_meta,
    "profile": profile,
    "trace": trace,
}


class Shell:
    """tfprof with lines that come one after the other."""

    def __init__(self, *args):
        self.process = subprocess.Popen(
            [binary, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, line):
        """Waits until the line is done."""
        self.process.stdin.write(("%s\npwd\n" % line).encode())
        self.process.stdin.flush()
        while True:
            text = self.process.stdout.readline()
            if not text or text.strip() == b"/":
                return

    def end(self, line=""):
        """(status, stderr) after a last line."""
        _, err = self.process.communicate((line + "\n").encode(), TIMEOUT)
        return self.process.returncode, err.decode("utf-8", "replace")


class RegressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def run_tfprof(self, *args, status=None, lines="", **options):
        done = subprocess.run(
            [binary, *args],
            input=lines.encode(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            **options,
        )
        done.out = done.stdout.decode("utf-8", "replace")
        done.err = done.stderr.decode("utf-8", "replace")
        if status is not None:
            self.assertEqual(done.returncode, status, done.err)
        return done


class ChangedFileTest(RegressTest):
    """Another program writes to a file that is open."""

    def shorten(self, path):
        # The call open(path, "wb") shortens the file.
        with open(path, "wb"):
            pass

    def overwrite(self, path):
        with open(path, "r+b") as file:
            file.write(os.urandom(os.path.getsize(path)))

    def check_change(self, change):
        for name, content in FORMATS.items():
            for command in ("save", "doctor", "convert"):
                with self.subTest(format=name, command=command):
                    path = self.write(name, content())
                    # Smaller files are read into memory, not mapped.
                    self.assertGreater(os.path.getsize(path), 1 << 16)
                    os.utime(path, (1, 1))
                    shell = Shell(path)
                    shell.run("pwd")
                    change(path)
                    out = self.path("saved_%s_%s" % (name, command))
                    line = {
                        "save": "save " + out,
                        "doctor": "doctor",
                        "convert": "convert -to profile:outfile=" + out,
                    }
                    status, err = shell.end(line[command])
                    self.assertEqual(status, 1, err)
                    self.assertIn(path + " " + CHANGED, err)
                    self.assertNotIn("all was read", err)
                    self.assertFalse(os.path.exists(out))

    def test_shortened(self):
        self.check_change(self.shorten)

    def test_overwritten(self):
        self.check_change(self.overwrite)

    def test_what_a_command_reads_from_the_file(self):
        path = self.write("graph", graph())
        os.utime(path, (1, 1))
        shell = Shell(path)
        shell.run("pwd")
        self.shorten(path)
        status, err = shell.end("show n3")
        self.assertEqual(status, 1)
        self.assertIn(CHANGED, err)

    def test_columns_stay_and_reload_helps(self):
        path = self.write("graph", graph())
        os.utime(path, (1, 1))
        out = self.path("saved")
        done = None
        shell = Shell(path)
        shell.run("pwd")
        self.write("graph", graph(2000))
        shell.run("op")
        shell.run("reload")
        status, err = shell.end("save " + out)
        self.assertEqual((status, err.count(CHANGED)), (0, 0), err)
        done = self.run_tfprof(out, "status", status=0)
        self.assertIn("2000 nodes", done.out)

    def test_a_file_that_is_replaced_is_still_the_old_one(self):
        path = self.write("graph", graph())
        shell = Shell(path)
        shell.run("pwd")
        os.replace(self.write("new", graph(3)), path)
        status, err = shell.end("save " + self.path("saved"))
        self.assertEqual(status, 0, err)
        done = self.run_tfprof(self.path("saved"), "status", status=0)
        self.assertIn("1500 nodes", done.out)

    def test_compressed_files_are_unpacked_once(self):
        path = self.write("graph.gz", gzip.compress(graph()))
        shell = Shell(path)
        shell.run("pwd")
        self.shorten(path)
        status, err = shell.end("save " + self.path("saved"))
        self.assertEqual(status, 0, err)

    def test_changed_while_it_is_loaded(self):
        whole = graph(100000)
        path = self.write("graph", whole)
        wanted = self.run_tfprof(path, "op", status=0).out
        for delay in (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2):
            path = self.write("graph", whole)
            os.utime(path, (1, 1))
            process = subprocess.Popen(
                [binary, path, "op"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            time.sleep(delay)
            self.shorten(path)
            out, err = process.communicate(timeout=TIMEOUT)
            self.assertIn(process.returncode, (0, 1), err)
            if process.returncode == 0:
                # Before the program came to it, or after the load.
                self.assertIn(out.decode(), (wanted, ""), err)
            else:
                self.assertNotEqual(err, b"")


class LostInsideTest(RegressTest):
    """Damage in fields inside of records is counted like any other."""

    def check_damage(self, content, *command):
        path = self.write("damaged", content)
        done = self.run_tfprof(path, *command, status=1)
        self.assertIn(path + ": byte ", done.err)
        done = self.run_tfprof(path, "doctor", status=1)
        self.assertNotIn("all was read", done.out)

    def test_shape_of_a_variable(self):
        dims = field(2, field(1, 3)) + b"\x12\x05\x08\x04"
        self.check_damage(
            field(
                1,
                node_def("w", "VariableV2")
                + field(5, map_entry("shape", field(7, dims))),
            ),
            "scope",
            "-select",
            "params",
        )

    def test_memory_of_a_profile(self):
        memory = field(6, 100) + field(7, 200) + field(8, 50) + b"\x5a\x05\x08"
        self.check_damage(
            profile_proto(
                [(0, profile_node("a", exec_profile(memory=memory)))]
            ),
            "op",
            "-select",
            "bytes,peak_bytes",
        )

    def test_parts_that_no_report_shows(self):
        self.check_damage(
            field(
                1,
                node_def("a")
                + field(5, map_entry("x", b"\x0a\x03\x1a\x05\x01")),
            ),
            "scope",
        )
        self.check_damage(
            run_metadata(
                [
                    (
                        CPU,
                        [
                            node_stats("a")
                            + field(6, field(1, "cpu") + field(6, b"\x08"))
                        ],
                    )
                ]
            ),
            "op",
        )


class DamagedJsonTest(RegressTest):
    """What Python's json refuses is never read without a message."""

    WHOLE = '{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"}'
    OTHER = '{%s,"pid":1,"tid":1,"ts":20,"dur":%s,"name":"b"}'

    def read(self, text, status):
        path = self.write("trace.json", text.encode())
        run = self.run_tfprof(path, "op", "-output", "json", status=status)
        rows = json.loads(run.out)["rows"]
        return {row["name"]: row["self_micros"] for row in rows}, run.err

    def test_values(self):
        for value in ("null52", "004", "+1", "tru"):
            text = "[%s,%s]" % (self.WHOLE, self.OTHER % ('"ph":"X"', value))
            sums, message = self.read(text, 1)
            self.assertEqual(sums, {"a": 10}, value)
            self.assertIn("1 event is damaged", message)

    def test_commas(self):
        text = "[%s,,%s,]" % (self.WHOLE, self.OTHER % ('"ph":"X",', 5))
        sums, message = self.read(text, 0)
        self.assertEqual(sums, {"a": 10, "b": 5})
        self.assertIn("were repaired", message)

    def test_keys_with_escapes(self):
        text = "[%s,%s]" % (self.WHOLE, self.OTHER % (r'"p\u0068":"X"', 5))
        self.assertEqual(self.read(text, 0), ({"a": 10, "b": 5}, ""))

    def test_a_second_document(self):
        text = "[%s][%s]" % (self.WHOLE, self.OTHER % ('"ph":"X"', 5))
        sums, message = self.read(text, 1)
        self.assertEqual(sums, {"a": 10})
        self.assertIn("expected the end of the file", message)

    def test_a_byte_order_mark(self):
        text = "\ufeff[%s]" % self.WHOLE
        self.assertEqual(self.read(text, 0), ({"a": 10}, ""))

    def test_what_describes_many_ranks_comes_first(self):
        text = (
            '{"schemaVersion":1,"distributedInfo":{"pg":"%s"},'
            '"traceEvents":[{"cat":"cpu_op",%s]}'
        ) % ("x" * 300000, self.WHOLE[1:])
        self.assertEqual(self.read(text, 0), ({"a": 10}, ""))


class DeepNameTest(RegressTest):
    """A name of many parts takes time in proportion to its length."""

    def test_a_million_parts(self):
        path = self.write(
            "deep.gz", gzip.compress(graph_def([("a/" * 1000000 + "b", ())]))
        )
        for command in (["scope"], ["ls"], ["top"], ["advise", "all"]):
            with self.subTest(command=command[0]):
                self.run_tfprof(path, *command, status=0)


class SourceTest(RegressTest):
    """A profile cannot make `list` show the files of the user."""

    def list_source(self, source, word):
        frame = field(1, source) + field(2, 1) + field(3, "f") + field(4, "x")
        node = profile_node("a", exec_profile(), field(10, field(1, frame)))
        path = self.write("profile", profile_proto([(0, node)]) + field(2, 1))
        return self.run_tfprof(path, "list", word)

    def test_files_outside_of_the_sources(self):
        secret = self.write("secret.txt", b"a secret line\n")
        os.mkdir(self.path("sources"))
        for source in (
            secret,
            "/etc/passwd",
            "/proc/self/environ",
            "../../../../../../../etc/passwd",
            "/proc/kmsg",
        ):
            done = self.list_source(source, source.rpartition("/")[2])
            for text in ("a secret line", "root:", "PATH="):
                self.assertNotIn(text, done.out + done.err)


class NoResourcesTest(RegressTest):
    def test_no_threads(self):
        # Several pieces, so that several threads have work.
        path = self.write("graph", graph(60000))
        os.chmod(self.folder, 0o755)
        # Another user may not be able to reach the one that was built.
        program = shutil.copy(binary, self.path("tfprof"))
        os.chmod(program, 0o755)

        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)

        wanted = self.run_tfprof(path, "--threads=1", "op", status=0)
        done = self.run_tfprof(
            path,
            "--threads=4",
            "op",
            status=0,
            preexec_fn=limit,
            executable=program,
        )
        self.assertEqual(done.out, wanted.out)

    def test_no_memory(self):
        path = self.write("graph", graph(200000))

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (40 << 20, 40 << 20))

        done = self.run_tfprof(
            path, "--threads=1", "op", status=1, preexec_fn=limit
        )
        self.assertIn("tfprof: out of memory", done.err)
        self.assertEqual(done.err.count("\n"), 1)

    def test_more_than_max_memory(self):
        # Each node costs far more than the bytes that it has in the file.
        path = self.write(
            "names",
            b"".join(
                field(1, node_def("%x/n%x" % (i * 7, i)))
                for i in range(3000000)
            ),
        )
        done = self.run_tfprof(path, "--max_memory=1M", "scope", status=1)
        self.assertIn("more than --max_memory allows", done.err)

    def test_devices_without_an_end(self):
        done = self.run_tfprof("/dev/zero", "op", status=1)
        self.assertIn("/dev/zero is a device", done.err)

    def test_a_bomb(self):
        path = self.write("bomb.gz", gzip.compress(b"\0" * (300 << 20)))
        done = self.run_tfprof(path, "op", status=1)
        self.assertIn("unpack to more than 256 MiB", done.err)


class SavedTest(RegressTest):
    def test_times_of_any_device(self):
        for device in (
            "/device:TPU:0",
            "/device:HPU:3",
            "/device:XLA_CPU:0",
            "my own name",
        ):
            two = exec_profile(CPU, 9) + field(
                5, map_entry(device, field(1, field(1, b"\x0a\x05")))
            )
            path = self.write(
                "profile", profile_proto([(0, profile_node("a", two))])
            )
            saved = self.path("saved")
            self.run_tfprof(path, "save", "-force", saved, status=0)
            for which in (path, saved):
                done = self.run_tfprof(
                    which, "op", "-select", "micros", status=0
                )
                self.assertIn("14us", done.out, device)

    def test_devices_that_the_sums_do_not_count(self):
        for device in (
            b"/job:w/replica:0/task:0/device:TPU:0",
            b"/device:GPU:0/stream:7",
            b"/gpu:0/memcpy",
            b"my own name",
        ):
            nodes = [node_stats(b"a", 10, 3), node_stats(b"b", 20, 4)]
            content = run_metadata([(CPU.encode(), nodes[:1]), (device, nodes)])
            path = self.write("run_meta", content)
            saved, again = self.path("saved"), self.path("again")
            self.run_tfprof(path, "save", "-force", saved, status=0)
            self.run_tfprof(saved, "save", "-force", again, status=0)
            for command in ("devices", "steps", "op"):
                options = [command, "-output", "json"]
                before = self.run_tfprof(path, *options, status=0)
                for which in (saved, again):
                    after = self.run_tfprof(which, *options, status=0)
                    self.assertEqual(
                        json.loads(after.out)["rows"],
                        json.loads(before.out)["rows"],
                        (device, command),
                    )


class NameTest(RegressTest):
    def test_a_token_of_a_language_makes_no_line_of_its_own(self):
        os.mkdir(self.path("trace"))
        self.write(
            "trace/metadata",
            b'/* CTF 1.8 */\nstream { "\ntfprof: forged\n" };\n',
        )
        self.write("trace/stream", b"")
        done = self.run_tfprof(self.path("trace"), "op", status=1)
        self.assertIn(r"\x0atfprof: forged\x0a", done.err)

    def test_a_profile_with_odd_names_opens_again(self):
        names = [b"\x01a", b"\nb", b"\x12\x02", b"c"]
        path = self.write("graph", graph_def([(name, []) for name in names]))
        self.run_tfprof(
            "--graph_path=" + path, "save", self.path("saved"), status=0
        )
        done = self.run_tfprof(
            self.path("saved"), "scope", "-output", "json", status=0
        )
        self.assertEqual(len(json.loads(done.out)["rows"]), 1 + len(names))

    def test_a_newline_makes_no_line_of_its_own(self):
        path = self.write(
            "profile",
            profile_proto(
                [(0, profile_node("a\nE: INTERNAL: forged", exec_profile()))]
            ),
        )
        done = self.run_tfprof(path, "show", "E: INTERNAL: forge")
        self.assertNotIn("\nE: INTERNAL: forged", done.err)


if __name__ == "__main__":
    sys.exit(junit_runner.main("regress_test"))
