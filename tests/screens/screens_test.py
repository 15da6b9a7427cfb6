#!/usr/bin/env python3
"""Tests of the screens that once misled: each on windows of three widths.

Usage: tests/screens/screens_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Each screen is a command under a pseudo-terminal, without a pager. SCREENS says
what must be there and what must not. In all of them no line is wider than the
window. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import fcntl
import json
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
TUTORIAL = os.path.join(TESTS, "docs", "tutorial")
BEFORE = os.path.join(TUTORIAL, "before.pb.gz")
AFTER = os.path.join(TUTORIAL, "after.pb.gz")
RESNET = os.path.join(PROFILES, "conv_resnet", "profile.pb")
TRANSFORMER = os.path.join(PROFILES, "transformer", "profile.pb.gz")
CODE = os.path.join(PROFILES, "code_deep", "profile.pb.gz")
GPU = os.path.join(PROFILES, "synth_gpu", "profile.pb.gz")
STEPS = os.path.join(PROFILES, "multi_step", "profile.pb.gz")

WIDTHS = (80, 120, 200)
PROMPT = "tfprof> "
# The longest that any answer may take, on a busy machine.
TIMEOUT = 60

binary = ""  # of junit_runner.main()

# For each screen: its name, the arguments, the expected exit status, the texts
# that must be there (regular expressions, in this order), and the texts that
# must not.
SCREENS = [
    # The biggest rows come first. A number says how much is hidden, which is
    # the smaller part.
    (
        "op",
        [BEFORE, "op"],
        0,
        [r"largest first", r"\nop|\nname +time", r"\nSvd "],
        [r"are within the limits and filters"],
    ),
    (
        "op hides little",
        [RESNET, "op"],
        0,
        [
            r"\nname +time.* share",
            r"\nConv2D ",
            r"\nFusedBatchNormV3 ",
            r"\n\+ \d+ rows, [\d.]+[mu]s \([\d.]+%\)",
        ],
        [],
    ),
    (
        "op by a word of the screen",
        [BEFORE, "op", "-order_by", "time"],
        0,
        [r"\nSvd "],
        [r"Invalid option"],
    ),
    (
        "op in the other spelling",
        [BEFORE, "op", "-order_by=micros"],
        0,
        [r"\nSvd "],
        [],
    ),
    # A step 15 times longer than the others.
    (
        "advise",
        [STEPS, "advise", "all"],
        0,
        [r"steps_differ +step 10", r"23\.68ms", r"Looked for"],
        [r"Nothing to advise", r"branch, cpu: 0us"],
    ),
    ("steps", [STEPS, "steps"], 0, [r"\nstep +wall", r"\n +10 +23\.68ms"], []),
    (
        "explain",
        [STEPS, "explain", "step", "10"],
        0,
        [
            r"step 10 takes 23\.68ms",
            r"\npart +name +time",
            r"Shown by:\n",
            r"\n  show branch/mm2 -step 10\n",
        ],
        [],
    ),
    # The same device by two commands.
    (
        "devices",
        [GPU, "devices"],
        0,
        [r"\nkind +executions +busy +busy/span"],
        [r"busy +share"],
    ),
    (
        "overview",
        [STEPS, "overview"],
        0,
        [
            r"File +",
            r"Steps +6",
            r"step 10",
            r"Wall +step 40.*busy.*idle",
            r"\n +cpu:0 +87us",
            r"Account +not recorded ",
            r"Next +explain step 10",
        ],
        [r"--run_log_path"],
    ),
    # A row that explains a change is never left out.
    (
        "compare",
        ["--base", BEFORE, AFTER, "op"],
        0,
        [r"\nop .*status", r"\nSvd +gone", r"\nall "],
        [],
    ),
    (
        "compare with noise",
        ["--base", AFTER, BEFORE, "op"],
        0,
        [r"\nop .*status.*change +noise", r"\nSvd +new"],
        [],
    ),
    (
        "steps beside a base",
        ["--base", AFTER, BEFORE, "steps"],
        0,
        [r"vs base +mean 1\.\d+ms to 6\.\d+ms \(\+\d+\.\d%\)"],
        [],
    ),
    (
        "top beside a base",
        ["--base", AFTER, BEFORE, "top"],
        0,
        [r"\nname +.*status +time before +after +delta", r"\n\S+ +new"],
        [],
    ),
    (
        "check",
        ["check", AFTER, BEFORE],
        1,
        [r"mean step\.span_micros", r"FAIL +new\.micros", r"Svd"],
        [],
    ),
    # Trees.
    (
        "scope",
        [RESNET, "scope"],
        0,
        [
            r"largest first",
            r"\nname .* time",
            r"\n_TFProfRoot +",
            r"\n  resnet ",
            r"\n    resnet/block3 ",
            r"\n\+ \d+ rows",
        ],
        [],
    ),
    ("graph", [RESNET, "graph"], 0, [r"\nname .* time", r"\n  Adam "], []),
    (
        "code",
        [CODE, "code"],
        0,
        [
            r"frames\s+of\s+libraries\s+folded\s+\(-frames\s+all\)",
            r"\nname .* time",
            r":code_deep",
        ],
        [r"error_handler", r"op_dispatch_handler"],
    ),
    (
        "code with all frames",
        [CODE, "code", "-frames", "all"],
        0,
        [r":code_deep", r"dispatch_handler"],
        [r"folded"],
    ),
    ("top", [RESNET, "top"], 0, [r"\n +time +share.*node", r"Conv2D"], []),
    # First contact.
    (
        "help",
        ["help"],
        0,
        [r"  overview ", r"\n  op ", r"help COMMAND"],
        [r"--run_log_path"],
    ),
    (
        "help on a word of the screen",
        ["help", "cumulative"],
        0,
        [r"^cumulative"],
        [r"NOT_FOUND"],
    ),
    (
        "help for a command",
        ["op", "--help"],
        0,
        [r"by the type of operation", r"-max_depth"],
        [r"--profile_path"],
    ),
    (
        "no arguments",
        [],
        0,
        [r"usage: tfprof", r"tfprof help"],
        [r"--run_log_path"],
    ),
    # Errors.
    (
        "no such command",
        ["opp"],
        1,
        [r"opp\s+is\s+neither\s+a\s+command", r"did\s+you\s+mean\s+op"],
        [],
    ),
    (
        "no such step",
        [BEFORE, "op", "-step", "7777"],
        1,
        [r"7777", r"100 101 102"],
        [],
    ),
    (
        "no regular expression",
        [BEFORE, "op", "-show_name_regexes", "("],
        2,
        [r"is not a valid regular expression"],
        [],
    ),
]

# Lines that a person types are whole, however wide the window is.
COMMAND = re.compile(r"^  (show|ls|op|code|steps|devices|explain) ")


def columns_of(line):
    """The width of a line on a terminal."""
    return sum(
        0
        if unicodedata.combining(c)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in line
    )


class Window:
    """tfprof whose standard streams are a pseudo-terminal of that size."""

    def __init__(self, arguments, columns, rows=24, home="/nonexistent"):
        env = dict(
            os.environ,
            TERM="xterm",
            LC_ALL="C.UTF-8",
            PAGER="",
            NO_COLOR="1",
            HOME=home,
            XDG_STATE_HOME=home,
        )
        self.master, slave = pty.openpty()
        fcntl.ioctl(
            self.master,
            termios.TIOCSWINSZ,
            struct.pack("HHHH", rows, columns, 0, 0),
        )
        self.process = subprocess.Popen(
            [binary] + arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            cwd=home if os.path.isdir(home) else None,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.bytes = b""

    def read(self, until=None):
        """Reads until the end, or until these bytes come."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            if until is not None and until in self.bytes:
                return True
            ready, _, _ = select.select([self.master], [], [], 0.2)
            if not ready:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                return False
            if not data:
                return False
            self.bytes += data
        raise AssertionError("no end; the screen has %r" % self.bytes[-2000:])

    def type(self, text):
        os.write(self.master, text.encode())

    def text(self):
        """The written text, without escape sequences."""
        text = self.bytes.decode("utf-8", "replace")
        text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)
        return text.replace("\r\n", "\n")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


class ScreensTest(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="tfprof_screens_")
        self.addCleanup(shutil.rmtree, self.home)

    def run_window(self, arguments, columns, rows=24):
        """The exit status and the screen."""
        window = Window(arguments, columns, rows, self.home)
        try:
            window.read()
            return window.process.wait(TIMEOUT), window.text()
        finally:
            window.close()

    def check_lines(self, text, columns):
        for line in text.split("\n"):
            # Commands are to be copied, and a path has no blank to break at.
            if COMMAND.match(line) or " " not in line.strip():
                continue
            self.assertLessEqual(columns_of(line), columns, line)

    def test_screens(self):
        for name, arguments, status, there, absent in SCREENS:
            for columns in WIDTHS:
                with self.subTest(screen=name, columns=columns):
                    got, text = self.run_window(arguments, columns)
                    self.assertEqual(got, status, text)
                    self.check_lines(text, columns)
                    at = 0
                    for pattern in there:
                        match = re.compile(pattern).search("\n" + text, at)
                        if pattern.startswith("^"):
                            match = re.match(pattern, text)
                        self.assertIsNotNone(
                            match, "%s is not on\n%s" % (pattern, text)
                        )
                        if not pattern.startswith("^"):
                            at = max(match.end() - 1, 0)
                    for pattern in absent:
                        self.assertNotRegex(text, pattern)

    def test_the_timeline_is_complete_and_has_its_name(self):
        status, text = self.run_window(
            [
                TRANSFORMER,
                "graph",
                "-step",
                "0",
                "-output",
                "timeline:outfile=trace.json",
            ],
            80,
        )
        self.assertEqual(status, 0, text)
        self.assertIn("written to trace.json.", text)
        self.assertNotIn("takes all that the filters show", text)
        with open(
            os.path.join(self.home, "trace.json"), encoding="utf-8"
        ) as file:
            events = json.load(file)["traceEvents"]
        bars = [e for e in events if e.get("ph") == "X"]
        self.assertGreater(sum(e["dur"] for e in bars), 45000)
        # Scripts know the names of the reference.
        subprocess.run(
            [
                binary,
                TRANSFORMER,
                "graph",
                "-step",
                "0",
                "-output",
                "timeline:outfile=script.json",
            ],
            cwd=self.home,
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
        )
        self.assertEqual(
            [name for name in sorted(os.listdir(self.home)) if "json" in name],
            ["script.json", "trace.json"],
        )

    def test_markdown_says_what_is_cumulative(self):
        status, text = self.run_window(
            [BEFORE, "op", "-output", "markdown:outfile=op.md"], 80
        )
        self.assertEqual(status, 0, text)
        with open(os.path.join(self.home, "op.md"), encoding="utf-8") as file:
            head = file.read().split("\n| ")[1]
        self.assertIn("cumulative_micros", head)
        self.assertNotIn("total_micros", head)

    def names(self, text, first):
        """The names of the rows of a tree, with their indentation."""
        rows = text[text.index(first) :].split("\n")
        rows = rows[
            : [i for i, row in enumerate(rows) if row.startswith("+ ")][0]
        ]
        return [re.split(r"  +[\d-]", row)[0] for row in rows]

    def test_trees_keep_indentation_and_ends(self):
        for columns in (40, 60, 80):
            with self.subTest(columns=columns):
                _, text = self.run_window([RESNET, "scope"], columns, 30)
                self.check_lines(text, columns)
                names = self.names(text, "_TFProfRoot")
                depths = [len(n) - len(n.lstrip()) for n in names]
                # Each level is indented more than the one above it.
                self.assertGreaterEqual(len(set(depths)), 6, text)
                for part in (
                    "unit_5",
                    "conv3",
                    "BatchNorm",
                    "FusedBatchNormV3",
                ):
                    self.assertTrue(any(n.endswith(part) for n in names), text)

    def test_shortened_names_stay_different(self):
        for columns in (80, 120):
            with self.subTest(columns=columns):
                _, text = self.run_window([RESNET, "top", "20"], columns, 40)
                nodes = [
                    line.split()[-1]
                    for line in text.split("\n")
                    if re.match(r" *[\d.]+[mu]s ", line)
                ]
                self.assertEqual(len(nodes), 20, text)
                self.assertEqual(len(set(nodes)), 20, text)
                # The names on the screen can be typed.
                for node in nodes[:3]:
                    run = subprocess.run(
                        [binary, RESNET, "show", node],
                        check=False,
                        stdin=subprocess.DEVNULL,
                        capture_output=True,
                        timeout=TIMEOUT,
                    )
                    # Or the name fits several nodes of the profile, which it
                    # lists.
                    if run.returncode != 0:
                        self.assertRegex(
                            run.stderr.decode(),
                            r"^\d+ nodes are called|: \d+ nodes "
                            r"are called",
                        )

    def test_columns_that_repeat_are_named_instead(self):
        _, text = self.run_window([RESNET, "scope"], 80)
        self.assertRegex(
            text,
            r"\ncpu = time in each row|\nself cpu = self "
            r"time, cpu = time in each row",
        )
        self.assertRegex(text, r"\nname +self time +time *\n")
        _, text = self.run_window([RESNET, "scope"], 200)
        self.assertRegex(text, r"\nname +self time +time .* cpu")

    def test_help_in_a_narrow_window(self):
        for arguments in (["help"], ["help", "op"], ["help", "-select"]):
            _, text = self.run_window(arguments, 40)
            self.check_lines(text, 40)
            for line in text.split("\n"):
                indent = len(line) - len(line.lstrip())
                self.assertLessEqual(indent, 20, text)

    def test_the_prompt_names_the_base(self):
        window = Window(["--base", AFTER, BEFORE], 80, 24, self.home)
        self.addCleanup(window.close)
        self.assertTrue(window.read(b"tfprof (vs after.pb.gz)> "))
        window.type("base none\r")
        self.assertTrue(window.read(b"tfprof> "))
        window.type("exit\r")
        window.read()
        self.assertEqual(window.process.wait(TIMEOUT), 0)
        # The hint is not written where nobody reads it.
        run = subprocess.run(
            [binary, "--base", AFTER, BEFORE],
            input=b"pwd\n",
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
        self.assertEqual(run.stdout, b"/\n")

    def test_a_pipe_gets_the_answer_only(self):
        # stdin is a terminal, and stdout is a file.
        for arguments, first in (
            ([BEFORE, "op", "-max_depth", "0"], b"\nname "),
            ([BEFORE], b"File  "),
        ):
            master, slave = pty.openpty()
            try:
                run = subprocess.run(
                    [binary] + arguments,
                    stdin=slave,
                    capture_output=True,
                    env=dict(
                        os.environ,
                        TERM="xterm",
                        HOME=self.home,
                        XDG_STATE_HOME=self.home,
                    ),
                    check=True,
                    timeout=TIMEOUT,
                )
            finally:
                os.close(slave)
                os.close(master)
            self.assertIn(first, run.stdout)
            self.assertNotIn(PROMPT.strip().encode(), run.stdout)
            self.assertNotIn(b"\x1b", run.stdout)

    def test_a_line_with_a_pipe_has_no_prompt_in_it(self):
        window = Window([BEFORE], 80, 24, self.home)
        self.addCleanup(window.close)
        self.assertTrue(window.read(PROMPT.encode()))
        out = os.path.join(self.home, "out")
        window.type("op -max_depth 0 | cat > '%s'\r" % out)
        deadline = time.monotonic() + TIMEOUT
        while not (os.path.exists(out) and os.path.getsize(out)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        window.type("exit\r")
        window.read()
        with open(out, "rb") as file:
            answer = file.read()
        self.assertIn(b"\nname ", answer)
        self.assertNotIn(PROMPT.strip().encode(), answer)

    def test_an_agent_gets_its_budget(self):
        for budget in (400, 1000, 4000):
            for line in (
                ["op"],
                ["scope"],
                ["top", "100"],
                ["overview"],
                ["advise", "all"],
                ["show", "resnet/conv1/Conv2D"],
            ):
                run = subprocess.run(
                    [binary, RESNET]
                    + line
                    + ["-agent", "-budget", str(budget)],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    timeout=TIMEOUT,
                )
                # Apart from blanks, no token of the estimate has more than 4
                # bytes.
                self.assertLessEqual(len(run.stdout), budget * 6, line)
                self.assertTrue(run.stdout, line)
        run = subprocess.run(
            [binary, RESNET, "top", "100", "-agent", "-budget", "800"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
        self.assertRegex(
            run.stdout.decode(), r"… \d+ more rows of \d+.*; get them with: "
        )

    def test_control_c_is_heard_at_once(self):
        # 400,000 nodes: libprotobuf needs seconds for them.
        path = os.path.join(self.home, "large.pbtxt")
        with open(path, "w", encoding="utf-8") as file:
            for i in range(400000):
                file.write(
                    'node { name: "a/b%d/c%d/n" op: "NoOp" }\n' % (i % 977, i)
                )
        window = Window(
            [PROFILES + "/tiny_const/profile.pb"], 80, 24, self.home
        )
        self.addCleanup(window.close)
        self.assertTrue(window.read(PROMPT.encode()))
        # The best of several: the machine may be busy.
        took = []
        for wait in (0.2, 0.3, 0.4):
            window.bytes = b""
            window.type("load %s\r" % path)
            window.read(b".pbtxt\r\n")
            time.sleep(wait)
            begun = time.monotonic()
            window.process.send_signal(signal.SIGINT)
            self.assertTrue(window.read(b"Cancelled."))
            took.append(time.monotonic() - begun)
            window.read(PROMPT.encode())
        self.assertLess(min(took), 0.4, took)


if __name__ == "__main__":
    sys.exit(junit_runner.main("screens"))
