#!/usr/bin/env python3
"""The same data in every form gives the same reports.

Usage: roundtrip_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

A profile's sources (graph, run metadata, op log) are given as flags, as text
protos, as a directory, as files without flags, and as the ProfileProto that
`save` makes of them. All answer a range of commands with the same bytes, and
write the same timelines and pprof files.

Two things differ, because a ProfileProto cannot store them or the reference
does not restore them: the warning about missing streams, which is removed
before the comparison, and the types of checkpoint variables (no case has a
checkpoint). Writes JUnit XML to $XML_OUTPUT_FILE.
"""

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

ROOT = os.path.dirname(TESTS)
PROFILES = os.path.join(TESTS, "golden", "profiles")
TIMEOUT = 120

NUMBERS = (
    "bytes,peak_bytes,residual_bytes,output_bytes,micros,params,"
    "float_ops,occurrence,device,op_types,input_shapes"
)

WARNING = (
    b"\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    b"It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    b"If you found your operation missing accelerator time, consider to post "
    b"to discuss@tensorflow.org!\n\n"
)

# Commands of every form; {step} is each step in turn.
AVERAGE = [
    "scope",
    "scope -max_depth 100 -select " + NUMBERS,
    "scope -max_depth 100 -account_type_regexes _trainable_variables "
    "-select params,occurrence",
    "graph -max_depth 100000 -select " + NUMBERS,
    "graph -max_depth 100000 -select input_shapes -real_output_index",
    "op -max_depth 10000 -order_by micros -select " + NUMBERS,
    "code -max_depth 100 -order_by micros -select bytes,micros,float_ops",
    "code -max_depth 100 -select micros -output pprof:outfile=pprof",
    "advise",
]
PER_STEP = [
    "scope -step {step} -max_depth 100 -select micros,bytes,occurrence",
    "op -step {step} -max_depth 10000 -select accelerator_micros,cpu_micros",
    "graph -step {step} -max_depth 10000 -output timeline:outfile=graph_time",
]

binary = ""  # of junit_runner.main()


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Profile:
    """The sources of a profile of the corpus, unpacked into a folder."""

    def __init__(self, name, folder):
        packed = os.path.join(PROFILES, name)
        os.makedirs(folder)
        self.folder = folder
        meta = json.loads(read(os.path.join(packed, "meta.json")))
        self.graph = self._unpack(packed, meta["graph"])
        self.op_log = (
            self._unpack(packed, meta["op_log"]) if meta.get("op_log") else None
        )
        self.run_metas = [
            (step, self._unpack(packed, file))
            for step, file in meta.get("run_meta", [])
        ]

    def _unpack(self, packed, name):
        target = os.path.join(self.folder, name)
        source = os.path.join(packed, name)
        if os.path.exists(source):
            shutil.copyfile(source, target)
        else:
            with (
                gzip.open(source + ".gz") as zipped,
                open(target, "wb") as plain,
            ):
                shutil.copyfileobj(zipped, plain)
        return target

    def commands(self):
        lines = list(AVERAGE)
        for step in sorted({step for step, _ in self.run_metas}):
            lines += [line.format(step=step) for line in PER_STEP]
        return lines

    def flags(self):
        flags = ["--graph_path=" + self.graph]
        if self.run_metas:
            flags.append(
                "--run_meta_path="
                + ",".join("%d:%s" % item for item in self.run_metas)
            )
        if self.op_log:
            flags.append("--op_log_path=" + self.op_log)
        return flags

    def as_text(self, folder):
        """A profile of text protos."""
        os.makedirs(folder)
        text = object.__new__(Profile)
        text.folder = folder
        text.graph = to_text(self.graph, "graph.proto", "GraphDef", folder)
        text.op_log = self.op_log and to_text(
            self.op_log, "tfprof_log.proto", "OpLogProto", folder
        )
        text.run_metas = [
            (step, to_text(path, "run_metadata.proto", "RunMetadata", folder))
            for step, path in self.run_metas
        ]
        return text


def to_text(path, proto, message, folder):
    """Decodes a binary message into a text file of the same name."""
    target = os.path.join(folder, os.path.basename(path))
    with open(path, "rb") as source, open(target, "wb") as text:
        subprocess.run(
            [
                "protoc",
                "--decode=tfprof.proto." + message,
                "-I" + ROOT,
                os.path.join(ROOT, "proto", proto),
            ],
            stdin=source,
            stdout=text,
            check=True,
        )
    return target


class RoundTripTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="tfprof_roundtrip_")
        self.addCleanup(shutil.rmtree, self.scratch)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def answers(self, arguments, commands, name):
        """The output of a session, and the files that it writes."""
        work = self.path("work_" + name)
        os.makedirs(work)
        done = subprocess.run(
            [binary, "--compatible"] + arguments,
            input="\n".join(commands + [""]).encode(),
            cwd=work,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        files = {
            entry: read(os.path.join(work, entry))
            for entry in sorted(os.listdir(work))
        }
        # pprof files say in a comment when the profile was opened.
        return done.stdout.replace(WARNING, b""), files

    def assert_same(self, wanted, found, form):
        self.assertEqual(
            wanted[0].decode("utf-8", "backslashreplace"),
            found[0].decode("utf-8", "backslashreplace"),
            form,
        )
        self.assertEqual(list(wanted[1]), list(found[1]), form)
        for name, content in wanted[1].items():
            self.assertTrue(
                content == found[1][name], "%s: %s differs" % (form, name)
            )

    def save(self, arguments, name):
        path = self.path(name)
        done = subprocess.run(
            [binary] + arguments + ["save", path],
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def check(self, name, texts=True, warned=False):
        profile = Profile(name, self.path("files"))
        commands = profile.commands()
        wanted = self.answers(profile.flags(), commands, "flags")
        self.assertGreater(len(wanted[0]), 1000)
        if texts:
            text = profile.as_text(self.path("text"))
            self.assert_same(
                wanted,
                self.answers(text.flags(), commands, "text"),
                "text protos",
            )
        self.assert_same(
            wanted,
            self.answers([profile.folder], commands, "directory"),
            "a directory",
        )
        # Files in another order than the reference's, except the steps.
        files = [path for _, path in profile.run_metas] + [profile.graph]
        if profile.op_log:
            files.insert(0, profile.op_log)
        self.assert_same(
            wanted,
            self.answers(files, commands, "files"),
            "files without flags",
        )
        saved = self.save(profile.flags(), "saved")
        for form in (["--profile_path=" + saved], [saved]):
            self.assert_same(
                wanted,
                self.answers(form, commands, "saved%d" % len(form[0])),
                "a saved profile",
            )
        again = self.save([saved], "again")
        # The reference does not restore the warning, and neither do we.
        self.assertEqual(
            read(saved) == read(again), not warned, "save, load, save"
        )
        third = self.save([again], "third")
        self.assertTrue(read(again) == read(third))

    def test_call_stacks_and_variables(self):
        self.check("mlp_tiny")

    def test_gpu(self):
        self.check("synth_gpu")

    def test_gpu_without_streams(self):
        self.check("synth_nostream", warned=True)

    def test_loops(self):
        self.check("rnn_while")

    def test_several_steps(self):
        self.check("multi_step")

    def test_several_devices(self):
        self.check("ps_worker")

    def test_odd_names(self):
        self.check("odd_names")

    def test_edges(self):
        self.check("synth_edge", warned=True)

    def test_graph_alone(self):
        self.check("graph_only")

    def test_small(self):
        self.check("tiny_const")

    def test_large(self):
        self.check("conv_resnet", texts=False)

    def test_profiles_of_the_reference(self):
        """A ProfileProto of TensorFlow that we save gives the same reports."""
        for name in ("mlp_tiny", "multi_step", "synth_gpu", "tiny_const"):
            with self.subTest(name):
                folder = self.path("files_" + name)
                profile = Profile(name, folder)
                theirs = profile._unpack(
                    os.path.join(PROFILES, name), "profile.pb"
                )
                commands = profile.commands()
                ours = self.save([theirs], "ours_" + name)
                self.assert_same(
                    self.answers([theirs], commands, "theirs_" + name),
                    self.answers([ours], commands, "ours_" + name),
                    name,
                )


if __name__ == "__main__":
    sys.exit(junit_runner.main("roundtrip"))
