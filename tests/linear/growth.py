"""What a command costs on a shape of n things and of more, and whether the cost
grows faster than the input.

Cost is the CPU time of the process, which other programs on the machine hardly
change, and its largest memory. Nothing here looks at the clock.
"""

import dataclasses
import multiprocessing
import os
import resource
import shutil
import subprocess

import json_shapes  # noqa: F401  (they register their shapes)
import log_shapes  # noqa: F401
import message_shapes  # noqa: F401
from shape import SHAPES

MEGABYTE = 1 << 20
# The commands that users run. FILE is replaced by a file that does not exist.
COMMANDS = {
    "first": [],
    "op": ["op"],
    "scope": ["scope"],
    "graph": ["graph"],
    "code": ["code"],
    "steps": ["steps"],
    "devices": ["devices"],
    "lanes": ["lanes"],
    "kernels": ["kernels"],
    "explain": ["explain"],
    "advise": ["advise", "all"],
    "critical_path": ["critical_path"],
    "timeline": ["timeline"],
    "trace": ["timeline", "FILE.json"],
    "page": ["timeline", "FILE.html"],
    "skew": ["skew"],
    "memory": ["memory"],
    "doctor": ["doctor"],
    "flame": ["flame"],
    "status": ["status"],
    "save": ["save", "FILE.pb"],
}


@dataclasses.dataclass
class Cost:
    status: int  # negative: the signal that ended the program
    cpu: float  # seconds
    memory: int  # bytes
    err: str


class Input:
    """A file or folder with a shape of n things, which close() removes."""

    def __init__(self, shape, n, folder):
        self.path = os.path.join(
            folder, "%s_%d%s" % (shape.name, n, shape.suffix)
        )
        self.argument = shape.flag + self.path
        # A child makes the file: the largest memory of a program that is
        # started is at least that of the process that starts it.
        child = multiprocessing.Process(
            target=_write, args=(shape, n, self.path)
        )
        child.start()
        child.join()
        if child.exitcode != 0:
            raise RuntimeError("cannot make %s of %d" % (shape.name, n))
        self.bytes = _size(self.path)

    def close(self):
        if os.path.isdir(self.path):
            shutil.rmtree(self.path)
        else:
            os.remove(self.path)


def _write(shape, n, path):
    content = shape.make(n)
    if isinstance(content, bytes):
        content = {"": content}
    else:
        os.mkdir(path)
    for name, data in content.items():
        with open(os.path.join(path, name) if name else path, "wb") as file:
            file.write(data)


def _size(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(e.stat().st_size for e in os.scandir(path))


def run(binary, arguments, folder, cpu_seconds=100, script=""):
    """Runs the program, with lines of a script as its standard input."""

    def limit():
        limits = (cpu_seconds, cpu_seconds + 1)
        resource.setrlimit(resource.RLIMIT_CPU, limits)
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    err_path = os.path.join(folder, "stderr")
    in_path = os.path.join(folder, "stdin")
    with open(in_path, "w", encoding="utf-8") as file:
        file.write(script)
    with open(err_path, "wb") as err, open(in_path, "rb") as lines:
        child = subprocess.Popen(
            [binary, *arguments],
            stdin=lines,
            stdout=subprocess.DEVNULL,
            stderr=err,
            preexec_fn=limit,
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(err_path, "rb") as err:
        text = err.read().decode("utf-8", "backslashreplace")
    for name in os.listdir(folder):
        if name.startswith("FILE"):
            os.remove(os.path.join(folder, name))
    return Cost(
        child.returncode,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        text,
    )


def words(command, folder):
    """The arguments of a command; its file is in `folder`."""
    return [
        os.path.join(folder, word) if word.startswith("FILE") else word
        for word in COMMANDS[command]
    ]


def chosen(prefixes):
    """The shapes whose names begin with one of `prefixes`; all without any."""
    return [
        shape
        for name, shape in SHAPES.items()
        if not prefixes or name.startswith(tuple(prefixes))
    ]
