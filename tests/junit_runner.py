"""Runs the unittest cases of a script and writes their results for Bazel."""

import argparse
import os
import re
import sys
import time
import unittest
import xml.etree.ElementTree as ET


class _Result(unittest.TextTestResult):
    """Keeps each case, its time and its errors."""

    def __init__(self, *args):
        super().__init__(*args)
        self.cases = {}
        self.reasons = {}  # of cases that were skipped
        self._begun = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.cases[test.id()] = [0.0, []]
        self._begun = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.cases[test.id()][0] = time.monotonic() - self._begun

    def _complain(self, test, text):
        self.cases.setdefault(test.id(), [0.0, []])[1].append(text)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.reasons[test.id()] = reason

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._complain(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._complain(test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._complain(test, (self.failures + self.errors)[-1][1])


def _write_junit(path, name, cases, reasons):
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(sum(bool(texts) for _, texts in cases.values())),
    )
    for case, (seconds, texts) in cases.items():
        classname, _, method = case.rpartition(".")
        element = ET.SubElement(
            suite,
            "testcase",
            name=method,
            classname="%s.%s" % (name, classname.rpartition(".")[2]),
            time="%.3f" % seconds,
        )
        if case in reasons:
            ET.SubElement(element, "skipped", message=reasons[case])
        if texts:
            # XML has no way to write most control characters.
            ET.SubElement(element, "failure", message="failed").text = re.sub(
                r"[^\t\n\x20-\ud7ff\ue000-\ufffd]",
                lambda m: ascii(m[0])[1:-1],
                "\n".join(texts),
            )
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def main(name):
    """A test script: --bin=PROGRAM [TEST…]. Returns the exit status.

    Sets `binary` of the script to the program, runs its cases, or those chosen,
    and writes JUnit XML to $XML_OUTPUT_FILE.
    """
    module = sys.modules["__main__"]
    parser = argparse.ArgumentParser(
        description=module.__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--bin", required=True, help="the program to test")
    parser.add_argument(
        "tests", nargs="*", metavar="TEST", help="Class or Class.test_case"
    )
    args = parser.parse_args()
    module.binary = os.path.abspath(args.bin)
    loader = unittest.TestLoader()
    suite = (
        loader.loadTestsFromNames(args.tests, module)
        if args.tests
        else loader.loadTestsFromModule(module)
    )
    result = unittest.TextTestRunner(resultclass=_Result).run(suite)
    if "XML_OUTPUT_FILE" in os.environ:
        _write_junit(
            os.environ["XML_OUTPUT_FILE"], name, result.cases, result.reasons
        )
    return 0 if result.wasSuccessful() and result.testsRun else 1
