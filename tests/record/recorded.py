"""Runs a program with the recorder in it, and asks tfprof what was recorded."""

import json
import os
import subprocess
import tempfile

# The longest that a program or an answer may take, on a busy machine.
TIMEOUT = 120


def run(library, command, folder, **environment):
    """Returns what the command printed; its trace is in `folder`."""
    variables = dict(os.environ, TFPROF_RECORD=folder, LD_PRELOAD=library)
    variables.update(environment)
    return subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        timeout=TIMEOUT,
        text=True,
        env=variables,
    ).stdout


def ask(tfprof, folder, command):
    """Returns what a command answers about a trace, as JSON.

    Its status is 1 for a trace without ops, and the answer is there.
    """
    return json.loads(
        subprocess.run(
            [tfprof, folder, *command.split(), "-output", "json"],
            check=False,
            stdout=subprocess.PIPE,
            timeout=TIMEOUT,
            text=True,
        ).stdout
    )


def status(tfprof, folder):
    """Returns the tables of `status` as {name: [row]}, a row as a dict."""
    tables = ask(tfprof, folder, "status")["tables"]
    return {name: table["rows"] for name, table in tables.items()}


def record(tfprof, library, command, **environment):
    """Returns what the command printed, and the tables of its trace."""
    with tempfile.TemporaryDirectory() as folder:
        output = run(library, command, folder, **environment)
        return output, status(tfprof, folder)


def counts(rows, key="name", value="count"):
    """Returns {name: count} of the rows of a table."""
    return {row[key]: row[value] for row in rows}
