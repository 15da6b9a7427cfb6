"""JSON in many styles, with exact numbers, and times in it."""

import decimal
import json


class Number:
    """A number with the text that it has in the file."""

    def __init__(self, text):
        self.text = text


def micros(rng, nanos):
    """Nanoseconds as microseconds, in one of the ways to write them."""
    sign, nanos = ("-", -nanos) if nanos < 0 else ("", nanos)
    whole, part = divmod(nanos, 1000)
    text = "%s%d.%03d" % (sign, whole, part)
    if rng.random() < 0.1:
        text = "%s%de-3" % (sign, nanos)
    elif part == 0 and rng.random() < 0.5:
        text = "%s%d" % (sign, whole)
    return Number(text)


def write_string(rng, text):
    return json.dumps(text, ensure_ascii=rng.random() < 0.5)


def write(rng, value, indent=""):
    """JSON in the style of Kineto, or another one."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return write_string(rng, value)
    if isinstance(value, dict):
        items = list(value.items())
        if rng.random() < 0.1:
            rng.shuffle(items)
        colon = rng.choice([": ", ":", " : "])
        parts = [
            write_string(rng, key) + colon + write(rng, item, indent + " ")
            for key, item in items
        ]
        return "{" + join(rng, parts, indent) + "}"
    if isinstance(value, list):
        parts = [write(rng, item, indent + " ") for item in value]
        return "[" + join(rng, parts, indent) + "]"
    return json.dumps(value)


def join(rng, parts, indent):
    if not parts:
        return rng.choice(["", " ", "\n"])
    between = rng.choice([",", ", ", ",\n" + indent, "\n, "])
    edge = rng.choice(["", " ", "\n" + indent])
    return edge + between.join(parts) + edge


def read(data):
    """The value of JSON text, with its numbers exact."""
    return json.loads(data, parse_float=decimal.Decimal)


def nanos(value):
    return int(decimal.Decimal(value) * 1000)
