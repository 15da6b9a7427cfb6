#!/usr/bin/env python3
"""Ctrl-C is heard soon at any moment, and leaves no partial results behind.

Usage: tests/shell/interrupt_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

A made trace of 300,000 events is open in `pipe`, which gets SIGINT at random
moments of each command. What counts is the CPU time between the signal and the
reply, so that a busy machine changes nothing. One thread works, so it is the
time that a person waits on an idle machine.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import junit_runner

MOMENTS = 5  # for each command
LIMIT = 0.1  # CPU seconds
STEPS = 40
OPS = 1900  # of a step
COMMANDS = (
    "overview op scope graph advise steps timeline lanes explain kernels"
    " devices doctor flame critical_path"
).split()

binary = ""  # of junit_runner.main()


def write_trace(path):
    """A training with two threads, calls that nest, launches and kernels."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "traceEvents": [\n')

        def event(cat, name, pid, tid, start, micros, args=""):
            file.write(
                '{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": %d,'
                ' "ts": %d, "dur": %d, "args": {%s}},\n'
                % (cat, name, pid, tid, start, micros, args)
            )

        number = 0
        for step in range(STEPS):
            begin = step * OPS * 100
            name = "ProfilerStep#%d" % step
            event("user_annotation", name, 1, 1, begin, OPS * 100 - 10)
            for op in range(OPS):
                number += 1
                at = begin + op * 100
                thread = 1 + op % 2
                name = "aten::op%d" % (op % 97)
                shapes = '"Input Dims": [[128, %d]]' % (op % 61)
                link = '"correlation": %d' % number
                on = link + ', "device": 0, "stream": 7'
                kernel = "kernel_%d" % (op % 211)
                launch = "cudaLaunchKernel"
                event("cpu_op", name, 1, thread, at, 80, shapes)
                event("cpu_op", name + "_in", 1, thread, at + 5, 60, shapes)
                event("cuda_runtime", launch, 1, thread, at + 20, 10, link)
                event("kernel", kernel, 0, 7, at + 45, 40 + op % 17, on)
        file.write('{"ph": "M", "name": "end", "pid": 1}]}\n')


class Pipe:
    def __init__(self, path):
        self.process = subprocess.Popen(
            [binary, "--threads=1", "pipe", path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, command, arguments=()):
        request = {"command": command, "arguments": list(arguments)}
        request["output"] = "json"
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def reply(self):
        header = json.loads(self.process.stdout.readline())
        return header, self.process.stdout.read(header["bytes"])

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def interrupted(self, share, cpu, command, arguments=()):
        """Interrupts a command after a share of its CPU time.

        Returns the CPU time until its reply, and the reply.
        """
        begun = self.cpu()
        self.ask(command, arguments)
        # It may be over before, if results were kept.
        deadline = time.monotonic() + 3
        while self.cpu() - begun < share * cpu and time.monotonic() < deadline:
            time.sleep(0.002)
        sent = self.cpu()
        self.process.send_signal(signal.SIGINT)
        header, _ = self.reply()
        return self.cpu() - sent, header


class InterruptTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "trace.json")
        write_trace(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pipe(self):
        pipe = Pipe(self.path)
        self.addCleanup(pipe.close)
        pipe.ask("ping")
        pipe.reply()
        return pipe

    def check(self, command, arguments=()):
        """Returns how often the command was cancelled."""
        pipe = self.pipe()
        begun = pipe.cpu()
        pipe.ask(command, arguments)
        header, expected = pipe.reply()
        self.assertNotEqual(header["status"], 2, header)
        cpu = pipe.cpu() - begun
        # What was computed is kept, unless a try is cancelled.
        pipe.ask("load", [self.path])
        pipe.reply()
        late = []
        cancelled = 0
        for _ in range(MOMENTS):
            share = random.random() * 0.8
            took, header = pipe.interrupted(share, cpu, command, arguments)
            cancelled += "cancelled" in str(header["messages"])
            if took > LIMIT:
                late.append((round(share, 2), round(took, 3)))
        # Nothing of the work that was cancelled is in the next answer.
        pipe.ask(command, arguments)
        self.assertEqual(pipe.reply()[1], expected)
        # The system may pause once for reasons of its own.
        self.assertLessEqual(len(late), 1, (command, cpu, late))
        return cancelled

    def test_commands(self):
        random.seed(31)
        cancelled = 0
        for command in COMMANDS:
            with self.subTest(command):
                cancelled += self.check(command)
        # Most are long enough to be cancelled at all.
        self.assertGreater(cancelled, len(COMMANDS))

    def test_load(self):
        random.seed(32)
        self.assertGreater(self.check("load", [self.path]), 2)


if __name__ == "__main__":
    sys.exit(junit_runner.main("interrupt"))
