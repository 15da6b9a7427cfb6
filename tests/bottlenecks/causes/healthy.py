"""Healthy programs: what causes look like, without being slow."""

from loop import (
    CONVOLUTIONS,
    MIB,
    frames,
    load,
    overlapped_reduce,
    prepares,
    to_device,
    train,
)
from machine import COPY, Job
from plant_host import compiles
from truth import ALL_FORMS, GPU_FORMS, case


@case("", ALL_FORMS, "small", layers=1, steps=12)
@case("", ALL_FORMS, "medium", layers=4, steps=16)
@case("", ("kineto", "jax", "tpu", "tf1"), "large", layers=16, steps=8)
def plain(name, form, layers, steps):
    job = Job(name, form, layers=layers, steps=steps)
    return train(job), None


@case("", ("kineto",), "amd", vendor="AMD")
@case("", ("kineto",), "no_stacks", frames=False)
@case("", ("tf2",), "eager", eager=True)
def variants(name, form, **options):
    return train(Job(name, form, **options)), None


@case("", ALL_FORMS, "convolutions")
def convolutions(name, form):
    return train(Job(name, form), kind=CONVOLUTIONS), None


@case("", ("kineto", "jax", "tf2", "chrome", "ctf"), "runs_ahead")
def runs_ahead(name, form):
    """The host does not wait in each step, and the device has work always."""
    return train(Job(name, form, waits=False)), None


@case("", ALL_FORMS, "noise", noise=0.08)
def noise(name, form, noise):
    return train(Job(name, form, noise=noise)), None


@case("", ("kineto", "jax", "tpu", "tf2", "tf1", "ctf"), "inference")
def inference(name, form):
    """A busy server: no gradients, short steps."""
    job = Job(name, form, layers=6, steps=24)
    return train(job, training=False), None


@case("", ("kineto", "jax", "tpu", "tf2", "chrome", "ctf"), "first_compile")
def first_compile(name, form):
    """The first step of 20 compiles, as it must."""
    job = Job(name, form, steps=20, layers=3)

    def runs(rank, index):
        if index == 0:
            compiles(rank, 40000)

    return train(job, after_input=runs), None


@case("", ("kineto", "jax", "tpu", "tf1", "chrome"), "warm_up")
def warm_up(name, form):
    """The first step is a third longer."""

    def speed(rank, device, step):
        return 1.35 if step == job.first else 1.0

    job = Job(name, form, steps=18, layers=3, speed=speed)
    return train(job), None


@case("", ALL_FORMS, "one_step")
def one_step(name, form):
    return train(Job(name, form, steps=1)), None


@case("", ("kineto", "ctf"), "overlapped", ranks=2)
@case("", ("kineto",), "overlapped_8", ranks=8)
@case("", ("jax",), "overlapped_4", devices=4)
def overlapped(name, form, ranks=1, devices=1):
    """Gradients are reduced while the device computes."""
    job = Job(name, form, ranks, devices, layers=2, steps=8)
    return train(job, reduces=overlapped_reduce), None


@case("", ("kineto", "ctf", "tf1"), "equal_ranks", ranks=8)
@case("", ("jax", "tpu", "tf2"), "equal_devices", devices=4)
def equal(name, form, ranks=1, devices=1):
    """All take the same time, and communicate little."""
    job = Job(name, form, ranks, devices, layers=3, steps=6)
    return train(job), None


@case("", GPU_FORMS, "loader_overlapped")
def loader_overlapped(name, form):
    """A worker is busy all the time, and the batch is always there."""
    job = Job(name, form, layers=3)

    def data(rank, index):
        if form not in ("kineto", "tf1"):
            prepares(rank, rank.now + 100000, rank.now + 9_000_000)
        load(rank, 70)

    return train(job, data=data), None


@case("", ("kineto", "jax", "tf1", "ctf"), "evaluation")
def evaluation(name, form):
    """Each fifth step evaluates a little: 6 % of a step."""
    job = Job(name, form, steps=20, layers=3)

    def runs(rank, index):
        if index % 5 == 4:
            for i in range(3):
                rank.op("evaluate/scores_%d" % i, "matmul", 220)

    return train(job, after_forward=runs), None


@case("", ("kineto", "jax", "tf2", "ctf", "tf1"), "steady_memory")
def steady_memory(name, form):
    """Each step frees what it allocates."""
    job = Job(name, form)

    def allocates(rank, index):
        if index == 0:
            rank.allocate(6 << 30)
        kept = [(96 * MIB, rank.allocate(96 * MIB)) for _ in range(8)]
        for size, address in kept:
            rank.release(size, address)

    return train(job, after_input=allocates), None


@case("", ("kineto", "jax", "chrome"), "idle_at_the_end")
def idle_at_the_end(name, form):
    """The program writes its result after the last step."""
    job = train(Job(name, form, layers=3))
    for rank in job.ranks:
        with frames(rank, ("train.py", 200, "finish")):
            rank.works_in("train.py", 210, "save_result", 9000)
    return job, None


@case("", ("kineto", "jax", "tf2"), "short_logging")
def short_logging(name, form):
    """Each step logs a line, while the device computes."""
    job = Job(name, form, layers=3)

    def logs(rank, index):
        rank.works_in("logger.py", 40, "log_line", 120)

    return train(job, after_forward=logs), None


@case("", ("kineto", "jax"), "async_copies")
def async_copies(name, form):
    """The next batch is copied beside the kernels, from pinned memory."""
    job = Job(name, form, layers=3)

    def copies(rank):
        to_device(rank, 1200, 30 * MIB, stream=COPY)

    return train(job, copies=copies), None
