#!/usr/bin/env python3
"""Checks g3doc/ and the pages beside it: the program prints what they show.

Usage: tests/docs/docs_test.py --bin bazel-bin/profiler/tfprof [--page op_view]

* A fenced block marked `console` is executed. Lines that begin with `$ ` are
  commands (one that ends in a backslash goes on in the next line), and the
  lines after a command are its output on stdout and stderr. A line with only
  `…` stands for any number of lines, a `…` inside a line for any text. Blanks
  at the ends of lines are ignored. Commands run under bash. Each page has a
  scratch folder with links to the repository; `tfprof` and `./dev run` are the
  built program, and `echo $?` prints the status of the command before.
* g3doc/options.md is the output of `tfprof help options.md`, and
  g3doc/advise.md ends with the output of `tfprof help advise.md`.
  `./dev generate` writes both.
* Relative links lead to a file, and to a heading if they name one.
* Every page of g3doc/ is in the list in g3doc/README.md.

Writes JUnit XML to $XML_OUTPUT_FILE, one test case per block and check. Last
line: 'N passed, N failed'.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ELLIPSIS = "…"
# Pages, or the ends of pages, that `tfprof help NAME` prints.
GENERATED = ("options.md", "advise.md")
TIMEOUT_SECONDS = 60

FENCE = re.compile(r"^ *```(.*)$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SCHEME = re.compile(r"^[a-z]+:")
HEADING = re.compile(r"^#+ +(.*)$")


class Block:
    """A fenced block: where it begins, its mark, its lines."""

    def __init__(self, line, mark):
        self.line = line
        self.mark = mark
        self.lines = []


def split_page(text):
    """The fenced blocks of a page, and the lines outside of them."""
    blocks, prose, block = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and block is None:
            block = Block(number, fence.group(1).strip())
        elif fence:
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        else:
            prose.append(line)
    if block is not None:
        raise ValueError(f"line {block.line}: the block is never closed")
    return blocks, prose


def split_block(block):
    """[(command, expected lines)] of a console block."""
    steps = []
    continued = False
    for line in block.lines:
        if continued:
            steps[-1][0] += "\n" + line
            continued = line.endswith("\\")
        elif line.startswith("$ "):
            steps.append([line[2:], []])
            continued = line.endswith("\\")
        elif steps:
            steps[-1][1].append(line)
        else:
            raise ValueError(f"line {block.line}: output without a command")
    return steps


def matches_line(expected, actual):
    """Whether one line of a page fits one line of output."""
    pattern = ".*".join(map(re.escape, expected.rstrip().split(ELLIPSIS)))
    return re.fullmatch(pattern, actual.rstrip()) is not None


def matches(expected, actual):
    """The same for all lines: reachable[i] says that the pattern up to here
    fits the first i lines of the output."""
    reachable = {0}
    for line in expected:
        if line.strip() == ELLIPSIS:
            reachable = set(range(min(reachable), len(actual) + 1))
        else:
            reachable = {
                i + 1
                for i in reachable
                if i < len(actual) and matches_line(line, actual[i])
            }
        if not reachable:
            return False
    return len(actual) in reachable


class Runner:
    """Runs the commands of one page in a folder with the repository."""

    def __init__(self, root, binary, scratch):
        self.scratch = scratch
        for name in os.listdir(root):
            path = os.path.join(root, name)
            copy = os.path.join(scratch, name)
            if name in ("dev", "bin"):
                continue
            if name == "tests" and os.path.isdir(path):
                # Files of their own: a link that leads out of the folder is
                # no source file to show.
                shutil.copytree(path, copy)
            else:
                os.symlink(path, copy)
        os.mkdir(os.path.join(scratch, "bin"))
        os.symlink(binary, os.path.join(scratch, "bin", "tfprof"))
        dev = os.path.join(scratch, "dev")
        with open(dev, "w", encoding="utf-8") as out:
            out.write(
                '#!/bin/sh\n[ "$1" = run ] || exit 2\nshift\nexec tfprof "$@"\n'
            )
        os.chmod(dev, 0o755)
        self.status = 0

    def run(self, command):
        """The lines that `command` prints."""
        environment = dict(
            os.environ,
            PATH=os.path.join(self.scratch, "bin") + ":" + os.environ["PATH"],
            LC_ALL="C.UTF-8",
            HOME=self.scratch,
        )
        done = subprocess.run(
            ["bash", "-c", f"(exit {self.status})\n{command}"],
            cwd=self.scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        self.status = done.returncode
        return done.stdout.decode("utf-8", "replace").splitlines()


def check_block(runner, block):
    """The errors of a console block; "" if there are none."""
    problems = []
    for command, expected in split_block(block):
        actual = runner.run(command)
        if not matches(expected, actual):
            problems.append(
                f"$ {command}\n"
                + "\n".join(
                    difflib.unified_diff(
                        expected, actual, "in the page", "printed", lineterm=""
                    )
                )
            )
    return "\n".join(problems)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    heading = heading.strip().lower().replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(path):
    with open(path, encoding="utf-8") as page:
        _, prose = split_page(page.read())
    return {slug(m.group(1)) for m in map(HEADING.match, prose) if m}


def check_links(path, prose):
    """The errors in the links of the page at `path`; "" if there are none."""
    problems = []
    # A sandbox has the pages only, as links to the tree.
    folders = [os.path.dirname(path), os.path.dirname(os.path.realpath(path))]
    for link in LINK.findall("\n".join(prose)):
        if SCHEME.match(link):
            continue
        target, _, anchor = link.partition("#")
        found = (
            [
                p
                for p in (os.path.join(f, target) for f in folders)
                if os.path.exists(p)
            ]
            if target
            else [path]
        )
        if not found:
            problems.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors(found[0]):
            problems.append(f"{link}: there is no such heading")
    return "\n".join(problems)


def find_pages(root):
    pages = [n for n in os.listdir(root) if n.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(root, "g3doc")):
        pages += [
            os.path.relpath(os.path.join(folder, n), root)
            for n in names
            if n.endswith(".md")
        ]
    return sorted(pages)


def check_list(root, pages):
    """Pages that g3doc/README.md does not list; "" when it has all."""
    with open(os.path.join(root, "g3doc/README.md"), encoding="utf-8") as page:
        links = LINK.findall(page.read())
    listed = {os.path.normpath(os.path.join("g3doc", link)) for link in links}
    return "\n".join(
        f"{page} is not in g3doc/README.md"
        for page in pages
        if page.startswith("g3doc/")
        and page not in listed
        and page != "g3doc/README.md"
    )


def generated(root, binary, name):
    """A page of g3doc/ as it is, and as the program makes it: from the heading
    on with which its output begins."""
    with open(os.path.join(root, "g3doc", name), encoding="utf-8") as page:
        text = page.read()
    made = subprocess.run(
        [binary, "help", name], stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    heading = made.partition("\n")[0] + "\n"
    begin = text.find(heading)
    if begin < 0:
        raise ValueError(
            f"g3doc/{name}: the heading {heading.strip()!r} is missing"
        )
    return text, text[:begin] + made


def check_generated(root, binary, name):
    """Whether the program prints what it made of a page of g3doc/."""
    text, made = generated(root, binary, name)
    if text == made:
        return ""
    return "run ./dev generate:\n" + "\n".join(
        difflib.unified_diff(
            text.splitlines(),
            made.splitlines(),
            "g3doc/" + name,
            "made",
            lineterm="",
        )
    )


def write_generated(root, binary):
    """Writes the pages that check_generated() checks."""
    for name in GENERATED:
        text, made = generated(root, binary, name)
        if text == made:
            continue
        with open(
            os.path.join(root, "g3doc", name), "w", encoding="utf-8"
        ) as page:
            page.write(made)
        print("g3doc/" + name)


def run_checks(root, binary, only):
    """Yields (name, errors)."""
    pages = find_pages(root)
    for page in pages:
        if only and only not in page:
            continue
        path = os.path.join(root, page)
        with open(path, encoding="utf-8") as text:
            try:
                blocks, prose = split_page(text.read())
            except ValueError as error:
                yield page, str(error)
                continue
        with tempfile.TemporaryDirectory() as scratch:
            runner = Runner(root, binary, scratch)
            for block in blocks:
                if block.mark != "console":
                    continue
                try:
                    problem = check_block(runner, block)
                except (ValueError, subprocess.TimeoutExpired) as error:
                    problem = str(error)
                yield f"{page}:{block.line}", problem
        yield f"{page} links", check_links(path, prose)
    if not only:
        yield "g3doc/README.md lists every page", check_list(root, pages)
        for name in GENERATED:
            yield (
                f"g3doc/{name} is current",
                check_generated(root, binary, name),
            )


def check_matcher():
    """Checks that the comparison itself finds differences."""
    lines = ["a", "b", "c"]
    good = [
        ["a", "b", "c"],
        ["a", "…"],
        ["…"],
        ["…", "c"],
        ["a", "…", "c"],
        ["a", "b", "…", "c"],
        ["…", "b…", "…"],
        ["a ", "…", "b", "c"],
    ]
    bad = [
        ["a", "b"],
        ["a", "c"],
        ["…", "b"],
        [],
        ["a", "b", "c", "d"],
        ["b", "…"],
        ["…", "c", "b", "…"],
    ]
    wrong = [p for p in good if not matches(p, lines)]
    wrong += [p for p in bad if matches(p, lines)]
    return "\n".join(map(str, wrong))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--page", help="only pages whose path has this in it")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the pages that the program makes; no tests",
    )
    options = parser.parse_args()
    # Bazel starts a test in the root of the runfiles.
    root = os.getcwd()
    if options.write:
        write_generated(root, os.path.abspath(options.bin))
        return
    results = [("the comparison", check_matcher())]
    results += run_checks(root, os.path.abspath(options.bin), options.page)
    suite = ET.Element("testsuite", name="docs_test")
    failed = 0
    for name, problem in results:
        case = ET.SubElement(suite, "testcase", name=name, classname="docs")
        if problem:
            failed += 1
            print(f"FAILED {name}\n{problem}\n")
            clean = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", problem)
            ET.SubElement(case, "failure", message=name).text = clean
    suite.set("tests", str(len(results)))
    suite.set("failures", str(failed))
    if "XML_OUTPUT_FILE" in os.environ:
        ET.ElementTree(suite).write(
            os.environ["XML_OUTPUT_FILE"],
            encoding="utf-8",
            xml_declaration=True,
        )
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
