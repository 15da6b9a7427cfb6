#!/usr/bin/env python3
"""Tests of `tfprof record` with what a machine may have: OpenCL, other readers.

Usage: tests/record/live_test.py --bin=bazel-bin/profiler/tfprof
           --program=PROGRAM [TEST…]

Needs a C compiler, an OpenCL device (PoCL), and babeltrace2: ./dev test-record
installs them, and LTTng. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "record")]

import junit_runner
import record_test

TIMEOUT = 300
# The events of one step: for each of three queues a write, two kernels, and a
# read.
KERNELS = 6
COMMANDS = 9
BYTES = 4096 * 4

binary = ""  # of junit_runner.main()


def events(folder):
    """The events that Babeltrace reads: (name, text of the line)."""
    done = subprocess.run(
        ["babeltrace2", folder],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    for line in done.stdout.splitlines():
        name = line.split("tfprof:", 1)[1].split(":", 1)[0]
        yield name, line


def setUpModule():
    record_test.binary = binary


class OtherReadersTest(record_test.RecordTest):
    """Babeltrace finds the events that the loader finds."""

    def check(self, *command, options=()):
        recording = self.record(*command, options=options)
        counts = collections.Counter(n for n, _ in events(recording.folder))
        self.assertEqual(counts, recording.counts())
        self.assertEqual(recording.events, sum(counts.values()))

    def test_program_ends(self):
        self.check(record_test.program, "20000", "return")

    def test_program_is_killed(self):
        self.check(record_test.program, "20000", "kill")

    def test_processes(self):
        self.check(record_test.program, "3000", "fork")

    def test_threads(self):
        self.check(record_test.program, "100", "threads")

    def test_everything(self):
        self.check(record_test.program, "5", "everything")

    def test_lost_events(self):
        self.check(
            record_test.program, "100000", "return", options=("-max_mib", "1")
        )


class OpenClTest(record_test.RecordTest):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.built)
        source = os.path.join(TESTS, "record", "opencl_program.c")
        for name, flags in (
            ("linked", ["-Wl,--no-as-needed", "-lOpenCL"]),
            ("late", ["-DLATE"]),
        ):
            subprocess.run(
                [
                    "cc",
                    "-std=gnu99",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-O1",
                    "-I" + os.path.dirname(TESTS),
                    source,
                    "-o",
                    os.path.join(cls.built, name),
                    *flags,
                    "-ldl",
                ],
                check=True,
                timeout=TIMEOUT,
            )

    def run_program(self, name="linked", steps=4, end="finish", env=None):
        recording = self.record(
            os.path.join(self.built, name), str(steps), end, env=env
        )
        self.assertEqual(recording.status, 0, recording.said)
        return recording

    def check_kernels(self, recording, kernels):
        """Each kernel has the op that launched it."""
        tables = recording.tables()
        self.assertEqual(
            tables["trace_links"], [{"rule": "correlation", "kernels": kernels}]
        )
        self.assertEqual(
            {row["op"]: row["count"] for row in tables["trace_kernels_of_ops"]},
            {f"op_{i}": kernels // 3 for i in range(3)},
        )
        violations = {row["what"]: row["value"] for row in tables["trace"]}
        self.assertEqual(violations["kernels_before_launch"], 0)
        return tables

    def check_commands(self, recording, commands):
        """Each command has its queue, thread and times, in their order."""
        seen = 0
        queues = set()
        for name, line in events(recording.folder):
            if name != "work":
                continue
            seen += 1
            fields = dict(
                part.split(" = ", 1)
                for part in line.rsplit("{", 1)[1].strip(" }").split(", ")
            )
            self.assertEqual(fields["profiled"], "1", line)
            self.assertEqual(fields["status"], "0", line)
            times = [
                int(fields[f]) for f in ("queued", "submit", "start", "end")
            ]
            self.assertEqual(times, sorted(times), line)
            self.assertLess(int(fields["entry"]), int(fields["exit"]))
            self.assertNotEqual(fields["launch_tid"], "0")
            queues.add(fields["queue"])
            if fields["kind"] == '"write"':
                self.assertEqual(int(fields["bytes"]), BYTES)
        self.assertEqual(seen, commands)
        self.assertEqual(len(queues), 3)

    def test_three_queues(self):
        recording = self.run_program()
        self.check_kernels(recording, 4 * KERNELS)
        self.check_commands(recording, 4 * (COMMANDS + 3))

    def test_two_devices(self):
        recording = self.run_program(env={"POCL_DEVICES": "basic pthread"})
        tables = self.check_kernels(recording, 4 * KERNELS)
        self.check_commands(recording, 4 * (COMMANDS + 3))
        # Each device has its own clock; this one differs from the clock of the
        # host.
        self.assertEqual(len(tables["trace_clocks"]), 2)
        for clock in tables["trace_clocks"]:
            self.assertEqual(clock["rule"], "correlation")
            self.assertLessEqual(clock["low_ns"], clock["high_ns"])

    def test_a_program_that_loads_opencl_late(self):
        recording = self.run_program("late")
        self.check_kernels(recording, 4 * KERNELS)
        self.check_commands(recording, 4 * (COMMANDS + 3))

    def test_exit_without_finish(self):
        recording = self.run_program(end="leave")
        self.check_kernels(recording, 4 * KERNELS)
        self.check_commands(recording, 4 * COMMANDS)

    def test_fork(self):
        recording = self.run_program(end="fork")
        self.assertEqual(recording.processes, 2)
        self.check_kernels(recording, 4 * KERNELS)
        ops = {row["name"] for row in recording.tables()["trace_ops"]}
        self.assertIn("of_the_child", ops)

    def test_two_processes(self):
        one = os.path.join(self.built, "linked")
        recording = self.record(
            "sh", "-c", f"{one} 4 finish & {one} 4 leave; wait"
        )
        self.assertEqual(recording.processes, 2, recording.said)
        self.check_kernels(recording, 8 * KERNELS)

    def test_kernels_are_accelerator_time(self):
        recording = self.run_program()
        done = subprocess.run(
            [binary, recording.folder, "op", "-output", "json"],
            stdout=subprocess.PIPE,
            check=True,
            timeout=TIMEOUT,
        )
        (op,) = [
            row
            for row in json.loads(done.stdout)["rows"]
            if row["name"] == "Op"
        ]
        self.assertGreater(op["self_accelerator_micros"], 0)
        self.assertGreater(op["self_cpu_micros"], 0)


class LttngTest(record_test.RecordTest):
    """Events in a session of LTTng: the same ones, read by the loader."""

    def setUp(self):
        super().setUp()
        # Daemons of root use one folder, whatever this says.
        self.home = {"LTTNG_HOME": self.scratch}

    def lttng(self, *words):
        return subprocess.run(
            ["lttng", *words],
            env=dict(os.environ, **self.home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )

    def start_daemon(self):
        daemon = subprocess.Popen(
            ["lttng-sessiond", "--no-kernel"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, **self.home),
        )

        def stop():
            daemon.terminate()
            daemon.wait(TIMEOUT)

        self.addCleanup(stop)
        limit = time.monotonic() + TIMEOUT
        while self.lttng("list").returncode != 0:
            self.assertLess(time.monotonic(), limit)
            self.assertIsNone(daemon.poll(), "another daemon is running")
            time.sleep(0.2)

    def record_into_lttng(self, *command, options=()):
        return subprocess.run(
            [binary, "record", "-lttng", *options, "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
            env=dict(os.environ, **self.home),
        )

    def test_a_session(self):
        # Without a daemon, the message says how to start one, and nothing runs.
        done = self.record_into_lttng(record_test.program, "1", "exit")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("lttng-sessiond --daemonize", done.stderr)
        self.start_daemon()
        trace = os.path.join(self.scratch, "session")
        for words in (
            ["create", "test", "--output=" + trace],
            ["enable-channel", "-u", "c", "--num-subbuf=8", "--subbuf-size=1M"],
            ["enable-event", "-u", "-c", "c", "tfprof:*"],
            [
                "add-context",
                "-u",
                "-c",
                "c",
                "-t",
                "vpid",
                "-t",
                "vtid",
                "-t",
                "procname",
            ],
            ["start"],
        ):
            done = self.lttng(*words)
            self.assertEqual(done.returncode, 0, (words, done.stdout))
        done = self.record_into_lttng(record_test.program, "500", "fork")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sessions of LTTng", done.stderr)
        done = self.record_into_lttng(record_test.program, "5", "everything")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.lttng("destroy", "test").returncode, 0)
        recording = record_test.Recording(trace, done)
        counts = recording.counts()
        self.assertEqual(
            collections.Counter(n for n, _ in events(trace)), counts
        )
        self.assertEqual(counts["op_begin"], 1000 + 5 + 2)
        self.assertEqual(counts["op_end"], counts["op_begin"])
        tables = recording.tables()
        self.assertEqual(
            tables["trace_links"], [{"rule": "correlation", "kernels": 1}]
        )
        # The parent, its child, and the other program.
        self.assertEqual(
            len(
                {row["thread"].split("/")[0] for row in tables["trace_threads"]}
            ),
            3,
        )

    def test_a_folder_beside_it(self):
        done = self.record_into_lttng("true", options=("-o", "x"))
        self.assertEqual(done.returncode, 125)


if __name__ == "__main__":
    record_test.program = record_test.take_program()
    sys.exit(junit_runner.main("record_live"))
