"""Compares transfers between processes with the reference of a trace."""

import corpus_case

# Columns of a request, as the reference and as `status` name them.
TIMES = {
    "client_start": "client_begin_ns",
    "client_end": "client_end_ns",
    "server_receive": "server_seen_ns",
    "server_prepare_start": "prepare_begin_ns",
    "server_prepare_end": "prepare_end_ns",
}


def check_transfers(case, tables, reference):
    requests = reference.get("recv_tensor")
    if requests:
        row = (tables.get("trace_requests") or [{}])[0]
        for key in (
            "requests",
            "answered",
            "round_trip_total_ns",
            "prepare_total_ns",
            "encodes",
            "encoded_bytes",
        ):
            case.check(f"recv_tensor {key}", row.get(key), requests[key])
        check_requests(case, tables, requests["per_request"])
    case.check(
        "calls between processes",
        corpus_case.by(
            tables.get("trace_remote_calls"), "name", "sent", "seen"
        ),
        {
            name: tuple(counts)
            for name, counts in reference.get("rpc_requests", {}).items()
        },
    )
    local = reference.get("rendezvous")
    if local:
        row = (tables.get("trace_rendezvous") or [{}])[0]
        for found, key in (
            ("sends", "sends"),
            ("receives", "recvs"),
            ("matched", "matched_local"),
            ("receive_first", "recv_first"),
            ("receive_wait_ns", "recv_wait_total_ns"),
            ("send_wait_ns", "send_wait_total_ns"),
        ):
            case.check(f"rendezvous {key}", row.get(found), local[key])


def check_requests(case, tables, expected):
    """Each request, and how many were answered before they were asked."""
    rows = tables.get("trace_request_times", [])
    found = {
        (row["key"], row["number"]): tuple(
            # An unknown value is an empty text.
            row[column] if row[column] != "" else None
            for column in (*TIMES.values(), "step")
        )
        for row in rows
    }
    case.check("number of requests", len(rows), len(expected))
    for request in expected:
        step = request["step_id"]
        case.check(
            f"request {request['k']} of {request['key']}",
            found.get((request["key"], request["k"])),
            (
                *(request[key] for key in TIMES),
                None if step is None else str(step),
            ),
        )

    def before(a, b):
        return a is not None and b is not None and a < b

    violations = sum(
        before(r["server_receive"], r["client_start"])
        or before(r["client_end"], r["server_prepare_end"])
        for r in expected
    )
    totals = corpus_case.by(tables.get("trace"), "what", "value")
    case.check(
        "violations of causality",
        totals.get("requests_before_cause"),
        violations,
    )
