"""A shape is a kind of input in which one thing is there n times.

    @shape("kineto", 100000)
    def threads(n):
        return b"…"

A function returns the bytes of one file, or {name: bytes} of several files that
are opened together as a folder. It is registered as "kineto_threads". Its
number is the largest n at which the whole suite runs; the quick part of the
suite runs at less.
"""

import dataclasses
import typing

SHAPES = {}


@dataclasses.dataclass
class Shape:
    """What makes a file, and how it is opened."""

    name: str
    most: int
    make: typing.Callable
    flag: str  # "--graph_path=": the format is not seen in the bytes.
    suffix: str
    grows: str  # why the cost is known to grow faster; "": it must not


def shape(family, most=1000000, flag="", suffix="", grows=""):
    def register(make):
        name = family + "_" + make.__name__
        assert name not in SHAPES, name
        SHAPES[name] = Shape(name, most, make, flag, suffix, grows)
        return make

    return register
