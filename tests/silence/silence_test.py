#!/usr/bin/env python3
"""What another parser refuses never passes without a word.

Usage: silence_test.py --bin=PROGRAM [--number=N] [--first=SEED] [TEST…]

Each test damages N small files of a format (60 in a test run) by their
structure. An independent parser judges each: Python's json, pickle, gzip,
zipfile and sqlite3, or a walk over the wire form of messages (message_walk.py)
or over CTF (ctf_walk.py). If it refuses a file, the program must end with an
error or say something that it does not say of the whole file. The table at the
end counts what happened.

Not judged: texts that are not UTF-8, and numbers such as NaN in JSON, which
the program takes on purpose (g3doc/security.md).

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import io
import json
import os
import pickle
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import ctf_walk
import damages
import junit_runner
import message_walk
import seeds

WHOLES = 16  # whole files of a format, which are damaged in many ways

binary = ""  # of junit_runner.main()
number = 60
first = 0
table = []


def is_json(data):
    try:
        json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def is_gzip(data):
    try:
        return is_json(gzip.decompress(data))
    except (OSError, EOFError, zlib.error):
        return False


def is_session(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.testzip() is not None:
                return False
            return all(
                is_json(archive.read(name))
                for name in archive.namelist()
                if name.endswith(".json")
            )
    except Exception:  # zipfile raises many kinds of errors
        return False


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(module)


def is_pickle(data):
    try:
        PlainUnpickler(io.BytesIO(data)).load()
    except (UnicodeDecodeError, MemoryError):
        return True  # large numbers of things are no error of the file
    except Exception:  # pickle raises many kinds of errors
        return False
    return True


def is_database(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        with open(path, "wb") as file:
            file.write(data)
        db = sqlite3.connect(path)
        db.text_factory = bytes
        try:
            rows = db.execute("PRAGMA integrity_check").fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return False
        finally:
            db.close()
        return rows == [(b"ok",)]


def is_message(kind):
    return lambda data: message_walk.is_read(data, kind)


class SilenceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ask(self, data):
        """(exit status, the lines on stderr without their numbers).

        `data` is that of a file, or of the files of a folder by name."""
        path = os.path.join(self.folder, "file")
        if isinstance(data, dict):
            path = tempfile.mkdtemp(dir=self.folder)
            self.addCleanup(shutil.rmtree, path)
            for name, content in data.items():
                with open(os.path.join(path, name), "wb") as file:
                    file.write(content)
        else:
            with open(path, "wb") as file:
                file.write(data)
        done = subprocess.run(
            [binary, path, "status"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=60,
        )
        self.assertIn(done.returncode, (0, 1, 2), done.stderr[-2000:])
        return done.returncode, {
            re.sub(rb"\d+", b"0", line.replace(path.encode(), b"PATH"))
            for line in done.stderr.splitlines()
        }

    def wholes(self, make, is_whole):
        """Some files that are read to their end, and what is said of each."""
        found = []
        for seed in range(8 * WHOLES):
            data = make(random.Random(seed))
            self.assertTrue(is_whole(data))
            status, said = self.ask(data)
            if status == 0:
                found.append((data, said))
            if len(found) == WHOLES:
                break
        self.assertNotEqual(found, [])
        return found

    def check(self, make, damage, is_whole):
        wholes = self.wholes(make, is_whole)
        count = {"refused": 0, "answered": 0, "silent": 0}
        for seed in range(first, first + number):
            rng = random.Random("%s %d" % (self.id(), seed))
            whole, said_of_whole = rng.choice(wholes)
            data = damage(rng, whole)
            if is_whole(data):
                continue
            count["refused"] += 1
            status, said = self.ask(data)
            count["answered"] += status == 0
            if status == 0 and said <= said_of_whole:
                count["silent"] += 1
                self.keep(seed, data)
                with self.subTest(seed=seed):
                    self.fail("passed without a word")
        table.append((self.id().rpartition("_")[2], number, count))
        # Otherwise the damages are too small or too large.
        self.assertGreater(count["refused"], number // 20)

    def keep(self, seed, data):
        kept = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
        if kept:
            path = "%s/%s_%d" % (kept, self.id().rpartition("_")[2], seed)
            with open(path, "wb") as file:
                file.write(
                    data if isinstance(data, bytes) else repr(data).encode()
                )

    def message(self, make, kind):
        self.check(
            make,
            lambda rng, data: damages.message(rng, data, kind),
            is_message(kind),
        )

    def test_kineto(self):
        self.check(seeds.kineto_trace, damages.json_text, is_json)

    def test_chrome(self):
        self.check(seeds.chrome_trace, damages.json_text, is_json)

    def test_ort(self):
        self.check(seeds.ort_profile, damages.json_text, is_json)

    def test_xplane(self):
        self.message(seeds.xspace, "XSpace")

    def test_onnx(self):
        self.message(seeds.onnx, "OnnxModel")

    def test_pprof(self):
        self.message(seeds.pprof, "Pprof")

    def test_perfetto(self):
        self.message(seeds.perfetto, "Trace")

    def test_runmetadata(self):
        self.message(seeds.run_metadata, "RunMetadata")

    def test_graphdef(self):
        self.message(seeds.graph_def, "GraphDef")

    def folder_of(self, names, damage):
        """A damage of one of the files with such names."""

        def damaged(rng, files):
            name = rng.choice([n for n in sorted(files) if names(n)])
            return dict(files, **{name: damage(rng, files[name])})

        return damaged

    def test_ctf_metadata(self):
        self.check(
            seeds.ctf,
            self.folder_of(lambda name: name == "metadata", damages.tsdl),
            ctf_walk.is_read,
        )

    def test_ctf_streams(self):
        self.check(
            seeds.ctf,
            self.folder_of(lambda name: name != "metadata", damages.some_bytes),
            ctf_walk.is_read,
        )

    def test_pickle(self):
        self.check(seeds.snapshot, damages.pickled, is_pickle)

    def test_sqlite(self):
        self.check(seeds.database, damages.some_bytes, is_database)

    def test_gzip(self):
        self.check(seeds.packed_kineto, damages.some_bytes, is_gzip)

    def test_zip(self):
        self.check(seeds.session, damages.some_bytes, is_session)


def print_table():
    print(
        "%-12s %8s %8s %8s %8s" % ("", "mutants", "refused", "exit 0", "silent")
    )
    for name, mutants, count in table:
        print(
            "%-12s %8d %8d %8d %8d"
            % (
                name,
                mutants,
                count["refused"],
                count["answered"],
                count["silent"],
            )
        )


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith(("--number=", "--first=")):
            name, value = word[2:].split("=")
            globals()[name] = int(value)
            sys.argv.remove(word)
    status = junit_runner.main("silence_test")
    print_table()
    sys.exit(status)
