"""A naive model of the reference tfprof, to compare the real program with.

Everything here follows the documented behaviour of the reference literally: the
code is recursive, caches nothing, and computes every statistic from the raw
records each time. It is meant to be obviously right, not fast. The differential
test runs it and the program on the same small profiles.

    profile = Profile()
    profile.load_files(graph, op_log, [run_metadata, ...])   # bytes or None
    report = run(profile, "scope -select micros")            # text or None

A report is what the view writes to stdout or to a file; None means that the
view refuses (a diagnostic on stderr instead). Texts are `str` with one
character per byte.

Not modelled: diagnostics, checkpoints, timelines, pprof.
"""

import copy
import math
import re
import sys

import message

sys.setrecursionlimit(100000)

ROOT = "_TFProfRoot"
SCOPE_PARENT = "_kTFScopeParent"
GRAPH_PARENT = "_TFGraphParent"


class ReferenceDies(Exception):
    """The reference crashes here, so there is nothing to compare with."""


class BadCommand(Exception):
    """The command line is refused."""


# --------------------------------------------------------------- the node table


def ascii_lower(text):
    return text.encode("latin-1").lower().decode("latin-1")


def is_canonical(device):
    return (
        re.fullmatch(
            r".*/(device:gpu|gpu|device:cpu|cpu):\d+", device, re.ASCII
        )
        is not None
    )


def counts_accelerator_time(device):
    return "stream:all" in device


def on_accelerator(device):
    return "gpu" in device


def on_cpu(device):
    return "cpu" in device


def shape_from_proto(shape):
    """TensorShapeProto to a list of sizes; a scalar counts as one element."""
    if shape.integer(3):
        return []
    dims = [dim.integer(1) for dim in shape.messages(2)]
    return dims or [1]


class Step:
    """One node in one step."""

    def __init__(self):
        self.run_count = 0
        self.start = 0
        self.end = 0
        self.accelerator = {}  # Device to durations.
        self.cpu = {}
        self.memory = []  # One dict of byte counts per scheduling.


class Frame:
    def __init__(self, path, line, function):
        self.path, self.line, self.function = path, line, function

    def row_name(self):
        function = self.function
        if len(function) >= 20:
            function = function[:17] + "..."
        base = self.path[self.path.rfind("/") + 1 :]
        return "%s:%d:%s" % (base, self.line, function)


class Node:
    def __init__(self, name, op):
        self.name = name
        self.op = op
        self.types = {op}
        self.inputs = {}  # Input position to name of the source.
        self.output_index = {}  # Name of a source to its output.
        self.shape = []
        self.output_shapes = {}
        self.static_float_ops = 0
        self.trace = None  # List of raw traces; None: no call stack yet.
        self.device = ""
        self.data_format = ""
        self.steps = {}

    # Statistics. A negative step asks for the average over the node's steps.

    def _statistic(self, step, of_step):
        if step >= 0:
            return of_step(self.steps[step]) if step in self.steps else 0
        if not self.steps:
            return 0
        total = sum(of_step(s) for s in self.steps.values())
        # The reference divides by a size_t, hence without a sign.
        return message.signed((total & (1 << 64) - 1) // len(self.steps))

    def run_count(self, step):
        return self._statistic(step, lambda s: s.run_count)

    def accelerator_micros(self, step):
        return self._statistic(
            step, lambda s: sum(sum(d) for d in s.accelerator.values())
        )

    def cpu_micros(self, step):
        return self._statistic(
            step, lambda s: sum(sum(d) for d in s.cpu.values())
        )

    def exec_micros(self, step):
        return self._statistic(
            step,
            lambda s: (
                sum(sum(d) for d in s.accelerator.values())
                + sum(sum(d) for d in s.cpu.values())
            ),
        )

    def memory(self, step, kind):
        return self._statistic(step, lambda s: sum(m[kind] for m in s.memory))

    def float_ops(self, step):
        if not self.steps:
            return self.static_float_ops
        return self.static_float_ops * self.run_count(step)

    def parameters(self):
        if not self.shape or any(dim < 0 for dim in self.shape):
            return 0
        return math.prod(self.shape)

    def statistics(self, step):
        return {
            "run": self.run_count(step),
            "defined": 1,
            "micros": self.exec_micros(step),
            "accelerator_micros": self.accelerator_micros(step),
            "cpu_micros": self.cpu_micros(step),
            "bytes": self.memory(step, "requested"),
            "peak_bytes": self.memory(step, "peak"),
            "residual_bytes": self.memory(step, "residual"),
            "output_bytes": self.memory(step, "output"),
            "params": self.parameters(),
            "float_ops": self.float_ops(step),
        }

    def input_shapes(self, profile):
        """Input position to shape; an empty shape is an unknown one."""
        result = {}
        for position, source in sorted(self.inputs.items()):
            result[position] = []
            if source in profile.nodes:
                index = self.output_index.get(source, 0)
                shapes = profile.nodes[source].output_shapes
                result[position] = shapes.get(index, [])
        return result


class Profile:
    def __init__(self):
        self.nodes = {}
        self.steps = set()
        self.strings = {}
        self.has_traces = False
        self.misses_stream = False

    def sorted_nodes(self):
        return [node for _, node in sorted(self.nodes.items())]

    def load_files(self, graph, op_log, run_metadata):
        """run_metadata: list of bytes (steps 0, 1, ...)."""
        if graph is not None:
            self.add_graph(message.Message(graph))
        if op_log is not None:
            self.add_op_log(message.Message(op_log))
        for step, data in enumerate(run_metadata):
            self.add_step(step, message.Message(data))

    def add_graph(self, graph):
        for node_def in graph.messages(1):
            name = node_def.string(1)
            if name in self.nodes:
                continue
            node = Node(name, node_def.string(2))
            for position, text in enumerate(node_def.strings(3)):
                source = text.split(":")[0]
                if source.startswith("^"):
                    source = source[1:]
                node.inputs[position] = source
                # The reference never reads the number after the colon.
                node.output_index[source] = 0
            for entry in node_def.entries(5):
                self._apply_attr(node, entry.string(1), entry.message(2))
            self.nodes[name] = node

    def _apply_attr(self, node, key, value):
        kind = value.last_field()
        if key == "shape" and kind == 7:
            node.shape = shape_from_proto(value.message(7))
        if key == "_output_shapes" and kind == 1:
            shapes = value.message(1).messages(7)
            node.output_shapes = {
                i: shape_from_proto(shape) for i, shape in enumerate(shapes)
            }
        if key == "data_format":
            node.data_format = value.string(2) if kind == 2 else ""

    def add_op_log(self, op_log):
        # In one map the last entry of a key wins, but known values stay.
        strings = {e.integer(1): e.string(2) for e in op_log.entries(2)}
        self.strings = {**strings, **self.strings}
        for entry in op_log.messages(1):
            node = self.nodes.get(entry.string(1))
            if node is None:
                continue
            node.types.update(entry.strings(3))
            if entry.integer(2):
                node.static_float_ops = entry.integer(2)
            if entry.has(4):
                self.has_traces = True
                if node.trace is None:
                    node.trace = entry.message(4).messages(1)

    def add_step(self, step, run_metadata):
        if not run_metadata.has(1):
            return
        self.steps.add(step)
        scheduled_on_gpu = gpu_stream_seen = False
        for dev_stats in run_metadata.message(1).messages(1):
            device = ascii_lower(dev_stats.string(1))
            if on_accelerator(device):
                scheduled_on_gpu = True
                if counts_accelerator_time(device):
                    gpu_stream_seen = True
            for record in dev_stats.messages(2):
                name = record.string(1).split(":")[0]
                if name not in self.nodes:
                    if name in ("RecvTensor", "_SOURCE") or "MEMCPY" in name:
                        continue
                    self.nodes[name] = Node(name, name)
                self._add_record(self.nodes[name], step, device, record)
        if scheduled_on_gpu and not gpu_stream_seen:
            self.misses_stream = True

    def _add_record(self, node, step_id, device, record):
        if is_canonical(device):
            if node.device and node.device != device:
                return
            node.device = device
            node.types.add(device)
        step = node.steps.setdefault(step_id, Step())
        start, duration = record.integer(2), record.integer(4)
        if start <= 0:
            return
        step.start = min(step.start, start) if step.start else start
        step.end = max(step.end, start + (duration or 1))
        if counts_accelerator_time(device):
            step.accelerator.setdefault(device, []).append(duration or 1)
        elif is_canonical(device):
            step.cpu.setdefault(device, []).append(duration or 1)
            step.run_count += 1
        if device == node.device:
            step.memory.append(self._memory(device, record))

    def _memory(self, device, record):
        output = 0
        for node_output in record.messages(7):
            description = node_output.message(3)
            if node_output.has(3) and description.has(4):
                allocation = description.message(4)
                output += max(allocation.integer(1), allocation.integer(2))
        stats = record.message(12)
        temp, persistent = stats.integer(1), stats.integer(3)
        used = record.messages(6)
        return {
            "requested": sum(m.integer(2) for m in used) + temp + persistent,
            "peak": sum(m.integer(3) for m in used) + temp + persistent,
            "residual": sum(m.integer(4) for m in used) + persistent,
            "output": output,
        }

    def load_profile(self, data):
        """Reads a ProfileProto."""
        profile = message.Message(data)
        self.has_traces = bool(profile.integer(2))
        self.steps = set(profile.integers(3))
        for entry in profile.entries(4):
            self.strings[entry.integer(1)] = entry.string(2)
        by_id = {e.integer(1): e.message(2) for e in profile.entries(1)}
        for _, proto in sorted(by_id.items()):
            node = Node(proto.string(1), proto.string(9))
            node.types.update(proto.strings(5))
            node.shape = proto.integers(4)
            node.device = proto.string(6)
            node.static_float_ops = proto.integer(8)
            node.trace = proto.message(10).messages(1)
            for entry in proto.entries(2):
                source = by_id[entry.integer(2)].string(1)
                node.inputs[entry.integer(1)] = source
            for entry in proto.entries(14):
                source = by_id[entry.integer(1)].string(1)
                node.output_index[source] = entry.integer(2)
            for entry in proto.entries(15):
                node.output_shapes[entry.integer(1)] = entry.message(
                    2
                ).integers(1)
            for entry in proto.entries(11):
                value = entry.message(2)
                if entry.string(1) == "data_format":
                    node.data_format = value.string(2)
            for entry in proto.entries(12):
                node.steps[entry.integer(1)] = self._read_step(entry.message(2))
            self.nodes.setdefault(node.name, node)

    def _read_step(self, proto):
        step = Step()
        step.run_count = proto.integer(1)
        step.start = proto.integer(2)
        step.end = proto.integer(3)
        for number, times in (4, step.accelerator), (5, step.cpu):
            for entry in proto.entries(number):
                times[entry.string(1)] = [
                    pair.integers(1)[1] for pair in entry.message(2).messages(1)
                ]
        for memory in proto.messages(7):
            step.memory.append(
                {
                    "requested": memory.integer(6),
                    "peak": memory.integer(7),
                    "residual": memory.integer(8),
                    "output": memory.integer(9),
                }
            )
        return step

    def frames(self, node):
        result = []
        for trace in node.trace or []:
            path, function = trace.integer(6), trace.integer(7)
            if path not in self.strings or function not in self.strings:
                raise ReferenceDies("unknown string id")
            result.append(
                Frame(
                    self.strings[path], trace.integer(2), self.strings[function]
                )
            )
        return result


# -------------------------------------------------------------------- options

COMMANDS = ("scope", "graph", "code", "op", "advise", "set", "help")

INTEGERS = (
    "max_depth",
    "min_bytes",
    "min_peak_bytes",
    "min_residual_bytes",
    "min_output_bytes",
    "min_micros",
    "min_accelerator_micros",
    "min_cpu_micros",
    "min_params",
    "min_float_ops",
    "min_occurrence",
    "step",
)

LISTS = (
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
)

ORDERS = (
    "name",
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "params",
    "float_ops",
    "occurrence",
)

FIELDS = (
    "bytes",
    "micros",
    "params",
    "float_ops",
    "tensor_value",
    "device",
    "op_types",
    "occurrence",
    "input_shapes",
    "accelerator_micros",
    "cpu_micros",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
)


class Options:
    def __init__(self, **changes):
        for name in INTEGERS:
            setattr(self, name, 0)
        self.max_depth = 10
        self.step = -1
        self.order_by = "name"
        self.account_type_regexes = [".*"]
        self.start_name_regexes = [".*"]
        self.trim_name_regexes = []
        self.show_name_regexes = [".*"]
        self.hide_name_regexes = []
        self.account_displayed_op_only = False
        self.select = {"micros"}
        self.output = "stdout"
        self.output_options = {}
        for name, value in changes.items():
            setattr(self, name, value)


def parse_integer(text, bits):
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        raise BadCommand("not a number: " + text)
    value = int(text)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise BadCommand("out of range: " + text)
    return value


def parse_list(text):
    return [piece for piece in text.strip("'\"").split(",") if piece]


def parse_output(options, text):
    kind, _, rest = text.partition(":")
    for piece in rest.split(","):
        if piece:
            parts = [part for part in piece.split("=") if part]
            if len(parts) < 2:
                raise BadCommand("key without a value")
            options.output_options[parts[0]] = "=".join(parts[1:])
    allowed = {
        "timeline": {"outfile"},
        "file": {"outfile"},
        "pprof": {"outfile"},
        "stdout": set(),
        "none": set(),
    }
    if kind not in allowed:
        raise BadCommand("unknown output type")
    if any(key not in allowed[kind] for key in options.output_options):
        raise BadCommand("unknown key")
    if not allowed[kind] <= set(options.output_options):
        raise BadCommand("key missing")
    options.output = kind


def parse_command(line, defaults=None):
    """The command word and the options of a line of the shell."""
    options = copy.deepcopy(defaults) if defaults else Options()
    pieces = [piece for piece in line.split(" ") if piece]
    if not pieces or pieces[0] not in COMMANDS:
        raise BadCommand("First string must be a valid command.")
    at = 1
    while at < len(pieces):
        name = pieces[at]
        value = pieces[at + 1] if at + 1 < len(pieces) else None
        at += 2
        if name == "-account_displayed_op_only":
            if value is None or value.startswith("-"):
                options.account_displayed_op_only = True
                at -= 1
            elif value.lower() in ("true", "t", "yes", "y", "1"):
                options.account_displayed_op_only = True
            elif value.lower() in ("false", "f", "no", "n", "0"):
                options.account_displayed_op_only = False
            else:
                raise BadCommand(name)
            continue
        if value is None or not name.startswith("-"):
            raise BadCommand(name)
        name = name[1:]
        if name in INTEGERS:
            bits = 32 if name == "max_depth" else 64
            setattr(options, name, parse_integer(value, bits))
        elif name in LISTS:
            setattr(options, name, parse_list(value))
        elif name == "order_by" and value in ORDERS:
            options.order_by = value
        elif name == "select" and set(parse_list(value)) <= set(FIELDS):
            options.select = set(parse_list(value))
        elif name == "output":
            parse_output(options, value)
        else:
            raise BadCommand(name)
    return pieces[0], options


def full_match(pattern, text):
    try:
        return re.fullmatch(pattern, text, re.ASCII) is not None
    except re.error:
        return False  # An invalid expression matches nothing.


def any_match(patterns, text):
    return any(full_match(pattern, text) for pattern in patterns)


# ----------------------------------------------------------- numbers as people


def show_count(n):
    if n < 1000:
        return "%d" % n
    if n < 10**6:
        return "%.2fk" % (n / 1e3)
    if n < 10**9:
        return "%.2fm" % (n / 1e6)
    return "%.2fb" % (n / 1e9)


def show_micros(n):
    if n < 1000:
        return "%dus" % n
    if n < 10**6:
        return "%.2fms" % (n / 1e3)
    return "%.2fsec" % (n / 1e6)


def show_bytes(n):
    if n < 1000:
        return "%dB" % n
    if n < 10**6:
        return "%.2fKB" % (n / 1e3)
    return "%.2fMB" % (n / 1e6)


def show_dims(shape):
    return "x".join("%d" % dim for dim in shape)


def show_percent(part, whole):
    """100 * part / whole with the infinities of IEEE arithmetic."""
    if whole:
        return "%.2f%%" % (100.0 * part / whole)
    if part:
        return "inf%" if part > 0 else "-inf%"
    return "-nan%"


# ------------------------------------------------------------------- doc block

T = (
    "total execution time: Sum of accelerator execution time and cpu "
    "execution time."
)
C = (
    "cpu execution time: The time from the start to the end of the "
    "operation. It's the sum of actual cpu run time plus the time that it "
    "spends waiting if part of computation is launched asynchronously."
)
A = (
    "accelerator execution time: Time spent executing on the accelerator. "
    "This is normally measured by the actual hardware library."
)

SCOPE_DOC = (
    "scope: The nodes in the model graph are organized by their "
    "names, which is hierarchical like filesystem."
)

VIEW_DOC = {
    "scope": SCOPE_DOC,
    "graph": SCOPE_DOC,  # The reference does this.
    "code": "code: When python trace is available, the nodes are python lines "
    "and their are organized by the python call stack.",
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. "
    "Graph nodes belonging to the same type are aggregated together.",
}

FIELD_DOC = {
    "bytes": "requested bytes: The memory requested by the operation, "
    "accumulatively.",
    "micros": T + "\n" + C + "\n" + A,
    "params": "param: Number of parameters (in the Variable).",
    "float_ops": "flops: Number of float operations. Note: Please read the "
    "implementation for the math behind it.",
    "tensor_value": "tensor_value: Not supported now.",
    "device": "device: which device is placed on.",
    "op_types": "op_types: The attributes of the operation, includes the "
    "Kernel name device placed on and user-defined strings.",
    "occurrence": "occurrence: The number of times it occurs",
    "input_shapes": "input shape: The shape of input tensors",
    "accelerator_micros": A,
    "cpu_micros": C,
    "peak_bytes": "peak bytes: The peak amount of memory that the operation "
    "is holding at some point.",
    "residual_bytes": "residual bytes: The memory not de-allocated after the "
    "operation finishes.",
    "output_bytes": "output bytes: The memory that is output from the "
    "operation (not necessarily allocated by the operation)",
}

MISSING_STREAM = (
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    "If you found your operation missing accelerator time, consider to post "
    "to discuss@tensorflow.org!\n\n"
)


def doc_block(command, options):
    lines = "\n".join(FIELD_DOC[field] for field in sorted(options.select))
    return "\nDoc:\n%s\n%s\n\nProfile:\n" % (VIEW_DOC[command], lines)


# ---------------------------------------------------- shared by the views

STATISTICS = (
    "run",
    "defined",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "params",
    "float_ops",
)

BYTES = ("bytes", "peak_bytes", "residual_bytes", "output_bytes")

TIMES = ("micros", "accelerator_micros", "cpu_micros")

TITLES = {
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "micros": "total execution time",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
}


def zeros():
    return dict.fromkeys(STATISTICS, 0)


def selected_times(options):
    if "micros" in options.select:
        return TIMES
    return [time for time in TIMES if time in options.select]


def selected_bytes(options):
    return [kind for kind in BYTES if kind in options.select]


class Row:
    """A line of a report."""

    def __init__(self, name, node=None):
        self.name = name
        self.node = node  # Scope and graph views.
        self.members = {}  # Op and code views: graph nodes by name.
        self.tree = []  # All children.
        self.children = []  # The accounted nodes, and later the displayed ones.
        self.accounted = False
        self.own = zeros()
        self.total = zeros()
        # The members that a snapshot found.
        self.snapshot = {}
        self.devices = set()
        self.types = set()

    def reset_total(self):
        self.total = zeros()

    def add(self, values):
        for key in STATISTICS:
            self.total[key] = message.signed(self.total[key] + values[key])

    def take_snapshot(self, options):
        """Sums up the members of the accounted types; True if any is."""
        patterns = options.account_type_regexes
        members = [node for _, node in sorted(self.members.items())]
        if patterns == [".*"]:
            picked = members
        else:
            # A node that two patterns match is picked, and counted, twice.
            picked = [
                node
                for pattern in patterns
                for node in members
                if any(full_match(pattern, t) for t in node.types)
            ]
        self.own = zeros()
        self.snapshot = {node.name: node for node in picked}
        self.devices = {node.device for node in picked}
        self.types = set().union(*(node.types for node in picked))
        for node in picked:
            for key, value in node.statistics(options.step).items():
                self.own[key] = message.signed(self.own[key] + value)
        return bool(picked) or patterns == [".*"]


def reaches_minimums(row, options):
    return all(
        row.total[key] >= getattr(options, "min_" + key)
        for key in BYTES + TIMES
    )


def name_is_shown(row, options):
    shown = options.show_name_regexes == [".*"] or any_match(
        options.show_name_regexes, row.name
    )
    return shown and not any_match(options.hide_name_regexes, row.name)


def sort_rows(rows, options, occurrence=None):
    """The rows in the wanted order; ties stay as they came."""
    if options.order_by == "occurrence" and occurrence:
        return sorted(rows, key=lambda row: -occurrence(row))
    if options.order_by in ("name", "occurrence"):
        return sorted(rows, key=lambda row: row.name)
    return sorted(rows, key=lambda row: -row.total[options.order_by])


def search_starts(rows, options, visited=None):
    """The topmost rows whose names match a start expression."""
    found = []
    for row in rows:
        if visited is not None:
            if row.name in visited:
                continue
            visited.add(row.name)
        if any_match(options.start_name_regexes, row.name):
            found.append(row)
        else:
            found += search_starts(row.children, options, visited)
    return found


def own_and_total(row, key, show):
    own = show(row.own[key]) if row.accounted else "--"
    return own + "/" + show(row.total[key])


# -------------------------------------------------------- scope and graph views


def tree_legend(options):
    columns = []
    if "params" in options.select:
        columns.append("# parameters")
    if "float_ops" in options.select:
        columns.append("# float_ops")
    columns += [TITLES[kind] for kind in selected_bytes(options)]
    columns += [TITLES[time] for time in selected_times(options)]
    if "device" in options.select:
        columns.append("assigned devices")
    if "op_types" in options.select:
        columns.append("op types")
    if "occurrence" in options.select:
        columns.append("op count (run|defined)")
    if "input_shapes" in options.select:
        columns.append("input shapes")
    return "node name | " + " | ".join(columns) + "\n"


def tree_line(row, indent, profile, options):
    node, info = row.node, []
    if "params" in options.select:
        if node.shape:
            info.append(show_dims(node.shape))
        info.append(own_and_total(row, "params", show_count) + " params")
    if "float_ops" in options.select:
        info.append(own_and_total(row, "float_ops", show_count) + " flops")
    for kind in selected_bytes(options):
        info.append(own_and_total(row, kind, show_bytes))
    for time in selected_times(options):
        info.append(own_and_total(row, time, show_micros))
    if "device" in options.select and node.device:
        info.append(node.device)
    if "op_types" in options.select:
        info.append("|".join(sorted(node.types)))
    if "occurrence" in options.select:
        info.append(
            own_and_total(row, "run", show_count)
            + "|"
            + own_and_total(row, "defined", show_count)
        )
    if "input_shapes" in options.select:
        shapes = node.input_shapes(profile)
        info.append(
            "|".join(
                "%d:%s" % (position, show_dims(shape) or "unknown")
                for position, shape in sorted(shapes.items())
            )
        )
    return "%s%s (%s)\n" % (" " * indent, row.name, ", ".join(info))


def tree_row_is_shown(row, depth, options):
    return (
        row.name == ROOT
        or reaches_minimums(row, options)
        and row.own["params"] >= options.min_params
        and row.own["float_ops"] >= options.min_float_ops
        and row.own["run"] >= options.min_occurrence
        and depth <= options.max_depth
        and name_is_shown(row, options)
    )


def display_tree(rows, depth, indent, options, visited):
    """The displayed rows among these, or else those below them.

    Lines are remembered with their indentation; visited is None in the scope
    view, where no row is reached twice.
    """
    displayed = []
    for row in rows:
        if visited is not None:
            if row.name in visited:
                continue
            visited.add(row.name)
        shown = tree_row_is_shown(row, depth, options)
        below = []
        if (
            not any_match(options.trim_name_regexes, row.name)
            and depth <= options.max_depth
        ):
            below = display_tree(
                row.children,
                depth + 1,
                indent + (2 if shown else 0),
                options,
                visited,
            )
        if not shown:
            displayed += below
            continue
        if options.account_displayed_op_only:
            row.reset_total()
            row.add(row.own)
        row.children = sort_rows(below, options)
        if options.account_displayed_op_only:
            for child in row.children:
                row.add(child.total)
        row.indent = indent
        displayed.append(row)
    return displayed


def tree_lines(row, profile, options):
    return tree_line(row, row.indent, profile, options) + "".join(
        tree_lines(child, profile, options) for child in row.children
    )


def account(row, options):
    row.own = row.node.statistics(options.step)
    patterns = options.account_type_regexes
    row.accounted = patterns == [".*"] or any(
        any_match(patterns, t) for t in row.node.types
    )
    row.reset_total()
    row.add(row.own)


def parent_name(name):
    """The scope of a name, None for names at the top."""
    return name[: name.rfind("/")] if "/" in name else None


def scope_rows(profile):
    rows = {}
    for node in profile.sorted_nodes():
        rows[node.name] = Row(node.name, node)
        scope = parent_name(node.name)
        while scope is not None:
            if scope not in rows:
                rows[scope] = Row(scope, Node(scope, SCOPE_PARENT))
            scope = parent_name(scope)
    top = []
    for name, row in sorted(rows.items()):
        scope = parent_name(name)
        (top if scope is None else rows[scope].tree).append(row)
    return top


def account_scope(rows, options):
    kept = []
    for row in rows:
        row.children = account_scope(row.tree, options)
        account(row, options)
        for child in row.children:
            row.add(child.total)
        if row.accounted or row.children:
            kept.append(row)
    return kept


def graph_rows(profile):
    rows = {n.name: Row(n.name, n) for n in profile.sorted_nodes()}
    used = set()
    for row in rows.values():
        for _, source in sorted(row.node.inputs.items()):
            if source in rows:
                row.tree.append(rows[source])
                used.add(source)
    return [row for name, row in rows.items() if name not in used]


def account_graph(rows, options, visited):
    kept = []
    for row in rows:
        if row.name in visited:
            continue
        visited.add(row.name)
        below = account_graph(row.tree, options, visited)
        account(row, options)
        if not row.accounted:
            kept += below  # They go to the nearest accounted consumer.
            continue
        row.children = below
        for child in below:
            row.add(child.total)
        kept.append(row)
    return kept


def show_tree(command, profile, options):
    """The root row of the scope or graph view, ready to be printed."""
    if command == "scope":
        root = Row(ROOT, Node(ROOT, SCOPE_PARENT))
        kept = account_scope(scope_rows(profile), options)
    else:
        root = Row(ROOT, Node(ROOT, GRAPH_PARENT))
        kept = account_graph(graph_rows(profile), options, set())
    root.own["defined"] = 1
    for row in kept:
        root.add(row.total)
    if options.start_name_regexes != [".*"]:
        kept = search_starts(
            kept, options, set() if command == "graph" else None
        )
    root.children = kept
    display_tree([root], 1, 0, options, set() if command == "graph" else None)
    return root


# ------------------------------------------------------------ op and code views


def multi_legend(options):
    columns = [TITLES[kind] for kind in selected_bytes(options)]
    columns += [TITLES[time] for time in selected_times(options)]
    if "params" in options.select:
        columns.append("# parameters")
    if "float_ops" in options.select:
        columns.append("# float_ops")
    if "device" in options.select:
        columns.append("assigned devices")
    if "op_types" in options.select:
        columns.append("op types")
    if "occurrence" in options.select:
        columns.append("op occurrence (run|defined)")
    if "input_shapes" in options.select:
        columns.append("input shapes")
    return "node name | " + " | ".join(columns) + "\n"


def multi_row_reaches_minimums(row, options):
    return (
        reaches_minimums(row, options)
        and row.total["params"] >= options.min_params
        and row.total["float_ops"] >= options.min_float_ops
    )


def op_entry(row, root, key, text, has_percent):
    accumulated = own = "0.00%"
    if has_percent:
        accumulated = show_percent(row.total[key], root.total[key])
        own = show_percent(row.own[key], root.total[key])
    return "%30s" % ("%s (%s, %s)" % (text, accumulated, own))


def op_input_shapes(row, profile, options):
    """Run count, definitions and time per combination of input shapes."""
    groups = {}
    for node in row.snapshot.values():
        shapes = node.input_shapes(profile)
        text = "input_type: " + ",\t".join(
            "%d:%s" % (position, show_dims(shape) or "unknown")
            for position, shape in sorted(shapes.items())
        )
        group = groups.setdefault(text, [0, 0, 0])
        group[0] += node.run_count(options.step)
        group[1] += 1
        group[2] += node.exec_micros(options.step)
    order = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    return "\n".join(
        "%s\t(run*%d|defined*%d)\texec_time: %s"
        % (text, runs, defined, show_micros(message.signed(micros)))
        for text, (runs, defined, micros) in order
    )


def op_line(row, root, profile, options):
    info = []
    for kind in selected_bytes(options):
        info.append(
            op_entry(
                row, root, kind, show_bytes(row.own[kind]), row.own[kind] > 0
            )
        )
    for time in selected_times(options):
        info.append(
            op_entry(
                row, root, time, show_micros(row.own[time]), row.total[time] > 0
            )
        )
    for key, unit in ("params", " params"), ("float_ops", " float_ops"):
        if key in options.select:
            info.append(
                op_entry(
                    row,
                    root,
                    key,
                    show_count(row.own[key]) + unit,
                    row.total[key] > 0,
                )
            )
    if "device" in options.select:
        info.append("|".join(sorted(row.devices)))
    if "op_types" in options.select:
        info.append("|".join(sorted(row.types)))
    if "occurrence" in options.select:
        # Over distinct nodes, though the sums count duplicate picks.
        runs = sum(n.run_count(options.step) for n in row.snapshot.values())
        info.append("%10s" % ("%d|%d" % (runs, len(row.snapshot))))
    text = "%-25s%s\n" % (row.name, ", ".join(info))
    if "input_shapes" in options.select:
        block = op_input_shapes(row, profile, options)
        if block:
            text += "\n" + block + "\n\n"
    return text


def accumulate_from_the_end(rows, root):
    """Each total becomes the sum of its row and of all rows after it."""
    after = None
    for row in reversed(rows):
        row.reset_total()
        row.add(row.own)
        if after:
            row.add(after.total)
        after = row
    root.reset_total()
    if rows:
        root.add(rows[0].total)


def show_op(profile, options):
    """The root row and the displayed rows of the op view."""
    by_op = {}
    for node in profile.sorted_nodes():
        row = by_op.setdefault(node.op, Row(node.op))
        row.members[node.name] = node
    root = Row(ROOT)
    rows = [row for _, row in sorted(by_op.items())]
    for row in rows:
        row.accounted = row.take_snapshot(options)
        row.reset_total()
        row.add(row.own)
    rows = sort_rows(rows, options, lambda row: len(row.snapshot))
    rows = [row for row in rows if row.accounted]
    accumulate_from_the_end(rows, root)
    if options.start_name_regexes not in ([], [".*"]):
        while rows and not any_match(options.start_name_regexes, rows[0].name):
            rows = rows[1:]
    displayed = []
    for depth, row in enumerate(rows):
        if depth > options.max_depth or any_match(
            options.trim_name_regexes, row.name
        ):
            break
        if (
            multi_row_reaches_minimums(row, options)
            and len(row.snapshot) >= options.min_occurrence
            and name_is_shown(row, options)
        ):
            displayed.append(row)
    if options.account_displayed_op_only:
        accumulate_from_the_end(displayed, root)
    return root, displayed


def op_report(profile, options):
    root, displayed = show_op(profile, options)
    if not profile.nodes:
        return op_line(root, root, profile, options)
    return multi_legend(options) + "".join(
        op_line(row, root, profile, options) for row in displayed
    )


def forward_name(name):
    """The name of the node that a gradient node belongs to, or None."""
    begin, end = name.find("gradients/"), name.find("_grad/")
    if begin < 0 or end < 0:
        return None
    begin += len("gradients/")
    # A negative length is a huge one in the reference.
    return (name[begin:end] if end >= begin else name[begin:]) or None


def insert_path(root, names):
    """The row at the end of the path; missing rows are created."""
    row = root
    for name in names:
        child = next((c for c in row.tree if c.name == name), None)
        if child is None:
            child = Row(name)
            row.tree.append(child)
        row = child
    return row


def code_rows(profile):
    root = Row(ROOT)
    forward, gradients = {}, {}
    for node in profile.sorted_nodes():
        frames = profile.frames(node)
        if not frames:
            continue
        target = forward_name(node.name)
        if target is not None:
            gradients.setdefault(target, []).append(node)
            continue
        names = [frame.row_name() for frame in frames]
        forward[node.name] = names
        insert_path(root, names).members[node.name] = node
    if not forward:
        raise ReferenceDies("no forward node with a trace")
    for target, nodes in sorted(gradients.items()):
        if target not in forward:
            continue
        names = [name + " (gradient)" for name in forward[target]]
        row = insert_path(root, names)
        row.members.update((node.name, node) for node in nodes)
    return root


def account_code(rows, options):
    kept = []
    for row in rows:
        row.children = account_code(row.tree, options)
        row.accounted = row.take_snapshot(options)
        row.reset_total()
        row.add(row.own)
        for child in row.children:
            row.add(child.total)
        if row.accounted or row.children:
            kept.append(row)
    return kept


def display_code(rows, depth, indent, options):
    displayed = []
    for row in rows:
        if (
            any_match(options.trim_name_regexes, row.name)
            or depth > options.max_depth
        ):
            continue
        shown = row.name == ROOT or (
            multi_row_reaches_minimums(row, options)
            and name_is_shown(row, options)
        )
        below = display_code(
            row.children, depth + 1, indent + (2 if shown else 0), options
        )
        if not shown:
            displayed += below
            continue
        row.children = sort_rows(below, options, lambda row: len(row.snapshot))
        row.indent = indent
        displayed.append(row)
    return displayed


def show_code(profile, options):
    """The root row of the code view, ready to be printed."""
    root = code_rows(profile)
    kept = account_code(root.tree, options)
    for row in kept:
        root.add(row.total)
    if options.start_name_regexes != [".*"]:
        kept = search_starts(kept, options)
    root.children = kept
    if not display_code([root], 1, 0, options):
        raise ReferenceDies("the root of the code view is hidden")
    return root


def code_line(row, options):
    info = []
    for kind in selected_bytes(options):
        info.append(own_and_total(row, kind, show_bytes))
    for time in selected_times(options):
        info.append(own_and_total(row, time, show_micros))
    if "params" in options.select:
        info.append(own_and_total(row, "params", show_count) + " params")
    if "float_ops" in options.select:
        info.append(own_and_total(row, "float_ops", show_count) + " flops")
    if "device" in options.select and row.devices:
        info.append("|".join(sorted(row.devices)))
    if "op_types" in options.select:
        info.append("|".join(sorted(row.types)))
    if "occurrence" in options.select:
        info.append("occurrence N/A in code view")
    if "input_shapes" in options.select:
        info.append("input_shapes N/A in code view")
    return "%s%s (%s)\n" % (" " * row.indent, row.name, ", ".join(info))


def code_lines(row, options):
    return code_line(row, options) + "".join(
        code_lines(child, options) for child in row.children
    )


# --------------------------------------------------------------------- advisor


def show_times(values):
    return "cpu: %s, accelerator: %s, total: %s" % tuple(
        show_micros(values[key])
        for key in ("cpu_micros", "accelerator_micros", "micros")
    )


def advise_utilization(profile):
    devices = {}
    for node in profile.sorted_nodes():
        if not node.steps or not on_accelerator(node.device):
            continue
        last = max(node.steps)
        step = node.steps[last]
        spans = devices.setdefault(node.device, [0, 0, 0])
        if step.start:
            spans[0] = min(spans[0], step.start) if spans[0] else step.start
        spans[1] = max(spans[1], step.end)
        spans[2] += node.accelerator_micros(last)
    reports = []
    for device, (start, end, busy) in sorted(devices.items()):
        if end - start <= 0:
            continue
        utilization = busy / (end - start)
        reports.append(
            "device: %s %sutilization: %.2f"
            % (device, "" if utilization >= 0.5 else "low ", utilization)
        )
    return reports


def advise_operations(profile):
    nodes, reports = profile.nodes.values(), []
    if any("BatchNorm" in node.name for node in nodes) and not any(
        "FusedBatchNorm" in node.types for node in nodes
    ):
        reports.append("Maybe use faster FusedBatchNorm instead of BatchNorm")
    if any(
        node.data_format == "NHWC" and on_accelerator(node.device)
        for node in nodes
    ):
        reports.append(
            "Found operation using NHWC data_format on GPU. "
            "Maybe NCHW is faster."
        )
    return reports


def expensive_ops(profile):
    root, rows = show_op(
        profile, Options(max_depth=3, min_micros=1, order_by="micros")
    )
    lines = []
    for i, row in enumerate(rows[:3]):
        share = 100.0 * row.own["micros"] / (root.total["micros"] + 1e-10)
        lines.append(
            "top %d operation type: %s, %s (%.2f%%)"
            % (i + 1, row.name, show_times(row.own), share)
        )
    return ["\n".join(lines)] if lines else []


def expensive_scopes(profile):
    root = show_tree(
        "scope",
        profile,
        Options(max_depth=100, min_micros=100, order_by="micros"),
    )
    lines = [
        "top %d graph node: %s, %s" % (i + 1, row.name, show_times(row.own))
        for i, row in enumerate(root.children[:3])
    ]
    return ["\n".join(lines)] if lines else []


def expensive_code_lines(row, depth):
    if len(row.children) <= 1 or depth > 3:
        return []
    lines = []
    for child in row.children[:3]:
        if child.total["micros"] < 1000:
            continue
        lines.append(
            "%s%s, %s" % (" " * 2 * depth, child.name, show_times(child.total))
        )
        lines += expensive_code_lines(child, depth + 1)
    return lines


def expensive_code(profile):
    if not profile.has_traces:
        return []
    row = show_code(
        profile, Options(max_depth=100, min_micros=1, order_by="micros")
    )
    while len(row.children) == 1:
        row = row.children[0]
    if not row.children:
        return []
    return ["\n".join(expensive_code_lines(row, 0))]


def advise(profile):
    expensive = expensive_ops(profile) if profile.steps else []
    expensive += expensive_scopes(profile) + expensive_code(profile)
    checkers = (
        ("AcceleratorUtilizationChecker", advise_utilization(profile)),
        ("OperationChecker", advise_operations(profile)),
        ("ExpensiveOperationChecker", expensive),
    )
    return "".join(
        "\n%s:\n" % name + "".join(report + "\n" for report in reports)
        for name, reports in checkers
    )


# -------------------------------------------------------------------- commands


def run(profile, line, defaults=None):
    """The report of a line of the shell, None if there is none."""
    command, options = parse_command(line, defaults)
    if command == "advise":
        return advise(profile)
    if options.step >= 0 and options.step not in profile.steps:
        return None
    if command == "code" and not profile.has_traces:
        return None
    if command == "op":
        text = op_report(profile, options)
    elif command == "code":
        text = multi_legend(options) + code_lines(
            show_code(profile, options), options
        )
    elif command in ("scope", "graph"):
        text = tree_legend(options) + tree_lines(
            show_tree(command, profile, options), profile, options
        )
    else:
        raise BadCommand("no report: " + command)
    warning = MISSING_STREAM if profile.misses_stream else ""
    return warning + doc_block(command, options) + text
