#!/usr/bin/env python3
"""Commands agree where they use the same word.

Usage: tests/consistency/consistency_test.py --bin=bazel-bin/profiler/tfprof
           --make_trace=bazel-bin/bench/make_trace [TEST…]

For each profile of tests/golden and each kind of made trace:

* Each step that `steps` lists can be asked for, in every command with -step.
* The wall time of a step is the same in steps, overview and explain.
* The busy time of a device in a step is the same in steps, devices and
  overview, and it is not more than the wall time of its task; compute,
  communication, copies and idle time are not either.
* The sum of op times is the same in op, overview and explain.
* The problems that overview counts are those of advise all, and its worst one
  is the first of these.
* lanes: devices are as busy as `devices` says, slices add up to it and are
  never busy for more than their length, and gaps are where no slice is full.
* memory: the largest peak is the one of overview, the curve reaches it and not
  more, and the holders of a peak have no more than the peak.
* flame: the whole is the total of scope.
* Commands that an answer recommends work.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner

PROFILES = os.path.join(TESTS, "golden", "profiles")
JSON = ["-output", "json"]
PARALLEL_STEPS = "synth_edge"  # its steps run at the same time
# The largest number of steps of a profile that are asked for one by one.
STEPS = 6

binary = ""  # of junit_runner.main()
make_trace = ""  # of main()


def rows(answer, part=None):
    """The rows of an answer with one table, or of one of its tables."""
    return answer["rows"] if part is None else answer["tables"][part]["rows"]


class Session:
    """Answers of one process to many commands."""

    def __init__(self, test, files):
        self.test = test
        self.files = files

    def ask_all(self, commands):
        text = "".join(" ".join(c + JSON) + "\n" for c in commands)
        run = subprocess.run(
            [binary, *self.files],
            input=text.encode(),
            capture_output=True,
            timeout=300,
            check=False,
        )
        decoder = json.JSONDecoder()
        out, at, answers = run.stdout.decode(), 0, []
        while (at := out.find('{"schema"', at)) >= 0:
            answer, at = decoder.raw_decode(out, at)
            answers.append(answer)
        self.test.assertEqual(
            len(answers),
            len(commands),
            (self.files, commands, run.stderr.decode("utf-8", "replace")),
        )
        return answers


class AgreeTest(unittest.TestCase):
    """One test for each source of profiles."""

    def close(self, a, b, what):
        self.assertAlmostEqual(a or 0, b or 0, delta=1e-3, msg=what)

    def check(self, files):
        session = Session(self, files)
        overview, steps, advice = session.ask_all(
            [["overview"], ["steps"], ["advise", "all"]]
        )
        self.check_advice(overview, advice, files)
        next_commands = [row["next"].split() for row in rows(overview, "next")]
        walls = {
            row["step"]: row["wall_micros"] for row in rows(overview, "steps")
        }
        self.assertEqual(
            sorted(walls), sorted(row["step"] for row in steps["rows"]), files
        )
        for row in steps["rows"]:
            self.close(row["span_micros"], walls[row["step"]], files)
            self.check_communication(steps, row, files)
        session.ask_all(next_commands)
        chosen = [
            row for row in steps["rows"] if row["span_micros"] is not None
        ][:STEPS]
        typical = overview["facts"]["typical_step"]
        if typical is not None and all(
            row["step"] != typical for row in chosen
        ):
            chosen += [row for row in steps["rows"] if row["step"] == typical]
        for row in chosen:
            self.check_step(session, overview, row, files)
        for row in steps["rows"][-STEPS:]:
            for command in (
                "op",
                "scope",
                "graph",
                "steps",
                "devices",
                "top",
                "ls",
            ):
                session.ask_all([[command, "-step", str(row["step"])]])
        self.check_ops(session, overview, files)
        self.check_memory(overview, files)
        self.check_flame(session, files)

    def check_communication(self, steps, row, files):
        """Communication of a step is in its time, once for each device."""
        exposed = row.get("exposed_communication_micros")
        if exposed is None:
            return
        devices = sum(
            column["name"].startswith("busy_micros_")
            for column in steps["columns"]
        ) + (steps["facts"].get("more_devices") or 0)
        done = row.get("done_micros") or row["span_micros"]
        communication = row["communication_micros"]
        self.assertLessEqual(exposed, 1.0001 * communication + 1, files)
        self.assertLessEqual(communication, 1.0001 * devices * done + 1, files)

    def ask(self, files, *command):
        """The answer, or None if there is nothing to show."""
        run = subprocess.run(
            [binary, *files, *command, *JSON],
            capture_output=True,
            timeout=300,
            check=False,
        )
        error = run.stderr.decode("utf-8", "replace")
        if run.returncode != 0 and not run.stdout:
            self.assertRegex(
                error,
                "no memory was recorded|no lanes to show|nothing to draw",
                (files, command),
            )
            return None
        return json.loads(run.stdout)

    def check_memory(self, overview, files):
        memory = self.ask(files, "memory")
        facts = overview["facts"]
        if memory is None:
            self.assertIsNone(facts["peak_bytes"], files)
            self.assertIsNone(facts["largest_bytes"], files)
            return
        self.assertEqual(
            memory["facts"]["peak_bytes"], facts["peak_bytes"], files
        )
        operations = rows(memory, "operations")
        self.assertEqual(
            operations[0]["peak_bytes"] if operations else None,
            facts["largest_bytes"],
            files,
        )
        for series in rows(memory, "series"):
            curve = [
                row
                for row in rows(memory, "curve")
                if row["allocator"] == series["name"]
            ]
            if curve:
                self.assertEqual(
                    max(row["bytes"] for row in curve),
                    series["peak_bytes"],
                    files,
                )
            held = sum(
                row["bytes"]
                for row in rows(memory, "holders")
                if row["allocator"] == series["name"] and row["how"] == "raised"
            )
            self.assertLessEqual(
                held + series["start_bytes"], series["peak_bytes"], files
            )

    def check_flame(self, session, files):
        flame = self.ask(files, "flame", "scope")
        if flame is None or "total_micros" not in flame["rows"][0]:
            return
        scope = session.ask_all([["scope", "-max_depth", "0"]])[0]
        self.close(
            flame["rows"][0]["total_micros"],
            scope["rows"][0]["total_micros"],
            files,
        )
        for row in flame["rows"]:
            self.assertLessEqual(row["start_share"], 1 + 1e-9, files)

    def check_lanes(self, session, step, devices, where):
        lanes = self.ask(session.files, "lanes", "-step", step)
        if lanes is None:
            return
        busy = sorted(
            row["busy_micros"]
            for row in rows(lanes, "lanes")
            if row["lane"] is None and row["busy_micros"]
        )
        for a, b in zip(
            busy,
            sorted(
                row["busy_micros"]
                for row in devices["rows"]
                if row["busy_micros"]
            ),
            strict=True,
        ):
            self.close(a, b, where)
        sums = {}
        for row in rows(lanes, "slices"):
            self.assertLessEqual(row["busy_share"] or 0, 1 + 1e-9, where)
            self.assertLessEqual(
                row["busy_micros"] + (row["other_steps_micros"] or 0),
                row["slice_micros"] + 1e-3,
                where,
            )
            key = (row["device"], row["lane"])
            sums[key] = sums.get(key, 0) + row["busy_micros"]
        for row in rows(lanes, "lanes"):
            self.assertAlmostEqual(
                sums.get((row["device"], row["lane"]), 0),
                row["busy_micros"],
                delta=1e-6 * row["busy_micros"] + 1e-3,
                msg=where,
            )

    def check_advice(self, overview, advice, files):
        problems = [
            row for row in rows(advice, "findings") if row["severity"] != "info"
        ]
        self.assertEqual(overview["facts"]["problems"], len(problems), files)
        worst = rows(overview, "problems")
        self.assertEqual(
            [row["text"] for row in worst],
            [row["text"] for row in problems[:1]],
            files,
        )

    def check_step(self, session, overview, row, files):
        step = str(row["step"])
        devices, explain, op = session.ask_all(
            [
                ["devices", "-step", step],
                ["explain", "step", step],
                ["op", "-step", step, "-max_depth", "1000000"],
            ]
        )
        where = (files, step)
        chain = rows(explain, "explain")
        self.assertEqual(chain[0]["time_is"], "wall", where)
        self.close(chain[0]["micros"], row["span_micros"], where)
        busy = {
            device["name"]: device["busy_micros"] for device in devices["rows"]
        }
        of_steps = sorted(
            value
            for name, value in row.items()
            if name.startswith("busy_micros_") and value
        )
        self.assertEqual(
            len(of_steps), sum(1 for value in busy.values() if value), where
        )
        for a, b in zip(of_steps, sorted(v for v in busy.values() if v)):
            if any(PARALLEL_STEPS in part for part in map(str, where)):
                # `steps` has all work in the wall time, `devices -step` only
                # that of the step.
                self.assertGreaterEqual(a, b - 1e-3, where)
            else:
                self.close(a, b, where)
        done = row.get("done_micros") or row["span_micros"]
        for name, value in row.items():
            if name.startswith("busy_micros_") and value:
                idle = 0 if "cpu" in name else row["idle_micros"]
                self.assertLessEqual(value + idle, done + 1e-3, where)
        for device in devices["rows"]:
            if device["busy_share"] is not None:
                self.assertLessEqual(device["busy_share"], 1 + 1e-9, where)
        ops = {r["name"]: r["self_micros"] for r in op["rows"]}
        # Times on accelerators and on CPUs are two links.
        links = [link for link in chain if link["part"] == "op"]
        if links:
            self.close(
                sum(link["micros"] for link in links),
                ops[links[0]["name"]],
                where,
            )
        for link in chain:
            self.assertTrue(link["see"], where)
            if link["time_is"] in ("busy", "idle"):
                self.assertLessEqual(link["wall_share"], 1 + 1e-9, where)
        self.check_lanes(session, step, devices, where)
        seen = sorted({link["see"] for link in chain})
        session.ask_all(
            [
                line.split()
                for line in seen
                if "'" not in line and '"' not in line
            ]
        )
        if row["step"] == overview["facts"]["typical_step"]:
            self.check_split(overview, of_steps, where)

    def check_split(self, overview, of_steps, where):
        split = rows(overview, "devices")
        for a, b in zip(
            of_steps,
            sorted(
                device["busy_micros"]
                for device in split
                if device["busy_micros"]
            ),
        ):
            self.close(a, b, where)
        for device in split:
            for column in (
                "compute_micros",
                "communication_micros",
                "copy_micros",
            ):
                self.assertLessEqual(
                    device[column], device["busy_micros"] + 1e-3, where
                )
            self.assertLessEqual(
                device["wall_idle_micros"], device["wall_micros"] + 1e-3, where
            )
            self.assertGreaterEqual(device["wall_idle_micros"], 0, where)

    def check_ops(self, session, overview, files):
        if (
            overview["facts"]["ops_are"] is None
            or overview["facts"]["executions"] == 0
        ):
            return
        every = overview["facts"]["ops_are"] == "sum of all steps"
        op = session.ask_all(
            [
                [
                    "op",
                    "-max_depth",
                    "1000000",
                    "-step",
                    "all" if every else "-1",
                ]
            ]
        )[0]
        ops = {r["name"]: r["self_micros"] for r in op["rows"]}
        for row in rows(overview, "ops"):
            self.close(row["op_micros"], ops[row["op"]], files)
        # A long float sum.
        self.assertAlmostEqual(
            overview["facts"]["op_sum_micros"],
            sum(ops.values()),
            delta=1e-6 * sum(ops.values()) + 1e-3,
        )

    def test_saved_profiles(self):
        found = 0
        for folder in sorted(glob.glob(os.path.join(PROFILES, "*"))):
            for name in ("profile.pb", "profile.pb.gz"):
                path = os.path.join(folder, name)
                if not os.path.exists(path) or "synth_empty" in folder:
                    continue
                found += 1
                with self.subTest(path):
                    self.check([path])
        self.assertGreater(found, 10)

    def test_graphs_with_run_metadata(self):
        for folder in sorted(glob.glob(os.path.join(PROFILES, "*"))):
            runs = sorted(glob.glob(os.path.join(folder, "run_meta_*")))
            graphs = sorted(glob.glob(os.path.join(folder, "graph.pb*")))
            graphs = [path for path in graphs if "pbtxt" not in path]
            if not runs or not graphs or "synth_empty" in folder:
                continue
            with self.subTest(folder):
                self.check([graphs[0], *runs])

    def test_a_cut_profile(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        whole = os.path.join(PROFILES, "multi_step", "profile.pb.gz")
        with gzip.open(whole, "rb") as file:
            data = file.read()
        for part in (0.5, 0.7, 0.9, 0.99):
            path = os.path.join(folder, "cut_%d.pb" % (100 * part))
            with open(path, "wb") as file:
                file.write(data[: int(part * len(data))])
            with self.subTest(part):
                self.check([path])

    def made(self, kind, name):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, name)
        subprocess.check_output(
            [make_trace, kind, "1", path, "--layers=20", "--devices=2"]
        )
        self.check([path])

    def test_kineto(self):
        self.made("kineto", "trace.json")

    def test_tpu(self):
        self.made("tpu", "host.xplane.pb")

    def test_gpu(self):
        self.made("gpu", "host.xplane.pb")


def main():
    global make_trace
    flag = "--make_trace="
    for argument in list(sys.argv[1:]):
        if argument.startswith(flag):
            make_trace = os.path.abspath(argument[len(flag) :])
            sys.argv.remove(argument)
    return junit_runner.main("consistency_test")


if __name__ == "__main__":
    sys.exit(main())
