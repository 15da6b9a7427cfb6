#!/usr/bin/env python3
"""Records small programs on the NVIDIA GPU of this machine, for compare.py.

    record.py OUT [NAME ...]

Each program runs in a process of its own, because only one profiler at a time
can have the GPU's events. Writes OUT/NAME/trace.json.gz (PyTorch) or
OUT/NAME/trace.xplane.pb.gz (JAX), and beside it expected.json: the sums that
the framework itself computes, in nanoseconds.

    {"ops": {"aten::mm": {"runs": 8, "self_cpu": 1, "self_device": 2}},
     "kernels": 2, "device": 3, "steps": 4}

`ops` of PyTorch is torch.profiler's key_averages(); JAX has none. `kernels` of
JAX is the time of all kernels, `device` that of kernels and copies.

Programs with a planted cause of slowness have its name in the file too
("cause"), for tests of advice. A program whose framework is missing or fails
is reported, and the rest goes on.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import time


def compress(path):
    subprocess.run(["gzip", "-9", "-n", path], check=True)


# ---- PyTorch


def torch_profile(folder, step, steps=4, **options):
    """Profiles `steps` calls of step() and writes the trace and its sums."""
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=0, warmup=1, active=steps, repeat=1),
        **options,
    ) as profiler:
        for _ in range(steps + 1):
            step()
            torch.cuda.synchronize()
            profiler.step()
    path = os.path.join(folder, "trace.json")
    profiler.export_chrome_trace(path)
    compress(path)
    ops = {}
    for row in profiler.key_averages():
        if str(row.device_type) != "DeviceType.CPU":
            continue
        ops[row.key] = {
            "runs": row.count,
            "self_cpu": round(row.self_cpu_time_total * 1000),
            "self_device": round(row.self_device_time_total * 1000),
        }
    device = 0
    for event in profiler.profiler.kineto_results.events():
        if (
            str(event.device_type()) == "DeviceType.CUDA"
            and not event.is_user_annotation()
        ):
            device += event.duration_ns()
    # torch has no row for the kernels of a graph; they belong to its launch.
    if "cudaGraphLaunch" in ops:
        ops["cudaGraphLaunch"]["self_device"] = device - sum(
            row["self_device"] for row in ops.values()
        )
    return {"ops": ops, "device": device, "steps": steps}


def train_cnn(folder):
    """Forward, backward and optimizer; copies from pageable memory; item()."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(1024, 256),
        nn.ReLU(),
        nn.Linear(256, 10),
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    images = torch.randn(64, 3, 64, 64)
    labels = torch.randint(0, 10, (64,)).pin_memory()

    def step():
        x = images.cuda()
        y = labels.cuda(non_blocking=True)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return torch_profile(
        folder,
        step,
        record_shapes=True,
        with_stack=True,
        profile_memory=True,
        with_modules=True,
    )


def transformer_bf16(folder):
    """A transformer layer under autocast."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(
        1024, 16, 4096, dropout=0.0, batch_first=True
    ).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    x = torch.randn(16, 512, 1024, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = layer(x).float().pow(2).mean()
        loss.backward()
        optimizer.step()

    return torch_profile(folder, step, record_shapes=True)


def cuda_graph(folder):
    """One launch with many kernels."""
    import torch

    x = torch.randn(1024, 1024, device="cuda")
    w = torch.randn(1024, 1024, device="cuda") / 32

    def body():
        y = x
        for _ in range(20):
            y = torch.relu(y @ w)
        return y

    body()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()
    return torch_profile(folder, graph.replay)


def compiled(folder):
    """Kernels of Triton, which torch.compile makes."""
    import torch

    torch.manual_seed(1)
    w = torch.randn(512, 512, device="cuda")

    @torch.compile
    def f(x):
        return torch.softmax(torch.nn.functional.gelu(x @ w) * 2 + 1, -1).sum()

    x = torch.randn(2048, 512, device="cuda")
    return torch_profile(folder, lambda: f(x), record_shapes=True)


def tiny_kernels(folder):
    """The host cannot launch as fast as the GPU computes."""
    import torch

    x = torch.randn(256, device="cuda")

    def step():
        y = x
        for _ in range(300):
            y = y * 1.01 + 0.5
        return y

    return torch_profile(folder, step, record_shapes=True)


def two_streams(folder):
    """Kernels that overlap each other and copies."""
    import torch

    a = torch.randn(2048, 2048, device="cuda")
    host = torch.randn(4096, 4096).pin_memory()
    side = torch.cuda.Stream()

    def step():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            copied = host.to("cuda", non_blocking=True)
        b = a
        for _ in range(10):
            b = b @ a
        torch.cuda.current_stream().wait_stream(side)
        return b.sum() + copied.sum()

    return torch_profile(folder, step)


def layers():
    """A model that is neither small nor large, and a step that trains it."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    model = nn.Sequential(*[nn.Linear(2048, 2048) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def train(x):
        optimizer.zero_grad(set_to_none=True)
        model(x).pow(2).mean().backward()
        optimizer.step()

    return train


def input_stall(folder):
    """The step waits 10 ms for its input."""
    import torch

    train = layers()

    def load():
        with torch.profiler.record_function("load_batch"):
            time.sleep(0.01)
            return torch.ones(1024, 2048)

    return torch_profile(folder, lambda: train(load().cuda()))


def slow_step(folder):
    """Every fifth step does ten times the work."""
    import torch

    train = layers()
    x = torch.randn(1024, 2048, device="cuda")
    count = 0

    def step():
        nonlocal count
        count += 1
        for _ in range(10 if count % 5 == 0 else 1):
            train(x)

    return torch_profile(folder, step, steps=10)


def copy_storm(folder):
    """Many small copies from pageable memory."""
    import torch

    train = layers()
    rows = [torch.randn(2048) for _ in range(512)]

    def step():
        train(torch.stack([row.cuda() for row in rows]))

    return torch_profile(folder, step)


def sync_storm(folder):
    """The host asks for a value after each small operation."""
    import torch

    x = torch.randn(4096, device="cuda")

    def step():
        total = 0
        for i in range(100):
            total += (x * i).sum().item()
        return total

    return torch_profile(folder, step)


def fp32_products(folder):
    """Products of 32-bit matrices without tensor cores."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a = torch.randn(4096, 4096, device="cuda")

    def step():
        b = a
        for _ in range(4):
            b = b @ a
        return b

    return torch_profile(folder, step, record_shapes=True)


def checkpoint(folder):
    """Every fifth step writes the parameters to a file."""
    import torch

    train = layers()
    x = torch.randn(1024, 2048, device="cuda")
    count = 0

    def step():
        nonlocal count
        count += 1
        train(x)
        if count % 5 == 0:
            with torch.profiler.record_function("save_checkpoint"):
                torch.save([torch.ones(2048, 2048)] * 8, "/dev/null")
                time.sleep(0.02)

    return torch_profile(folder, step, steps=10)


def python_work(folder):
    """Python computes between operations."""
    import torch

    x = torch.randn(512, 512, device="cuda")

    def step():
        y = x
        for _ in range(20):
            y = y @ x
            sum(i * i for i in range(20000))
        return y

    return torch_profile(folder, step)


def matmul(folder, size):
    import torch

    a = torch.randn(4096, 4096, device="cuda")
    b = torch.randn(4096, size, device="cuda")
    c = torch.randn(4096, 2048, device="cuda")

    def step():
        for _ in range(4):
            torch.mm(a, b)
            torch.add(c, 1)

    return torch_profile(folder, step, steps=10, record_shapes=True)


def matmul_base(folder):
    """The pair of matmul_slow."""
    return matmul(folder, 4096)


def matmul_slow(folder):
    """Like matmul_base, but aten::mm computes an eighth more."""
    return matmul(folder, 4608)


def one_run(folder):
    """A trace, a memory snapshot and a log of the compiler of the same run.

    Each step keeps 4 MiB more than the step before it.
    """
    os.environ["TORCH_TRACE"] = os.path.join(folder, "compile")
    import torch
    from torch import nn

    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(512, 1024, device="cuda")
    kept = []
    allocated = []

    @torch.compile
    def loss_of(y):
        return torch.softmax(y * 2 + 1, -1).pow(2).mean()

    def keep(y):
        kept.append(y.detach().repeat(2, 1))

    def step():
        optimizer.zero_grad(set_to_none=True)
        y = model(x)
        keep(y)
        loss_of(y).backward()
        optimizer.step()
        allocated.append(torch.cuda.memory_allocated())

    step()  # compiles
    kept.clear()
    allocated.clear()
    torch.cuda.memory._record_memory_history(
        max_entries=100000, global_record_annotations=True
    )
    sums = torch_profile(folder, step, record_shapes=True, with_stack=True)
    path = os.path.join(folder, "snapshot.pickle")
    torch.cuda.memory._dump_snapshot(path)
    compress(path)
    for log in glob.glob(os.path.join(folder, "compile", "*.log")):
        compress(log)
    sums["allocated"] = allocated  # after each step, warm-up steps first
    sums["peak_allocated"] = torch.cuda.max_memory_allocated()
    return sums


# ---- JAX


def jax_profile(folder, step, steps):
    """Profiles step(i) for i below `steps`; writes the trace and its sums."""
    import jax

    raw = os.path.join(folder, "raw")
    with jax.profiler.trace(raw):
        for i in range(steps):
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                step(i)
    (path,) = glob.glob(raw + "/plugins/profile/*/*.xplane.pb")
    shutil.copy(path, os.path.join(folder, "trace.xplane.pb"))
    shutil.rmtree(raw)
    kernels = device = 0
    data = jax.profiler.ProfileData.from_file(
        os.path.join(folder, "trace.xplane.pb")
    )
    for plane in data.planes:
        if not plane.name.startswith("/device:GPU"):
            continue
        for line in plane.lines:
            if not line.name.startswith("Stream"):
                continue
            for event in line.events:
                time_of = round(event.duration_ns)
                device += time_of
                if not event.name.startswith(("Memcpy", "Memset")):
                    kernels += time_of
    compress(os.path.join(folder, "trace.xplane.pb"))
    return {"kernels": kernels, "device": device, "steps": steps}


def jax_layers():
    """A compiled training step, its parameters and its input."""
    import jax
    import jax.numpy as jnp

    def loss(params, x, y):
        for i, w in enumerate(params):
            with jax.named_scope(f"layer{i}"):
                x = jax.nn.gelu(x @ w)
        return jnp.mean((x - y) ** 2)

    @jax.jit
    def train_step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return [p - 0.01 * g for p, g in zip(params, grads)], value

    keys = jax.random.split(jax.random.PRNGKey(1), 6)
    params = [jax.random.normal(k, (1024, 1024)) / 32 for k in keys[:4]]
    x = jax.random.normal(keys[4], (2048, 1024))
    y = jax.random.normal(keys[5], (2048, 1024))
    params, value = train_step(params, x, y)
    value.block_until_ready()
    return train_step, params, x, y


def jax_train(folder):
    """A compiled training step on the GPU."""
    train_step, params, x, y = jax_layers()
    return jax_profile(
        folder, lambda i: train_step(params, x, y)[1].block_until_ready(), 4
    )


def jax_input_stall(folder):
    """The step waits 10 ms for its input, and copies it to the GPU."""
    import numpy

    train_step, params, x, y = jax_layers()
    host = numpy.asarray(x)

    def step(i):
        time.sleep(0.01)
        train_step(params, host.copy(), y)[1].block_until_ready()

    return jax_profile(folder, step, 4)


def jax_many_calls(folder):
    """Many small compiled functions instead of one."""
    import jax
    import jax.numpy as jnp

    x = jnp.ones((64, 64))
    f = jax.jit(lambda v: v * 1.01 + 0.5)
    f(x).block_until_ready()

    def step(i):
        y = x
        for _ in range(200):
            y = f(y)
        y.block_until_ready()

    return jax_profile(folder, step, 4)


def jax_slow_step(folder):
    """One step of eight does ten times the work."""
    train_step, params, x, y = jax_layers()

    def step(i):
        for _ in range(10 if i == 5 else 1):
            train_step(params, x, y)[1].block_until_ready()

    return jax_profile(folder, step, 8)


def jax_recompilation(folder):
    """Each step has another shape, so each step compiles the program again."""
    train_step, params, x, y = jax_layers()

    def step(i):
        rows = 1024 + 8 * i
        train_step(params, x[:rows], y[:rows])[1].block_until_ready()

    return jax_profile(folder, step, 4)


PROGRAMS = [
    train_cnn,
    transformer_bf16,
    cuda_graph,
    compiled,
    tiny_kernels,
    two_streams,
    input_stall,
    slow_step,
    copy_storm,
    sync_storm,
    fp32_products,
    checkpoint,
    python_work,
    matmul_base,
    matmul_slow,
    one_run,
    jax_train,
    jax_input_stall,
    jax_many_calls,
    jax_slow_step,
    jax_recompilation,
]

# The planted cause of slowness.
CAUSES = {
    "tiny_kernels": "host",
    "input_stall": "input",
    "slow_step": "step",
    "copy_storm": "copies",
    "sync_storm": "synchronization",
    "fp32_products": "fp32",
    "checkpoint": "step",
    "python_work": "python",
    "jax_input_stall": "input",
    "jax_many_calls": "host",
    "jax_slow_step": "step",
    "jax_recompilation": "recompilation",
}


def record(name, out):
    """Runs one program in this process."""
    (program,) = [p for p in PROGRAMS if p.__name__ == name]
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    expected = program(folder)
    if name in CAUSES:
        expected["cause"] = CAUSES[name]
    with open(os.path.join(folder, "expected.json"), "w") as file:
        json.dump(expected, file, indent=1)
    print(f"{name}: recorded", flush=True)


def main():
    if sys.argv[1] == "--one":
        record(sys.argv[2], sys.argv[3])
        return 0
    out, names = sys.argv[1], sys.argv[2:]
    # JAX would take most of the memory of the GPU at its start.
    environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    failed = 0
    for name in names or [program.__name__ for program in PROGRAMS]:
        done = subprocess.run(
            [sys.executable, __file__, "--one", name, out], env=environment
        )
        if done.returncode:
            shutil.rmtree(os.path.join(out, name), ignore_errors=True)
            print(f"{name}: not recorded", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
