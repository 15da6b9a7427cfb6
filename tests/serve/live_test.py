#!/usr/bin/env python3
"""Tests of `tfprof serve -session`: the real program, and programs that
register with it as a training does.

Usage: live_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import json
import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest
import zipfile
from unittest import mock

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "serve")]
import junit_runner
from live_client import Client, LiveServer

# A RunMetadata that was recorded.
GRAPH = os.path.join(TESTS, "golden", "profiles", "multi_cpu", "graph.pb.gz")
RECORD = os.path.join(TESTS, "golden", "profiles", "multi_cpu", "run_meta_1")
binary = None


def pickle_of(data):
    """A list of one RunMetadata, as TensorFlow's messages are pickled."""
    name = "tensorflow.core.protobuf.config_pb2"

    class RunMetadata:
        def __getstate__(self):
            return {"serialized": data}

    RunMetadata.__module__, RunMetadata.__qualname__ = name, "RunMetadata"
    modules = {}
    for end in range(1, 5):
        of = ".".join(name.split(".")[:end])
        modules[of] = types.ModuleType(of)
    modules[name].RunMetadata = RunMetadata
    with mock.patch.dict(sys.modules, modules):
        return pickle.dumps([RunMetadata()])


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = os.path.join(self.folder, "session")
        self.server = None
        with open(RECORD, "rb") as file:
            self.data = file.read()

    def start(self, *args):
        self.server = LiveServer(
            binary, "-session", self.session, "-port", "0", *args
        )
        self.addCleanup(self.server.stop)
        return self.server

    def test_a_run_is_traced_when_it_is_asked_for(self):
        server = self.start()
        self.assertIn("No program has registered", server.live()["why"])
        client = Client(server)
        self.assertEqual(client.orders(), [])
        row = server.live()["rows"][0]
        self.assertEqual(
            (row["fetches"], row["feeds"], row["runs"]), ("loss:0", ["x:0"], 10)
        )
        self.assertIn("There is no order yet", server.live()["why"])
        asked = server.json(
            "POST",
            "/api/orders",
            {"client": client.id, "row": 0, "rule": "next", "count": 2},
        )
        self.assertEqual(asked.status, 201, asked.body)
        (order,) = client.orders()
        self.assertEqual(
            (order["rule"], order["count"], order["row"]), ("next", 2, 0)
        )
        self.assertIn("has ended yet", server.live()["why"])
        self.assertEqual(client.trace(self.data).status, 201)
        self.assertEqual(client.trace(self.data).json(), {"id": "000002"})
        client.update(orders=[{"order": order["order"], "state": "done"}])
        self.assertEqual(client.orders(), [])
        live = server.live()
        self.assertEqual(live["why"], "")
        self.assertEqual(live["orders"][0]["state"], "done")
        trace = live["traces"][0]
        self.assertEqual(
            (trace["fetches"], trace["client"], trace["bytes"]),
            ("loss:0", client.id, len(self.data)),
        )
        # The other questions open it.
        ops = server.get("/api/op?profile=traces/000001.pb").json()
        self.assertEqual(ops["schema"], "tfprof.op")
        self.assertEqual(
            [p["name"] for p in server.get("/api/state").json()["profiles"]],
            ["traces/000001.pb", "traces/000002.pb"],
        )
        # The types are unknown without a graph.
        self.assertNotIn("MatMul", [row["name"] for row in ops["rows"]])
        with gzip.open(GRAPH) as file:
            graph = file.read()
        sent = server.request(
            "POST", "/api/clients/%s/graphs?name=g1" % client.id, body=graph
        )
        self.assertEqual(sent.status, 201, sent.body)
        client.trace(self.data, graph="g1")
        ops = server.get("/api/op?profile=traces/000003.pb").json()
        self.assertIn("MatMul", [row["name"] for row in ops["rows"]])
        # All of them together: each is a step.
        steps = server.get("/api/steps?profile=.").json()
        self.assertEqual([row["step"] for row in steps["rows"]], [1, 2, 3])
        saved = os.path.join(self.folder, "session.zip")
        with open(saved, "wb") as file:
            file.write(server.get("/api/session.zip").body)
        with zipfile.ZipFile(saved) as archive:
            self.assertIn("graphs/g1.pb", archive.namelist())
            self.assertNotIn("server.json", archive.namelist())
        opened = subprocess.run(
            [binary, saved, "steps", "-output", "json"],
            capture_output=True,
            check=True,
        ).stdout
        self.assertEqual(
            [row["step"] for row in json.loads(opened)["rows"]], [1, 2, 3]
        )
        file = server.get("/api/traces/000001/file")
        self.assertEqual(file.body, self.data)
        self.assertIn("trace-000001.pb", file.headers["content-disposition"])

    def test_exactly_as_many_traces_as_the_limit_are_kept(self):
        server = self.start("-keep_traces", "3")
        client = Client(server)
        client.update()
        client.update(row=1)
        for _ in range(5):
            client.trace(self.data)
        client.trace(self.data, row=1, number=0)
        self.assertEqual(
            server.traces(), ["000003", "000004", "000005", "000006"]
        )
        gone = server.get("/api/traces/000001/file")
        self.assertEqual(gone.status, 410)
        self.assertIn(b"keeps 3 traces of a run", gone.body)
        self.assertEqual(server.get("/api/traces/999999").status, 404)
        # A pinned one stays, and does not count.
        pinned = server.json(
            "PUT", "/api/traces/000003", {"pinned": True, "name": "before"}
        )
        self.assertEqual(pinned.json()["name"], "before")
        for _ in range(4):
            client.trace(self.data)
        self.assertEqual(
            server.traces(), ["000003", "000006", "000008", "000009", "000010"]
        )
        refused = server.json("DELETE", "/api/traces/000003")
        self.assertEqual(refused.status, 409)
        self.assertEqual(
            server.json("DELETE", "/api/traces/000008").status, 200
        )
        self.assertNotIn("000008", server.traces())
        names = os.listdir(os.path.join(self.session, "traces"))
        self.assertEqual(len(names), 2 * 4)

    def test_the_bytes_of_a_session_are_limited(self):
        limit = 3 * len(self.data) + 100
        server = self.start("-session_bytes", str(limit))
        client = Client(server)
        for row in range(5):
            client.update(row=row)
            self.assertEqual(client.trace(self.data, row=row).status, 201)
        self.assertEqual(server.traces(), ["000003", "000004", "000005"])
        self.assertLessEqual(server.live()["session"]["bytes"], limit)
        for trace in server.traces():
            server.json("PUT", "/api/traces/" + trace, {"pinned": True})
        full = client.trace(self.data, row=0)
        self.assertEqual(full.status, 507)
        self.assertIn(b"pinned", full.body)

    def test_a_killed_server_loses_nothing(self):
        server = self.start()
        client = Client(server)
        client.update(runs=55)
        client.trace(self.data)
        time.sleep(1.5)  # clients are saved each second
        server.stop(signal.SIGKILL)
        # A record without facts: the server was killed before it answered.
        orphan = os.path.join(self.session, "traces", "000002.pb")
        with open(orphan, "wb") as file:
            file.write(self.data)
        server = self.start()
        live = server.live()
        self.assertEqual(live["rows"][0]["runs"], 55)
        self.assertEqual([t["id"] for t in live["traces"]], ["000001"])
        self.assertFalse(os.path.exists(orphan))
        self.assertEqual(live["clients"][0]["state"], "lost")
        client.server = server
        self.assertEqual(client.register()["client"], client.id)
        self.assertEqual(server.live()["clients"][0]["state"], "idle")
        # A trace that it sends again is stored once.
        client.number = 0
        self.assertEqual(client.trace(self.data).json(), {"id": "000001"})
        self.assertEqual(client.trace(self.data).json(), {"id": "000002"})

    def test_orders_outlive_a_killed_server(self):
        server = self.start()
        client = Client(server)
        client.update()
        (number,) = server.json(
            "POST",
            "/api/orders",
            {
                "client": client.id,
                "row": 0,
                "rule": "every",
                "every": 10,
                "limit": 3,
            },
        ).json()["orders"]
        server.stop(signal.SIGKILL)
        server = self.start()
        client.server = server
        (order,) = server.live()["orders"]
        self.assertEqual(
            (order["order"], order["client"], order["every"], order["limit"]),
            (number, client.id, 10, 3),
        )
        # The program is asked the same, and its answer outlives a kill too.
        again = client.register()
        self.assertEqual(again["client"], client.id)
        self.assertEqual(
            [o["order"] for o in again["orders"]["list"]], [number]
        )
        client.update(orders=[{"order": number, "state": "done"}])
        server.stop(signal.SIGKILL)
        self.assertEqual(self.start().live()["orders"], [])

    def test_an_unknown_client_registers_again(self):
        server = self.start()
        client = Client(server)
        self.assertEqual(client.update(client="c99").status, 404)

    def test_all_ranks_trace_the_same_run(self):
        server = self.start()
        ranks = [
            Client(server, key="rank%d" % rank, rank=rank, ranks=3)
            for rank in range(3)
        ]
        for rank, client in enumerate(ranks):
            client.update(runs=100 + rank)
        asked = server.json(
            "POST",
            "/api/orders",
            {
                "client": ranks[0].id,
                "row": 0,
                "everywhere": True,
                "rule": "at",
                "at": "next",
            },
        )
        self.assertEqual(len(asked.json()["orders"]), 3)
        counts = {client.orders()[0]["at"] for client in ranks}
        self.assertEqual(len(counts), 1)
        self.assertGreater(counts.pop(), 102)
        for order in asked.json()["orders"]:
            server.json("DELETE", "/api/orders/%d" % order)
        self.assertEqual(ranks[1].orders(), [])
        server.json("POST", "/api/orders", {"rule": "global", "limit": 4})
        self.assertEqual([len(c.orders()) for c in ranks], [1, 1, 1])
        server.json("DELETE", "/api/orders")
        self.assertEqual([len(c.orders()) for c in ranks], [0, 0, 0])

    def test_a_program_that_ends_or_is_silent(self):
        server = self.start()
        first = Client(server, "a")
        Client(server, "b")
        first.update()
        self.assertEqual(server.live()["clients"][0]["state"], "running")
        server.json("POST", "/api/orders", {"rule": "next"})
        first.update(end="error: ValueError: no data")
        live = server.live()
        self.assertEqual(
            (live["clients"][0]["state"], live["clients"][0]["why"]),
            ("error", "ValueError: no data"),
        )
        self.assertEqual(live["orders"][0]["state"], "missed")
        deadline = time.time() + 20
        while server.live()["clients"][1]["state"] != "lost":
            self.assertLess(time.time(), deadline)
            time.sleep(0.2)
        refused = server.json("POST", "/api/orders", {"rule": "next"})
        self.assertEqual(refused.status, 409)

    def test_what_has_not_changed_is_not_sent_again(self):
        server = self.start()
        client = Client(server)
        client.update(row=0)
        version = server.live()["version"]
        client.update(row=1)
        rows = server.live("?since=%d" % version)["rows"]
        self.assertEqual([row["row"] for row in rows], [1])
        reply = server.get("/api/live")
        again = server.get(
            "/api/live", headers={"If-None-Match": reply.headers["etag"]}
        )
        self.assertEqual((again.status, again.body), (304, b""))

    def test_changes_reach_a_page_at_once(self):
        server = self.start()
        with server.connect() as page:
            page.sendall(
                (
                    "GET /api/events HTTP/1.1\r\nHost: %s\r\n"
                    "Authorization: Bearer %s\r\n\r\n"
                    % (server.host, server.token)
                ).encode()
            )
            page.settimeout(10)
            received = page.recv(1 << 16)
            began = time.time()
            Client(server)
            while b"event: live" not in received:
                received += page.recv(1 << 16)
            self.assertLess(time.time() - began, 1)

    def test_wrong_requests(self):
        server = self.start()
        client = Client(server)
        client.update()
        for body, word in [
            ({"rule": "often"}, b"rule"),
            ({"rule": "next", "count": 0}, b"count"),
            ({"rule": "every"}, b"every"),
            ({"rule": "slower", "slower": 0.5}, b"slower"),
            ({"rule": "steps", "steps": ["x"]}, b"steps"),
            ({"rule": "next", "row": 0}, b"row"),
            ([], b"object"),
        ]:
            reply = server.json("POST", "/api/orders", body)
            self.assertEqual(reply.status, 400, body)
            self.assertIn(word, reply.body)
        deep = b"[" * 60_000
        self.assertEqual(
            server.request("POST", "/api/orders", body=deep).status, 400
        )
        for method, target, status in [
            ("GET", "/api/orders", 405),
            ("PUT", "/api/live", 405),
            ("GET", "/api/clients", 405),
            ("POST", "/api/live", 405),
            ("DELETE", "/api/orders/7", 404),
            ("DELETE", "/api/orders/x", 404),
            ("GET", "/api/traces/../manifest.json/file", 404),
            ("GET", "/api/traces/%2e%2e%2fmanifest/file", 404),
            ("POST", "/api/clients/c1/nothing", 404),
        ]:
            self.assertEqual(
                server.request(method, target).status, status, (method, target)
            )
        empty = client.trace(b"")
        self.assertEqual(empty.status, 400)
        self.assertEqual(client.trace(self.data, row=5).status, 409)
        self.assertEqual(client.trace(self.data, kind="exe").status, 400)
        self.assertEqual(client.trace(self.data, graph="../../x").status, 400)
        self.assertTrue(server.alive())

    def test_a_record_without_the_token_is_not_read(self):
        server = self.start()
        head = (
            "POST /api/clients/c1/traces HTTP/1.1\r\nHost: %s\r\n"
            "Content-Length: 200000000\r\n\r\n" % server.host
        )
        self.assertIn(b" 413 ", server.raw(head.encode()))

    def test_read_only_shows_and_takes_traces(self):
        server = self.start("-read_only")
        client = Client(server)
        client.update()
        self.assertEqual(client.trace(self.data).status, 201)
        for method, target in [
            ("POST", "/api/orders"),
            ("DELETE", "/api/traces/000001"),
            ("PUT", "/api/traces/000001"),
        ]:
            self.assertEqual(server.json(method, target, {}).status, 403)

    def test_the_folder_is_private_and_has_one_server(self):
        server = self.start()
        self.assertEqual(stat.S_IMODE(os.stat(self.session).st_mode), 0o700)
        path = os.path.join(self.session, "server.json")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        self.assertEqual(
            (said["token"], said["port"]), (server.token, server.port)
        )
        second = subprocess.run(
            [binary, "serve", "-session", self.session, "-port", "0"],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(second.returncode, 1)
        self.assertIn("another tfprof serves this session", second.stderr)
        server.stop()
        self.assertFalse(os.path.exists(path))

    def test_a_folder_that_is_no_session_is_refused(self):
        os.mkdir(self.session)
        with open(os.path.join(self.session, "x"), "w", encoding="utf-8"):
            pass
        refused = subprocess.run(
            [binary, "serve", "-session", self.session],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(refused.returncode, 1)
        self.assertIn("neither a session nor empty", refused.stderr)

    def test_a_saved_session_is_shown(self):
        server = self.start()
        client = Client(server)
        client.update()
        client.trace(self.data)
        server.stop()
        path = os.path.join(self.session, "traces", "000009.about.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                '{"id":"000009","file":"../../etc/passwd",'
                '"kind":"run_metadata"}'
            )
        server = self.server = LiveServer(binary, "-port", "0", self.session)
        self.addCleanup(server.stop)
        live = server.live()
        self.assertFalse(live["live"])
        self.assertEqual([t["id"] for t in live["traces"]], ["000001"])
        self.assertIn("000009", live["session"]["damaged"][0])
        self.assertEqual(
            server.json("POST", "/api/orders", {"rule": "next"}).status, 409
        )
        self.assertEqual(
            server.json("POST", "/api/clients", {"key": "k"}).status, 409
        )

    def test_a_saved_session_that_is_one_file_is_shown_like_its_folder(self):
        server = self.start()
        client = Client(server)
        client.update()
        client.trace(self.data)
        server.json("PUT", "/api/traces/000001", {"name": "one"})
        archive = os.path.join(self.folder, "session.zip")
        with open(archive, "wb") as file:
            file.write(server.get("/api/session.zip").body)
        server.stop()
        pickled = os.path.join(self.folder, "session.pickle")
        with open(pickled, "wb") as file:
            file.write(pickle_of(self.data))
        scratch = os.path.join(self.folder, "scratch")
        os.mkdir(scratch)
        for path, name in (archive, "one"), (pickled, ""):
            with mock.patch.dict(os.environ, {"TMPDIR": scratch}):
                server = LiveServer(binary, "-port", "0", path)
            self.addCleanup(server.stop)
            live = server.live()
            self.assertFalse(live["live"])
            self.assertEqual(
                [(t["id"], t["name"]) for t in live["traces"]],
                [("000001", name)],
            )
            self.assertEqual(
                server.get("/api/traces/000001/file").body, self.data
            )
            ops = server.get("/api/op?profile=traces/000001.pb")
            self.assertEqual(ops.status, 200, ops.body)
            self.assertEqual(len(os.listdir(scratch)), 1)
            self.assertEqual(server.stop(), 0)
            self.assertEqual(os.listdir(scratch), [])
        refused = subprocess.run(
            [binary, "serve", __file__],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("is unknown", refused.stderr)

    def test_a_token_of_the_user(self):
        path = os.path.join(self.folder, "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef" * 2 + "\n")
        server = self.start("-token_file", path)
        self.assertEqual(server.token, "0123456789abcdef" * 2)
        with open(path, "w", encoding="utf-8") as file:
            file.write("short")
        refused = subprocess.run(
            [
                binary,
                "serve",
                "-session",
                self.session + "2",
                "-token_file",
                path,
            ],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(refused.returncode, 1)
        self.assertIn("expected a word of 32", refused.stderr)

    def test_a_full_disk_harms_nobody(self):
        server = self.start()
        client = Client(server)
        client.update()
        traces = os.path.join(self.session, "traces")
        os.rmdir(traces)
        with open(traces, "w", encoding="utf-8"):
            pass  # nothing can be written below a file
        self.assertGreaterEqual(client.trace(self.data).status, 500)
        self.assertEqual(server.traces(), [])
        os.remove(traces)
        os.mkdir(traces)
        self.assertEqual(client.trace(self.data, number=0).status, 201)


if __name__ == "__main__":
    sys.exit(junit_runner.main("live"))
