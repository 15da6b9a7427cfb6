"""Live tracing of steps of PyTorch."""

import json
import os
import tempfile
import unittest

import torch
from fake_server import TOKEN, FakeServer

from tfprof.tracing import TracingServer


class Steps(unittest.TestCase):
    def test_a_step_is_recorded(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        fake = FakeServer(os.path.join(folder.name, "session"))
        fake.__enter__()
        self.addCleanup(fake.__exit__)
        tracer = TracingServer(
            serve=f"http://127.0.0.1:{fake.port}", token=TOKEN
        )
        self.addCleanup(lambda: tracer._collector.stop())
        x = torch.ones([64, 64])
        step = tracer.step()

        def train():
            with step:
                torch.mm(x, x)

        for _ in range(3):
            train()
        self.assertTrue(tracer.flush(20))
        fake.order(1, "next", row=0, count=2)
        self.assertTrue(tracer.flush(20))
        for _ in range(3):
            train()
            self.assertTrue(tracer.flush(60))
        self.assertEqual([a["count"] for a, _ in fake.traces], [4, 5])
        about, data = fake.traces[0]
        self.assertEqual(about["kind"], "kineto")
        trace = json.loads(data)
        # Without Kineto, PyTorch writes the events alone.
        kineto = torch.autograd.kineto_available()
        events = trace["traceEvents"] if kineto else trace
        self.assertIn("aten::mm", [event.get("name") for event in events])
        self.assertEqual(fake.rows["c1", 0]["runs"], 6)


if __name__ == "__main__":
    unittest.main()
