"""Compares output of the scripts of 2018 with the outputs of their names."""

import collections
import os
import tempfile

import corpus_case


def split_means(lines):
    """Lines of trace_analysis as intervals and as (name, count) → mean."""
    intervals = collections.Counter()
    means = {}
    module = ""
    for line in lines:
        if line.startswith("MODULE;"):
            module = line
        if line.startswith(";;"):
            name, mean, count = line[2:].rsplit(";", 2)
            means[module, name, int(count)] = float(mean)
        else:
            intervals[module, line] += 1
    return intervals, means


def check_trace_analysis(case, program, folder):
    codes = os.path.join(folder, "original", "exit_codes.txt")
    if not os.path.exists(codes):
        return
    codes = open(codes).read()
    # If the original failed, there is nothing to compare.
    which = "sorted" if "sort_events.py rc 1" not in codes else "recorded"
    if f"trace_analysis {which} rc 0" not in codes:
        return
    path = os.path.join(folder, "original", f"stats_{which}.csv")
    found, means = split_means(
        corpus_case.script_answer(
            program, "trace_analysis", os.path.join(folder, "trace")
        )
    )
    expected, expected_means = split_means(open(path).read().split("\n"))
    if case.name == "nested_unfinished":
        # The original gives the end of a later session to 20 starts, as the
        # rules of the corpus say. So the ends are equal, and the starts differ.
        def ends(rows):
            return sorted(line.split(";")[1:3] for _, line in rows)

        ours, theirs = found - expected, expected - found
        case.check("trace_analysis: wrong ones", len(theirs), 20)
        case.check("trace_analysis: their ends", ends(ours), ends(theirs))
        return
    case.check("trace_analysis: intervals", found, expected)
    case.check("trace_analysis: names", means.keys(), expected_means.keys())
    # The original adds up means, which costs it the last digits.
    case.true(
        "trace_analysis: means",
        all(
            abs(means.get(key, 0) - mean) <= 1e-12 * mean
            for key, mean in expected_means.items()
        ),
    )


def indexed_readers(path):
    """Nodes of a text graph with inputs that the original did not know."""
    readers = set()
    name = None
    for line in open(path):
        word, _, value = line.strip().partition(": ")
        value = value.strip('"')
        if word == "name":
            name = value
        elif word == "input" and (":" in value or value.startswith("^")):
            readers.add(name)
    return readers


def check_latencies(case, program, folder):
    path = os.path.join(folder, "original", "latencies.csv")
    if not os.path.exists(path):
        return
    run = os.path.join(folder, "run")
    found = corpus_case.script_answer(
        program,
        "operations_latency_analysis",
        os.path.join(run, "graph.pb"),
        os.path.join(folder, "trace"),
    )
    expected = open(path).read().split("\n")
    unknown = indexed_readers(os.path.join(run, "graph_nodes.pbtxt"))

    def plain(lines):
        return [
            line for line in lines if line and line.split(";")[1] not in unknown
        ]

    case.check("latencies", plain(found), plain(expected))

    # The others waited for one input more, so they waited no longer for it.
    def by_op(lines):
        return {
            tuple(line.split(";")[:2]): int(line.split(";")[2])
            for line in lines[1:]
            if line and line not in plain(lines)
        }

    latencies, originals = by_op(found), by_op(expected)
    case.true("latencies with all inputs", bool(originals))
    for key, original in originals.items():
        case.true(
            f"latency of {key}",
            latencies.get(key, original + 1) <= original,
            f"{latencies.get(key)} > {original}",
        )


def check_intercepted(case, program, folder):
    """The counters of one run for the kernels of another."""
    path = os.path.join(folder, "original", "pc_stats.csv")
    if not os.path.exists(path):
        return
    times = os.path.join(os.path.dirname(folder), "hsa_times", "trace")
    found = corpus_case.script_answer(
        program,
        "perfcounters_interception_analysis",
        os.path.join(folder, "trace"),
        times,
    )
    found = [line.split(";") for line in found if line]
    expected = [
        line.split(";") for line in open(path).read().split("\n") if line
    ]
    case.check("pc_stats: columns", found[0], expected[0])

    # Index and kernel. The original counts the sessions of both runs, and its
    # ticks begin at the last event about hsa_init, not at the first one.
    def what(rows):
        return [(row[0], row[2]) for row in rows[1:]]

    case.check("pc_stats: kernels", what(found), what(expected))
    shifts = {
        int(theirs[1]) - int(ours[1])
        for ours, theirs in zip(found[1:], expected[1:])
    }
    case.true("pc_stats: one shift", len(shifts) == 1, str(shifts))

    # The original gives the i-th set to the i-th kernel, whatever their names.
    def sums(rows, column):
        return sum(float(row[column]) for row in rows[1:])

    for column in range(9, len(expected[0])):
        case.check(
            f"pc_stats: sum of {expected[0][column]}",
            sums(found, column),
            sums(expected, column),
        )

    def values(rows):
        return sorted(row[5:] for row in rows[1:])

    case.check("pc_stats: sets", values(found), values(expected))


def check_perfcounters(case, program, folder):
    """The rows of the original, from a CSV as its profiler wrote it."""
    path = os.path.join(folder, "original", "perfcounters.csv")
    if not os.path.exists(path):
        return
    expected = open(path).read()
    columns = (
        "Method , ExecutionOrder , ThreadID , GlobalWorkSize , WorkGroupSize , "
        "LocalMemSize , VGPRs , SGPRs , Wavefronts , VALUInsts , SALUInsts , "
        "VFetchInsts , SFetchInsts , VWriteInsts , FlatVMemInsts , "
        "FlatLDSInsts , FetchSize , WriteSize , CacheHit"
    )
    lines = ["# ProfileFileVersion=3.0"] * 9 + [columns]
    for row in expected.strip().split("\n"):
        cells = [cell.strip() for cell in row.split("|")[5:]]
        cells[0] += "_gfx803"
        lines.append(" , ".join(cells))
    with tempfile.TemporaryDirectory() as scratch:
        csv = os.path.join(scratch, "counters.csv")
        with open(csv, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        trace = os.path.join(folder, "trace")
        found = corpus_case.script_answer(
            program, "perfcounters_analysis", trace, csv
        )
        case.check("perfcounters", "\n".join(found).strip(), expected.strip())
        rows = corpus_case.json_table(
            program, [trace, csv], "scope", "-step", "all", "-max_depth", "1"
        )["rows"]
        for column, name in ((13, "Wavefronts"), (21, "FetchSize")):
            total = sum(
                float(row.split("|")[column])
                for row in expected.strip().split("\n")
            )
            got = rows[0].get(f"total_counter_{name}")
            case.true(f"scope: {name}", got == total, f"{got} {total}")
