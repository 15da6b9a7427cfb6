"""The adapter of the acceptance kit of live tracing (`./dev test-tracing`).

The kit's programs train, arm runs and look at states; this class does that with
`tfprof.TracingServer` and the requests that a page makes.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import tfprof
from tfprof import tracing
from tfprof._engine.engine import find_program

ENOUGH = 1000  # traces until global tracing stops by itself


class Tracer:
    """The interface that programs/common.py of the kit describes."""

    def __init__(self, out, port, keep_traces=5, rank=None, inject=False):
        del out
        options = {
            "server_port": port,
            "keep_traces": keep_traces,
            "rank": rank,
        }
        if inject:
            self.server = tfprof.hook_inject(**options)
        else:
            self.server = tfprof.TracingServer(**options)
        self.server.start_web_server()
        self._flush()
        self._global = []

    def _flush(self):
        if not self.server.flush(60):
            raise RuntimeError("the server does not answer")

    def _ask(self, method, path, message=None):
        url = urllib.parse.urlsplit(self.server.url)
        token = urllib.parse.parse_qs(url.query)["token"][0]
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        body = None if message is None else json.dumps(message)
        connection.request(
            method, path, body, {"Authorization": f"Bearer {token}"}
        )
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, data

    def _order(self, message):
        message["client"] = self.server.client
        status, data = self._ask("POST", "/api/orders", message)
        if status != 201:
            raise RuntimeError(f"{message}: {status} {data!r}")
        self._flush()
        return json.loads(data)["orders"]

    @property
    def hook(self):
        return self.server.hook

    def arm(self, run):
        self._flush()
        self._order({"row": run, "rule": "next", "count": 1})

    def set_global(self, on):
        if on:
            self._global = self._order({"rule": "global", "limit": ENOUGH})
            return
        for order in self._global:
            self._ask("DELETE", f"/api/orders/{order}")
        self._global = []
        self._flush()

    def _live(self):
        self._flush()
        status, data = self._ask("GET", "/api/live")
        if status != 200:
            raise RuntimeError(f"/api/live: {status}")
        return json.loads(data)

    def state(self):
        live = self._live()
        (client,) = live["clients"]
        armed = {
            order["row"]
            for order in live["orders"]
            if order["state"] not in ("done", "missed")
        }
        return {
            "running": client["state"] == "running",
            "global_tracing": None in armed,
            "runs": [
                {
                    "fetches": row["fetches"],
                    "feeds": ", ".join(row["feeds"]),
                    "options": row["options"],
                    "runs": row["runs"],
                    "traces": row["traces"],
                    "listed": sorted(
                        trace["number"]
                        for trace in live["traces"]
                        if trace["row"] == row["row"]
                    ),
                    "armed": row["row"] in armed,
                }
                for row in sorted(live["rows"], key=lambda row: row["row"])
            ],
        }

    def _trace(self, run, number):
        return next(
            (
                trace
                for trace in self._live()["traces"]
                if (trace["row"], trace["number"]) == (run, number)
            ),
            None,
        )

    def run_metadata(self, run, number):
        trace = self._trace(run, number)
        if trace is None:
            return None
        status, data = self._ask("GET", f"/api/traces/{trace['id']}/file")
        return data if status == 200 else None

    def page(self, run, number):
        trace = self._trace(run, number)
        if trace is None:
            return 404, b""
        profile = urllib.parse.quote(f"traces/{trace['file']}")
        return self._ask("GET", f"/timeline?profile={profile}")

    def charts(self, run, number):
        """The charts that `tfprof timeline` makes of the record."""
        with tempfile.NamedTemporaryFile(suffix=".pb") as file:
            file.write(self.run_metadata(run, number))
            file.flush()
            command = [find_program(), file.name, "timeline", "-charts"]
            return json.loads(subprocess.check_output(command))

    def save(self, path):
        self.server.save_session(path)

    def save_over_http(self, path):
        self._flush()
        status, data = self._ask("GET", "/api/session.zip")
        if status == 200:
            with open(path, "wb") as file:
                file.write(data)

    def close(self):
        self.server.stop_web_server()
        tracing.hook_eject()
