"""tfprof.jax, with JAX."""

import os
import tempfile
import unittest

import jax
import jax.numpy as jnp

import tfprof


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
        self.x = jnp.ones((200, 200))
        self.step(self.x).block_until_ready()

    def test_steps_and_operations(self):
        with tempfile.TemporaryDirectory() as folder:
            with tfprof.jax.trace(folder) as trace:
                for number in range(3):
                    with trace.step(number):
                        self.step(self.x).block_until_ready()
            self.assertEqual(os.listdir(folder), ["plugins"])
            with trace.profile as profile:
                self.assertEqual(profile.steps()["step"], [0, 1, 2])
                micros = {r["name"]: r["self_micros"] for r in profile.op()}
                self.assertGreater(
                    sum(micros.get(n, 0) for n in ("dot", "fusion", "tanh")), 0
                )
            with tfprof.open(folder) as profile:
                self.assertEqual(len(profile.steps()), 3)

    def test_a_second_trace_is_a_warning(self):
        with tfprof.jax.trace() as outer:
            with self.assertLogs("tfprof", "WARNING") as logs:
                with tfprof.jax.trace() as inner:
                    self.step(self.x).block_until_ready()
        self.assertIn("cannot start", logs.output[0])
        self.assertIsNone(inner.profile)
        self.assertGreater(len(outer.profile.op()), 0)

    def test_a_block_that_raises_is_recorded(self):
        trace = tfprof.jax.trace()
        with self.assertRaises(ZeroDivisionError):
            with trace:
                self.step(self.x).block_until_ready()
                1 / 0
        self.assertGreater(len(trace.profile.op()), 0)


if __name__ == "__main__":
    unittest.main()
