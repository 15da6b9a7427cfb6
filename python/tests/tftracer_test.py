"""tftracer's and tfvis' Timeline: figures, pages, files, pickles."""

import os
import pickle
import tempfile
import unittest

from tfprof import tfvis
from tfprof._reference.messages import RunMetadata
from tfprof.tftracer import Timeline


def run():
    meta = RunMetadata()
    for name, rows in (
        (
            "/job:a/device:CPU:0",
            [
                ("x", "x = MatMul(a, b)", 100, 10),
                ("y", "y = Add(x, x)", 105, 10),
                ("RecvTensor", "[8B] e from p to q", 130, 20),
                ("RecvTensor", "[8B] f from p to q", 140, 20),
            ],
        ),
        (
            "/job:a/device:GPU:0",
            [("r", "r = HorovodAllreduce(x)", 200, 5)],
        ),
    ):
        device = meta.step_stats.dev_stats.add(device=name)
        for node, label, start, micros in rows:
            device.node_stats.add(
                node_name=node,
                timeline_label=label,
                all_start_micros=start,
                op_end_rel_micros=micros,
                all_end_rel_micros=micros,
            )
    return meta


class Figures(unittest.TestCase):
    def test_spans_and_unions(self):
        timeline = Timeline(run_metadata=run())
        self.assertEqual(timeline.step_time(), 105)
        self.assertEqual(timeline.step_time("CPU"), 60)
        self.assertEqual(timeline.communication_time("CPU"), 30)
        self.assertEqual(timeline.communication_elapsed_time("CPU"), 30)
        self.assertEqual(timeline.communication_time(None, " f from"), 25)
        self.assertEqual(timeline.computation_time(), 15)

    def test_horovod_only(self):
        timeline = tfvis.Timeline(run_metadata=run(), horovod=True)
        self.assertEqual(timeline.communication_time(), 5)
        self.assertEqual(timeline.iteration_time(), 105)

    def test_no_such_device(self):
        self.assertEqual(Timeline(run_metadata=run()).step_time("TPU"), 0)

    def test_without_a_run(self):
        with self.assertRaises(ValueError):
            Timeline().step_time()
        with self.assertRaises(Exception):
            Timeline().kwargs


class Files(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "f")

    def test_files_come_back(self):
        Timeline(run_metadata=run()).to_file(self.path)
        self.assertEqual(Timeline.from_file(self.path).run_metadata, run())

    def test_a_pickle_is_not_executed(self):
        class Evil:
            def __reduce__(self):
                return (os.mkdir, (mark,))

        mark = os.path.join(self._folder.name, "executed")
        with open(self.path, "wb") as file:
            pickle.dump(Evil(), file)
        with self.assertRaises(ValueError):
            Timeline.from_pickle(self.path)
        self.assertFalse(os.path.exists(mark))

    def test_a_pickle_of_ours_comes_back(self):
        Timeline(run_metadata=run()).to_pickle(self.path)
        again = Timeline.from_pickle(self.path, horovod=True)
        self.assertEqual(again.step_time(), 105)
        self.assertEqual(again.communication_time(), 5)

    def test_the_page(self):
        timeline = Timeline(run_metadata=run())
        page = timeline.visualize()
        self.assertIn("<html", page)
        self.assertIsNone(timeline.visualize(self.path, "GPU"))
        with open(self.path, encoding="utf-8") as file:
            self.assertLess(len(file.read()), len(page))
        with self.assertRaises(ValueError):
            timeline.visualize(device_pattern="TPU")


if __name__ == "__main__":
    unittest.main()
