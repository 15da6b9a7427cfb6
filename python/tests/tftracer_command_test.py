"""`tftracer FILE`, with the cases of tensorflow-tracer's command line."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from unittest import mock

import places

from tfprof._engine.engine import find_program


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class TftracerCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def start(self, *words):
        server = subprocess.Popen(
            [sys.executable, "-m", "tfprof._live.tftracer_command", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server

    def run_command(self, *words):
        server = self.start(*words)
        out, err = server.communicate(timeout=60)
        return server.returncode, out, err

    def test_wrong_arguments_are_errors(self):
        status, _, err = self.run_command()
        self.assertEqual(status, 2)
        self.assertIn("usage: tftracer", err)
        status, _, err = self.run_command("--frobnicate", "session.pickle")
        self.assertEqual(status, 2)

    def test_a_missing_file(self):
        status, _, err = self.run_command("/missing.pickle")
        self.assertEqual(status, 2)
        self.assertEqual(err, "File not found: /missing.pickle\n")

    def test_what_is_no_session_is_refused_before_anything_listens(self):
        text = self.write("text.txt", b"no session at all")
        # A pickle that calls os.mkdir("ran").
        hostile = self.write(
            "hostile.pickle", b"\x80\x03cposix\nmkdir\nX\x03\0\0\0ran\x85R."
        )
        for path, words in ((text, "unknown"), (hostile, "posix.mkdir")):
            status, out, err = self.run_command(path)
            self.assertEqual(status, 1, err)
            self.assertEqual(out, "")
            self.assertIn(words, err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ran")))

    def archive(self):
        """A session of one trace."""
        path = os.path.join(self.folder, "session.zip")
        run = places.PROFILES / "input_pipeline" / "run_meta_0"
        subprocess.run(
            [find_program(), run, "convert", "-to", f"session:outfile={path}"],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return path

    def test_a_session_is_served_until_it_is_told_to_stop(self):
        port = free_port()
        scratch = tempfile.mkdtemp(dir=self.folder)
        with mock.patch.dict(os.environ, {"TMPDIR": scratch}):
            server = self.start(self.archive(), "--port", str(port))
        line = server.stdout.readline()
        address = re.match(rf"http://127\.0\.0\.1:{port}/\?token=\w+$", line)
        self.assertIsNotNone(address, line)
        # The token becomes a cookie.
        browser = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor()
        )
        with browser.open(line.strip(), timeout=30) as page:
            self.assertIn("<html", page.read().decode())
        live = f"http://127.0.0.1:{port}/api/live"
        with browser.open(live, timeout=30) as state:
            traces = json.load(state)["traces"]
        self.assertEqual([trace["id"] for trace in traces], ["000001"])
        self.assertEqual(len(os.listdir(scratch)), 1)
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)
        self.assertIn(server.returncode, (0, 130))
        # The unpacked files are removed too.
        self.assertEqual(os.listdir(scratch), [])

    def test_who_kills_the_command_kills_the_server(self):
        server = self.start(self.archive(), "--port", str(free_port()))
        line = server.stdout.readline()
        port = int(re.match(r"http://127\.0\.0\.1:(\d+)/", line).group(1))
        server.kill()
        server.wait(timeout=30)
        # The process that reads the files ends a moment after that one.
        end = time.monotonic() + 5
        with self.assertRaises(ConnectionRefusedError):
            while time.monotonic() < end:
                socket.create_connection(("127.0.0.1", port), 5).close()
                time.sleep(0.05)

    def test_a_port_that_was_asked_for_and_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            status, _, err = self.run_command(
                str(places.PROFILES / "input_pipeline" / "run_meta_0"),
                "--port",
                str(taken.getsockname()[1]),
            )
        self.assertEqual(status, 1)
        self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    unittest.main()
