"""ProfileContext with a stand-in for TensorFlow's session."""

import os
import tempfile
import unittest

import fake_tensorflow
import recorded

from tfprof._reference.messages import ProfileProto
from tfprof._reference.tensorflow import InternalError
from tfprof.option_builder import ProfileOptionBuilder
from tfprof.profile_context import ProfileContext

OPTIONS = dict(ProfileOptionBuilder.time_and_memory(), output="none")


class Contexts(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = os.path.join(made.name, "a", "b")
        self.traced, self.run_raises = [], False
        graph = fake_tensorflow.Graph(recorded.graph(), recorded.op_log())
        patched = fake_tensorflow.modules(graph, self.answer)
        self.tf = patched.__enter__()
        self.addCleanup(patched.__exit__, None, None, None)
        self.session = self.tf.BaseSession()

    def answer(self, session, fetches, options, run_metadata):
        if fetches == "raise":
            raise ValueError("run")
        full = options is not None and options.trace_level == 3
        self.traced.append(full)
        if full:
            run_metadata.ParseFromString(recorded.run_meta())
        return fetches

    def run_all(self, count):
        for _ in range(count):
            self.session.run(fake_tensorflow.Tensor("y:0"))

    def steps(self):
        return [i for i, traced in enumerate(self.traced) if traced]

    def test_listed_steps(self):
        with ProfileContext(self.folder, [1, 3], [2, 4]) as context:
            self.run_all(6)
            self.assertEqual(
                context.profiler.profile_operations(OPTIONS).name,
                "_TFProfRoot",
            )
        self.assertEqual(self.steps(), [1, 3])
        self.assertEqual(
            sorted(os.listdir(self.folder)), ["profile_2", "profile_4"]
        )
        with open(os.path.join(self.folder, "profile_4"), "rb") as file:
            profile = ProfileProto.FromString(file.read())
        self.assertEqual(sorted(profile.steps), [1, 3])

    def test_chosen_steps(self):
        with ProfileContext(self.folder, dump_steps=[]):
            self.run_all(20)
        self.assertEqual(self.steps()[:1], [11])

    def test_requests_hold_for_one_run(self):
        with ProfileContext(self.folder, [], []) as context:
            self.run_all(1)
            context.trace_next_step()
            context.dump_next_step()
            self.run_all(2)
        self.assertEqual(self.steps(), [1])
        self.assertEqual(os.listdir(self.folder), ["profile_1"])

    def test_profiles_of_steps(self):
        with ProfileContext(self.folder, [], []) as context:
            context.add_auto_profiling("op", OPTIONS, [0, 2])
            self.run_all(3)
        self.assertEqual(sorted(context.get_profiles("op")), [0, 2])
        self.assertGreater(context.get_profiles("op")[2].total_exec_micros, 0)
        with self.assertRaises(ValueError):
            context.get_profiles("scope")

    def test_disabled(self):
        run = self.tf.BaseSession.run
        with ProfileContext("", enabled=False) as context:
            context.trace_next_step()
            context.dump_next_step()
            context.add_auto_profiling("op", OPTIONS, [0])
            self.assertIs(self.tf.BaseSession.run, run)
            self.run_all(1)
        self.assertEqual(self.steps(), [])
        self.assertIsNone(context.profiler)

    def test_a_run_that_raises_ends_nothing(self):
        with ProfileContext(self.folder, [0, 1, 2], []):
            for _ in range(2):
                with self.assertRaises(ValueError):
                    self.session.run("raise")
                self.run_all(1)
        self.assertEqual(len(self.steps()), 1)

    def test_a_full_disk_does_not_end_training(self):
        with ProfileContext("/dev/null/x", [0], [0, 1]):
            with self.assertWarns(RuntimeWarning):
                self.run_all(1)
            self.run_all(1)
        self.assertEqual(self.traced, [True, False])

    def test_two_at_once(self):
        with self.assertRaises(InternalError):
            with ProfileContext(self.folder), ProfileContext(self.folder):
                pass
        with ProfileContext(self.folder):
            pass

    def test_trace_level_and_metadata_of_the_caller(self):
        options = self.tf.RunOptions(1)
        with ProfileContext(self.folder, [0], []):
            self.session.run("x", options=options)
        self.assertEqual(options.trace_level, 1)
        self.assertEqual(self.steps(), [0])

    def test_arguments(self):
        for args, kind in (
            (("",), ValueError),
            (("d", range(101)), ValueError),
            (("d", {1}), TypeError),
        ):
            with self.assertRaises(kind):
                ProfileContext(*args)


if __name__ == "__main__":
    unittest.main()
