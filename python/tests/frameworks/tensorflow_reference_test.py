"""Beside TensorFlow's own profiler: the same run, the same bytes.

Needs TensorFlow 2 with tf.compat.v1 (2.15 is tested). The examples of the
README of the reference run with TensorFlow's module and with ours.
"""

import os
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import recorded
import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.client import (
    session as session_lib,
    timeline as tf_timeline,
)

from tfprof import profiler as ours, timeline
from tfprof._reference.tensorflow import InvalidArgumentError
from tfprof.profile_context import ProfileContext

v1 = tf.compat.v1
theirs = v1.profiler
FULL = 3


class Model:
    """A small network, one traced training step of it, and its session."""

    def __init__(self):
        with tf.Graph().as_default() as graph:
            v1.set_random_seed(1)
            images = tf.zeros([2, 8, 8, 3])
            kernel = v1.get_variable("conv/kernel", [3, 3, 3, 4])
            hidden = tf.nn.relu(
                tf.nn.conv2d(images, kernel, [1, 2, 2, 1], "SAME")
            )
            flat = tf.reshape(hidden, [2, -1])
            weights = v1.get_variable("dense/weights", [64, 5])
            logits = tf.matmul(flat, weights, name="dense/matmul")
            self.loss = tf.reduce_mean(tf.square(logits))
            self.train = v1.train.GradientDescentOptimizer(0.1).minimize(
                self.loss
            )
            init = v1.global_variables_initializer()
        self.graph = graph
        self.session = v1.Session(graph=graph)
        self.session.run(init)

    def traced(self):
        meta = v1.RunMetadata()
        self.session.run(
            self.train,
            options=v1.RunOptions(trace_level=FULL),
            run_metadata=meta,
        )
        return meta


model = None
meta = None


def setUpModule():
    global model, meta
    v1.disable_eager_execution()
    model = Model()
    meta = model.traced()


def both(test, use):
    """use(profiler module) prints and returns the same with both."""
    results = []
    for module in (theirs, ours):
        with recorded.Stdout() as printed:
            made = use(module)
        results.append((printed.text, made))
    (text, message), (our_text, our_message) = results
    test.assertEqual(our_text, text)
    test.assertEqual(
        type(our_message).FromString(message.SerializeToString()), our_message
    )


class ReadmeExamples(unittest.TestCase):
    def test_time_and_memory_of_each_view(self):
        def use(profiler):
            builder = profiler.ProfileOptionBuilder
            options = (
                builder(builder.time_and_memory()).order_by("micros").build()
            )
            made = profiler.Profiler(model.graph)
            made.add_step(0, meta)
            for view in (
                made.profile_operations,
                made.profile_python,
                made.profile_graph,
            ):
                view(options=options)
            return made.profile_name_scope(options=options)

        both(self, use)

    def test_parameters(self):
        def use(profiler):
            return profiler.profile(
                model.graph,
                options=profiler.ProfileOptionBuilder.trainable_variables_parameter(),
            )

        both(self, use)

    def test_float_operations(self):
        def use(profiler):
            return profiler.profile(
                model.graph,
                run_meta=meta,
                cmd="op",
                options=profiler.ProfileOptionBuilder.float_operation(),
            )

        both(self, use)

    def test_python_view(self):
        def use(profiler):
            builder = profiler.ProfileOptionBuilder
            return profiler.profile(
                model.graph,
                run_meta=meta,
                cmd="code",
                options=builder(builder.time_and_memory())
                .with_node_names(show_name_regexes=[".*tensorflow_test.*"])
                .account_displayed_op_only(False)
                .build(),
            )

        both(self, use)

    def test_default_graph_and_options(self):
        def use(profiler):
            with model.graph.as_default():
                return profiler.profile()

        both(self, use)

    def test_advice(self):
        for options in (None, {"OperationChecker": {}}):
            made = []
            for profiler in (theirs, ours):
                with recorded.Stdout():
                    if options is None:
                        advice = profiler.advise(model.graph, meta)
                    else:
                        advice = profiler.advise(model.graph, meta, options)
                made.append(
                    {k: list(c.reports) for k, c in advice.checkers.items()}
                )
            self.assertEqual(made[1], made[0])

    def test_files(self):
        def use(profiler):
            builder = profiler.ProfileOptionBuilder
            with recorded.Folder():
                message = profiler.profile(
                    model.graph,
                    run_meta=meta,
                    cmd="scope",
                    options=builder(builder.time_and_memory())
                    .with_timeline_output("t")
                    .build(),
                )
                self.assertEqual(os.listdir("."), ["t_-1"])
                return message

        both(self, use)


class OpLogs(unittest.TestCase):
    def test_the_same_file(self):
        for given in (None, self.log()):
            for run in (None, meta):
                for trace in (True, False):
                    logs = []
                    for profiler in (theirs, ours):
                        own = None
                        if given is not None:
                            own = tfprof_log_pb2.OpLogProto()
                            own.CopyFrom(given)
                        with tempfile.TemporaryDirectory() as folder:
                            profiler.write_op_log(
                                model.graph, folder, own, run, trace
                            )
                            path = os.path.join(folder, "tfprof_log")
                            with open(path, "rb") as file:
                                logs.append(
                                    tfprof_log_pb2.OpLogProto.FromString(
                                        file.read()
                                    )
                                )
                    self.assertEqual(logs[1], logs[0])

    @staticmethod
    def log():
        log = tfprof_log_pb2.OpLogProto()
        log.log_entries.add(name="dense/matmul", float_ops=7, types=["mine"])
        log.log_entries.add(name="not/there", types=["mine"])
        return log

    def test_unknown_shapes(self):
        with tf.Graph().as_default() as graph:
            images = v1.placeholder(tf.float32, [None, 3], name="images")
            tf.matmul(images, tf.ones([3, 2]), name="product")
        said = []
        for profiler in (theirs, ours):
            with recorded.Stderr() as stderr:
                with tempfile.TemporaryDirectory() as folder:
                    profiler.write_op_log(graph, folder)
            said.append(stderr.text)
        self.assertEqual(said[1], said[0])
        self.assertIn("1 ops no flops stats", said[1])


class Errors(unittest.TestCase):
    def test_of_both_kinds(self):
        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            ours.profile(model.graph, cmd="python")
        self.assertIsInstance(caught.exception, InvalidArgumentError)
        self.assertEqual(caught.exception.message, "unknown cmd: python\n")
        with self.assertRaises(tf.errors.NotFoundError):
            ours.write_op_log(model.graph, "/no/such/folder")


class Timelines(unittest.TestCase):
    def test_the_same_bytes(self):
        for named in (
            {},
            {"show_memory": True},
            {"show_dataflow": False},
            {"op_time": "gpu"},
        ):
            # Ours first: the reference changes the message.
            made = timeline.Timeline(
                meta.step_stats
            ).generate_chrome_trace_format(**named)
            theirs_made = tf_timeline.Timeline(
                meta.step_stats
            ).generate_chrome_trace_format(**named)
            self.assertEqual(made, theirs_made)

    def test_allocators(self):
        made = timeline.Timeline(meta.step_stats).analyze_step_stats()
        want = tf_timeline.Timeline(meta.step_stats).analyze_step_stats()
        self.assertEqual(
            {
                k: (m.timestamp, m.num_bytes, set(m.tensors))
                for k, m in made.allocator_maximums.items()
            },
            {
                k: (m.timestamp, m.num_bytes, set(m.tensors))
                for k, m in want.allocator_maximums.items()
            },
        )
        self.assertEqual(
            made.chrome_trace.format_to_string(),
            want.chrome_trace.format_to_string(),
        )


class Contexts(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = os.path.join(made.name, "deep", "profile")

    def test_explicit_steps(self):
        options = ours.ProfileOptionBuilder.time_and_memory()
        with ProfileContext(
            self.folder, trace_steps=[], dump_steps=[]
        ) as context:
            model.session.run(model.train)
            context.trace_next_step()
            context.dump_next_step()
            model.session.run(model.train)
            with recorded.Stdout() as printed:
                context.profiler.profile_operations(options=options)
        self.assertIn("MatMul", printed.text)
        self.assertEqual(os.listdir(self.folder), ["profile_1"])
        saved = ours.Profiler.from_file(os.path.join(self.folder, "profile_1"))
        with recorded.Stdout() as again:
            saved.profile_operations(options)
        saved.close()
        self.assertEqual(again.text, printed.text)

    def test_chosen_steps(self):
        options = dict(
            ours.ProfileOptionBuilder.time_and_memory(), output="none"
        )
        with ProfileContext(self.folder) as context:
            context.add_auto_profiling("op", options, [15, 50, 100])
            for _ in range(102):
                model.session.run(model.train)
        self.assertEqual(os.listdir(self.folder), ["profile_100"])
        self.assertEqual(sorted(context.get_profiles("op")), [15, 50, 100])

    def test_the_profiler_outlives_the_context(self):
        with ProfileContext(self.folder, [0], []) as context:
            model.session.run(model.train)
        root = context.profiler.profile_operations(
            dict(ours.ProfileOptionBuilder.time_and_memory(), output="none")
        )
        self.assertGreater(root.total_exec_micros, 0)

    def test_everything_is_restored(self):
        run = session_lib.BaseSession.run
        with self.assertRaises(tf.errors.InternalError):
            with ProfileContext(self.folder):
                with ProfileContext(self.folder):
                    pass
        self.assertIs(session_lib.BaseSession.run, run)
        self.assertIsNone(session_lib.BaseSession.profile_context)

    def test_a_run_that_raises(self):
        with ProfileContext(self.folder, range(5), []) as context:
            for _ in range(2):
                with self.assertRaises(Exception):
                    model.session.run("no_such_tensor:0")
                model.session.run(model.train)
        data = context.profiler.serialize_to_string()
        profile = tfprof_log_pb2.ProfileProto.FromString(data)
        self.assertEqual(sorted(profile.steps), [1, 3])

    def test_threads(self):
        with ProfileContext(self.folder, range(10), [19]) as context:

            def work():
                for _ in range(5):
                    model.session.run(model.loss)

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(context._step, 20)

    def test_metadata_of_the_caller(self):
        own = v1.RunMetadata()
        options = v1.RunOptions(trace_level=1)
        with ProfileContext(self.folder, [0], [1]):
            for _ in range(2):
                model.session.run(
                    model.train, options=options, run_metadata=own
                )
                self.assertEqual(options.trace_level, 1)
                self.assertTrue(own.step_stats.dev_stats)
                own.Clear()


if __name__ == "__main__":
    unittest.main()
