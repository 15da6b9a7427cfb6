"""A server of running programs, and programs that register with it.

with LiveServer(binary, "-session", folder) as server:
    client = Client(server)          # sends the given messages
    with Trainer(server, record):    # counts runs and obeys orders
        …
"""

import json
import threading
import time
import urllib.parse

from server import Server


class Client:
    """The messages of a training process."""

    def __init__(self, server, key="k1", **facts):
        self.server = server
        self.facts = {
            "protocol": 1,
            "key": key,
            "name": "train.py",
            "host": "here",
            "pid": 7,
            "framework": "none",
            **facts,
        }
        self.id = self.register()["client"]
        self.number = 0

    def register(self):
        reply = self.server.json("POST", "/api/clients", self.facts)
        assert reply.status == 200, reply.body
        return reply.json()

    def update(self, runs=10, row=0, client=None, **more):
        row = {
            "row": row,
            "fetches": "loss:0",
            "feeds": ["x:0"],
            "options": "None",
            "kind": "session.run",
            "runs": runs,
            "traces": 0,
            "last_ns": 1_000_000,
            "mean_ns": 1_000_000,
            "spark": [1, 2],
        }
        body = {"active": True, "rows": [row], **more}
        return self.server.json(
            "POST", "/api/clients/%s/update" % (client or self.id), body
        )

    def orders(self):
        return self.update().json()["orders"]["list"]

    def trace(self, data, row=0, number=None, kind="run_metadata", **more):
        if number is None:
            number, self.number = self.number, self.number + 1
        about = {
            "row": row,
            "number": number,
            "count": number + 1,
            "start_ns": 1000 + number,
            "duration_ns": 5,
            "asked_by": "next",
            "kind": kind,
            **more,
        }
        return self.server.request(
            "POST",
            "/api/clients/%s/traces?about=%s"
            % (self.id, urllib.parse.quote(json.dumps(about))),
            body=data,
        )


class LiveServer(Server):
    def json(self, method, target, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        return self.request(method, target, body=body)

    def live(self, query=""):
        return self.get("/api/live" + query).json()

    def traces(self):
        return [trace["id"] for trace in self.live()["traces"]]


class Trainer(threading.Thread):
    """Some kinds of run, each again and again, and traces of what is asked."""

    def __init__(
        self, server, data, rows=("loss:0", "init"), graph=b"", **facts
    ):
        super().__init__(daemon=True)
        self.client = Client(server, **facts)
        self.graph = ""
        if graph:
            self.graph = "g1"
            sent = server.request(
                "POST",
                "/api/clients/%s/graphs?name=g1" % self.client.id,
                body=graph,
            )
            assert sent.status == 201, sent.body
        self.data = data
        self.rows = [
            {
                "row": i,
                "fetches": name,
                "feeds": ["x:0"],
                "options": "None",
                "kind": "session.run",
                "runs": 0,
                "traces": 0,
                "last_ns": 20_000_000,
                "mean_ns": 20_000_000,
                "p50_ns": 20_000_000,
                "p95_ns": 25_000_000,
                "p99_ns": 30_000_000,
                "traced_mean_ns": 30_000_000,
                "spark": [20, 21, 19, 30, 20],
                "step": 0,
            }
            for i, name in enumerate(rows)
        ]
        self.left = {}
        self.ended = threading.Event()
        self.error = None

    def __enter__(self):
        self.say([], self.rows)
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        if self.error is not None:
            raise self.error

    def run(self):
        try:
            reply = self.say([], self.rows)
            while not self.ended.wait(reply["interval_ms"] / 1000):
                moving = self.rows[:3]
                for row in moving:
                    row["runs"] += 10
                    row["step"] += 10
                reports = [
                    self.obey(order) for order in reply["orders"]["list"]
                ]
                reply = self.say([r for r in reports if r], moving)
            self.say([], [], end="ok")
        except Exception as error:
            self.error = error

    def say(self, reports, rows, **more):
        reply = self.client.server.json(
            "POST",
            "/api/clients/%s/update" % self.client.id,
            {"active": True, "rows": rows, "orders": reports, **more},
        )
        assert reply.status == 200, reply.body
        return reply.json()

    def obey(self, order):
        number = order["order"]
        left = self.left.setdefault(
            number,
            order["count"] if order["rule"] == "next" else order["limit"],
        )
        rows = [
            row for row in self.rows[:3] if order["row"] in (None, row["row"])
        ]
        for row in rows[:left]:
            reply = self.client.trace(
                self.data,
                row=row["row"],
                number=row["traces"],
                count=row["runs"],
                step=row["step"],
                start_ns=time.time_ns(),
                duration_ns=31_000_000,
                asked_by=order["rule"],
                graph=self.graph,
            )
            assert reply.status == 201, reply.body
            row["traces"] += 1
            self.left[number] -= 1
        state = "done" if self.left[number] <= 0 else "armed"
        return {
            "order": number,
            "state": state,
            "left": max(self.left[number], 0),
            "why": "",
        }
