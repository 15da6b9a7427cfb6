"""Live tracing with TensorFlow itself: sessions, Keras, tf.function.

The server only notes what it is told, so the tests see every byte that leaves.
"""

import os
import tempfile
import unittest

import numpy as np
import tensorflow as tf
from fake_server import TOKEN, FakeServer

from tfprof._reference.messages import RunMetadata
from tfprof.tracing import TracingServer

v1 = tf.compat.v1
# This value is fed. It must not appear anywhere, neither as text nor as bytes.
SECRET = 1234567.0


class Live(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = FakeServer(os.path.join(folder.name, "session"))
        self.fake.__enter__()
        self.addCleanup(self.fake.__exit__)
        self.said = []
        post = self.fake.post

        def noted(path, query, body):
            self.said.append(body + repr(query).encode())
            return post(path, query, body)

        self.fake.post = noted
        self.tracer = TracingServer(
            serve=f"http://127.0.0.1:{self.fake.port}", token=TOKEN
        )
        self.addCleanup(lambda: self.tracer._collector.stop())

    def flush(self):
        self.assertTrue(self.tracer.flush(20))

    def order(self, number, rule, row=0, **more):
        self.flush()
        self.fake.order(number, rule, row, **more)
        self.flush()

    def row(self, number=0):
        return self.fake.rows["c1", number]

    def model(self):
        """A training step with a global step, and a fed tensor."""
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        w = v1.get_variable("w", [4, 1])
        loss = tf.reduce_mean(tf.matmul(x, w), name="loss")
        step = v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(
            loss, global_step=step, name="train"
        )
        return x, loss, train


class Sessions(Live):
    def test_a_training_with_a_hook(self):
        value = np.full([8, 4], SECRET, np.float32)
        with tf.Graph().as_default():
            x, loss, train = self.model()
            with v1.train.SingularMonitoredSession(
                hooks=[self.tracer.hook]
            ) as session:
                for _ in range(3):
                    session.run(train, {x: value})
                self.order(1, "steps", steps=[2, 5])
                session.run(loss, {x: value})
                for _ in range(3):
                    session.run([train, loss], {x: value})
                    session.run(train, {x: value})
        self.flush()
        row = self.row()
        self.assertEqual((row["fetches"], row["feeds"]), ("train", ["x:0"]))
        self.assertEqual((row["runs"], row["step"]), (6, 9))
        ((about, data),) = self.fake.traces
        self.assertEqual((about["step"], about["count"]), (5, 4))
        devices = RunMetadata.FromString(data).step_stats.dev_stats
        names = [node.node_name for d in devices for node in d.node_stats]
        self.assertIn("MatMul", names)
        self.assertIn(b"MatMul", self.fake.graphs[about["graph"]])
        report = self.fake.reports[1][-1]
        self.assertEqual(report["why"], "without a trace: 2")
        said = b"".join(self.said)
        self.assertNotIn(np.float32(SECRET).tobytes(), said)
        self.assertNotIn(b"1234567", said)

    def test_a_failed_run_is_counted(self):
        with tf.Graph().as_default():
            x, loss, _ = self.model()
            broken = tf.debugging.check_numerics(
                tf.math.log(loss * 0.0 - 1.0), "as meant", name="broken"
            )
            with v1.train.SingularMonitoredSession(
                hooks=[self.tracer.hook]
            ) as session:
                for _ in range(2):
                    with self.assertRaises(tf.errors.InvalidArgumentError):
                        session.run(broken, {x: np.full([1, 4], SECRET)})
                    self.order(1, "next")
                session.run(loss, {x: np.ones([1, 4])})
        self.flush()
        self.assertEqual((self.row()["runs"], self.row()["failed"]), (0, 2))
        self.assertEqual(self.fake.traces, [])
        self.assertNotIn(b"1234567", b"".join(self.said))

    def test_patched_sessions(self):
        with tf.Graph().as_default(), self.tracer.trace_sessions():
            x, loss, train = self.model()
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                session.run(train, {x: np.ones([1, 4])})
                self.order(1, "next", 1)
                session.run(train, {x: np.ones([1, 4])})
            with v1.train.MonitoredTrainingSession(
                hooks=[self.tracer.hook]
            ) as session:
                session.run(train, {"x:0": np.ones([1, 4])})
        with tf.Graph().as_default():
            v1.Session().run(tf.constant(1))
        self.flush()
        rows = [
            (r["fetches"], r["runs"])
            for r in self.fake.rows.values()
            if r["fetches"] in ("init", "train")
        ]
        self.assertEqual(rows, [("init", 1), ("train", 3)])
        self.assertEqual(len(self.fake.traces), 1)


class Steps(Live):
    def spaces(self):
        return [data for _, data in self.fake.traces]

    def test_a_function(self):
        @tf.function
        def double(x):
            return tf.linalg.matmul(x, x)

        step = self.tracer.wrap(double)
        x = tf.ones([64, 64])
        for _ in range(3):
            step(x)
        self.order(1, "next", count=2)
        for _ in range(3):
            step(x)
        self.flush()
        self.assertEqual(self.row()["fetches"], "double")
        self.assertEqual(self.row()["kind"], "function")
        self.assertEqual(self.row()["runs"], 6)
        spaces = self.spaces()
        self.assertEqual(len(spaces), 2)
        self.assertIn(b"MatMul", spaces[0])
        self.assertTrue(callable(step.get_concrete_function))

    def test_keras(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
        model.compile("sgd", "mse")
        callback = self.tracer.keras_callback()
        x, y = np.ones([32, 8]), np.ones([32, 3])
        model.fit(x, y, batch_size=8, verbose=0, callbacks=[callback])
        self.order(1, "every", every=3, limit=2)
        model.fit(x, y, batch_size=8, verbose=0, callbacks=[callback])
        model.evaluate(x, y, verbose=0, callbacks=[callback])
        self.flush()
        row = self.row()
        self.assertEqual((row["kind"], row["runs"]), ("keras", 8))
        self.assertEqual(row["step"], 8)
        ((about, data),) = self.fake.traces
        self.assertEqual((about["count"], about["step"]), (6, 6))
        self.assertIn(b"MatMul", data)
        self.assertTrue(self.row(1)["fetches"].endswith(".test"))


if __name__ == "__main__":
    unittest.main()
