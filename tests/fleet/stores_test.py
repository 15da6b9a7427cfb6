#!/usr/bin/env python3
"""Tests that the fleet reads files of stores, by the protocols of S3 and of
Google Cloud Storage.

Usage: tests/fleet/stores_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has duckdb, pyarrow, moto[server] and gcp-storage-emulator; `./dev
test-fleet stores` makes it. Without the last two, the tests are skipped. The
servers keep files in memory, and listen on the loopback interface only. Writes
JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

import fleet_program as program
import junit_runner
from fleet_program import ask
from make_ranks import make_job

binary = ""  # of junit_runner.main()
lacking = ""  # a package

# They serve until their input ends.
S3_SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", int(sys.argv[1]), verbose=False)
server.start()
print("ready", flush=True)
sys.stdin.read()
server.stop()
"""
GCS_SERVER = """
import logging, sys
from gcp_storage_emulator.server import create_server
server = create_server("127.0.0.1", int(sys.argv[1]), in_memory=True,
                       default_bucket="bucket")
server.start()
print("ready", flush=True)
sys.stdin.read()
server.stop()
"""
# Copies the files of a folder to a bucket, under other names.
PUT = """
import os, sys
from pyarrow import fs
system, bucket = fs.FileSystem.from_uri(sys.argv[1])
if system.type_name == "s3":
    system, _ = fs.FileSystem.from_uri(
        sys.argv[1] + "?allow_bucket_creation=true")
    system.create_dir(bucket)
for place in range(2, len(sys.argv), 2):
    with open(sys.argv[place], "rb") as file:
        with system.open_output_stream(f"{bucket}/{sys.argv[place + 1]}") as to:
            to.write(file.read())
"""
DELETE = """
import sys
from pyarrow import fs
system, path = fs.FileSystem.from_uri(sys.argv[1])
system.delete_file(path)
"""
# What a URL cannot have, or takes for something else, is in these names.
NAMES = (
    "job/rank_0.json",
    "job/a b/rank_1.json",
    "job/c#1/rank_2.json",
    "job/50%25/rank_3.json",
    "job/u+v=w&x,y/rank_4.json",
    "job/é/rank_5.json",
)
HIDDEN = "job/.rank_9.json"


class StoreTests:
    """The same tests for each store."""

    server = ""  # the script
    scheme = ""  # with ://, and who asks
    missing = "does not exist, or is not on shared storage"

    @classmethod
    def setUpClass(cls):
        cls.processes = []
        if lacking:
            return
        cls.variables = cls.start()
        cls.traces = program.path("traces_of_" + cls.__name__)
        make_job(cls.traces, len(NAMES), 3, seed=5)
        words = []
        for rank, name in enumerate(NAMES):
            words += [cls.trace(rank), name]
        cls.put(*words, cls.trace(0), HIDDEN)

    def setUp(self):
        if lacking:
            self.skipTest(f"{program.python} has no {lacking}")

    @classmethod
    def tearDownClass(cls):
        for process in cls.processes:
            process.stdin.close()
            process.stdout.close()
            process.wait()

    @classmethod
    def trace(cls, rank):
        return os.path.join(cls.traces, f"rank_{rank}.json")

    @classmethod
    def serve(cls, **variables):
        """Starts the server; returns its address."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [program.python, "-c", cls.server, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=program.environment(**variables),
        )
        cls.processes.append(process)
        assert "ready" in process.stdout.readline()
        return f"http://127.0.0.1:{port}"

    @classmethod
    def put(cls, *words):
        done = program.run(
            "-c", PUT, f"{cls.scheme}bucket", *words, **cls.variables
        )
        assert done.returncode == 0, done.stderr

    def ingest(self, path, name, *words, **variables):
        folder = program.path(f"{type(self).__name__}_{name}.dataset")
        done = program.fleet(
            "ingest",
            self.scheme + path,
            "-o",
            folder,
            *words,
            **{**self.variables, **variables},
        )
        self.assertNotIn("Traceback", done.stderr)
        return done, folder

    def ranks(self, folder):
        _, tables = ask(folder, "-by", "rank")
        return sorted(row["rank"] for row in tables["ranks"])

    def test_all_files_below_a_folder(self):
        done, folder = self.ingest("bucket/job", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("6 files listed, 0 unchanged, 6 read", done.stdout)
        self.assertEqual(self.ranks(folder), list(range(6)))
        local = folder + ".local"
        program.fleet("ingest", self.traces, "-o", local)
        self.assertEqual(ask(folder, "-by", "op"), ask(local, "-by", "op"))
        # Nothing has changed; then one file has.
        done, _ = self.ingest("bucket/job", "all", "--resume")
        self.assertIn("6 files listed, 6 unchanged, 0 read", done.stdout)
        with open(self.trace(2) + ".longer", "wb") as longer:
            with open(self.trace(2), "rb") as file:
                longer.write(file.read() + b" ")
        self.put(self.trace(2) + ".longer", NAMES[2])
        done, _ = self.ingest("bucket/job", "all", "--resume")
        self.assertIn("6 files listed, 5 unchanged, 1 read", done.stdout)

    def test_names_that_are_no_part_of_a_url(self):
        for number, (path, ranks) in enumerate(
            (
                ("bucket/job/a b/rank_1.json", [1]),
                ("bucket/job/a%20b/rank_1.json", [1]),
                ("bucket/job/a b/*.json", [1]),
                ("bucket/job/a*/r*", [1]),
                ("bucket/job/c#1/*", [2]),
                ("bucket/job/c#*/*", [2]),
                ("bucket/job/50%2525/rank_3.json", [3]),
                ("bucket/job/50%2525/*", [3]),
                ("bucket/job/*%2525/*", [3]),
                ("bucket/job/u+v=w&x,y/*.json", [4]),
                ("bucket/job/é/rank_[5].json", [5]),
                ("bucket/job/*.json", [0]),
                ("bucket/*/?*/*.json", [1, 2, 3, 4, 5]),
            )
        ):
            with self.subTest(path):
                done, folder = self.ingest(path, f"name{number}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.ranks(folder), ranks)

    def test_what_is_not_there(self):
        for path in ("nobucket/job", "bucket/nothing", "bucket/no/*.json"):
            with self.subTest(path):
                done, folder = self.ingest(path, "nothing")
                self.assertEqual(done.returncode, 1)
                self.assertIn(
                    f"{self.scheme}{path}: {self.missing}", done.stderr
                )
                self.assertFalse(os.path.exists(folder))

    def test_a_file_that_is_gone_keeps_its_rows(self):
        self.put(self.trace(0), "gone/rank_0.json")
        self.put(self.trace(1), "gone/rank_1.json")
        self.ingest("bucket/gone", "gone")
        done = program.run(
            "-c",
            DELETE,
            f"{self.scheme}bucket/gone/rank_1.json",
            **self.variables,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        done, folder = self.ingest("bucket/gone", "gone", "--resume")
        self.assertIn("1 files listed, 1 unchanged, 0 read", done.stdout)
        self.assertEqual(self.ranks(folder), [0, 1])


class S3Test(StoreTests, unittest.TestCase):
    server = S3_SERVER
    scheme = "s3://"

    @classmethod
    def start(cls):
        variables = {
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        return {**variables, "AWS_ENDPOINT_URL": cls.serve(**variables)}

    def test_a_store_that_denies(self):
        # From the first request on, the server asks who has which rights.
        denies = self.serve(INITIAL_NO_AUTH_ACTION_COUNT="0")
        done, folder = self.ingest(
            "bucket/job", "denied", AWS_ENDPOINT_URL=denies
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("s3://bucket/job: ", done.stderr)
        self.assertIn("ACCESS_DENIED", done.stderr)
        self.assertFalse(os.path.exists(folder))

    def test_a_store_that_does_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        done, folder = self.ingest(
            "bucket/job", "silent", AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}"
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("NETWORK_CONNECTION", done.stderr)
        self.assertFalse(os.path.exists(folder))


class GcsTest(StoreTests, unittest.TestCase):
    server = GCS_SERVER
    scheme = "gs://anonymous@"

    @classmethod
    def start(cls):
        return {"CLOUD_STORAGE_EMULATOR_ENDPOINT": cls.serve()}


def setUpModule():
    global lacking
    program.start(binary)
    for package in ("moto", "gcp_storage_emulator"):
        if program.run("-c", f"import {package}").returncode != 0:
            lacking = package


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("fleet_stores_test"))
