"""tfprof.torch, with PyTorch."""

import os
import tempfile
import unittest

import torch

import tfprof


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
        self.x = torch.ones(4, 8)
        self.model(self.x)

    def test_operations_modules_and_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            with tfprof.torch.profile(folder, active=2) as recording:
                for _ in range(3):
                    self.model(self.x).sum().backward()
                    recording.step()
            self.assertEqual(os.listdir(folder), ["trace.json.gz"])
            with recording.profile as profile:
                names = profile.op()["name"]
                self.assertIn("aten::addmm", names)
                if not torch.autograd.kineto_available():
                    # A plain Chrome trace, which has neither.
                    self.assertEqual(len(profile.steps()), 1)
                    return
                self.assertEqual(len(profile.steps()), 2)
                scopes = profile.scope()["name"]
                self.assertTrue(any("Linear_0" in name for name in scopes))

    def test_a_whole_block(self):
        with tfprof.torch.profile(stacks=False) as recording:
            self.model(self.x)
        self.assertIn("aten::addmm", recording.profile.op()["name"])

    def test_a_wrong_argument_is_a_warning(self):
        with self.assertLogs("tfprof", "WARNING") as logs:
            with tfprof.torch.profile(no_such_argument=1) as recording:
                self.model(self.x)
                recording.step()
        self.assertIn("cannot start: TypeError", logs.output[0])
        self.assertIsNone(recording.profile)

    def test_a_file_that_cannot_be_written_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join("no", "trace.json")
            with self.assertLogs("tfprof", "WARNING"):
                with tfprof.torch.profile(folder, name=name) as recording:
                    self.model(self.x)
            self.assertIsNone(recording.profile)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
