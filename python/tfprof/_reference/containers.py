"""Fields of messages, and the containers of repeated fields and maps.

A `Field` stands in its message class and gives the field's value: it reads
the message's bytes first if need be, and gives the default, or makes the
container, of a field that is not there. Containers are lists and dictionaries
that check what is put into them, as protobuf's do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfprof._reference import wire as _wire


class RepeatedScalars(list[Any]):
    """The values of a repeated scalar field."""

    __slots__ = ("_scalar",)

    def __init__(
        self, scalar: _wire.Scalar, values: Iterable[Any] = ()
    ) -> None:
        super().__init__(values)
        self._scalar = scalar

    def append(self, value: Any) -> None:
        super().append(self._scalar.check(value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend([self._scalar.check(v) for v in values])

    def insert(self, at: Any, value: Any) -> None:
        super().insert(at, self._scalar.check(value))

    # The operators of list itself differ in the same way.
    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, at: Any, value: Any) -> None:
        check = self._scalar.check
        if isinstance(at, slice):
            super().__setitem__(at, [check(v) for v in value])
        else:
            super().__setitem__(at, check(value))

    MergeFrom = extend

    def __reduce__(self) -> Any:
        return (list, (list(self),))


class RepeatedMessages(list[Any]):
    """The messages of a repeated field."""

    __slots__ = ("_message",)

    def __init__(self, message: type[Any]) -> None:
        super().__init__()
        self._message = message

    def add(self, **values: Any) -> Any:
        made = self._message(**values)
        super().append(made)
        return made

    def append(self, value: Any) -> None:
        super().append(self._copy(value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend([self._copy(v) for v in values])

    def insert(self, at: Any, value: Any) -> None:
        super().insert(at, self._copy(value))

    # The operators of list itself differ in the same way.
    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, at: Any, value: Any) -> None:
        raise TypeError("a repeated message field does not support assignment")

    MergeFrom = extend

    def _copy(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._message(**value)
        made = self._message()
        made.CopyFrom(value)  # any message with the same wire form
        return made

    def __reduce__(self) -> Any:
        return (list, (list(self),))


class ScalarMap(dict[Any, Any]):
    """A map to scalars. A missing key is added with the default."""

    __slots__ = ("_key", "_scalar")

    def __init__(self, key: _wire.Scalar, scalar: _wire.Scalar) -> None:
        super().__init__()
        self._key, self._scalar = key, scalar

    def __missing__(self, key: Any) -> Any:
        self[key] = self._scalar.default
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._key.check(key), self._scalar.check(value))

    def update(self, *others: Any, **named: Any) -> None:
        for key, value in dict(*others, **named).items():
            self[key] = value

    MergeFrom = update

    def __reduce__(self) -> Any:
        return (dict, (dict(self),))


class MessageMap(dict[Any, Any]):
    """A map to messages. A missing key is added with an empty message."""

    __slots__ = ("_key", "_message")

    def __init__(self, key: _wire.Scalar, message: type[Any]) -> None:
        super().__init__()
        self._key, self._message = key, message

    def __missing__(self, key: Any) -> Any:
        made = self._message()
        super().__setitem__(self._key.check(key), made)
        return made

    get_or_create = dict.__getitem__

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError(
            "Direct assignment of submessage not allowed; use"
            " map[key].CopyFrom(message)"
        )

    def __reduce__(self) -> Any:
        return (dict, (dict(self),))


class Field:
    """A scalar, a message, or either repeated."""

    is_map = False
    entry: type[Any]  # of a map

    def __init__(
        self,
        name: str,
        number: int,
        kind: str,
        message: type[Any] | None,
        repeated: bool,
    ) -> None:
        self.name, self.number, self.type = name, number, kind
        self.message, self.repeated = message, repeated
        if message is None and kind not in _wire.SCALARS:
            raise ValueError(f"{name}: no type {kind}")
        # Inside another message, a message is bytes.
        self.scalar = _wire.SCALARS["bytes" if message else kind]
        wire = self.scalar.wire
        self.packed = repeated and wire != _wire.BYTES
        # A number may be packed or not, whatever the writer prefers.
        self.wires = (wire, _wire.BYTES) if self.packed else (wire,)
        self.tag = _wire.varint(number << 3 | wire)
        self.list_tag = _wire.varint(number << 3 | _wire.BYTES)

    # There is no __set__, so a value in the instance is found first.
    def __get__(self, message: Any, owner: Any) -> Any:
        if message is None:
            return self
        values = message.__dict__
        if "_span" in values:
            message._read()
            if self.name in values:
                return values[self.name]
        if self.repeated:
            value = values[self.name] = self.container()
        elif self.message is not None:
            value = values[self.name] = self.message()
        else:
            return self.scalar.default
        return value

    def container(self) -> Any:
        if self.message is not None:
            return RepeatedMessages(self.message)
        return RepeatedScalars(self.scalar)

    def is_set(self, message: Any) -> bool:
        """Whether the field is written. `message` has been read."""
        value = message.__dict__.get(self.name)
        if value is None:
            return False
        if self.repeated:
            return bool(value)
        if self.message is None:
            return bool(value != self.scalar.default)
        return is_present(value)

    def read_number(self, values: dict[str, Any], value: Any) -> None:
        made = self.scalar.decode(value)
        if self.repeated:
            self._list(values).extend((made,))
        else:
            values[self.name] = made

    def read_span(
        self, values: dict[str, Any], data: bytes, at: int, end: int
    ) -> None:
        if self.message is None:
            if self.packed:
                self._list(values).extend(
                    _wire.unpack(self.scalar, data[at:end])
                )
            elif self.repeated:
                list.append(
                    self._list(values), self.scalar.decode(data[at:end])
                )
            else:
                values[self.name] = self.scalar.decode(data[at:end])
        elif self.repeated:
            list.append(
                self._list(values), self.message._of_span(data, at, end)
            )
        elif self.name in values:  # a second part of the same message
            values[self.name].MergeFromString(data[at:end])
        else:
            values[self.name] = self.message._of_span(data, at, end)

    def _list(self, values: dict[str, Any]) -> Any:
        found = values.get(self.name)
        if found is None:
            found = values[self.name] = self.container()
        return found

    def write(self, value: Any, work: list[Any]) -> None:
        """Appends what write_message does, last things last."""
        if self.message is not None:
            if self.repeated:
                work.extend([self.tag, item] for item in value)
            else:
                work.append([self.tag, value])
        elif self.packed:
            work.append(self.list_tag)
            data = b"".join(map(self.scalar.encode, value))
            work.append(_wire.varint(len(data)) + data)
        elif self.repeated:
            work.extend(self.tag + self.scalar.encode(v) for v in value)
        else:
            work.append(self.tag + self.scalar.encode(value))

    def flatten(self, value: Any, parts: list[Any]) -> None:
        """Appends what canonical() compares."""
        parts.append(self.number)
        if not self.repeated:
            parts.append(value)
        else:
            parts.append(("list", len(value)))
            parts.extend(value)


class MapField(Field):
    """A map. Written in the order of its keys."""

    is_map = True

    def __init__(
        self,
        name: str,
        number: int,
        key: str,
        kind: str,
        message: type[Any] | None,
    ) -> None:
        super().__init__(name, number, kind, message, False)
        self.key = _wire.SCALARS[key]
        self.wires = (_wire.BYTES,)
        self.key_tag = _wire.varint(1 << 3 | self.key.wire)
        self.value_tag = _wire.varint(2 << 3 | self.scalar.wire)

    def __get__(self, message: Any, owner: Any) -> Any:
        if message is None:
            return self
        values = message.__dict__
        message._read()
        return self._map(values)

    def _map(self, values: dict[str, Any]) -> Any:
        found = values.get(self.name)
        if found is None:
            if self.message is not None:
                found = MessageMap(self.key, self.message)
            else:
                found = ScalarMap(self.key, self.scalar)
            values[self.name] = found
        return found

    def is_set(self, message: Any) -> bool:
        return bool(message.__dict__.get(self.name))

    def read_span(
        self, values: dict[str, Any], data: bytes, at: int, end: int
    ) -> None:
        entry = self.entry._of_span(data, at, end)
        dict.__setitem__(self._map(values), entry.key, entry.value)

    def write(self, value: dict[Any, Any], work: list[Any]) -> None:
        for key in sorted(value):
            item = value[key]
            if self.message is not None:
                part: Any = [self.value_tag, item]
            else:
                part = self.value_tag + self.scalar.encode(item)
            key_part = self.key_tag + self.key.encode(key)
            work.append([self.list_tag, key_part, part])

    def flatten(self, value: Any, parts: list[Any]) -> None:
        parts.append(self.number)
        parts.append(("map", len(value)))
        for key in sorted(value):
            parts.append(key)
            parts.append(value[key])


def is_present(message: Any) -> bool:
    """Whether a message field is there: it was read, set, or has content."""
    work = [message]
    while work:
        item = work.pop()
        values = item.__dict__
        if values.get("_present") or values.get("_unknown"):
            return True
        for field in item._fields:
            value = values.get(field.name)
            if value is None:
                continue
            if field.repeated or field.is_map:
                if value:
                    return True
            elif field.message is not None:
                work.append(value)
            elif value != field.scalar.default:
                return True
    return False
