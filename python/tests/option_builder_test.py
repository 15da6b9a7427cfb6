"""ProfileOptionBuilder: presets, modifiers, and that nothing is shared."""

import unittest

from tfprof.option_builder import ProfileOptionBuilder as Builder


class Presets(unittest.TestCase):
    def test_blank(self):
        options = Builder().build()
        self.assertEqual(options["max_depth"], 100)
        self.assertFalse(options["account_displayed_op_only"])
        self.assertEqual(options["select"], ["micros"])
        self.assertNotIn("min_peak_bytes", options)

    def test_parameters(self):
        options = Builder.trainable_variables_parameter()
        self.assertEqual(
            options["account_type_regexes"], ["_trainable_variables"]
        )
        self.assertEqual(options["select"], ["params"])

    def test_float_operations(self):
        options = Builder.float_operation()
        self.assertEqual(options["min_float_ops"], 1)
        self.assertEqual(options["order_by"], "float_ops")

    def test_time_and_memory(self):
        options = Builder.time_and_memory(min_micros=7, min_peak_bytes=3)
        self.assertEqual(options["min_micros"], 7)
        self.assertEqual(options["min_bytes"], 1)
        self.assertEqual(options["min_peak_bytes"], 3)
        with self.assertRaises(TypeError):
            Builder.time_and_memory(min_milliseconds=1)


class Modifiers(unittest.TestCase):
    def test_every_modifier_returns_the_builder(self):
        builder = Builder()
        for call in (
            lambda: builder.with_max_depth(3),
            lambda: builder.with_min_memory(1, 2, 3, 4),
            lambda: builder.with_min_execution_time(5, 6, 7),
            lambda: builder.with_min_parameters(8),
            lambda: builder.with_min_occurrence(9),
            lambda: builder.with_min_float_operations(10),
            lambda: builder.with_accounted_types(["A"]),
            lambda: builder.with_node_names(["s"], ["w"], ["h"], ["t"]),
            lambda: builder.account_displayed_op_only(True),
            lambda: builder.order_by("bytes"),
            lambda: builder.select(["bytes"]),
            lambda: builder.with_step(11),
            lambda: builder.with_empty_output(),
        ):
            self.assertIs(call(), builder)
        options = builder.build()
        self.assertEqual(options["min_residual_bytes"], 3)
        self.assertEqual(options["min_cpu_micros"], 7)
        self.assertEqual(options["trim_name_regexes"], ["t"])
        self.assertEqual(options["step"], 11)

    def test_what_is_not_given_is_reset_or_kept(self):
        builder = Builder(Builder.time_and_memory()).with_min_memory(
            min_peak_bytes=5
        )
        self.assertEqual(builder.build()["min_bytes"], 0)
        builder.with_node_names(show_name_regexes=["x"])
        self.assertEqual(builder.build()["start_name_regexes"], [".*"])
        self.assertEqual(builder.build()["show_name_regexes"], ["x"])

    def test_outputs(self):
        for call, output in (
            (lambda b: b.with_empty_output(), "none"),
            (lambda b: b.with_stdout_output(), "stdout"),
            (lambda b: b.with_file_output("a,b"), "file:outfile=a,b"),
            (lambda b: b.with_timeline_output("t"), "timeline:outfile=t"),
            (lambda b: b.with_pprof_output("p"), "pprof:outfile=p"),
        ):
            self.assertEqual(call(Builder()).build()["output"], output)


class Copies(unittest.TestCase):
    def test_nothing_is_shared(self):
        given = {"select": ["bytes"]}
        builder = Builder(given)
        given["select"].append("micros")
        first = builder.build()
        self.assertEqual(first["select"], ["bytes"])
        first["select"].append("params")
        self.assertEqual(builder.build()["select"], ["bytes"])
        chosen = ["micros"]
        builder.select(chosen)
        chosen.append("params")
        self.assertEqual(builder.build()["select"], ["micros"])
        Builder.trainable_variables_parameter()["select"].append("x")
        self.assertEqual(
            Builder.trainable_variables_parameter()["select"], ["params"]
        )


if __name__ == "__main__":
    unittest.main()
