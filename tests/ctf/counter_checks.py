"""Performance counters of kernels, in the trace and in each view."""

import os
import subprocess
import tempfile

import corpus_case

# AMD's counters here are means, the others are sums.
MEANS = ("CacheHit", "Insts")


def check_counters(case, program, folder, tables, reference):
    """The sums of counters over all kernels, in each view and of devices."""
    expected = reference.get("counters")
    if not expected:
        return
    trace = os.path.join(folder, "trace")
    found = corpus_case.by(
        tables.get("trace_kernel_counters"), "name", "kernels", "sum"
    )
    case.check(
        "counters",
        {name: (n, float(total)) for name, (n, total) in found.items()},
        {name: (s["samples"], s["sum"]) for name, s in expected.items()},
    )
    wanted = {
        name: s["sum"] / s["samples"] if name.endswith(MEANS) else s["sum"]
        for name, s in expected.items()
    }

    def close(found, value):
        return found is not None and abs(found - value) <= 1e-9 * abs(value)

    for view in ("scope", "graph"):
        rows = corpus_case.json_table(
            program, [trace], view, "-step", "all", "-max_depth", "1"
        )["rows"]
        for name, value in wanted.items():
            got = rows[0].get(f"total_counter_{name}")
            case.true(f"{view}: {name}", close(got, value), f"{got} {value}")
    rows = corpus_case.json_table(
        program, [trace], "op", "-step", "all", "-max_depth", "100"
    )["rows"]
    for name, value in wanted.items():
        if name.endswith(MEANS):
            continue
        got = sum(row.get(f"counter_{name}") or 0 for row in rows)
        case.true(f"op: {name}", close(got, value), f"{got} {value}")
    rows = corpus_case.json_table(program, [trace], "devices")["rows"]
    has_kernels = "interceptionTracer:kernel" in reference
    for name, value in wanted.items():
        got = [row.get(f"counter_{name}") for row in rows]
        got = [number for number in got if number is not None]
        case.true(
            f"devices: {name}",
            len(got) == 1 and close(got[0], value) if has_kernels else not got,
            f"{got} {value}",
        )
    check_saved(case, program, trace)


def check_saved(case, program, trace):
    """A profile that was converted has the same counters in each view.

    save refuses, because the profile would cut times to whole microseconds.
    """
    with tempfile.TemporaryDirectory() as scratch:
        saved = os.path.join(scratch, "saved.pb")
        refused, converted = (
            subprocess.run(
                [program, trace, *command],
                capture_output=True,
                timeout=corpus_case.TIMEOUT,
                check=False,
            )
            for command in (
                ("save", saved),
                ("convert", "-to", f"profile:outfile={saved}"),
            )
        )
        case.true(
            "save refuses to cut times",
            refused.returncode == 1 and b"whole microseconds" in refused.stderr,
            refused.stderr.decode(),
        )
        case.true(
            "convert", converted.returncode == 0, converted.stderr.decode()
        )
        for command in (
            ["scope", "-step", "all", "-max_depth", "9"],
            ["graph", "-step", "all", "-max_depth", "9"],
            ["op", "-step", "all", "-max_depth", "100"],
            ["devices"],
        ):
            rows = [
                [
                    {
                        name: value
                        for name, value in row.items()
                        if "counter_" in name
                    }
                    for row in corpus_case.json_table(
                        program, [path], *command
                    )["rows"]
                ]
                for path in (trace, saved)
            ]
            case.true(
                f"saved: {command[0]}",
                rows[0] == rows[1],
                f"{rows[0][:2]} {rows[1][:2]}",
            )
