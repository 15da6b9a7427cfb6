"""Shapes of JSON traces: Kineto, ONNX Runtime, and traces of no tool."""

import gzip

from shape import shape

LAUNCH = "cudaLaunchKernel"


def kineto(events):
    return (
        '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100",'
        '"totalGlobalMem":85899345920}],"traceEvents":[\n%s\n]}'
        % ",\n".join(events)
    ).encode()


def event(category, name, start, length, pid=1, tid=1, more=""):
    """A complete event; `more` is its arguments."""
    return (
        '{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s%s}'
        % (
            category,
            name,
            pid,
            tid,
            start,
            length,
            ',"args":{%s}' % more if more else "",
        )
    )


def op(start, length=5, name="aten::mm", tid=1, more="", pid=1):
    return event("cpu_op", name, start, length, pid, tid, more)


def step(number, start, length):
    return event("user_annotation", "ProfilerStep#%d" % number, start, length)


def launch(start, correlation, name=LAUNCH, length=2, tid=1):
    return event(
        "cuda_runtime",
        name,
        start,
        length,
        1,
        tid,
        '"correlation":%d' % correlation,
    )


def kernel(
    start,
    correlation,
    length=5,
    name="gemm",
    device=0,
    stream=7,
    category="kernel",
    more="",
):
    return event(
        category,
        name,
        start,
        length,
        device,
        stream,
        '"device":%d,"stream":%d,"correlation":%d%s'
        % (device, stream, correlation, more),
    )


def python_call(start, length, name, number, parent):
    return event(
        "python_function",
        name,
        start,
        length,
        more='"Python id":%d,"Python parent id":%s' % (number, parent),
    )


# ---- Kineto: many of one thing.


@shape("kineto")
def steps(n):
    return kineto(
        text
        for i in range(n)
        for text in (step(i, 100 * i, 90), op(100 * i + 10, 50))
    )


@shape("kineto")
def steps_without_events(n):
    return kineto([op(0)] + [step(i, 100 * i, 90) for i in range(n)])


@shape("kineto", 300000)
def steps_with_kernels(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            step(i, 100 * i, 90),
            op(100 * i + 10, 50),
            launch(100 * i + 20, i + 1),
            kernel(100 * i + 40, i + 1, 30),
        )
    )


@shape("kineto")
def threads(n):
    return kineto(op(i, tid=i + 1) for i in range(n))


@shape("kineto")
def processes(n):
    return kineto(op(i, pid=i + 1) for i in range(n))


@shape(
    "kineto",
    20000,
    grows="the account of each device has all that its host does",
)
def devices(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(10 * i, i + 1),
            kernel(10 * i + 5, i + 1, device=i),
        )
    )


@shape("kineto", 300000)
def streams(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(10 * i, i + 1),
            kernel(10 * i + 5, i + 1, stream=i + 1),
        )
    )


@shape("kineto")
def names(n):
    return kineto(op(10 * i, name="op_%d" % i) for i in range(n))


@shape("kineto")
def one_name(n):
    return kineto(op(10 * i) for i in range(n))


@shape("kineto", 400000)
def kernels(n):
    return kineto(
        [step(1, 0, 10 * n + 10)]
        + [
            text
            for i in range(n)
            for text in (
                launch(10 * i + 1, i + 1),
                kernel(10 * i + 7, i + 1, 7, "gemm_%d" % (i % 100)),
            )
        ]
    )


@shape("kineto", 400000)
def kernel_names(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(10 * i, i + 1),
            kernel(10 * i + 5, i + 1, name="gemm_%d" % i),
        )
    )


@shape("kineto", 400000)
def kernels_launched_ahead(n):
    return kineto(
        [launch(3 * i, i + 1) for i in range(n)]
        + [kernel(50 * i + 10, i + 1, 49) for i in range(n)]
    )


@shape("kineto")
def calls_without_partner(n):
    return kineto(launch(10 * i, i + 1) for i in range(n))


@shape("kineto")
def kernels_without_partner(n):
    return kineto(kernel(10 * i, i + 1) for i in range(n))


@shape("kineto", 400000)
def one_correlation(n):
    return kineto(
        text
        for i in range(n)
        for text in (launch(10 * i, 7), kernel(10 * i + 5, 7))
    )


@shape("kineto")
def kernels_of_one_replay(n):
    return kineto(
        [launch(0, 7, "cudaGraphLaunch")]
        + [kernel(10 * i + 5, 7, name="k_%d" % (i % 50)) for i in range(n)]
    )


@shape("kineto", 400000)
def replays(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(10 * i, i + 1, "cudaGraphLaunch"),
            kernel(
                10 * i + 3, i + 1, 2, more=',"graph id":3,"graph node id":9'
            ),
        )
    )


@shape("kineto", 400000)
def copies(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(10 * i, i + 1, "cudaMemcpyAsync"),
            kernel(
                10 * i + 5,
                i + 1,
                4,
                "Memcpy HtoD (Pinned -> Device)",
                category="gpu_memcpy",
                more=',"bytes":4096',
            ),
        )
    )


@shape("kineto", 300000)
def waits(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(20 * i, 2 * i + 1),
            kernel(20 * i + 3, 2 * i + 1, 10),
            launch(20 * i + 3, 2 * i + 2, "cudaStreamSynchronize", 11),
        )
    )


@shape("kineto", 300000)
def collectives(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            op(
                20 * i,
                8,
                "record_param_comms",
                more='"Collective name":"allreduce","Process Group Name":"0",'
                '"In msg nelems":4096,"dtype":"Float","Group size":8',
            ),
            launch(20 * i + 2, i + 1),
            kernel(
                20 * i + 9,
                i + 1,
                9,
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                more=',"Collective name":"allreduce","Process Group Name":"0",'
                '"In msg nelems":4096,"dtype":"Float","Group size":8',
            ),
        )
    )


@shape("kineto", 200000)
def process_groups(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(20 * i + 2, i + 1),
            kernel(
                20 * i + 9,
                i + 1,
                9,
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                more=',"Collective name":"allreduce","Process Group Name":"%d",'
                '"In msg nelems":4096,"dtype":"Float","Group size":8' % i,
            ),
        )
    )


@shape("kineto", 400000)
def flows(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            op(20 * i),
            '{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":%d,"pid":1,"tid":1,'
            '"ts":%d}' % (i, 20 * i),
            op(20 * i + 10, tid=2),
            '{"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":%d,"pid":1,"tid":2,'
            '"ts":%d,"bp":"e"}' % (i, 20 * i + 10),
        )
    )


@shape("kineto", 400000)
def flows_of_one_number(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            op(20 * i),
            '{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":7,"pid":1,"tid":1,'
            '"ts":%d}' % (20 * i),
            op(20 * i + 10, tid=2),
            '{"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":7,"pid":1,"tid":2,'
            '"ts":%d,"bp":"e"}' % (20 * i + 10),
        )
    )


@shape("kineto", 400000)
def memory_events(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            op(10 * i),
            '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t",'
            '"pid":1,"tid":1,"ts":%d,"args":{"Addr":%d,"Bytes":%d,'
            '"Device Type":1,"Device Id":0,"Total Allocated":%d,'
            '"Total Reserved":1000000}}'
            % (10 * i + 2, 512 * i, 512, 512 * (i % 1000)),
        )
    )


@shape("kineto", 300000)
def sequence_numbers(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            op(10 * i, more='"Sequence number":%d,"Fwd thread id":0' % i),
            op(
                10 * (2 * n - i),
                name="autograd::engine::evaluate_function: MmBackward0",
                tid=2,
                more='"Sequence number":%d,"Fwd thread id":1' % i,
            ),
        )
    )


@shape("kineto")
def metadata(n):
    return kineto(
        [op(0)]
        + [
            '{"ph":"M","name":"thread_name","pid":1,"tid":%d,"ts":0,'
            '"args":{"name":"thread %d"}}' % (i, i)
            for i in range(n)
        ]
    )


@shape("kineto")
def markers(n):
    return kineto(
        [op(0)]
        + [
            '{"ph":"i","s":"t","cat":"user","name":"m%d","pid":1,"tid":1,'
            '"ts":%d}' % (i % 10, i)
            for i in range(n)
        ]
    )


@shape("kineto")
def data_loader(n):
    return kineto(
        event(
            "user_annotation",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            20 * i,
            9,
        )
        for i in range(n)
    )


@shape("kineto", 400000)
def annotations_of_devices(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            event("user_annotation", "part %d" % (i % 1000), 20 * i, 9),
            launch(20 * i + 1, i + 1),
            kernel(20 * i + 5, i + 1),
            kernel(
                20 * i + 5,
                0,
                5,
                "part %d" % (i % 1000),
                category="gpu_user_annotation",
            ),
        )
    )


@shape("kineto", 500000)
def shapes_of_inputs(n):
    return kineto(
        op(
            10 * i,
            more='"Input Dims":[[%d,%d],[%d,8]],"Input type":["float","float"]'
            % (i % 5000, i // 5000, i // 5000),
        )
        for i in range(n)
    )


@shape("kineto")
def dims_of_one_input(n):
    dims = ",".join(["7"] * n)
    return kineto([op(0, more='"Input Dims":[[%s]]' % dims), op(10)])


@shape("kineto")
def arguments_of_one_event(n):
    return kineto([op(0, more=",".join('"k%d":%d' % (i, i) for i in range(n)))])


@shape("kineto", 10000000)
def long_names(n):
    return kineto([op(0, name="x" * n), op(10, name="y" * n), op(20)])


@shape("kineto", 200000)
def scopes_in_one_name(n):
    return kineto([op(0, name="a/" * n + "b"), op(10)])


@shape("kineto", 100000)
def ranks(n):
    """About as many events, in a file of about 100 for each rank."""
    count = n // 100
    return {
        "rank%d.json" % rank: kineto(
            [step(i, 1000 * i, 900) for i in range(4)]
            + [
                text
                for i in range(40)
                for text in (
                    launch(100 * i, i + 1),
                    kernel(
                        100 * i + 10,
                        i + 1,
                        50,
                        "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                        device=rank,
                    ),
                )
            ]
        ).replace(
            b'"schemaVersion":1',
            b'"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":%d,'
            b'"world_size":%d}' % (rank, count),
        )
        for rank in range(count)
    }


# ---- Kineto: time.


@shape("kineto")
def depth(n):
    return kineto(op(i, 2 * (n - i) + 1, "f%d" % (i % 100)) for i in range(n))


@shape("kineto")
def depth_of_one_name(n):
    return kineto(op(i, 2 * (n - i) + 1) for i in range(n))


def nest(n, category, name="f%d"):
    """Half of n calls, each inside the one before, all open from n to 99 n."""
    return [
        event(category, name % (i % 100), i, 100 * n - 2 * i)
        for i in range(n // 2)
    ]


def at_the_bottom(n):
    """Times of half of n things inside all calls of nest()."""
    return range(n, n + 40 * n, 80)


@shape("kineto", 400000)
def kernels_in_a_nest_of_ranges(n):
    return kineto(
        nest(n, "user_annotation")
        + [
            text
            for i, at in enumerate(at_the_bottom(n))
            for text in (launch(at, i + 1), kernel(at + 5, i + 1))
        ]
    )


@shape("kineto", 400000)
def kernels_in_a_nest_of_launches(n):
    return kineto(
        nest(n, "cuda_runtime", LAUNCH + "%d")
        + [
            text
            for i, at in enumerate(at_the_bottom(n))
            for text in (launch(at, i + 1), kernel(at + 5, i + 1))
        ]
    )


@shape("kineto", 400000)
def waits_in_a_nest(n):
    return kineto(
        nest(n, "cpu_op")
        + [
            text
            for i, at in enumerate(at_the_bottom(n))
            for text in (
                launch(at, 2 * i + 1),
                kernel(at + 5, 2 * i + 1, 50),
                launch(at + 9, 2 * i + 2, "cudaStreamSynchronize", 60),
            )
        ]
    )


@shape("kineto", 400000)
def memory_in_a_nest(n):
    return kineto(
        nest(n, "cpu_op")
        + [
            '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t",'
            '"pid":1,"tid":1,"ts":%d,"args":{"Addr":%d,"Bytes":%d,'
            '"Device Type":1,"Device Id":0,"Total Allocated":%d}}'
            % (at, 512 * i, 512, 512 * (i % 1000))
            for i, at in enumerate(at_the_bottom(n))
        ]
    )


@shape("kineto", 400000)
def memory_after_a_nest(n):
    return kineto(
        [op(i, n - 2 * i, "f%d" % (i % 100)) for i in range(n // 2)]
        + [
            '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t",'
            '"pid":1,"tid":1,"ts":%d,"args":{"Addr":%d,"Bytes":%d,'
            '"Device Type":1,"Device Id":0,"Total Allocated":%d}}'
            % (n + i, 512 * i, 512, 512 * (i % 1000))
            for i in range(n // 2)
        ]
    )


@shape("kineto", 400000)
def operations_in_a_stack(n):
    return kineto(
        [
            python_call(
                i,
                100 * n - 2 * i,
                "m.py(%d): f" % (i % 1000),
                i + 1,
                i or "null",
            )
            for i in range(n // 2)
        ]
        + [op(at, name="op%d" % (at % 50)) for at in at_the_bottom(n)]
    )


@shape("kineto", 400000)
def kernels_in_a_stack(n):
    return kineto(
        [
            python_call(
                i,
                100 * n - 2 * i,
                "nn.Module: M_%d" % i,
                i + 1,
                i or "null",
            )
            for i in range(n // 2)
        ]
        + [
            text
            for i, at in enumerate(at_the_bottom(n))
            for text in (launch(at, i + 1), kernel(at + 5, i + 1))
        ]
    )


@shape("kineto")
def fan(n):
    return kineto(
        [op(0, 10 * n + 10, "outer")]
        + [op(10 * i + 1, 8, "f%d" % (i % 100)) for i in range(n)]
    )


@shape("kineto")
def equal_times(n):
    return kineto(op(10, 10, "f%d" % (i % 100)) for i in range(n))


@shape("kineto")
def equal_starts(n):
    return kineto(op(10, n - i, "f%d" % (i % 100)) for i in range(n))


@shape("kineto")
def zero_lengths(n):
    return kineto([op(0, 50)] + [op(10, 0) for _ in range(n)])


@shape("kineto")
def overlaps(n):
    return kineto(op(i, n, "f%d" % (i % 100)) for i in range(n))


@shape("kineto", 300000)
def overlapping_kernels(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(3 * i, i + 1),
            kernel(3 * i + 5, i + 1, 3 * n, stream=i % 64),
        )
    )


@shape("kineto", 400000)
def kernels_in_reverse(n):
    return kineto(
        [
            text
            for i in reversed(range(n))
            for text in (launch(10 * i, i + 1), kernel(10 * i + 5, i + 1, 7))
        ]
    )


@shape(
    "kineto",
    20000,
    grows="the account of each step has all that happens in it",
)
def overlapping_steps(n):
    return kineto(
        [step(i, 10 * i, 10 * n) for i in range(n)]
        + [op(10 * i, 5, tid=2) for i in range(n)]
    )


@shape(
    "kineto",
    20000,
    grows="the account of each step has all that happens in it",
)
def nested_steps(n):
    return kineto(
        [step(i, i, 2 * (n - i) + 1) for i in range(n)]
        + [op(i, 1, tid=2) for i in range(n)]
    )


@shape("kineto", 300000)
def steps_of_a_long_kernel(n):
    """A kernel runs as long as all steps, beside short ones."""
    return kineto(
        [launch(0, 1), kernel(5, 1, 100 * n, "spin", stream=9)]
        + [
            text
            for i in range(n)
            for text in (
                step(i, 100 * i, 90),
                launch(100 * i + 20, i + 2),
                kernel(100 * i + 40, i + 2, 30),
            )
        ]
    )


@shape("kineto", 300000)
def steps_of_a_long_call(n):
    return kineto(
        [op(0, 100 * n, "serve", tid=2)]
        + [
            text
            for i in range(n)
            for text in (step(i, 100 * i, 90), op(100 * i + 10, 50))
        ]
    )


@shape("kineto", 100000)
def processes_with_steps(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            event(
                "user_annotation", "ProfilerStep#%d" % i, 100 * i, 90, pid=i + 1
            ),
            op(100 * i + 10, 50, pid=i + 1),
        )
    )


@shape("kineto", 300000)
def threads_that_launch(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(20 * i, i + 1, tid=i + 1),
            kernel(20 * i + 5, i + 1),
        )
    )


@shape("kineto", 300000)
def threads_that_wait(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            launch(20 * i, 2 * i + 1),
            kernel(20 * i + 5, 2 * i + 1),
            launch(
                20 * i + 3,
                2 * i + 2,
                "cudaStreamSynchronize",
                20 * (n - i),
                tid=i + 2,
            ),
        )
    )


# ---- Kineto: the code.


@shape("kineto")
def stack(n):
    return kineto(
        python_call(
            i, 2 * (n - i) + 1, "m.py(%d): f" % (i % 1000), i + 1, i or "null"
        )
        for i in range(n)
    )


@shape("kineto")
def calls_of_one_line(n):
    return kineto(
        [python_call(0, 10 * n + 10, "m.py(1): main", 1, "null")]
        + [
            python_call(10 * i + 1, 8, "m.py(%d): f" % i, i + 2, 1)
            for i in range(n)
        ]
    )


@shape("kineto", 500000)
def modules(n):
    return kineto(
        text
        for i in range(n)
        for text in (
            python_call(
                10 * i, 9, "nn.Module: Linear_%d" % i, i + 1, "null"
            ).replace('"args":{', '"args":{"Python module id":%d,' % i),
            op(10 * i + 2),
        )
    )


@shape("kineto", 200000)
def stacks_with_operations(n):
    """Stacks of 50 frames, each with an operation inside."""
    texts = []
    for i in range(n // 50):
        texts += [
            python_call(
                1000 * i + j,
                900 - 2 * j,
                "m%d.py(%d): f" % (j, i),
                50 * i + j + 1,
                50 * i + j if j else "null",
            )
            for j in range(50)
        ]
        texts.append(op(1000 * i + 100, 5))
    return kineto(texts)


# ---- Traces of no tool.


def chrome(events):
    return ('{"traceEvents":[\n%s\n]}' % ",\n".join(events)).encode()


def mark(phase, start, name="f", more="", tid=1):
    return '{"ph":"%s","pid":1,"tid":%d,"name":"%s","ts":%d%s}' % (
        phase,
        tid,
        name,
        start,
        more,
    )


@shape("chrome")
def depth_of_begins(n):
    return chrome(
        [mark("B", i, "f%d" % (i % 100)) for i in range(n)]
        + [mark("E", n + i) for i in range(n)]
    )


@shape("chrome", 400000)
def flows_after_a_nest(n):
    return chrome(
        [
            mark("X", i, "f%d" % (i % 100), ',"dur":%d' % (n - 2 * i))
            for i in range(n // 2)
        ]
        + [
            mark(phase, n + i, "a", ',"cat":"c","id":%d' % (i // 2))
            for i in range(n // 2)
            for phase in "sf"[i % 2]
        ]
    )


@shape("chrome")
def begins_without_end(n):
    return chrome(mark("B", i, "f%d" % (i % 100)) for i in range(n))


@shape("chrome")
def ends_without_begin(n):
    return chrome(mark("E", i, "f%d" % (i % 100)) for i in range(n))


@shape("chrome", 400000)
def asynchronous(n):
    return chrome(
        mark(phase, at, "a%d" % (i % 50), ',"cat":"c","id":%d' % i)
        for i in range(n)
        for phase, at in (("b", i), ("e", i + n))
    )


@shape("chrome")
def counters(n):
    return chrome(
        [mark("X", 0, more=',"dur":5')]
        + [mark("C", i, "c", ',"args":{"v":%d}' % (i % 97)) for i in range(n)]
    )


@shape("chrome", 400000)
def counter_names(n):
    return chrome(
        [mark("X", 0, more=',"dur":5')]
        + [
            mark("C", i, "c%d" % i, ',"args":{"v":%d}' % (i % 97))
            for i in range(n)
        ]
    )


@shape("chrome", 400000)
def series_of_one_counter(n):
    series = ",".join('"s%d":%d' % (i, i) for i in range(n))
    return chrome(
        [
            mark("X", 0, more=',"dur":5'),
            mark("C", 1, "c", ',"args":{%s}' % series),
        ]
    )


@shape("chrome")
def deep_arguments(n):
    return chrome(
        [mark("X", 0, more=',"dur":5,"args":' + '{"a":' * n + "1" + "}" * n)]
    )


@shape("chrome", 400000)
def chrome_lanes(n):
    return chrome(mark("X", i, more=',"dur":5', tid=i) for i in range(n))


@shape("chrome")
def empty_events(n):
    return chrome([mark("X", 0, more=',"dur":5')] + ["{}"] * n)


@shape("chrome", 10000000)
def escapes(n):
    return chrome([mark("X", 0, "\\u00e9" * (n // 6), ',"dur":5')] * 2)


@shape("chrome")
def compressed(n):
    return gzip.compress(
        chrome(mark("X", i, more=',"dur":5', tid=i % 10) for i in range(n)), 6
    )


# ---- ONNX Runtime.


def ort(events):
    return ("[\n%s\n]" % ",\n".join(events)).encode()


def session(name, start, length):
    return (
        '{"cat":"Session","pid":9,"tid":9,"dur":%d,"ts":%d,"ph":"X",'
        '"name":"%s","args":{}}' % (length, start, name)
    )


def node(name, start, length, tid=9):
    return (
        '{"cat":"Node","pid":9,"tid":%d,"dur":%d,"ts":%d,"ph":"X",'
        '"name":"%s_kernel_time","args":{"op_name":"MatMul","provider":'
        '"CPUExecutionProvider","output_size":"8","node_index":"3"}}'
        % (tid, length, start, name)
    )


@shape("ort", 400000)
def runs(n):
    return ort(
        text
        for i in range(n)
        for text in (
            node("/m/MatMul", 100 * i + 10, 20),
            session("model_run", 100 * i, 90),
        )
    )


@shape("ort")
def nodes(n):
    return ort(
        [session("model_run", 0, 20 * n)]
        + [node("/layer.%d/MatMul" % i, 20 * i, 10) for i in range(n)]
    )
