#!/usr/bin/env python3
"""Tests that the program is one file that runs on any Linux.

Usage: tests/standalone/standalone_test.py --bin=bazel-bin/profiler/tfprof
[TEST…]

It names no loader and no shared library, and needs no other file: it runs in a
chroot that has the program and a profile only. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner

PROFILE = os.path.join(TESTS, "golden", "profiles", "tiny_const", "profile.pb")
COMMAND = ["/profile.pb", "op", "-max_depth", "3"]

# Constants of <elf.h>.
PT_DYNAMIC = 2
PT_INTERP = 3
DT_NULL = 0
DT_NEEDED = 1

# The longest that an answer may take, on a busy machine.
TIMEOUT = 20

binary = ""  # of junit_runner.main()


def elf_segments(data):
    """Yields (type, bytes in the file) of each segment of a 64-bit ELF file."""
    (at,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from(
            "<IIQQQQ", data, at + i * size
        )
        yield kind, data[offset : offset + length]


class FileTest(unittest.TestCase):
    def test_it_names_no_loader_and_no_library(self):
        with open(binary, "rb") as f:
            data = f.read()
        self.assertEqual(data[:6], b"\x7fELF\x02\x01")
        needed = 0
        for kind, content in elf_segments(data):
            self.assertNotEqual(kind, PT_INTERP, content)
            if kind == PT_DYNAMIC:
                for tag, _ in struct.iter_unpack("<qQ", content):
                    if tag == DT_NULL:
                        break
                    needed += tag == DT_NEEDED
        self.assertEqual(needed, 0)


def may_chroot():
    """Whether this process may call chroot()."""
    pid = os.fork()
    if pid == 0:
        try:
            os.chroot("/")
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


@unittest.skipIf(not may_chroot(), "this needs root, for chroot()")
class EmptyRootTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(binary, os.path.join(self.root, "tfprof"))
        shutil.copy(PROFILE, os.path.join(self.root, "profile.pb"))

    def enter(self):
        os.chroot(self.root)
        os.chdir("/")

    def run_in_root(self, env):
        return subprocess.run(
            ["/tfprof"] + COMMAND,
            env=env,
            preexec_fn=self.enter,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
        )

    def test_reports_are_the_same_there(self):
        outside = subprocess.run(
            [binary, PROFILE] + COMMAND[1:],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
        inside = self.run_in_root({})
        self.assertEqual(inside.stderr, b"")
        self.assertEqual(inside.stdout, outside.stdout)
        self.assertEqual(inside.returncode, 0)

    def test_a_locale_that_is_not_there_is_no_error(self):
        plain = self.run_in_root({})
        for locale in ("C.UTF-8", "de_DE.UTF-8", "ja_JP.EUC-JP", "nonsense"):
            result = self.run_in_root({"LC_ALL": locale})
            self.assertEqual(
                (result.returncode, result.stdout, result.stderr),
                (0, plain.stdout, b""),
                locale,
            )

    def shell(self, env, lines):
        """Types the lines into a shell; returns its screen and exit status."""
        pid, master = pty.fork()
        if pid == 0:
            self.enter()
            os.execve("/tfprof", ["tfprof", "/profile.pb"], env)
        screen = ""
        try:
            end = time.monotonic() + TIMEOUT
            prompts = 0
            while time.monotonic() < end:
                if not select.select([master], [], [], 0.1)[0]:
                    # It waits for us: no output, and one more prompt.
                    if lines and len(re.findall("tfprof> ", screen)) > prompts:
                        prompts = len(re.findall("tfprof> ", screen))
                        os.write(master, lines.pop(0).encode() + b"\n")
                    continue
                try:
                    screen += os.read(master, 65536).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
        finally:
            os.close(master)
        return screen, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_the_shell_works_without_terminfo(self):
        for env in (
            {},
            {
                "TERM": "xterm-256color",
                "LC_ALL": "C.UTF-8",
                "HOME": "/home/nobody",
            },
        ):
            screen, status = self.shell(
                env, ["op -max_depth 1", "help naïve", "cat ~root/x", "quit"]
            )
            self.assertIn("sums of op times", screen)
            self.assertIn("no help on 'na", screen)
            self.assertEqual(status, 0, screen)

    def test_the_browser_says_that_it_needs_terminfo(self):
        screen, status = self.shell(
            {"TERM": "xterm-256color"}, ["tui", "pwd", "quit"]
        )
        self.assertIn(
            "this machine has no terminfo database", " ".join(screen.split())
        )
        self.assertEqual(status, 0, screen)


if __name__ == "__main__":
    sys.exit(junit_runner.main("standalone"))
