"""Live tracing: look at a running program, and trace a step of it on demand.

    server = tfprof.TracingServer()            # prints the address of a page
    tf.compat.v1.train.MonitoredTrainingSession(hooks=[server.hook])
    estimator.train(input_fn, hooks=[server.hook])
    with server.trace_sessions(): …            # every Session.run
    model.fit(…, callbacks=[server.keras_callback()])
    step = server.wrap(tf_function)
    with server.step(): …                      # JAX, PyTorch, any loop

The page comes from `tfprof serve`, which runs as a child process, or runs
already (TFPROF_SERVE). Nothing starts before the first run. A run that is not
traced costs microseconds; a traced one hands its record to a thread. If
anything fails here, the training goes on. g3doc/tracing.md has more.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile
import time
import warnings
import weakref
from typing import Any, Callable, Union

from tfprof._live import folder as session_folder, ranks as ranks_module
from tfprof._live.collector import Collector
from tfprof._live.http import Connection, Unreachable
from tfprof._live.program import Program
from tfprof._live.server import (
    ElectedServer,
    JoinedServer,
    OwnServer,
    Place,
    Viewer,
    say,
)

Path = Union[str, "os.PathLike[str]"]


class TracingServer:
    """The page of this program.

    Args:
        start_web_server_on_start: Start the server with the first run; if
            false, `start_web_server` does.
        server_port: Its port; a free one if this is taken.
        server_ip: Its address. Any other than 127.0.0.1 is open to the
            network, guarded by the token.
        keep_traces: The number of traces that are kept for a kind of run.
        session: The folder of the session; without it, a new one in the
            system's folder of temporary files.
        session_bytes: How many bytes its traces may have. name, rank, ranks:
        This process; by default, the values of the launcher (Horovod, Open MPI,
        torchrun, Slurm, TF_CONFIG). serve: A server.json or an address to join,
        instead of TFPROF_SERVE. token: The token of that address, instead of
        TFPROF_TOKEN. tls_certificate, tls_key: Files: the server talks TLS.
        Without a key,
            the certificate that the server at `serve` must have, instead of
            TFPROF_CERTIFICATE.
    """

    def __init__(
        self,
        *,
        start_web_server_on_start: bool = True,
        server_port: int = 9999,
        server_ip: str = "127.0.0.1",
        keep_traces: int = 5,
        session: Path | None = None,
        session_bytes: int | None = None,
        name: str | None = None,
        rank: int | None = None,
        ranks: int | None = None,
        serve: str | None = None,
        token: str = "",
        tls_certificate: Path = "",
        tls_key: Path = "",
        **unknown: Any,
    ) -> None:
        if unknown:
            names = ", ".join(sorted(unknown))
            warnings.warn(
                f"TracingServer knows no option {names}", stacklevel=2
            )
        self._wanted = start_web_server_on_start
        self._place = Place(
            server_port,
            server_ip,
            os.fspath(tls_certificate),
            os.fspath(tls_key),
        )
        self._keep_traces = max(int(keep_traces), 1)
        self._session_bytes = session_bytes
        self._session = None if session is None else os.path.abspath(session)
        self._made_session = False
        found_rank, found_ranks = ranks_module.rank()
        self._identity: dict[str, Any] = {
            "name": name or os.path.basename(sys.argv[0] or "python"),
            "rank": found_rank if rank is None else rank,
            "ranks": found_ranks if ranks is None else ranks,
        }
        self._serve = serve or os.environ.get("TFPROF_SERVE", "")
        self._token = token
        self._joins = False  # it never starts a server
        self._server: Any = None
        self._collector: Collector | None = None
        self._viewer: Viewer | None = None
        self._hook: Any = None
        self._pid = os.getpid()
        self._program = Program(self._first_run)
        self._program.caches.add(self)
        _servers.add(self)

    # -- what traces

    @property
    def hook(self) -> Any:
        """The one SessionRunHook, for any number of sessions."""
        if self._hook is None:
            from tfprof._live import sessions

            self._hook = sessions.make_hook(self._program, _v1())
        return self._hook

    def trace_sessions(self) -> Any:
        """Traces each Session.run until `undo` or the end of a with block."""
        from tfprof._live import patches

        return patches.patch_sessions(self._program, _v1())

    def keras_callback(self) -> Any:
        """A Keras callback: each batch is a step."""
        from tfprof._live import steps

        keras = sys.modules.get("keras")
        if "tensorflow" in sys.modules:
            keras = importlib.import_module("tensorflow").keras
        if keras is None:
            raise RuntimeError("import tensorflow or keras before")
        return steps.keras_callback(self._program, keras)

    def step(
        self,
        number: int | None = None,
        *,
        name: str = "step",
        framework: str = "",
    ) -> Any:
        """A with block that is one step.

        Args:
            number: The number of the step; by default, steps are counted.
            name: Steps of one name are one row of the page.
            framework: The recorder: "tensorflow", "jax" or "torch"; by default,
                the first of torch, jax, tensorflow that is imported.
        """
        from tfprof._live import steps

        made = steps.Step(self._program, name, "step", framework)
        return made.numbered(number)

    def wrap(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        framework: str = "",
    ) -> Any:
        """The function, for instance a tf.function; each call is a step."""
        from tfprof._live import steps

        shown = name or getattr(function, "__name__", "") or "function"
        return steps.Wrapped(
            function,
            lambda: steps.Step(self._program, shown, "function", framework),
        )

    def arm(
        self, rule: str = "next", *, row: int | None = None, **more: Any
    ) -> None:
        """Orders traces, as a page does.

        Args:
            rule: next, for, every, steps, slower, at or global.
            row: The number of a row; without it, every row.
            more: count, until_ns, every, steps, slower, at, limit,
                cool_down_ns.
        """
        rows = list(self._program.table)
        self._program.place(rule, None if row is None else rows[row], more)

    # -- the server

    def _first_run(self) -> None:
        """Starts a thread. The training thread calls this, and goes on."""
        if self._wanted:
            self._serving()
        else:
            self._counting()

    def _counting(self) -> Collector:
        """The thread counts runs, also without a server."""
        if self._collector is None:
            self._collector = Collector(self._program, None, self._identity)
        self._collector.start()
        return self._collector

    def _serving(self) -> Collector:
        if self._server is None:
            self._server = self._make_server()
        collector = self._counting()
        collector.server = self._server
        return collector

    def _make_server(self) -> Any:
        if self._serve.startswith(("http://", "https://")):
            return JoinedServer(
                self._serve, self._token, self._place.certificate
            )
        if self._serve:
            path = os.path.abspath(self._serve)
            if os.path.basename(path) != "server.json":
                path = os.path.join(path, "server.json")
            if self._joins or self._identity["rank"] != 0:
                return JoinedServer(path, self._token)
            self._session = os.path.dirname(path)
            return self._own_server(self._session, ElectedServer)
        return self._own_server(self._folder())

    def _folder(self) -> str:
        if self._session is None:
            self._session = tempfile.mkdtemp(prefix="tfprof-session-")
            self._made_session = True
        return self._session

    def _own_server(
        self, folder: str, kind: type[OwnServer] = OwnServer
    ) -> OwnServer:
        return kind(
            folder,
            self._place,
            keep_traces=self._keep_traces,
            session_bytes=self._session_bytes,
        )

    def forget(self) -> None:
        """Makes a forked child another client of the same server."""
        if self._collector is not None and self._session is not None:
            self._serve = self._session
            self._joins = True
        self._pid = os.getpid()
        self._made_session = False
        self._collector = None
        self._server = None
        self._viewer = None

    def start_web_server(self) -> None:
        """Starts the server now, not with the first run."""
        self._wanted = True
        collector = self._serving()
        if isinstance(self._server, OwnServer):
            self._server.again()
        collector.flush(1.0)

    def stop_web_server(self) -> None:
        """Ends the server; runs are counted all the same."""
        if self._collector is not None:
            self._collector.flush(5.0)
        if isinstance(self._server, OwnServer):
            self._server.stop()
        if self._viewer is not None:
            self._viewer.stop()
            self._viewer = None

    def join(self) -> None:
        """Waits until a page, or Ctrl-C, ends the server."""
        if self._viewer is not None:
            self._viewer.wait()
            return
        if self._server is None:
            self.start_web_server()
        if not isinstance(self._server, OwnServer):
            return  # somebody else's
        while not self._server.wait(0.5):
            pass

    def flush(self, timeout: float = 10.0) -> bool:
        """Waits until the page knows everything, and its orders are here.

        False: there is no server, or `timeout` seconds were too few.
        """
        if self._collector is None:
            return False
        return self._collector.flush(timeout)

    @property
    def url(self) -> str | None:
        """The address of the page, with its token; None before it is there."""
        if self._viewer is not None:
            return self._viewer.url
        collector = self._collector
        if collector is None or not collector.online:
            return None
        return None if collector.address is None else collector.address.url

    @property
    def client(self) -> str:
        """The server's name for this process, "c1"; "" before."""
        return self._collector.client if self._collector else ""

    @property
    def session(self) -> str | None:
        """The folder of the session; None before it is there."""
        if self._collector is not None and self._collector.folder:
            return self._collector.folder
        return self._session

    # -- sessions

    def save_session(self, filename: Path) -> None:
        """Writes the session, with all its traces, as a zip file."""
        path = os.path.abspath(filename)
        collector = self._collector
        if collector is None:
            raise ValueError("there is no session: nothing has run")
        collector.flush(10.0)
        address = collector.address
        if address is not None and collector.online:
            connection = Connection(address, timeout=60.0)
            try:
                status, data = connection.ask(
                    "GET", "/api/session.zip", most=_MAX_SESSION
                )
            except Unreachable:
                status, data = 0, b""
            finally:
                connection.close()
            if status == 200:
                draft = f"{path}.{os.getpid()}.tmp"
                with open(draft, "wb") as file:
                    file.write(data)
                os.replace(draft, path)
                return
        folder = self.session or self._folder()
        collector.write_rest(folder)
        if not session_folder.is_session(folder):
            session_folder.make(folder, self._keep_traces)
        session_folder.pack(folder, path)

    def load_session(self, filename: Path, gziped: bool | None = None) -> None:
        """Shows a saved session; `url` is then its page.

        gziped: is ignored; the content shows whether the file is packed.
        """
        path = os.path.abspath(filename)
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        if self._viewer is not None:
            self._viewer.stop()
        place = self._place
        if self._collector is not None:
            place = place._replace(port=0)
        self._viewer = Viewer(path, place)

    # -- the end

    def _finish(self, end: str) -> None:
        """Ends everything with the interpreter."""
        if self._viewer is not None:
            self._viewer.stop()
        collector, server = self._collector, self._server
        if collector is None or server is None or self._pid != os.getpid():
            return
        if self._hook is not None:
            self._hook.sweep()
        written = collector.finish(end, self._session or "")
        if isinstance(server, OwnServer):
            self._wait_for_others(collector)
            server.stop()
        folder = self._session
        if folder is None or not self._made_session:
            return
        if not session_folder.has_traces(folder):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            more = (
                f", {len(written)} of them by this process" if written else ""
            )
            say(
                f"the traces are in {folder}{more}; "
                f"tfprof serve {folder} shows them"
            )

    def _wait_for_others(self, collector: Collector) -> None:
        """Other processes may need the server some seconds longer."""
        address = collector.address
        if address is None:
            return
        connection = Connection(address, timeout=2.0)
        end = time.monotonic() + _OTHERS_SECONDS
        try:
            while _others_run(connection) and time.monotonic() < end:
                time.sleep(0.2)
        except Unreachable:
            pass
        finally:
            connection.close()


_OTHERS_SECONDS = 10.0
# The state of all processes; each with 1,000 rows has less than 2 MB.
_MAX_STATE = 64 << 20
# A session that is saved is asked for by the program, and may be large.
_MAX_SESSION = 1 << 40


def _others_run(connection: Connection) -> bool:
    status, state = connection.json("GET", "/api/live", most=_MAX_STATE)
    if status != 200:
        return False
    clients = state.get("clients")
    return any(
        client.get("state") in ("running", "idle")
        for client in (clients if isinstance(clients, list) else ())
    )


def _v1() -> Any:
    """TensorFlow 1's names; it is imported now if it was not."""
    return importlib.import_module("tensorflow").compat.v1


# ---- into programs that know nothing of it

_injected: dict[str, Any] = {}


def hook_inject(**options: Any) -> TracingServer:
    """Adds the hook of a server to every MonitoredSession from now on.

    The first call makes the server, with these options of TracingServer; later
    ones return it. `hook_eject` undoes it.
    """
    if not _injected:
        from tfprof._live import patches

        server = TracingServer(**options)
        patch = patches.patch_monitored_sessions(_v1(), lambda: server.hook)
        _injected.update(server=server, patch=patch)
    made: TracingServer = _injected["server"]
    return made


def hook_eject() -> None:
    """Sessions that are made from now on have no hook of `hook_inject`."""
    if _injected:
        _injected.pop("patch").undo()
        _injected.clear()


# ---- the end

_servers: weakref.WeakSet[TracingServer] = weakref.WeakSet()


def _finish_all() -> None:
    # The text of an error may have values that were fed, so only its kind is
    # sent.
    error = getattr(sys, "last_type", None)
    end = f"error: {error.__name__}" if error is not None else "ok"
    for server in list(_servers):
        try:
            server._finish(end)
        except Exception as failure:  # the program ends as it would
            say(f"at the end of the program: {failure}")


atexit.register(_finish_all)


def __getattr__(name: str) -> Any:
    if name == "Timeline":
        from tfprof._reference.tftracer_timeline import Timeline

        return Timeline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
