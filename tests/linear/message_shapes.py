"""Shapes of files of messages: XPlane, TensorFlow's, pprof and Perfetto."""

from shape import shape
from wire import (
    field,
    joined,
    map_entry,
    node_def,
    node_stats,
    profile_proto,
    run_metadata,
    varint,
)

CPU = b"/job:localhost/replica:0/task:0/device:CPU:0"
GRAPH = "--graph_path="
RUN = "--run_meta_path="
PROFILE = "--profile_path="

# ---- XPlane.


def metadata(number, ids):
    """Names of events (4) or statistics (5)."""
    return joined(
        number,
        (map_entry(i, field(1, i) + field(2, name)) for i, name in ids),
    )


def line(ident, events, name=b"python"):
    return field(
        3, field(1, ident) + field(2, name) + field(3, 1000) + joined(4, events)
    )


def xevent(ident, start, length, stats=b""):
    return field(1, ident) + field(2, start) + field(3, length) + stats


def plane(name, content):
    return field(1, field(2, name) + content)


@shape("xplane")
def events(n):
    return plane(
        b"/host:CPU",
        line(1, (xevent(i % 50 + 1, 1000 * i, 900) for i in range(n)))
        + metadata(4, ((i + 1, b"f%d" % i) for i in range(50))),
    )


@shape("xplane")
def event_names(n):
    return plane(
        b"/host:CPU",
        line(1, (xevent(i + 1, 1000 * i, 900) for i in range(n)))
        + metadata(4, ((i + 1, b"f%d" % i) for i in range(n))),
    )


@shape("xplane")
def names_without_events(n):
    return plane(
        b"/host:CPU",
        line(1, [xevent(1, 1000, 900)])
        + metadata(4, ((i + 1, b"f%d" % i) for i in range(n))),
    )


@shape("xplane", 400000)
def lines(n):
    return plane(
        b"/host:CPU",
        b"".join(line(i + 1, [xevent(1, 1000 * i, 900)]) for i in range(n))
        + metadata(4, [(1, b"f")]),
    )


@shape("xplane", 100000)
def planes(n):
    return b"".join(
        plane(
            b"/device:TPU:%d" % i,
            line(1, [xevent(1, 1000 * i, 900)], b"XLA Ops")
            + metadata(4, [(1, b"f")]),
        )
        for i in range(n)
    )


@shape("xplane")
def depth(n):
    return plane(
        b"/host:CPU",
        line(
            1,
            (
                xevent(i % 50 + 1, 1000 * i, 2000 * (n - i) + 1)
                for i in range(n)
            ),
        )
        + metadata(4, ((i + 1, b"f%d" % i) for i in range(50))),
    )


@shape("xplane")
def statistics_of_one_event(n):
    stats = joined(4, (field(1, i % 90 + 1) + field(4, i) for i in range(n)))
    return plane(
        b"/host:CPU",
        line(1, [xevent(1, 1000, 900, stats)])
        + metadata(4, [(1, b"f")])
        + metadata(5, ((i + 1, b"s%d" % i) for i in range(90))),
    )


@shape("xplane")
def names_of_statistics(n):
    return plane(
        b"/host:CPU",
        line(1, [xevent(1, 1000, 900)])
        + metadata(4, [(1, b"f")])
        + metadata(5, ((i + 1, b"s%d" % i) for i in range(n))),
    )


@shape("xplane", 400000)
def steps(n):
    number = [field(4, field(1, 1) + field(4, i)) for i in range(n)]
    one = field(4, field(1, 2) + field(4, 1))
    return plane(
        b"/host:CPU",
        line(
            1,
            (xevent(1, 100000 * i, 90000, number[i] + one) for i in range(n)),
        )
        + line(2, (xevent(2, 100000 * i + 10, 900) for i in range(n)))
        + metadata(4, [(1, b"train"), (2, b"f")])
        + metadata(5, [(1, b"step_num"), (2, b"_r")]),
    )


@shape("xplane", 400000)
def steps_of_devices(n):
    """The lines of a TPU: steps, modules and operations."""
    number = [field(4, field(1, 1) + field(4, i)) for i in range(n)]
    return plane(
        b"/device:TPU:0",
        line(
            1,
            (xevent(1, 1000 * i, 900, number[i]) for i in range(n)),
            b"Steps",
        )
        + line(2, (xevent(2, 1000 * i, 900) for i in range(n)), b"XLA Modules")
        + line(3, (xevent(3, 1000 * i, 800) for i in range(n)), b"XLA Ops")
        + metadata(4, [(1, b"0"), (2, b"jit_f(30)"), (3, b"%dot.1 = f32[]")])
        + metadata(5, [(1, b"step_num")]),
    )


@shape("xplane", 300000)
def instructions(n):
    """Operations of a TPU, each with an instruction of its program."""
    program = field(
        1,
        field(1, b"jit_f")
        + field(2, b"main")
        + field(
            3,
            field(1, b"main")
            + joined(
                2,
                (
                    field(1, b"dot.%d" % i)
                    + field(2, b"dot")
                    + field(7, field(2, b"jit(f)/layer%d/dot" % (i // 10)))
                    + field(35, i + 1)
                    + (field(36, varint(i)) if i else b"")
                    for i in range(n)
                ),
            )
            + field(5, 1)
            + field(6, n),
        )
        + field(5, 30)
        + field(6, 1),
    )
    stats = field(5, field(1, 1) + field(4, 30))
    names = joined(
        4,
        (
            map_entry(
                i + 1,
                field(1, i + 1)
                + field(2, b"%%dot.%d = f32[2]{0} dot()" % i)
                + field(4, b"dot.%d" % i)
                + stats,
            )
            for i in range(n)
        ),
    )
    return plane(
        b"/device:TPU:0",
        line(1, (xevent(i + 1, 1000 * i, 900) for i in range(n)), b"XLA Ops")
        + names
        + metadata(5, [(1, b"program_id")]),
    ) + plane(
        b"/host:metadata",
        field(
            4,
            map_entry(
                30,
                field(1, 30)
                + field(2, b"jit_f(30)")
                + field(5, field(1, 1) + field(6, program)),
            ),
        )
        + metadata(5, [(1, b"Hlo Proto")]),
    )


@shape("xplane", 400000)
def events_in_a_nest(n):
    half = n // 2
    return plane(
        b"/host:CPU",
        line(
            1,
            [xevent(i % 50 + 1, i, 9000 * n - 2 * i) for i in range(half)]
            + [xevent(i % 50 + 1, 1000 * n + 10 * i, 9) for i in range(half)],
        )
        + metadata(4, ((i + 1, b"f%d" % i) for i in range(50))),
    )


@shape("xplane", 200000)
def launches_in_a_nest(n):
    half = n // 2
    number = [field(4, field(1, 1) + field(3, i + 1)) for i in range(half)]
    host = line(
        1,
        [xevent(1, i, 9000 * n - 2 * i) for i in range(half)]
        + [xevent(2, 1000 * n + 10 * i, 9, number[i]) for i in range(half)],
    )
    device = line(
        1,
        [xevent(1, 1000 * n + 10 * i + 3, 9, number[i]) for i in range(half)],
        b"Stream #7",
    )
    names = metadata(5, [(1, b"correlation_id")])
    return plane(
        b"/host:CPU",
        host + metadata(4, [(1, b"f"), (2, b"cuLaunchKernel")]) + names,
    ) + plane(b"/device:GPU:0", device + metadata(4, [(1, b"gemm")]) + names)


# ---- TensorFlow 1.


@shape("run", flag=RUN)
def executions_of_a_node(n):
    return run_metadata(
        [(CPU, (node_stats(b"n", 10 * i, 5) for i in range(n)))]
    )


@shape("run", flag=RUN)
def nodes(n):
    return run_metadata(
        [(CPU, (node_stats(b"a/b%d" % i, 10 * i + 1, 5) for i in range(n)))]
    )


@shape("run", 200000, flag=RUN)
def devices(n):
    return run_metadata(
        (
            b"/job:w/replica:0/task:%d/device:CPU:0" % i,
            [node_stats(b"n%d" % (i % 1000), 1000 + i)],
        )
        for i in range(n)
    )


@shape("run", flag=RUN)
def allocations_of_a_node(n):
    memory = field(1, b"cpu") + joined(
        6, (field(1, 10 * i + 1) + field(2, 64) for i in range(n))
    )
    return run_metadata([(CPU, [node_stats(b"n") + field(6, memory)])])


@shape("run", flag=RUN)
def outputs_of_a_node(n):
    outputs = joined(
        7,
        (
            field(1, i)
            + field(3, field(1, 1) + field(2, field(2, field(1, 3))))
            for i in range(n)
        ),
    )
    return run_metadata([(CPU, [node_stats(b"n") + outputs])])


@shape("run", flag=RUN)
def labels(n):
    return run_metadata(
        [
            (
                CPU,
                (
                    node_stats(b"n%d" % (i % 10), 10 * i + 1)
                    + field(8, b"n%d = Op(a%d, b%d)" % (i % 10, i, i))
                    for i in range(n)
                ),
            )
        ]
    )


@shape("run", flag=RUN)
def transfers(n):
    return run_metadata(
        [
            (
                CPU,
                (
                    node_stats(b"RecvTensor", 10 * i + 1)
                    + field(8, b"[%dB] edge_%d from a to b" % (i, i))
                    for i in range(n)
                ),
            )
        ]
    )


@shape("graph", flag=GRAPH)
def chain(n):
    return joined(
        1, (node_def(b"n%d" % i, inputs=[b"n%d" % (i + 1)]) for i in range(n))
    )


@shape("graph", flag=GRAPH)
def readers_of_one_node(n):
    return joined(1, (node_def(b"n%d" % i, inputs=[b"n0"]) for i in range(n)))


@shape("graph", flag=GRAPH)
def inputs_of_one_node(n):
    return joined(1, (node_def(b"n%d" % i) for i in range(n))) + field(
        1, node_def(b"sum", inputs=[b"n%d" % i for i in range(n)])
    )


@shape("graph", 300000, flag=GRAPH)
def mesh(n):
    """Layers of 10 nodes, each of which reads all of the layer before."""
    return joined(
        1,
        (
            node_def(
                b"n%d" % i,
                inputs=[b"n%d" % (i // 10 * 10 - 10 + j) for j in range(10)]
                if i >= 10
                else [],
            )
            for i in range(n)
        ),
    )


@shape("graph", flag=GRAPH)
def attributes_of_one_node(n):
    return field(
        1,
        node_def(b"n")
        + joined(
            5,
            (field(1, b"a%d" % i) + field(2, field(3, i)) for i in range(n)),
        ),
    )


@shape("graph", flag=GRAPH)
def kinds(n):
    return joined(1, (node_def(b"n%d" % i, b"Op%d" % i) for i in range(n)))


@shape("graph", 20000, flag=GRAPH)
def scopes_in_one_name(n):
    return field(1, node_def(b"a/" * n + b"b"))


@shape("graph", 300000, flag=GRAPH)
def functions(n):
    return field(1, node_def(b"n", b"f0")) + field(
        2,
        joined(
            1,
            (
                field(1, field(1, b"f%d" % i))
                + field(3, node_def(b"a", b"f%d" % (i + 1)))
                for i in range(n)
            ),
        ),
    )


@shape("profile", 400000, flag=PROFILE)
def listed_steps(n):
    execs = field(
        12,
        map_entry(
            3,
            field(1, 1)
            + field(2, 10)
            + field(3, 20)
            + field(4, map_entry(CPU, field(1, varint(10) + varint(5)))),
        ),
    )
    node = field(1, b"n") + field(9, b"Op") + execs
    return profile_proto([(0, node)], range(n))


@shape("profile", 400000, flag=PROFILE)
def steps_of_a_node(n):
    times = field(4, map_entry(CPU, field(1, field(1, 10) + field(1, 5))))
    execs = joined(
        12,
        (
            map_entry(i, field(1, 1) + field(2, 10) + field(3, 20) + times)
            for i in range(n)
        ),
    )
    node = field(1, b"n") + field(9, b"Op") + execs
    return profile_proto([(0, node)], range(n))


@shape("profile", flag=PROFILE)
def profile_nodes(n):
    return profile_proto(
        (i, field(1, b"a/n%d" % i) + field(9, b"Op")) for i in range(n)
    )


# ---- pprof.


def pprof(samples, locations, functions, strings):
    return (
        field(1, field(1, 1) + field(2, 2))
        + joined(2, samples)
        + joined(4, locations)
        + joined(5, functions)
        + joined(6, [b"", b"cpu", b"nanoseconds"] + strings)
    )


def location(ident, function, row=3):
    return field(1, ident) + field(4, field(1, function) + field(2, row))


def function(ident, name):
    return field(1, ident) + field(2, name) + field(4, name)


def sample(locations):
    packed = b"".join(varint(i) for i in locations)
    return field(1, packed) + field(2, varint(100))


@shape("pprof")
def samples(n):
    return pprof(
        [sample([i % 100 + 1, i % 7 + 1]) for i in range(n)],
        [location(i + 1, 1, i) for i in range(100)],
        [function(1, 3)],
        [b"f"],
    )


@shape("pprof", 400000)
def functions_of_samples(n):
    return pprof(
        [sample([i + 1]) for i in range(n)],
        [location(i + 1, i + 1) for i in range(n)],
        [function(i + 1, i + 3) for i in range(n)],
        [b"f%d" % i for i in range(n)],
    )


@shape("pprof")
def stack(n):
    return pprof(
        [sample(range(1, n + 1))],
        [location(i + 1, 1, i) for i in range(n)],
        [function(1, 3)],
        [b"f"],
    )


@shape("pprof", 200000)
def stacks(n):
    """Stacks of 50 frames that share nothing but their root."""
    return pprof(
        [sample([*range(50 * i + 2, 50 * i + 52), 1]) for i in range(n // 50)],
        [location(i + 1, 1, i) for i in range(n + 2)],
        [function(1, 3)],
        [b"f"],
    )


# ---- Perfetto.


def packet(content, time=None):
    when = b"" if time is None else field(8, time)
    return field(1, when + field(10, 1) + content)


def track_event(time, kind, track, more=b""):
    return packet(field(11, field(9, kind) + field(11, track) + more), time)


def process_track():
    return packet(field(60, field(1, 1) + field(3, field(1, 7))))


def thread_track(number):
    thread = field(4, field(1, 7) + field(2, number))
    return packet(field(60, field(1, number) + field(5, 1) + thread))


@shape("perfetto", 400000)
def slices(n):
    return (
        process_track()
        + thread_track(2)
        + b"".join(
            track_event(100 * i + 5, 1, 2, field(23, b"f%d" % (i % 50)))
            + track_event(100 * i + 90, 2, 2)
            for i in range(n)
        )
    )


@shape("perfetto", 400000)
def slice_depth(n):
    return (
        process_track()
        + thread_track(2)
        + b"".join(
            track_event(i + 5, 1, 2, field(23, b"f%d" % (i % 50)))
            for i in range(n)
        )
        + b"".join(track_event(n + i + 5, 2, 2) for i in range(n))
    )


@shape("perfetto", 400000)
def tracks(n):
    return process_track() + b"".join(
        thread_track(i + 2)
        + track_event(100 * i + 5, 1, i + 2, field(23, b"f"))
        + track_event(100 * i + 90, 2, i + 2)
        for i in range(n)
    )


@shape("perfetto", 400000)
def track_parents(n):
    return (
        b"".join(
            packet(field(60, field(1, i + 2) + field(5, i + 1)))
            for i in range(n)
        )
        + track_event(5, 1, n + 1, field(23, b"f"))
        + track_event(90, 2, n + 1)
    )


@shape("perfetto", 400000)
def slice_names(n):
    return (
        process_track()
        + thread_track(2)
        + b"".join(
            track_event(100 * i + 5, 1, 2, field(23, b"f%d" % i))
            + track_event(100 * i + 90, 2, 2)
            for i in range(n)
        )
    )


@shape("perfetto", 400000)
def ends_without_begin(n):
    return (
        process_track()
        + thread_track(2)
        + track_event(1, 1, 2, field(23, b"f"))
        + b"".join(track_event(100 * i + 5, 2, 2) for i in range(n))
    )


@shape("perfetto", 400000)
def annotations_of_one_slice(n):
    values = b"".join(
        field(4, field(10, b"k%d" % i) + field(4, i)) for i in range(n)
    )
    return (
        process_track()
        + thread_track(2)
        + track_event(5, 1, 2, field(23, b"f") + values)
        + track_event(90, 2, 2)
    )
