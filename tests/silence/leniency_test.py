#!/usr/bin/env python3
"""What the program takes though other parsers refuse it, and what it says.

Usage: leniency_test.py --bin=PROGRAM [TEST…]

The list is in g3doc/security.md. Some pass without a word, the others with a
note, or as damage with status 1.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import io
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import junit_runner
import seeds
from silence_test import is_json, is_pickle, is_session
from wire import field, graph_def

EVENTS = [
    b'{"ph":"X","pid":1,"tid":2,"name":"a","ts":1,"dur":5,"args":{"x":1}}',
    b'{"ph":"X","pid":1,"tid":2,"name":"b","ts":9,"dur":5,"args":{}}',
]
ARRAY = b"[" + b",".join(EVENTS) + b"]"
OBJECT = b'{"traceEvents":' + ARRAY + b"}"

binary = ""  # of junit_runner.main()


class LeniencyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")

    def ask(self, data, flag=None):
        with open(self.path, "wb") as file:
            file.write(data)
        done = subprocess.run(
            [
                binary,
                "--%s=%s" % (flag, self.path) if flag else self.path,
                "status",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def ask_trace(self, files):
        """The same for the files of a trace of CTF."""
        folder = tempfile.mkdtemp(dir=os.path.dirname(self.path))
        for name, data in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        done = subprocess.run(
            [binary, os.path.join(folder, "metadata"), "status"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def passes(self, data):
        self.assertEqual(self.ask(data), (0, ""))

    def is_noted(self, data, text):
        status, said = self.ask(data)
        self.assertEqual(status, 0, said)
        self.assertIn(text, said)

    def is_damage(self, data, text):
        status, said = self.ask(data)
        self.assertEqual(status, 1, said)
        self.assertIn(text, said)

    def test_whole_files_pass(self):
        self.passes(ARRAY)
        self.passes(OBJECT)

    # ----------------------------------------------------- without a word

    def test_byte_order_mark(self):
        self.passes(b"\xef\xbb\xbf" + OBJECT)

    def test_numbers_that_json_does_not_have(self):
        for number in (b"NaN", b"Infinity", b"-Infinity"):
            self.passes(OBJECT.replace(b'"x":1', b'"x":' + number))

    def test_texts_of_messages_in_any_bytes(self):
        self.passes(graph_def([(b"caf\xe9", [])]))

    def test_unknown_fields(self):
        # Nobody can tell whether a field that is not known is a message. The
        # content alone does not show such a format.
        field_of_no_message = field(1999, b"\x07\x00\xff")
        for flag, make in (
            ("graph_path", seeds.graph_def),
            ("run_meta_path", seeds.run_metadata),
            ("xplane_path", seeds.xspace),
        ):
            whole = make(random.Random(1))
            said = self.ask(whole, flag)
            self.assertEqual(self.ask(whole + field_of_no_message, flag), said)
            # A field that is cut off is damage.
            status, said = self.ask(whole + field_of_no_message[:-1], flag)
            self.assertEqual(status, 1)
            self.assertIn("byte", said)

    def test_packets_of_kinds_that_are_not_read(self):
        # The bundle of events of the kernel is no message.
        kernel = field(1, field(10, 1) + field(1, b"\x07"))
        self.passes(seeds.perfetto(random.Random(1)) + kernel)

    def test_bytes_behind_a_pickle(self):
        data = seeds.snapshot(random.Random(1)) + b"more"
        self.assertTrue(is_pickle(data))
        self.passes(data)

    def test_files_beside_a_session(self):
        data = seeds.session(random.Random(1))
        archive = io.BytesIO(data)
        with zipfile.ZipFile(archive, "a") as more:
            more.writestr("notes.json", "no JSON")
        data = archive.getvalue()
        self.assertFalse(is_session(data))
        self.assertEqual(self.ask(data)[0], 0)
        # Its checksum is wrong, too, but nobody reads it.
        at = data.index(b"no JSON")
        self.assertEqual(self.ask(data[:at] + b"N" + data[at + 1 :])[0], 0)

    def ctf(self):
        """A trace with metadata as a text, and what is said of it."""
        files = dict(seeds.ctf(random.Random(2)))
        files["metadata"] = seeds.CTF_METADATA.encode()
        said = self.ask_trace(files)
        self.assertEqual(said[0], 0)
        return files, re.sub(r"/\S+:", "", said[1])

    def test_zeros_semicolons_and_padding_of_ctf(self):
        files, said = self.ctf()
        text = files["metadata"]
        packet = seeds.ctf_packets(random.Random(1), text)
        while packet[-1:] == b"\0":
            packet = packet[:-1]
        for changed in (
            text.replace(b"; ", b";\0"),
            text.replace(b"};", b"};;"),
            packet,
        ):
            status, now = self.ask_trace(dict(files, metadata=changed))
            self.assertEqual((status, re.sub(r"/\S+:", "", now)), (0, said))

    # --------------------------------------------------------- with a note

    def test_unknown_entries_and_times_of_ctf(self):
        files, _ = self.ctf()
        text = files["metadata"].replace(b"minor", b"miner")
        status, said = self.ask_trace(dict(files, metadata=text))
        self.assertEqual(status, 0)
        self.assertIn("the first is 'miner'", said)
        stream = bytearray(files["channel_0"])
        stream[58:66] = b"\xff" * 7 + b"\0"  # the time of the first event
        status, said = self.ask_trace(dict(files, channel_0=bytes(stream)))
        self.assertEqual(status, 0)
        self.assertIn("earlier than the one before it", said)

    def test_extra_commas(self):
        for data in (
            ARRAY[:-1] + b",]",
            ARRAY.replace(b"},{", b"},,{"),
            OBJECT.replace(b'"x":1', b'"x":1,'),
        ):
            self.assertFalse(is_json(data))
            self.is_noted(data, "not valid JSON and was repaired")

    def test_texts_in_json_that_are_none(self):
        for text in (b"a\xe9", b"a\tb", b"a\\xb", b"a\x00b"):
            self.is_noted(
                OBJECT.replace(b'"a"', b'"' + text + b'"'),
                "not valid JSON and was repaired",
            )

    def test_quotes_without_a_backslash(self):
        self.is_noted(
            OBJECT.replace(b'"a"', b'"op "a" of b"'),
            "not valid JSON and was repaired",
        )

    def test_an_array_without_its_end(self):
        self.is_noted(ARRAY[:-1], "ends without its closing brackets")

    # ----------------------------------------------------------- as damage

    def test_an_object_without_its_end(self):
        self.is_damage(OBJECT[:-2], "ends without its closing brackets")

    def test_a_time_that_is_no_number(self):
        self.is_damage(OBJECT.replace(b'"ts":9', b'"ts":NaN'), "not a number")

    def test_text_behind_json(self):
        self.is_damage(OBJECT + b" 1", "expected the end of the file")


if __name__ == "__main__":
    sys.exit(junit_runner.main("leniency_test"))
