"""Builds the wheel and the source distribution (PEP 517), with Python alone.

A wheel is a zip file: the package python/tfprof, the program as a script
(tfprof-VERSION.data/scripts/tfprof, which pip puts beside `python` and makes
executable), and the text files of metadata. Two modules of the package are made
by the program (make_commands.py). The source distribution has the files that
git tracks, without the tests and benchmarks of the whole program.

The program comes from `./dev build`, or from the file that TFPROF_BINARY names.
It must be fully static: the tag promises that it runs on any Linux.

The same sources give the same bytes: entries are sorted and have the time
SOURCE_DATE_EPOCH, or 1980-01-01, and fixed modes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import struct
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path

from make_commands import generated, version

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "tfprof"
TAG = "py3-none-manylinux2014_x86_64"
EARLIEST = 315532800  # 1980-01-01, where the time of zip files begins
# They test the whole project, and need more than a build.
NOT_IN_SOURCES = ("tests/", "bench/", ".ci/")

METADATA = """\
Metadata-Version: 2.4
Name: tfprof
Version: {version}
Summary: Where the time and the memory of a machine learning program go
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: profiler,tensorflow,jax,pytorch,onnx
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Developers
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas ; extra == 'pandas'
Provides-Extra: fleet
Requires-Dist: duckdb ; extra == 'fleet'
Requires-Dist: pyarrow ; extra == 'fleet'
Provides-Extra: spark
Requires-Dist: duckdb ; extra == 'spark'
Requires-Dist: pyarrow ; extra == 'spark'
Requires-Dist: pyspark >=3.5 ; extra == 'spark'
Provides-Extra: ray
Requires-Dist: duckdb ; extra == 'ray'
Requires-Dist: pyarrow ; extra == 'ray'
Requires-Dist: ray ; extra == 'ray'
Provides-Extra: notebook
Requires-Dist: ipython ; extra == 'notebook'
Requires-Dist: matplotlib ; extra == 'notebook'
Requires-Dist: pandas ; extra == 'notebook'
Description-Content-Type: text/markdown

{description}"""

WHEEL = f"""\
Wheel-Version: 1.0
Generator: tfprof
Root-Is-Purelib: false
Tag: {TAG}
"""

# `tfprof` is the program itself, in scripts.
ENTRY_POINTS = """\
[console_scripts]
tfprof-fleet = tfprof._fleet.command:script
tftracer = tfprof._live.tftracer_command:main
"""


class BuildError(Exception):
    """The program cannot be put into a wheel; the text says why."""


def metadata() -> str:
    """METADATA of the wheel, PKG-INFO of the source distribution."""
    readme = (ROOT / "python" / "README.md").read_text("utf-8")
    return METADATA.format(version=version(), description=readme)


def program() -> Path:
    """The static program: built now, unless TFPROF_BINARY names it."""
    given = os.environ.get("TFPROF_BINARY")
    if given:
        return Path(given)
    subprocess.run([str(ROOT / "dev"), "build"], check=True)
    return ROOT / "bazel-bin" / "profiler" / "tfprof"


def check_static(data: bytes, path: Path) -> None:
    """Raises BuildError unless `data` is an x86-64 ELF without a loader."""
    if data[:6] != b"\x7fELF\x02\x01" or data[18:20] != b"\x3e\x00":
        raise BuildError(f"{path}: not a program for Linux on x86-64")
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        (kind,) = struct.unpack_from("<I", data, offset + i * size)
        if kind in (2, 3):  # PT_DYNAMIC, PT_INTERP
            raise BuildError(
                f"{path}: not static, so it would not run on another Linux; "
                "./dev build makes a static one"
            )


def modified() -> int:
    """The time of all entries, in seconds."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)


def write_wheel(path: Path, entries: dict[str, tuple[bytes, int]]) -> None:
    """Writes a zip file of name → (content, mode), and its RECORD, last."""
    info = f"tfprof-{version()}.dist-info"
    record = []
    for name, (data, _) in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record.append(
            f"{name},sha256={digest.decode().rstrip('=')},{len(data)}"
        )
    record.append(f"{info}/RECORD,,")
    listing = sorted(entries.items())
    listing.append(
        (f"{info}/RECORD", (("\n".join(record) + "\n").encode(), 0o644))
    )
    when = time.gmtime(modified())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, (data, mode) in listing:
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3  # Unix: the mode counts
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=9)


def info_files() -> dict[str, bytes]:
    """The files of the folder `.dist-info`, without RECORD."""
    return {
        "METADATA": metadata().encode(),
        "WHEEL": WHEEL.encode(),
        "entry_points.txt": ENTRY_POINTS.encode(),
        "licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def prepare_metadata_for_build_wheel(
    metadata_directory, config_settings=None
) -> str:
    """PEP 517: writes the metadata, so that pip need not build a wheel."""
    name = f"tfprof-{version()}.dist-info"
    folder = Path(metadata_directory) / name
    for file, data in info_files().items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    return name


def build_wheel(
    wheel_directory, config_settings=None, metadata_directory=None
) -> str:
    """PEP 517: writes the wheel into the folder and returns its name."""
    base = f"tfprof-{version()}"
    binary = program()
    data = binary.read_bytes()
    check_static(data, binary)
    entries = {f"{base}.data/scripts/tfprof": (data, 0o755)}
    for file, data in info_files().items():
        entries[f"{base}.dist-info/{file}"] = (data, 0o644)
    for path in PACKAGE.rglob("*"):
        if path.is_file() and (path.suffix == ".py" or path.name == "py.typed"):
            name = f"tfprof/{path.relative_to(PACKAGE).as_posix()}"
            entries[name] = (path.read_bytes(), 0o644)
    for file, text in generated(binary).items():
        entries[f"tfprof/{file}"] = (text.encode(), 0o644)
    name = f"{base}-{TAG}.whl"
    write_wheel(Path(wheel_directory) / name, entries)
    return name


def source_files() -> list[Path]:
    """The files of the source distribution: those that git tracks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout.decode()
    return [
        ROOT / name
        for name in sorted(listed.split("\0"))
        if name
        and not name.startswith(NOT_IN_SOURCES)
        and (ROOT / name).is_file()
    ]


def build_sdist(sdist_directory, config_settings=None) -> str:
    """PEP 517: writes the source distribution and returns its name."""
    base = f"tfprof-{version()}"
    name = f"{base}.tar.gz"
    entries = [
        (str(path.relative_to(ROOT)), path.read_bytes(), path.stat().st_mode)
        for path in source_files()
    ]
    entries.append(("PKG-INFO", metadata().encode(), 0o644))
    with open(Path(sdist_directory) / name, "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, mtime=modified()) as packed:
            with tarfile.open(
                fileobj=packed, mode="w", format=tarfile.PAX_FORMAT
            ) as tar:
                for path, data, mode in entries:
                    entry = tarfile.TarInfo(f"{base}/{path}")
                    entry.size = len(data)
                    entry.mode = 0o755 if mode & 0o100 else 0o644
                    entry.mtime = modified()
                    tar.addfile(entry, io.BytesIO(data))
    return name


def main() -> None:
    """Builds both into dist/, for `./dev wheel`."""
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for build in (build_wheel, build_sdist):
        print(f"dist/{build(dist)}")


if __name__ == "__main__":
    main()
