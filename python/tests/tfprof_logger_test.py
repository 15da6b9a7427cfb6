"""Op logs: entries, call stacks, the caller's log, files."""

import os
import tempfile
import unittest

import fake_tensorflow
import recorded

from tfprof._reference.messages import OpLogProto
from tfprof._reference.tensorflow import NotFoundError
from tfprof.tfprof_logger import merge_default_op_log, write_op_log


def entries(log):
    return {entry.name: entry for entry in log.log_entries}


class Merging(unittest.TestCase):
    def setUp(self):
        self.graph = fake_tensorflow.Graph(recorded.graph(), recorded.op_log())

    def test_like_the_recorded_one(self):
        want = entries(OpLogProto.FromString(recorded.op_log()))
        del want["nosuchnode"]  # the graph has none
        got = entries(merge_default_op_log(self.graph))
        self.assertEqual(sorted(got), sorted(want))
        self.assertEqual(got["layer1/MatMul"].float_ops, 3072)
        for name, entry in want.items():
            own = [t for t in entry.types if t == "_trainable_variables"]
            self.assertEqual(list(got[name].types), own, name)
            self.assertEqual(
                [t.lineno for t in got[name].code_def.traces],
                [t.lineno for t in entry.code_def.traces],
            )

    def test_without_traces_only_entries_with_content(self):
        log = merge_default_op_log(self.graph, add_trace=False)
        self.assertEqual(dict(log.id_to_string), {0: "none"})
        for entry in log.log_entries:
            self.assertTrue(entry.float_ops or entry.types)
            self.assertFalse(entry.code_def.traces)

    def test_the_log_of_the_caller_comes_first(self):
        given = OpLogProto()
        name = merge_default_op_log(self.graph).log_entries[0].name
        given.log_entries.add(name="not/there", types=["mine"])
        given.log_entries.add(name=name, float_ops=77)
        before = given.SerializeToString()
        log = merge_default_op_log(self.graph, given)
        self.assertEqual(
            [e.name for e in log.log_entries[:2]], ["not/there", name]
        )
        self.assertEqual(log.log_entries[1].float_ops, 77)
        self.assertTrue(log.log_entries[1].code_def.traces)
        self.assertEqual(given.SerializeToString(), before)
        with self.assertRaises(AttributeError):
            merge_default_op_log(self.graph, {})

    def test_frames_are_shared(self):
        log = merge_default_op_log(self.graph)
        strings = list(log.id_to_string.values())
        self.assertEqual(len(strings), len(set(strings)))
        self.assertEqual(log.id_to_string[0], "none")


class Files(unittest.TestCase):
    def test_of_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            write_op_log(recorded.graph(), folder)
            self.assertEqual(os.listdir(folder), ["tfprof_log"])
            with open(os.path.join(folder, "tfprof_log"), "rb") as file:
                log = OpLogProto.FromString(file.read())
        self.assertGreater(sum(e.float_ops for e in log.log_entries), 0)

    def test_no_such_folder(self):
        with self.assertRaises(NotFoundError) as caught:
            write_op_log(recorded.graph(), "no/such/folder")
        self.assertEqual(
            str(caught.exception),
            "no/such/folder/tfprof_log; No such file or directory",
        )
        with self.assertRaises(TypeError):
            write_op_log(recorded.graph(), None)


if __name__ == "__main__":
    unittest.main()
