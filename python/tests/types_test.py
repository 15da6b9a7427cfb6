"""The examples of g3doc/python_api.md have no errors for mypy --strict.

mypy comes from the folder of the tools of `./dev lint`. It is installed there
if it is missing, in the version that `./dev` names. Without a package index,
the test is skipped.
"""

import os
import pwd
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from pages import blocks
from places import ROOT

import tfprof

VERSION = "1.20.2"
PAGE = ROOT / "g3doc" / "python_api.md"
# Other packages may have no types, or not be there, as tf.function has none.
SETTINGS = """[mypy]
strict = true
disallow_untyped_decorators = false
python_version = 3.9
[mypy-{modules}]
ignore_missing_imports = true
follow_imports = skip
[mypy-tfprof.*]
follow_imports = silent
"""
MODULES = (
    "IPython",
    "altair",
    "duckdb",
    "jax",
    "matplotlib",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "ray",
    "tensorflow",
    "torch",
)
FRAMEWORKS = ("jax", "torch", "tensorflow")


def home():
    """The tests of Bazel have no HOME."""
    return Path(os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)


def find_mypy():
    """The path of mypy, or why there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home() / ".cache")
    folder = cache / "tfprof-dev" / f"mypy-{VERSION}"
    mypy = folder / "bin" / "mypy"
    if mypy.exists():
        return mypy, ""
    try:
        subprocess.run(
            [sys.executable, "-m", "venv", folder],
            check=True,
            capture_output=True,
            timeout=120,
        )
        subprocess.run(
            [folder / "bin" / "pip", "install", "-q", f"mypy=={VERSION}"],
            check=True,
            capture_output=True,
            timeout=300,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"mypy cannot be installed: {error}"
    return mypy, ""


def program(text, framework):
    """The examples without a framework, and those of one, as one program.

    Lines have the numbers that they have in the page.
    """
    lines = []
    for line, mark, code in blocks(text):
        words = mark.split()
        if words[:1] == ["python"] and not (
            set(words[1:]) & set(FRAMEWORKS) - {framework}
        ):
            lines += [""] * (line - len(lines)) + code.split("\n")
    return "\n".join(lines) + "\n"


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mypy, why = find_mypy()
        if cls.mypy is None:
            raise unittest.SkipTest(why)

    def errors(self, texts):
        """What mypy says about some programs."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            modules = ",".join(f"{one}.*" for one in MODULES)
            (folder / "mypy.ini").write_text(SETTINGS.format(modules=modules))
            for file, text in texts.items():
                (folder / file).write_text(text, "utf-8")
            package = Path(tfprof.__file__).parent.parent
            done = subprocess.run(
                [self.mypy, "--config-file=mypy.ini", "--no-error-summary"]
                + list(texts),
                cwd=folder,
                env={**os.environ, "MYPYPATH": str(package)},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_the_examples_of_the_manual(self):
        text = PAGE.read_text("utf-8")
        texts = {f"{one}_page.py": program(text, one) for one in FRAMEWORKS}
        for one in FRAMEWORKS:
            self.assertIn(f"import {one}", texts[f"{one}_page.py"])
        self.assertEqual(self.errors(texts), "")

    def test_a_mistake_is_found(self):
        found = self.errors(
            {
                "wrong.py": "import tfprof\n"
                "profile = tfprof.open('x')\n"
                "reveal_type(profile.events()[0].start_nanos)\n"
                "reveal_type(profile.op()[0])\n"
                "reveal_type(profile.events()['start_nanos'])\n"
                "reveal_type(profile.events()['name'])\n"
                "reveal_type(profile.events().links['to_id'])\n"
                "profile.events()[0].start\n"
                "profile.op(ordr_by='micros')\n"
                "with tfprof.torch.profile() as recording:\n"
                "    recording.stop()\n"
            }
        )
        lines = re.findall(r"^wrong.py:(\d+): (error|note): (.*)", found, re.M)
        self.assertEqual(
            [int(line) for line, level, _ in lines if level == "error"],
            [8, 9, 11],
        )
        self.assertIn("int | None", lines[0][2])
        self.assertIn("dict[str, Any]", lines[1][2])
        self.assertIn("list[int | None]", lines[2][2])
        self.assertIn("list[str | None]", lines[3][2])
        self.assertIn("list[int]", lines[4][2])
        self.assertIn('"profile" has no attribute "stop"', lines[-1][2])


if __name__ == "__main__":
    unittest.main()
