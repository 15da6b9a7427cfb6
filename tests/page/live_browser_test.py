#!/usr/bin/env python3
"""Tests of the page of running programs in a headless browser.

Usage: live_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

A program that behaves as a training does registers with a server; the page is
used by mouse and keys. No page may log an error or ask anybody but the server.
Screenshots go to $PAGE_SHOTS, if it is set.
"""

import gzip
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [
    TESTS,
    os.path.join(TESTS, "page"),
    os.path.join(TESTS, "serve"),
]
import browser
from live_client import LiveServer, Trainer

GRAPH = os.path.join(TESTS, "golden", "profiles", "multi_cpu", "graph.pb.gz")
RECORD = os.path.join(TESTS, "golden", "profiles", "multi_cpu", "run_meta_1")
binary = None

# The trace appears without a reload in this time.
SECONDS = 1.0
# How often a server is replaced under an open page, and when the page is back.
RESTARTS = 10
BACK_SECONDS = 5.0


class LivePageTest(unittest.TestCase):
    size = (1280, 900)
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(*cls.size, dark=cls.dark)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = os.path.join(self.folder, "session")
        with open(RECORD, "rb") as file:
            self.data = file.read()
        self.server = self.serve("-session", self.session)
        self.may_fail = False

    def serve(self, *args):
        server = LiveServer(binary, "-port", "0", *args)
        self.addCleanup(server.stop)
        return server

    def train(self, **facts):
        with gzip.open(GRAPH) as file:
            graph = file.read()
        trainer = Trainer(self.server, self.data, graph=graph, **facts)
        trainer.__enter__()
        self.addCleanup(trainer.__exit__)
        return trainer

    def open(self, target="/", server=None):
        server = server or self.server
        self.page = page = self.browser.open(
            "http://%s%s%stoken=%s"
            % (server.host, target, "&" if "?" in target else "?", server.token)
        )
        self.ready()
        self.addCleanup(self.check_quiet, page, server)
        return page

    def check_quiet(self, page, server):
        errors, requests = page.errors, page.requests
        page.close()
        if not self.may_fail:
            self.assertEqual(errors, [])
        for request in requests:
            self.assertTrue(
                request.startswith(("http://%s/" % server.host, "data:")),
                request,
            )

    def ready(self):
        self.page.wait("document.body.dataset.ready === 'true'")

    def evaluate(self, expression):
        return self.page.evaluate(expression)

    def shot(self, name):
        if "PAGE_SHOTS" in os.environ:
            self.page.settle()
            self.page.screenshot(
                os.path.join(
                    os.environ["PAGE_SHOTS"],
                    "%s_%d%s.png"
                    % (name, self.size[0], "_dark" if self.dark else ""),
                )
            )

    def press(self, row, text):
        """The button of a run's row with this text."""
        self.evaluate(
            "[...document.querySelectorAll('tr[data-run=\"%s\"] button')]"
            ".find(b => b.textContent === '%s').click()" % (row, text)
        )

    def push(self, text):
        self.evaluate(
            "[...document.querySelectorAll('button')]"
            ".find(b => b.textContent === '%s').click()" % text
        )

    def traces(self):
        return self.evaluate(
            "[...document.querySelectorAll('tr[data-trace]')]"
            ".map(r => r.dataset.trace)"
        )

    def wait_traces(self, number):
        self.page.wait(
            "document.querySelectorAll('tr[data-trace]').length === %d" % number
        )

    def test_pages_before_the_first_trace_lead_to_the_runs(self):
        self.train()
        for path in ("overview", "steps", "average", "compare"):
            with self.subTest(path=path):
                page = self.open("/" + path)
                self.assertIn(
                    "No run was traced yet",
                    self.evaluate("document.querySelector('main').innerText"),
                )
                self.evaluate("document.querySelector('main a').click()")
                page.wait("location.pathname === '/live'")
                self.ready()

    def test_a_click_traces_the_next_run(self):
        self.train()
        self.open()
        self.assertEqual(
            self.evaluate("document.querySelector('h1').textContent"), "Runs"
        )
        self.page.wait("document.querySelectorAll('tr[data-run]').length > 1")
        # First, no run has ended yet.
        self.page.wait(
            "document.body.innerText.includes('There is no order yet')"
        )
        time.sleep(1.5)  # the program knows now that somebody looks
        self.shot("live_runs")
        # Other work on the machine slows it: the best of three counts.
        took = []
        while len(took) < 3 and min(took, default=SECONDS) >= SECONDS:
            began = time.time()
            self.press("c1/0", "Trace next")
            self.wait_traces(len(took) + 1)
            took.append(time.time() - began)
        self.assertLess(min(took), SECONDS)
        row = self.evaluate(
            "document.querySelector('tr[data-trace]').innerText"
        )
        self.assertIn("31.00 ms", row)
        self.assertIn("+55 %", row)
        self.shot("live_trace")
        # Counts go on without a reload.
        before = self.evaluate(
            "document.querySelector('tr[data-run]').cells[2].textContent"
        )
        self.page.wait(
            "document.querySelector('tr[data-run]').cells[2]"
            ".textContent !== '%s'" % before
        )

    def test_the_tabs_show_what_they_name(self):
        trainer = self.train()
        self.open()
        for _ in range(2):
            trainer.client.trace(
                self.data,
                number=trainer.rows[0]["traces"],
                start_ns=time.time_ns(),
                graph="g1",
            )
            trainer.rows[0]["traces"] += 1
        self.wait_traces(2)
        newest = self.traces()[0]
        tab = (
            "[...document.querySelectorAll('#views a')].find(a => "
            "a.textContent === '%s')"
        )
        # All traces, and not one of them.
        self.evaluate(tab % "Average" + ".click()")
        self.page.wait("location.pathname === '/average'")
        self.ready()
        asked = [r for r in self.page.requests if "/api/average" in r]
        self.assertIn("profile=.", asked[-1])
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )
        # The newest trace as of the click.
        self.evaluate(tab % "Timeline" + ".click()")
        self.page.wait("location.pathname === '/timeline'")
        self.page.wait("window.tfprofPage !== undefined")
        self.assertIn(newest, self.evaluate("location.search"))

    def test_everything_and_stop(self):
        self.train()
        self.open()
        self.push("Trace every run")
        self.page.wait("document.querySelector('.on') !== null")
        self.shot("live_global")
        # It stops by itself after 20, of which each run keeps 5.
        self.page.wait("document.querySelector('.on') === null")
        self.wait_traces(10)
        self.push("Trace every run")
        self.page.wait("document.querySelector('.on') !== null")
        self.push("Stop tracing everything")
        self.page.wait("document.querySelector('.on') === null")

    def test_a_dialog_has_the_other_rules(self):
        self.train(ranks=2, rank=0, key="a")
        self.train(ranks=2, rank=1, key="b")
        self.open()
        self.page.wait("document.querySelectorAll('tr[data-run]').length > 3")
        self.press("c1/0", "More …")
        self.evaluate("document.querySelector('dialog input').value = '3'")
        self.shot("live_dialog")
        self.push("Trace")
        self.wait_traces(3)
        self.press("c1/0", "More …")
        self.evaluate(
            "(() => { const s = document.querySelector('dialog select');"
            "s.value = 'every'; s.dispatchEvent(new Event('change')); })()"
        )
        self.push("Trace")
        self.page.wait("document.querySelector('tr.armed') !== null")
        self.press("c1/0", "Cancel")
        self.page.wait("document.querySelector('tr.armed') === null")
        # One rank of both.
        self.evaluate("document.querySelector('.chip').click()")
        self.page.wait("document.querySelectorAll('tr[data-run]').length === 2")

    def test_name_pin_compare_delete(self):
        trainer = self.train()
        self.open()
        for _ in range(2):
            trainer.client.trace(
                self.data,
                number=trainer.rows[0]["traces"],
                start_ns=time.time_ns(),
                graph="g1",
            )
            trainer.rows[0]["traces"] += 1
        self.wait_traces(2)
        newest = self.traces()[0]
        self.push("Pin")
        self.page.wait("document.querySelector('tr.pinned') !== null")
        self.push("Name")
        self.page.type("<b>slow</b>")
        self.page.key("Enter")
        self.page.wait(
            "document.querySelector('tr[data-trace] a')"
            ".textContent === '<b>slow</b>'"
        )
        self.assertIn("slow", str(self.server.live()["traces"]))
        self.evaluate(
            "[...document.querySelectorAll('tr[data-trace]"
            ":not(.pinned) button')].find(b => b.textContent === "
            "'Delete').click()"
        )
        self.wait_traces(1)
        self.assertEqual(self.traces(), [newest])
        # Everything twice: messages that are joined are merged.
        trainer.client.trace(
            2 * self.data,
            number=trainer.rows[0]["traces"],
            start_ns=time.time_ns(),
            graph="g1",
        )
        self.wait_traces(2)
        for box in range(2):
            self.evaluate(
                "document.querySelectorAll("
                "'tr[data-trace] input')[%d].click()" % box
            )
        self.push("Compare two")
        self.page.wait("location.pathname === '/compare'")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )
        self.shot("live_compare")
        self.assertIn("MatMul", self.evaluate("document.body.innerText"))
        self.open("/")
        self.push("All as steps")
        self.page.wait("location.pathname === '/steps'")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelectorAll('tbody tr').length"), 2
        )
        self.shot("live_steps")
        self.open("/")
        self.push("Mean and variance")
        self.page.wait("location.pathname === '/average'")
        self.ready()
        self.assertIn("MatMul", self.evaluate("document.body.innerText"))
        self.shot("live_average")

    def test_ranks_side_by_side(self):
        for rank in range(2):
            trainer = self.train(ranks=2, rank=rank, key="k%d" % rank)
            trainer.client.trace(
                self.data, start_ns=time.time_ns(), count=7, graph="g1"
            )
            trainer.rows[0]["traces"] += 1
        self.open()
        self.wait_traces(2)
        self.push("Ranks")
        self.page.wait("location.pathname === '/ranks'")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )
        self.assertIn("rank", self.evaluate("document.body.innerText"))
        self.shot("live_ranks")

    def test_a_thousand_kinds_of_run(self):
        self.train(rows=["run_%04d" % i for i in range(1000)])
        self.open()
        self.page.wait(
            "document.querySelectorAll('tr[data-run]').length === 1000"
        )
        self.page.key("/")
        self.page.type("run_0777")
        self.page.wait("document.querySelectorAll('tr[data-run]').length === 1")
        self.shot("live_thousand")

    def test_a_server_that_comes_back(self):
        trainer = self.train()
        self.open()
        self.press("c1/0", "Trace next")
        self.wait_traces(1)
        trainer.__exit__()
        self.may_fail = True  # the browser logs what cannot be reached
        self.server.stop(signal.SIGKILL)
        self.page.wait("document.body.innerText.includes('does not answer')")
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write(self.server.token)
        again = LiveServer(
            binary,
            "-session",
            self.session,
            "-token_file",
            token,
            "-port",
            str(self.server.port),
        )
        self.addCleanup(again.stop)
        self.page.wait("!document.body.innerText.includes('does not answer')")
        self.wait_traces(1)
        self.open("/", again)
        self.wait_traces(1)

    def test_a_page_outlives_ten_servers(self):
        self.may_fail = True  # the browser logs what cannot be reached
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write(self.server.token)
        self.open()
        server = self.server
        for number in range(RESTARTS):
            server.stop(signal.SIGKILL)
            self.page.wait("document.body.innerText.includes('not answer')")
            port = str(self.server.port)
            server = LiveServer(
                binary,
                *("-session", self.session),
                *("-token_file", token, "-port", port),
            )
            self.addCleanup(server.stop)
            begin = time.monotonic()
            self.page.wait("!document.body.innerText.includes('not answer')")
            # It is back when it shows what the new server says.
            trainer = Trainer(server, self.data, rows=("restart:%d" % number,))
            trainer.__enter__()
            self.addCleanup(trainer.__exit__)
            self.page.wait(
                "document.body.innerText.includes('restart:%d')" % number
            )
            self.assertLess(time.monotonic() - begin, BACK_SECONDS, number)
            self.assertNotIn(
                "Signed out", self.evaluate("document.body.innerText")
            )
            trainer.__exit__()
        # The next page is not signed out either.
        self.evaluate("document.body.dataset.ready = ''; location.reload()")
        self.page.wait("document.body?.dataset.ready === 'true'")
        self.assertEqual(
            self.evaluate("document.querySelector('h1').textContent"), "Runs"
        )

    def test_another_token_signs_a_page_out(self):
        self.may_fail = True
        self.open()
        self.server.stop(signal.SIGKILL)
        again = LiveServer(
            binary,
            *("-session", self.session, "-port", str(self.server.port)),
        )
        self.addCleanup(again.stop)
        self.page.wait("document.body.innerText.includes('Signed out')")

    def test_a_saved_session_elsewhere(self):
        trainer = self.train()
        trainer.client.trace(self.data, start_ns=time.time_ns())
        trainer.rows[0]["traces"] += 1
        trainer.__exit__()
        self.server.stop()
        moved = os.path.join(self.folder, "moved")
        shutil.move(self.session, moved)
        server = self.serve(moved)
        self.open("/", server)
        self.wait_traces(1)
        self.assertIn(
            "A saved session", self.evaluate("document.body.innerText")
        )
        self.assertTrue(
            self.evaluate(
                "[...document.querySelectorAll('tr[data-run] button')]"
                ".every(b => b.disabled || b.hidden)"
            )
        )
        self.evaluate("document.querySelector('tr[data-trace] a').click()")
        self.page.wait("location.pathname === '/overview'")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )
        self.shot("live_saved")


class LiveDarkNarrowTest(LivePageTest):
    size = (480, 900)
    dark = True


if __name__ == "__main__":
    sys.exit(browser.main("live_page"))
