"""Random small profiles and command lines for the differential test.

Everything comes from one random.Random, so a seed always gives the same profile
and commands. The profiles are small but difficult: names that are prefixes of
each other, cycles, inputs without a source, records without a start, nodes that
are in run metadata only.
"""

import model
from message import encode

PARTS = ["a", "b", "c", "a.b", "a-b", "a_1", "A", "x", "y", "train"]
# One letter has two bytes, because TensorFlow's strings are UTF-8.
PARTS_UTF8 = ["\u00c3\u00a9", "n\u00c3\u00b6d"]

OPS = [
    "Const",
    "Add",
    "MatMul",
    "VariableV2",
    "Identity",
    "NoOp",
    "a",
    "AnOperationWithAVeryLongNameIndeed",
    "FusedBatchNorm",
]

TYPES = ["_trainable_variables", "mine", "theirs", "a"]

WORKER = "/job:worker/replica:0/task:0"
DEVICES = [
    WORKER + "/device:CPU:0",
    WORKER + "/device:CPU:1",
    WORKER + "/cpu:0",
    WORKER + "/device:GPU:0",
    WORKER + "/gpu:1",
    "/gpu:0",
    WORKER + "/device:GPU:0/stream:all",
    "/device:GPU:0/stream:1",
    "/device:GPU:0/stream:all",
    "/device:GPU:0/memcpy",
    "/host:CPU",
    WORKER + "/device:TPU:0",
    WORKER + "/device:XLA_GPU:0",
    "/stream:all/gpu:0",
    "",
]

STRAY_NAMES = [
    "RecvTensor",
    "_SOURCE",
    "_SINK",
    "edge_1_a",
    "MEMCPYHtoD",
    "a/MEMCPY/b",
    "stray",
    "a/stray",
]

PATHS = ["/src/main.py", "/lib/main.py", "model.py", "/src/a/ops.py", ""]
FUNCTIONS = [
    "main",
    "build",
    "<lambda>",
    "nineteen_characters",
    "twenty_characters_xx",
    "a_function_with_a_rather_long_name",
    # Is cut after its 17th byte, which ends the first e acute: half a letter
    # would mean different things to the two regular expression engines.
    "fifteen_letters\u00c3\u00a9t\u00c3\u00a9s",
]


class Inputs:
    """The files of a profile, None for those that are not given."""

    def __init__(self):
        self.graph = None
        self.op_log = None
        self.run_metadata = []
        self.profile = None

    def files(self):
        """(name, bytes) of each."""
        named = [
            ("graph.pb", self.graph),
            ("op_log", self.op_log),
            ("profile.pb", self.profile),
        ]
        named += [
            ("run_meta_%d" % i, data)
            for i, data in enumerate(self.run_metadata)
        ]
        return [(name, data) for name, data in named if data is not None]

    def load(self):
        profile = model.Profile()
        if self.profile is not None:
            profile.load_profile(self.profile)
        else:
            profile.load_files(self.graph, self.op_log, self.run_metadata)
        return profile


# ------------------------------------------------------------------- profiles


def random_name(rng, names):
    parts = PARTS + PARTS_UTF8 if rng.random() < 0.1 else PARTS
    pick = rng.random()
    if names and pick < 0.25:
        # A scope that is itself a node.
        return rng.choice(names) + "/" + rng.choice(parts)
    if names and pick < 0.4:
        return "gradients/%s_grad/%s" % (rng.choice(names), rng.choice(parts))
    if pick < 0.44:
        return rng.choice(
            [
                "gradients/_grad/a",
                "_grad/gradients/a",
                "gradients/a_grad",
                "x/gradients/a_grad/b",
                "gradients/gradients/a_grad/b_grad/c",
                "_grad/gradients/",
                "gradients_1/a_grad/b",
                "a/BatchNorm",
            ]
        )
    name = "/".join(rng.choice(parts) for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.05:
        name = "/" + name
    if rng.random() < 0.03:
        name += "/"
    return name


def random_names(rng):
    names = []
    for _ in range(rng.choice([0, 1, 2, 3, 5, 6, 8, 8, 10, 12])):
        name = random_name(rng, names)
        if name not in names:
            names.append(name)
    return names


def random_shape(rng):
    """A TensorShapeProto."""
    if rng.random() < 0.15:
        return encode((3, 1))
    sizes = [0, 1, 2, 3, 7, 64, 1000]
    if rng.random() < 0.2:
        sizes.append(-1)
    dims = [encode((1, rng.choice(sizes))) for _ in range(rng.randint(0, 4))]
    return encode((2, dims))


def random_attrs(rng):
    attrs = {}
    if rng.random() < 0.4:
        attrs["shape"] = encode((7, random_shape(rng)))
        if rng.random() < 0.1:
            attrs["shape"] = encode((3, 5))  # This is not a shape.
    if rng.random() < 0.6:
        shapes = [random_shape(rng) for _ in range(rng.randint(0, 3))]
        attrs["_output_shapes"] = encode((1, encode((7, shapes))))
    if rng.random() < 0.2:
        attrs["data_format"] = encode((2, rng.choice(["NHWC", "NCHW"])))
    if rng.random() < 0.2:
        attrs["dtype"] = encode((6, 1))
    return [encode((1, key), (2, value)) for key, value in attrs.items()]


def random_input(rng, source):
    form = rng.random()
    if form < 0.6:
        return source
    if form < 0.8:
        return "%s:%d" % (source, rng.randint(0, 3))
    return "^" + source


def random_graph(rng, names):
    """A GraphDef; its style decides which nodes may be inputs of others."""
    style = rng.choice(["chain", "dag", "dag", "any", "none"])
    nodes = []
    for i, name in enumerate(names):
        sources = []
        if style == "chain" and i:
            sources = [names[i - 1]]
        elif style == "dag" and i:
            sources = [
                rng.choice(names[:i])
                for _ in range(rng.choice([0, 1, 1, 2, 3]))
            ]
        elif style == "any":
            sources = [
                rng.choice(names) for _ in range(rng.choice([0, 1, 1, 2]))
            ]
        if sources and rng.random() < 0.1:
            sources.append(rng.choice(sources))
        if rng.random() < 0.1:
            sources.insert(rng.randint(0, len(sources)), "nobody")
        nodes.append(
            encode(
                (1, name),
                (2, rng.choice(OPS)),
                (3, [random_input(rng, s) for s in sources]),
                (4, rng.choice([None, "/device:GPU:0"])),
                (5, random_attrs(rng)),
            )
        )
    if nodes and rng.random() < 0.1:
        # A second definition, which has no effect.
        nodes.append(encode((1, rng.choice(names)), (2, "Twice")))
    if rng.random() < 0.5:
        rng.shuffle(nodes)
    return encode((1, nodes))


def random_bytes_count(rng):
    return rng.choice([0, 0, 1, 4, 100, 256, 1280, 4096, 999999, 5000000])


def random_memory(rng, negative):
    """An AllocatorMemoryUsed."""
    live = random_bytes_count(rng)
    if negative and rng.random() < 0.6:
        live = -live
    records = [
        encode(
            (1, rng.randint(1, 2000)),
            (2, rng.choice([1, -1]) * random_bytes_count(rng)),
        )
        for _ in range(rng.randint(0, 3))
    ]
    return encode(
        (1, rng.choice(["cpu", "GPU_0_bfc", "gpu_host_bfc"])),
        (2, random_bytes_count(rng)),
        (3, random_bytes_count(rng)),
        (4, live),
        (5, random_bytes_count(rng)),
        (6, records),
    )


def random_output(rng):
    """A NodeOutput."""
    description = None
    if rng.random() < 0.8:
        allocation = None
        if rng.random() < 0.8:
            allocation = encode(
                (1, random_bytes_count(rng)),
                (2, random_bytes_count(rng)),
                (6, 12345),
            )
        description = encode((1, 1), (2, random_shape(rng)), (4, allocation))
    return encode((1, rng.randint(0, 2)), (3, description))


def random_record(rng, names, negative):
    """A NodeExecStats."""
    name = rng.choice(
        names + STRAY_NAMES if rng.random() < 0.2 or not names else names
    )
    if rng.random() < 0.1:
        name += rng.choice([":Suffix", ":a:b", ":"])
    start = rng.randint(1, 2000)
    if rng.random() < 0.1:
        start = rng.choice([0, -7, 1600000000000000])
    duration = rng.choice([0, 1, 2, 40, 300, 999, 1000, 5123, 1234567])
    if negative and rng.random() < 0.2:
        duration = -5
    stats = None
    if rng.random() < 0.4:
        stats = encode(
            (1, random_bytes_count(rng)),
            (2, 77),
            (3, random_bytes_count(rng)),
            (4, 88),
        )
    return encode(
        (1, name),
        (2, start),
        (3, 1),
        (4, duration),
        (5, duration + 1),
        (
            6,
            [
                random_memory(rng, negative)
                for _ in range(rng.choice([0, 0, 1, 2]))
            ],
        ),
        (7, [random_output(rng) for _ in range(rng.choice([0, 0, 1, 2]))]),
        (8, "label"),
        (10, 3),
        (12, stats),
    )


def random_run_metadata(rng, names, negative):
    """A RunMetadata; negative: with negative durations and sizes."""
    kind = rng.random()
    if kind < 0.04:
        return b""  # The reference calls a message without step_stats invalid.
    if kind < 0.08:
        return encode((1, b""))
    devices = []
    preferred = rng.sample(DEVICES, 3)
    for _ in range(rng.randint(1, 4)):
        records = [
            random_record(rng, names, negative)
            for _ in range(rng.choice([0, 1, 3, 6, 10]))
        ]
        devices.append(encode((1, rng.choice(preferred)), (2, records)))
    return encode((1, encode((1, devices))))


def random_trace(rng, strings):
    """A CodeDef."""
    traces = []
    for depth in range(rng.choice([0, 1, 2, 2, 2, 3, 3, 4])):
        # Outer frames repeat from node to node, so that paths are shared.
        choices = 1 if depth == 0 and rng.random() < 0.7 else 3
        traces.append(
            encode(
                (2, rng.choice([10, 20, -1][:choices])),
                (5, rng.choice([1, -1])),
                (
                    6,
                    strings.index(
                        rng.choice(
                            PATHS[:choices] if rng.random() < 0.8 else PATHS
                        )
                    ),
                ),
                (
                    7,
                    strings.index(
                        rng.choice(
                            FUNCTIONS[:choices]
                            if rng.random() < 0.8
                            else FUNCTIONS
                        )
                    ),
                ),
                (8, 0),
            )
        )
    return encode((1, traces))


def random_op_log(rng, names):
    strings = ["none"] + PATHS + FUNCTIONS
    traced = rng.choice([0, 0.6, 1, 1])
    entries = []
    for name in names + ["unheard/of"]:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            trace = None
            if rng.random() < traced:
                trace = random_trace(rng, strings)
            entries.append(
                encode(
                    (1, name),
                    (2, rng.choice([None, 0, 1, 24, 5832, 1234567, 3 * 10**9])),
                    (3, rng.sample(TYPES, rng.choice([0, 0, 1, 2]))),
                    (4, trace),
                )
            )
    rng.shuffle(entries)
    table = [encode((1, i), (2, text)) for i, text in enumerate(strings)]
    return encode((1, entries), (2, table))


def profile_proto(profile):
    """The ProfileProto of a profile, without its dangling inputs."""

    def entry(key, value):
        return encode((1, key), (2, value))

    ids = {name: i for i, name in enumerate(profile.nodes)}
    nodes = []
    for node in profile.nodes.values():
        inputs = {p: ids[s] for p, s in node.inputs.items() if s in ids}
        indexes = {ids[s]: k for s, k in node.output_index.items() if s in ids}
        attrs = []
        if node.data_format:
            attrs.append(entry("data_format", encode((2, node.data_format))))
        # The traces of a node are kept undecoded; write them anew.
        traces = [
            encode(*((n, t.integer(n)) for n in (2, 5, 6, 7, 8)))
            for t in node.trace or []
        ]
        steps = [entry(i, step_proto(s)) for i, s in node.steps.items()]
        shapes = [
            entry(i, encode((1, s))) for i, s in node.output_shapes.items()
        ]
        nodes.append(
            entry(
                ids[node.name],
                encode(
                    (1, node.name),
                    (2, [entry(p, i) for p, i in inputs.items()]),
                    (4, node.shape),
                    (5, sorted(node.types)),
                    (6, node.device),
                    (8, node.static_float_ops),
                    (9, node.op),
                    (10, encode((1, traces))),
                    (11, attrs),
                    (12, steps),
                    (13, ids[node.name]),
                    (14, [entry(i, k) for i, k in indexes.items()]),
                    (15, shapes),
                ),
            )
        )
    return encode(
        (1, nodes),
        (2, int(profile.has_traces)),
        (3, sorted(profile.steps)),
        (4, [entry(i, text) for i, text in profile.strings.items()]),
        (5, int(profile.misses_stream)),
    )


def step_proto(step):
    def times(by_device):
        return [
            encode(
                (1, device),
                (
                    2,
                    encode(
                        (1, [encode((1, [step.start, d])) for d in durations])
                    ),
                ),
            )
            for device, durations in by_device.items()
        ]

    memory = [
        encode(
            (6, m["requested"]),
            (7, m["peak"]),
            (8, m["residual"]),
            (9, m["output"]),
        )
        for m in step.memory
    ]
    return encode(
        (1, step.run_count),
        (2, step.start),
        (3, step.end),
        (4, times(step.accelerator)),
        (5, times(step.cpu)),
        (7, memory),
    )


def random_inputs(rng):
    names = random_names(rng)
    inputs = Inputs()
    if rng.random() < 0.92:
        inputs.graph = random_graph(rng, names)
    if rng.random() < 0.8:
        inputs.op_log = random_op_log(rng, names)
    steps = rng.choice([0, 1, 1, 2, 3])
    if inputs.graph is None:
        steps = max(steps, 1)  # Something has to be loaded.
    negative = rng.random() < 0.1
    inputs.run_metadata = [
        random_run_metadata(rng, names, negative) for _ in range(steps)
    ]
    if not inputs.load().nodes:
        # A damaged file that leaves nothing at all is refused by design.
        inputs.run_metadata = [
            data or encode((1, b"")) for data in inputs.run_metadata
        ]
    if rng.random() < 0.3:
        whole = Inputs()
        whole.profile = profile_proto(inputs.load())
        return whole
    return inputs


# ------------------------------------------------------------------- commands


def random_pattern(rng, words):
    """Means the same to RE2 and to Python, and has no blank and no comma."""
    word = rng.choice(words) if words else "a"
    part = word if word.isascii() else "a"  # Do not cut a letter in two.
    if rng.random() < 0.5:
        return rng.choice([word, word, word + ".*", ".*" + word])
    return rng.choice(
        [
            ".*",
            ".*",
            part[: len(part) // 2] + ".*",
            ".*" + part[-2:],
            ".*/.*",
            "[^/]*",
            "[abx].*",
            "\\w+",
            "(a|x|gradients)/.*",
            "a|b|c",
            "a+(/.*)?",
            ".*\\d.*",
            "(?i)A.*",
            "_TFProfRoot",
            "_kTFScopeParent",
            "[unclosed",
            "(",
            "*",
            "nothing",
        ]
    )


def random_list(rng, words):
    if rng.random() < 0.04:
        return ","
    text = ",".join(
        random_pattern(rng, words) for _ in range(rng.choice([1, 1, 1, 2, 3]))
    )
    return "'%s'" % text if rng.random() < 0.05 else text or ","


def row_names(profile, command):
    """Words that occur in what the view calls its rows."""
    if command == "op":
        return [node.op for node in profile.nodes.values()]
    if command == "code":
        try:
            return [
                frame.row_name()
                for node in profile.nodes.values()
                for frame in profile.frames(node)
            ]
        except model.ReferenceDies:
            return []
    names = list(profile.nodes)
    return names + [name.split("/")[0] for name in names]


def random_options(rng, profile, command):
    names = row_names(profile, command)
    types = sorted(set().union(*(n.types for n in profile.nodes.values())))
    options = []

    def add(chance, name, value):
        if rng.random() < chance:
            options.append("-%s %s" % (name, value()))

    add(
        0.5,
        "max_depth",
        lambda: rng.choice(
            [-1, 0, 1, 2, 2, 3, 3, 4, 4, 5, 7, 100, "+3", 10000]
        ),
    )
    for name in model.INTEGERS:
        if name.startswith("min_"):
            add(
                0.04,
                name,
                lambda: rng.choice([-1, 0, 1, 1, 2, 3, 10, 100, 1000, 10**6]),
            )
    add(
        0.4, "step", lambda: rng.choice([-1, -9, 3] + 4 * sorted(profile.steps))
    )
    add(0.5, "order_by", lambda: rng.choice(model.ORDERS))
    add(0.25, "account_type_regexes", lambda: random_list(rng, types))
    add(0.1, "start_name_regexes", lambda: random_list(rng, names))
    add(0.15, "trim_name_regexes", lambda: random_list(rng, names))
    add(0.15, "show_name_regexes", lambda: random_list(rng, names))
    add(0.15, "hide_name_regexes", lambda: random_list(rng, names))
    add(
        0.2,
        "account_displayed_op_only",
        lambda: rng.choice(["", "", "true", "Yes", "f", "0"]),
    )
    add(
        0.8,
        "select",
        lambda: (
            ",".join(
                rng.sample(
                    model.FIELDS, rng.choice([0, 1, 2, 3, 5, len(model.FIELDS)])
                )
            )
            or ","
        ),
    )
    rng.shuffle(options)
    return [option.rstrip(" ") for option in options]


def random_commands(rng, profile, count):
    """Lists of words: the command first, then options with their values."""
    commands = []
    for _ in range(count):
        command = rng.choice(["scope", "graph", "op", "code"])
        if command == "code" and not profile.has_traces:
            command = rng.choice(["scope", "graph", "op", "code"])
        if rng.random() < 0.05:
            command = "set"
        elif rng.random() < 0.05:
            command = "advise"
        options = random_options(rng, profile, command)
        if command == "advise":
            options = []
        elif command == "set":
            # One option is enough: with more, most later reports would be
            # empty.
            options = options[:1]
        commands.append([command] + options)
    return commands
