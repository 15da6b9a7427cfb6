"""The corpus: profiles with one planted cause of slowness, and healthy ones.

A cause is a function that changes a Program (program.py) and says what must be
named: one of some rules of advice, and words about the planted thing. The same
programs without a cause are the healthy profiles.
"""

import dataclasses
import random

from formats import op_name
from program import Program

MIB = 1 << 20


@dataclasses.dataclass
class Planted:
    """The texts that the first screen must have."""

    rules: tuple
    words: tuple  # of the finding, all of them


@dataclasses.dataclass
class Case:
    name: str
    cause: str  # "" of a healthy profile
    form: str  # a key of formats.FORMATS
    make: object  # make(rng, form) -> (Program, Planted)
    job: str = "localhost"

    def program(self):
        """The program after its run, and what was planted."""
        program, planted = self.make(random.Random(self.name), self.form)
        return program.run(), planted


def trains(rng, form, **options):
    """A healthy training program; of ONNX Runtime, inference on the CPU."""
    if form == "ort":
        options = {"training": False, "devices": 0, **options}
    options.setdefault("steps", rng.randint(10, 16))
    options.setdefault(
        "first_step", 0 if form in ("tf1", "ort") else rng.randint(1, 300)
    )
    program = Program(rng, **options)
    plain_memory(program)
    return program


def warm_up(program):
    """The first step sets things up."""

    def compiles(process):
        if process.current == program.first_step:
            process.host("warm_up", 20000, kind="range")

    chain(program, "before", compiles)


def prefetches(program):
    """The next input is copied while the step computes."""
    chain(
        program,
        "after_forward",
        lambda process: process.prefetch("input/prefetch", 900, 24 * MIB),
    )


def noisy(program):
    for process in program.processes:
        process.spread = 0.12


def plain_memory(program):
    """Each step allocates and frees the same, from a constant base."""

    def allocate(process):
        if process.in_use == 0:
            process.allocate(900 * MIB)
        for _ in range(4):
            process.allocate(120 * MIB)

    def release(process):
        for _ in range(4):
            process.allocate(-120 * MIB)

    chain(program, "after_input", allocate)
    chain(program, "at_end", release)


def chain(program, place, hook):
    """Adds a hook behind the one that is there."""
    first = getattr(program, place)

    def both(process):
        if first is not None:
            first(process)
        hook(process)

    setattr(program, place, both)


def number(program, place):
    """The number of a step by its place."""
    return program.first_step + place


# ------------------------------------------------------------------- causes


def input_stall(micros):
    def make(rng, form):
        program = trains(rng, form)
        program.input_micros = micros
        words = {
            "tf1": "IteratorGetNext",
            "tf2": "IteratorGetNext",
            "jax": "Iterator::Next",
            "kineto": "DataLoader",
        }
        return program, Planted(("input_wait", "input_gaps"), (words[form],))

    return make


def slow_every(k, factor, node, steps):
    """Each k-th step takes longer in one node, and so do its reruns."""

    def make(rng, form):
        program = trains(rng, form, steps=steps)
        usual = {n: m for n, _, m in program.nodes}[node]

        def extra(process, name):
            place = process.current - program.first_step
            return usual * factor if name == node and place % k == k - 1 else 0

        program.extra = extra
        slow = [str(number(program, i)) for i in range(k - 1, steps, k)]
        # PyTorch and XLA name the operation, in its scope.
        word = "head/.*softmax" if form == "kineto" else node
        return program, Planted(
            ("slow_step",),
            (
                "step (%s)\\b" % "|".join(slow),
                "every %s step" % ordinal(k) if len(slow) > 2 else "",
                word,
            ),
        )

    return make


def ordinal(k):
    return "%d%s" % (
        k,
        {1: "st", 2: "nd", 3: "rd"}.get(k % 10 if k // 10 != 1 else 0, "th"),
    )


def slow_host_every(k, name, micros, steps):
    """Each k-th step does something else on the host, such as a checkpoint."""

    def make(rng, form):
        program = trains(rng, form, steps=steps)

        def save(process):
            if (process.current - program.first_step) % k == k - 1:
                process.host(name, micros)

        chain(program, "at_end", save)
        slow = [str(number(program, i)) for i in range(k - 1, steps, k)]
        return program, Planted(
            ("slow_step", "steps_differ"),
            (
                "step (%s)\\b" % "|".join(slow),
                "every %s step" % ordinal(k) if len(slow) > 2 else "",
                name,
            ),
        )

    return make


def straggler(slow, speed, ranks=1, devices=1):
    def make(rng, form):
        if form == "tf1":  # TensorFlow does not say whose GPU a stream is of.
            devices_of = 0
        else:
            devices_of = devices
        program = trains(rng, form, ranks=ranks, devices=devices_of)
        program.collective = 0 if form == "tf1" else 250
        if ranks > 1:
            word = "rank %d\\b" % slow
            if form == "tf1":
                word = "task:%d\\b" % slow
                for name, _, _ in program.nodes:
                    program.slower[name] = 1
                program.extra = lambda process, name: (
                    speed * 150 if process.rank == slow else 0
                )
            else:
                program.processes[slow].speed = speed
        else:
            word = "gpu:%d\\b" % slow
            slow_device(program, slow, speed)
        return program, Planted(
            ("straggler", "rank_skew", "device_skew"), (word,)
        )

    return make


def slow_device(program, slow, speed):
    process = program.processes[0]
    plain = process.op

    def op(name, op, micros, *more, device=0, **named):
        if device == slow and op != "all_reduce":
            micros *= speed
        return plain(name, op, micros, *more, device=device, **named)

    process.op = op


def copy_storm(count, micros, size, way="to_device"):
    def make(rng, form):
        program = trains(rng, form)

        def copies(process):
            for i in range(count):
                process.copy("input/rows_%d" % i, way, micros, size)

        chain(program, "after_input", copies)
        return program, Planted(
            ("small_copies", "exposed_copies"), ("gpu:0", "copies")
        )

    return make


def tiny_kernels(count, micros, launch, op="mul"):
    """Many kernels that end before the host has launched the next one."""

    def make(rng, form):
        program = trains(rng, form)
        program.nodes = [
            ("decoder/cell_%d/scale" % i, op, micros) for i in range(count)
        ]
        program.launch = launch
        words = {
            "tf1": "Mul",
            "tf2": "Mul",
            "kineto": "aten::mul",
            "jax": "mul",
        }
        return program, Planted(
            (
                "tiny_kernels",
                "short_kernels",
                "launch_bound",
                "host_bound",
                "tiny_host_ops",
            ),
            (words[form],),
        )

    return make


def memory_growth(step_bytes):
    def make(rng, form):
        program = trains(rng, form)
        chain(
            program,
            "after_forward",
            lambda process: process.allocate(step_bytes),
        )
        return program, Planted(
            ("growing_memory", "growing_bytes"), ("(?i)gpu[:_]0", "grow")
        )

    return make


def recompilation(every):
    """New shapes: the program is compiled again and again."""

    def make(rng, form):
        program = trains(rng, form)

        def compiles(process):
            place = process.current - program.first_step
            if place % every == every - 1:
                process.program += 1
                name = (
                    "_compile.compile_inner (dynamo_timed)"
                    if form == "kineto"
                    else "PjRtStreamExecutorClient::CompileAndLoad"
                )
                process.host(name, 9000, kind="range")

        chain(program, "after_input", compiles)
        words = {"kineto": "compile_inner", "jax": "jit_train_step|Compile"}
        return program, Planted(
            ("recompilation", "compiles_in_steps"), (words[form],)
        )

    return make


def one_op(node, op, micros):
    """One operation takes most of each step."""

    def make(rng, form):
        program = trains(rng, form)
        place = rng.randint(2, len(program.nodes) - 2)
        program.nodes.insert(place, (node, op, micros))
        program.forward_only.add(node)
        word = node.rpartition("/")[2]
        if form in ("kineto", "jax"):  # They name the operation.
            word = op_name(form, op)
        return program, Planted(("dominant_node",), (word,))

    return make


def one_line(factor):
    """Most time is in one source line, or scope, spread over many ops."""

    def make(rng, form):
        program = trains(rng, form)
        scope = "decoder/beam_search"
        chain(program, "after_forward", lambda process: beam(process))

        def beam(process):
            with process.frame("beam_search", 63):
                for i, (op, micros) in enumerate(
                    [
                        ("topk", 300),
                        ("gather", 240),
                        ("cumsum", 280),
                        ("scatter", 260),
                        ("softmax", 250),
                        ("mul", 230),
                        ("add", 240),
                        ("norm", 260),
                    ]
                ):
                    process.op("%s/%s_%d" % (scope, op, i), op, micros * factor)

        word = "beam_search"
        return program, Planted(("dominant_line", "dominant_scope"), (word,))

    return make


def host_bound(name, micros):
    """The host computes something between forward and backward pass."""

    def make(rng, form):
        program = trains(rng, form)

        def work(process):
            if process.free:
                process.wait()
            process.host(name, micros)

        chain(program, "after_forward", work)
        return program, Planted(
            ("host_work", "idle_gaps"), (name.rpartition("/")[2],)
        )

    return make


def slow_python(micros):
    """Python needs much time between the calls of small kernels."""

    def make(rng, form):
        program = trains(rng, form)
        # The names have no scopes, as in most programs.
        program.nodes = [
            (n.replace("/", "_"), o, m / 4) for n, o, m in program.nodes
        ]
        plain = program.node

        def node(process, name, op, m):
            process.sleep(micros)
            plain(process, name, op, m)

        program.node = node
        return program, Planted(("python_overhead",), ("Python",))

    return make


def network(micros, ranks, devices=1):
    def make(rng, form):
        if form == "tf1":
            program = trains(rng, form, devices=0)

            def receive(process):
                event = process.host("w_0/read", micros, "RecvTensor")
                event.bytes = 1 << 22

            program.before = receive
            return program, Planted(
                ("exposed_communication",), ("task:0|localhost", "communicat")
            )
        program = trains(rng, form, ranks=ranks, devices=devices)
        program.collective = micros
        words = {
            "kineto": "nccl",
            "tf2": "CollectiveReduce",
            "jax": "all-reduce",
        }
        return program, Planted(("communication_overlap",), (words[form],))

    return make


def synchronization(every, scalar):
    """The host waits after each few kernels."""

    def make(rng, form):
        program = trains(rng, form)
        program.nodes = [(n, o, m / 4) for n, o, m in program.nodes]
        program.launch = 14
        plain = program.node
        count = [0]

        def node(process, name, op, m):
            plain(process, name, op, m)
            count[0] += 1
            if count[0] % every == 0:
                if scalar:
                    with process.around("op", "aten::item"):
                        with process.around("op", "aten::_local_scalar_dense"):
                            process.wait()
                else:
                    process.wait()
                process.sleep(25)

        program.node = node
        return program, Planted(("synchronization", "scalar_reads"), ("wait",))

    return make


def idle(micros):
    """The program sleeps in each step, and nothing says why."""

    def make(rng, form):
        program = trains(rng, form)

        def sleep(process):
            if process.free:
                process.wait()
            process.sleep(micros)

        chain(program, "after_forward", sleep)
        return program, Planted(
            ("idle_gaps", "unaccounted_time"),
            ("idle",),
        )

    return make


def bottlenecks():
    cases = []

    def add(cause, make, *forms, job="localhost"):
        for form in forms:
            n = sum(c.cause == cause and c.form == form for c in cases) + 1
            cases.append(
                Case("%s-%s-%d" % (cause, form, n), cause, form, make, job)
            )

    add("input stall", input_stall(9000), "tf1", "kineto", "tf2", "jax")
    add(
        "slow step",
        slow_every(5, 100, "head/loss", 20),
        "tf1",
        "kineto",
        "tf2",
        "ort",
    )
    add(
        "slow step",
        slow_host_every(10, "save_checkpoint", 40000, 30),
        "tf1",
        "kineto",
        "jax",
    )
    add("straggler", straggler(2, 1.6, ranks=4), "kineto")
    add("straggler", straggler(1, 1.5, ranks=2), "kineto")
    add("straggler", straggler(1, 2.0, ranks=3), "tf1", job="worker")
    add("straggler", straggler(3, 1.6, devices=4), "tf2")
    add("copy storm", copy_storm(150, 12, 8192), "tf1", "kineto", "tf2")
    add("copy storm", copy_storm(200, 20, 2048, "to_host"), "jax")
    add("tiny kernels", tiny_kernels(150, 3, 14), "tf1", "kineto", "tf2")
    add("memory growth", memory_growth(24 * MIB), "tf1", "kineto", "tf2")
    add("recompilation", recompilation(3), "kineto", "jax")
    add(
        "one op",
        one_op("decoder/logits_topk", "topk", 16000),
        "tf1",
        "kineto",
        "tf2",
        "ort",
    )
    add("one op", one_op("encoder/prefix_sum", "cumsum", 14000), "jax")
    add("one line", one_line(12), "tf1", "kineto", "tf2", "ort")
    add(
        "host-bound",
        host_bound("metrics/py_func", 12000),
        "tf1",
        "kineto",
        "tf2",
    )
    add("host-bound", slow_python(130), "kineto")
    add("network", network(9000, 2), "kineto")
    add("network", network(9000, 1), "tf1", job="worker")
    add("network", network(5000, 1, 2), "tf2", "jax")
    add("synchronisation", synchronization(1, False), "kineto", "tf2")
    add("synchronisation", synchronization(2, True), "kineto")
    add("idle device", idle(15000), "tf1", "kineto", "tf2")
    return cases


def healthy():
    cases = []

    def add(forms, *more, job="localhost", **options):
        for form in forms:

            def make(rng, form, options=options, more=more):
                program = trains(rng, form, **options)
                for change in more:
                    change(program)
                return program, None

            n = sum(c.form == form for c in cases) + 1
            cases.append(Case("healthy-%s-%d" % (form, n), "", form, make, job))

    every = ("tf1", "kineto", "tf2", "jax", "ort")
    gpus = every[:4]
    add(every)
    add(every, noisy, steps=30, layers=1)
    add(every, warm_up, model="convnet", layers=4)
    add(gpus, prefetches, noisy, model="convnet", layers=2, steps=50)
    add(("kineto",), warm_up, prefetches, ranks=4, layers=3)
    add(("tf1",), ranks=3, devices=0, job="worker")
    add(("tf2", "jax"), devices=4)
    add(("kineto", "tf2"), layers=4, training=False)
    return cases
