"""Dumps that do not disturb a training.

A `Dumper` writes files on a thread of its own. Waiting files are limited in
number and bytes, written ones in bytes, and each file is written completely or
not at all. `put` neither blocks nor raises: a file that cannot be written is
dropped, and the log says why, once for each reason.
"""

from __future__ import annotations

import atexit
import collections
import logging
import os
import threading
import time
import weakref
from typing import Callable, Union

from tfprof._engine.files import write_atomically

LOG = logging.getLogger("tfprof")

Content = Union[bytes, Callable[[], bytes]]


# The longest reason that is logged, and how many different ones.
MAX_REASON = 300
MAX_REASONS = 20


def one_line(text: str) -> str:
    """A text from elsewhere as one short line that no terminal obeys."""
    line = "".join(c if c.isprintable() else " " for c in text[:MAX_REASON])
    return line if len(text) <= MAX_REASON else f"{line}…"


class Once:
    """Logs a problem the first time that it has a reason.

    Reasons may come from elsewhere: each is one line, and after some different
    ones no further are logged.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._said: set[str] = set()

    def warn(self, reason: str, error: BaseException | None = None) -> None:
        reason = one_line(reason)
        if reason in self._said or len(self._said) > MAX_REASONS:
            return
        self._said.add(reason)
        if len(self._said) > MAX_REASONS:
            LOG.warning("%s: further problems are not logged", self._what)
            return
        because = f": {type(error).__name__}: {error}" if error else ""
        LOG.warning(
            "%s: %s%s; the program goes on, and this is said once",
            self._what,
            reason,
            one_line(because),
        )


class Dumper:
    """Writes files of one folder in the background.

    Args:
        folder: The folder; it is made with the first file.
        max_waiting: How many files may wait to be written.
        max_waiting_bytes: How many bytes of them; contents that are functions
            count when they are made, one at a time.
        max_bytes: How many bytes all files together may have.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        max_waiting: int = 8,
        max_waiting_bytes: int = 256 << 20,
        max_bytes: int = 2 << 30,
    ) -> None:
        self.folder = os.path.abspath(folder)
        self.once = Once(f"tfprof: profiles in {self.folder}")
        self._max_waiting = max_waiting
        self._max_waiting_bytes = max_waiting_bytes
        self._max_bytes = max_bytes
        self._written = 0
        self._start_empty()
        _dumpers.add(self)

    def _start_empty(self) -> None:
        """The first state; a forked child, which has no thread, gets it too."""
        self._changed = threading.Condition()
        self._waiting: collections.deque[tuple[str, Content]] = (
            collections.deque()
        )
        self._waiting_bytes = 0
        self._busy = False
        self._thread: threading.Thread | None = None

    def put(self, name: str, content: Content) -> bool:
        """Queues a file; a function makes its content on the other thread.

        False: it was dropped.
        """
        size = len(content) if isinstance(content, bytes) else 0
        with self._changed:
            if len(self._waiting) >= self._max_waiting:
                self.once.warn("files come faster than they are written")
                return False
            if self._waiting_bytes + size > self._max_waiting_bytes:
                self.once.warn("too many bytes wait to be written")
                return False
            if self._thread is None:
                thread = threading.Thread(
                    target=self._run, name="tfprof dumps", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError as error:  # no more threads
                    self.once.warn("cannot start a thread", error)
                    return False
                self._thread = thread
            self._waiting.append((name, content))
            self._waiting_bytes += size
            self._changed.notify_all()
        return True

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all is written; False: `timeout` seconds were too few."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while self._waiting or self._busy:
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                while not self._waiting:
                    self._changed.wait()
                name, content = self._waiting.popleft()
                if isinstance(content, bytes):
                    self._waiting_bytes -= len(content)
                self._busy = True
            self._write(name, content)
            del content

    def _write(self, name: str, content: Content) -> None:
        try:
            data = content if isinstance(content, bytes) else content()
            if self._written + len(data) > self._max_bytes:
                self.once.warn(
                    f"the limit of {self._max_bytes} bytes on disk is reached"
                )
                return
            os.makedirs(self.folder, exist_ok=True)
            self._written += write_atomically(
                os.path.join(self.folder, name), [data]
            )
        except BaseException as error:  # this thread must go on
            self.once.warn(f"cannot write {name}", error)


_dumpers: weakref.WeakSet[Dumper] = weakref.WeakSet()
# At the end of the interpreter, waiting files get this many seconds.
EXIT_SECONDS = 10.0


def _finish() -> None:
    end = time.monotonic() + EXIT_SECONDS
    for dumper in list(_dumpers):
        if not dumper.flush(max(end - time.monotonic(), 0)):
            dumper.once.warn("the program ended before all was written")


def _after_fork() -> None:
    for dumper in list(_dumpers):
        dumper._start_empty()


atexit.register(_finish)
os.register_at_fork(after_in_child=_after_fork)
