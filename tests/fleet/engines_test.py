#!/usr/bin/env python3
"""Tests the engines of the fleet: each makes the dataset that processes make,
and Spark reads profiles as tables and answers what DuckDB answers.

Usage: tests/fleet/engines_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has duckdb, pyarrow, pyspark and ray, and Java is installed; `./dev
test-fleet engines` makes it. Spark and Ray run on this machine and listen on
the loopback interface only. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import json
import math
import os
import re
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
from fleet_program import fleet
from make_ranks import Faults, make_job, write_rank_map

binary = ""  # of junit_runner.main()
SECONDS = 240
MANY_SECONDS = 1800  # of some hundred queries on a busy machine
# Spark listens only here, and its web pages are off.
SPARK = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_HOSTNAME": "localhost",
    "PYSPARK_SUBMIT_ARGS": "--conf spark.ui.enabled=false pyspark-shell",
}
# A question has many small queries: code that is made for each is slower.
SMALL_SPARK = {
    **SPARK,
    "PYSPARK_SUBMIT_ARGS": " ".join(
        f"--conf spark.{setting}"
        for setting in (
            "driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
            "sql.adaptive.enabled=false",
            "sql.codegen.factoryMode=NO_CODEGEN",
            "sql.codegen.wholeStage=false",
            "sql.shuffle.partitions=2",
            "ui.enabled=false",
            "ui.showConsoleProgress=false",
        )
    )
    + " pyspark-shell",
}
# Java writes to its stdout what it would if it warned.
LOUD_SPARK = {
    **SPARK,
    "PYSPARK_SUBMIT_ARGS": "--conf spark.driver.extraJavaOptions=-Xlog:gc "
    + SPARK["PYSPARK_SUBMIT_ARGS"],
}
FAULTS = Faults(cut=(3,), junk=(5,), empty=(7,), double=(9,), missing=(11,))
# Everything but the time at which a file was read.
ROWS = """
import json, sys, pyarrow.parquet as pq
from tfprof._fleet.dataset import SCHEMAS, Dataset
dataset = Dataset(sys.argv[1])
for name in SCHEMAS:
    rows = []
    for path in dataset.parts(name):
        rows += pq.ParquetFile(path).read().to_pylist()
    for row in rows:
        row.pop("read_at", None)
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    print(name, len(lines))
    print("\\n".join(lines))
"""

# The answers of both engines, as JSON in a line each.
ANSWERS = """
import json, sys
from tfprof._fleet import output, pictures, questions
from tfprof._fleet.inputs import FleetError
from tfprof._fleet.view import open_fleet

def ask(question, *words):
    try:
        return json.loads(output.write(question(*words), "json", 0))
    except FleetError as error:
        return str(error)

def answers(engine, master):
    new, base, pipeline = (
        open_fleet(name, engine, master) for name in sys.argv[1:])
    found = {n: ask(q, new) for n, q in questions.QUESTIONS.items()}
    found.update({f"by {n}": ask(questions.by, new, n) for n in questions.BY})
    found["check"] = ask(questions.check, base, new)
    found["of workers"] = ask(questions.QUESTIONS["bubbles"], pipeline)
    found["pipeline"] = ask(questions.what_if, pipeline)
    found["pictures"] = [list(pictures.heat_map(new)),
                         pictures.distribution(new), pictures.sparkline(new, 7)]
    return found

for engine, master in (("local", None), ("spark", "local[2]")):
    print(json.dumps(answers(engine, master)))
"""

# Rows of the dataset, of the data source and of mapInArrow, and three errors.
# They go to a file: Java writes to stdout, too.
SOURCE = """
import json, sys
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
import tfprof.spark
from tfprof._fleet.dataset import Dataset

traces, dataset, answer = sys.argv[1:]
answer = open(answer, "w")

def show(rows):
    print(json.dumps(sorted(json.dumps(row, sort_keys=True) for row in rows)),
          file=answer)

def saved(name):
    return [row for path in Dataset(dataset).parts(name)
            for row in pq.ParquetFile(path).read().to_pylist()]

def frame(frame):
    return [row.asDict() for row in frame.collect()]

spark = SparkSession.builder.master("local[2]").getOrCreate()
tfprof.spark.register(spark)
profiles = spark.read.format("tfprof").option("skip", "true")
files = {row["src"]: row for row in saved("files")}
show({**{k: v for k, v in row.items() if k != "src"},
      **{k: files[row["src"]][k] for k in ("path", "status")}}
     for row in saved("ops"))
show(frame(profiles.load(traces)))
show(frame(tfprof.spark.read(spark, traces, table="ops", skip=True)))
columns = ("path", "status", "rank", "size", "message", "steps")
show({k: row[k] for k in columns} for row in files.values())
show(frame(profiles.option("table", "files").load([traces])))
for make in (
    lambda: spark.read.format("tfprof").load(traces),
    lambda: spark.read.format("tfprof").load("/nowhere"),
    lambda: spark.read.format("tfprof").option("tabel", "ops").load(traces),
):
    try:
        make().count()
    except Exception as error:
        print(json.dumps(str(error)), file=answer)
answer.close()
"""


def rows(dataset):
    done = program.run("-c", ROWS, dataset)
    assert done.returncode == 0, done.stderr
    return done.stdout


class EnginesTest(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.traces = program.path("engines")
        make_job(cls.traces, 48, 4, seed=51, faults=FAULTS)
        cls.local = program.path("local.dataset")
        fleet("ingest", cls.traces, "-o", cls.local)
        cls.expected = rows(cls.local)
        assert cls.expected.count("\n") > 1000

    def ingest(self, name, *words, **variables):
        path = program.path(name + ".dataset")
        done = fleet("ingest", self.traces, "-o", path, *words, **variables)
        self.assertEqual(done.returncode, 1, done.stderr)  # lost files
        self.assertIn("48 files listed, 0 unchanged, 48 read", done.stdout)
        self.assertEqual(rows(path), self.expected)
        return path

    def test_spark_in_one_process(self):
        path = self.ingest(
            "local2", "--engine", "spark", "--master", "local[2]", **SPARK
        )
        done = fleet(path, "files", "-output", "json")
        self.assertEqual(
            json.loads(done.stdout)["facts"]["files"],
            {"ok": 44, "partial": 1, "corrupt": 1, "empty": 1, "double": 1},
        )

    def test_spark_with_two_executors(self):
        master = "local-cluster[2,1,1024]"
        self.ingest("cluster", "--engine", "spark", "--master", master, **SPARK)

    def test_spark_that_does_not_answer(self):
        path = program.path("nobody.dataset")
        words = ("--engine", "spark", "--master", "nonsense://here")
        done = fleet("ingest", self.traces, "-o", path, *words, **SPARK)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nonsense://here: Spark does not start", done.stderr)
        self.assertFalse(os.path.exists(path))

    def test_a_spark_worker_that_is_killed(self):
        """A standalone master and two workers; one dies in the middle."""
        with Standalone() as cluster:
            path = program.path("killed.dataset")
            # Slow, so that the worker has tasks when it dies.
            slow = program.path("slow_program")
            with open(slow, "w") as file:
                file.write(f'#!/bin/sh\nsleep 0.5\nexec "{binary}" "$@"\n')
            os.chmod(slow, 0o755)
            words = ("-m", "tfprof", "fleet", "ingest", self.traces, "-o", path)
            running = subprocess.Popen(
                [program.python, *words, "--engine", "spark"]
                + ["--master", cluster.url],
                env=program.environment(**SPARK, TFPROF_BINARY=slow),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            files = os.path.join(path, "files", "run=default")
            wait_for(lambda: os.path.isdir(files) and os.listdir(files))
            cluster.kill_one()
            self.assertIsNone(running.poll())
            out, errors = running.communicate(timeout=SECONDS)
            self.assertEqual(running.returncode, 1, errors)
            self.assertIn("48 read", out)
            self.assertEqual(rows(path), self.expected)

    def test_spark_answers_what_duckdb_answers(self):
        words = [self.asked(), self.asked_base(), pipeline()]
        done = program.run(
            "-c", ANSWERS, *words, timeout=MANY_SECONDS, **SMALL_SPARK
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        duckdb, spark = map(json.loads, done.stdout.splitlines())
        # There is something to compare: the planted faults, and no errors.
        for name, table in (
            ("stragglers", "stragglers"),
            ("stragglers", "slow_ops"),
            ("collectives", "late"),
            ("collectives", "slow_links"),
            ("bubbles", "ranks"),
            ("memory", "different"),
            ("memory", "capacity"),
            ("drift", "ranks"),
            ("files", "lost"),
            ("check", "changes"),
            ("of workers", "workers"),
            ("pipeline", "workers"),
            *((f"by {n}", f"{n}s") for n in ("op", "scope", "host", "stage")),
        ):
            self.assertTrue(duckdb[name]["tables"][table]["rows"], name)
        self.assertEqual(list(spark), list(duckdb))
        for name, answer in duckdb.items():
            with self.subTest(name):
                self.assertIsNone(difference(answer, spark[name]))

    def test_a_question_on_spark(self):
        words = ("-by", "rank", "-output", "csv")
        expected = fleet(self.asked(), *words)
        spark = ("--engine", "spark", "--master", "local[2]")
        done = fleet(self.asked(), *words, *spark, **LOUD_SPARK)
        self.assertEqual(done.stdout, expected.stdout, done.stderr)
        self.assertIn("[gc", done.stderr)
        self.assertEqual(done.returncode, expected.returncode)
        done = fleet(self.asked(), "--master", "local[2]")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--master needs --engine spark", done.stderr)

    def test_the_session_of_the_caller_stays(self):
        script = (
            "import sys, tfprof; from pyspark.sql import SparkSession\n"
            "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
            "spark.range(7).createOrReplaceTempView('ops')\n"
            "tfprof.fleet.ingest([sys.argv[1] + '/rank_1.json'], sys.argv[2],"
            " engine='spark')\n"
            "job = tfprof.fleet.open(sys.argv[2], engine='spark')\n"
            "print(job.sql('SELECT count(DISTINCT step) AS n FROM ops')"
            ".to_pylist(), spark.table('ops').count(),"
            " file=open(sys.argv[3], 'w'))"
        )
        path = program.path("of_caller.dataset")
        answer = program.path("of_caller.txt")
        done = program.run(
            *("-c", script, self.traces, path, answer),
            PYSPARK_PYTHON=program.python,
            **SMALL_SPARK,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(answer), "[{'n': 4}] 7\n")

    def test_profiles_as_a_table_of_spark(self):
        answer = program.path("source.json")
        done = program.run(
            *("-c", SOURCE, self.traces, self.local, answer),
            timeout=MANY_SECONDS,
            PYSPARK_PYTHON=program.python,
            **SMALL_SPARK,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        expected, source, mapped, files, source_files, *errors = map(
            json.loads, read(answer).splitlines()
        )
        self.assertGreater(len(expected), 1000)
        self.assertEqual(source, expected)
        self.assertEqual(mapped, expected)
        self.assertEqual(len(files), 48)
        self.assertEqual(source_files, files)
        corrupt, nowhere, option = errors
        self.assertIn("rank_5.json: corrupt: byte 0: ", corrupt)
        self.assertIn("/nowhere: does not exist here", nowhere)
        self.assertIn("no option 'tabel'; there are table, ", option)

    def asked(self):
        ranks = program.path("ranks.csv")
        write_rank_map(ranks, 40)
        return self.made(
            "asked",
            ("--rank-map", ranks, "--scopes", "--ranks", "41"),
            group=8,
            faults=Faults(
                slow={7: 1.25},
                slow_op={20: ("aten::tile", 1.5)},
                late=(13,),
                slow_group={2: 1.9},
                memory={"all": 1 << 30, 3: 1 << 31},
                drift={26: 0.02},
                cut=(35,),
                double=(22,),
                all_ranks={"aten::mul": 1.2},
            ),
        )

    def asked_base(self):
        return self.made("asked_base", (), group=8)

    def made(self, name, words, **options):
        path = program.path(name + ".dataset")
        if not os.path.exists(path):
            make_job(program.path(name), 40, 10, seed=52, **options)
            done = fleet("ingest", program.path(name), "-o", path, *words)
            self.assertIn(" files listed", done.stdout, done.stderr)
        return path

    def test_ray(self):
        self.ingest("ray", "--engine", "ray")


def pipeline():
    """A dataset of two stages of a pipeline, a file for each, as recorded."""
    path = program.path("pipeline.dataset")
    folder = program.path("pipeline")
    os.makedirs(folder)
    for stage in range(2):
        lines = [
            {
                "schema": "tfprof.rows",
                "version": 2,
                "facts": {"rank": stage, "damaged": False},
                "tables": ["phases"],
            }
        ]
        for step in range(4):
            start = 10_000_000 * step + 7_000_000 * stage
            for phase in ("forward-compute", "backward-compute"):
                for batch in range(3):
                    # The second stage is slower.
                    end = start + 200_000 + 40_000 * stage + 1000 * step
                    lines.append(
                        {
                            "table": "phases",
                            "step": step,
                            "phase": phase,
                            "dp": 0,
                            "stage": stage,
                            "micro_batch": batch,
                            "model_chunk": 0,
                            "start_nanos": start,
                            "end_nanos": end,
                        }
                    )
                    start = end + (50_000 if batch == 1 else 0)
        text = "".join(
            json.dumps(line, separators=(",", ":")) + "\n" for line in lines
        )
        name = os.path.join(folder, f"rank_{stage}.rows.ndjson.gz")
        with gzip.open(name, "wb") as file:
            file.write(text.encode())
    done = fleet("ingest", folder, "-o", path)
    assert ": ok 2\n" in done.stdout, done.stdout + done.stderr
    return path


def difference(left, right, where=""):
    """Where two answers differ, numbers by more than 1e-9; None: nowhere."""
    if isinstance(left, dict) and isinstance(right, dict):
        if list(left) != list(right):
            return where, list(left), list(right)
        pairs = [(key, left[key], right[key]) for key in left]
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return where, len(left), len(right)
        pairs = [(i, *pair) for i, pair in enumerate(zip(left, right))]
    elif isinstance(left, float) and isinstance(right, (float, int)):
        near = math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
        return None if near else (where, left, right)
    else:
        return None if left == right else (where, left, right)
    for key, one, other in pairs:
        found = difference(one, other, f"{where}/{key}")
        if found:
            return found
    return None


class Standalone:
    """A master of Spark and two workers with an executor each."""

    def __enter__(self):
        done = program.run("-c", "import pyspark; print(pyspark.__file__)")
        self.home = os.path.dirname(done.stdout.strip())
        self.processes = []
        log = self.start("master.Master", "--port", "0", "--webui-port", "0")
        text = wait_for(lambda: re.search(r"spark://127\S+:\d+", read(log)))
        self.url = text[0]
        for _ in range(2):
            log = self.start(
                "worker.Worker",
                *("--webui-port", "0", "--cores", "1", "--memory", "1g"),
                *("--work-dir", program.path("work"), self.url),
            )
            wait_for(lambda log=log: "Successfully registered" in read(log))
        return self

    def start(self, name, *words):
        log = program.path(f"spark{len(self.processes)}.log")
        with open(log, "w") as file:
            process = subprocess.Popen(
                [os.path.join(self.home, "bin", "spark-class")]
                + [f"org.apache.spark.deploy.{name}"]
                + ["--host", "127.0.0.1", *words],
                env=program.environment(**SPARK, SPARK_HOME=self.home),
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.processes.append(process)
        return log

    def kill_one(self):
        """The worker and its executor, which are a group."""
        os.killpg(self.processes[1].pid, signal.SIGKILL)
        self.processes[1].wait()

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def read(name):
    with open(name) as file:
        return file.read()


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError("this did not happen in time")
        time.sleep(0.05)


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("fleet_engines_test"))
