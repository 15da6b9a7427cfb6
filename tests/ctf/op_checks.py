"""Ops, sessions, threads and calls of a trace against its reference."""

import os
import subprocess

import corpus_case


def check_ops(case, tables, reference):
    sums = ("count", "total_ns", "min_ns", "max_ns")
    case.check(
        "ops",
        {
            # The reference was made from a text that shows ESC as "\\e".
            name.replace("\x1b", "e"): value
            for name, value in corpus_case.by(
                tables.get("trace_ops"), "name", *sums
            ).items()
        },
        corpus_case.sums_of(reference["ops"]),
    )
    case.check(
        "async ops",
        corpus_case.by(tables.get("trace_async_ops"), "name", *sums),
        corpus_case.sums_of(reference.get("async_ops", {})),
    )
    unpaired = tables.get("trace_unpaired", [])
    for column, key in (
        ("unfinished", "ops_unfinished"),
        ("ends_without_start", "op_ends_without_start"),
    ):
        found = {r["name"]: r[column] for r in unpaired if r[column]}
        case.check(key, found, reference[key])


def check_receives(case, program, folder):
    """A receive or a send is communication, and no part that is too slow."""
    path = os.path.join(folder, "trace")
    rows = corpus_case.json_table(program, [path], "op")["rows"]
    if not any(row["name"].endswith("/_Recv") for row in rows):
        return
    screen = subprocess.run(
        [program, path, "overview"],
        capture_output=True,
        text=True,
        timeout=corpus_case.TIMEOUT,
        check=False,
    ).stdout
    account = screen.split("\nAccount", 1)[-1].split("\nOps", 1)[0]
    case.true(
        "receives are communication",
        "_Recv" not in account or "communication" in account,
        account,
    )
    for words in ("_Send takes", "_Recv takes", "no record of transfers"):
        case.true(f"not {words}", words not in screen, screen)


def check_threads(case, tables, reference):
    busy = {}
    for row in tables.get("trace_threads", []):
        if row["op_busy_ns"]:
            key = row["thread"].replace("-1/", "None/")
            busy[key] = busy.get(key, 0) + row["op_busy_ns"]
    expected = {k: v for k, v in reference["thread_busy_ns"].items() if v}
    # Threads of hosts have the host before them where there are several.
    found = sorted(busy.values())
    case.check("busy threads", found, sorted(expected.values()))


def check_names(case, tables, reference):
    """Hosts, threads (0 if the trace does not say it) and programs."""
    rows = tables.get("trace_threads", [])
    case.check(
        "hosts",
        sorted({row["host"] for row in rows if row["host"]}),
        sorted(reference["hosts"]),
    )
    case.check(
        "threads",
        sorted({row["thread"].replace("-1", "0") for row in rows}),
        sorted(reference["threads"]),
    )
    case.check(
        "programs",
        sorted({row["program"] for row in rows if row["program"]}),
        sorted(name for name in reference["procnames"] if name),
    )


def check_calls(case, tables, reference):
    sums = ("count", "total_ns")
    found = corpus_case.by(tables.get("trace_calls"), "call", *sums)
    for call, expected in reference.get("api_calls", {}).items():
        case.check(
            f"calls of {call}",
            found.get(call),
            (expected["count"], expected["total_ns"]),
        )
    for call, expected in reference.get("cuda_api", {}).items():
        name = "cudaTracer:" + call.split()[1]
        case.check(
            f"calls of {call}",
            found.get(name),
            (expected["count"], expected["total_ns"]),
        )
    pool = reference.get("hsa_pool")
    if pool:
        row = {r["name"]: r for r in tables.get("trace_counters", [])}.get(
            "hsaTracer", {}
        )
        case.check(
            "hsa_pool",
            (row.get("samples"), row.get("peak"), row.get("last")),
            (
                pool["allocs"] + pool["frees"],
                pool["peak_bytes"],
                pool["final_bytes"],
            ),
        )


def check_totals(case, tables, reference):
    totals = corpus_case.by(tables.get("trace"), "what", "value")
    case.check("events", totals.get("events"), reference["total_events"])
    for key in (
        "first_ns",
        "last_ns",
        "discarded_events",
        "discarded_packets",
        "session_ends_without_start",
        "all_threads_busy_ns",
    ):
        case.check(key, totals.get(key), reference[key])
    for key in ("async_unfinished", "async_ends_without_start"):
        case.check(key, totals.get(key), reference.get(key, 0))
    case.check(
        "sessions_without_end",
        totals.get("sessions_without_end"),
        len(reference["sessions_without_end"]),
    )
    case.check(
        "events by name",
        corpus_case.by(tables.get("trace_events"), "event", "count"),
        reference["events"],
    )


def check_sessions(case, tables, reference):
    rows = tables.get("trace_sessions", [])
    case.check(
        "sessions",
        sorted((r["count"], r["begin_ns"], r["end_ns"]) for r in rows),
        sorted(
            (s["count"], s["begin_ns"], s["end_ns"])
            for s in reference["sessions"]
        ),
    )
    case.check(
        "ops of sessions",
        sorted(
            (r["count"], r["ops"], r["op_ns"], r["end_ns"] - r["begin_ns"])
            for r in rows
        ),
        sorted(
            (s["count"], s["ops"], s["op_ns"], s["span_ns"])
            for s in reference.get("per_session", [])
        ),
    )


def check_sums(case, tables, reference):
    """Sums over all ops, by device, of ranges, and of log lines."""
    ops = tables.get("trace_ops", [])
    case.check(
        "all ops",
        (sum(r["count"] for r in ops), sum(r["total_ns"] for r in ops)),
        (reference["ops_sum"]["count"], reference["ops_sum"]["total_ns"]),
    )
    case.check(
        "devices of ops",
        corpus_case.by(
            tables.get("trace_places"), "device", "count", "total_ns"
        ),
        {
            place: (sums["count"], sums["total_ns"])
            for place, sums in reference["placements"].items()
        },
    )
    ranges = {r["range"]: r for r in tables.get("trace_ranges", [])}
    ready = ranges.get("inline_ready", {})
    case.check(
        "inline_ready",
        (ready.get("count", 0), ready.get("total_ns", 0)),
        (
            reference.get("inline_ready_count", 0),
            reference.get("inline_ready_total_ns", 0),
        ),
    )
    if "stream_memcpy_bytes" in reference:
        case.check(
            "bytes of copies",
            ranges.get("memcpy", {}).get("bytes"),
            reference["stream_memcpy_bytes"],
        )
    logs = reference.get("python_log")
    if logs:
        rows = tables.get("trace_logs", [])
        levels = {}
        for row in rows:
            level = str(row["level"])
            levels[level] = levels.get(level, 0) + row["count"]
        case.check("levels of logs", levels, logs["levels"])
        case.check("log lines", sum(levels.values()), logs["count"])
        case.check(
            "loggers", sorted({r["logger"] for r in rows}), logs["loggers"]
        )
