"""How long profiling takes, beside TensorFlow's own profiler.

    python3 overhead.py [--nodes 20000] [--steps 200]
    python3 overhead.py --graph GRAPH_DEF --run_meta RUN_METADATA

Needs TensorFlow (2.15). Prints seconds and ratios: Profiler, add_step and
profile_operations on a graph of many nodes; and a loop of steps that traces
what ProfileContext chooses. Where TensorFlow's wheel has no ProfileContext
(2.15 has none), its loop calls TensorFlow's Profiler at the same steps.

With --graph and --run_meta the graph and the step come from files, for example
those that `./dev bench --sizes=B --folder=DIR` leaves in DIR. Both profilers
get the graph as a tf.Graph and ask TensorFlow for its GraphDef: the line "of
it, TensorFlow's own serialisation" says how long that takes alone.
"""

import argparse
import functools
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import tensorflow as tf

from tfprof import profiler as ours
from tfprof.profile_context import ProfileContext

v1 = tf.compat.v1
theirs = v1.profiler
FULL = 3


def make(nodes):
    """A session of a chain of products and sums, and what to run."""
    with tf.Graph().as_default() as graph:
        value = tf.ones([4, 8])
        for i in range(nodes // 6):
            with v1.name_scope(f"layer_{i % 100}"):
                value = tf.nn.relu(
                    tf.add(tf.matmul(value, tf.zeros([8, 8])), 1.0)
                )
    return v1.Session(graph=graph), value


def read(graph_file, meta_file):
    """A graph and a step from files, as a training program has them."""
    graph_def, meta = v1.GraphDef(), v1.RunMetadata()
    with open(graph_file, "rb") as file:
        graph_def.ParseFromString(file.read())
    with open(meta_file, "rb") as file:
        meta.ParseFromString(file.read())
    for node in graph_def.node:
        # In the generated graphs these name nodes without their tower.
        node.attr.pop("_class", None)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph, meta


def trace(session, fetch):
    meta = v1.RunMetadata()
    session.run(
        fetch, options=v1.RunOptions(trace_level=FULL), run_metadata=meta
    )
    return meta


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def profiler_calls(module, graph, meta, options):
    """Yields calls to measure, in this order; the first makes the profiler."""
    made = []
    yield lambda: made.append(module.Profiler(graph))
    profiler = made.pop()
    for step in range(2):
        yield functools.partial(profiler.add_step, step, meta)
        yield functools.partial(profiler.profile_operations, options)


def ratio(what, ours_took, theirs_took):
    print(
        f"{what:<42} {ours_took:9.3f} s {theirs_took:9.3f} s"
        f" {theirs_took / max(ours_took, 1e-9):7.1f} times"
    )


def profilers(graph, meta):
    def serialise():
        graph.as_graph_def(add_shapes=True).SerializeToString()

    options = dict(ours.ProfileOptionBuilder.time_and_memory(), output="none")
    took = {}
    for name, module in (("ours", ours), ("theirs", theirs)):
        took[name] = [
            seconds(call)
            for call in profiler_calls(module, graph, meta, options)
        ]
    print(f"{len(graph.get_operations())} nodes")
    names = (
        "Profiler(graph)",
        "add_step, the first",
        "profile_operations, the first",
        "add_step, the second",
        "profile_operations, the second",
    )
    for what, a, b in zip(names, took["ours"], took["theirs"]):
        ratio(what, a, b)
    print(
        f"{'of it, serialisation by TensorFlow':<42}"
        f" {seconds(serialise):9.3f} s"
    )
    ratio(
        "the first step and its operations",
        sum(took["ours"][1:3]),
        sum(took["theirs"][1:3]),
    )
    ratio(
        "a second step and its operations",
        sum(took["ours"][3:]),
        sum(took["theirs"][3:]),
    )
    ratio("all of it", sum(took["ours"]), sum(took["theirs"]))


def loops(steps, nodes):
    session, fetch = make(nodes)
    session.run(fetch)
    traced = set()

    def plain():
        for _ in range(steps):
            session.run(fetch)

    def with_ours():
        with tempfile.TemporaryDirectory() as folder:
            with ProfileContext(folder) as context:
                for step in range(steps):
                    before = context._traced
                    session.run(fetch)
                    if context._traced != before:
                        traced.add(step)

    def with_theirs():
        profiler = theirs.Profiler(session.graph)
        for step in range(steps):
            if step in traced:
                profiler.add_step(step, trace(session, fetch))
            else:
                session.run(fetch)
            if step == 100:
                profiler.serialize_to_string()

    base = seconds(plain)
    mine, other = seconds(with_ours), seconds(with_theirs)
    print(f"{steps} steps of {nodes} nodes, {len(traced)} traced")
    print(f"{'without a profiler':<42} {base:9.3f} s")
    ratio("with one", mine, other)
    ratio("overhead", mine - base, other - base)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=20000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--graph")
    parser.add_argument("--run_meta")
    args = parser.parse_args()
    if bool(args.graph) != bool(args.run_meta):
        parser.error("--graph and --run_meta go together")
    v1.disable_eager_execution()
    print(f"{'':<42} {'tfprof':>11} {'TensorFlow':>11}")
    if args.graph:
        profilers(*read(args.graph, args.run_meta))
        return
    session, fetch = make(args.nodes)
    profilers(session.graph, trace(session, fetch))
    loops(args.steps, 1000)


if __name__ == "__main__":
    main()
