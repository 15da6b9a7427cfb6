"""The wire format of protocol buffers, for messages that a table describes.

Reads and writes one message level at a time and never recurses: a field that
is a message stays a span of bytes until somebody looks at it, and writing
walks with a list of its own. So a tree may be 100,000 levels deep, and a tree
of 100,000 nodes costs nothing but the nodes that are looked at.

A `Field` says how the bytes of one field become a value and back. Numbers are
Python integers in the range of their type; text that is no UTF-8 keeps its
bytes (surrogateescape). `DecodeError` names the byte where a message ends in
the middle of a field.
"""

from __future__ import annotations

import struct
from typing import Any, Callable

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class DecodeError(ValueError):
    """Bytes that are no message of the wanted type."""


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at `at`, and where it ends."""
    value = shift = 0
    try:
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF, at
            shift += 7
            if shift > 63:
                raise DecodeError(f"byte {at}: a number of more than 10 bytes")
    except IndexError:
        raise DecodeError(
            f"byte {at}: the message ends in the middle of a number"
        ) from None


def varint(value: int) -> bytes:
    """`value`, not negative, as a base-128 number."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def skip(data: bytes, at: int, end: int, wire: int) -> int:
    """The end of the value of a field without a name."""
    if wire == VARINT:
        at = read_varint(data, at)[1]
    elif wire == FIXED64:
        at += 8
    elif wire == BYTES:
        size, at = read_varint(data, at)
        at += size
    elif wire == FIXED32:
        at += 4
    else:
        raise DecodeError(f"byte {at}: a field of the unknown wire type {wire}")
    if at > end:
        raise DecodeError(f"byte {at}: a field is longer than its message")
    return at


def _signed(bits: int) -> Callable[[int], int]:
    half, mask = 1 << (bits - 1), (1 << bits) - 1

    def convert(value: int) -> int:
        value &= mask
        return value - (mask + 1) if value >= half else value

    return convert


def _integer(low: int, high: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool):
            return int(value)
        if not hasattr(value, "__index__"):
            raise TypeError(
                f"'{type(value).__name__}' object cannot be interpreted as an"
                " integer"
            )
        number: int = value.__index__()
        if not low <= number <= high:
            raise ValueError(f"Value out of range: {number}")
        return number

    return check


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8")
    raise TypeError("bad argument type for built-in operation")


def _raw(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode("utf-8")
    raise TypeError("bad argument type for built-in operation")


def _boolean(value: Any) -> bool:
    return bool(_integer(-(1 << 63), (1 << 64) - 1)(value))


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


class Scalar:
    """A scalar type: how its wire form is read, written and checked."""

    def __init__(
        self,
        wire: int,
        default: Any,
        check: Callable[[Any], Any],
        decode: Callable[[Any], Any],
        encode: Callable[[Any], bytes],
    ) -> None:
        self.wire, self.default, self.check = wire, default, check
        self.decode, self.encode = decode, encode


def _bytes_field(data: bytes) -> bytes:
    return varint(len(data)) + data


def _varint_scalar(low: int, high: int, decode: Callable[[int], int]) -> Scalar:
    return Scalar(
        VARINT,
        0,
        _integer(low, high),
        decode,
        lambda v: varint(v & 0xFFFFFFFFFFFFFFFF),
    )


SCALARS: dict[str, Scalar] = {
    "int32": _varint_scalar(-(1 << 31), (1 << 31) - 1, _signed(32)),
    "int64": _varint_scalar(-(1 << 63), (1 << 63) - 1, _signed(64)),
    "uint32": _varint_scalar(0, (1 << 32) - 1, lambda v: v & 0xFFFFFFFF),
    "uint64": _varint_scalar(0, (1 << 64) - 1, lambda v: v),
    "enum": _varint_scalar(-(1 << 31), (1 << 31) - 1, _signed(32)),
    "bool": Scalar(
        VARINT, False, _boolean, bool, lambda v: b"\1" if v else b"\0"
    ),
    "double": Scalar(
        FIXED64,
        0.0,
        _number,
        lambda b: struct.unpack("<d", b)[0],
        lambda v: struct.pack("<d", v),
    ),
    "float": Scalar(
        FIXED32,
        0.0,
        _number,
        lambda b: struct.unpack("<f", b)[0],
        lambda v: struct.pack("<f", v),
    ),
    "string": Scalar(
        BYTES,
        "",
        _text,
        lambda b: b.decode("utf-8", "surrogateescape"),
        lambda v: _bytes_field(v.encode("utf-8", "surrogateescape")),
    ),
    "bytes": Scalar(BYTES, b"", _raw, bytes, _bytes_field),
}


def read_value(data: bytes, at: int, end: int, wire: int) -> tuple[Any, int]:
    """The raw value of a field: a number, or its bytes; and where it ends."""
    if wire == VARINT:
        value, after = read_varint(data, at)
        if after > end:
            raise DecodeError(f"byte {at}: a number is longer than its message")
        return value, after
    after = skip(data, at, end, wire)
    if wire == BYTES:
        at = read_varint(data, at)[1]
    return data[at:after], after


def unpack(scalar: Scalar, data: bytes) -> list[Any]:
    """The values of a packed field."""
    values: list[Any] = []
    at, end = 0, len(data)
    while at < end:
        value, at = read_value(data, at, end, scalar.wire)
        values.append(scalar.decode(value))
    return values
