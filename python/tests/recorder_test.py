"""Files and recordings: bounded, complete or absent, and never in the way."""

import contextlib
import gzip
import logging
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from places import RESNET

import tfprof
from tfprof._engine.files import write_atomically
from tfprof._fleet import reading
from tfprof._recorders import dumper as dumps
from tfprof._recorders.recording import XPlaneRecording


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class WriteTest(FolderTest):
    def test_the_new_file_replaces_the_old_one(self):
        path = self.folder / "a"
        path.write_bytes(b"old")
        self.assertEqual(write_atomically(path, [b"new", b"er"]), 5)
        self.assertEqual(path.read_bytes(), b"newer")
        self.assertEqual(self.names(), ["a"])

    def test_the_mode_is_that_of_open(self):
        before = os.umask(0o027)
        try:
            write_atomically(self.folder / "a", [b""])
        finally:
            os.umask(before)
        self.assertEqual((self.folder / "a").stat().st_mode & 0o777, 0o640)

    def test_an_interrupt_leaves_the_old_file(self):
        def pieces():
            yield b"half"
            raise KeyboardInterrupt

        path = self.folder / "a"
        path.write_bytes(b"old")
        with self.assertRaises(KeyboardInterrupt):
            write_atomically(path, pieces())
        self.assertEqual(path.read_bytes(), b"old")
        self.assertEqual(self.names(), ["a"])


class DumperTest(FolderTest):
    def dumper(self, **limits):
        return dumps.Dumper(self.folder / "out", **limits)

    def written(self):
        return sorted(p.name for p in (self.folder / "out").glob("*"))

    def test_files_are_written_in_the_background(self):
        dumper = self.dumper()
        self.assertTrue(dumper.put("a", b"1"))
        self.assertTrue(dumper.put("b", lambda: b"22"))
        self.assertTrue(dumper.flush(10))
        self.assertEqual(self.written(), ["a", "b"])

    def test_what_waits_is_bounded(self):
        dumper = self.dumper(max_waiting=2, max_waiting_bytes=100)
        release = threading.Event()
        started = threading.Event()

        def slow():
            started.set()
            release.wait(10)
            return b""

        self.assertTrue(dumper.put("slow", slow))
        self.assertTrue(started.wait(10))
        with self.assertLogs("tfprof", "WARNING") as logs:
            self.assertFalse(dumper.put("large", b"x" * 101))
            self.assertTrue(dumper.put("1", b""))
            self.assertTrue(dumper.put("2", b""))
            before = time.monotonic()
            self.assertFalse(dumper.put("3", b""))
            self.assertFalse(dumper.put("4", b""))
            self.assertLess(time.monotonic() - before, 1)
        self.assertEqual(len(logs.output), 2)  # each reason once
        release.set()
        self.assertTrue(dumper.flush(10))
        self.assertEqual(self.written(), ["1", "2", "slow"])

    def test_the_disk_is_bounded(self):
        dumper = self.dumper(max_bytes=10)
        with self.assertLogs("tfprof", "WARNING") as logs:
            for number in range(5):
                dumper.put(str(number), b"12345")
            dumper.flush(10)
        self.assertEqual(self.written(), ["0", "1"])
        self.assertEqual(len(logs.output), 1)
        self.assertIn("limit of 10 bytes", logs.output[0])

    def test_a_content_that_fails_is_logged_once(self):
        dumper = self.dumper()

        def fails():
            raise ValueError("no graph")

        with self.assertLogs("tfprof", "WARNING") as logs:
            dumper.put("a", fails)
            dumper.put("a", fails)
            dumper.put("b", b"good")
            dumper.flush(10)
        self.assertEqual(self.written(), ["b"])
        self.assertEqual(len(logs.output), 1)
        self.assertIn("ValueError: no graph", logs.output[0])

    def test_a_flush_has_a_limit(self):
        dumper = self.dumper()
        release = threading.Event()
        dumper.put("a", lambda: b"" if release.wait(10) else b"")
        self.assertFalse(dumper.flush(0.05))
        release.set()
        self.assertTrue(dumper.flush(10))

    def test_a_folder_that_cannot_be_made_is_logged(self):
        (self.folder / "out").write_bytes(b"a file")
        dumper = self.dumper()
        with self.assertLogs("tfprof", "WARNING"):
            dumper.put("a", b"")
            self.assertTrue(dumper.flush(10))

    def test_twenty_threads(self):
        dumper = self.dumper(max_waiting=1000)
        threads = [
            threading.Thread(
                target=lambda n=n: [
                    dumper.put(f"{n}_{i}", b"x") for i in range(5)
                ]
            )
            for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        self.assertTrue(dumper.flush(20))
        self.assertEqual(len(self.written()), 100)


def run(code, *arguments, **more):
    """Runs a program in Python; the result has its output."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        **more,
    )


class ProcessTest(FolderTest):
    def test_what_waits_is_written_at_the_end(self):
        done = run(
            """
            import sys, time
            from tfprof._recorders import dumper as dumps
            dumper = dumps.Dumper(sys.argv[1])
            dumper.put("a", lambda: (time.sleep(0.3), b"done")[1])
            """,
            self.folder,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "a").read_bytes(), b"done")

    def test_a_forked_child_writes_its_own(self):
        done = run(
            """
            import os, sys
            from tfprof._recorders import dumper as dumps
            dumper = dumps.Dumper(sys.argv[1])
            dumper.put("parent", b"1")
            dumper.flush(10)
            child = os.fork()
            dumper.put(f"after{bool(child)}", b"2")
            ok = dumper.flush(10)
            if not child:
                os._exit(0 if ok else 3)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            """,
            self.folder,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.names(), ["afterFalse", "afterTrue", "parent"])

    def test_a_full_disk_is_a_warning_and_leaves_nothing(self):
        done = run(
            """
            import resource, signal, sys
            from tfprof._recorders import dumper as dumps
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            dumper = dumps.Dumper(sys.argv[1])
            dumper.put("large", b"x" * 100000)
            dumper.put("small", b"x")
            dumper.flush(10)
            print("goes on")
            """,
            self.folder,
        )
        self.assertEqual(done.stdout, "goes on\n")
        self.assertIn("cannot write large: OSError", done.stderr)
        self.assertEqual(self.names(), ["small"])

    def test_an_interrupt_leaves_no_half_file(self):
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                textwrap.dedent("""
                import sys, time
                from tfprof._recorders import dumper as dumps
                dumper = dumps.Dumper(sys.argv[1], max_waiting=10**6,
                                          max_bytes=10**12)
                print("ready", flush=True)
                number = 0
                while True:
                    dumper.put(str(number), lambda: b"x" * 1000000)
                    number += 1
                    time.sleep(0.001)
                """),
                str(self.folder),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with process:
            process.stdout.readline()
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            process.wait(60)
        sizes = {path.stat().st_size for path in self.folder.iterdir()}
        self.assertEqual(sizes, {1000000})
        self.assertFalse([n for n in self.names() if n.endswith(".tmp")])


class FakeRecording(XPlaneRecording):
    """A framework that writes a run, or fails."""

    framework = "fake"

    def __init__(self, folder, fails=(), rows=None):
        super().__init__(folder, rows)
        self.fails = fails

    def _begin(self, folder):
        if "begin" in self.fails:
            raise RuntimeError("busy")
        self.into = Path(folder) / "plugins" / "profile" / "run"

    def _end(self):
        self.into.mkdir(parents=True)
        (self.into / "host.xplane.pb").write_bytes(RESNET.read_bytes())
        if "end" in self.fails:
            raise RuntimeError("full")
        if "interrupt" in self.fails:
            raise KeyboardInterrupt

    def _mark(self, number):
        return contextlib.nullcontext(number)


class RecordingTest(FolderTest):
    def test_a_run_gets_its_name_when_it_is_complete(self):
        for _ in range(2):
            recording = FakeRecording(self.folder)
            with recording:
                with recording.step(3) as mark:
                    self.assertEqual(mark, 3)
                drafts = [n for n in self.names() if n.startswith(".")]
                self.assertEqual(len(drafts), 1)
            self.assertFalse(recording.recording)
        runs = self.folder / "plugins" / "profile"
        self.assertEqual(sorted(os.listdir(runs)), ["run", "run_2"])
        self.assertEqual(self.names(), ["plugins"])

    def test_a_recorder_that_cannot_start_is_not_in_the_way(self):
        recording = FakeRecording(self.folder, fails=["begin"])
        with self.assertLogs("tfprof", "WARNING") as logs:
            with recording:
                with recording.step(0):
                    pass
        self.assertIn("cannot start: RuntimeError: busy", logs.output[0])
        self.assertIsNone(recording.profile)
        self.assertEqual(self.names(), [])

    def test_one_that_cannot_stop_leaves_nothing(self):
        recording = FakeRecording(self.folder, fails=["end"])
        with self.assertLogs("tfprof", "WARNING"):
            with recording:
                pass
        self.assertIsNone(recording.profile)
        self.assertEqual(self.names(), [])

    def test_an_interrupt_leaves_nothing(self):
        with self.assertRaises(KeyboardInterrupt):
            with FakeRecording(self.folder, fails=["interrupt"]):
                pass
        self.assertEqual(self.names(), [])

    def test_the_error_of_the_block_is_the_block_s(self):
        recording = FakeRecording(self.folder)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            with recording:
                1 / 0
        self.assertIn("plugins", self.names())

    def test_rows_are_those_of_the_trace(self):
        rows = self.folder / "rows"
        with mock.patch.dict(os.environ, {"RANK": "3"}):
            with FakeRecording(self.folder / "traces", rows=rows):
                pass
        self.assertEqual(os.listdir(rows), ["rank_3.rows.ndjson.gz"])
        path = str(rows / "rank_3.rows.ndjson.gz")
        with gzip.open(path) as file:
            got = file.read()
        runs = self.folder / "traces" / "plugins" / "profile"
        trace = str(runs / "run" / "host.xplane.pb")
        done = subprocess.run(
            reading.command(trace, reading.TABLES, "ndjson"),
            capture_output=True,
            check=True,
        )
        self.assertEqual(got, done.stdout)
        _, tables = reading.parse_rows(got)
        self.assertGreater(len(tables["ops"]), 5)

    def test_rows_that_cannot_be_written_are_not_in_the_way(self):
        taken = self.folder / "taken"
        taken.write_text("no folder")
        recording = FakeRecording(self.folder / "traces", rows=taken)
        with self.assertLogs("tfprof", "WARNING") as logs:
            with recording:
                pass
        self.assertIn("cannot write rows into", logs.output[0])
        self.assertIsNotNone(recording.profile)

    def test_frameworks_that_are_not_there(self):
        if "tensorflow" in sys.modules:
            self.skipTest("TensorFlow is loaded")
        with self.assertRaisesRegex(RuntimeError, "import tensorflow"):
            tfprof.tf.profile(lambda: None)
        with self.assertLogs("tfprof", "WARNING") as logs:
            with tfprof.tf.trace(self.folder) as recording:
                pass
        self.assertIn("import tensorflow", logs.output[0])
        self.assertIsNone(recording.profile)


if __name__ == "__main__":
    logging.basicConfig()
    unittest.main()
