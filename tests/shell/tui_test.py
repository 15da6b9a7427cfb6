#!/usr/bin/env python3
"""Tests of the full-screen browser: the real program on a pseudo-terminal.

Usage: tests/shell/tui_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

A small terminal emulator reads what the program writes, so that the tests see
what a person sees. They press keys and check the screen, and that the terminal
is as before whatever ends the program. Unit tests check the keys in each state
(profiler/tui/browser_test.cc). Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner

PROFILES = os.path.join(TESTS, "golden", "profiles")
RESNET = os.path.join(PROFILES, "conv_resnet", "profile.pb")
STEPS = os.path.join(PROFILES, "multi_step", "profile.pb.gz")
ODD = os.path.join(PROFILES, "odd_names", "graph.pb")

# The longest that any answer may take, on a busy machine.
TIMEOUT = 20
# A screen is complete when nothing came for so long.
QUIET = 0.06

# Modes: the alternate screen, reports of the mouse, a cursor that is seen.
ALTERNATE, MOUSE, CURSOR = 1049, 1000, 25

UP, DOWN, RIGHT, LEFT = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD"
ENTER, TAB = "\r", "\t"

# A control sequence, another escape sequence, or a character.
TOKEN = re.compile(
    r"\x1b\[([?>=]?)([\d;]*)([@-~])|\x1b[()][A-Z0-9]|"
    r"\x1b[=>78cM]|([^\x1b])",
    re.DOTALL,
)

binary = ""  # of junit_runner.main()


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Emulator:
    """The part of xterm that ncurses uses."""

    def __init__(self, rows, columns):
        self.modes = set()
        self.rest = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1
        self.last = " "
        self.hidden = None  # the cells of the other screen

    def line(self, y):
        return "".join(self.cells[y]).rstrip()

    def text(self):
        return "\n".join(self.line(y) for y in range(self.rows))

    def feed(self, data):
        self.rest += self.decoder.decode(data)
        at = 0
        while at < len(self.rest):
            match = TOKEN.match(self.rest, at)
            if match is None:  # it is not complete
                break
            at = match.end()
            if match.group(3):
                numbers = [
                    int(n) if n else 0 for n in match.group(2).split(";")
                ]
                self.control(match.group(1), numbers, match.group(3))
            elif match.group(4):
                self.character(match.group(4))
            elif match.group() == "\x1bM":
                self.scroll(-1) if self.y == self.top else self.move(-1, 0)
        self.rest = self.rest[at:]

    def character(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            if self.y == self.bottom:
                self.scroll(1)
            else:
                self.move(1, 0)
        elif c == "\b":
            self.x = max(self.x - 1, 0)
        elif c == "\t":
            self.x = min((self.x // 8 + 1) * 8, self.columns - 1)
        elif c >= " ":
            self.put(c)

    def put(self, c):
        width = width_of(c)
        if width == 0:
            self.cells[self.y][max(self.x - 1, 0)] += c
            return
        if self.x + width > self.columns:
            self.character("\r")
            self.character("\n")
        self.cells[self.y][self.x] = c
        if width == 2:
            self.cells[self.y][self.x + 1] = ""
        self.last = c
        self.x += width

    def move(self, rows, columns):
        self.y = min(max(self.y + rows, 0), self.rows - 1)
        self.x = min(max(self.x + columns, 0), self.columns - 1)

    def scroll(self, lines):
        region = self.cells[self.top : self.bottom + 1]
        for _ in range(abs(lines)):
            if lines > 0:
                region = region[1:] + [[" "] * self.columns]
            else:
                region = [[" "] * self.columns] + region[:-1]
        self.cells[self.top : self.bottom + 1] = region

    def erase(self, y, begin, end):
        self.cells[y][begin:end] = [" "] * (end - begin)

    def set_modes(self, modes, on):
        if ALTERNATE in modes and on != (ALTERNATE in self.modes):
            self.cells, self.hidden = (
                self.hidden or [[" "] * self.columns for _ in range(self.rows)],
                self.cells,
            )
        self.modes = self.modes | modes if on else self.modes - modes

    def control(self, private, numbers, final):
        n = max(numbers[0], 1)
        row = self.cells[self.y] if self.y < self.rows else []
        x = min(self.x, self.columns - 1)
        if private:
            if private == "?" and final in "hl":
                self.set_modes(set(numbers), final == "h")
        elif final == "H":
            self.y = min(n, self.rows) - 1
            self.x = (
                min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns)
                - 1
            )
        elif final in "ABCD":
            self.move(
                {"A": -n, "B": n}.get(final, 0), {"C": n, "D": -n}.get(final, 0)
            )
        elif final == "G":
            self.x = min(n, self.columns) - 1
        elif final == "d":
            self.y = min(n, self.rows) - 1
        elif final == "K":
            begin = x if numbers[0] == 0 else 0
            self.erase(
                self.y, begin, x + 1 if numbers[0] == 1 else self.columns
            )
        elif final == "J":
            if numbers[0] == 0:
                self.erase(self.y, x, self.columns)
            for y in range(self.y + 1 if numbers[0] == 0 else 0, self.rows):
                self.erase(y, 0, self.columns)
        elif final == "X":
            self.erase(self.y, x, min(x + n, self.columns))
        elif final == "P":
            row[x:] = row[x + n :] + [" "] * min(n, self.columns - x)
        elif final == "@":
            row[x:] = ([" "] * n + row[x:])[: self.columns - x]
        elif final == "b":
            for _ in range(n):
                self.put(self.last)
        elif final in "LM":
            top, self.top = self.top, self.y
            self.scroll(-n if final == "L" else n)
            self.top = top
        elif final in "ST":
            self.scroll(n if final == "S" else -n)
        elif final == "r":
            self.top = n - 1
            self.bottom = (numbers[1] if len(numbers) > 1 else self.rows) - 1
            self.y = self.x = 0
        elif final not in "mlht":
            raise AssertionError("unknown sequence: %r %s" % (numbers, final))


class Browser:
    """A program on a terminal that shows the screen of the emulator."""

    def __init__(self, home, words, rows, columns, extra):
        env = {
            "TERM": "xterm-256color",
            "HOME": home,
            "LC_ALL": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "PAGER": "cat",
        }
        env.update(extra)
        self.emulator = Emulator(rows, columns)
        self.status = None
        # The child waits until its window has a size.
        ready, go = os.pipe()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.close(go)
            os.read(ready, 1)
            os.execve(words[0], words, env)
        os.close(ready)
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.master)
        os.close(go)

    def resize(self, rows, columns):
        self.emulator.resize(rows, columns)
        fcntl.ioctl(
            self.master,
            termios.TIOCSWINSZ,
            struct.pack("HHHH", rows, columns, 0, 0),
        )

    def press(self, keys):
        os.write(self.master, keys.encode())

    def read(self, seconds):
        """Reads for that time; False at the end of the output."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.emulator.feed(data)
        return bool(data)

    def wait_for(self, is_good, what):
        deadline = time.monotonic() + TIMEOUT
        while True:
            # The rest of a screen that is being drawn comes at once.
            more = True
            while more and select.select([self.master], [], [], QUIET)[0]:
                more = self.read(0)
            if is_good():
                return
            if not more or time.monotonic() > deadline:
                raise AssertionError(
                    "never: %s; the screen is\n%s"
                    % (what, self.emulator.text())
                )

    def expect(self, pattern):
        """Waits until the screen has the pattern; returns the screen."""
        self.wait_for(lambda: re.search(pattern, self.emulator.text()), pattern)
        return self.emulator.text()

    def expect_not(self, pattern):
        self.wait_for(
            lambda: not re.search(pattern, self.emulator.text()),
            "no " + pattern,
        )

    def wait(self):
        """Waits for the end; returns the exit status."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while select.select([self.master], [], [], 0)[0] and self.read(
                    0
                ):
                    pass
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        raise AssertionError("no end; the screen is\n" + self.emulator.text())

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)


class TuiTest(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="tfprof_tui_")
        self.addCleanup(shutil.rmtree, self.home)

    def start_words(self, words, rows=24, columns=80, **extra):
        browser = Browser(self.home, words, rows, columns, extra)
        self.addCleanup(browser.close)
        return browser

    def start(self, *words, **options):
        browser = self.start_words(
            [binary, "tui", *(words or [RESNET])], **options
        )
        self.wait_for_tree(browser)
        return browser

    def wait_for_tree(self, browser):
        browser.expect("q quit")
        browser.expect_not("Working")

    def check_restored(self, browser):
        self.assertEqual(termios.tcgetattr(browser.master), browser.before)
        modes = browser.emulator.modes
        self.assertNotIn(ALTERNATE, modes)
        self.assertNotIn(MOUSE, modes)
        self.assertIn(CURSOR, modes)

    def test_three_panes_at_two_sizes(self):
        for rows, columns in ((24, 80), (50, 200)):
            with self.subTest(columns=columns):
                browser = self.start(rows=rows, columns=columns)
                self.assertIn(ALTERNATE, browser.emulator.modes)
                seen = browser.expect("average.*\n").split("\n")
                self.assertRegex(seen[0], "scope, by time, average")
                self.assertRegex(seen[1], r"step .*│.*scope .*time.*│details")
                for line in seen[1 : rows - 2]:
                    self.assertEqual(line.count("│"), 2, line)
                browser.press("vv")
                # The slow op is the first one, with its share.
                browser.expect(r"│▸ Conv2D +26.68ms +41.8%")
                browser.press("q")
                self.assertEqual(browser.wait(), 0)
                self.check_restored(browser)

    def test_keys_lead_to_a_node(self):
        browser = self.start()
        browser.press("vv")
        browser.expect("op, by time")
        browser.press(RIGHT + DOWN)
        browser.expect(r"▾ Conv2D")
        # The details are what `show` prints.
        browser.press(ENTER)
        seen = browser.expect(r"op +Conv2D")
        name = seen.split("\n")[-2].strip()
        shown = subprocess.run(
            [binary, RESNET, "show", name],
            check=True,
            capture_output=True,
            timeout=TIMEOUT,
        )
        took = re.search(r"^time +(\S+)", shown.stdout.decode(), re.M).group(1)
        self.assertRegex(seen, r"time +" + re.escape(took))
        browser.press(TAB + TAB + "/" + "gradients\r")
        browser.expect(r"rows? ha(s|ve) \"gradients\"")
        browser.press("\x03")
        self.assertEqual(browser.wait(), 0)

    def test_differences(self):
        browser = self.start(STEPS, columns=120)
        browser.press("d")
        browser.expect("Compare with the file:")
        browser.press(RESNET + "\r")
        browser.expect("difference to the base")
        browser.expect(r"delta(.|\n)*[+-][\d.]+[mu]s")

    def test_every_end_restores_the_terminal(self):
        ends = {
            "q": lambda b: b.press("q"),
            "Ctrl-C": lambda b: b.press("\x03"),
            "Ctrl-\\": lambda b: b.press("\x1c"),
            "SIGTERM": lambda b: os.kill(b.pid, signal.SIGTERM),
            "SIGINT": lambda b: os.kill(b.pid, signal.SIGINT),
            "SIGHUP": lambda b: os.kill(b.pid, signal.SIGHUP),
            "SIGSEGV": lambda b: os.kill(b.pid, signal.SIGSEGV),
        }
        statuses = {
            "q": 0,
            "Ctrl-C": 0,
            "SIGINT": 0,
            "Ctrl-\\": -signal.SIGQUIT,
            "SIGTERM": -signal.SIGTERM,
            "SIGHUP": -signal.SIGHUP,
            "SIGSEGV": -signal.SIGSEGV,
        }
        for name, end in ends.items():
            with self.subTest(name):
                browser = self.start()
                self.assertNotEqual(
                    termios.tcgetattr(browser.master), browser.before
                )
                self.assertIn(MOUSE, browser.emulator.modes)
                end(browser)
                self.assertEqual(browser.wait(), statuses[name])
                self.check_restored(browser)

    def test_stopped_and_continued(self):
        script = 'set -m; "$0" tui "$1"; echo STOPPED; read; fg; echo END $?'
        browser = self.start_words(["/bin/bash", "-c", script, binary, RESNET])
        self.wait_for_tree(browser)
        browser.press("\x1a")
        browser.expect("STOPPED")
        self.check_restored(browser)
        browser.press("\n")
        browser.expect("q quit")
        self.assertIn(ALTERNATE, browser.emulator.modes)
        browser.press("vv")
        browser.expect("op, by time")
        browser.press("q")
        browser.expect("END 0")
        self.check_restored(browser)

    def test_a_window_that_changes(self):
        browser = self.start()
        browser.resize(40, 160)
        self.assertRegex(browser.expect("f filter").split("\n")[39], "q quit")
        browser.resize(24, 60)
        browser.expect_not("details")
        browser.resize(5, 30)
        browser.expect("This window is 30x5")
        browser.resize(24, 80)
        browser.expect("details")

    def test_the_mouse(self):
        browser = self.start(STEPS)
        # A click on the step of line 6, in SGR form.
        row = next(
            y for y in range(24) if re.match(r" *10 ", browser.emulator.line(y))
        )
        browser.press("\x1b[<0;4;%dM" % (row + 1))
        browser.expect("by time, step 10")

    def test_odd_names_and_ascii(self):
        browser = self.start(ODD, rows=50, columns=160)
        browser.press("q")
        browser.wait()
        browser = self.start(ODD, rows=50, columns=160, LC_ALL="C")
        self.assertTrue(
            browser.emulator.text().isascii(), browser.emulator.text()
        )

    def test_from_the_prompt_and_back(self):
        browser = self.start_words([binary, RESNET])
        browser.expect(r"tfprof>\s*$")
        browser.press("tui -step 0\r")
        browser.expect("step 0.*\n")
        browser.press("q")
        browser.wait_for(lambda: ALTERNATE not in browser.emulator.modes, "end")
        # The line editor still works: the arrow brings the line back.
        browser.press("pwd\r")
        browser.expect(r"pwd\n/\n")
        browser.press("tui > x\r")
        browser.expect("it cannot be redirected")
        self.assertEqual(os.listdir(self.home).count("x"), 0)
        browser.press("exit\r")
        self.assertEqual(browser.wait(), 0)

    def test_without_a_terminal_it_says_what_is_missing(self):
        run = subprocess.run(
            [binary, "tui", RESNET],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=TIMEOUT,
        )
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        self.assertEqual(
            run.stderr,
            b"tfprof: tui needs a terminal: stdin and stdout must be one\n",
        )
        for term, why in (
            ("dumb", "dumb is none"),
            ("nonsense", "has none"),
            ("", "TERM is not set"),
        ):
            with self.subTest(term):
                browser = self.start_words([binary, "tui", RESNET], TERM=term)
                self.assertEqual(browser.wait(), 2)
                text = browser.emulator.text().replace("\n", " ")
                self.assertIn(why, text)
                self.assertEqual(
                    termios.tcgetattr(browser.master), browser.before
                )
                self.assertEqual(browser.emulator.modes, set())


if __name__ == "__main__":
    sys.exit(junit_runner.main("tui"))
