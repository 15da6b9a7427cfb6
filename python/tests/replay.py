"""Plays recorded calls of TensorFlow's profiler against this package.

    python3 replay.py [--data FOLDER] [--api REGEX] [--id REGEX] [-n N] [-v]

FOLDER has cases.jsonl, inputs/ and golden/ (README.md there says what they
are); without one there is nothing to do. Compared are the bytes on file
descriptor 1, returned messages, files, standard error, and exceptions. A case
whose recorded result is a mistake of the reference, or a limit that we do not
have, is counted as its quirk and named by QUIRKS.
"""

import argparse
import collections
import contextlib
import gzip
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))

import fake_tensorflow

from tfprof import (
    _messages,
    _session,
    model_analyzer,
    timeline,
)
from tfprof.option_builder import ProfileOptionBuilder
from tfprof.tfprof_logger import write_op_log

DATA = os.path.join(HERE, "..", "..", "..", "shared", "python_oracle")

# Reasons why a recorded result differs from ours, by the text of the case's
# `what` or its api.
QUIRKS = {
    "order of calls": "the reference makes the rows of a view when it is first"
    " asked for; nodes of later steps never appear",
    "Timeline: thread ids": "the reference writes lanes into the caller's"
    " message",
    "Timeline: a second call": "the reference appends to its first trace",
    "checker options": "the reference cannot take options of checkers",
    "unknown select": "the reference says in the report which words of select"
    " it does not know; we say it on standard error",
    "accepts more": "the reference refuses bytes, paths, or a GraphDef",
    "crash": "the reference ends its process",
    "no tree": "the reference returns no tree for the timeline of the average"
    " in the graph view",
    "negative step": "the reference takes steps that no option can choose",
    "too early": "the reference says that it generates a file before it knows"
    " whether it can",
    "max_depth": "the reference cuts the number to 32 bits",
}


# Lines that we write to standard error and the reference does not.
EXTRA = re.compile(
    r"step -?\d+: the timeline has .*\n"
    r"|.* is not a valid regular expression and matches nothing: .*\n"
    r"|and, beyond the reference: .*\n"
)
KNOWN = set(_session._FIELDS)


class Difference(Exception):
    pass


def check(what, got, expected):
    if got == expected:
        return
    if isinstance(got, bytes) and isinstance(expected, bytes):
        import difflib

        lines = difflib.unified_diff(
            expected.decode("utf8", "replace").splitlines(True),
            got.decode("utf8", "replace").splitlines(True),
            "expected",
            "got",
            n=1,
        )
        raise Difference(f"{what}:\n" + "".join(list(lines)[:20]))
    raise Difference(
        f"{what}: {str(got)[:400]}, expected {str(expected)[:400]}"
    )


class Captured:
    """The files that a call writes, in a folder of its own."""

    def __enter__(self):
        sys.stdout.flush()
        self._file = tempfile.TemporaryFile()
        self._old, self._fd = os.getcwd(), os.dup(1)
        self.folder = tempfile.mkdtemp()
        os.dup2(self._file.fileno(), 1)
        os.chdir(self.folder)
        self._stderr, sys.stderr = sys.stderr, io.StringIO()
        return self

    def __exit__(self, *unused):
        sys.stdout.flush()
        os.dup2(self._fd, 1)
        os.close(self._fd)
        self.stderr, sys.stderr = sys.stderr.getvalue(), self._stderr
        self.files = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    short = os.path.relpath(path, self.folder)
                    self.files[short] = file.read()
        os.chdir(self._old)
        shutil.rmtree(self.folder)
        self._file.seek(0)
        self.stdout = self._file.read()
        self._file.close()


class Player:
    def __init__(self, data):
        self.data = data
        self._zips = {}
        self._profilers = {}

    def read(self, name):
        with open(os.path.join(self.data, name), "rb") as file:
            return file.read()

    def golden(self, case, key):
        graph = case["graph"]
        if graph not in self._zips:
            self._zips[graph] = zipfile.ZipFile(
                os.path.join(self.data, "golden", graph + ".zip")
            )
        return self._zips[graph].read(case[key] if key in case else key)

    def inputs(self, case):
        given = case["inputs"]
        metas = [(s, self.read(f)) for s, f in given.get("run_meta", [])]
        log = self.read(given["op_log"]) if given.get("op_log") else None
        return self.read(given["graph"]), metas, log

    def compare(self, case, captured, result):
        if case.get("stdout"):
            expected = self.golden(case, "stdout")
        else:
            expected = b""
        if case["api"].endswith("advise"):
            self.advice(captured.stdout, expected)
        else:
            check("printed", captured.stdout, expected)
        quirk = None
        if case.get("proto"):
            cls = getattr(_messages, case["type"])
            check("type", type(result), cls)
            golden = cls.FromString(self.golden(case, "proto"))
            if returns_no_tree(case):
                quirk = "no tree"
            elif result != golden:
                check("returned", str(result).encode(), str(golden).encode())
        said = EXTRA.sub("", captured.stderr)
        want = case.get("stderr", "")
        if case["graph"] == "unknown_batch":
            # The graph is bytes here; nobody counts its unknown shapes.
            want = re.sub(r"\d+ ops no flops stats.*\n", "", want)
        check(
            "stderr",
            sorted(said.split()),
            sorted(want.split()),
        )
        names = sorted(f["name"] for f in case.get("files", []))
        check("files", sorted(captured.files), names)
        for file in case.get("files", []):
            got = captured.files[file["name"]]
            want = self.golden(case, file["golden"])
            if got[:2] == b"\x1f\x8b":
                got = gzip.decompress(got)
                check("pprof", pprof(got), pprof(want))
            elif want[:1] == b"{":
                check("trace", json.loads(got), json.loads(want))
            else:
                check("file", got, want)
        return quirk

    @staticmethod
    def advice(got, expected):
        """Checkers come in any order."""

        def parts(text):
            return sorted(
                p.strip() for p in re.split(rb"\n(?=\w+Checker:\n)", text)
            )

        check("printed", parts(got), parts(expected))

    # -- one function for each api

    def builder(self, case):
        (name, args, named), *rest = case["builder"]
        if name == "ProfileOptionBuilder":
            made = ProfileOptionBuilder(*args, **named)
        else:
            preset = getattr(ProfileOptionBuilder, name)(*args, **named)
            made = ProfileOptionBuilder(preset)
        for name, args, named in rest:
            check("chain", getattr(made, name)(*args, **named) is made, True)
        check("options", made.build(), case["value"])

    def profile(self, case, **changed):
        if case.get("raises"):
            return self.raises(case, lambda: None)
        if has_unknown_select(case):
            return "unknown select"
        graph, metas, log = self.inputs(case)
        named = {}
        if case.get("cmd", "absent") != "absent":
            named["cmd"] = case["cmd"]
        if case.get("options", "absent") != "absent":
            named["options"] = case["options"]
        named.update(changed)
        meta = metas[0][1] if metas else None
        with Captured() as captured:
            result = model_analyzer.profile(graph, meta, log, **named)
        return self.compare(case, captured, result)

    def advise(self, case):
        if case.get("raises"):
            return "checker options"
        graph, metas, log = self.inputs(case)
        options = case["options"]
        with Captured() as captured:
            with self.profiler(graph, [(0, m) for _, m in metas], log) as p:
                if options == "absent":
                    options = model_analyzer.ALL_ADVICE
                result = p.advise(options)
        self.compare(case, captured, result)

    @contextlib.contextmanager
    def profiler(self, graph, metas, log):
        made = model_analyzer.Profiler(graph, log)
        try:
            for step, meta in metas:
                made.add_step(step, meta)
            yield made
        finally:
            made.close()

    def Profiler(self, case):
        if case.get("note"):
            return "order of calls"
        if has_unknown_select(case):
            return "unknown select"
        if "inputs" in case:
            key = json.dumps(case["inputs"])
        else:  # of the profiler before
            key = next(iter(self._profilers))
        if key not in self._profilers:
            for old in self._profilers.values():
                old.close()
            graph, metas, log = self.inputs(case)
            made = model_analyzer.Profiler(graph, log)
            for step, meta in metas:
                made.add_step(step, meta)
            self._profilers = {key: made}
        made = self._profilers[key]
        name = case["api"].partition(".")[2]
        if name == "_write_profile":
            with Captured() as captured:
                made._write_profile("p.pb")
            check("file", list(captured.files), ["p.pb"])
            return None
        if name == "serialize_to_string":
            data = made.serialize_to_string()
            self.same_profile(data, self.read(case["profile"]))
            return None
        with Captured() as captured:
            result = getattr(made, name)(case["options"])
        quirk = self.compare(case, captured, result)
        if abs(made._coverage - case["coverage"]) > 1e-9:
            check("coverage", made._coverage, case["coverage"])
        return quirk

    def same_profile(self, data, golden):
        got = _messages.ProfileProto.FromString(data)
        want = _messages.ProfileProto.FromString(golden)
        check("steps", sorted(got.steps), sorted(want.steps))
        check("has_trace", got.has_trace, want.has_trace)

        def names(p):
            return sorted(n.name for n in p.nodes.values())

        check("nodes", names(got), names(want))
        options = ProfileOptionBuilder(
            ProfileOptionBuilder.time_and_memory(0, 0)
        ).select(["micros", "bytes", "params", "float_ops", "occurrence"])
        printed = []
        for profile in (data, golden):
            with tempfile.NamedTemporaryFile() as file:
                file.write(profile)
                file.flush()
                made = model_analyzer.Profiler.from_file(file.name)
                with Captured() as captured:
                    made.profile_name_scope(options.build())
                    made.profile_operations(options.build())
                    made.profile_python(options.build())
                made.close()
            printed.append(captured.stdout)
        check("reports of the file", *printed)

    def write_op_log(self, case):
        graph = self.read(case["inputs"]["graph"])
        want = self.golden(case, "binary")
        log = _messages.OpLogProto.FromString(want)
        given = None
        if case["op_log"] == "user":
            given = _messages.OpLogProto()
            for entry in log.log_entries:
                kinds = [t for t in entry.types if t != "_trainable_variables"]
                if kinds:
                    own = given.log_entries.add(name=entry.name, types=kinds)
                    own.float_ops = entry.float_ops
        live = fake_tensorflow.Graph(graph, want)
        metas = case["inputs"]["run_meta"]
        meta = self.read(metas[0][1]) if metas else None
        with Captured() as captured:
            write_op_log(live, ".", given, meta, case["add_trace"])
        check("files", list(captured.files), ["tfprof_log"])
        got = _messages.OpLogProto.FromString(captured.files["tfprof_log"])

        def entries(message):
            strings = dict(message.id_to_string)
            return {
                e.name: (
                    e.float_ops,
                    sorted(e.types),
                    [
                        (
                            strings[t.file_id],
                            t.lineno,
                            strings[t.function_id],
                            strings[t.line_id],
                            t.func_start_line,
                        )
                        for t in e.code_def.traces
                    ],
                )
                for e in message.log_entries
            }

        got, want = entries(got), entries(log)
        # We also count the flops of functions that are called.
        for name in {
            op.name
            for op in live.get_operations()
            if op.type == "PartitionedCall"
        }:
            if name in got and name in want:
                got[name] = (0,) + got[name][1:]
            elif name not in want:
                got.pop(name, None)
        check("names", sorted(got), sorted(want))
        for name in want:
            check(name, got[name], want[name])
        check("stderr", captured.stderr, case["stderr"])

    def generate_chrome_trace_format(self, case):
        data = self.read(case["inputs"]["run_meta"][0][1])
        text = timeline.Timeline(data).generate_chrome_trace_format(
            **case["kwargs"]
        )
        check("trace", text.encode(), self.golden(case, "json"))

    def analyze_step_stats(self, case):
        data = self.read(case["inputs"]["run_meta"][0][1])
        made = timeline.Timeline(data).analyze_step_stats(**case["kwargs"])
        trace = made.chrome_trace
        check(
            "trace",
            trace.format_to_string().encode(),
            self.golden(case, "json"),
        )
        check(
            "pretty",
            trace.format_to_string(True).encode(),
            self.golden(case, "pretty"),
        )
        found = {
            name: [m.timestamp, m.num_bytes, sorted(m.tensors)]
            for name, m in made.allocator_maximums.items()
        }
        check("maxima", found, case["maximums"])

    def ProfileContext(self, case):
        from replay_context import play

        return play(self, case)

    def error(self, case):
        from replay_errors import play

        return play(self, case)

    def raises(self, case, call):
        """The exception of `call` is the recorded one."""
        want = case["raises"]
        with Captured() as captured:
            try:
                call()
            except Exception as error:
                got = type(error).__name__, str(error)
            else:
                got = "nothing"
        del captured
        check("raised", got, (want["type"], want["message"]))

    def play(self, case):
        api = case["api"]
        for name in ("Timeline: thread ids", "Timeline: a second call"):
            if api.startswith(name):
                return name
        if api.startswith("Profiler."):
            return self.Profiler(case)
        return getattr(self, api.rpartition(".")[2])(case)


def returns_no_tree(case):
    options = case.get("options")
    return (
        isinstance(options, dict)
        and case.get("cmd") == "graph"
        and options.get("output", "").startswith("timeline")
        and options.get("step") == -1
    )


def has_unknown_select(case):
    options = case.get("options")
    return isinstance(options, dict) and bool(
        set(options.get("select", ())) - KNOWN
    )


def pprof(data):
    """A profile with its strings in place of their numbers."""

    def fields(data):
        at = 0
        while at < len(data):
            key, at = _messages._wire.read_varint(data, at)
            value, at = _messages._wire.read_value(data, at, len(data), key & 7)
            yield key >> 3, value

    strings = [v.decode() for f, v in fields(data) if f == 6]

    def text(i):
        return strings[i]

    out = []
    for field, value in fields(data):
        if field == 1:
            out.append(("type", [text(v) for _, v in fields(value)]))
        elif field == 2:
            out.append(("sample", list(fields(value))))
        elif field == 4:
            out.append(("location", list(fields(value))))
        elif field == 5:
            out.append(
                (
                    "function",
                    [
                        (k, text(v) if k in (2, 3, 4) else v)
                        for k, v in fields(value)
                    ],
                )
            )
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--api", default="")
    parser.add_argument("--id", default="")
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    data = os.path.abspath(args.data)
    if not os.path.exists(os.path.join(data, "cases.jsonl")):
        print(f"no recorded calls in {data}: skipped")
        return 0
    player = Player(data)
    counts, quirks, shown = collections.Counter(), collections.Counter(), 0
    with open(os.path.join(data, "cases.jsonl"), encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        if not re.search(args.api, case["api"]):
            continue
        if not re.search(args.id, case["id"]):
            continue
        try:
            quirk = player.play(case)
        except Exception as error:
            counts[case["api"], "failed"] += 1
            if shown < args.n:
                shown += 1
                what = case.get("what") or case.get("modifier") or ""
                kind = type(error).__name__
                print(
                    f"FAIL {case['id']} {case['api']} {what}\n{kind}: {error}"
                )
                if args.v:
                    import traceback

                    traceback.print_exc()
            continue
        if quirk:
            quirks[quirk] += 1
        counts[case["api"], "quirk" if quirk else "passed"] += 1
    for (api, result), count in sorted(counts.items()):
        print(f"{api:<55} {count:5} {result}")
    for quirk, count in sorted(quirks.items()):
        print(f"quirk: {quirk}: {count}: {QUIRKS.get(quirk, '')}")
    total = collections.Counter()
    for (_, result), count in counts.items():
        total[result] += count
    print(
        f"{total['passed']} passed, {total['failed']} failed,"
        f" {total['quirk']} quirks of the reference"
    )
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
