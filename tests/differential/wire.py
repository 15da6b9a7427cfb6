"""The protobuf wire format, just enough of it for the model and the generator.

Strings travel as `str` with one character per byte (Latin-1), so that sorting,
padding and cutting count bytes as the C++ program does.
"""


def signed(value):
    """The low 64 bits of value, read as a two's complement number."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _read_fields(data):
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, wire_type = key >> 3, key & 7
        if wire_type == 0:
            value, at = _read_varint(data, at)
        elif wire_type == 2:
            size, at = _read_varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire_type in (1, 5):
            size = 8 if wire_type == 1 else 4
            value, at = data[at:at + size], at + size
        else:
            raise ValueError("wire type %d" % wire_type)
        yield number, value


class Message:
    """A decoded message; fields are asked for by number and type."""

    def __init__(self, data):
        self._fields = list(_read_fields(data))

    def _values(self, number):
        return [value for n, value in self._fields if n == number]

    def last_field(self):
        """The number of the last field: the one that is set in a oneof."""
        return self._fields[-1][0] if self._fields else 0

    def has(self, number):
        return bool(self._values(number))

    def integer(self, number):
        values = self._values(number)
        return signed(values[-1]) if values else 0

    def integers(self, number):
        result = []
        for value in self._values(number):
            if isinstance(value, int):
                result.append(signed(value))
                continue
            at = 0
            while at < len(value):
                element, at = _read_varint(value, at)
                result.append(signed(element))
        return result

    def string(self, number):
        values = self._values(number)
        return values[-1].decode("latin-1") if values else ""

    def strings(self, number):
        return [value.decode("latin-1") for value in self._values(number)]

    def message(self, number):
        # Occurrences of a singular message merge, as if concatenated.
        return Message(b"".join(self._values(number)))

    def messages(self, number):
        return [Message(value) for value in self._values(number)]

    def entries(self, number):
        """The (key, value) messages of a map field."""
        return self.messages(number)


def _write_varint(value):
    value &= (1 << 64) - 1
    result = bytearray()
    while value >= 128:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def encode(*fields):
    """The message of (number, value) pairs, in the order given.

    A value is an int, a str, the bytes of a message, or a list of any of them
    for a repeated field. None leaves the field out; zero is written, for the
    reader has to cope with it.
    """
    result = bytearray()
    for number, values in fields:
        for value in values if isinstance(values, list) else [values]:
            if value is None:
                continue
            if isinstance(value, int):
                result += _write_varint(number << 3) + _write_varint(value)
                continue
            if isinstance(value, str):
                value = value.encode("latin-1")
            result += _write_varint(number << 3 | 2)
            result += _write_varint(len(value)) + value
    return bytes(result)
