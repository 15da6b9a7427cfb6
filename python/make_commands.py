#!/usr/bin/env python3
"""Writes python/tfprof/_commands.py from the program's tables.

Usage: python/make_commands.py bazel-bin/profiler/tfprof > \
    python/tfprof/_commands.py

Each command that answers something about a profile becomes a method, and its
options the keyword arguments: with the names, the choices and the help that
`tfprof help commands.json` has. So signatures are in the sources, where
editors, type checkers and help() find them, and a test keeps them equal to the
program's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

WIDTH = 79
# Options about the text on a terminal or for an agent, which no answer of
# Python has, and those that Timeline.save has.
HIDDEN = {
    "output",
    "color",
    "agent",
    "budget",
    "frames",
    "compatible",
    "show_dataflow",
    "show_memory",
    "op_time",
}
# Commands that other methods of Profile run, or that are for a terminal.
LEFT_OUT = {
    "add",
    "advise",
    "check",
    "convert",
    "help",
    "load",
    "mcp",
    "pipe",
    "save",
    "timeline",
    "tui",
}

HEAD = '''"""The commands of the program as methods.

Made from the program's tables by python/make_commands.py; do not edit.
"""

from __future__ import annotations

import typing
from typing import Any, Literal, Mapping, Optional, Sequence, Union

if typing.TYPE_CHECKING:
    from tfprof._answer import Answer

Texts = Union[str, Sequence[str]]
Values = Union[str, Sequence[str], Mapping[str, Any]]

# Options whose value is a list, with what an element may be; (): anything.
LISTS: dict[str, tuple[str, ...]] = %s

# Columns that order_by does not take.
UNORDERED = %s


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """The options that a call has, from its local variables."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and name not in ("self", "arguments")
    }


class Commands:
    """The commands that show a profile. Options have the program's names."""

    def _ask(
        self, command: str, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Answer:
        raise NotImplementedError
'''


def python_name(option: str) -> str:
    """Of an option: fail-if is no name in Python."""
    return option.replace("-", "_")


def python_type(option: dict) -> str:
    if option["name"] == "step":
        return "Union[int, str]"
    if option["kind"] == "list":
        return "Values" if "=" in option["value"] else "Texts"
    if option["kind"] == "text" and option["choices"]:
        choices = ", ".join(f'"{choice}"' for choice in option["choices"])
        return f"Literal[{choices}]"
    return {"integer": "int", "boolean": "bool", "text": "str"}[option["kind"]]


def default_text(view: bool, option: dict) -> str:
    """The default in words. Data of a view differ from its report."""
    if view and option["name"] == "max_depth":
        return "all rows"
    if view and option["name"] == "order_by":
        return "the first number of select"
    return option["default"] or "nothing"


def choices_text(option: dict) -> str:
    """The elements of a list; the type has the choices of a single value."""
    choices = option["choices"]
    if option["kind"] != "list" or not 0 < len(choices) <= 20:
        return ""
    return f" Of: {', '.join(choices)}."


def docstring(command: dict, options: list[dict]) -> str:
    view = "max_depth" in command["options"]
    text = textwrap.wrap(command["help"], WIDTH - 11)
    lines = [f'        """{text[0]}', *(f"        {line}" for line in text[1:])]
    if command["answers"]:
        lines.append("")
        lines += textwrap.wrap(
            command["answers"],
            WIDTH,
            initial_indent=" " * 8,
            subsequent_indent=" " * 8,
        )
    entries = [
        (
            python_name(option["name"]),
            f"{option['help']}{choices_text(option)} "
            f"Default: {default_text(view, option)}.",
        )
        for option in options
    ]
    if command["max_arguments"]:
        entries.insert(0, ("arguments", command["arguments"] + "."))
    if entries:
        lines += ["", "        Args:"]
    for name, meaning in entries:
        lines += textwrap.wrap(
            f"{name}: {meaning}",
            WIDTH,
            initial_indent=" " * 12,
            subsequent_indent=" " * 16,
            break_on_hyphens=False,
        )
    lines.append('        """')
    return "\n".join(lines).replace("\\", "\\\\")


def parameter(option: dict) -> str:
    """A keyword argument, on several lines if it is long."""
    name, kind = python_name(option["name"]), python_type(option)
    line = f"        {name}: Optional[{kind}] = None,"
    if len(line) <= WIDTH + 1:
        return line
    head, _, choices = kind.partition("[")
    parts = choices.rstrip("]").split(", ")
    inner = "".join(f"                {part},\n" for part in parts)
    return (
        f"        {name}: Optional[\n            {head}[\n{inner}"
        "            ]\n        ] = None,"
    )


def method(command: dict, table: dict[str, dict]) -> str:
    options = [table[name] for name in command["options"] if name not in HIDDEN]
    lines = ["        self,"]
    if command["max_arguments"]:
        lines.append("        *arguments: Union[str, int],")
    elif options:
        lines.append("        *,")
    lines += [parameter(option) for option in options]
    arguments = "arguments" if command["max_arguments"] else "()"
    name = command["name"]
    head = "\n".join(lines)
    if len(lines) == 1:
        signature = f"    def {name}(self) -> Answer:"
    else:
        signature = f"    def {name}(\n{head}\n    ) -> Answer:"
    return (
        f"\n{signature}\n{docstring(command, options)}\n"
        f'        return self._ask("{name}", {arguments}, _given(locals()))\n'
    )


def lists(tables: dict) -> str:
    """The constant LISTS."""
    lines = ["{"]
    for option in tables["options"]:
        if option["kind"] != "list":
            continue
        name = python_name(option["name"])
        # The choices of a name with a value are no whole elements.
        choices = [] if "=" in option["value"] else option["choices"]
        if not choices:
            lines.append(f'    "{name}": (),')
            continue
        lines.append(f'    "{name}": (')
        lines += [f'        "{choice}",' for choice in choices]
        lines.append("    ),")
    return "\n".join(lines + ["}"])


def make(tables: dict) -> str:
    """The text of _commands.py."""
    table = {option["name"]: option for option in tables["options"]}
    unordered = set(table["select"]["choices"])
    unordered -= set(table["order_by"]["choices"])
    words = ", ".join(f'"{word}"' for word in sorted(unordered))
    text = HEAD % (lists(tables), f"({words})")
    for command in tables["commands"]:
        if (
            command["gives_answer"]
            and command["needs_profile"]
            and command["name"] not in LEFT_OUT
        ):
            text += method(command, table)
    return text


def main() -> None:
    done = subprocess.run(
        [sys.argv[1], "help", "commands.json"],
        check=True,
        capture_output=True,
        timeout=60,
    )
    sys.stdout.write(make(json.loads(done.stdout)))


if __name__ == "__main__":
    main()
