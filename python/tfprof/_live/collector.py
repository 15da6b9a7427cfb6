"""The thread that talks to the server: rows and records up, orders down.

It is started by the first run. A server that does not answer is asked again
every second; until then records wait, at most 4. When the interpreter ends, the
rest is sent, or written into the folder of the session if there is nobody to
send it to and it is on this machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import threading
import time
import urllib.parse
from typing import Any, Union

from tfprof._live import folder as session_folder
from tfprof._live.http import Address, Connection, Unreachable
from tfprof._live.program import Program
from tfprof._live.server import (
    JoinedServer,
    OwnServer,
    ServerEnded,
    ServerError,
)
from tfprof._live.waiting import Trace

MIN_SECONDS = 0.2  # between two updates
RETRY_SECONDS = 1.0
LOOK_SECONDS = 0.01  # between two looks for records that were ordered
# At the end of the interpreter, the thread gets this many seconds.
EXIT_SECONDS = 10.0

# None: there is no server yet; runs are counted.
Server = Union[OwnServer, JoinedServer, None]


class _Refused(Exception):
    """The server answered, but not as it should."""


class _Forgotten(_Refused):
    """The server has forgotten this process or a row: send it again."""


class Collector:
    """Keeps a server informed about a program.

    Args:
        program: The program.
        server: The server; None while there is none.
        identity: "name", "rank" and "ranks" of this process.
    """

    def __init__(
        self, program: Program, server: Server, identity: dict[str, Any]
    ) -> None:
        self._program = program
        self.server = server
        self._identity = identity
        self._started_ns = time.time_ns()
        self._connection: Connection | None = None
        self._address: Address | None = None
        self._registration: dict[str, Any] = {}
        self._known_rows: set[int] = set()
        self._graphs: dict[str, str] = {}  # of a version of a graph: its name
        self._interval = MIN_SECONDS
        self._next = 0.0
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        self._asked = 0  # flushes asked for
        self._served = 0  # flushes that are done
        self.online = False
        self.why = ""  # why it is not online

    # -- for other threads

    def start(self) -> None:
        """Starts the thread, once."""
        with self._changed:
            if self._thread is not None or self._stopping:
                return
            self._thread = threading.Thread(
                target=self._run, name="tfprof collector", daemon=True
            )
            self._thread.start()

    def flush(self, timeout: float) -> bool:
        """Waits until the server knows all and its orders are here.

        False: there was no server, or not enough time.
        """
        if self.server is None:
            return False
        end = time.monotonic() + timeout
        self.start()
        with self._changed:
            self._asked += 1
            wanted = self._asked
            self._program.wake.set()
            while self._served < wanted:
                left = end - time.monotonic()
                if left <= 0 or self._stopping:
                    return False
                self._changed.wait(left)
        return True

    def stop(self, seconds: float = EXIT_SECONDS) -> bool:
        """Ends the thread and the connection; False: it hangs in a request."""
        ended = self._stop_thread(seconds)
        if ended:
            self._drop_connection()
        return ended

    def _stop_thread(self, seconds: float) -> bool:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            thread = self._thread
        self._program.wake.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)
            return not thread.is_alive()
        return True

    @property
    def address(self) -> Address | None:
        """The address of the server that was last connected to."""
        return self._address

    @property
    def client(self) -> str:
        """The server's name for this process; "" before it has one."""
        return str(self._registration.get("client", ""))

    @property
    def folder(self) -> str:
        """The folder of the session, as the server says; "" before."""
        return str(self._registration.get("session", ""))

    # -- the thread

    def _run(self) -> None:
        while not self._stopping:
            self._wait()
            self._program.wake.clear()
            if self._stopping:
                return
            self._guarded_turn()

    def _wait(self) -> None:
        """Until it is time for an update, a record waits, or somebody asks.

        A record while nobody answers waits for the next attempt.
        """
        program = self._program
        while not self._stopping:
            left = self._next - time.monotonic()
            if left <= 0 or (self.online and len(program.waiting)):
                return
            pause = min(left, LOOK_SECONDS) if program.book.armed else left
            if program.wake.wait(pause):
                return

    def _guarded_turn(self) -> None:
        self._program.table.drain()
        try:
            self._turn()
        except _Forgotten:
            self._next = time.monotonic() + MIN_SECONDS
        except ServerEnded as error:
            self._offline(str(error), expected=True)
        except (Unreachable, ServerError, _Refused) as error:
            self._offline(str(error))
        except Exception as error:  # this thread must go on
            self._program.once.warn("a turn of the collector failed", error)
            self._offline(f"{type(error).__name__}: {error}")

    def _offline(self, why: str, expected: bool = False) -> None:
        if not expected and (self.online or not self.why):
            self._program.once.warn(f"no server: {why}")
        self.online = False
        self.why = why
        self._drop_connection()
        server = self.server
        soon = isinstance(server, OwnServer) and server.died()
        pause = MIN_SECONDS if soon else RETRY_SECONDS
        self._next = time.monotonic() + pause

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _turn(self) -> None:
        """Sends what waits, and an update if it is time for one."""
        if self.server is None:
            self._next = time.monotonic() + RETRY_SECONDS
            return
        with self._changed:
            asked = self._asked
        if self._connection is None:
            self._connect(self.server)
        self._send_traces()
        now = time.monotonic()
        wanted = asked > self._served
        due = self._next - (self._interval - MIN_SECONDS if wanted else 0)
        if now >= due:
            self._update()
            with self._changed:
                self._served = asked
                self._changed.notify_all()
        elif wanted:
            self._next = due

    def _connect(self, server: OwnServer | JoinedServer) -> None:
        """Registers; the same key is the same client."""
        address = server.address()
        connection = Connection(address)
        message = {
            "protocol": 1,
            "key": self._program.key,
            **self._identity,
            "host": platform.node(),
            "pid": os.getpid(),
            "framework": framework(),
            "started_ns": self._started_ns,
        }
        status, answer = connection.json("POST", "/api/clients", message)
        if status != 200 or not answer.get("client"):
            connection.close()
            raise _Refused(_refusal(address, status, answer))
        self._connection = connection
        self._address = address
        self._registration = answer
        self._known_rows.clear()
        self._graphs.clear()
        with self._program.lock:
            self._program.table.all_changed()
        self._take(answer)
        self.online = True
        self.why = ""
        self._next = 0.0

    def _ask(self, path: str, message: Any) -> dict[str, Any]:
        """The answer to a message about this client; {} after a 404."""
        connection = self._connection
        if connection is None:
            raise Unreachable("there is no connection")
        path = f"/api/clients/{self.client}{path}"
        status, answer = connection.json("POST", path, message)
        if status == 404:
            # The server does not know us: another one, or it forgot.
            self._drop_connection()
            raise _Forgotten("the server has forgotten this process")
        if status != 200:
            raise _Refused(_refusal(connection.address, status, answer))
        return answer

    def _update(self, end: str | None = None) -> None:
        program = self._program
        with program.lock:
            program.book.tick()
            reports = program.book.reports()
            rows = program.table.take_changed(program.clock)
            waiting = program.waiting
            message = {
                "active": program.sessions > 0,
                "rows": rows,
                "orders": reports,
                "waiting": {"traces": len(waiting), "bytes": waiting.bytes},
                "dropped": dict(waiting.dropped),
                "end": end,
            }
        try:
            answer = self._ask("/update", message)
        except BaseException:
            with program.lock:
                program.table.give_back([row["row"] for row in rows])
            raise
        self._known_rows.update(row["row"] for row in rows)
        with program.lock:
            program.book.reported(reports)
        self._take(answer)

    def _take(self, answer: dict[str, Any]) -> None:
        """The orders and the pace that the server wants."""
        try:
            interval = int(answer.get("interval_ms", 200)) / 1000
            orders = answer["orders"]["list"]
        except (KeyError, TypeError, ValueError) as error:
            raise _Refused(f"the server sent no orders: {error!r}") from error
        self._interval = max(min(interval, 10.0), MIN_SECONDS)
        self._next = time.monotonic() + self._interval
        with self._program.lock:
            problems = self._program.book.apply(orders)
        for problem in problems:
            self._program.once.warn(f"an order is not understood: {problem}")

    # -- records

    def _send_traces(self) -> None:
        while not self._stopping:
            with self._program.lock:
                trace = self._program.waiting.first()
            if trace is None:
                return
            self._send(trace)

    def _send(self, trace: Trace) -> None:
        program = self._program
        data = self._made(trace)
        if data is None:
            return
        if trace.row not in self._known_rows:
            self._update()
        connection = self._connection
        if connection is None:
            raise Unreachable("there is no connection")
        facts = urllib.parse.quote(json.dumps(trace.facts(self._graph(trace))))
        path = f"/api/clients/{self.client}/traces?about={facts}"
        status, answer = connection.ask("POST", path, data)
        if b'"lacks_graph"' in answer:
            # It had no room for the graph: the next trace sends it again.
            self._graphs.clear()
        with program.lock:
            if status in (200, 201):
                program.waiting.done(trace)
            elif status in (400, 413, 507):
                program.waiting.drop(trace, _dropped(status, answer))
                self._next = 0.0
            elif status == 409:  # it does not know the row
                self._known_rows.discard(trace.row)
                program.table.give_back([trace.row])
                raise _Forgotten("the server has forgotten a row")
            else:
                raise _Refused(f"status {status} for a trace")

    def _made(self, trace: Trace) -> bytes | None:
        """The bytes of a record; None if it had to be dropped."""
        waiting = self._program.waiting
        try:
            data = trace.data()
            why = "" if data else "the record was empty"
        except Exception as error:
            data, why = b"", f"the record could not be made: {error}"
        with self._program.lock:
            if not why and waiting.too_much(trace):
                why = "the traces that wait for the server are too large"
            if why:
                waiting.drop(trace, why)
                return None
        return data

    def _graph(self, trace: Trace) -> str:
        """The name of the trace's graph, which the server then has."""
        graph = trace.graph
        connection = self._connection
        if graph is None or connection is None:
            return ""
        try:
            version = f"{id(graph)}-{graph.version}"
            name = self._graphs.get(version)
            if name is None:
                data = graph.as_graph_def(add_shapes=True).SerializeToString(
                    deterministic=True
                )
                name = "g" + hashlib.sha256(data).hexdigest()[:16]
                path = f"/api/clients/{self.client}/graphs?name={name}"
                status, _ = connection.ask("POST", path, data)
                if status not in (200, 201):
                    name = ""
                self._graphs[version] = name
            return name
        except Unreachable:
            raise
        except Exception as error:
            self._program.once.warn("cannot send the graph", error)
            return ""

    # -- the end

    def finish(self, end: str, folder: str) -> list[str]:
        """Sends the rest and says why the program ends.

        Returns the ids of what had to be written into `folder` instead.
        """
        if self._thread is None:
            return []
        free = self._stop_thread(EXIT_SECONDS)
        self._stopping = False
        if free and self.online:
            try:
                self._send_traces()
                self._update(end)
                self._drop_connection()
                return []
            except (Unreachable, ServerError, _Refused, OSError) as error:
                self.why = str(error)
        return self.write_rest(folder)

    def write_rest(self, folder: str) -> list[str]:
        """Writes waiting records into a folder: the server's, if it is here.

        Returns the ids of the traces.
        """
        program = self._program
        with program.lock:
            traces = program.waiting.take()
        if not traces:
            return []
        folder = self._own_folder() or folder
        if not folder:
            raise OSError(
                f"{len(traces)} traces are lost: {self.why}, and the session "
                "is on another machine"
            )
        session_folder.make(folder, 5)
        return session_folder.write_traces(
            folder,
            traces,
            {row.number: row for row in program.table},
            {
                "client": self.client or f"p{os.getpid()}",
                "key": program.key,
                "rank": self._identity.get("rank"),
                "host": platform.node(),
                "pid": os.getpid(),
            },
        )

    def _own_folder(self) -> str:
        """The folder of the server, if it is of this machine."""
        machine = self._registration.get("machine")
        folder = self.folder
        if (
            machine
            and machine == boot_id()
            and (session_folder.is_session(folder))
        ):
            return folder
        return ""


def boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def framework() -> str:
    """The framework that the program has imported: "TensorFlow 2.15.1"."""
    for module, name in (
        ("tensorflow", "TensorFlow"),
        ("torch", "PyTorch"),
        ("jax", "JAX"),
    ):
        version = getattr(sys.modules.get(module), "__version__", None)
        if isinstance(version, str):
            return f"{name} {version}"
    return ""


def _refusal(address: Address, status: int, answer: dict[str, Any]) -> str:
    error = answer.get("error")
    text = error.get("message") if isinstance(error, dict) else error
    where = f"{address.host}:{address.port}"
    return f"{where} answers {status}: {text or 'without a reason'}"


def _dropped(status: int, answer: bytes) -> str:
    try:
        text = json.loads(answer)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        text = ""
    known = {413: "the record is too large", 507: "the disk is full"}
    return str(text or known.get(status) or f"status {status}")[:300]
