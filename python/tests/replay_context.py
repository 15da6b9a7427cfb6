"""The scenarios of ProfileContext, with a stand-in for TensorFlow's session."""

import ast
import re

import fake_tensorflow
from replay import Captured, check

from tfprof._reference import messages as _messages, tensorflow as _tensorflow
from tfprof.profile_context import ProfileContext


def _steps(value):
    match = re.fullmatch(r"range\((.*)\)", str(value))
    return range(*ast.literal_eval(f"({match[1]},)")) if match else value


def play(player, case):
    graph = player.read(case["inputs"]["graph"])
    profiles = [
        f["golden"]
        for f in case["files"]
        if "golden" in f and f["kind"] == "ProfileProto"
    ]
    log = b""
    if profiles:
        log = _op_log(player.read(profiles[-1]))
    metas = {step: player.read(f) for step, f in case["run_metas"]}
    runs = {run["step"]: run for run in case["runs"]}
    live = fake_tensorflow.Graph(graph, log)
    state = {"step": 0, "traced": []}

    def answer(session, fetches, options, run_metadata):
        step = state["step"]
        state["step"] += 1
        level = options.trace_level if options is not None else 0
        if run_metadata is not None and level == 3:
            if not runs[step]["caller"] or runs[step]["traced"]:
                state["traced"].append(step)
            # Where no metadata was kept, the metadata of a node without a
            # device.
            run_metadata.ParseFromString(metas.get(step, b"\n\x04\n\x02\n\x00"))
        return None

    named = {k: _steps(v) for k, v in case["kwargs"].items()}
    old_default = _tensorflow.default_graph
    _tensorflow.default_graph = lambda: live
    try:
        with (
            Captured() as captured,
            fake_tensorflow.modules(live, answer) as tf,
        ):
            context = ProfileContext("train_dir", **named)
            for cmd, options, steps in case["auto"]:
                context.add_auto_profiling(cmd, options, _steps(steps))
            before = tf.BaseSession.run
            with context:
                session = tf.BaseSession()
                for run in case["runs"]:
                    for name in run["before"]:
                        getattr(context, name)()
                    _run(session, run, context, tf, state)
            check("restored", tf.BaseSession.run is before, True)
            profiler = context.profiler
            check("profiler", profiler is None, case["profiler_is_none"])
            found = {}
            for cmd in case["get_profiles"]:
                found[cmd] = context.get_profiles(cmd)
    finally:
        _tensorflow.default_graph = old_default
        if context.profiler is not None:
            context.profiler.close()
    check(
        "traced",
        state["traced"],
        [r["step"] for r in case["runs"] if r["traced"]],
    )
    check(
        "files",
        sorted(captured.files),
        sorted(f["name"] for f in case["files"]),
    )
    if metas:
        check("printed", captured.stdout, _stdout(player, case))
        check("stderr", captured.stderr, case["stderr"])
        for cmd, steps in case["get_profiles"].items():
            for step, member in steps.items():
                got = found[cmd][int(step)]
                want = type(got).FromString(player.golden(case, member))
                check(f"{cmd} {step}", str(got).encode(), str(want).encode())
    for file in case["files"]:
        data = captured.files[file["name"]]
        if file["kind"] != "ProfileProto":
            want = player.golden(case, file["golden"])
            # The stand-in's messages have numbers where enums have names.
            want = want.replace(b"DT_FLOAT", b"1").replace(b"DT_INT32", b"3")
            check("text", data, want)
            continue
        profile = _messages.ProfileProto.FromString(data)
        if metas or not file["steps"]:
            check("nodes", len(profile.nodes), file["nodes"])
            check("steps", sorted(profile.steps), file["steps"])
        if "golden" in file:
            player.same_profile(data, player.read(file["golden"]))
    return None


def _run(session, run, context, tf, state):
    options = meta = None
    if run["caller"]:
        meta = _messages.RunMetadata()
        if run["caller"] == "both":
            options = tf.RunOptions(run["callers_trace_level_after"])
    fetch = fake_tensorflow.Tensor(run["fetch_name"])
    if "coverage" in run and run["traced"] and context.profiler is not None:
        add = context.profiler.add_step

        def counted(step, run_meta):
            add(step, run_meta)
            if not run_meta.step_stats.dev_stats[0].node_stats:
                context.profiler._coverage = run["coverage"]

        context.profiler.add_step = counted
        session.run(fetch, options=options, run_metadata=meta)
        del context.profiler.add_step
    else:
        session.run(fetch, options=options, run_metadata=meta)
    if options is not None:
        check(
            "trace level",
            options.trace_level,
            run["callers_trace_level_after"],
        )


def _stdout(player, case):
    return player.golden(case, "stdout") if case.get("stdout") else b""


def _op_log(data):
    """Call stacks and types of a profile, as the op log had them."""
    profile = _messages.ProfileProto.FromString(data)
    log = _messages.OpLogProto()
    for node in profile.nodes.values():
        entry = log.log_entries.add(name=node.name)
        entry.code_def.CopyFrom(node.trace)
        if "_trainable_variables" in node.op_types:
            entry.types.append("_trainable_variables")
    for number, text in profile.id_to_string.items():
        log.id_to_string[number] = text
    return log.SerializeToString()
