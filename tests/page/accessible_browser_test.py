#!/usr/bin/env python3
"""Tests that axe-core finds nothing serious on the pages, in Chromium.

Usage: AXE_SCRIPT=axe.min.js accessible_browser_test.py
           --bin=bazel-bin/profiler/tfprof [TEST…]

Every page of `tfprof serve`, of a session of running programs, and the timeline
page as a file; wide and narrow, light and dark. `./dev test-page` gets axe-core
from npm.
"""

import gzip
import os
import pickle
import subprocess
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
    os.path.join(TESTS, "fleet"),
]
import axe
import browser
import make_ranks
from live_client import LiveServer, Trainer
from memory_browser_test import snapshot

from server import Server

TUTORIAL = os.path.join(TESTS, "docs", "tutorial")
PROFILES = os.path.join(TESTS, "golden", "profiles")
CNN = os.path.join(TESTS, "gpu", "recorded", "train_cnn", "trace.json.gz")
FUZZ = os.path.join(TESTS, "fuzz", "corpus")
WIDTHS = (1440, 390)
READY = "document.body.dataset.ready === 'true'"
binary = None


class AccessibleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check(self, address, *acts):
        """Checks the page as it opens, and after each act, a script."""
        for width in WIDTHS:
            self.browser.size = (width, 900)
            page = self.browser.open(address)
            for act in ("true", *acts):
                page.evaluate(act)
                page.settle()
                for dark in (False, True):
                    page.dark(dark)
                    with self.subTest(
                        page=address, act=act, width=width, dark=dark
                    ):
                        rules = axe.OF_COLORS if dark else ()
                        self.assertEqual(axe.findings(page, rules), [])
            page.close()

    def serve(self, *inputs):
        server = Server(binary, *inputs)
        self.addCleanup(server.stop)
        # Once: the cookie stays.
        self.browser.open(server.address).close()
        return "http://%s/" % server.host

    def test_all_pages_of_a_profile(self):
        home = self.serve(
            os.path.join(TUTORIAL, "before.pb.gz"), "-source_path", TUTORIAL
        )
        page = self.browser.open(home)
        paths = page.evaluate(
            "[...document.querySelectorAll('#views a')].map(a => "
            "a.getAttribute('href').slice(1))"
        )
        page.close()
        self.assertGreater(len(paths), 15)
        for path in paths:
            self.check(home + path)
        self.check(home + "overview?step=110")
        self.check(home + "source?argument=train.py:37")
        self.check(
            home + "op",
            "document.querySelector('#options').open = true",
        )
        self.check(home + "op?profile=none.pb")

    def test_pages_of_a_gpu_trace(self):
        home = self.serve(CNN)
        for path in ("overview", "op", "kernels", "devices", "memory"):
            self.check(home + path)
        for path in ("roofline", "critical_path", "flame", "steps"):
            self.check(home + path)

    def test_pages_of_ranks(self):
        make_ranks.make_job(
            self.folder,
            ranks=8,
            steps=12,
            seed=1,
            faults=make_ranks.Faults(slow={5: 1.25}),
        )
        home = self.serve(
            *(
                os.path.join(self.folder, name)
                for name in sorted(os.listdir(self.folder))
            )
        )
        for path in ("overview", "ranks", "steps"):
            self.check(home + path)

    def test_pages_of_a_comparison(self):
        home = self.serve(
            os.path.join(TUTORIAL, "after.pb.gz"),
            "--base=" + os.path.join(TUTORIAL, "before.pb.gz"),
        )
        for query in ("", "&of=steps"):
            self.check(home + "compare?base=before.pb.gz" + query)

    def test_pages_of_other_recordings(self):
        path = os.path.join(self.folder, "snapshot.pickle")
        with open(path, "wb") as file:
            pickle.dump(snapshot(), file, 4)
        self.check(
            self.serve(path) + "memory",
            "document.querySelector('canvas').focus()",
        )
        records = os.path.join(FUZZ, "flight_recorder")
        self.check(
            self.serve(*(os.path.join(records, n) for n in os.listdir(records)))
            + "collectives"
        )
        log = os.path.join(FUZZ, "compile_log", "small.log")
        self.check(self.serve(log) + "compiles")

    def test_pages_of_a_session(self):
        record = os.path.join(PROFILES, "multi_cpu", "run_meta_1")
        with open(record, "rb") as file:
            data = file.read()
        with gzip.open(
            os.path.join(PROFILES, "multi_cpu", "graph.pb.gz")
        ) as file:
            graph = file.read()
        session = os.path.join(self.folder, "session")
        server = LiveServer(binary, "-port", "0", "-session", session)
        self.addCleanup(server.stop)
        with Trainer(server, data, graph=graph) as trainer:
            for number in range(2):
                sent = trainer.client.trace(
                    data, number=number, start_ns=time.time_ns(), graph="g1"
                )
                self.assertEqual(sent.status, 201, sent.body)
                trainer.rows[0]["traces"] += 1
            page = self.browser.open(server.address)
            page.wait("document.querySelectorAll('tr[data-trace]').length > 1")
            page.close()
            home = "http://%s/" % server.host
            more = (
                "[...document.querySelectorAll('tr[data-run] button')]"
                ".find(b => b.textContent === 'More …').click()"
            )
            self.check(home, more)
            self.check(home + "average")

    def test_the_timeline_as_a_file(self):
        path = os.path.join(self.folder, "timeline.html")
        tabs = (
            "[...document.querySelectorAll('[role=tab]')][%d].click()" % at
            for at in range(1, 6)
        )
        subprocess.run(
            [binary, CNN, "timeline", "-output", "html:outfile=" + path],
            check=True,
            capture_output=True,
        )
        self.check(
            "file://" + path,
            "tfprofPage.app.select(100, true)",
            *tabs,
            "document.getElementById('help').showModal()",
        )

    def test_the_check_finds_what_it_looks_for(self):
        path = os.path.join(self.folder, "bad.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "<!doctype html><title>bad</title><body data-ready=true>"
                "<img src=x><p style='color:#bbb'>pale</p>"
            )
        text = "\n".join(axe.findings(self.browser.open("file://" + path)))
        for word in ("html-has-lang", "image-alt", "color-contrast"):
            self.assertIn(word, text)


if __name__ == "__main__":
    try:
        axe.script()
    except RuntimeError as error:
        sys.exit("accessible_browser_test.py: %s" % error)
    sys.exit(browser.main("accessible_page"))
