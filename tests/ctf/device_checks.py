"""Work of devices, its ops, and clocks against the reference of a trace."""

import corpus_case


def check_activities(case, tables, reference):
    rows = tables.get("trace_activities", [])
    for key, kind in (
        ("cudaTracer:kernel", "cudaTracer:kernel"),
        ("cudaTracer:memcpy", "cudaTracer:copy"),
        ("hcTracer:kernel", "hcTracer:kernel"),
        ("interceptionTracer:kernel", "interceptionTracer:kernel"),
        ("hcTracer:kernel_log", "hcTracer:kernel"),
    ):
        if key not in reference:
            continue
        found = {
            row["name"]: (
                row["count"],
                row["total_ns"],
                row["min_ns"],
                row["max_ns"],
            )
            for row in rows
            if row["work"] == kind
        }
        case.check(key, found, corpus_case.sums_of(reference[key]["per_name"]))
    if "opencl" in reference:
        found = {
            row["name"]: (
                row["count"],
                row["total_ns"],
                row["min_ns"],
                row["max_ns"],
            )
            for row in rows
            if row["work"] == "openclTracer:kernel"
        }
        case.check(
            "kernels",
            found,
            corpus_case.sums_of(reference["opencl"]["per_kernel"]),
        )


def check_attribution(case, tables, reference, minimum):
    truth = reference.get("opencl", {}).get("per_op_true")
    if not truth:
        return
    found = corpus_case.by(
        tables.get("trace_kernels_of_ops"), "op", "count", "total_ns"
    )
    right = sum(
        min(found.get(op, (0, 0))[0], s["count"]) for op, s in truth.items()
    )
    wrong = sum(
        max(0, count - truth.get(op, {"count": 0})["count"])
        for op, (count, _) in found.items()
        if op
    )
    total = sum(s["count"] for s in truth.values())
    case.kernels = (right, wrong, total)
    case.true("kernels of the wrong op", wrong == 0, f"{wrong} of {total}")
    case.true(
        "kernels of their op", right >= minimum * total, f"{right} of {total}"
    )
    for op, sums in truth.items():
        if found.get(op, (0, 0))[0] == sums["count"]:
            case.check(f"device time of {op}", found[op][1], sums["total_ns"])


def check_generated(case, tables, reference):
    """Kernels of each op of a trace that was written by a program."""
    truth = reference.get("per_op_generator_truth")
    if truth:
        case.check(
            "kernels by op",
            corpus_case.by(
                tables.get("trace_kernels_of_ops"), "op", "count", "total_ns"
            ),
            {op: (s["count"], s["total_ns"]) for op, s in truth.items()},
        )


def check_clocks(case, tables, reference):
    clock = reference.get("opencl", {}).get("clock")
    rows = tables.get("trace_clocks", [])
    if clock:
        device = [r for r in rows if r["clock"].startswith("device")]
        case.true("a device clock", len(device) == 1, str(len(device)))
        for row in device[:1]:
            slack = 100
            width = clock["offset_high_ns"] - clock["offset_low_ns"]
            # Bounds from calls of single commands are certain; bounds from a
            # vote of all may be narrower.
            case.true(
                "width of the clock's bounds",
                row["width_ns"] <= width
                or (row["rule"], clock["how"]) == ("correlation", "voting"),
                f"{row['width_ns']} > {width} ({row['rule']})",
            )
            shift = clock.get("shift_if_device_clock_is_monotonic_raw_ns")
            if shift is not None:
                case.true(
                    "true shift in the bounds",
                    row["low_ns"] - slack <= shift <= row["high_ns"] + slack,
                    f"{row['low_ns']} {shift} {row['high_ns']}",
                )
    if "clock" in reference:
        expected = reference["clock"]
        hosts = [r for r in rows if not r["clock"].startswith("device")]
        case.true("a host clock", len(hosts) == 1, str(len(hosts)))
        for row in hosts[:1]:
            case.check(
                "bounds of the host",
                (row["low_ns"], row["high_ns"]),
                (expected["bound_low_ns"], expected["bound_high_ns"]),
            )


def check_kernel_list(case, events, reference, own):
    """The op of each single kernel, not only how many kernels an op has."""
    kernels = reference.get("opencl", {}).get("kernel_list")
    if not kernels or "op_true" not in kernels[0]:
        return
    lanes = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name"
        and " kernels" in event["args"]["name"]
    }
    found = sorted(
        (event["ts"], event["dur"], event["args"].get("node"))
        for event in events
        if event["ph"] == "X" and (event["pid"], event["tid"]) in lanes
    )
    expected = sorted(
        (k["begin"], k["end"] - k["begin"], k["op_true"]) for k in kernels
    )
    case.check("number of kernels", len(found), len(expected))
    case.check(
        "duration of each kernel",
        [kernel[1] for kernel in found],
        [kernel[1] for kernel in expected],
    )
    shifts = {f[0] - e[0] for f, e in zip(found, expected)}
    case.true("one shift for all kernels", len(shifts) == 1, str(len(shifts)))
    wrong = [
        (f, e)
        for f, e in zip(found, expected)
        if f[2] is not None and f[2] != e[2]
    ]
    case.true("op of each kernel", not wrong, str(wrong[:2]))
    unknown = sum(f[2] is None for f in found)
    case.true(
        "kernels without an op",
        unknown == 0 if own else unknown <= 0.12 * len(found),
        f"{unknown} of {len(found)}",
    )


def check_work(case, tables, reference, own):
    """All work of a device together: sums, busy time, bytes, queues."""
    rows = tables.get("trace_work", [])

    def total(column, provider, *works):
        return sum(
            row[column]
            for row in rows
            if row["provider"] == provider and row["work"] in works
        )

    for key, provider, work in (
        ("cudaTracer:kernel", "cudaTracer", "kernel"),
        ("cudaTracer:memcpy", "cudaTracer", "copy"),
        ("hcTracer:kernel", "hcTracer", "kernel"),
        ("hcTracer:barrier", "hcTracer", "other"),
        ("interceptionTracer:kernel", "interceptionTracer", "kernel"),
    ):
        if key not in reference:
            continue
        expected = reference[key]
        case.check(
            f"all of {key}",
            tuple(
                total(column, provider, work)
                for column in ("count", "total_ns")
            ),
            (expected["count"], expected["total_ns"]),
        )
        of_key = [
            row
            for row in rows
            if (row["provider"], row["work"]) == (provider, work)
        ]
        if len(of_key) == 1:
            case.check(
                f"times of {key}",
                tuple(of_key[0][c] for c in ("busy_ns", "first_ns", "last_ns")),
                tuple(expected[c] for c in ("busy_ns", "first_ns", "last_ns")),
            )
    copies = [
        reference[key]
        for key in ("hcTracer:async_memcpy", "hcTracer:async_memcpyslo")
        if key in reference
    ]
    if copies:
        columns = ("count", "total_ns", "bytes")
        case.check(
            "copies of hcTracer",
            tuple(total(c, "hcTracer", "copy") for c in columns),
            tuple(sum(copy[c] for copy in copies) for c in columns),
        )
    opencl = reference.get("opencl")
    if not opencl:
        return
    totals = corpus_case.by(tables.get("trace"), "what", "value")
    case.check("callbacks", totals.get("callbacks"), opencl["callbacks"])
    columns = ("count", "total_ns")
    case.check(
        "all kernels",
        tuple(total(c, "openclTracer", "kernel") for c in columns),
        (opencl["kernels"], opencl["device_time_total_ns"]),
    )
    busy = {
        (row["queue"], row["work"]): row["busy_ns"]
        for row in rows
        if row["provider"] == "openclTracer"
    }
    if own:
        case.check(
            # The reference numbers the queues.
            "busy time of queues",
            sorted(ns for (_, work), ns in busy.items() if work == "all"),
            sorted(opencl["queue_busy_ns"].values()),
        )
        # Commands without times are in no sum.
        if not opencl["own_without_profiling"]:
            case.check(
                "bytes of commands",
                total("bytes", "openclTracer", "all"),
                sum(opencl["bytes_by_kind"].values()),
            )
    else:
        case.check(
            "busy time of kernels",
            busy.get(("", "kernel")),
            opencl["kernel_busy_ns"],
        )
        case.check(
            "busy time of the device",
            busy.get(("", "all")),
            opencl["device_busy_ns"],
        )
        case.check(
            "enqueue calls",
            sum(
                row["count"]
                for row in tables.get("trace_calls", [])
                if row["call"].startswith("openclTracer:clEnqueue")
            ),
            opencl["enqueue_calls"],
        )
