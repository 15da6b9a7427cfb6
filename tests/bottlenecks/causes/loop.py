"""Loops of training and inference on a Job.

train() runs the steps; its arguments are functions that a program has at
places of a step. Each is called as f(rank, index), where `index` counts steps
from 0; the number of a step is job.first + index.
"""

import contextlib

from machine import AUTOGRAD, EXECUTOR, WORKER, collective

MIB = 1 << 20
SCRIPT = "train.py"

# (name in a layer, kind of operation, microseconds)
TRANSFORMER = (
    ("norm_1", "norm", 40),
    ("attention/qkv", "matmul", 190),
    ("attention/probs", "attention", 230),
    ("attention/out", "matmul", 80),
    ("add_1", "add", 35),
    ("mlp/up", "matmul", 260),
    ("mlp/act", "gelu", 60),
    ("mlp/down", "matmul", 250),
    ("add_2", "add", 35),
)
CONVOLUTIONS = (
    ("conv_1", "conv", 260),
    ("bn_1", "norm", 45),
    ("relu_1", "relu", 30),
    ("conv_2", "conv", 330),
    ("bn_2", "norm", 45),
    ("add", "add", 35),
    ("relu_2", "relu", 30),
)


def load(rank, micros, how="worker"):
    """Gets the next batch, from a worker or in the process itself."""
    form = rank.job.form
    if form == "kineto":
        kind = "MultiProcessing" if how == "worker" else "SingleProcess"
        name = "enumerate(DataLoader)#_%sDataLoaderIter.__next__" % kind
        dataloader = "torch/utils/data/dataloader.py"
        with frames(rank, (dataloader, 701, "__next__")):
            with rank.span("range", name):
                if how == "worker":
                    with frames(
                        rank,
                        (dataloader, 1448, "_next_data"),
                        (dataloader, 1402, "_get_data"),
                        ("multiprocessing/queues.py", 113, "get"),
                        ("multiprocessing/connection.py", 253, "poll"),
                    ):
                        rank.now += rank.noisy(micros)
                else:
                    with frames(
                        rank,
                        (dataloader, 757, "_next_data"),
                        ("dataset.py", 61, "__getitem__"),
                    ):
                        rank.now += rank.noisy(micros)
    elif form == "tf2":
        with rank.span("range", "EagerLocalExecute: IteratorGetNext"):
            with rank.span("range", "IteratorGetNextOp::DoCompute"):
                with rank.span("range", "Iterator::Root"):
                    rank.does("range", "Iterator::Root::Prefetch", micros)
    elif form in ("ctf", "tf1"):
        rank.does("op", "IteratorGetNext", micros, op="IteratorGetNext")
    else:
        with frames(rank, ("input_pipeline.py", 57, "next_batch")):
            rank.does("range", "Iterator::Root", micros)


def prepares(rank, start, end, name="decode_jpeg"):
    """A thread of the process makes batches from `start` to `end`."""
    form = rank.job.form
    with rank.on(WORKER):
        before, rank.now = rank.now, start
        if form == "tf2":
            kind, name = "range", "Iterator::Root::Prefetch::ParallelMapV2"
        elif form == "ctf":
            kind = "range"
        else:
            kind = "frame"
        args = {"file": "input_pipeline.py", "line": 24}
        with rank.span(kind, name, **(args if kind == "frame" else {})):
            rank.now = end - 400
        rank.now = before


@contextlib.contextmanager
def frames(rank, *of):
    """Python functions around something, if they are recorded."""
    with contextlib.ExitStack() as stack:
        for file, line, function in of:
            stack.enter_context(rank.frame(file, line, function))
        yield


def to_device(rank, micros=90, size=2 * MIB, **options):
    rank.copy("input/batch", "to_device", micros, size, **options)


@contextlib.contextmanager
def module(rank, name):
    """A part of the model; compiled programs have no such time."""
    if rank.job.form == "kineto" and rank.job.frames:
        with rank.span("frame", "nn.Module: " + name, file="", line=0):
            yield
    else:
        yield


@contextlib.contextmanager
def function(rank, name, line):
    """A function of the script around operations."""
    if rank.job.form == "kineto":
        with rank.frame(SCRIPT, line, name):
            yield
    else:
        yield


@contextlib.contextmanager
def executor(rank):
    """The thread of TensorFlow 2 that runs a function's operations."""
    if rank.job.form == "tf2" and not rank.job.eager:
        with rank.span("range", "FunctionRun"), rank.on(EXECUTOR):
            yield
    else:
        yield


def layers_of(job, kind):
    """The operations of each layer: (name, kind, microseconds)."""
    return [
        [("layer_%d/%s" % (i, n), op, t * job.scale) for n, op, t in kind]
        for i in range(job.layers)
    ]


def forward(rank, index, kind=TRANSFORMER, in_layer=None):
    job = rank.job
    with function(rank, "forward", 52), module(rank, "Model_0"):
        rank.op("embed/lookup", "gather", 60 * job.scale)
        for i, ops in enumerate(layers_of(job, kind)):
            with module(rank, "Block_%d" % i):
                for name, op, micros in ops:
                    rank.op(name, op, micros)
                if in_layer:
                    in_layer(rank, index, i)
        rank.op("head/logits", "matmul", 280 * job.scale)
        rank.op("head/loss", "loss", 90 * job.scale)


def backward(rank, index, kind=TRANSFORMER):
    job = rank.job
    with function(rank, "backward", 71):
        with rank.on(AUTOGRAD if job.form == "kineto" else rank.thread):
            rank.op("grad/head/loss", "loss", 90 * job.scale)
            rank.op("grad/head/logits", "matmul", 500 * job.scale)
            for ops in reversed(layers_of(job, kind)):
                for name, op, micros in reversed(ops):
                    rank.op("grad/" + name, op, 1.9 * micros)
            rank.op("grad/embed/lookup", "gather", 70 * job.scale)


def update(rank):
    with function(rank, "optimizer_step", 84):
        for i in range(3):
            rank.op("optimizer/group_%d" % i, "adam", 130 * rank.job.scale)


def reduce_gradients(job, micros=240, size=64 * MIB, exposed=True):
    collective(job, "grad/all_reduce", "all_reduce", micros, size, exposed)


def plain_reduce(job, index):
    reduce_gradients(job)


def overlapped_reduce(job, index):
    """Gradients are reduced while the optimizer of other ones runs."""
    reduce_gradients(job, 400, exposed=False)


def train(
    job,
    kind=TRANSFORMER,
    training=True,
    before=None,
    data=lambda rank, index: load(rank, 60),
    copies=to_device,
    after_input=None,
    in_layer=None,
    after_forward=None,
    reduces=None,
    end=None,
):
    """`reduces` is called as f(job, index), the others as f(rank, index)."""
    if reduces is None and len(job.ranks) * len(job.ranks[0].devices) > 1:
        reduces = plain_reduce
    for index in range(job.steps):
        with contextlib.ExitStack() as stack:
            for rank in job.ranks:
                stack.enter_context(rank.in_step(job.first + index))
                if before:
                    before(rank, index)
                data(rank, index)
                if after_input:
                    after_input(rank, index)
                with executor(rank):
                    copies(rank)
                    forward(rank, index, kind, in_layer)
                if after_forward:
                    after_forward(rank, index)
                if training:
                    with executor(rank):
                        backward(rank, index, kind)
            if training and reduces:
                reduces(job, index)
            for rank in job.ranks:
                if training:
                    with executor(rank):
                        update(rank)
                if end:
                    end(rank, index)
                if job.waits or job.last(index):
                    wait_for_step(rank)
        settle(job)
    return job


def wait_for_step(rank):
    """The program reads the loss, or waits for the result."""
    name = {
        "jax": "CommonPjRtBuffer::Await",
        "tpu": "CommonPjRtBuffer::Await",
        "chrome": "CommonPjRtBuffer::Await",
        "tf2": "cuStreamSynchronize",
    }
    rank.wait(name.get(rank.job.form, "cudaDeviceSynchronize"))


def settle(job):
    """Ranks that wait for each other keep about the same pace."""
    latest = max(rank.now for rank in job.ranks)
    for rank in job.ranks:
        rank.now = max(rank.now, latest - rank.rng.randint(5, 25) * 1000)


def reads_back(rank, name="loss", size=4):
    """The host reads a number of the device, and waits for it."""
    form = rank.job.form
    if form == "kineto":
        with rank.span("op", name, op="item", nominal=0):
            rank.copy(name, "to_host", 1.6, size)
            rank.wait("cudaStreamSynchronize")
    elif form in ("jax", "chrome", "tpu"):
        with frames(rank, ("array.py", 300, "_value")):
            with rank.span("range", "PjRtBuffer::ToLiteralSync"):
                rank.wait("CommonPjRtBuffer::Await")
                rank.copy(name, "to_host", 2, size)
                rank.wait("CommonPjRtBuffer::Await")
    elif form == "tf2":
        with rank.span("range", "EagerTensor::numpy"):
            rank.copy(name, "to_host", 2, size)
            rank.wait("cuStreamSynchronize")
    else:
        with rank.span("range", name + ".item"):
            rank.copy(name, "to_host", 2, size)
            rank.wait("cudaStreamSynchronize")
