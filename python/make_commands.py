#!/usr/bin/env python3
"""Makes the parts of the package that come from the rest of the project.

Usage: python/make_commands.py [PROGRAM [FOLDER]]

Writes _engine/commands.py and _version.py into FOLDER, which is python/tfprof
of this checkout unless given. PROGRAM is bazel-bin/profiler/tfprof unless
given.

Each command that answers something about a profile becomes a method, and its
options become keyword arguments, with the names, the choices and the help that
`tfprof help commands.json` has. Editors, type checkers and help() then know
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

# The path is not resolved: in a build, it is a link in a tree of links.
ROOT = Path(os.path.abspath(__file__)).parent.parent
PACKAGE = ROOT / "python" / "tfprof"
PROGRAM = ROOT / "bazel-bin" / "profiler" / "tfprof"

WIDTH = 79
# These options are about text on a terminal, for an agent or for others, which
# no answer in Python has, or Timeline.save has them.
HIDDEN = {
    "output",
    "color",
    "agent",
    "budget",
    "frames",
    "compatible",
    "keep_environment",
    "show_dataflow",
    "show_memory",
    "op_time",
}
# Other methods of Profile run these commands, or they are for a terminal.
LEFT_OUT = {
    "add",
    "advise",
    "check",
    "convert",
    "help",
    "load",
    "mcp",
    "pipe",
    "redact",
    "save",
    "timeline",
    "tui",
}

HEAD = '''"""The commands of the program as methods.

Made by python/make_commands.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from tfprof._engine.answer import Answer

Texts = Union[str, Sequence[str]]
Values = Union[str, Sequence[str], Mapping[str, Any]]

# Options whose value is a list, and what an element may be; (): anything.
LISTS: dict[str, tuple[str, ...]] = {lists!r}

# Columns that order_by does not take.
UNORDERED = {unordered!r}

# All options, and the words that their values may be.
OPTIONS: dict[str, tuple[str, ...]] = {options!r}


def given(values: dict[str, Any]) -> dict[str, Any]:
    """The options that a call has, from its local variables."""
    return {{
        name: value
        for name, value in values.items()
        if value is not None and name not in ("self", "arguments")
    }}


class Commands:
    """The commands that show a profile. Options have the program's names."""

    def _ask(
        self, command: str, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Answer:
        raise NotImplementedError
'''

METHOD = '''
    def {name}(self{parameters}) -> Answer:
        """{doc}
        """
        return self._ask("{name}", {arguments}, given(locals()))
'''


def python_name(option: dict[str, Any]) -> str:
    """The keyword of an option: fail-if is no name in Python."""
    return str(option["name"]).replace("-", "_")


def python_type(option: dict[str, Any]) -> str:
    if option["name"] == "step":
        return "int | str"
    if option["kind"] == "list":
        return "Values" if "=" in option["value"] else "Texts"
    if option["kind"] == "text" and option["choices"]:
        return f"Literal{option['choices']}"
    return {"integer": "int", "boolean": "bool", "text": "str"}[option["kind"]]


def help_text(view: bool, option: dict[str, Any]) -> str:
    """The help of an option, its choices and its default."""
    text = option["help"]
    # The type of a single value has its choices.
    if option["kind"] == "list" and 0 < len(option["choices"]) <= 20:
        text += f" Choices: {', '.join(option['choices'])}."
    default = option["default"] or "nothing"
    # Data of a view differ from its report.
    if view and option["name"] == "max_depth":
        default = "all rows"
    elif view and option["name"] == "order_by":
        default = "the first number of select"
    return f"{text} Default: {default}."


def wrapped(text: str, first: int, later: int) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=" " * first,
        subsequent_indent=" " * later,
        break_on_hyphens=False,
    )


def docstring(command: dict[str, Any], options: list[dict[str, Any]]) -> str:
    view = "max_depth" in command["options"]
    parts = [wrapped(command["help"], 11, 8).strip()]
    if command["answers"]:
        parts.append(wrapped(command["answers"], 8, 8))
    entries = [(python_name(one), help_text(view, one)) for one in options]
    if command["max_arguments"]:
        entries.insert(0, ("arguments", command["arguments"] + "."))
    if entries:
        lines = [wrapped(f"{name}: {text}", 12, 16) for name, text in entries]
        parts.append("\n".join(["        Args:", *lines]))
    return "\n\n".join(parts).replace("\\", "\\\\")


def method(command: dict[str, Any], table: dict[str, dict[str, Any]]) -> str:
    options = [table[name] for name in command["options"] if name not in HIDDEN]
    parameters = [
        f"{python_name(one)}: {python_type(one)} | None = None"
        for one in options
    ]
    if command["max_arguments"]:
        parameters.insert(0, "*arguments: str | int")
    elif options:
        parameters.insert(0, "*")
    return METHOD.format(
        name=command["name"],
        parameters="".join(f",\n        {one}" for one in parameters),
        doc=docstring(command, options),
        arguments="arguments" if command["max_arguments"] else "()",
    )


def commands(tables: dict[str, Any]) -> str:
    """The text of _engine/commands.py."""
    table = {option["name"]: option for option in tables["options"]}
    lists = {
        # The choices of a name with a value are no whole elements.
        python_name(one): () if "=" in one["value"] else tuple(one["choices"])
        for one in tables["options"]
        if one["kind"] == "list"
    }
    unordered = set(table["select"]["choices"])
    unordered -= set(table["order_by"]["choices"])
    words = {name: tuple(one["choices"]) for name, one in table.items()}
    words["step"] = ("all", "first", "last", "slowest")
    text = HEAD.format(
        lists=lists, unordered=tuple(sorted(unordered)), options=words
    )
    for command in tables["commands"]:
        if (
            command["gives_answer"]
            and command["needs_profile"]
            and command["name"] not in LEFT_OUT
        ):
            text += method(command, table)
    return text


def version() -> str:
    """The version of the project."""
    return (ROOT / "VERSION").read_text("utf-8").strip()


def generated(program: str | Path) -> dict[str, str]:
    """The text of each file, by its path in the package."""
    done = subprocess.run(
        [program, "help", "commands.json"],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return {
        "_engine/commands.py": commands(json.loads(done.stdout)),
        "_version.py": f'__version__ = "{version()}"\n',
    }


def main() -> None:
    program, folder = [*sys.argv[1:], *[PROGRAM, PACKAGE][len(sys.argv) - 1 :]]
    for name, text in generated(program).items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
