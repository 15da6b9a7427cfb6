#!/usr/bin/env python3
"""Tests of `tfprof serve`: the real program on loopback, asked by clients that
behave and by those that do not.

Usage: serve_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

After each attack the server must still answer. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "serve")]
import junit_runner

from server import Server

PROFILES = os.path.join(TESTS, "golden", "profiles")
PROFILE = os.path.join(PROFILES, "conv_resnet", "profile.pb")
binary = None

# Slow connections of the test; SERVE_CONNECTIONS sets another number.
CONNECTIONS = int(os.environ.get("SERVE_CONNECTIONS", "1000"))


class OneProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(binary, PROFILE)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def setUp(self):
        self.addCleanup(
            lambda: self.assertTrue(self.server.alive(), "still answers")
        )

    def told(self, *args):
        return subprocess.run(
            [binary, *args, "-output", "json", PROFILE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        ).stdout

    def test_answers_are_those_of_output_json(self):
        for target, words in [
            ("op?order_by=micros", ["op", "-order_by", "micros"]),
            (
                "scope?max_depth=3&select=micros,bytes",
                ["scope", "-max_depth", "3", "-select", "micros,bytes"],
            ),
            ("steps", ["steps"]),
            ("devices", ["devices"]),
            ("advise?argument=all", ["advise", "all"]),
        ]:
            reply = self.server.get("/api/" + target)
            self.assertEqual(reply.status, 200, reply.body)
            self.assertEqual(reply.body, self.told(*words), target)

    def test_the_token_becomes_a_cookie(self):
        first = self.server.get("/?token=" + self.server.token, bearer=False)
        self.assertEqual(first.status, 303)
        self.assertEqual(first.headers["location"], "/")
        cookie = first.headers["set-cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Strict", cookie)
        self.assertNotIn(self.server.token, cookie)
        page = self.server.get(
            "/", bearer=False, headers={"Cookie": cookie.split(";")[0]}
        )
        self.assertEqual(page.status, 200)
        self.assertIn(
            "script-src 'sha256-", page.headers["content-security-policy"]
        )
        self.assertNotIn("unsafe", page.headers["content-security-policy"])

    def test_without_a_token_nothing_is_shown(self):
        for target in [
            "/",
            "/op",
            "/api/state",
            "/api/op",
            "/timeline",
            "/api/events",
            "/?token=",
            "/?token=0123",
        ]:
            reply = self.server.get(target, bearer=False)
            self.assertEqual(reply.status, 401, target)
            self.assertNotIn(b"conv_resnet", reply.body)

    def test_another_host_is_refused(self):
        for host in [
            "evil.example",
            "evil.example:%d" % self.server.port,
            "127.0.0.1",
            "",
            None,
            "127.0.0.1:%d" % (self.server.port + 1),
        ]:
            reply = self.server.get("/api/state", headers={"Host": host})
            self.assertEqual(reply.status, 403, host)

    def test_another_origin_is_refused(self):
        for origin in [
            "http://evil.example",
            "null",
            "https://" + self.server.host,
        ]:
            reply = self.server.get("/api/state", headers={"Origin": origin})
            self.assertEqual(reply.status, 403, origin)
            self.assertNotIn("access-control-allow-origin", reply.headers)
        reply = self.server.request(
            "OPTIONS",
            "/api/state",
            headers={
                "Origin": "http://evil.example",
                "Access-Control-Request-Method": "POST",
            },
        )
        self.assertEqual(reply.status, 403)

    def test_a_get_changes_nothing(self):
        self.assertEqual(self.server.get("/api/reload").status, 405)
        self.assertEqual(self.server.get("/api/quit").status, 404)
        for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"]:
            reply = self.server.request(method, "/api/reload")
            self.assertEqual(reply.status, 405, method)
        self.assertEqual(self.server.post("/api/op").status, 405)
        self.assertEqual(self.server.post("/api/reload").status, 200)

    def test_no_file_but_the_profile(self):
        for target in [
            "/../../etc/passwd",
            "/etc/passwd",
            "/%2e%2e/passwd",
            "/api/../../etc/passwd",
            "/api/op?profile=../x",
            "/api/op?profile=/etc/passwd",
            "//etc/passwd",
            "/api/op?profile=profile.pb/../../tiny_const/profile.pb",
            "/timeline?profile=/etc/passwd",
        ]:
            reply = self.server.get(target)
            self.assertEqual(reply.status, 404, target)
        for option in [
            "output=file:outfile=/tmp/x",
            "graph_path=/etc/passwd",
            "source_path=/",
            "base=/etc/passwd",
        ]:
            reply = self.server.get("/api/op?" + option)
            self.assertIn(reply.status, (400, 404), option)
        for command in ["save", "load", "convert", "check", "set"]:
            self.assertEqual(self.server.get("/api/" + command).status, 404)

    def test_source_is_read_only_where_it_was_allowed(self):
        tutorial = os.path.join(TESTS, "docs", "tutorial")
        profile = os.path.join(tutorial, "before.pb.gz")
        # A copy: links that lead out of the folder are not followed.
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copyfile(
            os.path.join(tutorial, "train.py"), os.path.join(folder, "train.py")
        )
        target = "/api/list?argument=train.py"
        with Server(binary, profile) as server:
            rows = server.get(target).json()["rows"]
            self.assertGreater(len(rows), 5)
            self.assertEqual({row["source"] for row in rows}, {None})
            self.assertEqual(
                server.get(target + "&source_path=" + folder).status, 400
            )
        with Server(binary, "-source_path", folder, profile) as server:
            rows = server.get(target).json()["rows"]
            line = next(row for row in rows if row["line"] == 37)
            self.assertIn("svd", line["source"])
            self.assertGreater(line["total_micros"], 0)

    def test_unknown_options_are_named(self):
        reply = self.server.get("/api/op?order_bi=micros")
        self.assertEqual(reply.status, 400)
        self.assertIn("order_by", reply.json()["error"]["message"])
        self.assertEqual(self.server.get("/api/op?order_by=x").status, 400)
        self.assertEqual(self.server.get("/api/op?step=99").status, 409)
        self.assertEqual(self.server.get("/api/nothing").status, 404)

    def test_large_headers_and_bodies(self):
        size = 100 << 20
        head = b"GET / HTTP/1.1\r\nHost: %s\r\nX: " % (
            self.server.host.encode()
        )
        reply = self.server.raw(head + b"x" * size)
        self.assertTrue(
            reply == b"" or reply.startswith(b"HTTP/1.1 431 "), reply[:100]
        )
        self.assertEqual(self.server.get("/" + "a" * 20000).status, 431)
        reply = self.server.post(
            "/api/reload", headers={"Content-Length": str(size)}
        )
        self.assertEqual(reply.status, 413)

    def test_what_is_no_request(self):
        for data in [
            b"\r\n\r\n",
            b"GET\r\n\r\n",
            b"\x16\x03\x01\x02\x00\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET http://a/ HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"GET / HTTP/1.1\r\n folded\r\n\r\n",
        ]:
            reply = self.server.raw(data)
            self.assertRegex(reply, b"^HTTP/1.1 (400|501|505) ", data)

    def test_many_slow_connections(self):
        slow = []
        for _ in range(CONNECTIONS):
            client = self.server.connect()
            client.sendall(b"GET / HTTP/1.1\r\nHo")
            slow.append(client)
            if len(slow) > 400:
                slow.pop(0).close()  # this process has a limit, too
        began = time.monotonic()
        self.assertTrue(self.server.alive())
        self.assertLess(time.monotonic() - began, 10)
        with open("/proc/%d/status" % self.server.process.pid) as f:
            memory = next(line for line in f if line.startswith("VmRSS"))
        self.assertLess(int(memory.split()[1]), 600_000, memory)
        for client in slow:
            client.close()

    def test_two_clients(self):
        replies = []

        def ask(target):
            for _ in range(20):
                replies.append(self.server.get(target))

        threads = [
            threading.Thread(target=ask, args=(t,))
            for t in ["/api/op?order_by=micros", "/api/scope?max_depth=2"]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([r.status for r in replies], [200] * 40)
        self.assertEqual(len({r.body for r in replies}), 2)

    def test_tables_come_in_pages(self):
        whole = json.loads(self.told("scope", "-max_depth", "100"))
        self.assertGreater(len(whole["rows"]), 2000)
        reply = self.server.get("/api/scope?max_depth=100")
        self.assertEqual(len(reply.json()["rows"]), 1000)
        self.assertEqual(
            int(reply.headers["x-tfprof-rows"]), len(whole["rows"])
        )
        page = self.server.get(
            "/api/scope?max_depth=100&from=1500&count=7"
        ).json()
        self.assertEqual(page["rows"], whole["rows"][1500:1507])
        by_name = self.server.get(
            "/api/scope?max_depth=100&sort=-name&count=5"
        ).json()["rows"]
        self.assertEqual(
            [r["name"] for r in by_name],
            sorted((r["name"] for r in whole["rows"]), reverse=True)[:5],
        )
        found = self.server.get("/api/op?find=conv2d").json()
        self.assertTrue(found["rows"])
        for row in found["rows"]:
            self.assertIn("conv2d", row["name"].lower())
        self.assertEqual(self.server.get("/api/op?count=1000000").status, 400)

    def test_the_graph_is_drawn_from_few_boxes(self):
        closed = self.server.get("/api/drawing").json()["tables"]
        boxes = closed["boxes"]["rows"]
        self.assertEqual(sum(b["operations"] for b in boxes), 3420)
        self.assertLess(len(boxes), 100)
        opened = self.server.get("/api/drawing?open=resnet").json()["tables"]
        self.assertEqual(
            sum(b["operations"] for b in opened["boxes"]["rows"]), 3420
        )
        self.assertGreater(len(opened["boxes"]["rows"]), len(boxes))
        self.assertTrue(closed["edges"]["rows"])

    def test_the_timeline_is_the_page_of_the_timeline(self):
        reply = self.server.get("/timeline")
        self.assertEqual(reply.status, 200)
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "timeline.html")
        subprocess.run(
            [binary, "timeline", "-output", "html:outfile=" + path, PROFILE],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        with open(path, "rb") as f:
            self.assertEqual(reply.body, f.read())
        self.assertNotIn("unsafe", reply.headers["content-security-policy"])

    def test_events_come_as_they_happen(self):
        with self.server.connect() as client:
            client.sendall(
                (
                    "GET /api/events HTTP/1.1\r\nHost: %s\r\n"
                    "Authorization: Bearer %s\r\n\r\n"
                    % (self.server.host, self.server.token)
                ).encode()
            )
            received = client.recv(1 << 16)
            self.assertIn(b"text/event-stream", received)
            self.server.get("/api/op")
            self.server.post("/api/reload")
            while b"event: reloaded\n" not in received:
                piece = client.recv(1 << 16)
                self.assertTrue(piece)
                received += piece

    def test_a_client_that_goes_stops_nothing(self):
        for _ in range(30):
            with self.server.connect() as client:
                client.sendall(
                    (
                        "GET /timeline HTTP/1.1\r\nHost: %s\r\n"
                        "Authorization: Bearer %s\r\n\r\n"
                        % (self.server.host, self.server.token)
                    ).encode()
                )
        self.assertEqual(self.server.get("/api/op").status, 200)

    def test_every_reply_has_the_safe_headers(self):
        for target in ["/", "/api/state", "/api/none", "/timeline"]:
            headers = self.server.get(target).headers
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertIn(
                "frame-ancestors 'none'", headers["content-security-policy"]
            )


class StartTest(unittest.TestCase):
    def test_a_folder_shows_the_profiles_in_it(self):
        # Copies: under Bazel the profiles are links to another folder.
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for name in ["conv_resnet", "tiny_const"]:
            os.mkdir(os.path.join(folder, name))
            shutil.copyfile(
                os.path.join(PROFILES, name, "profile.pb"),
                os.path.join(folder, name, "profile.pb"),
            )
        with Server(binary, folder) as server:
            names = [
                p["name"] for p in server.get("/api/state").json()["profiles"]
            ]
            self.assertIn("conv_resnet/profile.pb", names)
            reply = server.get(
                "/api/op?profile=conv_resnet/profile.pb"
                "&base=tiny_const/profile.pb"
            )
            self.assertEqual(reply.status, 200, reply.body)
            self.assertEqual(server.get("/api/op").status, 400)
            for name in ["../x/conv_resnet/profile.pb/..", "..", "/etc/passwd"]:
                reply = server.get("/api/op?profile=" + name)
                self.assertIn(reply.status, (403, 404), name)

    def test_a_link_out_of_the_folder_is_refused(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.symlink(PROFILE, os.path.join(folder, "link.pb"))
        with Server(binary, folder) as server:
            self.assertEqual(server.get("/api/op?profile=link.pb").status, 403)

    def test_a_base(self):
        other = os.path.join(PROFILES, "tiny_const", "profile.pb")
        with Server(binary, PROFILE, "--base=" + other) as server:
            names = [
                p["name"] for p in server.get("/api/state").json()["profiles"]
            ]
            self.assertEqual(names, ["profile.pb", "profile.pb (base)"])
            reply = server.get("/api/op?base=profile.pb%20(base)")
            self.assertEqual(reply.status, 200, reply.body)

    def test_a_taken_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            result = subprocess.run(
                [
                    binary,
                    "serve",
                    "-port",
                    str(taken.getsockname()[1]),
                    PROFILE,
                ],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=30,
            )
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"in use", result.stderr)
        with Server(binary, PROFILE) as one, Server(binary, PROFILE) as two:
            self.assertNotEqual(one.port, two.port)
            self.assertIn("is taken", two.text)

    def test_what_is_not_there(self):
        for args, status in [
            (["serve"], 2),
            (["serve", "/none.pb"], 1),
            (["serve", "-port", "99999", PROFILE], 2),
            (["serve", "-listen", "localhost", PROFILE], 1),
        ]:
            result = subprocess.run(
                [binary, *args],
                timeout=30,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertTrue(result.stderr)

    def test_read_only(self):
        with Server(binary, "-read_only", PROFILE) as server:
            self.assertEqual(server.post("/api/reload").status, 403)
            self.assertEqual(server.post("/api/quit").status, 403)
            self.assertEqual(server.get("/api/op").status, 200)
            self.assertTrue(server.get("/api/state").json()["read_only"])

    def test_it_listens_on_loopback_only(self):
        with Server(binary, PROFILE) as server:
            with open("/proc/net/tcp", encoding="ascii") as f:
                listening = [
                    line.split()[1] for line in f if line.split()[3] == "0A"
                ]
            self.assertIn("0100007F:%04X" % server.port, listening)
            self.assertNotIn("00000000:%04X" % server.port, listening)

    def test_ends_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = Server(binary, PROFILE)
            with server.connect():
                self.assertTrue(server.alive())
                self.assertEqual(server.stop(number), 0)
        with Server(binary, PROFILE) as server:
            self.assertEqual(server.post("/api/quit").json(), {"quit": True})
            self.assertEqual(server.process.wait(30), 0)


if __name__ == "__main__":
    sys.exit(junit_runner.main("serve"))
