#!/usr/bin/env python3
"""Opens profiles that our `save` wrote in TensorFlow's own tfprof.

It checks that the reference reads a ProfileProto written by us, and that its
reports on it are ours to the byte. For each profile of the golden corpus, our
program saves the sources (graph, run metadata, op log) as one file. Both
programs then open that file and run the same commands, each into a file of its
own, and the files are compared.

Needs TensorFlow, which nothing else in this repository does:

    python3 -m venv /tmp/tf
    /tmp/tf/bin/pip install 'tensorflow-cpu==2.15.*' 'numpy<2'
    /tmp/tf/bin/python tools/check_with_tensorflow.py \\
        --bin bazel-bin/profiler/tfprof

For a profile with inputs that have no source (synth_edge), the commands do not
select the column of input shapes: our extension fields keep such inputs, but
the reference skips the fields and so lists the node without them. (It could
not have written the file at all.)

Last line: 'N equal, N different'. Exit status 1 if any differs. The reference
aborts on input that it does not accept. That counts as a difference, with the
command at which it happened.
"""

import argparse
import difflib
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROFILES = os.path.join(ROOT, "tests", "golden", "profiles")

FIELDS = (
    "bytes,peak_bytes,residual_bytes,output_bytes,micros,"
    "accelerator_micros,cpu_micros,params,float_ops,occurrence,device,"
    "op_types,input_shapes"
)

# Profiles with inputs that the reference's format cannot hold.
DANGLING_INPUTS = ("synth_edge",)

# (view, options); options as in a line of the shell.
COMMANDS = [
    ("scope", {}),
    ("scope", {"max_depth": 100, "select": FIELDS}),
    (
        "scope",
        {
            "max_depth": 100,
            "order_by": "micros",
            "min_micros": 1,
            "select": "micros,bytes",
        },
    ),
    ("graph", {}),
    ("graph", {"max_depth": 100000, "select": FIELDS}),
    (
        "graph",
        {
            "max_depth": 100000,
            "account_type_regexes": ".*MatMul.*",
            "select": "micros,op_types",
        },
    ),
    ("op", {}),
    ("op", {"max_depth": 1000, "order_by": "micros", "select": FIELDS}),
    (
        "op",
        {
            "max_depth": 1000,
            "order_by": "occurrence",
            "account_type_regexes": ".*cpu.*,.*gpu.*",
            "select": "micros,occurrence,device",
        },
    ),
    ("code", {}),
    ("code", {"max_depth": 1000, "order_by": "micros", "select": FIELDS}),
    (
        "code",
        {
            "max_depth": 1000,
            "show_name_regexes": ".*gradient.*",
            "select": "micros,bytes",
        },
    ),
]

LISTS = (
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
    "select",
)


def unpack(name, folder):
    """Copies the files of a profile of the corpus, unpacked, to `folder`."""
    os.makedirs(folder)
    source = os.path.join(PROFILES, name)
    for entry in os.listdir(source):
        path = os.path.join(source, entry)
        if entry.endswith(".gz"):
            with (
                gzip.open(path) as zipped,
                open(os.path.join(folder, entry[:-3]), "wb") as plain,
            ):
                shutil.copyfileobj(zipped, plain)
        else:
            shutil.copyfile(path, os.path.join(folder, entry))
    with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
        return json.load(file)


def source_flags(meta, folder):
    """The flags that name the sources of a profile."""
    flags = ["--graph_path=" + os.path.join(folder, meta["graph"])]
    if meta.get("run_meta"):
        flags.append(
            "--run_meta_path="
            + ",".join(
                "%d:%s" % (step, os.path.join(folder, file))
                for step, file in meta["run_meta"]
            )
        )
    if meta.get("op_log"):
        flags.append("--op_log_path=" + os.path.join(folder, meta["op_log"]))
    return flags


def commands_of(meta):
    """COMMANDS, and for several steps the same views at the last one."""
    commands = list(COMMANDS)
    if meta["name"] in DANGLING_INPUTS:
        commands = [
            (
                view,
                {
                    key: str(value).replace(",input_shapes", "")
                    if key == "select"
                    else value
                    for key, value in options.items()
                },
            )
            for view, options in commands
        ]
    if len(meta.get("run_meta", [])) > 1:
        last = max(step for step, _ in meta["run_meta"])
        commands += [
            (
                view,
                {"step": last, "max_depth": 100, "select": "micros,occurrence"},
            )
            for view in ("scope", "graph", "op", "code")
        ]
    return commands


def ask_reference(saved, outputs, commands):
    """In a child process: writes TensorFlow's answers, one file each."""
    from tensorflow.core.profiler import tfprof_options_pb2
    from tensorflow.python.util import _pywrap_tfprof

    _pywrap_tfprof.ProfilerFromFile(saved.encode())
    for number, (view, wanted) in enumerate(commands):
        options = tfprof_options_pb2.OptionsProto(
            max_depth=10,
            step=-1,
            order_by="name",
            output="file:outfile=%s" % os.path.join(outputs, str(number)),
        )
        values = {
            "account_type_regexes": ".*",
            "start_name_regexes": ".*",
            "show_name_regexes": ".*",
            "select": "micros",
        }
        values.update(wanted)
        for key, value in values.items():
            if key in LISTS:
                getattr(options, key).extend(value.split(","))
            else:
                setattr(options, key, value)
        print("command %d" % number, flush=True)
        _pywrap_tfprof.Profile(view.encode(), options.SerializeToString())
    _pywrap_tfprof.DeleteProfiler()


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def check(binary, name, scratch):
    """Compares all answers on one profile. (number equal, differences)"""
    folder = os.path.join(scratch, name)
    meta = unpack(name, os.path.join(folder, "inputs"))
    saved = os.path.join(folder, "saved.pb")
    subprocess.run(
        [binary]
        + source_flags(meta, os.path.join(folder, "inputs"))
        + ["save", saved],
        check=True,
        capture_output=True,
    )
    commands = commands_of(meta)
    theirs, ours = os.path.join(folder, "theirs"), os.path.join(folder, "ours")
    os.makedirs(theirs)
    os.makedirs(ours)
    reference = subprocess.run(
        [
            sys.executable,
            os.path.abspath(__file__),
            "--ask",
            saved,
            theirs,
            json.dumps(commands),
        ],
        capture_output=True,
        check=False,
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""),
    )
    differences = []
    if reference.returncode:
        tail = reference.stderr[-1000:].decode("utf-8", "replace")
        differences.append(
            "%s: TensorFlow ended with status %d after '%s'\n%s"
            % (
                name,
                reference.returncode,
                reference.stdout.decode().strip().rpartition("\n")[2],
                tail,
            )
        )
    equal = 0
    for number, (view, options) in enumerate(commands):
        mine = os.path.join(ours, str(number))
        words = [
            word
            for key, value in options.items()
            for word in ("-" + key, str(value))
        ]
        subprocess.run(
            [binary, "--profile_path=" + saved, view]
            + words
            + ["-output", "file:outfile=" + mine],
            check=False,
            capture_output=True,
        )
        expected = read(os.path.join(theirs, str(number)))
        actual = read(mine)
        if expected == actual:
            # If neither wrote a report, there is nothing to compare: that is a
            # code view without traces.
            if expected is not None:
                equal += 1
            continue
        diff = list(
            difflib.unified_diff(
                (expected or b"").decode("utf-8", "replace").splitlines(True),
                (actual or b"").decode("utf-8", "replace").splitlines(True),
                "TensorFlow",
                "tfprof",
            )
        )
        differences.append(
            "%s: %s %s\n%s" % (name, view, " ".join(words), "".join(diff[:30]))
        )
    return equal, differences


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--ask":
        ask_reference(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--bin", required=True, help="our program")
    parser.add_argument(
        "--profile", metavar="A,B", help="only these profiles of the corpus"
    )
    args = parser.parse_args()
    names = (
        args.profile.split(",")
        if args.profile
        else sorted(os.listdir(PROFILES))
    )
    total, failed = 0, []
    with tempfile.TemporaryDirectory(prefix="tfprof_tf_") as scratch:
        for name in names:
            equal, differences = check(os.path.abspath(args.bin), name, scratch)
            print(
                "%-16s %3d equal, %d different"
                % (name, equal, len(differences)),
                flush=True,
            )
            total += equal
            failed += differences
    for difference in failed:
        print("\n" + difference)
    print("%d equal, %d different" % (total, len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
