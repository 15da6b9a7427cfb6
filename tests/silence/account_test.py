#!/usr/bin/env python3
"""What `status` says of the bytes of a file adds up to the file.

Usage: account_test.py --bin=PROGRAM [--corpus=FOLDER,…] [TEST…]

For the profiles of the tests, for small files of each format, whole and
damaged, and for all files below the folders of --corpus. Formats without an
account say so: their columns are empty.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import gzip
import io
import json
import os
import pickle
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, TESTS]

import damages
import junit_runner
import seeds

PROFILES = os.path.join(TESTS, "golden", "profiles")
PARTS = [
    "read_bytes",
    "unused_bytes",
    "white_space_bytes",
    "free_bytes",
    "repaired_bytes",
    "damaged_bytes",
]
# Mutants of each format.
NUMBER = 15

binary = ""  # of junit_runner.main()
corpora = []


def unpacked_size(path, kind):
    """The size of an input; of a trace of CTF, of the files of its folder."""
    if kind == "CTF trace":
        folder = os.path.dirname(path) or "."
        files = [e for e in os.scandir(folder) if e.is_file()]
        return sum(e.stat().st_size for e in files if e.name[0] != ".")
    with open(path, "rb") as file:
        data = file.read()
    while data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return len(data)


def unpacked_zip(data):
    """The size of an archive with its files unpacked that a session reads."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = [(i.file_size, i.compress_size) for i in archive.infolist()]
    return len(data) + sum(size - packed for size, packed in sizes)


class AccountTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")
        self.counts = collections.Counter()

    def check(self, path, size=None, more=()):
        """The parts of a file, which must add up to it; None: no account.

        The program says so if it lost a part."""
        done = subprocess.run(
            [binary, path, *more, "status", "-output", "json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )
        self.assertIn(done.returncode, (0, 1, 2), done.stderr[-2000:])
        if not done.stdout:
            return None
        found = None
        for row in json.loads(done.stdout)["tables"]["inputs"]["rows"]:
            self.counts[row["format"], row["bytes"] is not None] += 1
            if row["bytes"] is None:
                self.assertEqual([row[part] for part in PARTS], [None] * 6)
                continue
            found = {part: row[part] for part in PARTS}
            with self.subTest(path=row["path"]):
                self.assertEqual(sum(found.values()), row["bytes"], found)
                self.assertGreaterEqual(min(found.values()), 0)
                if found["damaged_bytes"]:
                    self.assertEqual(done.returncode, 1)
                if size is not False and not (more and size):
                    expected = size or unpacked_size(row["path"], row["format"])
                    self.assertEqual(row["bytes"], expected)
                if row["packed_bytes"] is not None:
                    self.assertEqual(
                        row["packed_bytes"], os.path.getsize(row["path"])
                    )
        return found

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return self.path

    def check_seeds(self, make, damage):
        """Whole files have no damage; what damaged ones lose is counted."""
        accounts = 0
        for seed in range(NUMBER):
            rng = random.Random(seed)
            whole = make(rng)
            account = self.check(self.write(whole), len(whole))
            self.assertEqual(account["damaged_bytes"], 0)
            self.assertEqual(account["repaired_bytes"], 0)
            accounts += 1
            data = damage(rng, whole)
            if data:
                account = self.check(self.write(data), len(data))
                accounts += account is not None
        self.assertGreater(accounts, NUMBER)

    def check_lost(self, data, lost, size=None, least=None):
        """A file that loses `lost` bytes, or at least some."""
        size = len(data) if size is None else size
        account = self.check(self.write(data), size)
        if least is None:
            self.assertEqual(account["damaged_bytes"], lost)
        else:
            self.assertGreaterEqual(account["damaged_bytes"], least)
        return account

    def test_json(self):
        for make in (seeds.kineto_trace, seeds.chrome_trace, seeds.ort_profile):
            self.check_seeds(make, damages.json_text)

    def test_messages(self):
        for make, kind in (
            (seeds.xspace, "XSpace"),
            (seeds.onnx, "OnnxModel"),
            (seeds.pprof, "Pprof"),
            (seeds.perfetto, "Trace"),
            (seeds.run_metadata, "RunMetadata"),
            (seeds.graph_def, "GraphDef"),
        ):
            self.check_seeds(
                make, lambda rng, data, k=kind: damages.message(rng, data, k)
            )

    def test_texts_of_messages(self):
        self.check_seeds(seeds.graph_text, damages.json_text)
        text = b"node { name: 'a b' x: 1 } # y"
        account = self.check(self.write(text))
        self.assertEqual(account["read_bytes"], 16)
        self.assertEqual(account["unused_bytes"], 6)

    def test_csv_of_rocprof(self):
        self.check_seeds(seeds.rocprof_csv, damages.lines)
        names = b"Kind,Kernel_Name,Note,Start_Timestamp,End_Timestamp\n"
        row = b'KERNEL_DISPATCH,"f,""g""",x y,1,2\n'
        account = self.check_lost(names + row + b"\n" + row, 0)
        # The name of the third column is read.
        self.assertEqual(account["unused_bytes"], 6)
        self.assertEqual(account["white_space_bytes"], 1)
        for lost in (b"KERNEL_DISPATCH,g,x,1\n", b"KERNEL_DISPATCH,g,x,9,2\n"):
            self.check_lost(names + row + lost + row, len(lost))
        self.check_lost(names + row + b'K,"g', 4)

    def test_a_run_in_json_and_csv(self):
        folder = os.path.dirname(self.path)
        paths = [os.path.join(folder, "9_results.json")]
        paths.append(os.path.join(folder, "9_kernel_trace.csv"))
        makes = (seeds.rocprof_json, seeds.rocprof_csv)
        for path, make in zip(paths, makes):
            with open(path, "wb") as file:
                file.write(make(random.Random(2)))
        found = self.check(paths[0], more=paths[1:])
        self.assertEqual(found["unused_bytes"], sum(found.values()))

    def test_counters(self):
        trace = os.path.join(os.path.dirname(self.path), "trace", "metadata")
        os.mkdir(os.path.dirname(trace))
        whole = seeds.ctf(random.Random(1))
        for name, data in whole.items():
            with open(os.path.join(os.path.dirname(trace), name), "wb") as file:
                file.write(data)
        for name in ("rcp", "rocprof", "rocprofv3"):
            with open(
                os.path.join(seeds.CORPUS, "counter_csv", name), "rb"
            ) as f:
                data = f.read()
            for seed in range(NUMBER):
                damaged = damages.lines(random.Random(seed), data)
                self.write(damaged if seed else data)
                self.check(trace, False, [self.path])
        self.assertGreater(self.counts["CSV of kernel counters", True], NUMBER)
        self.write(data + b"1,f\n")
        self.check(trace, False, [self.path])

    def test_compile_logs(self):
        self.check_seeds(seeds.compile_log, damages.lines)
        prefix = b"V1124 03:13:15.404000 3715 x.py:1] "
        ident = b'"frame_id":0,"frame_compile_id":1,"attempt":0}\n'
        good = prefix + b'{"dynamo_start":{"stack":[]},' + ident
        lost = prefix + b'{"chromium_event":{},"has_payload":"x"}\n\tno\n'
        for bad in (b"words\n", lost):
            self.check_lost(good + bad + good, len(bad))
        self.check_lost(b"\tx\n" + good, 3)
        other = prefix + b'{"artifact":{"name":"x"},"has_payload":"x"}\n'
        account = self.check_lost(good + other + b"\ta b\n\n\tc\n\n", 0)
        self.assertEqual(account["unused_bytes"], 9)
        self.assertEqual(account["white_space_bytes"], 1)

    def test_json_of_rocprof(self):
        self.check_seeds(seeds.rocprof_json, damages.json_text)
        whole = json.loads(seeds.rocprof_json(random.Random(4)))
        records = whole["rocprofiler-sdk-tool"][0]["buffer_records"]
        bad = dict(records["hip_api"][0], end_timestamp=-1)
        records["hip_api"].append(bad)
        self.check_lost(json.dumps(whole).encode(), len(json.dumps(bad)))
        records["hip_api"].pop()
        whole = json.dumps(whole).encode()
        self.check_lost(whole + b"]", 1)
        at = whole.rindex(b'"end_timestamp"')
        self.check_lost(whole[:at], None, least=1)

    def test_flight_recorders(self):
        # The number at the end of the name is the rank.
        self.path += "_3"
        self.check_seeds(seeds.flight_json, damages.json_text)
        self.check_seeds(seeds.flight_pickle, damages.pickled)
        dump = seeds.flight_dump(random.Random(3))
        for size in (1, 40):
            dump["entries"][0]["profiling_name"] = None
            dump["entries"][0]["input_dtypes"] = "x" * size
            lost = json.dumps(dump["entries"][0])
            self.check_lost(json.dumps(dump).encode(), len(lost))
            self.check_lost(pickle.dumps(dump), None, least=size)
        account = self.check(self.write(pickle.dumps(dump) + b"more"))
        self.assertGreaterEqual(account["unused_bytes"], 4)

    def test_snapshots(self):
        self.check_seeds(seeds.snapshot, damages.pickled)
        whole = pickle.loads(seeds.snapshot(random.Random(2)))
        unused = dict(whole, allocator_settings={"a": "x" * 100})
        account = self.check(self.write(pickle.dumps(unused)))
        self.assertIn(account["unused_bytes"], range(100, 200))
        whole["device_traces"][0][0]["action"] = "y" * 100
        self.check_lost(pickle.dumps(whole), None, least=100)

    def test_pickled_runs(self):
        self.check_seeds(seeds.pickled_runs, damages.pickled)

    def write_folder(self, files):
        """Writes the files of a folder of their own; returns the folder."""
        folder = tempfile.mkdtemp(dir=os.path.dirname(self.path))
        for name, data in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return folder

    def check_folder(self, files, first):
        folder = self.write_folder(files)
        size = sum(map(len, files.values()))
        return self.check(os.path.join(folder, first), size)

    def test_sessions(self):
        for seed in range(NUMBER):
            rng = random.Random(seed)
            data = seeds.session(rng)
            account = self.check(self.write(data), unpacked_zip(data))
            self.assertEqual(account["damaged_bytes"], 0)
            self.assertEqual(account["repaired_bytes"], 0)
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = {
                    name: archive.read(name) for name in archive.namelist()
                }
            account = self.check_folder(files, "manifest.json")
            self.assertEqual(account["damaged_bytes"], 0)
            self.check(self.write(damages.some_bytes(rng, data)), False)
            name = rng.choice(sorted(files))
            files[name] = damages.some_bytes(rng, files[name])
            self.check_folder(files, "manifest.json")
        self.assertGreater(self.counts["tfprof session", True], 2 * NUMBER)

    def test_members_of_a_session(self):
        data = seeds.session(random.Random(3))
        archive = io.BytesIO(data)
        with zipfile.ZipFile(archive, "a") as more:
            more.writestr("notes.txt", "x" * 1000)
        account = self.check(self.write(archive.getvalue()), False)
        self.assertEqual(account["unused_bytes"], 1000)
        with zipfile.ZipFile(archive, "a") as more:
            more.writestr("traces/../../x", "y" * 500)
        account = self.check_lost(archive.getvalue(), 500, False)
        # A record of the first trace has another checksum.
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            trace = packed.read("traces/000001.pb")
        wrong = data.replace(zlib.crc32(trace).to_bytes(4, "little"), b"wron")
        account = self.check(self.write(wrong), False)
        self.assertEqual(account["repaired_bytes"], len(trace))

    def test_ctf(self):
        for seed in range(NUMBER):
            rng = random.Random(seed)
            files = seeds.ctf(rng)
            account = self.check_folder(files, "metadata")
            self.assertEqual(account["damaged_bytes"], 0)
            self.assertEqual(account["repaired_bytes"], 0)
            name = rng.choice(sorted(files))
            files[name] = damages.some_bytes(rng, files[name])
            self.check_folder(files, "metadata")
        self.assertGreater(self.counts["CTF trace", True], NUMBER)

    def test_parts_of_ctf(self):
        files = seeds.ctf(random.Random(1))
        stream = files["channel_0"]
        files["channel_0.idx"] = b"x" * 50
        whole = self.check_folder(files, "metadata")
        self.assertGreaterEqual(whole["unused_bytes"], 50)
        files["channel_0"] = stream + b"y" * 70
        account = self.check_folder(files, "metadata")
        self.assertEqual(account["damaged_bytes"], 70)
        # The id of the first event of the first packet, which ends there.
        content = int.from_bytes(stream[24:32], "little") // 8
        files["channel_0"] = stream[:56] + b"\x77" + stream[57:]
        account = self.check_folder(files, "metadata")
        self.assertEqual(account["damaged_bytes"], content - 56)

    def test_databases(self):
        self.check_seeds(seeds.database, damages.some_bytes)

    def test_pages_of_a_database(self):
        db = sqlite3.connect(self.path)
        db.executescript(
            """PRAGMA page_size = 512;
            CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, shortName);
            CREATE TABLE other(x);
            CREATE TABLE gone(x);
            CREATE INDEX i ON other(x);
            INSERT INTO StringIds VALUES(1, 'k');"""
        )
        rows = [(10 * i, 10 * i + 5, 1) for i in range(200)]
        db.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?)", rows
        )
        for name in ("other", "gone"):
            db.executemany(
                "INSERT INTO %s VALUES(?)" % name, [("z" * 300,)] * 20
            )
        db.executescript("DELETE FROM gone; DROP TABLE gone;")
        db.close()
        whole = self.check(self.path)
        self.assertEqual(whole["damaged_bytes"], 0)
        self.assertGreater(whole["unused_bytes"], 2 * 20 * 300)
        self.assertGreater(whole["free_bytes"], 20 * 300)
        db = sqlite3.connect(self.path)
        db.execute(
            "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = -1 WHERE start < 500"
        )
        db.commit()
        db.close()
        account = self.check(self.path)
        # A quarter of the rows has a wrong end.
        self.assertGreater(
            account["damaged_bytes"], 0.2 * whole["read_bytes"] / 2
        )
        self.assertLess(account["damaged_bytes"], 0.3 * whole["read_bytes"])

    def test_whole_messages_have_no_damage(self):
        for make in (seeds.xspace, seeds.perfetto, seeds.run_metadata):
            account = self.check(self.write(make(random.Random(1))))
            self.assertEqual(account["damaged_bytes"], 0)
            self.assertEqual(account["repaired_bytes"], 0)

    def test_a_packed_file(self):
        data = seeds.kineto_trace(random.Random(3))
        account = self.check(self.write(gzip.compress(data)), len(data))
        self.assertEqual(sum(account.values()), len(data))
        self.assertEqual(account["damaged_bytes"], 0)

    def test_profiles(self):
        for folder, _, names in os.walk(PROFILES):
            for name in names:
                self.check(os.path.join(folder, name))
        self.assertGreater(self.counts["RunMetadata", True], 5)
        self.assertGreater(self.counts["GraphDef", True], 5)

    def test_corpora(self):
        if not corpora:
            self.skipTest("no --corpus")
        for corpus in corpora:
            for folder, _, names in os.walk(corpus):
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    if os.path.getsize(path) < 1 << 28:
                        self.check(path)
        for (name, accounted), count in sorted(self.counts.items()):
            print(name, "accounted" if accounted else "not accounted", count)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpora = word.split("=", 1)[1].split(",")
            sys.argv.remove(word)
    sys.exit(junit_runner.main("account_test"))
