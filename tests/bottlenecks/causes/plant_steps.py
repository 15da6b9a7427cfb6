"""Causes that show over steps: steps that differ, trends, memory."""

from loop import MIB, frames, reads_back, train
from machine import Job
from truth import ALL_FORMS, GPU_FORMS, Truth, case, step

DIFFERS = ("differ", "slow", "longer", "extra", "than the", "usual", "median")


@case("different_step", ALL_FORMS)
def different_step(name, form):
    """One step rebuilds an index on the host: 40 ms."""
    job = Job(name, form, layers=3, steps=16)
    other = job.rng.randint(5, 12)

    def runs(rank, index):
        if index != other:
            return
        if form in ("tf1", "tf2"):
            rank.does("op", "rebuild_index/py", 40000, op="PyFunc")
        elif form == "ctf":
            rank.does("range", "rebuild_index", 40000)
        else:
            rank.works_in("index.py", 77, "rebuild_index", 40000)

    train(job, after_input=runs)
    return job, Truth((step(job, other), "rebuild_index|PyFunc"), DIFFERS)


@case("different_step", GPU_FORMS + ("tpu",), "evaluation")
def evaluation_step(name, form):
    """One step evaluates the model on the device: operations of its own."""
    job = Job(name, form, layers=3, steps=16)
    other = job.rng.randint(5, 12)

    def runs(rank, index):
        if index != other:
            return
        with frames(rank, ("evaluate.py", 20, "evaluate")):
            for _ in range(12):
                rank.op("evaluate/scores", "cumulative", 2500)
            reads_back(rank, "evaluate/accuracy")

    train(job, after_forward=runs)
    name = {"kineto": "evaluate|aten::cumsum", "chrome": "evaluate|cumsum"}
    return job, Truth(
        (step(job, other), name.get(form, "evaluate|cumsum|Cumsum")), DIFFERS
    )


TREND = ("grow", r"\bris(e|es|ing)\b", "increas", "trend", "longer and longer")


@case("trend", ALL_FORMS, "attention")
def rising_attention(name, form):
    """The sequences grow: attention makes steps 80 % longer in 24 steps."""
    job = Job(name, form, layers=3, steps=24)

    def time(rank, path, micros):
        if not path.endswith("attention/probs"):
            return micros
        return micros * (1 + 0.19 * (rank.step - job.first))

    job.time = time
    train(job)
    return job, Truth(("attention|flash|dot|BatchMatMul",), TREND)


@case("trend", ("kineto", "jax", "tf2", "chrome", "ctf"), "host")
def rising_host(name, form):
    """A list of Python grows, and with it the time to search it."""
    job = Job(name, form, layers=3, steps=24)

    def runs(rank, index):
        with frames(rank, ("train.py", 96, "train_one_epoch")):
            rank.works_in("replay.py", 55, "find_neighbours", 150 + 420 * index)

    train(job, after_input=runs)
    return job, Truth(("find_neighbours",), TREND)


@case("memory_growth", ("kineto", "jax", "tf2", "ctf", "tf1"))
def memory_growth(name, form):
    """Each step keeps 48 MiB."""
    job = Job(name, form, steps=16)

    def allocates(rank, index):
        if index == 0:
            rank.allocate(3 << 30)
        kept = [(64 * MIB, rank.allocate(64 * MIB)) for _ in range(6)]
        rank.allocate(48 * MIB)
        for size, address in kept:
            rank.release(size, address)

    train(job, after_input=allocates)
    return job, Truth(
        (r"\bmemory|bytes|\d ?[MG]i?B",),
        ("grow", "leak", r"\bris(e|es|ing)\b", "increas"),
    )


@case("memory_churn", ("kineto", "tf2", "ctf"))
def memory_churn(name, form):
    """The same 8 MiB are allocated and freed 400 times in each step."""
    job = Job(name, form, steps=12)
    kind = {"kineto": "aten::empty", "tf2": "Empty", "ctf": "Empty"}[form]

    def churns(rank, index):
        for _ in range(400):
            with rank.span("op", "scratch/empty", op=kind, nominal=0):
                address = rank.allocate(8 * MIB)
                rank.now += rank.noisy(9)
            rank.release(8 * MIB, address)

    train(job, after_input=churns)
    return job, Truth((r"\d ?[MG]i?B|%s|memory" % kind,), ("alloc",))


SAVERS = {
    "kineto": ("torch/serialization.py", 850, "save"),
    "ctf": ("checkpoint.py", 12, "save_checkpoint"),
}


@case("checkpoint", ALL_FORMS)
def checkpoint(name, form):
    """Each tenth step writes a checkpoint for 70 ms."""
    job = Job(name, form, layers=2, steps=30)
    saver = SAVERS.get(form, ("checkpoint.py", 120, "save_checkpoint"))

    def saves(rank, index):
        if index % 10 != 9:
            return
        if form in ("tf1", "tf2"):
            rank.does("op", "save/SaveV2", 70000, op="SaveV2")
        else:
            with frames(rank, ("train.py", 120, "save_checkpoint")):
                rank.works_in(*saver, 70000)

    train(job, before=saves)
    number = "|".join(step(job, 9 + 10 * i) for i in range(3))
    return job, Truth(
        ("save|checkpoint", "10th|every (10|ten)|tenth|" + number),
        ("checkpoint", "save"),
    )
