"""The child program behind the package: requests, death, forks, threads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from tfprof._engine import engine
from tfprof._engine.engine import Engine, EngineError

# The path is not resolved: under Bazel, this is a tree of links.
ROOT = Path(os.path.abspath(__file__)).parents[2]
PROFILES = ROOT / "tests" / "golden" / "profiles"
RESNET = PROFILES / "conv_resnet" / "profile.pb"
PIPELINE = PROFILES / "input_pipeline"


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    # The second: it ended after its file was opened.
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class EngineTest(unittest.TestCase):
    def engine(self, *files, **kwargs) -> Engine:
        engine = Engine(list(files), **kwargs)
        self.addCleanup(engine.close)
        return engine

    def pid(self, engine: Engine) -> int:
        engine.ask("ping")
        return engine._child.process.pid


class AskTest(EngineTest):
    def test_starts_with_the_first_request(self):
        engine = self.engine(RESNET)
        self.assertIsNone(engine._child)
        reply = engine.ask("op", output="json", options={"max_depth": 3})
        self.assertEqual(reply.status, 0)
        self.assertEqual(json.loads(reply.data)["schema"], "tfprof.op")

    def test_text_is_what_the_program_prints(self):
        words = [engine.find_program(), str(RESNET), "op", "-max_depth", "3"]
        printed = subprocess.run(words, stdout=subprocess.PIPE, check=True)
        reply = self.engine(RESNET).ask("op", options={"max_depth": 3})
        self.assertEqual(reply.data, printed.stdout)

    def test_the_package_runs_as_the_program(self):
        def printed(*words):
            done = subprocess.run(words, capture_output=True, check=False)
            return done.returncode, done.stdout, done.stderr

        module = [sys.executable, "-m", "tfprof"]
        for words in (["--version"], [str(RESNET), "op", "3"], ["-no_such"]):
            self.assertEqual(
                printed(*module, *words),
                printed(engine.find_program(), *words),
            )

    def test_values_are_not_quoted(self):
        engine = self.engine(RESNET)
        odd = 'it\'s "a,b" #é\n'
        options = {"show_name_regexes": [odd, ".*"], "max_depth": 1}
        self.assertEqual(engine.ask("scope", options=options).status, 0)
        reply = engine.ask("show", odd)
        self.assertNotEqual(reply.status, 0)
        self.assertIn('it\'s "a,b" #é', reply.messages[0]["text"])

    def test_options_of_any_sequence(self):
        engine = self.engine(RESNET)
        for select in (["micros"], ("micros",), {"micros": 1}.keys()):
            reply = engine.ask("op", options={"select": select, "step": None})
            self.assertEqual((reply.status, reply.messages), (0, []))

    def test_a_wrong_request_says_why(self):
        engine = self.engine(RESNET)
        for command, options, text in (
            ("opp", {}, 'no command "opp"'),
            ("op", {"selec": "micros"}, "did you mean select?"),
            ("op", {"step": "x"}, "'x'"),
            ("op", {"step": [1, 2]}, "one value, found 2"),
        ):
            reply = engine.ask(command, options=options)
            self.assertEqual((reply.status, reply.data), (2, b""))
            self.assertEqual(reply.messages[0]["level"], "error")
            self.assertIn(text, reply.messages[0]["text"])
        with self.assertRaises(TypeError):
            engine.ask("op", options={"step": object()})
        self.assertEqual(engine.ask("ping").status, 0)

    def test_a_large_request(self):
        engine = self.engine()
        reply = engine.ask("a" * (20 << 20))
        self.assertEqual(reply.status, 2)

    def test_a_small_question_is_quick(self):
        engine = self.engine(RESNET)
        best = 1.0
        for _ in range(200):
            begin = time.perf_counter()
            engine.ask("op", options={"max_depth": 3})
            best = min(best, time.perf_counter() - begin)
        self.assertLess(best, 0.001)


class InputTest(EngineTest):
    def test_bytes(self):
        data = RESNET.read_bytes()
        expected = self.engine(RESNET).ask("op").data
        for kind in (bytes, bytearray, memoryview):
            self.assertEqual(self.engine(kind(data)).ask("op").data, expected)

    def test_bytes_without_memfd(self):
        data = RESNET.read_bytes()
        with mock.patch.object(os, "memfd_create", side_effect=OSError):
            engine = self.engine(data)
        path = engine._inputs[0].path
        self.assertEqual(engine.ask("op").status, 0)
        engine.close()
        self.assertFalse(os.path.exists(os.path.dirname(path)))

    def test_no_input(self):
        engine = self.engine()
        self.assertEqual(engine.ask("op").status, 2)
        self.assertEqual(engine.ask("load", str(RESNET)).status, 0)
        self.assertEqual(engine.ask("op").status, 0)

    def test_an_input_that_is_not_there(self):
        engine = self.engine("/no/profile")
        for _ in range(2):
            reply = engine.ask("op")
            self.assertEqual(reply.status, 1)
            self.assertIn("/no/profile", reply.messages[-1]["text"])
        self.assertEqual(engine.ask("load", str(RESNET)).status, 0)
        self.assertEqual(engine.ask("op").status, 0)

    def test_damaged_bytes(self):
        reply = self.engine(b"\x0a\x7fx" * 9).ask("op")
        self.assertNotEqual(reply.status, 0)

    def test_added_steps_are_as_loaded_ones(self):
        graph = PIPELINE / "graph.pb"
        runs = [f"{7 + i}:{PIPELINE / f'run_meta_{i}'}" for i in range(2)]
        whole = self.engine(graph, *runs)
        one_by_one = self.engine(graph)
        one_by_one.ask("op")  # what views keep must not stay
        one_by_one.ask("graph", output="json")
        coverage = []
        for run in runs:
            reply = one_by_one.ask("add", run)
            self.assertEqual(reply.status, 0, reply.messages)
            coverage += [m["text"] for m in reply.messages]
        self.assertEqual(
            coverage[:2], [m["text"] for m in whole.ask("ping").messages][:2]
        )
        for command in ("op", "scope", "graph", "steps", "devices"):
            for step in (-1, 7, 8):
                options = {"step": step}
                if command not in ("op", "scope", "graph"):
                    options = {}
                self.assertEqual(
                    one_by_one.ask(command, options=options),
                    whole.ask(command, options=options),
                    (command, step),
                )


class MessageTest(EngineTest):
    def test_proto_of_views_advice_and_profile(self):
        engine = self.engine(RESNET)
        for command in ("op", "scope", "graph", "advise", "save"):
            reply = engine.ask(command, output="proto")
            self.assertEqual((command, reply.status), (command, 0))
            self.assertEqual(reply.data[:1], b"\x0a")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "saved")
            Path(path).write_bytes(reply.data)
            self.assertEqual(
                self.engine(path).ask("op").data, engine.ask("op").data
            )


class LifeTest(EngineTest):
    def test_a_dead_child_is_named_and_replaced(self):
        engine = self.engine(RESNET)
        os.kill(self.pid(engine), signal.SIGKILL)
        with self.assertRaisesRegex(EngineError, "SIGKILL"):
            engine.ask("op")
        self.assertEqual(engine.ask("op").status, 0)
        self.assertEqual(engine.generation, 2)

    def test_the_last_lines_of_stderr_are_in_the_error(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "tfprof")
            Path(program).write_text("#!/bin/sh\necho ouch >&2\nexit 3\n")
            os.chmod(program, 0o755)
            with mock.patch.dict(os.environ, TFPROF_BINARY=program):
                with self.assertRaisesRegex(EngineError, "status 3.*\n.*ouch"):
                    self.engine().ask("ping")

    def test_no_program(self):
        with mock.patch.dict(os.environ, TFPROF_BINARY="/no/tfprof"):
            with self.assertRaisesRegex(EngineError, "/no/tfprof"):
                self.engine().ask("ping")

    def test_close(self):
        engine = self.engine(RESNET.read_bytes())
        pid = self.pid(engine)
        engine.close()
        engine.close()
        self.assertFalse(os.path.exists(f"/proc/{pid}"))
        with self.assertRaisesRegex(EngineError, "closed"):
            engine.ask("ping")

    def test_the_last_reference_ends_the_child(self):
        engine = Engine()
        pid = self.pid(engine)
        del engine
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_no_descriptors_leak(self):
        def count():
            return len(os.listdir("/proc/self/fd"))

        with Engine([b""]) as engine:
            engine.ask("ping")
        before = count()
        for _ in range(3):
            with Engine([b""]) as engine:
                engine.ask("ping")
        self.assertEqual(count(), before)

    def test_the_interpreter_ends_the_child(self):
        code = (
            "from tfprof._engine.engine import Engine\n"
            "e = Engine(); e.ask('ping'); print(e._child.process.pid)"
        )
        pid = int(self.python(code))
        self.assertFalse(is_running(pid))

    def test_a_killed_interpreter_ends_the_child(self):
        code = (
            "import os, signal\n"
            "from tfprof._engine.engine import Engine\n"
            "e = Engine(); e.ask('ping')\n"
            "print(e._child.process.pid, flush=True)\n"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        pid = int(self.python(code))
        self.assertTrue(wait_until(lambda: not is_running(pid)))

    def python(self, code: str) -> bytes:
        package = str(Path(engine.__file__).parents[2])
        return subprocess.run(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": package},
            timeout=60,
        ).stdout

    def test_threads(self):
        engine = self.engine(RESNET)
        wrong = []

        def work(depth: int) -> None:
            for _ in range(10):
                reply = engine.ask(
                    "scope", output="json", options={"max_depth": depth}
                )
                rows = json.loads(reply.data)["rows"]
                if max(r["depth"] for r in rows) != depth - 1:
                    wrong.append(depth)

        threads = [
            threading.Thread(target=work, args=(1 + i % 3,)) for i in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        engine = self.engine(RESNET)
        pid = self.pid(engine)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                other = self.pid(engine)
                good = engine.ask("op").status == 0 and other != pid
                engine.close()
                status = 0 if good else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.pid(engine), pid)

    def test_an_interrupt_cancels(self):
        engine = self.engine(RESNET)
        self.pid(engine)
        ask = engine._child.ask

        def interrupted(line):
            engine._child._write(line)
            raise KeyboardInterrupt

        with mock.patch.object(engine._child, "ask", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                engine.ask("op")
        self.assertEqual(engine.ask("op").status, 0)
        del ask


if __name__ == "__main__":
    unittest.main()
