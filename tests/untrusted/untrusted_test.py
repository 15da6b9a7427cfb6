#!/usr/bin/env python3
"""Tests of --untrusted: readers in a process that can do nothing else.

Usage: untrusted_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Answers, files and exit statuses are the same with and without it, for all
formats; what a confined reader cannot do is told. That it cannot open, write,
connect or execute is tested with the calls themselves, in util/sandbox.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import contextlib
import ctypes
import glob
import gzip
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
for folder in ("", "serve"):
    sys.path.insert(0, os.path.join(TESTS, folder))

import junit_runner
from wire import field

from server import Server

PROFILES = os.path.join(TESTS, "golden", "profiles")
SEEDS = os.path.join(TESTS, "fuzz", "corpus")
CONV = os.path.join(PROFILES, "conv_resnet", "profile.pb")
TIMEOUT = 120

# Seeds that are files as the program opens them, from each format.
FORMATS = [
    "chrome_trace",
    "compile_log",
    "counter_csv",
    "flight_recorder",
    "graph_def",
    "kineto",
    "memory_snapshot",
    "onnx",
    "op_log",
    "ort",
    "perfetto",
    "pickle",
    "pprof",
    "profile_proto",
    "rocprof",
    "run_metadata",
    "saved_trace",
    "sqlite",
    "text_proto",
    "xplane",
]
COMMANDS = [
    ["overview"],
    ["op", "-output", "json"],
    ["doctor"],
    ["status"],
]

binary = ""  # of junit_runner.main()

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22
LANDLOCK_CREATE_RULESET = 444
PRCTL = {"x86_64": 157, "aarch64": 167}[os.uname().machine]
ENOSYS, EINVAL = 38, 22
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def without(landlock=False, seccomp=False):
    """Takes these from the program that is executed next."""
    # struct sock_filter: code, if true, if false, k.
    code = [(0x20, 0, 0, 0)]  # the number of the call
    if landlock:
        code += [
            (0x15, 0, 1, LANDLOCK_CREATE_RULESET),
            (0x06, 0, 0, ERRNO | ENOSYS),
        ]
    if seccomp:
        code += [
            (0x15, 0, 3, PRCTL),
            (0x20, 0, 0, 16),  # its first argument
            (0x15, 0, 1, PR_SET_SECCOMP),
            (0x06, 0, 0, ERRNO | EINVAL),
        ]
    code.append((0x06, 0, 0, ALLOW))
    text = b"".join(struct.pack("<HBBI", *step) for step in code)
    buffer = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)

    def take():
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
            PR_SET_SECCOMP, 2, program, 0, 0
        ):
            os._exit(99)

    take.buffer = buffer  # as long as the function
    return take


def has_landlock():
    libc = ctypes.CDLL(None)
    return libc.syscall(LANDLOCK_CREATE_RULESET, 0, 0, 1) > 0


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def write_names(self):
        """A graph whose nodes need more memory than 1 MB allows."""
        names = (
            field(1, field(1, b"%x/n%x" % (i * 7, i)) + field(2, b"Const"))
            for i in range(3000000)
        )
        return self.write("names", b"".join(names))

    def run_tfprof(self, *args, status=0, **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("cwd", self.folder)
        done = subprocess.run(
            [binary, *args],
            capture_output=True,
            timeout=TIMEOUT,
            **kwargs,
        )
        done.err = done.stderr.decode("utf-8", "replace")
        if status is not None:
            self.assertEqual(done.returncode, status, (args, done.err))
        return done

    def both(self, *args, **kwargs):
        """The answer, which is the same with and without --untrusted."""
        free = self.run_tfprof(*args, status=None, **kwargs)
        confined = self.run_tfprof("--untrusted", *args, status=None, **kwargs)
        told = [
            line
            for line in confined.err.splitlines()
            if "confined by seccomp alone" not in line
        ]
        self.assertEqual(confined.stdout, free.stdout, args)
        self.assertEqual(told, free.err.splitlines(), args)
        self.assertEqual(confined.returncode, free.returncode, args)
        return free


class SameAnswerTest(Folder):
    @classmethod
    def setUpClass(cls):
        # In a Bazel sandbox the files are links, which lead out of the folder.
        cls.profiles = os.path.join(tempfile.mkdtemp(), "profiles")
        shutil.copytree(PROFILES, cls.profiles)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(os.path.dirname(cls.profiles))

    def test_each_format(self):
        answered = set()
        for name in FORMATS:
            for path in sorted(glob.glob(os.path.join(SEEDS, name, "*"))):
                for command in COMMANDS:
                    with self.subTest(path=path, command=command):
                        done = self.both(path, *command)
                        if done.stdout:
                            answered.add(name)
        # Those that are parts of other files give no answer alone.
        self.assertLessEqual(set(FORMATS) - answered, {"counter_csv", "op_log"})

    def test_folders_flags_and_compressed_files(self):
        multi = os.path.join(self.profiles, "multi_step")
        mlp = os.path.join(self.profiles, "mlp_tiny")
        for args in [
            [multi, "steps"],
            [mlp, "op"],
            [os.path.join(mlp, "profile.pb.gz"), "op"],
            [os.path.join(multi, "graph.pb"), "7:%s/run_meta_0" % multi, "op"],
            [CONV, "diff", os.path.join(mlp, "profile.pb.gz")],
            [CONV, "--base", CONV, "op"],
            [
                "--graph_path=%s/graph.pb.gz" % mlp,
                "--checkpoint_path=%s/ckpt" % mlp,
                "op",
            ],
            ["--checkpoint_path=%s/ckpt.index" % mlp, CONV, "op"],
            [self.path("missing"), "op"],
        ]:
            with self.subTest(args=args):
                self.both(*args)

    @unittest.skipUnless(has_landlock(), "no Landlock in this kernel")
    def test_links_out_of_a_folder(self):
        os.mkdir(self.path("in"))
        os.symlink(os.path.realpath(CONV), self.path("in", "link.pb"))
        done = self.run_tfprof("--untrusted", self.path("in"), "op", status=1)
        self.assertIn("link.pb", done.err)
        # A link that the user names is followed.
        self.run_tfprof("--untrusted", self.path("in", "link.pb"), "op")

    def test_pipes(self):
        with open(CONV, "rb") as f:
            data = f.read()
        done = [
            subprocess.run(
                [binary, *more, "-", "op"],
                input=data,
                capture_output=True,
                timeout=TIMEOUT,
                check=True,
            ).stdout
            for more in ([], ["--untrusted"])
        ]
        self.assertEqual(done[0], done[1])
        script = '"$0" --untrusted <(cat "$1") op -max_depth 3'
        done = subprocess.run(
            ["bash", "-c", script, binary, CONV],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        )
        self.assertIn(b"Conv2D", done.stdout)

    def test_verdicts(self):
        for rule, status in [
            ("total.parameters < 5", 0),
            ("total.parameters > 5", 1),
            ("op:Nothing.runs < 9", 2),
        ]:
            done = self.both("check", CONV, CONV, "--fail-if", rule)
            self.assertEqual(done.returncode, status, done.err)

    def test_without_a_command_it_is_the_overview(self):
        self.assertEqual(
            self.run_tfprof("--untrusted", CONV).stdout,
            self.run_tfprof(CONV, "overview").stdout,
        )


class FilesTest(Folder):
    def test_files_are_the_same(self):
        # Each writes to the file OUT.
        for args in [
            [CONV, "save", "OUT"],
            [CONV, "op", "-output", "csv:outfile=OUT"],
            [CONV, "timeline", "OUT.json"],
            [CONV, "timeline", "OUT.html"],
            [CONV, "graph", "-step", "0", "-output", "timeline:outfile=OUT"],
            [CONV, "code", "-output", "pprof:outfile=OUT"],
            [CONV, "convert", "-to", "profile:outfile=OUT"],
            ["redact", CONV, "-o", "OUT"],
        ]:
            with self.subTest(args=args):
                files = []
                for more in ([], ["--untrusted"]):
                    shutil.rmtree(self.path("out"), ignore_errors=True)
                    os.mkdir(self.path("out"))
                    done = self.run_tfprof(
                        *more,
                        *args,
                        status=None,
                        cwd=self.path("out"),
                    )
                    self.assertEqual(done.returncode, 0, done.err)
                    names = sorted(os.listdir(self.path("out")))
                    self.assertNotEqual(names, [])
                    files.append(
                        {name: self.read("out/" + name) for name in names}
                    )
                self.assertEqual(files[0], files[1])

    def test_an_old_file_stays_if_the_new_one_fails(self):
        self.write("old", b"old")
        trace = self.write("trace.json", b'{"traceEvents": [')
        done = self.run_tfprof("--untrusted", trace, "save", "old", status=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.read("old"), b"old")
        self.run_tfprof("--untrusted", CONV, "save", "no/such", status=1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["old", "trace.json"])

    def test_source_files_are_read_only_if_they_are_named(self):
        # `list` shows lines of the files below the current folder.
        source = self.write("a.py", b"secret line\n")
        trace = os.path.join(PROFILES, "code_deep", "profile.pb.gz")
        free = self.run_tfprof(trace, "list", ".*", status=None)
        self.assertNotIn(b"secret line", free.stdout)
        confined = self.run_tfprof(
            "--untrusted", trace, "list", ".*", status=None
        )
        self.assertNotIn(b"secret line", confined.stdout)
        self.assertTrue(os.path.exists(source))


class RefusedTest(Folder):
    def test_commands_that_need_more(self):
        for args, words in [
            (["--untrusted", CONV, "tui"], "tui"),
            (["--untrusted", CONV, "pipe"], "pipe needs more rights"),
            (["--untrusted", "mcp", self.folder], "mcp needs more rights"),
            (["--untrusted", "record", "--", "true"], "record needs"),
            (["--untrusted", CONV, "-f", "script"], "name a command"),
            (
                ["--untrusted", CONV, "convert", "-to", "files:outdir=x"],
                "writes single files",
            ),
            (["--untrusted=maybe", CONV, "op"], "it takes true|false"),
            (["--max_seconds=0", CONV, "op"], "it takes N"),
        ]:
            with self.subTest(args=args):
                self.write("script", b"op\n")
                done = self.run_tfprof(*args, status=2)
                self.assertIn(words, done.err)
                self.assertEqual(done.stdout, b"")

    def test_false_is_as_without(self):
        self.assertEqual(
            self.run_tfprof("--untrusted=false", CONV, "op").stdout,
            self.run_tfprof(CONV, "op").stdout,
        )


class KernelTest(Folder):
    def test_seccomp_alone(self):
        done = self.run_tfprof(
            "--untrusted", CONV, "op", preexec_fn=without(landlock=True)
        )
        self.assertIn("confined by seccomp alone", done.err)
        self.assertEqual(done.err.count("\n"), 1)
        self.assertEqual(done.stdout, self.run_tfprof(CONV, "op").stdout)

    def test_landlock_alone(self):
        if not has_landlock():
            self.skipTest("no Landlock in this kernel")
        done = self.run_tfprof(
            "--untrusted", CONV, "op", preexec_fn=without(seccomp=True)
        )
        self.assertIn("confined by Landlock alone", done.err)

    def test_neither(self):
        done = self.run_tfprof(
            "--untrusted",
            CONV,
            "op",
            status=1,
            preexec_fn=without(landlock=True, seccomp=True),
        )
        self.assertIn("cannot confine a reader", done.err)
        self.assertEqual(done.stdout, b"")


class LimitsTest(Folder):
    def test_time(self):
        # Nothing comes from the pipe, so the program would wait for ever.
        for more in ([], ["--untrusted"]):
            for args, status in [
                (["-", "op"], 1),
                (["check", CONV, "-", "--fail-if", "total.runs > 1"], 2),
            ]:
                with self.subTest(more=more, args=args):
                    reader, writer = os.pipe()
                    begun = time.monotonic()
                    done = self.run_tfprof(
                        "--max_seconds=1",
                        *more,
                        *args,
                        stdin=reader,
                        status=status,
                    )
                    os.close(reader)
                    os.close(writer)
                    self.assertLess(time.monotonic() - begun, 20)
                    self.assertIn("longer than --max_seconds", done.err)
                    self.assertEqual(done.err.count("\n"), 1)

    def test_enough_time(self):
        self.run_tfprof("--max_seconds=60", CONV, "op")

    def test_memory(self):
        path = self.write_names()
        done = self.run_tfprof(
            "--untrusted", path, "--max_memory=1M", "scope", status=1
        )
        self.assertIn("more than --max_memory allows", done.err)

    def test_agents_get_errors_as_json(self):
        reader, writer = os.pipe()
        done = self.run_tfprof(
            "--untrusted",
            "--max_seconds=1",
            "-",
            "op",
            "-agent",
            stdin=reader,
            status=1,
        )
        os.close(reader)
        os.close(writer)
        error = json.loads(done.err)["error"]
        self.assertEqual(error["code"], "DEADLINE_EXCEEDED")

    def test_large_compressed_files_use_temporary_ones(self):
        trace = {
            "traceEvents": [
                {
                    "name": "op%d" % (i % 50),
                    "ph": "X",
                    "ts": 10 * i,
                    "dur": 5,
                    "pid": 1,
                    "tid": 1,
                    "cat": "cpu_op",
                }
                for i in range(20000)
            ]
        }
        path = self.write(
            "t.json.gz", gzip.compress(json.dumps(trace).encode())
        )
        self.both(path, "op", "-output", "json")


class ServeTest(Folder):
    """The server is confined, and a reader that dies is replaced."""

    @staticmethod
    def child(server):
        pid = server.process.pid
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            (child,) = f.read().split()
        return int(child)

    def answers(self, server, target="/api/op", timeout=20):
        end = time.monotonic() + timeout
        while True:
            try:
                reply = server.get(target)
                if reply.status == 200:
                    return reply
            except OSError:
                pass
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def status_of(self, pid, name):
        with open("/proc/%d/status" % pid) as f:
            return dict(line.split(":\t", 1) for line in f)[name].strip()

    def runs(self, pid):
        try:
            return not self.status_of(pid, "State").startswith("Z")
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_it_is_confined(self):
        with Server(binary, CONV) as server:
            self.assertEqual(self.answers(server).status, 200)
            child = self.child(server)
            self.assertEqual(self.status_of(child, "Seccomp"), "2")
            self.assertEqual(self.status_of(child, "NoNewPrivs"), "1")
            state = server.get("/api/state").json()
            self.assertEqual(state["restarted"], "")
        with Server(binary, "--untrusted=false", CONV) as server:
            self.answers(server)
            seccomp = self.status_of(server.process.pid, "Seccomp")
            self.assertEqual(seccomp, "0")

    def test_a_reader_that_dies_is_replaced(self):
        with Server(binary, CONV) as server:
            before = self.answers(server).body
            os.kill(self.child(server), signal.SIGSEGV)
            self.assertEqual(self.answers(server).body, before)
            state = server.get("/api/state").json()
            self.assertIn("ended with signal 11", state["restarted"])
            self.assertEqual(server.stop(), 0)

    def test_a_reader_without_memory_is_replaced(self):
        with Server(binary, "--max_memory=1M", self.write_names()) as server:
            with contextlib.suppress(ConnectionError):
                self.assertEqual(server.get("/api/scope").body, b"")
            state = self.answers(server, "/api/state").json()
            self.assertIn("had no more memory", state["restarted"])

    def test_a_question_has_a_time(self):
        # Each of many steps contains half of the others: ten seconds of work.
        events = []
        for i in range(8000):
            host = {"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 1}
            events.append(host | {"name": "aten::mm", "cat": "cpu_op"})
            device = {"pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}}
            events.append(host | device | {"name": "k", "cat": "kernel"})
            if i % 2 == 0:
                name = "ProfilerStep#%d" % i
                step = {"name": name, "cat": "user_annotation"}
                events.append(host | step | {"dur": 8000 - i})
        trace = {"schemaVersion": 1, "traceEvents": events}
        path = self.write("steps.json", json.dumps(trace).encode())
        with Server(binary, "--max_seconds=1", path) as server:
            reply = server.get("/api/steps")
            self.assertEqual(reply.status, 504, reply.body)
            error = reply.json()["error"]
            self.assertEqual(error["code"], "DEADLINE_EXCEEDED")
            self.assertIn("longer than 1 s", error["message"])
            self.assertEqual(self.answers(server).status, 200)
            # The reader was not replaced.
            state = server.get("/api/state").json()
            self.assertEqual(state["restarted"], "")
            time.sleep(1.2)  # the server itself has no such end
            self.assertEqual(self.answers(server).status, 200)

    def test_it_does_not_begin_again_for_ever(self):
        server = Server(binary, CONV)
        for _ in range(6):
            self.answers(server)
            os.kill(self.child(server), signal.SIGKILL)
            time.sleep(0.2)
        self.assertEqual(server.process.wait(30), 1)
        told = server.process.stderr.read().decode()
        self.assertIn("6 times in a minute", told)
        server.stop()

    def test_it_ends_with_its_parent(self):
        server = Server(binary, CONV)
        self.answers(server)
        child = self.child(server)
        server.stop(signal.SIGKILL)
        end = time.monotonic() + 20
        while self.runs(child):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_compressed_files_and_folders(self):
        trace = {
            "traceEvents": [
                {"name": "op%d" % (i % 50), "ph": "X", "ts": 10 * i, "dur": 5}
                | {"pid": 1, "tid": 1, "cat": "cpu_op"}
                for i in range(20000)
            ]
        }
        data = gzip.compress(json.dumps(trace).encode())
        self.write("t.json.gz", data)
        shutil.copy(CONV, self.path("conv.pb"))
        os.symlink(CONV, self.path("link.pb"))
        with Server(binary, self.folder) as server:
            for name, status in [("t.json.gz", 200), ("conv.pb", 200)]:
                reply = server.get("/api/op?profile=" + name)
                self.assertEqual(reply.status, status, reply.body)
            # It leads out of the folder.
            reply = server.get("/api/op?profile=link.pb")
            self.assertNotEqual(reply.status, 200)

    def test_no_kernel_for_it(self):
        for more, status in [([], None), (["--untrusted"], 1)]:
            process = subprocess.Popen(
                [binary, "serve", *more, "-port=0", CONV],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=without(landlock=True, seccomp=True),
            )
            first = process.stdout.readline().decode()
            if status is None:
                self.assertRegex(first, "token=|another port")
                process.send_signal(signal.SIGINT)
                status = 0
            out, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, status, err)
            self.assertIn(b"cannot confine a reader", err)


if __name__ == "__main__":
    sys.exit(junit_runner.main("untrusted"))
