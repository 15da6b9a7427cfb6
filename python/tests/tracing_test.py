"""Live tracing of sessions and steps, with a server that only notes things."""

import contextlib
import json
import os
import sys
import tempfile
import time
import types
import unittest
import warnings
from unittest import mock

import fake_sessions
from fake_server import TOKEN, FakeServer
from fake_sessions import RECORD, Operation, Value

from tfprof import tracing
from tfprof._live import sessions
from tfprof._live.ranks import rank
from tfprof._live.waiting import MAX_TRACES
from tfprof.tracing import TracingServer


class Live(unittest.TestCase):
    """A tracing server that has joined a fake one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "session")
        self.fake = FakeServer(self.folder)
        self.fake.__enter__()
        self.up = True
        self.addCleanup(self.down)
        self.v1 = fake_sessions.v1()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(mock.patch.object(tracing, "_v1", lambda: self.v1))
        self.tracer = TracingServer(
            serve=f"http://127.0.0.1:{self.fake.port}", token=TOKEN
        )
        self.addCleanup(self.end)

    def down(self):
        if self.up:
            self.up = False
            self.fake.__exit__()

    def end(self):
        if self.tracer._collector is not None:
            self.tracer._collector.stop()

    def monitored(self):
        return self.v1.train.MonitoredSession(hooks=[self.tracer.hook])

    def flush(self):
        self.assertTrue(self.tracer.flush(10))

    def row(self, number=0):
        return self.fake.rows["c1", number]

    def client(self):
        (client,) = self.fake.clients.values()
        return client


class Hook(Live):
    def test_runs_are_listed_by_names(self):
        train, loss = Operation("train"), Operation("loss:0")
        x, value = Operation("x:0"), Value()
        with self.monitored() as session:
            for _ in range(3):
                session.run(train)
                session.run([loss, train], {x: value})
            session.run((loss, train), {x: value})
            session.run({"a": loss, "b": [train]})
            self.flush()
            self.assertTrue(self.client()["active"])
        self.flush()
        self.assertFalse(self.client()["active"])
        rows = [self.row(n) for n in range(3)]
        self.assertEqual(
            [(r["fetches"], r["feeds"], r["runs"]) for r in rows],
            [
                ("train", [], 3),
                ("[loss:0, train]", ["x:0"], 4),
                ("{a: loss:0, b: [train]}", [], 1),
            ],
        )
        self.assertNotIn(("c1", 3), self.fake.rows)
        self.assertGreater(rows[0]["mean_ns"], 0)

    def test_a_list_that_changed_is_another_run(self):
        fetches = [Operation("a")]
        with self.monitored() as session:
            session.run(fetches)
            fetches.append(Operation("b"))
            session.run(fetches)
            for name in ("c", "d", "c"):
                session.run([[Operation(name)]])
        self.flush()
        names = [self.row(n)["fetches"] for n in range(4)]
        self.assertEqual(names, ["[a]", "[a, b]", "[[c]]", "[[d]]"])
        self.assertEqual(self.row(2)["runs"], 2)

    def test_another_graph_with_equal_names_is_the_same_row(self):
        for _ in range(2):
            with self.monitored() as session:
                session.run(Operation("train"))
        self.flush()
        self.assertEqual(self.row()["runs"], 2)

    def test_an_order_is_carried_out(self):
        train = Operation("train")
        with self.monitored() as session:
            session.run(train)
            self.flush()
            self.fake.order(7, "next", row=0, count=2)
            self.flush()
            for _ in range(4):
                session.run(train)
        self.flush()
        self.assertEqual([data for _, data in self.fake.traces], [RECORD] * 2)
        about = self.fake.traces[1][0]
        self.assertEqual(
            (about["number"], about["count"], about["asked_by"]), (1, 3, "next")
        )
        self.assertEqual(self.fake.graphs[about["graph"]], b"a graph")
        self.assertEqual(self.row()["traces"], 2)
        self.assertEqual(self.row()["runs"], 5)
        self.assertIsNotNone(self.row()["traced_mean_ns"])
        self.assertEqual(self.fake.reports[7][-1]["state"], "done")
        self.assertEqual(self.fake.orders, [])

    def test_a_run_that_is_new_is_traced(self):
        with self.monitored() as session:
            session.run(Operation("init"))
            self.fake.order(1, "global", limit=2)
            self.flush()
            session.run(Operation("a"))
            session.run(Operation("b"))
        self.flush()
        self.assertEqual([a["row"] for a, _ in self.fake.traces], [1, 2])

    def test_a_run_that_fails(self):
        bad = Operation("bad")
        bad.error = KeyError("as meant")
        with self.monitored() as session:
            for _ in range(2):
                with self.assertRaises(KeyError):
                    session.run(bad)
                self.flush()
            self.fake.order(1, "next", row=0)
            self.flush()
            with self.assertRaises(KeyError):
                session.run(bad)
            session.run(Operation("good"))
        self.flush()
        self.assertEqual(self.row()["runs"], 0)
        self.assertEqual(self.row()["failed"], 3)
        self.assertEqual(len(self.fake.orders), 1)

    def test_a_trace_that_the_program_asked_for(self):
        train = Operation("train")
        options = self.v1.RunOptions(3)
        metadata = self.v1.RunMetadata()
        with self.monitored() as session:
            session.run(train, options=options, run_metadata=metadata)
            metadata.data = b"the program uses it again"
        self.flush()
        ((about, data),) = self.fake.traces
        self.assertEqual((about["asked_by"], data), ("program", RECORD))

    def test_the_global_step(self):
        step = Operation("global_step", "VarHandleOp")
        step.device = ""
        step.outputs = [types.SimpleNamespace(consumers=lambda: [add])]
        add = Operation("add", "AssignAddVariableOp")
        train = Operation("train")
        add._control_outputs = [train]

        class Session(self.v1.Session):
            def __init__(self):
                super().__init__()
                self.graph.step = step

            def run(self, fetches, *rest):
                super().run(fetches, *rest)
                return 100 if fetches is step else 0

        with self.v1.train.MonitoredSession(
            Session, [self.tracer.hook]
        ) as session:
            session.run(train)
            self.fake.order(1, "steps", row=0, steps=[103, 104])
            self.flush()
            session.run(Operation("eval"))
            session.run(train)
            session.run([train])
            session.run(train)
            session.run(train)
        self.flush()
        self.assertEqual(self.row()["step"], 105)
        ((about, _),) = self.fake.traces
        self.assertEqual((about["step"], about["count"]), (104, 3))
        report = self.fake.reports[1][-1]
        self.assertEqual(
            (report["state"], report["why"]), ("done", "without a trace: 103")
        )

    def test_our_error_is_not_the_trainings(self):
        with (
            mock.patch.object(
                sessions.Rows, "find", side_effect=RuntimeError("ours")
            ),
            self.assertLogs("tfprof", "WARNING"),
        ):
            with self.monitored() as session:
                self.assertEqual(session.run(Operation("train")), 0)


class Patches(Live):
    def test_every_session_is_seen_until_it_is_undone(self):
        init, x = Operation("init"), Operation("x:0")
        session = self.v1.Session()
        session.run(Operation("before"))
        with self.tracer.trace_sessions():
            session.run(init)
            session.run(init, {x: Value()})
            self.v1.Session().run(Operation("init"))
            failing = Operation("bad")
            failing.error = OSError()
            with self.assertRaises(OSError):
                session.run(failing)
        session.run(Operation("after"))
        self.flush()
        found = [
            (r["fetches"], r["feeds"], r["runs"], r["failed"])
            for r in self.fake.rows.values()
        ]
        self.assertEqual(
            found,
            [
                ("init", [], 2, 0),
                ("init", ["x:0"], 1, 0),
                ("bad", [], 0, 1),
            ],
        )

    def test_a_hooked_run_is_counted_once(self):
        train = Operation("train")
        with self.tracer.trace_sessions(), self.monitored() as session:
            session.run(train)
            session.run(train)
        self.flush()
        self.assertEqual([r["runs"] for r in self.fake.rows.values()], [2])

    def test_a_monitored_session_without_a_hook_has_the_same_row(self):
        with self.tracer.trace_sessions():
            self.v1.train.MonitoredSession(self.v1.Session).run(
                Operation("train")
            )
        self.flush()
        self.assertEqual(self.row()["fetches"], "train")

    def test_orders_and_the_options_of_the_caller(self):
        session, train = self.v1.Session(), Operation("train")
        options = self.v1.RunOptions(1)
        with self.tracer.trace_sessions():
            session.run(train)
            self.flush()
            self.fake.order(1, "next", row=0)
            self.flush()
            session.run(train, None, options)
            session.run(train, None, options, self.v1.RunMetadata())
        self.flush()
        self.assertEqual(len(self.fake.traces), 1)
        self.assertEqual(options.trace_level, 1)

    def test_somebody_else_patched_later(self):
        owner = next(c for c in self.v1.Session.__mro__ if "run" in vars(c))
        patch = self.tracer.trace_sessions()
        ours = owner.run

        def theirs(self, *args):
            return ours(self, *args)

        owner.run = theirs
        patch.undo()
        self.assertIs(owner.run, theirs)
        self.v1.Session().run(Operation("train"))
        self.assertEqual(len(self.tracer._program.table), 0)

    def test_inject_and_eject(self):
        self.addCleanup(tracing.hook_eject)
        url = f"http://127.0.0.1:{self.fake.port}"
        server = tracing.hook_inject(serve=url, token=TOKEN)
        self.assertIs(tracing.hook_inject(), server)
        self.addCleanup(lambda: server._collector.stop())
        self.v1.train.MonitoredSession().run(Operation("train"))
        self.v1.train.MonitoredSession(None, [server.hook]).run(
            Operation("train")
        )
        self.v1.Session().run(Operation("train"))
        tracing.hook_eject()
        self.v1.train.MonitoredSession().run(Operation("train"))
        self.assertTrue(server.flush(10))
        self.assertEqual(self.row()["runs"], 2)


class Lost(Live):
    def test_what_waits_is_bounded_and_delivered_later(self):
        train = Operation("train")
        self.fake.fail["traces"] = 500
        with self.monitored() as session:
            session.run(train)
            self.flush()
            for _ in range(MAX_TRACES + 3):
                session.run(
                    train, None, self.v1.RunOptions(3), self.v1.RunMetadata()
                )
            self.assertFalse(self.tracer.flush(0.3))
            self.fake.fail.clear()
            self.flush()
        self.assertEqual(len(self.fake.traces), MAX_TRACES)
        self.flush()
        self.assertEqual(self.client()["dropped"]["traces"], 3)
        self.assertIn("wait", self.client()["dropped"]["why"])

    def test_a_full_disk_is_said(self):
        self.fake.fail["traces"] = 507
        with self.monitored() as session:
            session.run(
                Operation("train"),
                None,
                self.v1.RunOptions(3),
                self.v1.RunMetadata(),
            )
        self.flush()
        self.flush()
        dropped = self.client()["dropped"]
        self.assertEqual(
            (dropped["traces"], dropped["bytes"]), (1, len(RECORD))
        )
        self.assertIn("told to fail", dropped["why"])

    def test_without_a_server_training_goes_on(self):
        self.down()
        with self.assertLogs("tfprof", "WARNING"):
            with self.monitored() as session:
                for _ in range(100):
                    self.assertEqual(session.run(Operation("train")), 0)
                self.assertFalse(self.tracer.flush(0.3))

    def test_a_slow_server_does_not_hold_the_training_up(self):
        train = Operation("train")
        with self.monitored() as session:
            session.run(train)
            self.flush()
            self.fake.order(1, "global", limit=100)
            self.flush()
            self.fake.slow = 1.0
            began = time.monotonic()
            for _ in range(200):
                session.run(train)
            self.assertLess(time.monotonic() - began, 0.9)
            self.fake.slow = 0.0
            self.flush()
        self.flush()
        self.assertEqual(self.row()["runs"], 201)
        traces = len(self.fake.traces)
        self.assertGreaterEqual(traces, MAX_TRACES)
        self.assertEqual(self.row()["traces"], traces)

    def test_a_server_that_forgot_hears_everything_again(self):
        train = Operation("train")
        with self.monitored() as session:
            session.run(train)
            self.flush()
            self.fake.clients.clear()
            self.fake.rows.clear()
            session.run(train)
            self.flush()
        self.assertEqual(self.row()["runs"], 2)

    def test_the_rest_goes_into_the_folder(self):
        train = Operation("train")
        with self.monitored() as session:
            session.run(train)
            self.flush()
            self.down()
            session.run(
                train, None, self.v1.RunOptions(3), self.v1.RunMetadata()
            )
        self.tracer._finish("ok")
        names = sorted(os.listdir(os.path.join(self.folder, "traces")))
        base = f"p{os.getpid()}-1"
        self.assertEqual(names, [f"{base}.about.json", f"{base}.pb"])
        path = os.path.join(self.folder, "traces", names[0])
        with open(path, encoding="utf-8") as file:
            about = json.load(file)
        self.assertEqual(about["fetches"], "train")
        self.assertEqual(about["client"], "c1")
        self.assertEqual(about["bytes"], len(RECORD))

    def test_the_end_is_said(self):
        with self.monitored() as session:
            session.run(Operation("train"))
            self.flush()
        self.tracer._finish("error: KeyError")
        self.assertEqual(self.client()["end"], "error: KeyError")

    def test_nothing_starts_before_the_first_run(self):
        self.monitored()
        self.assertIsNone(self.tracer._collector)
        self.assertFalse(self.tracer.flush(0))
        self.assertIsNone(self.tracer.url)


class Steps(Live):
    """tf.function, Keras and loops, with a profiler that writes a file."""

    def setUp(self):
        super().setUp()
        self.profiling = None

        def start(folder, options=None):
            self.profiling = folder

        def stop():
            run = os.path.join(self.profiling, "plugins", "profile", "1")
            os.makedirs(run)
            with open(os.path.join(run, "h.xplane.pb"), "wb") as file:
                file.write(b"planes")
            self.profiling = None

        fake = types.SimpleNamespace(
            profiler=types.SimpleNamespace(
                experimental=types.SimpleNamespace(
                    start=start,
                    stop=stop,
                    ProfilerOptions=dict,
                    Trace=lambda *a, **k: contextlib.nullcontext(),
                )
            ),
            keras=types.SimpleNamespace(
                callbacks=types.SimpleNamespace(
                    Callback=type("Callback", (), {})
                )
            ),
        )
        patch = mock.patch.dict(sys.modules, {"tensorflow": fake})
        patch.start()
        self.addCleanup(patch.stop)

    def arm(self, **more):
        self.flush()
        self.fake.order(1, "next", row=0, **more)
        self.flush()

    def test_a_step_is_recorded(self):
        step = self.tracer.step(framework="tensorflow")
        for _ in range(2):
            with step:
                pass
        self.arm()
        with step:
            self.assertIsNotNone(self.profiling)
        with step:
            self.assertIsNone(self.profiling)
        self.flush()
        ((about, data),) = self.fake.traces
        self.assertEqual((about["kind"], about["count"]), ("xspace", 3))
        self.assertEqual(data, b"planes")
        self.assertEqual(self.row()["kind"], "step")

    def test_a_step_with_a_number(self):
        for number in (10, 11):
            with self.tracer.step(number, framework="tensorflow"):
                pass
        self.flush()
        self.assertEqual(self.row()["step"], 11)
        self.assertEqual(self.row()["runs"], 2)

    def test_a_step_that_fails_is_not_traced(self):
        with self.tracer.step(framework="tensorflow"):
            pass
        self.arm()
        with self.assertRaises(KeyError):
            with self.tracer.step(framework="tensorflow"):
                raise KeyError
        self.assertIsNone(self.profiling)
        self.flush()
        self.assertEqual(self.row()["failed"], 1)
        self.assertEqual(self.fake.traces, [])
        self.assertEqual(len(self.fake.orders), 1)

    def test_a_wrapped_function(self):
        def double(x):
            """Twice."""
            return 2 * x

        double.other = 3
        wrapped = self.tracer.wrap(double, framework="tensorflow")
        self.assertEqual(wrapped(2), 4)
        self.assertEqual((wrapped.other, wrapped.__doc__), (3, "Twice."))
        self.arm()
        self.assertEqual(wrapped(3), 6)
        with self.assertRaises(TypeError):
            wrapped(1, 2)
        self.flush()
        self.assertEqual(len(self.fake.traces), 1)
        self.assertEqual(self.row()["fetches"], "double")
        self.assertEqual(self.row()["failed"], 1)

    def test_a_keras_callback(self):
        callback = self.tracer.keras_callback()
        callback.model = types.SimpleNamespace(
            name="net",
            optimizer=types.SimpleNamespace(
                iterations=types.SimpleNamespace(numpy=lambda: 40)
            ),
        )
        callback.on_train_begin()
        for batch in range(3):
            callback.on_train_batch_begin(batch)
            callback.on_train_batch_end(batch)
        callback.on_test_batch_begin(0)
        callback.on_test_batch_end(0)
        self.arm()
        callback.on_train_batch_begin(3)
        callback.on_train_batch_end(3)
        callback.on_train_end()
        self.flush()
        self.assertEqual(self.row()["fetches"], "net.train")
        self.assertEqual(self.row()["step"], 44)
        self.assertEqual(self.row(1)["fetches"], "net.test")
        self.assertEqual(self.fake.traces[0][0]["step"], 44)
        self.assertFalse(self.client()["active"])

    def test_a_step_of_pytorch(self):
        class Profile:
            def __init__(self, on_trace_ready, **unused):
                self._ready = on_trace_ready

            def start(self):
                pass

            def stop(self):
                self._ready(self)

            def export_chrome_trace(self, path):
                with open(path, "wb") as file:
                    file.write(b"{}")

        torch = types.SimpleNamespace(
            profiler=types.SimpleNamespace(profile=Profile)
        )
        with mock.patch.dict(sys.modules, {"torch": torch}):
            with self.tracer.step():
                pass
            self.arm()
            with self.tracer.step():
                pass
            self.flush()
        ((about, data),) = self.fake.traces
        self.assertEqual((about["kind"], data), ("kineto", b"{}"))

    def test_a_profiler_that_does_not_start(self):
        with self.tracer.step(framework="tensorflow"):
            pass
        self.arm()
        del sys.modules["tensorflow"].profiler.experimental.start
        with self.assertLogs("tfprof", "WARNING"):
            with self.tracer.step(framework="tensorflow"):
                pass
        self.flush()
        self.assertEqual(self.row()["runs"], 2)
        self.assertEqual(len(self.fake.orders), 1)


class Options(unittest.TestCase):
    def test_unknown_ones_warn(self):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            TracingServer(is_horovod=True)
        self.assertIn("is_horovod", str(found[0].message))

    def test_ranks(self):
        self.assertEqual(rank({}), (None, None))
        self.assertEqual(
            rank({"HOROVOD_RANK": "3", "HOROVOD_SIZE": "8", "RANK": "1"}),
            (3, 8),
        )
        self.assertEqual(rank({"RANK": "x"}), (None, None))
        self.assertEqual(rank({"SLURM_PROCID": "2"}), (2, None))
        config = {
            "cluster": {"ps": ["a"], "worker": ["b", "c"], "chief": ["d"]},
            "task": {"type": "worker", "index": 1},
        }
        self.assertEqual(rank({"TF_CONFIG": json.dumps(config)}), (2, 4))
        self.assertEqual(rank({"TF_CONFIG": "{"}), (None, None))
        config["task"] = {"type": "worker", "index": 7}
        self.assertEqual(rank({"TF_CONFIG": json.dumps(config)}), (None, None))


if __name__ == "__main__":
    unittest.main()
