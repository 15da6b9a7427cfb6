#!/usr/bin/env python3
"""Tests the dataset of a fleet: what is lost, and who is slow.

Usage: tests/fleet/fleet_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has duckdb and pyarrow; `./dev test-fleet` makes it. The files come from
make_ranks.py. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import concurrent.futures
import csv
import gzip
import io
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

import fleet_program as program
import junit_runner
from fleet_program import RANKS, STEPS, ask, dataset, edit, fleet, job
from make_ranks import Faults, make_job

TIMEOUT = program.TIMEOUT
FAULTS = Faults(
    slow={7: 1.25},
    slow_steps={33: (1.3, (2, 5, 8))},
    input={21: 1500},
    slow_op={40: ("aten::tile", 1.3)},
    cut=(12,),
    empty=(13,),
    junk=(14,),
    pipe=(15,),
    double=(50,),
    missing=(60, 61),
)


binary = ""  # of junit_runner.main()

# `store://bucket/job` is the folder of the first argument; the second one is a
# log of the files that are opened.
STORE = """
import os, stat, sys
from pyarrow import fs
from tfprof._fleet import command, inputs

folder, log, *words = sys.argv[1:]

class Store:
    def get_file_info(self, what):
        local = fs.LocalFileSystem()
        if isinstance(what, str):
            infos = [local.get_file_info(self.to(what))]
        else:
            infos = local.get_file_info(
                fs.FileSelector(self.to(what.base_dir), recursive=True))
        found = [
            fs.FileInfo(info.path.replace(folder, "bucket/job", 1), info.type,
                        size=info.size, mtime_ns=info.mtime_ns)
            for info in infos
            if isinstance(what, str) or info.path.startswith(folder + "/")]
        return found[0] if isinstance(what, str) else found

    def open_input_stream(self, path):
        with open(log, "a") as file:
            file.write(path + chr(10))
        if not os.stat(self.to(path)).st_mode & stat.S_IRUSR:
            raise OSError("no access to " + path)
        return fs.LocalFileSystem().open_input_stream(self.to(path))

    def to(self, path):
        if path == "bucket":
            return os.path.dirname(folder)
        return path.replace("bucket/job", folder, 1)

real = fs.FileSystem

class FileSystem:
    @staticmethod
    def from_uri(uri):
        if not uri.startswith("store://"):
            return real.from_uri(uri)
        from urllib.parse import unquote
        return Store(), unquote(uri.partition("://")[2])

fs.FileSystem = FileSystem
sys.exit(command.main(words))
"""


def is_running(folder):
    """Of /proc/PID; a zombie, whom nobody waits for, is not."""
    try:
        with open(f"{folder}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def edit_job(name, rank=None, ranks=None):
    """Makes the file say another rank, or how many ranks its job has."""

    def change(trace):
        info = trace["distributedInfo"]
        if rank is not None:
            info["rank"] = rank
        if ranks is not None:
            info["world_size"] = ranks
            group = {"pg_name": "0", "pg_desc": "default_pg"}
            group.update(pg_size=ranks, ranks=list(range(ranks)))
            info["pg_config"] = [group]

    edit(name, change)


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.dataset = dataset(
            "faults", "--ranks", str(RANKS), seed=1, faults=FAULTS
        )

    def test_first_line_says_what_is_lost(self):
        line = fleet(self.dataset).stdout.replace("\n  ", " ").splitlines()[0]
        self.assertEqual(
            line,
            "ranks 58 of 64, steps 10, missing 2 (60, 61), partial 1 (12), "
            "corrupt 1 (14), empty 1 (13), double 1 (50), unreadable 1 (15), "
            "rank-steps missing 0",
        )

    def test_each_listed_file_has_a_row(self):
        facts, tables = ask(self.dataset, "files")
        self.assertEqual(
            facts["files"],
            {
                "ok": 58,
                "partial": 1,
                "corrupt": 1,
                "empty": 1,
                "double": 1,
                "unreadable": 1,
            },
        )
        self.assertEqual(
            {(row["rank"], row["status"]) for row in tables["lost"]},
            {
                (12, "partial"),
                (13, "empty"),
                (14, "corrupt"),
                (15, "unreadable"),
                (50, "double"),
            },
        )

    def test_stragglers_are_found_and_no_others(self):
        _, tables = ask(self.dataset, "stragglers")
        found = {
            row["rank"]: (row["slow_steps"], row["why"])
            for row in tables["stragglers"]
        }
        self.assertEqual(
            found,
            {
                7: (10, "compute: 12 of 12 ops slower"),
                21: (10, "idle: input"),
                33: (3, "compute: 12 of 12 ops slower"),
            },
        )

    def test_a_slow_operation_is_found(self):
        _, tables = ask(self.dataset, "stragglers")
        found = {
            row["rank"]: (row["name"], round(row["slower_share"], 1))
            for row in tables["slow_ops"]
            if row["name"].startswith("aten::")
        }
        self.assertEqual(found, {40: ("aten::tile", 0.3)})

    def test_the_others_wait_for_the_slowest_rank(self):
        _, tables = ask(self.dataset, "collectives")
        self.assertEqual(tables["waits"][0]["rank"], 21)
        self.assertEqual(tables["kinds"][0]["calls"], 58 * STEPS)

    def test_parts_add_up_to_the_wall_time(self):
        _, tables = ask(self.dataset, "-by", "rank")
        for row in tables["ranks"]:
            own = row["own_nanos"] + row["exposed_communication_nanos"]
            # Medians of the parts, which differ a little from step to step.
            self.assertAlmostEqual(own / row["wall_nanos"], 1, delta=0.02)

    def test_collectives_are_no_computation(self):
        _, tables = ask(self.dataset, "-by", "op")
        classes = {row["name"]: row["class"] for row in tables["ops"]}
        self.assertEqual(classes["nccl:all_reduce"], "collective")
        self.assertEqual(classes["aten::mm"], "compute")

    def test_an_operation_has_the_time_that_the_program_says(self):
        rank = os.path.join(job("faults"), "rank_3.json")
        done = subprocess.run(
            [program.binary, rank, "op", "-step", "4", "-max_depth", "1000"]
            + ["-select", "micros,occurrence", "-output", "json"],
            capture_output=True,
            check=True,
        )
        expected = {
            row["name"]: round(1000 * row["self_total_micros"])
            if "self_total_micros" in row
            else round(1000 * row["self_micros"])
            for row in json.loads(done.stdout)["rows"]
        }
        rows = subprocess.run(
            [
                program.binary,
                rank,
                "rows",
                "ops",
                "-step",
                "4",
                "-output",
                "ndjson",
            ],
            capture_output=True,
            check=True,
        )
        got = {}
        for line in rows.stdout.splitlines()[1:]:
            row = json.loads(line)
            got[row["name"]] = row["self_nanos"]
        self.assertEqual(got, {n: v for n, v in expected.items() if v})

    def test_every_output_has_the_same_rows(self):
        _, tables = ask(self.dataset, "stragglers")
        done = fleet(self.dataset, "stragglers", "-output", "csv").stdout
        rows = [
            row
            for row in csv.reader(io.StringIO(done))
            if row and row[0] == "stragglers"
        ]
        self.assertEqual(
            [int(row[1]) for row in rows],
            [row["rank"] for row in tables["stragglers"]],
        )
        markdown = fleet(self.dataset, "stragglers", "-output", "markdown")
        self.assertIn("| 33 | 3 | 10 |", markdown.stdout)

    def test_prose_is_not_cut(self):
        _, tables = ask(self.dataset, "files")
        shown = " ".join(fleet(self.dataset, "files").stdout.split())
        for row in tables["lost"]:
            # A very long one lacks its end.
            for word in row["message"][:120].split()[:-1]:
                self.assertIn(word, shown)
        self.assertIn(" …", shown)

    def test_tables_fit_the_window(self):
        for words in ((), ("stragglers",), ("files",), ("-by", "op")):
            text = fleet(self.dataset, *words).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80, words)


class IngestTest(unittest.TestCase):
    def small(self, name, ranks=4, **options):
        path = program.path(name)
        make_job(path, ranks, 3, seed=5, **options)
        return path, path + ".dataset"

    def files(self, path):
        return ask(path, "files")[0]["files"]

    def test_a_path_that_nobody_sees(self):
        done = fleet("ingest", "/nowhere/traces", "-o", "x.dataset")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not on shared storage", done.stderr)
        self.assertFalse(os.path.exists(program.path("x.dataset")))

    def test_files_of_a_store_are_copied_once(self):
        """A stand-in for the file system of pyarrow, which writes a log."""
        traces, path = self.small("stored", 4)
        os.makedirs(os.path.join(traces, "more"))
        shutil.copy(
            os.path.join(traces, "rank_3.json"),
            os.path.join(traces, "more", "a #1% rank_4.json"),
        )
        edit_job(os.path.join(traces, "more", "a #1% rank_4.json"), rank=4)
        shutil.copy(
            os.path.join(traces, "rank_3.json"),
            os.path.join(traces, ".rank_5.json"),
        )
        log = program.path("store.log")

        def ingest(*words):
            done = program.run("-c", STORE, traces, log, "ingest", *words)
            copied = []
            if os.path.exists(log):
                with open(log) as file:
                    copied = sorted(file.read().splitlines())
                os.remove(log)
            return done, copied

        words = ("store://bucket/job", "-o", path)
        done, copied = ingest(*words)
        self.assertIn(": ok 5\n", done.stdout, done.stderr)
        names = [f"bucket/job/rank_{rank}.json" for rank in range(4)]
        self.assertEqual(copied, ["bucket/job/more/a #1% rank_4.json", *names])
        _, tables = ask(path, "-by", "rank")
        self.assertEqual(
            {row["rank"] for row in tables["ranks"]}, set(range(5))
        )
        local = program.path("not_stored.dataset")
        fleet("ingest", traces, "-o", local)
        self.assertEqual(ask(path, "-by", "op"), ask(local, "-by", "op"))
        # Only what has changed is copied again.
        with open(os.path.join(traces, "rank_2.json"), "ab") as file:
            file.write(b" ")
        done, copied = ingest(*words, "--resume")
        self.assertIn("5 files listed, 4 unchanged, 1 read", done.stdout)
        self.assertEqual(copied, names[2:3])
        # A star is a part of one name.
        globbed = program.path("globbed.dataset")
        done, copied = ingest("store://bucket/job/*_[01].json", "-o", globbed)
        self.assertEqual(copied, names[:2], done.stderr)
        globbed = program.path("folder.dataset")
        done, copied = ingest("store://bucket/j*/m*", "-o", globbed)
        self.assertEqual(copied, ["bucket/job/more/a #1% rank_4.json"])

    def test_a_store_that_fails(self):
        traces, path = self.small("failing", 2)
        words = ("-c", STORE, traces, os.devnull, "ingest")
        done = program.run(*words, "store://bucket/nothing", "-o", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("store://bucket/nothing: does not exist", done.stderr)
        self.assertFalse(os.path.exists(path))
        # It is listed, and cannot be opened: the others count.
        os.chmod(os.path.join(traces, "rank_1.json"), 0o200)
        done = program.run(*words, "store://bucket/job", "-o", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ok 1, unreadable 1", done.stdout)
        _, tables = ask(path, "files")
        (lost,) = tables["lost"]
        self.assertEqual(lost["path"], "store://bucket/job/rank_1.json")
        self.assertIn("no access to bucket/job/rank_1.json", lost["message"])
        # The real one, with a scheme that it does not know.
        done = fleet("ingest", "nonsense://bucket", "-o", path, "--resume")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nonsense://bucket: ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_shards_make_the_same_dataset(self):
        traces, path = self.small("shards", 5)
        whole = path + ".whole"
        fleet("ingest", traces, "-o", whole)
        for shard in ("2/2", "1/2"):
            done = fleet("ingest", traces, "-o", path, "--shard", shard)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(ask(path, "-by", "op"), ask(whole, "-by", "op"))
        self.assertEqual(self.files(path), {"ok": 5})

    def test_files_that_are_in_two_parts_count_once(self):
        """Two machines read the same files at the same time."""
        traces, path = self.small("overlap", 24)
        other = path + ".other"
        fleet("ingest", traces, "-o", path, "--processes", "1")
        before = [ask(path, "-by", "op"), ask(path, "files")]
        fleet("ingest", traces, "-o", other, "--processes", "3")
        for table in ("files", "steps", "ops", "account", "collectives"):
            for name in os.listdir(os.path.join(other, table, "run=default")):
                place = os.path.join(table, "run=default", name)
                self.assertFalse(os.path.exists(os.path.join(path, place)))
                shutil.copy(
                    os.path.join(other, place), os.path.join(path, place)
                )
        after = [ask(path, "-by", "op"), ask(path, "files")]
        self.assertEqual(after, before)

    def rows_of(self, traces, folder):
        """The rows that a recorder writes of each trace."""
        script = (
            "import os, sys; from tfprof._recorders.rows import write_rows\n"
            "for name in os.listdir(sys.argv[1]):\n"
            "    os.environ['RANK'] = name[5:-5]\n"
            "    write_rows(os.path.join(sys.argv[1], name), sys.argv[2])"
        )
        done = program.run("-c", script, traces, folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_of_recorders_make_the_same_dataset(self):
        traces, path = self.small("recorded", 6)
        rows = traces + ".rows"
        self.rows_of(traces, rows)
        self.assertEqual(len(os.listdir(rows)), 6)
        fleet("ingest", traces, "-o", path)
        fleet("ingest", rows, "-o", path + ".rows")
        for words in (("overview",), ("-by", "op"), ("collectives",)):
            self.assertEqual(ask(path + ".rows", *words), ask(path, *words))
        sizes = [
            sum(e.stat().st_size for e in os.scandir(d)) for d in (rows, traces)
        ]
        self.assertLess(8 * sizes[0], sizes[1])

    def test_the_first_of_equal_rows_is_named(self):
        script = (
            "import duckdb; from tfprof._fleet.asking import slowest\n"
            "rows = [(r, s, 5) for r in range(40) for s in range(50)]\n"
            "rows += [(9, 7, None), (8, 6, 4)]\n"
            "base = duckdb.connect()\n"
            "base.execute('CREATE TABLE t (rank INT, step INT, nanos INT)')\n"
            "base.executemany('INSERT INTO t VALUES (?, ?, ?)', rows[::-1])\n"
            "print(base.sql(f\"SELECT {slowest('nanos')}, \"\n"
            "    f\"{slowest('nanos', 'rank', 'step')} FROM t\").fetchall())"
        )
        done = program.run("-c", script)
        self.assertEqual(done.stdout.strip(), "[(0, 0, 0)]", done.stderr)

    def test_rows_that_are_damaged(self):
        traces, path = self.small("bad_rows", 5)
        rows = traces + ".rows"
        self.rows_of(traces, rows)

        def change(rank, old, new):
            name = os.path.join(rows, f"rank_{rank}.rows.ndjson.gz")
            with gzip.open(name) as file:
                data = file.read()
            self.assertIn(old, data)
            with gzip.open(name, "wb") as file:
                file.write(data.replace(old, new, 1))

        name = os.path.join(rows, "rank_0.rows.ndjson.gz")
        with open(name, "r+b") as file:
            file.truncate(os.path.getsize(name) // 2)
        change(1, b'"version":2', b'"version":1')
        change(2, b'"runs":1', b'"runs":"many"')
        change(3, b'"table":"ops"', b'"table":"pos"')
        done = fleet("ingest", rows, "-o", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        _, tables = ask(path, "files")
        said = {row["rank"]: row["message"] for row in tables["lost"]}
        self.assertEqual(set(said), {0, 1, 2, 3})
        self.assertIn("EOFError", said[0])
        self.assertIn("found tfprof.rows of version 1", said[1])
        self.assertEqual(said[2], "ops.runs: 'many' does not fit")
        self.assertIn("KeyError", said[3])
        self.assertEqual(self.files(path), {"ok": 1, "corrupt": 4})

    def test_a_task_that_runs_again_writes_the_same_part(self):
        traces, path = self.small("again", 5)
        words = ("ingest", traces, "-o", path, "--shard", "1/1")
        fleet(*words)
        parts = sorted(os.listdir(os.path.join(path, "ops", "run=default")))
        before = ask(path, "-by", "op")
        shutil.rmtree(os.path.join(path, "runs"))
        fleet(*words)
        again = sorted(os.listdir(os.path.join(path, "ops", "run=default")))
        self.assertEqual(again, parts)
        self.assertEqual(ask(path, "-by", "op"), before)

    def test_a_machine_that_does_not_see_the_files(self):
        script = (
            "import sys; from tfprof._fleet import ingest, inputs\n"
            "task = ingest.Task([inputs.File(sys.argv[1], 1, 1)], ['key'])\n"
            "ingest._run_task(sys.argv[2], ingest.Options(), task)"
        )
        done = program.run("-c", script, "/nowhere/rank_0.json", "x")
        self.assertIn("/nowhere/rank_0.json: it is not on shared", done.stderr)
        done = program.run("-c", script, __file__, "/nowhere/dataset")
        self.assertIn("does not see the dataset /nowhere/dataset", done.stderr)

    def test_a_shard_that_there_is_not(self):
        for shard in ("0/2", "3/2", "x"):
            done = fleet("ingest", "x", "-o", "y", "--shard", shard)
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected I/N with 1 <= I <= N", done.stderr)

    def test_a_rank_with_two_bad_files_is_named_once(self):
        traces, path = self.small("twice_bad", 3)
        for name in ("rank_1.json", "old_rank_1.json"):
            with open(os.path.join(traces, name), "w"):
                pass
        fleet("ingest", traces, "-o", path)
        self.assertIn("empty 2 (1),", " ".join(fleet(path).stdout.split()))

    def test_an_option_of_another_engine(self):
        for words in (("--master", "local"), ("--address", "auto")):
            done = fleet("ingest", "x", "-o", "y", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{words[0]} needs --engine", done.stderr)

    def test_an_engine_that_is_not_installed(self):
        traces, path = self.small("no_engine", 1)
        for engine in ("spark", "ray"):
            done = fleet("ingest", traces, "-o", path, "--engine", engine)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"pip install 'tfprof[{engine}]'", done.stderr)

    def test_resume_reads_only_what_is_new_or_changed(self):
        traces, path = self.small("resume")
        fleet("ingest", traces, "-o", path)
        again = fleet("ingest", traces, "-o", path)
        self.assertEqual(again.returncode, 1)
        self.assertIn("--resume", again.stderr)
        before = ask(path, "-by", "op")
        name = os.path.join(traces, "rank_1.json")
        shutil.copy(name, os.path.join(traces, "rank_9.json"))
        edit_job(os.path.join(traces, "rank_9.json"), rank=9)
        os.utime(name, (1, 1))
        done = fleet("ingest", traces, "-o", path, "--resume")
        self.assertIn("5 files listed, 3 unchanged, 2 read", done.stdout)
        self.assertEqual(self.files(path), {"ok": 5})
        os.unlink(os.path.join(traces, "rank_9.json"))
        # The changed file counts once.
        runs = {row["name"]: row["runs"] for row in before[1]["ops"]}
        after = {r["name"]: r["runs"] for r in ask(path, "-by", "op")[1]["ops"]}
        self.assertEqual(
            {n: c * 4 for n, c in after.items()},
            {n: c * 5 for n, c in runs.items()},
        )
        # Nor is a row of another file lost.
        account = ask(path)[1]["account"]
        total = sum(row["wall_share"] for row in account)
        self.assertAlmostEqual(total, 1, delta=0.01)  # the ten largest

    def test_a_part_that_was_not_finished_does_not_count(self):
        traces, path = self.small("killed")
        fleet("ingest", traces, "-o", path)
        before = ask(path, "-by", "op")
        steps = os.path.join(path, "ops", "run=default")
        part = os.path.join(steps, sorted(os.listdir(steps))[0])
        shutil.copy(part, os.path.join(steps, "0" * 32 + ".parquet"))
        self.assertEqual(ask(path, "-by", "op"), before)

    def test_a_killed_ingest_is_resumed(self):
        traces, path = self.small("killed_early", 40)
        running = subprocess.Popen(
            [
                program.python,
                "-m",
                "tfprof",
                "fleet",
                "ingest",
                traces,
                "-o",
                path,
            ],
            env={
                **os.environ,
                "TFPROF_BINARY": program.binary,
                "PYTHONPATH": program.path("package"),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        files = os.path.join(path, "files")
        end = time.monotonic() + TIMEOUT
        while not os.path.isdir(files) and time.monotonic() < end:
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        done = fleet("ingest", traces, "-o", path, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(path), {"ok": 40})

    def test_workers_end_with_a_killed_ingest(self):
        folder = program.path("pids")
        os.mkdir(folder)
        script = (
            "import os, sys, time\n"
            "from tfprof._fleet.engines import make_engine\n"
            "def work(task):\n"
            "    open(sys.argv[1] + f'/{os.getpid()}', 'w').close()\n"
            "    time.sleep(600)\n"
            "list(make_engine('local', None, 2).run(work, [1, 2]))\n"
        )
        running = subprocess.Popen(
            [program.python, "-c", script, folder],
            env=program.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + TIMEOUT
        while len(os.listdir(folder)) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        workers = [f"/proc/{pid}" for pid in os.listdir(folder)]
        self.assertEqual(len(workers), 2)
        running.kill()
        running.wait()
        end = time.monotonic() + 30
        while any(map(is_running, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual([w for w in workers if is_running(w)], [])

    def test_ctrl_c(self):
        traces, path = self.small("interrupted", 400)
        screen, terminal = pty.openpty()
        running = subprocess.Popen(
            [program.python, "-m", "tfprof", "fleet"]
            + ["ingest", traces, "-o", path, "--processes", "1"],
            env=program.environment(),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            # A shell that runs this in the background ignores Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(terminal)
        text = ""
        while " of 400 files" not in text:
            text += os.read(screen, 1000).decode()
        os.killpg(running.pid, signal.SIGINT)
        try:
            while True:
                text += os.read(screen, 1000).decode()
        except OSError:
            pass  # the program has ended, and with it the terminal
        os.close(screen)
        self.assertEqual(running.wait(), 130)
        # The progress gives its line to the message.
        last = text.rpartition("files")[2]
        self.assertEqual(
            last, "\r\x1b[Ktfprof-fleet: interrupted; --resume goes on\r\n"
        )
        # Nothing half written is left, and nothing is read twice.
        names = [name for *_, files in os.walk(path) for name in files]
        self.assertEqual([name for name in names if name.endswith(".tmp")], [])
        before = self.files(path)["ok"]
        self.assertLess(before, 400)
        done = fleet("ingest", traces, "-o", path, "--resume")
        self.assertIn(f"{before} unchanged, {400 - before} read", done.stdout)
        self.assertEqual(self.files(path), {"ok": 400})

    def test_two_runs_in_one_folder(self):
        traces = program.path("two_in_one")
        for number, run in enumerate(("monday", "tuesday")):
            make_job(os.path.join(traces, run), 4, 3, seed=number)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        done = fleet(path)
        self.assertEqual(done.returncode, 1)
        text = " ".join(done.stdout.split())
        self.assertIn("double 4 (0, 1, 2, 3)", text)
        self.assertIn("4 ranks have several complete files, such as", text)
        self.assertIn("two_in_one/monday/rank_0.json", text)
        self.assertIn("with a --run of its own", text)
        # The first ones count, once.
        facts, tables = ask(path, "-by", "rank")
        alone = program.path("monday.dataset")
        fleet("ingest", os.path.join(traces, "monday"), "-o", alone)
        self.assertEqual(ask(alone, "-by", "rank")[1], tables)

    def test_files_that_say_how_many_ranks_there_are(self):
        traces, path = self.small("of_six", 4)
        for rank in range(4):
            edit_job(os.path.join(traces, f"rank_{rank}.json"), ranks=6)
        fleet("ingest", traces, "-o", path)
        done = fleet(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ranks 4 of 6, steps 3, missing 2 (4, 5)", done.stdout)

    def test_an_older_run_with_other_ranks(self):
        traces, path = self.small("left_over", 6)
        for rank in range(6):
            name = os.path.join(traces, f"rank_{rank}.json")
            edit_job(name, ranks=4 if rank < 4 else 16)
        fleet("ingest", traces, "-o", path)
        facts, tables = ask(path, "files")
        self.assertEqual(facts["files"], {"ok": 4, "other_run": 2})
        self.assertEqual((facts["ranks"], facts["missing"]), (4, []))
        said = {row["rank"]: row["message"] for row in tables["lost"]}
        self.assertEqual(said, dict.fromkeys((4, 5), "its job has 16 ranks"))
        done = fleet(path)
        self.assertEqual(done.returncode, 1)
        text = " ".join(done.stdout.split())
        self.assertIn("16 ranks (2 files, such as", text)
        self.assertIn("with a --run of its own", text)

    def test_the_rank_of_a_file_is_not_that_of_its_folder(self):
        traces, path = self.small("rank0_out", 4)
        for rank in range(4):
            os.rename(
                os.path.join(traces, f"rank_{rank}.json"),
                os.path.join(traces, f"trace{rank}.json"),
            )
        fleet("ingest", traces, "-o", path)
        facts, _ = ask(path)
        self.assertEqual((facts["ranks"], facts["files"]), (4, {"ok": 4}))
        text = " ".join(fleet(path).stdout.split())
        self.assertIn("3 files are of another rank than their names say", text)
        self.assertIn("trace1.json: 0 in the name, and 1 in the file", text)

    def test_a_process_that_was_alone_has_the_rank_of_its_name(self):
        traces, path = self.small("alone", 3)
        for rank in range(3):
            name = os.path.join(traces, f"rank_{rank}.json")
            edit_job(name, rank=0, ranks=1)
        fleet("ingest", traces, "-o", path)
        facts, _ = ask(path)
        self.assertEqual((facts["ranks"], facts["files"]), (3, {"ok": 3}))

    def test_a_rank_whose_clock_is_hours_away(self):
        traces, path = self.small("clock", 8)
        name = os.path.join(traces, "rank_3.json")
        with open(name) as file:
            trace = json.load(file)
        for event in trace["traceEvents"]:
            if "ts" in event:
                event["ts"] += 2 * 3600 * 1_000_000
        with open(name, "w") as file:
            json.dump(trace, file)
        fleet("ingest", traces, "-o", path)
        same, same_path = self.small("same_clock", 8)
        fleet("ingest", same, "-o", same_path)
        for words in (("overview",), ("collectives",), ("-by", "rank")):
            self.assertEqual(ask(path, *words), ask(same_path, *words))

    def test_names_with_commas_newlines_and_no_rank(self):
        traces, path = self.small("names")
        os.rename(
            os.path.join(traces, "rank_0.json"),
            os.path.join(traces, "a,\nb rank_0.json"),
        )
        # The rank is in the file.
        os.rename(
            os.path.join(traces, "rank_1.json"),
            os.path.join(traces, "other.json"),
        )
        os.mkfifo(os.path.join(traces, "rank_8.json"))
        os.symlink("nowhere", os.path.join(traces, "rank_9.json"))
        fleet("ingest", traces, "-o", path)
        self.assertEqual(self.files(path), {"ok": 4, "unreadable": 2})
        self.assertNotIn("\n b rank_0", fleet(path, "files").stdout)

    def test_a_name_that_is_not_utf_8(self):
        traces, path = self.small("latin")
        # Another test lists all folders, and pyarrow cannot say the name.
        self.addCleanup(shutil.rmtree, os.fsencode(traces))
        os.rename(
            os.path.join(traces, "rank_3.json"),
            os.fsencode(traces) + b"/rank_3\xff.json",
        )
        with open(os.fsencode(traces) + b"/rank_4\xfe.json", "wb"):
            pass
        done = fleet("ingest", traces, "-o", path)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.files(path), {"ok": 4, "empty": 1})
        self.assertIn("rank_4\\xfe.json", fleet(path, "files").stdout)
        done = fleet("ingest", traces, "-o", path, "--resume")
        self.assertIn("5 files listed, 5 unchanged", done.stdout)

    def test_a_file_that_takes_too_long(self):
        traces, path = self.small("slow_files", 1)
        done = fleet("ingest", traces, "-o", path, "--timeout", "0.0001")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.files(path), {"timeout": 1})

    def test_a_large_file_has_more_time(self):
        script = (
            "import sys; from tfprof._fleet import inputs, reading\n"
            "file = inputs.File(sys.argv[1], int(float(sys.argv[2])), 0)\n"
            "print(reading.read_file(file, 0.0001)[:2])"
        )
        traces, _ = self.small("large_files", 1)
        trace = os.path.join(traces, "rank_0.json")
        for size, seconds in ((2**20, "0.0001"), (10 * 2**30, "0.001")):
            done = program.run("-c", script, trace, str(size))
            self.assertEqual(
                done.stdout,
                f"('timeout', 'more than {seconds} s')\n",
                done.stderr,
            )

    def test_a_program_that_hangs_or_crashes_on_one_file(self):
        traces, path = self.small("hanging", 6)
        hanging = program.path("hanging_program")
        with open(hanging, "w") as file:
            file.write(
                "#!/bin/sh\n"
                'case "$*" in\n'
                "*rank_2.json) exec sleep 600 ;;\n"
                "*rank_4.json) kill -SEGV $$ ;;\n"
                "esac\n"
                f'exec "{program.binary}" "$@"\n'
            )
        os.chmod(hanging, 0o755)
        words = ("ingest", traces, "-o", path, "--timeout", "3")
        done = fleet(*words, TFPROF_BINARY=hanging)
        self.assertEqual(done.returncode, 1)
        _, tables = ask(path, "files")
        self.assertEqual(
            [(row["rank"], row["status"]) for row in tables["lost"]],
            [(2, "timeout"), (4, "crashed")],
        )

    def test_two_runs_need_a_name(self):
        traces, path = self.small("runs")
        fleet("ingest", traces, "-o", path, "--run", "monday")
        fleet("ingest", traces, "-o", path, "--run", "tuesday")
        done = fleet(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("monday, tuesday", done.stderr)
        self.assertEqual(self.files(path + "/run=monday"), {"ok": 4})

    def test_runs_that_begin_at_the_same_time(self):
        traces, path = self.small("together")
        runs = ["a", "b", "c", "d"]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in pool.map(
                lambda run: fleet("ingest", traces, "-o", path, "--run", run),
                runs,
            ):
                self.assertEqual(done.returncode, 0, done.stderr)
        for run in runs:
            self.assertEqual(self.files(f"{path}/run={run}"), {"ok": 4})

    def test_two_steps_do_not_make_an_operation_slow(self):
        path = program.path("two_steps")
        faults = Faults(slow_op={3: ("aten::tile", 3.0)})
        for steps, slow in ((2, []), (3, [(3, "aten::tile")])):
            make_job(path + str(steps), 8, steps, seed=5, faults=faults)
            made = f"{path}{steps}.dataset"
            fleet("ingest", path + str(steps), "-o", made)
            _, tables = ask(made, "stragglers")
            found = [(row["rank"], row["name"]) for row in tables["slow_ops"]]
            self.assertEqual(found, slow)
        text = fleet(path + "2.dataset", "stragglers").stdout
        self.assertIn("3 steps, and there are 8 and 2", " ".join(text.split()))

    def test_a_part_of_one_rank_is_small(self):
        path = program.path("bytes")
        make_job(path, 1, 100, seed=5)
        fleet("ingest", path, "-o", path + ".dataset")
        size = sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(path + ".dataset")
            for name in names
        )
        self.assertLess(size / 100, 250)

    def test_a_part_that_lost_rows(self):
        traces, made = self.small("lost_rows", 4)
        fleet("ingest", traces, "-o", made)
        whole = ask(made, "-by", "op")

        def cut(path):
            with open(path, "r+b") as file:
                file.truncate(100)

        for number, (damage, text) in enumerate(
            ((os.remove, " rows too few."), (cut, "cannot be read: "))
        ):
            path = program.path(f"lost{number}.dataset")
            shutil.copytree(made, path)
            folder = os.path.join(path, "ops", "run=default")
            part = sorted(os.listdir(folder))[0]
            damage(os.path.join(folder, part))
            done = fleet(path, "-by", "op")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, "")
            self.assertIn(text, done.stderr)
            self.assertIn(f"Remove {part} from the folders", done.stderr)
            # What it says helps.
            for table in os.listdir(path):
                name = os.path.join(path, table, "run=default", part)
                if os.path.exists(name):
                    os.remove(name)
            done = fleet("ingest", traces, "-o", path, "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(ask(path, "-by", "op"), whole)

    def test_a_rank_that_is_twice_in_the_map(self):
        traces, path = self.small("mapped_twice", 2)
        ranks = program.path("twice.csv")
        with open(ranks, "w") as file:
            file.write("rank,host\n0,a\n1,a\n0,b\n")
        done = fleet("ingest", traces, "-o", path, "--rank-map", ranks)
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 4: rank 0 is in line 2, too", done.stderr)
        self.assertFalse(os.path.exists(path))

    def test_a_schema_of_another_version(self):
        traces, path = self.small("old")
        fleet("ingest", traces, "-o", path)
        head = os.path.join(path, "_tfprof.json")
        with open(head) as file:
            data = json.load(file)
        for version, helps in (
            ("0.9.0", "Ingest the files again"),
            ("99.0.0", "Use a newer program"),
        ):
            data["schema_version"] = version
            with open(head, "w") as file:
                json.dump(data, file)
            done = fleet(path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"version {version}", done.stderr)
            self.assertIn(helps, done.stderr)

    def test_scopes_are_kept_on_request(self):
        traces, path = self.small("scopes")
        fleet("ingest", traces, "-o", path)
        done = fleet(path, "-by", "scope")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--scopes", done.stderr)
        fleet("ingest", traces, "-o", path, "--run", "b", "--scopes")
        _, tables = ask(path + "/run=b", "-by", "scope")
        scopes = {row["name"]: row["runs"] for row in tables["scopes"]}
        self.assertEqual(scopes["aten::mm"], 12)

    def test_hosts_come_from_the_rank_map(self):
        traces, path = self.small("hosts")
        ranks = program.path("ranks.csv")
        with open(ranks, "w") as file:
            file.write("rank,host,pp\n0,a,0\n1,a,1\n2,b,0\n3,b,1\n")
        fleet("ingest", traces, "-o", path, "--rank-map", ranks)
        _, tables = ask(path, "-by", "host")
        self.assertEqual(
            {row["host"]: row["ranks"] for row in tables["hosts"]},
            {"a": 2, "b": 2},
        )

    def test_a_step_that_a_rank_lacks_is_counted(self):
        traces, path = self.small("steps")
        make_job(program.path("short"), 4, 2, seed=5)
        shutil.copy(
            program.path("short", "rank_2.json"),
            os.path.join(traces, "rank_2.json"),
        )
        fleet("ingest", traces, "-o", path)
        self.assertEqual(ask(path)[0]["missing_rank_steps"], 1)


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("fleet_test"))
