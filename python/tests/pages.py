"""Runs the Python of a page of g3doc/, and compares what it prints.

A block marked `python` runs, in order, with the names of the blocks before it,
in a scratch folder that has a link to tests/. A block `text` right behind it is
what it prints; a line `…`, or a `…` in a line, stands for anything. A block
marked `python NAME` runs where NAME is: pandas, tensorflow, jax, torch.
"""

import contextlib
import io
import os
import re
import tempfile
import warnings
from pathlib import Path

from places import ROOT

PAGES = (
    "python_api.md",
    "profile_time.md",
    "profile_memory.md",
    "profile_model_architecture.md",
)
_FENCE = re.compile(r"^```(.*)$")


def blocks(text):
    """[(line, mark, content)] of the fenced blocks."""
    found, start = [], None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence and start is None:
            start = number
        elif fence:
            mark = _FENCE.match(lines[start]).group(1).strip()
            found.append(
                (start + 1, mark, "\n".join(lines[start + 1 : number]))
            )
            start = None
    return found


def matches(expected, printed):
    """Whether the output is what the page shows."""
    wanted = [line.rstrip() for line in expected.strip().split("\n")]
    lines = [line.rstrip() for line in printed.strip().split("\n")]
    # How many lines the expected lines so far may stand for.
    counts = {0}
    for want in wanted:
        if want == "…":
            counts = set(range(min(counts), len(lines) + 1))
        else:
            pattern = ".*".join(map(re.escape, want.split("…")))
            counts = {
                count + 1
                for count in counts
                if count < len(lines) and re.fullmatch(pattern, lines[count])
            }
        if not counts:
            return False
    return len(lines) in counts


def run_page(test, name, available):
    """Runs the blocks of a page; `test` is the test case that fails."""
    page = ROOT / "g3doc" / name
    found = blocks(page.read_text("utf-8"))
    names = {"__name__": "page"}
    count = 0
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "tests", Path(folder) / "tests")
        os.chdir(folder)
        try:
            for index, (line, mark, code) in enumerate(found):
                words = mark.split()
                if words[:1] != ["python"] or set(words[1:]) - available:
                    continue
                count += 1
                printed = io.StringIO()
                program = compile("\n" * line + code, str(page), "exec")
                with contextlib.redirect_stdout(printed):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        exec(program, names)
                following = found[index + 1 : index + 2]
                if following and following[0][1] == "text":
                    expected = following[0][2]
                    if not matches(expected, printed.getvalue()):
                        test.fail(
                            f"{name}:{line} prints\n{printed.getvalue()}\n"
                            f"instead of\n{expected}"
                        )
        finally:
            os.chdir(before)
    test.assertGreater(count, 0, name)
