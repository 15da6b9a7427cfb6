#!/usr/bin/env python3
"""Tests `tfprof record` with a wheel of TensorFlow, beside RunMetadata.

Usage:
  tests/record/tensorflow_wheels_test.py --tfprof TFPROF --library RECORDER \
      PYTHON…

Each PYTHON has TensorFlow. Prints what was compared; its status is 1 where the
trace and the RunMetadata of the same step differ in more than what a device
never runs.
"""

import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import recorded  # pylint: disable=wrong-import-position

# What the executor runs without a device, also with FULL_TRACE.
NOT_RUN = {"NoOp"}


def program():
    """What is recorded. Prints the nodes of steps as RunMetadata has them."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np  # pylint: disable=import-outside-toplevel
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    tf1 = tf.compat.v1
    graph = tf1.Graph()
    with graph.as_default():
        x = tf1.placeholder(tf.float32, [32, 16], name="x")
        w = tf1.get_variable("w", [16, 16], use_resource=True)
        h = tf.nn.relu(tf.matmul(x, w, name="product"), name="rectified")
        i, total = tf.while_loop(
            lambda i, t: i < 5, lambda i, t: (i + 1, t + tf.reduce_sum(h)),
            [tf.constant(0), tf.constant(0.0)])
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
            train, feed, run_metadata=metadata,
            options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE))
        session.run(train, feed)

    model = tf.keras.Sequential([
        tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((64, 4), np.float32), np.ones((64, 1), np.float32),
              batch_size=16, epochs=2, verbose=0)

    @tf.function
    def square(a):
        return tf.reduce_sum(tf.matmul(a, a))

    for _ in range(4):
        square(tf.ones([16, 16]))
    nodes = {}
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            times = nodes.setdefault(node.node_name, [node.timeline_label, []])
            times[1].append((node.op_end_rel_micros - node.op_start_rel_micros))
    print(json.dumps({"version": tf.__version__, "nodes": nodes}))


def type_of(label):
    """The type of an op in a label: "%x = Add(y, z)"."""
    return label.partition(" = ")[2].partition("(")[0]


def compare(tfprof, library, python):
    """Records with one Python. Returns whether all is well."""
    with tempfile.TemporaryDirectory() as folder:
        output = recorded.run(
            library, [python, os.path.abspath(__file__), "--program"], folder)
        said = json.loads(output.splitlines()[-1])
        steps = recorded.ask(tfprof, folder, "steps")["rows"]
        tables = recorded.status(tfprof, folder)
        sessions = [r for r in tables["trace_sessions"] if r["count"] >= 0]
        functions = [r for r in tables["trace_sessions"] if r["count"] < 0]
        # The fifth session is that of the RunMetadata.
        step = sessions[4]["count"]
        ops = {row["name"]: row["self_runs"]
               for row in recorded.ask(
                   tfprof, folder, "scope -step %d -max_depth 100"
                   " -select occurrence,op_types" % step)["rows"]
               if row["self_runs"]}
    well = True
    missing = {
        name: label for name, (label, _) in said["nodes"].items()
        if name not in ops and name != "_SOURCE" and
        type_of(label) not in NOT_RUN}
    print("TensorFlow %s: %d sessions, %d functions, %d ops, %d notes" % (
        said["version"], len(sessions), len(functions),
        sum(r["count"] for r in tables["trace_ops"]),
        len(tables.get("trace_notes", []))))
    print("  step %d: %d nodes in its RunMetadata, %d of them recorded" % (
        step, len(said["nodes"]), len(set(said["nodes"]) & set(ops))))
    if missing:
        print("  not recorded: %s" % missing)
        well = False
    if len(sessions) != 6 or len(functions) < 12:
        print("  not all steps are recorded")
        well = False
    if not any(r["step"] < 0 and r["executions"] > 2 for r in steps):
        print("  no function has ops")
        well = False
    return well


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tfprof", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--library",
                        default="bazel-bin/record/libtfprof_record.so")
    parser.add_argument("--program", action="store_true",
                        help=argparse.SUPPRESS)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    args = parser.parse_args()
    if args.program:
        program()
        return 0
    well = [compare(os.path.abspath(args.tfprof), os.path.abspath(args.library),
                    python) for python in args.pythons]
    return 0 if well and all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
