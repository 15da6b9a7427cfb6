#!/usr/bin/env python3
"""Types what people type who know other programs, and reads the answers.

Usage: tests/shell/words_test.py --bin=bazel-bin/profiler/tfprof

words.tsv has the lines and what must come of them. All but those that end the
session run in one process, as a script. The answer of a line goes into a file,
which is there only if the line worked; between the lines are words that no
command means, which divide the messages.

The test fails if fewer than nine in ten lines have the right answer. It prints
the others. Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, TESTS)

import junit_runner

TABLE = os.path.join(HERE, "words.tsv")
TRACE = os.path.join(
    TESTS, "gpu", "recorded", "transformer_bf16", "trace.json.gz"
)
LEAST_LINES = 300
LEAST_SHARE = 0.9
LEAST_ARGUMENTS = 40
PROGRAM = "tfprof "
MARK = "@@{}@@"

binary = ""  # of junit_runner.main()


def read_table():
    """[(line, expected)]"""
    with open(TABLE, encoding="utf-8") as table:
        return [
            tuple(line.rstrip("\n").split("\t"))
            for line in table
            if line.strip() and not line.startswith("#")
        ]


class WordsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("trace.json.gz", "base.json.gz"):
            shutil.copyfile(TRACE, os.path.join(self.folder, name))
        with open(os.path.join(self.folder, "notes.json"), "w") as notes:
            notes.write("{}")

    def run_lines(self, lines):
        return subprocess.run(
            [binary, "trace.json.gz"],
            input="".join(line + "\n" for line in lines).encode(),
            cwd=self.folder,
            env=dict(os.environ, HOME=self.folder, LC_ALL="C.UTF-8"),
            capture_output=True,
            timeout=300,
            check=False,
        )

    def answers(self, inputs):
        """For each input whether it worked, and its messages."""
        done = 0
        while done < len(inputs):
            lines = []
            for i in range(done, len(inputs)):
                lines += [f"{inputs[i]} > answer{i}", MARK.format(i)]
            errors = self.run_lines(lines).stderr.decode()
            ended = False
            while done < len(inputs) and not ended:
                said, mark, errors = errors.partition(MARK.format(done))
                # A failed load ends the script, as it must.
                ended = not mark
                # The rest of the line of the mark, and the beginning of it.
                errors = errors.partition("\n")[2]
                answer = os.path.join(self.folder, f"answer{done}")
                yield (
                    os.path.exists(answer),
                    said if ended else said.rpartition("\n")[0],
                )
                done += 1

    def test_the_words_of_other_programs(self):
        table = [row for row in read_table() if not row[0].startswith(PROGRAM)]
        self.assertGreaterEqual(len(table), LEAST_LINES)
        self.assertTrue(all(len(row) == 2 for row in table))
        wrong = []
        inside = [row for row in table if row[1] != "ends"]
        answers = self.answers([line for line, _ in inside])
        for (line, expected), (worked, said) in zip(inside, answers):
            good = (
                worked
                if expected == "works"
                else expected.lower() in said.lower()
            )
            if not good:
                wrong.append(f"{line!r}: {expected!r} is not in {said!r}")
        for line, expected in table:
            if expected == "ends":
                done = self.run_lines([line, "op"])
                if done.stdout or done.stderr or done.returncode != 0:
                    wrong.append(f"{line!r} does not end the session")
        print("\n".join(wrong))
        right = len(table) - len(wrong)
        print(f"{right} of {len(table)} lines have the right answer")
        self.assertGreaterEqual(right, LEAST_SHARE * len(table))

    def answer_of_program(self, line):
        """Whether it worked, and all that it wrote."""
        done = subprocess.run(
            ["sh", "-c", f'tfprof() {{ "$TFPROF" "$@"; }}\n{line}'],
            cwd=self.folder,
            env=dict(
                os.environ,
                HOME=self.folder,
                LC_ALL="C.UTF-8",
                TFPROF=os.path.abspath(binary),
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        said = done.stdout.decode() + done.stderr.decode()
        return done.returncode == 0 and done.stdout != b"", said

    def test_the_arguments_of_the_program(self):
        rows = [row for row in read_table() if row[0].startswith(PROGRAM)]
        self.assertGreaterEqual(len(rows), LEAST_ARGUMENTS)
        before = sorted(os.listdir(self.folder))
        for line, expected in rows:
            with self.subTest(line=line):
                worked, said = self.answer_of_program(line)
                if expected == "works":
                    self.assertTrue(worked, said)
                else:
                    self.assertIn(expected.lower(), said.lower())
        # A wrong line makes no file.
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_an_error_is_a_sentence(self):
        """No message of ours begins with a code."""
        inputs = [
            line
            for line, what in read_table()
            if what != "ends" and not line.startswith(PROGRAM)
        ]
        for (_, said), line in zip(self.answers(inputs), inputs):
            self.assertNotRegex(said, r"(^|\n|: )[A-Z]+_[A-Z_]+: ", line)
            self.assertNotIn("First string must be", said, line)


if __name__ == "__main__":
    sys.exit(junit_runner.main("words"))
