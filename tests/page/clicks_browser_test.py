#!/usr/bin/env python3
"""Counts the clicks from a slow program to the line of code that makes it slow.

Usage: clicks_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Four traces of a simulated machine have a planted cause each: input that the
training thread prepares, numbers that are read back from the device, operations
that are too small for their launches, and a layer that is slower than its
siblings. A person opens the page, follows the first finding, and must see the
line after at most three clicks, in the server and in the file of the timeline
page. Three lines of Python must find it too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
sys.path[:0] = [
    TESTS,
    os.path.join(TESTS, "page"),
    os.path.join(TESTS, "serve"),
    os.path.join(TESTS, "traces"),
    os.path.join(TESTS, "bottlenecks", "causes"),
]
import browser
import plant_device  # noqa: F401 (adds cases)
import plant_host  # noqa: F401 (adds cases)
import truth
import write_kineto
from serve_page import ServeTest

MOST_CLICKS = 3
MOST_LINES = 3
# The case, the line that is to blame, and the texts that a person clicks on the
# overview and on the timeline page.
CAUSES = {
    "input_in_process-kineto": (
        "dataset.py:61",
        ["dataset.py:61"],
        ["Findings", "Show it"],
    ),
    "read_back-kineto": (
        "train.py:52",
        ["train.py:52"],
        ["Findings", "Show it"],
    ),
    "slow_launches-kineto": (
        "train.py:52",
        ["Code of aten::mm", "source"],
        ["Findings", "Show it"],
    ),
    "outlier_layer-kineto": (
        "train.py:52",
        ["Code of aten::mm", "source"],
        ["Findings", "Show it"],
    ),
}
binary = None
folder = None


def setUpModule():
    global folder
    folder = tempfile.TemporaryDirectory()
    for case in truth.ALL:
        if case.name in CAUSES:
            job, _ = case.build()
            place = os.path.join(folder.name, case.name)
            os.mkdir(place)
            write_kineto.write(job, place)
    ClicksTest.inputs = (folder.name,)


def tearDownModule():
    folder.cleanup()


def profile_of(name):
    (file,) = os.listdir(os.path.join(folder.name, name))
    return f"{name}/{file}"


class ClicksTest(ServeTest):
    size = (1440, 900)

    def click(self, text):
        """Clicks the first link or button that begins with a text."""
        place = self.evaluate(
            """(() => {
              const of = [...document.querySelectorAll("a, button")].find(
                (e) => e.textContent.trim().startsWith(%r) &&
                  e.checkVisibility() && !e.closest("#views"));
              if (!of) return null;
              of.scrollIntoView({ block: "center" });
              const { x, y, width, height } = of.getBoundingClientRect();
              return [x + width / 2, y + height / 2];
            })()"""
            % text
        )
        self.assertIsNotNone(place, "nothing is called " + text)
        self.page.click(*place)

    def follow(self, clicks, ready):
        for text in clicks:
            self.click(text)
            self.page.wait(ready)
            self.page.settle()
        self.assertLessEqual(len(clicks), MOST_CLICKS)

    def test_in_the_server(self):
        for name, (line, clicks, _) in CAUSES.items():
            with self.subTest(name=name):
                self.open("/overview?profile=" + profile_of(name))
                self.follow(clicks, "document.body.dataset.ready === 'true'")
                self.assertIn("/source?", self.evaluate("location.href"))
                file, number = line.split(":")
                text = self.evaluate("document.querySelector('main').innerText")
                self.assertIn(file, text)
                # The line itself is the one that the page shows.
                shown = self.evaluate(
                    "[...document.querySelectorAll('main [aria-current] td')]"
                    ".map(cell => cell.textContent)"
                )
                self.assertIn(number, shown)
                self.doCleanups()

    def test_in_the_file_of_the_timeline(self):
        for name, (line, _, clicks) in CAUSES.items():
            with self.subTest(name=name):
                file = os.path.join(folder.name, name + ".html")
                subprocess.run(
                    [
                        binary,
                        os.path.join(folder.name, profile_of(name)),
                        "timeline",
                        "-output",
                        "html:outfile=" + file,
                    ],
                    check=True,
                    capture_output=True,
                )
                self.page = self.browser.open("file://" + file)
                self.follow(clicks, "true")
                text = self.evaluate(
                    "document.getElementById('panel').innerText"
                )
                self.assertIn(line, text)
                self.page.close()


class PythonTest(unittest.TestCase):
    def package(self):
        """A copy of the package with its generated part."""
        place = os.path.join(folder.name, "package")
        package = os.path.join(place, "tfprof")
        shutil.copytree(os.path.join(ROOT, "python", "tfprof"), package)
        make = os.path.join(ROOT, "python", "make_commands.py")
        subprocess.run(
            [sys.executable, "-B", make, binary, package], check=True
        )
        return place

    def test_three_lines(self):
        lines = (
            "import tfprof",
            "profile = tfprof.open(FILE)",
            "print(profile.advise('all'), profile.code(max_depth=100))",
        )
        self.assertLessEqual(len(lines), MOST_LINES)
        package = self.package()
        for name, (line, _, _) in CAUSES.items():
            with self.subTest(name=name):
                code = "\n".join(lines).replace(
                    "FILE", repr(os.path.join(folder.name, profile_of(name)))
                )
                done = subprocess.run(
                    [sys.executable, "-c", code],
                    env={
                        **os.environ,
                        "PYTHONPATH": package,
                        "TFPROF_BINARY": os.path.abspath(binary),
                    },
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(line, done.stdout)


if __name__ == "__main__":
    sys.exit(browser.main("clicks_page"))
