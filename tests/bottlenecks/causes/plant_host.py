"""Causes on the host: input, Python, launches, waits, allocation, compilers."""

from loop import (
    CONVOLUTIONS,
    MIB,
    frames,
    load,
    prepares,
    reads_back,
    to_device,
    train,
)
from machine import BEGIN, Job
from truth import ALL_FORMS, GPU_FORMS, Truth, case, step

INPUT = {
    "kineto": "DataLoader|__getitem__|_next_data",
    "tf2": "Iterator",
    "ctf": "IteratorGetNext",
    "tf1": "IteratorGetNext",
}


def input_truth(form):
    thing = INPUT.get(form, "next_batch|Iterator::")
    return Truth((thing,), ("input", r"\bdata\b", "batch", "loader"))


@case("input_in_process", ALL_FORMS)
@case("input_in_process", ("kineto",), "no_stacks", frames=False)
def input_in_process(name, form, **options):
    job = Job(name, form, **options)
    train(job, data=lambda rank, index: load(rank, 9500, "process"))
    return job, input_truth(form)


@case("input_in_worker", ("kineto", "jax", "tf2", "chrome", "ctf"))
def input_in_worker(name, form):
    """The step waits for a worker, which needs 14 ms for a batch."""
    job = Job(name, form, layers=3, waits=False, ahead=1500)
    ready = [BEGIN]

    def data(rank, index):
        start = max(ready[0], rank.now - 15_000_000)
        ready[0] = start + rank.noisy(26000)
        if form != "kineto":  # Its workers are other processes.
            prepares(rank, start, ready[0])
        load(rank, max(60, (ready[0] - rank.now) / 1000), "worker")

    train(job, data=data)
    return job, input_truth(form)


def python_truth(function):
    return Truth(
        (function,), ("host", "python", "function", "idle", "waits", "between")
    )


@case("python_function", ("kineto", "jax", "tpu", "tf2", "chrome", "ctf"))
def python_function(name, form):
    """A function before the forward pass of each step."""
    job = Job(name, form)

    def runs(rank, index):
        with frames(rank, ("train.py", 96, "train_one_epoch")):
            rank.works_in("augment.py", 33, "mix_up_batch", 7000)

    train(job, after_input=runs)
    return job, python_truth("mix_up_batch")


@case("python_function", ("kineto",), "no_host_ops")
def python_function_alone(name, form):
    """Only Python functions, calls of CUDA and kernels are recorded."""
    job = Job(name, form, host_ops=False)

    def runs(rank, index):
        rank.wait("cudaStreamSynchronize")
        with frames(rank, ("eval.py", 140, "after_forward")):
            rank.works_in("eval.py", 70, "update_running_stats", 8000)

    train(job, after_forward=runs)
    return job, python_truth("update_running_stats")


@case("python_function", ("jax", "chrome", "kineto"), "middle")
def python_in_the_middle(name, form):
    """Between forward and backward, after the device has no work left."""
    job = Job(name, form)

    def runs(rank, index):
        rank.works_in("losses.py", 210, "hungarian_matching", 14000)

    train(job, after_forward=runs)
    return job, python_truth("hungarian_matching")


@case("slow_launches", ("kineto", "tf2", "ctf", "tf1"))
def slow_launches(name, form):
    """Kernels take 3 us, and the host needs 12 us for each."""
    job = Job(name, form, layers=12, scale=0.02, launch=9)
    train(job, copies=lambda rank: to_device(rank, 3, 4096))
    return job, Truth(
        ("launch|kernels|operations",),
        ("launch", "short", "small", "tiny", "overhead"),
    )


@case("slow_launches", ("jax", "chrome"), "op_by_op")
def op_by_op(name, form):
    """JAX without jit: each operation is a program of its own."""
    job = Job(name, form, layers=1, steps=8)

    def runs(rank, index):
        for i in range(120):
            rank.function = ("add", "multiply", "exp")[i % 3]
            rank.op("eager/op_%d" % (i % 3), "add", 3)
            rank.end_program()
        rank.function = "train_step"

    train(job, after_input=runs, training=False)
    return job, Truth(
        ("PjitFunction|launch|kernels|programs|operations",),
        ("launch", "short", "small", "tiny", "overhead", "op by op", "jit"),
    )


@case("read_back", ("kineto", "jax", "tf2", "chrome", "ctf"))
def read_back(name, form):
    """Statistics of each layer are read by the host."""
    job = Job(name, form, layers=6, scale=0.12, eager=True)

    def statistics(rank, index, layer):
        for i in range(4):
            what = "layer_%d/stat_%d" % (layer, i)
            rank.op(what, "norm", 4)
            reads_back(rank, what)
            rank.idles(20)  # The program formats the number.

    train(job, in_layer=statistics)
    return job, Truth(
        (
            "item|_local_scalar_dense|DtoH|D2H|ToLiteral|_value|numpy|"
            "StreamSynchronize|Await|to (the )?host",
        ),
        ("synchroni", "read.?back", "reads", r"wait\w* for", "blocks", "item"),
    )


@case("synchronize", ("kineto", "ctf", "tf2"), "each_layer")
def synchronize(name, form):
    """The program waits for the device after each layer, to take times."""
    job = Job(name, form, layers=12, scale=0.08, eager=True)
    call = "cuStreamSynchronize" if form == "tf2" else "cudaDeviceSynchronize"

    def timer(rank, index, layer):
        rank.wait(call)
        rank.idles(30)

    train(job, in_layer=timer)
    return job, Truth(("Synchronize",), ("synchroni", r"wait\w* for", "blocks"))


@case("allocation", ("kineto", "ctf", "jax", "tf2"))
@case("allocation", ("kineto",), "amd", vendor="AMD")
def allocation(name, form, vendor="NVIDIA"):
    """The device's memory is allocated and freed in each step."""
    job = Job(name, form, vendor=vendor)

    def buffers(rank, index):
        for call, micros in (("cudaMalloc", 800), ("cudaFree", 1100)):
            for _ in range(4):
                number = rank.next_correlation()
                rank.does("wait", call, micros, correlation=number)

    train(job, after_input=buffers)
    return job, Truth(
        ("(cuda|hip)(Malloc|Free)|cuMem(Alloc|Free)",),
        ("alloc",),
        ("allocator|ALLOC_CONF|pool|preallocat|reuse",),
    )


def compiles(rank, micros):
    """The compiler of a framework runs, and makes a new program."""
    form = rank.job.form
    rank.program += 1
    if form == "kineto":
        with frames(
            rank,
            ("torch/_dynamo/eval_frame.py", 574, "_fn"),
            ("torch/_dynamo/convert_frame.py", 1164, "__call__"),
        ):
            with rank.span("range", "_compile.compile_inner (dynamo_timed)"):
                rank.does("range", "compile_fx_inner (dynamo_timed)", micros)
    elif form in ("jax", "tpu", "chrome"):
        name = "PjRtStreamExecutorClient::CompileAndLoad"
        if form == "tpu":
            name = "TfrtTpuCompiler::Compile"
        with frames(
            rank,
            ("pxla.py", 1229, "compile"),
            ("compiler.py", 341, "backend_compile_and_load"),
        ):
            rank.does("range", name, micros)
    elif form == "tf2":
        with rank.span("range", "XlaCompilationCache::CompileImpl"):
            rank.does("range", "BuildExecutable", micros)
    else:
        rank.does("op", "cluster_0/xla_compile", micros, op="_XlaCompile")


@case("late_compile", ("kineto", "jax", "tpu", "tf2", "chrome", "ctf", "tf1"))
def late_compile(name, form):
    """One step late in the run compiles for 150 ms."""
    job = Job(name, form, steps=16)
    late = job.rng.randint(8, 13)

    def runs(rank, index):
        if index == late:
            compiles(rank, 150000)

    train(job, after_input=runs)
    return job, Truth((step(job, late),), ("compil",))


@case("recompilation", ("kineto", "jax", "tpu", "tf2", "chrome", "ctf"))
def recompilation(name, form):
    """The last batch's shape never fits: each step compiles."""
    job = Job(name, form)
    train(job, after_input=lambda rank, index: compiles(rank, 14000))
    return job, Truth(
        ("compil",),
        ("each", "every", "again", "recompil", "shape", r"\d+ (steps|times)"),
    )


@case("first_use", ("kineto", "jax", "tpu", "chrome", "ctf", "tf1", "tf2"))
def first_use(name, form):
    """The first step starts the device and loads modules: 260 ms."""
    job = Job(name, form, steps=8)

    def starts(rank, index):
        if form == "tf1":  # The library is loaded in the first operation.
            job.launch = 4 if index else 260000
            rank.op("stem/conv", "conv", 300)
            job.launch = 4
        elif index:
            return
        elif form == "tpu":
            rank.does("range", "TpuSystem::Initialize", 180000)
            rank.does("range", "LoadProgram", 80000)
        elif form == "chrome":
            rank.works_in("xla_bridge.py", 870, "_init_backend", 180000)
            rank.does("range", "LoadModule", 80000)
        else:
            for call, micros, times in (
                ("cudaStreamCreateWithFlags", 100000, 1),
                ("cuModuleLoadData", 20000, 8),
            ):
                for _ in range(times):
                    number = rank.next_correlation()
                    rank.does("wait", call, micros, correlation=number)

    train(job, after_input=starts, kind=CONVOLUTIONS)
    return job, Truth(
        (step(job, 0) + "|first step",),
        (
            r"\bfirst\b",
            "warm.?up",
            "start-?up",
            "initiali",
            r"ModuleLoad|load\w* (\w+ )?(modules|kernels|librar)",
        ),
    )


@case("profiler_start", ("kineto", "jax", "tf2", "chrome"))
def profiler_start(name, form):
    """The profiler starts inside of the first step, which takes 60 ms more."""
    job = Job(name, form, steps=8)

    def starts(rank, index):
        if index:
            return
        if form == "kineto":
            rank.does("overhead", "Activity Buffer Request", 60000)
        elif form == "tf2":
            with frames(rank, ("profiler_v2.py", 84, "start")):
                rank.does("range", "ProfilerSession::Start", 60000)
        else:
            rank.works_in("profiler.py", 101, "start_trace", 60000)

    train(job, before=starts)
    return job, Truth(
        ("profiler|start_trace|Activity Buffer Request",),
        ("profil", "recorder", "tracing"),
    )


@case("garbage_collection", ("kineto", "jax", "tf2", "chrome", "ctf"))
def garbage_collection(name, form):
    """Python collects garbage in every second step for 14 ms."""
    job = Job(name, form, steps=20)

    def collects(rank, index):
        if index % 2:
            if form == "ctf":
                rank.does("range", "gc.collect", 14000)
            elif form == "kineto":
                with frames(rank, ("torchtitan/tools/utils.py", 58, "collect")):
                    name = "<built-in function collect>"
                    with rank.span("frame", name, file="", line=0):
                        rank.now += rank.noisy(14000)
            else:
                rank.does("range", "$gc collect", 14000)

    train(job, before=collects)
    return job, Truth(
        (r"\bgc\b|garbage|collect\b",), (r"\bgc\b", "garbage", "collect")
    )


LOGGERS = {
    "kineto": ("torch/utils/tensorboard/writer.py", 492, "add_histogram"),
    "tf2": ("", 0, "WriteHistogramSummary"),
    "tf1": ("", 0, "HistogramSummary"),
}


@case("logging", GPU_FORMS)
def logging(name, form):
    """Each step writes histograms of its weights."""
    job = Job(name, form)
    file, line, function = LOGGERS.get(form, ("logger.py", 40, "log_metrics"))

    def logs(rank, index):
        if form in ("tf2", "tf1"):
            rank.does("op", "summary/" + function, 7000, op=function)
        else:
            rank.works_in(file, line, function, 7000)

    train(job, before=logs)
    return job, Truth(
        (function,), (r"\blog", "print", "summar", "histogram", "host", "writ")
    )


@case("pageable_copies", ("kineto", "jax", "tf2", "chrome"))
def pageable_copies(name, form):
    """Input is copied from pageable memory at 5 GB/s, and the host waits."""
    job = Job(name, form)

    def copies(rank):
        for i in range(3):
            size = 10 * MIB
            rank.copy(
                "input/part_%d" % i, "to_device", 2000, size, pinned=False
            )

    train(job, copies=copies)
    return job, Truth(
        ("HtoD|H2D|cop(y|ies)|Memcpy|to (the )?device",),
        ("pageable", "pinned", "pin_memory", "pin memory"),
    )
