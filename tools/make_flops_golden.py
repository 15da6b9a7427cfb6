#!/usr/bin/env python3
"""Makes tests/flops/tensorflow: a graph, and the float operations in it by
TensorFlow.

The graph has the ops that TensorFlow registers 'flops' for, over random shapes,
strides, paddings and transpositions; the op log has the results of these
registered functions. Some ops are not counted by TensorFlow, or wrongly. Each
of them has a twin in the graph: other ops that compute the same and for which
TensorFlow knows the figure. The op log has the figure of the twin. The figure
of a function, branch or loop is the sum over the operations in it. The metadata
of a run completes shapes that the graph does not have; its times are invented.

Needs TensorFlow, which nothing else in this repository does:

    python3 -m venv /tmp/tf
    /tmp/tf/bin/pip install 'tensorflow-cpu==2.15.*' 'numpy<2'
    /tmp/tf/bin/python tools/make_flops_golden.py

The same release writes the same files. The last lines count what is in them.
Other seeds make other shapes; the test takes any folder of such folders:

    for seed in 1 2 3; do
      /tmp/tf/bin/python tools/make_flops_golden.py --seed $seed \\
          --out /tmp/seeds/$seed
    done
    bazel-bin/tests/flops/op_log_test /tmp/seeds
"""

import argparse
import collections
import gzip
import os
import random

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.framework import function, function_def_to_graph, ops
from tensorflow.python.profiler import tfprof_logger

tf1 = tf.compat.v1

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(ROOT, "tests", "flops", "tensorflow")

rng = random.Random()

# Maps an op of ours to its twins, which have the expected number.
twins = {}


def shape(rank, largest=6):
    return [rng.randint(1, largest) for _ in range(rank)]


def tensor(dims, dtype=tf.float32):
    return tf1.placeholder_with_default(tf.ones(dims, dtype), dims)


def twin(ours, theirs):
    twins[ours.op.name] = [t.op.name for t in theirs]


def elementwise():
    unary = [
        tf.math.reciprocal,
        tf.math.square,
        tf.math.rsqrt,
        tf.math.log,
        tf.math.negative,
        tf.nn.softmax,
        tf.nn.l2_loss,
    ]
    binary = [
        tf.raw_ops.Add,
        tf.raw_ops.AddV2,
        tf.raw_ops.Sub,
        tf.raw_ops.Mul,
        tf.raw_ops.RealDiv,
        tf.raw_ops.Maximum,
        tf.raw_ops.Minimum,
        tf.raw_ops.Pow,
        tf.raw_ops.RsqrtGrad,
        tf.raw_ops.GreaterEqual,
        tf.raw_ops.Greater,
        tf.raw_ops.LessEqual,
        tf.raw_ops.Less,
        tf.raw_ops.Equal,
        tf.raw_ops.NotEqual,
        tf.raw_ops.SquaredDifference,
    ]
    for op in unary:
        for _ in range(3):
            op(tensor(shape(rng.randint(1, 4))))
    for op in binary:
        dims = shape(rng.randint(1, 4))
        other = dims
        if op is not tf.raw_ops.RsqrtGrad:
            other = [d if rng.random() < 0.6 else 1 for d in dims]
        names = ("y", "dy") if op is tf.raw_ops.RsqrtGrad else ("x", "y")
        op(**dict(zip(names, (tensor(dims), tensor(other)))))
        if op is not tf.raw_ops.RsqrtGrad:  # scalars
            op(**dict(zip(names, (tensor([]), tensor([])))))
    variable = tf1.get_variable("variable", shape(3), use_resource=False)
    tf1.assign_add(variable, tf.ones(variable.shape))
    tf1.assign_sub(variable, tf.ones(variable.shape))
    for count in (1, 2, 5):
        dims = shape(2)
        # Control inputs are counted as inputs by TensorFlow.
        with tf1.control_dependencies([tf.no_op()] if count == 2 else []):
            tf.raw_ops.AddN(inputs=[tensor(dims) for _ in range(count)])


def reductions():
    for op in (tf.raw_ops.Sum, tf.raw_ops.Mean):
        for keep in (False, True):
            dims = shape(3)
            axes = rng.sample(range(3), rng.randint(1, 3))
            op(input=tensor(dims), axis=axes, keep_dims=keep)
    for op in (tf.raw_ops.ArgMax, tf.raw_ops.ArgMin):
        op(input=tensor(shape(3)), dimension=rng.randint(0, 2))
    for rank in (2, 4):
        dims = shape(rank)
        tf.nn.bias_add(tensor(dims), tensor(dims[-1:]))
        tf.raw_ops.BiasAddGrad(out_backprop=tensor(dims))


def products():
    for a_transposed in (False, True):
        for b_transposed in (False, True):
            m, k, n = shape(3, 9)
            a = tensor([k, m] if a_transposed else [m, k])
            b = tensor([n, k] if b_transposed else [k, n])
            tf.raw_ops.MatMul(
                a=a, b=b, transpose_a=a_transposed, transpose_b=b_transposed
            )
            # TensorFlow reads transpose_a, and the attribute is adj_x.
            batch = shape(2)
            a = tensor(batch + ([k, m] if a_transposed else [m, k]))
            b = tensor(batch + ([n, k] if b_transposed else [k, n]))
            for name in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
                types = {"Tout": tf.float32} if name == "BatchMatMulV3" else {}
                ours = getattr(tf.raw_ops, name)(
                    x=a, y=b, adj_x=a_transposed, adj_y=b_transposed, **types
                )
                if a_transposed:
                    twin(
                        ours,
                        [
                            tf.raw_ops.BatchMatMulV2(
                                x=tf.linalg.matrix_transpose(a),
                                y=b,
                                adj_y=b_transposed,
                            )
                        ],
                    )
    # Batches that stretch.
    tf.raw_ops.BatchMatMulV2(x=tensor([3, 1, 4, 5]), y=tensor([2, 5, 6]))


def einsums():
    def flat(a, rows):
        return tf.reshape(a, [rows, -1])

    def einsum(equation, *operands):
        return tf.raw_ops.Einsum(inputs=operands, equation=equation)

    a, b = tensor([4, 5]), tensor([5, 6])
    twin(einsum("ij,jk->ik", a, b), [tf.matmul(a, b)])
    a, b = tensor([3, 4, 5]), tensor([3, 5, 6])
    twin(einsum("bij,bjk->bik", a, b), [tf.raw_ops.BatchMatMulV2(x=a, y=b)])
    a, b = tensor([2, 3, 4, 5]), tensor([5, 7])
    twin(einsum("...i,ij->...j", a, b), [tf.matmul(flat(a, 24), b)])
    # Attention: heads, queries, keys.
    a, b = tensor([2, 3, 4, 5]), tensor([2, 6, 4, 5])
    twin(
        einsum("bqhd,bkhd->bhqk", a, b),
        [
            tf.raw_ops.BatchMatMulV2(
                x=tf.transpose(a, [0, 2, 1, 3]), y=tf.transpose(b, [0, 2, 3, 1])
            )
        ],
    )
    a, b = tensor([3, 4]), tensor([3, 4])
    twin(einsum("ij,ij->", a, b), [tf.matmul(flat(a, 1), flat(b, 12))])
    # These have no sum: elementwise products, and an outer product.
    twin(einsum("ij,ij->ij", a, b), [a * b])
    a, b = tensor([3]), tensor([4])
    twin(einsum("i,j->ij", a, b), [a[:, tf.newaxis] * b])
    # A label of one operand alone is summed first.
    a, b = tensor([4, 5, 6]), tensor([5, 7])
    reduced = tf.reduce_sum(a, 2)
    twin(einsum("ijk,jl->il", a, b), [reduced, tf.matmul(reduced, b)])
    # One operand.
    a = tensor([4, 5, 6])
    twin(einsum("ijk->ik", a), [tf.reduce_sum(a, 1)])
    # Ellipses that stretch.
    a, b = tensor([2, 1, 4, 5]), tensor([3, 5, 6])
    twin(
        einsum("...ij,...jk->...ik", a, b), [tf.raw_ops.BatchMatMulV2(x=a, y=b)]
    )


def first(dims):
    """Channels last to channels first."""
    return [dims[0], dims[-1]] + list(dims[1:-1])


def convolutions():
    for case in range(8):
        stride, dilation = (
            (rng.randint(1, 3), 1) if case % 2 else (1, rng.randint(1, 2))
        )
        padding = rng.choice(("SAME", "VALID"))
        image = [
            rng.randint(1, 3),
            rng.randint(7, 12),
            rng.randint(7, 12),
            2 * rng.randint(1, 3),
        ]
        # With groups, the filter is as deep as a group.
        groups = 2 if case == 5 else 1
        window = [
            rng.randint(1, 3),
            rng.randint(1, 3),
            image[3] // groups,
            2 * rng.randint(1, 4),
        ]

        def conv(layout):
            order = first if layout == "NCHW" else list
            same = {
                "strides": order([1, stride, stride, 1]),
                "padding": padding,
                "data_format": layout,
                "dilations": order([1, dilation, dilation, 1]),
            }
            x, w = tensor(order(image)), tensor(window)
            y = tf.raw_ops.Conv2D(input=x, filter=w, **same)
            dy = tensor(y.shape)
            return [
                y,
                tf.raw_ops.Conv2DBackpropInput(
                    input_sizes=order(image), filter=w, out_backprop=dy, **same
                ),
                tf.raw_ops.Conv2DBackpropFilter(
                    input=x, filter_sizes=window, out_backprop=dy, **same
                ),
            ]

        for last, ours in zip(conv("NHWC"), conv("NCHW")):
            twin(ours, [last])

    for _ in range(4):
        stride, padding = rng.randint(1, 2), rng.choice(("SAME", "VALID"))
        image = [2] + shape(3, 4) + [3]
        image = [d + 4 for d in image[:4]] + [3]
        window = shape(3, 3) + [3, rng.randint(1, 4)]

        def conv3d(layout):
            order = first if layout == "NCDHW" else list
            same = {
                "strides": order([1, stride, stride, stride, 1]),
                "padding": padding,
                "data_format": layout,
            }
            x, w = tensor(order(image)), tensor(window)
            y = tf.raw_ops.Conv3D(input=x, filter=w, **same)
            dy = tensor(y.shape)
            return [
                y,
                tf.raw_ops.Conv3DBackpropInputV2(
                    input_sizes=order(image), filter=w, out_backprop=dy, **same
                ),
                tf.raw_ops.Conv3DBackpropFilterV2(
                    input=x, filter_sizes=window, out_backprop=dy, **same
                ),
            ]

        results = conv3d("NDHWC") + conv3d("NCDHW")
        # The gradients multiply as often as the convolution does.
        for ours in results[1:]:
            twin(ours, results[:1])

    for _ in range(4):
        stride, padding = rng.randint(1, 2), rng.choice(("SAME", "VALID"))
        image = [2, rng.randint(6, 9), rng.randint(6, 9), rng.randint(1, 4)]
        window = shape(2, 3) + [image[3], rng.randint(1, 3)]

        def depthwise(layout):
            order = first if layout == "NCHW" else list
            same = {
                "strides": order([1, stride, stride, 1]),
                "padding": padding,
                "data_format": layout,
            }
            x, w = tensor(order(image)), tensor(window)
            y = tf.raw_ops.DepthwiseConv2dNative(input=x, filter=w, **same)
            dy = tensor(y.shape)
            return [
                y,
                tf.raw_ops.DepthwiseConv2dNativeBackpropInput(
                    input_sizes=order(image), filter=w, out_backprop=dy, **same
                ),
                tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
                    input=x, filter_sizes=window, out_backprop=dy, **same
                ),
            ]

        results = depthwise("NHWC") + depthwise("NCHW")
        for ours in results[1:]:
            twin(ours, results[:1])
    tf.raw_ops.Dilation2D(
        input=tensor([2, 8, 9, 3]),
        filter=tensor([3, 2, 3]),
        strides=[1, 2, 1, 1],
        rates=[1, 1, 2, 1],
        padding="SAME",
    )


def pools():
    for _ in range(4):
        size, stride = shape(2, 3), rng.randint(1, 3)
        padding = rng.choice(("SAME", "VALID"))
        image = [rng.randint(1, 3), rng.randint(5, 9), rng.randint(5, 9), 3]

        def pool(layout):
            order = first if layout == "NCHW" else list
            same = {
                "ksize": order([1] + size + [1]),
                "padding": padding,
                "strides": order([1, stride, stride, 1]),
                "data_format": layout,
            }
            x = tensor(order(image))
            average = tf.raw_ops.AvgPool(value=x, **same)
            largest = tf.raw_ops.MaxPool(input=x, **same)
            return [
                average,
                largest,
                tf.raw_ops.AvgPoolGrad(
                    orig_input_shape=order(image),
                    grad=tensor(average.shape),
                    **same,
                ),
                tf.raw_ops.MaxPoolGrad(
                    orig_input=x,
                    orig_output=largest,
                    grad=tensor(largest.shape),
                    **same,
                ),
            ]

        for last, ours in zip(pool("NHWC"), pool("NCHW")):
            twin(ours, [last])


def calls():
    """Functions that call functions, branches and loops."""

    @tf.function
    def inner(a, b):
        return tf.matmul(a, b) + 1.0

    @tf.function
    def outer(a, b):
        return inner(a, b) * inner(a + b, b)

    @tf.function
    def of_lists(a):
        left, right = tf.split(a, [1, 3], axis=1)
        return tf.reduce_sum(left) + tf.reduce_sum(tf.square(right))

    @tf.function
    def stateful(a):
        return tf.matmul(a, tf.random.normal([4, 4]))

    @function.Defun(tf.float32)
    def named(a):  # an op of its own name, without shapes but for constants
        return a, tf.matmul(tf.ones([3, 4]), tf.ones([4, 5]))

    a, b = tensor([4, 4]), tensor([4, 4])
    outer(a, b)
    inner(a, b)
    of_lists(a)
    stateful(a)
    named(a)
    tf.cond(tf.reduce_sum(a) > 0, lambda: stateful(a), lambda: stateful(a) + b)
    tf.cond(tf.reduce_sum(a) > 0, lambda: tf.matmul(a, b), lambda: a + b)
    tf.while_loop(
        lambda i, x: tf.logical_and(i < 3, tf.reduce_sum(x) > 0.0),
        lambda i, x: (i + 1, tf.matmul(inner(x, b), b)),
        [0, a],
    )
    tf.switch_case(
        tf.constant(1),
        [lambda: a + b, lambda: tf.matmul(a, b), lambda: tf.linalg.inv(a)],
    )


def open_shapes():
    """Shapes that only a run knows; returns the op to run, and its feeds."""
    batch = tf1.placeholder(tf.float32, [None, 6])
    weights = tensor([6, 5])
    result = tf.reduce_mean(tf.square(tf.matmul(batch, weights) + 1.0))
    return result, {batch: [[1.0] * 6] * 7}


class Figures:
    """TensorFlow's figures for a graph and for the functions that it calls."""

    BRANCHES = ("If", "StatelessIf", "Case", "StatelessCase")

    def __init__(self, graph_def):
        self.functions = {
            f.signature.name: f for f in graph_def.library.function
        }
        self.totals = {}

    def callees(self, node):
        if node.op in self.functions:
            return [node.op]
        names = []
        for key in (
            "f",
            "then_branch",
            "else_branch",
            "branches",
            "cond",
            "body",
        ):
            if key in node.attr:
                value = node.attr[key]
                names += [f.name for f in value.list.func] or [value.func.name]
        return names

    def of_node(self, graph, node):
        callees = (
            self.callees(node)
            if (
                node.op in self.functions
                or "Call" in node.op
                or node.op in self.BRANCHES + ("While", "StatelessWhile")
            )
            else []
        )
        if callees:
            values = [self.of_function(name) for name in callees]
            return max(values) if node.op in self.BRANCHES else sum(values)
        try:
            return int(
                ops.get_stats_for_node_def(graph, node, "flops").value or 0
            )
        except ValueError:  # a shape is unknown, or a layout unsupported
            return 0

    def of_function(self, name):
        if name not in self.totals:
            definition = self.functions[name]
            shapes = [
                tf.TensorShape(s)
                for s in definition.attr["_input_shapes"].list.shape
            ]
            graph = function_def_to_graph.function_def_to_graph(
                definition, shapes or None, include_library_functions=True
            )
            self.totals[name] = sum(
                self.of_node(graph, op.node_def)
                for op in graph.get_operations()
            )
        return self.totals[name]


def write(folder, name, message):
    with open(os.path.join(folder, name), "wb") as raw:
        # The file has no time and no name, so that equal content gives equal
        # files.
        with gzip.GzipFile("", "wb", 9, raw, 0) as file:
            file.write(message.SerializeToString(deterministic=True))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--out", default=TARGET, help="the folder to write")
    parser.add_argument("--seed", type=int, default=2015)
    args = parser.parse_args()
    rng.seed(args.seed)
    tf1.disable_eager_execution()
    tf1.enable_control_flow_v2()
    graph = tf.Graph()
    with graph.as_default():
        for part in (
            elementwise,
            reductions,
            products,
            einsums,
            convolutions,
            pools,
            calls,
        ):
            with tf.name_scope(part.__name__):
                part()
        with tf.name_scope("open_shapes"):
            fetch, feeds = open_shapes()
        metadata = tf1.RunMetadata()
        config = tf1.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf1.Session(config=config) as session:
            session.run(
                fetch,
                feeds,
                run_metadata=metadata,
                options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
            )
    metadata.ClearField("partition_graphs")
    metadata.ClearField("function_graphs")
    for device in metadata.step_stats.dev_stats:
        # Drops values that differ from run to run.
        records = sorted(device.node_stats, key=lambda n: n.node_name)
        device.ClearField("node_stats")
        for number, record in enumerate(records):
            kept = device.node_stats.add(
                node_name=record.node_name,
                all_start_micros=number + 1,
                op_end_rel_micros=1,
            )
            for output in record.output:
                output.tensor_description.ClearField("allocation_description")
                kept.output.append(output)
    graph_def = graph.as_graph_def(add_shapes=True)
    for node in graph_def.node:
        node.ClearField("experimental_debug_info")
    # From here on, shapes of the run are in the graph.
    tfprof_logger._fill_missing_graph_shape(graph, metadata)

    figures = Figures(graph_def)
    with graph.as_default():  # it has the functions
        values = {
            node.name: figures.of_node(graph, node) for node in graph_def.node
        }
    for ours, theirs in twins.items():
        values[ours] = sum(values[name] for name in theirs)
    log = tfprof_log_pb2.OpLogProto()
    by_op = collections.Counter()
    for node in graph_def.node:
        if not values[node.name]:
            continue
        log.log_entries.add(name=node.name, float_ops=values[node.name])
        by_op[node.op] += 1
    os.makedirs(args.out, exist_ok=True)
    write(args.out, "graph.pb.gz", graph_def)
    write(args.out, "op_log.gz", log)
    write(args.out, "run_meta_0.gz", metadata)
    for op, count in sorted(by_op.items()):
        print("%4d %s" % (count, op))
    print(
        "%d nodes, %d with a figure, %d of them by a twin, %d functions"
        % (
            len(graph_def.node),
            len(log.log_entries),
            len(twins),
            len(graph_def.library.function),
        )
    )


if __name__ == "__main__":
    main()
