"""The messages: defaults, wire form, text, deep and large trees."""

import copy
import pickle
import unittest

from tfprof._reference import messages
from tfprof._reference.messages import (
    AdviceProto,
    GraphNodeProto,
    MultiGraphNodeProto,
    OpLogProto,
    OptionsProto,
    ProfileProto,
    RunMetadata,
)
from tfprof._reference.wire import DecodeError


def chain(depth):
    root = node = GraphNodeProto(name="root")
    for i in range(depth):
        node = node.children.add(name=str(i), exec_micros=i)
    return root


class Fields(unittest.TestCase):
    def test_defaults(self):
        node = GraphNodeProto()
        self.assertEqual(node.name, "")
        self.assertEqual(node.exec_micros, 0)
        self.assertEqual(node.devices, [])
        self.assertEqual(node.input_shapes, {})
        self.assertEqual(node.SerializeToString(), b"")

    def test_reading_a_message_field_does_not_set_it(self):
        node = GraphNodeProto()
        self.assertEqual(node.tensor_value.dtype, 0)
        self.assertFalse(node.HasField("tensor_value"))
        self.assertEqual(node.SerializeToString(), b"")

    def test_writing_in_a_message_field_sets_it(self):
        node = GraphNodeProto()
        node.tensor_value.value_double.append(1.5)
        self.assertTrue(node.HasField("tensor_value"))

    def test_presence_of_a_scalar_is_refused(self):
        with self.assertRaises(ValueError):
            GraphNodeProto().HasField("name")

    def test_unknown_names(self):
        with self.assertRaises(AttributeError):
            GraphNodeProto().no_such_field = 1
        with self.assertRaises(AttributeError):
            GraphNodeProto().no_such_field
        with self.assertRaises(ValueError):
            GraphNodeProto(no_such_field=1)

    def test_types_are_checked(self):
        options = OptionsProto()
        for name, value in (
            ("max_depth", "1"),
            ("max_depth", 1.0),
            ("max_depth", None),
            ("order_by", None),
        ):
            with self.assertRaises(TypeError, msg=name):
                setattr(options, name, value)
        with self.assertRaises(TypeError):
            options.select.append(3)
        with self.assertRaises(ValueError) as caught:
            options.max_depth = 1 << 63
        self.assertIn("Value out of range", str(caught.exception))

    def test_repeated_and_map_fields_are_not_assigned(self):
        with self.assertRaises(AttributeError):
            GraphNodeProto().devices = ["a"]
        with self.assertRaises(AttributeError):
            GraphNodeProto().input_shapes = {}

    def test_maps_make_missing_messages(self):
        advice = AdviceProto()
        advice.checkers["A"].reports.append("r")
        self.assertEqual(
            AdviceProto.FromString(advice.SerializeToString())
            .checkers["A"]
            .reports,
            ["r"],
        )

    def test_list_fields(self):
        node = GraphNodeProto(name="a", run_count=2, devices=["d"])
        self.assertEqual(
            [(f.name, v) for f, v in node.ListFields()],
            [("name", "a"), ("devices", ["d"]), ("run_count", 2)],
        )


class Wire(unittest.TestCase):
    def test_known_bytes(self):
        node = MultiGraphNodeProto(name="_TFProfRoot")
        self.assertEqual(node.SerializeToString(), b"\n\x0b_TFProfRoot")

    def test_all_kinds_of_values_come_back(self):
        node = GraphNodeProto(name="é\n", exec_micros=-1, run_count=1 << 62)
        node.devices.extend(["/cpu:0", ""])
        node.input_shapes[0].dim.add(size=-1)
        node.input_shapes[-5].unknown_rank = True
        node.tensor_value.value_double.extend([0.1, -2.0])
        node.tensor_value.value_str.append("x")
        again = GraphNodeProto.FromString(node.SerializeToString())
        self.assertEqual(again, node)
        self.assertEqual(again.exec_micros, -1)
        self.assertEqual(again.input_shapes[0].dim[0].size, -1)
        self.assertTrue(again.input_shapes[-5].unknown_rank)

    def test_a_map_entry_with_default_values_is_written(self):
        log = OpLogProto()
        log.id_to_string[0] = ""
        self.assertEqual(log.SerializeToString(), b"\x12\x04\x08\x00\x12\x00")

    def test_packed_and_single_numbers_are_the_same(self):
        packed = ProfileProto.FromString(b"\x1a\x02\x01\x05")
        single = ProfileProto.FromString(b"\x18\x01\x18\x05")
        self.assertEqual(packed.steps, [1, 5])
        self.assertEqual(packed, single)

    def test_parts_of_a_message_are_merged(self):
        part = b"\x0a\x00"  # step_stats, empty
        meta = RunMetadata.FromString(part + b"\x0a\x05\x0a\x03\x0a\x01d")
        self.assertEqual(meta.step_stats.dev_stats[0].device, "d")

    def test_unknown_fields_are_kept(self):
        data = b"\n\x01a\xf2\x7f\x03xyz"
        node = GraphNodeProto.FromString(data)
        node.exec_micros = 1
        self.assertEqual(
            node.SerializeToString(), b"\n\x01a\x10\x01\xf2\x7f\x03xyz"
        )

    def test_damaged_bytes_are_refused(self):
        for data in (
            b"\n\x05a",
            b"\x0b",
            b"\n\x01\xff",
            b"\x10" + b"\xff" * 11,
        ):
            with self.assertRaises(DecodeError, msg=data):
                GraphNodeProto.FromString(data)

    def test_damage_is_found_in_deep_levels(self):
        good = GraphNodeProto(name="root")
        good.children.add().children.add(name="x")
        data = good.SerializeToString().replace(b"\x01x", b"\x09x")
        with self.assertRaises(DecodeError):
            GraphNodeProto.FromString(data)

    def test_copies_are_independent(self):
        node = chain(3)
        for again in (copy.deepcopy(node), pickle.loads(pickle.dumps(node))):
            self.assertEqual(again, node)
            again.children[0].name = "other"
            self.assertNotEqual(again, node)


class Trees(unittest.TestCase):
    DEPTH = 100_000

    def test_deep_trees(self):
        root = chain(self.DEPTH)
        data = root.SerializeToString()
        again = GraphNodeProto.FromString(data)
        depths = [depth for depth, unused in messages.walk(again)]
        self.assertEqual(depths, list(range(self.DEPTH + 1)))
        self.assertEqual(again.SerializeToString(), data)
        self.assertTrue(again == root)

    def test_text_of_a_deep_tree(self):
        text = str(chain(2000))
        self.assertEqual(text.count("children {"), 2000)

    def test_what_is_not_looked_at_is_not_read(self):
        root = GraphNodeProto()
        root.children.add(name="first")
        data = root.SerializeToString() + b"\x62\x02\x0a\x50"  # damaged child
        lazy = messages.lazily(GraphNodeProto, data)
        self.assertEqual(lazy.children[0].name, "first")
        self.assertEqual(lazy.SerializeToString(), data)


class Text(unittest.TestCase):
    def test_like_protobuf(self):
        node = GraphNodeProto(name='a"\n', exec_micros=3)
        node.tensor_value.value_double.extend([1, 0.5])
        node.input_shapes[1].dim.add(size=4)
        self.assertEqual(
            str(node),
            'name: "a\\"\\n"\nexec_micros: 3\n'
            "tensor_value {\n  value_double: 1\n  value_double: 0.5\n}\n"
            "input_shapes {\n  key: 1\n  value {\n    dim {\n      size: 4\n"
            "    }\n  }\n}\n",
        )


if __name__ == "__main__":
    unittest.main()
