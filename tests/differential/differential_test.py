"""Compares tfprof with a naive model of it on random profiles.

For each seed: a random profile and random commands; the program runs them all
in one session and writes each report into its own file. Every file has to equal
the report of the model byte for byte. A mismatch prints the shortest command
that still shows it, and the folder of the files.

    differential_test.py --bin bazel-bin/profiler/tfprof --seeds 0:1000
"""

import argparse
import concurrent.futures
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import generate
import model

COMMANDS_PER_PROFILE = 20
TIMEOUT_SECONDS = 60
DIFF_LINES = 40

# Lines that the program may write to stdout while it loads.
LOADING = re.compile(
    r"\A(Reading Files\.\.\.\n)?(Try to use a single --profile_path .*\n)?"
    r"(run graph coverage: .*\n)*"
)


class Session:
    """A sequence of commands, its expected and its actual output."""

    def __init__(self, profile, commands):
        self.lines = []
        self.commands = []
        self.reports = []  # The text of the model, None: no file.
        self.stdout = ""
        defaults = model.Options()
        for words in commands:
            line = " ".join(words)
            if words[0] == "set":
                _, defaults = model.parse_command(line, defaults)
                self._add(line, words, None)
                continue
            try:
                text = model.run(profile, line, defaults)
            except model.ReferenceDies:
                continue  # tfprof may do anything else here.
            if words[0] == "advise":
                self.stdout += text
                self._add(line, words, None)
                continue
            output = "-output file:outfile=%d.txt" % len(self.lines)
            line = " ".join([words[0], output] + words[1:])
            self._add(line, words, text)

    def _add(self, line, words, report):
        self.lines.append(line)
        self.commands.append(words)
        self.reports.append(report)

    def run(self, binary, inputs, directory):
        """None, or (index of the wrong command or None, explanation)."""
        os.makedirs(directory)
        for name, data in inputs.files():
            write(os.path.join(directory, name), data)
        stdin = "".join(line + "\n" for line in self.lines).encode("latin-1")
        write(os.path.join(directory, "commands"), stdin)
        try:
            process = subprocess.run(
                [binary] + flags(inputs),
                input=stdin,
                cwd=directory,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return None, "no end after %d seconds\n" % TIMEOUT_SECONDS
        stderr = process.stderr.decode("latin-1")
        for i, expected in enumerate(self.reports):
            path = os.path.join(directory, "%d.txt" % i)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    actual = file.read().decode("latin-1")
            else:
                actual = None
            if actual != expected:
                status = "exit status %d\n" % process.returncode
                return i, difference(expected, actual) + status + tail(stderr)
        # 1 is allowed: a command was refused, and the model refuses it too.
        if process.returncode not in (0, 1):
            return None, "exit status %d\n%s" % (
                process.returncode,
                tail(stderr),
            )
        stdout = LOADING.sub("", process.stdout.decode("latin-1"))
        if stdout != self.stdout:
            return None, "stdout (advise):\n" + difference(self.stdout, stdout)
        return None


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def flags(inputs):
    result = []
    if inputs.profile is not None:
        result.append("--profile_path=profile.pb")
    if inputs.graph is not None:
        result.append("--graph_path=graph.pb")
    if inputs.run_metadata:
        result.append(
            "--run_meta_path="
            + ",".join(
                "run_meta_%d" % i for i in range(len(inputs.run_metadata))
            )
        )
    if inputs.op_log is not None:
        result.append("--op_log_path=op_log")
    return result


def readable(text):
    """Back from one character per byte."""
    return text.encode("latin-1").decode("utf-8", "backslashreplace")


def difference(expected, actual):
    if actual is None:
        return "no report was written; expected:\n" + readable(expected)
    if expected is None:
        return "expected no report, got:\n" + readable(actual)
    lines = [
        line + "\n"
        for line in difflib.unified_diff(
            readable(expected).split("\n"),
            readable(actual).split("\n"),
            "model",
            "program",
            n=1,
            lineterm="",
        )
    ]
    more = "...\n" if len(lines) > DIFF_LINES else ""
    return "".join(lines[:DIFF_LINES]) + more


def tail(stderr):
    lines = stderr.splitlines(True)[-10:]
    return "stderr ends with:\n" + readable("".join(lines)) if lines else ""


def shrink(binary, inputs, profile, commands, directory):
    """Drops commands, then options, as long as something is still wrong."""
    attempt = 0

    def fails(candidate):
        nonlocal attempt
        attempt += 1
        scratch = "%s.attempt%d" % (directory, attempt)
        try:
            return Session(profile, candidate).run(binary, inputs, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    for words in commands:
        if fails([words]):
            commands = [words]
            break
    for i in reversed(range(len(commands))):
        if len(commands) > 1:
            shorter = commands[:i] + commands[i + 1 :]
            if fails(shorter):
                commands = shorter
    progress = True
    while progress:
        progress = False
        for i, words in enumerate(commands):
            for shorter in shorter_commands(words):
                candidate = commands[:i] + [shorter] + commands[i + 1 :]
                if fails(candidate):
                    commands, progress = candidate, True
                    break
    return commands


def shorter_commands(words):
    """The command without one of its options or one element of a list."""
    for i in range(1, len(words)):
        yield words[:i] + words[i + 1 :]
    for i in range(1, len(words)):
        name, _, value = words[i].partition(" ")
        elements = value.split(",")
        for j in range(len(elements) if len(elements) > 1 else 0):
            fewer = ",".join(elements[:j] + elements[j + 1 :])
            if fewer:
                yield words[:i] + [name + " " + fewer] + words[i + 1 :]


def check_seed(binary, seed, directory, only):
    """None if all is well, else a reproduction."""
    rng = random.Random(seed)
    inputs = generate.random_inputs(rng)
    profile = inputs.load()
    commands = generate.random_commands(rng, profile, COMMANDS_PER_PROFILE)
    commands = [words for words in commands if words[0] in only]
    directory = os.path.join(directory, "seed%d" % seed)
    first = Session(profile, commands).run(binary, inputs, directory)
    shutil.rmtree(directory)
    if first is None:
        return None
    shortest = shrink(binary, inputs, profile, commands, directory)
    session = Session(profile, shortest)
    index, text = session.run(binary, inputs, directory) or first
    expected = session.stdout
    if index is not None and index < len(session.reports):
        expected = session.reports[index] or ""
    write(os.path.join(directory, "expected.txt"), expected.encode("latin-1"))
    return "seed %d\ncd %s\n%s %s <commands\n%s\n%s" % (
        seed,
        directory,
        binary,
        " ".join(flags(inputs)),
        readable("".join("  " + line + "\n" for line in session.lines)),
        text,
    )


def write_xml(path, results):
    suite = ElementTree.Element(
        "testsuite",
        name="differential_test",
        tests=str(len(results)),
        failures=str(sum(text is not None for _, text in results)),
    )
    for seed, text in results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname="differential_test",
            name="seed%d" % seed,
        )
        if text is not None:
            failure = ElementTree.SubElement(
                case, "failure", message="differs from the model"
            )
            # XML knows no control characters.
            failure.text = re.sub(r"[^\t\n -\ud7ff]", "?", text)
    ElementTree.ElementTree(suite).write(
        path, encoding="utf-8", xml_declaration=True
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--bin", required=True, help="the tfprof to test")
    parser.add_argument(
        "--seeds", default="0:1000", help="FIRST:END, the END not included"
    )
    parser.add_argument(
        "--commands",
        default="scope,graph,op,code,advise,set",
        help="only these commands",
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--show", type=int, default=5, help="print that many mismatches"
    )
    arguments = parser.parse_args()

    first, end = map(int, arguments.seeds.split(":"))
    binary = os.path.abspath(arguments.bin)
    only = arguments.commands.split(",")
    kept = tempfile.mkdtemp(
        prefix="differential_",
        dir=os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR"),
    )
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        jobs = [
            (seed, pool.submit(check_seed, binary, seed, kept, only))
            for seed in range(first, end)
        ]
        results = [(seed, job.result()) for seed, job in jobs]

    wrong = [text for _, text in results if text is not None]
    for text in wrong[: arguments.show]:
        sys.stdout.buffer.write((text + "\n").encode("utf-8"))
    if os.environ.get("XML_OUTPUT_FILE"):
        write_xml(os.environ["XML_OUTPUT_FILE"], results)
    if not wrong:
        os.rmdir(kept)
    print("%d passed, %d failed" % (len(results) - len(wrong), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
