"""tfprof.open(…) → Profile: a profile to ask questions.

A `Profile` has a method for each command of the program that shows something,
with the program's option names as keyword arguments (`commands.py`). Each
returns an `Answer`. The program runs as a child process (`engine.py`): it
reads the files once, and ends with the profile or with the interpreter.

Errors are `tfprof.Error` with the program's message; a file that is not there
is a FileNotFoundError.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Union

from tfprof._engine import commands as _commands, html as _html, pictures
from tfprof._engine.answer import Answer, Check, Note
from tfprof._engine.engine import Engine, Reply
from tfprof._engine.events import Events
from tfprof._engine.files import TemporaryFolder, write_atomically
from tfprof._engine.messages import in_python

# A file, its content, or an object that has it (SerializeToString).
Input = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Any]

ALL_ROWS = 1 << 30
VIEWS = ("scope", "graph", "code", "op")
# The reference writes these as text.
REPORTS = (*VIEWS, "advise")
# A number before the path of a RunMetadata is its step.
_STEP_PREFIX = re.compile(r"^\d+:(?=.)")
_TIMELINES = {
    ".html": "html",
    ".htm": "html",
    ".json": "chrome",
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
}


class Error(Exception):
    """The program's message about a profile, a command or an option."""

    __module__ = "tfprof"


class ProfileWarning(UserWarning):
    """A warning of the program about a profile or an option."""

    __module__ = "tfprof"


def open(
    profile: Input | Sequence[Input],
    *,
    base: None | Input | Sequence[Input] | Profile = None,
    flags: Sequence[str] = (),
) -> Profile:
    """Opens a profile of any framework; the content says what a file is.

    Args:
        profile: A file, a folder, the content of a file as bytes, a message
            with SerializeToString, or several of these, such as a graph and
            its run metadata. "7:FILE" says that a RunMetadata is step 7.
        base: Compare with this profile: views show what changed since.
        flags: More flags of the program, such as "--max_memory=2G".
    """
    opened = Profile(_several(profile), base=base, flags=flags)
    try:
        opened.notes = _notes(opened._reply("status", output="json"))
    except BaseException:
        opened.close()
        raise
    return opened


class Profile(_commands.Commands):
    """An open profile. Close it, or use it in `with`, to end its process.

    It may be used by several threads, and after a fork. `notes` has
    the messages of the program about the files.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        base: None | Input | Sequence[Input] | Profile = None,
        flags: Sequence[str] = (),
    ) -> None:
        self._inputs = [_input(one) for one in inputs]
        self._flags = list(flags)
        self._base: Profile | None = None
        self.notes: list[Note] = []
        self._files = _TemporaryFiles()
        # A folder that goes with the profile: a recorder made it.
        self._folder: TemporaryFolder | None = None
        all_flags = list(flags)
        if base is not None:
            self._base = (
                base if isinstance(base, Profile) else Profile(_several(base))
            )
            all_flags.append(f"--base={self._files.joined(self._base._inputs)}")
        self._engine = Engine(self._inputs, flags=all_flags)

    # ---- more than a command

    def advise(
        self,
        which: str | None = None,
        *,
        checkers: _commands.Texts | None = None,
        checker_options: _commands.Values | None = None,
    ) -> Answer:
        """Judges the profile by rules, and says what to look at.

        All checkers run, and the worst findings come first, unless `which` is
        "reference" (only the checkers that TensorFlow's profiler has) or
        `checkers` names some.

        Args:
            which: "all" or "reference".
            checkers: Names of checkers, with or without the word Checker, or
                names of rules.
            checker_options: Thresholds, as {"CHECKER.NAME": value}.
        """
        if which not in (None, "all", "reference"):
            raise ValueError(f"which is 'all' or 'reference', not {which!r}")
        options = _commands.given(
            {"checkers": checkers, "checker_options": checker_options}
        )
        if which == "reference":
            options["compatible"] = True
        everything = which == "all" or (which is None and checkers is None)
        return self._ask("advise", ["all"] if everything else [], options)

    def events(self, *, step: int | str | None = None) -> Events:
        """Each execution as a row: what ran, when, on which lane, why.

        `events.links` has the links that the file records, such as launches of
        kernels. The rows have all executions of the profile, or of the step.

        Args:
            step: Only this step. Default: all, and what ran outside of steps.
        """
        # Gigabytes, which go to a file that no name leads to any more: neither
        # process has them in its memory.
        with tempfile.TemporaryDirectory(prefix="tfprof") as folder:
            path = os.path.join(folder, "events.arrows")
            reply = self._reply(
                "rows",
                ["executions", "links"],
                _commands.given({"step": step}),
                output=f"arrow:outfile={path}",
                written=path,
            )
            with Path(path).open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        events = Events(data, _notes(reply))
        dropped = events.facts["steps_without_executions"]
        if dropped:
            _warn(
                f"{dropped} steps have sums only, because their executions "
                "were dropped to save memory."
            )
        return events

    def timeline(
        self,
        *,
        step: int | str | None = None,
        checker_options: _commands.Values | None = None,
    ) -> Timeline:
        """The activities: a row for each device and step, and the trace.

        `.show()` puts the timeline page into a notebook, `.save(path)` writes
        it to a file.

        Args:
            step: Only this step. Default: all.
            checker_options: Thresholds of the findings on the page.
        """
        options = _commands.given(
            {"step": step, "checker_options": checker_options}
        )
        reply, as_text = self._answer("timeline", (), options)
        return Timeline(reply.data, _notes(reply), as_text, self, options)

    def compare(self, other: Input | Sequence[Input] | Profile) -> Profile:
        """This profile with `other` as its base: views show what changed.

        `profile.compare(before).op()` has a row for each kind of operation,
        with the values before and after; the largest change comes first.
        """
        return Profile(self._inputs, base=other, flags=self._flags)

    def check(
        self,
        rules: str | Sequence[str] | os.PathLike[str],
        *,
        base: None | Input | Sequence[Input] | Profile = None,
        noise: float | None = None,
    ) -> Check:
        """Whether this profile keeps rules about changes since a base.

        Args:
            rules: A rule ("op:MatMul.micros > +5%" fails if it is true), a
                list of them, or a Path to a file with a rule a line.
            base: The profile from before; not needed after compare().
            noise: Changes up to this percentage are noise.
        """
        if base is not None:
            return self.compare(base).check(rules, noise=noise)
        if self._base is None:
            raise TypeError("check needs a base: check(rules, base=before)")
        options: dict[str, Any] = _commands.given({"noise": noise})
        if isinstance(rules, str):
            options["fail_if"] = [rules]
        elif isinstance(rules, os.PathLike):
            options["rules"] = os.path.abspath(rules)
        else:
            options["fail_if"] = list(rules)
        files = [
            self._files.joined(self._base._inputs),
            self._files.joined(self._inputs),
        ]

        reply, as_text = self._answer("check", files, options, verdict=True)
        return Check(reply.data, _notes(reply), as_text, reply.status == 0)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        keep_environment: bool = False,
    ) -> None:
        """Writes everything that was loaded into one file.

        Args:
            path: The file.
            force: Replace a file that exists.
            keep_environment: Keep the homes of users in paths, which are ~
                without it, and the names of hosts.
        """
        options = {
            "force": bool(force),
            "keep_environment": bool(keep_environment),
        }
        self._reply("save", [os.path.abspath(path)], options)

    def convert(
        self,
        to: str,
        *,
        steps: _commands.Texts | None = None,
        keep_environment: bool = False,
    ) -> None:
        """Writes the profile, or some of its steps, in another form.

        Args:
            to: "profile:outfile=FILE" for one ProfileProto, or
                "files:outdir=FOLDER" for graph.pb, op_log.pb and
                run_meta_STEP.pb.
            steps: The steps, as numbers or ranges "3-7". Default: all.
            keep_environment: Keep the homes of users in paths, which are ~
                without it, and the names of hosts.
        """
        kind, equals, path = to.partition("=")
        if equals:
            to = f"{kind}={os.path.abspath(path)}"
        options = _commands.given({"to": to, "steps": steps})
        options["keep_environment"] = bool(keep_environment)
        self._reply("convert", options=options)

    # ---- the process

    def close(self) -> None:
        """Ends the process of the program and removes temporary files."""
        self._engine.close()
        self._files.close()
        if self._folder is not None:
            self._folder.close()

    def __enter__(self) -> Profile:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        names = [
            "bytes" if isinstance(one, bytes) else repr(one)
            for one in self._inputs
        ]
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        since = " compared with a base" if self._base else ""
        return f"<tfprof.Profile of {shown}{since}>"

    def _repr_html_(self) -> str:
        return (self.op() if self._base else self.overview())._repr_html_()

    def _ask(
        self, command: str, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Answer:
        if command in VIEWS:
            options = self._with_defaults(options)

        reply, as_text = self._answer(command, arguments, options)
        return Answer(reply.data, _notes(reply), as_text)

    def _answer(
        self,
        command: str,
        arguments: Sequence[Any],
        options: dict[str, Any],
        verdict: bool = False,
    ) -> tuple[Reply, Callable[[str], str]]:
        """The answer as JSON, and a function that asks for it as text."""

        def as_text(output: str) -> str:
            given = options
            if output == "text" and command in REPORTS:
                given = {**options, "compatible": True}
            reply = self._reply(command, arguments, given, output, verdict)
            return reply.data.decode("utf-8", "replace")

        return self._reply(
            command, arguments, options, "json", verdict
        ), as_text

    def _with_defaults(self, options: dict[str, Any]) -> dict[str, Any]:
        """All rows, and the largest first: what a data frame should have."""
        options = {"max_depth": ALL_ROWS, **options}
        # A comparison has an order of its own, the size of the change.
        if "order_by" not in options and self._base is None:
            selected = _list_value("select", options.get("select", "micros"))
            ordered = (w for w in selected if w not in _commands.UNORDERED)
            options["order_by"] = next(ordered, "name")
        return options

    def _reply(
        self,
        command: str,
        arguments: Sequence[Any] = (),
        options: Mapping[str, Any] | None = None,
        output: str = "text",
        verdict: bool = False,
        written: str = "",
    ) -> Reply:
        """Asks the program. Raises Error if it gives no answer.

        `written` is the file of an answer that goes to one.
        """
        reply = self._engine.ask(
            command,
            *(
                os.fspath(a) if isinstance(a, os.PathLike) else str(a)
                for a in arguments
            ),
            output=output,
            options=_encode(options or {}),
        )
        reply = reply._replace(
            messages=[
                {**m, "text": in_python(m["text"], self._engine.memory_paths())}
                for m in reply.messages
            ]
        )
        failed = reply.status != 0 and not (verdict and reply.status == 1)
        # If a file is damaged, the answer about the rest comes with a warning.
        answered = os.path.exists(written) if written else bool(reply.data)
        if failed and (reply.status != 1 or not answered):
            errors = [m for m in reply.messages if m["level"] == "error"]
            texts = [m["text"].strip() for m in errors or reply.messages]
            raise Error("\n".join(texts) or f"{command}: status {reply.status}")
        return reply


class Timeline(Answer):
    """The activities of a profile as rows, as a page and as a trace."""

    def __init__(
        self,
        data: bytes,
        notes: list[Note],
        as_text: Callable[[str], str],
        profile: Profile,
        options: dict[str, Any],
    ) -> None:
        super().__init__(data, notes, as_text)
        self._profile = profile
        self._options = options

    def _repr_html_(self) -> str:
        """What the devices did in a typical step, and the tables."""
        try:
            picture = pictures.lead(
                self._profile.lanes(step=self._options.get("step"))
            )[0]
        except Error:
            picture = ""  # no times
        return (
            f'<div class="tfprof">{picture}'
            "<p>All events are in the page: <code>timeline.show()</code> puts "
            "it here, <code>timeline.save('t.html')</code> into a file.</p>"
            f"<details><summary>the numbers of each step</summary>"
            f"{super()._repr_html_()}</details></div>"
        )

    def html(self) -> str:
        """The timeline page: one file that needs no network."""
        return self._written("html", "page.html", {}).decode()

    def show(self, height: int = 700) -> Any:
        """The page in a cell of a notebook, `height` pixels high."""
        return _html.frame(self.html(), height)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        compatible: bool | None = None,
        show_dataflow: bool | None = None,
        show_memory: bool | None = None,
        op_time: str | None = None,
    ) -> None:
        """Writes a trace; the end of the name says which.

        .html is the page, .json trace events for chrome://tracing and
        Perfetto, .pftrace Perfetto's own format. With .gz it is compressed.

        Args:
            path: The file. It is replaced when the new one is complete.
            compatible: The events that TensorFlow's class Timeline writes.
            show_dataflow: Arrows from producers to consumers. Default: true.
            show_memory: With compatible: outputs and counters of memory.
            op_time: With compatible: "schedule", "gpu" or "all".
        """
        name = os.path.basename(os.fspath(path))
        stem = name[:-3] if name.endswith(".gz") else name
        output = _TIMELINES.get(os.path.splitext(stem)[1])
        if output is None or (output == "html" and stem != name):
            raise ValueError(
                f"{name}: a timeline is a file .html, .json, .json.gz, "
                ".pftrace or .pftrace.gz"
            )
        given = _commands.given(
            {
                "compatible": compatible,
                "show_dataflow": show_dataflow,
                "show_memory": show_memory,
                "op_time": op_time,
            }
        )
        suffix = "timeline.gz" if stem != name else "timeline"
        write_atomically(path, [self._written(output, suffix, given)])

    def _written(
        self, output: str, name: str, options: dict[str, Any]
    ) -> bytes:
        """The file that `-output TYPE:outfile=FILE` writes."""
        # The path of the user may have characters that -output divides at.
        with tempfile.TemporaryDirectory(prefix="tfprof") as folder:
            path = os.path.join(folder, name)
            self._profile._reply(
                "timeline",
                options={**self._options, **options},
                output=f"{output}:outfile={path}",
            )
            return Path(path).read_bytes()


class _TemporaryFiles:
    """Files for inputs that are bytes where the program takes only paths."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._names: dict[int, str] = {}

    def joined(self, inputs: Iterable[str | bytes]) -> str:
        """The inputs as one word of the command line."""
        return ",".join(
            one if isinstance(one, str) else self._name(one) for one in inputs
        )

    def _name(self, data: bytes) -> str:
        if id(data) not in self._names:
            if self._folder is None:
                self._folder = TemporaryFolder()
            path = os.path.join(self._folder.name, f"input{len(self._names)}")
            Path(path).write_bytes(data)
            self._names[id(data)] = path
        return self._names[id(data)]

    def close(self) -> None:
        if self._folder is not None:
            self._folder.close()
        self._folder = None
        self._names.clear()


def _several(value: Input | Sequence[Input]) -> list[Input]:
    if isinstance(value, (list, tuple)):
        if not value:
            raise ValueError("no file to open")
        return list(value)
    return [value]


def _input(value: Input) -> str | bytes:
    """An absolute path, or the content of a file."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if hasattr(value, "SerializeToString"):
        content: bytes = value.SerializeToString()
        return content
    path = os.fspath(value)
    if not isinstance(path, str):
        path = os.fsdecode(path)
    step = _STEP_PREFIX.match(path)
    prefix = step.group() if step and not os.path.exists(path) else ""
    given = path[len(prefix) :]
    path = os.path.abspath(given)
    if not given or not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), given)
    if not os.path.isfile(path) and not os.path.isdir(path):
        raise ValueError(
            f"{given} is a pipe, socket or device: give its content as bytes"
        )
    # The standard input of the program is not that of this process.
    if path.startswith(("/dev/", "/proc/")):
        path = os.path.realpath(path)
    return prefix + path


def _list_value(name: str, value: Any) -> list[str]:
    """The elements of an option that is a list."""
    if isinstance(value, Mapping):
        return [f"{key}={one}" for key, one in value.items()]
    if not isinstance(value, str):
        return [str(one) for one in value] if _iterable(value) else [str(value)]
    # A regular expression may have commas, the name of a choice has none.
    choices = _commands.LISTS.get(name)
    return value.split(",") if choices else [value]


def _iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes)


def _encode(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the program names them, with values for JSON."""
    return {
        name.replace("fail_if", "fail-if"): (
            _list_value(name, value) if name in _commands.LISTS else value
        )
        for name, value in options.items()
    }


def _notes(reply: Reply) -> list[Note]:
    """The messages of the program. Warnings become Python's."""
    notes = [Note(m["level"], m["text"]) for m in reply.messages]
    for note in notes:
        if note.level == "warning":
            _warn(note.text)
    return notes


def _warn(text: str) -> None:
    """A warning at the line of the caller of the package."""
    depth = 2
    while (
        sys._getframe(depth - 1)
        .f_globals.get("__name__", "")
        .startswith("tfprof.")
    ):
        depth += 1
    warnings.warn(text, ProfileWarning, stacklevel=depth)
