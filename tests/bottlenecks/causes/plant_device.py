"""Causes on devices: outliers, layouts, precision, streams, offload."""

from loop import MIB, TRANSFORMER, load, module, to_device, train
from machine import COMPUTE, COPY, SIDE, Job
from truth import ALL_FORMS, GPU_FORMS, Truth, case, step

OUTLIER = (
    "sibling",
    r"\bothers?\b",
    "than (its|the|all)",
    "outlier",
    "times (the|as|that)",
)


@case("outlier_layer", ALL_FORMS)
def outlier_layer(name, form):
    """One layer of 12 takes ten times as long as its siblings."""
    slow = 7

    def time(rank, path, micros):
        return micros * (10 if path.startswith("layer_%d/" % slow) else 1)

    job = Job(name, form, layers=12, scale=0.3, steps=10, time=time)
    train(job)
    return job, Truth(("layer_%d|Block_%d" % (slow, slow),), OUTLIER)


@case("outlier_expert", ("kineto", "jax", "tpu", "tf2", "tf1", "ctf"))
def outlier_expert(name, form):
    """One expert of eight gets nearly all tokens."""
    slow = 5
    job = Job(name, form, layers=2, scale=0.5)

    def experts(rank, index, layer):
        for i in range(8):
            with module(rank, "Expert_%d" % i):
                path = "layer_%d/expert_%d/" % (layer, i)
                tokens = 12 if i == slow else 1
                rank.op(path + "up", "matmul", 110 * tokens)
                rank.op(path + "act", "gelu", 30 * tokens)
                rank.op(path + "down", "matmul", 110 * tokens)

    train(job, in_layer=experts)
    return job, Truth(("expert_%d" % slow,), OUTLIER)


@case("slow_kernel_once", ALL_FORMS)
def slow_kernel_once(name, form):
    """One kernel takes 18 ms in one step of 20."""
    job = Job(name, form, layers=3, steps=20)
    late = job.rng.randint(6, 17)
    steps = [job.first + late]

    def time(rank, path, micros):
        hit = rank.step in steps and path == "layer_1/mlp/up"
        return 18000 if hit else micros

    job.time = time
    train(job)
    op = {"kineto": "aten::mm|aten::linear|Block_1|gemm", "tpu": "mlp|dot"}
    thing = op.get(form, "mlp/up|MatMul|dot|gemm")
    return job, Truth(
        (step(job, late), thing),
        ("slow", "longer", "than the", "outlier", "usual", "median"),
    )


@case("single_precision", ("kineto", "jax", "tf2", "ctf"))
def single_precision(name, form):
    """Products are 32-bit, on a device with tensor cores."""
    kind = [
        (n, "sgemm" if op in ("matmul", "attention") else op, 3 * micros)
        for n, op, micros in TRANSFORMER
    ]
    job = Job(name, form, layers=3, steps=12)
    train(job, kind=kind)
    return job, Truth(
        ("sgemm|aten::mm|dot|MatMul|product",),
        ("tensor.?core", "tf32", "float32", "fp32", r"\bf32", "32.bit"),
    )


@case("layout_copies", ALL_FORMS)
def layout_copies(name, form):
    """Each convolution is between two changes of the layout."""
    kind = (
        ("to_nhwc_1", "transpose", 190),
        ("conv_1", "conv", 260),
        ("to_nchw_1", "transpose", 190),
        ("bn_1", "norm", 45),
        ("relu_1", "relu", 30),
        ("to_nhwc_2", "transpose", 190),
        ("conv_2", "conv", 330),
        ("to_nchw_2", "transpose", 190),
        ("add", "add", 35),
    )
    job = Job(name, form)
    train(job, kind=kind)
    return job, Truth(
        ("transpos|nchwToNhwc|contiguous",),
        ("layout", "channels.?last", "nchw", "nhwc"),
    )


@case("other_stream", ("kineto", "jax", "tf2", "chrome", "ctf"))
def other_stream(name, form):
    """Work of a side stream, for which the main one waits in each step."""
    job = Job(name, form, layers=3)

    def side(rank, index):
        rank.stream_waits(SIDE, COMPUTE)
        for i in range(6):
            rank.op("side/augment_%d" % i, "mul", 900, stream=SIDE)
        rank.stream_waits(COMPUTE, SIDE)

    train(job, after_input=side)
    return job, Truth(
        (r"stream #?%d|queue %d|side/augment|aten::mul" % (SIDE, SIDE),),
        (
            "serial",
            "overlap",
            r"wait\w* for",
            "depend",
            "one after",
            "concurren",
        ),
    )


def offload(path, micros):
    """A copy from the memory of the host, for which the TPU waits."""

    def waits(rank, number):
        for name, time in (("copy-start", 0.5), ("copy-done", micros)):
            (work,) = rank.op("%s/%s" % (path % number, name), "copy", time)
            work.args["instruction"] = "%s.%d" % (name, number + 1)
            work.args["category"] = name
            work.bytes = 64 * MIB

    return waits


OFFLOADED = Truth(
    ("copy-done",), ("offload", "wait", r"\bhost", "async", "prefetch")
)


@case("host_offload", ("tpu",), "weights", where="weights")
@case("host_offload", ("tpu",), "activations", where="activations")
@case("host_offload", ("tpu",), "optimizer", where="optimizer")
def host_offload(name, form, where):
    job = Job(name, form, layers=3)
    waits = offload(where + "/layer_%d", 2600)
    if where == "weights":
        train(job, in_layer=lambda rank, index, layer: waits(rank, layer))
    elif where == "activations":

        def loads(rank, index):
            for layer in range(3):
                waits(rank, layer)

        train(job, after_forward=loads)
    else:
        train(job, end=lambda rank, index: waits(rank, 0))
    return job, OFFLOADED


@case("host_offload", ("jax", "kineto"), "gpu")
def host_offload_gpu(name, form):
    """Activations go to the host and come back, and kernels wait for them."""
    job = Job(name, form, layers=3)

    def moves(rank, index):
        for way in ("to_host", "to_device"):
            rank.stream_waits(COPY, COMPUTE)
            rank.copy("offload/activations", way, 4200, 96 * MIB, stream=COPY)
            rank.stream_waits(COMPUTE, COPY)

    train(job, after_forward=moves)
    return job, Truth(
        ("HtoD|H2D|DtoH|D2H|cop(y|ies)|Memcpy",),
        ("offload", "wait", r"\bhost", "exposed", "hidden", "overlap"),
    )


@case("small_copies", GPU_FORMS)
def small_copies(name, form):
    """Each row of the batch is copied alone: 250 copies of 2 KiB."""
    job = Job(name, form, layers=3)

    def copies(rank):
        for i in range(250):
            rank.copy("input/row_%d" % (i % 25), "to_device", 1.5, 2048)

    train(job, copies=copies)
    return job, Truth(
        (r"HtoD|H2D|cop(y|ies)|Memcpy",),
        ("small", "many", "short", "batch", "each", r"\d{2,} copies"),
    )


@case("starved_inference", ("kineto", "jax", "tf2", "chrome", "ctf"))
def starved_inference(name, form):
    """A server that waits for requests 4 of 5 ms, and has small batches."""
    job = Job(name, form, layers=2, scale=0.25, steps=25)
    train(
        job,
        training=False,
        data=lambda rank, index: load(rank, 6000, "worker"),
        copies=lambda rank: to_device(rank, 5, 4096),
    )
    thing = {
        "kineto": "DataLoader",
        "tf2": "Iterator",
        "ctf": "IteratorGetNext",
    }
    return job, Truth(
        (thing.get(form, "next_batch|Iterator::"),),
        ("input", r"\bdata\b", "batch", "loader"),
    )
