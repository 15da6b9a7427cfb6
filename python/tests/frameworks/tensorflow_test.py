"""tfprof.tf, with TensorFlow."""

import os
import tempfile
import unittest

import tensorflow as tf

import tfprof


class FunctionTest(unittest.TestCase):
    def test_graph_functions_and_steps(self):
        weights = tf.Variable(tf.ones((30, 10)), name="weights")

        @tf.function
        def activate(x):
            return tf.nn.relu(x)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                with tf.name_scope("dense"):
                    y = tf.matmul(x, weights)
                loss = tf.reduce_sum(activate(y))
            weights.assign_sub(0.01 * tape.gradient(loss, weights))
            return loss

        with tfprof.tf.profile(step, tf.ones((20, 30)), steps=3) as profile:
            self.assertEqual(profile.steps()["step"], [0, 1, 2])
            rows = {
                row["name"]: row
                for row in profile.scope(select=["micros", "bytes"])
            }
            self.assertGreater(rows["dense/MatMul"]["total_micros"], 0)
            self.assertGreater(rows["dense/MatMul"]["total_requested_bytes"], 0)
            self.assertIn("PartitionedCall/Relu", rows)
        # The runs were on copies.
        self.assertEqual(weights.numpy()[0, 0], 1)

    def test_a_keras_model_as_a_function(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
        forward = tf.function(lambda x: model(x, training=True))
        with tfprof.tf.profile(forward, tf.ones((2, 4))) as profile:
            self.assertIn("MatMul", profile.op()["name"])

    def test_a_function_of_a_data_set_has_times(self):
        data = iter(tf.data.Dataset.range(9).repeat())
        with self.assertLogs("tfprof", "WARNING") as logs:
            profile = tfprof.tf.profile(tf.function(lambda: next(data) * 2))
        self.assertIn("recording times only", logs.output[0])
        with profile:
            self.assertIn("Mul", profile.op()["name"])

    def test_no_steps_are_an_error(self):
        with self.assertRaises(ValueError):
            tfprof.tf.profile(tf.function(lambda: 1), steps=0)


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def fit(self, callback):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(
            tf.ones((40, 3)),
            tf.ones((40, 1)),
            batch_size=4,
            verbose=0,
            callbacks=[callback],
        )

    def test_the_callback_records_some_batches(self):
        self.fit(tfprof.tf.keras_callback(self.folder, first=4, steps=2))
        self.assertEqual(os.listdir(self.folder), ["plugins"])
        with tfprof.open(self.folder) as profile:
            self.assertEqual(profile.steps()["step"], [4, 5])

    def test_batches_that_never_come_record_nothing(self):
        self.fit(tfprof.tf.keras_callback(self.folder, first=400))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_training_that_ends_early_keeps_what_there_is(self):
        self.fit(tfprof.tf.keras_callback(self.folder, first=8, steps=100))
        with tfprof.open(self.folder) as profile:
            self.assertEqual(profile.steps()["step"], [8, 9])

    def test_training_goes_on_when_the_recorder_cannot_start(self):
        with tfprof.tf.trace(), self.assertLogs("tfprof", "WARNING") as logs:
            self.fit(tfprof.tf.keras_callback(self.folder, first=1, steps=2))
        self.assertEqual(len(logs.output), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_hook_records_some_runs(self):
        v1 = tf.compat.v1
        with v1.Graph().as_default():
            a = v1.get_variable("a", [10, 10])
            out = tf.matmul(a, a)
            hook = tfprof.tf.session_run_hook(self.folder, steps=[1, 3])
            with v1.train.MonitoredSession(hooks=[hook]) as session:
                for _ in range(5):
                    session.run(out)
        self.assertEqual(
            sorted(os.listdir(self.folder)),
            ["graph.pb", "run_meta_1", "run_meta_3"],
        )
        with tfprof.open(self.folder) as profile:
            self.assertEqual(profile.steps()["step"], [1, 3])
            self.assertEqual(profile.op()[0]["name"], "MatMul")


if __name__ == "__main__":
    unittest.main()
