#!/usr/bin/env python3
"""The quick part of the check that cost is linear: every shape, few things.

Usage: tests/linear/linear_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

One process runs all commands on a shape of n and of 4 n things. The larger may
take 8 times the CPU time of the smaller: linear growth is 4 times, quadratic
growth 16 times. Both are so small that only a quadratic cost comes near. It is
measured again if it seems too slow. linear.py is the whole check.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import concurrent.futures
import os
import shlex
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import growth
import junit_runner
from shape import SHAPES

FEW = 4000  # things of the larger input, or fewer if a thing is expensive
TIMES = 4
ALLOWED = 8
# CPU seconds of all commands that are the same for every input, and noise.
FLOOR = 0.15
# Memory of all commands: bytes for a byte of input, and for the program.
MEMORY = 40
PROGRAM = 128 * growth.MEGABYTE

binary = ""  # of junit_runner.main()


def cost_of_all(shape, n, folder):
    """(cost, bytes of the input)"""
    source = growth.Input(shape, n, folder)
    lines = [
        shlex.join(growth.words(name, folder))
        for name, words in growth.COMMANDS.items()
        if words
    ]
    cost = growth.run(
        binary, [source.argument], folder, script="\n".join(lines) + "\n"
    )
    source.close()
    return cost, source.bytes


def complaint(name):
    """What is wrong with the cost of a shape; "": nothing."""
    shape = SHAPES[name]
    many = min(FEW, shape.most // 20)
    with tempfile.TemporaryDirectory() as folder:
        large, size = cost_of_all(shape, many, folder)
        if large.status < 0:
            return "signal %d: %s" % (-large.status, large.err[-1000:])
        if large.memory > MEMORY * size + PROGRAM:
            return "%d MB of memory for %d MB" % (
                large.memory // growth.MEGABYTE,
                size // growth.MEGABYTE,
            )
        if large.cpu <= ALLOWED * FLOOR:
            return ""
        small, _ = cost_of_all(shape, many // TIMES, folder)
        cpu = min(large.cpu, cost_of_all(shape, many, folder)[0].cpu)
        if cpu <= ALLOWED * max(small.cpu, FLOOR):
            return ""
        return "%.2f s for %d, but %.2f s for %d" % (
            cpu,
            many,
            small.cpu,
            many // TIMES,
        )


class LinearTest(unittest.TestCase):
    def test_all_shapes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            names = [name for name, of in SHAPES.items() if not of.grows]
            complaints = dict(zip(names, pool.map(complaint, names)))
        self.assertEqual({}, {k: v for k, v in complaints.items() if v})

    def test_a_shape_has_as_many_things_as_asked_for(self):
        # A shape that ignores its number would always pass.
        for name, shape in SHAPES.items():
            sizes = []
            for n in (300, 1200):
                made = shape.make(n)
                parts = [made] if isinstance(made, bytes) else made.values()
                sizes.append(sum(len(part) for part in parts))
            with self.subTest(shape=name):
                self.assertGreater(sizes[1], 1.5 * sizes[0])


if __name__ == "__main__":
    sys.exit(junit_runner.main("linear_test"))
