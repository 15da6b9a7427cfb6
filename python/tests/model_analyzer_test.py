"""profile, advise, Profiler: results, inputs of all kinds, and accidents."""

import gc
import os
import signal
import tempfile
import threading
import unittest

import fake_tensorflow
import recorded

from tfprof import _pywrap_tfprof, model_analyzer
from tfprof._engine.engine import EngineError
from tfprof._reference import messages as _messages
from tfprof._reference.tensorflow import InvalidArgumentError, NotFoundError
from tfprof.model_analyzer import Profiler, advise, profile
from tfprof.option_builder import ProfileOptionBuilder as Builder

QUIET = Builder(Builder.time_and_memory(0, 0)).with_empty_output().build()


def shown(**changes):
    return dict(Builder.time_and_memory(0, 0), **changes)


class Options(unittest.TestCase):
    def test_missing_keys(self):
        message = model_analyzer.option_message({})
        self.assertEqual(message.max_depth, 10)
        self.assertEqual(message.step, -1)
        self.assertEqual(message.order_by, "name")
        self.assertEqual(message.output, "stdout")
        self.assertEqual(message.select, [])

    def test_wrong_types(self):
        with self.assertRaises(TypeError):
            profile(recorded.graph(), options={"max_depth": "3"})
        with self.assertRaises(AttributeError):
            profile(recorded.graph(), options=None)

    def test_unknown_command(self):
        with self.assertRaises(InvalidArgumentError) as caught:
            profile(recorded.graph(), cmd="python")
        self.assertEqual(str(caught.exception), "unknown cmd: python\n")


class Profile(unittest.TestCase):
    def test_types_and_figures(self):
        for cmd, kind in (
            ("scope", _messages.GraphNodeProto),
            ("graph", _messages.GraphNodeProto),
            ("op", _messages.MultiGraphNodeProto),
            ("code", _messages.MultiGraphNodeProto),
        ):
            root = profile(
                recorded.graph(),
                recorded.run_meta(),
                recorded.op_log(),
                cmd,
                QUIET,
            )
            self.assertIs(type(root), kind)
            self.assertEqual(root.name, "_TFProfRoot")
            if cmd != "code":  # some nodes have no line of code
                self.assertEqual(root.total_exec_micros, recorded.MICROS)

    def test_printed_report(self):
        with recorded.Stdout() as printed:
            profile(recorded.graph(), recorded.run_meta(), options=shown())
        lines = printed.text.split("\n")
        self.assertEqual(
            lines[1],
            "=========================Options=============================",
        )
        self.assertIn("-max_depth                  10000", lines)
        self.assertIn("-select                     bytes,micros", lines)
        self.assertIn(
            "==================Model Analysis Report======================",
            lines,
        )
        self.assertEqual(
            lines[-2],
            "======================End of Report==========================",
        )

    def test_inputs_of_all_kinds_are_the_same(self):
        live = fake_tensorflow.Graph(recorded.graph())
        message = _messages.RunMetadata.FromString(recorded.run_meta())
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, data in (
                ("graph", recorded.graph()),
                ("a,b", recorded.run_meta()),
            ):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "wb") as file:
                    file.write(data)
            trees = [
                profile(graph, meta, options=QUIET)
                for graph, meta in (
                    (recorded.graph(), recorded.run_meta()),
                    (live, message),
                    tuple(paths),
                )
            ]
        self.assertEqual(trees[0], trees[1])
        self.assertEqual(trees[0], trees[2])
        self.assertEqual(trees[0].total_exec_micros, recorded.MICROS)

    def test_flops_of_bytes_are_computed(self):
        root = profile(recorded.graph(), options=dict(QUIET, min_float_ops=1))
        self.assertGreater(root.total_float_ops, 0)

    def test_no_graph(self):
        with recorded.Stdout() as printed:
            root = profile(options=shown())
        self.assertEqual(root.total_exec_micros, 0)
        self.assertIn("_TFProfRoot", printed.text)

    def test_files_are_relative_to_the_current_folder(self):
        with recorded.Folder() as folder, Profiling() as profiler:
            profiler.profile_name_scope(QUIET)  # starts the program
            inner = os.path.join(folder, "inner")
            os.mkdir(inner)
            os.chdir(inner)
            profiler.profile_name_scope(shown(output="file:outfile=x"))
            self.assertEqual(os.listdir(inner), ["x"])

    def test_a_step_that_is_not_there(self):
        with recorded.Stderr() as said, recorded.Stdout():
            root = profile(
                recorded.graph(), recorded.run_meta(), options=shown(step=9)
            )
        self.assertEqual(root.SerializeToString(), b"")
        self.assertEqual(
            said.text, "Options -step=9 not found.\nAvailable steps: 0 \n"
        )

    def test_damaged_run_metadata(self):
        with self.assertRaises(Exception) as caught:
            with Profiling() as profiler:
                profiler.add_step(1, b"\xff\xff\xff")
        self.assertNotIsInstance(caught.exception, EngineError)


class Profiling:
    """A profiler with the recorded run as step 1."""

    def __enter__(self):
        self.profiler = Profiler(recorded.graph(), recorded.op_log())
        self.profiler.add_step(1, recorded.run_meta())
        return self.profiler

    def __exit__(self, *unused):
        self.profiler.close()


class Profilers(unittest.TestCase):
    def test_steps_of_one_number_are_one(self):
        with Profiling() as profiler:
            before = profiler.profile_operations(QUIET).total_exec_micros
            profiler.add_step(1, recorded.run_meta())
            after = profiler.profile_operations(QUIET).total_exec_micros
        self.assertEqual(before, recorded.MICROS)
        self.assertEqual(after, 2 * recorded.MICROS)

    def test_coverage(self):
        with Profiling() as profiler:
            self.assertGreater(profiler._coverage, 0)
            self.assertLessEqual(profiler._coverage, 1)

    def test_all_views_and_advice(self):
        with Profiling() as profiler, recorded.Stdout() as printed:
            profiler.profile_python(QUIET)
            profiler.profile_graph(QUIET)
            advice = profiler.advise(model_analyzer.ALL_ADVICE)
        self.assertIn("ExpensiveOperationChecker", advice.checkers)
        self.assertIn("ExpensiveOperationChecker:", printed.text)

    def test_a_saved_profile_shows_the_same(self):
        with Profiling() as profiler, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p")
            profiler._write_profile(path)
            with recorded.Stdout() as live:
                profiler.profile_name_scope(shown())
            saved = Profiler.from_file(path)
            with recorded.Stdout() as again:
                saved.profile_name_scope(shown())
            saved.close()
        self.assertEqual(again.text, live.text)

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(NotFoundError):
            Profiler.from_file("/no/such/file")

    def test_two_at_once(self):
        with Profiling() as first:
            second = Profiler(recorded.graph())
            self.assertEqual(second.profile_graph(QUIET).total_exec_micros, 0)
            del second
            gc.collect()
            self.assertEqual(
                first.profile_graph(QUIET).total_exec_micros, recorded.MICROS
            )

    def test_a_closed_one_starts_again(self):
        with Profiling() as profiler:
            profiler.close()
            root = profiler.profile_operations(QUIET)
        self.assertEqual(root.total_exec_micros, recorded.MICROS)

    def test_an_empty_run(self):
        with Profiling() as profiler:
            profiler.add_step(2, _messages.RunMetadata())
            root = profiler.profile_operations(QUIET)
        self.assertEqual(root.total_exec_micros, recorded.MICROS)

    def test_no_rows_of_code(self):
        with Profiling() as profiler, recorded.Stdout():
            for changes in (
                {"max_depth": 0},
                {"max_depth": -1},
                {"trim_name_regexes": [".*"]},
            ):
                profiler.profile_python(shown(**changes))

    def test_the_graph_grows(self):
        graph = fake_tensorflow.Graph(recorded.graph(), recorded.op_log())
        profiler = Profiler(graph)
        self.addCleanup(profiler.close)
        profiler.add_step(0, recorded.run_meta())
        graph.add("late/node", "NoOp")
        profiler.add_step(1, recorded.run_meta())
        names = [
            node.name
            for _, node in _messages.walk(profiler.profile_name_scope(QUIET))
        ]
        self.assertIn("late/node", names)

    def test_a_killed_program_starts_again_with_all_steps(self):
        with Profiling() as profiler:
            profiler.profile_operations(QUIET)
            child = profiler._session._engine._child.process
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            with self.assertRaises(EngineError) as caught:
                profiler.profile_operations(QUIET)
            self.assertIn("SIGKILL", str(caught.exception))
            root = profiler.profile_operations(QUIET)
        self.assertEqual(root.total_exec_micros, recorded.MICROS)

    def test_a_forked_process_has_its_own_program(self):
        with Profiling() as profiler:
            profiler.profile_operations(QUIET)
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    root = profiler.profile_operations(QUIET)
                    status = root.total_exec_micros != recorded.MICROS
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
            root = profiler.profile_operations(QUIET)
        self.assertEqual(root.total_exec_micros, recorded.MICROS)

    def test_many_threads(self):
        found = []
        with Profiling() as profiler:

            def ask(number):
                view = (
                    profiler.profile_operations
                    if number % 2
                    else profiler.profile_name_scope
                )
                found.append(view(QUIET).total_exec_micros)

            threads = [
                threading.Thread(target=ask, args=(i,)) for i in range(20)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(found, [recorded.MICROS] * 20)


class Advice(unittest.TestCase):
    def test_chosen_checkers(self):
        with recorded.Stdout():
            advice = advise(
                recorded.graph(),
                recorded.run_meta(),
                {"OperationChecker": {}},
            )
        self.assertEqual(list(advice.checkers), ["OperationChecker"])

    def test_no_checker(self):
        with recorded.Stdout() as printed:
            advice = advise(recorded.graph(), options={"NoSuchChecker": {}})
        self.assertEqual(advice.SerializeToString(), b"")
        self.assertEqual(printed.text, "")


class Pywrap(unittest.TestCase):
    def test_its_one_profiler_gives_what_a_profiler_gives(self):
        options = model_analyzer.option_message(QUIET).SerializeToString()
        with self.assertRaisesRegex(RuntimeError, "NewProfiler makes one"):
            _pywrap_tfprof.Profile("op", options)
        self.assertTrue(
            _pywrap_tfprof.NewProfiler(recorded.graph(), recorded.op_log())
        )
        self.addCleanup(_pywrap_tfprof.DeleteProfiler)
        coverage = _pywrap_tfprof.AddStep(0, b"", recorded.run_meta(), b"")
        profiler = Profiler(recorded.graph(), recorded.op_log())
        self.addCleanup(profiler.close)
        profiler.add_step(0, recorded.run_meta())
        self.assertGreater(coverage, 0)
        self.assertEqual(coverage, profiler._coverage)
        self.assertEqual(
            _pywrap_tfprof.Profile("op", options),
            profiler.profile_operations(QUIET).SerializeToString(),
        )
        self.assertEqual(
            _pywrap_tfprof.SerializeToString(), profiler.serialize_to_string()
        )


if __name__ == "__main__":
    unittest.main()
