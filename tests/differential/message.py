"""Messages for the model and the generator of the differential test.

Strings are `str` with one character per byte (Latin-1), so that sorting,
padding and cutting count bytes, as in the C++ program.
"""

import wire


def signed(value):
    """The low 64 bits of value, read as a two's complement number."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


class Message:
    """A decoded message; fields are asked for by number and type."""

    def __init__(self, data):
        self._fields = [
            (number, value) for number, value, _ in wire.fields(data)
        ]

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
                element, at = wire.read_varint(value, at)
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
            if isinstance(value, str):
                value = value.encode("latin-1")
            result += wire.field(number, value)
    return bytes(result)
