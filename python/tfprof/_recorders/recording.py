"""The base of the recorders of TensorFlow, JAX and PyTorch."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
from typing import Any, Callable, TypeVar

from tfprof._engine import profile as _profile
from tfprof._engine.files import TemporaryFolder
from tfprof._recorders.dumper import Once
from tfprof._recorders.rows import write_rows

_Self = TypeVar("_Self", bound="Recording")


class Recording:
    """A `with` block that the profiler of a framework records.

    Subclasses say how: `_start(folder)`, `_stop()`, and `_result(folder)`, the
    path of what was recorded. An error of theirs is logged and ends the
    recording, never the block. `profile` is opened after the block.
    """

    framework = ""

    def __init__(
        self,
        folder: None | str | os.PathLike[str] = None,
        rows: None | str | os.PathLike[str] = None,
    ) -> None:
        """`rows`: a folder for the rows of the recording (rows.py)."""
        self._rows = None if rows is None else os.path.abspath(rows)
        self._temporary: TemporaryFolder | None = None
        if folder is None:
            self._temporary = TemporaryFolder()
            folder = self._temporary.name
        self.folder = os.path.abspath(folder)
        self.recording = False
        self.once = Once(f"tfprof: recording {self.framework}")
        self._profile: _profile.Profile | None = None
        self._path: str | None = None

    def _start(self, folder: str) -> None:
        raise NotImplementedError

    def _stop(self) -> None:
        raise NotImplementedError

    def _result(self, folder: str) -> str | None:
        raise NotImplementedError

    def guard(self, what: str, call: Callable[[], Any]) -> bool:
        """Whether the call worked; an error is logged."""
        try:
            call()
            return True
        except Exception as error:
            self.once.warn(what, error)
            return False

    def __enter__(self: _Self) -> _Self:
        self.recording = self.guard(
            "cannot start", lambda: self._start(self.folder)
        )
        return self

    def __exit__(self, *unused: Any) -> None:
        if not self.recording:
            return
        self.recording = False
        if not self.guard("cannot stop", self._stop):
            return
        self._path = self._result(self.folder)
        if self._path is None:
            self.once.warn(f"nothing was recorded in {self.folder}")
        elif self._rows is not None:
            trace, rows = self._path, self._rows
            self.guard(
                f"cannot write rows into {rows}",
                lambda: write_rows(trace, rows),
            )

    @property
    def profile(self) -> _profile.Profile | None:
        """The recording, opened; None if there is none."""
        if self._profile is None and self._path is not None:
            self._profile = _profile.open(self._path)
            # The profile reads the files while it is open.
            self._profile._folder = self._temporary
        return self._profile


class XPlaneRecording(Recording):
    """A recording whose framework writes plugins/profile/RUN/*.xplane.pb.

    It writes into a hidden folder, which gets its name when it is complete.
    Subclasses have `_begin(folder)`, `_end()` and `_mark(number)`.
    """

    def _begin(self, folder: str) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError

    def _mark(self, number: int) -> Any:
        raise NotImplementedError

    def step(self, number: int) -> Any:
        """Marks a step: `with recording.step(3): …`."""
        if not self.recording:
            return contextlib.nullcontext()
        return self._mark(number)

    def _start(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._draft = tempfile.mkdtemp(prefix=".tfprof", dir=folder)
        try:
            self._begin(self._draft)
        except BaseException:
            shutil.rmtree(self._draft, ignore_errors=True)
            raise

    def _stop(self) -> None:
        try:
            self._end()
            run = newest_run(self._draft)
            if run is None:
                return
            runs = os.path.join(self.folder, "plugins", "profile")
            os.makedirs(runs, exist_ok=True)
            name = path = os.path.join(runs, os.path.basename(run))
            number = 1
            while os.path.exists(path):  # the names have whole seconds
                number += 1
                path = f"{name}_{number}"
            os.rename(run, path)
            self._run = path
        finally:
            shutil.rmtree(self._draft, ignore_errors=True)

    _run: str | None = None

    def _result(self, folder: str) -> str | None:
        return self._run


def newest_run(folder: str) -> str | None:
    """The folder of the newest *.xplane.pb in `folder`."""
    runs = [
        os.path.dirname(path)
        for path in glob.iglob(
            os.path.join(
                glob.escape(folder), "plugins", "profile", "*", "*.xplane.pb"
            )
        )
    ]
    return max(runs, key=os.path.getmtime, default=None)
