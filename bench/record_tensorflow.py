"""The cost of recording TensorFlow: the time of a step with small ops.

The same step runs in processes of their own: alone, with the recorder, and
with the tracing of TensorFlow itself (FULL_TRACE).

    bench/record_tensorflow.py --python PYTHON \\
        --tfprof bazel-bin/profiler/tfprof

PYTHON is a Python that has TensorFlow. Times are CPU times of the whole process
for the fastest of all steps of several processes: other work on the machine
only adds, and on a busy one it adds more than what is measured.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

_MODES = ("alone", "recorded, without memory", "recorded", "FULL_TRACE")


def _steps(num_ops, num_steps, full_trace):
    """Runs the steps; returns their times in microseconds and the version."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf1 = tf.compat.v1
    graph = tf1.Graph()
    with graph.as_default():
        lanes = [tf1.placeholder(tf.float32, [4], name="x")] * 4
        for i in range(num_ops):
            lanes[i % 4] = tf.add(
                lanes[i % 4], lanes[(i + 1) % 4], name=f"add_{i}"
            )
        result = tf.add_n(lanes, name="result")
    # One thread runs the ops one after another, so that their cost adds up. The
    # optimizer leaves the same graph in all processes.
    config = tf1.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=1
    )
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options = metadata = None
    times = []
    num_nodes = 0
    with tf1.Session(graph=graph, config=config) as session:
        run = session.make_callable(result, ["x:0"], accept_options=full_trace)
        value = [1.0, 2.0, 3.0, 4.0]
        for _ in range(num_steps):
            if full_trace:
                options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
                metadata = tf1.RunMetadata()
                begin = time.process_time()
                run(value, options=options, run_metadata=metadata)
            else:
                begin = time.process_time()
                run(value)
            times.append((time.process_time() - begin) * 1e6)
        if full_trace:
            num_nodes = sum(
                len(d.node_stats) for d in metadata.step_stats.dev_stats
            )
    print(
        json.dumps(
            {
                "times": times[len(times) // 4 :],
                "version": tf.__version__,
                "nodes": num_nodes,
            }
        )
    )


def _run(args, mode):
    """Runs one process; returns what it printed."""
    command = [
        args.python,
        os.path.abspath(__file__),
        "--steps",
        str(args.steps),
        "--ops",
        str(args.ops),
        "--child",
        "full_trace" if mode == "FULL_TRACE" else "plain",
    ]
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        if mode.startswith("recorded"):
            command = [
                args.tfprof,
                "record",
                "-o",
                os.path.join(folder, "trace"),
                "--",
                *command,
            ]
            if "without" in mode:
                environment["TFPROF_RECORD_MEMORY"] = "off"
        output = subprocess.run(
            command,
            check=True,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        ).stdout
    line = next(one for one in output.splitlines() if one.startswith("{"))
    return json.loads(line)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tfprof", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--ops", type=int, default=600)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument(
        "--child", choices=("plain", "full_trace"), help=argparse.SUPPRESS
    )
    args = parser.parse_args()
    if args.child:
        _steps(args.ops, args.steps, args.child == "full_trace")
        return
    fast = collections.defaultdict(list)
    version, nodes = "", 0
    for _ in range(args.processes):
        for mode in _MODES:
            found = _run(args, mode)
            version = found["version"]
            nodes = nodes or found["nodes"]
            fast[mode].append(min(found["times"]))
    alone = min(fast["alone"])
    print(f"TensorFlow {version}, {nodes} nodes a step")
    for mode in _MODES:
        best = min(fast[mode])
        print(
            f"{mode:26s} {best:9.0f} us a step"
            f"  {(best - alone) * 1000 / nodes:7.0f} ns more per op"
        )


if __name__ == "__main__":
    main()
