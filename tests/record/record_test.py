#!/usr/bin/env python3
"""Tests `tfprof record` with a program that makes known numbers of events.

Usage: tests/record/record_test.py --bin=bazel-bin/profiler/tfprof
           --program=PROGRAM [TEST…]

However the program ends, what it has told is in the trace, and the loader finds
the same numbers. No daemon, device or other reader is needed: see
tests/record/live_test.py for those. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner

# The longest that a command may take, on a busy machine.
TIMEOUT = 60
SUMMARY = re.compile(
    r"tfprof: recorded (\d+) events? in (\d+) threads? of "
    r"(\d+) process(?:es)?, (\d+) dropped"
)

binary = ""  # of junit_runner.main()
program = ""  # of take_program()


class Recording:
    """The trace and the messages of `record`."""

    def __init__(self, folder, done):
        self.folder = folder
        self.status = done.returncode
        self.said = done.stderr
        found = SUMMARY.search(done.stderr)
        (self.events, self.threads, self.processes, self.dropped) = (
            map(int, found.groups()) if found else (0, 0, 0, 0)
        )

    def tables(self):
        """The tables of `status`: {name: rows}."""
        done = subprocess.run(
            [binary, self.folder, "status", "-output", "json"],
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return {
            name: table["rows"]
            for name, table in json.loads(done.stdout)["tables"].items()
        }

    def counts(self):
        """How many events there are, by name without its provider."""
        return {
            row["event"].split(":")[1]: row["count"]
            for row in self.tables()["trace_events"]
        }

    def dropped_in_trace(self):
        return {row["what"]: row["value"] for row in self.tables()["trace"]}[
            "discarded_events"
        ]


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)

    def record(self, *command, options=(), folder="trace", env=None):
        """Records a command; the trace is a folder of the test's."""
        path = os.path.join(self.scratch, folder)
        done = subprocess.run(
            [binary, "record", "-o", path, *options, "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
            cwd=self.scratch,
            env=dict(os.environ, **(env or {})),
        )
        return Recording(path, done)

    def ends(self, end, status, ops=1000, more=0):
        """Records OPS ops; checks the status and that all of them are there."""
        recording = self.record(program, str(ops), end)
        self.assertEqual(recording.status, status, recording.said)
        counts = recording.counts()
        self.assertEqual(counts["op_begin"], ops + more)
        self.assertEqual(counts["op_end"], ops + more)
        self.assertEqual(recording.events, sum(counts.values()))
        self.assertEqual(recording.dropped, 0)
        return recording


class EndTest(RecordTest):
    """Nothing is lost, whatever ends the program."""

    def test_return(self):
        self.ends("return", 0)

    def test_exit(self):
        self.ends("exit", 3)

    def test_exit_without_handlers(self):
        self.ends("_exit", 4)

    def test_abort(self):
        self.ends("abort", 128 + signal.SIGABRT)

    def test_sigkill(self):
        self.ends("kill", 128 + signal.SIGKILL)

    def test_many_packets(self):
        self.ends("kill", 128 + signal.SIGKILL, ops=50000)

    def test_signals_to_record_are_passed_on(self):
        path = os.path.join(self.scratch, "trace")
        with subprocess.Popen(
            [binary, "record", "-o", path, program, "100", "term"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            running.send_signal(signal.SIGTERM)
            said = running.communicate(timeout=TIMEOUT)[1]
            self.assertEqual(running.returncode, 128 + signal.SIGTERM)
        self.assertRegex(said, SUMMARY)

    def test_ctrl_c_is_for_the_program(self):
        path = os.path.join(self.scratch, "trace")
        with subprocess.Popen(
            [binary, "record", "-o", path, program, "100", "term"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            # A terminal sends the signal to the whole foreground group too.
            os.killpg(running.pid, signal.SIGINT)
            said = running.communicate(timeout=TIMEOUT)[1]
            self.assertEqual(running.returncode, 128 + signal.SIGINT)
        self.assertRegex(said, SUMMARY)


class ProcessTest(RecordTest):
    """Children, and programs that become others, have folders of their own."""

    def test_fork(self):
        recording = self.ends("fork", 0, more=1000)
        self.assertEqual(recording.processes, 2)
        self.assertEqual(recording.threads, 2)

    def test_vfork(self):
        self.assertEqual(self.ends("vfork", 0, more=1000).processes, 1)

    def test_exec(self):
        recording = self.record(program, "1000", "exec", "500", "exit")
        self.assertEqual(recording.status, 3)
        self.assertEqual(recording.counts()["op_begin"], 1500)
        self.assertEqual(
            len({name.split("-")[1] for name in os.listdir(recording.folder)}),
            1,
        )
        self.assertEqual(recording.processes, 2)

    def test_two_at_once(self):
        recording = self.record(
            "sh", "-c", f"{program} 1000 return & {program} 2000 return; wait"
        )
        self.assertEqual(recording.counts()["op_begin"], 3000)
        # The shell itself records nothing and leaves nothing.
        self.assertEqual(recording.processes, 2)

    def test_what_is_left_running(self):
        recording = self.record(program, "1000", "leave")
        self.assertEqual(recording.status, 0)
        self.assertIn("still running", recording.said)
        limit = time.monotonic() + TIMEOUT
        while (
            recording.counts()["op_begin"] < 2000 and time.monotonic() < limit
        ):
            time.sleep(0.1)
        self.assertEqual(recording.counts()["op_end"], 2000)

    def test_threads_use_the_files_of_those_before(self):
        recording = self.ends("threads", 0, ops=200, more=64 * 200)
        self.assertEqual(recording.threads, 65)
        folder = os.path.join(recording.folder, os.listdir(recording.folder)[0])
        tails = [n for n in os.listdir(folder) if n.startswith("tail_")]
        self.assertLessEqual(len(tails), 9)

    def test_a_signal_handler_tells_too(self):
        recording = self.record(program, "100", "signal")
        self.assertEqual(recording.status, 0, recording.said)
        counts = recording.counts()
        self.assertEqual(counts["op_begin"], counts["op_end"])
        # Events of handlers that interrupted the recorder itself are counted.
        self.assertGreater(counts["range_begin"], 0)
        self.assertLessEqual(counts["range_end"], counts["range_begin"])
        self.assertEqual(recording.dropped, recording.dropped_in_trace())


class LossTest(RecordTest):
    """What cannot be written is counted, and the program does not notice."""

    OPS = 100000

    def check(self, recording):
        self.assertEqual(recording.status, 0, recording.said)
        counts = recording.counts()
        self.assertGreater(recording.dropped, 0)
        self.assertIn("lower bounds", recording.said)
        self.assertEqual(recording.dropped, recording.dropped_in_trace())
        # The end of a dropped op is not counted again; every other loss is
        # counted.
        lost_begins = self.OPS - counts["op_begin"]
        lost_ends = counts["op_begin"] - counts["op_end"]
        lost_steps = 1 - counts.get("step_end", 0)
        self.assertEqual(
            recording.dropped, lost_begins + lost_ends + lost_steps
        )

    def test_the_limit(self):
        recording = self.record(
            program, str(self.OPS), "return", options=("-max_mib", "1")
        )
        self.check(recording)
        size = sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(recording.folder)
            for name in names
        )
        self.assertLessEqual(size, (1 << 20) + 10000)

    def test_a_limit_of_files(self):
        """SIGXFSZ would end the program."""
        recording = self.record(program, str(self.OPS), "limit")
        self.check(recording)

    def test_a_folder_that_is_gone(self):
        recording = self.record(program, str(self.OPS), "remove")
        self.assertEqual(recording.status, 1, recording.said)
        self.assertIn("there is no folder", recording.said)

    def test_closed_descriptors(self):
        """The recorder keeps none that a program could close or get."""
        self.ends("close", 0, ops=20000, more=20000)

    def test_a_folder_that_nobody_may_write(self):
        """The state after a change of the user."""
        done = subprocess.run(
            [program, "10", "return"],
            check=False,
            timeout=TIMEOUT,
            env=dict(os.environ, TFPROF_RECORD="/proc/nothing"),
            stderr=subprocess.PIPE,
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class EverythingTest(RecordTest):
    def test_each_event_has_its_meaning(self):
        tables = self.record(program, "2", "everything").tables()
        ops = {row["name"]: row["count"] for row in tables["trace_ops"]}
        self.assertEqual(
            ops, {"layer/MatMul": 2, "net/Conv2D": 1, 'a\nname "with" marks': 1}
        )
        self.assertEqual(
            [row["name"] for row in tables["trace_async_ops"]], ["recv"]
        )
        self.assertEqual(
            [row["count"] for row in tables["trace_sessions"]], [7]
        )
        self.assertEqual(
            [row["program"] for row in tables["trace_threads"]],
            ["main of the test"],
        )
        work = {
            row["work"]: (row["name"], row["total_ns"])
            for row in tables["trace_activities"]
        }
        self.assertEqual(
            work,
            {
                "tfprof:kernel": ("conv_kernel", 5000),
                "tfprof:copy": ("copy to device", 500),
            },
        )
        # The call of correlation 77 was within the op.
        self.assertEqual(
            tables["trace_links"], [{"rule": "correlation", "kernels": 1}]
        )
        self.assertEqual(
            [
                (row["op"], row["total_ns"])
                for row in tables["trace_kernels_of_ops"]
            ],
            [("net/Conv2D", 5000)],
        )
        (clock,) = tables["trace_clocks"]
        self.assertEqual(clock["width_ns"], 100)
        counters = {
            row["name"]: (row["samples"], row["peak"])
            for row in tables["trace_counters"]
        }
        self.assertEqual(counters["cpu"], (2, 4096))
        self.assertEqual(counters["loss"][0], 1)
        self.assertEqual(tables["met"], [])

    def test_ops_have_types(self):
        recording = self.record(program, "20", "everything")
        done = subprocess.run(
            [binary, recording.folder, "op", "-output", "json"],
            stdout=subprocess.PIPE,
            check=True,
            timeout=TIMEOUT,
        )
        names = {row["name"] for row in json.loads(done.stdout)["rows"]}
        self.assertLessEqual({"MatMul", "Conv2D", "Op"}, names)


class CommandTest(RecordTest):
    def test_no_such_program(self):
        recording = self.record("no-such-program")
        self.assertEqual(recording.status, 127)
        self.assertIn("no such program", recording.said)
        self.assertFalse(os.path.exists(recording.folder))

    def test_a_file_that_is_no_program(self):
        recording = self.record("/etc/passwd")
        self.assertEqual(recording.status, 126)
        self.assertFalse(os.path.exists(recording.folder))

    def test_the_folder_exists(self):
        first = self.record(program, "1", "return")
        before = sorted(os.listdir(first.folder))
        again = self.record(program, "1", "return")
        self.assertEqual(again.status, 125)
        self.assertIn("is not an empty folder", again.said)
        self.assertEqual(sorted(os.listdir(first.folder)), before)

    def test_an_empty_folder_is_fine(self):
        os.mkdir(os.path.join(self.scratch, "trace"))
        self.ends("return", 0)

    def test_the_folder_cannot_be_made(self):
        recording = self.record(program, "1", "return", folder="missing/trace")
        self.assertEqual(recording.status, 125)
        self.assertIn("No such file or directory", recording.said)

    def test_without_events_there_is_no_folder(self):
        recording = self.record("sh", "-c", "exit 7")
        self.assertEqual(recording.status, 7)
        self.assertIn("nothing was recorded", recording.said)
        self.assertFalse(os.path.exists(recording.folder))

    def test_no_program(self):
        done = subprocess.run(
            [binary, "record"],
            stderr=subprocess.PIPE,
            check=False,
            timeout=TIMEOUT,
        )
        self.assertEqual(done.returncode, 2)

    def test_words_of_the_program_are_its_own(self):
        """Also those that are options or commands of tfprof."""
        words = ["--help", "-o", "x", "--", "op", "-step", ""]
        done = subprocess.run(
            [binary, "record", "sh", "-c", 'printf "%s|" "$@"', "sh", *words],
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            cwd=self.scratch,
            text=True,
        )
        self.assertEqual(done.stdout, "".join(w + "|" for w in words))

    def test_the_environment(self):
        """Other libraries stay, and signals are as a shell has them."""
        show = (
            'echo "$LD_PRELOAD"; grep SigIgn /proc/self/status; '
            'ls "${LD_PRELOAD%%:*}"'
        )
        path = os.path.join(self.scratch, "trace")
        done = subprocess.run(
            [binary, "record", "-o", path, "sh", "-c", show],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            text=True,
            env=dict(os.environ, LD_PRELOAD="/no/such/lib.so"),
        )
        self.assertEqual(done.returncode, 1)  # nothing was recorded
        preload, ignored, listed = done.stdout.splitlines()
        ours, other = preload.split(":")
        self.assertEqual((other, listed), ("/no/such/lib.so", ours))
        self.assertEqual(
            int(ignored.split()[1], 16) & (1 << (signal.SIGPIPE - 1)), 0
        )
        # The folder existed only for the program.
        self.assertFalse(os.path.exists(os.path.dirname(ours)))


def take_program():
    """Takes --program=PROGRAM out of the arguments, and returns it."""
    for word in sys.argv[1:]:
        if word.startswith("--program="):
            sys.argv.remove(word)
            return os.path.abspath(word.split("=", 1)[1])
    sys.exit("record_test.py: which --program?")


if __name__ == "__main__":
    program = take_program()
    sys.exit(junit_runner.main("record"))
