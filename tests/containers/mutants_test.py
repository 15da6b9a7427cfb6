#!/usr/bin/env python3
"""Databases, pickles and packets with changes that their own libraries accept
are read or refused: with a message, in time, in little memory, and nothing
runs.

Usage: mutants_test.py --bin=PROGRAM [--number=N] [TEST…]

Each test makes N files (150 in a test run) from random databases, from
snapshots of the simulated allocator, and from traces that `timeline -output
perfetto` writes. A file is opened, `status` and a report of it are asked.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import allocator
import databases
import junit_runner
import mutants
import wire

RECORDED = os.path.join(os.path.dirname(HERE), "gpu", "recorded")
MEMORY = 1 << 30
SECONDS = 20

binary = ""  # of junit_runner.main()
number = 150


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class MutantsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.statuses = collections.Counter()

    def path(self, name):
        return os.path.join(self.folder, name)

    def open(self, path, seed, report):
        with self.subTest(seed=seed):
            before = sorted(os.listdir(self.folder))
            done = subprocess.run(
                [binary, path],
                input="status\n%s\n" % report,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                cwd=self.folder,
                preexec_fn=limit_memory,
            )
            self.assertIn(done.returncode, (0, 1, 2), done.stderr[-2000:])
            if done.returncode:
                self.assertNotEqual(done.stdout + done.stderr, "")
            self.assertEqual(sorted(os.listdir(self.folder)), before)
            self.statuses[done.returncode] += 1

    def check_statuses(self):
        # Both must occur, or the changes are too small or too large.
        print(dict(self.statuses))
        self.assertEqual(sum(self.statuses.values()), number)
        self.assertGreater(self.statuses[0], 0)
        self.assertGreater(self.statuses[1] + self.statuses[2], 0)

    def test_databases(self):
        for seed in range(number):
            generator = random.Random(seed)
            path = self.path("f.sqlite")
            kind = generator.choice((databases.Nsys, databases.Rocpd))
            kind(generator, path).close()
            mutants.change_database(generator, path)
            self.open(path, seed, "op")
            for name in os.listdir(self.folder):
                os.remove(self.path(name))
        self.check_statuses()

    def test_pickles(self):
        path = self.path("f.pickle")
        for seed in range(number):
            generator = random.Random(seed)
            device = allocator.Allocator(generator, 0)
            for _ in range(20):
                device.act()
            data = pickle.dumps(
                allocator.snapshot([device]), generator.randint(2, 5)
            )
            with open(path, "wb") as out:
                out.write(mutants.change_pickle(generator, data))
            self.open(path, seed, "memory")
        self.check_statuses()

    def test_packets(self):
        trace = os.path.join(RECORDED, "tiny_kernels", "trace.json.gz")
        path = self.path("f.pftrace")
        files = []
        for words in ("", "-step 1 "):
            command = "timeline %s-output perfetto:outfile=%s\n" % (words, path)
            subprocess.run(
                [binary, trace], input=command, text=True, capture_output=True
            )
            with open(path, "rb") as file:
                files.append(file.read())
            os.remove(path)
        for seed in range(number):
            generator = random.Random(seed)
            # Few packets, so that most changes are of an event that is read.
            packets = wire.fields(generator.choice(files))
            first = generator.randrange(len(packets) // 2)
            some = packets[:40] + packets[first : first + 60]
            data = b"".join(whole for _, _, whole in some)
            for _ in range(generator.randint(1, 10)):
                data = mutants.change_message(generator, data)
            with open(path, "wb") as out:
                out.write(data)
            self.open(path, seed, "op")
        self.check_statuses()


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--number="):
            number = int(word.split("=", 1)[1])
            sys.argv.remove(word)
    sys.exit(junit_runner.main("containers mutants"))
