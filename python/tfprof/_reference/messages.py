"""The reference's messages: results of profiles, op logs, step statistics.

The classes have the names and the fields of TensorFlow's messages and are
used like those: defaults, repeated fields, maps, HasField, ListFields,
FromString, SerializeToString, ==, str(). They need neither TensorFlow nor
protobuf, so they live beside both in one process.

`_TABLE` describes every message, as a .proto file would; the classes are made
of it. A message that was read is a span of bytes until a field is asked for
(see _wire.py), so trees may be deep and large. Fields that the table does not
have are kept and written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from tfprof._reference import wire as _wire
from tfprof._reference.containers import Field, MapField
from tfprof._reference.text_format import text
from tfprof._reference.wire import DecodeError

_COSTS = """
int64 exec_micros 2; int64 requested_bytes 3; int64 parameters 4
int64 total_exec_micros 6; int64 total_requested_bytes 7
int64 total_parameters 8
"""

_TABLE: dict[str, str] = {
    "TensorShapeProto.Dim": "int64 size 1; string name 2",
    "TensorShapeProto": """
        repeated TensorShapeProto.Dim dim 2; bool unknown_rank 3""",
    "TFProfTensorProto": """
        enum dtype 1; repeated double value_double 2
        repeated int64 value_int64 3; repeated string value_str 4""",
    "GraphNodeProto": _COSTS
    + """
        string name 1; TFProfTensorProto tensor_value 15; int64 run_count 21
        int64 accelerator_exec_micros 17; int64 cpu_exec_micros 18
        int64 peak_bytes 24; int64 residual_bytes 25; int64 output_bytes 26
        int64 float_ops 13; repeated string devices 10
        int64 total_definition_count 23; int64 total_run_count 22
        int64 total_accelerator_exec_micros 19
        int64 total_cpu_exec_micros 20; int64 total_peak_bytes 27
        int64 total_residual_bytes 28; int64 total_output_bytes 29
        int64 total_float_ops 14; repeated TensorShapeProto shapes 11
        map<int32,TensorShapeProto> input_shapes 16
        repeated GraphNodeProto children 12""",
    "MultiGraphNodeProto": _COSTS
    + """
        string name 1; int64 accelerator_exec_micros 12
        int64 cpu_exec_micros 13; int64 peak_bytes 16
        int64 residual_bytes 17; int64 output_bytes 18; int64 float_ops 5
        int64 total_accelerator_exec_micros 14
        int64 total_cpu_exec_micros 15; int64 total_peak_bytes 19
        int64 total_residual_bytes 20; int64 total_output_bytes 21
        int64 total_float_ops 9; repeated GraphNodeProto graph_nodes 10
        repeated MultiGraphNodeProto children 11""",
    "AdviceProto.Checker": "repeated string reports 2",
    "AdviceProto": "map<string,AdviceProto.Checker> checkers 1",
    "CodeDef.Trace": """
        string file 1; int32 lineno 2; string function 3; string line 4
        int32 func_start_line 5; int64 file_id 6; int64 function_id 7
        int64 line_id 8""",
    "CodeDef": "repeated CodeDef.Trace traces 1",
    "OpLogEntry": """
        string name 1; int64 float_ops 2; repeated string types 3
        CodeDef code_def 4""",
    "OpLogProto": """
        repeated OpLogEntry log_entries 1; map<int64,string> id_to_string 2""",
    "Tuple": "repeated int64 int64_values 1",
    "ExecTime": "repeated Tuple times 1",
    "Memory": "int64 bytes 1; uint64 ptr 2",
    "ExecMemory": """
        int64 memory_micros 1; int64 host_temp_bytes 2
        int64 host_persistent_bytes 3; int64 accelerator_temp_bytes 4
        int64 accelerator_persistent_bytes 5; int64 requested_bytes 6
        int64 peak_bytes 7; int64 residual_bytes 8; int64 output_bytes 9
        int64 allocator_bytes_in_use 10; map<int32,Memory> output_memory 11""",
    "AllocationRecord": "int64 alloc_micros 1; int64 alloc_bytes 2",
    "ExecProfile": """
        int64 run_count 1; int64 all_start_micros 2
        int64 latest_end_micros 3; map<string,ExecTime> accelerator_execs 4
        map<string,ExecTime> cpu_execs 5; repeated string devices 6
        repeated ExecMemory memory_execs 7
        repeated AllocationRecord allocations 11""",
    "ProfileNode": """
        string name 1; map<int32,int64> inputs 2; map<int32,int64> outputs 3
        repeated int64 shape 4; repeated string op_types 5
        string canonical_device 6; string host_device 7; int64 float_ops 8
        string op 9; CodeDef trace 10; map<int64,ExecProfile> execs 12
        int64 id 13; map<int64,int32> src_output_index 14
        map<int32,Tuple> output_shapes 15; map<int32,Tuple> input_shapes 16""",
    "ProfileProto": """
        map<int64,ProfileNode> nodes 1; bool has_trace 2
        repeated int64 steps 3; map<int64,string> id_to_string 4
        bool miss_accelerator_stream 5""",
    "OptionsProto": """
        int64 max_depth 1; int64 min_bytes 2; int64 min_micros 3
        int64 min_params 4; int64 min_float_ops 5; string order_by 7
        repeated string account_type_regexes 8
        repeated string start_name_regexes 9
        repeated string trim_name_regexes 10
        repeated string show_name_regexes 11
        repeated string hide_name_regexes 12
        bool account_displayed_op_only 13; repeated string select 14
        string output 15; string dump_to_file 16; int64 min_occurrence 17
        int64 step 18; int64 min_peak_bytes 19; int64 min_residual_bytes 20
        int64 min_output_bytes 21; int64 min_accelerator_micros 22
        int64 min_cpu_micros 23""",
    "AdvisorOptionsProto.CheckerOption": "map<string,string> options 1",
    "AdvisorOptionsProto": """
        map<string,AdvisorOptionsProto.CheckerOption> checkers 1""",
    "AllocationDescription": """
        int64 requested_bytes 1; int64 allocated_bytes 2
        string allocator_name 3; int64 allocation_id 4
        bool has_single_reference 5; uint64 ptr 6""",
    "TensorDescription": """
        enum dtype 1; TensorShapeProto shape 2
        AllocationDescription allocation_description 4""",
    "AllocatorMemoryUsed": """
        string allocator_name 1; int64 total_bytes 2; int64 peak_bytes 3
        int64 live_bytes 4; int64 allocator_bytes_in_use 5
        repeated AllocationRecord allocation_records 6""",
    "NodeOutput": "int32 slot 1; TensorDescription tensor_description 3",
    "MemoryStats": """
        int64 temp_memory_size 1; int64 device_temp_memory_size 2
        int64 persistent_memory_size 3
        int64 device_persistent_memory_size 4
        repeated int64 persistent_tensor_alloc_ids 5
        repeated int64 device_persistent_tensor_alloc_ids 6""",
    "NodeExecStats": """
        string node_name 1; int64 all_start_micros 2
        int64 op_start_rel_micros 3; int64 op_end_rel_micros 4
        int64 all_end_rel_micros 5; repeated AllocatorMemoryUsed memory 6
        repeated NodeOutput output 7; string timeline_label 8
        int64 scheduled_micros 9; uint32 thread_id 10
        repeated AllocationDescription referenced_tensor 11
        MemoryStats memory_stats 12; int64 all_start_nanos 13
        int64 op_start_rel_nanos 14; int64 op_end_rel_nanos 15
        int64 all_end_rel_nanos 16; int64 scheduled_nanos 17""",
    "DeviceStepStats": """
        string device 1; repeated NodeExecStats node_stats 2
        map<uint32,string> thread_names 3""",
    "StepStats": "repeated DeviceStepStats dev_stats 1",
    "RunMetadata": "StepStats step_stats 1",
    "NodeDef": """
        string name 1; string op 2; repeated string input 3
        string device 4""",
    "GraphDef": "repeated NodeDef node 1",
}


_Self = TypeVar("_Self", bound="Message")


class Message:
    """The base of all messages; each field is an attribute.

    State is the instance dictionary: fields that were read or set, by name;
    `_span` (bytes, begin, end) while the message is only bytes; `_unknown`, the
    bytes of fields without a name; `_present` once it was set, read, or
    SetInParent was called.
    """

    _fields: tuple[Field, ...] = ()  # ascending numbers
    _by_name: dict[str, Field] = {}
    _by_number: dict[int, Field] = {}

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            field = self._field(name)
            if value is None:
                continue
            if field.repeated:
                getattr(self, name).extend(value)
            elif isinstance(field, MapField):
                target = getattr(self, name)
                for key, item in value.items():
                    if field.message is None:
                        target[key] = item
                    else:
                        target[key].CopyFrom(item)
            elif field.message is not None:
                if isinstance(value, dict):
                    value = field.message(**value)
                getattr(self, name).CopyFrom(value)
            else:
                setattr(self, name, value)

    @classmethod
    def _of_span(cls: type[_Self], data: bytes, begin: int, end: int) -> _Self:
        message = cls.__new__(cls)
        message.__dict__["_span"] = (data, begin, end)
        message.__dict__["_present"] = True
        return message

    @classmethod
    def _field(cls, name: str) -> Field:
        field = cls._by_name.get(name)
        if field is None:
            raise ValueError(
                f'Protocol message {cls.__name__} has no "{name}" field.'
            )
        return field

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._by_name.get(name)
        if field is None:
            raise AttributeError(
                f'Protocol message {type(self).__name__} has no "{name}" field.'
            )
        if field.message is not None or field.repeated or field.is_map:
            raise AttributeError(
                "Assignment not allowed to message, map, or repeated field"
                f' "{name}" in protocol message object.'
            )
        self._read()
        self.__dict__[name] = field.scalar.check(value)

    def __getattr__(self, name: str) -> Any:  # no field has this name
        raise AttributeError(name)

    def _read(self) -> None:
        """Reads the fields of this level, if they are still bytes."""
        span = self.__dict__.pop("_span", None)
        if span is not None:
            read_fields(self, *span)

    # -- the interface of protobuf's messages, which has these names

    @classmethod
    def FromString(cls: type[_Self], data: bytes) -> _Self:
        message = cls()
        message.ParseFromString(data)
        return message

    def ParseFromString(self, data: bytes) -> int:
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data: bytes) -> int:
        data = bytes(data)
        check_bytes(type(self), data)
        self._read()
        read_fields(self, data, 0, len(data))
        return len(data)

    def SerializeToString(self, **unused: Any) -> bytes:
        return write_message(self)

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:
        return len(write_message(self))

    def IsInitialized(self) -> bool:
        return True

    def Clear(self) -> None:
        self.__dict__.clear()

    def CopyFrom(self, other: Any) -> None:
        if other is self:
            return
        data = other.SerializeToString()
        self.Clear()
        self.__dict__["_span"] = (data, 0, len(data))
        self.__dict__["_present"] = True

    def MergeFrom(self, other: Any) -> None:
        self.MergeFromString(other.SerializeToString())

    def SetInParent(self) -> None:
        self.__dict__["_present"] = True

    def HasField(self, name: str) -> bool:
        field = self._field(name)
        if field.repeated or field.is_map or field.message is None:
            raise ValueError(f"Field {name} does not have presence.")
        self._read()
        return field.is_set(self)

    def ClearField(self, name: str) -> None:
        self._field(name)
        self._read()
        self.__dict__.pop(name, None)

    def ListFields(self) -> list[tuple[Field, Any]]:
        self._read()
        return [
            (f, self.__dict__[f.name]) for f in self._fields if f.is_set(self)
        ]

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return canonical(self) == canonical(other)

    __hash__ = None  # type: ignore[assignment]  # as protobuf's messages

    def __repr__(self) -> str:
        return text(self)

    def __reduce__(self) -> Any:
        return (type(self).FromString, (self.SerializeToString(),))

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self).FromString(self.SerializeToString())

    def __copy__(self) -> Any:
        return self.__deepcopy__(None)


def read_fields(message: Message, data: bytes, at: int, end: int) -> None:
    """Adds the fields of data[at:end] to `message`."""
    by_number = message._by_number
    values = message.__dict__
    while at < end:
        begin = at
        key = data[at]
        at += 1
        if key > 0x7F:
            key, at = _wire.read_varint(data, begin)
        field = by_number.get(key >> 3)
        wire = key & 7
        if field is None or wire not in field.wires:
            at = _wire.skip(data, at, end, wire)
            values["_unknown"] = values.get("_unknown", b"") + data[begin:at]
        elif wire == _wire.BYTES:
            size, at = _wire.read_varint(data, at)
            after = at + size
            if after > end:
                raise DecodeError(
                    f"byte {at}: the field {field.name} is longer than its"
                    " message"
                )
            field.read_span(values, data, at, after)
            at = after
        else:
            value, at = _wire.read_value(data, at, end, wire)
            field.read_number(values, value)


def check_bytes(cls: type[Message], data: bytes) -> None:
    """DecodeError if some level of `data` is no message of its type."""
    spans: list[tuple[type[Message], int, int]] = [(cls, 0, len(data))]
    while spans:
        cls, at, end = spans.pop()
        while at < end:
            key, at = _wire.read_varint(data, at)
            field, wire = cls._by_number.get(key >> 3), key & 7
            after = _wire.skip(data, at, end, wire)
            if wire == _wire.BYTES and field is not None:
                begin = _wire.read_varint(data, at)[1]
                if field.is_map:
                    spans.append((field.entry, begin, after))
                elif field.message is not None:
                    spans.append((field.message, begin, after))
                elif field.type == "string":
                    try:
                        data[begin:after].decode("utf-8")
                    except UnicodeDecodeError as error:
                        raise DecodeError(
                            f"byte {begin}: the field {field.name} is not"
                            f" UTF-8: {error.reason}"
                        ) from None
            at = after


def write_message(message: Message) -> bytes:
    """The wire form. Written from its end, as sizes come before contents."""
    pieces: list[bytes] = []
    written = 0
    work: list[Any] = [message]
    while work:
        item = work.pop()
        if isinstance(item, bytes):
            pieces.append(item)
            written += len(item)
        elif isinstance(item, tuple):  # a message is complete: tag and size
            tag, mark = item
            head = tag + _wire.varint(written - mark)
            pieces.append(head)
            written += len(head)
        elif isinstance(item, list):  # a tag, and what follows its size
            work.append((item[0], written))
            work.extend(item[1:])
        elif "_span" in item.__dict__:
            data, begin, end = item.__dict__["_span"]
            pieces.append(data[begin:end])
            written += end - begin
        else:
            for field in item._fields:
                if field.is_set(item):
                    field.write(item.__dict__[field.name], work)
            unknown = item.__dict__.get("_unknown")
            if unknown:
                work.append(unknown)
    pieces.reverse()
    return b"".join(pieces)


def canonical(message: Message) -> list[Any]:
    """A flat list that equal messages share, whatever order maps have."""
    out: list[Any] = []
    work: list[Any] = [message]
    while work:
        item = work.pop()
        if not isinstance(item, Message):
            out.append(item)
            continue
        item._read()
        out.append(item.__dict__.get("_unknown", b""))
        parts: list[Any] = []
        for field in item._fields:
            if field.is_set(item):
                field.flatten(item.__dict__[field.name], parts)
        parts.append(("end",))
        work.extend(reversed(parts))
    return out


def _make_classes() -> dict[str, type[Message]]:
    pattern = re.compile(
        r"(?:(repeated) |map<(\w+),([\w.]+)> )?(?:([\w.]+) )?(\w+) (\d+)\Z"
    )
    classes: dict[str, type[Message]] = {}
    for name in _TABLE:
        short = name.rpartition(".")[2]
        classes[name] = type(short, (Message,), {"__module__": __name__})
        classes[name].__qualname__ = name
    for name, described in _TABLE.items():
        cls, fields = classes[name], []
        for line in re.split(r"[;\n]", described):
            if not line.strip():
                continue
            match = pattern.match(line.strip())
            assert match, (name, line)
            repeated, key, item, kind, field_name, number = match.groups()
            if key:
                field: Field = MapField(
                    field_name, int(number), key, item, classes.get(item)
                )
                field.entry = type("Entry", (Message,), {})
                _set_fields(
                    field.entry,
                    [
                        Field("key", 1, key, None, False),
                        Field("value", 2, item, classes.get(item), False),
                    ],
                )
            else:
                field = Field(
                    field_name,
                    int(number),
                    kind,
                    classes.get(kind),
                    bool(repeated),
                )
            fields.append(field)
        _set_fields(cls, fields)
        outer, _, short = name.rpartition(".")
        if outer and outer in classes:
            setattr(classes[outer], short, cls)
    return classes


def _set_fields(cls: type[Message], fields: list[Field]) -> None:
    fields.sort(key=lambda f: f.number)
    cls._fields = tuple(fields)
    cls._by_name = {f.name: f for f in fields}
    cls._by_number = {f.number: f for f in fields}
    for field in fields:
        setattr(cls, field.name, field)


_classes = _make_classes()

AdviceProto = _classes["AdviceProto"]
AdvisorOptionsProto = _classes["AdvisorOptionsProto"]
CodeDef = _classes["CodeDef"]
GraphDef = _classes["GraphDef"]
GraphNodeProto = _classes["GraphNodeProto"]
MultiGraphNodeProto = _classes["MultiGraphNodeProto"]
OpLogEntry = _classes["OpLogEntry"]
OpLogProto = _classes["OpLogProto"]
OptionsProto = _classes["OptionsProto"]
ProfileNode = _classes["ProfileNode"]
ProfileProto = _classes["ProfileProto"]
RunMetadata = _classes["RunMetadata"]
StepStats = _classes["StepStats"]
TensorShapeProto = _classes["TensorShapeProto"]
TFProfTensorProto = _classes["TFProfTensorProto"]


def walk(root: Message) -> Iterator[tuple[int, Message]]:
    """Each node of a tree of `children` with its depth, parents first."""
    work: list[tuple[int, Message]] = [(0, root)]
    while work:
        depth, node = work.pop()
        yield depth, node
        work.extend((depth + 1, child) for child in reversed(node.children))


def lazily(cls: type[Message], data: bytes) -> Message:
    """`data`, which the program made, as a message that is read when used."""
    return cls._of_span(data, 0, len(data))


def parse(cls: type[Message], data: bytes | None) -> Any:
    """`data` as a message; None is the empty one."""
    return cls.FromString(data) if data else cls()
