#!/usr/bin/env python3
"""Profiles that are cut, merged, and written as files give the same reports.

Usage: convert_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Profiles of the corpus with several steps are saved, cut into steps, merged
again and split into graph, op log and run metadata; in every form, each step
and the average give the same reports as the original. Steps of several workers
become one; of two steps with the same number, none is lost.
Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
from roundtrip import roundtrip_test

NUMBERS = roundtrip_test.NUMBERS
REPORTS = [
    "scope -step {step} -max_depth 100 -select " + NUMBERS,
    "graph -step {step} -max_depth 100000 -select " + NUMBERS,
    "op -step {step} -max_depth 10000 -order_by micros -select " + NUMBERS,
    "code -step {step} -max_depth 100 -select micros,bytes,float_ops",
    "scope -step {step} -account_type_regexes .*gpu.*,.*cpu:1.* "
    "-select micros,occurrence",
]
WORKER_0, WORKER_1 = b"task:0", b"task:1"

binary = ""  # of junit_runner.main()


def read(path):
    with open(path, "rb") as file:
        return file.read()


class ConvertTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="tfprof_convert_")
        self.addCleanup(shutil.rmtree, self.scratch)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def profile(self, name):
        """The sources of a profile of the corpus, and its steps."""
        folder = self.path("sources_" + name)
        profile = roundtrip_test.Profile(name, folder)
        return profile, sorted({step for step, _ in profile.run_metas})

    def run_program(self, *args, status=0):
        done = subprocess.run(
            [binary, *args],
            capture_output=True,
            timeout=roundtrip_test.TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr.decode("utf-8", "backslashreplace")

    def scope(self, profile, step):
        """The reference's report, which does not name the step."""
        return self.run_program(
            "--compatible",
            profile,
            "scope",
            step,
            "-max_depth=100",
            "-select=micros,bytes",
            "-min_micros=1",
        )[0]

    def convert(self, inputs, name, *options):
        path = self.path(name)
        _, messages = self.run_program(
            *inputs, "convert", *options, "-to", "profile:outfile=" + path
        )
        self.assertIn("The profile is written to " + path, messages)
        return path

    def reports(self, inputs, steps):
        lines = [line.format(step=step) for step in steps for line in REPORTS]
        done = subprocess.run(
            [binary, "--compatible"] + inputs,
            input="\n".join(lines + [""]).encode(),
            capture_output=True,
            timeout=roundtrip_test.TIMEOUT,
            check=False,
        )
        self.assertNotIn(b"not found", done.stderr)
        self.assertGreater(len(done.stdout), 1000)
        # A profile does not restore the warning, as in the reference.
        return done.stdout.replace(roundtrip_test.WARNING, b"").decode(
            "utf-8", "backslashreplace"
        )

    # ---- steps

    def check_steps(self, name):
        sources, steps = self.profile(name)
        # This runs twice, because the warning about streams is not restored.
        whole = self.convert([self.convert(sources.flags(), "saved")], "whole")
        wanted = self.reports(sources.flags(), [-1] + steps)
        self.assertEqual(wanted, self.reports([whole], [-1] + steps))
        parts = []
        for step in steps:
            part = self.convert([whole], "step_%d" % step, "-steps=%d" % step)
            parts.append(part)
            self.assertEqual(
                self.reports([whole], [step]), self.reports([part], [step])
            )
            _, messages = self.run_program(part, "op", "-step=123", status=1)
            self.assertIn("Available steps: %d \n" % step, messages)
        merged = self.convert(parts, "merged")
        self.assertTrue(read(merged) == read(whole), "not the same bytes")
        # The order does not matter.
        back = self.convert(parts[::-1], "back")
        self.assertEqual(wanted, self.reports([back], [-1] + steps))
        # ProfileContext writes such files: each has all steps so far.
        dumps = [
            self.convert([whole], "dump_%d" % step, "-steps=0-%d" % step)
            for step in steps
        ]
        again = self.path("again")
        _, messages = self.run_program(
            *dumps, "convert", "-to", "profile:outfile=" + again
        )
        self.assertIn("with the same executions: read once", messages)
        self.assertTrue(read(again) == read(whole))
        # Half and half, with a range.
        half = len(steps) // 2
        first = self.convert([whole], "first", "-steps=0-%d" % steps[half - 1])
        rest = self.convert(
            [whole], "rest", "-steps", ",".join(map(str, steps[half:]))
        )
        self.assertTrue(
            read(self.convert([first, rest], "halves")) == read(whole)
        )

    def test_many_steps(self):
        self.check_steps("multi_step")

    def test_odd_steps(self):
        self.check_steps("synth_edge")

    def test_two_steps(self):
        self.check_steps("multi_cpu")

    # ---- files

    def check_files(self, name):
        sources, steps = self.profile(name)
        shown = [-1] + steps
        wanted = self.reports(sources.flags(), shown)
        whole = self.convert(sources.flags(), "whole")
        for form, inputs in (("sources", sources.flags()), ("saved", [whole])):
            folder = self.path("files_" + form)
            _, messages = self.run_program(
                *inputs, "convert", "-to", "files:outdir=" + folder
            )
            self.assertIn("functions and versions", messages)
            self.assertEqual(
                "did not come from a RunMetadata" in messages,
                form == "saved" and bool(steps),
            )
            files = sorted(os.listdir(folder))
            self.assertEqual(
                [file for file in files if file.startswith("run_meta")],
                sorted("run_meta_%d.pb" % step for step in steps),
            )
            self.assertEqual(wanted, self.reports([folder], shown), form)
            # Nothing is lost that a profile can store.
            self.assertTrue(
                read(self.convert([folder], "again_" + form)) == read(whole),
                form,
            )
        # Data from such files is unchanged.
        graph = read(os.path.join(self.path("files_sources"), "graph.pb"))
        self.assertTrue(graph.startswith(read(sources.graph)[:1000]))

    def test_files_of_many_steps(self):
        self.check_files("multi_step")

    def test_files_of_a_gpu(self):
        self.check_files("synth_gpu")

    def test_files_of_several_devices(self):
        self.check_files("ps_worker")

    def test_files_of_loops(self):
        self.check_files("rnn_while")

    def test_files_of_a_graph(self):
        self.check_files("graph_only")

    def test_executions_outside_the_accounting(self):
        sources, _ = self.profile("ps_worker")
        pattern = r"(\d+) more outside the accounting"
        before = re.search(pattern, self.status(sources.flags())).group(1)
        self.assertGreater(int(before), 0)
        folder = self.path("files")
        self.run_program(
            *sources.flags(), "convert", "-to", "files:outdir=" + folder
        )
        after = re.search(pattern, self.status([folder])).group(1)
        self.assertEqual(before, after)
        _, messages = self.run_program(
            *sources.flags(),
            "convert",
            "-to",
            "profile:outfile=" + self.path("p"),
        )
        self.assertIn("no place for %s executions" % before, messages)

    def status(self, inputs):
        return self.run_program(*inputs, "status")[0].decode()

    def test_text_files(self):
        sources, steps = self.profile("mlp_tiny")
        text = sources.as_text(self.path("text"))
        self.assertEqual(
            self.reports(
                [self.convert(sources.flags(), "binary")], [-1] + steps
            ),
            self.reports(
                [self.convert(text.flags(), "from_text")], [-1] + steps
            ),
        )

    # ---- the same number twice

    def two_runs(self):
        """Profiles of two runs, each of which calls its step 0."""
        sources, _ = self.profile("multi_step")
        files = dict(sources.run_metas)
        return sources, [
            self.convert(
                [
                    "--graph_path=" + sources.graph,
                    "--op_log_path=" + sources.op_log,
                    "--run_meta_path=0:" + files[step],
                ],
                "run_%d" % step,
            )
            for step in (10, 20)
        ]

    def test_renumbered(self):
        _, (a, b) = self.two_runs()
        merged = self.path("merged")
        _, messages = self.run_program(
            a, b, "convert", "-to", "profile:outfile=" + merged
        )
        self.assertIn(
            "step 0 is in an earlier file, with other executions "
            "on /job:localhost/replica:0/task:0/device:cpu:0: kept "
            "as step 1",
            messages,
        )
        # Float operations count for nodes that ran in some step, and more nodes
        # ran now.
        for profile, step in ((a, 0), (b, 1)):
            self.assertEqual(
                self.scope(profile, "-step=0"),
                self.scope(merged, "-step=%d" % step),
            )
        self.assertIn("2 steps", self.status([merged]))
        # A view loads the same.
        self.assertEqual(
            self.reports([a, b], [-1, 0, 1]), self.reports([merged], [-1, 0, 1])
        )

    def test_merged(self):
        sources, (a, b) = self.two_runs()
        files = dict(sources.run_metas)
        together = [
            "--graph_path=" + sources.graph,
            "--op_log_path=" + sources.op_log,
            "--run_meta_path=0:%s,0:%s" % (files[10], files[20]),
        ]
        merged = self.convert(["--same_step=merge", a, b], "merged")
        self.assertEqual(
            self.reports(together, [-1, 0]), self.reports([merged], [-1, 0])
        )

    def test_refused(self):
        _, (a, b) = self.two_runs()
        out = self.path("out")
        _, messages = self.run_program(
            "--same_step=error",
            a,
            b,
            "convert",
            "-to",
            "profile:outfile=" + out,
            status=1,
        )
        self.assertIn("step 0 is in an earlier file", messages)
        self.assertIn("--same_step=renumber", messages)
        self.assertFalse(os.path.exists(out))

    # ---- workers

    def workers(self):
        """Profiles of two workers, which run the same graph in the same
        step."""
        sources, _ = self.profile("conv_resnet")
        sources.run_metas = sources.run_metas[:1]
        first = self.convert(sources.flags(), "worker_0")
        meta = read(sources.run_metas[0][1])
        self.assertIn(WORKER_0, meta)
        other = self.path("run_meta_of_worker_1")
        with open(other, "wb") as file:
            file.write(meta.replace(WORKER_0, WORKER_1))
        sources.run_metas = [(0, other)]
        return first, self.convert(sources.flags(), "worker_1")

    def root(self, inputs, *options):
        out, _ = self.run_program(
            *inputs,
            "scope",
            "-step=0",
            "-max_depth=1",
            "-select=micros,bytes,occurrence",
            *options,
        )
        return out.rpartition(b"\n_TFProfRoot ")[2].decode()

    def test_workers_are_one_step(self):
        a, b = self.workers()
        merged = self.path("merged")
        _, messages = self.run_program(
            a, b, "convert", "-to", "profile:outfile=" + merged
        )
        self.assertIn(
            "step 0 is in an earlier file, on other devices: added to it",
            messages,
        )
        executions = [
            int(
                re.search(
                    r"1 step, (\d+) executions?", self.status([path])
                ).group(1)
            )
            for path in (a, b, merged)
        ]
        self.assertEqual(executions[2], executions[0] + executions[1])
        self.assertIn("2 devices", self.status([merged]))
        # Twice everything, and a worker's nodes are found by its device.
        self.assertIn("63.84ms", self.root([a]))
        self.assertIn("127.69ms", self.root([merged]))
        for task in (0, 1):
            self.assertIn(
                "127.69ms",
                self.root([merged], "-account_type_regexes=.*task:%d.*" % task),
            )
        # Both are on the timeline.
        self.run_program(
            merged,
            "graph",
            "-step=0",
            "-max_depth=1000000",
            "-output",
            "timeline:outfile=" + self.path("trace"),
        )
        trace = read(self.path("trace"))
        for task in (WORKER_0, WORKER_1):
            self.assertIn(
                b"Op scheduling threads: /job:localhost/replica:0/" + task,
                trace,
            )
        # A worker that is already loaded is not added again. Neither the order
        # of files nor saving in between changes the numbers.
        self.assertTrue(
            read(self.convert([merged, b], "again")) == read(merged)
        )
        self.assertEqual(
            self.root([merged]), self.root([self.convert([b, a], "turned")])
        )
        _, messages = self.run_program(
            merged, "convert", "-to", "files:outdir=" + self.path("files")
        )
        self.assertIn(
            "%d executions ran on another device" % executions[1], messages
        )


if __name__ == "__main__":
    sys.exit(junit_runner.main("convert"))
