"""The server: a child process of this one, or one that runs already.

Both kinds have `address()`, which says where to connect now. An `OwnServer` is
`tfprof serve --session FOLDER`, in a process group of its own: Ctrl-C in the
terminal ends the training and not the page. One that dies is started again, on
the same port, with the same token and folder; one that a page ended stays
ended.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from typing import IO, Any, NamedTuple

from tfprof._engine import engine as _engine
from tfprof._live.http import Address, fingerprint
from tfprof._recorders.dumper import one_line

START_SECONDS = 20.0
# A server that ends sooner than this is not started again at once.
SHORT_LIFE_SECONDS = 5.0
PAUSE_SECONDS = 30.0


class ServerError(Exception):
    """There is no server; the text says why."""


class ServerEnded(ServerError):
    """There is none because somebody wanted that."""


def read_address(path: str) -> Address | None:
    """The address in a server.json; None if it is missing or incomplete."""
    data = read_json(path)
    try:
        certificate = data.get("certificate_sha256")
        return Address(
            str(data["address"]),
            int(data["port"]),
            str(data["token"]),
            bool(certificate),
            str(certificate or ""),
        )
    except (KeyError, TypeError, ValueError):
        return None


def read_json(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def say(text: str) -> None:
    """A line on stderr, where there is one."""
    try:
        print(f"tfprof: {one_line(text)}", file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass


class Place(NamedTuple):
    """The address and the certificate of a server that is to be started."""

    port: int = 0  # 0: a free one
    ip: str = "127.0.0.1"
    certificate: str = ""  # a file; without it, there is no TLS
    key: str = ""

    def flags(self) -> list[str]:
        flags = [f"--port={self.port}"] if self.port else []
        if self.ip not in ("127.0.0.1", "localhost"):
            flags.append(f"--listen={self.ip}")
        if self.certificate or self.key:
            flags.append(f"--tls_certificate={self.certificate}")
            flags.append(f"--tls_key={self.key}")
        return flags


def _launch(
    arguments: list[str],
    token: str,
    errors: IO[bytes],
    output: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Starts `tfprof serve`; ServerError if that is not possible."""
    try:
        program = _engine.find_program()
    except _engine.EngineError as error:
        raise ServerError(str(error)) from error
    # Other users may read command lines, and files stay; neither has the token.
    file = os.memfd_create("tfprof-token", 0)
    try:
        os.fchmod(file, 0o600)
        os.write(file, token.encode())
        return subprocess.Popen(
            [
                program,
                "serve",
                *arguments,
                f"--token_file=/proc/self/fd/{file}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            pass_fds=[file],
            start_new_session=True,
        )
    except OSError as error:
        raise ServerError(f"cannot start {program}: {error}") from error
    finally:
        os.close(file)


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read(4096).decode("utf-8", "replace").split("\n")
    words = [line.strip() for line in lines if line.strip()]
    return "; ".join(words[:3])


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


class JoinedServer:
    """A server that somebody else started.

    Args:
        where: The path of its server.json, http://HOST:PORT or https://….
        token: The token of an address; by default, TFPROF_TOKEN.
        certificate: The file of the certificate that an https server must
            have; by default TFPROF_CERTIFICATE, or any that is trusted for
            HOST.
    """

    def __init__(
        self, where: str, token: str = "", certificate: str = ""
    ) -> None:
        self._where = where
        self._token = token or os.environ.get("TFPROF_TOKEN", "")
        self._certificate = certificate or os.environ.get(
            "TFPROF_CERTIFICATE", ""
        )

    def address(self) -> Address:
        if not self._where.startswith(("http://", "https://")):
            path = self._where
            if os.path.isdir(path):
                path = os.path.join(path, "server.json")
            found = read_address(path)
            if found is None:
                raise ServerError(f"no server has written {path}")
            return found
        parts = urllib.parse.urlsplit(self._where)
        query = urllib.parse.parse_qs(parts.query)
        token = self._token or "".join(query.get("token", ()))
        if not parts.hostname or not token:
            raise ServerError(
                f"{parts.scheme}://{parts.netloc} needs a host, and the token "
                "in TFPROF_TOKEN"
            )
        if parts.scheme == "http":
            return Address(parts.hostname, parts.port or 80, token)
        known = ""
        if self._certificate:
            try:
                known = fingerprint(self._certificate)
            except (OSError, ValueError) as error:
                raise ServerError(str(error)) from error
        return Address(parts.hostname, parts.port or 443, token, True, known)


class OwnServer:
    """A server that this process starts, for one folder."""

    def __init__(
        self,
        folder: str,
        place: Place,
        *,
        keep_traces: int,
        session_bytes: int | None = None,
    ) -> None:
        self.folder = os.path.abspath(folder)
        self.place = place
        self._keep_traces = keep_traces
        self._session_bytes = session_bytes
        self._token = secrets.token_hex(16)
        self._pid = os.getpid()
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._started = 0.0
        self._not_before = 0.0
        self._said = False
        self._ready = False
        self.ended = False  # by a page or by `stop`: it stays ended

    # -- starting

    def address(self) -> Address:
        """The address of the server. Starts one, and waits until it listens."""
        if self.ended:
            raise ServerEnded("the server was ended")
        if self._child is None or self._child.poll() is not None:
            self._start_again()
        path = os.path.join(self.folder, "server.json")
        end = time.monotonic() + START_SECONDS
        while True:
            child = self._child
            if child is None:
                raise ServerEnded("the server was ended")
            data = read_json(path)
            if data.get("pid") == child.pid:
                address = read_address(path)
                if address is not None:
                    self._ready = True
                    # The same one the next time.
                    self.place = self.place._replace(port=address.port)
                    self._say(address)
                    return address
            if child.poll() is not None:
                self._start_again()
            elif time.monotonic() > end:
                raise ServerError(
                    f"the server does not listen after {START_SECONDS:.0f} s"
                )
            else:
                time.sleep(0.02)

    def _start_again(self) -> None:
        now = time.monotonic()
        if self._child is not None:
            status = self._child.returncode
            if status == 0 and self._ready:
                self.ended = True
                raise ServerEnded("a page ended the server")
            if not self._ready and self.place.port:
                # Most likely somebody has the port.
                say(f"port {self.place.port}: {self._last_words()}")
                self.place = self.place._replace(port=0)
            elif now - self._started < SHORT_LIFE_SECONDS:
                self._not_before = now + PAUSE_SECONDS
                why = self._last_words() or f"it ended with {status}"
                self._child = None
                raise ServerError(f"the server does not stay: {why}")
        if now < self._not_before:
            raise ServerError("the server does not stay; a later one may")
        self._start()

    def _start(self) -> None:
        arguments = [
            f"--session={self.folder}",
            f"--keep_traces={self._keep_traces}",
            *self.place.flags(),
        ]
        if self._session_bytes is not None:
            arguments.append(f"--session_bytes={self._session_bytes}")
        self._close_errors()
        self._errors = tempfile.TemporaryFile()
        self._ready = False
        self._started = time.monotonic()
        self._child = _launch(arguments, self._token, self._errors)

    def _last_words(self) -> str:
        return "" if self._errors is None else _last_words(self._errors)

    def _say(self, address: Address) -> None:
        if not self._said:
            self._said = True
            say(f"the page of this program: {address.url}")

    # -- ending

    def wait(self, seconds: float) -> bool:
        """Waits for the end of the child; whether it has ended."""
        if self._child is None:
            time.sleep(seconds)
            return self.ended
        try:
            status = self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        if status == 0 and self._ready:
            self.ended = True
        return self.ended

    def died(self) -> bool:
        """Whether the child ended, and is to be started again."""
        child = self._child
        return not self.ended and child is not None and child.poll() is not None

    def again(self) -> None:
        """It may be started after it was ended."""
        if self.ended:
            self._child = None
        self.ended = False

    def _close_errors(self) -> None:
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def stop(self) -> None:
        """Ends the child, in the process that started it."""
        self.ended = True
        child, self._child = self._child, None
        if child is None or os.getpid() != self._pid:
            return
        _stop(child)
        self._close_errors()


class ElectedServer(OwnServer):
    """The server of a folder that several processes share: this one starts it
    unless it runs already."""

    def address(self) -> Address:
        if self._child is None:
            found = read_address(os.path.join(self.folder, "server.json"))
            if found is not None and _answers(found):
                return found
        return super().address()


def _answers(address: Address) -> bool:
    try:
        with socket.create_connection((address.host, address.port), 2.0):
            return True
    except OSError:
        return False


class Viewer:
    """A server that shows a saved session."""

    def __init__(self, path: str, place: Place) -> None:
        """ServerError: the session cannot be shown; the text says why."""
        token = secrets.token_hex(16)
        with tempfile.TemporaryFile() as errors:
            for port in (place.port, 0) if place.port else (0,):
                self._child = _launch(
                    [path, *place._replace(port=port).flags()],
                    token,
                    errors,
                    subprocess.PIPE,
                )
                assert self._child.stdout is not None
                # The line with the address; the next one says what to do.
                line = self._child.stdout.readline().decode("utf-8", "replace")
                self.url = line.strip()
                if self.url.startswith(("http://", "https://")):
                    break
                self.stop()
            else:
                raise ServerError(f"{path}: {_last_words(errors)}")
        say(f"{path} is at {self.url}")

    def wait(self) -> None:
        self._child.wait()

    def stop(self) -> None:
        _stop(self._child)
        if self._child.stdout is not None:
            self._child.stdout.close()
