"""A training or inference program that runs on simulated hosts and devices.

A Process has one host thread, which calls operations, and accelerators, which
run what was launched, in order. What runs is recorded as Events of the host and
Runs of accelerators, as a profiler would see it; formats.py writes them as
files. Times are integers in nanoseconds. All randomness comes from one
random.Random: each duration has a noise of a few per cent.
"""

import contextlib
import dataclasses

MICRO = 1000
LAUNCH_LATENCY = 3 * MICRO  # Time from the call to the start of an idle device.
SYNC_LATENCY = 3 * MICRO  # From the end of the work to the end of the wait.

# How TensorFlow, PyTorch and XLA call an operation, and a kernel for it.
OPS = {
    "matmul": (
        "MatMul",
        "aten::mm",
        "dot_general",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    ),
    "softmax": (
        "Softmax",
        "aten::_softmax",
        "softmax",
        "softmax_warp_forward<c10::BFloat16>",
    ),
    "gelu": ("Tanh", "aten::gelu", "tanh", "vectorized_elementwise_gelu"),
    "relu": ("Relu", "aten::relu", "max", "vectorized_elementwise_clamp"),
    "add": ("AddV2", "aten::add", "add", "vectorized_elementwise_add"),
    "mul": ("Mul", "aten::mul", "mul", "vectorized_elementwise_mul"),
    "norm": (
        "Mean",
        "aten::native_layer_norm",
        "reduce_sum",
        "vectorized_layer_norm_kernel<c10::BFloat16>",
    ),
    "conv": (
        "Conv2D",
        "aten::cudnn_convolution",
        "conv_general_dilated",
        "cudnn_implicit_gemm_bf16_nchw",
    ),
    "pool": (
        "MaxPool",
        "aten::max_pool2d",
        "reduce_window_max",
        "max_pool_forward_nchw",
    ),
    "gather": (
        "GatherV2",
        "aten::index_select",
        "gather",
        "indexSelectLargeIndex",
    ),
    "cumsum": ("Cumsum", "aten::cumsum", "cumsum", "tensor_kernel_scan"),
    "topk": ("TopKV2", "aten::topk", "top_k", "radix_topk_kernel"),
    "scatter": (
        "ScatterNd",
        "aten::scatter_add",
        "scatter-add",
        "scatter_gather_elementwise_kernel",
    ),
    "adam": (
        "ResourceApplyAdam",
        "aten::_fused_adamw_",
        "sub",
        "multi_tensor_apply_kernel<FusedAdam>",
    ),
    "all_reduce": (
        "CollectiveReduce",
        "nccl:all_reduce",
        "all-reduce",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)",
    ),
    "to_device": (
        "_HostRecv",
        "aten::copy_",
        "copy-start",
        "Memcpy HtoD (Pinned -> Device)",
    ),
    "to_host": (
        "_HostSend",
        "aten::copy_",
        "copy-done",
        "Memcpy DtoH (Device -> Pinned)",
    ),
}


@dataclasses.dataclass
class Event:
    """Something that the host did."""

    kind: str  # "op", "range", "frame", "launch", "wait", "step"
    start: int
    end: int
    name: str  # the node of an op; what others call themselves
    op: str = ""  # a key of OPS, or the framework's name
    step: int = -1
    correlation: int = 0  # of a launch
    bytes: int = 0
    program: int = 0  # of XLA
    line: int = 0  # of a frame, or of the frame around an op
    frame: str = ""  # the function of that line
    in_use: int = 0  # bytes of the accelerator


@dataclasses.dataclass
class Run:
    """Something that an accelerator did."""

    kind: str  # "compute", "communication", "copy"
    start: int
    end: int
    name: str  # the node
    op: str
    step: int
    device: int
    correlation: int
    bytes: int = 0
    program: int = 0


class Process:
    """A host with accelerators; with none, operations run on the host."""

    def __init__(self, rng, devices=1, rank=0, start=10**6):
        self.rng = rng
        self.rank = rank
        self.now = start
        self.free = [start] * devices
        self.events = []
        self.runs = []
        self.memory = []  # (time, bytes in use, bytes of the change)
        self.in_use = 0
        self.steps = []  # (number, start, end)
        self.current = -1
        self.speed = 1.0  # of the accelerators: larger takes longer
        self.spread = 0.04  # of the noise
        self.program = 30
        self.frames = []
        self._correlation = 1000 * rank

    def noisy(self, micros, spread=None):
        """A duration in nanoseconds."""
        return max(
            1,
            round(
                micros
                * MICRO
                * self.rng.lognormvariate(
                    0, self.spread if spread is None else spread
                )
            ),
        )

    # ------------------------------------------------------------ the host

    @contextlib.contextmanager
    def around(self, kind, name, **more):
        event = Event(kind, self.now, 0, name, name, self.current, **more)
        self.events.append(event)
        yield event
        self.now += self.noisy(1)
        event.end = self.now

    @contextlib.contextmanager
    def step(self, number):
        self.current = number
        with self.around("step", "train") as event:
            yield
        self.steps.append((number, event.start, event.end))
        self.current = -1
        self.now += self.noisy(2)

    def range(self, name):
        """A part of the program that it named."""
        return self.around("range", name)

    @contextlib.contextmanager
    def frame(self, function, line):
        """A Python function; what it calls belongs to its line."""
        self.frames.append((function, line))
        with self.around("frame", function, line=line):
            yield
        self.frames.pop()

    def host(self, name, micros, op="", kind="op"):
        """An operation, or a range, of the host alone."""
        function, line = self.frames[-1] if self.frames else ("", 0)
        event = Event(
            kind,
            self.now,
            self.now + self.noisy(micros),
            name,
            op or name,
            self.current,
            line=line,
            frame=function,
            in_use=self.in_use,
        )
        self.events.append(event)
        self.now = event.end + self.noisy(0.8)  # The caller's own time.
        return event

    def sleep(self, micros):
        """Time in which nothing is recorded."""
        self.now += self.noisy(micros)

    def wait(self, call="cudaStreamSynchronize", device=None):
        """Waits until the accelerators have done all work."""
        free = max(self.free) if device is None else self.free[device]
        end = max(self.now + MICRO, free + self.noisy(SYNC_LATENCY / MICRO))
        self.events.append(
            Event("wait", self.now, end, call, call, self.current)
        )
        self.now = end

    def allocate(self, change):
        self.now += self.noisy(1)
        self.in_use += change
        self.memory.append((self.now, self.in_use, change))

    # ------------------------------------------------------- accelerators

    def op(self, name, op, micros, launch=6, kind="compute", device=0, size=0):
        """Calls an operation, which runs for `micros`; returns its Run."""
        if not self.free:
            return self.host(name, micros, op)
        event = self.host(name, launch, op)
        self._correlation += 1
        call = Event(
            "launch",
            event.start + (event.end - event.start) // 3,
            event.end - 200,
            "cudaMemcpyAsync" if kind == "copy" else "cudaLaunchKernel",
            step=self.current,
            correlation=self._correlation,
        )
        self.events.append(call)
        start = max(
            self.free[device], call.end + self.noisy(LAUNCH_LATENCY / MICRO)
        )
        if start == self.free[device]:
            start += self.noisy(0.8)  # Between two kernels of a full queue.
        run = Run(
            kind,
            start,
            start + self.noisy(micros * self.speed),
            name,
            op,
            self.current,
            device,
            self._correlation,
            size,
            self.program,
        )
        event.program = self.program
        self.runs.append(run)
        self.free[device] = run.end
        return run

    def copy(self, name, op, micros, size, device=0, launch=5):
        return self.op(name, op, micros, launch, "copy", device, size)

    def prefetch(self, name, micros, size):
        """A copy of the next input, in a stream beside the kernels."""
        free, self.free[0] = self.free[0], 0
        self.copy(name, "to_device", micros, size)
        self.free[0] = free


def all_reduce(processes, name, micros):
    """A collective: it ends when the last rank has joined it."""
    runs = [
        process.op(name, "all_reduce", 1, kind="communication", device=device)
        for process in processes
        for device in range(len(process.free))
    ]
    last = max(run.start for run in runs)
    owners = [process for process in processes for _ in process.free]
    for process, run in zip(owners, runs):
        run.end = last + process.noisy(micros, 0.01)
        process.free[run.device] = run.end


# ---------------------------------------------------------------- the models


def transformer(layers):
    """(scope, operation, microseconds) of a forward pass."""
    nodes = [("embeddings/lookup", "gather", 60)]
    for i in range(layers):
        scope = "encoder/layer_%d/" % i
        nodes += [
            (scope + "attention/qkv", "matmul", 240),
            (scope + "attention/probs", "softmax", 110),
            (scope + "attention/context", "matmul", 150),
            (scope + "attention/add", "add", 45),
            (scope + "attention/norm", "norm", 60),
            (scope + "mlp/up", "matmul", 310),
            (scope + "mlp/act", "gelu", 80),
            (scope + "mlp/down", "matmul", 290),
            (scope + "mlp/add", "add", 45),
            (scope + "mlp/norm", "norm", 60),
        ]
    return nodes + [
        ("head/logits", "matmul", 280),
        ("head/loss", "softmax", 70),
    ]


def convnet(layers):
    nodes = [("stem/conv", "conv", 300), ("stem/pool", "pool", 60)]
    for i in range(layers):
        scope = "block_%d/" % i
        nodes += [
            (scope + "conv1", "conv", 260),
            (scope + "relu1", "relu", 50),
            (scope + "conv2", "conv", 330),
            (scope + "add", "add", 55),
            (scope + "relu2", "relu", 50),
        ]
    return nodes + [
        ("head/pool", "pool", 40),
        ("head/logits", "matmul", 120),
        ("head/loss", "softmax", 40),
    ]


MODELS = {"transformer": transformer, "convnet": convnet}


class Program:
    """Steps of a model on processes; causes change its parts.

    Each hook is called as hook(process) at its place of a step, and None by
    default: `before` (at the begin), `after_input`, `after_forward`,
    `at_end` (before the host waits for the step).
    """

    def __init__(
        self,
        rng,
        model="transformer",
        layers=2,
        steps=12,
        ranks=1,
        devices=1,
        training=True,
        first_step=1,
    ):
        self.rng = rng
        self.nodes = MODELS[model](layers)
        self.first_step = first_step
        self.steps = steps
        self.training = training
        self.collective = 250 if ranks * devices > 1 else 0
        self.before = self.after_input = None
        self.after_forward = self.at_end = None
        self.input_micros = 20
        # {node: factor}: how much longer a step takes in a node
        self.slower = {}
        self.forward_only = set()  # nodes without a gradient
        self.extra = None  # extra(process, node) -> microseconds
        self.launch = 6
        self.processes = [
            Process(rng, devices, rank, 10**6 + 40 * MICRO * rank)
            for rank in range(ranks)
        ]

    def run(self):
        for number in range(self.first_step, self.first_step + self.steps):
            with contextlib.ExitStack() as stack:
                for process in self.processes:
                    stack.enter_context(process.step(number))
                    self.compute(process)
                if self.collective:
                    all_reduce(
                        self.processes, "gradients/all_reduce", self.collective
                    )
                for process in self.processes:
                    self.finish(process)
            latest = max(process.now for process in self.processes)
            for process in self.processes:
                process.now = max(process.now, latest - 20 * MICRO)
        return self

    def compute(self, process):
        self._hook(self.before, process)
        with process.frame("next_batch", 31):
            process.host("input/next", self.input_micros, "input")
        self._hook(self.after_input, process)
        with process.frame("forward", 52):
            for name, op, micros in self.nodes:
                self.node(process, name, op, micros)
        self._hook(self.after_forward, process)
        if self.training:
            with process.frame("backward", 71):
                for name, op, micros in reversed(self.nodes):
                    if name in self.forward_only:
                        continue
                    self.node(process, "gradients/" + name, op, 1.6 * micros)

    def node(self, process, name, op, micros):
        micros *= self.slower.get(name, 1)
        if self.extra is not None:
            micros += self.extra(process, name)
        for device in range(max(1, len(process.free))):
            process.op(name, op, micros, self.launch, device=device)

    def finish(self, process):
        if self.training:
            with process.frame("optimizer_step", 84):
                for i in range(2):
                    self.node(process, "optimizer/group_%d" % i, "adam", 130)
        self._hook(self.at_end, process)
        if process.free:
            process.wait("cudaDeviceSynchronize")

    @staticmethod
    def _hook(hook, process):
        if hook is not None:
            hook(process)
