#!/usr/bin/env python3
"""Compares the cost of live tracing with the cost of tensorflow-tracer.

    TFPROF_BINARY=bazel-bin/profiler/tfprof python3 bench/tracing.py [PART]…

Needs TensorFlow (2.15). Parts:

    idle      CPU of the hook in a run that nobody wants to see
    traced    a traced step beside TensorFlow's own tracing
    looked    training speed while somebody opens timelines
    memory    growth of the process in 10,000 traced steps

--kit FOLDER prints what the original cost (expected/overhead.json). CPU time is
the figure to trust on a machine that does other things too; blocks of the loops
that are compared take turns, and the median of all blocks counts.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow.compat.v1 as tf

from tfprof.tracing import TracingServer

tf.disable_v2_behavior()

LOOPS = {
    "tiny": (8, [16]),  # one layer
    "deep": (8, [32] * 40),
    "medium": (64, [1024, 1024]),
}
# Blocks of a loop that are compared.
PAIRS = 30
BLOCK_SECONDS = 0.7
KIT = os.path.join(HERE, "..", "..", "shared", "tracer")
# Opens one timeline after the other, from "go" to "wait".
VISITOR = """
import json, os, select, sys, time, urllib.parse, urllib.request
base, token, pause = sys.argv[1:]
def get(path):
    headers = {"Authorization": "Bearer " + token}
    request = urllib.request.Request(base + path, headers=headers)
    return urllib.request.urlopen(request).read()
names = [trace["file"] for trace in json.loads(get("/api/live"))["traces"]]
opened = 0
print("ready", flush=True)
while sys.stdin.readline():
    while not select.select([sys.stdin], [], [], float(pause))[0]:
        name = urllib.parse.quote("traces/" + names[opened % len(names)])
        get("/timeline?profile=" + name)
        opened += 1
    sys.stdin.readline()
    print(opened, flush=True)
"""


class Visitor:
    """Somebody who opens timelines, in a process of a terminal of its own."""

    def __init__(self, server, pause):
        base, _, token = server.url.partition("/?token=")
        self._child = subprocess.Popen(
            [sys.executable, "-c", VISITOR, base, token, str(pause)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        self._child.stdout.readline()
        self.opened = 0

    def go(self):
        self._child.stdin.write("go\n")

    def wait(self):
        self._child.stdin.write("wait\n")
        self.opened = int(self._child.stdout.readline())

    def close(self):
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()


def model(name):
    """The training step of a loop, in a graph of its own."""
    batch, sizes = LOOPS[name]
    graph = tf.Graph()
    with graph.as_default():
        value = tf.constant(np.ones([batch, sizes[0]], np.float32))
        for number, size in enumerate(sizes):
            w = tf.get_variable(f"w{number}", [int(value.shape[1]), size])
            value = tf.nn.relu(tf.matmul(value, w))
        loss = tf.reduce_mean(value)
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.01).minimize(
            loss, global_step=step, name="train"
        )
    return graph, train


def session_of(graph, hooks=(), threads=1):
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1
    )
    with graph.as_default():
        return tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(config=config), hooks=list(hooks)
        )


def started(**options):
    server = TracingServer(server_port=0, **options)
    server.start_web_server()
    if not server.flush(60):
        raise SystemExit("the server does not start; is TFPROF_BINARY set?")
    return server


def original(kit, *path):
    """A figure of the original; "" without the kit."""
    try:
        with open(
            os.path.join(kit, "expected", "overhead.json"), encoding="utf-8"
        ) as file:
            value = json.load(file)
    except OSError:
        return ""
    for name in path:
        value = value[name]
    return value


def show(what, figure, unit, beside=""):
    beside = f"   original: {beside}" if beside != "" else ""
    print(f"{what:<52} {figure:10.3f} {unit}{beside}", flush=True)


# ---- parts


def idle(kit):
    """The hook called as TensorFlow calls it, with its own objects."""
    from tensorflow.python.training import session_run_hook as hooks

    server = started()
    graph, train = model("tiny")
    with graph.as_default():
        x = tf.placeholder(tf.float32, name="x")
    cases = {
        "no feed": (train, None),
        "feed 64x256": (train, {x: np.ones([64, 256], np.float32)}),
        "feed 1 MB": (train, {x: np.ones([512, 512], np.float32)}),
        "list, feed 1 MB": (
            [train, x],
            {x: np.ones([512, 512], np.float32)},
        ),
    }
    session = session_of(graph, [server.hook])
    hook = server.hook
    values = hooks.SessionRunValues(
        results=None, options=tf.RunOptions(), run_metadata=tf.RunMetadata()
    )
    beside = original(kit, "hook_cpu_us_per_run_tf1.15.5")
    for name, (fetches, feeds) in cases.items():
        thread, process = [], []
        for _ in range(30):
            contexts = [
                hooks.SessionRunContext(
                    hooks.SessionRunArgs(fetches, feeds), session
                )
                for _ in range(5000)
            ]
            began = time.thread_time_ns(), time.process_time_ns()
            for context in contexts:
                hook.before_run(context)
                hook.after_run(context, values)
            thread.append(time.thread_time_ns() - began[0])
            server.flush()
            process.append(time.process_time_ns() - began[1])
        theirs = beside.get(name, "") if beside else ""
        for kind, times in ("thread", thread), ("process", process):
            show(
                f"idle hook, {name}, CPU of the {kind}",
                statistics.median(times) / 5000 / 1000,
                "us/run",
                theirs,
            )
            theirs = ""
        show(f"  the best block, {name}", min(thread) / 5e6, "us/run")
    session.close()
    server.stop_web_server()


class Asking(tf.train.SessionRunHook):
    """A hook that traces as TensorFlow's ProfilerHook does, and no more."""

    wanted = False
    metadata = None

    def before_run(self, run_context):
        if not self.wanted:
            return None
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        return tf.train.SessionRunArgs(None, options=options)

    def after_run(self, run_context, run_values):
        if self.wanted:
            self.wanted = False
            self.metadata = run_values.run_metadata


def traced(kit):
    """Steps that our hook traces, and that TensorFlow's own means trace."""
    server = started()
    # The thread that sends has a clock of its own.
    clock = time.pthread_getcpuclockid(server._collector._thread.ident)

    def step_cpu():
        return time.process_time_ns() - time.clock_gettime_ns(clock)

    for name in LOOPS:
        graph, train = model(name)
        ours = session_of(graph, [server.hook])
        asking = Asking()
        theirs = session_of(graph, [asking])
        ours.run(train)
        wall = {"ours": [], "theirs": []}
        cpu = {"ours": [], "theirs": []}
        sizes, sending = [], []
        for _ in range(60 if name == "medium" else 200):
            # Both come after an idle step, so that neither starts cold.
            ours.run(train)
            server.arm("next")
            sent = time.clock_gettime_ns(clock)
            began = time.perf_counter_ns(), step_cpu()
            ours.run(train)
            wall["ours"].append(time.perf_counter_ns() - began[0])
            cpu["ours"].append(step_cpu() - began[1])
            while len(server._program.waiting):
                time.sleep(0.002)
            sending.append(time.clock_gettime_ns(clock) - sent)
            theirs.run(train)
            asking.wanted = True
            began = time.perf_counter_ns(), step_cpu()
            theirs.run(train)
            wall["theirs"].append(time.perf_counter_ns() - began[0])
            cpu["theirs"].append(step_cpu() - began[1])
            sizes.append(asking.metadata.ByteSize())
        middle = {
            key: {who: statistics.median(v) / 1000 for who, v in both.items()}
            for key, both in (("wall", wall), ("cpu", cpu))
        }
        tf_loop = original(kit, "tf2.15.1", name)
        beside = ""
        if tf_loop:
            beside = round(
                tf_loop["tracer tracing"]["cpu_us_per_run"]
                / tf_loop["tf tracing"]["cpu_us_per_run"],
                3,
            )
        for what, both in middle.items():
            show(f"{name}: {what}, TensorFlow alone", both["theirs"], "us")
            show(f"{name}: {what}, ours", both["ours"], "us")
            ratio = both["ours"] / both["theirs"]
            show("  ratio", ratio, "times", beside if what == "cpu" else "")
        sent = statistics.median(sending) / 1000
        show(f"{name}: CPU of the thread that sends", sent, "us")
        show(f"{name}: a trace", statistics.median(sizes), "bytes")
        ours.close()
        theirs.close()
    server.stop_web_server()


def looked(kit):
    """Steps per second alone, and while timelines are opened.

    Short blocks of both take turns, and each pair of neighbours is a ratio, so
    that what else the machine does is the same for both. The collector asks as
    often in both, because somebody has just looked; its CPU is shown apart.
    """
    beside = original(kit, "training_while_somebody_looks_tf1.15.5")
    if beside:
        beside = beside["one timeline after another"]["ratio"]
    # First nobody looks in either block: how far from 1 the machine alone is.
    # The original showed 2.5 timelines a second, and no more.
    cores = os.cpu_count()
    for threads, pause in (1, None), (1, 0.4), (1, 0.0), (cores, 0.0):
        _looked(threads, pause, beside)


def _looked(threads, pause, beside):
    server = started()
    graph, train = model("deep" if threads == 1 else "medium")
    session = session_of(graph, [server.hook], threads)
    for _ in range(3):
        server.arm("next")
        session.run(train)
        server.flush()
    visitor = Visitor(server, pause or 0.0)
    clock = time.pthread_getcpuclockid(server._collector._thread.ident)

    def speed(seconds):
        count, end = 0, time.perf_counter() + seconds
        began = time.perf_counter(), time.process_time()
        while time.perf_counter() < end:
            session.run(train)
            count += 1
        return (
            count / (time.perf_counter() - began[0]),
            (time.process_time() - began[1]) / count,
        )

    speed(2)
    alone, visited = [], []
    began = time.perf_counter(), time.clock_gettime(clock)
    for turn in range(PAIRS):
        for looks in (False, True) if turn % 2 else (True, False):
            opens = looks and pause is not None
            if opens:
                visitor.go()
            (visited if looks else alone).append(speed(BLOCK_SECONDS))
            if opens:
                visitor.wait()
    sending = (time.clock_gettime(clock) - began[1]) / (
        time.perf_counter() - began[0]
    )
    rate, cpu = [
        statistics.median(v[i] / a[i] for a, v in zip(alone, visited))
        for i in (0, 1)
    ]
    opened = visitor.opened / (PAIRS * BLOCK_SECONDS)
    how = {None: "nobody looks", 0.0: "as fast as it can"}.get(
        pause, f"a pause of {pause} s"
    )
    show(
        f"{threads} threads train, {how}: steps alone",
        statistics.median(a[0] for a in alone),
        "1/s",
    )
    show("  timelines opened", opened, "1/s")
    show("  speed beside alone", rate, "times", beside)
    show("  CPU of a step beside alone", cpu, "times")
    show("  CPU of the thread that asks for orders", sending * 100, "%")
    visitor.close()
    session.close()
    server.stop_web_server()


def resident():
    """The memory of this process, in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(kit, traces=10_000):
    """Growth of the training process, and what the session keeps."""
    server = started()
    graph, train = model("deep")
    session = session_of(graph, [server.hook])
    table = server._program.table
    server.arm("global", limit=2 * traces)
    row = None
    while row is None or row.traces < 200:  # buffers have their size
        session.run(train)
        row = next(iter(table))
    before = peak = resident()
    while row.traces < traces + 200:
        session.run(train)
        if row.runs % 500 == 0:
            peak = max(peak, resident())
    server.flush(60)
    beside = original(kit, "memory_tf1.15.5")
    show(
        f"growth in {traces} traced steps",
        resident() - before,
        "MB",
        f"{beside['mb_per_traced_step']} MB a step" if beside else "",
    )
    show("  at most", peak - before, "MB")
    kept = os.listdir(os.path.join(server.session, "traces"))
    show("  traces that the session keeps", len(kept) / 2, "")
    session.close()
    server.stop_web_server()


PARTS = {"idle": idle, "traced": traced, "looked": looked, "memory": memory}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kit", default=KIT)
    parser.add_argument("parts", nargs="*", metavar="PART")
    arguments = parser.parse_args()
    for name in arguments.parts or PARTS:
        if name not in PARTS:
            parser.error(f"{name} is none of {', '.join(PARTS)}")
        print(f"-- {name}", flush=True)
        # Folders of sessions go with this one.
        with tempfile.TemporaryDirectory() as folder:
            tempfile.tempdir = folder
            PARTS[name](arguments.kit)
            tempfile.tempdir = None


if __name__ == "__main__":
    main()
