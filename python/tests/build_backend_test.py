"""The wheel: its names, its record, and that the same sources give it again."""

import base64
import hashlib
import os
import re
import struct
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from places import ROOT

sys.path.insert(0, str(ROOT / "python"))
import build_backend


def program(kinds=(1,)):
    """An ELF header with segments of these kinds."""
    head = bytearray(b"\x7fELF\x02\x01".ljust(64, b"\0"))
    head[18] = 0x3E
    struct.pack_into("<Q", head, 32, 64)
    struct.pack_into("<HH", head, 54, 56, len(kinds))
    return bytes(head) + b"".join(struct.pack("<I52x", kind) for kind in kinds)


class WheelTest(unittest.TestCase):
    def build(self, data):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "tfprof"
        path.write_bytes(data)
        # This program is a header only, and cannot run.
        made = mock.patch.object(
            build_backend, "generated", return_value={"_version.py": "made\n"}
        )
        with mock.patch.dict(os.environ, {"TFPROF_BINARY": str(path)}), made:
            return Path(folder.name) / build_backend.build_wheel(folder.name)

    def test_names_modes_and_record(self):
        wheel = self.build(program())
        self.assertTrue(
            wheel.name.endswith("-py3-none-manylinux2014_x86_64.whl")
        )
        with zipfile.ZipFile(wheel) as file:
            names = file.namelist()
            base = f"tfprof-{build_backend.version()}"
            script = f"{base}.data/scripts/tfprof"
            self.assertEqual(file.read(script), program())
            mode = file.getinfo(script).external_attr >> 16
            self.assertEqual(mode, 0o100755)
            self.assertIn("tfprof/py.typed", names)
            commands = file.read(f"{base}.dist-info/entry_points.txt").decode()
            self.assertIn(
                "\ntftracer = tfprof._live.tftracer_command:main", commands
            )
            self.assertIn(
                "\ntfprof-fleet = tfprof._fleet.command:script", commands
            )
            self.assertIn("tfprof/_fleet/command.py", names)
            self.assertIn("tfprof/_live/tftracer_command.py", names)
            self.assertIn("tfprof/__init__.py", names)
            self.assertEqual(file.read("tfprof/_version.py"), b"made\n")
            self.assertEqual(
                file.read(f"{base}.dist-info/licenses/LICENSE"),
                (ROOT / "LICENSE").read_bytes(),
            )
            record = file.read(f"{base}.dist-info/RECORD").decode()
            for line in record.splitlines():
                name, digest, size = line.rsplit(",", 2)
                if not digest:
                    continue
                data = file.read(name)
                made = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                self.assertEqual(
                    (digest, int(size)),
                    (f"sha256={made.decode().rstrip('=')}", len(data)),
                )
            self.assertEqual(len(record.splitlines()), len(names))
            metadata = file.read(f"{base}.dist-info/METADATA").decode()
        self.assertTrue(metadata.startswith("Metadata-Version: 2.4\n"))
        for line in (
            "Requires-Python: >=3.9",
            "License-Expression: Apache-2.0",
            "License-File: LICENSE",
        ):
            self.assertIn(f"\n{line}\n", metadata)
        extras = re.findall("^Provides-Extra: (.*)$", metadata, re.MULTILINE)
        self.assertEqual(
            extras, ["pandas", "fleet", "spark", "ray", "notebook"]
        )
        # Every requirement belongs to an extra.
        for line in metadata.partition("\n\n")[0].splitlines():
            if line.startswith("Requires-Dist"):
                self.assertIn("extra ==", line)

    def test_metadata_alone_are_those_of_the_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(build_backend, "program") as builds:
                name = build_backend.prepare_metadata_for_build_wheel(folder)
            builds.assert_not_called()
            files = {
                str(path.relative_to(folder)): path.read_bytes()
                for path in (Path(folder) / name).rglob("*")
                if path.is_file()
            }
        with zipfile.ZipFile(self.build(program())) as wheel:
            expected = {
                file: wheel.read(file)
                for file in wheel.namelist()
                if file.startswith(f"{name}/") and not file.endswith("RECORD")
            }
        self.assertEqual(files, expected)

    def test_the_same_sources_give_the_same_bytes(self):
        first, second = self.build(program()), self.build(program())
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_a_program_that_is_not_static_is_refused(self):
        for data, text in (
            (program([1, 3]), "not static"),
            (program([2]), "not static"),
            (b"#!/bin/sh\n".ljust(64), "not a program for Linux"),
        ):
            with self.assertRaisesRegex(build_backend.BuildError, text):
                self.build(data)


if __name__ == "__main__":
    unittest.main()
