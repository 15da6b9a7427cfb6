"""Live tracing with a server that is a child process; deaths of either side."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import urllib.request
from unittest import mock

import fake_sessions

from tfprof import tracing
from tfprof._engine.engine import EngineError, find_program
from tfprof._live.http import Connection
from tfprof._live.server import (
    OwnServer,
    Place,
    ServerError,
    read_address,
    read_json,
)
from tfprof._reference.messages import RunMetadata
from tfprof.tracing import TracingServer

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = os.path.join(HERE, "fake_server.py")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def soon(condition, seconds=10.0):
    """Waits until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not happen")
        time.sleep(0.02)


class Child(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "session")
        patch = mock.patch.dict(os.environ, {"TFPROF_BINARY": FAKE})
        patch.start()
        self.addCleanup(patch.stop)
        # Messages on stderr.
        self.said = []
        patch = mock.patch("tfprof._live.server.say", self.said.append)
        patch.start()
        self.addCleanup(patch.stop)

    def server(self, port=0, **more):
        made = OwnServer(self.folder, Place(port), keep_traces=5, **more)
        self.addCleanup(made.stop)
        return made

    def test_one_that_is_killed_comes_again_at_the_same_place(self):
        server = self.server()
        first = server.address()
        self.assertEqual(server.address(), first)
        pid = read_json(os.path.join(self.folder, "server.json"))["pid"]
        server._started -= 10  # it has lived for a while
        os.kill(pid, signal.SIGKILL)
        server._child.wait()
        self.assertEqual(server.address(), first)
        self.assertEqual(len(self.said), 1)
        self.assertIn(first.token, self.said[0])

    def test_one_that_a_page_ended_stays_ended(self):
        server = self.server()
        connection = Connection(server.address())
        self.assertEqual(connection.json("POST", "/api/quit")[0], 200)
        connection.close()
        soon(lambda: server._child.poll() is not None)
        self.assertTrue(server.wait(0))
        with self.assertRaises(ServerError):
            server.address()
        server.again()
        server.address()

    def test_a_port_that_is_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            found = self.server(port).address()
        self.assertNotEqual(found.port, port)
        self.assertIn(f"port {port}", self.said[0])

    def test_one_that_does_not_stay_is_left_alone(self):
        with mock.patch.dict(os.environ, {"TFPROF_BINARY": "/bin/false"}):
            server = self.server()
            with self.assertRaisesRegex(ServerError, "does not stay"):
                server.address()
            with self.assertRaisesRegex(ServerError, "later"):
                server.address()

    def test_there_is_no_program(self):
        with mock.patch.dict(os.environ, {"TFPROF_BINARY": "/nothing"}):
            with self.assertRaisesRegex(ServerError, "/nothing"):
                self.server().address()

    def test_the_token_is_in_no_command_line(self):
        server = self.server()
        token = server.address().token
        pid = server._child.pid
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            self.assertNotIn(token.encode(), file.read())

    def test_a_tracing_server_starts_and_stops_it(self):
        tracer = TracingServer(session=self.folder, server_port=free_port())
        tracer.start_web_server()
        self.addCleanup(lambda: tracer._collector.stop())
        self.assertTrue(tracer.flush(20))
        self.assertTrue(tracer.url.startswith("http://127.0.0.1:"))
        child = tracer._server._child
        tracer.stop_web_server()
        self.assertIsNotNone(child.poll())
        with tracer.step(framework="tensorflow"):
            pass
        self.assertFalse(tracer.flush(0.3))
        tracer.start_web_server()
        self.assertTrue(tracer.flush(20))
        tracer.stop_web_server()


def program():
    """The program itself, where the tests have one."""
    try:
        return find_program()
    except EngineError:
        return None


@unittest.skipUnless(program(), "there is no program")
class TheProgram(unittest.TestCase):
    """With `tfprof serve` as it is."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "session")
        self.v1 = fake_sessions.v1()
        record = RunMetadata()
        device = record.step_stats.dev_stats.add(device="/device:CPU:0")
        device.node_stats.add(
            node_name="x",
            timeline_label="x = MatMul(a, b)",
            all_start_micros=100,
            op_end_rel_micros=10,
            all_end_rel_micros=10,
        )
        for patch in (
            mock.patch.object(
                fake_sessions, "RECORD", record.SerializeToString()
            ),
            mock.patch("tfprof._live.server.say"),
            mock.patch.object(tracing, "_v1", lambda: self.v1),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def tracer(self, **options):
        made = TracingServer(server_port=free_port(), **options)
        self.addCleanup(lambda: made._collector and made._collector.stop())
        self.addCleanup(made.stop_web_server)
        return made

    def get(self, url, path):
        base, _, token = url.partition("/?token=")
        request = urllib.request.Request(
            base + path, headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request) as reply:
            return reply.read()

    def test_trace_kill_save_and_load(self):
        tracer = self.tracer(session=self.folder, keep_traces=3)
        train = fake_sessions.Operation("train")
        with self.v1.train.MonitoredSession(hooks=[tracer.hook]) as session:
            session.run(train)
            self.assertTrue(tracer.flush(30))
            url = tracer.url
            tracer.arm("every", every=1, limit=5)
            for number in range(5):
                if number == 2:
                    tracer._server._started -= 10  # it has lived for a while
                    os.kill(tracer._server._child.pid, signal.SIGKILL)
                session.run(train)
                self.assertTrue(tracer.flush(30))
        self.assertEqual(tracer.url, url)
        live = json.loads(self.get(url, "/api/live"))
        (row,) = live["rows"]
        self.assertEqual((row["runs"], row["traces"]), (6, 5))
        self.assertEqual([t["number"] for t in live["traces"]], [2, 3, 4])
        saved = os.path.join(os.path.dirname(self.folder), "saved.zip")
        tracer.save_session(saved)

        viewer = TracingServer(server_port=free_port())
        viewer.load_session(saved)
        self.addCleanup(viewer.stop_web_server)
        again = json.loads(self.get(viewer.url, "/api/live"))
        self.assertEqual(
            [t["number"] for t in again["traces"]],
            [t["number"] for t in live["traces"]],
        )
        self.assertFalse(again["live"])

    def test_an_order_outlives_a_killed_server(self):
        tracer = self.tracer(session=self.folder)
        train = fake_sessions.Operation("train")
        with self.v1.train.MonitoredSession(hooks=[tracer.hook]) as session:
            session.run(train)
            self.assertTrue(tracer.flush(30))
            base, _, token = tracer.url.partition("/?token=")
            order = {"client": tracer.client, "row": 0, "rule": "next"}
            asked = urllib.request.Request(
                base + "/api/orders",
                json.dumps({**order, "count": 3}).encode(),
                {"Authorization": f"Bearer {token}"},
            )
            with urllib.request.urlopen(asked) as reply:
                self.assertEqual(reply.status, 201)
            self.assertTrue(tracer.flush(30))
            for number in range(6):
                if number in (0, 2):
                    tracer._server._started -= 10  # it has lived for a while
                    os.kill(tracer._server._child.pid, signal.SIGKILL)
                    tracer._server._child.wait()
                    self.assertTrue(tracer.flush(30))
                session.run(train)
            self.assertTrue(tracer.flush(30))
        live = json.loads(self.get(tracer.url, "/api/live"))
        self.assertEqual([t["count"] for t in live["traces"]], [2, 3, 4])

    def test_a_file_that_is_no_session(self):
        path = os.path.join(os.path.dirname(self.folder), "text.pickle")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no session")
        with self.assertRaises(FileNotFoundError):
            TracingServer().load_session(path + ".not")
        with self.assertRaisesRegex(ServerError, "text.pickle"):
            TracingServer(server_port=free_port()).load_session(path)

    def test_rank_0_starts_the_server_of_a_file(self):
        path = os.path.join(self.folder, "server.json")
        zero = self.tracer(serve=path, rank=0, ranks=2)
        one = self.tracer(serve=path, rank=1, ranks=2)
        for tracer in zero, one:
            with tracer.step(framework="tensorflow"):
                pass
        self.assertTrue(zero.flush(30))
        self.assertTrue(one.flush(30))
        self.assertEqual(zero.url, one.url)
        live = json.loads(self.get(zero.url, "/api/live"))
        self.assertEqual(sorted(c["rank"] for c in live["clients"]), [0, 1])


SCRIPT = """
import os, signal, sys, time
import fake_sessions
from tfprof import tracing
from tfprof.tracing import TracingServer
v1 = fake_sessions.v1()
tracing._v1 = lambda: v1
TRAIN = fake_sessions.Operation("train")
tracer = TracingServer(session=%(folder)r, server_port=%(port)d)
tracer.arm("every", every=1, limit=1000)
def train(steps, wait=True):
    with v1.train.MonitoredSession(hooks=[tracer.hook]) as session:
        for _ in range(steps):
            session.run(TRAIN)
            if wait:
                assert tracer.flush(20)
def server_pid():
    import json
    with open(os.path.join(%(folder)r, "server.json")) as file:
        return json.load(file)["pid"]
"""


class Deaths(unittest.TestCase):
    """Whole programs, ended in all ways."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "session")
        self.port = free_port()

    def start(self, text):
        script = SCRIPT % {"folder": self.folder, "port": self.port}
        environment = dict(os.environ, TFPROF_BINARY=FAKE)
        environment["PYTHONPATH"] = os.pathsep.join(
            [HERE, os.path.dirname(HERE)]
        )
        return subprocess.Popen(
            [sys.executable, "-B", "-c", script + textwrap.dedent(text)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_program(self, text):
        program = self.start(text)
        out, errors = program.communicate(timeout=60)
        return program.returncode, out, errors

    def traces(self):
        names = os.listdir(os.path.join(self.folder, "traces"))
        return sorted(n for n in names if n.endswith(".about.json"))

    def assert_server_is_gone(self):
        found = read_address(os.path.join(self.folder, "server.json"))
        with self.assertRaises(OSError):
            socket.create_connection((found.host, found.port), 1).close()

    def test_a_program_that_ends(self):
        status, _, errors = self.run_program("train(3)")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len(self.traces()), 3)
        self.assertIn("tfprof: the page of this program: http://", errors)
        self.assert_server_is_gone()

    def test_a_short_program_loses_nothing(self):
        status, _, errors = self.run_program("train(2, wait=False)")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len(self.traces()), 2)

    def test_an_exception(self):
        status, _, errors = self.run_program(
            "train(3, wait=False); raise KeyError('as meant')"
        )
        self.assertEqual(status, 1)
        self.assertIn("as meant", errors)
        self.assertEqual(len(self.traces()), 3)

    def test_an_interrupt(self):
        program = self.start(
            "train(2); print('ready', flush=True); time.sleep(60)"
        )
        self.assertEqual(program.stdout.readline(), "ready\n")
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=30)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertEqual(len(self.traces()), 2)
        self.assert_server_is_gone()

    def test_a_killed_program_leaves_its_traces_and_the_server(self):
        program = self.start(
            "train(2); print(server_pid(), flush=True);"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        out, _ = program.communicate(timeout=30)
        self.assertEqual(len(self.traces()), 2)
        found = read_address(os.path.join(self.folder, "server.json"))
        connection = Connection(found)
        status, state = connection.json("GET", "/api/live")
        connection.close()
        self.assertEqual(status, 200)
        self.assertEqual(state["rows"][0]["runs"], 2)
        os.kill(int(out), signal.SIGKILL)

    def test_a_killed_server(self):
        status, _, errors = self.run_program("""
            train(2)
            time.sleep(0.1)
            tracer._server._started -= 10
            os.kill(server_pid(), signal.SIGKILL)
            train(2, wait=False)
            assert tracer.flush(20)
            train(1)
            """)
        self.assertEqual(status, 0, errors)
        # The fake counts from 1 again, so it writes over the first ones.
        self.assertEqual(len(self.traces()), 3)

    def test_a_server_that_is_dead_at_the_end(self):
        status, _, errors = self.run_program("""
            train(2)
            tracer._server.ended = True
            os.kill(server_pid(), signal.SIGKILL)
            tracer._server._child.wait()
            train(2, wait=False)
            """)
        self.assertEqual(status, 0, errors)
        names = self.traces()
        self.assertEqual(len(names), 4)
        self.assertEqual(len([n for n in names if n.startswith("p")]), 2)

    def test_there_is_no_server_program(self):
        status, _, errors = self.run_program("""
            os.environ["TFPROF_BINARY"] = "/nothing"
            train(3, wait=False)
            assert not tracer.flush(0.5)
            """)
        self.assertEqual(status, 0, errors)
        self.assertIn("/nothing", errors)
        self.assertEqual(len(self.traces()), 3)
        path = os.path.join(self.folder, "manifest.json")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["format"], "tfprof session")

    def test_a_fork_is_a_client_of_its_own(self):
        status, out, errors = self.run_program("""
            train(2)
            import json, urllib.request
            child = os.fork()
            train(3)
            if child == 0:
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            assert tracer.flush(20)
            url = tracer.url.split("?")[0] + "api/live"
            state = json.load(urllib.request.urlopen(url))
            print(sorted(row["runs"] for row in state["rows"]))
            print([c["state"] for c in state["clients"]])
            """)
        self.assertEqual(status, 0, errors)
        self.assertEqual(out, "[3, 5]\n['running', 'ended']\n")

    def test_ranks_share_the_server_of_rank_0(self):
        path = os.path.join(self.folder, "server.json")
        text = """
            tracer = TracingServer(serve=%r, rank=%d, ranks=2, server_port=0)
            tracer.arm(count=1)
            train(2, wait=False)
            for _ in range(60):
                if tracer.flush(1) and len(os.listdir(%r)) == 4:
                    break
                time.sleep(0.1)
            print(tracer.client, flush=True)
            """
        folder = os.path.join(self.folder, "traces")
        one = self.start(text % (path, 1, folder))
        zero = self.start(text % (path, 0, folder))
        for program in zero, one:
            out, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 0, errors)
            self.assertIn(out, ("c1\n", "c2\n"))
        self.assertEqual(len(self.traces()), 2)
        self.assert_server_is_gone()

    def test_without_a_server_runs_are_counted_and_saved(self):
        status, out, errors = self.run_program("""
            import zipfile
            tracer = TracingServer(start_web_server_on_start=False)
            train(1000, wait=False)
            row = list(tracer._program.table)[0]
            end = time.monotonic() + 10
            while row.runs < 1000 and time.monotonic() < end:
                time.sleep(0.05)
            tracer.arm("next")
            train(1, wait=False)
            tracer.save_session("%s.zip" % tracer._program.key)
            saved = zipfile.ZipFile("%s.zip" % tracer._program.key)
            print(row.runs, tracer.flush(1), tracer.url)
            print(sorted(os.path.splitext(n)[1] for n in saved.namelist()))
            os.unlink(saved.filename)
            """)
        self.assertEqual(status, 0, errors)
        self.assertEqual(out, "1001 False None\n['.json', '.json', '.pb']\n")
        self.assertNotIn("http://", errors)

    def test_a_temporary_session_without_traces_goes(self):
        self.folder = None
        status, out, errors = self.run_program("""
            other = TracingServer(server_port=0)
            with other.step(): pass
            assert other.flush(20)
            print(other.session)
            """)
        self.assertEqual(status, 0, errors)
        self.assertFalse(os.path.exists(out.strip()))


if __name__ == "__main__":
    unittest.main()
