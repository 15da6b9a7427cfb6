"""Runs `tfprof-fleet` on made jobs, for the tests of the fleet.

    import fleet_program as program
    program.start(binary, python)
    program.ask(program.dataset("healthy", seed=2), "stragglers")
    program.stop()

PYTHON has duckdb and pyarrow; `./dev test-fleet` makes it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

from make_ranks import make_job

TIMEOUT = 300
RANKS = 64
STEPS = 10

binary = ""
python = ""
folder = ""


def take_python():
    """Takes --python=PYTHON out of the arguments."""
    global python
    for argument in [a for a in sys.argv if a.startswith("--python=")]:
        python = os.path.abspath(argument.partition("=")[2])
        sys.argv.remove(argument)
    if not python:
        sys.exit(f"{sys.argv[0]}: --python=PYTHON is missing")


def start(program):
    global binary, folder
    binary = program
    folder = tempfile.mkdtemp(prefix="fleet")
    package = os.path.join(folder, "package", "tfprof")
    shutil.copytree(os.path.join(ROOT, "python", "tfprof"), package)
    # The generated part may be missing in the tree, or old.
    subprocess.run(
        [
            sys.executable,
            "-B",
            os.path.join(ROOT, "python", "make_commands.py"),
            binary,
            package,
        ],
        check=True,
    )


def stop():
    shutil.rmtree(folder)


def path(*names):
    return os.path.join(folder, *names)


def environment(**variables):
    return {
        **os.environ,
        "TFPROF_BINARY": binary,
        "PYTHONPATH": path("package"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "80",
        **variables,
    }


def run(*words, timeout=TIMEOUT, **variables):
    """Runs Python with these words."""
    return subprocess.run(
        [python, *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=folder,
        env=environment(**variables),
    )


def fleet(*words, **variables):
    return run("-m", "tfprof", "fleet", *words, **variables)


def ask(*words):
    """The answer as JSON: facts, and the rows of each table."""
    done = fleet(*words, "-output", "json")
    assert done.stdout, done.stderr
    data = json.loads(done.stdout)
    return data["facts"], {
        name: table["rows"] for name, table in data["tables"].items()
    }


def program_rows(file, table):
    """The rows of a table that the program itself says."""
    words = [binary, file, "rows", table, "-output", "ndjson"]
    done = subprocess.run(words, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def job(name, steps=STEPS, **options):
    traces = path(name)
    if not os.path.isdir(traces):
        make_job(traces, RANKS, steps, **options)
    return traces


def dataset(name, *words, **options):
    """Makes a job and its dataset, once."""
    made = path(name + ".dataset")
    if not os.path.isdir(made):
        done = fleet("ingest", job(name, **options), "-o", made, *words)
        assert "files listed" in done.stdout, done.stderr
    return made


def edit(name, change):
    """Changes a JSON trace: `change(trace)`."""
    with open(name) as file:
        trace = json.load(file)
    change(trace)
    with open(name, "w") as file:
        json.dump(trace, file)
