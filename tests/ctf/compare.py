#!/usr/bin/env python3
"""Compares tfprof with the reference numbers of a corpus of CTF traces.

    compare.py --bin PROGRAM [--corpus FOLDER] [CASE ...]

A case is a folder with `trace/` and `reference.json`. Its numbers are compared
with the tables of `status -output json`. What the scripts of the LTTng profiler
printed (`original/`) is compared with `-output script:name=…`. The cases of
`broken/` must end without a crash or a hang, and with status 1 where damage can
be detected.
Without the corpus the program says so and ends with status 0. Writes JUnit XML
to $XML_OUTPUT_FILE, with a test for each case.
"""

import argparse
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import corpus_case
import counter_checks
import device_checks
import memory_checks
import op_checks
import run_metadata_checks
import script_checks
import transfer_checks

# Damage that leaves valid data cannot be recognized.
UNDETECTABLE = {
    "flip_1",
    "flip_2",
    "flip_5",
    "same_trace_twice",
    "stream_empty",
    "string_without_end",
}


def check_case(program, folder, own=False):
    with open(os.path.join(folder, "reference.json"), encoding="utf-8") as text:
        reference = json.load(text)
    case = corpus_case.Case(os.path.basename(folder) + (" with own" * own))
    paths = [os.path.join(folder, "trace")]
    if own:
        paths.append(os.path.join(folder, "own"))
    tables = corpus_case.status_tables(program, *paths)
    device_checks.check_attribution(
        case, tables, reference, 1.0 if own else 0.88
    )
    device_checks.check_clocks(case, tables, reference)
    device_checks.check_work(case, tables, reference, own)
    if own:
        device_checks.check_kernel_list(
            case,
            corpus_case.timeline_events(program, *paths),
            reference,
            own,
        )
        return case
    op_checks.check_totals(case, tables, reference)
    op_checks.check_sessions(case, tables, reference)
    op_checks.check_ops(case, tables, reference)
    op_checks.check_sums(case, tables, reference)
    op_checks.check_receives(case, program, folder)
    op_checks.check_threads(case, tables, reference)
    op_checks.check_names(case, tables, reference)
    op_checks.check_calls(case, tables, reference)
    device_checks.check_activities(case, tables, reference)
    device_checks.check_generated(case, tables, reference)
    transfer_checks.check_transfers(case, tables, reference)
    memory_checks.check_memory(case, tables, reference)
    memory_checks.check_numbers(case, tables, reference)
    script_checks.check_trace_analysis(case, program, folder)
    script_checks.check_latencies(case, program, folder)
    if "opencl" in reference or reference.get("allocators"):
        events = corpus_case.timeline_events(program, *paths)
        device_checks.check_kernel_list(case, events, reference, own)
        memory_checks.check_curves(case, events, reference)
    run_metadata_checks.check_run_metadata(case, program, folder, reference)
    run_metadata_checks.check_live_nodes(case, program, folder, reference)
    counter_checks.check_counters(case, program, folder, tables, reference)
    script_checks.check_intercepted(case, program, folder)
    script_checks.check_perfcounters(case, program, folder)
    return case


def check_broken(program, folder):
    case = corpus_case.Case("broken/" + os.path.basename(folder))
    try:
        run = subprocess.run(
            [program, folder, "status", "-output", "json"],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        case.failed.append("does not end")
        return case
    case.true("no crash", run.returncode in (0, 1), str(run.returncode))
    if case.name.split("/")[1] not in UNDETECTABLE:
        case.check("exit status", run.returncode, 1)
        case.true("a message", bool(run.stderr), "")
    return case


def add_junit(suite, case):
    """A test for each case, with what differs."""
    test = ElementTree.SubElement(
        suite, "testcase", classname="ctf", name=case.name
    )
    if case.failed:
        failure = ElementTree.SubElement(test, "failure")
        failure.text = "\n".join(case.failed).replace("\x1b", "\\x1b")


def write_junit(suite):
    """Writes JUnit XML to $XML_OUTPUT_FILE, where that is set."""
    path = os.environ.get("XML_OUTPUT_FILE")
    if path:
        ElementTree.ElementTree(suite).write(path, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--bin", required=True)
    parser.add_argument(
        "--corpus", default=os.path.join(here, "../../../shared/ctf")
    )
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.corpus):
        print(f"skipped: no corpus at {arguments.corpus}")
        return 0
    passed = failed = 0
    suite = ElementTree.Element("testsuite", name="ctf")
    right = wrong = total = 0
    for name in sorted(os.listdir(arguments.corpus)):
        folder = os.path.join(arguments.corpus, name)
        if arguments.cases and name not in arguments.cases:
            continue
        jobs = []
        if os.path.exists(os.path.join(folder, "reference.json")):
            jobs.append(lambda path=folder: check_case(arguments.bin, path))
            if os.path.isdir(os.path.join(folder, "own")):
                jobs.append(
                    lambda path=folder: check_case(arguments.bin, path, True)
                )
        elif name == "broken":
            for broken in sorted(os.listdir(folder)):
                path = os.path.join(folder, broken)
                if os.path.isdir(path):
                    jobs.append(
                        lambda path=path: check_broken(arguments.bin, path)
                    )
        for job in jobs:
            try:
                case = job()
            except (
                corpus_case.Failure,
                ValueError,
                subprocess.TimeoutExpired,
            ) as error:
                case = corpus_case.Case(name)
                case.failed.append(str(error))
            if hasattr(case, "kernels") and "own" not in case.name:
                right += case.kernels[0]
                wrong += case.kernels[1]
                total += case.kernels[2]
            passed += case.passed
            failed += len(case.failed)
            add_junit(suite, case)
            print(
                f"{case.name}: {case.passed} passed, {len(case.failed)} failed"
            )
            for line in case.failed[: None if arguments.verbose else 6]:
                print("   ", line[: None if arguments.verbose else 400])
    write_junit(suite)
    print(f"{passed} passed, {failed} failed")
    if total:
        print(
            f"kernels from trace/ alone: {right} of {total} right, "
            f"{wrong} wrong"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
