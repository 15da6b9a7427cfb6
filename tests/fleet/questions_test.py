#!/usr/bin/env python3
"""Tests the questions to a fleet: planted faults must be found, and no others.

Usage: tests/fleet/questions_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [--corpus=DIR] [TEST…]

PYTHON has duckdb and pyarrow; `./dev test-fleet` makes it. The files come from
make_ranks.py; DIR has labelled jobs with pipelines, without which their test is
skipped. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import glob
import gzip
import json
import os
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

import fleet_program as program
import junit_runner
from fleet_program import RANKS, ask, dataset, edit, fleet
from make_ranks import (
    HOST_RANKS,
    STAGES,
    Faults,
    make_job,
    write_rank_map,
)

NULL_PAIRS = 20

binary = ""  # of junit_runner.main()
corpus = ""


class PlacesTest(unittest.TestCase):
    """Hosts and stages of a rank map, and communicators."""

    def places(self, name, **faults):
        ranks = program.path("places.csv")
        write_rank_map(ranks, RANKS)
        path = dataset(
            name,
            "--rank-map",
            ranks,
            seed=11,
            group=HOST_RANKS,
            faults=Faults(**faults),
        )
        _, tables = ask(path, "stragglers")
        found = {row["place"]: row["why"] for row in tables["slow_places"]}
        of_ranks = {r["rank"]: r["place"] for r in tables["stragglers"]}
        return path, found, of_ranks

    def test_a_healthy_job_has_none(self):
        path, found, ranks = self.places("healthy")
        self.assertEqual((found, ranks), ({}, {}))
        _, tables = ask(path, "collectives")
        self.assertEqual((tables["late"], tables["slow_links"]), ([], []))
        text = " ".join(fleet(path, "stragglers").stdout.split())
        self.assertIn("beyond the noise (8 of host, 4 of stage)", text)

    def test_a_slow_host(self):
        _, found, ranks = self.places("host", slow_host={3: 1.15})
        self.assertEqual(found, {"host h3": "compute: 12 of 12 ops slower"})
        self.assertEqual(ranks, dict.fromkeys(range(24, 32), "host h3"))

    def test_half_of_the_ranks(self):
        """Of two hosts, the slow one makes the spread as large as the fault."""
        ranks = program.path("two_hosts.csv")
        write_rank_map(ranks, 16)
        traces = program.path("two_hosts")
        faults = Faults(slow_host={1: 1.2})
        make_job(traces, 16, 4, seed=13, faults=faults)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path, "--rank-map", ranks)
        for question in ("stragglers", "overview"):
            facts, tables = ask(path, question)
            self.assertEqual(tables["stragglers"], [])
            self.assertEqual(facts["slow_group"], list(range(8, 16)))
            done = fleet(path, question)
            self.assertEqual(done.returncode, 1)
            text = " ".join(done.stdout.split())
            self.assertIn("Own times have two groups: 8 ranks at 3.", text)
            self.assertIn("(8, 9, 10, 11, 12, …: host h1)", text)

    def test_ranks_that_the_map_does_not_have(self):
        traces = program.path("unmapped")
        make_job(traces, 4, 2, seed=14)
        ranks = program.path("unmapped.csv")
        with open(ranks, "w") as file:
            file.write("rank,host\n0,a\n1,a\n99,b\n")
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path, "--rank-map", ranks)
        _, tables = ask(path, "-by", "host")
        self.assertEqual(
            {row["host"]: row["ranks"] for row in tables["hosts"]},
            {"a": 2, None: 2},
        )
        done = fleet(path, "-by", "host")
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 ranks are not in the rank map: 2, 3", done.stdout)
        text = " ".join(done.stdout.split())
        self.assertIn("1 ranks are in the rank map and not in the", text)

    def test_a_slow_stage(self):
        _, found, ranks = self.places("stage", slow_stage={2: 1.2})
        self.assertEqual(list(found), ["stage 2"])
        self.assertEqual(
            ranks, dict.fromkeys(range(2, RANKS, STAGES), "stage 2")
        )

    def test_a_slow_rank_is_no_slow_host(self):
        _, found, ranks = self.places("one_rank", slow={18: 1.3})
        self.assertEqual((found, ranks), ({}, {18: None}))

    def test_a_rank_that_comes_late_to_one_communicator(self):
        path, _, ranks = self.places("late", late=(37,))
        self.assertEqual(ranks, {})
        _, tables = ask(path, "collectives")
        self.assertEqual(
            [
                (row["rank"], row["communicator"], row["of_communicators"])
                for row in tables["late"]
            ],
            [(37, "group 4", "1 of 2")],
        )
        # The members that waited for it come last to the next collective.
        self.assertNotEqual(tables["waits"][0]["rank"], 37)
        self.assertEqual(tables["slow_links"], [])
        self.assertEqual(fleet(path, "collectives").returncode, 1)

    def test_little_time_between_collectives_that_overlap(self):
        """Work runs during the first one, so a rank that is 4 % slower comes
        much later to the second one, as seen from the end of the first."""
        traces = program.path("overlapped")
        # A seed of ranks that are nearly alike.
        make_job(traces, 8, 6, seed=887, group=8, faults=Faults(slow={5: 1.04}))
        names = [os.path.join(traces, f"rank_{rank}.json") for rank in range(8)]

        def kernels(trace):
            found = {}
            for event in trace["traceEvents"]:
                if event["cat"] == "kernel" and "Seq" in event["args"]:
                    args = event["args"]
                    found[args["Process Group Name"], args["Seq"]] = event
            return found

        begins = {}
        for name in names:
            with open(name) as file:
                found = kernels(json.load(file))
            for (group, step), event in found.items():
                if group == "0":
                    begins.setdefault(step, []).append(event["ts"])

        def change(trace):
            for (group, step), event in kernels(trace).items():
                if group != "0":
                    event["dur"] = min(begins[step]) - 60 - event["ts"]

        for name in names:
            edit(name, change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        _, tables = ask(path, "collectives")
        self.assertEqual(tables["kinds"][0]["ranks"], 8)
        self.assertEqual(tables["waits"][0]["rank"], 5)
        self.assertEqual(tables["late"], [])

    def test_a_slow_link(self):
        path, _, ranks = self.places("link", slow_group={5: 1.6})
        self.assertEqual(ranks, {})
        _, tables = ask(path, "collectives")
        (row,) = tables["slow_links"]
        self.assertEqual(
            (row["communicator"], row["members"]),
            ("group 5", "40, 41, 42, 43, 44, …"),
        )
        self.assertAlmostEqual(row["slower_share"], 0.6, delta=0.05)
        self.assertEqual(tables["late"], [])


class WholeTest(unittest.TestCase):
    """Ranks that are slow as a whole, and ranks with several devices."""

    def test_a_slow_rank_has_no_single_slow_operation(self):
        """Some of its operations are 10 % slower, and all nearly so."""
        path = dataset("nearly", seed=7, faults=Faults(slow={7: 1.09}))
        _, tables = ask(path, "stragglers")
        found = [(r["rank"], r["why"]) for r in tables["stragglers"]]
        self.assertEqual(found, [(7, "compute: 12 of 12 ops slower")])
        self.assertEqual(tables["slow_ops"], [])

    def test_a_column_of_times_is_not_called_nanos(self):
        faults = Faults(slow_op={7: ("aten::tile", 1.5)})
        text = fleet(
            dataset("tile", seed=9, faults=faults), "stragglers"
        ).stdout
        self.assertRegex(text, "rank  name +time +median")

    def test_the_slow_device_of_a_rank(self):
        traces = program.path("two_devices")
        make_job(traces, 8, 4, seed=8, faults=Faults(slow={3: 1.25}))
        for rank in range(8):

            def change(trace, rank=rank):
                kernels = [
                    event
                    for event in trace["traceEvents"]
                    if event["cat"] == "kernel"
                ]
                for event in kernels:
                    args = {**event["args"], "device": 1}
                    trace["traceEvents"].append(
                        {**event, "pid": 1, "args": args}
                    )
                    # The first device of rank 3 is as fast as the others.
                    if rank == 3 and "Seq" not in event["args"]:
                        event["dur"] = event["dur"] * 4 // 5

            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        _, tables = ask(path, "stragglers")
        found = [(row["rank"], row["place"]) for row in tables["stragglers"]]
        self.assertEqual(found, [(3, "gpu:1")])
        _, tables = ask(path, "-by", "rank")
        for row in tables["ranks"]:
            own = row["own_nanos"] + row["exposed_communication_nanos"]
            self.assertAlmostEqual(own / row["wall_nanos"], 1, delta=0.02)
        _, tables = ask(path)
        parts = sum(row["of_a_step_nanos"] for row in tables["account"])
        wall = tables["times"][0]["median_nanos"]
        self.assertAlmostEqual(parts / wall, 1, delta=0.03)


def host_work(trace, step, name, micros):
    """The host does more at the end of a step, and what is later is shifted."""
    (frame,) = [
        event
        for event in trace["traceEvents"]
        if event["name"] == f"ProfilerStep#{step}"
    ]
    end = frame["ts"] + frame["dur"]
    for event in trace["traceEvents"]:
        if event["ts"] >= end:
            event["ts"] += micros
    frame["dur"] += micros
    trace["traceEvents"].append(
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": name,
            "pid": 1,
            "tid": 1,
            "ts": end,
            "dur": micros,
            "args": {},
        }
    )


class ChanceTest(unittest.TestCase):
    def said(self, name, slow_steps):
        path = dataset(name, seed=29, faults=Faults(slow_steps=slow_steps))
        _, tables = ask(path, "stragglers")
        self.assertEqual(
            {row["rank"] for row in tables["stragglers"]}, set(slow_steps)
        )
        text = " ".join(fleet(path, "stragglers").stdout.split())
        return "as chance would do it: 4 of 640, of 4 ranks" in text

    def test_single_slow_steps_of_any_rank(self):
        steps = {3: (1.3, (1,)), 9: (1.3, (4,)), 20: (1.3, (6,))}
        self.assertTrue(self.said("jitter", {**steps, 41: (1.3, (8,))}))

    def test_many_slow_steps_of_one_rank(self):
        steps = {3: (1.3, (1,)), 9: (1.3, (4,))}
        self.assertFalse(
            self.said("no_jitter", {**steps, 41: (1.3, (2, 5, 8))})
        )


class UnnamedTest(unittest.TestCase):
    def test_collectives_without_a_communicator(self):
        traces = program.path("unnamed")
        make_job(traces, 4, 3, seed=30, faults=Faults(slow={2: 1.2}))

        def change(trace):
            for event in trace["traceEvents"]:
                event["args"].pop("Process Group Name", None)
                event["args"].pop("Seq", None)

        for rank in range(4):
            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        said = "not known which calls belong together"
        for question, names in (
            ("collectives", ("late", "waits")),
            ("bubbles", ("ranks",)),
        ):
            _, tables = ask(path, question)
            for name in names:
                self.assertEqual(tables[name], [])
            text = " ".join(fleet(path, question).stdout.split())
            self.assertEqual(text.count(said), len(names))

    def test_receives_of_several_pairs_are_not_compared(self):
        traces = program.path("receives")
        faults = Faults(late=(2,))
        make_job(traces, 8, 4, seed=32, group=8, faults=faults)
        fleet("ingest", traces, "-o", traces + ".whole")
        _, tables = ask(traces + ".whole", "collectives")
        self.assertEqual([row["rank"] for row in tables["late"]], [2])

        def change(trace):
            for event in trace["traceEvents"]:
                if event["args"].get("Process Group Name") == "group 0":
                    event["args"]["Collective name"] = "recv"

        for rank in range(8):
            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        _, tables = ask(path, "collectives")
        self.assertEqual(tables["late"], [])
        self.assertIn("recv", {row["kind"] for row in tables["kinds"]})

    def test_the_overview_does_not_begin_with_waits(self):
        traces = program.path("waiting")
        make_job(traces, 4, 3, seed=31)

        def change(trace):
            wait = {"name": "cudaStreamSynchronize", "cat": "cuda_runtime"}
            host_work(trace, 1, "", 9000)
            trace["traceEvents"][-1].update(wait)

        for rank in range(4):
            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        _, tables = ask(path, "-by", "op")
        self.assertIn("wait", {row["class"] for row in tables["ops"]})
        _, tables = ask(path)
        self.assertNotIn("wait", {row["class"] for row in tables["ops"]})


class HostTest(unittest.TestCase):
    def test_the_work_of_the_host_is_named(self):
        traces = program.path("writes_log")
        make_job(traces, 6, 6, seed=27)
        name = os.path.join(traces, "rank_2.json")
        edit(name, lambda trace: host_work(trace, 4, "write_log", 30_000))
        fleet("ingest", traces, "-o", traces + ".dataset")
        _, tables = ask(traces + ".dataset", "stragglers")
        found = [
            (row["rank"], row["slow_steps"], row["why"])
            for row in tables["stragglers"]
        ]
        self.assertEqual(found, [(2, 1, "idle: host work, write_log")])

    def test_a_step_that_a_rank_begins_late(self):
        """The others wait for 20 ms; it works no longer than they do."""
        traces = program.path("begins_late")
        make_job(traces, 6, 6, seed=28)
        for rank in range(6):

            def change(trace, late=rank == 4):
                frames = [
                    event
                    for event in trace["traceEvents"]
                    if event["name"] == "ProfilerStep#0"
                ]
                end = frames[0]["ts"] + frames[0]["dur"]
                for event in trace["traceEvents"]:
                    # Of the late rank all is later; of the others, what comes
                    # after the collective that waits.
                    if late or event["ts"] >= end:
                        event["ts"] += 20_000
                    elif event["ts"] + event["dur"] == end:
                        event["dur"] += 20_000

            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        path = traces + ".dataset"
        fleet("ingest", traces, "-o", path)
        self.assertEqual(ask(path, "stragglers")[1]["stragglers"], [])
        _, tables = ask(path, "collectives")
        (row,) = tables["late_steps"]
        self.assertEqual((row["step"], row["rank"], row["others"]), (0, 4, 5))
        self.assertAlmostEqual(row["each_waited_nanos"], 20e6, delta=1e6)
        self.assertEqual(tables["late"], [])
        self.assertEqual(fleet(path, "collectives").returncode, 1)
        self.assertEqual(fleet(path).returncode, 1)


class OverviewTest(unittest.TestCase):
    def test_its_status_is_that_of_the_other_questions(self):
        ranks = program.path("overview.csv")
        write_rank_map(ranks, RANKS)
        path = dataset(
            "overview",
            "--rank-map",
            ranks,
            seed=12,
            faults=Faults(slow_host={3: 1.15}),
        )
        done = fleet(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the 5 of 8 that cost most", done.stdout)
        self.assertIn("% less time", " ".join(done.stdout.split()))
        _, tables = ask(path)
        self.assertEqual(
            [row["place"] for row in tables["slow_places"]], ["host h3"]
        )

    def test_it_says_what_other_questions_find(self):
        path = dataset(
            "warming", seed=21, steps=24, faults=Faults(drift={"all": 0.01})
        )
        _, tables = ask(path)
        self.assertEqual(
            [(r["question"], r["findings"]) for r in tables["findings"]],
            [("drift", 1)],
        )
        self.assertEqual(fleet(path).returncode, 1)

    def test_a_step_that_is_long_on_all_ranks(self):
        """For example one with a checkpoint: no rank is the slow one."""
        traces = program.path("checkpoint")
        make_job(traces, 6, 6, seed=26)
        for rank in range(6):
            name = os.path.join(traces, f"rank_{rank}.json")
            edit(name, lambda trace: host_work(trace, 3, "save", 20_000))
        fleet("ingest", traces, "-o", traces + ".dataset")
        _, tables = ask(traces + ".dataset")
        (row,) = tables["long_steps"]
        self.assertEqual((row["step"], row["why"]), (3, "idle: host work"))
        self.assertGreater(row["longer_share"], 3)
        self.assertEqual(tables["stragglers"], [])

    def test_a_healthy_job(self):
        _, tables = ask(dataset("base", seed=2))
        self.assertEqual(tables["long_steps"], [])
        done = fleet(dataset("base", seed=2))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("nothing: stragglers, collectives, drift", done.stdout)


class CheckTest(unittest.TestCase):
    def test_exactly_the_slower_operation_is_found(self):
        base = dataset("base", seed=2)
        new = dataset(
            "new", seed=3, faults=Faults(all_ranks={"aten::mul": 1.08})
        )
        done = fleet("check", base, new)
        self.assertEqual(done.returncode, 1)
        _, tables = ask("check", base, new)
        (change,) = tables["changes"]
        self.assertEqual(change["name"], "aten::mul")
        self.assertAlmostEqual(change["change_share"], 0.08, delta=0.02)

    def test_a_slow_rank_makes_all_steps_longer(self):
        base = dataset("base", seed=2)
        new = dataset("slow_rank", seed=5, faults=Faults(slow={3: 1.3}))
        self.assertEqual(fleet("check", base, new).returncode, 1)
        _, tables = ask("check", base, new)
        self.assertEqual(tables["changes"], [])
        wall = tables["step_changes"][0]
        self.assertEqual(wall["what"], "wall")
        self.assertGreater(wall["change_share"], 0.1)
        # Shorter steps are no reason to fail.
        self.assertEqual(fleet("check", new, base).returncode, 0)

    def test_the_time_to_launch_does_not_dilute_a_change(self):
        new = dataset(
            "launched", seed=2, faults=Faults(all_ranks={"aten::embedding": 2})
        )
        _, tables = ask("check", dataset("base", seed=2), new)
        (change,) = tables["changes"]
        self.assertAlmostEqual(change["base_nanos"], 110_000, delta=2000)
        self.assertAlmostEqual(change["change_share"], 1, delta=0.02)

    def test_a_run_without_a_change_passes(self):
        done = fleet("check", dataset("base", seed=2), dataset("same", seed=4))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("none of ", done.stdout)

    def test_no_straggler_in_a_healthy_job(self):
        done = fleet(dataset("base", seed=2), "stragglers")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("none: no own time is above", done.stdout)


class DriftTest(unittest.TestCase):
    STEPS = 24

    def drift(self, name, **faults):
        path = dataset(name, seed=21, steps=self.STEPS, faults=Faults(**faults))
        facts, tables = ask(path, "drift")
        return path, tables["job"], tables["ranks"]

    def test_a_steady_job(self):
        path, job, ranks = self.drift("steady")
        self.assertEqual((job, ranks), ([], []))
        self.assertEqual(fleet(path, "drift").returncode, 0)

    def test_the_whole_job(self):
        path, job, ranks = self.drift("warming", drift={"all": 0.01})
        (row,) = job
        self.assertAlmostEqual(row["change_share"], 0.23, delta=0.05)
        self.assertEqual(row["steps"], self.STEPS)
        self.assertEqual(ranks, [])
        self.assertEqual(fleet(path, "drift").returncode, 1)

    def test_one_rank(self):
        _, job, ranks = self.drift("one_warms", drift={9: 0.01})
        self.assertEqual(job, [])
        (row,) = ranks
        self.assertEqual(row["rank"], 9)
        self.assertAlmostEqual(row["change_share"], 0.23, delta=0.05)
        self.assertAlmostEqual(row["first_nanos"], 3.5e6, delta=0.3e6)

    def test_a_rank_that_is_slow_all_the_time_does_not_drift(self):
        _, job, ranks = self.drift("slow_always", slow={9: 1.5})
        self.assertEqual((job, ranks), ([], []))

    def test_few_steps_have_no_trend(self):
        path = program.path("few_steps")
        make_job(path, 4, 3, seed=1, faults=Faults(drift={"all": 0.5}))
        fleet("ingest", path, "-o", path + ".dataset")
        text = " ".join(fleet(path + ".dataset", "drift").stdout.split())
        self.assertIn("needs 8 steps, and there are 3", text)


class MemoryTest(unittest.TestCase):
    def test_a_rank_that_needs_more(self):
        path = dataset(
            "memory",
            seed=22,
            faults=Faults(memory={"all": 40 << 30, 17: 60 << 30}),
        )
        _, tables = ask(path, "memory")
        self.assertEqual(
            [
                (row["rank"], row["device"], row["what"])
                for row in tables["different"]
            ],
            [(17, "gpu:0", "allocated"), (17, "gpu:0", "reserved")],
        )
        first = tables["capacity"][0]
        self.assertEqual(first["rank"], 17)
        self.assertAlmostEqual(first["used_share"], 0.75, delta=0.01)
        self.assertEqual({row["ranks"] for row in tables["peaks"]}, {RANKS})

    def test_ranks_with_other_numbers_of_their_device(self):
        """Each process of a host sees its own GPU by another number."""
        traces = program.path("local_devices")
        faults = Faults(memory={"all": 40 << 30, 6: 60 << 30})
        make_job(traces, 8, 3, seed=22, faults=faults)
        for rank in range(8):

            def change(trace, rank=rank):
                for event in trace["traceEvents"]:
                    if event["name"] == "[memory]":
                        event["args"]["Device Id"] = rank
                    if event["cat"] == "kernel":
                        event["args"]["device"] = event["pid"] = rank
                trace["deviceProperties"][0]["id"] = rank

            edit(os.path.join(traces, f"rank_{rank}.json"), change)
        fleet("ingest", traces, "-o", traces + ".dataset")
        _, tables = ask(traces + ".dataset", "memory")
        found = [(r["rank"], r["device"]) for r in tables["different"]]
        self.assertEqual(found, [(6, "gpu:6"), (6, "gpu:6")])
        self.assertEqual(
            [(row["device"], row["ranks"]) for row in tables["peaks"]],
            [("gpu", 8), ("gpu", 8)],
        )

    def test_equal_ranks(self):
        path = dataset("equal", seed=23, faults=Faults(memory={"all": 1 << 30}))
        _, tables = ask(path, "memory")
        self.assertEqual((tables["different"], tables["growing"]), ([], []))
        self.assertEqual(fleet(path, "memory").returncode, 0)

    def test_memory_that_grows(self):
        """2 GiB in each step, from 40 to 62 of 80 GiB."""
        for name, who in (("all", None), (3, 3)):
            with self.subTest(name):
                traces = program.path(f"growing_{name}")
                faults = Faults(
                    memory={"all": 40 << 30}, growth={name: 2 << 30}
                )
                make_job(traces, 6, 12, seed=25, faults=faults)
                path = traces + ".dataset"
                fleet("ingest", traces, "-o", path)
                _, tables = ask(path, "memory")
                (row,) = tables["growing"]
                self.assertEqual((row["rank"], row["steps"]), (who, 12))
                self.assertAlmostEqual(row["more_share"], 0.55, delta=0.03)
                self.assertIn(row["steps_until_full"], (8, 9))
                self.assertEqual(fleet(path, "memory").returncode, 1)
                self.assertEqual(fleet(path).returncode, 1)

    def test_nothing_recorded(self):
        text = fleet(dataset("base", seed=2), "memory").stdout
        self.assertIn("no file has recorded memory", text)


class CodeTest(unittest.TestCase):
    def test_lines_of_code_on_request(self):
        traces = program.path("code")
        os.mkdir(traces)
        profile = os.path.join(
            program.ROOT, "tests/golden/profiles/conv_resnet/profile.pb"
        )
        for rank in (0, 1):
            shutil.copy(profile, os.path.join(traces, f"rank_{rank}.pb"))
        fleet("ingest", traces, "-o", traces + ".dataset")
        done = fleet(traces + ".dataset", "-by", "code")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--code", done.stderr)
        fleet("ingest", traces, "-o", traces + ".code", "--code")
        _, tables = ask(traces + ".code", "-by", "code")
        done = program.program_rows(profile, "code")
        expected = {}
        for row in done:
            key = (row["depth"], row["name"])
            expected[key] = expected.get(key, 0) + row["total_nanos"]
        got = {(row["depth"], row["name"]): row for row in tables["code"]}
        self.assertEqual(set(got), set(expected))
        for key, row in got.items():
            self.assertEqual(row["ranks"], 2)
            self.assertEqual(row["total_nanos"], expected[key])


class WaitsTest(unittest.TestCase):
    def test_the_rank_that_waits_least(self):
        path = dataset("waits", seed=24, faults=Faults(slow={7: 1.25}))
        _, tables = ask(path, "bubbles")
        first, second = tables["ranks"][:2]
        self.assertEqual(first["rank"], 7)
        self.assertEqual(first["wait_nanos"], 0)
        self.assertGreater(second["wait_share"], 0.1)
        self.assertEqual(tables["stages"], [])


class PipelineTest(unittest.TestCase):
    """The labelled jobs, which only some machines have, as datasets."""

    def cases(self, kind):
        found = glob.glob(os.path.join(corpus, kind, "*", "**", "case.json"))
        found += glob.glob(os.path.join(corpus, kind, "*", "case.json"))
        for name in sorted(set(found)):
            with open(name) as file:
                case = json.load(file)
            timeline = os.path.join(os.path.dirname(name), case["timeline"])
            if os.path.exists(timeline):
                yield case, timeline
        if not found:
            self.skipTest("no corpus")

    def made(self, case, *paths):
        path = program.path(case["name"].replace("/", "_") + ".pipeline")
        if not os.path.isdir(path):
            fleet("ingest", *paths, "-o", path)
        return path

    def check(self, case, answer):
        facts, tables = answer
        figures, near = case["figures"], self.assertAlmostEqual
        for name, table, key in (
            ("S_type", "types", "name"),
            ("S_dp", "dp_ranks", "dp"),
            ("S_stage", "stages", "stage"),
            ("steps", "steps", "step"),
        ):
            got = {str(r[key]): r["slowdown"] for r in tables[table]}
            for part, value in figures[name].items():
                near(got[part], value, delta=0.01 * value, msg=(name, part))
        workers = {
            f"{row['dp']},{row['stage']}": row["slowdown"]
            for row in tables["workers"]
        }
        for part, value in figures["S_worker"].items():
            near(workers[part], value, delta=0.01 * value, msg=part)
        for name in ("S", "L"):
            near(facts[name], figures[name], delta=0.01 * figures[name])
        truth = case["truth"]
        causes = [row["rule"] for row in tables["causes"]]
        if truth["alarm"]:
            self.assertEqual(causes[:1], [truth["cause"]])
        else:
            self.assertEqual(causes, [])

    def test_whole_timelines(self):
        for kind in ("jobs", "variants"):
            for case, timeline in self.cases(kind):
                with self.subTest(case["name"]):
                    made = self.made(case, timeline)
                    answer = ask(made, "what_if")
                    self.check(case, answer)
                    self.assertEqual(
                        answer[0]["files"], {"workers": 1}, case["name"]
                    )

    def test_a_file_for_each_worker(self):
        """As a job writes them, each with a clock of its own."""
        for case, timeline in self.cases("variants"):
            with self.subTest(case["name"]):
                folder = program.path("split", case["name"])
                split_timeline(timeline, folder)
                made = program.path("split", case["name"] + ".dataset")
                fleet("ingest", folder, "-o", made)
                facts, tables = ask(made, "what_if")
                workers = len(case["figures"]["S_worker"])
                self.assertEqual(facts["ranks"], workers)
                if case["truth"].get("cause") != "late_start":
                    self.check(case, (facts, tables))

    def test_who_waits_least(self):
        for case, timeline in self.cases("variants"):
            truth = case["truth"]
            if truth.get("cause") != "slow_worker":
                continue
            _, tables = ask(self.made(case, timeline), "bubbles")
            for row in tables["stages"]:
                self.assertAlmostEqual(
                    row["bubble_share"],
                    row["bubble_nanos"] / row["step_nanos"],
                )
            first = tables["workers"][0]
            self.assertEqual(
                (first["dp"], first["stage"]), (truth["dp"], truth["stage"])
            )

    def test_the_first_screens_say_what_to_ask(self):
        for case, timeline in self.cases("variants"):
            if case["truth"].get("cause") != "slow_worker":
                continue
            text = " ".join(fleet(self.made(case, timeline)).stdout.split())
            workers = len(case["figures"]["S_worker"])
            self.assertIn(f"workers of a pipeline {workers}, steps ", text)
            self.assertIn("what_if says which worker", text)
            self.assertIn("not looked for: no rank is known", text)
            self.assertNotIn("no file has an operation", text)

    def test_gaps_are_no_own_time_of_a_worker(self):
        for case, timeline in self.cases("variants"):
            truth = case["truth"]
            if truth.get("cause") != "slow_worker" and truth["alarm"]:
                continue
            folder = program.path("gaps", case["name"])
            split_timeline(timeline, folder)
            made = folder + ".dataset"
            fleet("ingest", folder, "-o", made)
            _, tables = ask(made, "stragglers")
            stages = 1 + max(
                int(worker.partition(",")[2])
                for worker in case["figures"]["S_worker"]
            )
            expected = (
                [truth["dp"] * stages + truth["stage"]]
                if truth["alarm"]
                else []
            )
            with self.subTest(case["name"]):
                found = [row["rank"] for row in tables["stragglers"]]
                self.assertEqual(found, expected)
                self.assertEqual(tables["slow_ops"], [])

    def test_a_worker_that_is_lost(self):
        for case, timeline in self.cases("variants"):
            if case["truth"].get("cause") != "slow_worker":
                continue
            folder = program.path("lost_worker", case["name"])
            split_timeline(timeline, folder)
            os.remove(os.path.join(folder, "rank_1.json"))
            made = folder + ".dataset"
            fleet("ingest", folder, "-o", made)
            said = "No file has the operations of stage 1 of data-parallel "
            for question in ("what_if", "bubbles"):
                done = fleet(made, question)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said + "rank 0", " ".join(done.stdout.split()))
            facts, tables = ask(made, "what_if")
            self.assertEqual(facts["left_out_dp_ranks"], [0])
            self.assertEqual(
                [row["rule"] for row in tables["causes"]], ["slow_worker"]
            )

    def test_no_pipeline(self):
        done = fleet(dataset("base", seed=2), "what_if")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no file has operations of a pipeline", done.stderr)


def split_timeline(timeline, folder):
    """A file for each worker, whose clock begins at another time."""
    os.makedirs(folder, exist_ok=True)
    with gzip.open(timeline) as file:
        events = json.load(file)
    threads, workers = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            stage = re.match(r"PP rank (\d+)", event["args"]["name"])
            threads[event["pid"], event["tid"]] = int(stage[1])
    stages = 1 + max(threads.values())
    for event in events:
        if (
            event.get("tid") is None
            or (event["pid"], event["tid"]) not in threads
        ):
            continue
        rank = event["pid"] * stages + threads[event["pid"], event["tid"]]
        if "ts" in event:
            event["ts"] += 1e6 * rank
        workers.setdefault(rank, []).append(event)
    for rank, mine in workers.items():
        with open(os.path.join(folder, f"rank_{rank}.json"), "w") as file:
            json.dump(mine, file)


class PythonTest(unittest.TestCase):
    """`tfprof.fleet`, in a process that has duckdb and pyarrow."""

    def python(self, script, *words):
        done = program.run("-W", "error", "-c", script, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_answers_are_those_of_the_command(self):
        path = dataset("python", seed=41, faults=Faults(slow={7: 1.25}))
        got = self.python(
            "import json, sys, tfprof\n"
            "job = tfprof.fleet.open(sys.argv[1])\n"
            "slow = job.ask('stragglers')\n"
            "arrow = job.by('op').to_arrow()\n"
            "own = job.sql('SELECT max(own_nanos) AS own FROM rank_steps "
            "WHERE rank = ?', [7])\n"
            "print(json.dumps([slow.facts['ranks'], slow.rows, slow['rank'],"
            " {k: t.rows for k, t in slow.tables.items()},"
            " [slow.notes[0].level, slow.notes[0].text], str(slow),"
            " [[f.name, str(f.type)] for f in arrow.schema],"
            " arrow.num_rows, own.column('own').to_pylist()]))",
            path,
        )
        ranks, rows, column, tables, note, text, schema, ops, own = got
        _, expected = ask(path, "stragglers")
        self.assertEqual((ranks, tables), (RANKS, expected))
        self.assertEqual((rows, column), (expected["stragglers"], [7]))
        shown = fleet(path, "stragglers").stdout
        self.assertEqual(
            note, ["warning", " ".join(shown.split("\nIf ")[0].split())]
        )
        self.assertEqual(text + "\n", shown)
        self.assertIn(["name", "string"], schema)
        self.assertIn(["runs", "int64"], schema)
        self.assertIn(["self_share", "double"], schema)
        self.assertEqual(ops, len(ask(path, "-by", "op")[1]["ops"]))
        self.assertGreater(own[0], 4_000_000)

    def test_every_answer_is_a_frame(self):
        path = dataset("python", seed=41, faults=Faults(slow={7: 1.25}))
        counts = self.python(
            "import json, sys, tfprof\n"
            "job = tfprof.fleet.open(sys.argv[1])\n"
            "answers = [job.ask(q) for q in ('overview', 'stragglers', "
            "'collectives', 'bubbles', 'drift', 'memory', 'files')]\n"
            "answers += [job.by(b) for b in ('class', 'rank', 'step')]\n"
            "answers.append(tfprof.fleet.check(job, job))\n"
            "print(json.dumps([[t.to_arrow().num_rows, len(t)] "
            "for a in answers for t in a.tables.values()]))",
            path,
        )
        self.assertGreater(len(counts), 20)
        for rows, length in counts:
            self.assertEqual(rows, length)

    def test_answers_do_not_depend_on_how_many_rows_are_kept(self):
        paths = [
            dataset("python", seed=41, faults=Faults(slow={7: 1.25})),
            dataset("base", seed=2),
        ]
        answers, parts = self.python(
            "import json, sys, tfprof\n"
            "from tfprof._fleet.database import DuckDb\n"
            "append, parts = DuckDb.append, []\n"
            "def counted(self, name, *words):\n"
            "    parts.append(name)\n"
            "    append(self, name, *words)\n"
            "DuckDb.append = counted\n"
            "def ask():\n"
            "    job, base = map(tfprof.fleet.open, sys.argv[1:])\n"
            "    answers = [job.ask('overview'), job.ask('stragglers')]\n"
            "    answers += [job.by('op'), job.by('class')]\n"
            "    answers.append(tfprof.fleet.check(base, job))\n"
            "    return [[t.rows for t in a.tables.values()] "
            "for a in answers]\n"
            "whole = ask()\n"
            "assert not parts\n"
            "DuckDb.most_rows = 1000\n"
            "print(json.dumps([[whole, ask()], sorted(set(parts))]))",
            *paths,
        )
        self.assertEqual(*answers)
        self.assertEqual(
            parts,
            ["class_steps", "op_middles", "op_ranks", "op_steps"]
            + ["over_all_15", "over_all_5"],
        )

    def test_some_of_many_slow_steps_say_why(self):
        path = program.path("many_slow_steps")
        make_job(path, 8, 45, seed=5, faults=Faults(slow={3: 1.25}))
        fleet("ingest", path, "-o", path + ".dataset")
        rows = ask(path + ".dataset", "stragglers")[1]["stragglers"]
        self.assertEqual(
            [(row["rank"], row["slow_steps"], row["why"]) for row in rows],
            [(3, 45, "compute: 12 of 12 ops slower")],
        )
        chosen = self.python(
            "import json, sys, tfprof\n"
            "job = tfprof.fleet.open(sys.argv[1])\n"
            "job.ask('stragglers')\n"
            "print(json.dumps(job.sql('SELECT step FROM chosen ORDER BY 1')"
            ".column('step').to_pylist()))",
            path + ".dataset",
        )
        self.assertEqual(len(chosen), 20)
        self.assertGreater(chosen[-1] - chosen[0], 40)

    def test_a_long_query_writes_nothing_to_stdout(self):
        script = (
            "import sys, tfprof\n"
            "tfprof.fleet.open(sys.argv[1]).sql('SELECT sum(a.b * c.b) FROM "
            "range(50_000) a(b), range(40_000) c(b)')"
        )
        done = program.run("-c", script, dataset("base", seed=2))
        self.assertEqual((done.stdout, done.returncode), ("", 0), done.stderr)

    def test_ingest_and_errors(self):
        traces = program.path("python_ingest")
        make_job(traces, 3, 2, seed=1, faults=Faults(junk=(1,)))
        done, errors = self.python(
            "import json, sys, tfprof\n"
            "fleet, errors = tfprof.fleet, []\n"
            "done = fleet.ingest([sys.argv[1]], sys.argv[2], ranks=3)\n"
            "job = fleet.open(sys.argv[2])\n"
            "for call in (lambda: fleet.open('nowhere'),"
            " lambda: fleet.ingest(['nowhere'], 'x'),"
            " lambda: job.ask('why'), lambda: job.by('x'),"
            " lambda: job.by('host')):\n"
            "    try: call()\n"
            "    except (fleet.FleetError, ValueError) as error:"
            " errors.append([type(error).__name__, str(error)])\n"
            "print(json.dumps([[done.listed, done.statuses], errors]))",
            traces,
            traces + ".dataset",
        )
        self.assertEqual(done[0], 3)
        self.assertEqual((done[1]["ok"], done[1]["corrupt"]), (2, 1))
        names, texts = zip(*errors)
        self.assertEqual(
            names,
            (
                "DatasetError",
                "InputError",
                "ValueError",
                "ValueError",
                "DatasetError",
            ),
        )
        self.assertIn("there are overview, stragglers", texts[2])

    def test_without_duckdb_the_error_says_what_to_install(self):
        text = self.python(
            "import json, sys\n"
            "sys.modules['duckdb'] = None\n"
            "import tfprof\n"
            "try: tfprof.fleet.open('x')\n"
            "except ImportError as error: print(json.dumps(str(error)))"
        )
        self.assertIn("pip install 'tfprof[fleet]'", text)


class NullTest(unittest.TestCase):
    def test_pairs_of_healthy_runs(self):
        """The limits hold: at most one finding in all pairs."""
        findings = []
        ranks = program.path("null_ranks.csv")
        write_rank_map(ranks, 16)
        for seed in range(100, 100 + 2 * NULL_PAIRS, 2):
            names = []
            for one in (seed, seed + 1):
                traces = program.path(f"null{one}")
                make_job(traces, 16, 8, seed=one, group=4)
                made = traces + ".dataset"
                fleet("ingest", traces, "-o", made, "--rank-map", ranks)
                names.append(traces + ".dataset")
            tables = ask("check", *names)[1]
            findings += tables["changes"] + tables["step_changes"]
            facts, tables = ask(names[0], "stragglers")
            findings += tables["stragglers"] + tables["slow_ops"]
            findings += facts.get("slow_group", [])
            findings += tables["slow_places"]
            _, tables = ask(names[0], "collectives")
            findings += tables["late"] + tables["slow_links"]
            findings += tables["late_steps"]
            _, tables = ask(names[0], "drift")
            findings += tables["job"] + tables["ranks"]
        self.assertLessEqual(len(findings), 1, findings)


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    for argument in [a for a in sys.argv if a.startswith("--corpus=")]:
        corpus = argument.partition("=")[2]
        sys.argv.remove(argument)
    sys.exit(junit_runner.main("fleet_questions_test"))
