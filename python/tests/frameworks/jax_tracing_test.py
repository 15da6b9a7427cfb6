"""Live tracing of steps of JAX."""

import os
import tempfile
import unittest

import jax
import jax.numpy as jnp
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
        double = jax.jit(lambda x: x @ x)
        x = jnp.ones([64, 64])

        def train(number):
            with tracer.step(number):
                double(x).block_until_ready()

        for number in range(3):
            train(number)
        self.assertTrue(tracer.flush(20))
        fake.order(1, "steps", row=0, steps=[4])
        self.assertTrue(tracer.flush(20))
        for number in range(3, 6):
            train(number)
        self.assertTrue(tracer.flush(20))
        ((about, data),) = fake.traces
        self.assertEqual((about["step"], about["kind"]), (4, "xspace"))
        self.assertIn(b"PjitFunction", data)
        self.assertEqual(fake.rows["c1", 0]["runs"], 6)
        self.assertTrue(
            any(
                client["framework"].startswith("JAX ")
                for client in fake.clients.values()
            )
        )


if __name__ == "__main__":
    unittest.main()
