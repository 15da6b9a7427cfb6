"""The same steps as CTF and as RunMetadata of TensorFlow."""

import json
import os
import subprocess

import corpus_case


def check_run_metadata(case, program, folder, reference):
    """The same step as CTF and as RunMetadata gives the same reports."""
    if "run_metadata" not in reference:
        return
    run = os.path.join(folder, "run")
    graph = os.path.join(run, "graph.pb")
    for number, session in enumerate(reference["sessions"]):
        step = str(session["count"])
        for view in (
            ["scope"],
            ["graph", "-max_depth", "4"],
            ["op"],
            ["op", "-select", "micros,cpu_micros,occurrence,device,op_types"],
            ["scope", "-select", "micros,occurrence,device,op_types"],
        ):
            reports = [
                subprocess.run(
                    [program, graph, run_file, *view, "-step", step],
                    capture_output=True,
                    timeout=corpus_case.TIMEOUT,
                    check=False,
                ).stdout
                for run_file in (
                    os.path.join(folder, "trace"),
                    f"{step}:{run}/run_meta_{number}.pb",
                )
            ]
            case.true(
                f"step {step}: {' '.join(view)}",
                reports[0] == reports[1] and len(reports[0]) > 100,
            )


def check_live_nodes(case, program, folder, reference):
    """How many nodes of the RunMetadata of a step are in its trace."""
    if "live_against_run_metadata" not in reference:
        return
    run = os.path.join(folder, "run")
    with open(
        os.path.join(run, "against_trace.json"), encoding="utf-8"
    ) as text:
        steps = json.load(text)
    graph = os.path.join(run, "graph.pb")

    def nodes_that_ran(run_file, step):
        rows = corpus_case.json_table(
            program,
            [graph, run_file],
            "scope",
            "-step",
            step,
            "-max_depth",
            "100",
            "-min_occurrence",
            "1",
            "-select",
            "occurrence",
        )["rows"]
        return {row["name"] for row in rows if row["self_runs"]}

    for number, expected in enumerate(steps):
        # Session 1 is the initializer.
        step = str(number + 2)
        live = nodes_that_ran(os.path.join(folder, "trace"), step)
        metadata = nodes_that_ran(f"{step}:{run}/{expected['file']}", step)
        # A saved graph names _SOURCE nowhere: it is no node of either.
        missing = set(expected["only_in_run_metadata_names"]) - {"_SOURCE"}
        case.check(
            f"step {step}: only in RunMetadata", metadata - live, missing
        )
        case.check(f"step {step}: only in the trace", live - metadata, set())
        case.check(
            f"step {step}: in both",
            expected["matched"],
            expected["nodes"] - len(expected["only_in_run_metadata_names"]),
        )
