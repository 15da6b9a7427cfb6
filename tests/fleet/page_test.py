#!/usr/bin/env python3
"""Tests the HTML pages of a fleet, in files and on the server of
`tfprof-fleet serve`, also in headless Chromium.

Usage: tests/fleet/page_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has duckdb and pyarrow; `./dev test-fleet` makes it. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import base64
import http.client
import os
import re
import signal
import struct
import subprocess
import sys
import unittest
import zlib
from urllib.parse import urlsplit

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "page"))
sys.path.insert(0, HERE)

import axe
import browser
import fleet_program as program
import junit_runner
from fleet_program import RANKS, STEPS, dataset, fleet
from make_ranks import Faults, make_job

binary = ""  # of junit_runner.main()

# What runs or loads something.
_ACTIVE = re.compile(r"<script|\son\w+=|javascript:|https?://", re.I)
_EVIL = "<img src=x onerror=alert(1)>"


def pixels(png):
    """The rows of a PNG with a palette, as write_page() makes them."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data, size = 8, b"", ()
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind = png[place + 4 : place + 8]
        chunk = png[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", png[place + 8 + length :][:4])
        assert check == zlib.crc32(kind + chunk), kind
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[:8])
        elif kind == b"IDAT":
            data += chunk
        place += 12 + length
    raw = zlib.decompress(data)
    width, height = size
    assert len(raw) == height * (width + 1)
    return [
        list(raw[y * (width + 1) + 1 : (y + 1) * (width + 1)])
        for y in range(height)
    ]


class PageTest(unittest.TestCase):
    def page(self):
        made = dataset(
            "page",
            "--ranks",
            str(RANKS),
            seed=31,
            faults=Faults(
                slow={7: 1.25},
                slow_steps={33: (1.3, (2, 5, 8))},
                missing=(60, 61),
            ),
        )
        path = program.path("page.html")
        done = fleet(made, "-output", f"html:outfile={path}")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        with open(path) as file:
            return path, file.read()

    def test_it_begins_with_what_is_lost_and_has_every_part(self):
        _, text = self.page()
        self.assertRegex(
            text,
            r'</h1>\n<p class="lost">ranks 62 of 64, steps 10, missing 2 '
            r"\(60, 61\),",
        )
        for title in (
            "Slow ranks",
            "Operations that are no waits",
            "Files by status",
        ):
            self.assertIn(f"<h2>{title}</h2>", text)
        self.assertIn("compute: 12 of 12 ops slower", text)
        self.assertEqual(text.count("If no rank were slower"), 1)
        self.assertIn("<figcaption>rank 33</figcaption>", text)

    def test_a_number_has_a_blank_before_its_unit(self):
        _, text = self.page()
        seen = re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.S)
        self.assertRegex(seen, r"\d\u00a0ms")
        self.assertRegex(seen, r"\d\u00a0µs")
        self.assertIsNone(re.search(r"\d(ms|us|s|[KM]?B|%)\b", seen))

    def test_it_runs_and_loads_nothing(self):
        _, text = self.page()
        self.assertIn("Content-Security-Policy", text)
        self.assertIn("default-src 'none'; img-src data:;", text)
        self.assertIsNone(_ACTIVE.search(text))

    def test_the_heat_map_shows_who_is_slow_and_who_is_missing(self):
        _, text = self.page()
        image = re.search(r'<img src="data:image/png;base64,([^"]+)"', text)
        rows = pixels(base64.b64decode(image[1]))
        self.assertEqual((len(rows), len(rows[0])), (RANKS, STEPS))
        empty = [rank for rank, row in enumerate(rows) if not any(row)]
        self.assertEqual(empty, [60, 61])
        middle = sorted(value for row in rows for value in row)[RANKS * 5]
        hot = {
            (rank, step)
            for rank, row in enumerate(rows)
            for step, value in enumerate(row)
            if value > middle + 20
        }
        slow = {(7, step) for step in range(STEPS)}
        self.assertEqual(hot, slow | {(33, 2), (33, 5), (33, 8)})

    def test_names_are_text(self):
        traces = program.path("evil")
        make_job(traces, 2, 3, seed=1)
        bad = os.path.join(traces, f"{_EVIL.replace('/', '')} rank_5.json")
        with open(bad, "w") as file:
            file.write("junk")
        fleet("ingest", traces, "-o", traces + ".dataset")
        for words in ((), ("files",), ("-by", "rank")):
            done = fleet(traces + ".dataset", *words, "-output", "html")
            self.assertIn("<!doctype html>", done.stdout, done.stderr)
            self.assertNotIn("<img src=x", done.stdout)
        done = fleet(traces + ".dataset", "files", "-output", "html")
        self.assertIn("&lt;img src=x onerror=alert(1)&gt;", done.stdout)

    def test_many_ranks_share_a_row_and_the_page_stays_small(self):
        script = (
            "import sys; from tfprof._fleet import pictures, view\n"
            "fleet = view.open_fleet(sys.argv[1])\n"
            "fleet.table('rank_steps', 'SELECT r::BIGINT"
            " AS rank, s::BIGINT AS step, (CASE WHEN r = 7777 THEN 1500000"
            " ELSE 1000000 END)::BIGINT AS own_nanos"
            " FROM range(10000) t(r), range(500) u(s)')\n"
            "fleet.expected = 10000\n"
            "made = pictures.heat_map(fleet)\n"
            "print(made.rows, made.columns, made.ranks_of_row,"
            " made.steps_of_column, made.image)"
        )
        done = program.run("-c", script, dataset("base", seed=2))
        rows, columns, of_row, of_column, image = done.stdout.split()
        self.assertEqual(
            (rows, columns, of_row, of_column), ("250", "167", "40", "3")
        )
        self.assertLess(len(image), 100_000)
        found = pixels(base64.b64decode(image.partition(",")[2]))
        hot = {y for y, row in enumerate(found) if max(row) == 128}
        self.assertEqual(hot, {7777 // 40})

    def test_a_bad_option_is_named(self):
        for option in ("html:file=x", "pdf", "html:outfile="):
            done = fleet(dataset("base", seed=2), "-output", option)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"-output {option}: ", done.stderr)

    def test_in_a_browser(self):
        if not browser.find_browser():
            self.skipTest("no Chromium")
        path, _ = self.page()
        for width in (390, 768, 1440):
            with browser.Browser(width, 900, dark=width == 390) as opened:
                page = opened.open("file://" + path, wait=False)
                page.wait(
                    "document.readyState === 'complete' && "
                    "document.images.length === 2 && "
                    "[...document.images].every(i => i.naturalWidth > 0)"
                )
                self.assertEqual(page.errors, [])
                self.assertEqual(axe.findings(page), [])
                fits = "document.documentElement.scrollWidth"
                self.assertLessEqual(page.evaluate(fits), width)
                background = "getComputedStyle(document.body).backgroundColor"
                self.assertEqual(
                    page.evaluate(background),
                    "rgb(20, 24, 28)" if width == 390 else "rgb(255, 255, 255)",
                )


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dataset = dataset("served", seed=3, faults=Faults(slow={7: 1.25}))
        cls.process, cls.address = cls.start(cls.dataset)
        cls.addClassCleanup(cls.stop, cls.process)
        parts = urlsplit(cls.address)
        cls.port, cls.query = parts.port, parts.query
        status, headers, _ = cls.ask("/?" + cls.query, cookie="")
        assert status == 303, status
        cls.cookie = headers["Set-Cookie"].partition(";")[0]

    @staticmethod
    def start(*words):
        process = subprocess.Popen(
            [program.python, "-m", "tfprof", "fleet", "serve", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=program.environment(),
            # A shell starts what runs in the background without Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        return process, process.stdout.readline().strip()

    @staticmethod
    def stop(process):
        """What it says after Ctrl-C, and its exit status."""
        process.send_signal(signal.SIGINT)
        try:
            said = process.communicate(timeout=program.TIMEOUT)
        finally:
            process.kill()
        return said, process.returncode

    @classmethod
    def ask(cls, path, method="GET", cookie=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", cls.port)
        cookie = cls.cookie if cookie is None else cookie
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in {**headers, "Cookie": cookie}.items():
                connection.putheader(name, value)
            connection.endheaders()
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()
        finally:
            connection.close()

    def test_its_pages_are_those_of_files(self):
        for path, words in (
            ("/", ()),
            ("/stragglers", ("stragglers",)),
            ("/files", ("files",)),
            ("/by/op", ("-by", "op")),
        ):
            status, headers, text = self.ask(path)
            self.assertEqual(status, 200, path)
            self.assertEqual(
                headers["Content-Type"], "text/html; charset=utf-8"
            )
            links = re.search("<nav>.*</nav>\n", text)[0]
            self.assertIn('<a href="/by/step">by step</a>', links)
            self.assertEqual(links.count("<b>"), 1)  # this page
            written = fleet(self.dataset, *words, "-output", "html").stdout
            self.assertEqual(
                text.replace(links, "").partition("</h1>")[2],
                written.partition("</h1>")[2],
            )
            self.assertIsNone(_ACTIVE.search(text))

    def test_a_page_that_needs_more_says_what(self):
        status, _, text = self.ask("/by/host")
        self.assertEqual(status, 200)
        self.assertIn("--rank-map", text)
        self.assertIn('<a href="/">overview</a>', text)

    def test_it_says_nothing_without_the_token(self):
        name = self.cookie.partition("=")[0]
        for path, cookie in (
            ("/", ""),
            ("/?token=", ""),
            ("/?token=wrong", ""),
            ("/?token=%C3%A4", ""),
            # A wrong token is not forgiven because of a good cookie.
            ("/?token=wrong", self.cookie),
            ("/", f"{name}=wrong"),
            ("/", f"{name}=ä".encode()),
            ("/", "other" + self.cookie),
            ("/nothing", ""),
        ):
            status, headers, text = self.ask(path, cookie=cookie)
            self.assertEqual(status, 401, (path, cookie))
            self.assertEqual(
                text, "open the address that tfprof-fleet serve has printed\n"
            )
            self.assertNotIn("Set-Cookie", headers)

    def test_the_token_becomes_a_cookie(self):
        status, headers, text = self.ask("/by/op?" + self.query, cookie="")
        self.assertEqual((status, text), (303, ""))
        self.assertEqual(headers["Location"], "/by/op")
        self.assertRegex(
            headers["Set-Cookie"],
            rf"^tfprof_fleet{self.port}=[0-9a-f]{{64}}; Path=/; HttpOnly; "
            "SameSite=Strict$",
        )
        # The address cannot send the browser elsewhere.
        for path in ("//evil.example/", "/\\evil.example", "/x%0d%0aA:b"):
            _, headers, _ = self.ask(f"{path}?{self.query}", cookie="")
            self.assertEqual(headers["Location"], "/")

    def test_only_its_own_names_and_pages(self):
        here = f"127.0.0.1:{self.port}"
        for host, origin, status in (
            (here, None, 200),
            (f"localhost:{self.port}", None, 200),
            (here, f"http://{here}", 200),
            (here, "http://evil.example", 403),
            (here, "null", 403),
            (here, f"https://{here}", 403),
            (f"evil.example:{self.port}", None, 403),
            ("127.0.0.1", None, 403),
            ("", None, 403),
        ):
            headers = {"Host": host} | ({"Origin": origin} if origin else {})
            got = self.ask("/files", **headers)[0]
            self.assertEqual(got, status, headers)

    def test_only_get(self):
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "NONSENSE"):
            self.assertEqual(self.ask("/", method)[0], 405, method)

    def test_every_reply_has_the_policy(self):
        for path, cookie, status in (
            ("/", None, 200),
            ("/nothing", None, 404),
            ("/", "", 401),
            ("/?" + self.query, "", 303),
        ):
            got, headers, _ = self.ask(path, cookie=cookie)
            self.assertEqual(got, status)
            self.assertEqual(
                headers["Content-Security-Policy"],
                "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            )
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertNotIn("Python", headers["Server"])

    def test_ctrl_c_ends_it(self):
        process, address = self.start(self.dataset)
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/\?token=\S{32}$")
        self.assertEqual(self.stop(process), (("", ""), 0))

    def test_what_it_cannot_serve(self):
        done = fleet("serve", "/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere: no dataset", done.stderr)
        for port in (self.port, 70000):
            done = fleet("serve", self.dataset, "--port", str(port))
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"--port {port}: cannot listen", done.stderr)

    def test_in_a_browser(self):
        if not browser.find_browser():
            self.skipTest("no Chromium")
        with browser.Browser(390, 900) as opened:
            page = opened.open(self.address, wait=False)
            page.wait("document.images.length === 2")
            self.assertEqual(page.evaluate("location.search"), "")
            page.evaluate(
                "document.querySelector('a[href=\"/by/op\"]').click()"
            )
            page.wait("document.title.endsWith(': by op')")
            self.assertEqual(page.errors, [])
            self.assertLessEqual(
                page.evaluate("document.documentElement.scrollWidth"), 390
            )


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("fleet_page_test"))
