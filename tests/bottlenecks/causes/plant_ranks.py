"""Causes of several ranks and devices."""

from loop import MIB, load, reduce_gradients, train
from machine import Job, collective
from truth import Truth, case, device, member

LATE = (
    r"\blate",
    "slow",
    r"\bwait",
    "behind",
    "straggl",
    "skew",
    "longer",
    "times the",
)


@case("late_rank", ("kineto",), "2", ranks=2)
@case("late_rank", ("kineto", "jax", "ctf", "tf1"), "4", ranks=4)
@case("late_rank", ("kineto", "tpu"), "8", ranks=8)
def late_rank(name, form, ranks):
    """One rank needs half as much time again; the others wait for it."""
    job = Job(name, form, ranks=ranks, layers=2, steps=10)
    late = job.rng.randrange(ranks)
    job.speed = lambda rank, device, step: 1.5 if rank == late else 1.0
    train(job)
    return job, Truth((member(late),), LATE)


@case("late_rank", ("kineto", "ctf"), "input", ranks=4)
def late_input(name, form, ranks):
    """The loader of one rank is slow."""
    job = Job(name, form, ranks=ranks, layers=2, steps=10)
    late = job.rng.randrange(ranks)

    def data(rank, index):
        load(rank, 8000 if rank.index == late else 60)

    train(job, data=data)
    return job, Truth((member(late),), LATE)


REDUCE = "all.?reduce|nccl|CollectiveReduce"


@case("exposed_communication", ("kineto", "ctf"), "ranks", ranks=4)
@case("exposed_communication", ("tf1",), "ranks", ranks=2)
@case("exposed_communication", ("jax", "tpu"), "devices", devices=4)
@case("exposed_communication", ("chrome", "tf2"), "devices", devices=2)
def exposed_communication(name, form, ranks=1, devices=1):
    """Gradients are reduced when nothing else can run: 40 % of the step."""
    job = Job(name, form, ranks, devices, layers=2, steps=10)
    size = 640 * MIB
    train(job, reduces=lambda job, index: reduce_gradients(job, 6000, size))
    return job, Truth(
        (REDUCE,), ("communicat", "collective", "exposed", "hidden")
    )


@case("slow_collective", ("kineto",), "8", ranks=8)
@case("slow_collective", ("kineto", "ctf"), "4", ranks=4)
@case("slow_collective", ("jax", "tpu"), "4", devices=4)
def slow_collective(name, form, ranks=1, devices=1):
    """An all-gather of 20 MB takes 5 ms, a larger all-reduce 0.6 ms."""
    job = Job(name, form, ranks, devices, layers=2, steps=10)

    def reduces(job, index):
        collective(job, "fsdp/gather", "all_gather", 5000, 20 * MIB)
        reduce_gradients(job, 600, 64 * MIB)

    train(job, reduces=reduces)
    return job, Truth(("all.?gather",), ("slow", "bandwidth", "GB/s", "longer"))


UNEVEN = (
    "more",
    "uneven",
    "skew",
    "twice",
    "balance",
    "others",
    "slow",
    "than the",
    "times the",
)


@case("uneven_devices", ("jax", "tpu", "tf2", "tf1", "kineto", "chrome", "ctf"))
def uneven_devices(name, form):
    """One device of four does twice the work."""
    job = Job(name, form, devices=4, layers=2, steps=8)
    slow = job.rng.randrange(4)
    job.speed = lambda rank, device, step: 2.0 if device == slow else 1.0
    train(job)
    return job, Truth((device(slow),), UNEVEN)


@case("idle_devices", ("tf2", "kineto", "jax", "tpu", "chrome"))
def idle_devices(name, form):
    """The machine has four devices, and one works."""
    job = Job(name, form, declared=4)
    train(job)
    return job, Truth(
        (r"(gpu|tpu)[ :][123]|3 (other )?(devices|gpus)|3 of (the )?4",),
        ("nothing", "unused", "no work", "did not", "idle", "never"),
    )


@case("host_bound_rank", ("kineto", "ctf"), ranks=2)
def host_bound_rank(name, form, ranks):
    """One rank of two has a slow function of Python in each step."""
    job = Job(name, form, ranks=ranks, layers=2, steps=10)

    def runs(rank, index):
        if rank.index == 1:
            rank.works_in("metrics.py", 41, "write_predictions", 9000)

    train(job, after_input=runs)
    return job, Truth(
        (member(1) + "|write_predictions",), LATE + ("host", "python")
    )
