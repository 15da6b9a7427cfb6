"""The one engine: a child program `tfprof pipe` that answers requests.

    engine = Engine(["run/"], flags=["--threads=2"])
    reply = engine.ask("op", options={"order_by": "micros"}, output="json")
    reply.status, reply.messages, reply.data
    engine.close()

A request is a line of JSON, a reply a line of JSON and then bytes;
g3doc/pipe.md describes both. The child starts with the first request and stays.
Inputs are paths, or bytes, which it reads from memory. Any thread may ask;
requests wait for each other. After os.fork() each process has a child of its
own. A child that dies raises EngineError and is started again by the next
request, which has then lost what earlier requests did to it ("add", "load",
"set"): `generation` counts the children. An interrupt (Ctrl-C) cancels the
request and is raised. The child ends with close(), with the last reference, or
with the interpreter.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple, Union

from tfprof._engine.files import MemoryFile

# How long a child may take to end, or to answer a cancelled request.
_PATIENCE_SECONDS = 2.0
_STDERR_BYTES = 4096
_STDERR_LINES = 5

Input = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]


class EngineError(RuntimeError):
    """The program could not be started, or died before it answered."""


class Reply(NamedTuple):
    """The answer of the program."""

    status: int  # 0; 1: it failed, or the verdict is negative; 2: bad request
    messages: list[dict[str, str]]  # {"level": "error", "text": "…"}
    data: bytes


def find_program() -> str:
    """The path of the program; EngineError says where it was looked for."""
    given = os.environ.get("TFPROF_BINARY")
    if given:
        if os.access(given, os.X_OK) and not os.path.isdir(given):
            return given
        raise EngineError(f"TFPROF_BINARY is {given}, which is no program")
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", _user_scheme()),
        os.path.dirname(sys.executable) if sys.executable else "",
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    ]
    for folder in folders:
        path = os.path.join(folder or "", "tfprof")
        if folder and _is_program(path):
            return path
    path = shutil.which("tfprof") or ""
    if path and _is_program(path):
        return path
    raise EngineError(
        "there is no program tfprof in "
        + ", ".join(f for f in folders if f)
        + " or on PATH; set TFPROF_BINARY to its path"
    )


def _user_scheme() -> str:
    return "nt_user" if os.name == "nt" else "posix_user"


def _is_program(path: str) -> bool:
    """Rejects a script: it would start Python, and then this package."""
    try:
        with open(path, "rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False


class _Child:
    """A running program and its pipes. Its owner has the lock."""

    def __init__(
        self, inputs: Sequence[str | MemoryFile], flags: Sequence[str]
    ) -> None:
        self.pid = os.getpid()  # of the process that owns it
        self.answered = False
        self._rest = b""  # bytes that were read after a reply
        self._stderr: IO[bytes] = tempfile.TemporaryFile()
        fds = []
        words = [find_program(), "pipe", *flags, "--"]
        for one in inputs:
            if isinstance(one, MemoryFile):
                if one.fd >= 0:
                    fds.append(one.fd)
                words.append(one.path)
            else:
                words.append(one)
        for flag in flags:
            fds += [fd for fd in _fds_in(flag) if fd not in fds]
        try:
            # A session of its own: Ctrl-C goes to Python only.
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                pass_fds=fds,
                start_new_session=True,
                env={**os.environ, "TFPROF_AGENT": "0"},
            )
        except OSError as error:
            self._stderr.close()
            raise EngineError(
                f"{words[0]} cannot be started: {error}"
            ) from error
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._program = words[0]
        self._stdin = self.process.stdin
        self._stdout = self.process.stdout

    def ask(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        """EngineError: the child died, or did not answer as it should."""
        try:
            self._write(line)
            header = json.loads(self._line())
            data = self._bytes(int(header["bytes"]))
        except (OSError, EOFError):
            raise self._died() from None
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError(
                f"{self._program} does not speak as expected "
                f"({error}); is it another version?"
            ) from None
        self.answered = True
        return header, data

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._stdin.fileno(), rest) :]

    def _read(self, size: int) -> bytes:
        piece = os.read(self._stdout.fileno(), size)
        if not piece:
            raise EOFError
        return piece

    def _line(self) -> bytes:
        text = self._rest
        pieces = [text]
        while b"\n" not in text:
            text = self._read(1 << 16)
            pieces.append(text)
        line, _, self._rest = b"".join(pieces).partition(b"\n")
        return line

    def _bytes(self, size: int) -> bytes:
        if size <= len(self._rest):
            data, self._rest = self._rest[:size], self._rest[size:]
            return data
        whole = bytearray(size)
        have = len(self._rest)
        whole[:have], self._rest = self._rest, b""
        view, fd = memoryview(whole), self._stdout.fileno()
        while have < size:
            count = os.readv(fd, [view[have:]])
            if count == 0:
                raise EOFError
            have += count
        view.release()
        return bytes(whole)

    def cancel(self) -> bool:
        """Cancels the request that is being answered and drops its reply.

        False: the child cannot go on, and must be ended.
        """
        if not self.answered or self._rest:
            return False
        out = self._stdout.fileno()
        tries = int(_PATIENCE_SECONDS / 0.1)
        try:
            for _ in range(tries):
                self.process.send_signal(signal.SIGINT)
                if select.select([out], [], [], 0.1)[0]:
                    header = json.loads(self._line())
                    self._bytes(int(header["bytes"]))
                    return True
        except (OSError, EOFError, ValueError, KeyError):
            pass
        return False

    def _died(self) -> EngineError:
        self._stop()
        code = self.process.returncode
        if code is not None and code < 0:
            try:
                how = f"was ended by {signal.Signals(-code).name}"
            except ValueError:
                how = f"was ended by signal {-code}"
        else:
            how = f"ended with status {code}"
        text = f"tfprof {how} before it answered"
        said = self._said()
        self._stderr.close()
        return EngineError(f"{text}:\n{said}" if said else text)

    def _said(self) -> str:
        try:
            size = self._stderr.seek(0, os.SEEK_END)
            self._stderr.seek(max(0, size - _STDERR_BYTES))
            text = self._stderr.read().decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""
        return "\n".join(text.strip().splitlines()[-_STDERR_LINES:])

    def end(self) -> None:
        """Ends the child and waits for it. Safe to call again."""
        self._stop()
        self._stderr.close()

    def _stop(self) -> None:
        process = self.process
        if self.pid != os.getpid():
            # The child of another process: only the pipes are ours to close.
            for pipe in (self._stdin, self._stdout):
                pipe.close()
            process.returncode = 0  # so that nobody waits for it
            return
        try:
            self._stdin.close()
        except OSError:
            pass
        try:
            process.wait(0 if process.poll() is not None else 0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._stdout.close()


def _fds_in(flag: str) -> list[int]:
    """The descriptors N of the paths /dev/fd/N in a flag."""
    fds = []
    for part in flag.replace("=", ",").replace(":", ",").split(","):
        number = part[len("/dev/fd/") :]
        if part.startswith("/dev/fd/") and number.isdigit():
            fds.append(int(number))
    return fds


# The engines that may have a child, to end it with the interpreter.
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


class Engine:
    """See the top of the file. The inputs may be empty: "load" opens some."""

    def __init__(self, files: Sequence[Input] = (), flags: Sequence[str] = ()):
        if isinstance(files, (str, bytes)):
            raise TypeError("files is a sequence of paths and bytes")
        self._inputs: list[str | MemoryFile] = []
        self._flags = [os.fspath(flag) for flag in flags]
        self._lock = threading.RLock()
        self._child: _Child | None = None
        self._pid = os.getpid()
        self._count = 0
        self._closed = False
        self.generation = 0
        try:
            for one in files:
                if isinstance(one, (bytes, bytearray, memoryview)):
                    self._inputs.append(MemoryFile(one))
                else:
                    self._inputs.append(os.fsdecode(os.fspath(one)))
        except BaseException:
            self.close()
            raise
        _engines.add(self)

    def ask(
        self,
        command: str,
        *arguments: str,
        output: str = "text",
        options: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The program's answer to one command.

        Options have the names of the option table without a dash; their values
        are strings, numbers, booleans or sequences of them. Options that are
        None are left out.
        """
        given = {k: v for k, v in (options or {}).items() if v is not None}
        with self._locked():
            self._count += 1
            request = {
                "id": self._count,
                "command": command,
                "arguments": [os.fspath(a) for a in arguments],
                "options": given,
                "output": output,
            }
            text = json.dumps(request, ensure_ascii=False, default=_as_json)
            line = text.encode("utf-8", "surrogateescape") + b"\n"
            header, data = self._ask(line)
        if header.get("id") != request["id"]:
            self.close_child()
            raise EngineError(
                f"tfprof answered request {header.get('id')} instead of "
                f"{request['id']}"
            )
        return Reply(header["status"], header["messages"], data)

    def memory_paths(self) -> list[str]:
        """The paths that the program has for inputs that are bytes."""
        return [one.path for one in self._inputs if isinstance(one, MemoryFile)]

    def _ask(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        child = self._running()
        try:
            return child.ask(line)
        except EngineError:
            self._child = None
            child.end()
            raise
        except BaseException:
            # Ctrl-C, or a signal handler that raises.
            if not child.cancel():
                self._child = None
                child.process.kill()
                child.end()
            raise

    def _running(self) -> _Child:
        if self._closed:
            raise EngineError("the engine is closed")
        if self._child is None:
            self._child = _Child(self._inputs, self._flags)
            self.generation += 1
        return self._child

    def _locked(self) -> Any:
        if self._pid != os.getpid():
            # After os.fork(): another thread may have had the lock, and the
            # child answers to our parent.
            self._pid = os.getpid()
            self._lock = threading.RLock()
            child, self._child = self._child, None
            if child is not None:
                child.end()
        return self._lock

    def close_child(self) -> None:
        """Ends the child; the next request starts another one."""
        with self._locked():
            child, self._child = self._child, None
            if child is not None:
                child.end()

    def close(self) -> None:
        """Ends the child for good. Safe to call again."""
        with self._locked():
            self._closed = True
            self.close_child()
            for one in self._inputs:
                if isinstance(one, MemoryFile):
                    one.close()
            self._inputs = []

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None:
            try:
                self.close()
            except Exception:  # the interpreter may be half gone
                pass


def _as_json(value: Any) -> Any:
    """Sequences that are no lists, and numbers of numpy."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return value.item()
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"an option cannot be a {type(value).__name__}")


@atexit.register
def _end_all() -> None:
    for engine in list(_engines):
        try:
            engine.close_child()
        except Exception:
            pass
