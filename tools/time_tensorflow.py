#!/usr/bin/env python3
"""Times TensorFlow's own tfprof on the files that we are timed on.

    time_tensorflow.py --graph=graph.pb --op_log=op_log \\
        --run_meta=run_meta_0,run_meta_1

Prints lines such as

    real tfprof: load 4.71 s CPU (graph 2.30, steps 2.41)
    real tfprof: RSS 812 MB after loading, 430 MB before
    real tfprof: scope 1.80, graph 1.92, op 2.21, code 1.75 s CPU
    real tfprof: advise 1.10, graph -output timeline 5.20, \
        code -output pprof 2.31, save 2.90 s CPU

With --views=scope, only the first three lines and that view: a million nodes
need more than 16 GB for the rest. CPU is user plus system time of all threads
of this process. The figures include reading the files, but not importing
TensorFlow. Run metadata files are steps 0, 1, 2 … in their order. Memory is
resident memory without file pages.

Needs TensorFlow, as tools/check_with_tensorflow.py does; `./dev bench
--tensorflow=/tmp/tf/bin/python` runs it beside ours. Exit status 1 without it,
or when a file cannot be read.
"""

import argparse
import contextlib
import os
import resource
import sys
import tempfile

VIEWS = ("scope", "graph", "op", "code")
CHECKERS = (
    "ExpensiveOperationChecker",
    "AcceleratorUtilizationChecker",
    "OperationChecker",
)


def cpu_seconds():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def resident_megabytes():
    """Anonymous memory of this process."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return 0


def read(path):
    if not path:
        return b""
    with open(path, "rb") as file:
        return file.read()


def load(tfprof, graph, op_log, run_metas):
    """Loads as the Python API does. ({part: CPU seconds}, RSS in MB)"""
    seconds = {"graph": 0.0, "steps": 0.0}
    start = cpu_seconds()
    if not tfprof.NewProfiler(read(graph), read(op_log)):
        raise OSError("the real tfprof does not read " + graph)
    seconds["graph"] = cpu_seconds() - start
    for step, path in enumerate(run_metas):
        start = cpu_seconds()
        tfprof.AddStep(step, b"", read(path), b"")
        seconds["steps"] += cpu_seconds() - start
    return seconds, resident_megabytes()


def time_view(tfprof, options_proto, view, **changed):
    """CPU seconds of a view as its default options show it."""
    options = options_proto(
        **{
            "max_depth": 10,
            "step": -1,
            "order_by": "name",
            "output": "none",
            "account_type_regexes": [".*"],
            "start_name_regexes": [".*"],
            "show_name_regexes": [".*"],
            "select": ["micros"],
            "account_displayed_op_only": False,
            **changed,
        }
    )
    serialized = options.SerializeToString()
    start = cpu_seconds()
    tfprof.Profile(view.encode(), serialized)
    return cpu_seconds() - start


@contextlib.contextmanager
def no_stdout():
    """Discards what C++ prints."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def time_exports(tfprof, protos, has_op_log):
    """[(what, CPU seconds)] of the exports that bench/bench.cc measures."""
    times = []
    with tempfile.TemporaryDirectory() as folder, no_stdout():
        out = os.path.join(folder, "out")
        advice = protos.AdvisorOptionsProto()
        for checker in CHECKERS:
            advice.checkers[checker].SetInParent()
        start = cpu_seconds()
        tfprof.Profile(b"advise", advice.SerializeToString())
        times.append(("advise", cpu_seconds() - start))
        times.append(
            (
                "graph -output timeline",
                time_view(
                    tfprof,
                    protos.OptionsProto,
                    "graph",
                    step=0,
                    max_depth=10000,
                    output="timeline:outfile=" + out,
                ),
            )
        )
        if has_op_log:
            times.append(
                (
                    "code -output pprof",
                    time_view(
                        tfprof,
                        protos.OptionsProto,
                        "code",
                        max_depth=10000,
                        output="pprof:outfile=" + out,
                    ),
                )
            )
        start = cpu_seconds()
        tfprof.WriteProfile(out.encode())
        times.append(("save", cpu_seconds() - start))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graph", required=True)
    parser.add_argument("--op_log", default="")
    parser.add_argument(
        "--run_meta", default="", help="files, with commas between them"
    )
    parser.add_argument(
        "--views", default="", help="only these, and no exports"
    )
    args = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    try:
        from tensorflow.core.profiler import tfprof_options_pb2
        from tensorflow.python.util import _pywrap_tfprof as tfprof
    except ImportError as error:
        print(
            "real tfprof: there is no TensorFlow for %s (%s)"
            % (sys.executable, error),
            file=sys.stderr,
        )
        return 1
    run_metas = [path for path in args.run_meta.split(",") if path]
    before = resident_megabytes()
    try:
        seconds, after = load(tfprof, args.graph, args.op_log, run_metas)
    except OSError as error:
        print("real tfprof: %s" % error, file=sys.stderr)
        return 1
    print(
        "real tfprof: load %.2f s CPU (graph %.2f, steps %.2f)"
        % (sum(seconds.values()), seconds["graph"], seconds["steps"]),
        flush=True,
    )
    print(
        "real tfprof: RSS %.0f MB after loading, %.0f MB before"
        % (after, before),
        flush=True,
    )
    views = [v for v in args.views.split(",") if v] or [
        v for v in VIEWS if v != "code" or args.op_log
    ]
    times = [
        (view, time_view(tfprof, tfprof_options_pb2.OptionsProto, view))
        for view in views
    ]
    print(
        "real tfprof: %s s CPU"
        % ", ".join("%s %.2f" % (view, time) for view, time in times),
        flush=True,
    )
    if not args.views:
        times = time_exports(tfprof, tfprof_options_pb2, bool(args.op_log))
        print(
            "real tfprof: %s s CPU"
            % ", ".join("%s %.2f" % (what, time) for what, time in times),
            flush=True,
        )
    tfprof.DeleteProfiler()
    return 0


if __name__ == "__main__":
    sys.exit(main())
