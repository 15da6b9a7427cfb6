"""Encodes and decodes the few protobuf messages that the tests need."""


def varint(value):
    """A number; negative ones take ten bytes, as in an int64 field."""
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def field(number, value):
    """A field: an int is a varint; str and bytes are length-delimited."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def joined(number, contents):
    """field() of each of many bytes that are short, quickly."""
    tag = varint(number << 3 | 2)
    return b"".join(
        tag + (bytes((len(c),)) if len(c) < 128 else varint(len(c))) + c
        for c in contents
    )


def node_def(name, op="Op", inputs=()):
    return (
        field(1, name)
        + field(2, op)
        + b"".join(field(3, name) for name in inputs)
    )


def graph_def(nodes):
    """A GraphDef of (name, inputs) pairs."""
    return b"".join(
        field(1, node_def(name, inputs=inputs)) for name, inputs in nodes
    )


def node_stats(name, start=1, duration=1):
    return field(1, name) + field(2, start) + field(4, duration)


def run_metadata(devices):
    """A RunMetadata of (device, [NodeExecStats]) pairs."""
    return field(
        1,
        b"".join(
            field(1, field(1, device) + joined(2, nodes))
            for device, nodes in devices
        ),
    )


def map_entry(key, value):
    return field(1, key) + field(2, value)


def profile_proto(nodes, steps=(0,)):
    """A ProfileProto of (id, ProfileNode) pairs."""
    return b"".join(
        field(1, map_entry(ident, node)) for ident, node in nodes
    ) + b"".join(field(3, step) for step in steps)


def read_varint(data, at):
    """(value, end) of a number."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """[(number, value, whole field)]; a value is a number or bytes."""
    result, at = [], 0
    while at < len(data):
        begin = at
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            if kind == 2:
                size, at = read_varint(data, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise ValueError("wire type %d before byte %d" % (kind, at))
            value, at = data[at : at + size], at + size
            if at > len(data):
                raise ValueError("a field ends behind byte %d" % len(data))
        result.append((tag >> 3, value, data[begin:at]))
    return result


def values(data, number):
    """The values of a field, in order."""
    return [value for n, value, _ in fields(data) if n == number]
