"""Profile.events: each execution as a row, and the links between them."""

import json
import os
import tempfile
import unittest
from unittest import mock

from answer_test import missing
from places import RESNET, RUNS

import tfprof

STEP_MICROS = 1000


def trace(calls=1):
    """A Kineto trace whose calls launch a kernel each."""
    events = []

    def add(name, category, start, duration, **more):
        events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": 1,
                "tid": 1,
                "ts": start,
                "dur": duration,
                **more,
            }
        )

    for i in range(calls):
        at = i * STEP_MICROS
        link = {"correlation": i + 1, "External id": i + 1}
        add("aten::linear", "cpu_op", at, 100, args={"External id": i})
        add("aten::mm", "cpu_op", at + 10, 50, args={"External id": i + 1})
        add("cudaLaunchKernel", "cuda_runtime", at + 20, 5, args=link)
        add(
            f"gemm_{i % 3}",
            "kernel",
            at + 200,
            400,
            pid=0,
            tid=7,
            args={**link, "device": 0, "stream": 7},
        )
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


class EventsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tfprof.open(trace(3))
        cls.addClassCleanup(cls.profile.close)
        cls.events = cls.profile.events()

    def named(self, name):
        return [event for event in self.events if event.name == name]

    def test_a_row_for_each_execution(self):
        self.assertEqual(len(self.events), 12)
        kernel = self.named("gemm_1")[0]
        self.assertEqual(kernel.op, "aten::mm")
        self.assertEqual(kernel.kind, "kernels")
        self.assertEqual(kernel.device, "gpu:0")
        self.assertEqual(kernel.lane, "stream 7")
        self.assertEqual(kernel.duration_nanos, 400_000)
        self.assertEqual(kernel.self_nanos, 400_000)
        self.assertIs(kernel.repeated, False)
        # The second call of the trace, which begins with its first event.
        self.assertEqual(kernel.start_nanos, 1_200_000)

    def test_relations_are_rows(self):
        kernel = self.named("gemm_2")[0]
        launch = self.events.with_id(kernel.launched_by)
        self.assertEqual(launch.name, "cudaLaunchKernel")
        mm = self.events.with_id(launch.parent)
        self.assertEqual(mm.name, "aten::mm")
        linear = self.events.with_id(mm.parent)
        self.assertEqual(linear.name, "aten::linear")
        self.assertIsNone(self.events.with_id(linear.parent))
        self.assertIsNone(self.events.with_id(10_000))
        self.assertIn(
            tfprof.Link("launch", launch.id, kernel.id), self.events.links[:]
        )
        self.assertEqual(len(self.events.links), 3)

    def test_the_sum_is_that_of_op(self):
        for profile in (self.profile, tfprof.open(RESNET)):
            micros = {}
            for event in profile.events():
                if event.op is not None:
                    nanos = micros.get(event.op, 0) + event.self_nanos
                    micros[event.op] = nanos
            for row in profile.op(select="micros", step="all"):
                self.assertEqual(
                    micros.get(row["name"], 0), 1000 * row["self_micros"]
                )
        profile.close()

    def test_rows_columns_and_slices(self):
        events = self.events
        self.assertIsInstance(events[0], tfprof.Event)
        self.assertEqual(events[-1], events[len(events) - 1])
        self.assertEqual(events[2:4], [events[2], events[3]])
        self.assertEqual(events[::-1], list(reversed(list(events))))
        self.assertEqual(events[5:2], [])
        self.assertEqual(events["id"], list(range(12)))
        self.assertEqual(events["parent"], [e.parent for e in events])
        with self.assertRaises(IndexError):
            events[12]
        with self.assertRaisesRegex(KeyError, "start_nanos"):
            events["start"]
        self.assertEqual(
            repr(events), "<tfprof.Events: 12 executions, 3 links>"
        )
        self.assertEqual(
            [c.name for c in events.columns], list(tfprof.Event._fields)
        )

    def test_a_step_has_its_rows(self):
        with tfprof.open(RUNS / "before") as profile:
            everything = profile.events()
            step = max(e.step for e in everything)
            some = profile.events(step=step)
            self.assertEqual(some[:], [e for e in everything if e.step == step])
            self.assertEqual(some.with_id(some[3].id), some[3])
            self.assertIsNone(some.with_id(everything[0].id))
            with self.assertRaisesRegex(tfprof.Error, "step"):
                profile.events(step=12345)

    def test_more_rows_than_the_program_sends_at_once(self):
        calls = 20_000
        with tfprof.open(trace(calls)) as profile:
            events = profile.events()
            self.assertEqual(len(events), 4 * calls)
            self.assertEqual(
                sum(e.duration_nanos for e in events if e.kind == "kernels"),
                calls * 400_000,
            )
            launched = events["launched_by"]
            self.assertEqual(len(launched) - launched.count(None), calls)
            page = events._repr_html_()
            self.assertIn("79,980 more rows", page)

    def test_rows_stay_in_a_file_without_a_name(self):
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(tempfile, "tempdir", folder),
        ):
            with tfprof.open(trace(3)) as profile:
                events = profile.events()
                self.assertEqual(os.listdir(folder), [])
            # They are there when the profile and its program have gone.
            self.assertEqual(len(events["name"]), 12)
            self.assertEqual(events[-1].id, 11)

    def test_a_damaged_file_has_the_events_before_the_damage(self):
        whole = trace(3)
        cut = whole[: whole.rindex(b'{"ph"')]
        with self.assertWarns(tfprof.ProfileWarning):
            with tfprof.open(cut) as profile:
                self.assertEqual(len(profile.events()), 11)

    def test_a_profile_without_executions(self):
        with tfprof.open(
            RESNET.parent.parent / "input_pipeline" / "graph.pb"
        ) as profile:
            self.assertEqual(len(profile.events()), 0)
            self.assertEqual(profile.events()[:], [])
            self.assertIn("<table", profile.events()._repr_html_())

    @unittest.skipIf(missing("pandas"), "needs pandas")
    def test_pandas(self):
        import pandas

        frame = self.events.to_pandas()
        self.assertEqual(list(frame.columns), list(tfprof.Event._fields))
        self.assertEqual(str(frame["start_nanos"].dtype), "int64")
        self.assertEqual(str(frame["parent"].dtype), "Int64")
        self.assertEqual(str(frame["repeated"].dtype), "bool")
        self.assertEqual(frame.attrs["units"]["kind"], "text")
        for row, event in zip(frame.to_dict("records"), self.events):
            self.assertEqual(row["name"], event.name)
            for name in ("start_nanos", "launched_by"):
                value = row[name]
                self.assertEqual(
                    None if value is pandas.NA else value,
                    getattr(event, name),
                )

    @unittest.skipIf(missing("pyarrow"), "needs pyarrow")
    def test_arrow(self):
        table = self.events.to_arrow()
        for name in tfprof.Event._fields:
            self.assertEqual(table[name].to_pylist(), self.events[name])
        self.assertEqual(
            self.events.links.to_arrow()["to_id"].to_pylist(),
            self.events.links["to_id"],
        )

    @unittest.skipIf(missing("polars") or missing("pyarrow"), "needs polars")
    def test_polars(self):
        frame = self.events.to_polars()
        self.assertEqual(frame["kind"].to_list(), self.events["kind"])
        self.assertEqual(
            self.profile.op().to_polars()["name"].to_list(),
            self.profile.op()["name"],
        )


if __name__ == "__main__":
    unittest.main()
