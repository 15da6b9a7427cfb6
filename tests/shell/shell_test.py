#!/usr/bin/env python3
"""Tests of the shell: the real program under a real pseudo-terminal.

Usage: tests/shell/shell_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

They test what a person sees and types (prompt, completion, history, Ctrl-C,
Ctrl-D), and what a script gets (no prompt, stable bytes, exit status). Writes
JUnit XML to $XML_OUTPUT_FILE.
"""

import codecs
import fcntl
import gzip
import json
import os
import pty
import re
import select
import shutil
import signal
import stat
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

PROFILE = os.path.join(TESTS, "golden", "profiles", "tiny_const", "profile.pb")
# Two GPUs, one of them idle; NHWC data.
ADVICE = os.path.join(TESTS, "golden", "profiles", "synth_advice", "profile.pb")
PROFILES = os.path.join(TESTS, "golden", "profiles")
RESNET = os.path.join(PROFILES, "conv_resnet", "profile.pb")
CODE = os.path.join(PROFILES, "code_deep", "profile.pb.gz")
ODD = os.path.join(PROFILES, "odd_names", "graph.pb")
STEPS = os.path.join(PROFILES, "multi_step", "profile.pb.gz")
PROMPT = "tfprof> "

# The longest that any answer may take, on a busy machine.
TIMEOUT = 20

binary = ""  # of junit_runner.main()


class Terminal:
    """A tfprof whose standard streams are a pseudo-terminal."""

    def __init__(
        self,
        arguments,
        home,
        term="xterm",
        rows=24,
        columns=200,
        pager="cat",
        extra=None,
    ):
        env = {
            key: value
            for key, value in os.environ.items()
            if key not in ("XDG_STATE_HOME", "NO_COLOR")
        }
        env.update(
            TERM=term,
            HOME=home,
            LC_ALL="C.UTF-8",
            PAGER=pager,
            XDG_STATE_HOME=os.path.join(home, "state"),
        )
        env.update(extra or {})
        self.screen = ""
        # A character may come in two parts.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.status = None
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execve(binary, [binary] + arguments, env)
        self.resize(rows, columns)

    def resize(self, rows, columns):
        fcntl.ioctl(
            self.master,
            termios.TIOCSWINSZ,
            struct.pack("HHHH", rows, columns, 0, 0),
        )

    def type(self, text):
        os.write(self.master, text.encode())

    def _read(self, seconds):
        """Reads for that time; False at the end of the output."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.screen += self.decoder.decode(data)
        return bool(data)

    def expect(self, pattern):
        """Waits for a regular expression; returns the text up to its end."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            match = re.search(pattern, self.screen, re.DOTALL)
            if match:
                seen = self.screen[: match.end()]
                self.screen = self.screen[match.end() :]
                return seen
            if time.monotonic() > deadline or not self._read(0.2):
                match = re.search(pattern, self.screen, re.DOTALL)
                if match:
                    continue
                raise AssertionError(
                    "%r never came; the screen has %r" % (pattern, self.screen)
                )

    def expect_completed(self, typed, rest):
        """Waits for what completion adds; the cursor may move first."""
        return self.expect(
            re.escape(typed) + r"(\r?\x1b\[\d*[A-Z])*" + re.escape(rest)
        )

    def prompt(self):
        return self.expect(r"tfprof( \(vs [^)\r\n]*\))?> ")

    def wait(self):
        """Waits for the end of the program; returns its exit status."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            more = self._read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while (
                    self._read(0) and select.select([self.master], [], [], 0)[0]
                ):
                    pass
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
            if not more:
                time.sleep(0.02)
        raise AssertionError("no end; the screen has %r" % self.screen)

    def alive(self):
        return os.waitpid(self.pid, os.WNOHANG)[0] == 0

    def close_program(self):
        """Ends the program; the terminal stays."""
        self.type("exit\r")
        self.wait()

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.master)


class ShellTerminal(unittest.TestCase):
    """Base of the tests on a terminal."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="tfprof_shell_")
        self.addCleanup(shutil.rmtree, self.home)

    def start(self, *arguments, **options):
        terminal = Terminal(list(arguments) or [PROFILE], self.home, **options)
        self.addCleanup(terminal.close)
        return terminal


class ShellTest(ShellTerminal):
    """On a terminal."""

    def history_file(self):
        return os.path.join(self.home, "state", "tfprof", "history")

    def test_prompt_and_command(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("op -max_depth 1\r")
        seen = terminal.prompt()
        self.assertIn(
            "\r\nsums of op times, average of the steps; largest first\r\n",
            seen,
        )
        self.assertRegex(seen, r"name +time +share")

    def test_the_overview_fills_the_smallest_screen_at_most(self):
        for name in sorted(os.listdir(PROFILES)):
            for suffix in ("", ".gz"):
                path = os.path.join(PROFILES, name, "profile.pb" + suffix)
                if not os.path.exists(path) or name == "synth_empty":
                    continue
                with self.subTest(name):
                    terminal = self.start(path, rows=24, columns=80)
                    seen = re.sub(
                        r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.prompt()
                    )
                    self.assertIn("File  ", seen)
                    self.assertIn("Next  ", seen)
                    first = seen.index("File  ")
                    lines = seen[first:].split("\r\n")
                    self.assertLess(len(lines), 24, seen)
                    for line in lines:
                        self.assertLessEqual(len(line), 80, line)
                    terminal.close_program()

    def test_without_lines_the_overview_is_the_answer(self):
        for stdin in (subprocess.DEVNULL, subprocess.PIPE):
            run = subprocess.run(
                [binary, RESNET],
                stdin=stdin,
                capture_output=True,
                check=False,
                timeout=60,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(run.stdout.startswith(b"File  "), run.stdout)
        run = subprocess.run(
            [binary, RESNET],
            input=b"pwd\n",
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(run.stdout, b"/\n")

    def test_biggest_first_and_the_rest_counted(self):
        terminal = self.start(RESNET, rows=24, columns=80)
        terminal.prompt()
        terminal.type("op\r")
        seen = terminal.prompt()
        self.assertLess(seen.index("Conv2D"), seen.index("FusedBatchNormV3"))
        self.assertRegex(
            seen,
            r"\r\n(\x1b\[2m)?\+ \d+ rows, [\d.]+[mu]s "
            r"\([\d.]+%\)",
        )

    def test_pictures_fit_the_screen(self):
        for columns in (80, 120, 200):
            terminal = self.start(
                os.path.join(PROFILES, "synth_gpu", "profile.pb.gz"),
                rows=24,
                columns=columns,
            )
            terminal.prompt()
            for line, sign in (
                ("flame", "MatMul 21.95ms"),
                ("lanes -step 0", "11.03ms at 12.92ms"),
                ("memory", "gpu:0: peak 8.13MB at 30.67ms"),
            ):
                with self.subTest(line=line, columns=columns):
                    terminal.type(line + "\r")
                    seen = re.sub(
                        r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.prompt()
                    )
                    self.assertIn(sign, seen)
                    # The first line is the command, the last the prompt.
                    lines = seen.split("\r\n")[1:-1]
                    self.assertLessEqual(len(lines), 23, seen)
                    for shown in lines:
                        self.assertLessEqual(len(shown), columns, shown)
            terminal.close_program()

    def test_pictures_are_the_same_without_a_terminal(self):
        profile = os.path.join(PROFILES, "synth_gpu", "profile.pb.gz")
        for command, head in (
            ("flame", b"Flame graph of scopes"),
            ("lanes", b"Step 0"),
            ("memory", b"gpu:0: peak "),
        ):
            run = subprocess.run(
                [binary, profile, command],
                check=False,
                capture_output=True,
                timeout=60,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(run.stdout.startswith(head), run.stdout)

    def test_explain_ends_in_a_line(self):
        run = subprocess.run(
            [binary, STEPS, "explain"],
            capture_output=True,
            check=False,
            timeout=60,
        )
        text = run.stdout.decode()
        self.assertIn("step 10 takes 23.68ms", text)
        for part in ("step", "device", "op", "node", "scope", "line"):
            self.assertRegex(text, r"(?m)^%s +" % part)

    def test_empty_line_dumps_options(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("\r")
        self.assertIn("-order_by                   name\r\n", terminal.prompt())

    def test_exit_and_quit(self):
        for word in ("exit", "quit"):
            terminal = self.start()
            terminal.prompt()
            terminal.type(word + "\r")
            self.assertEqual(terminal.wait(), 0)

    def test_errors_do_not_end_the_session(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("nonsense\r")
        self.assertIn(
            'there is no command "nonsense"; help lists the commands',
            terminal.prompt(),
        )
        # The user has seen the error, so the exit status is 0.
        terminal.type("exit\r")
        self.assertEqual(terminal.wait(), 0)

    def test_tab_completes_a_command(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("gra\t")
        terminal.expect_completed("gra", "ph ")
        terminal.type("-max_depth 1\r")
        self.assertIn("_TFProfRoot", terminal.prompt())

    def test_tab_completes_an_option_and_a_value(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -ord\t")
        terminal.expect_completed("-ord", "er_by ")
        terminal.type("mic\t")
        terminal.expect_completed("mic", "ros ")
        terminal.type("\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn(
            "-order_by                   micros\r\n", terminal.prompt()
        )

    def test_tab_completes_the_last_of_a_list(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -select params,pea\t")
        terminal.expect_completed("pea", "k_bytes ")
        terminal.type("\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn(
            "-select                     params,peak_bytes\r\n",
            terminal.prompt(),
        )

    def test_tab_lists_what_is_possible(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("s\t")
        seen = terminal.expect("save")
        for word in ("scope", "set", "status"):
            self.assertIn(word, seen)
        # The line is still there to go on with.
        terminal.type("tat\t")
        terminal.expect_completed("stat", "us ")

    def test_tab_without_candidates_leaves_the_line(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("hxlp\t")
        terminal.type("\x7f\x7f\x7felp\r")
        self.assertIn("help COMMAND explains", terminal.prompt())

    def test_editing(self):
        terminal = self.start()
        terminal.prompt()
        # Home, delete, end: "xop -max_depth" becomes "op -max_depth 1".
        terminal.type("xop -max_depth")
        terminal.type("\x01\x04\x05 1\r")
        self.assertIn("sums of op times", terminal.prompt())

    def test_arrow_up_repeats(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -max_depth 17\r")
        terminal.prompt()
        terminal.type("\x1b[A")
        terminal.expect("set -max_depth 17")
        terminal.type("3\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn("-max_depth                  173\r\n", terminal.prompt())

    def test_history_stays_for_the_next_session(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -step 4242\r")
        terminal.prompt()
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)
        mode = os.stat(self.history_file()).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        terminal = self.start()
        terminal.prompt()
        terminal.type("\x1b[A")
        terminal.expect("set -step 4242")

    def test_an_open_history_is_closed(self):
        # An older file that other users can read.
        os.makedirs(os.path.dirname(self.history_file()))
        with open(self.history_file(), "w", encoding="utf-8") as file:
            file.write("_HiStOrY_V2_\nset\\040-step\\0407\n")
        os.chmod(self.history_file(), 0o644)
        terminal = self.start()
        terminal.prompt()
        terminal.type("\x1b[A")
        terminal.expect("set -step 7")
        terminal.type("\r")
        terminal.prompt()
        mode = os.stat(self.history_file()).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_no_place_for_history(self):
        with open(os.path.join(self.home, "state"), "w", encoding="utf-8"):
            pass  # a file where the folder should be
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -step 1\r")
        terminal.prompt()
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_control_c_drops_the_line(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -max_depth 99")
        terminal.expect("99")
        terminal.type("\x03")
        terminal.prompt()
        self.assertTrue(terminal.alive())
        terminal.type("\r")
        seen = terminal.prompt()
        self.assertIn("-max_depth                  10\r\n", seen)
        # Ctrl-C also works on an empty line.
        terminal.type("\x03")
        terminal.prompt()
        terminal.type("exit\r")
        self.assertEqual(terminal.wait(), 0)

    def test_control_d_leaves(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_control_d_in_a_line_does_not_leave(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("hel\x04p\r")
        self.assertIn("help COMMAND explains", terminal.prompt())

    def test_window_resize(self):
        terminal = self.start(columns=80)
        terminal.prompt()
        terminal.type("set -max_depth 5")
        terminal.expect("5")
        terminal.resize(50, 150)
        terminal.type("6\r")
        terminal.prompt()
        terminal.resize(10, 40)
        terminal.type("\r")
        self.assertIn("-max_depth                  56\r\n", terminal.prompt())

    def test_long_lines(self):
        terminal = self.start(columns=60)
        terminal.prompt()
        name = "x" * 500
        terminal.type("set -hide_name_regexes " + name + "\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn(
            "-hide_name_regexes          " + name + "\r\n", terminal.prompt()
        )

    def test_unicode(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -hide_name_regexes naïve/日本\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn(
            "-hide_name_regexes          naïve/日本\r\n", terminal.prompt()
        )

    def test_dumb_terminal(self):
        terminal = self.start(term="dumb")
        terminal.prompt()
        terminal.type("op -max_depth 1\r")
        seen = terminal.prompt()
        self.assertRegex(seen, r"name +time +share")
        self.assertNotIn("\x1b", seen)
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_unknown_terminal(self):
        terminal = self.start(term="no-such-terminal")
        terminal.prompt()
        terminal.type("help\r")
        self.assertIn("help COMMAND explains", terminal.prompt())

    def test_quotes_and_comments(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -hide_name_regexes 'a b,c' # said the person\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn(
            "-hide_name_regexes          a b,c\r\n", terminal.prompt()
        )

    def test_tab_completes_a_scope_path(self):
        terminal = self.start(RESNET)
        terminal.prompt()
        terminal.type("scope -max_depth 9 -start_name_regexes resn\t")
        terminal.expect_completed("resn", "et/")
        terminal.type("blo\t")
        terminal.expect_completed("blo", "ck")
        # The candidates, only their last parts.
        terminal.type("\t")
        seen = terminal.expect("block4/")
        self.assertIn("block1/", seen)
        self.assertNotIn("resnet/block1", seen)
        terminal.type("1\r")
        terminal.expect(r"resnet/block1 ")

    def test_tab_escapes_names_in_an_expression(self):
        terminal = self.start(CODE)
        terminal.prompt()
        terminal.type("code -max_depth 99 -show_name_regexes make_pr\t")
        terminal.expect(r"ofiles\\.py:")

    def test_tab_goes_on_behind_an_escape(self):
        terminal = self.start(ODD)
        # The pattern has a plain dot, and then an escaped one.
        for typed in ("x.y/z-1/v", "x\\.y/z-1/v"):
            terminal.prompt()
            terminal.type("set -show_name_regexes %s\t\r" % typed)
            terminal.prompt()
            terminal.type("\r")
            terminal.expect(r"-show_name_regexes +x\\.y/z-1/v\\.w\r\n")

    def test_tab_completes_steps_and_types(self):
        terminal = self.start(STEPS)
        terminal.prompt()
        terminal.type("op -step \t\t")
        seen = terminal.expect("-1")
        self.assertRegex(seen, r"\n0 ")
        terminal.type("1 -account_type_regexes MatM\t")
        terminal.expect_completed("MatM", "ul ")

    def test_tab_completes_a_file(self):
        path = os.path.join(self.home, "some file")
        with open(path, "w", encoding="utf-8"):
            pass
        terminal = self.start()
        terminal.prompt()
        terminal.type("save %s/so\t" % self.home)
        terminal.expect("me file' ")
        terminal.type("\r")
        self.assertIn("The profile is written to %s." % path, terminal.prompt())

    def test_many_candidates_are_counted(self):
        path = os.path.join(self.home, "flat.pbtxt")
        with open(path, "w", encoding="utf-8") as file:
            for i in range(1500):
                file.write('node { name: "n%d" op: "NoOp" }\n' % i)
        terminal = self.start(path)
        terminal.prompt()
        terminal.type("scope -show_name_regexes n\t\t")
        terminal.expect("… 1,400 more")

    def test_control_r_finds_an_older_line(self):
        terminal = self.start()
        terminal.prompt()
        for line in ("set -max_depth 17", "set -step 3", "op -max_depth 1"):
            terminal.type(line + "\r")
            terminal.prompt()
        terminal.type("\x12dept\x12")
        terminal.expect("set -max_depth 17")
        terminal.type("\r")
        terminal.prompt()
        terminal.type("\r")
        self.assertIn("-max_depth                  17\r\n", terminal.prompt())

    def test_control_r_finds_a_line_of_the_session_before(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("set -min_bytes 12345\r")
        terminal.prompt()
        terminal.type("exit\r")
        self.assertEqual(terminal.wait(), 0)
        terminal = self.start()
        terminal.prompt()
        terminal.type("\x12min_b")
        terminal.expect("set -min_bytes 12345")

    def deep_graph(self):
        """A file whose report is quadratic in its size: 3000 scopes deep."""
        path = os.path.join(self.home, "deep.pbtxt")
        with open(path, "w", encoding="utf-8") as file:
            for depth in range(1, 3000):
                file.write(
                    'node { name: "%s" op: "NoOp" }\n'
                    % "/".join(["scope"] * depth)
                )
        return path

    def test_control_c_stops_a_report(self):
        terminal = self.start(self.deep_graph(), "-max_depth", "9999")
        terminal.prompt()
        # The output is text, because a pager would take the key.
        terminal.type("scope -output text\r")
        terminal.expect("scope/scope/scope")
        terminal.type("\x03")
        seen = terminal.expect("Cancelled\\.")
        # All of it would be 27 MB.
        self.assertLess(len(seen), 10000000)
        terminal.prompt()
        # The next report is complete: no partial result was kept.
        terminal.type("scope -max_depth 2\r")
        seen = terminal.prompt()
        self.assertIn("_TFProfRoot", seen)
        self.assertNotIn("Stopped", seen)
        terminal.type("exit\r")
        self.assertEqual(terminal.wait(), 0)

    def test_control_c_stops_waiting_for_a_pipe(self):
        fifo = os.path.join(self.home, "fifo")
        os.mkfifo(fifo)
        terminal = self.start(RESNET)
        terminal.prompt()
        for line in ("load %s", "base %s", "save %s", "op > %s"):
            terminal.type(line % fifo + "\r")
            terminal.expect("fifo\r\n")
            time.sleep(0.1)
            terminal.type("\x03")
            terminal.expect("Cancelled\\.")
            terminal.prompt()
        # A pipe that is open, and has some data.
        terminal.type("load %s\r" % fifo)
        with open(fifo, "wb") as file, open(PROFILE, "rb") as data:
            file.write(data.read())
            file.flush()
            time.sleep(0.1)
            terminal.type("\x03")
            terminal.expect("Cancelled\\.")
        terminal.prompt()
        # The old profile is still loaded.
        terminal.type("top 1\r")
        self.assertIn("8.09ms", terminal.prompt())

    def test_control_c_leaves_no_half_file(self):
        # A reader that waits: the file is being written when Ctrl-C comes.
        fifo = os.path.join(self.home, "fifo")
        os.mkfifo(fifo)
        terminal = self.start(self.deep_graph(), "-max_depth", "9999")
        terminal.prompt()
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        terminal.type("scope -output file:outfile=%s\r" % fifo)
        ready, _, _ = select.select([reader], [], [], TIMEOUT)
        self.assertTrue(ready)
        terminal.type("\x03")
        terminal.expect(r"\^C")
        deadline = time.monotonic() + TIMEOUT
        while "Cancelled." not in terminal.screen:
            self.assertLess(time.monotonic(), deadline)
            terminal._read(0.01)
            try:
                os.read(reader, 1 << 20)
            except BlockingIOError:
                pass
        terminal.prompt()
        self.assertTrue(terminal.alive())

    def test_hints_for_a_person(self):
        terminal = self.start(RESNET)
        terminal.prompt()
        for line, hint in (
            ("scpoe", "did you mean scope?"),
            ("op -order_by mircos", "did you mean micros?"),
            ("op -ordr_by name", "did you mean -order_by?"),
            (
                "scope -start_name_regexes resnet/blokc1/unit_1",
                "did you mean resnet/block1/unit_1",
            ),
            ("scope -show_name_regexes ock1", "match '.*ock1.*'"),
        ):
            terminal.type(line + "\r")
            self.assertIn(hint, terminal.prompt())

    def test_help_on_an_option_with_its_dash(self):
        terminal = self.start()
        terminal.prompt()
        terminal.type("help -select\r")
        self.assertIn("peak_bytes          The most memory", terminal.prompt())

    def test_a_command_on_a_terminal_has_no_prompt(self):
        terminal = self.start(PROFILE, "op")
        self.assertEqual(terminal.wait(), 0)
        self.assertNotIn(PROMPT, terminal.screen)
        self.assertRegex(terminal.screen, r"name +time +share")


class LookTest(ShellTerminal):
    """How reports look on a terminal."""

    def report(self, columns, rows, *arguments, **options):
        """The lines that a command shows, and those without our colours."""
        # A shell sets the size before the program queries it.
        terminal = self.start(RESNET, columns=columns, rows=rows, **options)
        terminal.prompt()
        terminal.type(" ".join(arguments) + "\r")
        seen = terminal.prompt()
        # The first report has explanations, the second has none.
        terminal.type(" ".join(arguments) + "\r")
        seen = terminal.prompt()
        terminal.type("\x04")
        terminal.wait()
        lines = seen.split("\r\n")[1:-1]
        return lines, [re.sub(r"\x1b\[\d*m", "", line) for line in lines]

    def test_widths(self):
        for columns in (40, 80, 200):
            _, lines = self.report(columns, 24, "scope", "-order_by", "micros")
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertLessEqual(len(lines), 23)
            lines = lines[
                [line.startswith("name ") for line in lines].index(True) :
            ]
            self.assertRegex(lines[0], r"^name .* time")
            # Names need the room of the bars in the narrowest one.
            bar = r" +█{10}" if columns > 40 else ""
            self.assertRegex(lines[1], r"^_TFProfRoot .* 63\.84ms" + bar)
            self.assertRegex(" ".join(lines), r"\+ \d+ rows, \S+ \(\d+")

    def test_narrow_windows_say_what_they_lack(self):
        _, narrow = self.report(40, 24, "scope", "-order_by", "micros")
        self.assertRegex(
            "\n".join(narrow), r"\n\d more columns in a wider window\n"
        )
        self.assertRegex("\n".join(narrow), r"\n +…\S+ +\d")
        _, wide = self.report(200, 24, "scope", "-order_by", "micros")
        self.assertNotIn("wider window", "\n".join(wide))

    def test_heat(self):
        lines, _ = self.report(80, 40, "op", "-order_by", "micros")
        text = "\n".join(lines)
        self.assertIn("\x1b[31mConv2D ", text)
        self.assertIn("\x1b[33mConv2DBackpropInput ", text)
        self.assertIn("\x1b[2mMul ", text)
        self.assertRegex(text, r"\x1b\[1mtotal +63\.84ms")

    def test_no_color(self):
        for options in ({"extra": {"NO_COLOR": "1"}}, {"term": "dumb"}):
            lines, plain = self.report(80, 24, "op", **options)
            self.assertEqual(lines, plain)
        lines, plain = self.report(80, 24, "op", "-color", "never")
        self.assertEqual(lines, plain)
        lines, plain = self.report(
            80, 24, "op", "-color", "always", extra={"NO_COLOR": "1"}
        )
        self.assertNotEqual(lines, plain)

    def test_a_resize_is_honoured(self):
        terminal = self.start(RESNET, columns=200, rows=24)
        terminal.prompt()
        for columns, rows in ((200, 24), (50, 12), (120, 40)):
            terminal.resize(rows, columns)
            terminal.type("scope\r")
            terminal.prompt()
            terminal.type("scope\r")
            lines = re.sub(
                r"\x1b\[\d*[mK]|\r(?!\n)", "", terminal.prompt()
            ).split("\r\n")[1:-1]
            self.assertLessEqual(
                max(map(len, lines)), columns, max(lines, key=len)
            )
            self.assertGreater(max(map(len, lines)), columns // 2 - 20)
            self.assertIn(len(lines), (rows - 1, rows - 2))

    def test_pager(self):
        lines, _ = self.report(
            80,
            24,
            "scope",
            "-order_by",
            "name",
            pager="sed s/^/PAGED:/; cat >/dev/null",
        )
        self.assertGreater(len(lines), 4000)
        self.assertIn("PAGED:", lines[0])
        # A report that fits needs no pager.
        lines, _ = self.report(
            80, 24, "scope", "-max_depth", "1", pager="sed s/^/PAGED:/"
        )
        self.assertNotIn("PAGED:", lines[0])
        # On a dumb terminal there is no pager.
        lines, _ = self.report(
            80, 24, "scope", term="dumb", pager="sed s/^/PAGED:/"
        )
        self.assertLess(len(lines), 24)

    def test_a_pager_that_leaves_early(self):
        lines, _ = self.report(80, 24, "scope", pager="head -3")
        self.assertEqual(len(lines), 3)

    def test_text_is_the_report_of_the_reference(self):
        _, lines = self.report(200, 24, "op", "-output", "text")
        self.assertIn(
            "node name | total execution time | accelerator "
            "execution time | cpu execution time",
            lines,
        )

    def test_hostile_names(self):
        graph = os.path.join(self.home, "graph.pbtxt")
        with open(graph, "w", encoding="utf-8") as file:
            for name in (
                r"a\033[2Jb",
                r"bad\377",
                "\u202eright",
                "数据",
                "n" * 9000,
            ):
                file.write("node { name: '%s' op: 'Op' }\n" % name)
        terminal = self.start(
            graph, "scope", "-select", "params", columns=80, rows=24
        )
        self.assertEqual(terminal.wait(), 0)
        screen = re.sub(r"\x1b\[\d*m", "", terminal.screen)
        self.assertNotIn("\x1b", screen)
        self.assertNotIn("\u202e", screen)
        self.assertIn("a\\x1b[2Jb", screen)
        lines = screen.split("\r\n")
        self.assertLessEqual(max(map(len, lines)), 80)
        ends = {
            len(line) + (2 if "数据" in line else 0)
            for line in lines
            if re.search(r"^  \S.* 0  -$", line)
        }
        self.assertEqual(len(ends), 1, screen)


def columns_of(text):
    """How many columns of a terminal a line takes."""
    return sum(
        0
        if unicodedata.combining(c)
        or unicodedata.category(c) in ("Cf", "Me", "Mn")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


class TranscriptTest(ShellTerminal):
    """The output of commands in windows of several widths."""

    WIDTHS = (40, 80, 200)
    # Matches prompts only; they may contain names of scopes.
    NEXT = (
        r"\n\r?(\x1b\[\d*[A-Za-z]|\r)*"
        r"tfprof( /?[^>\r\n ]*)?( \(vs [^)\r\n]*\))?> "
    )

    def begin(self, profile, columns, **options):
        terminal = self.start(
            profile,
            columns=columns,
            rows=60,
            **dict({"term": "dumb"}, **options),
        )
        terminal.prompt()
        return terminal

    def ask(self, terminal, line):
        """The lines that a command shows, without the typed line."""
        terminal.type(line + "\r")
        seen = terminal.expect(self.NEXT)
        # The typed line may be broken by the window.
        return seen.split("\r\n")[1:-1] if "\r\n" in seen else []

    def check(self, lines, columns, line):
        for shown in lines:
            # A word that is longer than this window is not cut.
            if columns_of(shown) > columns:
                self.assertGreater(
                    columns_of(shown.split()[-1]),
                    columns - 16,
                    "%d columns, %s: %r" % (columns, line, shown),
                )
                self.assertLessEqual(len(shown.split()), 2, shown)
            self.assertNotIn("\x1b", shown, line)
            self.assertEqual(shown, shown.rstrip(), line)

    def test_fit_into_the_window(self):
        node = "resnet/conv1/Conv2D"
        for columns in self.WIDTHS:
            terminal = self.begin(RESNET, columns)
            for line, patterns in (
                ("pwd", (r"^/$",)),
                ("ls", (r"^in +/$", r"^resnet +8 .* 49\.19ms")),
                ("cd resnet/block1", ()),
                ("pwd", (r"^/resnet/block1$",)),
                ("ls", (r"^in +/resnet/block1$", r"^unit_1 .*\d\d\dus|ms")),
                ("up", ()),
                ("ls", (r"^time +49\.19ms$", r"^conv1 +4 +29 +6\.37ms")),
                ("cd", ()),
                (
                    "top 5",
                    (
                        r" *time  share",
                        r"^8\.09ms +12\.7%",
                        r"5\.96ms .*  Conv2D +\S*Conv2D$",
                        r"^5 of 1863 row",
                    ),
                ),
                (
                    "show " + node,
                    (
                        r"^node +%s$" % node,
                        r"^time +5\.96ms$",
                        r"\[4,16,16,4\]  16\.38KB$",
                        r"^T +type +float$",
                        r"^ +0 .* Pl\S+er  images$",
                        r"^ 192  conv_resnet  .*files\.py$",
                    ),
                ),
                (
                    "peek " + node,
                    (
                        r"^node +5\.96ms .*Conv2D",
                        r"^input +0us .* images$",
                        r"^consumer +356us .*Norm\w+$",
                    ),
                ),
                (
                    "list make_profiles.py",
                    (
                        r"^file +/srv\S+$",
                        r"  63\.84ms .*756",
                    ),
                ),
                ("steps", (r"^step +wall", r"^ +0 +66\.30ms +9\.88ms")),
                (
                    "devices",
                    (
                        r"^kind  executions",
                        r"^cpu +1\.86k .* 56\.41ms",
                        r"cpu:",
                    ),
                ),
                ("doctor", (r"^warn  2$", r"^ok    coverage  +\S.*\)$|ran")),
                ("base", (r"^There is no base\.$",)),
                ("help", (r"^  top \[N\]\s+the most expensive", r"help all")),
                ("help ls", (r"^ls \[SCOPE\]", r"^  ls /gradients$")),
                (
                    "help -select",
                    (r"^    bytes\s+Memory that", r"^  Default: micros$"),
                ),
                ("help cpu_micros", (r"Time on a CPU",)),
            ):
                lines = self.ask(terminal, line)
                with self.subTest(columns=columns, line=line):
                    self.check(lines, columns, line)
                    if not patterns:
                        self.assertEqual(lines, [])
                    text = "\n".join(lines)
                    for pattern in patterns:
                        self.assertRegex(text, re.compile(pattern, re.M))

    def test_wide_names_fit_into_the_window(self):
        graph = os.path.join(self.home, "graph.pbtxt")
        with open(graph, "w", encoding="utf-8") as file:
            for i in range(3):
                file.write(
                    "node { name: '%s%d/%s' op: 'Op' }\n"
                    % ("数据集" * 30, i, "e\u0301" * 100)
                )
        for columns in self.WIDTHS:
            terminal = self.begin(graph, columns)
            for line in (
                "ls",
                "top",
                "doctor",
                "show 数据集*/*",
                "cd 数据集数*",
                "scope",
            ):
                lines = self.ask(terminal, line)
                self.check(lines, columns, line)
                if line in ("ls", "scope"):
                    self.assertRegex("\n".join(lines), "数据")

    def test_no_color(self):
        for options in (
            {"term": "dumb"},
            {"term": "xterm", "extra": {"NO_COLOR": "1"}},
        ):
            terminal = self.begin(RESNET, 80, **options)
            for line in (
                "ls",
                "top 5",
                "show resnet/conv1/Conv2D",
                "steps",
                "devices",
                "doctor",
                "scope",
                "op",
                "help op",
            ):
                lines = self.ask(terminal, line)
                self.assertGreater(len(lines), 1, line)
                # The line editor may use escape sequences, but no colours.
                self.assertNotRegex("\n".join(lines[1:]), r"\x1b\[[\d;]*m")

    def test_a_resize_between_two_commands(self):
        terminal = self.begin(RESNET, 200)
        seen = {}
        for columns in (200, 40, 80, 200):
            terminal.resize(60, columns)
            lines = self.ask(terminal, "ls")
            self.check(lines, columns, "ls")
            seen.setdefault(columns, lines)
            self.assertEqual(seen[columns], lines)
        widest = {
            columns: max(map(columns_of, lines))
            for columns, lines in seen.items()
        }
        self.assertLess(widest[40], widest[80])
        self.assertIn(
            "SparseSoftmaxCrossEntropyWithLogits", "\n".join(seen[200])
        )

    def test_numbers_are_not_cut(self):
        # At every width, each number is also in the widest window.
        terminal = self.begin(RESNET, 200)
        for line in (
            "ls",
            "top 5",
            "steps",
            "devices",
            "peek resnet/conv1/Conv2D",
        ):
            terminal.resize(60, 300)
            whole = set(" ".join(self.ask(terminal, line)).split())
            for columns in range(35, 100, 5):
                terminal.resize(60, columns)
                for shown in self.ask(terminal, line):
                    for word in shown.split():
                        if re.match(r"[\d.]+(us|ms|s|B|KB|MB|%|k)?$", word):
                            self.assertTrue(
                                word in whole
                                or "more column" in shown
                                or " of " in shown,
                                (columns, line, shown),
                            )

    def test_redirected_reports_are_those_of_a_file(self):
        plain = subprocess.run(
            [binary, RESNET, "op"],
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        ).stdout.decode()
        out = os.path.join(self.home, "out.txt")
        terminal = self.begin(RESNET, 40, term="xterm")
        # Twice: files have explanations even if the user has seen them.
        self.ask(terminal, "op")
        lines = self.ask(terminal, "op > " + out)
        self.assertEqual([], [s for s in lines if "Conv2D" in s])
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), plain)
        self.ask(terminal, "op >> " + out)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), plain + plain)
        self.ask(terminal, "ls > " + out)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("SparseSoftmaxCrossEntropyWithLogits", text)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("wider window", text)
        # `help` is wrapped for the window only.
        self.ask(terminal, "help > " + out)
        with open(out, encoding="utf-8") as file:
            self.assertIn("help COMMAND explains one", file.read())

    def test_a_pipe_shows_what_its_command_prints(self):
        terminal = self.begin(RESNET, 80)
        lines = self.ask(terminal, "op | grep -c .")
        count = int(lines[-1])
        self.assertGreater(count, 10)
        lines = self.ask(terminal, "ls | head -1")
        self.assertEqual(lines[-1:], ["in         /"])
        lines = self.ask(terminal, "op -output json | cut -c -19")
        self.assertEqual(lines[0], '{"schema":"tfprof.o')

    def test_base(self):
        terminal = self.begin(STEPS, 80)
        self.ask(terminal, "base '%s'" % RESNET)
        lines = self.ask(terminal, "base")
        self.assertEqual("".join(lines), "The base is %s." % RESNET)
        for columns in self.WIDTHS:
            terminal.resize(60, columns)
            lines = self.ask(terminal, "op")
            self.check(lines, columns, "op")
            text = "\n".join(lines)
            self.assertRegex(text, r"MatMul .* \+8\.06ms +\+20664\.1%")
            self.assertRegex(text, r"all +.*-55\.50ms +-86\.9%")
            self.assertEqual("before" in lines[0], columns > 40)
        self.ask(terminal, "base none")
        self.assertEqual(self.ask(terminal, "base"), ["There is no base."])
        self.assertNotIn("delta", "\n".join(self.ask(terminal, "op")))

    def test_agent(self):
        for arguments, extra in (
            ((RESNET, "-agent"), {}),
            ((RESNET,), {"TFPROF_AGENT": "1"}),
        ):
            terminal = self.start(*arguments, columns=60, rows=60, extra=extra)
            terminal.prompt()
            for line, pattern in (
                ("op", r"\| Conv2D \| "),
                ("top 3", r"\| 8[\d.]+ ?\S* \| "),
                ("ls", r"\| resnet \| "),
                ("steps", r"\| 0 \| "),
            ):
                seen = self.ask(terminal, line)
                text = "\n".join(seen)
                self.assertRegex(text, re.compile("^" + pattern, re.M))
                self.assertRegex(text, r"\n\|-+:?\|")
                self.assertNotRegex(text, r"\x1b\[[\d;]*m|█")
            self.ask(terminal, "nonsense")
            terminal.type("op -step 99\r")
            terminal.expect(r'\{"error":\{"code":"FAILED_PRECONDITION"')
            terminal.prompt()


class ProgressTest(ShellTerminal):
    """The progress bar of long work: a slow pipe makes the work long."""

    WIPE = "\r\x1b[K"
    # Progress with a known end and without one.
    BAR = r"writing  \[#* *\] +\d+%  [\d.]+ [KM]?B/s"
    BYTES = r"[\d.]+ [KM]B  [\d.]+ [KM]?B/s"

    def fifo(self, name):
        path = os.path.join(self.home, name)
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        return path, reader

    def read(self, reader, end, terminal=None):
        """Reads `end` bytes, or, with None, up to the end."""
        data = b""
        deadline = time.monotonic() + TIMEOUT
        while end is None or len(data) < end:
            self.assertLess(time.monotonic(), deadline)
            ready, _, _ = select.select([reader], [], [], 0.05)
            if terminal is not None:
                terminal._read(0)
            if not ready:
                continue
            try:
                piece = os.read(reader, 1 << 16)
            except BlockingIOError:
                continue
            if not piece and data:
                return data
            data += piece
        return data

    def check_bar(self, terminal, line, reader, pattern, some, done):
        """Checks the bar of a command that writes into a pipe; its output."""
        terminal.type(line + "\r")
        data = self.read(reader, some, terminal)
        seen = terminal.expect(pattern)
        drawn = seen[seen.index(self.WIPE) :]
        data += self.read(reader, None, terminal)
        seen = drawn + terminal.expect(done)
        # The bar is erased, and the next text begins a line.
        self.assertRegex(seen, r"[^\n]*(\r\x1b\[K[^\r\n]*)*\r\x1b\[K")
        last = seen[seen.rindex(self.WIPE) + len(self.WIPE) :]
        self.assertRegex(last, "^(%s|\r\n\\*\\*\\*|\r\nRun)" % done)
        for bar in re.findall(r"\r\x1b\[K([^\r]*)", seen)[:-1]:
            self.assertNotIn("\n", bar)
            self.assertLess(len(bar), 60)
        return data

    def test_save(self):
        path, reader = self.fifo("pipe.pb")
        terminal = self.start(RESNET, columns=60)
        terminal.prompt()
        data = self.check_bar(
            terminal,
            "save " + path,
            reader,
            self.BAR,
            200000,
            r"The profile is written to\s",
        )
        whole = os.path.join(self.home, "whole.pb")
        terminal.type("save " + whole + "\r")
        seen = terminal.expect(r"is written to\s+" + re.escape(whole))
        # Short work has no bar.
        self.assertNotIn("writing", seen)
        with open(whole, "rb") as file:
            self.assertEqual(file.read(), data)

    def test_timeline(self):
        _, reader = self.fifo("trace")
        terminal = self.start(RESNET, columns=60)
        terminal.prompt()
        data = self.check_bar(
            terminal,
            "graph -step 0 -max_depth 10000 -output "
            "timeline:outfile=%s/trace" % self.home,
            reader,
            self.BAR,
            70000,
            "Timeline file is written",
        )
        self.assertGreater(len(json.loads(data)["traceEvents"]), 1000)

    def test_pprof(self):
        # Opening the pipe waits for a reader.
        path = os.path.join(self.home, "p.gz")
        os.mkfifo(path)
        terminal = self.start(CODE, columns=60)
        terminal.prompt()
        terminal.type("code -max_depth 99 -output pprof:outfile=%s\r" % path)
        terminal.expect(r"\r\x1b\[Kwriting  1 s")
        with open(path, "rb") as file:
            self.assertGreater(len(gzip.decompress(file.read())), 1000)
        seen = terminal.expect("Run pprof")
        self.assertIn(self.WIPE + "\r\nRun", seen)

    def test_export_of_data(self):
        path, reader = self.fifo("pipe.json")
        terminal = self.start(RESNET, columns=60)
        terminal.prompt()
        data = self.check_bar(
            terminal,
            "scope -max_depth 99 -output json:outfile=" + path,
            reader,
            r"writing  \[#* *\] +\d+%  [\d.]+ k? ?rows/s",
            1000,
            "tfprof> ",
        )
        self.assertEqual(json.loads(data)["schema"], "tfprof.scope")

    def test_load(self):
        # The size of input from a pipe is unknown.
        with open(RESNET, "rb") as file:
            data = file.read()
        path = os.path.join(self.home, "in.pb")
        os.mkfifo(path)
        terminal = self.start(path, columns=60)
        writer = os.open(path, os.O_WRONLY)
        os.write(writer, data[:50000])
        terminal.expect(r"\r\x1b\[Kloading  50\.0 KB  [\d.]+ KB/s")
        with os.fdopen(writer, "wb") as file:
            file.write(data[50000:])
        seen = terminal.prompt()
        # The bar is wiped before the overview.
        self.assertIn(self.WIPE + "\x1b[1mFile", seen)
        terminal.type("pwd\r")
        terminal.prompt()

    def test_base_and_reload(self):
        for line in ("base", "load"):
            path = os.path.join(self.home, line)
            os.mkfifo(path)
            terminal = self.start(PROFILE, columns=60)
            terminal.prompt()
            terminal.type("%s %s\r" % (line, path))
            with open(path, "wb") as file, open(PROFILE, "rb") as data:
                terminal.expect(r"\r\x1b\[Kloading  \d s")
                file.write(data.read())
            terminal.prompt()

    def test_nothing_where_it_cannot_be_redrawn(self):
        terminal = self.start(RESNET, term="dumb", columns=60)
        terminal.prompt()
        path, reader = self.fifo("dumb.pb")
        terminal.type("save %s\r" % path)
        self.read(reader, 200000, terminal)
        time.sleep(0.7)
        self.read(reader, None, terminal)
        seen = terminal.expect(r"The profile is written to\s")
        self.assertNotIn("writing", seen)

    def test_nothing_in_a_file(self):
        # stdout is a terminal, and stderr none.
        path, reader = self.fifo("pipe.pb")
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        with subprocess.Popen(
            [binary, RESNET, "save", path],
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
            env=dict(os.environ, TERM="xterm"),
        ) as process:
            os.close(slave)
            self.read(reader, 200000)
            time.sleep(0.7)
            self.read(reader, None)
            messages = process.stderr.read()
            self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual(
            messages.decode(), "The profile is written to %s.\n" % path
        )
        # The terminal is empty: the read returns its end.
        self.assertRaises(OSError, os.read, master, 1)


class ScriptTest(unittest.TestCase):
    """Output that does not go to a terminal."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="tfprof_shell_")
        self.addCleanup(shutil.rmtree, self.home)

    def run_program(self, *arguments, typed=b"", term="xterm"):
        env = dict(os.environ, TERM=term, HOME=self.home)
        env.pop("XDG_STATE_HOME", None)
        return subprocess.run(
            [binary] + list(arguments),
            input=typed,
            env=env,
            cwd=self.home,
            timeout=TIMEOUT,
            capture_output=True,
            check=False,
        )

    def test_no_prompt_and_no_decoration(self):
        for term in ("xterm", "dumb"):
            done = self.run_program(
                PROFILE, typed=b"\nop -max_depth 1\n", term=term
            )
            self.assertEqual(done.returncode, 0)
            self.assertNotIn(PROMPT.encode(), done.stdout)
            self.assertNotIn(b"\x1b", done.stdout)
            self.assertNotIn(b"\r", done.stdout)
            self.assertTrue(
                done.stdout.startswith(b"-max_depth                  10\n")
            )
        # A script has no history.
        self.assertEqual(os.listdir(self.home), [])

    def test_bytes_are_stable(self):
        typed = b"scope\ngraph\nop -order_by micros\nadvise\n"
        first = self.run_program(PROFILE, typed=typed)
        self.assertEqual(first.returncode, 0)
        self.assertGreater(len(first.stdout), 1000)
        second = self.run_program(PROFILE, typed=typed)
        self.assertEqual(first.stdout, second.stdout)

    def test_one_shot_is_the_same_as_typed(self):
        typed = self.run_program(PROFILE, typed=b"op -order_by micros\n")
        for words in (
            ["op", "-order_by", "micros", PROFILE],
            [PROFILE, "op", "--order_by=micros"],
            ["--order_by", "micros", PROFILE, "op"],
        ):
            done = self.run_program(*words)
            self.assertEqual(done.stdout, typed.stdout, words)
            self.assertEqual(done.returncode, 0)

    def test_exit_status(self):
        for typed, status in (
            (b"op\n", 0),
            (b"", 0),
            (b"\n", 0),
            (b"nonsense\n", 1),
            (b"nonsense\nop\n", 1),
            (b"op -step 99\n", 1),
            (b"exit\nnonsense\n", 0),
            (b"nonsense\nexit\n", 1),
            (b"op -output file:outfile=/no/such/x\n", 1),
        ):
            done = self.run_program(PROFILE, typed=typed)
            self.assertEqual(done.returncode, status, typed)

    def test_one_shot_exit_status(self):
        self.assertEqual(self.run_program(PROFILE, "op").returncode, 0)
        self.assertEqual(
            self.run_program(PROFILE, "op", "-step", "99").returncode, 1
        )
        self.assertEqual(self.run_program("/no/such/file", "op").returncode, 1)
        self.assertEqual(
            self.run_program(PROFILE, "op", "--no_flag").returncode, 2
        )
        self.assertEqual(self.run_program("op").returncode, 2)
        done = self.run_program(PROFILE, "-f", "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"none", done.stderr)

    def test_last_line_without_newline(self):
        done = self.run_program(PROFILE, typed=b"op -max_depth 1")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"\nname ", done.stdout)

    def test_lines_of_other_systems(self):
        done = self.run_program(PROFILE, typed=b"set -max_depth 3\r\n\r\n")
        self.assertEqual(done.stderr, b"")
        self.assertIn(b"-max_depth                  3\n", done.stdout)

    def test_script_file(self):
        script = os.path.join(self.home, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(
                "# What takes the time?\n"
                "set -order_by micros   # for all that follows\n"
                "\n"
                "op -max_depth 1 -show_name_regexes '.*a b.*','Const'\n"
            )
        by_file = self.run_program(PROFILE, "-f", script, typed=b"nonsense\n")
        self.assertEqual(by_file.returncode, 0, by_file.stderr)
        with open(script, "rb") as file:
            by_pipe = self.run_program(PROFILE, typed=file.read())
        self.assertEqual(by_file.stdout, by_pipe.stdout)
        self.assertIn(b"-order_by                   micros\n", by_file.stdout)
        self.assertIn(b"\nConst ", by_file.stdout)

    def test_script_status(self):
        script = os.path.join(self.home, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("op\nop -step 7\nop\n")
        done = self.run_program(PROFILE, "-f", script)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count(b"largest first"), 2)

    def test_advice_as_data(self):
        words = [
            ADVICE,
            "advise",
            "-checkers",
            "acceleratorutilization",
            "-output",
        ]
        done = self.run_program(*words, "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        advice = json.loads(done.stdout)
        self.assertEqual(list(advice), ["schema", "version", "facts", "tables"])
        counts = {
            name: advice["facts"][name]
            for name in ("critical", "warning", "info")
        }
        self.assertEqual(counts, {"critical": 0, "warning": 1, "info": 1})
        finding = advice["tables"]["findings"]["rows"][0]
        self.assertEqual(finding["rule"], "low_utilization")
        self.assertAlmostEqual(finding["value"], 1 / 3)
        self.run_program(*words, "json:outfile=advice.json")
        with open(os.path.join(self.home, "advice.json"), "rb") as file:
            self.assertEqual(file.read(), done.stdout)
        done = self.run_program(*words, "table")
        begins = [line.split()[:2] for line in done.stdout.splitlines()]
        for begin in (
            [b"severity", b"rule"],
            [b"warning", b"low_utilization"],
            [b"info", b"utilization"],
        ):
            self.assertIn(begin, begins)

    def test_advice_of_all(self):
        for words in (["advise", "all", ADVICE], [ADVICE, "advise", "all"]):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"\n\nwarning   low_utilization  /job:", done.stdout)
        typed = self.run_program(ADVICE, typed=b"advise all\n")
        self.assertEqual(typed.stdout, done.stdout)

    def test_the_evidence_of_advice_can_be_seen(self):
        folder = os.path.dirname(os.path.dirname(ADVICE))
        for name, run in (
            ("ps_worker", "run_meta_0.gz"),
            ("synth_gpu", "run_meta_0.gz"),
            ("synth_advice", "run_meta_0"),
        ):
            files = [os.path.join(folder, name, run)]
            done = self.run_program(*files, "advise", "all", "-output", "json")
            findings = json.loads(done.stdout)["tables"]["findings"]["rows"]
            commands = {finding["evidence"] for finding in findings}
            self.assertGreater(len(commands), 1, name)
            for command in commands:
                with self.subTest(profile=name, command=command):
                    done = self.run_program(
                        *files, typed=command.encode() + b"\n"
                    )
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertGreater(len(done.stdout.splitlines()), 3)

    def test_advice_that_does_not_exist(self):
        for words in (
            ["advise", "-checkers", "none"],
            ["advise", "--checker_options=operation.x=1"],
        ):
            done = self.run_program(ADVICE, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stdout, b"")
            self.assertIn(b"OperationChecker", done.stderr)
        done = self.run_program(
            ADVICE, "advise", "all", "-output", "timeline:outfile=x"
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"advise has no timeline", done.stderr)

    def test_moving_around(self):
        done = self.run_program(ADVICE, typed=b"pwd\nls\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        head = next(i for i, s in enumerate(lines) if s.startswith(b"name "))
        scope = lines[head + 1].split()[0]
        done = self.run_program(
            ADVICE, typed=b"cd " + scope + b"\npwd\nup\npwd\ncd nowhere\n"
        )
        self.assertEqual(done.stdout, b"/" + scope + b"\n/\n")
        self.assertIn(b"no nowhere at the root", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_one_shot_inspection(self):
        for words in (["steps"], ["devices"], ["top", "3"], ["ls"]):
            done = self.run_program(ADVICE, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreaterEqual(len(done.stdout.splitlines()), 2)
            # Before the file as well as after it.
            before = self.run_program(*words, ADVICE)
            self.assertEqual(before.stdout, done.stdout)
            done = self.run_program(ADVICE, *words, "-output", "json")
            self.assertEqual(
                json.loads(done.stdout)["schema"], "tfprof." + words[0]
            )
        done = self.run_program(ADVICE, "show", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no node nothing", done.stderr)

    def test_a_node_as_data(self):
        node = json.loads(
            self.run_program(ADVICE, "top", "1", "-output", "json").stdout
        )["rows"][0]
        done = self.run_program(ADVICE, "show", node["name"], "-output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(done.stdout)
        self.assertEqual(shown["schema"], "tfprof.show")
        self.assertEqual(shown["facts"]["name"], node["name"])
        self.assertEqual(shown["facts"]["micros"], node["micros"])

    def test_doctor_finds_damage(self):
        whole = self.run_program(ADVICE, "doctor")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertIn(b"all was read", whole.stdout)
        cut = os.path.join(self.home, "cut.pb")
        with open(ADVICE, "rb") as file:
            data = file.read()
        with open(cut, "wb") as file:
            file.write(data[: len(data) * 2 // 3])
        done = self.run_program(cut, "doctor")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"could not be read", done.stdout)

    def test_reports_go_elsewhere(self):
        report = self.run_program(ADVICE, "op").stdout
        file = os.path.join(self.home, "out.txt")
        done = self.run_program(
            ADVICE, typed=b"op > out.txt\nop -max_depth 3 >> out.txt\n"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"")
        with open(file, "rb") as text:
            self.assertTrue(text.read().startswith(report))
        done = self.run_program(ADVICE, typed=b"op | wc -c\nop\n")
        count, rest = done.stdout.split(b"\n", 1)
        self.assertEqual(int(count), len(report))
        self.assertEqual(rest, report)
        # It is no error if a reader stops early.
        done = self.run_program(ADVICE, typed=b"scope | head -n 1\n" * 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 20)

    def test_reports_that_cannot_go_there(self):
        with open(
            os.path.join(self.home, "out.txt"), "w", encoding="utf-8"
        ) as file:
            file.write("kept")
        done = self.run_program(
            ADVICE,
            typed=b"op -step 99 > out.txt\nop > no/such/folder\n"
            b"op | exit 3\n| cat\nop >\nop > a b\n",
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, b"")
        with open(os.path.join(self.home, "out.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")
        for message in (
            b"no/such/folder",
            b"exit 3: exit status 3",
            b"no command before '|'",
            b"the name of one file",
        ):
            self.assertIn(message, done.stderr)

    def test_what_is_set_for_reports_is_not_for_help(self):
        kept = os.path.join(self.home, "kept")
        for kind in ("file", "timeline", "pprof", "none"):
            with self.subTest(kind=kind):
                typed = "set -output %s:outfile=%s\nhelp\n" % (kind, kept)
                done = self.run_program(PROFILE, typed=typed.encode())
                self.assertEqual(
                    done.stdout,
                    self.run_program(PROFILE, typed=b"help\n").stdout,
                )
                self.assertFalse(os.path.exists(kept))
        done = self.run_program(
            PROFILE, typed=b"pwd -output timeline:outfile=kept\n"
        )
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"pwd has no timeline; -output is stdout", done.stderr)

    def test_signs_inside_words_are_words(self):
        done = self.run_program(
            PROFILE, typed=b"op -show_name_regexes 'a | b',x|y,>z\n"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"\nname ", done.stdout)

    def test_load_and_reload(self):
        copy = os.path.join(self.home, "copy.pb")
        shutil.copy(PROFILE, copy)
        other = self.run_program(ADVICE, "op").stdout
        done = self.run_program(
            copy, typed=b"load " + ADVICE.encode() + b"\nop\nload none\nop\n"
        )
        # A further answer would be about a profile that does not exist.
        self.assertEqual(done.stdout, other)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"none", done.stderr)
        self.assertIn(b"line 3: the script ends here", done.stderr)
        done = self.run_program(copy, typed=b"set -max_depth 1\nreload\nop\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout, self.run_program(copy, "op", "-max_depth", "1").stdout
        )

    def test_zero_byte_in_a_line(self):
        done = self.run_program(PROFILE, typed=b"op\0x\nhelp\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"help COMMAND explains one", done.stdout)

    def test_a_closed_reader_is_no_crash(self):
        with subprocess.Popen(
            [binary, PROFILE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            process.stdout.close()
            try:
                process.stdin.write(b"op\n" * 1000)
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.wait(TIMEOUT)
            # `tfprof … | head` ends like this: it is no error.
            self.assertEqual(process.returncode, 0)
            self.assertEqual(process.stderr.read(), b"")

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [binary, PROFILE, "op"],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT,
                check=False,
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"could not be written", done.stderr)

    def test_messages_do_not_clear_the_screen(self):
        done = self.run_program(PROFILE, typed=b"op \x1b[2J\n")
        self.assertNotIn(b"\x1b", done.stderr)
        self.assertIn(b"\\x1b[2J", done.stderr)


class CompletionFileTest(unittest.TestCase):
    """Shells read `tfprof help completion.…`, and man reads tfprof.1."""

    def print_topic(self, topic):
        done = subprocess.run(
            [binary, "help", topic],
            timeout=TIMEOUT,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def complete(self, *words):
        """The completions of bash for these words, the last one unfinished."""
        with tempfile.NamedTemporaryFile(suffix=".bash") as file:
            file.write(self.print_topic("completion.bash"))
            file.flush()
            done = subprocess.run(
                [
                    "bash",
                    "-c",
                    'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                    '_tfprof; printf "%s\\n" "${COMPREPLY[@]}"',
                    file.name,
                    "tfprof",
                ]
                + list(words),
                timeout=TIMEOUT,
                capture_output=True,
                check=True,
            )
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()

    def test_bash(self):
        self.assertEqual(self.complete("sc"), ["scope"])
        self.assertEqual(
            self.complete("f.pb", "op", "-order_by", "mi"), ["micros"]
        )
        self.assertEqual(
            self.complete("f.pb", "op", "--order_by", "=", "mi"), ["micros"]
        )
        self.assertIn("name", self.complete("f.pb", "op", "--order_by", "="))
        self.assertEqual(
            self.complete("op", "-select", "bytes,mic"), ["bytes,micros"]
        )
        self.assertEqual(self.complete("f.pb", "op", "--ord"), ["--order_by"])
        self.assertEqual(self.complete("f.pb", "-ord"), ["-order_by"])
        self.assertIn(
            PROFILE, self.complete("--profile_path", "=", PROFILE[:-1])
        )
        self.assertEqual(self.complete("op", "sco"), [])

    def test_other_shells_read_theirs(self):
        tried = 0
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell) is None:
                continue
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.print_topic("completion." + shell))
                file.flush()
                done = subprocess.run(
                    [shell, "-n", file.name],
                    timeout=TIMEOUT,
                    capture_output=True,
                    check=False,
                )
            self.assertEqual((done.returncode, done.stderr), (0, b""), shell)
            tried += 1
        self.assertGreater(tried, 0)

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish")
        with tempfile.NamedTemporaryFile(suffix=".fish") as file:
            file.write(self.print_topic("completion.fish"))
            file.flush()
            done = subprocess.run(
                [
                    "fish",
                    "-c",
                    "source %s; complete -C 'tfprof x op "
                    "-order_by mi'; complete -C 'tfprof x op -select bytes,mic'"
                    % file.name,
                ],
                timeout=TIMEOUT,
                capture_output=True,
                check=True,
            )
        self.assertEqual(
            [line.split("\t")[0] for line in done.stdout.decode().splitlines()],
            ["micros", "bytes,micros"],
        )

    def test_manual_page(self):
        page = self.print_topic("tfprof.1").decode()
        self.assertTrue(page.isascii())
        for heading in ("NAME", "SYNOPSIS", "OPTIONS", "ENVIRONMENT"):
            self.assertIn(".SH " + heading, page)
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8"],
            input=page.encode(),
            timeout=TIMEOUT,
            capture_output=True,
            check=True,
        )
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    sys.exit(junit_runner.main("shell"))
