"""Files that are written completely or not at all, and temporary folders."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable


class TemporaryFolder:
    """A folder that goes with this object, in the process that made it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="tfprof")
        # A forked child must not remove it when it ends.
        self.close = weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)


def write_atomically(
    path: str | os.PathLike[str], pieces: Iterable[bytes]
) -> int:
    """Writes a file under another name first, and returns its size.

    In any case, even if a signal handler raises, `path` is the old file or the
    complete new one, and nothing else stays in the folder. A
    process that is killed leaves a hidden file ".NAME.….tmp".
    """
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    size = 0
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(".tmp", f".{name}.", folder)
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                size += file.write(piece)
        # mkstemp makes files for their owner alone; open() goes by the umask.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    finally:
        if temporary is not None:
            try:
                os.unlink(temporary)
            except OSError:
                pass
    return size


def _umask() -> int:
    """The umask of the process, which os can only read by setting it."""
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"Umask:"):
                    return int(line.split()[1], 8)
    except OSError:
        pass
    return 0o077


class MemoryFile:
    """Bytes that another process can read as a file.

    `path` is for a child that inherits the descriptor `fd`, if it is not -1.
    `shared_path` is for any process of this user, such as a running child.
    """

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self.fd, self._folder = -1, ""
        if hasattr(os, "memfd_create") and os.path.isdir("/dev/fd"):
            try:
                self.fd = os.memfd_create("tfprof")
            except OSError:
                pass
        if self.fd >= 0:
            self.path = f"/dev/fd/{self.fd}"
            self.shared_path = f"/proc/{os.getpid()}/fd/{self.fd}"
            target = self.fd
        else:
            self._folder = tempfile.mkdtemp(prefix="tfprof")
            self.path = os.path.join(self._folder, "input")
            self.shared_path = self.path
            target = os.open(
                self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600
            )
        try:
            rest = memoryview(data).cast("B")
            while rest:
                rest = rest[os.write(target, rest) :]
        except BaseException:
            self.close()
            raise
        finally:
            if self._folder:
                os.close(target)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""
