"""Notebooks: `%load_ext tfprof`, and `%%tfprof` around a cell.

    %load_ext tfprof

    %%tfprof
    train_step(batch)

records what runs in the cell with the framework that is loaded (TensorFlow, JAX
or PyTorch) and shows an overview; the profile is then the value
`tfprof_profile` of the notebook. `%%tfprof jax` names the framework, `--save
FILE` keeps the profile, `--quiet` shows nothing.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import types
from typing import Any

from tfprof._engine.files import TemporaryFolder

FRAMEWORKS = {"tensorflow": "tf", "jax": "jax", "torch": "torch"}
RESULT = "tfprof_profile"


class Refused(ValueError):
    """The line of %%tfprof is wrong; the text says why."""


def loaded_framework(names: dict[str, Any]) -> str:
    """The framework that is loaded; of several, the one that `names` use."""
    loaded = [name for name in FRAMEWORKS if name in sys.modules]
    if len(loaded) > 1:
        used = {
            (
                value.__name__ if isinstance(value, types.ModuleType) else ""
            ).partition(".")[0]
            for value in names.values()
        }
        loaded = [name for name in loaded if name in used] or loaded
    if len(loaded) == 1:
        return loaded[0]
    if not loaded:
        raise Refused(
            "no framework is loaded: import tensorflow, jax or torch first"
        )
    raise Refused(
        f"{' and '.join(loaded)} are loaded: say which, as %%tfprof {loaded[0]}"
    )


def _parse(line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="%%tfprof", add_help=False, exit_on_error=False
    )
    parser.add_argument(
        "framework", nargs="?", choices=[*FRAMEWORKS, "tf"], default=None
    )
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--quiet", action="store_true")
    try:
        parsed, rest = parser.parse_known_args(shlex.split(line))
    except (argparse.ArgumentError, ValueError) as error:
        raise Refused(f"%%tfprof: {error}") from None
    if rest:
        raise Refused(
            f"%%tfprof: {rest[0]!r} is not known; "
            "%%tfprof [tensorflow|jax|torch] [--save FILE] [--quiet]"
        )
    return parsed


def _recording(framework: str, folder: str) -> Any:
    """The recorder of a framework, as a context manager with .profile."""
    if framework == "jax":
        from tfprof import jax

        return jax.trace(folder)
    if framework == "torch":
        from tfprof import torch

        return torch.profile(folder)
    from tfprof import tf

    return tf.trace(folder)


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """%%tfprof: runs the cell, records it, and shows what it did."""
    wanted = _parse(line)
    framework = wanted.framework or loaded_framework(shell.user_ns)
    if framework == "tf":
        framework = "tensorflow"
    # The page and later questions read the files, as long as there is a
    # profile.
    folder = TemporaryFolder()
    recording = _recording(framework, folder.name)
    with recording:
        result = shell.run_cell(cell)
    # The error of the cell was shown; what ran before it is worth a look.
    profile = recording.profile
    if profile is None:
        return None
    profile._folder = folder
    shell.user_ns[RESULT] = profile
    if wanted.save:
        profile.save(os.path.expanduser(wanted.save), force=True)
    if wanted.quiet or not result.success:
        return None
    return profile


def load_ipython_extension(shell: Any) -> None:
    """%load_ext tfprof."""

    def magic(line: str, cell: str) -> Any:
        try:
            return run_cell(shell, line, cell)
        except Refused as error:
            from IPython.core.error import UsageError

            raise UsageError(str(error)) from None

    shell.register_magic_function(magic, "cell", "tfprof")


def unload_ipython_extension(shell: Any) -> None:
    """%unload_ext tfprof."""
    shell.magics_manager.magics["cell"].pop("tfprof", None)
