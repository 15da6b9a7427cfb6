#!/usr/bin/env python3
"""The live half of `tfprof serve`, as far as tests of the package need it.

In a test: `with FakeServer(folder) as server`, which listens on a free port in
a thread; the test looks at `clients`, `rows`, `traces` and sets `orders`,
`fail` (path → status) or `slow`. As a program it takes the arguments of `tfprof
serve --session=DIR`, so that TFPROF_BINARY may name it.
"""

import contextlib
import http.server
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse

TOKEN = "0123456789abcdef0123456789abcdef"


def boot_id():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


class FakeServer:
    """The messages of clients, and the answers to them."""

    def __init__(self, folder, port=0, token=TOKEN):
        self.folder = os.path.abspath(folder)
        self.token = token
        self.clients = {}  # key → what it said, with "id", "end", "updates"
        self.rows = {}  # (client, row) → facts
        self.traces = []  # (about, bytes)
        self.graphs = {}
        self.orders = []
        self.reports = {}  # order → all reports
        self.interval = 200
        self.fail = {}  # the end of a path → a status to answer
        self.slow = 0.0  # seconds before an answer
        self.lock = threading.Lock()
        self.connections = []
        self._make_folder()
        self._http = http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), _handler(self)
        )
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]

    def _make_folder(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        for name in ("clients", "traces", "graphs"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        path = os.path.join(self.folder, "manifest.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "tfprof session", "version": 1}, file)

    def write_server_json(self):
        data = {
            "address": "127.0.0.1",
            "port": self.port,
            "pid": os.getpid(),
            "token": self.token,
        }
        path = os.path.join(self.folder, "server.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.rename(path + ".new", path)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def __enter__(self):
        threading.Thread(
            target=self._http.serve_forever, args=(0.02,), daemon=True
        ).start()
        return self

    def __exit__(self, *unused):
        self._http.shutdown()
        self._http.server_close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def serve(self):
        self._http.serve_forever(0.05)

    def end(self):
        """serve() returns."""
        self._http.shutdown()

    # -- its actions

    def order(self, number, rule, row=None, **more):
        with self.lock:
            self.orders.append(
                {"order": number, "rule": rule, "row": row, **more}
            )

    def answer(self, client):
        return {
            "client": client,
            "session": self.folder,
            "machine": boot_id(),
            "interval_ms": self.interval,
            "orders": {"version": 1, "list": list(self.orders)},
        }

    def register(self, message):
        with self.lock:
            known = self.clients.setdefault(
                message["key"],
                {"id": f"c{len(self.clients) + 1}", "updates": 0},
            )
            known.update(message, end=None)
            return 200, self.answer(known["id"])

    def by_id(self, client):
        return next(
            (c for c in self.clients.values() if c["id"] == client), None
        )

    def update(self, client, message):
        with self.lock:
            known = self.by_id(client)
            if known is None:
                return 404, {"error": {"message": "no such client"}}
            known["updates"] += 1
            for name in ("active", "end", "waiting", "dropped"):
                known[name] = message[name]
            for row in message["rows"]:
                self.rows[client, row["row"]] = row
            for report in message["orders"]:
                self.reports.setdefault(report["order"], []).append(report)
                if report["state"] != "armed":
                    self.orders = [
                        o for o in self.orders if o["order"] != report["order"]
                    ]
            return 200, self.answer(client)

    def trace(self, client, about, data):
        with self.lock:
            if (client, about["row"]) not in self.rows:
                return 409, {"error": {"message": "no such row"}}
            name = f"{len(self.traces) + 1:06d}"
            path = os.path.join(self.folder, "traces", name)
            with open(path + ".pb", "wb") as file:
                file.write(data)
            with open(path + ".about.json", "w", encoding="utf-8") as file:
                json.dump({"id": name, **about}, file)
            self.traces.append((about, data))
            return 201, {"id": name}

    def post(self, path, query, body):
        for end, status in self.fail.items():
            if path.endswith(end):
                return status, {"error": {"message": f"told to fail: {end}"}}
        if path == "/api/clients":
            return self.register(json.loads(body))
        if path == "/api/quit":
            return 200, {}
        found = re.fullmatch(r"/api/clients/(\w+)/(\w+)", path)
        if found is None:
            return 404, {}
        client, what = found.groups()
        if what == "update":
            return self.update(client, json.loads(body))
        if what == "traces":
            return self.trace(client, json.loads(query["about"][0]), body)
        with self.lock:
            self.graphs[query["name"][0]] = body
        return 201, {}

    def state(self):
        with self.lock:
            return {
                "clients": [
                    {
                        "client": c["id"],
                        "state": "ended" if c.get("end") else "running",
                    }
                    for c in self.clients.values()
                ],
                "rows": list(self.rows.values()),
                "orders": self.orders,
            }


def _handler(fake):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self):
            super().setup()
            fake.connections.append(self.connection)

        def log_message(self, *unused):
            pass

        def _reply(self, status, message):
            data = json.dumps(message).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            if self.path == "/api/live":
                self._reply(200, fake.state())
            else:
                self._reply(404, {})

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            time.sleep(fake.slow)
            if self.headers.get("Authorization") != f"Bearer {fake.token}":
                self._reply(401, {"error": {"message": "wrong token"}})
                return
            url = urllib.parse.urlsplit(self.path)
            query = urllib.parse.parse_qs(url.query)
            self._reply(*fake.post(url.path, query, body))
            if url.path == "/api/quit":
                # The process ends with it, so not before the reply is sent.
                fake.end()

    return Handler


def main(arguments):
    """Runs as `tfprof serve --session=DIR --port=N --token_file=FILE`."""
    if arguments[:1] != ["serve"]:
        sys.exit("fake_server.py serves only")
    flags = dict(a[2:].split("=", 1) for a in arguments[1:] if a[:2] == "--")
    with open(flags["token_file"], encoding="ascii") as file:
        token = file.read().strip()
    try:
        fake = FakeServer(flags["session"], int(flags.get("port", 0)), token)
    except OSError as error:
        sys.exit(f"port {flags.get('port')}: {error}")
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(0))
    fake.write_server_json()
    fake.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
