#!/usr/bin/env python3
"""The program of g3doc/tutorial.md: trains a small classifier under a profile.

Usage: train.py [--fast_monitor] FOLDER     (TensorFlow 2.15)

Every fifth step also logs the largest singular value of each layer's weights.
Writes graph.pb, tfprof_log and run_meta_100 to run_meta_111. before.pb.gz and
after.pb.gz are what `save` made of them, without and with --fast_monitor.
"""

import argparse
import os

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

BATCH, INPUTS, UNITS, CLASSES = 128, 256, 192, 10


def dense(name, x, units):
    with v1.variable_scope(name):
        w = v1.get_variable("w", [x.shape[1], units])
        b = v1.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def model(x):
    with v1.variable_scope("model"):
        x = tf.nn.relu(dense("hidden_1", x, UNITS))
        x = tf.nn.relu(dense("hidden_2", x, UNITS))
        return dense("logits", x, CLASSES)


def exact_norm(w):
    return tf.linalg.svd(w, compute_uv=False)[0]


def estimated_norm(w):
    """Two rounds of the power iteration."""
    v = tf.ones([w.shape[1], 1])
    for _ in range(2):
        u = tf.math.l2_normalize(tf.matmul(w, v))
        v = tf.math.l2_normalize(tf.matmul(w, u, transpose_a=True))
    return tf.norm(tf.matmul(w, v))


def monitor(norm):
    with v1.name_scope("monitor"):
        return [norm(w) for w in v1.trainable_variables() if w.shape.rank == 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast_monitor", action="store_true")
    parser.add_argument("folder")
    flags = parser.parse_args()
    os.makedirs(flags.folder, exist_ok=True)

    v1.disable_eager_execution()
    v1.disable_resource_variables()
    v1.set_random_seed(1)
    random = np.random.default_rng(1)
    x = v1.placeholder(tf.float32, [BATCH, INPUTS], name="x")
    y = v1.placeholder(tf.int32, [BATCH], name="y")
    logits = model(x)
    with v1.name_scope("loss"):
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
        )
    with v1.name_scope("train"):
        train = v1.train.AdamOptimizer(1e-3).minimize(loss)
    norms = monitor(estimated_norm if flags.fast_monitor else exact_norm)

    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    config = v1.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )
    with v1.Session(config=config) as session:
        session.run(v1.global_variables_initializer())
        for step in range(112):
            fetches = [train, loss] + (norms if step % 5 == 0 else [])
            meta = v1.RunMetadata()
            traced = step >= 90  # the first traced steps are slower
            session.run(
                fetches,
                {
                    x: random.normal(size=(BATCH, INPUTS)),
                    y: random.integers(CLASSES, size=BATCH),
                },
                options=options if traced else None,
                run_metadata=meta if traced else None,
            )
            if step >= 100:
                with open(f"{flags.folder}/run_meta_{step}", "wb") as out:
                    out.write(meta.SerializeToString())
        v1.train.write_graph(
            session.graph_def, flags.folder, "graph.pb", as_text=False
        )
        v1.profiler.write_op_log(session.graph, flags.folder, run_meta=meta)


if __name__ == "__main__":
    main()
