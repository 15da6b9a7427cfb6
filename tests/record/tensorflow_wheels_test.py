#!/usr/bin/env python3
"""Tests `tfprof record` with wheels of TensorFlow, beside RunMetadata.

Usage: tests/record/tensorflow_wheels_test.py [--tfprof TFPROF] [PYTHON…]

Each PYTHON has TensorFlow; without one, those that `./dev test-python
tensorflow` has made. Prints what was compared; its status is 1 where the trace
and the RunMetadata of the same step differ in more than what a device never
runs, or where something of a distributed run is missing.
"""

import argparse
import glob
import json
import os
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import recorded

# Nodes that the executor runs without a device, also with FULL_TRACE.
NOT_RUN = {"NoOp"}

# Runs of the session in the program.
SESSIONS = 6
DISTRIBUTED_STEPS = 5


def program():
    """What is recorded. Prints the nodes of steps as RunMetadata has them."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np
    import tensorflow as tf

    tf1 = tf.compat.v1
    graph = tf1.Graph()
    with graph.as_default():
        x = tf1.placeholder(tf.float32, [32, 16], name="x")
        w = tf1.get_variable("w", [16, 16], use_resource=True)
        h = tf.nn.relu(tf.matmul(x, w, name="product"), name="rectified")
        i, total = tf.while_loop(
            lambda i, t: i < 5,
            lambda i, t: (i + 1, t + tf.reduce_sum(h)),
            [tf.constant(0), tf.constant(0.0)],
        )
        loss = tf.reduce_mean(h) + total + tf.cast(i, tf.float32)
        train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
        init = tf1.global_variables_initializer()
    metadata = tf1.RunMetadata()
    feed = {x: np.ones((32, 16), np.float32)}
    with tf1.Session(graph=graph) as session:
        session.run(init)
        for _ in range(3):
            session.run(train, feed)
        session.run(
            train,
            feed,
            run_metadata=metadata,
            options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
        )
        session.run(train, feed)

    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    model.fit(
        np.ones((64, 4), np.float32),
        np.ones((64, 1), np.float32),
        batch_size=16,
        epochs=2,
        verbose=0,
    )

    @tf.function
    def square(a):
        return tf.reduce_sum(tf.matmul(a, a))

    for _ in range(4):
        square(tf.ones([16, 16]))
    nodes = {}
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            times = nodes.setdefault(node.node_name, [node.timeline_label, []])
            times[1].append(node.op_end_rel_micros - node.op_start_rel_micros)
    print(json.dumps({"version": tf.__version__, "nodes": nodes}))


def worker(task, addresses):
    """One of two processes: the second has what the first one asks for."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf1 = tf.compat.v1
    tf1.disable_eager_execution()
    server = tf1.train.Server(
        tf1.train.ClusterSpec({"worker": addresses}),
        job_name="worker",
        task_index=task,
    )
    if task == 0:
        with tf.device("/job:worker/task:1"):
            far = tf.matmul(tf.ones([8, 8]), tf.random.uniform([8, 8]))
        with tf.device("/job:worker/task:0"):
            near = tf.matmul(far, far, name="near")
        with tf1.Session(server.target) as session:
            for _ in range(DISTRIBUTED_STEPS):
                session.run(near)
    else:
        sys.stdin.read(1)
    # A server has no end.
    sys.stdout.flush()
    os._exit(0)


def distributed():
    """Runs in the recorded process: two processes of one run."""
    sockets = [socket.socket() for _ in range(2)]
    for unbound in sockets:
        unbound.bind(("127.0.0.1", 0))
    addresses = ["127.0.0.1:%d" % s.getsockname()[1] for s in sockets]
    for bound in sockets:
        bound.close()
    command = [sys.executable, os.path.abspath(__file__), "--worker"]
    with subprocess.Popen(
        [*command, "1", *addresses], stdin=subprocess.PIPE
    ) as second:
        subprocess.run(
            [*command, "0", *addresses], check=True, timeout=recorded.TIMEOUT
        )
        second.communicate(b"end", timeout=recorded.TIMEOUT)


def type_of(label):
    """The type of an op in a label: "%x = Add(y, z)"."""
    return label.partition(" = ")[2].partition("(")[0]


def record(tfprof, python, part, folder):
    """Records a part of this script into a folder. Returns what it printed."""
    return subprocess.run(
        [
            tfprof,
            "record",
            "-o",
            folder,
            "--",
            python,
            os.path.abspath(__file__),
            part,
        ],
        check=True,
        stdout=subprocess.PIPE,
        timeout=3 * recorded.TIMEOUT,
        text=True,
    ).stdout


def compare_steps(tfprof, python):
    """Sessions, functions and ops. Returns whether all is well."""
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "trace")
        output = record(tfprof, python, "--program", folder)
        said = json.loads(
            next(
                line
                for line in output.splitlines()
                if line.startswith('{"version"')
            )
        )
        steps = recorded.ask(tfprof, folder, "steps")["rows"]
        tables = recorded.status(tfprof, folder)
        # Functions, whose numbers are random, are numbered behind the sessions.
        runs = sorted(tables["trace_sessions"], key=lambda r: r["count"])
        sessions, functions = runs[:SESSIONS], runs[SESSIONS:]
        # The fifth session wrote the RunMetadata.
        step = sessions[4]["count"]
        ops = {
            row["name"]: row["self_runs"]
            for row in recorded.ask(
                tfprof,
                folder,
                "scope -step %d -max_depth 100"
                " -select occurrence,op_types" % step,
            )["rows"]
            if row["self_runs"]
        }
    well = True
    missing = {
        name: label
        for name, (label, _) in said["nodes"].items()
        if name not in ops
        and name != "_SOURCE"
        and type_of(label) not in NOT_RUN
    }
    print(
        "TensorFlow %s: %d sessions, %d functions, %d ops"
        % (
            said["version"],
            len(sessions),
            len(functions),
            sum(r["count"] for r in tables["trace_ops"]),
        )
    )
    print(
        "  step %d: %d nodes in its RunMetadata, %d of them recorded"
        % (step, len(said["nodes"]), len(set(said["nodes"]) & set(ops)))
    )
    if missing:
        print("  not recorded: %s" % missing)
        well = False
    if (
        len(sessions) != SESSIONS
        or len(functions) < 12
        or [r["count"] for r in runs] != list(range(1, len(runs) + 1))
    ):
        print("  not all steps are recorded")
        well = False
    if not any(r["step"] > SESSIONS and r["executions"] > 2 for r in steps):
        print("  no function has ops")
        well = False
    return well


def compare_transfers(tfprof, python):
    """A run of two processes. Returns whether all is well."""
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "trace")
        record(tfprof, python, "--distributed", folder)
        tables = recorded.status(tfprof, folder)
    steps = [row["count"] for row in tables["trace_sessions"]]
    [requests] = tables["trace_requests"]
    print(
        "  two processes: %d steps, %d ops, %d tensors asked for, %d "
        "answered"
        % (
            len(set(steps)),
            sum(r["count"] for r in tables["trace_ops"]),
            requests["requests"],
            requests["answered"],
        )
    )
    well = (
        len(set(steps)) == DISTRIBUTED_STEPS
        and len(steps) == 2 * DISTRIBUTED_STEPS
        and requests["requests"] == DISTRIBUTED_STEPS
        and requests["answered"] == DISTRIBUTED_STEPS
        and requests["round_trip_total_ns"] > requests["prepare_total_ns"]
    )
    if not well:
        print("  not all of it is recorded: steps %s" % steps)
    return well


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tfprof", default="bazel-bin/profiler/tfprof")
    for part in ("--program", "--distributed"):
        parser.add_argument(part, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    args = parser.parse_args()
    if args.program:
        program()
        return 0
    if args.distributed:
        distributed()
        return 0
    if args.worker:
        worker(int(args.worker[0]), args.worker[1:])
        return 0
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    pythons = args.pythons or [
        path
        for path in sorted(
            glob.glob(
                os.path.join(
                    cache, "tfprof-dev", "python", "*", "bin", "python"
                )
            )
        )
        if glob.glob(
            os.path.join(
                os.path.dirname(path),
                "..",
                "lib",
                "python3*",
                "site-packages",
                "tensorflow",
                "libtensorflow_cc.so*",
            )
        )
    ]
    if not pythons:
        print(
            "no Python with TensorFlow; `./dev test-python tensorflow` makes "
            "one"
        )
        return 1
    tfprof = os.path.abspath(args.tfprof)
    well = True
    for python in pythons:
        well &= compare_steps(tfprof, python)
        well &= compare_transfers(tfprof, python)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
