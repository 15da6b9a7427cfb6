"""Timeline: the trace of a run, what allocators held, inputs and accidents."""

import json
import unittest

import recorded

from tfprof._reference.messages import RunMetadata, StepStats
from tfprof.timeline import Timeline


def run():
    """The worked example of three operations and a kernel."""
    meta = RunMetadata()
    cpu = meta.step_stats.dev_stats.add(
        device="/job:localhost/replica:0/task:0/device:CPU:0"
    )
    for name, label, start, micros, size in (
        ("a", "a = Const()", 1000, 10, 4),
        ("b", "b = Const()", 1005, 20, 8),
        ("c", "c = Add(a, b)", 1030, 5, 8),
    ):
        node = cpu.node_stats.add(
            node_name=name,
            timeline_label=label,
            all_start_micros=start,
            all_end_rel_micros=micros,
        )
        output = node.output.add().tensor_description.allocation_description
        output.requested_bytes = size
        output.allocator_name = "cpu"
    gpu = meta.step_stats.dev_stats.add(device="/device:GPU:0/stream:all")
    gpu.node_stats.add(
        node_name="c:Add",
        timeline_label="kern regs:32",
        all_start_micros=1031,
        all_end_rel_micros=3,
    )
    return meta


class Traces(unittest.TestCase):
    def test_events(self):
        text = Timeline(run().step_stats).generate_chrome_trace_format()
        events = json.loads(text)["traceEvents"]
        rows = [
            (e["name"], e["args"]["name"], e["pid"], e["tid"], e["ts"])
            for e in events
            if e["ph"] == "X"
        ]
        self.assertEqual(
            rows,
            [
                ("Const", "a", 1, 0, 1000),
                ("Const", "b", 1, 1, 1005),
                ("Add", "c", 1, 0, 1030),
                ("Add", "c", 3, 0, 1031),
            ],
        )
        self.assertEqual(
            [e["ph"] for e in events if e["ph"] in "st"], list("st")
        )

    def test_options(self):
        made = Timeline(run().step_stats)
        plain = made.generate_chrome_trace_format(show_dataflow=False)
        self.assertNotIn('"s"', plain)
        memory = made.generate_chrome_trace_format(show_memory=True)
        self.assertIn('"C"', memory)
        gpu = json.loads(made.generate_chrome_trace_format(op_time="gpu"))
        self.assertIn(1031, [e.get("ts") for e in gpu["traceEvents"][5:8]])

    def test_a_second_call_gives_the_same(self):
        made = Timeline(run())
        first = made.generate_chrome_trace_format()
        self.assertEqual(made.generate_chrome_trace_format(), first)

    def test_the_message_stays_as_it_is(self):
        meta = run()
        before = meta.SerializeToString()
        Timeline(meta.step_stats).analyze_step_stats()
        self.assertEqual(meta.SerializeToString(), before)

    def test_inputs_of_all_kinds(self):
        meta = run()
        traces = {
            Timeline(given).generate_chrome_trace_format()
            for given in (
                meta,
                meta.step_stats,
                meta.SerializeToString(),
                meta.step_stats.SerializeToString(),
            )
        }
        self.assertEqual(len(traces), 1)

    def test_an_empty_run(self):
        for given in (StepStats(), RunMetadata(), b""):
            text = Timeline(given).generate_chrome_trace_format()
            self.assertEqual(len(json.loads(text)["traceEvents"]), 1)

    def test_what_is_no_run(self):
        with self.assertRaises(AttributeError):
            Timeline(None).generate_chrome_trace_format()
        with self.assertRaises(ValueError):
            Timeline(b"\xff\xff").generate_chrome_trace_format()


class Analysis(unittest.TestCase):
    def test_maxima(self):
        made = Timeline(run().step_stats).analyze_step_stats()
        self.assertEqual(list(made.allocator_maximums), ["cpu"])
        most = made.allocator_maximums["cpu"]
        self.assertEqual((most.timestamp, most.num_bytes), (1030, 20))
        self.assertEqual(most.tensors, {"a", "b", "c"})

    def test_without_memory(self):
        made = Timeline(run()).analyze_step_stats(show_memory=False)
        self.assertEqual(made.allocator_maximums, {})

    def test_formats(self):
        trace = Timeline(recorded.run_meta()).analyze_step_stats().chrome_trace
        short, long = trace.format_to_string(), trace.format_to_string(True)
        self.assertNotIn("\n", short)
        self.assertEqual(json.loads(short), json.loads(long))


if __name__ == "__main__":
    unittest.main()
