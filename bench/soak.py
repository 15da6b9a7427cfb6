#!/usr/bin/env python3
"""An hour in the life of live tracing: does it lose, leak or break anything?

    TFPROF_BINARY=bazel-bin/profiler/tfprof python3 bench/soak.py --minutes 60

Needs TensorFlow. Trains at --rate steps a second. Meanwhile runs are ordered at
random, other processes join and end or are killed, and the server is killed
again and again. At the end the server must know of every step, the session must
hold what it may hold and be readable, and this process must not have grown.
Prints a line a minute, then each check; the status is 1 if one fails.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import tracing as bench

from tfprof._engine.engine import find_program

KEEP = 5
GROWTH_MB = 64
# A process that joins, works for some seconds, and ends.
GUEST = """
import os, sys, time
import tfprof
server = tfprof.TracingServer(serve=sys.argv[1], name="guest")
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    with server.step(framework="tensorflow"):
        time.sleep(0.02)
"""


class Chaos(threading.Thread):
    """Does what people and machines do, until `stop`."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self._server = server
        self._random = random.Random(seed)
        self._guests = []
        self.over = threading.Event()
        self.counts = {"orders": 0, "refused": 0, "guests": 0, "kills": 0}

    def run(self):
        next_kill = time.monotonic() + 15
        while not self.over.wait(self._random.uniform(0.05, 1.0)):
            try:
                self._order()
                self._guest()
                if time.monotonic() > next_kill:
                    self._kill()
                    next_kill = time.monotonic() + self._random.uniform(10, 40)
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                self.counts["refused"] += 1  # the server is just away
        for guest in self._guests:
            guest.kill()
            guest.wait()

    def _facts(self):
        path = os.path.join(self._server.session, "server.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def ask(self, method, path, message=None):
        facts = self._facts()
        connection = http.client.HTTPConnection(
            facts["address"], facts["port"], timeout=10
        )
        try:
            body = None if message is None else json.dumps(message)
            token = {"Authorization": f"Bearer {facts['token']}"}
            connection.request(method, path, body, token)
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"{}")
        finally:
            connection.close()

    def _order(self):
        pick = self._random
        rule = pick.choice(
            [
                {"rule": "next", "count": pick.randint(1, 5)},
                {"rule": "every", "every": pick.randint(2, 50), "limit": 10},
                {"rule": "global", "limit": 20},
                {"rule": "slower", "slower": 1.5, "limit": 3},
                {"rule": "at", "at": "next"},
                {"rule": "for", "seconds": 2, "limit": 50},
                None,
            ]
        )
        if rule is None:
            self.ask("DELETE", "/api/orders")
            return
        message = {"client": self._server.client, "row": 0, **rule}
        if rule["rule"] == "global":
            message["row"] = None
        status, _ = self.ask("POST", "/api/orders", message)
        self.counts["orders" if status == 201 else "refused"] += 1

    def _guest(self):
        self._guests = [g for g in self._guests if g.poll() is None]
        if self._random.random() < 0.03 and len(self._guests) < 3:
            self.counts["guests"] += 1
            path = os.path.join(self._server.session, "server.json")
            seconds = str(self._random.uniform(1, 15))
            self._guests.append(
                subprocess.Popen(
                    [sys.executable, "-c", GUEST, path, seconds],
                    env={**os.environ, "PYTHONPATH": sys.path[1]},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        elif self._guests and self._random.random() < 0.02:
            self._guests[0].kill()

    def _kill(self):
        os.kill(self._facts()["pid"], signal.SIGKILL)
        self.counts["kills"] += 1


def usage():
    return {
        "MB": round(bench.resident(), 1),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
    }


def check(what, good, found):
    print(f"{'ok    ' if good else 'FAILED'} {what}: {found}", flush=True)
    return good


def readable(folder):
    """The problems of the files of a session."""
    wrong = []
    base = os.path.join(folder, "traces")
    abouts = [n for n in os.listdir(base) if n.endswith(".about.json")]
    for name in abouts:
        with open(os.path.join(base, name), encoding="utf-8") as file:
            about = json.load(file)
        path = os.path.join(base, about["file"])
        if os.path.getsize(path) != about["bytes"]:
            wrong.append(f"{name} has other bytes")
        elif about["kind"] == "run_metadata":
            done = subprocess.run(
                [find_program(), path, "op"], capture_output=True
            )
            if done.returncode != 0:
                wrong.append(f"{path}: {done.stderr[-300:]!r}")
    return abouts, wrong


def train(server, minutes, rate):
    """The number of steps, and what the process used after the start."""
    graph, step = bench.model("tiny")
    session = bench.session_of(graph, [server.hook])
    # The memory that the first traces need does not count.
    warm = min(60.0, minutes * 15)
    steps, first = 0, None
    began = time.monotonic()
    minute = 0
    while True:
        now = time.monotonic() - began
        if now >= minutes * 60:
            break
        if first is None and now >= warm:
            first = usage()
        if now >= minute * 60:
            row = next(iter(server._program.table), None)
            traces = row.traces if row is not None else 0
            print(f"{minute:4} min {steps} steps {traces} traces {usage()}")
            sys.stdout.flush()
            minute += 1
        session.run(step)
        steps += 1
        time.sleep(max(steps / rate - (time.monotonic() - began), 0))
    session.close()
    return steps, first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "session")
        server = bench.started(session=session, keep_traces=KEEP)
        chaos = Chaos(server, arguments.seed)
        chaos.start()
        steps, first = train(server, arguments.minutes, arguments.rate)
        chaos.over.set()
        chaos.join()
        chaos.ask("DELETE", "/api/orders")
        good = check("the server answers at the end", server.flush(60), "")
        last = usage()
        _, live = chaos.ask("GET", "/api/live")
        (row,) = [r for r in live["rows"] if r["client"] == server.client]
        held = [t for t in live["traces"] if t["client"] == server.client]
        abouts, wrong = readable(session)
        dropped = server._program.waiting.dropped
        print(f"steps {steps}, {chaos.counts}, dropped {dropped}")
        good &= check("no step is lost", row["runs"] == steps, row["runs"])
        good &= check("no step failed", row["failed"] == 0, row["failed"])
        good &= check("there were traces", row["traces"] > 0, row["traces"])
        good &= check(
            f"the newest {KEEP} traces are held",
            len(held) == min(KEEP, row["traces"]),
            sorted(t["number"] for t in held),
        )
        good &= check("files are readable", not wrong, wrong or len(abouts))
        grown = last["MB"] - first["MB"]
        good &= check(f"memory grew < {GROWTH_MB} MB", grown < GROWTH_MB, grown)
        for what in "files", "threads":
            good &= check(
                f"no {what} leak",
                last[what] <= first[what] + 3,
                (first[what], last[what]),
            )
        saved = os.path.join(folder, "saved.zip")
        server.save_session(saved)
        good &= check(
            "it can be saved",
            os.path.getsize(saved) > 0,
            os.path.getsize(saved),
        )
        server.stop_web_server()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
