#!/usr/bin/env python3
"""Tests of what traces give away: redact, doctor, and files for others.

Usage: redact_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Random traces of all formats get secrets in their texts. A redacted trace has
none of them, has the same numbers, and does not change when it is redacted
again. Saved and converted files and the pages of the server have no homes of
users and no hosts, unless -keep_environment asks for them.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
for folder in ("", "traces", "serve"):
    sys.path.insert(0, os.path.join(TESTS, folder))

import chrome
import junit_runner
import kineto
import ort
import wire
import xplane

from server import Server

PROFILES = os.path.join(TESTS, "golden", "profiles")
TIMEOUT = 120
ROUNDS = 12

# No real one has this form.
TOKEN = "hf_" + ("Ex4mpl3N0tR3al" * 3)[:34]
HOST = "node7.cluster.lan"
# What must not be in a redacted file.
SECRETS = [TOKEN, HOST, "annabel", "boris", "secret@mail.example", "--key"]
# In texts that events have.
TEXTS = [
    "/home/annabel/train.py",
    "C:\\Users\\boris\\a.py",
    "run by secret@mail.example on " + HOST,
    "HF_TOKEN=" + TOKEN,
    "plain",
]

binary = ""  # of junit_runner.main()


def plant(rng, text):
    """The trace with secrets in its names, arguments and envelope."""
    value = json.loads(text)
    events = value["traceEvents"] if isinstance(value, dict) else value
    for event in events:
        if rng.random() < 0.5:
            event.setdefault("args", {})["note"] = rng.choice(TEXTS)
        if event.get("cat") == "python_function" and "(" in event["name"]:
            event["name"] = "/home/annabel/" + event["name"]
    if isinstance(value, list):
        events[0].setdefault("args", {})["hostname"] = HOST
    else:
        value["host_name"] = HOST
        value["env"] = {"HF_TOKEN": TOKEN, "USER": "annabel"}
        value["command_line"] = ["python", "train.py", "--key", TOKEN]
    return json.dumps(value, indent=rng.choice([None, 1]))


def rows(value):
    """The answer with its rows in an order that does not depend on names."""
    if isinstance(value, dict):
        return {
            key: sorted(map(json.dumps, map(rows, member)))
            if key == "rows"
            else rows(member)
            for key, member in value.items()
        }
    return (
        [rows(member) for member in value] if isinstance(value, list) else value
    )


class RedactCase(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tfprof(self, *args, status=0):
        done = subprocess.run(
            [binary, *args],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, status, (args, done.stderr))
        return done

    def redact(self, path, name, *options):
        done = self.run_tfprof("redact", *options, path, "-o", self.path(name))
        return done.stderr.decode()

    def answers(self, path, renamed=()):
        """What reports say, with `renamed` texts replaced."""
        result = []
        for command in ("op", "overview", "steps"):
            done = subprocess.run(
                [binary, path, command, "-output", "json"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=TIMEOUT,
                check=False,
            )
            text = done.stdout.decode().replace(path, "FILE")
            for old, new in renamed:
                text = text.replace(old, new)
            result.append((done.returncode, rows(json.loads(text))))
        return result


class SameNumbersTest(RedactCase):
    def check_same(self, name, data):
        path = self.write("in" + name, data)
        said = self.redact(path, "out" + name, "-force")
        text = self.read("out" + name)
        for secret in SECRETS:
            self.assertNotIn(secret.encode(), text, (name, said))
        users = [("annabel", "user1"), ("boris", "user2")]
        after = self.answers(self.path("out" + name))
        before = self.answers(path)
        if before != after:
            # Users are numbered as they come.
            found = re.findall(
                r"annabel|boris",
                data if isinstance(data, str) else data.decode("latin-1"),
            )
            order = list(dict.fromkeys(found))
            users = [(user, "user%d" % (i + 1)) for i, user in enumerate(order)]
            before = self.answers(path, users)
        self.assertEqual(before, after, name)
        # Nothing is left to do.
        again = self.redact(self.path("out" + name), "again" + name, "-force")
        self.assertIn("Nothing was found", again)
        self.assertEqual(self.read("again" + name), text)

    def test_json(self):
        for seed in range(ROUNDS):
            rng = random.Random(seed)
            for model in (kineto, chrome, ort):
                made = model.make(rng)
                text = made if isinstance(made, str) else made.decode()
                try:
                    text = plant(rng, text)
                except json.JSONDecodeError:
                    continue  # a trace that is damaged on purpose
                with self.subTest(model=model.__name__, seed=seed):
                    self.check_same(".json", text)

    def test_xplane(self):
        for seed in range(ROUNDS):
            made = xplane.make(random.Random(seed))
            made += wire.field(2, "failed in /home/annabel/a.py on " + HOST)
            made += wire.field(4, HOST)
            with self.subTest(seed=seed):
                self.check_same(".pb", made)

    def test_saved_traces(self):
        for seed in range(ROUNDS):
            rng = random.Random(seed)
            made = kineto.make(rng)
            text = made if isinstance(made, str) else made.decode()
            # A saved trace does not say that it has a host or a command line.
            value = json.loads(plant(rng, text))
            for event in (
                value["traceEvents"] if isinstance(value, dict) else []
            ):
                if HOST in str(event.get("args", {}).get("note")):
                    event["args"]["note"] = TEXTS[0]
            if not isinstance(value, dict):
                continue
            del value["host_name"]
            path = self.write("in.json", json.dumps(value))
            saved = self.path("saved.pb")
            self.run_tfprof(path, "save", saved, "-force", "-keep_environment")
            with open(saved, "rb") as file:
                self.check_same(".pb", file.read())

    def test_names(self):
        for seed in range(ROUNDS):
            rng = random.Random(seed)
            made = kineto.make(rng)
            text = made if isinstance(made, str) else made.decode()
            path = self.write("in.json", text)
            self.redact(path, "out.json", "-names", "-force")
            out = self.read("out.json")
            self.assertNotIn(b"train.py", out)
            # Rows that had different names have so still.
            numbers = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
            for old, new in zip(
                self.answers(path), self.answers(self.path("out.json"))
            ):
                with self.subTest(seed=seed):
                    self.assertEqual(old[0], new[0])
                    self.assertEqual(
                        sorted(numbers.sub("", json.dumps(old))),
                        sorted(numbers.sub("", json.dumps(new))),
                    )


class FilesTest(RedactCase):
    def trace(self):
        text = kineto.make(random.Random(1))
        text = text if isinstance(text, str) else text.decode()
        return self.write("trace.json", plant(random.Random(2), text))

    def test_compressed(self):
        path = self.trace()
        packed = self.write("trace.json.gz", gzip.compress(self.read(path)))
        self.redact(path, "plain.json")
        self.redact(packed, "plain2.json")
        self.redact(packed, "packed.json.gz")
        self.assertEqual(self.read("plain.json"), self.read("plain2.json"))
        self.assertEqual(
            self.read("plain.json"),
            gzip.decompress(self.read("packed.json.gz")),
        )

    def test_the_rest_of_the_bytes_stays(self):
        text = (
            '{"traceEvents" :[ {"ph":"X","name":"\\u0041","ts":1.50,'
            '"dur":1,"pid":1,"tid":1,"args":{"x":"/home/annabel/b"}} ]}\n'
        )
        self.redact(self.write("a.json", text), "b.json")
        self.assertEqual(
            self.read("b.json").decode(), text.replace("annabel", "user1")
        )

    def test_it_says_what_was_replaced(self):
        said = self.redact(self.trace(), "out.json")
        for kind in (
            "token",
            "environment variables (",
            "words of a command line",
            "host name",
            "user name",
        ):
            self.assertIn(kind, said)
        self.assertNotIn(TOKEN, said)

    def test_no_file_is_lost(self):
        path = self.trace()
        before = self.read(path)
        done = self.run_tfprof("redact", path, "-o", path, status=1)
        self.assertIn(b"is the file itself", done.stderr)
        os.link(path, self.path("link.json"))
        done = self.run_tfprof(
            "redact", path, "-o", self.path("link.json"), status=1
        )
        self.assertIn(b"is the file itself", done.stderr)
        other = self.write("other.json", "mine")
        done = self.run_tfprof("redact", path, "-o", other, status=1)
        self.assertIn(b"exists; to replace it", done.stderr)
        self.assertEqual(self.read(path), before)
        self.assertEqual(self.read(other), b"mine")
        done = self.run_tfprof("redact", path, status=1)
        self.assertIn(b"Name the new file", done.stderr)
        # If it is told to, it replaces its input.
        self.run_tfprof("redact", "-force", path, "-o", path)
        self.assertNotIn(HOST.encode(), self.read(path))

    def test_damage_writes_nothing(self):
        text = self.read(self.trace())
        path = self.write("cut.json", text[: len(text) // 2])
        done = self.run_tfprof("redact", path, "-o", self.path("o"), status=1)
        self.assertIn(b"cut.json: byte ", done.stderr)
        self.assertIn(b"save FILE", done.stderr)
        self.assertFalse(os.path.exists(self.path("o")))

    def test_a_pickle_is_not_executed(self):
        path = self.write(
            "p.pickle",
            b"cos\nsystem\n(S'touch %s'\ntR." % self.path("run").encode(),
        )
        self.run_tfprof("redact", path, "-o", self.path("o"), status=1)
        self.assertFalse(os.path.exists(self.path("run")))
        self.assertFalse(os.path.exists(self.path("o")))

    def test_profiles_of_the_corpus_have_no_secrets(self):
        for folder, _, names in os.walk(PROFILES):
            for name in names:
                if not name.endswith((".pb", ".pb.gz", ".pbtxt", ".json")):
                    continue
                done = subprocess.run(
                    [
                        binary,
                        "redact",
                        "-force",
                        os.path.join(folder, name),
                        "-o",
                        self.path("out"),
                    ],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    timeout=TIMEOUT,
                    check=False,
                )
                if done.returncode == 0:
                    self.assertIn(b"Nothing was found", done.stderr, name)

    def test_doctor_says_what_a_trace_gives_away(self):
        path = self.trace()
        done = self.run_tfprof(path, "doctor")
        line = [
            line
            for line in done.stdout.decode().splitlines()
            if " secrets " in line
        ][0]
        self.assertTrue(line.startswith("warn"), line)
        self.assertIn("(hf_E…)", line)
        self.assertIn("tfprof redact " + path, line)
        self.assertNotIn(TOKEN, done.stdout.decode())
        self.redact(path, "out.json")
        done = self.run_tfprof(self.path("out.json"), "doctor")
        self.assertNotIn(b" secrets ", done.stdout)


class ForOthersTest(RedactCase):
    def setUp(self):
        super().setUp()
        times = {"pid": 1, "tid": 1, "ph": "X"}
        value = {
            "schemaVersion": 1,
            "deviceProperties": [],
            "host_name": HOST,
            "env": {"HF_TOKEN": TOKEN},
            "command_line": ["python", "--key"],
            "traceEvents": [
                {
                    "cat": "python_function",
                    "name": "/home/annabel/net/a.py(7): run",
                    "ts": 10,
                    "dur": 50,
                    "args": {"Python id": 1},
                    **times,
                },
                {
                    "cat": "cpu_op",
                    "name": "aten::mm",
                    "ts": 20,
                    "dur": 20,
                    "args": {"note": "/home/annabel/x on " + HOST},
                    **times,
                },
            ],
        }
        self.trace = self.write("trace.json", json.dumps(value))

    def private(self, data):
        return [s for s in SECRETS if s.encode() in data]

    def test_files(self):
        for words in (
            ("save", self.path("o.pb")),
            ("convert", "-to", "profile:outfile=" + self.path("o.pb")),
            ("timeline", self.path("o.pftrace")),
            ("timeline", self.path("o.json")),
            ("timeline", self.path("o.html")),
        ):
            out = words[-1].split("=")[-1]
            with self.subTest(words=words):
                self.run_tfprof(self.trace, *words)
                with open(out, "rb") as file:
                    self.assertEqual(self.private(file.read()), [])
                os.remove(out)
                self.run_tfprof(self.trace, *words, "-keep_environment")
                with open(out, "rb") as file:
                    kept = self.private(file.read())
                if not out.endswith(".html"):  # which has packed texts
                    self.assertEqual(sorted(kept), sorted([HOST, "annabel"]))
                os.remove(out)

    def test_numbers_of_a_saved_trace(self):
        self.run_tfprof(self.trace, "save", self.path("o.pb"))
        home = [("/home/annabel/", "~/")]
        # The name of the format differs.
        for before, after in list(
            zip(self.answers(self.trace, home), self.answers(self.path("o.pb")))
        )[::2]:
            self.assertEqual(before, after)

    def test_reports_for_the_user_keep_all(self):
        done = self.run_tfprof(self.trace, "op", "-output", "json")
        self.assertIn(b"/home/annabel/", done.stdout)

    def test_pages(self):
        with Server(binary, self.trace) as server:
            body = server.get("/api/op").body
            self.assertIn(b"~/", body)
            self.assertEqual(self.private(body), [])
        with Server(binary, "-keep_environment", self.trace) as server:
            self.assertIn(b"/home/annabel/", server.get("/api/op").body)

    def test_several_hosts_stay_apart(self):
        with open(self.trace, encoding="utf-8") as file:
            value = json.load(file)
        del value["traceEvents"][1]["args"]
        paths = []
        for rank in range(2):
            value["host_name"] = "node%d.cluster.lan" % rank
            value["distributedInfo"] = {"rank": rank, "world_size": 2}
            paths.append(self.write("rank%d.json" % rank, json.dumps(value)))
        self.run_tfprof(*paths, "save", self.path("o.pb"))
        data = self.read("o.pb")
        self.assertNotIn(b"cluster.lan", data)
        self.assertIn(b"host1", data)
        self.assertIn(b"host2", data)


if __name__ == "__main__":
    sys.exit(junit_runner.main("redact"))
