"""A small recorded profile of TensorFlow, and captures of what is printed."""

import gzip
import io
import os
import sys
import tempfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_FOLDERS = (
    os.path.join(_HERE, "..", "..", "tests", "golden", "profiles"),
    os.path.join("tests", "golden", "profiles"),  # where Bazel runs tests
)
MICROS = 29959  # of the run


def _read(name):
    for folder in _FOLDERS:
        path = os.path.join(folder, "mlp_tiny", name + ".gz")
        if os.path.exists(path):
            with gzip.open(path) as file:
                return file.read()
    raise FileNotFoundError(name)


def graph():
    return _read("graph.pb")


def run_meta():
    return _read("run_meta_0")


def op_log():
    return _read("op_log")


class Stdout:
    """Captures the file descriptor 1."""

    def __enter__(self):
        sys.stdout.flush()
        self._file, self._old = tempfile.TemporaryFile(), os.dup(1)
        os.dup2(self._file.fileno(), 1)
        return self

    def __exit__(self, *unused):
        sys.stdout.flush()
        os.dup2(self._old, 1)
        os.close(self._old)
        self._file.seek(0)
        self.text = self._file.read().decode()
        self._file.close()


class Stderr:
    """Captures sys.stderr."""

    def __enter__(self):
        self._old, sys.stderr = sys.stderr, io.StringIO()
        return self

    def __exit__(self, *unused):
        self.text = sys.stderr.getvalue()
        sys.stderr = self._old


class Folder:
    """A current folder of its own."""

    def __enter__(self):
        self._old = os.getcwd()
        self._made = tempfile.TemporaryDirectory()
        os.chdir(self._made.name)
        return os.getcwd()

    def __exit__(self, *unused):
        os.chdir(self._old)
        self._made.cleanup()
