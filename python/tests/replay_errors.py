"""The cases of misuse: exceptions, messages, and what ends the reference."""

import os
import re
import tempfile

import fake_tensorflow
from replay import Captured, check

from tfprof import model_analyzer, timeline
from tfprof._reference import messages as _messages
from tfprof.option_builder import ProfileOptionBuilder as Builder
from tfprof.profile_context import ProfileContext
from tfprof.tfprof_logger import write_op_log

# Changes to time_and_memory() by the words of the case.
OPTIONS = {
    "unknown key": {"no_such_key": 1},
    "max_depth text": {"max_depth": "3"},
    "max_depth float": {"max_depth": 3.5},
    "max_depth whole float": {"max_depth": 3.0},
    "max_depth None": {"max_depth": None},
    "max_depth 2**40": {"max_depth": 2**40},
    "max_depth 2**63": {"max_depth": 2**63},
    "max_depth negative": {"max_depth": -5},
    "step text": {"step": "1"},
    "step 99": {"step": 99},
    "step -7": {"step": -7},
    "order_by None": {"order_by": None},
    "order_by empty": {"order_by": ""},
    "select number": {"select": [3]},
    "select tuple": {"select": ("micros", "bytes")},
    "select set": {"select": {"micros"}},
    "regex bad show": {"show_name_regexes": ["["]},
    "regex None": {"show_name_regexes": None},
    "regex bytes": {"show_name_regexes": [b".*"]},
    "output unknown": {"output": "xml"},
    "output xml with file": {"output": "xml:outfile=x"},
    "output empty": {"output": ""},
    "output file without name": {"output": "file"},
    "output file empty name": {"output": "file:outfile="},
    "output file no such key": {"output": "file:name=x"},
    "output missing folder": {"output": "file:outfile=no/such/folder/x"},
    "output timeline without name": {"output": "timeline"},
    "output timeline op": {"output": "timeline:outfile=t"},
    "output pprof scope": {"output": "pprof:outfile=p"},
    "output pprof without name": {"output": "pprof"},
    "output None": {"output": None},
    "output stdout with key": {"output": "stdout:x=y"},
    "displayed text": {"account_displayed_op_only": "yes"},
    "displayed int": {"account_displayed_op_only": 1},
    "file name with blanks": {"output": "file:outfile=a b.txt"},
    "file name with comma": {"output": "file:outfile=a,b.txt"},
    "file name with equals": {"output": "file:outfile=a=b.txt"},
    "file name with colon": {"output": "file:outfile=a:b.txt"},
}
COMMANDS = {
    "output timeline op": "op",
    "output pprof without name": "code",
    "CRASH code depth 0": "code",
    "CRASH code depth -1": "code",
    "CRASH code trim all": "code",
}
CRASHES = {
    "CRASH code depth 0": {"max_depth": 0},
    "CRASH code depth -1": {"max_depth": -1},
    "CRASH code trim all": {"trim_name_regexes": [".*"]},
}
# Steps of ProfileContext that a set or a number cannot give.
CONTEXTS = {
    "ProfileContext empty folder": ("",),
    "ProfileContext folder None": (None,),
    "ProfileContext 101 trace steps": ("d", list(range(101))),
    "ProfileContext trace steps a set": ("d", {1}),
    "ProfileContext trace steps an int": ("d", 3),
    "ProfileContext dump steps a set": ("d", None, {1}),
}
ACCEPTS_MORE = (
    "run_meta bytes",
    "graph a GraphDef",
    "graph text",
    "op_log bytes",
    "Profiler bad graph",
    "Timeline RunMetadata",
    "ProfileContext disabled get_profiles",
    "ProfileContext a run that raises",
)


def _options(changes):
    options = Builder.time_and_memory()
    options.update(changes)
    return options


def _calls(player, case, live, meta):
    """The calls that raise, by the words of the case."""
    what = case["what"]
    profile = model_analyzer.profile
    profiler = model_analyzer.Profiler
    other = {
        "cmd unknown": lambda: profile(live, cmd="python"),
        "cmd advise": lambda: profile(live, cmd="advise"),
        "cmd None": lambda: profile(live, cmd=None),
        "cmd upper": lambda: profile(live, cmd="SCOPE"),
        "options None": lambda: profile(live, options=None),
        "options a builder": lambda: profile(live, options=Builder()),
        "options a list": lambda: profile(live, options=["x"]),
        "run_meta list": lambda: profile(live, [1]),
        "op_log dict": lambda: profile(live, None, {}),
        "builder unknown preset arg": lambda: Builder.time_and_memory(
            min_milliseconds=1
        ),
        "advise list": lambda: model_analyzer.advise(live, meta, ["x"]),
        "advise checker None": lambda: model_analyzer.advise(
            live, meta, {"OperationChecker": None}
        ),
        "write_op_log no folder": lambda: write_op_log(live, "no/such"),
        "write_op_log None": lambda: write_op_log(live, None),
        "Timeline None": lambda: timeline.Timeline(
            None
        ).generate_chrome_trace_format(),
        "Timeline wrong keyword": lambda: timeline.Timeline(
            meta
        ).generate_chrome_trace_format(memory=True),
        "Profiler add_step None": lambda: profiler(live).add_step(1, None),
        "Profiler options missing": lambda: profiler(live).profile_name_scope(),
        "Profiler advise without options": lambda: profiler(live).advise(),
        "ProfileContext auto steps a set": lambda: ProfileContext(
            "d"
        ).add_auto_profiling("op", {}, {1}),
        "ProfileContext get_profiles of nothing": lambda: ProfileContext(
            "d"
        ).get_profiles("op"),
    }
    if what in OPTIONS:
        return lambda: profile(live, meta, options=_options(OPTIONS[what]))
    if what in CONTEXTS:
        return lambda: ProfileContext(*CONTEXTS[what])
    return other.get(what)


def play(player, case):
    what = case["what"]
    if what in ACCEPTS_MORE:
        return "accepts more"
    if what in ("select text", "select unknown"):
        return "unknown select"
    if what == "max_depth 2**40":
        return "max_depth"
    if what == "output timeline missing folder":
        return "too early"
    folder = os.path.join("inputs", case["graph"])
    has_files = os.path.exists(os.path.join(player.data, folder))
    source = folder if has_files else os.path.join("inputs", "conv_net")
    graph = player.read(os.path.join(source, "graph_1.pb"))
    log = player.read(os.path.join(source, "op_log_1"))
    meta = player.read(os.path.join(source, "run_meta_1"))
    live = fake_tensorflow.Graph(graph, log)
    if case.get("raises"):
        if what == "Profiler add_step text":
            try:
                model_analyzer.Profiler(live).add_step("1", meta)
            except TypeError:
                return None
            check("raised", "nothing", "TypeError")
        call = _calls(player, case, live, meta)
        if call is not None:
            return player.raises(case, call)
        return _context(player, case, live, meta)
    if what in CRASHES:
        return _crash(player, case, graph, meta, log)
    if what in OPTIONS and case.get("inputs"):
        graph, metas, log = player.inputs(case)
        with Captured() as captured:
            result = model_analyzer.profile(
                graph,
                metas[0][1] if metas else None,
                log,
                COMMANDS.get(what, "scope"),
                _options(OPTIONS[what]),
            )
        written = case.pop("files_written", None)
        if written is not None:
            check("files", sorted(captured.files), sorted(written))
            captured.files = {}
        if "files" in case:
            case.pop("files")
        player.compare(case, captured, result)
        return None
    return _other(player, case, live, graph, log, meta)


def _crash(player, case, graph, meta, log):
    with Captured() as captured:
        result = model_analyzer.profile(
            graph,
            meta,
            log,
            "code",
            _options(CRASHES[case["what"]]),
        )
    check("type", type(result), _messages.MultiGraphNodeProto)
    begin = player.golden(case, "stdout")
    check("printed", captured.stdout[: len(begin)], begin)
    return "crash"


def _context(player, case, live, meta):
    what = case["what"]

    def answer(session, fetches, options, run_metadata):
        if run_metadata is not None:
            run_metadata.ParseFromString(meta)

    with fake_tensorflow.modules(live, answer) as tf:
        session = tf.BaseSession()

        def nested():
            with ProfileContext("d"):
                with ProfileContext("e"):
                    pass

        def unknown_command():
            with ProfileContext("d") as context:
                context.add_auto_profiling("python", {}, [0])
                session.run("x")

        calls = {
            "ProfileContext nested": nested,
            "ProfileContext unknown command": unknown_command,
        }
        if what not in calls:
            raise KeyError(what)
        player.raises(case, calls[what])
    return None


def _other(player, case, live, graph, log, meta):
    what = case["what"]
    options = Builder(Builder.time_and_memory()).with_empty_output().build()
    if what.startswith("builder"):
        return _builder(case)
    if what == "CRASH add_step empty":
        profiler = model_analyzer.Profiler(live)
        profiler.add_step(1, b"")
        check("root", profiler.profile_graph(options).name, "_TFProfRoot")
        return "crash"
    if what in ("CRASH profile after delete", "CRASH reassigned profiler"):
        profiler = model_analyzer.Profiler(live)
        profiler.close()
        profiler = model_analyzer.Profiler(live)
        check("root", profiler.profile_graph(options).name, "_TFProfRoot")
        return "crash"
    if what in ("Profiler two alive", "profile while a Profiler lives"):
        first = model_analyzer.Profiler(live)
        first.add_step(0, meta)
        second = model_analyzer.Profiler(live)
        model_analyzer.profile(live, meta, options=options)
        a, b = first.profile_graph(options), second.profile_graph(options)
        check("first", a.total_exec_micros > 0, True)
        check("second", b.total_exec_micros, 0)
        return None
    if what == "Profiler add_step negative":
        return "negative step"
    if what == "Timeline empty":
        text = timeline.Timeline(b"").generate_chrome_trace_format()
        check("trace", text, case["value"])
        return None
    if what == "Timeline op_time unknown":
        text = timeline.Timeline(meta).generate_chrome_trace_format(op_time="x")
        check("size", len(text), case["value"])
        return None
    if what == "write_op_log to a file url":
        with tempfile.TemporaryDirectory() as folder:
            write_op_log(live, "file://" + folder)
            check("files", os.listdir(folder), case["files_written"])
        return None
    if what.startswith("ProfileContext"):
        return _contexts(case, live, meta)
    if case.get("inputs"):
        return _recorded(player, case)
    raise KeyError(what)


def _builder(case):
    what = case["what"]
    values = {
        "builder options list": lambda: Builder(["x"]).build(),
        "builder order_by anything": lambda: Builder().order_by(3) and None,
        "builder with_step text": lambda: Builder().with_step("a") and None,
        "builder file None": lambda: Builder().with_file_output(None).build(),
        "builder keeps the caller dict": lambda: Builder(
            {"max_depth": 9}
        ).build(),
        "builder mutation after build": lambda: Builder().build()["max_depth"],
        "builder file with colon and comma": lambda: (
            Builder().with_file_output("a,b=c:d").build()["output"]
        ),
    }
    check("value", values[what](), case.get("value"))


def _contexts(case, live, meta):
    what, made = case["what"], ProfileContext
    if what == "ProfileContext folder is a Path":
        import pathlib

        made(pathlib.Path("d"))
        return None
    if what == "ProfileContext 100 trace steps":
        check("steps", len(made("d", range(100))._trace_steps), case["value"])
        return None
    if what == "ProfileContext trace steps a tuple":
        check("steps", sorted(made("d", (1, 2))._trace_steps), case["value"])
        return None
    if what == "ProfileContext disabled without folder":
        check("profiler", made("", enabled=False).profiler is None, True)
        return None

    def answer(session, fetches, options, run_metadata):
        if fetches == "raise":
            raise ValueError("run")
        if run_metadata is not None:
            run_metadata.ParseFromString(meta)

    with Captured() as captured, fake_tensorflow.modules(live, answer) as tf:
        session = tf.BaseSession()
        if what == "ProfileContext session made before":
            with made("d", [0], [0]) as context:
                session.run("x")
        elif what == "ProfileContext no runs":
            with made("d"):
                pass
        elif what == "ProfileContext used twice":
            context = made("d", [1], [1])
            for _ in range(2):
                with context:
                    session.run("x")
                    session.run("x")
            check("steps", context._step, case["value"][0])
        elif what == "ProfileContext error inside":
            try:
                with made("d"):
                    session.run("raise")
            except ValueError as error:
                check("error", str(error), "run")
            check("restored", tf.BaseSession.run.__name__, case["value"])
        else:
            raise KeyError(what)
    check("files", sorted(captured.files), case.get("files_written", []))
    return None


def _recorded(player, case):
    """A case whose words say what was given."""
    what = case["what"]
    graph, metas, log = player.inputs(case)
    meta = metas[0][1] if metas else None
    options, cmd = Builder.time_and_memory(), "scope"
    if what == "advise unknown":
        with Captured() as captured:
            with player.profiler(graph, metas, log) as profiler:
                result = profiler.advise({"NoSuchChecker": {}})
        player.compare(dict(case, api="advise"), captured, result)
        return None
    dump = {}
    if case.get("stdout"):
        text = player.golden(case, "stdout").decode()
        for line in re.findall(r"^-(\w+) +(.*)$", text, re.M):
            dump[line[0]] = line[1]
    if what == "options False":
        options = False
    elif what == "min_bytes negative":
        options = _options({"min_bytes": int(dump["min_bytes"])})
    elif what == "order_by unknown":
        options = _options({"order_by": dump["order_by"]})
    elif what == "tensor_value":
        options = _options({"select": dump["select"].split(",")})
    elif what in ("regex bad hide", "regex text", "regex empty element"):
        names = [k for k in dump if k.endswith("_regexes")]
        options = _options(
            {k: dump[k].split(",") if dump[k] else [] for k in names}
        )
        if what == "regex empty element":
            options = _options({"show_name_regexes": [""]})
    elif what.startswith("regex bad account"):
        cmd = "op" if what.endswith("op") else "scope"
        options = _options({"account_type_regexes": ["*"]})
    elif what == "output pprof two fields":
        cmd, options = "code", _options({"output": "pprof:outfile=p"})
    elif what == "output timeline missing folder":
        cmd = "graph"
        options = _options({"output": "timeline:outfile=no/such/t"})
    elif what != "run_meta empty":
        raise KeyError(what)
    with Captured() as captured:
        result = model_analyzer.profile(graph, meta, log, cmd, options)
    player.compare(case, captured, result)
    return None
