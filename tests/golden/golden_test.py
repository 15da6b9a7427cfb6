#!/usr/bin/env python3
"""Runs tfprof over the golden corpus: real profiles, commands, expected output.

Usage: tests/golden/golden_test.py --bin=bazel-bin/profiler/tfprof [options]

Each case is typed into the shell: input files as flags, the command on stdin.
Every fifth case that fits on a command line runs in one-shot form as well
(`tfprof FLAGS op -order_by micros`) and must print the same. golden_compare.py
says what is compared. If a signal ended the reference, tfprof must answer and
exit normally.

Writes JUnit XML to $XML_OUTPUT_FILE, one test case per case of the corpus.
Last line: 'N passed, N failed'. The format of a corpus is in README.md.
"""

import argparse
import concurrent.futures
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

# The script may run from a read-only or a source folder.
sys.dont_write_bytecode = True

import golden_compare

INPUT_FLAGS = {
    "graph": "graph_path",
    "run_meta": "run_meta_path",
    "op_log": "op_log_path",
    "checkpoint": "checkpoint_path",
    "profile": "profile_path",
}

# tfprof's own: 0 fine, 1 the input or the query failed, 2 usage.
EXIT_CODES = (0, 1, 2)

# Names of both forms of a case, in reports and after --case.
ONE_SHOT_SUFFIX = "-oneshot"
ONE_SHOT_EVERY = 5

# How many failed cases a report names.
MAX_NAMES = 100


class Corpus:
    """Cases and expected outputs below one folder; inputs ready to be read.

    Large inputs are gzip'd in the tree. tfprof has to open the original bytes,
    so profiles with such files are unpacked into `scratch`.
    """

    def __init__(self, folder, scratch):
        self._folder = os.path.abspath(folder)
        self._scratch = scratch
        self._inputs = {}
        with open(
            os.path.join(self._folder, "cases.jsonl"), encoding="utf-8"
        ) as lines:
            self.cases = [json.loads(line) for line in lines]

    def inputs(self, profile):
        """The folder of a profile's input files."""
        if profile not in self._inputs:
            self._inputs[profile] = self._unpacked(profile)
        return self._inputs[profile]

    def _unpacked(self, profile):
        packed = os.path.join(self._folder, "profiles", profile)
        names = os.listdir(packed)
        if not any(name.endswith(".gz") for name in names):
            return packed
        folder = os.path.join(self._scratch, profile)
        os.makedirs(folder)
        for name in names:
            source = os.path.join(packed, name)
            if name.endswith(".gz"):
                with (
                    gzip.open(source) as zipped,
                    open(os.path.join(folder, name[:-3]), "wb") as plain,
                ):
                    shutil.copyfileobj(zipped, plain)
            else:
                shutil.copyfile(source, os.path.join(folder, name))
        return folder

    def expected(self, path, kind="text"):
        """An expected output. pprof files are gzip'd in their own right."""
        with open(os.path.join(self._folder, path), "rb") as file:
            data = file.read()
        return (
            gzip.decompress(data)
            if path.endswith(".gz") and kind != "pprof"
            else data
        )


class Run:
    """One case in one of its two forms."""

    def __init__(self, case, one_shot):
        self.case = case
        self.one_shot = one_shot
        self.name = case["id"] + (ONE_SHOT_SUFFIX if one_shot else "")
        self.failure = ""
        self.seconds = 0.0

    def command_line(self, binary, corpus):
        """(argv, stdin)"""
        case = self.case
        argv = [binary] + input_flags(
            case["inputs"], corpus.inputs(case["profile"])
        )
        # The reference's advisor takes no options.
        words = [case["command"]]
        if case["command"] != "advise":
            words += filter(None, case["options"].split(" "))
        if self.one_shot:
            return argv + words, b""
        typed = case.get("stdin", " ".join(words) + "\n")
        return argv, typed.encode()

    def execute(self, binary, corpus, scratch, timeout):
        """Runs the case and sets `failure`."""
        argv, typed = self.command_line(binary, corpus)
        work = os.path.join(scratch, self.name)
        home = work + ".home"
        os.makedirs(work)
        env = dict(os.environ, HOME=home, XDG_STATE_HOME=home, TERM="dumb")
        start = time.monotonic()
        try:
            done = subprocess.run(
                argv,
                input=typed,
                cwd=work,
                env=env,
                timeout=timeout,
                capture_output=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.failure = "no end after %d s\n" % timeout
        except OSError as error:
            self.failure = "%s\n" % error
        else:
            self.failure = "".join(self._differences(done, corpus, work))
        self.seconds = time.monotonic() - start
        if self.failure:
            self.failure += "reproduce: (cd %s && %s%s)\n" % (
                shlex.quote(work),
                ""
                if self.one_shot
                else "printf %%s %s | " % shlex.quote(typed.decode()),
                shlex.join(argv),
            )

    def _differences(self, done, corpus, work):
        case = self.case
        if done.returncode not in EXIT_CODES:
            stderr = done.stderr[-2000:].decode("utf-8", "backslashreplace")
            yield "exit status %d; stderr ends in:\n%s\n" % (
                done.returncode,
                stderr,
            )
            return
        if case["outcome"] != "ok":
            if not done.stdout and not done.stderr:
                yield "no answer, on stdout or on stderr\n"
            return
        if self.one_shot and has_invalid_regex(case["options"]):
            # The reference shows an empty report. As an argument of the
            # program ours is refused.
            if (
                done.returncode != 2
                or done.stdout
                or b"is not a valid regular expression" not in done.stderr
            ):
                yield "an invalid regular expression is not refused\n"
            return
        expected = corpus.expected(case["golden"])
        if (case.get("stdin") or case["command"]).startswith("advise"):
            yield golden_compare.diff_advise(
                expected, done.stdout, "stdout", case.get("checkers")
            )
        else:
            yield golden_compare.diff_text(expected, done.stdout, "stdout")
        # Ours knows `quit` and `exit`; to the reference they are errors.
        if case.get("stdin") not in ("quit\n", "exit\n"):
            stderr = case.get("stderr")
            yield golden_compare.diff_stderr(
                corpus.expected(stderr) if stderr else b"", done.stderr
            )
        yield from self._file_differences(corpus, work)

    def _file_differences(self, corpus, work):
        diff = {
            "text": golden_compare.diff_text,
            "json": golden_compare.diff_json,
            "pprof": golden_compare.diff_pprof,
        }
        unexpected = set(os.listdir(work))
        for file in self.case.get("files", []):
            name = file["name"]
            if name not in unexpected:
                yield "no output file %s\n" % name
                continue
            unexpected.remove(name)
            with open(os.path.join(work, name), "rb") as actual:
                yield diff[file["type"]](
                    corpus.expected(file["golden"], file["type"]),
                    actual.read(),
                    name,
                )
        for name in sorted(unexpected):
            yield "unexpected output file %s\n" % name


def input_flags(inputs, folder):
    """--graph_path=… and the other flags that name a case's input files."""
    flags = []
    for key, flag in INPUT_FLAGS.items():
        if not inputs.get(key):
            continue
        names = (
            [name for _, name in inputs[key]]
            if key == "run_meta"
            else [inputs[key]]
        )
        flags.append(
            "--%s=%s"
            % (flag, ",".join(os.path.join(folder, name) for name in names))
        )
    return flags


def has_one_shot_form(case):
    """False for sessions, and where a shell would take the quotes away."""
    return (
        "stdin" not in case
        and case["outcome"] == "ok"
        and not re.search("['\"]", case["options"])
    )


def has_invalid_regex(options):
    """Whether an expression of a line's options does not compile."""
    words = options.split()
    for name, value in zip(words, words[1:]):
        if not name.endswith("_regexes"):
            continue
        for expression in value.split(","):
            try:
                re.compile(expression)
            except re.error:
                return True
    return False


def plan(cases):
    """The runs: each case in the shell, every fifth as one command, too."""
    runs = [Run(case, one_shot=False) for case in cases]
    runs += [
        Run(case, one_shot=True)
        for case in list(filter(has_one_shot_form, cases))[::ONE_SHOT_EVERY]
    ]
    return runs


def select(runs, args):
    """The runs that pass the filters among the arguments."""

    def chosen(value, wanted):
        return not wanted or value in wanted.split(",")

    return [
        run
        for run in runs
        if chosen(run.case["profile"], args.profile)
        and chosen(run.case["command"], args.command)
        and chosen(run.case["kind"], args.kind)
        and chosen(run.name, args.case)
    ]


def write_junit(path, suite_name, runs):
    suite = ET.Element(
        "testsuite",
        name=suite_name,
        tests=str(len(runs)),
        failures=str(sum(bool(r.failure) for r in runs)),
    )
    for run in runs:
        case = ET.SubElement(
            suite,
            "testcase",
            name=run.name,
            time="%.3f" % run.seconds,
            classname="%s.%s" % (suite_name, run.case["kind"]),
        )
        if run.failure:
            # XML has no way to write most control characters.
            text = re.sub(
                r"[^\t\n\x20-\ud7ff\ue000-\ufffd]",
                lambda m: ascii(m[0])[1:-1],
                run.failure,
            )
            ET.SubElement(case, "failure", message="differs").text = text
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--bin", required=True, help="the program to test")
    parser.add_argument(
        "--corpus",
        metavar="DIR",
        default=os.path.dirname(os.path.abspath(__file__)),
        help="folder with cases.jsonl (default: this folder)",
    )
    parser.add_argument(
        "--name", default="golden", help="name of the corpus in the report"
    )
    for key in ("profile", "command", "kind", "case"):
        parser.add_argument(
            "--" + key, metavar="A,B", help="only cases with this " + key
        )
    parser.add_argument(
        "--list",
        action="store_true",
        help="print the cases instead of running them",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep inputs and outputs, and say where",
    )
    parser.add_argument(
        "--show",
        type=int,
        default=10,
        metavar="N",
        help="show the differences of the first N (10)",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS")
    return parser.parse_args()


def main():
    args = parse_arguments()
    scratch = tempfile.mkdtemp(prefix="tfprof_golden_")
    try:
        corpus = Corpus(args.corpus, os.path.join(scratch, "inputs"))
        runs = select(plan(corpus.cases), args)
        if args.list:
            for run in runs:
                print(
                    "%s: %s"
                    % (
                        run.name,
                        run.case.get("stdin")
                        or " ".join([run.case["command"], run.case["options"]]),
                    )
                )
            return 0
        if not runs:
            print("no such case")
            return 2
        for run in runs:  # here, because threads would unpack twice
            corpus.inputs(run.case["profile"])
        binary = os.path.abspath(args.bin)
        outputs = os.path.join(scratch, "outputs")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            list(
                pool.map(
                    lambda run: run.execute(
                        binary, corpus, outputs, args.timeout
                    ),
                    runs,
                )
            )
    finally:
        if args.keep:
            print("kept " + scratch)
        else:
            shutil.rmtree(scratch)
    failed = [run for run in runs if run.failure]
    for run in failed[: args.show]:
        print("FAILED %s\n%s" % (run.name, run.failure))
    if len(failed) > args.show:
        print(
            "%d more failed: %s"
            % (
                len(failed) - args.show,
                " ".join(run.name for run in failed[args.show :][:MAX_NAMES]),
            )
        )
    if failed and not args.keep:
        print(
            "The folders named above are removed; "
            "--keep --case=NAME keeps them."
        )
    if "XML_OUTPUT_FILE" in os.environ:
        write_junit(os.environ["XML_OUTPUT_FILE"], args.name, runs)
    print("%d passed, %d failed" % (len(runs) - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
